//! Removes a run: its branch, its worktree, its files. What is not over, and what would take work of the user's with it, is
//! removed only when forced.

use std::fs;
use std::path::PathBuf;

use crate::failure::{Failure, FailureKind};
use crate::forge_connection::{self, REMOTE};
use crate::locked_run::{lock_checkout, lock_issue, remove_lock};
use crate::project::Project;
use crate::run_location::{RunView, finalized, no_run, view};
use crate::run_worktree::refuse_dirty;
use engine::Run;
use git::{CommitId, RunWorkspace, Workspace, is_engines_own, retry};
use journal::store::common_dir::{FinalizedRun, RunLocation, issue_folder};
use journal::store::folders::RunFolder;
use journal::store::lock::{CheckoutLock, Lock};
use model::event::{Outcome, branch_of};
use model::issue::IssueNumber;
use runner::has_shared_work;

/// What a cleanup is about.
struct Plan {
    issue: IssueNumber,
    /// Where the run's files are, if they are checked out.
    root: Option<PathBuf>,
    base: String,
    linked: bool,
    /// Files of a phase under way may be on origin.
    shared: bool,
}

/// What is to be removed.
#[derive(Debug, Clone)]
pub struct CleanupRequest {
    /// The issue of the run.
    pub issue: IssueNumber,
    /// Remove prompts, answers and raw streams only.
    pub logs_only: bool,
    /// Remove the run although it is not over.
    pub force: bool,
    /// Change nothing.
    pub dry_run: bool,
}

/// What was removed, or would be.
#[derive(Debug, Clone)]
pub enum Cleanup {
    /// The run.
    Run {
        /// What is done, one sentence each.
        steps: Vec<String>,
        /// Where its branch stood.
        tip: Option<CommitId>,
    },
    /// Prompts, answers and raw streams.
    Logs {
        /// Their folders.
        folders: Vec<PathBuf>,
    },
}

/// Removes a run.
pub fn clean_up(project: &Project, request: &CleanupRequest) -> Result<Cleanup, Failure> {
    let issue = request.issue;
    if let Some(record) = finalized(project, issue)? {
        return clean_up_finalized(project, &record, request);
    }
    let view = view(project, issue)?;
    let lock = lock_issue(project, issue)?;
    let run = view.state.run.as_ref().ok_or_else(|| no_run(issue))?;
    let linked = view.root.as_ref().is_some_and(|root| root != project.root());
    // What a completed run had there is gone.
    let shared = has_shared_work(run) && run.outcome != Outcome::Completed;
    let plan = Plan { issue, root: view.root.clone(), base: run.started.base_branch.clone(), linked, shared };
    if request.logs_only {
        return logs_only(project, &plan, run, request);
    }
    let tip = project.workspace.branches().find(&branch_of(issue))?.map(|branch| branch.tip);
    if !request.force {
        refuse_unfinished(run)?;
        refuse_work_of_others(project, &plan, &view, run, tip.as_ref())?;
    }
    remove_unless_rehearsed(project, &plan, lock, tip.as_ref(), request)
}

/// Removes what is left of a run that was finalized: its branch and the record of it.
fn clean_up_finalized(
    project: &Project,
    record: &FinalizedRun,
    request: &CleanupRequest,
) -> Result<Cleanup, Failure> {
    let issue = record.issue;
    let lock = lock_issue(project, issue)?;
    let branch = project.workspace.branches().find(&record.branch)?;
    let tip = branch.as_ref().map(|branch| branch.tip.clone());
    let root = branch.and_then(|branch| branch.worktree);
    let linked = root.as_ref().is_some_and(|root| root != project.root());
    let plan = Plan { issue, root, base: record.base_branch.clone(), linked, shared: false };
    if !request.force {
        if let Some(tip) = tip.as_ref().filter(|tip| tip.as_str() != record.commit) {
            return Err(not_of_the_run(tip, &record.branch, &record.commit));
        }
        if let Some(root) = &plan.root
            && plan.linked
        {
            refuse_unsaved(&Workspace::open(root)?, issue)?;
        }
    }
    remove_unless_rehearsed(project, &plan, lock, tip.as_ref(), request)
}

/// Removes what was planned, or only says what that is.
fn remove_unless_rehearsed(
    project: &Project,
    plan: &Plan,
    lock: Lock,
    tip: Option<&CommitId>,
    request: &CleanupRequest,
) -> Result<Cleanup, Failure> {
    let steps = steps(project, plan, tip);
    if !request.dry_run {
        let checkout = lock_worktree(project, plan)?;
        remove(project, plan)?;
        if let Some(checkout) = checkout {
            checkout.release();
        }
        remove_lock(project, plan.issue, lock);
    }
    Ok(Cleanup::Run { steps, tip: tip.cloned() })
}

