//! One agent call from prompt to fact: work, a review, a triage, an answer to questions, or an estimate of the difficulty. The
//! answer is kept unchanged except for masked secrets; changes of files are taken from the disk, never from the answer.

use std::collections::{BTreeMap, BTreeSet};
use std::iter::repeat_n;
use std::time::Duration;

use crate::active_run::ActiveRun;
use crate::error::{Result, RunError};
use crate::git_files::{GitBefore, Watched, note_moved_references, note_put_back, shorten};
use crate::prompt::{self, AgentContext, DiffCache, PreparedCall, nonce};
use crate::short_answers::{Estimate, read_difficulty, read_reply};
use crate::{dismissals, documents, manual_changes, records, review};
use agents::{AgentAnswer, AgentCall};
use content_parser::Terms;
use engine::{Call, PhaseState, PreviousReview};
use git::{Diff, GitFiles, MovedReferences, Snapshot, Tree, is_engines_own};
use journal::store::folders;
use model::event::{
    CallEnd, DifficultyAssessed, Evaluation, ExecOutcome, Fact, FindingJudgment, Reading, Replied, Reviewed,
    StepStarted, TriageTable, Triaged, Worked,
};
use model::finding::{Finding, Severity};
use model::phase::{PhaseName, Step};
use model::redact::Masked;
use model::text::sha256_hex;
use model::verdict::ReadAs;
use views::prompt::{difficulty, reviewer_schema, template_digest};
use views::summary::deliverable_path;

/// Calls an agent and records how it ended.
pub(super) async fn call(
    active: &mut ActiveRun,
    programs: &AgentContext,
    diffs: &mut DiffCache,
    call: &Call,
) -> Result<()> {
    active.sleep(Duration::from_millis(call.delay_ms)).await;
    if active.is_stopping() {
        return Ok(());
    }
    let records = records::restore(active)?;
    documents::put_back_before_step(active, &call.phase, call.step)?;
    let before = Tree::try_from(active.phase(&call.phase)?.files.tree.as_str())?;
    if manual_changes::record_new_changes(active, &call.phase, call.step, &before)? {
        return Ok(());
    }
    let review_id = matches!(call.step, Step::Review | Step::Triage).then(nonce);
    let diff = diffs.diff_for_review(active, call, &before)?;
    let output = documents::output_path(active, call)?;
    let commands = active.run()?.started.agreement.commands.clone();
    let prepared = PreparedCall { programs, call, review_id, tree: before, diff, output, commands };
    let prompt = active.masker.mask(&prompt::compose(active, &prepared)?);
    let def = active.phase(&call.phase)?.def.clone();
    let place =
        folders::CallFolder { phase: &def, step: call.step, round: call.round, attempt: call.attempt };
    let prompt_file = active.folder.write_prompt(place, &prompt)?;
    let raw_file = active.folder.raw_stream(place)?;
    active.folder.make_output(&def)?;
    let watched = !call.step.writes();
    let who = if watched { Watched::Reader } else { Watched::Author };
    if watched {
        active.space.run_branch().remember_resting_tip()?;
    } else {
        active.space.run_branch().forget_resting_tip();
    }
    // After the tip is noted: what is noted later tells when a call ended whose process was killed.
    let git_before = GitBefore::read(active, &prepared.tree)?;
    record_start(active, &prepared, &prompt)?;
    active.snapshot = None;
    let answer = match prompt::skip_review_of_truncated_diff(active, &prepared)? {
        Some(unasked) => unasked,
        None => ask_agent(active, &prepared, (&prompt_file, &raw_file)).await?,
    };
    // First of all, because everything after it may run git.
    let mut planted = git_before.restore_files(active)?;
    let log_was_taken_back = active.journal.verify_or_restore()?;
    active.job_files.verify()?;
    let moved = git_before.restore_references(active, who)?;
    let kept = active.masker.mask(&answer.text);
    active.folder.write_answer(place, &kept)?;
    records.put_back(active, &prepared.output)?;
    // Before the snapshot is taken, so that the commit holds the document.
    let document = records::write_answer_document(active, call, &kept)?;
    let was_stopped = active.is_stopping();
    if was_stopped && watched {
        // The next process would take the change for a person's.
        undo_reader_changes(active, &git_before, &prepared.tree)?;
        GitFiles::forget(&active.space)?;
        return note_put_back(active, &format!("Phase {}: The reviewer", call.phase), &planted);
    }
    let (snapshot, put_back) = if watched {
        (git_before.look_after_reader(active, &prepared.tree, &mut planted)?, Vec::new())
    } else {
        look_after_author(active, call, &prepared.tree)?
    };
    if !watched {
        note_put_back(active, &format!("Phase {}: The author", call.phase), &planted)?;
    } else if log_was_taken_back {
        planted.push(active.folder.events());
    }
    let seen = SeenAfterCall { snapshot, planted, moved: moved.clone(), put_back };
    let mut ending = inspect_ended_call(active, prepared, build_call_end(&answer, document), seen)?;
    if was_stopped {
        // The changed files are recorded as the agent's; the rest of the answer is not used.
        ending.ended.outcome = ExecOutcome::Cancelled;
    }
    active.append_spending(&ending.ended)?;
    record(active, &answer, ending)?;
    GitFiles::forget(&active.space)?;
    note_moved_references(active, &moved, who)
}

