//! The records of reviews: the documents that the engine makes of the answers in a phase with triage, and
//! `review-result.json`. Only the engine writes them, from the log. The attributes by which git keeps the files of the run byte
//! for byte belong to them; others below them would count more and are removed. Before each commit, and before and after each call of an
//! agent, every record is compared with the log; one that was touched is written again, what stands under the name of a record
//! that the log does not know is removed, and the user is told. The next commit holds all of them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use crate::active_run::ActiveRun;
use crate::documents::output_path;
use crate::error::Result;
use crate::review::result_file;
use engine::{AnswerDocument, Call, PhaseState, Run};
use git::{CommitId, RunWorkspace, Snapshot};
use journal::store::folders::{CallFolder, GITATTRIBUTES, RunFolder};
use model::phase::{Step, is_answer_document};
use model::redact::{Masked, Masker};
use model::text::sha256_hex;

/// The name of a file of attributes.
const ATTRIBUTES: &str = ".gitattributes";

/// The records of a run by path; nothing where the log has none, or only a text that is lost.
pub(super) struct Records(BTreeMap<String, Option<Masked>>);

/// Where the records of a run are, and what they are written from.
struct RecordSource<'a> {
    run: &'a Run,
    space: &'a RunWorkspace,
    folder: &'a RunFolder,
    masker: &'a Masker,
}

/// Writes every record again that is not what the log says, and returns them all. In a new process that may be one that the
/// process before had no time to write.
pub(super) fn restore(active: &mut ActiveRun) -> Result<Records> {
    let (records, restored) = restore_in(active.run()?, &active.space, &active.folder, &active.masker)?;
    if restored {
        // The snapshot saw what stood there before.
        active.snapshot = None;
    }
    Ok(records)
}

/// Does the same for a run that no process works on, and tells whether anything was written again or removed.
pub(super) fn restore_in(
    run: &Run,
    space: &RunWorkspace,
    folder: &RunFolder,
    masker: &Masker,
) -> Result<(Records, bool)> {
    // A run of an earlier version has none.
    folder.prepare_attributes()?;
    let records = RecordSource { run, space, folder, masker }.read()?;
    let told = "is not what the log says and is written again: nobody writes it but us";
    let restored = records.put_back_in(folder, told)?;
    let removed = remove_planted(run, folder, None)?;
    Ok((records, restored || removed))
}

/// The files of a run: those of the worktree, or those of a commit where the branch is not checked out.
#[derive(Debug, Clone, Copy)]
pub enum RunFilesAt<'a> {
    /// What is on disk.
    Worktree,
    /// What a commit holds.
    Commit(&'a CommitId),
}

impl RunFilesAt<'_> {
    /// Reads a file; a link or a folder is none.
    pub(super) fn read(self, space: &RunWorkspace, path: &str) -> Result<Option<Vec<u8>>> {
        let workspace = space.workspace();
        Ok(match self {
            Self::Worktree => git::regular_file::read(&workspace.root().join(path)).ok(),
            Self::Commit(commit) => workspace.read_file(commit, path)?,
        })
    }

    /// Lists what stands under the name of a record that the log does not know, or of attributes that are not ours.
    fn list_planted(self, run: &Run, space: &RunWorkspace, folder: &RunFolder) -> Result<Vec<String>> {
        let Self::Commit(commit) = self else { return Ok(find_planted(run, folder)) };
        let mut paths = space.workspace().list_plain_files(&commit.as_tree())?;
        paths.retain(|path| is_planted(run, folder, path));
        Ok(paths)
    }
}

/// A file of a run that would be as the log says again, or as it was approved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RestoreStep {
    /// Its path.
    pub path: String,
    /// What would be done, in a sentence.
    pub sentence: String,
}

/// Says for each record what restoring the records would do. Writes nothing.
pub(super) fn plan_restore(
    run: &Run,
    space: &RunWorkspace,
    folder: &RunFolder,
    masker: &Masker,
    files: RunFilesAt<'_>,
) -> Result<Vec<RestoreStep>> {
    let mut steps = Vec::new();
    for (path, text) in (RecordSource { run, space, folder, masker }.read()?).0 {
        let found = files.read(space, &path)?;
        if found.as_deref() != text.as_ref().map(|text| text.as_str().as_bytes()) {
            let sentence = format!("write {path} again, which is not what the log says");
            steps.push(RestoreStep { path, sentence });
        }
    }
    let planted = files.list_planted(run, space, folder)?;
    let remove = |path: String| {
        let sentence = format!("remove {path}, which nobody writes but us");
        RestoreStep { path, sentence }
    };
    steps.extend(planted.into_iter().map(remove));
    Ok(steps)
}

