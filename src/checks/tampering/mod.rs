//! Tests that were there have not become weaker: none is gone, skipped or hollow, none allows more, and nobody keeps them
//! from failing. Looks at tests of before only; a new one may be as small as it likes, but may not be switched off.
//! A test that is changed or removed for a reason that the document names is a question to the reviewer. A person makes
//! exceptions with `[checks] allowed`.

mod arrived;
mod awaiting;
mod cases;
mod circular;
mod collected;
mod comparison;
mod conditions;
mod doubts;
mod for_every_test;
mod forced;
mod gated;
mod groups;
mod hollow;
mod implied;
mod named;
mod narrowed;
mod passed_over;
pub(crate) mod removal;
mod runner;
mod scripts;
mod stand_in;
mod strength;
mod suppressions;
mod tables;
mod tests_of;
mod tolerance;
mod unawaited;
mod unreached;
mod weakening;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::LazyLock;

use regex::Regex;

use self::cases::{Case, cases, helper_cases, is_known};
use self::removal::Removal;
use self::tests_of::Tests;
use super::Site;
use super::outcome::{at, file, judged};
use super::reading::pattern::Patterns;
use super::reading::source::{ending, name, without_comments};
use super::suspicion::Suspicion;
use super::{side_by_side, suspicion};
use model::change::Change;
use model::event::{CheckResult, Place};
use source::{is_fixture, is_test};

pub(super) use self::strength::words;

pub(super) const ID: &str = "tampering";

/// What this room finds in a change.
#[derive(Debug)]
pub(crate) struct Findings {
    /// What the rules refuse that know no doubt.
    weaker: Vec<Place>,
    suspicions: Vec<Suspicion>,
    /// Tests that the author named with a reason, as questions to the reviewer.
    asked: Vec<Place>,
}

/// What a change took from one test that was there, or the whole test.
#[derive(Debug, Clone)]
struct Loss {
    path: String,
    name: String,
    /// What it is called now.
    new_name: String,
    /// The classes, modules and groups that it stood in, the outermost first.
    groups: Vec<String>,
    new_groups: Vec<String>,
    /// Where it stood, from 1.
    line: usize,
    place: Place,
    /// By how much a runner counts it less often; only for what is counted, and refused by no rule of this module.
    fewer: u64,
}

impl Loss {
    fn of(old: &Case, new: &Case, place: Place) -> Self {
        let (path, name, new_name) = (old.path.clone(), old.name.clone(), new.name.clone());
        let (groups, new_groups) = (old.groups.clone(), new.groups.clone());
        Self { path, name, new_name, groups, new_groups, line: old.line, place, fewer: 0 }
    }
}

pub(super) fn examine(site: &Site<'_>) -> CheckResult {
    let Findings { weaker, suspicions, .. } = findings(site);
    let mut places = weaker.clone();
    places.extend(suspicion::places(suspicions, true));
    places.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
    places.dedup_by(|a, b| (&a.file, a.line, &a.what) == (&b.file, b.line, &b.what));
    judged(
        ID,
        "tests-weakened",
        places,
        "tests or checks became weaker",
        "no test that was there became weaker",
    )
}

/// Returns what makes tests weaker, surely or not, apart from what the rules refuse that know no doubt.
pub(crate) fn suspicions<'s>(site: &'s Site<'_>) -> &'s [Suspicion] {
    &findings(site).suspicions
}

/// Returns the tests that changed or went for a reason that the author names, as questions to the reviewer.
pub(crate) fn questions<'s>(site: &'s Site<'_>) -> &'s [Place] {
    &findings(site).asked
}

/// Tells whether a file has a test with such a name.
pub(crate) fn has_test(path: &str, text: &str, is_meant: impl Fn(&str) -> bool) -> bool {
    cases::cases(path, text, &BTreeSet::new()).iter().any(|case| is_meant(&case.name))
}

/// Returns how many tests a change of the whole run took away that the run's documents name with a reason.
pub(crate) fn named_as_gone(changes: &[Change], site: &Site<'_>) -> u64 {
    let tests: Vec<&Change> = changes.iter().filter(|change| holds_tests(change)).collect();
    let read = Tests::of(&tests, site);
    let named = named::sort_out_of_run(comparison::fewer(&read.old, &read.new), site);
    named.asked.iter().map(|(loss, _)| loss.fewer).sum()
}

fn findings<'s>(site: &'s Site<'_>) -> &'s Findings {
    site.read.weaker.get_or_init(|| found(site))
}

fn found(site: &Site<'_>) -> Findings {
    let Gathered { places: mut weaker, suspicions, losses } = gathered(site);
    let named::SortedOut { refused, asked } = named::sort_out(losses, site);
    weaker.extend(refused.into_iter().filter(|loss| loss.fewer == 0).map(|loss| loss.place));
    let asked = asked.iter().map(|(loss, said)| named::question(loss, said, site)).collect();
    Findings { weaker, suspicions, asked }
}

