//! What a person does where git's folder or the commits of a run are gone, and the log in the worktree is intact. Nothing is
//! brought back here, and no run goes on without its commits.

use std::fs;
use std::path::{Path, PathBuf};

use crate::failure::{Failure, Result};
use crate::locked_run::LockedRun;
use git::{CommitId, Error};
use journal::store::folders::HOME;
use journal::store::log;
use model::issue::run_branch_name;

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

/// Refuses to go on with a run whose commits are not in this repository, or whose branch was lost where HEAD is not on top of
/// them: it would go on without the work that it counts as done.
pub(crate) fn refuse_lost_commits(locked: &LockedRun) -> Result<()> {
    let (run, workspace) = (locked.run(), locked.space.workspace());
    let (head, branch) =
        (CommitId::try_from(run.branch.head.as_str())?, run_branch_name(locked.folder.issue()));
    let found = workspace.branches().find(&branch)?;
    let committed = found.as_ref().map(|found| workspace.read_file(&found.tip, &locked.folder.events()));
    if committed.transpose()?.flatten().is_some() {
        return Ok(());
    }
    let (short, log) = (&head.as_str()[..9], locked.folder.at(&locked.folder.events()));
    let go_there = format!("git symbolic-ref HEAD refs/heads/{branch} && git reset -q");
    if !workspace.has_tree(&head.as_tree())? {
        let folder = locked.folder.at(&locked.folder.relative());
        let message =
            format!("the commit {short} of the run is not in this repository; {} is intact", log.display());
        return Err(Failure::state(message)
            .hint(format!(
                "bring it back from a clone that has it, named in place of PATH_OR_URL, with \
                 `git fetch -q PATH_OR_URL +{branch}:refs/rescued/{branch} && git update-ref refs/heads/{branch} \
                 refs/rescued/{branch} && {go_there}`, and run again"
            ))
            .hint(format!("or begin anew: move the run away with `mv {folder} {folder}.lost`", folder = folder.display())));
    }
    if found.is_none() && !workspace.history().is_ancestor(&head, &workspace.read_state()?.head.commit)? {
        let message =
            format!("the branch {branch} is gone; its last commit {short} and {} are intact", log.display());
        return Err(Failure::state(message).hint(format!(
            "make the branch again with `git update-ref refs/heads/{branch} {head} && {go_there}`, and run again"
        )));
    }
    Ok(())
}