/// Returns the paths of all records, and those of planted ones that the snapshot found on the branch.
pub(super) fn list_paths(run: &Run, folder: &RunFolder, seen: Option<&Snapshot>) -> BTreeSet<String> {
    let documents = run.phases.iter().flat_map(|phase| list_answer_documents(folder, phase));
    let mut paths: BTreeSet<String> = documents.chain([folder.review_result()]).collect();
    let uncommitted = seen.iter().flat_map(|seen| seen.uncommitted.keys());
    paths.extend(uncommitted.filter(|path| is_planted(run, folder, path)).cloned());
    paths
}

/// Tells whether a path has the name of a record that the log does not know, or of attributes that are not ours.
fn is_planted(run: &Run, folder: &RunFolder, path: &str) -> bool {
    let Some((place, name)) = path.rsplit_once('/') else { return false };
    if name == ATTRIBUTES {
        return path.starts_with(&format!("{}/", folder.relative())) && path != folder.attributes();
    }
    let mut phases = run.phases.iter().filter(|phase| phase.def.stores_review_documents());
    let phase = phases.find(|phase| folder.output(&phase.def) == place);
    is_answer_document(name) && phase.is_some_and(|phase| !may_have_document(folder, phase, path))
}

/// Tells whether a document belongs to an answer of the log, or to a round of which the log names no document: an earlier version
/// wrote it, or a call that was cut short.
fn may_have_document(folder: &RunFolder, phase: &PhaseState, path: &str) -> bool {
    let of_round = |n| [folder.review_document(&phase.def, n), folder.reply_document(&phase.def, n)];
    let is_named = |n: &u32| phase.calls.documents.iter().any(|made| made.round == *n);
    let begun = if phase.calls.attempts.is_empty() { 0 } else { phase.round };
    list_answer_documents(folder, phase).contains(path)
        || (1..=begun).filter(|n| !is_named(n)).flat_map(of_round).any(|known| known == path)
}

/// Lists what stands under the name of a record that the log does not know, or of attributes that are not ours.
fn find_planted(run: &Run, folder: &RunFolder) -> Vec<String> {
    let phases = run.phases.iter().filter(|phase| phase.def.stores_review_documents());
    let mut planted = Vec::new();
    list_attributes_below(folder, &folder.relative(), &mut planted);
    for place in phases.map(|phase| folder.output(&phase.def)) {
        let entries = fs::read_dir(folder.at(&place)).into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        planted.extend(names.map(|name| format!("{place}/{name}")));
    }
    planted.retain(|path| is_planted(run, folder, path));
    planted
}

/// Lists the files of attributes below a folder of the run; the calls of agents are left out, because nothing of them is committed.
fn list_attributes_below(folder: &RunFolder, place: &str, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder.at(place)).into_iter().flatten().flatten() {
        let (Ok(kind), Ok(name)) = (entry.file_type(), entry.file_name().into_string()) else { continue };
        let path = format!("{place}/{name}");
        if name == ATTRIBUTES {
            found.push(path);
        } else if kind.is_dir() && !name.starts_with("round-") {
            list_attributes_below(folder, &path, found);
        }
    }
}

fn remove_planted(run: &Run, folder: &RunFolder, except: Option<&str>) -> Result<bool> {
    let mut planted = find_planted(run, folder);
    planted.retain(|path| Some(path.as_str()) != except);
    for path in &planted {
        if path.ends_with(ATTRIBUTES) {
            tracing::warn!("{path} is removed: git keeps the files of a run as they are");
        } else {
            tracing::warn!("{path} belongs to no answer in the log and is removed: nobody writes it but us");
        }
        folder.remove(path)?;
    }
    Ok(!planted.is_empty())
}

/// Tells whether a path is that of a record or has the name of one in the folder of a phase with triage.
pub(super) fn is_record(run: &Run, folder: &RunFolder, path: &str) -> bool {
    let (place, name) = path.rsplit_once('/').unwrap_or_default();
    let has_place =
        |phase: &PhaseState| phase.def.stores_review_documents() && folder.output(&phase.def) == place;
    path == folder.review_result() || (is_answer_document(name) && run.phases.iter().any(has_place))
}

/// Writes the export of the latest verdict after a fact that may have changed it.
pub(super) fn export_result(active: &ActiveRun) -> Result<()> {
    let (path, text) = result_record(active.run()?, &active.folder, &active.masker);
    write(&active.folder, &path, text.as_ref())
}

