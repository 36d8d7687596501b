//! `pr-feedback`: takes up what reviewers of the pull request asked for, or lists it.

use std::fmt::Write as _;

use serde_json::json;

use super::CommandResult;
use super::arguments::PrFeedbackArgs;
use super::observer::TerminalObserver;
use super::output::show;
use app::failure::exit_code;
use app::pr_feedback::{FeedbackOutcome, take_up_feedback};
use forge::OpenThread;
use model::issue::IssueNumber;
use views::summary::{counted, plain};

pub(super) fn run(arguments: &PrFeedbackArgs) -> CommandResult {
    let observer = TerminalObserver::new(arguments.common.json);
    let project = crate::project::open(&arguments.common.settings)?;
    match take_up_feedback(&project, &observer, arguments.pr, arguments.dry_run)? {
        FeedbackOutcome::Listed(issue, threads) => show_threads(arguments, issue, &threads),
        FeedbackOutcome::Halted(halt) => Ok(exit_code(halt)),
    }
}

fn show_threads(arguments: &PrFeedbackArgs, issue: IssueNumber, threads: &[OpenThread]) -> CommandResult {
    let mut lines = match threads.len() {
        0 => format!("no thread of pull request {} waits for an answer\n", arguments.pr),
        many => format!("{} would be taken up:\n", counted(many as u64, "thread")),
    };
    let mut values = Vec::new();
    for OpenThread { thread, text, .. } in threads {
        let line = thread.line.map(|line| format!(":{line}")).unwrap_or_default();
        let _ = writeln!(lines, "  {}{line}  {}", plain(&thread.path), plain(text));
        values.push(json!({"id": thread.id, "path": thread.path, "line": thread.line, "said": text}));
    }
    let value = json!({
        "pull_request": arguments.pr, "issue_number": issue, "dry_run": arguments.dry_run,
        "threads": values, "exit_code": 0,
    });
    show(arguments.common.json, &value, &lines)
}
