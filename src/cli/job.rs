//! The job of GitHub Actions that we may be a step of: what it is told besides the log. Outside a job nothing happens.
//! What cannot be told is warned of and fails no run.

use std::collections::BTreeSet;
use std::path::PathBuf;

use jiff::{SignedDuration, Timestamp};

use super::door::{Door, masker, runtime, variable};
use super::failure::{Failure, Kind};
use super::forge_connection;
use super::hold::Hold;
use super::show::commands;
use app::report::JobFiles;
use app::runner::nonce;
use engine::Run;
use forge::github::Workflow;
use git::{CommitId, Workspace};
use journal::store::job::JobFileGuard;
use views::summary::{annotations, job, problems, quoted};

/// Adds a line to the step's summary.
pub(super) fn say(door: &Door, line: &str) {
    warn_unless(files().summarise(&door.masker.mask(line)));
}

/// Sets an output of the step.
pub(super) fn output(door: &Door, name: &str, value: &str) {
    warn_unless(files().output(name, &door.masker.mask(value), &nonce()));
}

/// Remembers the files that later steps of the job obey, before agents work.
pub(super) fn seal() -> JobFileGuard {
    JobFileGuard::of(named)
}

/// Tells the job how a run came to its halt.
pub(super) fn ended(hold: &Hold) {
    if let Ok(run) = hold.run() {
        warn_unless(tell(run, hold, &[]));
    }
}

/// Tells the job where a run stands that was stopped by an error.
pub(super) fn stopped(hold: &Hold, failure: &Failure) {
    if let Ok(run) = hold.run() {
        warn_unless(tell(run, hold, &verdict_on(failure)));
    }
}

/// Tells the job of a failure before a run had begun to work.
pub(super) fn failed(failure: &Failure) {
    if failure.report.is_none() {
        warn_unless(verdict_on(failure).iter().try_for_each(|(name, value)| set(name, value)));
    }
}

/// An interrupted run goes on with the same command, as one that waits by itself does.
fn verdict_on(failure: &Failure) -> [(&'static str, String); 2] {
    let conclusion = if failure.kind == Kind::Interrupted { "paused" } else { "failure" };
    [("conclusion", conclusion.to_owned()), ("code", failure.code().to_owned())]
}

/// `instead` stands in the place of what the state alone would say.
fn tell(run: &Run, hold: &Hold, instead: &[(&'static str, String)]) -> std::io::Result<()> {
    if !is_here() {
        return Ok(());
    }
    files().summarise(&masker().mask(&job::step_summary(run)))?;
    let workspace = Workspace::open(hold.folder.root()).ok();
    let head = workspace
        .as_ref()
        .map_or(run.branch.head.as_str(), |workspace| workspace.repository().opened_at().as_str());
    for (name, value) in job::outputs(run, head) {
        let value =
            instead.iter().find(|(other, _)| *other == name).map_or(value, |(_, other)| other.clone());
        set(name, &value)?;
    }
    let changed = workspace.map(|workspace| changed(&workspace, run)).unwrap_or_default();
    let lines = annotations(&problems(run), &changed);
    commands(&lines.iter().map(|line| masker().mask(line).to_string()).collect::<Vec<_>>());
    Ok(())
}

/// What a process did in its turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Turn {
    /// Agents were asked.
    Worked,
    /// Another one like it would come no further.
    Idle,
    /// It took up checks of the server that failed.
    RedChecks,
}

/// Starts the workflow of this job again where the run waits for nothing but another job. What does not work is told: a person
/// can go on as well.
pub(super) fn start_again(door: &Door, hold: &Hold, turn: Turn) {
    let Ok(run) = hold.run() else { return };
    let red = (turn == Turn::RedChecks).then(|| "Checks of the server failed".to_owned());
    let Some(why) = red.or_else(|| job::wants_another_job(run)).filter(|_| is_here()) else { return };
    let number = run.started.issue.number;
    let started =
        if turn == Turn::Idle { Err("this one could do nothing".into()) } else { dispatch(door, run) };
    let until = run.paused.as_ref().and_then(|pause| pause.until);
    let from = until.map_or("A".to_owned(), |until| format!("From {until} on a"));
    let line = match started {
        Ok(()) => format!("{why}; another one goes on with issue {number}."),
        Err(error) => format!(
            "{why}, and no other one could be started: {}. {from} comment `/ai-workflow run` on issue {number} \
             goes on; at a terminal `ai-workflow execute --phase all --issue {number}` does.",
            quoted(&error)
        ),
    };
    tracing::info!("{line}");
    warn_unless(files().summarise(&door.masker.mask(&line)));
}

/// Returns the workflow of this job, if it is one on a branch of a repository.
pub(super) fn workflow(repository: &str) -> Option<Workflow> {
    Workflow::read(&variable("GITHUB_WORKFLOW_REF")?, repository)
}

/// Returns the time in which runs and jobs are counted.
pub(super) fn last_day(until: Timestamp) -> (Timestamp, Timestamp) {
    (until.checked_sub(SignedDuration::from_hours(24)).unwrap_or(Timestamp::MIN), until)
}

fn dispatch(door: &Door, run: &Run) -> Result<(), String> {
    let workflow = workflow(&run.started.repository)
        .ok_or("GITHUB_WORKFLOW_REF names no workflow on a branch of this repository")?;
    let github = forge_connection::server_of(&run.started.repository).map_err(|failure| failure.message)?;
    let runtime = runtime().map_err(|failure| failure.message)?;
    let (issue, most) = (run.started.issue.number, door.settings.github.jobs_a_day());
    let started = runtime.block_on(async {
        let jobs = github.starts_for(&workflow, issue, last_day(door.clock.now()), most).await?;
        if jobs < most { github.start_workflow(&workflow, issue).await.map(|()| true) } else { Ok(false) }
    });
    match started {
        Ok(true) => Ok(()),
        Ok(false) => Err(format!("it was started {most} times in 24 hours, more jobs than that time has")),
        Err(error) => Err(format!("{error} ({})", error.hint())),
    }
}

/// Returns the paths that differ from the base and are still there.
fn changed(workspace: &Workspace, run: &Run) -> BTreeSet<String> {
    let Ok(base) = CommitId::try_from(run.started.base_commit.as_str()) else { return BTreeSet::new() };
    let changes = workspace.changes().since(&base).unwrap_or_default();
    changes.into_iter().filter(|change| !change.is_deleted()).map(|change| change.path).collect()
}

fn is_here() -> bool {
    variable("GITHUB_ACTIONS").is_some_and(|value| value == "true")
}

fn set(name: &str, value: &str) -> std::io::Result<()> {
    files().output(name, &masker().mask(value), &nonce())
}

fn files() -> JobFiles {
    JobFiles { summary: named("GITHUB_STEP_SUMMARY"), outputs: named("GITHUB_OUTPUT") }
}

fn named(name: &str) -> Option<PathBuf> {
    variable(name).map(PathBuf::from)
}

fn warn_unless(told: std::io::Result<()>) {
    if let Err(error) = told {
        tracing::warn!("the job cannot be told how the run ended: {error}");
    }
}
