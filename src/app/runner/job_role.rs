//! Which part of a run a process may do. Where agents work beside text of strangers, no token that writes has to lie: one
//! process works and writes nothing to a server, another one publishes what came of it and asks no agent.

use super::{PhaseRunner, RunError};
use engine::{Action, Decision};
use model::event::{Fact, Outcome};

/// The part of a run that a process does.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum JobRole {
    #[default]
    Both,
    /// Everything up to what others see.
    Work,
    /// What others see, and nothing before it.
    Publish,
}

impl JobRole {
    /// Tells whether a decision is for another process.
    fn leaves(self, decision: &Decision) -> bool {
        let publishes = match decision {
            Decision::Perform(Action::Publish) => true,
            Decision::Record(fact) => matches!(**fact, Fact::Finished { .. }),
            Decision::Perform(_) => false,
            Decision::Halt(_) => return false,
        };
        match self {
            Self::Both => false,
            Self::Work => matches!(decision, Decision::Perform(Action::Publish)),
            Self::Publish => !publishes,
        }
    }
}

impl PhaseRunner {
    /// Returns how the run stands where this process has to leave it to another one.
    pub(super) fn handed_over(&self, decision: &Decision) -> Option<Outcome> {
        match (self.role, decision) {
            (JobRole::Work, Decision::Halt(outcome)) => Some(*outcome),
            (role, decision) => role.leaves(decision).then_some(Outcome::Running),
        }
    }

    /// Ends the turn of a process that leaves the rest to another one. Where only the publication is left, the branch
    /// holds all but the fact of its last commit, which whoever takes it over finds by itself.
    pub(super) async fn hand_over(&mut self, outcome: Outcome) -> Result<Outcome, RunError> {
        if self.role == JobRole::Work && outcome == Outcome::Running {
            return Ok(outcome);
        }
        self.show_what_there_is().await?;
        self.halted(outcome).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_works_publishes_nothing_and_who_publishes_begins_nothing() {
        let begin = Decision::Perform(Action::StartPhase("design".parse().expect("a name")));
        let publish = Decision::Perform(Action::Publish);
        let finished = Decision::Record(Box::new(Fact::Finished { outcome: Outcome::Completed }));
        let cancelled = Decision::Record(Box::new(Fact::Cancelled { by: "bob".into() }));
        for (decision, work, publication) in [
            (&begin, false, true),
            (&publish, true, false),
            (&finished, false, false),
            (&cancelled, false, true),
            (&Decision::Halt(Outcome::Paused), false, false),
        ] {
            assert!(!JobRole::Both.leaves(decision));
            assert_eq!(JobRole::Work.leaves(decision), work, "{decision:?}");
            assert_eq!(JobRole::Publish.leaves(decision), publication, "{decision:?}");
        }
    }
}
