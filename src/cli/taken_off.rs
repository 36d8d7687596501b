//! A run whose log was taken off its branch by a commit, as `git revert` of its commits does: the run is not there any more,
//! and neither is nothing. Says what to do about it, and does none of it.

use super::door::Door;
use super::failure::{Failure, Kind};
use journal::store::folders::RunFolder;
use model::event::branch_of;
use model::issue::IssueNumber;

/// Says that the log was taken off the run's branch, where it was.
pub(super) fn told(door: &Door, issue: IssueNumber) -> Result<Option<Failure>, Failure> {
    let (branch, folder) = (branch_of(issue), RunFolder::new("", issue));
    let Some(found) = door.workspace.branches().find(&branch)? else { return Ok(None) };
    let Some(commit) = door.workspace.history().removal_of(&found.tip, &folder.events())? else {
        return Ok(None);
    };
    let commit = &commit.as_str()[..9];
    let told = format!("{} was taken off `{branch}` by the commit {commit}", folder.events());
    let back = format!("git checkout {commit}~1 -- {}", folder.relative());
    Ok(Some(
        Failure::new(Kind::State, told)
            .hint(format!("to go on from there, bring it back on that branch: `{back}`"))
            .hint(format!("to begin anew, give the branch another name: `git branch -m {branch} NAME`")),
    ))
}
