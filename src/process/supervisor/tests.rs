//! Tests of `supervisor`.

use super::*;

#[test]
fn the_last_report_is_the_end_unless_somebody_else_ended_it() {
    let started = Report::Started(7);
    assert_eq!(read_reports(&[started.clone(), Report::Code(3)]), Some(Exit::Code(3)));
    assert_eq!(read_reports(&[started.clone(), Report::Signal(9)]), Some(Exit::Signal(9)));
    assert_eq!(read_reports(&[Report::Failed("x".into())]), Some(Exit::NotStarted("x".into())));
    let outside = [started.clone(), Report::ReaperSignalled(15), Report::Code(0)];
    assert_eq!(read_reports(&outside), Some(Exit::Signal(15)));
    assert_eq!(read_reports(&[started]), None);
    assert_eq!(read_reports(&[]), None);
}

fn deadlines(wall: u64, idle: Option<u64>) -> Deadlines {
    let mut launch = Launch::new("x", "/", Duration::from_secs(wall));
    launch.idle = idle.map(Duration::from_secs);
    Deadlines::start(&launch)
}

/// What is due now.
fn due(deadlines: &Deadlines) -> Option<Due> {
    let (at, due) = deadlines.next();
    (at <= Instant::now()).then_some(due)
}

#[tokio::test]
async fn the_nearest_limit_counts() {
    assert_eq!(due(&deadlines(0, Some(60))), Some(Due::End(Exit::TimedOut)));
    assert_eq!(due(&deadlines(60, Some(0))), Some(Due::End(Exit::Idle)));
    assert_eq!(due(&deadlines(60, None)), None);
    assert_eq!(due(&deadlines(u64::MAX, Some(u64::MAX))), None);
}

#[tokio::test]
async fn what_is_heard_puts_the_idle_limit_off() {
    let mut deadlines = deadlines(100, Some(10));
    let before = deadlines.next().0;
    deadlines.output_came();
    assert!(deadlines.next().0 > before);
}

#[tokio::test]
async fn the_first_output_has_a_limit_of_its_own() {
    let mut launch = Launch::new("x", "/", Duration::from_secs(100));
    (launch.idle, launch.first_output) = (Some(Duration::from_secs(60)), Some(Duration::ZERO));
    let mut deadlines = Deadlines::start(&launch);
    assert_eq!(due(&deadlines), Some(Due::End(Exit::Idle)));
    deadlines.output_came();
    assert_eq!(due(&deadlines), None);
}

#[tokio::test]
async fn the_first_reason_counts_and_patience_ends() {
    let mut deadlines = deadlines(0, None);
    deadlines.stopping(Exit::Stopped, Duration::from_secs(60));
    deadlines.stopping(Exit::TimedOut, Duration::ZERO);
    assert_eq!((due(&deadlines), deadlines.reason.clone()), (None, Some(Exit::Stopped)));
    deadlines.kill_reaper = Some(Instant::now());
    assert_eq!(due(&deadlines), Some(Due::KillReaper));
    deadlines.reaper_ended();
    assert_eq!(due(&deadlines), None);
    deadlines.drained = Some(Instant::now());
    assert_eq!(due(&deadlines), Some(Due::Drained));
}

#[tokio::test]
async fn an_end_that_came_by_itself_is_not_called_a_stop() {
    let mut deadlines = deadlines(60, None);
    deadlines.reaper_ended();
    deadlines.stopping(Exit::Stopped, Duration::ZERO);
    assert_eq!(deadlines.reason, None);
}
