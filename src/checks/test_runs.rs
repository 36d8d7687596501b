//! The runs of the tests: at the base of the run and now, the old tests on the new code, the new tests on the old code, and what
//! is there now with the runner's settings of the base, or with functions that do what they did while new ones do nothing. Each is
//! made in the clean worktree, once a tree. Judges nothing.

use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::Ordering;

use super::changed_file::ReadSides;
use super::command::{self, Asked, End, Look};
use super::suite::Suite;
use super::{ChangedFile, ChangedTests, CheckResult, CheckStatus, Published, Site, result, skipped};
use git::{CommitId, Error, RunWorkspace, Tree};
use model::change::FileMode;
use model::policy::Policy;
use process::Stop;
use source::{
    Function, NewBody, Role, SourceFile, is_fixture, is_runner_setting, is_test, splice_tests, with_bodies,
};

/// In so many files all functions are replaced at most.
const MOST_PLANTED: usize = 20;

/// The trees of the runs that mix what is there now with the base. They are written before commands run, because what changes
/// under git's folder meanwhile is theirs.
#[derive(Debug, Default)]
pub struct TestTrees {
    /// The code of now with the tests of the base; nothing where the run left all tests as they were.
    pub(super) old_tests: MixedTrees,
    /// The code of the base with the tests of now; nothing where the run did not change both.
    pub(super) new_tests: MixedTrees,
    /// Whether the run changed tests and no code.
    pub(super) are_tests_alone: bool,
    /// What will be published with the runner's settings of the base; nothing where the run left them as they were.
    pub(super) old_settings: MixedTrees,
    /// What will be published, where the functions of the product do what they did, and new ones do nothing; then where only
    /// new ones do nothing. Nothing where the run changed code that nobody can read, and made no new functions.
    pub(super) old_bodies: MixedTrees,
    /// What will be published, where all functions of the changed product files fail.
    pub(super) planted: MixedTrees,
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
        let plants = swaps_new || runs(super::mutants::ID);
        let changes = if swaps_old || plants {
            space.workspace().changes().all_between(&base.as_tree(), tree)?
        } else {
            Vec::new()
        };
        let read = ReadSides::of(&changes, &[]);
        let files: Vec<ChangedFile<'_>> = ChangedFile::each(&changes, &read).collect();
        let mixed = |is_of_now, texts: &[(String, String)]| mixed(space, base, tree, is_of_now, texts);
        if swaps_old {
            trees.old_tests = mixed(|path| !is_of_tests(path), &spliced(&files, 1))?;
        }
        if swaps_new {
            let texts = spliced(&files, 0);
            trees.new_tests = mixed(is_beside_the_code, &texts)?;
            let brings_tests = files.iter().any(|file| is_of_tests(file.path()) && !file.change.is_deleted());
            trees.new_tests.truncate(usize::from(!texts.is_empty()) + usize::from(brings_tests));
            let brings_code = trees.new_tests.first().is_some_and(|first| first != tree);
            trees.are_tests_alone = !brings_code && (brings_tests || !texts.is_empty());
            trees.new_tests.retain(|_| brings_code);
            if !trees.new_tests.is_empty() {
                let old = old_bodies(&files);
                let without =
                    with_other_bodies(&files, |file, function| body_without_change(&old, file, function));
                let is_new = |function: &Function| !old.contains_key(&function.name);
                let stubs =
                    with_other_bodies(&files, |_, function| is_new(function).then_some(NewBody::Stub));
                if files.iter().all(|file| file.now().is_some() || is_beside_the_code(file.path())) {
                    trees.old_bodies.push(space.snapshots().with_texts(tree, &without)?);
                }
                trees.old_bodies.extend(mixed(|_| true, &stubs)?);
            }
        }
        if plants {
            let mut planted = with_other_bodies(&files, |_, _| Some(NewBody::Failure));
            planted.truncate(MOST_PLANTED);
            trees.planted = mixed(|_| true, &planted)?;
        }
        if runs(super::runner_settings::ID) {
            // Python runs an `__init__.py` before each test beside it.
            let is_of_now =
                |path: &str| !(is_runner_setting(path) || is_test(path) && path.ends_with("__init__.py"));
            trees.old_settings = mixed(is_of_now, &[])?;
        }
        Ok(trees)
    }
}

