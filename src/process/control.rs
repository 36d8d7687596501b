//! The few words that we and the reaper exchange over the control line, one per text line.
//! The line is the reaper's standard input: its end is the end of us, however we died.
//! Knows no processes; an unreadable line is nothing.

use std::time::Duration;

/// What we tell the reaper. The end of the line says the same as a `Stop` with a short grace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stop {
    /// How long the tree may take to end by itself; zero kills at once.
    pub grace: Duration,
}

impl Stop {
    pub(super) fn encode(self) -> String {
        format!("stop {}\n", self.grace.as_millis())
    }

    pub(super) fn read(line: &str) -> Option<Self> {
        let millis = line.strip_prefix("stop ")?.trim().parse().ok()?;
        Some(Self { grace: Duration::from_millis(millis) })
    }
}

/// What the reaper tells us.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Report {
    /// The program runs, in a process group of this number.
    Started(i32),
    /// The program could not be started.
    Failed(String),
    /// Somebody other than us ended the reaper with this signal; how the program ended says nothing then.
    Ended(i32),
    /// The program ended by itself.
    Code(i32),
    /// The program was ended by a signal.
    Signal(i32),
}

impl Report {
    pub(super) fn encode(&self) -> String {
        match self {
            Self::Started(group) => format!("started {group}\n"),
            Self::Failed(reason) => format!("failed {}\n", reason.replace('\n', " ")),
            Self::Ended(signal) => format!("ended {signal}\n"),
            Self::Code(code) => format!("code {code}\n"),
            Self::Signal(signal) => format!("signal {signal}\n"),
        }
    }

    pub(super) fn read(line: &str) -> Option<Self> {
        let (word, rest) = line.split_once(' ')?;
        let number = || rest.trim().parse().ok();
        match word {
            "started" => number().map(Self::Started),
            "failed" => Some(Self::Failed(rest.trim().to_owned())),
            "ended" => number().map(Self::Ended),
            "code" => number().map(Self::Code),
            "signal" => number().map(Self::Signal),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_report_is_read_as_it_was_written() {
        for report in [
            Report::Started(12),
            Report::Failed("`x` was not found".into()),
            Report::Ended(15),
            Report::Code(0),
            Report::Signal(9),
        ] {
            assert_eq!(Report::read(&report.encode()), Some(report));
        }
        assert_eq!(Report::read(&Report::Failed("two\nlines".into()).encode()).map(|r| r.encode()), {
            Some("failed two lines\n".to_owned())
        });
    }

    #[test]
    fn a_stop_carries_its_grace() {
        let stop = Stop { grace: Duration::from_millis(2500) };
        assert_eq!(Stop::read(&stop.encode()), Some(stop));
    }

    #[test]
    fn an_unknown_line_is_nothing() {
        for line in ["", "code", "code x", "stop", "hello world"] {
            assert_eq!((Report::read(line), Stop::read(line)), (None, None), "{line}");
        }
    }
}
