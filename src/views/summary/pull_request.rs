//! What is written on the server beside the progress comment: the text of the pull request, the follow-up issue with what is
//! left for later, and the answers in review threads. The text is written before its run is over, so the caller says what the
//! run comes to.

use serde_json::json;

use super::changed_verdicts::list_changed_verdicts;
use super::commands::again;
use super::evidence::{accepted_list, evidence_table, untested_warning};
use super::lines::{
    agent_lines, cost_line, deliverable_path, finding_lines, note, opinions_of_run, out_of_scope_lines,
    phase_values,
};
use super::review_questions::list_review_questions;
use super::suggestions::{Suggestions, suggestions};
use crate::text::{bullets, counted, fill_template, format_title, place, quoted};
use engine::{FindingStatus, LedgerFinding, PhaseState, Run, Status};
use model::event::{Evaluation, EvaluationDecision, RunOutcome};
use model::phase::PhaseName;

/// The most suggestions a pull request carries: several of each phase, and GitHub still takes the text.
const MOST_SUGGESTIONS: usize = 60;
/// The most findings of one section that are listed.
const MOST_FINDINGS: usize = 40;
/// More files than this are a number.
const MOST_FILES: usize = 5;
/// The most tasks that are listed; the evaluation's document has all of them.
const MOST_TASKS: usize = 100;
/// The text in place of the tasks where the evaluation named none.
const UNNAMED_TASK: &str =
    "The evaluation decided PASS_WITH_ISSUES and names no task; its document says why.";

/// Whether the documents of a run are on its branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Documents {
    /// They are on the branch.
    Kept,
    /// They were taken off the branch.
    Gone,
}

/// Returns title and body of the pull request of a run that comes to `outcome`: documents that are off the branch are not
/// named; the files are, that nobody reviewed.
pub fn pull_request(
    run: &Run,
    outcome: RunOutcome,
    unreviewed: &UnreviewedFiles,
    documents: Documents,
) -> (String, String) {
    let issue = &run.started.issue;
    let title: String = format_title(&issue.title).chars().take(200).collect();
    // Without its files the run is over for good.
    let are_kept = documents == Documents::Kept;
    let sections = [
        ("Not passed", list_stopped_phases(run)),
        ("Evidence gathered by ai-workflow", accepted_list(run) + &evidence_table(run)),
        ("Documents", if are_kept { document_list(run) } else { String::new() }),
        ("Agents", bullets(&agent_lines(run))),
        ("Opinions of the reviewers", bullets(&opinions_of_run(run))),
        ("Suggestions of the reviewers", list_suggestions(run)),
        ("Questions of the checks", list_review_questions(run)),
        ("Verdicts that changed after a question", list_changed_verdicts(run)),
        ("Dismissed and waived findings", list_unfixed_findings(run)),
        ("Found and not demanded", bullets(&out_of_scope_lines(run))),
        ("Left for later", list_remaining_tasks(run)),
    ];
    let values = json!({
        "number": issue.number,
        "untested": untested_warning(run, outcome),
        "simulated": run.simulated,
        "unreviewed": unreviewed.warning(),
        "phases": run.phases.iter().map(|phase| phase_values(run, phase)).collect::<Vec<_>>(),
        "again": if are_kept { again(run, outcome) } else { None },
        "sections": sections.iter().filter(|(_, text)| !text.is_empty()).collect::<Vec<_>>(),
        "cost": cost_line(run),
        "run": run.started.run_id,
    });
    (title, fill_template(include_str!("pull_request.hbs"), &values))
}

/// Returns the phases that stopped the run, each with its reason and what is open; their checks stand in the table.
fn list_stopped_phases(run: &Run) -> String {
    let stopped = run.phases.iter().filter(|phase| matches!(phase.status, Status::Failed | Status::Paused));
    stopped.map(|phase| stopped_phase(run, phase)).collect()
}

fn stopped_phase(run: &Run, phase: &PhaseState) -> String {
    let asked = run.paused.as_ref().filter(|pause| pause.phase.as_ref() == Some(phase.name()));
    let reason = asked.map_or_else(|| note(phase), |pause| pause.question.clone());
    let (name, status) = (phase.name(), phase.status);
    let head = format!("**{name}** {status} in round {}: {}\n\n", phase.round, quoted(&reason));
    let failed = phase.failed_checks().map(|result| format!("check {}: {}", result.check, result.summary));
    let open: Vec<String> = failed.chain(finding_lines(phase)).collect();
    let gap = if open.is_empty() { "" } else { "\n" };
    head + &bullets(&open) + gap
}

/// Lists the deliverables on the branch. One that a person accepted as missing is not there.
fn document_list(run: &Run) -> String {
    let is_there =
        |phase: &PhaseState| phase.files.deliverable.is_some() || phase.person.accepted_by.is_none();
    let completed = run.phases.iter().filter(|phase| {
        phase.status == Status::Completed && !phase.def.stores_review_documents() && is_there(phase)
    });
    completed
        .map(|phase| format!("- `{}`{}\n", deliverable_path(run, phase), edit_note(run, phase)))
        .collect()
}

