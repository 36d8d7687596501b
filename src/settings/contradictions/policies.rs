//! Cycles that cannot be played: policies that judge nothing, panels that nobody could sit on or that nothing would come of,
//! forms of answers that contradict each other, steps of a registry that cannot be attached.

use std::collections::{BTreeMap, BTreeSet};

use regex::Regex;

use super::limits;
use crate::error::{Contradiction, names_no, refuse, refuse_if};
use crate::keys::{Keys, PhaseKeys};
use crate::registry::StepsRegistry;
use model::policy::{FirstStep, OnFail, Pattern, Policy, Seat};

/// More reviewers of one phase are a mistake, not a panel.
const MOST_SEATS: usize = 12;
/// The longest name of a seat or viewpoint.
const LONGEST_NAME: usize = 40;
/// What the first reviewer is called where seats are named.
const CHIEF: &str = "chief";

/// Refuses policies that judge nothing or cannot be played, and a form of an answer that nobody gives.
pub(super) fn policies(keys: &Keys) -> Result<(), Contradiction> {
    for (name, policy) in &keys.policies {
        judges_something(name, policy)?;
        limits::of_policy(name, policy)?;
    }
    for (name, phase) in &keys.phases {
        let has_author = keys.policies.get(&phase.policy).is_none_or(|policy| !policy.triage);
        if let (false, Some(key)) = (has_author, answer_keys(phase).first()) {
            let what = format!("is for the answer of an author, and the policy `{}` has none", phase.policy);
            return refuse(format!("phases.{name}.{key}"), what);
        }
    }
    Ok(())
}

fn judges_something(name: &str, policy: &Policy) -> Result<(), Contradiction> {
    let key = |inner: &str| format!("policies.{name}{inner}");
    let Some(review) = &policy.review else {
        let requires_nothing = policy.checks.iter().all(|rule| rule.on_fail == OnFail::Note);
        let what = "has neither a review nor a required check: it would approve anything";
        refuse_if(requires_nothing, key(""), what)?;
        refuse_if(policy.triage, key(".triage"), "needs a review")?;
        return refuse_if(policy.entry == FirstStep::Review, key(".entry"), "is `review`, and there is none");
    };
    let approves = policy.triage || review.verdict_map.values().any(|judgment| judgment.approves());
    refuse_if(!approves, key(".review.verdict_map"), "has no word that approves")?;
    let what = "needs a policy without `review` and `triage`: the judge is its review";
    refuse_if(policy.llm_judge, key(".llm_judge"), what)
}

/// Refuses panels that cannot be used: seats without a usable name, twice the same one, a panel where no reviewer's word
/// counts, viewpoints that are none.
pub(super) fn panels(keys: &Keys) -> Result<(), Contradiction> {
    for (name, policy) in &keys.policies {
        viewpoints(name, policy)?;
    }
    panel(&keys.panel, "panel")?;
    for (name, phase) in &keys.phases {
        let policy = &keys.policies[&phase.policy];
        let Some(seats) = &phase.panel else {
            no_split_seat(&keys.panel, "panel", policy)?;
            continue;
        };
        let key = format!("phases.{name}.panel");
        let name = &phase.policy;
        let what = format!("would not be heard: under the policy `{name}` no reviewer's word counts");
        refuse_if(!seats.is_empty() && !takes_a_panel(policy), key.as_str(), what)?;
        panel(seats, &key)?;
        no_split_seat(seats, &key, policy)?;
    }
    Ok(())
}

/// Tells whether second opinions count under a policy: a triage table and the judge of the criteria decide alone.
pub(crate) fn takes_a_panel(policy: &Policy) -> bool {
    policy.review.is_some() && !policy.triage && !policy.llm_judge
}

fn viewpoints(name: &str, policy: &Policy) -> Result<(), Contradiction> {
    let Some(review) = &policy.review else { return Ok(()) };
    let key = |inner: &str| format!("policies.{name}.review.{inner}");
    let has_none = review.viewpoints.is_empty();
    refuse_if(review.split && has_none, key("split"), "has no viewpoint to split")?;
    let what = "would be graded for nothing: the triage table alone decides";
    refuse_if(policy.triage && !has_none, key("viewpoints"), what)?;
    names(review.viewpoints.iter()).or_else(|what| refuse(key("viewpoints"), what))
}

/// A viewpoint that is split is a seat, too.
fn no_split_seat(panel: &[Seat], key: &str, policy: &Policy) -> Result<(), Contradiction> {
    let Some(review) = &policy.review else { return Ok(()) };
    match panel.iter().find(|seat| review.split && review.viewpoints.contains(&seat.name)) {
        Some(Seat { name, .. }) => {
            refuse(key, format!("has a seat `{name}`, which the policy makes of its viewpoint already"))
        }
        None => Ok(()),
    }
}

