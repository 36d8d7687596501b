//! Tests that were there and may ask less now, are gone or replaced, and new ones that ask nothing. What the sources say about it may
//! be honest, so each of it is a question to the reviewer; what the suite says of each test stands in `pass_to_pass`. Refuses
//! nothing.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::Hash;

use super::added::added_functions;
use super::changed_tests::kept_functions;
use super::{
    ChangedFile, ChangedTests, MOST_SHOWN, Place, Site, any_of, at, name, one_line, side_by_side, tampering,
};
use source::{
    Assert, Function, Part, SkipKind, SourceFile, Test, Word, is_fixture, is_found_by_name,
    is_runner_setting, is_test,
};

/// Words that are operators, or let more pass.
const WORDS: [&str; 8] = ["is", "in", "not", "and", "or", "if", "lambda", "catch"];
/// Signs that stand between and around arguments.
const AROUND: [char; 10] = [',', ':', '[', ']', '{', '}', '(', ')', '.', '/'];
pattern!(TOLERANCES, &any_of("asserts", "tolerances"));

/// Returns the places that a reviewer is asked about.
pub(super) fn questions(site: &Site<'_>) -> Vec<Place> {
    let (tests, files) = (ChangedTests::of_phase(site), ChangedFile::judged(site));
    let kept = tests.kept().filter_map(|(old, new)| doubt(old, &new));
    let functions = side_by_side::each(&files, kept_functions).into_iter().flatten();
    let functions = functions.filter_map(|(old, new)| doubt(&old, &[&new]));
    let mut places: Vec<Place> = kept.chain(functions).collect();
    places.extend(tampering::questions(tests, site));
    places.extend(lost(tests, site));
    places.extend(hollow(tests, site));
    places.extend(stand_ins(tests, &files));
    places.extend(side_by_side::places(&files, hooks));
    places
}

/// Returns what is doubtful about what a test became.
fn doubt(old: &Test, new: &[&Test]) -> Option<Place> {
    let what = reach(old, new).or_else(|| weakness(old, new))?;
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
    let gone = |tests: &Vec<&Test>| {
        let names: Vec<String> = tests.iter().map(|test| format!("`{}`", test.name)).collect();
        let (what, are) = if tests.len() == 1 { ("test", "is") } else { ("tests", "are") };
        let names = names.join(", ");
        let what = format!("the {what} {names} {are} gone. Was that asked for, or do others ask the same?");
        at(&tests[0].path, tests[0].line, what)
    };
    lost.values().map(gone).collect()
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
        let uses_one = called.iter().any(|name| name.split('.').any(|part| new.names.contains(part)))
            || tests.uses_the_product(new)
            || uses_the_run(new);
        let asserts_call = || before.iter().any(|test| test.asserted_calls().next().is_some());
        (!uses_one && asserts_call())
            .then_some("uses nothing that the other tests are about. What does it test?")
    };
    let added = tests.added().filter(|new| !new.is_skipped());
    added.filter_map(|new| Some(question(new, doubt(new)?))).collect()
}

/// Code that the test runner asks what becomes of tests, and calls in tests that end it.
fn hooks(changed: &ChangedFile<'_>) -> Option<Place> {
    let (path, now) = (changed.path(), changed.now()?);
    let is_of_tests = is_test(path) || is_runner_setting(path);
    // All functions for pytest and all code for tests only have this word.
    if is_fixture(path) || !is_of_tests && !now.text().contains("test") {
        return None;
    }
    let hooks = changed.added_parts(SourceFile::runner_hooks);
    // A setting may name any module as a plugin of pytest.
    let is_for_tests =
        |hook: &Part<'_>| is_of_tests || hook.text.starts_with("def pytest_") || now.is_test_code(hook.line);
    let first = hooks.iter().find(|hook| is_for_tests(hook))?;
    let shown = first.text.lines().next().unwrap_or_default();
    let what =
        format!("`{shown}` decides what the test runner runs or reports. Does every test still count?");
    Some(at(path, first.line, what))
}

/// Says whether the asserts of a test are still asked on every run, and whether the usual runners find its file by its name. Whether
/// the runner of the project finds it shows in the results of the suite.
fn reach(old: &Test, new: &[&Test]) -> Option<String> {
    let (from, to) = (&old.path, &new.first()?.path);
    if from != to && is_found_by_name(from) == Some(true) && is_found_by_name(to) == Some(false) {
        return Some(format!(
            "moved from {from} to a file whose name test runners do not look for. Does it run there?"
        ));
    }
    let has_more = |kind: SkipKind, may: usize| new.iter().any(|new| new.count(kind) > old.count(kind) + may);
    // A condition that kept the test from being made may skip it now.
    let moved = old.exits_around.saturating_sub(new.first()?.exits_around);
    if has_more(SkipKind::Conditional, moved) {
        return Some("may be skipped under a condition now. Can it not run there?".to_owned());
    }
    let is_coroutine = |test: &Test| test.text().starts_with("async ");
    if !is_coroutine(old) && new.iter().any(|new| is_coroutine(new)) {
        return Some("is a coroutine now. Who awaits it?".to_owned());
    }
    if has_more(SkipKind::ExpectedFailure, 0) {
        return Some("may fail now. Why is the failure expected?".to_owned());
    }
    if new.len() == 1 && new[0].exits > old.exits {
        return Some("may end early or pass over cases now. Does it still ask in every case?".to_owned());
    }
    let guarded = new.iter().find_map(|new| newly_guarded(old, new))?;
    Some(format!(
        "asks `{}` under a condition now, or with its failure caught. Is it asked on every run?",
        shown(guarded)
    ))
}

