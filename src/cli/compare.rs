//! `explain --compare`: what differs between two runs: programs, versions, models, prompts, limits. Judges nothing.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Value, json};

use super::Answer;
use super::door::Door;
use super::failure::Failure;
use super::find::{look, no_run};
use super::seconds;
use super::show::show;
use engine::{PhaseState, Run};
use model::issue::IssueNumber;
use views::metadata::{LockedAgent, lock};
use views::summary::plain;

/// How much of a digest tells two prompts apart for people.
const SHORT: usize = 12;

/// What made a run what it is, by name.
type Traits = BTreeMap<String, String>;

/// Prints what differs between the runs of two issues.
pub(super) fn run(door: &Door, issue: IssueNumber, other: IssueNumber, json: bool) -> Answer {
    let (one, two) = (traits_of(door, issue)?, traits_of(door, other)?);
    let rows: Vec<Value> = differences(&one, &two)
        .map(|(name, one, two)| json!({"what": name, "this": one, "other": two}))
        .collect();
    let lines = if rows.is_empty() {
        format!("nothing differs between the runs of #{issue} and #{other}\n")
    } else {
        differences(&one, &two).fold(
            format!("#{issue} and #{other} differ in:\n"),
            |mut text, (name, one, two)| {
                let _ = writeln!(
                    text,
                    "  {}\n    #{issue}: {}\n    #{other}: {}",
                    plain(name),
                    shown(one),
                    shown(two)
                );
                text
            },
        )
    };
    show(json, &json!({"issue": issue, "other": other, "differences": rows}), &lines);
    Ok(0)
}

fn shown(value: Option<&String>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| plain(value))
}

fn differences<'a>(
    one: &'a Traits,
    two: &'a Traits,
) -> impl Iterator<Item = (&'a String, Option<&'a String>, Option<&'a String>)> {
    let only_other = two.keys().filter(|name| !one.contains_key(*name));
    let mut names: Vec<&String> = one.keys().chain(only_other).collect();
    names.sort();
    names.into_iter().map(|name| (name, one.get(name), two.get(name))).filter(|(_, one, two)| one != two)
}

fn traits_of(door: &Door, issue: IssueNumber) -> Result<Traits, Failure> {
    let seen = look(door, issue)?;
    seen.state.run.as_ref().map(traits).ok_or_else(|| no_run(issue))
}

fn traits(run: &Run) -> Traits {
    let (started, agreement) = (&run.started, &run.started.agreement);
    let mut traits = Traits::from([
        ("ai-workflow".to_owned(), started.version.clone()),
        ("language".to_owned(), started.language.clone()),
        ("base commit".to_owned(), started.base_commit.clone()),
        ("preset".to_owned(), agreement.preset.clone().unwrap_or_default()),
        ("difficulty".to_owned(), run.difficulty.map(|it| it.as_str().to_owned()).unwrap_or_default()),
        ("limits: times".to_owned(), words(&agreement.time)),
        ("limits: budget".to_owned(), words(&run.spending.budget)),
        ("limits: budget of call, phase, day".to_owned(), words(&run.spending.scopes)),
        ("commands".to_owned(), words(&agreement.commands)),
    ]);
    let lock = lock(run);
    traits.extend(lock.agents.iter().map(|agent| (format!("program of {}", agent.agent), program(agent))));
    traits.extend(lock.prompts.into_iter().map(|(place, digest)| {
        (format!("prompt of {place}"), digest.get(..SHORT).unwrap_or(&digest).to_owned())
    }));
    traits.extend(run.phases.iter().flat_map(of_phase));
    traits
}

fn of_phase(phase: &PhaseState) -> [(String, String); 2] {
    let def = &phase.def;
    let policy = &def.policy;
    let agents = format!("{}, reviewed by {}", def.agents.join(", then "), def.reviewers.join(", then "));
    let agents = agents + &seconds::told(def);
    let rule = format!("{}, at most {} revisions", def.policy_name, policy.limits.max_revisions);
    [(format!("{}: agents", def.name), agents), (format!("{}: policy", def.name), rule)]
}

fn program(agent: &LockedAgent) -> String {
    let parts = [&agent.name, &agent.version, &agent.model];
    parts.into_iter().flatten().cloned().collect::<Vec<_>>().join(" ")
}

fn words(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
