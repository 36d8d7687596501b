//! Takes the branch out of what was handed over, and judges it: where it stands, what its log says, what its commits hold.

use std::path::Path;

use super::history::LoggedRun;
use super::refused;
use super::statements::EventRequest;
use crate::base_branch;
use crate::failure::Result;
use crate::forge_connection;
use crate::project::Project;
use git::{CommitId, RunWorkspace};
use model::event::{Fact, PauseReason, branch_of};

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
pub fn verify(project: &Project, file: &Path, head: &str, event: &EventRequest) -> Result<VerifiedBundle> {
    let space = project.workspace.for_issue(event.issue);
    let handed = fetch(&space, file, head);
    let verified = handed.and_then(|handed| judge(project, handed, event));
    space.bundles().forget()?;
    verified
}

fn fetch(space: &RunWorkspace, file: &Path, head: &str) -> Result<CommitId> {
    let refuse = |why: &str| Err(refused("E_BUNDLE_HEADS", why));
    let broken = |error: git::Error| refused("E_BUNDLE_GIT", &format!("git does not take it: {error}"));
    let heads = space.bundles().heads(file).map_err(broken)?;
    let wanted = format!("refs/heads/{}", space.branch());
    let work = space.work().reference();
    // The files of a phase under way are no branch, and judged as they are.
    let branches: Vec<_> = heads.iter().filter(|(name, _)| *name != work).collect();
    match branches.as_slice() {
        [(name, id)] if *name == wanted && id == head => {}
        [_] => return refuse("it does not hold the branch of this issue's run as it is said to"),
        heads => return refuse(&format!("it holds {} branches and not one", heads.len())),
    }
    let taken = space.bundles().fetch(file).map_err(broken)?;
    if taken.as_str() == head { Ok(taken) } else { refuse("it leads to another commit than it says") }
}

fn judge(project: &Project, handed: CommitId, event: &EventRequest) -> Result<VerifiedBundle> {
    let (issue, history) = (event.issue, project.workspace.history());
    let origin = forge_connection::fetch(project, &branch_of(issue))?;
    let logged = LoggedRun::read(project, issue, &handed)?;
    let base = CommitId::try_from(logged.run.started.base_commit.as_str())
        .map_err(|_| refused("E_BUNDLE_BASE", "its log names no commit as its base"))?;
    stands_on_base(&logged, &base)?;
    match &origin {
        None => goes_where_settings_say(&logged)?,
        Some(origin) if history.is_ancestor(&handed, origin)? => {
            LoggedRun::read(project, issue, origin)?.judge_work()?;
            return Ok(VerifiedBundle { handed, tip: origin.clone(), asks_for_more: false });
        }
        Some(origin) if !history.is_ancestor(origin, &handed)? => {
            let why = "origin has commits on the run's branch that it does not have";
            return Err(refused("E_BUNDLE_DIVERGED", why));
        }
        Some(_) => {}
    }
    let added = logged.added_entries(origin.as_ref())?;
    logged.refuse_other_commits(&added.entries, &base)?;
    logged.judge_statements(&added, event)?;
    let after = origin.as_ref().unwrap_or(&base);
    logged.judge_contents(after)?;
    logged.judge_work()?;
    logged.judge_messages(after)?;
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
fn goes_where_settings_say(logged: &LoggedRun) -> Result<()> {
    let head = logged.project.workspace.worktree().survey()?.head;
    let base = base_branch::choose(logged.project, &head, logged.issue())?.base;
    if base.branch == logged.run.started.base_branch {
        return Ok(());
    }
    Err(refused("E_BUNDLE_BASE", &format!("it is for another branch than {}", base.branch)))
}

/// The run has to stand on a commit of the branch that its pull request is to be merged into, as origin has it.
fn stands_on_base(logged: &LoggedRun, base: &CommitId) -> Result<()> {
    let refuse = |why: &str| Err(refused("E_BUNDLE_BASE", why));
    let (name, history) = (&logged.run.started.base_branch, logged.project.workspace.history());
    if git::check_branch_name(name).is_err() {
        return refuse("its log names no branch as its base");
    }
    let Some(on_origin) = forge_connection::fetch(logged.project, name)? else {
        return refuse("its base branch is not on origin");
    };
    if !history.is_ancestor(base, &on_origin)? {
        return refuse("origin's base branch does not have the commit that it stands on");
    }
    if !history.is_ancestor(base, &logged.commit)? {
        return refuse("it does not stand on the commit that its log names");
    }
    Ok(())
}
