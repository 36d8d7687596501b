//! What a person does where git's folder is gone, and the log in the worktree is intact. Nothing is brought back here.

use std::fs;
use std::path::{Path, PathBuf};

use crate::failure::Failure;
use git::Error;
use journal::store::folders::HOME;
use journal::store::log;

/// Says why a repository cannot be opened, and what is intact where it has the log of a run.
pub(crate) fn open_failure(here: &Path, error: Error) -> Failure {
    let lost =
        matches!(error, Error::NotARepository { .. } | Error::NoCommits { .. } | Error::LostObjects { .. });
    match find_log(here) {
        Some((root, log)) if lost => lost_history(&root, &log),
        _ => error.into(),
    }
}

fn lost_history(root: &Path, log: &Path) -> Failure {
    let (git_dir, rescued) = (root.join(".git"), root.join("rescued"));
    // What is left of the old folder is kept inside of the new one: in the worktree it would be work of the run.
    let keep = if git_dir.exists() {
        format!("mv {} {}/.git/damaged && ", git_dir.display(), rescued.display())
    } else {
        String::new()
    };
    Failure::state(format!(
        "the commits of {} are gone, because {} is missing, new or without objects; the log of a run, {}, and the files in \
         the worktree are intact",
        root.display(),
        git_dir.display(),
        log.display()
    ))
    .hint(format!(
        "bring git's folder back from another clone, named in place of PATH_OR_URL, with \
         `git clone -q --no-checkout PATH_OR_URL {rescued} && {keep}mv {rescued}/.git {git} && rmdir {rescued}`, and run again",
        rescued = rescued.display(),
        git = git_dir.display()
    ))
}

/// Returns the worktree that a folder lies in and the intact log of a run in it.
fn find_log(here: &Path) -> Option<(PathBuf, PathBuf)> {
    let in_root = |root: &Path| {
        let runs = fs::read_dir(root.join(HOME)).ok()?;
        let logs = runs.flatten().map(|run| run.path().join("events.jsonl"));
        let mut intact = logs.filter(|log| log::read_file(log).is_ok_and(|found| !found.entries.is_empty()));
        Some((root.to_owned(), intact.next()?))
    };
    here.ancestors().find_map(in_root)
}
