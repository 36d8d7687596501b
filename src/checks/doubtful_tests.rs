//! Tests that were there and may ask less now. What the sources say about it may be honest, so each of it is a question to
//! the reviewer; what the suite says of each test stands in `pass_to_pass`. Refuses nothing.

mod asserts;
mod declared;
mod hollow;
mod hooks;
mod lost;
mod moved;
mod reached;
mod stand_ins;

use super::Site;
use super::changed_tests::{ChangedTest, ChangedTests};
use super::outcome::at;
use super::tampering;
use model::event::Place;

/// Returns the places that a reviewer is asked about.
pub(super) fn questions(site: &Site<'_>) -> Vec<Place> {
    let compared = ChangedTests::of_phase(site);
    let tests = compared.kept().filter_map(|(old, new)| doubt(old, &new));
    let functions = compared.functions().filter_map(|(old, new)| doubt(old, &[new]));
    let mut places: Vec<Place> = tests.chain(functions).collect();
    places.extend(tampering::questions(compared, site));
    places.extend(lost::places(compared, site));
    places.extend(declared::places(compared));
    places.extend(hollow::places(compared));
    places.extend(stand_ins::places(compared, site));
    places.extend(hooks::places(site));
    places
}

/// Returns what is doubtful about what a test became.
fn doubt(old: &ChangedTest, new: &[&ChangedTest]) -> Option<Place> {
    let now = new.first()?;
    let what = moved::doubt(old, new)
        .or_else(|| declared::unawaited(old, new))
        .or_else(|| reached::doubt(old, new))
        .or_else(|| asserts::doubt(old, new))?;
    let test = &now.test;
    Some(at(&test.path, test.line, format!("the test `{}` {what}", test.name)))
}

#[cfg(test)]
mod tests;
