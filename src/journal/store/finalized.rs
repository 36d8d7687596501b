//! That the run of an issue was completed and its files were taken off the branch: a small file under git's common folder.
//! It is all that is left to tell by, since the log went with the files. The caller hands in masked texts.

use std::fs;
use std::path::Path;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{StoreError, private};
use model::issue::IssueNumber;

/// What is known of a run that was finalized.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finalized {
    pub issue: IssueNumber,
    pub title: String,
    pub branch: String,
    pub base_branch: String,
    /// Where the branch stood when it was made ready.
    pub commit: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pull_request: Option<String>,
    pub at: Timestamp,
    /// What the command that wrote this still had to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left: Option<Left>,
}

/// What is left to do until the one commit stands in the place of the run's commits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Left {
    /// Where the branch stood before.
    pub before: String,
    /// The server has the branch, too.
    pub on_server: bool,
    pub keep_files: bool,
    /// The files that nobody reviewed.
    pub unreviewed: Vec<String>,
}

/// Remembers that a run was finalized.
pub fn write(common: &Path, finalized: &Finalized) -> Result<(), StoreError> {
    private::write(common, finalized.issue, "finalized.json", finalized)
}

/// Returns what is known of the finalized run of an issue, if there is one.
pub fn read(common: &Path, issue: IssueNumber) -> Result<Option<Finalized>, StoreError> {
    private::read(common, issue, "finalized.json")
}

/// Returns the finalized runs of a repository by issue number. One record that cannot be read hides no other.
pub fn list(common: &Path) -> Vec<Finalized> {
    let entries = fs::read_dir(common.join("ai-workflow")).into_iter().flatten().flatten();
    let issues = entries.filter_map(|entry| {
        entry.file_name().to_str().and_then(|name| name.strip_prefix("issue-")?.parse().ok())
    });
    let mut found: Vec<Finalized> = issues
        .filter_map(|issue| {
            read(common, issue).unwrap_or_else(|error| {
                tracing::warn!("{error}");
                None
            })
        })
        .collect();
    found.sort_by_key(|finalized| finalized.issue);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finalized(number: u64) -> Finalized {
        Finalized {
            issue: number.try_into().expect("a number"),
            title: "The last page is missing".into(),
            branch: format!("ai-workflow/issue-{number}"),
            base_branch: "main".into(),
            commit: "0123456789abcdef".into(),
            pull_request: None,
            at: Timestamp::UNIX_EPOCH,
            left: None,
        }
    }

    #[test]
    fn a_finalized_run_is_remembered_among_others() {
        let common = tempfile::tempdir().expect("a folder");
        assert_eq!(list(common.path()), []);
        for number in [243, 7] {
            write(common.path(), &finalized(number)).expect("written");
        }
        fs::create_dir_all(common.path().join("ai-workflow/issue-9")).expect("a lock only");
        assert_eq!(read(common.path(), finalized(7).issue).expect("one"), Some(finalized(7)));
        assert_eq!(read(common.path(), finalized(9).issue).expect("none"), None);
        let broken = private::folder(common.path(), finalized(243).issue).join("finalized.json");
        fs::write(&broken, "{").expect("damaged");
        let error = read(common.path(), finalized(243).issue).expect_err("damaged").to_string();
        assert!(error.starts_with(&format!("{} is damaged", broken.display())), "{error}");
        assert_eq!(list(common.path()), [finalized(7)]);
    }
}
