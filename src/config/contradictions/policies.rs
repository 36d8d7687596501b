//! Policies that judge nothing or cannot be played, and limits of theirs beyond reason.

use super::amounts::too_many;
use super::{Wrong, wrong};
use crate::config::keys::Keys;
use crate::policy::{Entry, Limits, OnFail, Policy};

/// Returns the first policy that cannot be used.
pub(super) fn find(keys: &Keys) -> Option<Wrong> {
    keys.policies.iter().find_map(|(name, policy)| policy_of(name, policy))
}

fn policy_of(name: &str, policy: &Policy) -> Option<Wrong> {
    let key = |inner: &str| format!("policies.{name}{inner}");
    let required = policy.checks.iter().any(|rule| rule.on_fail != OnFail::Note);
    let Some(review) = &policy.review else {
        return match (required, policy.triage, policy.entry) {
            (false, ..) => {
                wrong(key(""), "has neither a review nor a required check: it would approve anything")
            }
            (true, true, _) => wrong(key(".triage"), "needs a review"),
            (true, false, Entry::Review) => wrong(key(".entry"), "is `review`, and there is none"),
            (true, false, Entry::Execute) => limits_of(&key(".limits"), &policy.limits),
        };
    };
    if !policy.triage && !review.verdict_map.values().any(|judgment| judgment.approves()) {
        return wrong(key(".review.verdict_map"), "has no word that approves");
    }
    limits_of(&key(".limits"), &policy.limits)
}

fn limits_of(key: &str, limits: &Limits) -> Option<Wrong> {
    [
        ("max_passes", limits.max_passes.unwrap_or(1)),
        ("max_revisions", limits.max_revisions),
        ("max_redo", limits.max_redo),
        ("max_format_redo", limits.max_format_redo),
        ("max_unreadable", limits.max_unreadable),
    ]
    .into_iter()
    .find_map(|(name, number)| too_many(format!("{key}.{name}"), number))
    .or_else(|| {
        (limits.max_passes == Some(0))
            .then(|| (format!("{key}.max_passes"), "has to be 1 or more".to_owned()))
    })
}
