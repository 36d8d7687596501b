//! `explain`: which rule led to each ruling of a run, with the limits used; with `--compare` what differs between two runs:
//! programs, versions, models, prompts, limits. Judges nothing.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Value, json};

use super::Answer;
use super::announce::second_reviewers;
use super::arguments::Explain;
use super::show::show;
use app::failure::Failure;
use app::project::Project;
use app::run_location::{RunView, no_run, view};
use engine::{Exchange, PhaseState, Run};
use model::event::{Entry, Fact, Replied, Ruled};
use model::issue::IssueNumber;
use views::metadata::{AgentProgram, provenance};
use views::summary::{self, plain};

/// How many digits of a digest tell two prompts apart for people.
const SHORT: usize = 12;

/// What made a run what it is, by name.
type Traits = BTreeMap<String, String>;

/// Runs `explain`.
pub(super) fn run(arguments: &Explain) -> Answer {
    let issue = arguments.issue;
    let project = crate::project::open_without_settings()?;
    if let Some(other) = arguments.compare {
        return compare(&project, issue, other, arguments.json);
    }
    let found = view(&project, issue)?;
    let run = found.state.run.as_ref();
    let entries =
        found.entries.iter().filter_map(|entry| ruling_value(entry).or_else(|| question_value(entry, run?)));
    show(arguments.json, &Value::Array(entries.collect()), &text(&found));
    Ok(0)
}

/// Returns the rulings of a run with the limits used, and what was found.
pub(super) fn text(found: &RunView) -> String {
    let run = found.state.run.as_ref();
    let lines =
        found.entries.iter().filter_map(|entry| ruling_line(entry).or_else(|| question_line(entry, run?)));
    let lines = lines.collect::<String>();
    let head = found.state.run.as_ref().map_or(String::new(), |run| {
        let limits = run.phases.iter().map(|phase| {
            let (used, most) = phase.used_of_limit();
            format!("  {:<20} {} {used}/{most}\n", phase.name().as_str(), phase.def.policy_name)
        });
        format!(
            "#{}, run {}\n\nLimits used:\n{}\nRulings:\n",
            run.started.issue.number,
            run.started.run_id,
            limits.collect::<String>()
        )
    });
    let findings = found.state.run.as_ref().map_or(String::new(), findings);
    format!("{head}{lines}{findings}")
}

/// Lists everything that was found, phase by phase, with what became of it and the tasks made of it.
fn findings(run: &Run) -> String {
    let mut text = String::new();
    for phase in run.phases.iter().filter(|phase| !phase.ledger.all().is_empty()) {
        let _ = writeln!(text, "\nFindings of {}:", phase.name());
        for listed in phase.ledger.all() {
            let by: Vec<String> = listed.found_by.iter().map(ToString::to_string).collect();
            let line = summary::finding_line(listed);
            let _ = writeln!(text, "  {}, by {}", plain(&line), plain(&by.join(", ")));
        }
        for task in phase.tasks.all() {
            let findings: Vec<String> = task.findings.iter().map(ToString::to_string).collect();
            let (state, owns) =
                (engine::state_of(phase, task).as_str(), task.owns.as_deref().unwrap_or("no file"));
            let tries =
                if task.tries() == 1 { "1 try".to_owned() } else { format!("{} tries", task.tries()) };
            let _ = writeln!(
                text,
                "  {} {}: {state}, {tries}, for {}",
                task.id,
                plain(owns),
                findings.join(", ")
            );
        }
    }
    text
}

/// Returns what a reviewer asked the author, where the author's call ended.
fn exchange_of<'a>(entry: &'a Entry, run: &'a Run) -> Option<(&'a Replied, &'a Exchange)> {
    let Fact::Replied(replied) = &entry.fact else { return None };
    let phase = run.phase(&replied.phase)?;
    let recorded = phase.history.rounds.iter().filter_map(|round| round.exchange.as_ref());
    let mut all = recorded.chain(&phase.reviews.exchange);
    Some((replied, all.find(|exchange| exchange.reply.as_ref() == Some(replied))?))
}

fn question_line(entry: &Entry, run: &Run) -> Option<String> {
    let (replied, exchange) = exchange_of(entry, run)?;
    let line = plain(&summary::exchange_line(exchange));
    Some(format!("  {:>4}  {} round {}: {line}\n", entry.seq, replied.phase, replied.round))
}

/// The same for scripts, in the place of a ruling.
fn question_value(entry: &Entry, run: &Run) -> Option<Value> {
    let (replied, exchange) = exchange_of(entry, run)?;
    Some(json!({
        "seq": entry.seq, "at": entry.at.to_string(), "phase": replied.phase, "round": replied.round,
        "asked_by": exchange.first.reviewer, "seat": exchange.first.seat,
        "questions": exchange.questions(), "answer": exchange.answer(),
    }))
}

