//! Whether a provider is asked in vain. Only reports count: silence after one may be a model that thinks, and has a
//! limit of its own.

use std::time::Duration;

use tokio::time::Instant;

/// How long a provider is asked in vain before we give up; the program itself may wait for an hour.
const PATIENCE: Duration = Duration::from_secs(30);

/// Reports that the provider is asked again, with nothing else between them: the first and the latest.
#[derive(Debug, Default)]
pub(super) struct Vain(Option<(Instant, Instant)>);

impl Vain {
    /// Takes a report. One that comes long after the last begins anew.
    pub(super) fn report(&mut self, now: Instant) {
        let since = self.0.filter(|(_, last)| now.duration_since(*last) <= PATIENCE);
        self.0 = Some((since.map_or(now, |(since, _)| since), now));
    }

    /// Something came of it.
    pub(super) fn end(&mut self) {
        self.0 = None;
    }

    /// Tells whether it went on for longer than anybody should wait.
    pub(super) fn is_hopeless(&self) -> bool {
        self.0.is_some_and(|(since, last)| last.duration_since(since) > PATIENCE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reports at these seconds.
    fn reported(seconds: &[u64]) -> Vain {
        let (mut vain, begin) = (Vain::default(), Instant::now());
        for at in seconds {
            vain.report(begin + Duration::from_secs(*at));
        }
        vain
    }

    #[test]
    fn reports_that_go_on_and_on_are_hopeless() {
        assert!(reported(&[0, 10, 20, 31]).is_hopeless());
        assert!(!reported(&[0, 10, 20, 30]).is_hopeless());
    }

    #[test]
    fn silence_after_a_report_is_no_sign() {
        for seconds in [&[0][..], &[0, 1], &[0, 300], &[0, 300, 301]] {
            assert!(!reported(seconds).is_hopeless(), "{seconds:?}");
        }
    }

    #[test]
    fn what_came_between_ends_it() {
        let mut vain = reported(&[0, 20, 40]);
        vain.end();
        assert!(!vain.is_hopeless());
    }
}
