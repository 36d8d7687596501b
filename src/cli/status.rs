//! `status`: where a run stands, also while another process works on it.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::Answer;
use super::arguments;
use super::finalized;
use super::show::show;
use app::failure::Failure;
use app::project::Project;
use app::run_location::{RunView, no_run, view};
use engine::{PhaseState, Run, Stage, Status};
use journal::store::common_dir::{FinalizedRun, RunLocation, issue_folder};
use journal::store::folders::{self, HOME, RunFolder};
use journal::store::lock::{Holder, holder};
use model::event::{Fact, Outcome, TriageTable};
use model::issue::IssueNumber;
use model::phase::{PhaseName, Step};
use views::metadata::{self, AgentProgram, DocumentRound, FixStatus, RoundStatus, metadata};
use views::summary::{self, padded, plain};

pub(super) fn run(arguments: &arguments::Status) -> Answer {
    let project = crate::project::open_without_settings()?;
    let Some(issue) = arguments.issue else { return all(&project, arguments.json) };
    if let Some(record) = finalized::of(&project, issue)? {
        return finalized::told(&record, arguments.json);
    }
    let found = view(&project, issue)?;
    let Some(run) = &found.state.run else { return Err(no_run(issue)) };
    let held_by = held_by(&project, issue);
    let under_way = held_by.as_ref().and_then(|_| under_way(&found, run));
    let mut value = status_value(&found, held_by.as_ref());
    value["held_by"] = json!(held_by.as_ref().map(ToString::to_string));
    value["worktree"] = json!(found.root);
    value["under_way"] = json!(under_way);
    value["next"] = json!(summary::next_command(run));
    value["used"] = json!(summary::used_line(run));
    show(arguments.json, &value, &lines(run, held_by.as_ref(), under_way.as_ref()));
    Ok(0)
}

/// Tells where a run stands that nobody holds.
pub(super) fn text(run: &Run) -> String {
    lines(run, None, None)
}

/// The agent call that goes on right now.
#[derive(serde::Serialize)]
struct UnderWay {
    phase: PhaseName,
    step: Step,
    round: u32,
    attempt: u32,
    agent: String,
    since: Timestamp,
    seconds: u64,
    /// The stream of the agent, to follow.
    file: Option<PathBuf>,
}

fn under_way(found: &RunView, run: &Run) -> Option<UnderWay> {
    let phase = run.phases.iter().find(|phase| matches!(phase.stage, Stage::Working(_)))?;
    let (since, begun) = found.entries.iter().rev().find_map(|entry| match &entry.fact {
        Fact::StepStarted(begun) => Some((entry.at, begun)),
        _ => None,
    })?;
    let call =
        folders::Call { phase: &phase.def, step: begun.step, round: begun.round, attempt: begun.attempt };
    let file = found.root.as_ref().map(|root| {
        let folder = RunFolder::new(root, run.started.issue.number);
        folder.at(&folder.call(call)).join("raw.jsonl")
    });
    Some(UnderWay {
        phase: begun.phase.clone(),
        step: begun.step,
        round: begun.round,
        attempt: begun.attempt,
        agent: begun.agent.clone(),
        since,
        seconds: u64::try_from(journal::now().duration_since(since).as_secs()).unwrap_or(0),
        file,
    })
}

/// Returns what `metadata.json` says, and whether a process of this machine works on the run.
fn status_value(found: &RunView, held_by: Option<&Holder>) -> Value {
    let view = metadata(&found.state, &found.chain).and_then(|view| serde_json::to_value(view).ok());
    let mut value = view.unwrap_or_default();
    value["working"] = json!(held_by.is_some());
    value["pid"] = json!(held_by.map(|holder| holder.pid));
    value
}

fn held_by(project: &Project, issue: IssueNumber) -> Option<Holder> {
    holder(&issue_folder(project.workspace.common(), issue))
}

/// Returns the word for where a run stands. What is running by its log is not, when no process works on it.
fn standing(run: &Run, held_by: Option<&Holder>) -> &'static str {
    let is_begun = run.phases.iter().any(|phase| phase.status == Status::InProgress);
    match run.outcome {
        Outcome::Running if held_by.is_none() && is_begun => "interrupted",
        Outcome::Running if held_by.is_none() => "unfinished",
        outcome => outcome.as_str(),
    }
}

