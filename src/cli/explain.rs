//! `explain`: which rule led to each ruling, with the limits used.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::Answer;
use super::arguments::Explain;
use super::compare;
use super::door::Door;
use super::find::look;
use super::show::show;
use crate::event::{Entry, Fact, Ruled};

pub(super) fn run(arguments: &Explain) -> Answer {
    let issue = arguments.issue;
    let door = Door::open_plain()?;
    if let Some(other) = arguments.compare {
        return compare::run(&door, issue, other, arguments.json);
    }
    let seen = look(&door, issue)?;
    let rulings: Vec<Value> = seen.entries.iter().filter_map(ruling).collect();
    let lines = seen.entries.iter().filter_map(line).collect::<String>();
    let begun = seen.state.run.as_ref().map_or(String::new(), |run| {
        let limits = run.phases.iter().map(|phase| {
            let (used, most) = phase.used_of_limit();
            format!("  {:<20} {} {used}/{most}\n", phase.name().as_str(), phase.def.policy_name)
        });
        format!(
            "#{issue}, run {}\n\nLimits used:\n{}\nRulings:\n",
            run.started.run_id,
            limits.collect::<String>()
        )
    });
    show(arguments.json, &Value::Array(rulings), &format!("{begun}{lines}"));
    Ok(0)
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
