//! Replays the log of a run: folds it again from the first fact, checks each fact, and says what the engine would do now; or
//! reads it as review loops. Writes nothing.

use crate::failure::{Failure, Result};
use crate::run_location::RunView;
use engine::{Decision, PhaseState, State, apply, decide};
use journal::store::folders::{CallFolder, RunFolder};
use model::event::{Entry, RunOutcome, StepStarted};
use model::issue::IssueNumber;
use model::phase::PhaseName;
use model::policy::PhaseDef;
use model::text::sha256_hex;
use views::summary::review_loop::{ReviewLoopEvent, review_loop};

/// A log that was folded again.
pub struct Replay {
    /// The facts in their order, each with the outcome of the run after it.
    pub facts: Vec<(Entry, RunOutcome)>,
    /// The hash of the last fact.
    pub chain: String,
    /// The outcome of the run now.
    pub outcome: RunOutcome,
    /// What the engine would do now.
    pub next: Decision,
}

/// Folds the log of a run again.
pub fn replay(view: RunView) -> Result<Replay> {
    let mut state = State::default();
    let mut facts = Vec::new();
    for entry in view.entries {
        apply(&mut state, &entry).map_err(Failure::state)?;
        facts.push((entry, state.outcome()));
    }
    Ok(Replay { facts, chain: view.chain, outcome: state.outcome(), next: decide(&state) })
}

/// Returns the review loops of a run, or those of one phase.
pub fn review_loops(view: &RunView, issue: IssueNumber, phase: Option<&str>) -> Result<Vec<ReviewLoopEvent>> {
    let only = phase.map(|name| find_phase(view, name)).transpose()?;
    let folder = view.root.as_ref().map(|root| RunFolder::new(root, issue));
    let text = |def: &PhaseDef, started: &StepStarted| read_prompt(folder.as_ref()?, def, started);
    Ok(review_loop(&view.entries, only.as_ref(), &text))
}

fn find_phase(view: &RunView, name: &str) -> Result<PhaseName> {
    let phases = || view.run().phases.iter().map(PhaseState::name);
    phases().find(|known| known.as_str() == name).cloned().ok_or_else(|| {
        let names = phases().map(PhaseName::as_str).collect::<Vec<_>>().join(", ");
        Failure::usage(format!("this run has no phase `{name}`")).hint(format!("its phases are {names}"))
    })
}

/// Returns a prompt that is still on this machine; a file that is not what was sent is none.
fn read_prompt(folder: &RunFolder, def: &PhaseDef, started: &StepStarted) -> Option<String> {
    let StepStarted { step, round, attempt, .. } = *started;
    let text = folder.read_prompt(CallFolder { phase: def, step, round, attempt })?;
    (sha256_hex(&[text.as_bytes()]) == started.prompt).then_some(text)
}