/// A worktree from which files go must not be one that another run works in.
fn lock_worktree(project: &Project, plan: &Plan) -> Result<Option<CheckoutLock>, Failure> {
    let workspace = match &plan.root {
        Some(root) if plan.linked => Workspace::open(root)?,
        Some(_) => project.workspace.clone(),
        None => return Ok(None),
    };
    lock_checkout(project, plan.issue, &workspace).map(Some)
}

fn refuse_unfinished(run: &Run) -> Result<(), Failure> {
    let over = matches!(
        run.outcome,
        Outcome::Completed | Outcome::Cancelled | Outcome::Failed | Outcome::Incomplete
    );
    if over {
        return Ok(());
    }
    Err(Failure::usage(format!("the run is {}", run.outcome.as_str()))
        .hint("end it with `ai-workflow cancel` first, or add `--force`"))
}

/// Refuses when files or commits would go that no part of the run has made.
fn refuse_work_of_others(
    project: &Project,
    plan: &Plan,
    view: &RunView,
    run: &Run,
    tip: Option<&CommitId>,
) -> Result<(), Failure> {
    let branch = branch_of(plan.issue);
    let space = project.workspace.for_issue(plan.issue);
    if let Some(tip) = tip {
        refuse_foreign_commit(&space, view, run, tip, &branch)?;
    }
    let Some(root) = &plan.root else { return Ok(()) };
    if !plan.linked {
        return Ok(());
    }
    let linked = Workspace::open(root)?;
    let head = linked.worktree().survey()?.head;
    if head.branch.is_none() && tip != Some(&head.commit) {
        refuse_foreign_commit(&space, view, run, &head.commit, "HEAD")?;
    }
    refuse_unsaved(&linked, plan.issue)
}

/// Refuses a commit that is not the run's. Its record commits stand in no fact, only their trailers name them.
fn refuse_foreign_commit(
    space: &RunWorkspace,
    view: &RunView,
    run: &Run,
    tip: &CommitId,
    place: &str,
) -> Result<(), Failure> {
    let commits = run.phases.iter().filter_map(|phase| phase.files.commit.as_deref());
    let mut known = commits.chain([run.branch.head.as_str(), run.started.base_commit.as_str()]);
    if known.any(|commit| commit == tip.as_str()) {
        return Ok(());
    }
    let last = last_commit(space, view, run)?;
    if last.as_ref() == Some(tip) {
        return Ok(());
    }
    let since = last.map_or_else(|| run.branch.head.clone(), |last| last.to_string());
    Err(not_of_the_run(tip, place, &since))
}

fn not_of_the_run(tip: &CommitId, place: &str, since: &str) -> Failure {
    let (since, tip) = (short(since), short(tip.as_str()));
    Failure::usage(format!("the commit {tip} at {place} is not of the run")).hint(format!(
        "`git log {since}..{tip}` shows what would be lost; keep it with `git branch NAME {tip}`, then add `--force`"
    ))
}

/// Returns the newest commit of the branch that carries the run's trailers.
fn last_commit(space: &RunWorkspace, view: &RunView, run: &Run) -> Result<Option<CommitId>, Failure> {
    for seq in (0..=view.state.seq).rev() {
        if let Some((commit, _)) = space.run_branch().find_commit(&run.started.run_id, seq)? {
            return Ok(Some(commit));
        }
    }
    Ok(None)
}

/// Refuses a worktree in which something is that only there exists. The run's own folder goes with the run.
fn refuse_unsaved(linked: &Workspace, issue: IssueNumber) -> Result<(), Failure> {
    let survey = linked.worktree().survey()?;
    let snapshot = linked.for_issue(issue).snapshots().take(None)?;
    let folder = format!("{}/", RunFolder::new(linked.root(), issue).relative());
    let of_run = |path: &String| path.starts_with(&folder) || is_engines_own(path);
    let differing = snapshot.uncommitted.into_keys().filter(|path| !of_run(path));
    let mut lost: Vec<String> = differing.chain(snapshot.left_out).chain(survey.moved_submodules).collect();
    lost.sort();
    lost.dedup();
    if let (true, None) = (lost.is_empty(), survey.in_progress) {
        return Ok(());
    }
    let root = linked.root().display();
    let what = survey.in_progress.map(|what| format!(" and a {what} in progress")).unwrap_or_default();
    Err(Failure::usage(format!("the worktree {root} has changes that are not committed{what}")).hint(
        format!(
            "they would be lost: {}; commit them elsewhere or move them away, or add `--force`",
            some_of(&lost)
        ),
    ))
}

