//! Whether the asserts of a test are still asked on every run.

use std::collections::HashMap;

use crate::changed_tests::{ChangedTest, ComparedAssert, Token};
use source::{SkipKind, Test};

/// Attributes and decorators of runners and of usual libraries of tests.
const USUAL: [&str; 28] = [
    "parametrize",
    "parameterized",
    "usefixtures",
    "asyncio",
    "anyio",
    "django_db",
    "slow",
    "filterwarnings",
    "patch",
    "mock",
    "given",
    "settings",
    "example",
    "test",
    "rstest",
    "case",
    "tokio",
    "async_std",
    "serial",
    "timeout",
    "cfg",
    "cfg_attr",
    "ignore",
    "allow",
    "expect",
    "skip",
    "skipif",
    "override_settings",
];

pub(super) fn doubt(old: &ChangedTest, new: &[&ChangedTest]) -> Option<String> {
    let has_more = |kind: SkipKind| {
        let count = |test: &Test| test.skips.iter().filter(|skip| skip.kind == kind).count();
        new.iter().any(|new| count(&new.test) > count(&old.test))
    };
    if has_more(SkipKind::Conditional) {
        return Some("may be skipped under a condition now. Can it not run there?".to_owned());
    }
    if has_more(SkipKind::ExpectedFailure) {
        return Some("may fail now. Why is the failure expected?".to_owned());
    }
    if new.len() == 1 && new[0].test.exits > old.test.exits {
        return Some("may end early under a condition now. Does it still ask in every case?".to_owned());
    }
    if let Some(attribute) = new.iter().find_map(|new| new_attribute(&old.test, &new.test)) {
        return Some(format!("runs inside `{attribute}` now. Does a failure in it still fail?"));
    }
    let guarded = new.iter().find_map(|new| newly_guarded(old, new))?;
    let shown = guarded.shown();
    Some(format!(
        "asks `{shown}` under a condition now, or with its failure caught. Is it asked on every run?"
    ))
}

/// Returns an attribute or decorator that is new, and that no runner and no usual library of tests has.
fn new_attribute(old: &Test, new: &Test) -> Option<String> {
    let is_usual = |text: &str| {
        let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
        words.filter(|word| !word.is_empty()).take(4).any(|word| USUAL.contains(&word))
    };
    let added = new.attributes.iter().find(|text| !old.attributes.contains(text) && !is_usual(text))?;
    Some(added.replace(' ', "").chars().take(60).collect())
}

/// Returns an assert that was there and stands in more conditions now.
fn newly_guarded<'t>(old: &ChangedTest, new: &'t ChangedTest) -> Option<&'t ComparedAssert> {
    let mut before: HashMap<&[Token], usize> = HashMap::new();
    for assert in &old.asserts {
        let most = before.entry(&assert.tokens).or_default();
        *most = (*most).max(assert.conditions);
    }
    let were_free = old.asserts.iter().all(|assert| assert.conditions == 0);
    let is_free = |assert: &ComparedAssert| {
        new.asserts.iter().any(|other| other.tokens == assert.tokens && other.conditions == 0)
    };
    new.asserts.iter().find(|assert| {
        let most = before.get(assert.tokens.as_slice());
        let before = most.copied().or(were_free.then_some(0));
        before.is_some_and(|before| before < assert.conditions) && !is_free(assert)
    })
}