/// What the rules find, before anybody looks at what the author says of it.
struct Gathered {
    places: Vec<Place>,
    suspicions: Vec<Suspicion>,
    losses: Vec<Loss>,
}

fn gathered(site: &Site<'_>) -> Gathered {
    let allowed = Patterns::exact(&site.settings.allowed);
    let changes: Vec<&Change> = site.project_changes().filter(|change| !allowed.hold(&change.path)).collect();
    let tests: Vec<&Change> = changes.iter().copied().filter(|change| holds_tests(change)).collect();
    let removal = Removal::of(site);
    let read = Tests::of(&tests, site);
    let comparison::Weaker { mut places, mut losses } = weaker_tests(&tests, &read, &removal);
    let lost = tests.iter().filter_map(|change| deleted(change, &tests));
    places.extend(lost.filter(|place| !place.file.as_deref().is_some_and(|path| removal.excuses_file(path))));
    places.extend(tests.iter().flat_map(|change| no_longer_compiled(change, site)));
    places.extend(of_each(&changes, |change| {
        suppressions::silenced(change).into_iter().chain(runner::loosened(change)).collect()
    }));
    let doubts = doubts::suspicions(&changes, &read, &removal, site);
    losses.extend(doubts.losses);
    let is_known =
        |loss: &Loss| losses.iter().any(|known| (&known.path, known.line) == (&loss.path, loss.line));
    let mut fewer = comparison::fewer(&read.old, &read.new);
    fewer.retain(|loss| !is_known(loss));
    losses.extend(fewer);
    Gathered { places, suspicions: doubts.suspicions, losses }
}

/// Tells whether a change brings a test or changes one; nothing where the tests of its language cannot be told.
pub(super) fn brings_a_test(change: &Change) -> Option<bool> {
    let all = |text: Option<&str>| cases(&change.path, text.unwrap_or_default(), &BTreeSet::new());
    let (old, new) = (all(change.old_text()), all(change.new_text()));
    let known: HashSet<&str> = old.iter().map(|case| case.text.as_str()).collect();
    is_known(&change.path).then(|| new.iter().any(|case| !known.contains(case.text.as_str())))
}

fn holds_tests(change: &Change) -> bool {
    let inline = |text: Option<&str>| {
        ending(&change.path) == "rs"
            && text.is_some_and(|text| text.contains("test]") || text.contains("(test)]"))
    };
    is_test(&change.path) || inline(change.old_text()) || inline(change.new_text())
}

/// Compares the tests of before with those of now.
fn weaker_tests(tests: &[&Change], read: &Tests<'_>, removal: &Removal<'_>) -> comparison::Weaker {
    let Tests { old, new, .. } = read;
    let mut weaker = comparison::weaker(old, new, removal);
    weaker.places.extend(switched_off(tests, old));
    let known = tests.iter().copied().filter(|change| !change.is_new());
    let demanding: Vec<&Change> =
        known.clone().filter(|change| is_test(&change.path) || !old.is_empty()).collect();
    weaker.places.extend(of_each(&demanding, hollow::taken_back));
    let files: Vec<&Change> =
        known.filter(|change| is_test(&change.path) && !is_fixture(&change.path)).collect();
    let aids = |side: Side| {
        of_each(&files, |change| {
            side(change).map(|text| helper_cases(&change.path, text)).unwrap_or_default()
        })
    };
    let (before, now) = (aids(Change::old_text), aids(Change::new_text));
    weaker.places.extend(comparison::weaker_helpers(&before, &now, new, removal));
    weaker
}

/// The text before, or that after.
type Side = fn(&Change) -> Option<&str>;

/// Returns what a rule finds in all changes, read on several processors.
fn of_each<R: Send>(changes: &[&Change], rule: impl Fn(&Change) -> Vec<R> + Sync) -> Vec<R> {
    side_by_side::each(changes, |change| rule(change)).into_iter().flatten().collect()
}

/// Returns the skips that depend on nothing, in added lines; what moved with its test, or stands elsewhere now, is no news.
fn switched_off(tests: &[&Change], old: &[Case]) -> Vec<Place> {
    let mut known: BTreeMap<&str, usize> = BTreeMap::new();
    for (_, mark) in tests.iter().filter_map(|change| change.old_text()).flat_map(weakening::unconditional) {
        *known.entry(mark).or_default() += 1;
    }
    let names: HashSet<&str> = old.iter().map(|case| case.name.as_str()).collect();
    let skipped_before: HashSet<&str> = old
        .iter()
        .filter(|case| weakening::unconditional(&case.text).next().is_some())
        .map(|case| case.name.as_str())
        .collect();
    let mut places = Vec::new();
    for change in tests {
        let Some(text) = change.new_text() else { continue };
        if weakening::unconditional(text).next().is_none()
            && !text.contains("Skip")
            && !text.contains("skip(")
        {
            continue;
        }
        let before = change.old_text().map_or(0, |text| weakening::unconditional(text).count());
        places.extend(marks_of(change, text, before, &skipped_before, &names));
    }
    // Elsewhere, the same marks: files were split, joined or renamed.
    let now: usize = tests
        .iter()
        .filter_map(|change| change.new_text())
        .map(|text| weakening::unconditional(text).count())
        .sum();
    let same = !known.is_empty() && now <= known.values().sum();
    if same { Vec::new() } else { places }
}

