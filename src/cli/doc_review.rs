//! `doc-review`: the document review of a run by hand: one review, one answer to it, or with `--autofix` the whole loop.
//! Each is a part of the phase that `execute` would go through; what was made here is taken up there.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::Answer;
use super::arguments::DocReview;
use super::drive::{drive, finish, play};
use super::project::log_to;
use super::show::show;
use super::{announce, exit_code};
use app::failure::{Failure, FailureKind};
use app::locked_run::LockedRun;
use app::project::Project;
use app::run_request;
use app::{changes_outside, pinned_settings};
use engine::{PhaseState, Run, Stage, Status};
use model::event::{Outcome, Reading, Reviewed};
use model::phase::{PhaseName, Step};
use model::verdict::Verdict;
use runner::report::{LogLines, Terminal};
use views::summary::{counted, next_command, plain};

/// One review, its answer, or both in turn until approval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DocReviewMode {
    Review,
    Fix,
    Loop,
}

impl DocReviewMode {
    fn of(arguments: &DocReview) -> Self {
        match (arguments.autofix, arguments.fix) {
            (true, _) => Self::Loop,
            (false, true) => Self::Fix,
            (false, false) => Self::Review,
        }
    }

    fn steps(self) -> Vec<Step> {
        match self {
            Self::Review => vec![Step::Check, Step::Review],
            Self::Fix => vec![Step::Triage],
            Self::Loop => vec![],
        }
    }
}

pub(super) fn run(arguments: &DocReview) -> Answer {
    let terminal = Terminal::on_stderr();
    log_to(&terminal);
    let project = crate::project::open(&arguments.settings)?;
    project.warn_of_short_secrets();
    let mode = DocReviewMode::of(arguments);
    let mut locked = LockedRun::take(&project, arguments.issue, &|run| refuse(&project, run, arguments))?;
    locked.space.run_branch().refuse_missing()?;
    pinned_settings::refuse_contradiction(&project, locked.run()?)?;
    pinned_settings::refuse_untrusted_settings(&project, locked.run()?)?;
    changes_outside::refuse_closed(&project, locked.run()?)?;
    if locked.run()?.waits_for_a_person() {
        let code = exit_code::of_run(locked.run()?, Outcome::Paused, project.settings.no_wait);
        return Ok(finish(&locked, arguments.json, code));
    }
    let phase = reviewable(locked.run()?, mode)?;
    locked.journal.add_reporter(Box::new(LogLines::default()));
    run_request::record_phase(&project, &mut locked, phase.clone(), mode.steps())?;
    changes_outside::note_changes(&project, &mut locked)?;
    if mode != DocReviewMode::Review {
        return drive(&project, locked, &terminal, arguments.json);
    }
    let (locked, outcome) = play(&project, locked, &terminal)?;
    told(&project, &locked, &phase, outcome, arguments.json)
}

/// Refuses what this run does not take. Reads no file of the run, so it can be asked before the checkout goes to the run's
/// branch.
fn refuse(project: &Project, run: &Run, arguments: &DocReview) -> Result<(), Failure> {
    pinned_settings::refuse_contradiction(project, run)?;
    if run.waits_for_a_person() {
        return Ok(());
    }
    let phase = reviewable(run, DocReviewMode::of(arguments))?;
    run_request::refuse_phase(project, run, &phase)
}

/// Returns the phase whose documents are reviewed, if what is asked for can be done there now.
fn reviewable(run: &Run, mode: DocReviewMode) -> Result<PhaseName, Failure> {
    let number = run.started.issue.number;
    let mut with_triage = run.phases.iter().filter(|phase| phase.def.policy.triage);
    let open = with_triage.clone().find(|phase| !phase.status.satisfies());
    let phase = open.or_else(|| with_triage.next()).ok_or_else(|| {
        Failure::usage(format!("the run of issue {number} has no phase that reviews documents"))
            .hint("`ai-workflow phases` lists the phases; one with the policy `doc-review` does")
    })?;
    if let Some(failure) = refused(run, phase) {
        return Err(failure);
    }
    let answerable = matches!(phase.stage, Stage::Ready(Step::Triage) | Stage::Working(Step::Triage));
    let by_hand = format!("`ai-workflow doc-review --issue {number}");
    match mode {
        DocReviewMode::Review if answerable => {
            Err(Failure::usage(format!("round {} is reviewed, and nobody has answered it yet", phase.round))
                .hint(format!(
                    "answer it with {by_hand} --fix`, or go on by itself with {by_hand} --autofix`"
                )))
        }
        DocReviewMode::Review if phase.current_step() == Some(Step::Revise) => {
            Err(Failure::usage(format!("round {} was not reviewed: {}", phase.round, failed(phase)))
                .hint(format!("have it repaired with {by_hand} --autofix`")))
        }
        DocReviewMode::Fix if !answerable => {
            Err(Failure::usage(format!("no review of {} waits for an answer", phase.name()))
                .hint(format!("make one with {by_hand}`")))
        }
        DocReviewMode::Review | DocReviewMode::Fix | DocReviewMode::Loop => Ok(phase.name().clone()),
    }
}

