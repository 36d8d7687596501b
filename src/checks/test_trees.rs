//! The trees of the runs that mix what is there now with the base: tests of one and code of the other, the runner's settings of the
//! base, functions with other bodies. Writes them, and runs nothing.

use std::collections::HashMap;

use super::ChangedFile;
use super::changed_file::ReadSides;
use git::{CommitId, Error, RunWorkspace, Tree};
use model::change::FileMode;
use model::policy::Policy;
use source::{
    Function, NewBody, Role, SourceFile, is_fixture, is_runner_setting, is_test, splice_tests, with_bodies,
};

// The checks that need such trees.
pub(super) const EXPECTATIONS: &str = "changed_expectations";
pub(super) const RED_GREEN: &str = "red_green";
pub(super) const MUTANTS: &str = "mutants";
pub(super) const RUNNER_SETTINGS: &str = "runner_settings";

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
        let (swaps_old, swaps_new) = (runs(EXPECTATIONS), runs(RED_GREEN));
        let plants = swaps_new || runs(MUTANTS);
        let (changes, is_asked) = (space.workspace().changes(), swaps_old || plants);
        let changes = if is_asked { changes.all_between(&base.as_tree(), tree)? } else { Vec::new() };
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
        if runs(RUNNER_SETTINGS) {
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
}
