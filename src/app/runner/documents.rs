//! The documents of a run stay what was approved, and those that we make of answers stay what we wrote. Says which documents
//! were approved, what of them a phase rewrote, and puts back what an agent changed of ours.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use super::{PhaseRunner, RunError, digest};
use engine::{Call, MadeDocument, PhaseState, Status};
use git::{CommitId, Diff, Tree};
use journal::store::folders;
use model::phase::{PhaseName, Step};
use model::redact::Masked;
use views::summary::deliverable_path;

impl PhaseRunner {
    /// Returns the deliverables of the phases that are completed beside this one. One that a person accepted to be without is
    /// none of them.
    pub(super) fn approved_documents(&self, name: &PhaseName) -> Result<Vec<String>, RunError> {
        let run = self.run_state()?;
        let is_approved = |phase: &&PhaseState| {
            phase.status == Status::Completed && phase.name() != name && !phase.def.policy.triage
        };
        let mut approved = Vec::new();
        for path in run.phases.iter().filter(is_approved).map(|phase| deliverable_path(run, phase)) {
            let is_there = checks::content_lack(self.folder.root(), &path).is_none();
            if is_there || self.holds(&run.branch.phase_head, &path)? {
                approved.push(path);
            }
        }
        Ok(approved)
    }

    /// Refuses to publish a branch that lost a document of a completed phase since the last phase was committed.
    pub(super) fn refuse_lost_documents(&self) -> Result<(), RunError> {
        let run = self.run_state()?;
        if run.branch.head == run.branch.phase_head {
            return Ok(());
        }
        let completed = run.phases.iter().filter(|phase| phase.status == Status::Completed);
        for path in completed.map(|phase| deliverable_path(run, phase)) {
            if !self.holds(&run.branch.head, &path)? && self.holds(&run.branch.phase_head, &path)? {
                return Err(RunError::DocumentLost { path, commit: run.branch.phase_head.clone() });
            }
        }
        Ok(())
    }

    /// Tells whether a commit holds a file that says something.
    fn holds(&self, commit: &str, path: &str) -> Result<bool, RunError> {
        let text = self.space.workspace().objects().read(&CommitId::try_from(commit)?, path)?;
        Ok(text.is_some_and(|text| !checks::is_blank(&text)))
    }

    /// Returns what a phase rewrote of documents that were approved before it.
    pub(super) fn rewritten(&self, name: &PhaseName, tree: &Tree, longest: usize) -> Result<Diff, RunError> {
        let (run, changed) = (self.run_state()?, &self.phase(name)?.files.changed);
        let approved = self.approved_documents(name)?;
        let rewritten: Vec<String> = approved.into_iter().filter(|path| changed.contains(path)).collect();
        let approved_at = CommitId::try_from(run.branch.phase_head.as_str())?;
        if rewritten.is_empty() || !self.space.workspace().objects().has_tree(&approved_at.as_tree())? {
            return Ok(Diff::default());
        }
        Ok(self.space.diffs().paths(&rewritten, &approved_at, tree, longest)?)
    }

    /// Writes the document that is made of an answer in a phase with triage, and returns what identifies it.
    pub(super) fn make_document(&self, call: &Call, answer: &Masked) -> Result<Option<String>, RunError> {
        let triage = self.phase(&call.phase)?.def.policy.triage;
        if !triage || !matches!(call.step, Step::Review | Step::Triage | Step::Revise) {
            return Ok(None);
        }
        self.folder.write(&self.output_path(call)?, answer)?;
        Ok(Some(digest(answer.as_str())))
    }

    /// Returns the documents that we made of answers, by path, after what differs on disk is put back. One that cannot be had
    /// any more is taken away: nothing but what we wrote bears its name.
    pub(super) fn made_documents(&self) -> Result<BTreeMap<String, Masked>, RunError> {
        let mut known = BTreeMap::new();
        for phase in &self.run_state()?.phases {
            for made in &phase.calls.documents {
                let path = self.made_path(phase, made);
                let Some(text) = self.made_text(phase, made, &path)? else { continue };
                known.insert(path, text);
            }
        }
        Ok(known)
    }

    fn made_path(&self, phase: &PhaseState, made: &MadeDocument) -> String {
        match made.step {
            Step::Review => self.folder.review_document(&phase.def, made.round),
            _ => self.folder.reply_document(&phase.def, made.round),
        }
    }

    fn made_text(
        &self,
        phase: &PhaseState,
        made: &MadeDocument,
        path: &str,
    ) -> Result<Option<Masked>, RunError> {
        let as_written = |text: &String| digest(text) == made.digest;
        let file = self.folder.at(path);
        if let Some(text) = fs::read_to_string(&file).ok().filter(as_written) {
            return Ok(Some(self.masker.mask(&text)));
        }
        let MadeDocument { step, round, attempt, .. } = *made;
        let kept = self.folder.read_answer(folders::Call { phase: &phase.def, step, round, attempt });
        let Some(text) = kept.filter(as_written).or(self.committed_text(phase, path)?.filter(as_written))
        else {
            self.folder.remove(path)?;
            return Ok(None);
        };
        let text = self.masker.mask(&text);
        self.put_document_back(path, &text)?;
        Ok(Some(text))
    }

    fn committed_text(&self, phase: &PhaseState, path: &str) -> Result<Option<String>, RunError> {
        let Some(commit) = phase.files.commit.as_ref().or(phase.files.first_commit.as_ref()) else {
            return Ok(None);
        };
        let text = self.space.workspace().objects().read(&CommitId::try_from(commit.as_str())?, path)?;
        Ok(text.and_then(|text| String::from_utf8(text).ok()))
    }

    /// Puts documents of ours back that a call changed.
    pub(super) fn put_documents_back(&self, known: &BTreeMap<String, Masked>) -> Result<(), RunError> {
        for (path, text) in known {
            let found = fs::read(self.folder.at(path));
            if found.is_ok_and(|found| found == text.as_str().as_bytes()) {
                continue;
            }
            self.put_document_back(path, text)?;
        }
        Ok(())
    }

    fn put_document_back(&self, path: &str, text: &Masked) -> Result<(), RunError> {
        tracing::warn!("{path} was changed and is put back: nobody writes it but us");
        Ok(self.folder.write(path, text)?)
    }

    /// Returns the paths of the documents that were made of the answers of a phase.
    pub(super) fn made_paths(&self, phase: &PhaseState) -> BTreeSet<String> {
        phase.calls.documents.iter().map(|made| self.made_path(phase, made)).collect()
    }
}
