//! The prompts of agents: the pinned issue, the documents on disk, the open findings, and for a reviewer the changes of the code.
//! Never the history of all rounds. An approval covers everything that the branch would publish, so the reviewer has to see all
//! of it, from every author and phase. A reviewer that cannot open files is not called when its prompt would be cut.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read;
use std::path::PathBuf;

use crate::active_run::ActiveRun;
use crate::documents::{self, completed_beside};
use crate::error::{Result, RunError};
use crate::evidence::list_plans;
use agents::{AgentAnswer, AgentSpec, Profiles};
use engine::{Call, FixTask, LedgerFinding, PhaseState, PreviousReview, Run, items, remarks};
use git::{CommitId, Diff, Tree};
use journal::store::folders::RunFolder;
use model::event::{CheckResult, ExecOutcome};
use model::finding::Disposition;
use model::phase::Step;
use model::policy::OnFail;
use views::prompt::{
    InlinedFile, LONGEST_DOCUMENT, LONGEST_REVIEW, NamedFinding, PromptDocument, PromptInput, PromptTask,
    RepairInput, ReviewInput, WorkInput, first_cut_document, render,
};
use views::summary::{Suggestions, deliverable_path, history, suggestions};

/// How much of one document a prompt holds, in bytes.
const LONGEST_INLINED: u64 = 64 * 1024;
/// How much of a diff a reviewer is shown, in bytes; the files themselves are on disk.
const LONGEST_DIFF: usize = 60_000;
/// How much a reviewer is shown of what changed since its last review, in bytes.
const LONGEST_SINCE: usize = 24_000;
const MORE: &str = "[there is more; see the files]\n";
/// The most suggestions in the prompts of later phases.
const MOST_SUGGESTIONS: usize = 40;

/// The agent programs and prompt templates of a run.
pub struct AgentContext {
    /// How programs are called, by name.
    pub profiles: Profiles,
    /// Prompt templates of the repository, by path below `prompts/`.
    pub prompts: BTreeMap<String, String>,
    /// The checkout that the run was started from; the worktree may be another one.
    pub checkout: PathBuf,
}

impl AgentContext {
    /// Reads an agent spec. Its paths are relative to the checkout that the run was started from.
    pub(super) fn parse_spec(&self, text: &str) -> Result<AgentSpec> {
        let spec: AgentSpec = text.parse().map_err(|error| RunError::Bug(format!("{error}")))?;
        Ok(spec.resolve_from(&self.checkout))
    }

    /// Returns the texts of these documents if the agent cannot open files; nothing for other agents.
    fn read_texts(&self, folder: &RunFolder, agent: &str, documents: &[PromptDocument]) -> Vec<InlinedFile> {
        if !self.is_without_file_access(agent) {
            return Vec::new();
        }
        let paths = documents.iter().map(|document| document.path.clone());
        paths.filter_map(|path| Some(InlinedFile { text: read_document(folder, &path)?, path })).collect()
    }

    /// Tells whether an agent cannot open files.
    fn is_without_file_access(&self, agent: &str) -> bool {
        let name = match agent.parse() {
            Ok(AgentSpec::Profile(name)) => name,
            Ok(AgentSpec::Claude(_)) => "claude".to_owned(),
            Ok(AgentSpec::Codex(_)) => "codex".to_owned(),
            _ => return false,
        };
        self.profiles.get(&name).is_some_and(|profile| profile.reads_files == Some(false))
    }
}

/// Reads a plain file. Follows no symbolic link, because an agent may have made it.
fn read_document(folder: &RunFolder, path: &str) -> Option<String> {
    let path = folder.at(path);
    fs::symlink_metadata(&path).ok().filter(fs::Metadata::is_file)?;
    let mut bytes = Vec::new();
    File::open(&path).ok()?.take(LONGEST_INLINED).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// A call that is about to be made, with what its prompt is written from.
pub(super) struct PreparedCall<'a> {
    pub(super) programs: &'a AgentContext,
    pub(super) call: &'a Call,
    /// The id that the answer of a review or a triage has to contain.
    pub(super) review_id: Option<String>,
    /// The files as the phase left them.
    pub(super) tree: Tree,
    /// The changes of the code that a reviewer is shown.
    pub(super) diff: Diff,
    /// The path in `AI_WORKFLOW_OUTPUT`.
    pub(super) output: String,
    /// The commands of the repository that it may run, by id.
    pub(super) commands: BTreeMap<String, String>,
}

