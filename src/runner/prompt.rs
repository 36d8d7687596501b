//! Gathers what a prompt may say: the issue as pinned, what is on disk, what is open. Never the history of all rounds.

use std::collections::BTreeMap;
use std::fs;

use crate::active_run::ActiveRun;
use crate::agent_context::AgentContext;
use crate::digest::nonce;
use crate::documents::completed_beside;
use crate::error::Result;
use crate::evidence::plans;
use engine::{Call, Delta, FixTask, LedgerFinding, PhaseState, Run, Status, items, remarks};
use git::{Diff, Tree};
use model::event::CheckResult;
use model::finding::Disposition;
use model::phase::Step;
use model::policy::OnFail;
use model::verdict::ReadAs;
use views::prompt::{Document, Material, NamedFinding, PromptInput, RepairInput, ReviewInput, Task, render};
use views::summary::{deliverable_path, history};

/// How much a reviewer is shown of what changed since its last review, in bytes.
const LONGEST_SINCE: usize = 24_000;
const MORE: &str = "[there is more; see the files]\n";
/// The most suggestions that later phases are told.
const MOST_SUGGESTIONS: usize = 20;

/// A call that is about to be made, with what its prompt is written from.
pub(super) struct PreparedCall<'a> {
    pub(super) programs: &'a AgentContext,
    pub(super) call: &'a Call,
    /// What the answer has to name, where it is a review or a triage.
    pub(super) review_id: Option<String>,
    /// The files as the phase left them.
    pub(super) tree: Tree,
    /// What a reviewer is shown of the code.
    pub(super) diff: Diff,
    /// What `AI_WORKFLOW_OUTPUT` names.
    pub(super) output: String,
    /// The commands of the repository that it may run, by id.
    pub(super) commands: BTreeMap<String, String>,
}

/// Writes the prompt of a call.
pub(super) fn compose(active: &ActiveRun, prepared: &PreparedCall<'_>) -> Result<String> {
    let PreparedCall { programs, call, review_id, tree, diff, output, commands } = prepared;
    let (run, phase) = (active.run()?, active.phase(&call.phase)?);
    let documents = documents_on_disk(active, run, phase);
    let paths: Vec<&str> = documents.iter().map(|document| document.path.as_str()).collect();
    let output_text = programs.inlined(&active.folder, &call.agent, &[output]).pop().map(|own| own.text);
    let (is_review, is_revision) = (call.step == Step::Review, call.step == Step::Revise);
    let since_review = since_review(active, phase, call, tree).map(|diff| text(&diff));
    let (tasks, later, remarks) = if is_revision { to_repair(phase) } else { Default::default() };
    let (questions, replied) = exchanged(phase, call.step);
    let (hint, feedback) = match call.step {
        Step::Revise => (phase.hint(), phase.feedback()),
        Step::Triage => (phase.triage_hint(), String::new()),
        _ => (String::new(), String::new()),
    };
    Ok(render(
        &PromptInput {
            round: call.round,
            language: &run.started.language,
            run_fence: &run.started.run_id,
            checks: &checks(phase, call.step),
            patterns: &run.started.agreement.patterns,
            c3l: phase.def.c3l.as_ref(),
            material: Material {
                documents: &documents,
                inlined: &programs.inlined(&active.folder, &call.agent, &paths),
                output_text: output_text.as_deref().unwrap_or_default(),
                task_lists: &task_lists(run, phase, call.step),
                commands: &commands.clone().into_iter().collect::<Vec<_>>(),
                suggestions: &suggestions(run),
                notices: &notices(run, phase, call),
                history: &history(run),
                changed: &phase.files.changed.iter().cloned().collect::<Vec<_>>(),
                diff: &text(diff),
            },
            review: ReviewInput {
                review_id: review_id.as_deref(),
                viewpoints: if is_review { phase.viewpoints_of(call.seat.as_deref()) } else { &[] },
                seat: call.seat.as_deref(),
                open: &if is_review { open(phase) } else { Vec::new() },
                since_review: since_review.as_deref().unwrap_or_default(),
                doubt: if is_review { phase.doubt_of(call.seat.as_deref()).unwrap_or_default() } else { "" },
                previous_review: &previous_review(active, phase, call),
                questions,
                replied,
                may_ask: is_review && phase.may_ask(),
            },
            repair: RepairInput {
                findings: if is_revision || call.step == Step::Triage { phase.findings() } else { &[] },
                tasks: &tasks,
                later: &later,
                remarks: &remarks,
                declared: phase.evidence.claim.as_ref().map(|(round, claim)| (*round, claim)),
                hint: &hint,
                feedback: &feedback,
                answer: phase.person.advice.as_deref().unwrap_or_default(),
                rollback: phase.person.reopened.as_ref().map_or("", |reopened| reopened.reason.as_str()),
            },
            ..PromptInput::new(&run.started.issue, &phase.def, call.step, output, &nonce())
        },
        &programs.prompts,
    )?)
}

/// Returns the deliverables of other phases that are on disk.
pub(super) fn documents_on_disk(active: &ActiveRun, run: &Run, phase: &PhaseState) -> Vec<Document> {
    let documents = completed_beside(run, phase.name())
        .map(|other| Document { phase: other.name().to_string(), path: deliverable_path(run, other) });
    documents.filter(|document| active.folder.at(&document.path).is_file()).collect()
}

