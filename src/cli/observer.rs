//! Shows a run on the terminal while it is worked on: what is going to happen, how it ended there or as JSON, what comes next.
//! People read it on stderr. Of a run that was finalized the log is gone, so its record is shown.

use std::fmt::Write as _;

use serde_json::{Value, json};
use tracing_subscriber::EnvFilter;

use super::live_line::{LiveLine, LogWriter};
use super::output::{commands, document, print, words};
use app::environment::masker;
use app::explain::{author_and_reviewers, second_reviewers};
use app::failure::Halt;
use app::locked_run::LockedRun;
use app::project::Project;
use app::run_location::{finalized_sentence, next_after_finalized};
use app::run_to_halt::RunObserver;
use engine::{Run, Status};
use journal::Reporter;
use journal::store::common_dir::FinalizedRun;
use model::event::RunOutcome;
use model::policy::Budget;
use views::summary::{self, RunEnding, counted, duration, pad, plain};

/// Shows a run on the terminal.
pub(super) struct TerminalObserver {
    terminal: LiveLine,
    json: bool,
}

impl TerminalObserver {
    /// Sends log lines, masked, to stderr, beside the live line. `AI_WORKFLOW_LOG` filters them; `info` is the default.
    pub(super) fn new(json: bool) -> Self {
        let terminal = LiveLine::on_stderr();
        let filter = EnvFilter::try_from_env("AI_WORKFLOW_LOG").unwrap_or_else(|_| EnvFilter::new("info"));
        let lines = tracing_subscriber::fmt().with_env_filter(filter).without_time().with_target(false);
        let beside = terminal.clone();
        // A second call in one process keeps the first subscriber.
        let _ = lines
            .with_ansi(false)
            .with_writer(move || LogWriter { terminal: beside.clone(), masker: masker() })
            .try_init();
        Self { terminal, json }
    }
}

impl RunObserver for TerminalObserver {
    fn reporter(&self) -> Box<dyn Reporter> {
        Box::new(self.terminal.clone())
    }

    fn show_start(&self, project: &Project, locked: &LockedRun) {
        words(&first_lines(locked.run(), project, locked));
    }

    fn clear_progress(&self) {
        self.terminal.finish();
    }

    fn show_halt(&self, locked: &LockedRun, halt: Halt) {
        show_ending(locked);
        if self.json {
            document(&format!("{:#}\n", locked.report(halt)));
        }
    }

    fn show_question(&self, run: &Run) {
        show_question(run);
    }

    fn show_finalized(&self, record: &FinalizedRun) {
        show_finalized(record, self.json);
    }

    fn write_job_commands(&self, lines: &[String]) {
        commands(lines);
    }
}

/// Prints the question of a paused run and the commands that answer it.
fn show_question(run: &Run) {
    if let Some(escalation) = &run.paused {
        words(&format!("\n{}", summary::question_lines(run, escalation)));
    }
}

/// Prints how a run ended.
pub(super) fn show_ending(locked: &LockedRun) {
    let run = locked.run();
    if run.outcome == RunOutcome::Paused {
        show_question(run);
    }
    words(&last_lines(run, locked));
}

/// The column at which values begin.
const COLUMN: usize = 13;

/// Lines of a name and a value.
#[derive(Default)]
struct NameValueLines(String);

impl NameValueLines {
    fn add(&mut self, name: &str, value: &str) {
        let _ = writeln!(self.0, "  {}{}", pad(name, COLUMN), plain(value));
    }
}

/// Returns what is going to happen.
fn first_lines(run: &Run, project: &Project, locked: &LockedRun) -> String {
    let (started, issue) = (&run.started, &run.started.issue);
    let root = locked.folder.root();
    let mut lines = NameValueLines(format!("ai-workflow {}\n", env!("CARGO_PKG_VERSION")));
    lines.add("repository", &started.repository);
    lines.add("issue", &format!("#{} {}", issue.number, issue.title));
    let base = started.base_commit.get(..9).unwrap_or(&started.base_commit);
    lines.add("branch", &format!("{} from {} ({base})", started.branch, started.base_branch));
    if root != project.root() {
        lines.add("worktree", &root.display().to_string());
    }
    lines.add("agent", &agents(run));
    lines.add("phases", &phases(run));
    lines.add("limits", &limits(run));
    lines.add("spending", &spending(run, project));
    let log = root.join(locked.folder.events());
    lines.add("log", &log.strip_prefix(&project.here).unwrap_or(&log).display().to_string());
    lines.add("watch", &format!("ai-workflow status --issue {}", issue.number));
    lines.0.push('\n');
    lines.0
}

fn agents(run: &Run) -> String {
    let Some(def) = run.phases.iter().find(|phase| !phase.status.satisfies()).map(|phase| &phase.def) else {
        return "none left to call".into();
    };
    let agents = if def.agents == def.reviewers {
        let (author, others) = (def.agents.join(", then "), second_reviewers(def));
        format!("{author}, reviewed by the same program in a fresh process{others}")
    } else {
        author_and_reviewers(def)
    };
    let models = if run.asked.auto_model { "; the difficulty of the issue chooses the models" } else { "" };
    agents + models
}

