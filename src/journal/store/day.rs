//! What the runs of a repository spent on one day: a list under git's common directory that every call adds a line to.
//! Only for a limit that spans runs; what one run spent stands in its log. Not synced: a crash of the machine may cost
//! the last lines, and no run more than that.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use super::{StoreError, failed};
use model::event::Spent;

/// One call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Spending {
    /// The id of the run.
    pub run: String,
    pub spent: Spent,
}

/// Adds a call to the list of a day.
pub fn note(common: &Path, day: Date, spending: &Spending) -> Result<(), StoreError> {
    let path = file(common, day);
    let text = serde_json::to_string(spending).map_err(|error| failed("write", &path)(error.into()))?;
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(failed("make the folder", folder))?;
    }
    let mut list = OpenOptions::new().create(true).append(true).open(&path).map_err(failed("open", &path))?;
    // One write, begun with the line break: neither another run nor a torn line mixes with it.
    list.write_all(format!("\n{text}").as_bytes()).map_err(failed("write", &path))
}

/// Returns what all other runs spent on a day. A line that cannot be read was cut off by a crash and is left out.
pub fn elsewhere(common: &Path, day: Date, run: &str) -> Result<Spent, StoreError> {
    let path = file(common, day);
    let bytes = match fs::read(&path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Spent::default()),
        other => other.map_err(failed("read", &path))?,
    };
    let lines = bytes.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok());
    let mut sum = Spent::default();
    for spending in lines.filter(|spending: &Spending| spending.run != run) {
        sum.add(&spending.spent);
    }
    Ok(sum)
}

fn file(common: &Path, day: Date) -> PathBuf {
    common.join("ai-workflow").join("spent").join(format!("{day}.jsonl"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: Date = Date::constant(2026, 11, 21);

    fn spending(run: &str, millis: u64) -> Spending {
        Spending { run: run.to_owned(), spent: Spent { millis, calls: 1, ..Spent::default() } }
    }

    #[test]
    fn other_runs_of_the_same_day_count() {
        let folder = tempfile::tempdir().expect("a folder");
        let common = folder.path();
        assert_eq!(elsewhere(common, DAY, "mine").expect("no list yet"), Spent::default());
        for (run, millis) in [("mine", 1), ("other", 2), ("third", 3)] {
            note(common, DAY, &spending(run, millis)).expect("a line");
        }
        note(common, DAY.tomorrow().expect("a day"), &spending("other", 4)).expect("a line");
        let expected = Spent { millis: 5, calls: 2, ..Spent::default() };
        assert_eq!(elsewhere(common, DAY, "mine").expect("a list"), expected);
    }

    #[test]
    fn a_torn_line_hides_no_other() {
        let folder = tempfile::tempdir().expect("a folder");
        note(folder.path(), DAY, &spending("a", 1)).expect("a line");
        let path = file(folder.path(), DAY);
        let mut bytes = fs::read(&path).expect("a list");
        bytes.extend_from_slice(b"\n{\"run\":\"b\",\"spe");
        fs::write(&path, bytes).expect("a torn line");
        note(folder.path(), DAY, &spending("c", 2)).expect("a line");
        let expected = Spent { millis: 3, calls: 2, ..Spent::default() };
        assert_eq!(elsewhere(folder.path(), DAY, "me").expect("a list"), expected);
    }
}