/// Mixes what is there now with the base: files of now, the others of the base, and some with other texts.
fn mixed(
    space: &RunWorkspace,
    base: &CommitId,
    tree: &Tree,
    is_of_now: fn(&str) -> bool,
    texts: &[(String, String)],
) -> Result<MixedTrees, Error> {
    let files = space.snapshots().reset_paths(tree, base, is_of_now)?;
    let mut trees = MixedTrees::new();
    if !texts.is_empty() {
        trees.push(space.snapshots().with_texts(files.as_ref().unwrap_or(tree), texts)?);
    }
    trees.extend(files);
    Ok(trees)
}

/// Tells whether a file is none of the code: new tests may need what is newly depended on, and text for people is no code.
fn is_beside_the_code(path: &str) -> bool {
    let is_lock_file = [".lock", "-lock.json", "-lock.yaml", "go.sum"].iter().any(|end| path.ends_with(end));
    let is_text = Role::of(path) == Role::Documentation || path.starts_with(".ai-workflow/");
    is_of_tests(path) || is_runner_setting(path) || is_text || is_lock_file
}

fn is_plain(file: &ChangedFile<'_>) -> bool {
    file.change.after.as_ref().is_some_and(|after| after.mode == FileMode::File)
}

/// Returns the files of the product that hold tests, too, with the code of one side, 0 before or 1 now, and the tests of the other.
fn spliced(files: &[ChangedFile<'_>], code: usize) -> Vec<(String, String)> {
    let splice = |file: &ChangedFile<'_>| {
        let texts = [file.change.old_text()?, file.change.new_text()?];
        let has_tests = texts.iter().any(|text| SourceFile::may_have_tests(file.path(), text));
        if is_of_tests(file.path()) || !is_plain(file) || !has_tests {
            return None;
        }
        let sides = [file.before()?, file.now()?];
        let text = splice_tests(sides[code], sides[1 - code]);
        (text != texts[code]).then(|| (file.path().to_owned(), text))
    };
    files.iter().filter_map(splice).collect()
}

/// Returns the files of the product; their functions may be replaced.
fn of_product<'f, 's>(files: &'f [ChangedFile<'s>]) -> impl Iterator<Item = &'f ChangedFile<'s>> {
    files.iter().filter(|file| !is_of_tests(file.path()) && !is_runner_setting(file.path()))
}

/// Returns the bodies that functions had before, by their names.
fn old_bodies<'s>(files: &[ChangedFile<'s>]) -> HashMap<String, Vec<&'s str>> {
    let mut bodies: HashMap<String, Vec<&str>> = HashMap::new();
    for before in of_product(files).filter_map(ChangedFile::before) {
        for function in before.functions() {
            bodies.entry(function.name).or_default().push(&before.text()[function.body.unwrap_or_default()]);
        }
    }
    bodies
}

/// Returns what a function does without the change: what it did, and nothing where it is new.
fn body_without_change<'s>(
    old: &HashMap<String, Vec<&'s str>>,
    file: &SourceFile,
    function: &Function,
) -> Option<NewBody<'s>> {
    let Some(bodies) = old.get(&function.name) else { return Some(NewBody::Stub) };
    let now = &file.text()[function.body.clone()?];
    if bodies.contains(&now) { None } else { Some(NewBody::Text(bodies[0])) }
}

/// Returns the files of the product in which functions that are no tests have other bodies.
fn with_other_bodies<'b>(
    files: &[ChangedFile<'_>],
    body_of: impl Fn(&SourceFile, &Function) -> Option<NewBody<'b>>,
) -> Vec<(String, String)> {
    let changed = |file: &ChangedFile<'_>| {
        let (now, [_, tests]) = (file.now()?, file.tests());
        let is_of_tests = |function: &Function| {
            let mut tests = tests.iter();
            tests.any(|test| test.range.contains(&function.range.start)) || now.is_test_code(function.line)
        };
        let text =
            with_bodies(now, |function| if is_of_tests(function) { None } else { body_of(now, function) });
        (text != now.text()).then(|| (file.path().to_owned(), text))
    };
    of_product(files).filter(|file| is_plain(file)).filter_map(changed).collect()
}

/// Why a comparison of tests cannot be made.
pub(super) enum NotCompared {
    /// There is nothing to compare.
    Skipped(String),
    Unavailable(String),
}

/// What comes of a comparison of tests.
pub(super) type Compared<T> = Result<T, NotCompared>;

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
    pub(super) site: &'a Site<'a>,
    pub(super) published: &'a Published<'a>,
}

