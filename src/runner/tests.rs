//! Tests of which part of a run a process does, and of the conditions that pause a run.

use crate::phase_runner::{PauseConditions, PendingRequest, SteeringRequest};
use crate::publisher::JobRole;
use engine::{Action, Decision};
use model::event::{Fact, PauseReason, RunOutcome};

#[test]
fn work_job_does_not_publish_and_publish_job_starts_no_phase() {
    let begin = Decision::Perform(Action::StartPhase("design".parse().expect("a name")));
    let publish = Decision::Perform(Action::Publish);
    let finished = Decision::Record(Box::new(Fact::Finished { outcome: RunOutcome::Completed }));
    let cancelled = Decision::Record(Box::new(Fact::Cancelled { by: "bob".into() }));
    for (decision, work, publication) in [
        (&begin, false, true),
        (&publish, true, false),
        (&finished, false, false),
        (&cancelled, false, true),
        (&Decision::Halt(RunOutcome::Paused), false, false),
    ] {
        assert!(!JobRole::Both.is_left_to_other_job(decision));
        assert_eq!(JobRole::Work.is_left_to_other_job(decision), work, "{decision:?}");
        assert_eq!(JobRole::Publish.is_left_to_other_job(decision), publication, "{decision:?}");
    }
}

fn pause_reason(pauses: &PauseConditions) -> Option<PauseReason> {
    let phase = "design".parse().expect("a name");
    pauses.pause_before(&phase).map(|escalation| escalation.reason)
}

#[test]
fn job_past_its_time_limit_starts_no_phase_after_its_first_work() {
    let pauses = PauseConditions::after(Some(0), PendingRequest::default());
    assert_eq!(pause_reason(&pauses), None);
    assert_eq!(pause_reason(&PauseConditions { has_worked: true, ..pauses }), Some(PauseReason::JobLimit));
    assert_eq!(
        pause_reason(&PauseConditions {
            has_worked: true,
            ..PauseConditions::after(Some(5), PendingRequest::default())
        }),
        None
    );
    assert_eq!(
        pause_reason(&PauseConditions {
            has_worked: true,
            ..PauseConditions::after(Some(u64::MAX), PendingRequest::default())
        }),
        None
    );
}

#[test]
fn pause_request_stops_at_once_and_does_not_replace_a_cancel_request() {
    let pauses = PauseConditions::default();
    pauses.request.submit(SteeringRequest::Pause { by: "alice".into() });
    assert_eq!(pause_reason(&pauses), Some(PauseReason::OnRequest));
    pauses.request.submit(SteeringRequest::Cancel { by: "bob".into() });
    pauses.request.submit(SteeringRequest::Pause { by: "alice".into() });
    assert_eq!(pauses.request.latest_request(), Some(SteeringRequest::Cancel { by: "bob".into() }));
}
