//! What is likely a cheat and may be honest: told to people and reviewers, and refuses nothing.

use super::outcome::judged;
use super::suspicion::places;
use super::{Site, staged, tampering};
use crate::event::CheckResult;

pub(super) const ID: &str = "suspect";

pub(super) fn examine(site: &Site<'_>) -> CheckResult {
    let found = staged::suspicions(site).iter().chain(tampering::suspicions(site));
    judged(ID, "suspect", places(found, false), "worth a look", "nothing looks like a cheat")
}
