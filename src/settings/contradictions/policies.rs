//! Policies that judge nothing or cannot be played, and limits of theirs beyond reason.

use super::amounts::too_many;
use super::{Wrong, answers, wrong};
use crate::keys::{Keys, PhaseKeys};
use model::policy::{Entry, Limits, OnFail, Policy};

/// Returns the first policy that cannot be used.
pub(super) fn find(keys: &Keys) -> Option<Wrong> {
    keys.policies.iter().find_map(|(name, policy)| policy_of(name, policy)).or_else(|| answer_of_nobody(keys))
}

/// The form of an answer is for an author's, and a policy with triage has none.
fn answer_of_nobody(keys: &Keys) -> Option<Wrong> {
    let triages = |policy: &String| keys.policies.get(policy).is_some_and(|policy| policy.triage);
    let asked = |phase: &PhaseKeys| answers::asked(phase).next();
    let mut of_nobody = keys.phases.iter().filter(|(_, phase)| triages(&phase.policy));
    let (name, phase, key) = of_nobody.find_map(|(name, phase)| Some((name, phase, asked(phase)?)))?;
    let what = format!("is for the answer of an author, and the policy `{}` has none", phase.policy);
    wrong(format!("phases.{name}.{key}"), what)
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
    if policy.llm_judge {
        return wrong(
            key(".llm_judge"),
            "needs a policy without `review` and `triage`: the judge is its review",
        );
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
        ("max_tries", limits.max_tries.unwrap_or(1)),
    ]
    .into_iter()
    .find_map(|(name, number)| too_many(format!("{key}.{name}"), number))
    .or_else(|| {
        let none = [("max_passes", limits.max_passes), ("max_tries", limits.max_tries)];
        let zero = none.into_iter().find(|(_, most)| *most == Some(0));
        zero.map(|(name, _)| (format!("{key}.{name}"), "has to be 1 or more".to_owned()))
    })
}