fn ruled(entry: &Entry) -> Option<&Ruled> {
    match &entry.fact {
        Fact::Ruled(ruled) => Some(ruled),
        _ => None,
    }
}

fn ruling_value(entry: &Entry) -> Option<Value> {
    let ruled = ruled(entry)?;
    Some(json!({
        "seq": entry.seq, "at": entry.at.to_string(), "phase": ruled.phase, "round": ruled.round,
        "judgment": ruled.judgment, "ruling": ruled.ruling.word(), "rule": ruled.rule, "standstill": ruled.standstill,
    }))
}

fn ruling_line(entry: &Entry) -> Option<String> {
    let ruled = ruled(entry)?;
    let judgment = serde_json::to_value(ruled.judgment).ok()?;
    let mut text = format!(
        "  {:>4}  {} round {}: {} because {} → {}\n",
        entry.seq,
        ruled.phase,
        ruled.round,
        judgment.as_str().unwrap_or_default(),
        ruled.rule,
        ruled.ruling.word()
    );
    if let Some(standstill) = &ruled.standstill {
        let _ = writeln!(text, "        standstill: {standstill}");
    }
    Some(text)
}

/// Prints what differs between the runs of two issues.
fn compare(project: &Project, issue: IssueNumber, other: IssueNumber, json: bool) -> Answer {
    let (one, two) = (traits_of(project, issue)?, traits_of(project, other)?);
    let rows: Vec<Value> = differences(&one, &two)
        .map(|(name, one, two)| json!({"what": name, "this": one, "other": two}))
        .collect();
    let lines = if rows.is_empty() {
        format!("nothing differs between the runs of #{issue} and #{other}\n")
    } else {
        let mut text = format!("#{issue} and #{other} differ in:\n");
        for (name, one, two) in differences(&one, &two) {
            let (name, one, two) = (plain(name), or_dash(one), or_dash(two));
            let _ = writeln!(text, "  {name}\n    #{issue}: {one}\n    #{other}: {two}");
        }
        text
    };
    show(json, &json!({"issue": issue, "other": other, "differences": rows}), &lines);
    Ok(0)
}

fn or_dash(value: Option<&String>) -> String {
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

fn traits_of(project: &Project, issue: IssueNumber) -> Result<Traits, Failure> {
    let found = view(project, issue)?;
    found.state.run.as_ref().map(traits).ok_or_else(|| no_run(issue))
}

fn traits(run: &Run) -> Traits {
    let (started, agreement) = (&run.started, &run.started.agreement);
    let mut traits = Traits::from([
        ("ai-workflow".to_owned(), started.version.clone()),
        ("language".to_owned(), started.language.clone()),
        ("base commit".to_owned(), started.base_commit.clone()),
        ("preset".to_owned(), agreement.preset.clone().unwrap_or_default()),
        ("difficulty".to_owned(), run.difficulty.map(|it| it.as_str().to_owned()).unwrap_or_default()),
        ("limits: times".to_owned(), json_text(&agreement.time)),
        ("limits: budget".to_owned(), json_text(&run.spending.budget)),
        ("limits: budget of call, phase, day".to_owned(), json_text(&run.spending.scopes)),
        ("commands".to_owned(), json_text(&agreement.commands)),
    ]);
    let lock = provenance(run);
    traits.extend(lock.agents.iter().map(|agent| (format!("program of {}", agent.agent), program(agent))));
    traits.extend(lock.prompts.into_iter().map(|(place, digest)| {
        (format!("prompt of {place}"), digest.get(..SHORT).unwrap_or(&digest).to_owned())
    }));
    traits.extend(run.phases.iter().flat_map(traits_of_phase));
    traits
}

fn traits_of_phase(phase: &PhaseState) -> [(String, String); 2] {
    let def = &phase.def;
    let policy = &def.policy;
    let agents = format!("{}, reviewed by {}", def.agents.join(", then "), def.reviewers.join(", then "));
    let agents = agents + &second_reviewers(def);
    let rule = format!("{}, at most {} revisions", def.policy_name, policy.limits.max_revisions);
    [(format!("{}: agents", def.name), agents), (format!("{}: policy", def.name), rule)]
}

fn program(agent: &AgentProgram) -> String {
    let parts = [&agent.name, &agent.version, &agent.model];
    parts.into_iter().flatten().cloned().collect::<Vec<_>>().join(" ")
}

fn json_text(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