fn failed(phase: &PhaseState) -> String {
    let checks: Vec<&str> = phase.failed_checks().map(|result| result.check.as_str()).collect();
    format!("a check failed ({})", checks.join(", "))
}

/// Says why nothing can be reviewed in a phase any more.
fn refused(run: &Run, phase: &PhaseState) -> Option<Failure> {
    let (number, name) = (run.started.issue.number, phase.name());
    match (phase.status, run.outcome) {
        (Status::Completed, _) => Some(
            Failure::usage(format!("the documents are approved since round {}", phase.round)).hint(format!(
                "open the review again with `ai-workflow rollback --issue {number} --to-phase {name} --to-step review --reason TEXT`"
            )),
        ),
        (Status::Skipped, _) => Some(
            Failure::usage(format!("the phase {name} is left out of this run"))
                .hint(format!("it was left out by {}", phase.skipped_because.as_deref().unwrap_or("choice"))),
        ),
        (_, Outcome::Running | Outcome::Paused) => None,
        (_, outcome) => Some(
            Failure::usage(format!("the run of issue {number} is {}", outcome.as_str()))
                .hint(format!("next: `{}`", next_command(run))),
        ),
    }
}

/// Tells what the review says; nothing was answered yet, so nothing is approved.
fn told(project: &Project, locked: &LockedRun, name: &PhaseName, outcome: Outcome, json: bool) -> Answer {
    let run = locked.run()?;
    let phase = run.phase(name);
    let review = phase.and_then(|phase| Some((phase, phase.reviews.current.as_ref()?)));
    let reading = review.and_then(|(_, review)| review.reading.as_ref());
    let code = match exit_code::of_run(run, outcome, project.settings.no_wait) {
        0 if reading.is_some_and(passes) => 0,
        0 => crate::exit_code::of_failure(FailureKind::PhaseFailed),
        other => other,
    };
    announce::ending(locked, code, false);
    let mut value = announce::report(&locked.journal, code);
    value["review"] = review.map_or(Value::Null, |(phase, review)| view(locked, phase, review));
    let lines = review.map(|(phase, review)| lines(run, locked, phase, review)).unwrap_or_default();
    show(json, &value, &lines);
    Ok(code)
}

fn passes(reading: &Reading) -> bool {
    reading.judgment.approves() && reading.result != Verdict::Fail
}

fn view(locked: &LockedRun, phase: &PhaseState, review: &Reviewed) -> Value {
    json!({
        "round": review.round,
        "document": locked.folder.review_document(&phase.def, review.round),
        "verdict": review.reading.as_ref().map(|reading| reading.result),
        "read_as": review.reading.as_ref().map(|reading| &reading.read_as),
        "findings": review.reading.as_ref().map(|reading| &reading.findings),
    })
}

fn lines(run: &Run, locked: &LockedRun, phase: &PhaseState, review: &Reviewed) -> String {
    let Some(reading) = &review.reading else { return String::new() };
    let number = run.started.issue.number;
    let findings = counted(reading.findings.len() as u64, "finding");
    let mut text = format!("round {}: {} by {}, {findings}\n", review.round, reading.result, reading.read_as);
    for finding in &reading.findings {
        let place = finding.file.as_deref().map(|file| format!("{}: ", plain(file))).unwrap_or_default();
        let _ = writeln!(text, "  {} {place}{}", finding.severity.as_str(), plain(&finding.issue));
    }
    let _ = writeln!(text, "read it in {}", locked.folder.review_document(&phase.def, review.round));
    let _ = writeln!(text, "answer it with `ai-workflow doc-review --issue {number} --fix`");
    text
}
