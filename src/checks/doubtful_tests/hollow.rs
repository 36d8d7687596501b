//! New tests that ask nothing: they assert nothing, or use nothing of what their neighbours call and of what the product defines.

use std::collections::{BTreeMap, BTreeSet};

use super::stand_ins::asked_about;
use crate::changed_tests::{ChangedTest, ChangedTests};
use crate::outcome::at;
use model::event::Place;

/// The tests that a file had before.
struct Neighbours {
    /// A file with a test that asserts nothing has another way of testing.
    all_assert: bool,
    /// What their asserts call.
    called: BTreeSet<String>,
}

pub(super) fn places(compared: &ChangedTests) -> Vec<Place> {
    let files = compared.kept_by_file().into_iter().map(|(path, tests)| (path, Neighbours::of(&tests)));
    let files: BTreeMap<&str, Neighbours> = files.collect();
    let places = compared.added().filter(|new| !new.test.is_skipped()).filter_map(|new| {
        let what = files.get(&*new.test.path)?.doubt(new, compared)?;
        Some(at(&new.test.path, new.test.line, format!("the new test `{}` {what}", new.test.name)))
    });
    places.collect()
}

impl Neighbours {
    fn of(tests: &[&ChangedTest]) -> Self {
        let all_assert = tests.iter().all(|test| !test.asserts.is_empty());
        Self { all_assert, called: asked_about(tests) }
    }

    fn doubt(&self, new: &ChangedTest, compared: &ChangedTests) -> Option<&'static str> {
        if new.asserts.is_empty() {
            return self.all_assert.then_some("asserts nothing. What would make it fail?");
        }
        let uses_one = self.called.iter().any(|name| new.uses(name)) || compared.uses_the_product(new);
        (!self.called.is_empty() && !uses_one)
            .then_some("uses nothing that the other tests are about. What does it test?")
    }
}
