//! What ends the turn of a process between two phases: a person who asks the run to wait, or the time that a job has. Work
//! that was begun is never cut off here.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::{PhaseRunner, RunError};
use engine::{job_limit_pause, pause_on_request};
use model::event::{Escalation, Fact};
use model::phase::PhaseName;

/// What a person asks of a run that is under way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SteeringRequest {
    /// Wait before the next phase.
    Pause { by: String },
    /// End for good, at once; whoever submits it also stops the work.
    Cancel { by: String },
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

    fn latest(&self) -> Option<SteeringRequest> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Ends the turn of a process between two phases.
#[derive(Debug, Clone, Default)]
pub struct PauseConditions {
    pub request: PendingRequest,
    /// When the job's time for beginning phases is over, and how many minutes it had.
    pub until: Option<(Instant, u64)>,
    /// Something was worked on in this turn; otherwise a short time would lead nowhere, job after job.
    pub(super) worked: bool,
}

impl PauseConditions {
    /// Returns the conditions of a job that has so many minutes.
    pub fn after(minutes: Option<u64>, request: PendingRequest) -> Self {
        let until = minutes.and_then(|minutes| {
            let time = Duration::from_secs(minutes.saturating_mul(60));
            Some((Instant::now().checked_add(time)?, minutes))
        });
        Self { request, until, worked: false }
    }

    /// Returns why the run waits before a phase.
    fn stops_before(&self, phase: &PhaseName) -> Option<Escalation> {
        if let Some(SteeringRequest::Pause { by }) = self.request.latest() {
            return Some(pause_on_request(Some(phase), &by));
        }
        let (_, minutes) = self.until.filter(|(until, _)| self.worked && Instant::now() >= *until)?;
        Some(job_limit_pause(phase, minutes))
    }
}

impl PhaseRunner {
    /// Lets the run wait before a phase, if that is wanted; tells whether it does.
    pub(super) fn waits_before(&mut self, phase: &PhaseName) -> Result<bool, RunError> {
        let Some(escalation) = self.pauses.stops_before(phase) else { return Ok(false) };
        self.journal.record(Fact::Paused { escalation })?;
        Ok(true)
    }

    /// Ends the run for good, if that is why it was stopped; tells whether it is.
    pub(super) fn ends_for_good(&mut self) -> Result<bool, RunError> {
        let Some(SteeringRequest::Cancel { by }) = self.pauses.request.latest() else { return Ok(false) };
        self.journal.record(Fact::Cancelled { by })?;
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::event::PauseReason;

    fn stops(pauses: &PauseConditions) -> Option<PauseReason> {
        let phase = "design".parse().expect("a name");
        pauses.stops_before(&phase).map(|escalation| escalation.reason)
    }

    #[test]
    fn a_job_whose_time_is_over_begins_no_phase_but_does_something_first() {
        let pauses = PauseConditions::after(Some(0), PendingRequest::default());
        assert_eq!(stops(&pauses), None);
        assert_eq!(stops(&PauseConditions { worked: true, ..pauses }), Some(PauseReason::JobLimit));
        assert_eq!(
            stops(&PauseConditions {
                worked: true,
                ..PauseConditions::after(Some(5), PendingRequest::default())
            }),
            None
        );
        assert_eq!(
            stops(&PauseConditions {
                worked: true,
                ..PauseConditions::after(Some(u64::MAX), PendingRequest::default())
            }),
            None
        );
    }

    #[test]
    fn a_wish_to_wait_counts_at_once_and_a_wish_to_end_is_not_taken_back() {
        let pauses = PauseConditions::default();
        pauses.request.submit(SteeringRequest::Pause { by: "alice".into() });
        assert_eq!(stops(&pauses), Some(PauseReason::OnRequest));
        pauses.request.submit(SteeringRequest::Cancel { by: "bob".into() });
        pauses.request.submit(SteeringRequest::Pause { by: "alice".into() });
        assert_eq!(pauses.request.latest(), Some(SteeringRequest::Cancel { by: "bob".into() }));
    }
}
