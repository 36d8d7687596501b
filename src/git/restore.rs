//! Undoes what somebody who had no right to write has written: the files go back to a snapshot.
//! Ignored files, the engine's own files, HEAD and the user's index stay as they are.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use super::call::Call;
use super::error::at;
use super::{IssueSpace, Result, Tree};

impl IssueSpace {
    /// Brings the files back to a snapshot and returns the paths that were different.
    pub fn restore(&self, to: &Tree) -> Result<Vec<String>> {
        let index = self.index_of(to)?;
        let seen = self.look(&index)?;
        for path in &seen.untracked {
            if seen.changed.contains(path) {
                remove_with_empty_folders(&self.workspace.root, path)?;
            }
        }
        let tracked = seen.changed.difference(&seen.untracked).map(String::as_str);
        let call = Call::new(["checkout-index", "--force", "-u", "-q", "-z", "--stdin"]).on_index(&index);
        if seen.changed.len() > seen.changed.intersection(&seen.untracked).count() {
            self.workspace.git(&call.fed_with_paths(tracked))?;
        }
        Ok(seen.changed.into_iter().collect())
    }
}

/// Removes a file and the folders that are empty without it, as git itself would.
fn remove_with_empty_folders(root: &Path, path: &str) -> Result<()> {
    let file = root.join(path);
    match fs::remove_file(&file) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(at(file)(error)),
        _ => {}
    }
    let folders = file.ancestors().skip(1).take_while(|folder| *folder != root);
    // The first folder that is not empty ends it.
    folders.map(fs::remove_dir).take_while(std::result::Result::is_ok).for_each(drop);
    Ok(())
}
