//! The runs of the tests: at the base of the run and now, the old tests on the new code, the new tests on the old code, and what
//! is there now with the runner's settings of the base, or with new functions that do nothing. Each is made in the clean worktree, once a tree. Judges nothing.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::changed_tests::ChangedTests;
use super::command::{self, Asked, End, Look};
use super::suite::Suite;
use super::{Published, Site, result, skipped};
use git::{CommitId, Error, RunWorkspace, Tree};
use model::change::{Change, FileMode};
use model::event::{CheckResult, CheckStatus};
use model::policy::Policy;
use process::Stop;
use source::{Role, SourceFile, is_fixture, is_runner_setting, is_test, splice_tests, stub_bodies};

/// The trees of the runs that mix what is there now with the base. They are written before commands run, because what changes
/// under git's folder meanwhile is theirs.
#[derive(Debug, Default)]
pub struct TestTrees {
    /// The code of now with the tests of the base; nothing where the run left all tests as they were.
    pub(super) old_tests: MixedTrees,
    /// The code of the base with the tests of now; nothing where the run did not change both.
    pub(super) new_tests: MixedTrees,
    /// What will be published with the runner's settings of the base; nothing where the run left them as they were.
    pub(super) old_settings: MixedTrees,
    /// What will be published, where new functions of the product do nothing; nothing where there are none.
    pub(super) new_stubs: MixedTrees,
}

/// Trees of one mixture, the most complete first. The next one is for where the tests of that one cannot be built: tests beside the
/// code are in the first alone.
pub(super) type MixedTrees = Vec<Tree>;

impl TestTrees {
    /// Writes the trees that the checks of a policy need, between the base of a run and what it would publish.
    pub fn write(space: &RunWorkspace, policy: &Policy, base: &CommitId, tree: &Tree) -> Result<Self, Error> {
        let runs = |id: &str| policy.checks.iter().any(|rule| rule.id == id);
        let mut trees = Self::default();
        let (swaps_old, swaps_new) = (runs(super::pass_to_pass::EXPECTATIONS), runs(super::red_green::ID));
        let changes = if swaps_old || swaps_new {
            space.workspace().changes().all_between(&base.as_tree(), tree)?
        } else {
            Vec::new()
        };
        if swaps_old {
            trees.old_tests = with_tests_of_base(space, base, tree, &changes)?;
        }
        if swaps_new {
            trees.new_tests = with_code_of_base(space, base, tree, &changes)?;
            if !trees.new_tests.is_empty() {
                trees.new_stubs.extend(with_stubs(space, tree, &changes)?);
            }
        }
        if runs(super::runner_settings::ID) {
            let is_kept = |path: &str| !is_runner_setting(path) && !is_run_before_tests(path);
            trees.old_settings = space.snapshots().reset_paths(tree, base, is_kept)?.into_iter().collect();
        }
        Ok(trees)
    }
}

fn with_tests_of_base(
    space: &RunWorkspace,
    base: &CommitId,
    tree: &Tree,
    changes: &[Change],
) -> Result<MixedTrees, Error> {
    let files = space.snapshots().reset_paths(tree, base, |path| !is_of_tests(path))?;
    let texts = spliced(changes, |[before, now]| [now, before]);
    let beside = with_texts(space, files.as_ref().unwrap_or(tree), &texts)?;
    Ok(beside.into_iter().chain(files).collect())
}

fn with_texts(space: &RunWorkspace, tree: &Tree, texts: &[(String, String)]) -> Result<Option<Tree>, Error> {
    if texts.is_empty() { Ok(None) } else { space.snapshots().with_texts(tree, texts).map(Some) }
}

/// Returns the files of the product that hold tests, too, with the tests of another side than their code is of. `sides` makes code
/// and tests of before and now.
fn spliced(
    changes: &[Change],
    sides: fn([Arc<SourceFile>; 2]) -> [Arc<SourceFile>; 2],
) -> Vec<(String, String)> {
    let splice = |change: &Change| {
        let (path, before, now) = (&change.path, change.old_text()?, change.new_text()?);
        let is_plain = change.after.as_ref().is_some_and(|after| after.mode == FileMode::File);
        let has_tests = [before, now].iter().any(|text| SourceFile::may_have_tests(path, text));
        if is_of_tests(path) || !is_plain || !has_tests {
            return None;
        }
        let [code, tests] = sides([SourceFile::parse(path, before)?, SourceFile::parse(path, now)?]);
        let text = splice_tests(&code, &tests);
        (text != code.text()).then(|| (path.clone(), text))
    };
    changes.iter().filter_map(splice).collect()
}

