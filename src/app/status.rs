//! Where a run stands, also while another process works on it: who that is, which call goes on, and all of it as text.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use jiff::Timestamp;

use crate::continued_elsewhere::find_continued_elsewhere;
use crate::external_changes::find_lost_documents;
use crate::failure::Result;
use crate::project::Project;
use crate::run_location::{RunLocation, RunView, locate, view};
use engine::{PhaseState, Run, Status, StepPosition};
use git::Workspace;
use journal::store::common_dir::{FinalizedRun, RunPointer, issue_folder};
use journal::store::folders::{CallFolder, HOME, RunFolder};
use journal::store::lock::{LockHolder, holder};
use model::event::{Fact, RunOutcome, TriageTable};
use model::issue::IssueNumber;
use model::phase::{PhaseName, Step};
use settings::PushWhen;
use views::metadata::{self, AgentProgram, DocumentRound, FixStatus, RoundStatus};
use views::summary::{self, pad, plain};

/// Where a run stands.
pub struct RunStatus {
    /// The run and its log.
    pub view: RunView,
    /// The process that works on it.
    pub held_by: Option<LockHolder>,
    /// The agent call that goes on right now.
    pub under_way: Option<RunningStep>,
    /// What the log cannot say, where no process works on the run.
    pub unknown: Option<summary::Unknown>,
    /// Approved documents of a completed run that are no longer on its branch.
    pub lost_documents: Vec<String>,
}

/// The agent call that goes on right now.
#[derive(serde::Serialize)]
pub struct RunningStep {
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

/// What there is to say of the run of an issue.
pub enum StatusOutcome {
    /// Where it stands.
    Run(Box<RunStatus>),
    /// It is over and its log is gone.
    Finalized(FinalizedRun),
}

/// Looks where the run of an issue stands.
pub fn status(project: &Project, issue: IssueNumber) -> Result<StatusOutcome> {
    Ok(match locate(project, issue)? {
        RunLocation::Finalized(record) => StatusOutcome::Finalized(record),
        _ => StatusOutcome::Run(Box::new(run_status(project, issue)?)),
    })
}

/// Looks where each run of the repository stands; the finalized ones come last. A run that cannot be read is a failure of its
/// own.
pub fn list_runs(project: &Project) -> Result<Vec<(IssueNumber, Result<StatusOutcome>)>> {
    let run = |issue| run_status(project, issue).map(|status| StatusOutcome::Run(Box::new(status)));
    let mut runs: Vec<_> = issues(project)?.into_iter().map(|issue| (issue, run(issue))).collect();
    for record in FinalizedRun::list(project.workspace.common())? {
        if let Ok(RunLocation::Finalized(_)) = locate(project, record.issue) {
            runs.push((record.issue, Ok(StatusOutcome::Finalized(record))));
        }
    }
    Ok(runs)
}

fn run_status(project: &Project, issue: IssueNumber) -> Result<RunStatus> {
    let view = view(project, issue)?;
    let held_by = holder(&issue_folder(project.workspace.common(), issue));
    let under_way = held_by.as_ref().and_then(|_| under_way(&view));
    let (mut unknown, mut lost_documents) = (None, Vec::new());
    if held_by.is_none() {
        let workspace = workspace_of(project, &view)?;
        unknown = find_unknown(project, &workspace, &view)?;
        lost_documents = find_lost_documents(&workspace, view.run())?;
    }
    Ok(RunStatus { view, held_by, under_way, unknown, lost_documents })
}

/// Returns the worktree that the files of a run are in; the user's where they are on the branch only.
fn workspace_of(project: &Project, view: &RunView) -> Result<Workspace> {
    match &view.root {
        Some(root) => project.open_worktree(root),
        None => Ok(project.workspace.clone()),
    }
}

/// Returns what is unknown of a run that no process works on.
fn find_unknown(
    project: &Project,
    workspace: &Workspace,
    view: &RunView,
) -> Result<Option<summary::Unknown>> {
    let elsewhere = find_continued_elsewhere(workspace, view.run(), &view.entries)?;
    Ok(match elsewhere.or_else(|| summary::find_unknown(&view.state, &view.entries)) {
        Some(summary::Unknown::Push { .. }) if !may_be_unpushed(project, view.run())? => None,
        unknown => unknown,
    })
}

/// Tells whether the run pushes its branch, and the tip of it may not be on the server.
fn may_be_unpushed(project: &Project, run: &Run) -> Result<bool> {
    let is_pushed = project.workspace.branches().is_on_origin(&run.started.branch)?;
    Ok(is_pushed.map_or(project.settings.push == Some(PushWhen::Phase), |is_pushed| !is_pushed))
}

impl RunStatus {
    /// Returns the word for where the run stands. What is running by its log is not, when no process works on it.
    pub fn word(&self) -> &'static str {
        word(self.view.run(), self.held_by.as_ref(), self.unknown.as_ref())
    }

