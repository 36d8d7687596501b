//! What we and the reaper exchange over the control line: one order or report per line of text.
//! The line is the reaper's standard input: its end is the end of us, however we died.
//! Knows no processes; a line that cannot be read is ignored.

use std::time::Duration;

/// Asks the reaper to end the tree. The end of the line means the same, with a short grace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StopOrder {
    /// How long the tree may take to end by itself; zero kills at once.
    pub grace: Duration,
}

impl StopOrder {
    pub(super) fn encode(self) -> String {
        format!("stop {}\n", self.grace.as_millis())
    }

    pub(super) fn decode(line: &str) -> Option<Self> {
        let millis = line.strip_prefix("stop ")?.trim().parse().ok()?;
        Some(Self { grace: Duration::from_millis(millis) })
    }
}

/// What the reaper reports to us.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Report {
    /// The program runs, in a process group of this number.
    Started(i32),
    /// The program could not be started, and why.
    Failed(String),
    /// Somebody other than us ended the reaper with this signal; how the program ended says nothing then.
    ReaperSignalled(i32),
    /// The program ended by itself, with this exit code.
    Code(i32),
    /// The program was ended by a signal of this number.
    Signal(i32),
}

impl Report {
    pub(super) fn encode(&self) -> String {
        match self {
            Self::Started(group) => format!("started {group}\n"),
            Self::Failed(reason) => format!("failed {}\n", reason.replace('\n', " ")),
            Self::ReaperSignalled(signal) => format!("ended {signal}\n"),
            Self::Code(code) => format!("code {code}\n"),
            Self::Signal(signal) => format!("signal {signal}\n"),
        }
    }

    pub(super) fn decode(line: &str) -> Option<Self> {
        let (word, rest) = line.split_once(' ')?;
        let number = || rest.trim().parse().ok();
        match word {
            "started" => number().map(Self::Started),
            "failed" => Some(Self::Failed(rest.trim().to_owned())),
            "ended" => number().map(Self::ReaperSignalled),
            "code" => number().map(Self::Code),
            "signal" => number().map(Self::Signal),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
