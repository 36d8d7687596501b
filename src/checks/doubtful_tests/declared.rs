//! How tests are declared: twice under one name, as a coroutine that nobody may await, or so that they never run.

use std::collections::HashMap;

use crate::changed_tests::{ChangedTest, ChangedTests};
use crate::outcome::at;
use model::event::Place;
use source::{Language, Test};

pub(super) fn places(compared: &ChangedTests) -> Vec<Place> {
    never_run(compared).chain(defined_twice(compared)).collect()
}

/// A new test that never runs proves nothing. A title without a body is a plan.
fn never_run(compared: &ChangedTests) -> impl Iterator<Item = Place> {
    let skipped = compared.added().filter(|new| new.test.is_skipped() && !new.asserts.is_empty());
    skipped.map(|new| question(&new.test, "is new and never runs. Why is it there?"))
}

/// The second definition takes the place of the first.
fn defined_twice(compared: &ChangedTests) -> impl Iterator<Item = Place> {
    let mut seen: HashMap<(&str, String), usize> = HashMap::new();
    let is_python = |test: &&ChangedTest| Language::of(&test.test.path) == Some(Language::Python);
    for test in compared.new_tests().filter(is_python) {
        *seen.entry((&test.test.path, test.test.id())).or_default() += 1;
    }
    let is_second =
        move |new: &&ChangedTest| seen.get(&(&*new.test.path, new.test.id())).is_some_and(|count| *count > 1);
    compared
        .added()
        .filter(is_second)
        .map(|new| question(&new.test, "is defined twice: only the last one runs. Is that meant?"))
}

/// Tells whether a test became a coroutine that nothing says who awaits.
pub(super) fn unawaited(old: &ChangedTest, new: &[&ChangedTest]) -> Option<String> {
    let now = &new.first()?.test;
    let says = |text: &str| {
        ["asyncio", "anyio", "trio", "tokio", "Async", "async"].iter().any(|word| text.contains(word))
    };
    let is_awaited =
        now.attributes.iter().any(|text| says(text)) || now.groups.iter().any(|group| says(group));
    let is_doubtful = Language::of(&now.path) == Some(Language::Python)
        && now.is_async
        && !is_awaited
        && (!old.test.is_async || old.test.attributes.iter().any(|text| says(text)));
    is_doubtful.then(|| "is a coroutine that has no mark for its runner. Is it awaited?".to_owned())
}

fn question(test: &Test, what: &str) -> Place {
    at(&test.path, test.line, format!("the test `{}` {what}", test.name))
}
