//! `replay`: folds the log again from the first fact, checks every one, and shows them in their order.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::Answer;
use super::arguments::OneIssue;
use super::door::Door;
use super::failure::{Failure, Kind};
use super::find::look;
use super::show::show;
use crate::flow::{Decision, State, apply, decide};

pub(super) fn run(arguments: &OneIssue) -> Answer {
    let issue = arguments.issue;
    let door = Door::open_plain()?;
    let seen = look(&door, issue)?;
    let mut state = State::default();
    let (mut text, mut values) = (String::new(), Vec::new());
    for entry in &seen.entries {
        apply(&mut state, entry).map_err(|misfit| Failure::new(Kind::State, misfit))?;
        let fact = serde_json::to_value(&entry.fact).unwrap_or_default();
        let _ = writeln!(text, "{:>4}  {}  {}", entry.seq, entry.at, told(&fact));
        values.push(
            json!({"seq": entry.seq, "at": entry.at.to_string(), "fact": fact, "outcome": state.outcome()}),
        );
    }
    let _ = writeln!(
        text,
        "\n{} facts, chain {}\nnow: {}\nnext: {}",
        seen.entries.len(),
        seen.chain,
        state.outcome().as_str(),
        next(&state)
    );
    show(arguments.json, &json!({"facts": values, "chain": seen.chain, "next": next(&state)}), &text);
    Ok(0)
}

fn told(fact: &Value) -> String {
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
fn next(state: &State) -> String {
    match decide(state) {
        Decision::Halt(outcome) => format!("halt ({})", outcome.as_str()),
        Decision::Record(fact) => format!("record {}", told(&serde_json::to_value(fact).unwrap_or_default())),
        Decision::Perform(action) => action.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fact_is_told_by_its_words() {
        let fact = json!({"type": "ruled", "phase": "planning", "round": 2, "ruling": {"do": "revise"}});
        assert_eq!(told(&fact), "ruled planning round 2 revise");
    }
}