fn lines(run: &Run, held_by: Option<&Holder>, under_way: Option<&UnderWay>) -> String {
    let issue = &run.started.issue;
    let alone = run.outcome == Outcome::Running && held_by.is_none();
    let nobody = if alone { "; no process here works on it" } else { "" };
    let head = format!("{}: {}{nobody}", plain(&issue.title), standing(run, held_by));
    let mut text = format!("#{} {head}\n", issue.number);
    if let Some(why) = summary::untested(run, run.outcome) {
        let _ = writeln!(text, "no test was run: {}", plain(&why));
    }
    text.push('\n');
    let rows: Vec<[String; 5]> = run.phases.iter().map(row).collect();
    for (phase, row) in run.phases.iter().zip(in_columns(&rows)) {
        let _ = writeln!(text, "  {row}");
        for line in document_rounds(phase) {
            let _ = writeln!(text, "    {line}");
        }
        for line in summary::opinion_lines(phase) {
            let _ = writeln!(text, "    {}", plain(&line));
        }
        if let Some(standstill) =
            phase.history.current_rounds().last().and_then(|round| round.standstill.as_ref())
        {
            let _ = writeln!(text, "    standstill: {}", plain(standstill));
        }
        if phase.status != Status::Completed {
            for line in summary::finding_lines(phase) {
                let _ = writeln!(text, "    {}", plain(&line));
            }
        }
    }
    let _ = writeln!(text, "\n  branch   {} from {}", run.started.branch, run.started.base_branch);
    let _ = writeln!(text, "  agents   {}", plain(&agents(run)));
    for line in summary::agent_lines(run) {
        let _ = writeln!(text, "           {}", plain(&line));
    }
    if let Some((_, url)) = &run.publication.follow_up {
        let _ = writeln!(text, "  later    {}", plain(url));
    }
    let _ = writeln!(text, "  cost     {}", summary::cost_line(run));
    if let Some(used) = summary::used_line(run) {
        let _ = writeln!(text, "  used     {used}");
    }
    if let Some(call) = under_way {
        let (time, agent) = (summary::duration(call.seconds), plain(&call.agent));
        let _ = writeln!(
            text,
            "  now      {} {} by {agent}, round {}, for {time}",
            call.phase, call.step, call.round
        );
        if let Some(file) = &call.file {
            let _ = writeln!(text, "  follow   tail -f {}", file.display());
        }
    }
    if let Some(holder) = held_by {
        let _ = writeln!(text, "  held by  {}", plain(&holder.to_string()));
    }
    if let Some(escalation) = &run.paused {
        let _ = write!(text, "\n{}", summary::question_lines(run, escalation));
    }
    if held_by.is_none() {
        let _ = writeln!(text, "\nnext: {}", summary::next_command(run));
    }
    text
}

/// Tells the rounds of a document review, the one under way last.
fn document_rounds(phase: &PhaseState) -> Vec<String> {
    let rounds = metadata::document_review(phase).map(|review| review.rounds).unwrap_or_default();
    rounds.iter().map(document_round).collect()
}

fn document_round(round: &DocumentRound) -> String {
    let counts = (round.fix_required, round.no_fix_needed, round.needs_discussion);
    let (Some(fix_required), Some(no_fix_needed), Some(needs_discussion)) = counts else {
        let how_far = match round.status {
            RoundStatus::ReviewComplete => "reviewed, no answer yet",
            RoundStatus::Incomplete | RoundStatus::ReplyComplete => "not reviewed yet",
        };
        return format!("round {}: {how_far}", round.number);
    };
    let table = summary::table_line(TriageTable { fix_required, no_fix_needed, needs_discussion });
    let fixes = match round.fix_status {
        Some(FixStatus::Applied) => "; fixes applied, to be reviewed again",
        Some(FixStatus::Pending) => "; not fixed",
        Some(FixStatus::NotRequired) | None => "",
    };
    format!("round {}: {table}{fixes}", round.number)
}

