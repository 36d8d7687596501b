//! Tests that were there and may ask less now, are gone or replaced, and new ones that ask nothing. What the sources say about it may
//! be honest, so each of it is a question to the reviewer; what the suite says of each test stands in `pass_to_pass`. Refuses
//! nothing.

mod asserts;
mod reached;
mod stand_ins;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::changed_tests::kept_functions;
use super::{ChangedFile, ChangedTests, Place, Site, at, file, one_line, side_by_side, tampering};
use source::{Assert, Language, SourceFile, Test, is_fixture, is_runner_setting, is_test};

/// So much of an assert is told, in characters.
const MOST_SHOWN: usize = 90;

/// Returns the places that a reviewer is asked about.
pub(super) fn questions(site: &Site<'_>) -> Vec<Place> {
    let (tests, files) = (ChangedTests::of_phase(site), ChangedFile::judged(site));
    let kept = tests.kept().filter_map(|(old, new)| doubt(old, &new));
    let functions = side_by_side::each(&files, kept_functions).into_iter().flatten();
    let functions = functions.filter_map(|(old, new)| doubt(&old, &[&new]));
    let mut places: Vec<Place> = kept.chain(functions).collect();
    places.extend(tampering::questions(tests, site));
    places.extend(lost(tests, site));
    places.extend(files.iter().filter_map(lost_file));
    places.extend(never_run(tests).chain(defined_twice(tests)));
    places.extend(hollow(tests, site));
    places.extend(stand_ins::places(tests, &files));
    places.extend(side_by_side::places(&files, hooks));
    places
}

/// Returns what is doubtful about what a test became.
fn doubt(old: &Test, new: &[&Test]) -> Option<Place> {
    let what = reached::doubt(old, new).or_else(|| asserts::doubt(old, new))?;
    Some(question(new.first()?, &what))
}

/// Returns an assert on one line.
fn shown(assert: &Assert) -> String {
    one_line(&assert.text, MOST_SHOWN)
}

fn question(test: &Test, what: &str) -> Place {
    at(&test.path, test.line, format!("the test `{}` {what}", test.name))
}

/// Tests that no changed file has any more. Excused is a test of a symbol that went in the same change, if the issue names that
/// symbol or the test.
fn lost(tests: &ChangedTests, site: &Site<'_>) -> Vec<Place> {
    let mut lost: BTreeMap<&str, Vec<&Test>> = BTreeMap::new();
    for test in tests.lost().filter(|test| !tests.is_asked_to_go(test, site.issue)) {
        lost.entry(&test.path).or_default().push(test);
    }
    lost.values().map(|tests| gone(tests)).collect()
}

fn gone(tests: &[&Test]) -> Place {
    let names: Vec<String> = tests.iter().map(|test| format!("`{}`", test.name)).collect();
    let (what, are) = if tests.len() == 1 { ("test", "is") } else { ("tests", "are") };
    let names = names.join(", ");
    let what = format!("the {what} {names} {are} gone. Was that asked for, or do others ask the same?");
    at(&tests[0].path, tests[0].line, what)
}

/// Returns a file that went, where nobody can name its tests.
fn lost_file(changed: &ChangedFile<'_>) -> Option<Place> {
    let path = changed.path();
    let is_lost = changed.change.is_deleted() && is_test(path) && !is_fixture(path);
    (is_lost && Language::of(path).is_none())
        .then(|| file(path, "a file of tests is gone. Was it asked to go?"))
}

/// A new test that never runs proves nothing. A title without a body is a plan.
fn never_run(tests: &ChangedTests) -> impl Iterator<Item = Place> {
    let skipped = tests.added().filter(|new| new.is_skipped() && !new.asserts.is_empty());
    skipped.map(|new| question(new, "is new and never runs. Why is it there?"))
}

/// In Python the second definition takes the place of the first.
fn defined_twice(tests: &ChangedTests) -> impl Iterator<Item = Place> {
    let mut seen: HashMap<(&str, String), usize> = HashMap::new();
    let is_python = |new: &&Test| Language::of(&new.path) == Some(Language::Python);
    for new in tests.new_tests().filter(is_python) {
        *seen.entry((&new.path, new.id())).or_default() += 1;
    }
    let is_second = move |new: &&Test| seen.get(&(&*new.path, new.id())) > Some(&1);
    let second = tests.added().filter(is_second);
    second.map(|new| question(new, "is defined twice: only the last one runs. Is that meant?"))
}

/// New tests that ask nothing: they assert nothing, or use nothing of what their neighbours call and of what the product defines.
/// A file with a test that asserts nothing has another way of testing.
fn hollow<'t>(tests: &'t ChangedTests, site: &Site<'_>) -> Vec<Place> {
    let files = tests.old_by_file();
    // The code may be of an earlier phase.
    let of_run = || site.published.and_then(|published| ChangedTests::of_run(site, published).ok());
    let uses_the_run = |new: &Test| of_run().is_some_and(|of_run| of_run.uses_the_product(new));
    let mut called: HashMap<&str, BTreeSet<String>> = HashMap::new();
    let mut doubt = |new: &'t Test| {
        let before = files.get(&*new.path)?;
        if new.asserted() == 0 {
            let all_assert = before.iter().all(|test| !test.asserts.is_empty());
            return all_assert.then_some("asserts nothing. What would make it fail?");
        }
        let names = |test: &&Test| -> Vec<String> {
            test.asserted_calls().chain(test.subjects().into_iter().map(str::to_owned)).collect()
        };
        let all = || before.iter().flat_map(names).collect();
        let called = called.entry(&new.path).or_insert_with(all);
        let uses_one =
            called.iter().any(|name| new.uses(name)) || tests.uses_the_product(new) || uses_the_run(new);
        let asserts_call = || before.iter().any(|test| test.asserted_calls().next().is_some());
        (!uses_one && asserts_call())
            .then_some("uses nothing that the other tests are about. What does it test?")
    };
    let added = tests.added().filter(|new| !new.is_skipped());
    added.filter_map(|new| Some(question(new, doubt(new)?))).collect()
}

/// Code that the test runner asks what becomes of tests, and calls in tests that end it.
fn hooks(changed: &ChangedFile<'_>) -> Option<Place> {
    let path = changed.path();
    if is_fixture(path) {
        return None;
    }
    let hooks = changed.added_parts(SourceFile::runner_hooks);
    // A setting may name any module as a plugin of pytest.
    let is_for_tests = is_test(path) || is_runner_setting(path);
    let first = hooks.iter().find(|hook| is_for_tests || hook.text.starts_with("def pytest_"))?;
    let shown = first.text.lines().next().unwrap_or_default();
    let what =
        format!("`{shown}` decides what the test runner runs or reports. Does every test still count?");
    Some(at(path, first.line, what))
}

#[cfg(test)]
mod tests;
