//! Guards the files by which a step of GitHub Actions sets what later steps get: variables, folders of programs, outputs. An
//! agent does not get their paths, but could find them; what it writes there is removed again.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::files::{StoreError, io_error, read_ordinary_file};

/// The variables that name such files. No program of ours writes them while agents work. The summary of the job is not
/// among them: it is only shown.
pub const GUARDED: [&str; 4] = ["GITHUB_ENV", "GITHUB_OUTPUT", "GITHUB_PATH", "GITHUB_STATE"];

/// The content of the files before agents worked.
#[derive(Debug, Clone, Default)]
pub struct JobFileGuard {
    files: Vec<(&'static str, PathBuf, Option<Vec<u8>>)>,
}

impl JobFileGuard {
    /// Remembers the files that `path` gives for their variables; outside a job there are none.
    pub fn of(path: impl Fn(&str) -> Option<PathBuf>) -> Self {
        let files = GUARDED.into_iter().filter_map(|variable| {
            let path = path(variable)?;
            let content = read(&path);
            Some((variable, path, content))
        });
        Self { files: files.collect() }
    }

    /// Puts back what was changed, and returns an error that names the last file that was.
    pub fn verify(&self) -> Result<(), StoreError> {
        let mut changed = None;
        for (variable, path, content) in &self.files {
            if read(path) != *content {
                restore_file(path, content.as_deref()).map_err(io_error("restore", path))?;
                changed = Some(*variable);
            }
        }
        changed.map_or(Ok(()), |variable| Err(StoreError::JobFile { variable }))
    }
}

/// A link is not followed: it could lead anywhere.
fn read(path: &Path) -> Option<Vec<u8>> {
    read_ordinary_file(path).ok().flatten()
}

fn restore_file(path: &Path, content: Option<&[u8]>) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => fs::remove_dir_all(path)?,
        Ok(_) => fs::remove_file(path)?,
        Err(_) => {}
    }
    content.map_or(Ok(()), |content| fs::write(path, content))
}

#[cfg(test)]
mod tests;
