//! A test that passed at the base of the run is there and passes now (`PASS_TO_PASS`, as SWE-bench calls it): under its own id, or
//! as the same test under another name, as its source says. Where tests changed, those of the base are run on the new code as
//! well: a test that fails there, although its new version passes, expects something else now. That is a question to the reviewer, and
//! so is a test in whose place others stand that ask about the same, and one that failed at the base and is skipped or gone.

use std::collections::BTreeSet;

use super::announced::Announced;
use super::changed_tests::Fate;
use super::command::{End, Look};
use super::suite::{Losses, LostTest, Suite, name};
use super::test_runs::{Compared, NotCompared, TestRuns};
pub(super) use super::test_trees::EXPECTATIONS;
use super::{
    ChangedTests, CheckResult, Place, Site, asking, at, gathered, judged, of_answer, one_line,
    question_to_reviewer, skipped,
};
use model::issue::Issue;
use process::Stop;
use source::{Test, is_worded_by};
use tool_output::TestOutcome;

pub(super) const ID: &str = "pass_to_pass";

/// So much of the text of a test is shown in a question, in characters.
const MOST_SHOWN: usize = 300;
/// More tests that end in two ways are not named.
const MOST_NAMED: usize = 5;

/// Looks for tests of the base that do not pass any more.
pub(super) async fn examine(site: &Site<'_>, stop: &mut Stop) -> Compared<CheckResult> {
    let runs = TestRuns::of(site)?;
    let (now, base) = (runs.now(stop).await?, runs.base(stop).await?);
    if let Some(result) = uncompared(runs.asked.line, &now, &base, site)? {
        return Ok(result);
    }
    let (before, after) = (Suite::of(&base.results), Suite::of(&now.results));
    if let Some(id) = after.not_loaded(&before) {
        return Ok(skipped(ID, &format!("`{id}` cannot be loaded, which the check of the tests names")));
    }
    let mut comparison = Comparison {
        before: &before,
        after: &after,
        sources: runs.sources()?,
        announced: Announced::read(site),
        awaited: Announced::of_later_tests(site),
        issue: site.issue,
        flaky: BTreeSet::new(),
        still_right: BTreeSet::new(),
    };
    let missing = comparison.missing();
    if missing.lost.len() + missing.asked.len() > 0 {
        comparison.flaky = runs.flaky(stop).await;
        let old_tests = runs.mixed(|trees| &trees.old_tests, stop).await;
        let results = old_tests.iter().flat_map(|look| look.results.iter());
        let passing = results.filter(|result| result.outcome == TestOutcome::Passed);
        comparison.still_right = passing.map(|result| result.id.clone()).collect();
    }
    Ok(judge(&comparison, site))
}

fn judge(comparison: &Comparison<'_, '_>, site: &Site<'_>) -> CheckResult {
    let Missing { lost, asked } = comparison.missing();
    let passing = comparison.before.count_passing(|_| true);
    let named: Vec<&str> = comparison.flaky.iter().map(String::as_str).take(MOST_NAMED).collect();
    let flaky = match named.as_slice() {
        [] => String::new(),
        named => format!("; two runs of the same files end differently: {}", named.join(", ")),
    };
    let kept = format!("every test that passed at the base is there and passes ({passing}){flaky}");
    if lost.is_empty() {
        let problem = "tests of the base are replaced by others, or gone";
        return question_to_reviewer(judged(ID, "lost-tests", gathered(asked), problem, &kept), site);
    }
    judged(ID, "lost-tests", lost, "tests that passed at the base do not pass any more", &kept)
}

