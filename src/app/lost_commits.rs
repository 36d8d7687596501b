//! Refuses to go on with a run whose commits are gone, and says how a person brings them back.

use crate::failure::{Failure, Result};
use crate::locked_run::LockedRun;
use git::CommitId;
use model::issue::run_branch_name;

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
