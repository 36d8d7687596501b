//! `pr-feedback`: takes up what reviewers of the pull request asked for. The run that made it goes on with a revision; its
//! threads are answered where the run ends. What is taken up stands in the log, so that the same command goes on.

use std::fmt::Write as _;

use serde_json::{Value, json};
use tokio::runtime::Runtime;

use super::arguments::PrFeedback;
use super::drive::{drive, finish};
use super::project::log_to;
use super::show::show;
use super::{Answer, exit_code};
use app::environment::runtime;
use app::failure::Failure;
use app::forge_connection;
use app::locked_run::LockedRun;
use app::project::Project;
use app::run_request;
use app::{changes_outside, pinned_settings};
use engine::Run;
use forge::github::PullRequestState;
use forge::{Forge, GithubForge, OpenThread, WriteAccess};
use model::event::{Fact, FedBack, Outcome, Source, issue_of_branch};
use model::finding::{Disposition, Finding, Severity};
use model::issue::IssueNumber;
use model::phase::PhaseName;
use runner::report::{LogLines, Terminal};
use settings::PushWhen;
use views::summary::{answered_up_to, counted, next_command, plain};

pub(super) fn run(arguments: &PrFeedback) -> Answer {
    let terminal = Terminal::on_stderr();
    log_to(&terminal);
    let project = crate::project::open(&arguments.settings)?;
    project.warn_of_short_secrets();
    let Forge::Github(github) = forge_connection::of_pull_request(&project)? else {
        return Err(Failure::usage("files beside the code have no review threads")
            .hint("pull requests are on GitHub: set GITHUB_TOKEN"));
    };
    // A connection belongs to the runtime that made it.
    let runtime = runtime()?;
    let seen = pull_request(&runtime, &github, arguments.pr)?;
    let issue = issue_of(&seen)?;
    let mut locked =
        LockedRun::take(&project, issue, &|run| pinned_settings::refuse_contradiction(&project, run))?;
    locked.space.run_branch().refuse_missing()?;
    let threads = asked(&project, &runtime, &github, locked.run()?, seen.number)?;
    if arguments.dry_run {
        return Ok(told(locked.run()?, arguments, &threads));
    }
    pinned_settings::refuse_contradiction(&project, locked.run()?)?;
    pinned_settings::refuse_untrusted_settings(&project, locked.run()?)?;
    if locked.run()?.waits_for_a_person() {
        let code = exit_code::of_run(locked.run()?, Outcome::Paused, project.settings.no_wait);
        return Ok(finish(&locked, arguments.json, code));
    }
    let goes_on = locked.run()?.feedback.pending.is_some();
    if !goes_on && threads.is_empty() && !has_left_open(locked.run()?) {
        return Ok(told(locked.run()?, arguments, &threads));
    }
    changes_outside::refuse_closed(&project, locked.run()?)?;
    locked.journal.add_reporter(Box::new(LogLines::default()));
    if !goes_on && !threads.is_empty() {
        let fed = fed_back(&project, &locked, &seen, &threads)?;
        locked.journal.record(Fact::FedBack(Box::new(fed)))?;
    }
    if locked.run()?.outcome != Outcome::Completed {
        run_request::record_whole_run(&project, &mut locked)?;
    }
    drive(&project, locked, &terminal, arguments.json)
}

/// Tells whether nothing is left to do but to resolve what could not be resolved before.
fn has_left_open(run: &Run) -> bool {
    run.outcome == Outcome::Completed && !run.feedback.left_open.is_empty()
}

fn pull_request(runtime: &Runtime, github: &GithubForge, number: u64) -> Result<PullRequestState, Failure> {
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
fn issue_of(seen: &PullRequestState) -> Result<IssueNumber, Failure> {
    let own = if seen.is_own { issue_of_branch(&seen.head) } else { None };
    own.ok_or_else(|| {
        Failure::usage(format!(
            "pull request {} is of no run: its branch is {}",
            seen.number,
            plain(&seen.head)
        ))
        .hint("give the number of a pull request that a run opened")
    })
}

/// Returns the threads that ask for something that was not answered yet.
fn asked(
    project: &Project,
    runtime: &Runtime,
    github: &GithubForge,
    run: &Run,
    number: u64,
) -> Result<Vec<OpenThread>, Failure> {
    let mut access = WriteAccess::new(github, &project.settings.github.allowed_actors);
    let answered = |body: &str| answered_up_to(run, body);
    Ok(runtime.block_on(access.open_threads(number, &run.feedback.threads, answered))?)
}

/// Makes the fact, or says why the run cannot take anything up now.
fn fed_back(
    project: &Project,
    locked: &LockedRun,
    seen: &PullRequestState,
    threads: &[OpenThread],
) -> Result<FedBack, Failure> {
    let run = locked.run()?;
    if run.outcome != Outcome::Completed {
        let (number, word) = (run.started.issue.number, run.outcome.as_str());
        return Err(Failure::usage(format!("the run of issue {number} is {word}, not completed"))
            .hint(format!("next: `{}`", next_command(run))));
    }
    if project.settings.push == Some(PushWhen::Never) {
        return Err(Failure::usage("the answers would name commits that nobody can see: nothing is pushed")
            .hint("leave out `--push never`"));
    }
    let tip =
        locked.space.workspace().branches().find(&run.started.branch)?.map(|branch| branch.tip.to_string());
    if tip.as_deref() != Some(seen.commit.as_str()) {
        let branch = &run.started.branch;
        return Err(Failure::usage(format!("{branch} is not here as it is on GitHub")).hint(format!(
            "bring it up to date first: `git switch {branch} && git pull --ff-only origin {branch}`"
        )));
    }
    Ok(FedBack {
        phase: revised(run)?,
        by: Source::Reviewers,
        pull_request: seen.number,
        head: seen.commit.clone(),
        findings: threads.iter().map(finding).collect(),
        threads: threads.iter().map(|thread| thread.thread.clone()).collect(),
    })
}

fn revised(run: &Run) -> Result<PhaseName, Failure> {
    run.feedback_phase().ok_or_else(|| {
        let number = run.started.issue.number;
        Failure::usage(format!("the run of issue {number} has no phase that changed code"))
            .hint(format!("open one again with `ai-workflow rollback --issue {number}`"))
    })
}

fn finding(thread: &OpenThread) -> Finding {
    Finding {
        severity: Severity::Major,
        category: "review".to_owned(),
        file: Some(thread.thread.path.clone()),
        line: thread.thread.line,
        issue: thread.text.clone(),
        suggestion: None,
        auto_fixable: false,
        disposition: Disposition::Open,
        in_scope: true,
    }
}

fn told(run: &Run, arguments: &PrFeedback, threads: &[OpenThread]) -> u8 {
    let number = run.started.issue.number;
    let of = |thread: &OpenThread| -> Value {
        json!({"id": thread.thread.id, "path": thread.thread.path, "line": thread.thread.line, "said": thread.text})
    };
    let value = json!({
        "pull_request": arguments.pr, "issue_number": number, "dry_run": arguments.dry_run,
        "threads": threads.iter().map(of).collect::<Vec<_>>(), "exit_code": 0,
    });
    let mut lines = match threads.len() {
        0 => format!("no thread of pull request {} waits for an answer\n", arguments.pr),
        many => format!("{} would be taken up:\n", counted(many as u64, "thread")),
    };
    for thread in threads {
        let line = thread.thread.line.map(|line| format!(":{line}")).unwrap_or_default();
        let _ = writeln!(lines, "  {}{line}  {}", plain(&thread.thread.path), plain(&thread.text));
    }
    show(arguments.json, &value, &lines);
    0
}
