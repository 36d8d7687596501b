//! Protects the documents of a run: finds those that were approved and what a phase rewrote in them. The documents that the
//! engine makes from answers are restored by `records`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use crate::active_run::ActiveRun;
use crate::error::{Result, RunError};
use engine::{Call, PhaseState, Run, Status, StepPosition};
use git::{CommitId, Diff, RunWorkspace, Snapshot, Tree};
use journal::store::folders::RunFolder;
use journal::store::log;
use model::event::{DocumentChange, DocumentSeen, Fact, Ruling};
use model::phase::{PhaseName, Step};
use model::text::sha256_hex;
use views::summary::deliverable_path;

/// Who changed a document that changed when the run was killed.
pub(super) const BY_WHOM_IS_UNKNOWN: &str =
    ", by a program that was at work when the run was killed or by a person";

/// Returns the path in `AI_WORKFLOW_OUTPUT`: the phase's deliverable, or the document of a document review.
pub(super) fn output_path(active: &ActiveRun, call: &Call) -> Result<String> {
    let def = &active.phase(&call.phase)?.def;
    Ok(match call.step {
        _ if !def.stores_review_documents() => active.folder.deliverable(def),
        Step::Triage | Step::Revise => active.folder.reply_document(def, call.round),
        _ => active.folder.review_document(def, call.round),
    })
}

/// Returns the deliverables of the other completed phases, without one that a person accepted as missing.
pub(super) fn list_approved(active: &ActiveRun, name: &PhaseName) -> Result<Vec<String>> {
    let run = active.run()?;
    let phase_head = CommitId::try_from(run.branch.phase_head.as_str())?;
    let mut approved = Vec::new();
    for path in completed_beside(run, name).map(|phase| deliverable_path(run, phase)) {
        let is_there = checks::content_lack(active.folder.root(), &path).is_none();
        if is_there || has_text(&active.space, &phase_head, &path)? {
            approved.push(path);
        }
    }
    Ok(approved)
}

/// Returns the other completed phases that have a deliverable.
pub(super) fn completed_beside<'a>(run: &'a Run, name: &PhaseName) -> impl Iterator<Item = &'a PhaseState> {
    let others =
        run.phases.iter().filter(move |other| other.name() != name && !other.def.stores_review_documents());
    others.filter(|other| other.status == Status::Completed)
}

/// Returns the digests of the deliverables of all completed phases, that of the phase of a commit too.
pub(super) fn digest_all(
    run: &Run,
    name: &PhaseName,
    digest: impl Fn(&str) -> Result<Option<String>>,
) -> Result<BTreeMap<PhaseName, String>> {
    let mut digests = BTreeMap::new();
    for phase in run.phases.iter().filter(|phase| phase.status == Status::Completed || phase.name() == name) {
        if let Some(digest) = digest(&deliverable_path(run, phase))? {
            digests.insert(phase.name().clone(), digest);
        }
    }
    Ok(digests)
}

/// Returns the digest of a plain file that holds something.
pub(super) fn digest_on_disk(folder: &RunFolder, path: &str) -> Option<String> {
    if checks::content_lack(folder.root(), path).is_some() {
        return None;
    }
    fs::read(folder.at(path)).ok().map(|content| sha256_hex(&[&content]))
}

/// Returns the deliverables of the other completed phases as they stand on disk.
pub(super) fn see_approved(
    active: &ActiveRun,
    phase: &PhaseState,
    tree: &Tree,
) -> Result<BTreeMap<PhaseName, DocumentSeen>> {
    let run = active.run()?;
    let mut documents = BTreeMap::new();
    for other in completed_beside(run, phase.name()) {
        let path = deliverable_path(run, other);
        let (digest, approved) = (digest_on_disk(&active.folder, &path), &other.files.deliverable);
        let is_rewritten = digest.is_some() && approved.is_some() && digest != *approved;
        let changed_by = if is_rewritten { find_harmless_change(active, phase, &path, tree)? } else { None };
        documents.insert(other.name().clone(), DocumentSeen { digest, changed_by });
    }
    Ok(documents)
}

