//! When a supervised program has to go, by a clock that nobody can set. Ends nothing itself.

use std::time::Duration;

use tokio::time::Instant;

use super::{Exit, Launch};

/// How much longer than its grace the reaper may take before it is killed itself; a little more than it needs at most.
const PATIENCE: Duration = Duration::from_secs(4);
/// How long we read on after the reaper has gone: somebody it could not end may hold the pipes open.
const DRAIN: Duration = Duration::from_millis(500);
/// A limit that no run lives to see; longer ones would overflow the clock.
const EVER: Duration = Duration::from_secs(10 * 365 * 24 * 3600);

/// What the time says.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Due {
    Nothing,
    /// A limit is reached: the program has to go, for this reason.
    End(Exit),
    /// The reaper has gone and we have read on long enough.
    Drained,
    /// The reaper does not manage.
    GiveUp,
}

/// The time limits of one run.
pub(super) struct Deadlines {
    wall: Instant,
    idle: Option<(Duration, Instant)>,
    /// Why the program has to go, once it has to.
    pub reason: Option<Exit>,
    give_up: Option<Instant>,
    drained: Option<Instant>,
}

impl Deadlines {
    pub(super) fn start(launch: &Launch) -> Self {
        let now = Instant::now();
        let first = |idle: Duration| now + launch.first_output.unwrap_or(idle).min(EVER);
        let idle = launch.idle.map(|idle| idle.min(EVER)).map(|idle| (idle, first(idle)));
        Self { wall: now + launch.wall.min(EVER), idle, reason: None, give_up: None, drained: None }
    }

    pub(super) fn heard(&mut self) {
        if let Some((limit, at)) = &mut self.idle {
            *at = Instant::now() + *limit;
        }
    }

    /// The first reason counts.
    pub(super) fn stopping(&mut self, reason: Exit, grace: Duration) {
        if self.drained.is_none() {
            self.reason.get_or_insert(reason);
        }
        self.give_up = Some(Instant::now() + grace + PATIENCE);
    }

    pub(super) fn ended(&mut self) {
        self.drained = Some(Instant::now() + DRAIN);
    }

    pub(super) fn next(&self) -> Instant {
        if let Some(at) = self.drained.or(self.give_up) {
            return at;
        }
        self.idle.map_or(self.wall, |(_, at)| at.min(self.wall))
    }

    pub(super) fn due(&self) -> Due {
        let now = Instant::now();
        let passed = |at: Instant| now >= at;
        if let Some(at) = self.drained {
            return if passed(at) { Due::Drained } else { Due::Nothing };
        }
        if let Some(at) = self.give_up {
            return if passed(at) { Due::GiveUp } else { Due::Nothing };
        }
        if passed(self.wall) {
            return Due::End(Exit::TimedOut);
        }
        if self.idle.is_some_and(|(_, at)| passed(at)) { Due::End(Exit::Idle) } else { Due::Nothing }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn deadlines(wall: u64, idle: Option<u64>) -> Deadlines {
        let mut launch = Launch::new("x", "/", Duration::from_secs(wall));
        launch.idle = idle.map(Duration::from_secs);
        Deadlines::start(&launch)
    }

    #[tokio::test]
    async fn the_nearest_limit_counts() {
        assert_eq!(deadlines(0, Some(60)).due(), Due::End(Exit::TimedOut));
        assert_eq!(deadlines(60, Some(0)).due(), Due::End(Exit::Idle));
        assert_eq!(deadlines(60, None).due(), Due::Nothing);
        assert_eq!(deadlines(u64::MAX, Some(u64::MAX)).due(), Due::Nothing);
    }

    #[tokio::test]
    async fn what_is_heard_puts_the_idle_limit_off() {
        let mut deadlines = deadlines(100, Some(10));
        let before = deadlines.next();
        deadlines.heard();
        assert!(deadlines.next() > before);
    }

    #[tokio::test]
    async fn the_first_output_has_a_limit_of_its_own() {
        let mut launch = Launch::new("x", "/", Duration::from_secs(100));
        (launch.idle, launch.first_output) = (Some(Duration::from_secs(60)), Some(Duration::ZERO));
        let mut deadlines = Deadlines::start(&launch);
        assert_eq!(deadlines.due(), Due::End(Exit::Idle));
        deadlines.heard();
        assert_eq!(deadlines.due(), Due::Nothing);
    }

    #[tokio::test]
    async fn the_first_reason_counts_and_patience_ends() {
        let mut deadlines = deadlines(0, None);
        deadlines.stopping(Exit::Stopped, Duration::from_secs(60));
        deadlines.stopping(Exit::TimedOut, Duration::ZERO);
        assert_eq!((deadlines.due(), deadlines.reason.clone()), (Due::Nothing, Some(Exit::Stopped)));
        deadlines.give_up = Some(Instant::now());
        assert_eq!(deadlines.due(), Due::GiveUp);
        deadlines.ended();
        assert_eq!(deadlines.due(), Due::Nothing);
        deadlines.drained = Some(Instant::now());
        assert_eq!(deadlines.due(), Due::Drained);
    }

    #[tokio::test]
    async fn an_end_that_came_by_itself_is_not_called_a_stop() {
        let mut deadlines = deadlines(60, None);
        deadlines.ended();
        deadlines.stopping(Exit::Stopped, Duration::ZERO);
        assert_eq!(deadlines.reason, None);
    }
}
