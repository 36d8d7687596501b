//! Tests that were there and never run any more, or run alone. One that the issue names is a question to the reviewer.

use crate::Site;
use crate::compared_tests::{ComparedTest, ComparedTests};
use crate::outcome::at;
use model::event::Place;
use source::{Skip, SkipKind, Test};

pub(super) fn places(compared: &ComparedTests, site: &Site<'_>) -> Vec<Place> {
    let asked = |test: &Test| site.issue.names(&test.name);
    let kept = compared.kept().filter(|(old, _)| !asked(&old.test));
    let kept = kept.flat_map(|(old, new)| {
        new.into_iter().filter_map(|new| switched_off(Some(old), new)).collect::<Vec<_>>()
    });
    let alone = compared
        .added()
        .filter_map(|new| switched_off(None, new))
        .filter(|place| place.what.contains("alone"));
    let mut places: Vec<Place> = kept.chain(alone).collect();
    // One mark may stand at a group of many tests.
    places.dedup_by(|next, place| next.file == place.file && next.line == place.line);
    places
}

fn switched_off(old: Option<&ComparedTest>, new: &ComparedTest) -> Option<Place> {
    let of = |test: &Test, kind: SkipKind| test.skips.iter().filter(|skip| skip.kind == kind).count();
    let is_new = |skip: &&Skip| {
        let before = old.map_or(0, |old| of(&old.test, skip.kind));
        of(&new.test, skip.kind) > before
    };
    let test = &new.test;
    let skip = test
        .skips
        .iter()
        .find(|skip| matches!(skip.kind, SkipKind::Unconditional | SkipKind::Only) && is_new(skip))?;
    let what = match skip.kind {
        SkipKind::Only => format!("only the test `{}` runs, alone", test.name),
        _ => format!("the test `{}` never runs", test.name),
    };
    Some(at(&test.path, skip.line, what))
}