/// Says what changed a document without a fault of the phase: a person before it or meanwhile, or ticks alone.
fn find_harmless_change(
    active: &ActiveRun,
    phase: &PhaseState,
    path: &str,
    tree: &Tree,
) -> Result<Option<DocumentChange>> {
    let workspace = active.space.workspace();
    let began = &CommitId::try_from(phase.files.began_at.as_str())?;
    let by_hand = phase.files.by_hand.contains(path) || active.run()?.branch.coverage.by_hand.contains(path);
    let (before, now) = (workspace.read_file(began, path)?, workspace.read_file(tree, path)?);
    Ok(if by_hand || before == now {
        Some(DocumentChange::Person)
    } else if is_ticked(before.as_deref(), now.as_deref()) {
        Some(DocumentChange::Ticks)
    } else {
        None
    })
}

pub(super) fn is_ticked(before: Option<&[u8]>, after: Option<&[u8]>) -> bool {
    let text =
        |bytes: Option<&[u8]>| bytes.and_then(|bytes| std::str::from_utf8(bytes).ok().map(str::to_owned));
    match (text(before), text(after)) {
        (Some(before), Some(after)) => checks::only_ticks(&before, &after),
        _ => false,
    }
}

/// Puts back the approved documents of other phases that the call of an author changed and may not change, and returns their
/// paths.
pub(super) fn put_back_after_author(
    active: &ActiveRun,
    name: &PhaseName,
    before: &Tree,
    seen: &Snapshot,
) -> Result<Vec<String>> {
    let (run, phase) = (active.run()?, active.phase(name)?);
    let mut put_back = Vec::new();
    for other in completed_beside(run, name) {
        let path = deliverable_path(run, other);
        if is_touched(active, &path, before, seen)?
            && !is_change_allowed(active, phase, other, &path, before, &seen.tree)?
        {
            put_back.push(path);
        }
    }
    restore(&active.space, name, before, &put_back, (&seen.tree, ""))?;
    Ok(put_back)
}

/// Puts back the approved documents that the commands of some checks changed, and returns their paths. A command may change none
/// of them.
pub(super) fn put_back_after_commands(
    active: &mut ActiveRun,
    name: &PhaseName,
    before: &Tree,
    checks: &str,
) -> Result<Vec<String>> {
    active.snapshot = None;
    let seen = active.ensure_snapshot(Some(before))?.clone();
    let mut put_back = Vec::new();
    let run = active.run()?;
    for path in completed_beside(run, name).map(|other| deliverable_path(run, other)) {
        if is_touched(active, &path, before, &seen)? {
            put_back.push(path);
        }
    }
    let who = format!(" by a command that was run for the checks ({checks})");
    restore(&active.space, name, before, &put_back, (&seen.tree, &who))?;
    if !put_back.is_empty() {
        active.snapshot = None;
    }
    Ok(put_back)
}

/// Puts back the approved documents that were lost before a step, or changed when the process before was killed.
pub(super) fn put_back_before_step(active: &mut ActiveRun, name: &PhaseName, step: Step) -> Result<()> {
    put_back_after_kill(active, name, step)?;
    // What a killed author did is compared after its next call.
    if step.writes() && !active.phase(name)?.is_author_idle() {
        return Ok(());
    }
    put_back_missing(active, name)
}

/// Puts back the approved documents that are missing or empty although no step of the run was under way. That is nobody's fault,
/// and no phase can build on a document that is not there.
pub(super) fn put_back_missing(active: &mut ActiveRun, name: &PhaseName) -> Result<()> {
    let run = active.run()?;
    let paths = completed_beside(run, name).map(|other| deliverable_path(run, other));
    let missing: Vec<String> =
        paths.filter(|path| checks::content_lack(active.folder.root(), path).is_some()).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let known = find_known_tree(active, name)?;
    let mut put_back = Vec::new();
    for path in missing {
        if has_text(&active.space, &known, &path)? {
            put_back.push(path);
        }
    }
    restore(&active.space, name, &known, &put_back, (&known, " while no step was under way"))?;
    active.snapshot = None;
    Ok(())
}

/// Puts back the approved documents that changed when the process before was killed while a reviewer or a command was at work.
/// Nobody can say whether a person changed them, so they are as they were approved; a person may change them again.
fn put_back_after_kill(active: &mut ActiveRun, name: &PhaseName, step: Step) -> Result<()> {
    if active.has_called_agent || !was_killed_at_work(active, name, step)? {
        return Ok(());
    }
    let known = find_known_tree(active, name)?;
    let seen = active.ensure_snapshot(Some(&known))?.clone();
    let put_back = list_touched(active, name, &known, &seen)?;
    restore(&active.space, name, &known, &put_back, (&seen.tree, BY_WHOM_IS_UNKNOWN))?;
    if !put_back.is_empty() {
        active.snapshot = None;
    }
    Ok(())
}

