//! What one process may do of a run, and what ends its turn between two phases: its role, when it pushes, a request of a
//! person, the time that its job has. Work that was begun is never cut off here.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use engine::{Action, Decision, job_limit_pause, pause_on_request};
use model::event::{Escalation, Fact, Outcome};
use model::phase::PhaseName;

/// What one process does of a run. Where agents work beside text of strangers no token that writes may lie, so of two jobs
/// one works and writes nothing to a server, and the other one publishes what came of it and asks no agent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum JobRole {
    #[default]
    /// Works and publishes.
    Both,
    /// Works, and leaves to another process what others see.
    Work,
    /// Publishes what another process worked on, and asks no agent.
    Publish,
}

impl JobRole {
    /// Tells whether a decision is for another process.
    pub(super) fn leaves(self, decision: &Decision) -> bool {
        match (self, decision) {
            (Self::Both, _) | (_, Decision::Halt(_)) => false,
            (Self::Work, decision) => matches!(decision, Decision::Perform(Action::Publish)),
            (Self::Publish, Decision::Perform(action)) => !matches!(action, Action::Publish),
            (Self::Publish, Decision::Record(fact)) => !matches!(**fact, Fact::Finished { .. }),
        }
    }

    /// Returns how the run stands where this process has to leave it to another one.
    pub(super) fn hands_over(self, decision: &Decision) -> Option<Outcome> {
        match (self, decision) {
            (Self::Work, Decision::Halt(outcome)) => Some(*outcome),
            (role, decision) if role.leaves(decision) => Some(Outcome::Running),
            _ => None,
        }
    }
}

/// When the branch is pushed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Push {
    /// Not at all.
    #[default]
    Never,
    /// When the run halts.
    Halt,
    /// After each phase, too.
    Phase,
}

/// What a person asks of a run that is under way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SteeringRequest {
    /// Wait before the next phase.
    Pause {
        /// Who asks.
        by: String,
    },
    /// End for good, at once; whoever submits it also stops the work.
    Cancel {
        /// Who asks.
        by: String,
    },
}

/// The request that waits for the run to see it. All clones share it.
#[derive(Debug, Clone, Default)]
pub struct PendingRequest(Arc<Mutex<Option<SteeringRequest>>>);

impl PendingRequest {
    /// Submits a request, which takes the place of an earlier one. A pause never takes the place of a cancellation.
    pub fn submit(&self, request: SteeringRequest) {
        let mut pending = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !matches!(*pending, Some(SteeringRequest::Cancel { .. })) {
            *pending = Some(request);
        }
    }

    /// Returns the request that counts now.
    pub(super) fn latest(&self) -> Option<SteeringRequest> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Ends the turn of a process between two phases.
#[derive(Debug, Clone, Default)]
pub struct PauseConditions {
    /// What a person asked meanwhile.
    pub request: PendingRequest,
    /// When the job's time for beginning phases is over, and how many minutes it had.
    pub until: Option<(Instant, u64)>,
    /// Something was worked on in this turn; otherwise a short time would lead nowhere, job after job.
    pub(super) has_worked: bool,
}

impl PauseConditions {
    /// Returns the conditions of a job that has so many minutes.
    pub fn after(minutes: Option<u64>, request: PendingRequest) -> Self {
        let until = minutes.and_then(|minutes| {
            let time = Duration::from_secs(minutes.saturating_mul(60));
            Some((Instant::now().checked_add(time)?, minutes))
        });
        Self { request, until, has_worked: false }
    }

    /// Returns why the run waits before a phase.
    pub(super) fn pause_before(&self, phase: &PhaseName) -> Option<Escalation> {
        if let Some(SteeringRequest::Pause { by }) = self.request.latest() {
            return Some(pause_on_request(Some(phase), &by));
        }
        let (_, minutes) = self.until.filter(|(until, _)| self.has_worked && Instant::now() >= *until)?;
        Some(job_limit_pause(phase, minutes))
    }
}