fn record_start(active: &mut ActiveRun, prepared: &PreparedCall<'_>, prompt: &Masked) -> Result<()> {
    let PreparedCall { programs, call, review_id, .. } = prepared;
    let def = &active.phase(&call.phase)?.def;
    let template = template_digest(def, call.step, &programs.prompts).unwrap_or_default();
    active.record(Fact::StepStarted(StepStarted {
        phase: call.phase.clone(),
        step: call.step,
        round: call.round,
        attempt: call.attempt,
        agent: call.agent.clone(),
        review_id: review_id.clone(),
        prompt: sha256_hex(&[prompt.as_str().as_bytes()]),
        template,
        prompt_bytes: prompt.as_str().len() as u64,
        resumes: call.resumes.as_ref().map(|resume| resume.session.clone()),
        seat: call.seat.clone(),
    }))
}

/// Calls the agent. Prompt and raw stream are named relative to the worktree.
async fn ask_agent(
    active: &mut ActiveRun,
    prepared: &PreparedCall<'_>,
    (prompt_file, raw_file): (&str, &str),
) -> Result<AgentAnswer> {
    let PreparedCall { programs, call, .. } = prepared;
    let started = &active.run()?.started;
    let (issue, time) = (started.issue.number, started.agreement.time.clone());
    let phase = active.phase(&call.phase)?;
    let schema = match call.step {
        Step::Review => {
            let viewpoints = phase.viewpoints_of(call.seat.as_deref());
            let questions = phase.review_questions().asked;
            Some(reviewer_schema(phase.def.policy.review.as_ref(), viewpoints, &questions))
        }
        Step::Execute | Step::Revise => phase.def.output_schema.clone(),
        Step::Check | Step::Triage | Step::Answer => None,
    };
    let copy_after_end = if call.step.writes() {
        active.space.run_branch().tip_files()
    } else {
        GitFiles::files(&active.space)
    };
    let job = AgentCall {
        issue,
        phase: &call.phase,
        step: call.step,
        round: call.round,
        attempt: call.attempt,
        prompt_file: &active.folder.at(prompt_file),
        output: &prepared.output,
        review_id: prepared.review_id.as_deref(),
        seat: call.seat.as_deref(),
        worktree: active.folder.root(),
        raw_file: &active.folder.at(raw_file),
        time: &time,
        masker: &active.masker,
        own_program: &process::own_program(),
        resumes: call.resumes.as_ref(),
        allowance: call.allowance,
        schema: schema.as_ref(),
        commands: &prepared.commands,
        copy_after_end: Some((&copy_after_end.0, &copy_after_end.1)),
    };
    let spec = programs.parse_spec(&call.agent)?;
    let journal = &mut active.journal;
    let mut on_line = |line: &Masked| journal.progress(line);
    Ok(agents::call(&spec, &programs.profiles, &job, &mut on_line, &mut active.stop).await)
}