/// Writes the document that is made of an answer in a phase with triage, and returns its text.
pub(super) fn write_answer_document(
    active: &ActiveRun,
    call: &Call,
    answer: &Masked,
) -> Result<Option<Masked>> {
    let is_stored = active.phase(&call.phase)?.def.stores_review_documents();
    if !is_stored || !matches!(call.step, Step::Review | Step::Triage | Step::Revise) {
        return Ok(None);
    }
    active.folder.restore(&output_path(active, call)?, answer)?;
    Ok(Some(answer.clone()))
}

/// Returns the paths of the documents that were made of the answers of a phase.
pub(super) fn list_answer_documents(folder: &RunFolder, phase: &PhaseState) -> BTreeSet<String> {
    phase.calls.documents.iter().map(|made| document_path(folder, phase, made)).collect()
}

impl Records {
    /// Writes every record again that a call changed, and removes what it planted beside them. `output` is what the call was
    /// told to write.
    pub(super) fn put_back(&self, active: &ActiveRun, output: &str) -> Result<()> {
        self.put_back_in(&active.folder, "was changed and is put back: nobody writes it but us")?;
        remove_planted(active.run()?, &active.folder, Some(output)).map(drop)
    }

    fn put_back_in(&self, folder: &RunFolder, told: &str) -> Result<bool> {
        let mut restored = false;
        for (path, text) in &self.0 {
            if !is_as_written(folder, path, text.as_ref()) {
                tracing::warn!("{path} {told}");
                write(folder, path, text.as_ref())?;
                restored = true;
            }
        }
        Ok(restored)
    }
}

fn is_as_written(folder: &RunFolder, path: &str, text: Option<&Masked>) -> bool {
    text.map_or_else(|| fs::symlink_metadata(folder.at(path)).is_err(), |text| folder.holds(path, text))
}

/// Without a text no other one may stand under the name of the record.
fn write(folder: &RunFolder, path: &str, text: Option<&Masked>) -> Result<()> {
    Ok(text.map_or_else(|| folder.remove(path), |text| folder.restore(path, text))?)
}

fn result_record(run: &Run, folder: &RunFolder, masker: &Masker) -> (String, Option<Masked>) {
    let text = result_file(run).map(|value| masker.mask(&format!("{value:#}\n")));
    (folder.review_result(), text)
}

fn document_path(folder: &RunFolder, phase: &PhaseState, made: &AnswerDocument) -> String {
    match made.step {
        Step::Review => folder.review_document(&phase.def, made.round),
        _ => folder.reply_document(&phase.def, made.round),
    }
}

impl RecordSource<'_> {
    fn read(&self) -> Result<Records> {
        let attributes = (self.folder.attributes(), Some(self.masker.mask(GITATTRIBUTES)));
        let mut records = BTreeMap::from([result_record(self.run, self.folder, self.masker), attributes]);
        for phase in &self.run.phases {
            for made in &phase.calls.documents {
                let path = document_path(self.folder, phase, made);
                let text = self.document_text(phase, made, &path)?;
                records.insert(path, text.map(|text| self.masker.mask(&text)));
            }
        }
        Ok(Records(records))
    }

    /// Returns the text of a document from the log. A log of an earlier version has only its digest: then from the file, the
    /// answer that was kept, or the commit.
    fn document_text(&self, phase: &PhaseState, made: &AnswerDocument, path: &str) -> Result<Option<String>> {
        if let Some(text) = &made.text {
            return Ok(Some(text.clone()));
        }
        let as_written = |text: &String| sha256_hex(&[text.as_bytes()]) == made.digest;
        if let Some(text) = git::regular_file::read_text(&self.folder.at(path)).ok().filter(as_written) {
            return Ok(Some(text));
        }
        let AnswerDocument { step, round, attempt, .. } = *made;
        let kept = self.folder.read_answer(CallFolder { phase: &phase.def, step, round, attempt });
        Ok(kept.filter(as_written).or(self.committed_text(phase, path)?.filter(as_written)))
    }

    fn committed_text(&self, phase: &PhaseState, path: &str) -> Result<Option<String>> {
        let Some(commit) = phase.files.commit.as_ref().or(phase.files.first_commit.as_ref()) else {
            return Ok(None);
        };
        let text = self.space.workspace().read_file(&CommitId::try_from(commit.as_str())?, path)?;
        Ok(text.and_then(|text| String::from_utf8(text).ok()))
    }
}