impl<'a> TestRuns<'a> {
    /// There are none where there is no test command, or nothing that will be published.
    pub(super) fn of(site: &'a Site<'a>) -> Compared<Self> {
        let skipped = |why: &str| NotCompared::Skipped(why.to_owned());
        let no_command = || skipped("no `[commands] test` is set or detected");
        let asked = command::asked("tests", "test", site).ok_or_else(no_command)?;
        let in_place = || skipped("only in a clean worktree are tests compared with those of the base");
        let published = site.published.ok_or_else(in_place)?;
        Ok(Self { asked, site, published })
    }

    /// Returns the tests of what the run changed.
    pub(super) fn sources(&self) -> Compared<&'a ChangedTests> {
        let tests = ChangedTests::of_run(self.site, self.published);
        tests.map_err(|error| NotCompared::Unavailable(error.to_owned()))
    }

    /// Returns what the tests say about what will be published.
    pub(super) async fn now(&self, stop: &mut Stop) -> Compared<Look> {
        compared(self.look(&self.published.tree, stop).await)
    }

    /// Returns what the tests say about the base of the run.
    pub(super) async fn base(&self, stop: &mut Stop) -> Compared<Look> {
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

    /// Returns what the tests say at the base, on one of these trees and now, where there is such a tree.
    pub(super) async fn three(
        &self,
        trees: fn(&TestTrees) -> &MixedTrees,
        stop: &mut Stop,
    ) -> Compared<Option<[Look; 3]>> {
        let Some(mixed) = self.mixed(trees, stop).await else { return Ok(None) };
        let looks = [self.base(stop).await?, compared(mixed)?, self.now(stop).await?];
        if looks[1..].iter().any(|look| look.results.is_empty()) {
            let line = self.asked.line;
            return Err(NotCompared::Skipped(format!("`{line}` does not name each test")));
        }
        Ok(Some(looks))
    }

    /// Returns what one of the mixed trees told of tests, without those that end in another way when it is run once more.
    pub(super) async fn without_flaky<T>(
        &self,
        mut found: Vec<T>,
        id: impl Fn(&T) -> &str,
        trees: fn(&TestTrees) -> &MixedTrees,
        stop: &mut Stop,
    ) -> Vec<T> {
        if found.is_empty() {
            return found;
        }
        for tree in trees(self.published.test_trees) {
            if !self.look(tree, stop).await.results.is_empty() {
                let flaky = self.differing(tree, stop).await;
                found.retain(|one| !flaky.contains(id(one)));
                break;
            }
        }
        found
    }

    /// Returns the tests that end in another way when what will be published is run once more: they say nothing.
    pub(super) async fn flaky(&self, stop: &mut Stop) -> BTreeSet<String> {
        self.differing(&self.published.tree, stop).await
    }

    /// Returns the tests that end in another way when a tree is run once more. Nothing where that could not be run.
    pub(super) async fn differing(&self, tree: &Tree, stop: &mut Stop) -> BTreeSet<String> {
        let (memory, first) = (self.published.memory, self.look(tree, stop).await);
        let key = format!("{} (again)", self.asked.line);
        let again = memory.once(&key, tree, self.run_in_time_left(tree, stop)).await;
        if again.results.is_empty() {
            return BTreeSet::new();
        }
        Suite::of(&first.results).differing(&Suite::of(&again.results))
    }

    /// Runs the tests on a tree, unless that is known. What would be published is run whatever time the comparisons have left.
    async fn look(&self, tree: &Tree, stop: &mut Stop) -> Look {
        let (memory, line) = (self.published.memory, self.asked.line);
        if *tree == self.published.tree {
            return memory.once(line, tree, command::look(self.asked, Some(tree), self.site, stop)).await;
        }
        memory.once(line, tree, self.run_in_time_left(tree, stop)).await
    }

    /// Runs the tests on a tree in the time that the comparisons of this round have left. A run that is cut off says nothing.
    async fn run_in_time_left(&self, tree: &Tree, stop: &mut Stop) -> Look {
        if let Some(exhausted) = self.exhausted() {
            return Look::unavailable(exhausted);
        }
        let seconds = self.millis_left().map_or(u64::MAX, |left| left.div_ceil(1000));
        let asked = Asked { seconds: seconds.min(self.asked.seconds), ..self.asked };
        let look = command::look(asked, Some(tree), self.site, stop).await;
        self.spend(look.millis);
        unless_cut_off(look, self.exhausted())
    }

    /// Says that the comparisons of this round have taken all their time.
    pub(super) fn exhausted(&self) -> Option<String> {
        let minutes = self.site.settings.evidence_minutes;
        let why = format!(
            "the comparisons of tests have taken the {minutes} minutes of `[checks] evidence_minutes`"
        );
        if self.millis_left() == Some(0) { Some(why) } else { None }
    }

    /// Returns how long the comparisons of this round may still take; nothing where there is no limit.
    fn millis_left(&self) -> Option<u64> {
        let spent = self.site.read.compared_millis.load(Ordering::Relaxed);
        millis_left(self.site.settings.evidence_minutes, spent)
    }

    /// Counts what a comparison took.
    pub(super) fn spend(&self, millis: u64) {
        self.site.read.compared_millis.fetch_add(millis, Ordering::Relaxed);
    }
}

