//! `replay`: folds the log again from the first fact, checks every one, and shows them in their order,
//! or what they are as review loops.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::CommandResult;
use super::arguments::{ReplayArgs, ReplayFormat};
use super::output::{document, show};
use app::failure::{Failure, FailureKind};
use app::project::Project;
use app::run_location::{RunView, view};
use engine::{Decision, PhaseState, State, apply, decide};
use journal::store::folders::{CallFolder, RunFolder};
use journal::store::sha256_hex;
use model::event::StepStarted;
use model::phase::PhaseName;
use model::policy::PhaseDef;
use views::summary::review_loop::review_loop;

pub(super) fn run(arguments: &ReplayArgs) -> CommandResult {
    let project = Project::open_without_settings()?;
    let found = view(&project, arguments.issue)?;
    match (arguments.format, &arguments.phase) {
        (ReplayFormat::ReviewLoop, phase) => review_loops(arguments, &found, phase.as_deref()),
        (ReplayFormat::Facts, None) => facts(arguments, &found),
        (ReplayFormat::Facts, Some(_)) => Err(Failure::usage("--phase is for review loops")
            .hint("add `--format review-loop`, or leave `--phase` out")),
    }
}

fn review_loops(arguments: &ReplayArgs, found: &RunView, phase: Option<&str>) -> CommandResult {
    let only = phase.map(|name| known(found, name)).transpose()?;
    let folder = found.root.as_ref().map(|root| RunFolder::new(root, arguments.issue));
    let text = |def: &PhaseDef, started: &StepStarted| prompt(folder.as_ref()?, def, started);
    let events = review_loop(&found.entries, only.as_ref(), &text);
    let lines = events.iter().map(|event| format!("{}\n", json!(event)));
    document(&lines.collect::<String>());
    Ok(0)
}

fn known(found: &RunView, name: &str) -> Result<PhaseName, Failure> {
    let phases = || found.run().phases.iter().map(PhaseState::name);
    phases().find(|known| known.as_str() == name).cloned().ok_or_else(|| {
        let names = phases().map(PhaseName::as_str).collect::<Vec<_>>().join(", ");
        Failure::usage(format!("this run has no phase `{name}`")).hint(format!("its phases are {names}"))
    })
}

/// Returns a prompt that is still on this machine; a file that is not what was sent is none.
fn prompt(folder: &RunFolder, def: &PhaseDef, started: &StepStarted) -> Option<String> {
    let StepStarted { step, round, attempt, .. } = *started;
    let text = folder.read_prompt(CallFolder { phase: def, step, round, attempt })?;
    (sha256_hex(&[text.as_bytes()]) == started.prompt).then_some(text)
}

fn facts(arguments: &ReplayArgs, found: &RunView) -> CommandResult {
    let mut state = State::default();
    let (mut text, mut values) = (String::new(), Vec::new());
    for entry in &found.entries {
        apply(&mut state, entry).map_err(|error| Failure::new(FailureKind::State, error))?;
        let fact = serde_json::to_value(&entry.fact).unwrap_or_default();
        let _ = writeln!(text, "{:>4}  {}  {}", entry.seq, entry.at, fact_words(&fact));
        values.push(
            json!({"seq": entry.seq, "at": entry.at.to_string(), "fact": fact, "outcome": state.outcome()}),
        );
    }
    let _ = writeln!(
        text,
        "\n{} facts, chain {}\nnow: {}\nnext: {}",
        found.entries.len(),
        found.chain,
        state.outcome().as_str(),
        next(&state)
    );
    show(arguments.json, &json!({"facts": values, "chain": found.chain, "next": next(&state)}), &text)
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
fn next(state: &State) -> String {
    match decide(state) {
        Decision::Halt(outcome) => format!("halt ({})", outcome.as_str()),
        Decision::Record(fact) => {
            format!("record {}", fact_words(&serde_json::to_value(fact).unwrap_or_default()))
        }
        Decision::Perform(action) => action.to_string(),
    }
}

#[cfg(test)]
mod tests;