fn with_code_of_base(
    space: &RunWorkspace,
    base: &CommitId,
    tree: &Tree,
    changes: &[Change],
) -> Result<MixedTrees, Error> {
    // New tests may need what is newly depended on, and text for people is no code.
    let is_kept = |path: &str| {
        is_of_tests(path)
            || is_runner_setting(path)
            || Role::of(path) == Role::Documentation
            || is_lock_file(path)
            || path.starts_with(".ai-workflow/")
    };
    let Some(code) = space.snapshots().reset_paths(tree, base, is_kept)? else {
        return Ok(MixedTrees::new());
    };
    let texts = spliced(changes, |sides| sides);
    let beside = with_texts(space, &code, &texts)?;
    if beside.as_ref() == Some(tree) {
        return Ok(MixedTrees::new());
    }
    let changed = space.workspace().changes().present_paths_between(base, tree)?;
    let files = changed.iter().any(|path| is_of_tests(path)).then_some(code);
    Ok(beside.into_iter().chain(files).collect())
}

/// Replaces the bodies of functions that the product has now and did not have.
fn with_stubs(space: &RunWorkspace, tree: &Tree, changes: &[Change]) -> Result<Option<Tree>, Error> {
    let product = changes.iter().filter(|change| !is_of_tests(&change.path));
    let product = product.filter(|change| !is_runner_setting(&change.path));
    let is_plain = |change: &&Change| change.after.as_ref().is_some_and(|after| after.mode == FileMode::File);
    let (changed, other): (Vec<&Change>, Vec<&Change>) = product.partition(is_plain);
    let known: BTreeSet<String> =
        changed.iter().chain(&other).flat_map(|change| functions(&change.path, change.old_text())).collect();
    let stubbed = |change: &&Change| Some((change.path.clone(), stubbed(change, &known)?));
    let texts: Vec<(String, String)> = changed.iter().filter_map(stubbed).collect();
    with_texts(space, tree, &texts)
}

fn stubbed(change: &Change, known: &BTreeSet<String>) -> Option<String> {
    let file = SourceFile::parse(&change.path, change.new_text()?)?;
    let tests: Vec<Range<usize>> = file.tests().into_iter().map(|test| test.range).collect();
    let is_test =
        |range: &Range<usize>| tests.iter().any(|test| test.start <= range.start && range.end <= test.end);
    let functions = file.functions().into_iter().filter(|function| !is_test(&function.range));
    let new: BTreeSet<String> =
        functions.map(|function| function.name).filter(|name| !known.contains(name)).collect();
    let text = stub_bodies(&file, &new);
    (text != file.text()).then_some(text)
}

fn functions(path: &str, text: Option<&str>) -> BTreeSet<String> {
    let file = text.and_then(|text| SourceFile::parse(path, text));
    file.map(|file| file.functions().into_iter().map(|function| function.name).collect()).unwrap_or_default()
}

/// Why a comparison of tests cannot be made.
pub(super) enum NotCompared {
    /// There is nothing to compare.
    Skipped(String),
    Unavailable(String),
}

impl NotCompared {
    /// Returns it as the result of a check.
    pub(super) fn result(&self, id: &str) -> CheckResult {
        match self {
            Self::Skipped(why) => skipped(id, why),
            Self::Unavailable(why) => result(id, CheckStatus::Unavailable, why),
        }
    }
}

/// The test command of a run, ready to be run on each tree.
pub(super) struct TestRuns<'a> {
    pub(super) asked: Asked<'a>,
    site: &'a Site<'a>,
    published: &'a Published<'a>,
}

impl<'a> TestRuns<'a> {
    /// There are none where there is no test command, or nothing that will be published.
    pub(super) fn of(site: &'a Site<'a>) -> Result<Self, NotCompared> {
        let skipped = |why: &str| NotCompared::Skipped(why.to_owned());
        let no_command = || skipped("no `[commands] test` is set or detected");
        let asked = command::asked("tests", "test", site).ok_or_else(no_command)?;
        let in_place = || skipped("only in a clean worktree are tests compared with those of the base");
        let published = site.published.ok_or_else(in_place)?;
        Ok(Self { asked, site, published })
    }