/// Returns an assert that was there and stands in more conditions now.
fn newly_guarded<'t>(old: &Test, new: &'t Test) -> Option<&'t Assert> {
    let were_free = old.asserts.iter().all(|assert| assert.conditions == 0);
    let same = |test: &Test, assert: &Assert| -> Vec<usize> {
        let same = test.asserts.iter().filter(|other| other.words == assert.words);
        same.map(|other| other.conditions).collect()
    };
    new.asserts.iter().filter(|assert| assert.conditions > 0).find(|assert| {
        let most = same(old, assert).into_iter().max().or(were_free.then_some(0));
        most.is_some_and(|most| most < assert.conditions) && !same(new, assert).contains(&0)
    })
}

/// Says what the asserts of a test ask less: as many, as exactly, and of as many cases as before. An assert is compared by its words;
/// other names and other values alone are no doubt.
fn weakness(old: &Test, new: &[&Test]) -> Option<String> {
    let (gone, came) = differing(old, new);
    if gone.is_empty() {
        return cases(old, new);
    }
    let has_fewer = || misses_a_value(old, &gone, new);
    let asserts_nothing = new.iter().all(|new| new.asserts.is_empty());
    if gone.len() > came.len() && (asserts_nothing || has_fewer()) {
        let first = shown(gone[came.len()]);
        return Some(format!("asserts less: `{first}` is gone. Is that asked elsewhere?"));
    }
    let count = |asserts: &[&Assert]| asserts.iter().flat_map(|assert| assert.values()).count();
    let is_less = count(&came) < count(&gone) && has_fewer();
    let mut pairs = gone.iter().zip(&came);
    let (gone, came) = pairs.find(|(gone, came)| is_less || asks_less(gone, came))?;
    Some(format!("asks `{}` now, not `{}`. Does it ask as much?", shown(came), shown(gone)))
}

/// Tells whether asserts that went held a value that the test does not have any more as often: a table of cases would. What an
/// assert of before still asks is not asked twice.
fn misses_a_value(old: &Test, gone: &[&Assert], new: &[&Test]) -> bool {
    let mut left = counted(new.iter().flat_map(|new| &new.values).map(String::as_str));
    let kept = old.asserts.iter().filter(|assert| !gone.iter().any(|other| other.words == assert.words));
    kept.flat_map(Assert::values).for_each(|value| _ = take(&mut left, &value));
    let mut values = gone.iter().flat_map(|assert| assert.values()).peekable();
    values.peek().is_none() || values.any(|value| !take(&mut left, &value))
}

fn counted<K: Hash + Eq>(things: impl Iterator<Item = K>) -> HashMap<K, usize> {
    let mut counts = HashMap::new();
    things.for_each(|thing| *counts.entry(thing).or_default() += 1);
    counts
}

/// Takes one of a thing, and tells whether there was one.
fn take<K: Hash + Eq>(left: &mut HashMap<K, usize>, thing: &K) -> bool {
    let count = left.get_mut(thing).filter(|count| **count > 0);
    count.map(|count| *count -= 1).is_some()
}

/// Returns the asserts of before that are no more, and those that came.
fn differing<'t>(old: &'t Test, new: &[&'t Test]) -> (Vec<&'t Assert>, Vec<&'t Assert>) {
    let mut left = counted(old.asserts.iter().map(|assert| assert.words.as_slice()));
    let came = new.iter().flat_map(|new| &new.asserts);
    let came = came.filter(|assert| !take(&mut left, &assert.words.as_slice())).collect();
    let gone = old.asserts.iter().filter(|assert| take(&mut left, &assert.words.as_slice())).collect();
    (gone, came)
}

/// A table of cases that became shorter.
fn cases(old: &Test, new: &[&Test]) -> Option<String> {
    let sum = |count: fn(&Test) -> usize| (count(old), new.iter().map(|new| count(new)).sum::<usize>());
    let is_less = |(before, now): (usize, usize)| now < before;
    if !is_less(sum(|test| test.values.len())) {
        return None;
    }
    // Some runners take each case from an attribute of its own; a mark that skips a test is no case.
    let attributes = |test: &Test| test.attributes.len().saturating_sub(test.skips.len());
    let kinds = [(sum(Test::asserted), "asserts"), (sum(attributes), "attributes")];
    let ((before, now), what) = kinds.into_iter().find(|(counts, _)| is_less(*counts))?;
    Some(format!("has {now} {what} instead of {before}. Which cases are gone, and why?"))
}