/// What a call left behind.
struct SeenAfterCall {
    snapshot: Snapshot,
    /// Files beside those of the worktree that it changed and that were put back.
    planted: Vec<String>,
    /// References that moved meanwhile.
    moved: MovedReferences,
    /// Approved documents that it changed and that were put back.
    put_back: Vec<String>,
}

/// Takes a snapshot after the call of an author, with the approved documents put back that it may not change.
fn look_after_author(active: &ActiveRun, call: &Call, before: &Tree) -> Result<(Snapshot, Vec<String>)> {
    let mut snapshot = active.space.snapshots().take(Some(before))?;
    let put_back = documents::put_back_after_author(active, &call.phase, before, &snapshot)?;
    if !put_back.is_empty() {
        snapshot = active.space.snapshots().take(Some(before))?;
        snapshot.changed.extend(put_back.iter().cloned());
    }
    Ok((snapshot, put_back))
}

/// Finds out what the call changed in the files. Changes by a reviewer, or by an author that answers questions, are undone, and
/// the answer is void.
fn inspect_ended_call(
    active: &mut ActiveRun,
    prepared: PreparedCall<'_>,
    mut ended: CallEnd,
    seen: SeenAfterCall,
) -> Result<EndedCall> {
    let PreparedCall { call, review_id, tree: before, .. } = prepared;
    let SeenAfterCall { snapshot, planted, moved, put_back } = seen;
    let (mut tree, mut changed) = (snapshot.tree.clone(), snapshot.changed.clone());
    active.note_folders(&snapshot);
    active.snapshot = Some(snapshot);
    if !call.step.writes()
        && let Some(reason) = find_reader_changes(call.step, &moved, &changed, &planted)
    {
        active.snapshot = None;
        active.space.snapshots().restore(&before)?;
        ended.outcome = ExecOutcome::Crashed;
        ended.reason = Some(reason);
        tree = before;
        changed.clear();
    }
    let strays = &active.run()?.started.strays;
    changed.retain(|path| !strays.contains(path));
    Ok(EndedCall { call: call.clone(), review_id, ended, tree, changed, put_back })
}

/// Returns what an agent changed that must only read, for people; nothing when it changed nothing.
fn find_reader_changes(
    step: Step,
    moved: &MovedReferences,
    changed: &[String],
    planted: &[String],
) -> Option<String> {
    let who = if step == Step::Review { "the reviewer" } else { "the author that was asked" };
    // Each list is cut off by itself, so that no number of files hides what was planted.
    let lists = [changed, planted].into_iter().filter(|names| !names.is_empty());
    let files: Vec<String> = lists.map(shorten).collect();
    if !files.is_empty() {
        return Some(format!("{who} changed files, which was undone: {}", files.join(", ")));
    }
    if !moved.undone.is_empty() {
        let names = shorten(&moved.undone);
        return Some(format!("{who} moved references of git, which was undone: {names}"));
    }
    // People move branches and tags at any time.
    if moved.seldom.is_empty() {
        return None;
    }
    let names = shorten(&moved.seldom);
    Some(format!("while {who} worked this moved or was made in git, and was left as it is: {names}"))
}

/// Undoes what an agent changed that must only read, and returns what it was.
fn undo_reader_changes(active: &mut ActiveRun, before: &GitBefore, tree: &Tree) -> Result<Vec<String>> {
    let mut changed = Vec::new();
    let seen = before.look_after_reader(active, tree, &mut changed)?;
    changed.extend(seen.changed);
    if !changed.is_empty() {
        active.space.snapshots().restore(tree)?;
    }
    active.snapshot = None;
    Ok(changed)
}

fn build_call_end(answer: &AgentAnswer, document: Option<Masked>) -> CallEnd {
    let AgentAnswer {
        outcome, reason, millis, usage, truncated, simulated, resets_at, session, program, ..
    } = answer.clone();
    CallEnd {
        document: document.as_ref().map(|text| sha256_hex(&[text.as_str().as_bytes()])),
        document_text: document.map(|text| text.as_str().to_owned()),
        outcome,
        reason,
        millis,
        usage,
        truncated,
        simulated,
        resets_at,
        session,
        program,
    }
}

/// An ended call before it is recorded.
struct EndedCall {
    call: Call,
    review_id: Option<String>,
    ended: CallEnd,
    tree: Tree,
    changed: Vec<String>,
    put_back: Vec<String>,
}

