//! Puts the one commit of a finalized run in the place of the run's commits: on the server, then here; then the run's files
//! go. The record says before what is to be done, so the same command ends what was cut short. Decides nothing about the run.

use std::path::Path;

use super::door::Door;
use super::failure::Failure;
use super::fetched::REMOTE;
use super::{forge_connection, hold};
use git::{Branch, CommitId, RunWorkspace, Workspace, retry};
use journal::store::common_dir::{FinalizedRun, PendingRewrite, RunLocation};
use journal::store::folders::RunFolder;
use model::issue::IssueNumber;

/// Returns the record of a rewrite that was cut short. Where nothing was rewritten yet, or somebody went on with the run
/// since, there is none: the run is still there, and is finalized anew.
pub(super) fn cut_short(door: &Door, issue: IssueNumber) -> Result<Option<FinalizedRun>, Failure> {
    let Some(record) = FinalizedRun::read(door.workspace.common(), issue)? else { return Ok(None) };
    let (Some(left), Some(branch)) = (&record.left, door.workspace.branches().find(&record.branch)?) else {
        return Ok(None);
    };
    let begun = match branch.tip.as_str() {
        tip if tip == record.commit => true,
        tip if tip == left.before => left.on_server && server_has(door, &record)?,
        _ => !has_log(door, issue, &branch)?,
    };
    Ok(begun.then_some(record))
}

fn server_has(door: &Door, record: &FinalizedRun) -> Result<bool, Failure> {
    let credentials = forge_connection::credentials();
    let tip = door.workspace.remote(REMOTE, credentials.as_ref()).fetch(&record.branch)?;
    Ok(tip.is_some_and(|tip| tip.as_str() == record.commit))
}

fn has_log(door: &Door, issue: IssueNumber, branch: &Branch) -> Result<bool, Failure> {
    Ok(door.workspace.objects().read(&branch.tip, &RunFolder::new("", issue).events())?.is_some())
}

/// Ends a rewrite that was cut short.
pub(super) fn finish(door: &Door, record: &FinalizedRun) -> Result<(), Failure> {
    let _lock = hold::lock(door, record.issue)?;
    let branch = door.workspace.branches().find(&record.branch)?;
    let root = branch.and_then(|branch| branch.worktree);
    let workspace = match root.as_ref().filter(|root| *root != door.root()) {
        Some(root) => Workspace::open(root)?,
        None => door.workspace.clone(),
    };
    let _checkout = match root {
        Some(_) => Some(hold::lock_checkout(door, record.issue, &workspace)?),
        None => None,
    };
    carry_out(door, &workspace.for_issue(record.issue), record)
}

/// Does what the record says is left, and writes that it is done.
pub(super) fn carry_out(door: &Door, space: &RunWorkspace, record: &FinalizedRun) -> Result<(), Failure> {
    let common = door.workspace.common();
    if let Some(left) = &record.left {
        record.write(common)?;
        replace(door, space, record, left)?;
        if !left.keep_files {
            remove_files(door, space.workspace(), record)?;
        }
        space.clean_worktree().remove()?;
        space.work().release_trees()?;
    }
    RunLocation::remove(common, record.issue)?;
    Ok(FinalizedRun { left: None, ..record.clone() }.write(common)?)
}

/// The server comes first: what it refuses changes nothing here.
fn replace(
    door: &Door,
    space: &RunWorkspace,
    record: &FinalizedRun,
    left: &PendingRewrite,
) -> Result<(), Failure> {
    let before = CommitId::try_from(left.before.as_str())?;
    let after = CommitId::try_from(record.commit.as_str())?;
    let branch = door.workspace.branches().find(&record.branch)?;
    if before == after || branch.is_none_or(|branch| branch.tip != before) {
        return Ok(());
    }
    if left.on_server {
        let (credentials, pair) = (forge_connection::credentials(), Some((&before, &after)));
        retry(|| space.workspace().remote(REMOTE, credentials.as_ref()).push(&record.branch, pair))?;
    }
    Ok(space.run_branch().move_to(&before, &after)?)
}

/// Removes the run's files where the branch is checked out: with the log also prompts, answers and raw streams, which belong
/// to nobody now.
fn remove_files(door: &Door, workspace: &Workspace, record: &FinalizedRun) -> Result<(), Failure> {
    let branch = door.workspace.branches().find(&record.branch)?;
    if branch.is_none_or(|branch| branch.worktree.is_none()) {
        return Ok(());
    }
    workspace.worktree().reset_index()?;
    let folder = RunFolder::new(workspace.root(), record.issue);
    remove_folder(&folder.at(&folder.relative()))
}

fn remove_folder(path: &Path) -> Result<(), Failure> {
    match std::fs::remove_dir_all(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(Failure::usage(format!("failed to remove {}: {error}", path.display())))
        }
        _ => Ok(()),
    }
}
