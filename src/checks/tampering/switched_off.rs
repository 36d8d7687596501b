//! Tests that were there and never run any more, or run alone. One that the issue names is a question to the reviewer.

use crate::Site;
use crate::changed_tests::{ChangedTest, ChangedTests};
use crate::outcome::at;
use model::event::Place;
use source::{Skip, SkipKind, Test};

/// Returns what is refused.
pub(super) fn places(compared: &ChangedTests, site: &Site<'_>) -> Vec<Place> {
    let alone = compared.added().filter_map(|new| newly(SkipKind::Only, None, new));
    let mut places: Vec<Place> = kept(compared, site, false).chain(alone).collect();
    // One mark may stand at a group of many tests.
    places.dedup_by(|next, place| next.file == place.file && next.line == place.line);
    places
}

/// Returns what the issue may have asked for.
pub(crate) fn questions(compared: &ChangedTests, site: &Site<'_>) -> Vec<Place> {
    let mut places: Vec<Place> = kept(compared, site, true).collect();
    for place in &mut places {
        place.what += ", as the issue may ask. Does it?";
    }
    places
}

fn kept<'c>(
    compared: &'c ChangedTests,
    site: &'c Site<'_>,
    is_named: bool,
) -> impl Iterator<Item = Place> + 'c {
    let kept = compared.kept().filter(move |(old, _)| site.issue.names(&old.test.name) == is_named);
    kept.flat_map(|(old, new)| {
        let kinds = [SkipKind::Unconditional, SkipKind::Only];
        let of = |new: &ChangedTest| kinds.iter().find_map(|kind| newly(*kind, Some(old), new));
        new.into_iter().filter_map(of).collect::<Vec<Place>>()
    })
}

/// Returns a skip of a kind that a test did not have.
fn newly(kind: SkipKind, old: Option<&ChangedTest>, new: &ChangedTest) -> Option<Place> {
    let of_kind = |skip: &&Skip| skip.kind == kind;
    let count = |test: &Test| test.skips.iter().filter(of_kind).count();
    let test = &new.test;
    let skip = test.skips.iter().find(of_kind)?;
    let what = match kind {
        SkipKind::Only => format!("only the test `{}` runs, alone", test.name),
        _ => format!("the test `{}` never runs", test.name),
    };
    (count(test) > old.map_or(0, |old| count(&old.test))).then(|| at(&test.path, skip.line, what))
}
