//! Removes a run: its branch, its worktree, its files. What is not over, and what would take work of the user's with it, is
//! removed only when forced.

use std::fs;
use std::path::{Path, PathBuf};

use crate::failure::{Failure, Result};
use crate::forge_connection::{self, REMOTE};
use crate::locked_run::{lock_issue, lock_worktree, remove_lock};
use crate::project::Project;
use crate::run_location::{RunLocation, RunView, first_of, locate, require_clean, view};
use engine::Run;
use git::{CommitId, RunWorkspace, Workspace, is_engines_own, retry};
use journal::store::common_dir::{FinalizedRun, RunPointer, issue_folder};
use journal::store::folders::RunFolder;
use journal::store::lock::Lock;
use model::event::RunOutcome;
use model::issue::{IssueNumber, run_branch_name};
use runner::has_shared_work;

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
pub enum CleanupOutcome {
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
pub fn clean_up(project: &Project, request: &CleanupRequest) -> Result<CleanupOutcome> {
    let issue = request.issue;
    if let RunLocation::Finalized(record) = locate(project, issue)? {
        return clean_up_finalized(project, &record, request);
    }
    let view = view(project, issue)?;
    let lock = lock_issue(project, issue)?;
    let run = view.run();
    if request.logs_only {
        return remove_logs(project, &view, request.dry_run);
    }
    // What a completed run had there is gone.
    let shared = has_shared_work(run) && run.outcome != RunOutcome::Completed;
    let tip = project.workspace.branches().find(&run_branch_name(issue))?.map(|branch| branch.tip);
    let base = run.started.base_branch.clone();
    let removal = RunRemoval { project, issue, root: view.root.clone(), base, shared, tip };
    if !request.force {
        refuse_unfinished(run)?;
        removal.refuse_work_of_others(&view)?;
    }
    removal.carry_out(lock, request.dry_run)
}

/// Removes what is left of a run that was finalized: its branch and the record of it.
fn clean_up_finalized(
    project: &Project,
    record: &FinalizedRun,
    request: &CleanupRequest,
) -> Result<CleanupOutcome> {
    let issue = record.issue;
    let lock = lock_issue(project, issue)?;
    let branch = project.workspace.branches().find(&record.branch)?;
    let tip = branch.as_ref().map(|branch| branch.tip.clone());
    let (root, base) = (branch.and_then(|branch| branch.worktree), record.base_branch.clone());
    let removal = RunRemoval { project, issue, root, base, shared: false, tip };
    if !request.force {
        if let Some(tip) = removal.tip.as_ref().filter(|tip| tip.as_str() != record.commit) {
            return Err(foreign_commit_failure(tip, &record.branch, &record.commit));
        }
        if let Some(root) = removal.linked_root() {
            refuse_unsaved(&Workspace::open(root)?, issue)?;
        }
    }
    removal.carry_out(lock, request.dry_run)
}

/// What is to be removed of a run.
struct RunRemoval<'a> {
    project: &'a Project,
    issue: IssueNumber,
    /// Where the run's files are, if they are checked out.
    root: Option<PathBuf>,
    base: String,
    /// Files of a phase under way may be on origin.
    shared: bool,
    /// Where the run's branch stands, if it is there.
    tip: Option<CommitId>,
}

