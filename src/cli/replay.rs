//! `replay`: shows the facts of a log in their order, folded again and checked, or what they are as review loops.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::CommandResult;
use super::arguments::{ReplayArgs, ReplayFormat};
use super::output::{document, show};
use app::failure::Failure;
use app::project::Project;
use app::replay::{Replay, replay, review_loops};
use app::run_location::{RunView, view};
use engine::Decision;

pub(super) fn run(arguments: &ReplayArgs) -> CommandResult {
    let project = Project::open_without_settings()?;
    let view = view(&project, arguments.issue)?;
    match (arguments.format, &arguments.phase) {
        (ReplayFormat::ReviewLoop, _) => show_review_loops(arguments, &view),
        (ReplayFormat::Facts, None) => show_facts(arguments, view),
        (ReplayFormat::Facts, Some(_)) => Err(Failure::usage("--phase is for review loops")
            .hint("add `--format review-loop`, or leave `--phase` out")),
    }
}

fn show_review_loops(arguments: &ReplayArgs, view: &RunView) -> CommandResult {
    let events = review_loops(view, arguments.issue, arguments.phase.as_deref())?;
    let lines = events.iter().map(|event| format!("{}\n", json!(event)));
    document(&lines.collect::<String>());
    Ok(0)
}

fn show_facts(arguments: &ReplayArgs, view: RunView) -> CommandResult {
    let Replay { facts, chain, outcome, next } = replay(view)?;
    let (mut text, mut values) = (String::new(), Vec::new());
    for (entry, outcome) in &facts {
        let fact = serde_json::to_value(&entry.fact).unwrap_or_default();
        let _ = writeln!(text, "{:>4}  {}  {}", entry.seq, entry.at, fact_words(&fact));
        values.push(json!({"seq": entry.seq, "at": entry.at.to_string(), "fact": fact, "outcome": outcome}));
    }
    let (count, outcome, next) = (facts.len(), outcome.as_str(), decision_words(&next));
    let _ = writeln!(text, "\n{count} facts, chain {chain}\nnow: {outcome}\nnext: {next}");
    show(arguments.json, &json!({"facts": values, "chain": chain, "next": next}), &text)
}

fn fact_words(fact: &Value) -> String {
    let word = |key: &str| fact.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let round = fact.get("round").map_or(String::new(), |round| format!("round {round}"));
    let ruling = fact.pointer("/ruling/do").and_then(Value::as_str).unwrap_or_default();
    [word("type"), word("phase"), word("step"), round, ruling.to_owned(), word("because"), word("outcome")]
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

/// Says what the engine would do now.
fn decision_words(decision: &Decision) -> String {
    match decision {
        Decision::Halt(outcome) => format!("halt ({})", outcome.as_str()),
        Decision::Record(fact) => {
            format!("record {}", fact_words(&serde_json::to_value(fact).unwrap_or_default()))
        }
        Decision::Perform(action) => action.to_string(),
    }
}

#[cfg(test)]
mod tests;
