//! Small files about an issue under git's common directory, which all worktrees share: written whole, read whole.
//! Knows where they lie, not what they mean.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{StoreError, failed, view};
use model::issue::IssueNumber;

/// Returns the private folder of an issue under git's common directory.
pub(super) fn folder(common: &Path, issue: IssueNumber) -> PathBuf {
    common.join("ai-workflow").join(format!("issue-{issue}"))
}

/// Puts a value into a file of the folder, in place of the one before.
pub(super) fn write(
    common: &Path,
    issue: IssueNumber,
    name: &str,
    value: &impl Serialize,
) -> Result<(), StoreError> {
    let folder = folder(common, issue);
    let path = folder.join(name);
    let text = serde_json::to_vec(value).map_err(|error| failed("write", &path)(error.into()))?;
    fs::create_dir_all(&folder).map_err(failed("make the folder", &folder))?;
    view::replace(&path, &text)
}

/// Returns the value in a file of the folder; nothing when there is none.
pub(super) fn read<T: DeserializeOwned>(
    common: &Path,
    issue: IssueNumber,
    name: &str,
) -> Result<Option<T>, StoreError> {
    let path = folder(common, issue).join(name);
    let bytes = match fs::read(&path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        other => other.map_err(failed("read", &path))?,
    };
    if bytes.is_empty() {
        return Ok(None);
    }
    serde_json::from_slice(&bytes).map(Some).map_err(|error| StoreError::Damaged {
        file: path.display().to_string(),
        line: error.line(),
        why: error.to_string(),
    })
}
