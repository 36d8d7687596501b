//! The difference between two states as text for reviewers, cut off at a limit.
//! The text is data from the repository: fencing and masking are the caller's.

use super::call::Call;
use super::names::{bad_object_id, is_object_id};
use super::own_files::LEFT_OUT;
use super::{IssueSpace, Result, Tree};

/// A difference as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diff {
    pub text: String,
    /// There was more; the text ends with the last whole line within the limit.
    pub truncated: bool,
}

impl IssueSpace {
    /// Returns the difference from a commit or tree to a snapshot without the engine's own files, at most so many bytes.
    pub fn diff(&self, from: impl AsRef<str>, to: &Tree, limit: usize) -> Result<Diff> {
        let from = from.as_ref();
        if !is_object_id(from) {
            return Err(bad_object_id(from));
        }
        let call = Call::new([
            "diff",
            "--no-ext-diff",
            "--no-textconv",
            "--find-renames",
            "--src-prefix=a/",
            "--dst-prefix=b/",
        ])
        .args([from, to.as_str(), "--"])
        .args(LEFT_OUT)
        .with_patterns()
        .at_most(limit)
        .reading();
        let output = self.workspace.git(&call)?;
        let mut text = output.text();
        if output.truncated {
            text.truncate(text.rfind('\n').map_or(0, |end| end + 1));
        }
        Ok(Diff { text, truncated: output.truncated })
    }
}