/// Returns an id that cannot be guessed: 128 random bits in hex.
pub fn nonce() -> String {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes).expect("the system has randomness");
    format!("{:032x}", u128::from_be_bytes(bytes))
}

/// Writes the prompt of a call.
pub(super) fn compose(active: &ActiveRun, prepared: &PreparedCall<'_>) -> Result<String> {
    let PreparedCall { programs, call, review_id, tree, diff, output, commands } = prepared;
    let (run, phase) = (active.run()?, active.phase(&call.phase)?);
    let documents = documents_on_disk(active, run, phase);
    let is_inlined = programs.is_without_file_access(&call.agent);
    let output_text = if is_inlined { read_document(&active.folder, output) } else { None };
    let (is_review, is_revision) = (call.step == Step::Review, call.step == Step::Revise);
    let since_review = diff_since_review(active, phase, call, tree).map(|diff| render_diff(&diff));
    let (tasks, later, remarks) = if is_revision { list_repairs(phase) } else { Default::default() };
    let (questions, replied) = select_exchange(phase, call.step);
    let asked = phase.review_questions();
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
            checks: &select_checks(phase, call.step),
            patterns: &run.started.agreement.patterns,
            c3l: phase.def.c3l.as_ref(),
            material: WorkInput {
                documents: &documents,
                inlined: &programs.read_texts(&active.folder, &call.agent, &documents),
                output_text: output_text.as_deref().unwrap_or_default(),
                task_lists: &list_task_lists(run, phase, call.step),
                commands: &commands.clone().into_iter().collect::<Vec<_>>(),
                suggestions: &collect_suggestions(run, phase),
                notices: &list_notices(run, phase, call),
                history: &history(run),
                changed: &phase.files.changed.iter().cloned().collect::<Vec<_>>(),
                diff: &render_diff(diff),
            },
            review: ReviewInput {
                review_id: review_id.as_deref(),
                viewpoints: if is_review { phase.viewpoints_of(call.seat.as_deref()) } else { &[] },
                seat: call.seat.as_deref(),
                open: &if is_review { list_open_findings(phase) } else { Vec::new() },
                since_review: since_review.as_deref().unwrap_or_default(),
                doubt: if is_review { phase.doubt_of(call.seat.as_deref()).unwrap_or_default() } else { "" },
                review_questions: if is_review { &asked.asked } else { &[] },
                more_review_questions: asked.more,
                unanswered: &if is_review { phase.left_unanswered(call.seat.as_deref()) } else { Vec::new() },
                previous_review: &read_previous_review(active, phase, call),
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
fn documents_on_disk(active: &ActiveRun, run: &Run, phase: &PhaseState) -> Vec<PromptDocument> {
    let documents = completed_beside(run, phase.name())
        .map(|other| PromptDocument { phase: other.name().to_string(), path: deliverable_path(run, other) });
    documents.filter(|document| active.folder.at(&document.path).is_file()).collect()
}

/// Returns what changed since the previous review by the same reviewer, if this review judges only that.
fn diff_since_review(active: &ActiveRun, phase: &PhaseState, call: &Call, tree: &Tree) -> Option<Diff> {
    if call.step != Step::Review {
        return None;
    }
    let delta = PreviousReview::of(phase, call.seat.as_deref(), &call.agent)?;
    active.space.diff(&delta.tree, tree, LONGEST_SINCE).ok()
}

/// Returns the review that a triage judges, or the reply to the previous review; both only in a document review.
fn read_previous_review(active: &ActiveRun, phase: &PhaseState, call: &Call) -> String {
    let path = match call.step {
        Step::Triage => active.folder.review_document(&phase.def, call.round),
        Step::Review if phase.def.policy.triage && call.round > 1 => {
            active.folder.reply_document(&phase.def, call.round - 1)
        }
        _ => return String::new(),
    };
    git::regular_file::read_text(&active.folder.at(&path)).unwrap_or_default()
}

fn render_diff(diff: &Diff) -> String {
    let more = if diff.truncated { MORE } else { "" };
    let not_shown = diff.not_shown.iter().map(|file| format!("[not shown, open it: {file}]\n"));
    format!("{}{more}{}", diff.text, not_shown.collect::<String>())
}

/// Returns the open findings that a reviewer examines first, without those that the author declined with reasons.
fn list_open_findings(phase: &PhaseState) -> Vec<NamedFinding> {
    let asked = |listed: &&LedgerFinding| !listed.is_of_checks() && listed.disposition != Disposition::NoFix;
    phase.ledger.open().filter(asked).map(name_finding).collect()
}

fn name_finding(listed: &LedgerFinding) -> NamedFinding {
    NamedFinding { id: listed.id.to_string(), finding: listed.with_latest_wording() }
}

/// Returns the questions of a reviewer in this round and the answer of the author. The author is shown the questions alone;
/// reviewers are shown both.
fn select_exchange(phase: &PhaseState, step: Step) -> (&[String], &str) {
    let Some(exchange) = &phase.reviews.exchange else { return (&[], "") };
    match (step, exchange.answer()) {
        (Step::Answer, _) => (exchange.questions(), ""),
        (Step::Review, Some(answer)) => (exchange.questions(), answer),
        _ => (&[], ""),
    }
}

/// Returns the tasks of a revision, the tasks that wait, and the findings that need no change.
fn list_repairs(phase: &PhaseState) -> (Vec<PromptTask>, Vec<PromptTask>, Vec<NamedFinding>) {
    let (given, later) = phase.tasks.latest();
    let task = |task: &&FixTask| PromptTask {
        id: task.id.to_string(),
        file: task.owns.clone(),
        tried: task.given_in.iter().filter(|round| **round < phase.round).count(),
        items: items(task, &phase.ledger).map(name_finding).collect(),
    };
    let remarks = remarks(phase).into_iter().map(name_finding).collect();
    (given.iter().map(task).collect(), later.iter().map(task).collect(), remarks)
}

/// Returns the check results for a prompt. An author is shown the failed checks that demand a change, or only those of the
/// format when it repeats its work; a reviewer is shown all results.
fn select_checks(phase: &PhaseState, step: Step) -> Vec<CheckResult> {
    let all = phase.evidence.checks.iter().flatten();
    // A result that is only noted demands nothing from an author.
    let is_demanded = |result: &CheckResult| result.demand(&phase.def.policy) != OnFail::Note;
    let is_shown = |result: &&CheckResult| match step {
        Step::Review => true,
        Step::Execute => is_demanded(result) && phase.on_fail(&result.check) == OnFail::Format,
        _ => is_demanded(result),
    };
    all.filter(is_shown).cloned().collect()
}

/// Returns the lists whose tasks an author has to tick.
fn list_task_lists(run: &Run, phase: &PhaseState, step: Step) -> Vec<String> {
    if !matches!(step, Step::Execute | Step::Revise) {
        return Vec::new();
    }
    let settings = &run.started.agreement.check_settings;
    checks::task_lists(&phase.def.policy, settings, list_plans(run, phase))
}

/// Returns the notices of earlier authors for this author. A reviewer is not shown them, so that it judges for itself.
fn list_notices(run: &Run, phase: &PhaseState, call: &Call) -> Vec<String> {
    if !call.step.writes() {
        return Vec::new();
    }
    let notices = run.notices_for(phase, &call.agent, call.resumes.is_some());
    notices.into_iter().map(|notice| format!("{}: {}", notice.phase, notice.text)).collect()
}

/// Returns what the reviewers of the phases before left to later authors.
fn collect_suggestions(run: &Run, phase: &PhaseState) -> Vec<String> {
    let Suggestions { listed, more } = suggestions(run, Some(phase.name()), MOST_SUGGESTIONS);
    listed.into_iter().map(|(name, text)| format!("{name}: {text}")).chain(more).collect()
}

/// A computed difference and the files that it describes.
#[derive(Debug, Clone)]
struct ReviewDiff {
    /// The files after the change.
    tree: Tree,
    /// The commit whose code is the same, where there is one.
    head: Option<CommitId>,
    diff: Diff,
}

/// Keeps the difference that was computed last, so that a phase that writes only documents starts no git process for it.
#[derive(Debug, Default)]
pub(super) struct DiffCache(Option<ReviewDiff>);

impl DiffCache {
    /// Returns the difference between the base and the branch as it would be committed, for a reviewer. Documents of the run
    /// are read on disk; changes of approved documents come first.
    pub(super) fn diff_for_review(
        &mut self,
        active: &mut ActiveRun,
        call: &Call,
        tree: &Tree,
    ) -> Result<Diff> {
        if call.step != Step::Review {
            return Ok(Diff::default());
        }
        let base = CommitId::try_from(active.run()?.started.base_commit.as_str())?;
        let changed = active.phase(&call.phase)?.files.changed.clone();
        let seen = active.ensure_snapshot(Some(tree))?.clone();
        // When the files changed meanwhile, the review will be void in any case.
        if seen.tree != *tree {
            return Ok(active.space.diff_of_code(&base, tree, LONGEST_DIFF)?);
        }
        let would_commit = |path: &&String| changed.contains(*path) && !active.space.files().contains(path);
        let head = seen.uncommitted.keys().all(|path| !would_commit(&path)).then(|| seen.head.commit.clone());
        let known = self.0.as_ref().filter(|known| head.is_some() && known.head == head);
        let diff = match known {
            Some(known) => known.diff.clone(),
            None if head.as_ref() == Some(&base) => Diff::default(),
            None => {
                let published = active.space.snapshots().published_tree(&seen, &changed)?;
                active.space.diff_of_code(&base, &published, LONGEST_DIFF)?
            }
        };
        self.0 = Some(ReviewDiff { tree: tree.clone(), head, diff: diff.clone() });
        Ok(join_diffs(documents::diff_rewritten(active, &call.phase, tree, LONGEST_DIFF)?, diff))
    }

    /// Keeps the difference when the files of a phase are committed: the commit holds what its reviewers were shown.
    pub(super) fn keep_for_commit(&mut self, tree: &str, commit: &CommitId) {
        let known = self.0.take().filter(|known| known.tree.as_str() == tree);
        self.0 = known.map(|known| ReviewDiff { head: Some(commit.clone()), ..known });
    }
}

/// Returns a failed answer in place of the call of a reviewer that would not see everything that it judges.
pub(super) fn skip_review_of_truncated_diff(
    active: &ActiveRun,
    prepared: &PreparedCall<'_>,
) -> Result<Option<AgentAnswer>> {
    let call = prepared.call;
    if call.step != Step::Review || !prepared.programs.is_without_file_access(&call.agent) {
        return Ok(None);
    }
    let Some(what) = find_cut_part(active, prepared)? else { return Ok(None) };
    let reason = format!("it was not asked: it cannot open files, and {what}");
    Ok(Some(AgentAnswer {
        outcome: ExecOutcome::ContextTooLong,
        reason: Some(reason),
        ..AgentAnswer::default()
    }))
}

/// Returns the part of what a reviewer judges that its prompt would not hold.
fn find_cut_part(active: &ActiveRun, prepared: &PreparedCall<'_>) -> Result<Option<String>> {
    let PreparedCall { programs, call, tree, diff, output, .. } = prepared;
    let longer = |what: &str| Ok(Some(format!("{what} is longer than a prompt shows")));
    if diff.truncated {
        return longer("the difference");
    }
    if let Some(file) = diff.not_shown.first() {
        return Ok(Some(format!("the difference shows nothing of {file}")));
    }
    let phase = active.phase(&call.phase)?;
    if diff_since_review(active, phase, call, tree).is_some_and(|since| since.truncated) {
        return longer("what changed since its last review");
    }
    if read_previous_review(active, phase, call).len() > LONGEST_REVIEW {
        return longer("the answer to the review before");
    }
    let deliverable = fs::metadata(active.folder.at(output));
    if deliverable.is_ok_and(|found| found.len() > LONGEST_DOCUMENT as u64) {
        return longer("the deliverable");
    }
    let documents = documents_on_disk(active, active.run()?, phase);
    let inlined = programs.read_texts(&active.folder, &call.agent, &documents);
    let is_missing = |document: &&PromptDocument| inlined.iter().all(|read| read.path != document.path);
    if let Some(missing) = documents.iter().find(is_missing) {
        return Ok(Some(format!("{} cannot be read", missing.path)));
    }
    match first_cut_document(&inlined) {
        Some(cut) => longer(&cut.path),
        None => Ok(None),
    }
}

/// Joins two differences in this order.
fn join_diffs(first: Diff, then: Diff) -> Diff {
    Diff {
        text: first.text + &then.text,
        truncated: first.truncated || then.truncated,
        not_shown: first.not_shown.into_iter().chain(then.not_shown).collect(),
    }
}
