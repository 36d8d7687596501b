//! Panels that nobody could sit on, or that nothing would come of: seats without a usable name, twice the same one, a
//! panel where no reviewer's word counts, viewpoints that are none.

use std::collections::BTreeSet;

use super::{Wrong, wrong};
use crate::keys::Keys;
use model::policy::{Policy, ReviewRule, Seat};

/// More reviewers of one phase are a mistake, not a panel.
const MOST_SEATS: usize = 12;
/// The longest name of a seat or viewpoint.
const LONGEST_NAME: usize = 40;
/// What the first reviewer is called where seats are named.
const CHIEF: &str = "chief";

/// Returns the first panel that cannot be used.
pub(super) fn find(keys: &Keys) -> Option<Wrong> {
    keys.policies
        .iter()
        .find_map(|(name, policy)| rule_of(name, policy))
        .or_else(|| panel_of("panel", &keys.panel))
        .or_else(|| phases(keys))
}

fn rule_of(name: &str, policy: &Policy) -> Option<Wrong> {
    let review = policy.review.as_ref()?;
    let key = |inner: &str| format!("policies.{name}.review.{inner}");
    if review.split && review.viewpoints.is_empty() {
        return wrong(key("split"), "has no viewpoint to split");
    }
    if policy.triage && !review.viewpoints.is_empty() {
        return wrong(key("viewpoints"), "would be graded for nothing: the triage table alone decides");
    }
    names(&key("viewpoints"), &review.viewpoints)
}

fn phases(keys: &Keys) -> Option<Wrong> {
    keys.phases.iter().find_map(|(name, phase)| {
        let key = format!("phases.{name}.panel");
        let policy = &keys.policies[&phase.policy];
        match &phase.panel {
            Some(panel) if !panel.is_empty() && !takes_a_panel(policy) => {
                let what = format!(
                    "would not be heard: under the policy `{}` no reviewer's word counts",
                    phase.policy
                );
                wrong(key, what)
            }
            Some(panel) => panel_of(&key, panel).or_else(|| twice(&key, panel, policy)),
            None => twice("panel", &keys.panel, policy),
        }
    })
}

/// Tells whether second opinions count under a policy: a triage table and the judge of the criteria decide alone.
pub(crate) fn takes_a_panel(policy: &Policy) -> bool {
    policy.review.is_some() && !policy.triage && !policy.llm_judge
}

/// A viewpoint that is split is a seat, too.
fn twice(key: &str, panel: &[Seat], policy: &Policy) -> Option<Wrong> {
    let split: &[String] =
        policy.review.as_ref().filter(|rule| rule.split).map_or(&[], |rule: &ReviewRule| &rule.viewpoints);
    let seat = panel.iter().find(|seat| split.contains(&seat.name))?;
    wrong(key, format!("has a seat `{}`, which the policy makes of its viewpoint already", seat.name))
}

fn panel_of(key: &str, panel: &[Seat]) -> Option<Wrong> {
    if panel.len() > MOST_SEATS {
        return wrong(key, format!("has {} seats; {MOST_SEATS} is the most", panel.len()));
    }
    let seats: Vec<String> = panel.iter().map(|seat| seat.name.clone()).collect();
    names(key, &seats).or_else(|| panel.iter().find_map(|seat| seat_of(key, seat)))
}

fn seat_of(key: &str, seat: &Seat) -> Option<Wrong> {
    let name = &seat.name;
    if name == CHIEF {
        return wrong(key, format!("has a seat `{CHIEF}`, which is what the first reviewer is called"));
    }
    if seat.agents.iter().any(|agent| agent.trim().is_empty()) {
        return wrong(key, format!("has a seat `{name}` with an agent that has no name"));
    }
    let viewpoints = names(key, &seat.viewpoints);
    viewpoints.map(|(key, what)| (key, format!("has a seat `{name}` that {what}")))
}

/// Names stand in prompts, records and folders.
fn names(key: &str, names: &[String]) -> Option<Wrong> {
    let mut seen = BTreeSet::new();
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let good = |name: &str| !name.is_empty() && name.len() <= LONGEST_NAME && name.chars().all(plain);
    names.iter().find_map(|name| {
        if !good(name) {
            let form = "letters, digits, `-` and `_`, at most 40 of them, such as `security`";
            return wrong(key, format!("names `{name}`; a name has {form}"));
        }
        if seen.insert(name.to_lowercase()) { None } else { wrong(key, format!("names `{name}` twice")) }
    })
}