    /// Returns the command that comes next.
    pub fn next_command(&self) -> String {
        next_command(self.view.run(), self.unknown.as_ref())
    }

    /// Returns where the run stands, for people.
    pub fn text(&self) -> String {
        let lost = &self.lost_documents;
        let (held_by, unknown) = (self.held_by.as_ref(), self.unknown.as_ref());
        lines(self.view.run(), held_by, self.under_way.as_ref(), unknown, lost)
    }
}

/// Returns where a run stands that no process holds, for people.
pub(crate) fn text(run: &Run) -> String {
    lines(run, None, None, None, &[])
}

/// Returns the runs that this repository points to, and those whose files are in this checkout.
fn issues(project: &Project) -> Result<Vec<IssueNumber>> {
    let mut issues: Vec<IssueNumber> =
        RunPointer::list(project.workspace.common())?.into_iter().map(|(issue, _)| issue).collect();
    for entry in fs::read_dir(project.root().join(HOME)).into_iter().flatten().flatten() {
        if entry.path().join("events.jsonl").is_file() {
            let name = entry.file_name();
            let number = name.to_str().and_then(|name| name.strip_prefix("issue-"));
            issues.extend(number.and_then(|number| number.parse::<IssueNumber>().ok()));
        }
    }
    issues.sort_unstable();
    issues.dedup();
    Ok(issues)
}

fn under_way(view: &RunView) -> Option<RunningStep> {
    let run = view.run();
    let phase = run.phases.iter().find(|phase| matches!(phase.position, StepPosition::Working(_)))?;
    let (since, begun) = view.entries.iter().rev().find_map(|entry| match &entry.fact {
        Fact::StepStarted(begun) => Some((entry.at, begun)),
        _ => None,
    })?;
    let (step, round, attempt) = (begun.step, begun.round, begun.attempt);
    let file = view.root.as_ref().map(|root| {
        let folder = RunFolder::new(root, run.started.issue.number);
        folder.at(&folder.call(CallFolder { phase: &phase.def, step, round, attempt })).join("raw.jsonl")
    });
    let seconds = u64::try_from(journal::now().duration_since(since).as_secs()).unwrap_or(0);
    let (phase, agent) = (begun.phase.clone(), begun.agent.clone());
    Some(RunningStep { phase, step, round, attempt, agent, since, seconds, file })
}

fn word(run: &Run, held_by: Option<&LockHolder>, unknown: Option<&summary::Unknown>) -> &'static str {
    let is_begun = run.phases.iter().any(|phase| phase.status == Status::InProgress);
    match run.outcome {
        _ if matches!(unknown, Some(summary::Unknown::ContinuedElsewhere(_))) => "unknown",
        RunOutcome::Running if held_by.is_none() && is_begun => "interrupted",
        RunOutcome::Running if held_by.is_none() => "unfinished",
        outcome => outcome.as_str(),
    }
}

fn lines(
    run: &Run,
    held_by: Option<&LockHolder>,
    under_way: Option<&RunningStep>,
    unknown: Option<&summary::Unknown>,
    lost_documents: &[String],
) -> String {
    let issue = &run.started.issue;
    let alone = run.outcome == RunOutcome::Running && held_by.is_none();
    let nobody = if alone { "; no process here works on it" } else { "" };
    let mut text =
        format!("#{} {}: {}{nobody}\n", issue.number, plain(&issue.title), word(run, held_by, unknown));
    if let Some(why) = summary::reason_without_tests(run, run.outcome) {
        let _ = writeln!(text, "no test was run: {}", plain(&why));
    }
    text.push('\n');
    let unknown_phase = unknown.and_then(summary::Unknown::phase);
    let rows: Vec<[String; 5]> =
        run.phases.iter().map(|phase| row(run, phase, unknown_phase == Some(phase.name()))).collect();
    for (phase, row) in run.phases.iter().zip(align_columns(&rows)) {
        let _ = writeln!(text, "  {row}");
        for line in phase_lines(phase) {
            let _ = writeln!(text, "    {}", plain(&line));
        }
    }
    text.push('\n');
    for (name, value) in values(run, held_by, under_way) {
        let _ = writeln!(text, "  {name:<9}{}", plain(&value));
    }
    if let Some(unknown) = unknown {
        let _ = writeln!(text, "  unknown  {}", unknown.sentence());
    }
    for path in lost_documents {
        let _ = writeln!(text, "  lost     {} is approved and is no longer on the branch", plain(path));
    }
    let is_elsewhere = matches!(unknown, Some(summary::Unknown::ContinuedElsewhere(_)));
    if let Some(escalation) = &run.paused
        && !is_elsewhere
    {
        let _ = write!(text, "\n{}", summary::question_lines(run, escalation));
    }
    if held_by.is_none() {
        let _ = writeln!(text, "\nnext: {}", next_command(run, unknown));
    }
    text
}

