//! What ends the turn of a process at the border between two phases: a person who wants the run to wait, or the time that
//! a job has. Work that was begun is never cut off here.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::{PhaseRunner, RunError};
use engine::{job_limit_pause, pause_on_request};
use model::event::{Escalation, Fact};
use model::phase::PhaseName;

/// What a person wants of a run that is under way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wish {
    /// Wait before the next phase.
    Wait { by: String },
    /// End for good, at once; whoever wishes it also stops the work.
    End { by: String },
}

/// Where wishes are left while the run works.
#[derive(Debug, Clone, Default)]
pub struct Wishes(Arc<Mutex<Option<Wish>>>);

impl Wishes {
    /// Leaves a wish. The end counts more than a pause.
    pub fn leave(&self, wish: Wish) {
        let mut left = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !matches!(*left, Some(Wish::End { .. })) {
            *left = Some(wish);
        }
    }

    fn left(&self) -> Option<Wish> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Ends the turn of a process between two phases.
#[derive(Debug, Clone, Default)]
pub struct Border {
    pub wishes: Wishes,
    /// When the job's time for beginning phases is over, and how many minutes it had.
    pub until: Option<(Instant, u64)>,
    /// Something was worked on in this turn; otherwise a short time would lead nowhere, job after job.
    pub(super) worked: bool,
}

impl Border {
    /// Makes the border of a job that has so many minutes.
    pub fn after(minutes: Option<u64>, wishes: Wishes) -> Self {
        let until = minutes.and_then(|minutes| {
            let time = Duration::from_secs(minutes.saturating_mul(60));
            Some((Instant::now().checked_add(time)?, minutes))
        });
        Self { wishes, until, worked: false }
    }

    /// Returns why the run waits before a phase.
    fn stops_before(&self, phase: &PhaseName) -> Option<Escalation> {
        if let Some(Wish::Wait { by }) = self.wishes.left() {
            return Some(pause_on_request(Some(phase), &by));
        }
        let (_, minutes) = self.until.filter(|(until, _)| self.worked && Instant::now() >= *until)?;
        Some(job_limit_pause(phase, minutes))
    }
}

impl PhaseRunner {
    /// Lets the run wait before a phase, if that is wanted; tells whether it does.
    pub(super) fn waits_before(&mut self, phase: &PhaseName) -> Result<bool, RunError> {
        let Some(escalation) = self.border.stops_before(phase) else { return Ok(false) };
        self.journal.record(Fact::Paused { escalation })?;
        Ok(true)
    }

    /// Ends the run for good, if that is why it was stopped; tells whether it is.
    pub(super) fn ends_for_good(&mut self) -> Result<bool, RunError> {
        let Some(Wish::End { by }) = self.border.wishes.left() else { return Ok(false) };
        self.journal.record(Fact::Cancelled { by })?;
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::event::PauseReason;

    fn stops(border: &Border) -> Option<PauseReason> {
        let phase = "design".parse().expect("a name");
        border.stops_before(&phase).map(|escalation| escalation.reason)
    }

    #[test]
    fn a_job_whose_time_is_over_begins_no_phase_but_does_something_first() {
        let border = Border::after(Some(0), Wishes::default());
        assert_eq!(stops(&border), None);
        assert_eq!(stops(&Border { worked: true, ..border }), Some(PauseReason::JobLimit));
        assert_eq!(stops(&Border { worked: true, ..Border::after(Some(5), Wishes::default()) }), None);
        assert_eq!(stops(&Border { worked: true, ..Border::after(Some(u64::MAX), Wishes::default()) }), None);
    }

    #[test]
    fn a_wish_to_wait_counts_at_once_and_a_wish_to_end_is_not_taken_back() {
        let border = Border::default();
        border.wishes.leave(Wish::Wait { by: "alice".into() });
        assert_eq!(stops(&border), Some(PauseReason::OnRequest));
        border.wishes.leave(Wish::End { by: "bob".into() });
        border.wishes.leave(Wish::Wait { by: "alice".into() });
        assert_eq!(border.wishes.left(), Some(Wish::End { by: "bob".into() }));
    }
}