/// Returns what is left of some minutes, in milliseconds; nothing where there is no limit.
fn millis_left(minutes: u64, spent: u64) -> Option<u64> {
    if minutes == 0 { None } else { Some((minutes * 60_000).saturating_sub(spent)) }
}

/// Returns what a run said; nothing where it did not end before the time for comparisons was over.
fn unless_cut_off(look: Look, exhausted: Option<String>) -> Look {
    match (&look.end, exhausted) {
        (End::Broken(_), Some(exhausted)) => Look::unavailable(exhausted),
        _ => look,
    }
}

/// Returns a look that can be compared: the tests could be run.
pub(super) fn compared(look: Look) -> Compared<Look> {
    match &look.end {
        End::Unavailable(why) => {
            Err(NotCompared::Unavailable(format!("the tests could not be compared: {why}")))
        }
        _ => Ok(look),
    }
}

/// Tells whether a file is a test or something only tests use.
fn is_of_tests(path: &str) -> bool {
    is_test(path) || is_fixture(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::change::Change;

    #[test]
    fn only_new_functions_that_are_no_tests_are_stubs() {
        let old = "pub fn pages() -> u8 { 3 }\n";
        let new = "pub fn pages() -> u8 { 3 }\npub fn books() -> u8 { 1 }\n#[test]\nfn three() { assert_eq!(pages(), 3); }\n";
        let [(_, text)] = &texts_without_change(old, new)[..] else { panic!("a new function") };
        assert_eq!(text.matches("unimplemented!()").count(), 1);
        assert!(text.contains("fn books() -> u8 { if true { unimplemented!() }"));
        assert_eq!(texts_without_change(old, old), []);
    }

    fn texts_without_change(old: &str, new: &str) -> Vec<(String, String)> {
        let changes = [Change::of_texts("a.rs", Some(old), Some(new))];
        let read = ReadSides::of(&changes, &[]);
        let files: Vec<_> = ChangedFile::each(&changes, &read).collect();
        let old = old_bodies(&files);
        with_other_bodies(&files, |file, function| body_without_change(&old, file, function))
    }

    #[test]
    fn functions_do_what_they_did_under_their_new_heads() {
        let old = "pub fn pages(a: u8) -> u8 { a / 3 }\npub fn books() -> u8 { 1 }\n";
        let new =
            "pub fn books() -> u8 { 1 }\npub fn pages(a: u8, up: bool) -> u8 { if up { 4 } else { 3 } }\n";
        let expected = "pub fn books() -> u8 { 1 }\npub fn pages(a: u8, up: bool) -> u8 { a / 3 }\n";
        assert_eq!(texts_without_change(old, new), [("a.rs".to_owned(), expected.to_owned())]);
    }

    #[test]
    fn what_the_comparisons_took_is_no_longer_left() {
        let of_ten_minutes = |spent| millis_left(10, spent);
        assert_eq!(of_ten_minutes(0), Some(600_000));
        assert_eq!(of_ten_minutes(599_500), Some(500));
        assert_eq!(of_ten_minutes(600_000), Some(0));
        assert_eq!(of_ten_minutes(700_000), Some(0));
        assert_eq!(millis_left(0, 700_000), None, "there is no limit");
    }

    #[test]
    fn a_run_that_is_cut_off_says_nothing() {
        let hung =
            || Look { end: End::Broken("did not end in time".into()), ..Look::unavailable(String::new()) };
        let why = || Some("the time is over".to_owned());
        assert_eq!(unless_cut_off(hung(), why()).end, End::Unavailable("the time is over".into()));
        assert_eq!(unless_cut_off(hung(), None), hung(), "it hangs by itself");
        let red = Look { end: End::Red("exit code 1".into()), ..hung() };
        assert_eq!(unless_cut_off(red.clone(), why()), red, "it ended before");
    }
}
