//! The job of GitHub Actions that this process may be a step of: the files by which a step reports, the start of another job,
//! and warnings about the job's token before any work is paid for. Outside a job nothing happens. What cannot be reported is
//! warned of and fails no run. Prints nothing: the lines that the runner of the job reads are returned.

use std::collections::BTreeSet;
use std::path::PathBuf;

use jiff::{SignedDuration, Timestamp};

use crate::environment::{masker, runtime, variable};
use crate::failure::{Failure, FailureKind, Result};
use crate::forge_connection::{in_ci, server_of};
use crate::locked_run::LockedRun;
use crate::project::Project;
use engine::Run;
use forge::Forge;
use forge::github::{CountWindow, WorkflowRef};
use git::{CommitId, Workspace};
use journal::Journal;
use journal::store::job::JobFileGuard;
use model::event::{Fact, RunOutcome};
use runner::report::JobFiles;
use runner::{JobRole, nonce};
use views::summary::{NO_CI, STARTS_CI, annotations, job, problems, quoted, starts_no_ci};

/// Adds a line to the step's summary.
pub(crate) fn add_summary_line(project: &Project, line: &str) {
    warn_unless(files().summarise(&project.masker.mask(line)));
}

/// Sets an output of the step.
pub(crate) fn set_output(project: &Project, name: &str, value: &str) {
    warn_unless(files().output(name, &project.masker.mask(value), &nonce()));
}

/// Remembers the files that later steps of the job obey, before agents work.
pub(crate) fn seal() -> JobFileGuard {
    JobFileGuard::of(path_variable)
}

/// Reports a failure before a run had begun to work.
pub fn report_failure(failure: &Failure) {
    if failure.report.is_none() {
        warn_unless(outputs_of(failure).iter().try_for_each(|(name, value)| set_masked_output(name, value)));
    }
}

/// An interrupted run goes on with the same command, as one that waits by itself does.
fn outputs_of(failure: &Failure) -> [(&'static str, String); 2] {
    let conclusion = if failure.kind == FailureKind::Interrupted { "paused" } else { "failure" };
    [("conclusion", conclusion.to_owned()), ("code", failure.code().to_owned())]
}

/// Reports how a run came to its halt, or where it stands that was stopped by an error. Returns the lines for the runner of
/// the job.
#[must_use]
pub(crate) fn report(locked: &LockedRun, failure: Option<&Failure>) -> Vec<String> {
    write_report(locked, failure).unwrap_or_else(|error| {
        warn_unless(Err(error));
        Vec::new()
    })
}

/// The outputs of a failure stand in the place of those that the state alone would have.
fn write_report(locked: &LockedRun, failure: Option<&Failure>) -> std::io::Result<Vec<String>> {
    if !is_here() {
        return Ok(Vec::new());
    }
    let run = locked.run();
    files().summarise(&masker().mask(&job::step_summary(run)))?;
    let workspace = Workspace::open(locked.folder.root()).ok();
    let head =
        workspace.as_ref().map_or(run.branch.head.as_str(), |workspace| workspace.opened_at().as_str());
    let instead: Vec<_> = failure.into_iter().flat_map(outputs_of).collect();
    for (name, value) in job::outputs(run, head) {
        let value =
            instead.iter().find(|(other, _)| *other == name).map_or(value, |(_, other)| other.clone());
        set_masked_output(name, &value)?;
    }
    let changed = workspace.map(|workspace| changed_paths(&workspace, run)).unwrap_or_default();
    let lines = annotations(&problems(run), &changed);
    Ok(lines.iter().map(|line| masker().mask(line).to_string()).collect())
}

/// What a process did before it starts another job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum JobProgress {
    /// Agents were asked.
    Worked,
    /// Another one like it would come no further.
    Idle,
    /// It took up checks of the server that failed.
    RedChecks,
}

/// Starts the workflow of this job again where the run waits for nothing but another job. What does not work is reported: a
/// person can go on as well.
pub(crate) fn start_again(project: &Project, locked: &LockedRun, done: JobProgress) {
    let run = locked.run();
    let red = (done == JobProgress::RedChecks).then(|| "Checks of the server failed".to_owned());
    let Some(why) = red.or_else(|| job::wants_another_job(run)) else { return };
    if !is_here() {
        return;
    }
    let number = run.started.issue.number;
    let started = if done == JobProgress::Idle {
        Err("this one could do nothing".into())
    } else {
        dispatch(project, run)
    };
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
    warn_unless(files().summarise(&project.masker.mask(&line)));
}

/// Returns the workflow of this job, if it is one on a branch of a repository.
pub(crate) fn workflow(repository: &str) -> Option<WorkflowRef> {
    WorkflowRef::read(&variable("GITHUB_WORKFLOW_REF")?, repository)
}

/// Returns the time in which runs and jobs are counted, up to `most` of them.
pub(crate) fn last_day(until: Timestamp, most: usize) -> CountWindow {
    let after = until.checked_sub(SignedDuration::from_hours(24)).unwrap_or(Timestamp::MIN);
    CountWindow { after, until, most }
}

