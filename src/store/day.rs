//! What the runs of a repository spent on one day: a list under git's common directory that every call adds a line to.
//! Only for a limit that spans runs; what one run spent stands in its log. Not synced: a crash of the machine may cost
//! the last lines, and no run more than that.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{StoreError, failed};
use crate::event::Usage;

/// One call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Spending {
    /// The id of the run.
    pub run: String,
    pub millis: u64,
    pub usage: Usage,
}

/// Adds a call to the list of a day, such as `2026-11-21`.
pub fn note(common: &Path, day: &str, spending: &Spending) -> Result<(), StoreError> {
    let path = file(common, day);
    let text = serde_json::to_string(spending).map_err(|error| failed("write", &path)(error.into()))?;
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(failed("make the folder", folder))?;
    }
    let mut list = OpenOptions::new().create(true).append(true).open(&path).map_err(failed("open", &path))?;
    // One write, begun with the line break: neither another run nor a torn line mixes with it.
    list.write_all(format!("\n{text}").as_bytes()).map_err(failed("write", &path))
}

/// Returns the calls of all other runs on a day. A line that cannot be read was cut off by a crash and is left out.
pub fn elsewhere(common: &Path, day: &str, run: &str) -> Result<Vec<Spending>, StoreError> {
    let path = file(common, day);
    let bytes = match fs::read(&path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        other => other.map_err(failed("read", &path))?,
    };
    let lines = bytes.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok());
    Ok(lines.filter(|spending: &Spending| spending.run != run).collect())
}

fn file(common: &Path, day: &str) -> PathBuf {
    common.join("ai-workflow").join("spent").join(format!("{day}.jsonl"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spending(run: &str, millis: u64) -> Spending {
        let usage = Usage { cost_usd: Some(0.5), ..Usage::default() };
        Spending { run: run.to_owned(), millis, usage }
    }

    #[test]
    fn other_runs_of_the_same_day_count() {
        let folder = tempfile::tempdir().expect("a folder");
        let (common, day) = (folder.path(), "2026-11-21");
        assert_eq!(elsewhere(common, day, "mine").expect("no list yet"), []);
        for (run, millis) in [("mine", 1), ("other", 2), ("other", 3)] {
            note(common, day, &spending(run, millis)).expect("a line");
        }
        note(common, "2026-11-22", &spending("other", 4)).expect("a line");
        let found = elsewhere(common, day, "mine").expect("a list");
        assert_eq!(found, [spending("other", 2), spending("other", 3)]);
    }

    #[test]
    fn a_torn_line_hides_no_other() {
        let folder = tempfile::tempdir().expect("a folder");
        note(folder.path(), "d", &spending("a", 1)).expect("a line");
        let path = file(folder.path(), "d");
        let mut bytes = fs::read(&path).expect("a list");
        bytes.extend_from_slice(b"\n{\"run\":\"b\",\"mil");
        fs::write(&path, bytes).expect("a torn line");
        note(folder.path(), "d", &spending("c", 2)).expect("a line");
        let runs: Vec<_> =
            elsewhere(folder.path(), "d", "me").expect("a list").into_iter().map(|s| s.run).collect();
        assert_eq!(runs, ["a", "c"]);
    }
}
