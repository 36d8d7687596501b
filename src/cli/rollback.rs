//! `rollback`: opens a phase again, with a reason that stands on top of its next prompt. History is never rewritten.

use serde_json::json;

use super::Answer;
use super::arguments::{Rollback, RollbackStep};
use super::door::{Door, log_to};
use super::failure::Failure;
use super::hold::{Hold, take_existing};
use super::show::show;
use app::report::{LogLines, Terminal};
use engine::{Run, Status};
use git::{CommitId, Trailers, Workspace};
use model::event::{Fact, Outcome, Reopened, ReopenedBy};
use model::phase::{PhaseName, Step};

/// The longest reason, in characters.
const LONGEST_REASON: usize = 100_000;

pub(super) fn run(arguments: &Rollback) -> Answer {
    log_to(&Terminal::new());
    let door = crate::project::open_without_settings()?;
    let reason = reason(arguments)?;
    let refuse = |run: &Run| target(run, &arguments.to_phase).map(drop);
    let mut hold = take_existing(&door, arguments.issue, &refuse)?;
    hold.space.run_branch().refuse_missing()?;
    let phase = target(hold.run()?, &arguments.to_phase)?;
    let commits = commits_from(hold.run()?, &phase).len();
    if !arguments.dry_run {
        if arguments.revert {
            revert(&door, &hold, &phase)?;
        }
        hold.journal.add_reporter(Box::new(LogLines::default()));
        hold.journal.record(Fact::Reopened(Reopened {
            phase: phase.clone(),
            step: step(arguments.to_step),
            reason,
            by: ReopenedBy::Rollback,
        }))?;
    }
    let next = format!("ai-workflow execute --phase all --issue {}", arguments.issue);
    let lines = if arguments.dry_run {
        format!("{phase} and all later phases would be opened again; {commits} commits stay on the branch\n")
    } else {
        format!("{phase} is open again\nnext: {next}\n")
    };
    let reverted = arguments.revert && !arguments.dry_run;
    show(
        arguments.json,
        &json!({"phase": phase, "dry_run": arguments.dry_run, "reverted": reverted, "next": next}),
        &lines,
    );
    Ok(0)
}

fn reason(arguments: &Rollback) -> Result<String, Failure> {
    let text = match (&arguments.reason, &arguments.reason_file) {
        (Some(text), _) => text.clone(),
        (None, Some(file)) => std::fs::read_to_string(file).map_err(|error| {
            Failure::usage(format!("failed to read {}: {error}", file.display()))
                .hint("`--reason-file` names a text file in UTF-8; `--reason TEXT` gives it directly")
        })?,
        (None, None) => String::new(),
    };
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

/// Returns the phase of that name, if it can be opened again.
pub(super) fn target(run: &Run, name: &str) -> Result<PhaseName, Failure> {
    if run.outcome == Outcome::Cancelled {
        let number = run.started.issue.number;
        return Err(Failure::usage(format!("the run of issue {number} was cancelled"))
            .hint(format!("remove it with `ai-workflow cleanup --issue {number}` and begin anew")));
    }
    let known: Vec<&str> = run.phases.iter().map(|phase| phase.name().as_str()).collect();
    let Some(phase) = run.phases.iter().find(|phase| phase.name().as_str() == name) else {
        let failure = Failure::usage(format!("this run has no phase `{name}`"));
        let near = settings::suggestion(name, known.iter().copied());
        return Err(match near {
            Some(near) => failure.hint(format!("did you mean `{near}`?")),
            None => failure.hint(format!("the phases are: {}", known.join(", "))),
        });
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
fn before(run: &Run, workspace: &Workspace, phase: &PhaseName) -> Result<Option<CommitId>, Failure> {
    let first = run
        .phase(phase)
        .and_then(|phase| phase.files.first_commit.as_deref().or(phase.files.commit.as_deref()));
    let Some(first) = first else { return Ok(None) };
    Ok(Some(workspace.history().parent(&CommitId::try_from(first)?)?))
}

/// Adds a commit that takes back what the reopened phases changed outside the run's own files.
fn revert(door: &Door, hold: &Hold, phase: &PhaseName) -> Result<(), Failure> {
    let run = hold.run()?;
    let workspace = hold.space.workspace();
    let survey = workspace.worktree().survey()?;
    if !survey.is_clean() {
        return Err(Failure::usage("the worktree has changes that are not committed")
            .hint("roll back without `--revert`, or commit them first"));
    }
    let Some(before) = before(run, workspace, phase)? else { return Ok(()) };
    let paths = workspace.worktree().restore_code(&before)?;
    let snapshot = hold.space.snapshots().take(None)?;
    let trailers = Trailers {
        run: run.started.run_id.clone(),
        phase: "-".into(),
        seq: hold.journal.state().seq,
        chain: hold.journal.chain().to_owned(),
    };
    let message = door.masker.mask(&format!("[ai-workflow] revert: back to before {phase}\n\n{trailers}"));
    hold.space.commits().commit(&paths, &message, &snapshot, &survey.head.commit)?;
    Ok(())
}

fn step(step: RollbackStep) -> Step {
    match step {
        RollbackStep::Execute => Step::Execute,
        RollbackStep::Review => Step::Review,
        RollbackStep::Revise => Step::Revise,
    }
}