impl RunRemoval<'_> {
    /// Returns the worktree of the run where it has one of its own.
    fn linked_root(&self) -> Option<&PathBuf> {
        self.root.as_ref().filter(|root| *root != self.project.root())
    }

    /// Removes what was planned, or only says what that is. A worktree from which files go must not be one that another run
    /// works in.
    fn carry_out(self, lock: Lock, dry_run: bool) -> Result<CleanupOutcome> {
        let steps = self.steps();
        if !dry_run {
            let (_, checkout) = lock_worktree(self.project, self.issue, self.root.as_deref())?;
            self.remove()?;
            if let Some(checkout) = checkout {
                checkout.release();
            }
            remove_lock(self.project, self.issue, lock);
        }
        Ok(CleanupOutcome::Run { steps, tip: self.tip })
    }

    /// Refuses when files or commits would go that no part of the run has made.
    fn refuse_work_of_others(&self, view: &RunView) -> Result<()> {
        if let Some(tip) = &self.tip {
            self.refuse_foreign_commit(view, tip, &run_branch_name(self.issue))?;
        }
        let Some(root) = self.linked_root() else { return Ok(()) };
        let linked = Workspace::open(root)?;
        let head = linked.read_state()?.head;
        if head.branch.is_none() && self.tip.as_ref() != Some(&head.commit) {
            self.refuse_foreign_commit(view, &head.commit, "HEAD")?;
        }
        refuse_unsaved(&linked, self.issue)
    }

    /// Refuses a commit that is not the run's. Its record commits stand in no fact, only their trailers name them.
    fn refuse_foreign_commit(&self, view: &RunView, tip: &CommitId, place: &str) -> Result<()> {
        let run = view.run();
        let commits = run.phases.iter().filter_map(|phase| phase.files.commit.as_deref());
        let mut known = commits.chain([run.branch.head.as_str(), run.started.base_commit.as_str()]);
        if known.any(|commit| commit == tip.as_str()) {
            return Ok(());
        }
        let last = last_commit(&self.project.workspace.for_issue(self.issue), view)?;
        if last.as_ref() == Some(tip) {
            return Ok(());
        }
        let since = last.map_or_else(|| run.branch.head.clone(), |last| last.to_string());
        Err(foreign_commit_failure(tip, place, &since))
    }

    fn steps(&self) -> Vec<String> {
        let branch = run_branch_name(self.issue);
        let mut steps = Vec::new();
        if let Some(root) = self.linked_root() {
            steps.push(format!("remove the worktree {}", root.display()));
        } else if self.root.is_some() {
            steps.push(format!("go back to {} and remove .ai-workflow/issue-{}", self.base, self.issue));
        }
        if let Some(tip) = &self.tip {
            let short = short_id(tip.as_str());
            steps.push(format!("remove the branch {branch} (`git branch {branch} {short}` brings it back)"));
        }
        if self.shared {
            let reference = self.project.workspace.for_issue(self.issue).work().reference();
            steps.push(format!("remove {reference} on {REMOTE}"));
        }
        steps
    }

    fn remove(&self) -> Result<()> {
        let (workspace, branch) = (&self.project.workspace, run_branch_name(self.issue));
        let space = workspace.for_issue(self.issue);
        space.clean_worktree().remove()?;
        space.work().release_trees()?;
        if self.shared {
            let credentials = forge_connection::credentials();
            if let Err(error) =
                retry(|| space.work().delete_on(&workspace.remote(REMOTE, credentials.as_ref())))
            {
                tracing::warn!("{} on {REMOTE} is not removed: {error}", space.work().reference());
            }
        }
        if let Some(root) = self.linked_root() {
            workspace.remove_linked_worktree(root)?;
        } else if self.root.is_some() {
            self.leave_checkout()?;
        }
        if workspace.branches().find(&branch)?.is_some() {
            workspace.branches().delete(&branch)?;
        }
        RunPointer::remove(workspace.common(), self.issue)?;
        // Snapshots and locks of the run; what cannot be removed here is in nobody's way.
        let _ = fs::remove_dir_all(issue_folder(workspace.common(), self.issue));
        Ok(())
    }

    /// Takes the run's files away and goes back to the base; changes of the user's own are refused, not lost.
    fn leave_checkout(&self) -> Result<()> {
        let workspace = &self.project.workspace;
        let folder = RunFolder::new(workspace.root(), self.issue);
        let survey = workspace.read_state()?;
        if survey.head.branch.as_deref() == Some(run_branch_name(self.issue).as_str()) {
            require_clean(workspace).map_err(|failure| Failure { hints: vec!["what the agent left unfinished can be kept with `git stash`, or thrown away with `git checkout -- .`".into()], ..failure })?;
            workspace.discard_changes_below(&folder.relative())?;
            workspace.branches().switch(&self.base)?;
        }
        let path = folder.at(&folder.relative());
        match fs::remove_dir_all(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(removal_failure(&path, &error)),
            _ => Ok(()),
        }
    }
}

fn removal_failure(path: &Path, error: &std::io::Error) -> Failure {
    Failure::state(format!("failed to remove {}: {error}", path.display()))
}

fn refuse_unfinished(run: &Run) -> Result<()> {
    let over = matches!(
        run.outcome,
        RunOutcome::Completed | RunOutcome::Cancelled | RunOutcome::Failed | RunOutcome::Incomplete
    );
    if over {
        return Ok(());
    }
    Err(Failure::usage(format!("the run is {}", run.outcome.as_str()))
        .hint("end it with `ai-workflow cancel` first, or add `--force`"))
}

fn foreign_commit_failure(tip: &CommitId, place: &str, since: &str) -> Failure {
    let (since, tip) = (short_id(since), short_id(tip.as_str()));
    Failure::usage(format!("the commit {tip} at {place} is not of the run")).hint(format!(
        "`git log {since}..{tip}` shows what would be lost; keep it with `git branch NAME {tip}`, then add `--force`"
    ))
}

/// Returns the newest commit of the branch that carries the run's trailers.
fn last_commit(space: &RunWorkspace, view: &RunView) -> Result<Option<CommitId>> {
    for seq in (0..=view.state.seq).rev() {
        if let Some((commit, _)) = space.run_branch().find_commit(&view.run().started.run_id, seq)? {
            return Ok(Some(commit));
        }
    }
    Ok(None)
}

/// Refuses a worktree in which something is that only there exists. The run's own folder goes with the run.
fn refuse_unsaved(linked: &Workspace, issue: IssueNumber) -> Result<()> {
    let survey = linked.read_state()?;
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
    let lost = if lost.is_empty() { "what is in progress".into() } else { first_of(&lost, 10) };
    let what = survey.in_progress.map(|what| format!(" and a {what} in progress")).unwrap_or_default();
    Err(Failure::usage(format!("the worktree {root} has changes that are not committed{what}")).hint(
        format!("they would be lost: {lost}; commit them elsewhere or move them away, or add `--force`"),
    ))
}

fn short_id(commit: &str) -> &str {
    commit.get(..9).unwrap_or(commit)
}

/// Removes prompts, answers and raw streams; the record of the run stays.
fn remove_logs(project: &Project, view: &RunView, dry_run: bool) -> Result<CleanupOutcome> {
    let run = view.run();
    let folder = RunFolder::new(view.root.as_deref().unwrap_or(project.root()), run.started.issue.number);
    let steps = ["execute", "review", "triage", "revise"];
    let paths =
        run.phases.iter().flat_map(|phase| steps.map(|step| folder.at(&folder.phase(&phase.def)).join(step)));
    let folders: Vec<PathBuf> = paths.filter(|path| path.is_dir()).collect();
    if !dry_run {
        for path in &folders {
            fs::remove_dir_all(path).map_err(|error| removal_failure(path, &error))?;
        }
    }
    Ok(CleanupOutcome::Logs { folders })
}