/// Returns what changed since the reviewer's own review before, where that is all that the one under way judges.
pub(super) fn since_review(active: &ActiveRun, phase: &PhaseState, call: &Call, tree: &Tree) -> Option<Diff> {
    if call.step != Step::Review {
        return None;
    }
    let delta = Delta::of(phase, call.seat.as_deref(), &call.agent)?;
    active.space.diffs().all(&delta.tree, tree, LONGEST_SINCE).ok()
}

/// In a document review: the review that the triage judges, or the reply to the one before.
pub(super) fn previous_review(active: &ActiveRun, phase: &PhaseState, call: &Call) -> String {
    let path = match call.step {
        Step::Triage => active.folder.review_document(&phase.def, call.round),
        Step::Review if phase.def.policy.triage && call.round > 1 => {
            active.folder.reply_document(&phase.def, call.round - 1)
        }
        _ => return String::new(),
    };
    fs::read_to_string(active.folder.at(&path)).unwrap_or_default()
}

fn text(diff: &Diff) -> String {
    let more = if diff.truncated { MORE } else { "" };
    let not_shown = diff.not_shown.iter().map(|file| format!("[not shown, open it: {file}]\n"));
    format!("{}{more}{}", diff.text, not_shown.collect::<String>())
}

/// Returns what a reviewer looks at first; what was answered with reasons is not brought up again by us.
fn open(phase: &PhaseState) -> Vec<NamedFinding> {
    let asked = |listed: &&LedgerFinding| !listed.is_of_checks() && listed.disposition != Disposition::NoFix;
    phase.ledger.open().filter(asked).map(named).collect()
}

fn named(listed: &LedgerFinding) -> NamedFinding {
    NamedFinding { id: listed.id.to_string(), finding: listed.told() }
}

/// Returns what a reviewer asked in this round, and what the author answered: who answers has the questions only, and
/// reviewers learn of them with the answers.
fn exchanged(phase: &PhaseState, step: Step) -> (&[String], &str) {
    let Some(exchange) = &phase.reviews.exchange else { return (&[], "") };
    match (step, exchange.answer()) {
        (Step::Answer, _) => (exchange.questions(), ""),
        (Step::Review, Some(answer)) => (exchange.questions(), answer),
        _ => (&[], ""),
    }
}

/// Returns the tasks of a revision, those that wait, and the findings that ask for nothing.
fn to_repair(phase: &PhaseState) -> (Vec<Task>, Vec<Task>, Vec<NamedFinding>) {
    let (given, later) = phase.tasks.latest();
    let task = |task: &&FixTask| Task {
        id: task.id.to_string(),
        file: task.owns.clone(),
        tried: task.given_in.iter().filter(|round| **round < phase.round).count(),
        items: items(task, &phase.ledger).map(named).collect(),
    };
    let remarks = remarks(phase).into_iter().map(named).collect();
    (given.iter().map(task).collect(), later.iter().map(task).collect(), remarks)
}

/// An author is told what failed and is demanded, and when its work is done over as it was, only what was wrong with its
/// form; a reviewer is told all the evidence.
fn checks(phase: &PhaseState, step: Step) -> Vec<CheckResult> {
    let all = phase.evidence.checks.iter().flatten();
    // What is only noted asks nothing of an author.
    let is_demanded = |result: &CheckResult| result.demand(&phase.def.policy) != OnFail::Note;
    let is_shown = |result: &&CheckResult| match step {
        Step::Review => true,
        Step::Execute => is_demanded(result) && phase.on_fail(&result.check) == OnFail::Format,
        _ => is_demanded(result),
    };
    all.filter(is_shown).cloned().collect()
}

/// Returns the lists whose tasks an author has to tick.
fn task_lists(run: &Run, phase: &PhaseState, step: Step) -> Vec<String> {
    if !matches!(step, Step::Execute | Step::Revise) {
        return Vec::new();
    }
    let settings = &run.started.agreement.check_settings;
    checks::task_lists(&phase.def.policy, settings, plans(run, phase))
}

/// Returns what earlier authors told this one; a reviewer has to see for itself.
fn notices(run: &Run, phase: &PhaseState, call: &Call) -> Vec<String> {
    if !call.step.writes() {
        return Vec::new();
    }
    let notices = run.notices_for(phase, &call.agent, call.resumes.is_some());
    notices.into_iter().map(|notice| format!("{}: {}", notice.phase, notice.text)).collect()
}

/// Returns what the reviews of passed phases suggested and nobody had to do.
fn suggestions(run: &Run) -> Vec<String> {
    let passed = run.phases.iter().filter(|phase| phase.status == Status::Completed);
    let readings =
        passed.filter_map(|phase| Some((phase.name(), phase.reviews.current.as_ref()?.reading.as_ref()?)));
    let readable = readings.filter(|(_, reading)| reading.read_as != ReadAs::Default);
    let all = readable
        .flat_map(|(name, reading)| reading.suggestions.iter().map(move |text| format!("{name}: {text}")));
    all.take(MOST_SUGGESTIONS).collect()
}