/// Tells whether an assert lets more pass than the one that it took the place of, as far as their form tells.
fn asks_less(gone: &Assert, came: &Assert) -> bool {
    let is_shorter = came.words.len() < gone.words.len() && is_part(&came.words, &gone.words);
    is_shorter || form(gone) != form(came) || tolerates_more(&gone.words, &came.words)
}

/// Tells whether words stand in others in their order.
fn is_part(words: &[Word], others: &[Word]) -> bool {
    let mut others = others.iter();
    words.iter().all(|word| others.any(|other| other == word))
}

/// Returns what an assert is but for its values and its arguments: `assert_eq ! ( )`, `expect ( ) . toBe ( )`. Of a statement
/// such as that of Python the operators count, and no names.
fn form(assert: &Assert) -> Vec<&str> {
    let mut depth = 0_usize;
    let mut form = Vec::new();
    for word in assert.code() {
        if matches!(word, ")" | "]" | "}") {
            depth = depth.saturating_sub(1);
        }
        let is_name = word.starts_with(|c: char| c.is_alphabetic() || c == '_');
        let counts = if is_name && !WORDS.contains(&word) {
            depth == 0 && !assert.is_statement
        } else {
            !matches!(word.trim_matches(AROUND), "" | "&" | "*" | "-" | "+" | "%" | "=" | "?" | "??")
        };
        if counts {
            form.push(word);
        }
        if matches!(word, "(" | "[" | "{") {
            depth += 1;
        }
    }
    form
}

/// Tells whether an assert allows a difference now, or another one: the last number of a call says how far a value may be off.
fn tolerates_more(gone: &[Word], came: &[Word]) -> bool {
    let names_one = |words: &[Word]| {
        let mut words = words.iter().filter(|word| !word.is_value);
        words.any(|word| TOLERANCES.is_match(&word.text.to_lowercase().replace('_', "")))
    };
    let last = |words: &[Word]| words.iter().rfind(|word| word.is_value).map(|word| word.text.clone());
    names_one(came) && (!names_one(gone) || last(gone) != last(came))
}

/// Stand-ins for what the tests of before are about: the tests define a function of its name, or replace it while they run.
fn stand_ins(compared: &ChangedTests, files: &[ChangedFile<'_>]) -> Vec<Place> {
    let before = compared.old_by_file();
    let old = |file: &ChangedFile<'_>| before.get(file.path()).map_or(&[][..], Vec::as_slice);
    side_by_side::places(files, |file| stand_in(file, old(file), compared))
}

fn stand_in(file: &ChangedFile<'_>, old: &[&Test], compared: &ChangedTests) -> Option<Place> {
    let is_for_all = is_runner_setting(file.path()) && name(file.path()).starts_with("conftest");
    // What asserts call: `count`, `pages.count`.
    let asked: BTreeSet<String> = old.iter().flat_map(|test| test.asserted_calls()).collect();
    if asked.is_empty() && !is_for_all {
        return None;
    }
    let new = file.now()?;
    let is_asked = |name: &str| name.rsplit([':', '.']).next().is_some_and(|name| asked.contains(name));
    let mut functions = added_functions(file, SourceFile::functions).into_iter();
    if let Some(Function { name, line, .. }) = functions.find(|function| is_asked(&function.name)) {
        let what = "takes the place of what the tests are about. Is the product still tested?";
        return Some(at(file.path(), line, format!("`{name}` {what}")));
    }
    let is_of_added = |part: &Part<'_>| {
        let mut added = compared.added().filter(|new| *new.path == *file.path());
        added.any(|new| new.range.contains(&part.range.start))
    };
    let stand_ins = file.added_parts(SourceFile::stand_ins).into_iter();
    let mut stand_ins = stand_ins.filter(|part| !is_of_added(part));
    let first = stand_ins.find(|part| is_for_all || replaces(part.text, &asked, new))?;
    let shown = first.text.lines().next().unwrap_or_default();
    let what = "replaces what the tests are about. Is the product still tested?";
    Some(at(file.path(), first.line, format!("`{shown}` {what}")))
}

/// Tells whether a call replaces what is called as `pages.count`, says what a stand-in of `count` answers, or replaces a whole
/// module that the file imports by its path.
fn replaces(call: &str, asked: &BTreeSet<String>, file: &SourceFile) -> bool {
    // `Basket.total` is called as `basket.total`.
    let call = call.to_lowercase().replace(", ", ".").replace(['"', '\'', '`'], "");
    let names =
        |path: &str| [".", ")"].iter().any(|end| call.contains(&format!("{}{end}", path.to_lowercase())));
    let is_module = |import: &Part<'_>| import.text.contains('/') && names(&format!("({}", import.text));
    let told = |path: &str| [".mock", ").mock"].iter().any(|end| call.contains(&(path.to_lowercase() + end)));
    asked.iter().any(|path| path.contains('.') && names(path) || told(path))
        || file.imports().iter().any(is_module)
}

#[cfg(test)]
mod tests;