/// Says why the tests cannot be compared one by one. Where only the suite of now does not name them, that is a question; where it
/// fails, the check of the tests says so.
fn uncompared(line: &str, now: &Look, base: &Look, site: &Site<'_>) -> Compared<Option<CheckResult>> {
    let count = base.results.len();
    let why = match (count, now.results.len(), &now.end) {
        (0, ..) => format!("`{line}` does not name each test at the base of the run"),
        (_, 1.., _) => return Ok(None),
        (_, 0, End::Green) => {
            let what = format!(
                "`{line}` names its {count} tests at the base of the run and not those of now, so that none can be missed"
            );
            let places = vec![of_answer(what)];
            let result = judged(ID, "unnamed-tests", places, "tests cannot be compared", "");
            return Ok(Some(question_to_reviewer(result, site)));
        }
        (_, 0, _) => format!("`{line}` fails and does not name each test"),
    };
    Err(NotCompared::Skipped(why))
}

/// What is compared.
struct Comparison<'c, 'r> {
    before: &'c Suite<'r>,
    after: &'c Suite<'r>,
    sources: &'c ChangedTests,
    announced: Announced,
    /// The same where tests are still to be written.
    awaited: Announced,
    issue: &'c Issue,
    /// They end in another way in another run of the same files, and neither excuse nor accuse.
    flaky: BTreeSet<String>,
    /// The tests of the base that pass on the new code as they were.
    still_right: BTreeSet<String>,
}

/// The tests that are missed.
#[derive(Default)]
struct Missing {
    /// Nothing explains that.
    lost: Vec<Place>,
    /// The reviewer is asked whether that is right.
    asked: Vec<Place>,
}

/// What is said of one test that is missed.
enum Miss {
    /// It is there, or may be gone.
    Fine,
    Lost,
    Asked(Place),
    /// No source says anything.
    Unknown,
}

impl Comparison<'_, '_> {
    fn missing(&self) -> Missing {
        let mut losses = self.before.losses(self.after);
        for list in [&mut losses.gone, &mut losses.moved, &mut losses.not_passing] {
            list.retain(|lost| !self.flaky.contains(lost.id));
        }
        losses.new.retain(|id| !self.flaky.contains(id));
        let (mut missing, mut unknown) = (Missing::default(), Vec::new());
        for lost in &losses.gone {
            match self.miss(lost) {
                Miss::Fine => {}
                Miss::Lost => missing.lost.push(self.place(lost)),
                Miss::Asked(place) => missing.asked.push(place),
                Miss::Unknown => unknown.push(lost),
            }
        }
        // Where no source says anything, as many new tests as are gone may be the same.
        if unknown.len() + missing.lost.len() > losses.new.len() {
            missing.lost.extend(unknown.into_iter().map(|lost| self.place(lost)));
        }
        missing.asked.extend(self.moved(&losses));
        for id in self.before.failing_and_gone(self.after).filter(|id| !self.flaky.contains(*id)) {
            let (lost, fate) = (LostTest { id, now: self.after.outcome(id) }, self.sources.fate(id));
            // Its text is there as it was, and no runner reports it.
            if matches!((&fate, lost.now), (Fate::Kept(..), None)) && matches!(self.miss(&lost), Miss::Lost) {
                missing.lost.push(self.place(&lost));
            } else {
                missing.asked.push(of_answer(format!("{id} failed at the base and is left out")));
            }
        }
        missing.asked.dedup();
        for lost in losses.not_passing.iter().rev() {
            match self.awaited(lost) {
                Some(place) => missing.asked.insert(0, place),
                None => missing.lost.insert(0, self.place(lost)),
            }
        }
        missing
    }

    /// Asks about a test that fails by what it asserts, as its author announced, before the phase in which tests are written.
    fn awaited(&self, lost: &LostTest<'_>) -> Option<Place> {
        let said = self.awaited.entry(name(lost.id)).filter(|_| lost.now == Some(TestOutcome::Failed))?;
        Some(of_answer(format!("{} fails until it is changed; the author says: {said}", lost.id)))
    }

