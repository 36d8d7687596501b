//! The first and the last lines of `execute`: what is going to happen, how it ended, what comes next.
//! People read them on stderr; with `--json` a report goes to stdout.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::{Value, json};

use crate::event::Outcome;
use crate::flow::{Run, Status};
use crate::journal::Journal;
use crate::metadata::metadata;
use crate::policy::Budget;
use crate::report::skip_line;
use crate::summary;

/// Prints what is going to happen.
#[expect(clippy::print_stderr, reason = "the first lines a person reads")]
pub(super) fn beginning(journal: &Journal, checkout: &Path) {
    let Some(run) = &journal.state().run else { return };
    eprint!("{}", first_lines(run, journal.folder(), checkout));
}

fn first_lines(run: &Run, folder: &Path, checkout: &Path) -> String {
    let (started, issue) = (&run.started, &run.started.issue);
    let mut text = format!("ai-workflow {}\n", env!("CARGO_PKG_VERSION"));
    let mut line = |name: &str, value: &str| {
        let _ = writeln!(text, "  {name:<11} {value}");
    };
    line("repository", &started.repository);
    line("issue", &format!("#{} {}", issue.number, summary::quoted(&issue.title)));
    let base = started.base_commit.get(..9).unwrap_or(&started.base_commit);
    line("branch", &format!("{} from {} ({base})", started.branch, started.base_branch));
    line("agent", &agents(run));
    line("phases", &phases(run));
    line("limits", &limits(run));
    if !folder.starts_with(checkout) {
        line("worktree", &folder.ancestors().nth(2).unwrap_or(folder).display().to_string());
    }
    line(
        "follow",
        &format!(
            "{}/events.jsonl, or `ai-workflow status --issue {}`",
            shown(folder, checkout),
            issue.number
        ),
    );
    text
}

fn shown(folder: &Path, checkout: &Path) -> String {
    folder.strip_prefix(checkout).unwrap_or(folder).display().to_string()
}

fn agents(run: &Run) -> String {
    let Some(def) = run.phases.iter().find(|phase| !phase.status.satisfies()).map(|phase| &phase.def) else {
        return "none left to call".into();
    };
    let (author, reviewer) = (def.agents.join(", then "), def.reviewers.join(", then "));
    if author == reviewer {
        format!("{author}, reviewed by the same program in a fresh process")
    } else {
        format!("{author}, reviewed by {reviewer}")
    }
}

fn phases(run: &Run) -> String {
    let shown = run.phases.iter().filter(|phase| phase.status != Status::Skipped);
    shown.map(|phase| phase.name().to_string()).collect::<Vec<_>>().join(" → ")
}

fn limits(run: &Run) -> String {
    let time = &run.started.agreement.time;
    let revisions =
        run.phases.iter().map(|phase| phase.def.policy.limits.max_revisions).filter(|most| *most != 7).max();
    let revisions = revisions.map_or(String::new(), |most| format!("{most} revisions a phase, "));
    format!("{revisions}{} min a call, {}", time.step_seconds / 60, budget_words(&run.budget))
}

fn budget_words(budget: &Budget) -> String {
    let usd = budget.usd.map(|most| format!("{most:.2} USD"));
    let tokens = budget.tokens.map(|most| format!("{most} tokens"));
    let calls = budget.calls.map(|most| format!("{most} calls"));
    let minutes = budget.minutes.map(|most| format!("{most} minutes"));
    let all: Vec<String> = [usd, tokens, calls, minutes].into_iter().flatten().collect();
    if all.is_empty() { "no cost cap".into() } else { format!("at most {}", all.join(", ")) }
}

/// Tells that a run failed before and how to open it again.
pub(super) fn failed_run(run: &Run) {
    let Some(failed) = run.phases.iter().find(|phase| phase.status == Status::Failed) else { return };
    tracing::error!(
        "Phase {}: Failed earlier: {}",
        failed.name(),
        failed.reason.as_deref().unwrap_or("no reason")
    );
    tracing::error!("{}", skip_line(failed.name().as_str()));
}

/// Prints the question of a paused run and the commands that answer it.
#[expect(clippy::print_stderr, reason = "a question to a person")]
pub(super) fn question(run: &Run) {
    if let Some(escalation) = &run.paused {
        eprint!("{}", summary::question(run, escalation).replace("**", ""));
    }
}

/// Tells where a run stands that was stopped by an error.
pub(super) fn stopped(journal: &Journal) {
    if let Some(current) = journal.state().run.as_ref().and_then(Run::current) {
        tracing::info!("Phase {}: Stopped at {}", current.name(), summary::status_word(current));
    }
}

/// Prints how a run ended.
#[expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "the last lines: the report on stdout, words on stderr"
)]
pub(super) fn ending(journal: &Journal, root: &Path, code: u8, json: bool) {
    let Some(run) = &journal.state().run else { return };
    if run.outcome == Outcome::Paused {
        question(run);
    }
    eprint!("{}", last_lines(run, root));
    if json {
        println!("{:#}", report(journal, code));
    }
}

/// Returns the JSON report of `execute`: the view, the exit code, the command that comes next.
pub(super) fn report(journal: &Journal, code: u8) -> Value {
    let view = metadata(journal.state(), journal.chain());
    let mut value = serde_json::to_value(view).unwrap_or(Value::Null);
    if let (Some(fields), Some(run)) = (value.as_object_mut(), &journal.state().run) {
        fields.insert("exit_code".into(), json!(code));
        fields.insert("next".into(), json!(summary::next_command(run)));
    }
    value
}

fn last_lines(run: &Run, root: &Path) -> String {
    let mut text = String::new();
    let mut line = |name: &str, value: &str| {
        let _ = writeln!(text, "  {name:<11} {value}");
    };
    let number = run.started.issue.number;
    line("outcome", &outcome_words(run));
    line("branch", &run.started.branch);
    line("documents", &format!("{}/.ai-workflow/issue-{number}", root.display()));
    if let Some((_, url)) = &run.pull_request {
        line("pull request", url);
    }
    line("cost", &summary::cost_line(run));
    if run.simulated {
        line("simulated", "a scripted or plain-command agent took part");
    }
    line("next", &summary::next_command(run));
    line("go back", &format!("git switch {}", run.started.base_branch));
    line("undo", &format!("ai-workflow cleanup --issue {number}"));
    text
}

fn outcome_words(run: &Run) -> String {
    let failed = run.phases.iter().find(|phase| phase.status == Status::Failed);
    let done = run.phases.iter().filter(|phase| phase.status == Status::Completed).count();
    match (run.outcome, failed) {
        (Outcome::Failed | Outcome::Incomplete, Some(phase)) => {
            format!(
                "{}: {} ({})",
                run.outcome.as_str(),
                phase.name(),
                phase.reason.as_deref().unwrap_or("no reason")
            )
        }
        (outcome, _) => format!("{}, {done} of {} phases completed", outcome.as_str(), run.phases.len()),
    }
}