/// Tells whether the process before was killed while a program worked that must not write: a reviewer whose call has no end in
/// the log, or the commands of the checks.
pub(super) fn was_killed_at_work(active: &ActiveRun, name: &PhaseName, step: Step) -> Result<bool> {
    let position = active.phase(name)?.position;
    if step.writes() || (step != Step::Check && position != StepPosition::Working(step)) {
        return Ok(false);
    }
    let entries = log::read_file(&active.folder.at(&active.folder.events()))?.entries;
    let asked = entries.iter().rposition(|entry| matches!(entry.fact, Fact::RunRequested(_)));
    let before = &entries[..asked.unwrap_or_default()];
    Ok(!before.iter().rev().find_map(|entry| says_end_of_process(&entry.fact)).unwrap_or(true))
}

/// Tells whether a fact says that a process ended its work, or that a person began anew; nothing where it does not matter.
fn says_end_of_process(fact: &Fact) -> Option<bool> {
    match fact {
        Fact::Noted { .. } | Fact::Commented { .. } | Fact::SpentElsewhere(_) | Fact::Published { .. } => {
            None
        }
        Fact::Ruled(ruled) => Some(matches!(ruled.ruling, Ruling::Pause { .. } | Ruling::Fail { .. })),
        Fact::RunRequested(_)
        | Fact::PhaseStarted { .. }
        | Fact::StepStarted(_)
        | Fact::Worked(_)
        | Fact::Reviewed(_)
        | Fact::Replied(_)
        | Fact::ReviewStands { .. }
        | Fact::Triaged(_)
        | Fact::ApprovalVoided { .. }
        | Fact::ChangedByHand { .. } => Some(false),
        _ => Some(true),
    }
}

/// Returns the files as the run knows them: those of the phase where it is under way, else the last commit of a phase.
fn find_known_tree(active: &ActiveRun, name: &PhaseName) -> Result<Tree> {
    let of_phase = active.phase(name)?.files.tree.as_str();
    if of_phase.is_empty() {
        return Ok(CommitId::try_from(active.run()?.branch.phase_head.as_str())?.as_tree());
    }
    Ok(Tree::try_from(of_phase)?)
}

/// Returns the approved documents of other phases that are others than in a tree, or gone.
fn list_touched(active: &ActiveRun, name: &PhaseName, before: &Tree, seen: &Snapshot) -> Result<Vec<String>> {
    let run = active.run()?;
    let mut touched = Vec::new();
    for path in completed_beside(run, name).map(|other| deliverable_path(run, other)) {
        if is_touched(active, &path, before, seen)? {
            touched.push(path);
        }
    }
    Ok(touched)
}

/// Tells whether a document that was there is another one now, or none. A snapshot does not list a special file as changed.
fn is_touched(active: &ActiveRun, path: &str, before: &Tree, seen: &Snapshot) -> Result<bool> {
    let is_changed = seen.changed.iter().any(|changed| changed == path);
    let is_lost = checks::content_lack(active.folder.root(), path).is_some();
    Ok((is_changed || is_lost) && has_text(&active.space, before, path)?)
}

/// Brings documents back to a tree, and says what changed them. What they were meanwhile stays in the repository as an object
/// that the message names.
pub(super) fn restore(
    space: &RunWorkspace,
    name: &PhaseName,
    to: &Tree,
    paths: &[String],
    (now, who): (&Tree, &str),
) -> Result<()> {
    if paths.is_empty() {
        return Ok(());
    }
    let all: BTreeSet<String> = paths.iter().cloned().collect();
    let workspace = space.workspace();
    let (approved, changed_to) = (workspace.blob_ids(to, &all)?, workspace.blob_ids(now, &all)?);
    space.snapshots().restore_paths(to, paths)?;
    for path in paths {
        let kept = changed_to.get(path).filter(|blob| approved.get(path) != Some(blob));
        let kept = kept.map(|blob| format!("; `git show {}` has the change", &blob[..12]));
        let kept = kept.unwrap_or_default();
        tracing::warn!(
            "Phase {name}: {path} is approved and was changed or removed{who}; it is put back{kept}"
        );
    }
    Ok(())
}