    /// Returns the tests of what the run changed.
    pub(super) fn sources(&self) -> Result<&'a ChangedTests, NotCompared> {
        let tests = ChangedTests::of_run(self.site, self.published);
        tests.map_err(|error| NotCompared::Unavailable(error.to_owned()))
    }

    /// Returns what the tests say about what will be published.
    pub(super) async fn now(&self, stop: &mut Stop) -> Result<Look, NotCompared> {
        compared(self.look(&self.published.tree, stop).await)
    }

    /// Returns what the tests say about the base of the run.
    pub(super) async fn base(&self, stop: &mut Stop) -> Result<Look, NotCompared> {
        compared(self.look_at_base(stop).await)
    }

    /// Returns the same, also where they could not be run there.
    pub(super) async fn look_at_base(&self, stop: &mut Stop) -> Look {
        self.look(&self.published.base.as_tree(), stop).await
    }

    /// Returns what the tests say about one of the trees that mix what is there now with the base; nothing where there is none.
    pub(super) async fn mixed(&self, trees: fn(&TestTrees) -> &MixedTrees, stop: &mut Stop) -> Option<Look> {
        let mut said = None;
        for tree in trees(self.published.test_trees) {
            let look = self.look(tree, stop).await;
            if !look.results.is_empty() {
                return Some(look);
            }
            said.get_or_insert(look);
        }
        said
    }

    /// Returns the tests that end in another way when what will be published is run once more: they say nothing. Nothing where
    /// that could not be run.
    pub(super) async fn flaky(&self, stop: &mut Stop) -> BTreeSet<String> {
        let (memory, tree) = (self.published.memory, &self.published.tree);
        let now = self.look(tree, stop).await;
        let key = format!("{} (again)", self.asked.line);
        let again = match (memory.known(&key, tree), self.exhausted()) {
            (Some(known), _) => known,
            (None, Some(exhausted)) => exhausted,
            (None, None) => self.spent(command::look(self.asked, Some(tree), self.site, stop).await),
        };
        memory.remember(&key, tree, &again);
        if again.results.is_empty() {
            return BTreeSet::new();
        }
        Suite::of(&now.results).differing(&Suite::of(&again.results))
    }

    /// Runs the tests on a tree, unless that is known or the comparisons of this round have taken all their time.
    async fn look(&self, tree: &Tree, stop: &mut Stop) -> Look {
        if let Some(known) = self.published.memory.known(self.asked.line, tree) {
            return known;
        }
        let look = command::look_once(self.asked, tree, self.published, self.site, stop);
        if *tree == self.published.tree {
            return look.await;
        }
        match self.exhausted() {
            Some(exhausted) => exhausted,
            None => self.spent(look.await),
        }
    }

    fn exhausted(&self) -> Option<Look> {
        let minutes = self.site.settings.evidence_minutes;
        let spent = self.site.read.compared_millis.load(Ordering::Relaxed);
        let why = format!(
            "the comparisons of tests have taken the {minutes} minutes of `[checks] evidence_minutes`"
        );
        (minutes > 0 && spent >= minutes * 60_000).then(|| Look::unavailable(why))
    }

    fn spent(&self, look: Look) -> Look {
        self.site.read.compared_millis.fetch_add(look.millis, Ordering::Relaxed);
        look
    }
}

/// Returns a look that can be compared: the tests could be run.
pub(super) fn compared(look: Look) -> Result<Look, NotCompared> {
    match &look.end {
        End::Unavailable(why) => {
            Err(NotCompared::Unavailable(format!("the tests could not be compared: {why}")))
        }
        _ => Ok(look),
    }
}

/// Returns why a runner that does not name each test is no help.
pub(super) fn unnamed(line: &str) -> NotCompared {
    NotCompared::Skipped(format!("`{line}` does not name each test"))
}

/// Tells whether a file is a test or something only tests use.
fn is_of_tests(path: &str) -> bool {
    is_test(path) || is_fixture(path)
}

/// Tells whether Python runs a file before each test beside it.
fn is_run_before_tests(path: &str) -> bool {
    is_test(path) && path.ends_with("__init__.py")
}

fn is_lock_file(path: &str) -> bool {
    [".lock", "-lock.json", "-lock.yaml", "/go.sum"].iter().any(|end| path.ends_with(end)) || path == "go.sum"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_new_functions_that_are_no_tests_are_stubs() {
        let old = "pub fn pages() -> u8 { 3 }\n";
        let new = "pub fn pages() -> u8 { 3 }\npub fn books() -> u8 { 1 }\n#[test]\nfn three() { assert_eq!(pages(), 3); }\n";
        let known = functions("a.rs", Some(old));
        let change = Change::of_texts("a.rs", Some(old), Some(new));
        let text = stubbed(&change, &known).expect("a new function");
        assert_eq!(text.matches("unimplemented!()").count(), 1);
        assert!(text.contains("fn books() -> u8 { if true { unimplemented!() }"));
        assert_eq!(stubbed(&Change::of_texts("a.rs", Some(old), Some(old)), &known), None);
    }
}
