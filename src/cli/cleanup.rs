//! `cleanup`: removes a run: its branch, its worktree, its files. What is not over, and what
//! would take work of the user's with it, is removed only when forced.

use std::fs;
use std::path::PathBuf;

use serde_json::json;

use super::Answer;
use super::arguments::Cleanup;
use super::door::Door;
use super::failure::{Failure, Kind};
use super::fetched::REMOTE;
use super::find::{Seen, look, no_run};
use super::hold::{self, refuse_dirty};
use super::show::show;
use super::{finalized, forge_connection};
use app::runner::has_shared_work;
use engine::Run;
use git::{CommitId, RunWorkspace, Workspace, is_engines_own, retry};
use journal::store::common_dir::{FinalizedRun, RunLocation, issue_folder};
use journal::store::folders::RunFolder;
use journal::store::lock::CheckoutLock;
use journal::store::lock::Lock;
use model::event::{Outcome, branch_of};
use model::issue::IssueNumber;

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

pub(super) fn run(arguments: &Cleanup) -> Answer {
    let door = crate::project::open_without_settings()?;
    let issue = arguments.issue;
    if let Some(record) = finalized::of(&door, issue)? {
        return finalized_run(&door, &record, arguments);
    }
    let seen = look(&door, issue)?;
    let lock = hold::lock(&door, issue)?;
    let run = seen.state.run.as_ref().ok_or_else(|| no_run(issue))?;
    let linked = seen.root.as_ref().is_some_and(|root| root != door.root());
    // What a completed run had there is gone.
    let shared = has_shared_work(run) && run.outcome != Outcome::Completed;
    let plan = Plan { issue, root: seen.root.clone(), base: run.started.base_branch.clone(), linked, shared };
    if arguments.logs_only {
        return logs_only(&door, &plan, run, arguments);
    }
    let tip = door.workspace.branches().find(&branch_of(issue))?.map(|branch| branch.tip);
    if !arguments.force {
        over(run)?;
        nothing_of_the_users(&door, &plan, &seen, run, tip.as_ref())?;
    }
    end(&door, &plan, lock, tip.as_ref(), arguments)
}

/// Removes what is left of a run that was finalized: its branch and the record of it.
fn finalized_run(door: &Door, record: &FinalizedRun, arguments: &Cleanup) -> Answer {
    let issue = record.issue;
    let lock = hold::lock(door, issue)?;
    let branch = door.workspace.branches().find(&record.branch)?;
    let tip = branch.as_ref().map(|branch| branch.tip.clone());
    let root = branch.and_then(|branch| branch.worktree);
    let linked = root.as_ref().is_some_and(|root| root != door.root());
    let plan = Plan { issue, root, base: record.base_branch.clone(), linked, shared: false };
    if !arguments.force {
        if let Some(tip) = tip.as_ref().filter(|tip| tip.as_str() != record.commit) {
            return Err(not_of_the_run(tip, &record.branch, &record.commit));
        }
        if let Some(root) = plan.root.as_ref().filter(|_| plan.linked) {
            refuse_unsaved(&Workspace::open(root)?, issue)?;
        }
    }
    end(door, &plan, lock, tip.as_ref(), arguments)
}

/// Removes what was planned, or only tells it.
fn end(door: &Door, plan: &Plan, lock: Lock, tip: Option<&CommitId>, arguments: &Cleanup) -> Answer {
    let steps = steps(door, plan, tip);
    if !arguments.dry_run {
        let checkout = taken_checkout(door, plan)?;
        remove(door, plan)?;
        if let Some(checkout) = checkout {
            checkout.release();
        }
        hold::forget_lock(door, plan.issue, lock);
    }
    let value = json!({"dry_run": arguments.dry_run, "steps": steps, "tip": tip.map(std::string::ToString::to_string)});
    show(arguments.json, &value, &(steps.join("\n") + "\n"));
    Ok(0)
}

