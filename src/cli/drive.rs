//! Has a run worked on until it halts, and prints how it ended.

use super::{Answer, announce, exit_code, show};
use app::bundle::VerifiedBundle;
use app::failure::{Failure, FailureKind};
use app::github_job::{self, WorkDone as Turn};
use app::locked_run::LockedRun;
use app::project::Project;
use app::run_to_halt::{RunObserver, TurnStart, run_to_halt};
use journal::Reporter;
use model::event::{Fact, Outcome};
use runner::JobRole;
use runner::report::Terminal;

/// Drives the run until it halts and tells how it ended.
pub(super) fn drive(project: &Project, locked: LockedRun, terminal: &Terminal, json: bool) -> Answer {
    let end = turn(project, locked, terminal, TurnStart::default())?;
    let (locked, outcome, has_called) = (end.locked, end.outcome, end.has_called);
    let code = exit_code::of_run(locked.run()?, outcome, project.settings.no_wait);
    let code = finish(&locked, json, code);
    if project.role == JobRole::Both {
        let turn = if has_called { Turn::Worked } else { Turn::Idle };
        github_job::start_again(project, &locked, turn);
    }
    Ok(code)
}

/// Publishes what another process worked on, as far as it was judged, and tells how the run stands.
pub(super) fn publish(
    project: &Project,
    locked: LockedRun,
    terminal: &Terminal,
    bundle: &VerifiedBundle,
) -> Answer {
    let start = TurnStart { first: None, judged: Some(bundle.tip.clone()) };
    let end = turn(project, locked, terminal, start)?;
    let (locked, outcome) = (end.locked, end.outcome);
    let code = exit_code::of_run(locked.run()?, outcome, project.settings.no_wait);
    let code = finish(&locked, false, code);
    // Whoever publishes sees what the checks of the server say, and asks no agent.
    let is_fed = end.took_up_red_checks && outcome == Outcome::Running;
    if is_fed || bundle.asks_for_more {
        github_job::start_again(project, &locked, if is_fed { Turn::RedChecks } else { Turn::Worked });
    }
    Ok(code)
}

/// Writes down what ends the run's turn, and shares it: the comment, the branch, the pull request.
pub(super) fn share(
    project: &Project,
    locked: LockedRun,
    terminal: &Terminal,
    last: Fact,
) -> Result<(), Failure> {
    let start = TurnStart { first: Some(last), judged: None };
    finish(&turn(project, locked, terminal, start)?.locked, false, 0);
    Ok(())
}

/// Works on the run until it halts.
pub(super) fn play(
    project: &Project,
    locked: LockedRun,
    terminal: &Terminal,
) -> Result<(LockedRun, Outcome), Failure> {
    let end = turn(project, locked, terminal, TurnStart::default())?;
    Ok((end.locked, end.outcome))
}

/// The end of a turn that was not stopped.
struct Halted {
    locked: LockedRun,
    outcome: Outcome,
    has_called: bool,
    took_up_red_checks: bool,
}

fn turn(
    project: &Project,
    locked: LockedRun,
    terminal: &Terminal,
    start: TurnStart,
) -> Result<Halted, Failure> {
    let end = run_to_halt(project, locked, &TerminalObserver(terminal), start)?;
    let (locked, has_called, took_up_red_checks) = (end.locked, end.has_called, end.took_up_red_checks);
    match end.ended {
        Ok(outcome) => Ok(Halted { locked, outcome, has_called, took_up_red_checks }),
        Err(failure) => Err(stopped(&locked, failure)),
    }
}

/// Shows a run on the terminal while it is worked on.
struct TerminalObserver<'a>(&'a Terminal);

impl RunObserver for TerminalObserver<'_> {
    fn reporter(&self) -> Box<dyn Reporter> {
        Box::new(self.0.clone())
    }

    fn begins(&self, project: &Project, locked: &LockedRun) {
        announce::beginning(project, locked);
    }

    fn describe_stop(&self, failure: &Failure) -> String {
        why_stopped(failure)
    }

    fn ends(&self) {
        self.0.finish();
    }
}

/// Returns why a run was stopped, for people on the server. What concerns the machine alone stays there.
fn why_stopped(failure: &Failure) -> String {
    match failure.kind {
        FailureKind::Forge | FailureKind::Interrupted => {
            let hint = failure.hints.first().map_or(String::new(), |hint| format!(" ({hint})"));
            format!("{}{hint}", failure.message)
        }
        kind => format!(
            "an error on the machine that worked on it, with exit code {}",
            crate::exit_code::of_failure(kind)
        ),
    }
}

fn stopped(locked: &LockedRun, failure: Failure) -> Failure {
    announce::stopped(&locked.journal);
    let report = announce::report(&locked.journal, crate::exit_code::of_failure(failure.kind));
    show::commands(&github_job::report_stop(locked, &failure));
    failure.with_report(Some(report))
}

/// Prints the last lines, or the JSON report, and tells the job that we may be in.
pub(super) fn finish(locked: &LockedRun, json: bool, code: u8) -> u8 {
    announce::ending(locked, code, json);
    show::commands(&github_job::report_halt(locked));
    code
}
