//! The document review of a run by hand: one review, one answer to it, or the whole loop. Each is a part of the phase that
//! `execute` would go through; what was made here is taken up there.

use crate::continued_elsewhere::refuse_continued_elsewhere;
use crate::external_changes;
use crate::failure::{Failure, FailureKind, Halt};
use crate::kept_settings::{refuse_contradiction, refuse_untrusted_settings};
use crate::locked_run::LockedRun;
use crate::lost_commits::refuse_lost_commits;
use crate::project::Project;
use crate::run_request::{record_phase, refuse_phase};
use crate::run_to_halt::{RunDriver, RunObserver, halt_of};
use engine::{PhaseState, Run, Status, StepPosition};
use model::event::{Reading, RunOutcome};
use model::issue::IssueNumber;
use model::phase::{PhaseName, Step};
use model::verdict::Verdict;
use views::summary::next_command;

/// One review, its answer, or both in turn until approval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DocReviewMode {
    /// One review, which nobody answers.
    Review,
    /// The answer to the latest review.
    Fix,
    /// Both in turn.
    Loop,
}

impl DocReviewMode {
    fn steps(self) -> Vec<Step> {
        match self {
            Self::Review => vec![Step::Check, Step::Review],
            Self::Fix => vec![Step::Triage],
            Self::Loop => vec![],
        }
    }
}

/// What became of a document review.
pub enum DocReviewOutcome {
    /// The run came to its halt.
    Halted(Halt),
    /// The documents of a phase were reviewed, and nothing more; what that counts as, too.
    Reviewed(Box<LockedRun>, PhaseName, Halt),
}

/// Reviews the documents of a run, or answers their review.
pub fn review_documents(
    project: &Project,
    observer: &dyn RunObserver,
    issue: IssueNumber,
    mode: DocReviewMode,
) -> Result<DocReviewOutcome, Failure> {
    let driver = RunDriver { project, observer };
    project.warn_of_short_secrets();
    let mut locked = LockedRun::take(project, issue, &|run| refuse(project, run, mode))?;
    refuse_lost_commits(&locked)?;
    locked.space.run_branch().refuse_missing()?;
    let run = locked.run();
    refuse_contradiction(project, run)?;
    refuse_continued_elsewhere(project, locked.space.workspace(), run)?;
    refuse_untrusted_settings(project, run)?;
    external_changes::refuse_closed(project, run)?;
    if run.waits_for_a_person() {
        return Ok(DocReviewOutcome::Halted(driver.show_halt(&locked, RunOutcome::Paused)));
    }
    let phase = find_reviewable_phase(run, mode)?;
    locked.log_facts();
    record_phase(project, &mut locked, phase.clone(), mode.steps())?;
    external_changes::note_changes(project, &mut locked)?;
    if mode != DocReviewMode::Review {
        return driver.drive(locked).map(DocReviewOutcome::Halted);
    }
    let end = driver.run_to_halt(locked, None, None)?;
    let run = end.locked.run();
    let review = run.phase(&phase).and_then(|phase| phase.reviews.current.as_ref());
    let passes = review.and_then(|review| review.reading.as_ref()).is_some_and(passes);
    let failed = if passes { None } else { Some(FailureKind::PhaseFailed) };
    let halt = halt_of(project, run, end.outcome).or(failed);
    Ok(DocReviewOutcome::Reviewed(Box::new(end.locked), phase, halt))
}

/// Nothing was answered yet, so nothing is approved by this.
fn passes(reading: &Reading) -> bool {
    reading.judgment.approves() && reading.result != Verdict::Fail
}

/// Refuses what this run does not take. Reads no file of the run, so it can be asked before the checkout goes to the run's
/// branch.
fn refuse(project: &Project, run: &Run, mode: DocReviewMode) -> Result<(), Failure> {
    refuse_contradiction(project, run)?;
    if run.waits_for_a_person() {
        return Ok(());
    }
    refuse_phase(project, run, &find_reviewable_phase(run, mode)?)
}

/// Returns the phase whose documents are reviewed, if what is asked for can be done there now.
fn find_reviewable_phase(run: &Run, mode: DocReviewMode) -> Result<PhaseName, Failure> {
    let number = run.started.issue.number;
    let mut with_triage = run.phases.iter().filter(|phase| phase.def.policy.triage);
    let open = with_triage.clone().find(|phase| !phase.status.satisfies());
    let phase = open.or_else(|| with_triage.next()).ok_or_else(|| {
        Failure::usage(format!("the run of issue {number} has no phase that reviews documents"))
            .hint("`ai-workflow phases` lists the phases; one with the policy `doc-review` does")
    })?;
    refuse_closed_phase(run, phase)?;
    let answerable =
        matches!(phase.position, StepPosition::Ready(Step::Triage) | StepPosition::Working(Step::Triage));
    let by_hand = format!("`ai-workflow doc-review --issue {number}");
    let (message, hint) = match mode {
        DocReviewMode::Review if answerable => (
            format!("round {} is reviewed, and nobody has answered it yet", phase.round),
            format!("answer it with {by_hand} --fix`, or go on by itself with {by_hand} --autofix`"),
        ),
        DocReviewMode::Review if phase.current_step() == Some(Step::Revise) => {
            let checks: Vec<&str> = phase.failed_checks().map(|result| result.check.as_str()).collect();
            let checks = checks.join(", ");
            (
                format!("round {} was not reviewed: a check failed ({checks})", phase.round),
                format!("have it repaired with {by_hand} --autofix`"),
            )
        }
        DocReviewMode::Fix if !answerable => (
            format!("no review of {} waits for an answer", phase.name()),
            format!("make one with {by_hand}`"),
        ),
        DocReviewMode::Review | DocReviewMode::Fix | DocReviewMode::Loop => return Ok(phase.name().clone()),
    };
    Err(Failure::usage(message).hint(hint))
}

/// Refuses a phase in which nothing can be reviewed any more.
fn refuse_closed_phase(run: &Run, phase: &PhaseState) -> Result<(), Failure> {
    let (number, name) = (run.started.issue.number, phase.name());
    let (message, hint) = match (phase.status, run.outcome) {
        (Status::Completed, _) => (
            format!("the documents are approved since round {}", phase.round),
            format!(
                "open the review again with `ai-workflow rollback --issue {number} --to-phase {name} --to-step review --reason TEXT`"
            ),
        ),
        (Status::Skipped, _) => (
            format!("the phase {name} is left out of this run"),
            format!("it was left out by {}", phase.skipped_because.as_deref().unwrap_or("choice")),
        ),
        (_, RunOutcome::Running | RunOutcome::Paused) => return Ok(()),
        (_, outcome) => (
            format!("the run of issue {number} is {}", outcome.as_str()),
            format!("next: `{}`", next_command(run)),
        ),
    };
    Err(Failure::usage(message).hint(hint))
}
