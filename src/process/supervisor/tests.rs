//! Tests of `supervisor`.

use super::*;

#[test]
fn last_report_is_the_exit_unless_the_reaper_was_signalled() {
    let started = ReaperReport::Started(7);
    assert_eq!(read_reports(&[started.clone(), ReaperReport::Code(3)]), Some(ProgramExit::Code(3)));
    assert_eq!(read_reports(&[started.clone(), ReaperReport::Signal(9)]), Some(ProgramExit::Signal(9)));
    assert_eq!(read_reports(&[ReaperReport::Failed("x".into())]), Some(ProgramExit::NotStarted("x".into())));
    let outside = [started.clone(), ReaperReport::ReaperSignalled(15), ReaperReport::Code(0)];
    assert_eq!(read_reports(&outside), Some(ProgramExit::Signal(15)));
    assert_eq!(read_reports(&[started]), None);
    assert_eq!(read_reports(&[]), None);
}

fn deadlines(wall: u64, idle: Option<u64>) -> Deadlines {
    let mut launch = Launch::new("x", "/", Duration::from_secs(wall));
    launch.idle = idle.map(Duration::from_secs);
    Deadlines::start(&launch)
}

/// What is due now.
fn due(deadlines: &Deadlines) -> Option<DueAction> {
    let (at, due) = deadlines.next();
    (at <= Instant::now()).then_some(due)
}

#[tokio::test]
async fn nearest_deadline_applies() {
    assert_eq!(due(&deadlines(0, Some(60))), Some(DueAction::End(ProgramExit::TimedOut)));
    assert_eq!(due(&deadlines(60, Some(0))), Some(DueAction::End(ProgramExit::Idle)));
    assert_eq!(due(&deadlines(60, None)), None);
    assert_eq!(due(&deadlines(u64::MAX, Some(u64::MAX))), None);
}

#[tokio::test]
async fn output_postpones_the_idle_deadline() {
    let mut deadlines = deadlines(100, Some(10));
    let before = deadlines.next().0;
    deadlines.note_output();
    assert!(deadlines.next().0 > before);
}

#[tokio::test]
async fn first_output_has_its_own_deadline() {
    let mut launch = Launch::new("x", "/", Duration::from_secs(100));
    (launch.idle, launch.first_output) = (Some(Duration::from_secs(60)), Some(Duration::ZERO));
    let mut deadlines = Deadlines::start(&launch);
    assert_eq!(due(&deadlines), Some(DueAction::End(ProgramExit::Idle)));
    deadlines.note_output();
    assert_eq!(due(&deadlines), None);
}

#[tokio::test]
async fn first_stop_reason_counts_and_the_grace_period_ends() {
    let mut deadlines = deadlines(0, None);
    deadlines.note_stop_order(ProgramExit::Stopped, Duration::from_secs(60));
    deadlines.note_stop_order(ProgramExit::TimedOut, Duration::ZERO);
    assert_eq!((due(&deadlines), deadlines.reason.clone()), (None, Some(ProgramExit::Stopped)));
    deadlines.kill_reaper = Some(Instant::now());
    assert_eq!(due(&deadlines), Some(DueAction::KillReaper));
    deadlines.note_reaper_end();
    assert_eq!(due(&deadlines), None);
    deadlines.drained = Some(Instant::now());
    assert_eq!(due(&deadlines), Some(DueAction::Drained));
}

#[tokio::test]
async fn exit_before_the_stop_request_is_not_a_stop() {
    let mut deadlines = deadlines(60, None);
    deadlines.note_reaper_end();
    deadlines.note_stop_order(ProgramExit::Stopped, Duration::ZERO);
    assert_eq!(deadlines.reason, None);
}

#[tokio::test]
async fn stop_urgency_never_decreases() {
    let (handle, mut stop) = Stop::new();
    assert_eq!(stop.urgency(), Urgency::Running);
    handle.kill();
    handle.stop();
    assert_eq!(stop.wait_beyond(Urgency::Running).await, Urgency::Killing);
    assert_eq!(stop.clone().urgency(), Urgency::Killing);
}

#[tokio::test]
async fn dropped_stop_handle_does_not_stop_the_program() {
    let (handle, mut stop) = Stop::new();
    drop(handle);
    tokio::select! {
        biased;
        _ = stop.wait_beyond(Urgency::Running) => panic!("nobody asked"),
        () = tokio::task::yield_now() => {}
    }
}
