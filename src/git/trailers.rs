//! The last lines of our commit messages: by them a load recognises a commit whose fact was lost.

use std::fmt;

use super::call::Call;
use super::{CommitId, IssueSpace, Result, Workspace};

/// So many commits of the branch are looked at.
const LOOK_BACK: &str = "--max-count=20";

/// So many messages are read at most, the newest.
const MOST_READ: &str = "--max-count=200";
/// Stands for the phase in a record of how a run halted.
pub const NO_PHASE: &str = "-";

/// What a commit says about the run it belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trailers {
    pub run: String,
    pub phase: String,
    /// The number of the fact that announced the commit.
    pub seq: u64,
    /// The hash of the log up to that fact.
    pub chain: String,
}

impl fmt::Display for Trailers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { run, phase, seq, chain } = self;
        writeln!(f, "AI-Workflow-Run: {run}")?;
        writeln!(f, "AI-Workflow-Phase: {phase}")?;
        writeln!(f, "AI-Workflow-Seq: {seq}")?;
        writeln!(f, "AI-Workflow-Chain: {chain}")
    }
}

impl Trailers {
    /// Reads the trailers from the last paragraph of a message; text above it is not ours to believe.
    pub fn read(message: &str) -> Option<Self> {
        let last = message.trim_end().rsplit("\n\n").next()?;
        let value = |key: &str| {
            let mut values = last.lines().filter_map(|line| line.strip_prefix(key)?.strip_prefix(": "));
            // Said twice is not said.
            values.next().filter(|_| values.next().is_none()).map(str::to_owned)
        };
        Some(Self {
            run: value("AI-Workflow-Run")?,
            phase: value("AI-Workflow-Phase")?,
            seq: value("AI-Workflow-Seq")?.parse().ok()?,
            chain: value("AI-Workflow-Chain")?,
        })
    }
}

impl IssueSpace {
    /// Returns the commit on the run's branch that was announced by this fact, newest first.
    pub fn find_commit_with(&self, run: &str, seq: u64) -> Result<Option<(CommitId, Trailers)>> {
        let Some(branch) = self.workspace.branch(&self.branch())? else { return Ok(None) };
        let call =
            Call::new(["log", "-z", "--format=%H%n%B", LOOK_BACK, branch.tip.as_str(), "--"]).reading();
        let output = self.workspace.git(&call)?;
        let text = output.text();
        let mut commits = text.split('\0').filter_map(|record| record.split_once('\n'));
        let found = commits.find_map(|(id, message)| {
            let trailers = Trailers::read(message)?;
            (trailers.run == run && trailers.seq == seq).then_some((id, trailers))
        });
        found.map(|(id, trailers)| Ok((CommitId::try_from(id)?, trailers))).transpose()
    }

    /// Returns the newest commit of the run's branch that is no record of how the run halted; nothing when the look
    /// back is not long enough.
    pub fn below_records(&self, run: &str) -> Result<Option<CommitId>> {
        let Some(branch) = self.workspace.branch(&self.branch())? else { return Ok(None) };
        let call = Call::new([
            "log",
            "-z",
            "--first-parent",
            "--format=%H%n%B",
            LOOK_BACK,
            branch.tip.as_str(),
            "--",
        ]);
        let output = self.workspace.git(&call.reading())?;
        let text = output.text();
        let is_record = |message: &str| {
            Trailers::read(message).is_some_and(|trailers| trailers.run == run && trailers.phase == NO_PHASE)
        };
        let mut commits = text.split('\0').filter_map(|record| record.split_once('\n'));
        let found = commits.find(|(_, message)| !is_record(message));
        Ok(found.map(|(id, _)| CommitId::try_from(id)).transpose()?)
    }
}

impl Workspace {
    /// Returns the messages of the commits that are on HEAD and not on a commit, oldest first; merges left out, since
    /// git writes what they say.
    pub fn messages_since(&self, commit: &CommitId) -> Result<Vec<String>> {
        let range = format!("{commit}..HEAD");
        let call =
            Call::new(["log", "-z", "--reverse", "--no-merges", "--format=%B", MOST_READ, &range, "--"]);
        let output = self.git(&call.reading())?;
        let text = output.text();
        Ok(text.split('\0').filter(|message| !message.trim().is_empty()).map(str::to_owned).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trailers() -> Trailers {
        Trailers { run: "abc".into(), phase: "planning".into(), seq: 12, chain: "ff".into() }
    }

    #[test]
    fn what_is_written_is_read() {
        let message = format!("planning: passed\n\nbody\n\n{}", trailers());
        assert_eq!(Trailers::read(&message), Some(trailers()));
    }

    #[test]
    fn trailers_elsewhere_or_twice_do_not_count() {
        for message in [
            format!("{}\n\nother words", trailers()),
            format!("x\n\n{}AI-Workflow-Seq: 13", trailers()),
            trailers().to_string().replace("12", "twelve"),
            "planning".into(),
            String::new(),
        ] {
            assert_eq!(Trailers::read(&message), None, "{message}");
        }
    }
}