fn phases(run: &Run) -> String {
    let left = run.phases.iter().filter(|phase| !phase.status.satisfies());
    let left: Vec<&str> = left.map(|phase| phase.name().as_str()).collect();
    let done = run.phases.iter().filter(|phase| phase.status == Status::Completed).count();
    match (done, left.is_empty()) {
        (0, _) => left.join(" → "),
        (done, true) => format!("{done} completed, none left"),
        (done, false) => format!("{done} completed, then {}", left.join(" → ")),
    }
}

fn limits(run: &Run) -> String {
    let time = &run.started.agreement.time;
    let of = |triage: bool| {
        let phases = run.phases.iter().filter(move |phase| phase.def.policy.triage == triage);
        phases.map(|phase| u64::from(phase.def.policy.limits.max_revisions)).max()
    };
    let revisions = of(false).map(|most| format!("{} a phase", counted(most, "revision")));
    let rounds = of(true).map(|most| format!("{} of document review", counted(most, "round")));
    let call = format!("{} a call", duration(time.step_seconds));
    [revisions, rounds, Some(call)].into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// Says what the run may cost, and when that is a limit nobody has set.
fn spending(run: &Run, project: &Project) -> String {
    let by_default = run.spending.budget.usd.is_some() && project.settings.budget.run.usd.is_none();
    let note = if by_default {
        "; nobody is at the terminal, so the default limit counts: `--set budget.usd=…` changes it"
    } else {
        ""
    };
    let scopes = &run.spending.scopes;
    let scopes = [("a call", &scopes.step), ("a phase", &scopes.phase), ("a day", &scopes.day)];
    let set = scopes.iter().filter(|(_, budget)| **budget != Budget::default());
    let scopes = set.fold(String::new(), |text, (scope, budget)| format!("{text}; {scope} {}", most(budget)));
    format!("{}{scopes}{note}", most(&run.spending.budget))
}

fn most(budget: &Budget) -> String {
    let usd = budget.usd.map(|most| format!("{most:.2} USD"));
    let tokens = budget.tokens.map(|most| counted(most, "token"));
    let calls = budget.calls.map(|most| counted(most, "agent call"));
    let minutes = budget.minutes.map(|most| counted(most, "minute"));
    let turns = budget.turns.map(|most| counted(most, "turn"));
    let all: Vec<String> = [usd, tokens, calls, minutes, turns].into_iter().flatten().collect();
    if all.is_empty() { "no limit".into() } else { format!("at most {}", all.join(", ")) }
}

fn last_lines(run: &Run, locked: &LockedRun) -> String {
    let root = locked.folder.root();
    let mut lines = NameValueLines("\n".to_owned());
    lines.add("branch", &run.started.branch);
    lines.add("documents", &root.join(locked.folder.relative()).display().to_string());
    if let Some((_, url)) = &run.publication.pull_request {
        let closed = if summary::is_request_closed(run) { " (closed by a person)" } else { "" };
        lines.add("pull request", &format!("{url}{closed}"));
    }
    for line in summary::agent_lines(run) {
        lines.add("agents", &line);
    }
    lines.add("cost", &summary::cost_line(run));
    let seconds = run.updated_at.duration_since(run.created_at).as_secs();
    let time = duration(u64::try_from(seconds).unwrap_or(0));
    lines.add("time", &format!("{time} since the run began"));
    if run.simulated {
        lines.add("simulated", "a scripted or plain-command agent took part");
    }
    if !locked.space.workspace().is_linked() {
        lines.add("go back", &way_back(run, locked));
    }
    // A run that is not over is removed only when that is said twice.
    let force = if matches!(run.outcome, RunOutcome::Running | RunOutcome::Paused) { " --force" } else { "" };
    lines.add("undo", &format!("ai-workflow cleanup --issue {}{force}", run.started.issue.number));
    format!("{}\n{}", lines.0, RunEnding::of(run).lines())
}

/// What the agent left unfinished stays in the checkout and would stand in the way.
fn way_back(run: &Run, locked: &LockedRun) -> String {
    let go = format!("git switch {}", run.started.base_branch);
    match locked.space.workspace().read_state() {
        Ok(survey) if !survey.changed.is_empty() => {
            format!(
                "git stash push --include-untracked -- . ':!.ai-workflow' && {go}    (back: git switch {} && git stash pop)",
                run.started.branch
            )
        }
        _ => go,
    }
}

/// Prints that the run is over, which is no failure.
pub(super) fn show_finalized(record: &FinalizedRun, json: bool) {
    let (issue, title) = (record.issue, plain(&record.title));
    let (sentence, next) = (finalized_sentence(record), next_after_finalized(record));
    let lines = format!("#{issue} {title}: completed\n\n{sentence}\n\nnext: {next}\n");
    print(json, &finalized_value(record), &lines);
}

/// Returns the record as a report.
pub(super) fn finalized_value(record: &FinalizedRun) -> Value {
    json!({
        "issue_number": record.issue, "issue_title": record.title, "outcome": "completed", "exit_code": 0,
        "branch_name": record.branch, "base_branch": record.base_branch, "pr_url": record.pull_request,
        "finalized": {"at": record.at.to_string(), "commit": record.commit}, "next": next_after_finalized(record),
    })
}
