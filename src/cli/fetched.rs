//! A run that another machine worked on: its branch is on origin, and nothing of it is here. The log is on the branch, so
//! the branch is all that is needed to go on.

use super::door::Door;
use super::failure::Failure;
use super::{finalized, forge_connection};
use journal::store::folders::RunFolder;
use model::event::branch_of;
use model::issue::IssueNumber;
use settings::{ForgeKind, PushWhen};

/// Where a run's branch is pushed to.
pub(super) const REMOTE: &str = "origin";

/// Brings the branch of a run from origin; tells whether there was one. A branch without a log is not built on.
pub(super) fn bring(door: &Door, issue: IssueNumber) -> Result<bool, Failure> {
    let apart = door.settings.push == Some(PushWhen::Never) || door.settings.forge == Some(ForgeKind::Local);
    // A forge that cannot be used is told by whoever needs it.
    if apart
        || !forge_connection::of_issue(door, issue).is_ok_and(|forge| forge.is_remote())
        || door.workspace.origin().address()?.is_none()
        || finalized::of(door, issue)?.is_some()
    {
        return Ok(false);
    }
    let branch = branch_of(issue);
    let credentials = forge_connection::credentials();
    let Some(tip) = door.workspace.remote(REMOTE, credentials.as_ref()).fetch(&branch)? else {
        return Ok(false);
    };
    let log = RunFolder::new("", issue).events();
    if door.workspace.objects().read(&tip, &log)?.is_none() {
        return Err(Failure::usage(format!(
            "origin has a branch `{branch}` that holds no run, or one that was finalized"
        ))
        .hint(format!("look at it, and remove it with `git push origin --delete {branch}` to begin anew")));
    }
    door.workspace.branches().fast_forward(&branch, &tip)?;
    tracing::info!("The run of issue #{issue} is taken over from origin at {}", &tip.as_str()[..9]);
    Ok(true)
}