/// Says that a person changed a document after its approval.
fn edit_note(run: &Run, phase: &PhaseState) -> String {
    let Some(with) = &phase.files.edited_with else { return String::new() };
    match run.phase(with).and_then(|with| with.person.accepted_by.as_ref()) {
        Some(who) => format!(": changed after its approval, and accepted by {} with {with}", quoted(who)),
        None => format!(": changed by a person after its approval, and committed with {with}"),
    }
}

/// Returns the critical and major findings that a triage dismissed or a person waived, each with the reason and who it was.
fn list_unfixed_findings(run: &Run) -> String {
    let mut unfixed: Vec<(&PhaseState, &LedgerFinding)> = Vec::new();
    for phase in &run.phases {
        let of_phase = phase.ledger.all().iter().filter(|listed| listed.is_grave_and_unfixed());
        unfixed.extend(of_phase.map(|listed| (phase, listed)));
    }
    unfixed.sort_by_key(|(_, listed)| std::cmp::Reverse(listed.finding.severity));
    let more = count_more(unfixed.len(), MOST_FINDINGS);
    let lines = unfixed.into_iter().take(MOST_FINDINGS).map(|(phase, listed)| unfixed_line(phase, listed));
    lines.collect::<String>() + &more
}

fn unfixed_line(phase: &PhaseState, listed: &LedgerFinding) -> String {
    let (person, finding) = (&phase.person, listed.with_latest_wording());
    let (word, who, why) = if listed.status == FindingStatus::Waived {
        ("waived", &person.accepted_by, &person.accepted_because)
    } else {
        ("dismissed", &listed.triaged_by, &listed.evidence)
    };
    let who = who.as_ref().map_or(String::new(), |who| format!(" by {}", quoted(who)));
    let why = why.as_ref().map_or_else(|| "no reason was given".to_owned(), |why| quoted(why));
    let place = place(finding.file.as_deref(), finding.line);
    let place = place.map_or(String::new(), |place| format!(" {}", quoted(&place)));
    let (name, id, severity, issue) =
        (phase.name(), listed.id, finding.severity.as_str(), quoted(&finding.issue));
    format!("- {name} · {id} {severity}{place}: {issue} · **{word}{who}**: {why}\n")
}

/// Returns a line that says how many more there are than are listed; nothing where all are.
fn count_more(all: usize, most: usize) -> String {
    match all.saturating_sub(most) {
        0 => String::new(),
        more => format!("- … and {more} more: `ai-workflow findings` lists them\n"),
    }
}

fn list_suggestions(run: &Run) -> String {
    let Suggestions { listed, more } = suggestions(run, None, MOST_SUGGESTIONS);
    let listed = listed.into_iter().map(|(name, text)| format!("- {name}: {}\n", quoted(&text)));
    listed.chain(more.map(|more| format!("- {more}\n"))).collect()
}

/// The files of a branch that were not reviewed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UnreviewedFiles {
    /// Changed after the end of the run.
    pub after_the_end: Vec<String>,
    /// Changed before, by whomever, and no review since was about it.
    pub unseen: Vec<String>,
}

impl UnreviewedFiles {
    /// Tells whether every file was reviewed.
    pub fn is_empty(&self) -> bool {
        self.after_the_end.is_empty() && self.unseen.is_empty()
    }

    /// Returns all of them.
    pub fn paths(&self) -> Vec<&str> {
        self.after_the_end.iter().chain(&self.unseen).map(String::as_str).collect()
    }

    /// Returns how many files those are, and the first of them.
    pub fn line(&self) -> String {
        let late = count_files(&self.after_the_end, "changed after the end of the run");
        let unseen = count_files(&self.unseen, "changed and shown to no reviewer");
        late.into_iter().chain(unseen).collect::<Vec<_>>().join("; ")
    }

    /// Returns the warning of a pull request; nothing where there is nothing to warn of.
    fn warning(&self) -> Option<String> {
        if self.is_empty() { None } else { Some(format!("**Not reviewed:** {}", self.line())) }
    }
}

fn count_files(paths: &[String], how: &str) -> Option<String> {
    if paths.is_empty() {
        return None;
    }
    let first: Vec<String> = paths.iter().take(MOST_FILES).map(|path| quoted(path)).collect();
    let more = match paths.len().saturating_sub(MOST_FILES) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let files = counted(paths.len() as u64, "file");
    Some(format!("{files} {how}: {}{more}", first.join(", ")))
}

/// The kind of the note that says that the pull request starts no workflow; the latest of this kind and [`STARTS_CI`] counts.
pub const NO_CI: &str = "W_PR_NO_CI";
/// The kind of the note that says that the pull request starts workflows.
pub const STARTS_CI: &str = "pr_ci";

/// Returns the warning that the pull request of a run starts no workflow, if it still holds.
pub fn starts_no_ci(run: &Run) -> Option<&str> {
    latest_note(run, NO_CI, STARTS_CI)
}

/// The kind of the note that says that a person closed the pull request; the latest of this kind and [`REQUEST_OPEN`] counts.
pub const REQUEST_CLOSED: &str = "W_PR_CLOSED";
/// The kind of the note that says that the pull request is open.
pub const REQUEST_OPEN: &str = "pr_open";