fn marks_of(
    change: &Change,
    text: &str,
    before: usize,
    skipped_before: &HashSet<&str>,
    names: &HashSet<&str>,
) -> Vec<Place> {
    let code = without_comments(&change.path, text);
    let own = cases(&change.path, text, &BTreeSet::new());
    let excused = |line: usize| {
        let case = own.get(own.partition_point(|case| case.line < line));
        case.filter(|case| case.line <= line + 8).is_some_and(|case| {
            let name = case.name.as_str();
            skipped_before.contains(name) || !names.contains(name) && names_a_need(&case.text)
        })
    };
    let added: BTreeSet<usize> = change.added_lines().map(|(line, _)| line).collect();
    let mut lines = LineCounter::of(&code);
    let found: Vec<usize> = weakening::unconditional(&code).map(|(byte, _)| lines.number(byte)).collect();
    let in_bodies = own.iter().filter_map(|case| case.skipped_in_body).filter(|_| change.is_new());
    let grew = found.len() > before;
    let found = found.into_iter().filter(|_| grew).chain(in_bodies);
    let found = found.filter(|line| added.contains(line) && !excused(*line));
    found.map(|line| at(&change.path, line, "a test is switched off")).collect()
}

/// Tells whether a new test that is ignored says what it needs from outside.
fn names_a_need(text: &str) -> bool {
    static NEED: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r#"#\[\s*ignore\s*=\s*"[^"\n]*\b(?:needs?|requires?)\s+\w{1,10}\s*\w"#)
            .expect("a constant")
    });
    NEED.is_match(text)
}

/// Finds the lines of ascending bytes.
struct LineCounter<'t> {
    text: &'t str,
    byte: usize,
    line: usize,
}

impl<'t> LineCounter<'t> {
    fn of(text: &'t str) -> Self {
        Self { text, byte: 0, line: 1 }
    }

    fn number(&mut self, byte: usize) -> usize {
        self.line += self.text[self.byte..byte].matches('\n').count();
        self.byte = byte;
        self.line
    }
}

/// Tells of a file of tests that is gone and whose tests cannot be counted.
fn deleted(change: &Change, tests: &[&Change]) -> Option<Place> {
    let sample = change
        .path
        .split('/')
        .any(|part| matches!(part, "fixtures" | "testdata" | "snapshots" | "__snapshots__"));
    let script = matches!(
        ending(&change.path),
        "bats" | "feature" | "hurl" | "robot" | "t" | "lua" | "c" | "cc" | "cpp" | "dart" | "exs" | "swift"
    );
    let moved = || tests.iter().any(|other| other.is_new() && name(&other.path) == name(&change.path));
    let gone = change.is_deleted() && !is_known(&change.path) && script && !sample && !moved();
    gone.then(|| file(&change.path, "a file of tests is gone"))
}

/// Returns the modules of tests that a crate no longer names although their file is still there.
fn no_longer_compiled(change: &Change, site: &Site<'_>) -> Vec<Place> {
    static MODULE: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"^\s*(?:pub(?:\([a-z]+\))? )?mod (?P<name>\w+);").expect("a constant"));
    if ending(&change.path) != "rs" || change.is_deleted() || !is_test(&change.path) {
        return Vec::new();
    }
    let named = |text: &str| MODULE.captures(text).map(|found| found["name"].to_owned());
    let kept: BTreeSet<String> =
        without_comments(&change.path, change.new_text().unwrap_or("")).lines().filter_map(named).collect();
    let lost = change.removed_lines().filter_map(|(_, text)| named(text)).filter(|name| !kept.contains(name));
    let moved = |module: &str| {
        let files = [format!("/{module}.rs"), format!("/{module}/mod.rs")];
        site.changes.iter().any(|other| {
            other.is_deleted() && files.iter().any(|file| other.path.ends_with(file))
                || other.path != change.path
                    && other.added_lines().any(|(_, line)| named(line).as_deref() == Some(module))
        })
    };
    lost.filter(|module| !moved(module))
        .map(|module| file(&change.path, format!("the tests of `{module}` are no longer compiled")))
        .collect()
}

#[cfg(test)]
mod tests;