fn dispatch(project: &Project, run: &Run) -> Result<(), String> {
    let workflow = workflow(&run.started.repository)
        .ok_or("GITHUB_WORKFLOW_REF names no workflow on a branch of this repository")?;
    let github = server_of(&run.started.repository).map_err(|failure| failure.message)?;
    let runtime = runtime().map_err(|failure| failure.message)?;
    let (issue, most) = (run.started.issue.number, project.settings.github.jobs_a_day());
    let started = runtime.block_on(async {
        let jobs = github.count_starts_for(&workflow, issue, last_day(journal::now(), most)).await?;
        if jobs < most { github.start_workflow(&workflow, issue).await.map(|()| true) } else { Ok(false) }
    });
    match started {
        Ok(true) => Ok(()),
        Ok(false) => Err(format!("it was started {most} times in 24 hours, more jobs than that time has")),
        Err(error) => Err(format!("{error} ({})", error.hint())),
    }
}

/// Returns the paths that differ from the base and are still there.
fn changed_paths(workspace: &Workspace, run: &Run) -> BTreeSet<String> {
    let Ok(base) = CommitId::try_from(run.started.base_commit.as_str()) else { return BTreeSet::new() };
    let changes = workspace.changes().since(&base).unwrap_or_default();
    changes.into_iter().filter(|change| !change.is_deleted()).map(|change| change.path).collect()
}

fn is_here() -> bool {
    variable("GITHUB_ACTIONS").is_some_and(|value| value == "true")
}

fn set_masked_output(name: &str, value: &str) -> std::io::Result<()> {
    files().output(name, &masker().mask(value), &nonce())
}

fn files() -> JobFiles {
    JobFiles { summary: path_variable("GITHUB_STEP_SUMMARY"), outputs: path_variable("GITHUB_OUTPUT") }
}

fn path_variable(name: &str) -> Option<PathBuf> {
    variable(name).map(PathBuf::from)
}

fn warn_unless(written: std::io::Result<()>) {
    if let Err(error) = written {
        tracing::warn!("the job cannot be told how the run ended: {error}");
    }
}

/// Looks whose token this is, before any work is paid for: whether the pull request will start a workflow, and whether the job
/// may take longer than the token lasts.
pub(crate) async fn check_token(project: &Project, journal: &mut Journal, forge: &Forge) -> Result<()> {
    warn_of_no_ci(project, journal, forge).await?;
    warn_of_token_hour(project, forge).await;
    Ok(())
}

/// The account of the token of a job.
const JOBS_OWN: &str = "github-actions";

/// Asks whose the token is and tells what follows from it, once in a run as long as it stays so.
async fn warn_of_no_ci(project: &Project, journal: &mut Journal, forge: &Forge) -> Result<()> {
    let running = |run: &&Run| run.outcome == RunOutcome::Running;
    let Some(run) = journal.state().run.as_ref().filter(running) else { return Ok(()) };
    let was_told = starts_no_ci(run).is_some();
    // The first one asks who it is in any case, to find its comment.
    if run.publication.progress_comment.is_some() && !was_told {
        return Ok(());
    }
    // The next write reports why GitHub gives no answer.
    let Ok(Some(login)) = forge.myself().await else { return Ok(()) };
    let is_jobs_own = login.trim_end_matches("[bot]") == JOBS_OWN;
    match project.role {
        JobRole::Work if is_jobs_own && !names_a_program(project) => {
            let text = format!(
                "{NO_CI}: unless the job that publishes has the token of an app, which `[github] allowed_actors` names, \
                 the pull request will start no workflow"
            );
            tracing::warn!("{text}");
            add_summary_line(project, &text);
            Ok(())
        }
        JobRole::Both | JobRole::Publish if is_jobs_own && !was_told => {
            let text = format!(
                "{NO_CI}: the token is the job's own, so the pull request will start no workflow; use one of an app"
            );
            add_summary_line(project, &text);
            note(journal, NO_CI, text)
        }
        JobRole::Both | JobRole::Publish if !is_jobs_own && was_told => {
            note(journal, STARTS_CI, format!("The pull request is {login}'s now and starts workflows"))
        }
        JobRole::Both | JobRole::Work | JobRole::Publish => Ok(()),
    }
}

/// Where two jobs share the work, the app that publishes has to be named.
fn names_a_program(project: &Project) -> bool {
    project.settings.github.allowed_actors.iter().any(|name| name.ends_with("[bot]"))
}

/// The reporter of log lines prints it.
fn note(journal: &mut Journal, kind: &str, text: String) -> Result<()> {
    Ok(journal.record(Fact::Noted { kind: kind.to_owned(), text })?)
}

/// Phases that begin later than this may end after the hour. GitHub: an installation access token expires after one hour.
const MOST_MINUTES: u64 = 50;

/// Asks whose the token is, in a job that works and publishes; the token of a job lasts as long as the job.
async fn warn_of_token_hour(project: &Project, forge: &Forge) {
    let minutes = project.settings.github.job_minutes.unwrap_or(u64::MAX);
    if project.role != JobRole::Both || !forge.is_remote() || !in_ci() || minutes <= MOST_MINUTES {
        return;
    }
    // The next write reports why GitHub gives no answer.
    let Ok(Some(login)) = forge.myself().await else { return };
    if login.strip_suffix("[bot]").is_some_and(|name| name != JOBS_OWN) {
        let text = format!(
            "W_TOKEN_HOUR: the token of {login} lasts an hour, this job may take longer: set `[github] job_minutes` to 40, \
             or let a second job publish (`init github --two-job`)"
        );
        tracing::warn!("{text}");
        add_summary_line(project, &text);
    }
}