fn panel(panel: &[Seat], key: &str) -> Result<(), Contradiction> {
    let seats = panel.len();
    refuse_if(seats > MOST_SEATS, key, format!("has {seats} seats; {MOST_SEATS} is the most"))?;
    names(panel.iter().map(|seat| &seat.name)).or_else(|what| refuse(key, what))?;
    for Seat { name, agents, viewpoints, .. } in panel {
        let what = format!("has a seat `{CHIEF}`, which is what the first reviewer is called");
        refuse_if(name == CHIEF, key, what)?;
        let has_nameless = agents.iter().any(|agent| agent.trim().is_empty());
        refuse_if(has_nameless, key, format!("has a seat `{name}` with an agent that has no name"))?;
        names(viewpoints.iter()).or_else(|what| refuse(key, format!("has a seat `{name}` that {what}")))?;
    }
    Ok(())
}

/// Says which of some names cannot stand in prompts, records and folders.
fn names<'a>(names: impl Iterator<Item = &'a String>) -> Result<(), String> {
    let mut seen = BTreeSet::new();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    for name in names {
        if name.is_empty() || name.len() > LONGEST_NAME || !name.chars().all(is_plain) {
            let form = "letters, digits, `-` and `_`, at most 40 of them, such as `security`";
            return Err(format!("names `{name}`; a name has {form}"));
        }
        if !seen.insert(name.to_lowercase()) {
            return Err(format!("names `{name}` twice"));
        }
    }
    Ok(())
}

/// Refuses forms of answers that contradict each other, and patterns that no answer or every answer meets.
pub(super) fn answers(keys: &Keys) -> Result<(), Contradiction> {
    for (name, phase) in &keys.phases {
        let key = |key: &str| format!("phases.{name}.{key}");
        if let [first, second, ..] = answer_keys(phase)[..] {
            let what = format!("is one form of the answer, and `{first}` is another; name one");
            return refuse(key(second), what);
        }
        if let Some(pattern) = &phase.answer_pattern {
            usable_pattern(pattern).or_else(|what| refuse(key("answer_pattern"), what))?;
        }
    }
    Ok(())
}

/// Returns the keys that say something about the form of a phase's answer.
fn answer_keys(phase: &PhaseKeys) -> Vec<&'static str> {
    let all = [
        ("schema", phase.schema.is_some()),
        ("answer_format", phase.answer_format.is_some()),
        ("answer_pattern", phase.answer_pattern.is_some()),
    ];
    all.into_iter().filter(|(_, is_set)| *is_set).map(|(key, _)| key).collect()
}

fn usable_pattern(pattern: &str) -> Result<(), String> {
    match Regex::new(pattern) {
        Ok(regex) if regex.is_match("") => {
            Err("is met by an empty answer: it would let everything pass; name a text that has to be there"
                .into())
        }
        Ok(_) => Ok(()),
        Err(error) => {
            let message = error.to_string();
            let why = message.lines().last().unwrap_or_default().trim_start_matches("error: ");
            let hint = "a sign that is meant as written needs `\\` before it";
            Err(format!("is no regular expression: {why}; {hint}"))
        }
    }
}

/// Refuses steps of a registry that phases name and that cannot be attached.
pub(super) fn steps(keys: &Keys, registry: Option<&StepsRegistry>) -> Result<(), Contradiction> {
    let mut patterns: BTreeMap<&String, &Pattern> = BTreeMap::new();
    for (name, phase) in &keys.phases {
        let Some(id) = &phase.step else { continue };
        let key = format!("phases.{name}.step");
        let Some(registry) = registry else {
            let what = format!("names `{id}`, and there is no `.ai-workflow/steps_registry.json`");
            return refuse(key, what);
        };
        let Some(step) = registry.steps.get(id) else {
            let known = registry.steps.keys().map(String::as_str);
            return refuse(key, names_no("step of the registry", id, known));
        };
        let (policy, has_schema) = (&phase.policy, step.output_schema.is_some());
        let what = format!("names `{id}`, which has a schema for the answer; the phase names another form");
        refuse_if(has_schema && !answer_keys(phase).is_empty(), key.as_str(), what)?;
        let what = format!("whose schema is for the answer of an author; the policy `{policy}` has none");
        refuse_if(has_schema && keys.policies[policy].triage, key.as_str(), format!("names `{id}`, {what}"))?;
        for (pattern, as_here) in &step.patterns {
            let is_other = patterns.insert(pattern, as_here).is_some_and(|other| other != as_here);
            let what = "two editions; name one in the pattern";
            refuse_if(
                is_other,
                key.as_str(),
                format!("and another step give the pattern `{pattern}` {what}"),
            )?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
