//! Takes the branch out of what was handed over, and judges it: where it stands, what its log says, what its commits hold.

use std::path::Path;

use super::statements::{self, EventRequest};
use super::{commits, history, refused};
use crate::failure::Failure;
use crate::project::Project;
use crate::run_location::REMOTE;
use crate::{base_branch, forge_connection};
use engine::Run;
use git::CommitId;
use model::event::{Fact, PauseReason, branch_of};
use model::issue::IssueNumber;

/// What may be published of a bundle.
pub struct VerifiedBundle {
    /// The commit that was handed over.
    pub handed: CommitId,
    /// Where the branch goes on: there, or where an earlier process has brought it since.
    pub tip: CommitId,
    /// The time of the job that worked was over, for all that is new.
    pub asks_for_more: bool,
}

/// Takes the branch out of a file and verifies it; its maker says to which commit it leads, and `event` is what it was made
/// for.
pub fn verify(
    project: &Project,
    issue: IssueNumber,
    (file, head): (&Path, &str),
    event: &EventRequest,
) -> Result<VerifiedBundle, Failure> {
    let space = project.workspace.for_issue(issue);
    let handed = fetch(project, issue, file, head);
    let verified = handed.and_then(|handed| judge(project, issue, handed, event));
    space.bundles().forget()?;
    verified
}

fn fetch(project: &Project, issue: IssueNumber, file: &Path, head: &str) -> Result<CommitId, Failure> {
    let heads = project.workspace.for_issue(issue).bundles().heads(file).map_err(|error| broken(&error))?;
    let wanted = format!("refs/heads/{}", branch_of(issue));
    let work = project.workspace.for_issue(issue).work().reference();
    // The files of a phase under way are no branch, and judged as they are.
    let branches: Vec<_> = heads.iter().filter(|(name, _)| *name != work).collect();
    match branches.as_slice() {
        [(name, id)] if *name == wanted && id == head => {}
        [_] => {
            return Err(refused(
                "E_BUNDLE_HEADS",
                "it does not hold the branch of this issue's run as it is said to",
            ));
        }
        heads => {
            return Err(refused("E_BUNDLE_HEADS", &format!("it holds {} branches and not one", heads.len())));
        }
    }
    let taken = project.workspace.for_issue(issue).bundles().fetch(file).map_err(|error| broken(&error))?;
    if taken.as_str() == head {
        Ok(taken)
    } else {
        Err(refused("E_BUNDLE_HEADS", "it leads to another commit than it says"))
    }
}

fn broken(error: &git::Error) -> Failure {
    refused("E_BUNDLE_GIT", &format!("git does not take it: {error}"))
}

fn judge(
    project: &Project,
    issue: IssueNumber,
    handed: CommitId,
    event: &EventRequest,
) -> Result<VerifiedBundle, Failure> {
    let credentials = forge_connection::credentials();
    let origin = project.workspace.remote(REMOTE, credentials.as_ref()).fetch(&branch_of(issue))?;
    let (run, entries) = history::run_at(project, issue, &handed)?;
    let base = CommitId::try_from(run.started.base_commit.as_str())
        .map_err(|_| refused("E_BUNDLE_BASE", "its log names no commit as its base"))?;
    stands_on_base(project, &run, &base, &handed)?;
    match &origin {
        None => goes_where_settings_say(project, &run)?,
        Some(origin) if project.workspace.history().is_ancestor(&handed, origin)? => {
            let (run, entries) = history::run_at(project, issue, origin)?;
            commits::judge_work(project, issue, &run, &entries, origin)?;
            return Ok(VerifiedBundle { handed, tip: origin.clone(), asks_for_more: false });
        }
        Some(origin) if !project.workspace.history().is_ancestor(origin, &handed)? => {
            return Err(refused(
                "E_BUNDLE_DIVERGED",
                "origin has commits on the run's branch that it does not have",
            ));
        }
        Some(_) => {}
    }
    let added = history::added_entries(project, issue, &handed, origin.as_ref())?;
    history::refuse_other_commits(project, &run, &added.entries, (&base, &handed))?;
    statements::judge(project, &run, &added, event)?;
    let after = origin.as_ref().unwrap_or(&base);
    commits::judge_contents(project, issue, &run, (after, &handed))?;
    commits::judge_work(project, issue, &run, &entries, &handed)?;
    commits::judge_messages(project, &run, entries.len(), (after, &handed))?;
    let all = || added.entries.iter().map(|entry| &entry.fact);
    // Who did nothing would be started again for nothing.
    let worked = all().any(|fact| matches!(fact, Fact::StepStarted(_)));
    let asks_for_more = worked && all().any(asks_for_more);
    Ok(VerifiedBundle { tip: handed.clone(), handed, asks_for_more })
}

fn asks_for_more(fact: &Fact) -> bool {
    let Fact::Paused { escalation } = fact else { return false };
    matches!(escalation.reason, PauseReason::JobLimit | PauseReason::RateLimit)
}

/// Of a run that origin knows, its own log says where it goes.
fn goes_where_settings_say(project: &Project, run: &Run) -> Result<(), Failure> {
    let head = project.workspace.worktree().survey()?.head;
    let base = base_branch::choose(project, &head, run.started.issue.number)?.base;
    if base.branch == run.started.base_branch {
        return Ok(());
    }
    Err(refused("E_BUNDLE_BASE", &format!("it is for another branch than {}", base.branch)))
}

/// The run has to stand on a commit of the branch that its pull request is to be merged into, as origin has it.
fn stands_on_base(project: &Project, run: &Run, base: &CommitId, handed: &CommitId) -> Result<(), Failure> {
    let refuse = |why: &str| Err(refused("E_BUNDLE_BASE", why));
    let name = &run.started.base_branch;
    if git::check_branch_name(name).is_err() {
        return refuse("its log names no branch as its base");
    }
    let credentials = forge_connection::credentials();
    let Some(on_origin) = project.workspace.remote(REMOTE, credentials.as_ref()).fetch(name)? else {
        return refuse("its base branch is not on origin");
    };
    if !project.workspace.history().is_ancestor(base, &on_origin)? {
        return refuse("origin's base branch does not have the commit that it stands on");
    }
    if !project.workspace.history().is_ancestor(base, handed)? {
        return refuse("it does not stand on the commit that its log names");
    }
    Ok(())
}
