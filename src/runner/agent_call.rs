//! One agent call from prompt to fact. What the agent says is kept as it was said, masked; what counts is what we see.

use std::time::Duration;

use crate::active_run::ActiveRun;
use crate::agent_context::AgentContext;
use crate::answer_facts::Ending;
use crate::digest::{digest, nonce};
use crate::error::Result;
use crate::prompt::PreparedCall;
use crate::review_diff::DiffCache;
use crate::{answer_facts, changes_by_hand, documents, prompt, review_diff};
use agents::{AgentCall, Answer};
use engine::Call;
use git::Tree;
use journal::store::folders;
use model::event::{Ended, ExecOutcome, Fact, StepStarted};
use model::phase::Step;
use model::redact::Masked;
use views::prompt::{reviewer_schema, template_digest};

/// The kind of the note that tells of branches and tags.
const MOVED: &str = "references_moved";

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
    let before = Tree::try_from(active.phase(&call.phase)?.files.tree.as_str())?;
    if changes_by_hand::take_up(active, &call.phase, call.step, &before)? {
        return Ok(());
    }
    let review_id = matches!(call.step, Step::Review | Step::Triage).then(nonce);
    let diff = diffs.for_review(active, call, &before)?;
    let output = documents::output_path(active, call)?;
    let commands = active.run()?.started.agreement.commands.clone();
    let prepared = PreparedCall { programs, call, review_id, tree: before, diff, output, commands };
    let prompt = active.masker.mask(&prompt::compose(active, &prepared)?);
    let def = active.phase(&call.phase)?.def.clone();
    let place = folders::Call { phase: &def, step: call.step, round: call.round, attempt: call.attempt };
    let prompt_file = active.folder.write_prompt(place, &prompt)?;
    let raw_file = active.folder.raw_stream(place)?;
    active.folder.make_output(&def)?;
    record_start(active, &prepared, &prompt)?;
    active.snapshot = None;
    let watched = !call.step.writes();
    let documents = documents::made(active)?;
    let references = watched.then(|| active.space.references().now()).transpose()?;
    if watched {
        active.space.run_branch().remember_resting_tip()?;
    } else {
        active.space.run_branch().forget_resting_tip();
    }
    let answer = match review_diff::unseen(active, &prepared)? {
        Some(unasked) => unasked,
        None => ask(active, &prepared, (&prompt_file, &raw_file)).await?,
    };
    let log_was_taken_back = active.journal.verify()?;
    active.job_files.verify()?;
    let moved = references.map(|before| active.space.references().put_back(&before)).transpose()?;
    let moved = moved.unwrap_or_default();
    let kept = active.masker.mask(&answer.text);
    active.folder.write_answer(place, &kept)?;
    documents::put_back(active, &documents)?;
    // Before the files are looked at, so that the commit sees it.
    let document = documents::write_made(active, call, &kept)?;
    let was_stopped = active.is_stopping();
    if was_stopped && watched {
        return changes_by_hand::undo_of_stopped_reader(active, &prepared.tree);
    }
    let log = (watched && log_was_taken_back).then(|| active.folder.events());
    let mut ending = ending(active, prepared, answer, &moved.undone, log)?;
    ending.ended.document = document;
    if was_stopped {
        // What it left is known to be its own, and nothing else of it counts.
        ending.ended.outcome = ExecOutcome::Cancelled;
    }
    active.note_spending(&ending.ended)?;
    answer_facts::record(active, ending)?;
    note_moved_references(active, &moved.left)
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
        prompt: digest(prompt.as_str()),
        template,
        prompt_bytes: prompt.as_str().len() as u64,
        resumes: call.resumes.as_ref().map(|resume| resume.session.clone()),
        seat: call.seat.clone(),
    }))
}

/// Somebody moved them while a reader worked: it, or a person.
fn note_moved_references(active: &mut ActiveRun, left: &[String]) -> Result<()> {
    if left.is_empty() {
        return Ok(());
    }
    let text = format!("moved while nobody was to write, and left alone: {}", left.join(", "));
    tracing::warn!("{text}");
    active.note(MOVED, text)
}

/// Calls the agent. Prompt and raw stream are named relative to the worktree.
pub(super) async fn ask(
    active: &mut ActiveRun,
    prepared: &PreparedCall<'_>,
    (prompt_file, raw_file): (&str, &str),
) -> Result<Answer> {
    let PreparedCall { programs, call, .. } = prepared;
    let started = &active.run()?.started;
    let (issue, time) = (started.issue.number, started.agreement.time.clone());
    let phase = active.phase(&call.phase)?;
    let schema = match call.step {
        Step::Review => {
            let viewpoints = phase.viewpoints_of(call.seat.as_deref());
            Some(reviewer_schema(phase.def.policy.review.as_ref(), viewpoints))
        }
        Step::Execute | Step::Revise => phase.def.output_schema.clone(),
        Step::Check | Step::Triage | Step::Answer => None,
    };
    let copy_after_end = call.step.writes().then(|| active.space.run_branch().tip_files());
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
        copy_after_end: copy_after_end.as_ref().map(|(from, to)| (from.as_path(), to.as_path())),
    };
    let spec = programs.spec(&call.agent)?;
    let journal = &mut active.journal;
    let mut on_line = |line: &Masked| journal.progress(line);
    Ok(agents::call(&spec, &programs.profiles, &job, &mut on_line, &mut active.stop).await)
}

/// Sees what the call did to the files. What a reviewer wrote, or an author that was only asked, is undone and voids its
/// answer.
fn ending(
    active: &mut ActiveRun,
    prepared: PreparedCall<'_>,
    answer: Answer,
    moved: &[String],
    log: Option<String>,
) -> Result<Ending> {
    let PreparedCall { call, review_id, tree: before, .. } = prepared;
    let snapshot = active.space.snapshots().take(Some(&before))?;
    let mut ended = ended(&answer);
    let (mut tree, mut changed) = (snapshot.tree.clone(), snapshot.changed.clone());
    changed.extend(log);
    active.snapshot = Some(snapshot);
    let who = if call.step == Step::Review { "the reviewer" } else { "the author that was asked" };
    if !moved.is_empty() {
        active.snapshot = None;
        ended.outcome = ExecOutcome::Crashed;
        let moved = moved.join(", ");
        ended.reason = Some(format!("{who} moved references of git, which was undone: {moved}"));
    }
    if !call.step.writes() && !changed.is_empty() {
        active.space.snapshots().restore(&before)?;
        active.snapshot = None;
        ended.outcome = ExecOutcome::Crashed;
        ended.reason = Some(format!("{who} changed files, which was undone: {}", changed.join(", ")));
        tree = before;
        changed.clear();
    }
    let strays = &active.run()?.started.strays;
    changed.retain(|path| !strays.contains(path));
    Ok(Ending { call: call.clone(), review_id, answer, ended, tree, changed })
}

pub(super) fn ended(answer: &Answer) -> Ended {
    let Answer { outcome, reason, millis, usage, truncated, simulated, resets_at, session, program, .. } =
        answer.clone();
    Ended {
        outcome,
        reason,
        millis,
        usage,
        truncated,
        simulated,
        resets_at,
        session,
        program,
        document: None,
    }
}