fn some_of(paths: &[String]) -> String {
    const SHOWN: usize = 10;
    let shown = paths.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
    match paths.len() {
        0 => "what is in progress".into(),
        1..=SHOWN => shown,
        all => format!("{shown} and {} more", all - SHOWN),
    }
}

fn short(commit: &str) -> &str {
    commit.get(..9).unwrap_or(commit)
}

fn steps(project: &Project, plan: &Plan, tip: Option<&CommitId>) -> Vec<String> {
    let branch = branch_of(plan.issue);
    let mut steps = Vec::new();
    match &plan.root {
        Some(root) if plan.linked => steps.push(format!("remove the worktree {}", root.display())),
        Some(_) => {
            steps.push(format!("go back to {} and remove .ai-workflow/issue-{}", plan.base, plan.issue));
        }
        None => {}
    }
    if let Some(tip) = tip {
        let short = short(tip.as_str());
        steps.push(format!("remove the branch {branch} (`git branch {branch} {short}` brings it back)"));
    }
    if plan.shared {
        let reference = project.workspace.for_issue(plan.issue).work().reference();
        steps.push(format!("remove {reference} on {REMOTE}"));
    }
    steps
}

fn remove(project: &Project, plan: &Plan) -> Result<(), Failure> {
    let space = project.workspace.for_issue(plan.issue);
    space.clean_worktree().remove()?;
    space.work().release_trees()?;
    if plan.shared
        && let Err(error) = retry(|| {
            space.work().recall(&space.workspace().remote(REMOTE, forge_connection::credentials().as_ref()))
        })
    {
        tracing::warn!("{} on {REMOTE} is not removed: {error}", space.work().reference());
    }
    match &plan.root {
        Some(root) if plan.linked => project.workspace.worktree().remove_linked(root)?,
        Some(_) => leave_checkout(&project.workspace, plan)?,
        None => {}
    }
    if project.workspace.branches().find(&branch_of(plan.issue))?.is_some() {
        project.workspace.branches().delete(&branch_of(plan.issue))?;
    }
    RunLocation::remove(project.workspace.common(), plan.issue)?;
    // Snapshots and locks of the run; what cannot be removed here is in nobody's way.
    let _ = fs::remove_dir_all(issue_folder(project.workspace.common(), plan.issue));
    Ok(())
}

/// Takes the run's files away and goes back to the base; changes of the user's own are refused, not lost.
fn leave_checkout(workspace: &Workspace, plan: &Plan) -> Result<(), Failure> {
    let survey = workspace.worktree().survey()?;
    let on_branch = survey.head.branch.as_deref() == Some(branch_of(plan.issue).as_str());
    if on_branch {
        refuse_dirty(workspace).map_err(|failure| Failure { hints: vec!["what the agent left unfinished can be kept with `git stash`, or thrown away with `git checkout -- .`".into()], ..failure })?;
        let folder = RunFolder::new(workspace.root(), plan.issue);
        workspace.worktree().discard_changes_below(&folder.relative())?;
        workspace.branches().switch(&plan.base)?;
    }
    remove_files(workspace, plan.issue)
}

fn remove_files(workspace: &Workspace, issue: IssueNumber) -> Result<(), Failure> {
    let folder = RunFolder::new(workspace.root(), issue);
    let path = folder.at(&folder.relative());
    match fs::remove_dir_all(&path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(Failure::new(FailureKind::State, format!("failed to remove {}: {error}", path.display())))
        }
        _ => Ok(()),
    }
}

/// Removes prompts, answers and raw streams; the record of the run stays.
fn logs_only(
    project: &Project,
    plan: &Plan,
    run: &Run,
    request: &CleanupRequest,
) -> Result<Cleanup, Failure> {
    let folder = RunFolder::new(plan.root.clone().unwrap_or_else(|| project.root().to_owned()), plan.issue);
    let steps = ["execute", "review", "triage", "revise"];
    let paths =
        run.phases.iter().flat_map(|phase| steps.map(|step| folder.at(&folder.phase(&phase.def)).join(step)));
    let found: Vec<PathBuf> = paths.filter(|path| path.is_dir()).collect();
    if !request.dry_run {
        for path in &found {
            fs::remove_dir_all(path).map_err(|error| {
                Failure::new(FailureKind::State, format!("failed to remove {}: {error}", path.display()))
            })?;
        }
    }
    Ok(Cleanup::Logs { folders: found })
}
