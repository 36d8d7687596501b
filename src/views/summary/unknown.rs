//! What the log of a run cannot say when no process works on the run: whether a call came to its end, whether a commit was made,
//! whether the pull request was published. Such a thing is neither done nor failed; says how it is settled, and settles nothing.

use serde::Serialize;

use engine::{Action, Decision, State, Status, StepPosition, decide};
use model::event::{Entry, Fact, RunOutcome};
use model::phase::{PhaseName, Step};

/// Something whose end is not in the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum Unknown {
    /// An agent call that began.
    Call {
        /// The phase of the call.
        phase: PhaseName,
        /// The step of the call.
        step: Step,
        /// The number of the attempt in its round, from 1.
        attempt: u32,
    },
    /// The commit that a ruling announced.
    Commit {
        /// The phase of the commit.
        phase: PhaseName,
    },
    /// The pull request, or its text.
    Publication,
}

impl Unknown {
    /// Says in a sentence what is unknown and how it is settled.
    pub fn sentence(&self) -> String {
        match self {
            Self::Call { phase, step, attempt } => format!(
                "whether the {step} call of {phase} (attempt {attempt}) came to its end; `execute` compares the files and \
                 calls the agent again"
            ),
            Self::Commit { phase } => {
                format!("whether the commit of {phase} was made; `execute` looks for it on the branch")
            }
            Self::Publication => {
                "whether the pull request was published; `execute` looks for it on the server".to_owned()
            }
        }
    }

    /// Returns the phase it is about.
    pub fn phase(&self) -> Option<&PhaseName> {
        match self {
            Self::Call { phase, .. } | Self::Commit { phase } => Some(phase),
            Self::Publication => None,
        }
    }
}

/// Returns what the log of a run that no process works on cannot say.
pub fn find_unknown(state: &State, entries: &[Entry]) -> Option<Unknown> {
    let run = state.run.as_ref().filter(|run| run.outcome == RunOutcome::Running)?;
    if decide(state) == Decision::Perform(Action::Publish) {
        return Some(Unknown::Publication);
    }
    let phase = run.phases.iter().find(|phase| phase.status == Status::InProgress)?;
    match phase.position {
        StepPosition::Closing => Some(Unknown::Commit { phase: phase.name().clone() }),
        StepPosition::Working(_) => find_call(entries),
        StepPosition::Idle | StepPosition::Ready(_) | StepPosition::Deciding | StepPosition::Closed => None,
    }
}

/// Returns the latest call, unless the process recorded that it stopped it.
fn find_call(entries: &[Entry]) -> Option<Unknown> {
    let latest = entries.iter().rev().find_map(|entry| match &entry.fact {
        Fact::StepStarted(begun) => Some(Some(begun)),
        Fact::Worked(_) | Fact::Interrupted { .. } => Some(None),
        _ => None,
    });
    let begun = latest??;
    Some(Unknown::Call { phase: begun.phase.clone(), step: begun.step, attempt: begun.attempt })
}