/// A worktree from which files go must not be one that another run works in.
fn taken_checkout(door: &Door, plan: &Plan) -> Result<Option<CheckoutLock>, Failure> {
    let workspace = match &plan.root {
        Some(root) if plan.linked => Workspace::open(root)?,
        Some(_) => door.workspace.clone(),
        None => return Ok(None),
    };
    hold::lock_checkout(door, plan.issue, &workspace).map(Some)
}

fn over(run: &Run) -> Result<(), Failure> {
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
fn nothing_of_the_users(
    door: &Door,
    plan: &Plan,
    seen: &Seen,
    run: &Run,
    tip: Option<&CommitId>,
) -> Result<(), Failure> {
    let branch = branch_of(plan.issue);
    let space = door.workspace.for_issue(plan.issue);
    if let Some(tip) = tip {
        made_by_run(&space, seen, run, tip, &branch)?;
    }
    let Some(root) = plan.root.as_ref().filter(|_| plan.linked) else { return Ok(()) };
    let linked = Workspace::open(root)?;
    let head = linked.worktree().survey()?.head;
    if head.branch.is_none() && tip != Some(&head.commit) {
        made_by_run(&space, seen, run, &head.commit, "HEAD")?;
    }
    refuse_unsaved(&linked, plan.issue)
}

/// Refuses a commit that is not the run's. Its record commits stand in no fact, only their trailers tell them.
fn made_by_run(
    space: &RunWorkspace,
    seen: &Seen,
    run: &Run,
    tip: &CommitId,
    place: &str,
) -> Result<(), Failure> {
    let commits = run.phases.iter().filter_map(|phase| phase.files.commit.as_deref());
    let mut known = commits.chain([run.branch.head.as_str(), run.started.base_commit.as_str()]);
    if known.any(|commit| commit == tip.as_str()) {
        return Ok(());
    }
    let last = last_commit(space, seen, run)?;
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
fn last_commit(space: &RunWorkspace, seen: &Seen, run: &Run) -> Result<Option<CommitId>, Failure> {
    for seq in (0..=seen.state.seq).rev() {
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

fn steps(door: &Door, plan: &Plan, tip: Option<&CommitId>) -> Vec<String> {
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
        let reference = door.workspace.for_issue(plan.issue).work().reference();
        steps.push(format!("remove {reference} on {REMOTE}"));
    }
    steps
}

fn remove(door: &Door, plan: &Plan) -> Result<(), Failure> {
    let space = door.workspace.for_issue(plan.issue);
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
        Some(root) if plan.linked => door.workspace.worktree().remove_linked(root)?,
        Some(_) => leave_checkout(&door.workspace, plan)?,
        None => {}
    }
    if door.workspace.branches().find(&branch_of(plan.issue))?.is_some() {
        door.workspace.branches().delete(&branch_of(plan.issue))?;
    }
    RunLocation::remove(door.workspace.common(), plan.issue)?;
    // Snapshots and locks of the run; what cannot be removed here is in nobody's way.
    let _ = fs::remove_dir_all(issue_folder(door.workspace.common(), plan.issue));
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
            Err(Failure::new(Kind::State, format!("failed to remove {}: {error}", path.display())))
        }
        _ => Ok(()),
    }
}

/// Removes prompts, answers and raw streams; the record of the run stays.
fn logs_only(door: &Door, plan: &Plan, run: &Run, arguments: &Cleanup) -> Answer {
    let folder = RunFolder::new(plan.root.clone().unwrap_or_else(|| door.root().to_owned()), plan.issue);
    let steps = ["execute", "review", "triage", "revise"];
    let paths =
        run.phases.iter().flat_map(|phase| steps.map(|step| folder.at(&folder.phase(&phase.def)).join(step)));
    let found: Vec<PathBuf> = paths.filter(|path| path.is_dir()).collect();
    if !arguments.dry_run {
        for path in &found {
            fs::remove_dir_all(path).map_err(|error| {
                Failure::new(Kind::State, format!("failed to remove {}: {error}", path.display()))
            })?;
        }
    }
    show(
        arguments.json,
        &json!({"dry_run": arguments.dry_run, "folders": found}),
        &format!("{} folders of prompts and answers\n", found.len()),
    );
    Ok(0)
}