    fn miss(&self, lost: &LostTest<'_>) -> Miss {
        let miss = match self.sources.fate(lost.id) {
            Fate::Kept(old, new) if self.runs_as_often(old, &new) => Miss::Fine,
            Fate::Kept(..) | Fate::Lost => Miss::Lost,
            Fate::LostWith(symbol) => self.lost_with(lost, symbol),
            // Nothing that the change does makes it wrong, and others do not assert what it did.
            Fate::Replaced(old, new) if self.still_right.contains(lost.id) && !is_worded_by(old, &new) => {
                Miss::Lost
            }
            Fate::Replaced(old, new) => {
                let new: Vec<&Test> = new.into_iter().filter(|new| self.passes(new)).collect();
                if new.is_empty() { Miss::Lost } else { Miss::Asked(replaced(lost.id, old, &new)) }
            }
            Fate::Unknown if self.sources.is_removed_helper(lost.id) => Miss::Fine,
            Fate::Unknown => Miss::Unknown,
        };
        let why = match miss {
            Miss::Lost => self.announced.reason(lost.id, self.issue),
            Miss::Unknown => self.announced.reason(lost.id, self.issue).or_else(|| self.removal()),
            Miss::Fine | Miss::Asked(_) => None,
        };
        why.map_or(miss, |why| Miss::Asked(of_answer(format!("{} is gone; {why}", lost.id))))
    }

    /// Returns why tests may be gone that no source knows.
    fn removal(&self) -> Option<String> {
        let why = "each file of tests that was removed is named by the issue, or its code was removed";
        self.sources.removed_as_asked(self.issue).then(|| why.to_owned())
    }

    /// Whether what a test is about may go is for the issue or the reviewer to say. The issue names what is renamed, too.
    fn lost_with(&self, lost: &LostTest<'_>, symbol: &str) -> Miss {
        if self.issue.names(symbol) && !self.sources.has_new_symbols() {
            return Miss::Fine;
        }
        let why = if self.issue.names(symbol) {
            "the run added others, and nothing asks of them what it asked"
        } else {
            "the issue does not name it"
        };
        Miss::Asked(of_answer(format!("{} is gone with `{symbol}`: {why}", lost.id)))
    }

    /// Asks about tests of which only the name is somewhere else.
    fn moved(&self, losses: &Losses<'_>) -> Vec<Place> {
        let replaced = |lost: &LostTest<'_>| match self.sources.fate(lost.id) {
            Fate::Replaced(old, new) => Some(replaced(lost.id, old, &new)),
            Fate::Lost => Some(of_answer(format!(
                "{} is gone; the test of its name that passes now asks something else",
                lost.id
            ))),
            Fate::Kept(..) | Fate::LostWith(_) | Fate::Unknown => None,
        };
        losses.moved.iter().filter_map(replaced).collect()
    }

    fn passes(&self, test: &Test) -> bool {
        self.after.count_passing(|id| test.may_be_reported_as(id)) > 0
    }

    /// Tells whether a test passes in as many cases as before, whatever it is called; where it was rewritten, in as many as
    /// there are of it now.
    fn runs_as_often(&self, old: &Test, new: &[&Test]) -> bool {
        let were = self.before.count_passing(|id| old.may_be_reported_as(id));
        let are = self.after.count_passing(|id| new.iter().any(|test| test.may_be_reported_as(id)));
        let as_before = matches!(new, [new] if new.cases() == old.cases());
        let cases: Option<usize> = new.iter().map(|new| new.cases()).sum();
        let expected = if as_before { were } else { were.min(cases.unwrap_or(were)) };
        are >= expected && new.iter().all(|new| self.passes(new))
    }

    /// Names a test that is missed, where its source says that it stood at the base.
    fn place(&self, lost: &LostTest<'_>) -> Place {
        let now = match lost.now {
            None | Some(TestOutcome::Passed) => "is gone",
            Some(TestOutcome::Skipped) => "is skipped now",
            Some(TestOutcome::Failed) => "fails now",
            Some(TestOutcome::TimedOut) => "does not end in time now",
            Some(TestOutcome::DidNotLoad) => "cannot be loaded now",
        };
        let what = format!("{} {now}", lost.id);
        match self.sources.at_base(lost.id) {
            Some(test) => at(&test.path, test.line, what),
            None => of_answer(what),
        }
    }
}

