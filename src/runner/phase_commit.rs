//! One commit per passed phase: the paths that the phase changed and the log up to the fact that announced it.
//! A commit whose fact was lost in a crash is found by its trailers and completed.

use std::collections::BTreeMap;

use crate::active_run::ActiveRun;
use crate::error::{Result, RunError};
use crate::prompt::DiffCache;
use crate::publisher::{JobRole, Publisher};
use crate::records::{RestoreStep, RunFilesAt};
use crate::{documents, manual_changes, records};
use engine::{PhaseState, Run, Status, StepPosition, change_since_approval};
use git::{CommitId, NO_PHASE, RunWorkspace, Snapshot, Trailers, Tree, Workspace};
use journal::Journal;
use journal::store::folders::RunFolder;
use model::event::{Fact, RunOutcome};
use model::phase::PhaseName;
use model::redact::Masker;
use model::text::sha256_hex;
use settings::PushWhen;
use views::summary::{deliverable_path, format_title};

/// Records the commit of a phase whose fact is missing: a crash came between the two, or another machine has only the branch,
/// where the log ends with the announcement.
pub fn settle_commit(journal: &mut Journal, space: &RunWorkspace) -> Result<()> {
    let closing = |phase: &&PhaseState| phase.position == StepPosition::Closing;
    let run = journal.state().run.as_ref();
    let Some(phase) = run.and_then(|run| run.phases.iter().find(closing)) else { return Ok(()) };
    let phase = phase.name().clone();
    let Some(commit) = find_announced(journal, space, &phase)? else { return Ok(()) };
    let Some(run) = &journal.state().run else { return Ok(()) };
    let documents = find_documents(run, space.workspace(), &phase, &commit)?;
    Ok(journal.record(Fact::Committed { phase, commit: commit.to_string(), documents })?)
}

/// Returns the digests of the documents that a commit holds, as git has it.
fn find_documents(
    run: &Run,
    workspace: &Workspace,
    name: &PhaseName,
    commit: &CommitId,
) -> Result<BTreeMap<PhaseName, String>> {
    documents::digest_all(run, name, |path| {
        let text = workspace.read_file(commit, path)?.filter(|text| !checks::is_blank(text));
        Ok(text.map(|text| sha256_hex(&[&text])))
    })
}

/// Returns the commit that the latest ruling on a phase announced. A later process may have recorded other facts since the
/// announcement.
fn find_announced(journal: &Journal, space: &RunWorkspace, name: &PhaseName) -> Result<Option<CommitId>> {
    let Some(run) = &journal.state().run else { return Ok(None) };
    for (seq, chain) in journal.chains_since_ruling(name)? {
        let found = space.run_branch().find_commit(&run.started.run_id, seq)?;
        if let Some((commit, _)) = found.filter(|(_, trailers)| trailers.chain == chain) {
            return Ok(Some(commit));
        }
    }
    Ok(None)
}

/// Returns the message of the commit of a phase.
pub fn phase_message(run: &Run, trailers: &Trailers) -> String {
    let (phase, issue) = (&trailers.phase, &run.started.issue);
    format!("[ai-workflow] {phase}: #{} {}\n\n{trailers}", issue.number, format_title(&issue.title))
}

/// Returns the message of a record of how a run halted.
pub fn record_message(run: &Run, outcome: RunOutcome, trailers: &Trailers) -> String {
    format!("[ai-workflow] run: #{} {}\n\n{trailers}", run.started.issue.number, outcome.as_str())
}

/// Commits the end of the log of a run that no process works on, so that the worktree holds no changes of the engine.
pub fn record_end(
    journal: &Journal,
    space: &RunWorkspace,
    folder: &RunFolder,
    masker: &Masker,
) -> Result<()> {
    commit_own(journal, space, folder, masker, Vec::new())
}

/// Commits what the branch of a completed run has lost since its end: records of reviews that are not what the log says, and
/// approved documents that are not there. A document that a person changed stays as it is.
pub fn restore_lost(
    journal: &Journal,
    space: &RunWorkspace,
    folder: &RunFolder,
    masker: &Masker,
) -> Result<()> {
    let lost = put_back_lost(find_run(journal)?, space, folder)?;
    commit_own(journal, space, folder, masker, lost)
}

/// Says for each file what `restore_lost` would do. Writes nothing.
///
/// # Errors
///
/// Fails where a document cannot be brought back, as `restore_lost` does.
pub fn plan_restore_lost(
    run: &Run,
    space: &RunWorkspace,
    folder: &RunFolder,
    masker: &Masker,
    files: RunFilesAt<'_>,
) -> Result<Vec<RestoreStep>> {
    let is_lost = |path: &str| Ok(files.read(space, path)?.is_none_or(|text| checks::is_blank(&text)));
    let lost = list_lost(run, space, is_lost)?;
    let put_back = |path: String| {
        let sentence = format!("put {path} back, which is approved and missing on the branch");
        RestoreStep { path, sentence }
    };
    let mut steps: Vec<RestoreStep> = lost.into_iter().map(put_back).collect();
    steps.extend(records::plan_restore(run, space, folder, masker, files)?);
    Ok(steps)
}

