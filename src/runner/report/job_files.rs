//! The summary and the outputs of a step of a GitHub Actions job, in the files that the runner names. Writes nothing outside of
//! a job.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::PathBuf;

use model::redact::Masked;

/// GitHub shows no more of a step's summary than 1 MiB.
const LONGEST_SUMMARY: u64 = 1 << 20;

/// The files of the step in which this process runs.
#[derive(Debug, Clone, Default)]
pub struct JobFiles {
    /// `$GITHUB_STEP_SUMMARY`.
    pub summary: Option<PathBuf>,
    /// `$GITHUB_OUTPUT`.
    pub outputs: Option<PathBuf>,
}

impl JobFiles {
    /// Adds Markdown to the step's summary, unless the summary would become too long.
    pub fn summarise(&self, text: &Masked) -> io::Result<()> {
        let Some(file) = &self.summary else { return Ok(()) };
        let written = file.metadata().map_or(0, |found| found.len());
        if written + text.as_str().len() as u64 >= LONGEST_SUMMARY {
            return Ok(());
        }
        OpenOptions::new().create(true).append(true).open(file)?.write_all(format!("{text}\n").as_bytes())
    }

    /// Sets an output of the step. The delimiter must not be guessable.
    pub fn output(&self, name: &str, value: &Masked, delimiter: &str) -> io::Result<()> {
        let Some(file) = &self.outputs else { return Ok(()) };
        let entry = format!("{name}<<{delimiter}\n{value}\n{delimiter}\n");
        OpenOptions::new().create(true).append(true).open(file)?.write_all(entry.as_bytes())
    }
}

#[cfg(test)]
mod tests;