/// Asks about a test in whose place others stand, with the texts of all.
fn replaced(id: &str, old: &Test, new: &[&Test]) -> Place {
    let shown = |test: &Test| format!("`{}`", one_line(test.text(), MOST_SHOWN));
    let now: Vec<String> = new.iter().map(|new| shown(new)).collect();
    let (before, now) = (shown(old), now.join(", "));
    let what = format!("{id} is gone, and nothing asks all that it asked; before: {before}; now: {now}");
    at(&new[0].path, new[0].line, what)
}

/// Looks for tests that expect something else now: in their version of the base they fail on the new code, or they went with
/// what they are about.
pub(super) async fn examine_expectations(site: &Site<'_>, stop: &mut Stop) -> Compared<CheckResult> {
    let runs = TestRuns::of(site)?;
    let Some(looks) = runs.three(|trees| &trees.old_tests, stop).await? else {
        return Ok(skipped(EXPECTATIONS, "the run left the tests as they were"));
    };
    let suites = looks.each_ref().map(|look| Suite::of(&look.results));
    let sources = runs.sources()?;
    let changed = changed_expectations(&suites, sources);
    let changed = runs.without_flaky(changed, |id| id, |trees| &trees.old_tests, stop).await;
    let places = changed.into_iter().map(|id| changed_expectation(id, sources)).collect();
    let (problem, clean) = ("tests expect something else now", "no test expects something else");
    Ok(asking(judged(EXPECTATIONS, "changed-expectations", gathered(places), problem, clean)))
}

/// Asks about a test that expects something else now, with what changed in its text where the source is known.
fn changed_expectation(id: &str, sources: &ChangedTests) -> Place {
    let what =
        format!("{id} fails on the new code in its version of the base, and passes in its new version");
    match sources.fate(id) {
        Fate::Kept(old, new) | Fate::Replaced(old, new) if !new.is_empty() => {
            let new_text = new.iter().map(|new| new.text()).collect::<Vec<_>>().join("\n");
            let (before, now) = (other_lines(old.text(), &new_text), other_lines(&new_text, old.text()));
            at(&new[0].path, new[0].line, format!("{what}; before: `{before}`; now: `{now}`"))
        }
        _ => of_answer(what),
    }
}

/// Returns the lines of a text that another one does not have.
fn other_lines(text: &str, other: &str) -> String {
    let known: BTreeSet<&str> = other.lines().map(str::trim).collect();
    let lines = text.lines().filter(|line| !known.contains(line.trim()));
    one_line(&lines.collect::<Vec<_>>().join("\n"), MOST_SHOWN)
}

/// Returns the tests that fail in their version of the base alone. One that was expected to fail there, and only lost the mark
/// that says so, expects what it expected.
fn changed_expectations<'r>([base, old_tests, now]: &[Suite<'r>; 3], sources: &ChangedTests) -> Vec<&'r str> {
    let was_expected_to_fail =
        |id: &str| base.outcome(id) != Some(TestOutcome::Failed) && sources.is_expected_to_pass_now(id);
    // Under another name it passes in another form, which may ask less.
    let is_renamed = |id: &str| now.outcome(id).is_none() && matches!(sources.fate(id), Fate::Kept(..));
    let is_changed = |id: &&str| {
        old_tests.outcome(id) == Some(TestOutcome::Failed)
            && (now.outcome(id) == Some(TestOutcome::Passed) || is_renamed(id))
            && !was_expected_to_fail(id)
    };
    old_tests.ids().filter(is_changed).collect()
}

#[cfg(test)]
mod tests;