fn next_command(run: &Run, unknown: Option<&summary::Unknown>) -> String {
    match unknown {
        Some(summary::Unknown::ContinuedElsewhere(found)) => found.command.clone(),
        _ => summary::next_command(run),
    }
}

/// Returns what stands below a phase: the rounds of a document review, second opinions, a standstill, what is open.
fn phase_lines(phase: &PhaseState) -> Vec<String> {
    let rounds = metadata::document_review(phase).map(|review| review.rounds).unwrap_or_default();
    let mut lines: Vec<String> = rounds.iter().map(document_round).collect();
    lines.extend(summary::opinion_lines(phase));
    let last = phase.history.current_rounds().last();
    let standstill = last.and_then(|round| round.standstill.as_ref());
    lines.extend(standstill.map(|standstill| format!("standstill: {standstill}")));
    if phase.status != Status::Completed {
        lines.extend(last.into_iter().flat_map(summary::refusal_lines));
        lines.extend(summary::finding_lines(phase));
    }
    lines
}

/// Returns what there is to say of the whole run, each by a name.
fn values(
    run: &Run,
    held_by: Option<&LockHolder>,
    under_way: Option<&RunningStep>,
) -> Vec<(&'static str, String)> {
    let mut values = vec![
        ("branch", format!("{} from {}", run.started.branch, run.started.base_branch)),
        ("agents", agents(run)),
    ];
    values.extend(summary::agent_lines(run).into_iter().map(|line| ("", line)));
    values.extend(run.publication.follow_up.iter().map(|(_, url)| ("later", url.clone())));
    values.push(("cost", summary::cost_line(run)));
    values.extend(summary::used_line(run).map(|used| ("used", used)));
    if let Some(call) = under_way {
        let (phase, step, time) = (&call.phase, call.step, summary::duration(call.seconds));
        let now = format!("{phase} {step} by {}, round {}, for {time}", call.agent, call.round);
        values.push(("now", now));
        values.extend(call.file.iter().map(|file| ("follow", format!("tail -f {}", file.display()))));
    }
    values.extend(held_by.map(|holder| ("held by", holder.to_string())));
    values
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

/// Names the programs that were called, with version and model as far as they said; before the first call the agents.
fn agents(run: &Run) -> String {
    let called = metadata::provenance(run).agents;
    if called.is_empty() {
        let mut asked: Vec<&str> = Vec::new();
        for agent in run.phases.iter().flat_map(named_agents) {
            if !asked.contains(&agent.as_str()) {
                asked.push(agent);
            }
        }
        return asked.join(", ");
    }
    let one = |program: &AgentProgram| {
        let version = program.version.as_ref().map(|version| format!(" {version}")).unwrap_or_default();
        let model = program.model.as_ref().map(|model| format!(" ({model})")).unwrap_or_default();
        format!("{}{version}{model}", program.agent)
    };
    called.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn named_agents(phase: &PhaseState) -> impl Iterator<Item = &String> {
    let of_seats = phase.def.panel.iter().flat_map(|seat| &seat.agents);
    phase.def.agents.iter().chain(&phase.def.reviewers).chain(of_seats)
}

fn row(run: &Run, phase: &PhaseState, is_unknown: bool) -> [String; 5] {
    let (used, most) = phase.used_of_limit();
    let rounds = match (phase.history.current_rounds().is_empty(), phase.def.policy.triage) {
        (true, _) => String::new(),
        (false, true) => format!("{used}/{most} rounds"),
        (false, false) => format!("{used}/{most} revisions"),
    };
    let status = if is_unknown { "? unknown".to_owned() } else { summary::status_word(run, phase) };
    let verdict = summary::verdict_word(phase);
    [phase.name().to_string(), status, plain(&verdict), rounds, plain(&summary::note(phase))]
}

/// Fills each column up to its widest cell and two spaces.
fn align_columns(rows: &[[String; 5]]) -> Vec<String> {
    let widest = |column: usize| rows.iter().map(|row| summary::columns(&row[column])).max().unwrap_or(0);
    let widths: Vec<usize> = (0..5).map(|column| widest(column) + 2).collect();
    let line = |row: &[String; 5]| {
        row.iter().zip(&widths).map(|(cell, width)| pad(cell, *width)).collect::<String>()
    };
    rows.iter().map(|row| line(row).trim_end().to_owned()).collect()
}
