//! Sure signs that somebody keeps tests from failing: a test that was there never runs any more, or runs alone; what the test
//! runner does is replaced; a file that Python runs before every test; a gate that is lower. A person makes exceptions with
//! `[checks] allowed`.

use super::{ChangedFile, ChangedTests, Place, Site, at, ending, file, lowered_gates, name, side_by_side};
use source::{SkipKind, SourceFile, Test};

/// Python runs them whenever it starts.
const ALWAYS_RUN: [&str; 2] = ["sitecustomize.py", "usercustomize.py"];

/// Returns tests that never run any more, or run alone, unless the issue names them, and what replaces the runner.
pub(super) fn places(site: &Site<'_>) -> Vec<Place> {
    let tests = ChangedTests::of_phase(site);
    let alone = tests.added().filter_map(|new| newly(SkipKind::Only, None, new));
    let mut places: Vec<Place> = kept(tests, site, false).chain(alone).collect();
    // One mark may stand at a group of many tests.
    places.dedup_by(|next, place| next.file == place.file && next.line == place.line);
    places.extend(side_by_side::places(&ChangedFile::judged(site), runner_replaced));
    places.extend(lowered_gates::places(site));
    places
}

/// Returns those that the issue names: it may have asked for that.
pub(super) fn questions<'t>(tests: &'t ChangedTests, site: &'t Site<'_>) -> impl Iterator<Item = Place> + 't {
    kept(tests, site, true).map(|place| {
        let what = format!("{}, as the issue may ask. Does it?", place.what);
        Place { what, ..place }
    })
}

fn kept<'t>(tests: &'t ChangedTests, site: &'t Site<'_>, is_named: bool) -> impl Iterator<Item = Place> + 't {
    let kept = tests.kept().filter(move |(old, _)| site.issue.names(&old.name) == is_named);
    kept.flat_map(|(old, new)| {
        let of = |new: &Test| {
            let off = newly(SkipKind::Unconditional, Some(old), new);
            off.or_else(|| newly(SkipKind::Only, Some(old), new))
        };
        new.into_iter().filter_map(of).collect::<Vec<Place>>()
    })
}

/// Returns a skip of a kind that a test did not have.
fn newly(kind: SkipKind, old: Option<&Test>, new: &Test) -> Option<Place> {
    if new.count(kind) <= old.map_or(0, |old| old.count(kind)) {
        return None;
    }
    let skip = new.skips.iter().find(|skip| skip.kind == kind)?;
    let what = match kind {
        SkipKind::Only => format!("only the test `{}` runs, alone", new.name),
        _ => format!("the test `{}` never runs", new.name),
    };
    Some(at(&new.path, skip.line, what))
}

/// Returns code that replaces what the test runner does, and files that Python runs before every test.
fn runner_replaced(changed: &ChangedFile<'_>) -> Vec<Place> {
    let path = changed.path();
    let runs_always = ALWAYS_RUN.contains(&name(path)) || ending(path) == "pth";
    if runs_always && changed.change.is_new() {
        return vec![file(path, "Python runs this file before every test, which may change what they say")];
    }
    let patches = changed.added_parts(SourceFile::runner_patches);
    let what = |text: &str| {
        format!("`{}` replaces what the test runner does", text.lines().next().unwrap_or_default())
    };
    patches.iter().map(|patch| at(path, patch.line, what(patch.text))).collect()
}

#[cfg(test)]
mod tests;