fn commit_own(
    journal: &Journal,
    space: &RunWorkspace,
    folder: &RunFolder,
    masker: &Masker,
    documents: Vec<String>,
) -> Result<()> {
    let run = find_run(journal)?;
    records::restore_in(run, space, folder, masker)?;
    let snapshot = space.snapshots().take(None)?;
    let paths = [list_own_paths(run, folder, &snapshot), documents].concat();
    if !paths.is_empty() {
        let message = masker.mask(&record_message(run, run.outcome, &build_trailers(journal, run, NO_PHASE)));
        space.commit(&paths, &message, &snapshot, &snapshot.head.commit)?;
    }
    Ok(())
}

fn find_run(journal: &Journal) -> Result<&Run> {
    journal.state().run.as_ref().ok_or_else(|| RunError::Bug("the run has not begun".into()))
}

/// Returns the paths of the documents of the completed phases, without those that a person accepted as missing.
fn list_deliverables(run: &Run) -> Vec<String> {
    let has_deliverable =
        |phase: &&PhaseState| phase.status == Status::Completed && phase.files.deliverable.is_some();
    run.phases.iter().filter(has_deliverable).map(|phase| deliverable_path(run, phase)).collect()
}

/// Puts back the approved documents that the worktree has no more, as the last phase committed them, and returns their paths.
fn put_back_lost(run: &Run, space: &RunWorkspace, folder: &RunFolder) -> Result<Vec<String>> {
    let approved = CommitId::try_from(run.branch.phase_head.as_str())?;
    let lost = list_lost(run, space, |path| Ok(checks::content_lack(folder.root(), path).is_some()))?;
    for path in &lost {
        tracing::warn!("{path} is approved and is missing on the branch; it is put back");
    }
    space.snapshots().restore_paths(&approved.as_tree(), &lost)?;
    Ok(lost)
}

/// Returns the approved documents that are lost; the commit of the last phase has each of them.
fn list_lost(run: &Run, space: &RunWorkspace, is_lost: impl Fn(&str) -> Result<bool>) -> Result<Vec<String>> {
    let approved = CommitId::try_from(run.branch.phase_head.as_str())?;
    let mut lost = Vec::new();
    for path in list_deliverables(run) {
        if !is_lost(&path)? {
            continue;
        }
        if !documents::has_text(space, &approved, &path)? {
            return Err(RunError::DocumentLost { path, commit: approved.to_string() });
        }
        lost.push(path);
    }
    Ok(lost)
}

/// Returns the log, the view and the records of reviews; nothing where the branch has them all as they are. A new record
/// may replace an earlier one, so those that did not change since are among them.
fn list_own_paths(run: &Run, folder: &RunFolder, snapshot: &Snapshot) -> Vec<String> {
    let mut paths = records::list_paths(run, folder, Some(snapshot));
    paths.extend(folder.own_files());
    let is_uncommitted = |path: &String| snapshot.uncommitted.contains_key(path);
    if paths.iter().any(is_uncommitted) { paths.into_iter().collect() } else { Vec::new() }
}

fn build_trailers(journal: &Journal, run: &Run, phase: &str) -> Trailers {
    Trailers {
        run: run.started.run_id.clone(),
        phase: phase.to_owned(),
        seq: journal.state().seq,
        chain: journal.chain().to_owned(),
    }
}

/// Commits a phase that was ruled to advance, if its files are still what was approved.
pub(super) fn commit(active: &mut ActiveRun, diffs: &mut DiffCache, name: &PhaseName) -> Result<()> {
    // Only a process without a snapshot of its own has to search for a commit whose fact is missing.
    let was_seen = active.snapshot.is_some();
    let lost = if was_seen { None } else { find_announced(&active.journal, &active.space, name)? };
    let made = if lost.is_some() { lost } else { commit_approved(active, name)? };
    let Some(commit) = made else { return Ok(()) };
    let documents = list_documents(active, name, &commit)?;
    active.record(Fact::Committed { phase: name.clone(), commit: commit.to_string(), documents })?;
    if let Some(seen) = &mut active.snapshot {
        seen.head.commit = commit.clone();
    }
    diffs.keep_for_commit(&active.phase(name)?.files.tree, &commit);
    Ok(())
}

/// Returns the digests of the documents that a commit holds. The snapshot says it without another look at git.
fn list_documents(
    active: &ActiveRun,
    name: &PhaseName,
    commit: &CommitId,
) -> Result<BTreeMap<PhaseName, String>> {
    let run = active.run()?;
    let Some(seen) = &active.snapshot else {
        return find_documents(run, active.space.workspace(), name, commit);
    };
    let committed = list_paths_to_commit(active, name)?;
    let is_held = |path: &str| {
        !seen.uncommitted.contains_key(path) || committed.iter().any(|committed| committed == path)
    };
    documents::digest_all(run, name, |path| {
        Ok(if is_held(path) { documents::digest_on_disk(&active.folder, path) } else { None })
    })
}

