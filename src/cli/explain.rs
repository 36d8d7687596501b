//! `explain`: which rule led to each ruling, with the limits used.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::Answer;
use super::arguments::Explain;
use super::compare;
use super::find::{Seen, look};
use super::show::show;
use engine::{Exchange, Run};
use model::event::{Entry, Fact, Replied, Ruled};
use views::summary::{self, plain};

pub(super) fn run(arguments: &Explain) -> Answer {
    let issue = arguments.issue;
    let door = crate::project::open_without_settings()?;
    if let Some(other) = arguments.compare {
        return compare::run(&door, issue, other, arguments.json);
    }
    let seen = look(&door, issue)?;
    let run = seen.state.run.as_ref();
    let entries = seen.entries.iter().filter_map(|entry| ruling(entry).or_else(|| questions(entry, run?)));
    show(arguments.json, &Value::Array(entries.collect()), &told(&seen));
    Ok(0)
}

/// Tells the rulings of a run with the limits used.
pub(super) fn told(seen: &Seen) -> String {
    let run = seen.state.run.as_ref();
    let lines = seen.entries.iter().filter_map(|entry| line(entry).or_else(|| asked(entry, run?)));
    let lines = lines.collect::<String>();
    let begun = seen.state.run.as_ref().map_or(String::new(), |run| {
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
    let findings = seen.state.run.as_ref().map_or(String::new(), findings);
    format!("{begun}{lines}{findings}")
}

/// Lists everything that was found, phase by phase, with what became of it and the tasks made of it.
fn findings(run: &Run) -> String {
    let mut text = String::new();
    for phase in run.phases.iter().filter(|phase| !phase.ledger.all().is_empty()) {
        let _ = writeln!(text, "\nFindings of {}:", phase.name());
        for listed in phase.ledger.all() {
            let by: Vec<String> = listed.found_by.iter().map(ToString::to_string).collect();
            let told = summary::finding_line(listed);
            let _ = writeln!(text, "  {}, by {}", plain(&told), plain(&by.join(", ")));
        }
        for task in phase.tasks.all() {
            let findings: Vec<String> = task.findings.iter().map(ToString::to_string).collect();
            let (state, owns) = (phase.state_of(task).as_str(), task.owns.as_deref().unwrap_or("no file"));
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
fn exchanged<'a>(entry: &'a Entry, run: &'a Run) -> Option<(&'a Replied, &'a Exchange)> {
    let Fact::Replied(replied) = &entry.fact else { return None };
    let phase = run.phase(&replied.phase)?;
    let recorded = phase.history.rounds.iter().filter_map(|round| round.exchange.as_ref());
    let mut all = recorded.chain(&phase.reviews.exchange);
    Some((replied, all.find(|exchange| exchange.reply.as_ref() == Some(replied))?))
}

fn asked(entry: &Entry, run: &Run) -> Option<String> {
    let (replied, exchange) = exchanged(entry, run)?;
    let (told, round) = (summary::exchange_line(exchange), replied.round);
    Some(format!("  {:>4}  {} round {round}: {}\n", entry.seq, replied.phase, plain(&told)))
}

/// The same for scripts, in the place of a ruling.
fn questions(entry: &Entry, run: &Run) -> Option<Value> {
    let (replied, exchange) = exchanged(entry, run)?;
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

fn ruling(entry: &Entry) -> Option<Value> {
    let ruled = ruled(entry)?;
    Some(json!({
        "seq": entry.seq, "at": entry.at.to_string(), "phase": ruled.phase, "round": ruled.round,
        "judgment": ruled.judgment, "ruling": ruled.ruling.word(), "rule": ruled.rule, "standstill": ruled.standstill,
    }))
}

fn line(entry: &Entry) -> Option<String> {
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
