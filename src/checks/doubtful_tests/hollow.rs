//! New tests that ask nothing: they assert nothing, or use nothing of what their neighbours call and of what the product defines.

use std::collections::{BTreeMap, BTreeSet};

use super::stand_ins::asked_about;
use crate::compared_tests::{ComparedTest, ComparedTests};
use crate::outcome::at;
use model::event::Place;

pub(super) fn places(compared: &ComparedTests) -> Vec<Place> {
    let mut neighbours: BTreeMap<&str, Vec<&ComparedTest>> = BTreeMap::new();
    for (old, _) in compared.kept() {
        neighbours.entry(&old.test.path).or_default().push(old);
    }
    let places = compared.added().filter(|new| !new.test.is_skipped()).filter_map(|new| {
        let what = doubt(new, neighbours.get(&*new.test.path)?, compared)?;
        Some(at(&new.test.path, new.test.line, format!("the new test `{}` {what}", new.test.name)))
    });
    places.collect()
}

/// A file whose tests all assert nothing has another way of testing.
fn doubt(new: &ComparedTest, neighbours: &[&ComparedTest], compared: &ComparedTests) -> Option<&'static str> {
    if new.asserts.is_empty() {
        let all_assert = neighbours.iter().all(|old| !old.asserts.is_empty());
        return all_assert.then_some("asserts nothing. What would make it fail?");
    }
    let called: BTreeSet<String> = asked_about(neighbours.iter().copied());
    let uses_one = called.iter().any(|name| new.uses(name)) || compared.uses_the_product(new);
    (!called.is_empty() && !uses_one)
        .then_some("uses nothing that the other tests are about. What does it test?")
}
