//! `execute`: begins a run, resumes it or goes on with it, whatever there is to do, until it halts.

use std::io::IsTerminal;

use super::Answer;
use super::announce;
use super::arguments::Execute;
use super::drive::{drive, finish};
use super::project::log_to;
use super::{dry_run, finalized};
use app::begin::begin_run;
use app::failure::{Failure, FailureKind};
use app::locked_run::{LockedRun, RunLocks, open_journal, take_locks};
use app::project::Project;
use app::refresh_comment_and_label::refresh_now;
use app::run_request::{ExecuteRequest, record_request, refuse_request};
use app::{changes_outside, pinned_settings};
use engine::Run;
use model::event::Outcome;
use model::phase::PhaseName;
use runner::report::{LogLines, Terminal};
use runner::settle_commit;

/// Runs the command.
pub(super) fn run(arguments: &Execute) -> Answer {
    if arguments.skip_dependency_check && arguments.ignore_dependencies {
        return Err(Failure::usage("--skip-dependency-check and --ignore-dependencies exclude each other")
            .hint("the first does not look, the second looks, warns and goes on: give one of them"));
    }
    let terminal = Terminal::on_stderr();
    log_to(&terminal);
    let project = crate::project::open(&arguments.settings)?;
    go_on(&project, &terminal, arguments)
}

/// Begins a run, resumes it or goes on with it.
pub(super) fn go_on(project: &Project, terminal: &Terminal, arguments: &Execute) -> Answer {
    let request = request(project, arguments)?;
    if let Some(record) = finalized::of(project, arguments.issue)? {
        return finalized::told(&record, arguments.json);
    }
    if arguments.dry_run {
        return dry_run::run(project, arguments.json, &request);
    }
    project.warn_of_short_secrets();
    let mut locked = hold_run(project, &request)?;
    let to_do = nothing_to_do(&locked, &request);
    if to_do.is_err() {
        refresh_now(project, locked.run()?);
    }
    match to_do? {
        Some(0) if let Err(gone) = locked.space.run_branch().refuse_missing() => {
            tracing::warn!("{gone}");
            return Ok(finish(&locked, arguments.json, 0));
        }
        // Whoever works on top of a completed run decides what becomes of it.
        Some(0) if changes_outside::warn_of_commits_on_top(project, &locked)? => {
            let code = finish(&locked, arguments.json, 0);
            refresh_now(project, locked.run()?);
            return Ok(code);
        }
        // A crash or a refused push may have come between the last fact and its commit or its push.
        Some(0) => {
            locked.journal.add_reporter(Box::new(LogLines::default()));
            return drive(project, locked, terminal, arguments.json);
        }
        Some(code) => {
            let waits =
                code == crate::exit_code::of_failure(FailureKind::Waiting) && !project.settings.no_wait;
            let code = if waits { code } else { crate::exit_code::of_failure(FailureKind::PhaseFailed) };
            let code = finish(&locked, arguments.json, code);
            refresh_now(project, locked.run()?);
            return Ok(code);
        }
        None => {}
    }
    let has_begun = locked.run()?.has_begun();
    locked.journal.add_reporter(Box::new(LogLines::default()));
    changes_outside::refuse_closed(project, locked.run()?)?;
    if let Some(lost) = changes_outside::find_lost_files(project, &locked)? {
        changes_outside::reopen_phase(&mut locked, &lost, "")?;
    }
    record_request(project, &mut locked, &request)?;
    if has_begun {
        changes_outside::note_changes(project, &mut locked)?;
    }
    drive(project, locked, terminal, arguments.json)
}

/// Reads `--phase`: nothing for all.
fn wanted_phase(project: &Project, text: &str) -> Result<Option<PhaseName>, Failure> {
    if text == "all" {
        return Ok(None);
    }
    let known: Vec<String> =
        project.settings.phase_names().into_iter().map(|name| name.to_string()).collect();
    if known.iter().any(|name| name == text)
        && let Ok(name) = text.parse()
    {
        return Ok(Some(name));
    }
    let failure = Failure::usage(format!("there is no phase `{text}`"));
    let names: Vec<&str> = known.iter().map(String::as_str).collect();
    Err(match settings::suggestion(text, names.iter().copied()) {
        Some(near) => failure.hint(format!("did you mean `{near}`?")),
        None => failure.hint(format!("the phases are: all, {}", names.join(", "))),
    })
}

