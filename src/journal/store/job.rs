//! Guards the files by which a step tells the runner of GitHub Actions what later steps shall see: variables, folders of
//! programs, outputs. An agent is not told where they are, but it could look; what it writes there is taken out again.

use std::fs;
use std::path::{Path, PathBuf};

use super::{StoreError, failed};

/// The variables that name such files. Nobody writes them while agents work; the page of the job is not among them: it
/// is shown, and nothing obeys it.
pub const GUARDED: [&str; 4] = ["GITHUB_ENV", "GITHUB_OUTPUT", "GITHUB_PATH", "GITHUB_STATE"];

/// What stood in the files before agents worked.
#[derive(Debug, Clone, Default)]
pub struct JobSeal {
    files: Vec<(&'static str, PathBuf, Option<Vec<u8>>)>,
}

impl JobSeal {
    /// Remembers the files; outside a job there are none.
    pub fn of(path: impl Fn(&str) -> Option<PathBuf>) -> Self {
        let files = GUARDED.iter().filter_map(|variable| {
            let path = path(variable)?;
            let content = read(&path);
            Some((*variable, path, content))
        });
        Self { files: files.collect() }
    }

    /// Puts back what was changed, and says so.
    pub fn verify(&self) -> Result<(), StoreError> {
        let mut changed = None;
        for (variable, path, content) in &self.files {
            if read(path) != *content {
                put_back(path, content.as_deref()).map_err(failed("restore", path))?;
                changed = Some(*variable);
            }
        }
        changed.map_or(Ok(()), |variable| Err(StoreError::JobFile { variable }))
    }
}

/// A link is not followed: it could lead anywhere.
fn read(path: &Path) -> Option<Vec<u8>> {
    let plain = fs::symlink_metadata(path).is_ok_and(|found| found.is_file());
    plain.then(|| fs::read(path).ok()).flatten()
}

fn put_back(path: &Path, content: Option<&[u8]>) -> std::io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => fs::remove_dir_all(path)?,
        Ok(_) => fs::remove_file(path)?,
        Err(_) => {}
    }
    content.map_or(Ok(()), |content| fs::write(path, content))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guarded() -> (tempfile::TempDir, JobSeal) {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("GITHUB_ENV"), "OURS=1\n").expect("a file");
        fs::write(folder.path().join("GITHUB_PATH"), "").expect("a file");
        let seal = JobSeal::of(|name| (name != "GITHUB_STATE").then(|| folder.path().join(name)));
        (folder, seal)
    }

    #[test]
    fn w_05_what_somebody_else_writes_for_later_steps_is_taken_out_and_told() {
        let (folder, seal) = guarded();
        assert!(seal.verify().is_ok());
        fs::write(folder.path().join("GITHUB_ENV"), "OURS=1\nLD_PRELOAD=/tmp/x.so\n").expect("a file");
        fs::write(folder.path().join("GITHUB_OUTPUT"), "conclusion=success\n").expect("a file");
        let told = seal.verify().expect_err("they were changed").to_string();
        assert!(told.starts_with("E_JOB_FILES_CHANGED: "), "{told}");
        assert_eq!(fs::read_to_string(folder.path().join("GITHUB_ENV")).expect("a file"), "OURS=1\n");
        assert!(!folder.path().join("GITHUB_OUTPUT").exists());
        assert!(seal.verify().is_ok());
    }

    #[test]
    fn w_05_a_link_in_the_place_of_the_file_is_not_followed() {
        let (folder, seal) = guarded();
        let (path, other) = (folder.path().join("GITHUB_PATH"), folder.path().join("other"));
        fs::write(&other, "").expect("a file");
        fs::remove_file(&path).expect("it goes");
        std::os::unix::fs::symlink(&other, &path).expect("a link");
        assert!(seal.verify().is_err());
        assert!(fs::symlink_metadata(&path).expect("a file").is_file());
    }

    #[test]
    fn outside_a_job_there_is_nothing_to_guard() {
        assert!(JobSeal::of(|_| None).verify().is_ok());
    }
}
