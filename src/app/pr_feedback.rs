//! Takes up what reviewers of the pull request asked for. The run that made it goes on with a revision; its threads are answered
//! where the run ends. What is taken up stands in the log, so that the same request goes on.

use tokio::runtime::Runtime;

use crate::continued_elsewhere::refuse_continued_elsewhere;
use crate::environment::runtime;
use crate::external_changes;
use crate::failure::{Failure, Halt};
use crate::finalize::refuse_incomplete;
use crate::forge_connection;
use crate::kept_settings::{refuse_contradiction, refuse_untrusted_settings};
use crate::locked_run::LockedRun;
use crate::project::Project;
use crate::run_request;
use crate::run_to_halt::{RunDriver, RunObserver};
use forge::github::PullRequest;
use forge::{GithubForge, OpenThread, WriteAccess};
use model::event::{Fact, Feedback, FeedbackSource, RunOutcome};
use model::finding::{Finding, Severity};
use model::issue::{IssueNumber, issue_of_run_branch};
use settings::{ForgeKind, PushWhen};
use views::summary::{answered_up_to, plain};

/// What became of the words of reviewers.
pub enum FeedbackOutcome {
    /// The run of this issue has nothing to do, or was only to be looked at: these threads wait for an answer.
    Listed(IssueNumber, Vec<OpenThread>),
    /// The run came to its halt.
    Halted(Halt),
}

/// Has the run of a pull request take up what reviewers asked for, or only lists it.
pub fn take_up_feedback(
    project: &Project,
    observer: &dyn RunObserver,
    number: u64,
    dry_run: bool,
) -> Result<FeedbackOutcome, Failure> {
    let driver = RunDriver { project, observer };
    project.warn_of_short_secrets();
    if project.settings.forge == Some(ForgeKind::Local) {
        return Err(Failure::usage("files beside the code have no review threads")
            .hint("pull requests are on GitHub: set GITHUB_TOKEN"));
    }
    let github = forge_connection::github(project)?;
    // A connection belongs to the runtime that made it.
    let runtime = runtime()?;
    let seen = pull_request(&runtime, &github, number)?;
    let issue = issue_of(&seen)?;
    let mut locked = LockedRun::take(project, issue, &|run| refuse_contradiction(project, run))?;
    locked.space.run_branch().refuse_missing()?;
    let run = locked.run();
    let mut access = WriteAccess::new(&github, &project.settings.github.allowed_actors);
    let answered = |body: &str| answered_up_to(run, body);
    let threads = runtime.block_on(access.open_threads(seen.number, &run.feedback.threads, answered))?;
    if dry_run {
        return Ok(FeedbackOutcome::Listed(issue, threads));
    }
    refuse_contradiction(project, run)?;
    refuse_continued_elsewhere(project, locked.space.workspace(), run)?;
    refuse_untrusted_settings(project, run)?;
    if run.waits_for_a_person() {
        return Ok(FeedbackOutcome::Halted(driver.show_halt(&locked, RunOutcome::Paused)));
    }
    let goes_on = run.feedback.pending.is_some();
    let has_left_open = run.outcome == RunOutcome::Completed && !run.feedback.left_open.is_empty();
    if !goes_on && threads.is_empty() && !has_left_open {
        return Ok(FeedbackOutcome::Listed(issue, threads));
    }
    external_changes::refuse_closed(project, run)?;
    locked.log_facts();
    if !goes_on && !threads.is_empty() {
        let fed = make_feedback(project, &locked, &seen, &threads)?;
        locked.journal.record(Fact::FedBack(Box::new(fed)))?;
    }
    if locked.run().outcome != RunOutcome::Completed {
        run_request::record_whole_run(project, &mut locked)?;
    }
    driver.drive(locked).map(FeedbackOutcome::Halted)
}

fn pull_request(runtime: &Runtime, github: &GithubForge, number: u64) -> Result<PullRequest, Failure> {
    let seen = runtime.block_on(github.pull_request(number))?;
    let seen = seen.ok_or_else(|| {
        Failure::usage(format!("pull request {number} does not exist in {}", github.repository()))
            .hint("give the number of a pull request that a run opened")
    })?;
    if seen.is_open {
        return Ok(seen);
    }
    Err(Failure::usage(format!("pull request {number} is closed")).hint("open it again, or leave it"))
}

/// A run is found by the name of its branch; a branch of that name in a fork is somebody else's.
fn issue_of(seen: &PullRequest) -> Result<IssueNumber, Failure> {
    let own = if seen.is_own { issue_of_run_branch(&seen.head) } else { None };
    own.ok_or_else(|| {
        let head = plain(&seen.head);
        Failure::usage(format!("pull request {} is of no run: its branch is {head}", seen.number))
            .hint("give the number of a pull request that a run opened")
    })
}

/// Makes the fact, or says why the run cannot take anything up now.
fn make_feedback(
    project: &Project,
    locked: &LockedRun,
    seen: &PullRequest,
    threads: &[OpenThread],
) -> Result<Feedback, Failure> {
    let run = locked.run();
    let number = run.started.issue.number;
    refuse_incomplete(run)?;
    if project.settings.push == Some(PushWhen::Never) {
        return Err(Failure::usage("the answers would name commits that nobody can see: nothing is pushed")
            .hint("leave out `--push never`"));
    }
    let name = &run.started.branch;
    let branch = locked.space.workspace().branches().find(name)?;
    if branch.is_none_or(|branch| branch.tip.as_str() != seen.commit) {
        return Err(Failure::usage(format!("{name} is not here as it is on GitHub")).hint(format!(
            "bring it up to date first: `git switch {name} && git pull --ff-only origin {name}`"
        )));
    }
    let phase = run.feedback_phase().ok_or_else(|| {
        Failure::usage(format!("the run of issue {number} has no phase that changed code"))
            .hint(format!("open one again with `ai-workflow rollback --issue {number}`"))
    })?;
    Ok(Feedback {
        phase,
        by: FeedbackSource::Reviewers,
        pull_request: seen.number,
        head: seen.commit.clone(),
        findings: threads.iter().map(finding).collect(),
        threads: threads.iter().map(|thread| thread.thread.clone()).collect(),
    })
}

fn finding(thread: &OpenThread) -> Finding {
    Finding {
        file: Some(thread.thread.path.clone()),
        line: thread.thread.line,
        ..Finding::new(Severity::Major, "review", thread.text.clone())
    }
}