fn hold_run(project: &Project, request: &ExecuteRequest) -> Result<LockedRun, Failure> {
    let issue = request.issue;
    let (locks, found) = take_locks(project, issue, &|run| refuse(project, run, request))?;
    if let Some((space, folder)) = found {
        let mut journal = open_journal(project, &folder)?;
        if journal.state().run.is_some() {
            settle_commit(&mut journal, &space)?;
            let locked = LockedRun { journal, space, folder, locks };
            pinned_settings::refuse_contradiction(project, locked.run()?)?;
            if matches!(locked.run()?.outcome, Outcome::Running | Outcome::Paused) || request.retry_failed {
                locked.space.run_branch().refuse_missing()?;
                pinned_settings::refuse_untrusted_settings(project, locked.run()?)?;
            }
            return Ok(locked);
        }
    }
    begin(project, request, locks)
}

/// Refuses what this run does not take. Writes nothing.
fn refuse(project: &Project, run: &Run, request: &ExecuteRequest) -> Result<(), Failure> {
    pinned_settings::refuse_contradiction(project, run)?;
    let goes_on = match run.outcome {
        Outcome::Running => true,
        Outcome::Failed | Outcome::Incomplete => request.retry_failed,
        Outcome::Paused => !run.waits_for_a_person(),
        Outcome::Completed => false,
        Outcome::Cancelled => return Err(cancelled(run)),
    };
    if goes_on { refuse_request(project, run, request) } else { Ok(()) }
}

fn cancelled(run: &Run) -> Failure {
    let number = run.started.issue.number;
    Failure::usage(format!("the run of issue {number} was cancelled"))
        .hint(format!("remove it with `ai-workflow cleanup --issue {number}` and begin anew"))
}

fn begin(project: &Project, request: &ExecuteRequest, mut locks: RunLocks) -> Result<LockedRun, Failure> {
    match begin_run(project, request, &mut locks) {
        Ok((journal, space, folder)) => Ok(LockedRun { journal, space, folder, locks }),
        Err(failure) => {
            locks.remove(project, request.issue);
            Err(failure)
        }
    }
}

/// Returns the exit code of a run that `execute` alone cannot move.
fn nothing_to_do(locked: &LockedRun, request: &ExecuteRequest) -> Result<Option<u8>, Failure> {
    let run = locked.run()?;
    let number = run.started.issue.number;
    match run.outcome {
        Outcome::Running => Ok(None),
        Outcome::Completed => {
            tracing::info!("The run of issue #{number} is completed; nothing is left to do");
            Ok(Some(0))
        }
        Outcome::Failed | Outcome::Incomplete if request.retry_failed => Ok(None),
        Outcome::Failed | Outcome::Incomplete => {
            announce::failed_run(run);
            Ok(Some(crate::exit_code::of_failure(FailureKind::PhaseFailed)))
        }
        Outcome::Cancelled => Err(cancelled(run)),
        Outcome::Paused => {
            Ok(run.waits_for_a_person().then_some(crate::exit_code::of_failure(FailureKind::Waiting)))
        }
    }
}

/// Returns what is asked for.
fn request(project: &Project, arguments: &Execute) -> Result<ExecuteRequest, Failure> {
    Ok(ExecuteRequest {
        issue: arguments.issue,
        phase: wanted_phase(project, &arguments.phase)?,
        retry_failed: arguments.retry_failed,
        skip_dependency_check: arguments.skip_dependency_check,
        ignore_dependencies: arguments.ignore_dependencies,
        is_attended: std::io::stderr().is_terminal() && std::io::stdin().is_terminal(),
    })
}