/// Records an ended call as a fact.
fn record(active: &mut ActiveRun, answer: &AgentAnswer, ending: EndedCall) -> Result<()> {
    match ending.call.step {
        Step::Execute | Step::Revise => record_work(active, answer, ending),
        Step::Review => record_review(active, answer, ending),
        Step::Triage => record_triage(active, answer, ending),
        Step::Answer => record_reply(active, answer, ending),
        Step::Check => Err(RunError::Bug(format!("{} is no call of the cycle", ending.call.step))),
    }
}

fn record_reply(active: &mut ActiveRun, answer: &AgentAnswer, ending: EndedCall) -> Result<()> {
    let EndedCall { call, ended, .. } = ending;
    let Call { phase, round, attempt, .. } = call;
    let text = if ended.outcome.ended() { read_reply(&answer.text) } else { None };
    active.record(Fact::Replied(Replied { phase, round, attempt, ended, text }))
}

fn record_work(active: &mut ActiveRun, answer: &AgentAnswer, ending: EndedCall) -> Result<()> {
    let evaluation = read_evaluation(active, answer, &ending.call.phase)?;
    let EndedCall { call, ended, tree, changed, put_back, .. } = ending;
    let Call { phase, step, round, attempt, .. } = call;
    let (claim, tree) = (content_parser::read_claim(&answer.text), tree.to_string());
    let worked = Worked { phase, step, round, attempt, ended, tree, changed, put_back, claim, evaluation };
    active.record(Fact::Worked(worked))
}

/// Reads the decision of an evaluation from the answer and the deliverable.
fn read_evaluation(active: &ActiveRun, answer: &AgentAnswer, name: &PhaseName) -> Result<Option<Evaluation>> {
    let (run, phase) = (active.run()?, active.phase(name)?);
    if !phase.def.decides {
        return Ok(None);
    }
    let path = active.folder.at(&deliverable_path(run, phase));
    let deliverable = git::regular_file::read(&path).unwrap_or_default();
    let deliverable = String::from_utf8_lossy(&deliverable);
    Ok(content_parser::read_evaluations(&[&answer.text, &deliverable]))
}

fn record_review(active: &mut ActiveRun, answer: &AgentAnswer, ending: EndedCall) -> Result<()> {
    let answer = &AgentAnswer { outcome: ending.ended.outcome, ..answer.clone() };
    let phase = active.phase(&ending.call.phase)?;
    let rule = phase.def.policy.review.as_ref();
    let words = rule.map(|rule| rule.verdict_map.clone()).unwrap_or_default();
    let require_review_id = active.run()?.started.agreement.require_review_id;
    let terms =
        Terms { review_id: ending.review_id.as_deref(), require_review_id, words: &words, beyond: &[] };
    let mut reading = review::read_answer(answer, &terms);
    let findings = reading.as_ref().map(|reading| &reading.findings);
    let beyond = findings.map(|all| find_out_of_scope(active, phase, &ending, all)).unwrap_or_default();
    if !beyond.is_empty() {
        reading = review::read_answer(answer, &Terms { beyond: &beyond, ..terms });
    }
    let questions = phase.review_questions();
    reading = reading.map(|reading| review::apply_answers(reading, &questions.asked));
    // It is asked about once; under triage the author judges what the review says.
    let is_triaged = phase.def.policy.triage;
    if !is_triaged && phase.doubt_of(ending.call.seat.as_deref()).is_none() {
        reading = reading.map(|reading| review::apply_doubt(reading, &answer.text));
    }
    let reading = reading.map(|reading| review::add_stated_findings(reading, &answer.text, is_triaged));
    let EndedCall { call, ended, tree, .. } = ending;
    let Call { phase, round, attempt, agent: reviewer, seat, .. } = call;
    let tree = tree.to_string();
    let reviewed = Reviewed { phase, round, attempt, reviewer, ended, reading, tree, seat };
    active.record(Fact::Reviewed(reviewed))?;
    records::export_result(active)
}

