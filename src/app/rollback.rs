//! Opens a phase again, with a reason that stands on top of its next prompt. History is never rewritten: what a revert takes
//! back is one more commit.

use crate::continued_elsewhere::refuse_continued_elsewhere;
use crate::failure::{Failure, Result};
use crate::locked_run::LockedRun;
use crate::lost_commits::refuse_lost_commits;
use crate::project::Project;
use engine::{Run, Status};
use git::{CommitId, Trailers, Workspace};
use model::event::{Fact, Reopened, ReopenedBy, RunOutcome};
use model::issue::IssueNumber;
use model::phase::{PhaseName, Step};

/// The longest reason, in characters.
const LONGEST_REASON: usize = 100_000;

/// What is opened again, and why.
#[derive(Debug, Clone)]
pub struct RollbackRequest {
    /// The issue of the run.
    pub issue: IssueNumber,
    /// The phase by its name; it and all later ones become pending.
    pub to_phase: String,
    /// The step that it goes on with.
    pub to_step: Step,
    /// Why.
    pub reason: String,
    /// Also add a commit that takes back what the reopened phases changed.
    pub revert: bool,
    /// Change nothing.
    pub dry_run: bool,
}

/// What was opened again, or would be.
#[derive(Debug, Clone)]
pub struct RollbackOutcome {
    /// The phase.
    pub phase: PhaseName,
    /// How many commits of reopened phases stay on the branch.
    pub commits: usize,
}

/// Opens a phase again.
pub fn roll_back(project: &Project, request: &RollbackRequest) -> Result<RollbackOutcome> {
    let reason = checked_reason(&request.reason)?;
    let refuse = |run: &Run| reopenable_phase(run, &request.to_phase).map(drop);
    let mut locked = LockedRun::take(project, request.issue, &refuse)?;
    refuse_lost_commits(&locked)?;
    locked.space.run_branch().refuse_missing()?;
    refuse_continued_elsewhere(project, locked.space.workspace(), locked.run())?;
    let phase = reopenable_phase(locked.run(), &request.to_phase)?;
    let commits = commits_from(locked.run(), &phase).len();
    if request.dry_run {
        return Ok(RollbackOutcome { phase, commits });
    }
    if request.revert {
        revert(project, &locked, &phase)?;
    }
    locked.log_facts();
    locked.put_back_documents(&phase)?;
    let (reopened, step, by) = (phase.clone(), request.to_step, ReopenedBy::Rollback);
    locked.record(Fact::Reopened(Reopened { phase: reopened, step, reason, by }))?;
    Ok(RollbackOutcome { phase, commits })
}

fn checked_reason(text: &str) -> Result<String> {
    match text.trim() {
        "" => {
            Err(Failure::usage("the reason is empty").hint("say what has to be different: `--reason TEXT`"))
        }
        text if text.chars().count() > LONGEST_REASON => {
            Err(Failure::usage(format!("the reason is longer than {LONGEST_REASON} characters"))
                .hint("say in a few sentences what has to be different"))
        }
        text => Ok(text.to_owned()),
    }
}

/// Says that a run was ended for good.
pub(crate) fn cancelled(run: &Run) -> Failure {
    let number = run.started.issue.number;
    Failure::usage(format!("the run of issue {number} was cancelled"))
        .hint(format!("remove it with `ai-workflow cleanup --issue {number}` and begin anew"))
        .of_ended(run)
}

/// Returns the phase of that name, if it can be opened again.
pub(crate) fn reopenable_phase(run: &Run, name: &str) -> Result<PhaseName> {
    if run.outcome == RunOutcome::Cancelled {
        return Err(cancelled(run));
    }
    let known: Vec<&str> = run.phases.iter().map(|phase| phase.name().as_str()).collect();
    let Some(phase) = run.phases.iter().find(|phase| phase.name().as_str() == name) else {
        return Err(
            Failure::usage(format!("this run has no phase `{name}`")).hint_names(name, "phases", &known)
        );
    };
    match phase.status {
        Status::Pending => {
            Err(Failure::usage(format!("{name} has not begun yet")).hint("roll back to a phase that has"))
        }
        Status::Skipped => {
            let because = phase.skipped_because.as_deref().unwrap_or("choice");
            Err(Failure::usage(format!("{name} was left out of this run ({because})"))
                .hint("roll back to a phase that was not"))
        }
        _ => Ok(phase.name().clone()),
    }
}

/// Returns the commits that the reopened phases left on the branch.
fn commits_from<'a>(run: &'a Run, phase: &PhaseName) -> Vec<&'a str> {
    let reopened = run.phases.iter().skip_while(|candidate| candidate.name() != phase);
    reopened.filter_map(|candidate| candidate.files.commit.as_deref()).collect()
}

/// Returns where the branch stood before the phase was first committed; nothing when it never was.
fn commit_before(run: &Run, workspace: &Workspace, phase: &PhaseName) -> Result<Option<CommitId>> {
    let first = run
        .phase(phase)
        .and_then(|phase| phase.files.first_commit.as_deref().or(phase.files.commit.as_deref()));
    let Some(first) = first else { return Ok(None) };
    Ok(Some(workspace.history().parent(&CommitId::try_from(first)?)?))
}

/// Adds a commit that takes back what the reopened phases changed outside the run's own files.
fn revert(project: &Project, locked: &LockedRun, phase: &PhaseName) -> Result<()> {
    let run = locked.run();
    let workspace = locked.space.workspace();
    let survey = workspace.read_state()?;
    if !survey.is_clean() {
        return Err(Failure::usage("the worktree has changes that are not committed")
            .hint("roll back without `--revert`, or commit them first"));
    }
    let Some(before) = commit_before(run, workspace, phase)? else { return Ok(()) };
    let paths = workspace.restore_code(&before)?;
    let snapshot = locked.space.snapshots().take(None)?;
    let trailers = Trailers {
        run: run.started.run_id.clone(),
        phase: "-".into(),
        seq: locked.journal.state().seq,
        chain: locked.journal.chain().to_owned(),
    };
    let message = project.masker.mask(&format!("[ai-workflow] revert: back to before {phase}\n\n{trailers}"));
    locked.space.commit(&paths, &message, &snapshot, &survey.head.commit)?;
    Ok(())
}
