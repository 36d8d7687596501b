//! Gathers the rules that know a sure cheat from a likely one. Each rule stands in a file of its own; this one only asks them.

use std::collections::{BTreeSet, HashMap};

use super::arrived::Arrived;
use super::cases::{Case, cases};
use super::removal::Removal;
use super::tests_of::{TestFile, Tests};
use super::{
    Loss, awaiting, conditions, for_every_test, gated, holds_tests, narrowed, of_each, scripts, side_by_side,
    stand_in, suppressions, tables, unawaited,
};
use crate::Site;
use crate::reading::source::without_comments;
use crate::suspicion::Suspicion;
use model::change::Change;

/// A test before and after, and the code of their files.
pub(super) struct Pair<'a> {
    pub(super) old: &'a Case,
    pub(super) new: &'a Case,
    pub(super) old_file: &'a str,
    pub(super) new_file: &'a str,
}

/// What these rules find.
#[derive(Debug, Default)]
pub(super) struct Doubts {
    pub(super) suspicions: Vec<Suspicion>,
    /// Tests that lost rows of their tables.
    pub(super) losses: Vec<Loss>,
}

/// Returns what makes tests weaker, surely or not, apart from what the other rules of this module refuse.
pub(super) fn suspicions(
    changes: &[&Change],
    tests: &Tests<'_>,
    removal: &Removal<'_>,
    site: &Site<'_>,
) -> Doubts {
    let mut found: Vec<Suspicion> = of_each(changes, |change| {
        let found = narrowed::suspicions(change, site).into_iter().chain(scripts::suspicions(change));
        found.chain(suppressions::suspicions(change)).collect()
    });
    let holding: Vec<&Change> = changes.iter().copied().filter(|change| holds_tests(change)).collect();
    found.extend(of_each(&holding, |change| {
        let found = stand_in::suspicions(change, removal).into_iter();
        let found = found.chain(for_every_test::suspicions(change, changes, site));
        found.chain(gated::suspicions(change, changes)).chain(of_new(change, site)).collect()
    }));
    let arrived = Arrived::of(changes);
    let of_tests = side_by_side::each(&tests.files(), |file| of_pairs(file, &arrived, removal, site));
    let mut losses = Vec::new();
    for doubts in of_tests {
        found.extend(doubts.suspicions);
        losses.extend(doubts.losses);
    }
    Doubts { suspicions: found, losses }
}

/// A new file has no earlier tests to be compared with.
fn of_new(change: &Change, site: &Site<'_>) -> Vec<Suspicion> {
    let Some(text) = change.new_text().filter(|_| change.is_new() && awaiting::has_new(change)) else {
        return Vec::new();
    };
    let (now, code) = (cases(&change.path, text, &BTreeSet::new()), without_comments(&change.path, text));
    awaiting::new_ones(&[], &now, &code, site)
}

/// Compares the tests that kept file and name, where a rule may find something.
fn of_pairs(file: &TestFile<'_>, arrived: &Arrived<'_>, removal: &Removal<'_>, site: &Site<'_>) -> Doubts {
    let change = file.change;
    let (Some(old_file), Some(new_file)) = (change.old_text(), change.new_text()) else {
        return Doubts::default();
    };
    let (coroutines, later) = (awaiting::has_new(change), unawaited::may_apply(change));
    let (guarded, rows) = (conditions::may_apply(change), tables::may_apply(change));
    let (async_now, replaced) = (awaiting::may_apply(change), stand_in::may_apply(change));
    if !(guarded || rows || async_now || replaced || coroutines || later) {
        return Doubts::default();
    }
    // What is replaced is judged by the asserts that a file makes itself.
    let own = replaced.then(|| [old_file, new_file].map(|text| cases(&change.path, text, &BTreeSet::new())));
    let (before, after) = own.as_ref().map_or((file.old, file.new), |[old, new]| (old, new));
    let [old_code, new_code] = [old_file, new_file].map(|text| without_comments(&change.path, text));
    let known: HashMap<&str, &Case> = before.iter().map(|case| (case.name.as_str(), case)).collect();
    let of_group: HashMap<(&[String], &str), &Case> =
        before.iter().map(|case| ((case.groups.as_slice(), case.name.as_str()), case)).collect();
    let (mut found, mut losses) = (Vec::new(), Vec::new());
    if coroutines {
        found.extend(awaiting::new_ones(before, after, &new_code, site));
    }
    for new in after {
        let same = of_group.get(&(new.groups.as_slice(), new.name.as_str()));
        let Some(old) =
            same.or_else(|| known.get(new.name.as_str())).filter(|old| old.text != new.text || rows)
        else {
            continue;
        };
        let pair = Pair { old, new, old_file: &old_code, new_file: &new_code };
        if guarded && may_depend(&new.text) {
            found.extend(conditions::suspicions(&pair));
        }
        match tables::lost(&pair, arrived, removal).filter(|_| rows) {
            Some(tables::Lost::Sure(loss)) => losses.push(loss),
            Some(tables::Lost::Likely(suspicion)) => found.push(suspicion),
            None => {}
        }
        found.extend(awaiting::suspicion(&pair, site).filter(|_| async_now));
        found.extend(stand_in::patched(&pair).filter(|_| replaced));
        found.extend(later.then(|| unawaited::suspicion(&pair)).flatten());
    }
    Doubts { suspicions: found, losses }
}

/// Tells whether a test may hold a condition: most hold none.
fn may_depend(text: &str) -> bool {
    ["if", "when", "unless", "else", "yield", "function"].iter().any(|part| text.contains(part))
}