fn record_triage(active: &mut ActiveRun, answer: &AgentAnswer, ending: EndedCall) -> Result<()> {
    let (table, unread, judgments) = match read_triage(active, answer, &ending)? {
        None => (None, None, Vec::new()),
        Some(Ok((table, judgments))) => (Some(table), None, judgments),
        Some(Err(why)) => (None, Some(why), Vec::new()),
    };
    let EndedCall { call, ended, tree, changed, put_back, .. } = ending;
    let Call { phase, round, attempt, .. } = call;
    let tree = tree.to_string();
    let triaged = Triaged { phase, round, attempt, ended, table, unread, judgments, tree, changed, put_back };
    active.record(Fact::Triaged(triaged))?;
    records::export_result(active)
}

/// What a triage says: its table, and its judgments of the single findings; else why it does not count.
type TriageReading = std::result::Result<(TriageTable, Vec<FindingJudgment>), String>;

/// Reads the answer of a triage; nothing when the call did not come to an end.
fn read_triage(
    active: &ActiveRun,
    answer: &AgentAnswer,
    ending: &EndedCall,
) -> Result<Option<TriageReading>> {
    if !ending.ended.outcome.ended() {
        return Ok(None);
    }
    if answer.truncated {
        return Ok(Some(Err("the answer was cut off".to_owned())));
    }
    let phase = active.phase(&ending.call.phase)?;
    let reading = phase.reviews.current.as_ref().and_then(|review| review.reading.as_ref());
    let failed = reading.is_some_and(|reading| !reading.judgment.approves());
    let rows = match content_parser::read_triage_rows(&answer.text, ending.review_id.as_deref()) {
        Ok(rows) => rows,
        Err(why) => return Ok(Some(Err(why))),
    };
    let findings = findings_with_counted(phase);
    let table = match content_parser::answering(&rows, &findings, failed) {
        Ok(table) => table,
        Err(why) => return Ok(Some(Err(why))),
    };
    let judgments = content_parser::read_dispositions(&answer.text, phase.findings());
    let unnamed = reading.map_or(0, |reading| count_unnamed_critical(reading, &findings));
    let lack = dismissals::find_undefended(active, phase.name(), &ending.tree, (&rows, &judgments), unnamed)?;
    Ok(Some(lack.map_or(Ok((table, judgments)), Err)))
}

/// Returns the findings of a review, and without words those that its text counts besides. An object lists all by itself.
fn findings_with_counted(phase: &PhaseState) -> Vec<Finding> {
    let mut findings = phase.findings().to_vec();
    let review = phase.reviews.current.as_ref();
    let text = review.and_then(|review| review.ended.document_text.as_deref()).unwrap_or_default();
    let read_as = review.and_then(|review| review.reading.as_ref()).map(|reading| &reading.read_as);
    let is_listed = matches!(read_as, Some(ReadAs::Json | ReadAs::Schema)) && !findings.is_empty();
    let counted = if is_listed { Vec::new() } else { content_parser::counted_findings(text) };
    let many = |findings: &[Finding], severity| {
        findings.iter().filter(|finding| finding.severity == severity).count()
    };
    for severity in [Severity::Critical, Severity::Major, Severity::Minor, Severity::Info] {
        let unnamed = many(&counted, severity).saturating_sub(many(&findings, severity));
        findings.extend(repeat_n(Finding::new(severity, "", String::new()), unnamed));
    }
    findings
}

/// Returns how many findings a review counts as critical, or says to be so where it fails, without naming them.
fn count_unnamed_critical(reading: &Reading, findings: &[Finding]) -> u32 {
    let mut critical = findings.iter().filter(|finding| finding.severity == Severity::Critical).peekable();
    if critical.peek().is_some() {
        return u32::try_from(critical.filter(|finding| finding.issue.is_empty()).count())
            .unwrap_or(u32::MAX);
    }
    u32::from(!reading.judgment.approves() && content_parser::says_critical(&reading.feedback))
}

/// Returns the findings that are out of scope: new ones about lines that did not change since the previous review by the same
/// reviewer. Returns none when the files of that review are not available, for example because they are on another machine.
fn find_out_of_scope(
    active: &ActiveRun,
    phase: &PhaseState,
    ending: &EndedCall,
    all: &[Finding],
) -> Vec<Finding> {
    let EndedCall { call, tree, .. } = ending;
    let Some(delta) = PreviousReview::of(phase, call.seat.as_deref(), &call.agent) else { return Vec::new() };
    find_beyond(active, &delta, tree, all).unwrap_or_else(|error| {
        tracing::warn!("what changed since the last review of {} cannot be seen: {error}", call.phase);
        Vec::new()
    })
}

