//! Protects the documents of a run: finds those that were approved and what a phase rewrote in them, and restores the documents
//! that the engine makes from answers when an agent changed them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use crate::active_run::ActiveRun;
use crate::error::{Result, RunError};
use engine::{AnswerDocument, Call, PhaseState, Run, Status};
use git::{CommitId, Diff, Tree};
use journal::store::{folders, sha256_hex};
use model::phase::{PhaseName, Step};
use model::redact::Masked;
use views::summary::deliverable_path;

/// Returns the path in `AI_WORKFLOW_OUTPUT`: the phase's deliverable, or the document of a document review.
pub(super) fn output_path(active: &ActiveRun, call: &Call) -> Result<String> {
    let def = &active.phase(&call.phase)?.def;
    Ok(match call.step {
        _ if !def.policy.triage => active.folder.deliverable(def),
        Step::Triage | Step::Revise => active.folder.reply_document(def, call.round),
        _ => active.folder.review_document(def, call.round),
    })
}

/// Returns the deliverables of the other completed phases, without one that a person accepted as missing.
pub(super) fn list_approved(active: &ActiveRun, name: &PhaseName) -> Result<Vec<String>> {
    let run = active.run()?;
    let mut approved = Vec::new();
    for path in completed_beside(run, name).map(|phase| deliverable_path(run, phase)) {
        let is_there = checks::content_lack(active.folder.root(), &path).is_none();
        if is_there || has_text(active, &run.branch.phase_head, &path)? {
            approved.push(path);
        }
    }
    Ok(approved)
}

/// Returns the other completed phases that have a deliverable.
pub(super) fn completed_beside<'a>(run: &'a Run, name: &PhaseName) -> impl Iterator<Item = &'a PhaseState> {
    let others = run.phases.iter().filter(move |other| other.name() != name && !other.def.policy.triage);
    others.filter(|other| other.status == Status::Completed)
}

/// Refuses to publish a branch that lost a document of a completed phase since the last phase was committed.
pub(super) fn refuse_lost(active: &ActiveRun) -> Result<()> {
    let run = active.run()?;
    if run.branch.head == run.branch.phase_head {
        return Ok(());
    }
    let completed = run.phases.iter().filter(|phase| phase.status == Status::Completed);
    for path in completed.map(|phase| deliverable_path(run, phase)) {
        if !has_text(active, &run.branch.head, &path)? && has_text(active, &run.branch.phase_head, &path)? {
            return Err(RunError::DocumentLost { path, commit: run.branch.phase_head.clone() });
        }
    }
    Ok(())
}

/// Tells whether a commit holds a file that is not blank.
fn has_text(active: &ActiveRun, commit: &str, path: &str) -> Result<bool> {
    let text = active.space.workspace().read_file(&CommitId::try_from(commit)?, path)?;
    Ok(text.is_some_and(|text| !checks::is_blank(&text)))
}

/// Returns what a phase changed in documents that were approved before it.
pub(super) fn diff_rewritten(active: &ActiveRun, name: &PhaseName, tree: &Tree, most: usize) -> Result<Diff> {
    let (run, changed) = (active.run()?, &active.phase(name)?.files.changed);
    let approved = list_approved(active, name)?;
    let rewritten: Vec<String> = approved.into_iter().filter(|path| changed.contains(path)).collect();
    let approved_at = CommitId::try_from(run.branch.phase_head.as_str())?;
    if rewritten.is_empty() || !active.space.workspace().has_tree(&approved_at.as_tree())? {
        return Ok(Diff::default());
    }
    Ok(active.space.diff_of_paths(&rewritten, &approved_at, tree, most)?)
}

/// Writes the document that is made from an answer in a phase with triage, and returns its digest.
pub(super) fn write_answer_document(
    active: &ActiveRun,
    call: &Call,
    answer: &Masked,
) -> Result<Option<String>> {
    let triage = active.phase(&call.phase)?.def.policy.triage;
    if !triage || !matches!(call.step, Step::Review | Step::Triage | Step::Revise) {
        return Ok(None);
    }
    active.folder.write(&output_path(active, call)?, answer)?;
    Ok(Some(sha256_hex(&[answer.as_str().as_bytes()])))
}

/// Restores the documents that the engine made from answers, and returns them by path. Removes a document whose text is lost,
/// so that no other text stands under its name.
pub(super) fn restore_answer_documents(active: &ActiveRun) -> Result<BTreeMap<String, Masked>> {
    let mut known = BTreeMap::new();
    for phase in &active.run()?.phases {
        for made in &phase.calls.documents {
            let text = restore_answer_document(active, phase, made)?;
            known.extend(text.map(|text| (answer_document_path(active, phase, made), text)));
        }
    }
    Ok(known)
}

fn answer_document_path(active: &ActiveRun, phase: &PhaseState, made: &AnswerDocument) -> String {
    match made.step {
        Step::Review => active.folder.review_document(&phase.def, made.round),
        _ => active.folder.reply_document(&phase.def, made.round),
    }
}

fn restore_answer_document(
    active: &ActiveRun,
    phase: &PhaseState,
    made: &AnswerDocument,
) -> Result<Option<Masked>> {
    let path = &answer_document_path(active, phase, made);
    let as_written = |text: &String| sha256_hex(&[text.as_bytes()]) == made.digest;
    let file = active.folder.at(path);
    if let Some(text) = fs::read_to_string(&file).ok().filter(as_written) {
        return Ok(Some(active.masker.mask(&text)));
    }
    let AnswerDocument { step, round, attempt, .. } = *made;
    let kept = active.folder.read_answer(folders::CallFolder { phase: &phase.def, step, round, attempt });
    let Some(text) = kept.filter(as_written).or(read_committed_text(active, phase, path)?.filter(as_written))
    else {
        active.folder.remove(path)?;
        return Ok(None);
    };
    let text = active.masker.mask(&text);
    put_back(active, path, &text)?;
    Ok(Some(text))
}

fn read_committed_text(active: &ActiveRun, phase: &PhaseState, path: &str) -> Result<Option<String>> {
    let Some(commit) = phase.files.commit.as_ref().or(phase.files.first_commit.as_ref()) else {
        return Ok(None);
    };
    let text = active.space.workspace().read_file(&CommitId::try_from(commit.as_str())?, path)?;
    Ok(text.and_then(|text| String::from_utf8(text).ok()))
}

/// Restores the engine's documents that a call changed.
pub(super) fn put_back_changed(active: &ActiveRun, known: &BTreeMap<String, Masked>) -> Result<()> {
    for (path, text) in known {
        let found = fs::read(active.folder.at(path));
        if !found.is_ok_and(|found| found == text.as_str().as_bytes()) {
            put_back(active, path, text)?;
        }
    }
    Ok(())
}

fn put_back(active: &ActiveRun, path: &str, text: &Masked) -> Result<()> {
    tracing::warn!("{path} was changed and is put back: nobody writes it but us");
    Ok(active.folder.write(path, text)?)
}

/// Returns the paths of the documents that were made from the answers of a phase.
pub(super) fn list_answer_documents(active: &ActiveRun, phase: &PhaseState) -> BTreeSet<String> {
    phase.calls.documents.iter().map(|made| answer_document_path(active, phase, made)).collect()
}
