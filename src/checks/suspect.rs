//! What is likely a cheat and may be honest, and tests that an author changed or removed for a reason that it names: told to
//! people, and each of it is a question that the reviewer has to answer. Refuses nothing.

use super::outcome::{asking, judged};
use super::suspicion::places;
use super::{Site, doubtful_code, staged, tampering};
use model::event::CheckResult;

pub(super) const ID: &str = "suspect";

pub(super) fn examine(site: &Site<'_>) -> CheckResult {
    let found = staged::suspicions(site).iter().chain(tampering::suspicions(site));
    let mut told = tampering::questions(site).to_vec();
    told.extend(places(found, false));
    told.extend(doubtful_code::questions(site));
    asking(judged(ID, "suspect", told, "worth a look", "nothing looks like a cheat"))
}

/// Tells whether a reviewer reads what this check says: only then a question can be left to one.
pub(super) fn reaches_a_reviewer(site: &Site<'_>) -> bool {
    let policy = &site.phase.policy;
    policy.review.is_some() && policy.checks.iter().any(|rule| rule.id == ID)
}