/// Tells whether a call may leave a document as it is now: a plain file with text, changed by a phase that repairs it or by
/// ticks alone.
fn is_change_allowed(
    active: &ActiveRun,
    phase: &PhaseState,
    other: &PhaseState,
    path: &str,
    before: &Tree,
    now: &Tree,
) -> Result<bool> {
    if checks::content_lack(active.folder.root(), path).is_some() {
        return Ok(false);
    }
    if engine::may_change(phase, other) {
        return Ok(true);
    }
    let read = |tree: &Tree| active.space.workspace().read_file(tree, path);
    Ok(is_ticked(read(before)?.as_deref(), read(now)?.as_deref()))
}

/// Refuses to publish a branch that lost a document of a completed phase since the last phase was committed.
pub(super) fn refuse_lost(active: &ActiveRun, tip: &str) -> Result<()> {
    let run = active.run()?;
    if tip == run.branch.phase_head {
        return Ok(());
    }
    let (tip, phase_head) = (CommitId::try_from(tip)?, CommitId::try_from(run.branch.phase_head.as_str())?);
    let completed = run.phases.iter().filter(|phase| phase.status == Status::Completed);
    for path in completed.map(|phase| deliverable_path(run, phase)) {
        if !has_text(&active.space, &tip, &path)? && has_text(&active.space, &phase_head, &path)? {
            return Err(RunError::DocumentLost { path, commit: run.branch.phase_head.clone() });
        }
    }
    Ok(())
}

/// Tells whether a commit or tree holds a file that is not blank.
pub(super) fn has_text(space: &RunWorkspace, of: &impl AsRef<str>, path: &str) -> Result<bool> {
    let text = space.workspace().read_file(of, path)?;
    Ok(text.is_some_and(|text| !checks::is_blank(&text)))
}

/// Returns what a phase, or a person before it, changed in documents that were approved.
pub(super) fn diff_rewritten(active: &ActiveRun, name: &PhaseName, tree: &Tree, most: usize) -> Result<Diff> {
    let rewritten = list_rewritten(active.run()?, &active.folder, name);
    let rewritten: Vec<String> = rewritten.into_iter().map(|(path, _)| path).collect();
    let approved_at = CommitId::try_from(active.run()?.branch.phase_head.as_str())?;
    if rewritten.is_empty() || !active.space.workspace().has_tree(&approved_at.as_tree())? {
        return Ok(Diff::default());
    }
    Ok(active.space.diff_of_paths(&rewritten, &approved_at, tree, most)?)
}

/// Returns the documents of the other completed phases that are not as they were approved, with these phases. Where a log of an
/// earlier version does not say how that was, those that the phase changed.
pub(super) fn list_rewritten<'a>(
    run: &'a Run,
    folder: &RunFolder,
    name: &PhaseName,
) -> Vec<(String, &'a PhaseState)> {
    let is_changed = |path: &str| run.phase(name).is_some_and(|phase| phase.files.changed.contains(path));
    let documents = completed_beside(run, name).map(|other| (deliverable_path(run, other), other));
    let is_rewritten = |path: &str, other: &PhaseState| match &other.files.deliverable {
        None => is_changed(path),
        approved => digest_on_disk(folder, path).is_some_and(|digest| Some(&digest) != approved.as_ref()),
    };
    documents.filter(|(path, other)| is_rewritten(path, other)).collect()
}

/// Warns of approved documents that a person changed before a phase begins.
pub(super) fn warn_of_edits(active: &ActiveRun, name: &PhaseName, edited: &[String]) -> Result<()> {
    if edited.is_empty() {
        return Ok(());
    }
    let is_reviewed = active.phase(name)?.def.policy.review.is_some();
    let who =
        if is_reviewed { "its reviewer is shown the change" } else { "no reviewer is shown the change" };
    let paths = edited.join(", ");
    tracing::warn!(
        "Phase {name}: Changed by hand after its approval, and committed with this phase; {who}: {paths}"
    );
    Ok(())
}

/// Returns the documents of other phases that a person changed, by what was seen of them.
pub(super) fn list_changed_by_person(
    run: &Run,
    seen: &BTreeMap<PhaseName, DocumentSeen>,
) -> BTreeSet<String> {
    let by_person = seen.iter().filter(|(_, seen)| seen.changed_by == Some(DocumentChange::Person));
    by_person.filter_map(|(name, _)| Some(deliverable_path(run, run.phase(name)?))).collect()
}
