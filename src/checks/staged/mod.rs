//! Code of the product that plays to its tests: it asks who runs it, or is equal to everything. Tests and their support may.
//! A person makes exceptions with `[checks] allowed`.

mod always_equal;
mod runner_seen;

use super::Site;
use super::changed_file::ChangedFile;
use super::outcome::judged;
use super::suspicion::{Suspicion, places};
use model::event::CheckResult;

pub(super) const ID: &str = "staged";

pub(super) fn examine(site: &Site<'_>) -> CheckResult {
    judged(
        ID,
        "staged",
        places(suspicions(site), true),
        "code behaves for its tests",
        "no code asks whether it is tested",
    )
}

/// Returns what looks so, surely or not.
pub(super) fn suspicions<'s>(site: &'s Site<'_>) -> &'s [Suspicion] {
    site.read.staged.get_or_init(|| found(site))
}

fn found(site: &Site<'_>) -> Vec<Suspicion> {
    let files = ChangedFile::judged(site);
    let mut found = runner_seen::suspicions(&files, site);
    found.extend(always_equal::suspicions(&files));
    found
}

#[cfg(test)]
mod tests;