/// Tells whether a person closed the pull request of a run.
pub fn is_request_closed(run: &Run) -> bool {
    closed_request(run).is_some()
}

/// Returns the note that a person closed the pull request, if it still holds.
pub(super) fn closed_request(run: &Run) -> Option<&str> {
    latest_note(run, REQUEST_CLOSED, REQUEST_OPEN)
}

/// Returns the text of a note unless the other kind came after it.
fn latest_note<'a>(run: &'a Run, kind: &str, ends: &str) -> Option<&'a str> {
    let latest = run.notes.iter().rfind(|(known, _)| known == kind || known == ends);
    latest.filter(|(known, _)| known == kind).map(|(_, text)| text.as_str())
}

/// Returns what is left for later, one line each. An evaluation that found something and names none of it has a line, too.
fn remaining_tasks(run: &Run) -> Vec<String> {
    let evaluations = || run.phases.iter().filter_map(|phase| phase.evidence.evaluation.as_ref());
    if evaluations().any(|found| is_with_issues(found) && found.remaining_tasks.is_empty()) {
        return vec![UNNAMED_TASK.into()];
    }
    let tasks = evaluations().flat_map(|found| &found.remaining_tasks);
    tasks
        .map(|task| format!("{} ({} {})", quoted(&task.task), quoted(&task.priority), quoted(&task.phase)))
        .collect()
}

fn is_with_issues(evaluation: &Evaluation) -> bool {
    evaluation.decision == EvaluationDecision::PassWithIssues
}

/// Tells whether the run is through and its evaluation passed it with issues.
pub fn wants_follow_up(run: &Run) -> bool {
    run.phases.iter().all(|phase| phase.status.satisfies())
        && run.phases.iter().filter_map(|phase| phase.evidence.evaluation.as_ref()).any(is_with_issues)
}

/// Returns title and body of the follow-up issue.
pub fn follow_up(run: &Run) -> (String, String) {
    let issue = &run.started.issue;
    let title = format!("[Follow-up] #{}: {}", issue.number, format_title(&issue.title));
    let tasks = remaining_tasks(run);
    let values = json!({
        "marker": follow_up_marker(run),
        "number": issue.number,
        "branch": run.started.branch,
        "more": tasks.len().saturating_sub(MOST_TASKS),
        "tasks": tasks.iter().take(MOST_TASKS).collect::<Vec<_>>(),
    });
    (title.chars().take(200).collect(), fill_template(include_str!("follow_up.hbs"), &values))
}

/// Returns the mark by which the follow-up issue of a run is found again.
pub fn follow_up_marker(run: &Run) -> String {
    format!("<!-- ai-workflow:follow-up v1 issue={} run={} -->", run.started.issue.number, run.started.run_id)
}

/// Returns what is left for later as a list, with the issue that has it; nothing where nothing is.
fn list_remaining_tasks(run: &Run) -> String {
    let tasks: String = remaining_tasks(run).iter().map(|task| format!("- {task}\n")).collect();
    let Some((number, _)) = &run.publication.follow_up else { return tasks };
    let gap = if tasks.is_empty() { "" } else { "\n" };
    format!("{tasks}{gap}Follow-up issue: #{number}\n")
}

/// What became of the lines that a review thread is about.
pub enum ThreadLineStatus<'a> {
    /// They were changed, by this commit.
    Changed(&'a str),
    /// Their file was changed by this commit, and they were not.
    Kept(&'a str),
    /// Their file was not changed.
    Untouched,
}

/// Returns the answer to a thread, with the mark by which it is found again.
pub fn thread_answer(run: &Run, phase: &PhaseName, marker: &str, lines: &ThreadLineStatus<'_>) -> String {
    let summary = run.phase(phase).and_then(|phase| phase.evidence.work.as_ref()?.claim.as_ref());
    let why = match summary.map(|claim| quoted(&claim.summary)) {
        Some(words) if !words.is_empty() => format!("\n\nThe author of the change says: {words}"),
        _ => String::new(),
    };
    let answer = match lines {
        ThreadLineStatus::Changed(commit) => format!("Addressed in {commit}."),
        ThreadLineStatus::Kept(commit) => {
            format!("The file changed in {commit}; these lines stay as they are.{why}")
        }
        ThreadLineStatus::Untouched => {
            format!("This stays as it is; the change was reviewed again with it.{why}")
        }
    };
    format!("{answer}\n\n{marker}\n")
}

/// Returns the mark of the answer to what was said in a thread up to a comment.
pub fn thread_marker(run: &Run, up_to: u64) -> String {
    format!("<!-- ai-workflow:thread v1 run={} up-to={up_to} -->", run.started.run_id)
}

/// Returns the last comment that an answer with a mark of this run is about.
pub fn answered_up_to(run: &Run, body: &str) -> Option<u64> {
    let begin = thread_marker(run, 0);
    let (begin, _) = begin.split_once("up-to=0")?;
    let (_, rest) = body.split_once(begin)?;
    rest.strip_prefix("up-to=")?.split(' ').next()?.parse().ok()
}

#[cfg(test)]
mod tests;
