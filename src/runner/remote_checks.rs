//! The checks of the server on the commit that was pushed last. Waits for them: the wait is logged, has a limit, and can be
//! stopped. Gives failed checks back to the author, as often as the settings allow; then a person is asked. A run with failed
//! checks does not end as completed. Checks that the token may not read are unknown: they count neither as passed nor as failed.

use std::time::Duration;

use tokio::time::Instant;

use crate::active_run::ActiveRun;
use crate::error::{Result, RunError};
use crate::publisher::{JobRole, Publisher};
use engine::pause;
use forge::github::missing_permission;
use forge::{Forge, ForgeError};
use model::event::{Escalation, Fact, Feedback, FeedbackSource, PauseReason};
use model::finding::{Finding, Severity};
use model::remote_check::{RemoteCheck, RemoteCheckState};
use settings::PushWhen;
use views::summary::counted;

/// The time between two requests.
const PACE: Duration = Duration::from_secs(10);
/// A server that has started no check by then has none.
const NONE_YET: Duration = Duration::from_secs(60);

/// The checks of a server; nothing when they are not known.
type RemoteChecks = Option<Vec<RemoteCheck>>;

/// Returns the server's checks of the commit that was pushed last, or why they are not known. The server has no checks of a
/// commit that was not pushed; such a commit has not passed, and its check is not skipped.
pub(super) async fn read_results(active: &ActiveRun, publisher: &Publisher) -> Result<RemoteChecks, String> {
    if publisher.role == JobRole::Work {
        return Err("of two jobs this one pushes nothing; `[github] ci_rounds` has the other one ask".into());
    }
    let seen = match find_pushed_commit(active) {
        Ok(commit) => wait_for_checks(active, publisher, &commit).await,
        Err(error) => Err(error),
    };
    seen.map_err(|error| match error {
        RunError::Forge(ForgeError::Refused { status: 422, .. }) if publisher.push == PushWhen::Halt => {
            "the commit is not on GitHub yet, for the branch is pushed when the run halts; push after each phase \
             (`--push phase`), or have `[github] ci_rounds` ask at the end of the run"
                .to_owned()
        }
        error => explain_unknown(&error),
    })
}

/// Returns the server's checks of a commit, when all have ended or the time limit is reached; nothing when there is no server,
/// nothing is pushed, or the process is stopped.
async fn wait_for_checks(active: &ActiveRun, publisher: &Publisher, commit: &str) -> Result<RemoteChecks> {
    let Forge::Github(github) = &publisher.forge else { return Ok(None) };
    if publisher.push == PushWhen::Never {
        return Ok(None);
    }
    let most = Duration::from_secs(active.run()?.started.agreement.time.command_seconds);
    let (begun, mut is_announced) = (Instant::now(), false);
    loop {
        let Some(all) = active.wait_unless_stopped(github.checks_of(commit)).await? else { return Ok(None) };
        let passed = begun.elapsed();
        let most = if all.is_empty() { most.min(NONE_YET) } else { most };
        let under_way = all.is_empty() || all.iter().any(|one| one.state == RemoteCheckState::Running);
        if !under_way || passed >= most {
            return Ok(Some(all));
        }
        if !is_announced {
            tracing::info!("Waiting for the checks of the server, at most {} s", most.as_secs());
            is_announced = true;
        }
        active.sleep(PACE.min(most.saturating_sub(passed))).await;
        if active.is_stopping() {
            return Ok(None);
        }
    }
}

/// Returns the checks that are given back to the author. When the token may not read them, logs a warning instead of an error.
async fn wait_for_feedback(active: &ActiveRun, publisher: &Publisher, commit: &str) -> Result<RemoteChecks> {
    match wait_for_checks(active, publisher, commit).await {
        Err(error) if find_missing_permission(&error).is_some() => {
            let why = active.masker.mask(&explain_unknown(&error));
            tracing::warn!("W_CI_UNKNOWN: {why}. Nothing is fed back");
            Ok(None)
        }
        seen => seen,
    }
}

/// Returns the tip of the run's branch, which was pushed last.
fn find_pushed_commit(active: &ActiveRun) -> Result<String> {
    let run = active.run()?;
    let branch = active.space.workspace().branches().find(&run.started.branch)?;
    Ok(branch.map_or_else(|| run.branch.head.clone(), |branch| branch.tip.to_string()))
}

/// Waits for the checks of the published commit and records those that failed as feedback; tells whether any failed.
pub(super) async fn feed_back(active: &mut ActiveRun, publisher: &Publisher) -> Result<bool> {
    let run = active.run()?;
    let Some((Some(pull_request), _)) = run.publication.pull_request.clone() else { return Ok(false) };
    let (rounds, most) = (run.feedback.ci_rounds, publisher.github.ci_rounds);
    if most == 0 || run.feedback_phase().is_none() {
        return Ok(false);
    }
    let head = find_pushed_commit(active)?;
    let Some(all) = wait_for_feedback(active, publisher, &head).await? else { return Ok(false) };
    let red: Vec<RemoteCheck> =
        all.iter().filter(|one| one.state == RemoteCheckState::Failed).cloned().collect();
    if red.is_empty() {
        warn_of_unknown(&all);
        return Ok(false);
    }
    let Some(phase) = active.run()?.feedback_phase() else { return Ok(false) };
    let findings = red.iter().map(build_finding).collect();
    let (by, threads) = (FeedbackSource::Checks, Vec::new());
    let fed = Feedback { phase, by, pull_request, head, findings, threads };
    let mut facts = vec![Fact::FedBack(Box::new(fed))];
    if rounds >= most {
        facts.push(Fact::Paused { escalation: build_question(&red, rounds) });
    }
    active.journal.record_all(&facts)?;
    Ok(true)
}

/// Returns why the checks of the server are not known.
fn explain_unknown(error: &RunError) -> String {
    match find_missing_permission(error) {
        Some(right) => format!("{error}; the token needs the right `{right}`"),
        None => error.to_string(),
    }
}

fn find_missing_permission(error: &RunError) -> Option<&'static str> {
    if let RunError::Forge(error) = error { missing_permission(error) } else { None }
}

/// An unknown result is reported and is not a pass.
fn warn_of_unknown(all: &[RemoteCheck]) {
    let running = all.iter().filter(|one| one.state == RemoteCheckState::Running).count();
    if all.is_empty() {
        tracing::warn!("W_NO_CI: no check of the server has looked at the pull request");
    } else if running > 0 {
        let running = counted(running as u64, "check");
        tracing::warn!("W_CI_UNKNOWN: {running} of the server did not end in time; waiting has stopped");
    }
}

fn build_finding(check: &RemoteCheck) -> Finding {
    let output = if check.output.is_empty() { String::new() } else { format!(": {}", check.output) };
    let issue = format!("the check {} of the server failed{output}", check.label());
    Finding::new(Severity::Major, "ci", issue)
}

fn build_question(red: &[RemoteCheck], rounds: u32) -> Escalation {
    let names: Vec<String> = red.iter().map(RemoteCheck::label).collect();
    let (rounds, names) = (counted(u64::from(rounds), "round"), names.join(", "));
    let question =
        format!("The checks of the pull request are still red after {rounds}: {names}. Another round?");
    let with_output = red.iter().filter(|one| !one.output.is_empty());
    let report = with_output.map(|one| format!("{}: {}", one.name, one.output)).collect();
    Escalation { report, ..pause(PauseReason::Exhausted, None, question) }
}
