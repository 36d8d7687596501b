//! What the log of a run cannot say when no process works on the run: whether a call or the checks came to their end, whether a
//! commit was made, whether the branch was pushed, whether the pull request was published. Such a thing is neither done nor failed; says how it is settled, and settles nothing.

use serde::Serialize;

use crate::text::counted;
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
    /// The checks, with the commands of the repository.
    Checks {
        /// The phase of the checks.
        phase: PhaseName,
    },
    /// The commit that a ruling announced.
    Commit {
        /// The phase of the commit.
        phase: PhaseName,
    },
    /// The branch on the server after the commit of a phase, where the run pushes it.
    Push {
        /// The phase of the commit.
        phase: PhaseName,
    },
    /// The pull request, or its text.
    Publication,
    /// The newest state of the run.
    ContinuedElsewhere(ContinuedElsewhere),
}

/// What another machine did with a run, by the run's branch on origin.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ContinuedElsewhere {
    /// How the run stands there; nothing where the branch has no log any more that can be read.
    pub state: Option<StateElsewhere>,
    /// The number of facts that only the log here has.
    pub only_here: u64,
    /// The command that takes the run over, or removes it here where it is over.
    pub command: String,
}

/// How a run stands on another machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StateElsewhere {
    /// The outcome.
    pub outcome: RunOutcome,
    /// The phase under way, or the one that was begun last.
    pub phase: Option<PhaseName>,
    /// The number of facts that only the log there has.
    pub facts: u64,
}

impl ContinuedElsewhere {
    /// Says how the run stands there.
    pub fn there(&self) -> String {
        let Some(StateElsewhere { outcome, phase, facts }) = &self.state else {
            return "its branch on origin has no log that can be read, as after `finalize`".to_owned();
        };
        let outcome = outcome.as_str();
        let phase = phase.as_ref().map_or(String::new(), |phase| format!(" (last phase: {phase})"));
        format!("on origin it is {outcome}{phase}, with {} that are not here", counted(*facts, "fact"))
    }

    /// Says with which command a person goes on, and what is given up by it.
    pub fn way_on(&self) -> String {
        let command = &self.command;
        if self.state.is_none() {
            return format!("look at the branch on origin, and remove the run here with `{command}`");
        }
        let lost = match self.only_here {
            0 => String::new(),
            facts => format!(", which gives up {} that are only here", counted(facts, "fact")),
        };
        let kept = if command.contains("git stash") {
            "; what is not committed here and is in the way goes into a stash"
        } else {
            ""
        };
        format!("take it over with `{command}`{lost}{kept}")
    }
}

impl Unknown {
    /// Says in a sentence what is unknown and how it is settled.
    pub fn sentence(&self) -> String {
        match self {
            Self::Call { phase, step, attempt } => format!(
                "whether the {step} call of {phase} (attempt {attempt}) came to its end; `execute` compares the files and \
                 calls the agent again"
            ),
            Self::Checks { phase } => {
                format!("whether the checks of {phase} came to their end; `execute` runs them again")
            }
            Self::Push { phase } => {
                format!(
                    "whether the branch was pushed after the commit of {phase}; `execute` pushes it again"
                )
            }
            Self::Commit { phase } => {
                format!("whether the commit of {phase} was made; `execute` looks for it on the branch")
            }
            Self::Publication => {
                "whether the pull request was published; `execute` looks for it on the server".to_owned()
            }
            Self::ContinuedElsewhere(found) => format!(
                "whether the run is as the log here says, because another machine went on: {}; {}",
                found.there(),
                found.way_on()
            ),
        }
    }

    /// Returns the phase whose status it makes unknown.
    pub fn phase(&self) -> Option<&PhaseName> {
        match self {
            Self::Call { phase, .. } | Self::Checks { phase } | Self::Commit { phase } => Some(phase),
            Self::Push { .. } | Self::Publication | Self::ContinuedElsewhere(_) => None,
        }
    }
}

/// Returns what the log of a run that no process works on cannot say. Whether the run pushes its branch the log does not say, either:
/// the caller knows.
pub fn find_unknown(state: &State, entries: &[Entry]) -> Option<Unknown> {
    let run = state.run.as_ref().filter(|run| run.outcome == RunOutcome::Running)?;
    if decide(state) == Decision::Perform(Action::Publish) {
        return Some(Unknown::Publication);
    }
    if let Some(Fact::Committed { phase, .. }) = entries.last().map(|entry| &entry.fact) {
        return Some(Unknown::Push { phase: phase.clone() });
    }
    let phase = run.phases.iter().find(|phase| phase.status == Status::InProgress)?;
    match phase.position {
        StepPosition::Closing => Some(Unknown::Commit { phase: phase.name().clone() }),
        StepPosition::Working(_) => find_call(entries),
        StepPosition::Ready(Step::Check) if may_have_checked(entries) => {
            Some(Unknown::Checks { phase: phase.name().clone() })
        }
        StepPosition::Idle | StepPosition::Ready(_) | StepPosition::Deciding | StepPosition::Closed => None,
    }
}

/// Tells whether the process may have begun the checks: not where it recorded that it was stopped, or a person asked for them.
fn may_have_checked(entries: &[Entry]) -> bool {
    let mut latest = entries.iter().rev().map(|entry| &entry.fact);
    latest.find_map(|fact| match fact {
        Fact::Worked(_) | Fact::PhaseStarted { .. } | Fact::ChangedByHand { .. } => Some(true),
        Fact::Interrupted { .. } | Fact::Reopened(_) => Some(false),
        _ => None,
    }) == Some(true)
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