/// Returns the findings about lines that did not change. A finding whose path is no file of the repository is not among them.
fn find_beyond(
    active: &ActiveRun,
    delta: &PreviousReview,
    tree: &Tree,
    all: &[Finding],
) -> Result<Vec<Finding>> {
    let named = all.iter().filter_map(|finding| finding.file.clone());
    let named: BTreeSet<String> = named.filter(|path| !is_engines_own(path)).collect();
    let workspace = active.space.workspace();
    let files = workspace.plain_files(tree, &named)?;
    let changes = workspace.changes().between(&Tree::try_from(delta.tree.as_str())?, tree, &files)?;
    let is_placed = |finding: &&Finding| finding.file.as_ref().is_some_and(|file| files.contains(file));
    let placed: Vec<Finding> = all.iter().filter(is_placed).cloned().collect();
    Ok(delta.out_of_scope(&placed, &changes))
}

/// Asks an agent how difficult the issue is, once and before the first phase. The answer only influences the choice of models. An
/// answer that cannot be read, or an agent that changed files, counts as the highest difficulty.
pub(super) async fn assess(active: &mut ActiveRun, programs: &AgentContext, call: &Call) -> Result<()> {
    let before = active.ensure_snapshot(None)?.tree.clone();
    let git_before = GitBefore::read(active, &before)?;
    let answer = ask_difficulty(active, programs, call).await?;
    let mut changed = git_before.restore_files(active)?;
    active.journal.verify_or_restore()?;
    active.job_files.verify()?;
    GitFiles::forget(&active.space)?;
    if active.is_stopping() {
        return Ok(());
    }
    let mut ended = build_call_end(&answer, None);
    let moved = git_before.restore_references(active, Watched::Reader)?;
    changed.extend(moved.undone.iter().chain(&moved.seldom).cloned());
    changed.extend(undo_reader_changes(active, &git_before, &before)?);
    if !changed.is_empty() {
        ended.outcome = ExecOutcome::Crashed;
        ended.reason = Some(format!("it changed files, which was undone: {}", changed.join(", ")));
    }
    active.append_spending(&ended)?;
    let estimate = if answer.truncated { None } else { read_difficulty(&answer.text) };
    active.record(Fact::Assessed(Box::new(build_assessment(call, estimate, ended))))
}

async fn ask_difficulty(active: &mut ActiveRun, programs: &AgentContext, call: &Call) -> Result<AgentAnswer> {
    let prompt = difficulty(&active.run()?.started.issue, &nonce(), &programs.prompts)?;
    let def = active.phase(&call.phase)?.def.clone();
    let place =
        folders::CallFolder { phase: &def, step: call.step, round: call.round, attempt: call.attempt };
    let prompt_file = active.folder.write_prompt(place, &active.masker.mask(&prompt))?;
    let raw_file = active.folder.raw_stream(place)?;
    let prepared = PreparedCall {
        programs,
        call,
        review_id: None,
        tree: active.ensure_snapshot(None)?.tree.clone(),
        diff: Diff::default(),
        output: active.folder.deliverable(&def),
        commands: BTreeMap::new(),
    };
    active.snapshot = None;
    let answer = ask_agent(active, &prepared, (&prompt_file, &raw_file)).await?;
    active.folder.write_answer(place, &active.masker.mask(&answer.text))?;
    Ok(answer)
}

fn build_assessment(call: &Call, estimate: Option<Estimate>, ended: CallEnd) -> DifficultyAssessed {
    let agent = call.agent.clone();
    let Some(Estimate { word, confidence, reason }) = estimate else {
        let reason = ended.reason.clone().unwrap_or_else(|| "the answer states no difficulty".into());
        return DifficultyAssessed { agent, difficulty: None, confidence: None, reason, ended };
    };
    DifficultyAssessed { agent, difficulty: word.parse().ok(), confidence, reason, ended }
}
