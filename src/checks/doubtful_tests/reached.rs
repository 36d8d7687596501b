//! Whether the asserts of a test are still asked on every run, and whether the usual runners find its file by its name. Whether the
//! runner of the project finds it shows in the results of the suite.

use super::shown;
use crate::any_of;
use source::{Assert, Language, SkipKind, Test, is_found_by_name};

pattern!(USUAL, &any_of("reached", "usual"));

pub(super) fn doubt(old: &Test, new: &[&Test]) -> Option<String> {
    let (from, to) = (&old.path, &new.first()?.path);
    if from != to && is_found_by_name(from) == Some(true) && is_found_by_name(to) == Some(false) {
        return Some(format!(
            "moved from {from} to a file whose name test runners do not look for. Does it run there?"
        ));
    }
    if is_unawaited(old, new.first()?) {
        return Some("is a coroutine that has no mark for its runner. Is it awaited?".to_owned());
    }
    let has_more = |kind: SkipKind, may: usize| new.iter().any(|new| new.count(kind) > old.count(kind) + may);
    // A condition that kept the test from being made may skip it now.
    let moved = old.exits_around.saturating_sub(new.first()?.exits_around);
    if has_more(SkipKind::Conditional, moved) {
        return Some("may be skipped under a condition now. Can it not run there?".to_owned());
    }
    if has_more(SkipKind::ExpectedFailure, 0) {
        return Some("may fail now. Why is the failure expected?".to_owned());
    }
    if new.len() == 1 && new[0].exits > old.exits {
        return Some("may end early under a condition now. Does it still ask in every case?".to_owned());
    }
    if let Some(attribute) = new.iter().find_map(|new| new_attribute(old, new)) {
        return Some(format!("runs inside `{attribute}` now. Does a failure in it still fail?"));
    }
    let guarded = new.iter().find_map(|new| newly_guarded(old, new))?;
    Some(format!(
        "asks `{}` under a condition now, or with its failure caught. Is it asked on every run?",
        shown(guarded)
    ))
}

/// Tells whether a test became a coroutine that nothing says who awaits.
fn is_unawaited(old: &Test, new: &Test) -> bool {
    let says = |text: &String| {
        ["asyncio", "anyio", "trio", "tokio", "Async", "async"].iter().any(|word| text.contains(word))
    };
    let is_awaited = new.attributes.iter().chain(&new.groups).any(says);
    Language::of(&new.path) == Some(Language::Python)
        && new.is_async
        && !is_awaited
        && (!old.is_async || old.attributes.iter().any(says))
}

/// Returns an attribute or decorator that is new, and that no runner and no usual library of tests has.
fn new_attribute(old: &Test, new: &Test) -> Option<String> {
    let is_usual = |text: &str| {
        let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
        words.filter(|word| !word.is_empty()).take(4).any(|word| USUAL.is_match(word))
    };
    let added = new.attributes.iter().find(|text| !old.attributes.contains(text) && !is_usual(text))?;
    Some(added.replace(' ', "").chars().take(60).collect())
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
