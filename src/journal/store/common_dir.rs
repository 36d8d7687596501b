//! What this machine remembers beside the logs: small files under git's common directory, which all worktrees share.
//! Where each run is, which runs were finalized, and what the runs of one day spent. Every file is written and read as a
//! whole, but for the list of a day. Not masked here: a changed path would lead nowhere; callers hand in masked texts.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use jiff::civil::Date;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::files::{
    StoreError, if_there, io_error, make_folders, read_if_there, refuse_other_than_file, remove,
    replace_in_folder,
};
use model::event::UsageTotal;
use model::issue::IssueNumber;

/// Returns the private folder of an issue under git's common directory: its lock, the copy of its log and the files of
/// this module are in it.
pub fn issue_folder(common: &Path, issue: IssueNumber) -> PathBuf {
    state_folder(common).join(format!("issue-{issue}"))
}

fn state_folder(common: &Path) -> PathBuf {
    common.join("ai-workflow")
}

/// Puts a value into a file of an issue's folder, in place of the one before.
fn store(common: &Path, issue: IssueNumber, name: &str, value: &impl Serialize) -> Result<(), StoreError> {
    let path = issue_folder(common, issue).join(name);
    let text = serde_json::to_vec(value).map_err(|error| io_error("write", &path)(error.into()))?;
    replace_in_folder(&path, &text)
}

/// Returns the value in a file of an issue's folder; nothing when there is none, or when a power cut emptied it.
fn load<T: DeserializeOwned>(common: &Path, issue: IssueNumber, name: &str) -> Result<Option<T>, StoreError> {
    let path = issue_folder(common, issue).join(name);
    let bytes = read_if_there(&path)?.unwrap_or_default();
    if bytes.is_empty() {
        return Ok(None);
    }
    serde_json::from_slice(&bytes).map(Some).map_err(|error| StoreError::DamagedRecord {
        file: path.display().to_string(),
        line: error.line(),
        why: error.to_string(),
    })
}

/// Returns the values in a file of all issues' folders, by issue number. One that cannot be read hides no other.
fn load_all<T: DeserializeOwned>(common: &Path, name: &str) -> Result<Vec<(IssueNumber, T)>, StoreError> {
    let folder = state_folder(common);
    let mut values = Vec::new();
    let entries = if_there(fs::read_dir(&folder)).map_err(io_error("list", &folder))?;
    for entry in entries.into_iter().flatten() {
        let entry = entry.map_err(io_error("list", &folder))?;
        let folder_name = entry.file_name().into_string().unwrap_or_default();
        let Some(issue) = folder_name.strip_prefix("issue-").and_then(|issue| issue.parse().ok()) else {
            continue;
        };
        match load(common, issue, name) {
            Ok(found) => values.extend(found.map(|value| (issue, value))),
            Err(error) => tracing::warn!("{error}"),
        }
    }
    values.sort_by_key(|(issue, _)| *issue);
    Ok(values)
}

/// Where the run of an issue is. Its log says what the run did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunPointer {
    /// The root of the worktree with its files.
    pub worktree: PathBuf,
    /// The branch that the run commits to.
    pub branch: String,
}

impl RunPointer {
    const FILE: &str = "pointer.json";

    /// Remembers where the run of an issue is.
    pub fn write(&self, common: &Path, issue: IssueNumber) -> Result<(), StoreError> {
        store(common, issue, Self::FILE, self)
    }

    /// Returns where the run of an issue is, if there is one.
    pub fn read(common: &Path, issue: IssueNumber) -> Result<Option<Self>, StoreError> {
        load(common, issue, Self::FILE)
    }

    /// Forgets where the run of an issue is.
    pub fn remove(common: &Path, issue: IssueNumber) -> Result<(), StoreError> {
        remove(&issue_folder(common, issue).join(Self::FILE))
    }

    /// Returns all runs of a repository by issue number. One file that cannot be read hides no other run.
    pub fn list(common: &Path) -> Result<Vec<(IssueNumber, Self)>, StoreError> {
        load_all(common, Self::FILE)
    }
}

/// A run that was completed and whose files were removed from the branch. The log was removed with them, so this record is
/// all that is known of the run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FinalizedRun {
    /// The issue that it was about.
    pub issue: IssueNumber,
    /// The title of the issue.
    pub title: String,
    /// The branch that holds the work.
    pub branch: String,
    /// The branch that it began from.
    pub base_branch: String,
    /// The tip of the branch when it was made ready.
    pub commit: String,
    /// The address of the pull request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pull_request: Option<String>,
    /// When it was finalized.
    pub at: Timestamp,
    /// What the command that wrote this still had to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left: Option<PendingRewrite>,
}

/// What is left to do until one commit has replaced the run's commits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PendingRewrite {
    /// The tip of the branch before.
    pub before: String,
    /// The server has the branch, too.
    pub on_server: bool,
    /// The run's own files stay on the branch.
    pub keep_files: bool,
    /// The files that were not reviewed.
    pub unreviewed: Vec<String>,
}

impl FinalizedRun {
    const FILE: &str = "finalized.json";

    /// Remembers that a run was finalized.
    pub fn write(&self, common: &Path) -> Result<(), StoreError> {
        store(common, self.issue, Self::FILE, self)
    }

    /// Returns what is known of the finalized run of an issue, if there is one.
    pub fn read(common: &Path, issue: IssueNumber) -> Result<Option<Self>, StoreError> {
        load(common, issue, Self::FILE)
    }

    /// Returns the finalized runs of a repository by issue number. One record that cannot be read hides no other.
    pub fn list(common: &Path) -> Result<Vec<Self>, StoreError> {
        Ok(load_all(common, Self::FILE)?.into_iter().map(|(_, run)| run).collect())
    }
}

/// One call on the list of what the runs of a repository spent on a day. Only for a limit that spans runs; what one run
/// spent is in its log. Not synced: a crash of the machine may cost the last lines, and no run more than that.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DaySpending {
    /// The id of the run.
    pub run: String,
    /// What the call cost.
    pub spent: UsageTotal,
}

impl DaySpending {
    fn file(common: &Path, day: Date) -> PathBuf {
        state_folder(common).join("spent").join(format!("{day}.jsonl"))
    }

    /// Adds the call to the list of a day.
    pub fn append(&self, common: &Path, day: Date) -> Result<(), StoreError> {
        let path = Self::file(common, day);
        let text = serde_json::to_string(self).map_err(|error| io_error("write", &path)(error.into()))?;
        make_folders(path.parent().unwrap_or(Path::new(".")))?;
        refuse_other_than_file(&path)?;
        let opened = OpenOptions::new().create(true).append(true).open(&path);
        // One write, begun with the line break: neither another run nor a torn line mixes with it.
        let line = format!("\n{text}");
        opened.map_err(io_error("open", &path))?.write_all(line.as_bytes()).map_err(io_error("write", &path))
    }

    /// Returns what all other runs spent on a day. A line that cannot be read was cut off by a crash and is left out.
    pub fn sum_of_others(common: &Path, day: Date, run: &str) -> Result<UsageTotal, StoreError> {
        let bytes = read_if_there(&Self::file(common, day))?.unwrap_or_default();
        let mut sum = UsageTotal::default();
        let lines = bytes.split(|byte| *byte == b'\n');
        let calls = lines.filter_map(|line| serde_json::from_slice::<Self>(line).ok());
        for call in calls.filter(|call| call.run != run) {
            sum.add(&call.spent);
        }
        Ok(sum)
    }
}

#[cfg(test)]
mod tests;