/// Makes the commit of a phase. If its approval is not valid any more, records that and makes no commit.
fn commit_approved(active: &mut ActiveRun, name: &PhaseName) -> Result<Option<CommitId>> {
    if let Some(reason) = change_since_approval(active.run()?, active.phase(name)?) {
        active.record(Fact::ApprovalVoided { phase: name.clone(), reason: reason.into() })?;
        return Ok(None);
    }
    records::restore(active)?;
    documents::put_back_missing(active, name)?;
    let approved = Tree::try_from(active.phase(name)?.files.tree.as_str())?;
    if active.ensure_snapshot(Some(&approved))?.tree != approved {
        let seen = active.snapshot.take();
        let reason = "the files changed after they were approved".to_owned();
        active.record(Fact::ApprovalVoided { phase: name.clone(), reason })?;
        manual_changes::record_voiding(active, name, seen)?;
        return Ok(None);
    }
    let paths = list_paths_to_commit(active, name)?;
    let run = active.run()?;
    let trailers = build_trailers(&active.journal, run, name.as_str());
    let message = active.masker.mask(&phase_message(run, &trailers));
    let expected = CommitId::try_from(run.branch.head.as_str())?;
    let seen = active.ensure_snapshot(Some(&approved))?.clone();
    let space = &active.space;
    let committed = match space.commit(&paths, &message, &seen, &expected) {
        // `git gc` removed the tree meanwhile; the files on disk are still what was approved.
        Err(_)
            if !space.workspace().has_tree(&approved)?
                && space.snapshots().write_tree_if_unchanged(&approved)? =>
        {
            space.commit(&paths, &message, &seen, &expected)
        }
        committed => committed,
    };
    Ok(Some(committed?))
}

/// Returns what the authors of the phase changed, its documents, all records of reviews and the engine's own files; never
/// strays.
fn list_paths_to_commit(active: &ActiveRun, name: &PhaseName) -> Result<Vec<String>> {
    let (run, phase) = (active.run()?, active.phase(name)?);
    let mut paths: Vec<String> = phase.files.changed.iter().cloned().collect();
    paths.extend(active.folder.own_files());
    paths.extend(records::list_paths(run, &active.folder, active.snapshot.as_ref()));
    if !phase.def.stores_review_documents() {
        paths.push(active.folder.deliverable(&phase.def));
    } else if phase.calls.documents.is_empty() {
        // The run was begun by an earlier version.
        let documents =
            |n| [active.folder.review_document(&phase.def, n), active.folder.reply_document(&phase.def, n)];
        paths.extend((1..=phase.round).flat_map(documents));
    }
    // A person may have taken approved documents off the branch and put them back into the worktree.
    let approved = documents::completed_beside(run, name).map(|other| deliverable_path(run, other));
    let uncommitted = active.snapshot.as_ref().map(|seen| &seen.uncommitted);
    paths.extend(approved.filter(|path| uncommitted.is_some_and(|seen| seen.contains_key(path))));
    paths.sort();
    paths.dedup();
    Ok(paths)
}

/// Commits the end of the log at each halt, so that the worktree holds no changes of the engine, and another machine that
/// fetches the branch knows the state of the run.
pub(super) fn commit_log(active: &mut ActiveRun, publisher: &Publisher, outcome: RunOutcome) -> Result<()> {
    let run = active.run()?.clone();
    records::restore(active)?;
    let message =
        active.masker.mask(&record_message(&run, outcome, &build_trailers(&active.journal, &run, NO_PHASE)));
    let mut trees = run.phases.iter().rev().map(|phase| phase.files.tree.as_str());
    let tree = trees.find(|tree| !tree.is_empty()).map(Tree::try_from).transpose()?;
    // A phase that another machine completed has only its commit in this repository.
    let tree = tree.filter(|tree| active.space.snapshots().has_index_of(tree));
    let snapshot = active.ensure_snapshot(tree.as_ref())?.clone();
    let paths = list_own_paths(&run, &active.folder, &snapshot);
    if !paths.is_empty() {
        let expected = find_parent_of_record(active, publisher, &run, outcome, &snapshot.head.commit)?;
        active.space.commit(&paths, &message, &snapshot, &expected)?;
    }
    Ok(())
}

/// Returns the parent of a new record. Earlier records, which no fact names, stay if they may have been pushed; otherwise the
/// new one replaces them. Validated commits, and commits of people on top of a completed run, always stay.
fn find_parent_of_record(
    active: &ActiveRun,
    publisher: &Publisher,
    run: &Run,
    outcome: RunOutcome,
    tip: &CommitId,
) -> Result<CommitId> {
    if publisher.role == JobRole::Publish {
        return Ok(tip.clone());
    }
    let known = CommitId::try_from(run.branch.head.as_str())?;
    let is_over = outcome == RunOutcome::Completed && *tip != known;
    if is_over && active.space.run_branch().find_tip_beyond(&run.started.run_id, &known)?.is_some() {
        return Ok(tip.clone());
    }
    let only_records = (publisher.push != PushWhen::Never || publisher.role == JobRole::Work)
        && *tip != known
        && active.space.run_branch().find_below_records(&run.started.run_id)?.as_ref() == Some(&known);
    Ok(if only_records { tip.clone() } else { known })
}