/// Names the programs that were called, with version and model as far as they told; before the first call the agents.
fn agents(run: &Run) -> String {
    let called = metadata::provenance(run).agents;
    if called.is_empty() {
        let mut asked: Vec<&str> = Vec::new();
        for agent in run.phases.iter().flat_map(all_named) {
            if !asked.contains(&agent.as_str()) {
                asked.push(agent);
            }
        }
        return asked.join(", ");
    }
    let one = |locked: &AgentProgram| {
        let version = locked.version.as_ref().map(|version| format!(" {version}")).unwrap_or_default();
        let model = locked.model.as_ref().map(|model| format!(" ({model})")).unwrap_or_default();
        format!("{}{version}{model}", locked.agent)
    };
    called.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn all_named(phase: &PhaseState) -> impl Iterator<Item = &String> {
    let of_seats = phase.def.panel.iter().flat_map(|seat| &seat.agents);
    phase.def.agents.iter().chain(&phase.def.reviewers).chain(of_seats)
}

fn row(phase: &PhaseState) -> [String; 5] {
    let (used, most) = phase.used_of_limit();
    let rounds = match (phase.history.current_rounds().is_empty(), phase.def.policy.triage) {
        (true, _) => String::new(),
        (false, true) => format!("{used}/{most} rounds"),
        (false, false) => format!("{used}/{most} revisions"),
    };
    let (status, verdict) = (summary::status_word(phase), summary::verdict_word(phase));
    [phase.name().to_string(), status, plain(&verdict), rounds, plain(&summary::note(phase))]
}

/// Fills each column up to its widest cell and two spaces.
fn in_columns(rows: &[[String; 5]]) -> Vec<String> {
    let widest = |column: usize| rows.iter().map(|row| summary::columns(&row[column])).max().unwrap_or(0);
    let widths: Vec<usize> = (0..5).map(|column| widest(column) + 2).collect();
    let line = |row: &[String; 5]| {
        row.iter().zip(&widths).map(|(cell, width)| padded(cell, *width)).collect::<String>()
    };
    rows.iter().map(|row| line(row).trim_end().to_owned()).collect()
}

/// Shows every run of the repository in a line.
fn all(project: &Project, json: bool) -> Answer {
    let mut values = Vec::new();
    let mut text = String::new();
    for issue in issues(project)? {
        let (line, value) = match view(project, issue) {
            Ok(found) => {
                let held_by = held_by(project, issue);
                (line(issue, &found, held_by.as_ref()), status_value(&found, held_by.as_ref()))
            }
            Err(Failure { message, .. }) => {
                (plain(&message), json!({"issue_number": issue, "error": message}))
            }
        };
        let _ = writeln!(text, "{}{line}", padded(&format!("#{issue}"), 8));
        values.push(value);
    }
    let open =
        |record: &FinalizedRun| finalized::of(project, record.issue).is_ok_and(|found| found.is_some());
    for record in FinalizedRun::list(project.workspace.common()).iter().filter(|record| open(record)) {
        let line = format!("{}{}", padded("finalized", 34), plain(&record.title));
        let _ = writeln!(text, "{}{line}", padded(&format!("#{}", record.issue), 8));
        values.push(finalized::value(record));
    }
    if values.is_empty() {
        text.push_str("no runs in this repository\n");
    }
    show(json, &Value::Array(values), &text);
    Ok(0)
}

fn line(issue: IssueNumber, found: &RunView, held_by: Option<&Holder>) -> String {
    let Some(run) = &found.state.run else { return format!("issue {issue} has not begun") };
    let place = run.current().map_or(String::new(), |phase| format!("{} ", phase.name()));
    format!("{}{}{}", padded(standing(run, held_by), 12), padded(&place, 22), plain(&run.started.issue.title))
}

/// Returns the runs that this repository points to, and those whose files are in this checkout.
fn issues(project: &Project) -> Result<Vec<IssueNumber>, Failure> {
    let mut issues: Vec<IssueNumber> =
        RunLocation::list(project.workspace.common())?.into_iter().map(|(issue, _)| issue).collect();
    for entry in fs::read_dir(project.root().join(HOME)).into_iter().flatten().flatten() {
        let name = entry.file_name();
        if !entry.path().join("events.jsonl").is_file() {
            continue;
        }
        let number = name.to_str().and_then(|name| name.strip_prefix("issue-"));
        issues.extend(number.and_then(|number| number.parse::<IssueNumber>().ok()));
    }
    issues.sort_unstable();
    issues.dedup();
    Ok(issues)
}
