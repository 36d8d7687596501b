//! What of the code a reviewer is shown, and whether somebody who cannot open files would see all of it. An approval covers
//! what its reviewer could see: everything that the branch would publish, whoever made it and in whichever phase.

use std::fs;

use super::{PhaseRunner, RunError};
use agents::Answer;
use engine::{Call, PhaseState};
use git::{CommitId, Diff, Tree};
use model::event::ExecOutcome;
use model::phase::{PhaseName, Step};
use views::prompt::{Document, LONGEST_DOCUMENT, LONGEST_REVIEW, first_cut};

/// How much of a diff a reviewer is shown, in bytes; the files themselves are on disk.
const LONGEST: usize = 60_000;

/// The difference that was computed last, so that phases which write documents alone cost no process of git.
#[derive(Debug, Clone)]
pub struct Shown {
    /// The files that it is about.
    tree: Tree,
    /// The commit whose code is the same, where there is one.
    head: Option<CommitId>,
    diff: Diff,
}

impl PhaseRunner {
    /// Returns what the branch as it would be committed differs in from its base, for a reviewer. Documents of the run are
    /// read on disk; what the phase rewrote of those that were approved comes first.
    pub(super) fn shown(&mut self, call: &Call, tree: &Tree) -> Result<Diff, RunError> {
        if call.step != Step::Review {
            return Ok(Diff::default());
        }
        let base = CommitId::try_from(self.run_state()?.started.base_commit.as_str())?;
        let changed = self.phase(&call.phase)?.files.changed.clone();
        let seen = self.look(Some(tree))?.clone();
        // When the files are others by now, the review will be void anyway.
        if seen.tree != *tree {
            return Ok(self.space.diffs().code(&base, tree, LONGEST)?);
        }
        let would_commit = |path: &&String| changed.contains(*path) && !self.space.files().contains(path);
        let head = seen.uncommitted.keys().all(|path| !would_commit(&path)).then(|| seen.head.commit.clone());
        let known = self.shown.as_ref().filter(|known| head.is_some() && known.head == head);
        let diff = match known {
            Some(known) => known.diff.clone(),
            None if head.as_ref() == Some(&base) => Diff::default(),
            None => {
                let published = self.space.snapshots().published_tree(&seen, &changed)?;
                self.space.diffs().code(&base, &published, LONGEST)?
            }
        };
        self.shown = Some(Shown { tree: tree.clone(), head, diff: diff.clone() });
        Ok(after(self.rewritten(&call.phase, tree, LONGEST)?, diff))
    }

    /// Keeps what is known when a phase was committed: its commit holds what its reviewers were shown.
    pub(super) fn shown_as(&mut self, name: &PhaseName, commit: &CommitId) -> Result<(), RunError> {
        let same = |known: &Shown, phase: &PhaseState| phase.files.tree == known.tree.as_str();
        let (known, phase) = (self.shown.take(), self.phase(name)?);
        let known = known.filter(|known| same(known, phase));
        self.shown = known.map(|known| Shown { head: Some(commit.clone()), ..known });
        Ok(())
    }

    /// Returns the end of a call that is not made: its agent would judge what it cannot see.
    pub(super) fn unseen(&self, call: &Call, tree: &Tree, shown: &Diff) -> Result<Option<Answer>, RunError> {
        if call.step != Step::Review || !self.inlines(&call.agent) {
            return Ok(None);
        }
        let Some(what) = self.what_is_cut(call, tree, shown)? else { return Ok(None) };
        let reason = format!("it was not asked: it cannot open files, and {what}");
        Ok(Some(Answer { outcome: ExecOutcome::ContextTooLong, reason: Some(reason), ..Answer::default() }))
    }

    /// Says what of all that a reviewer judges would not be in its prompt.
    fn what_is_cut(&self, call: &Call, tree: &Tree, shown: &Diff) -> Result<Option<String>, RunError> {
        let longer = |what: &str| Ok(Some(format!("{what} is longer than a prompt shows")));
        if shown.truncated {
            return longer("the difference");
        }
        if let Some(file) = shown.not_shown.first() {
            return Ok(Some(format!("the difference shows nothing of {file}")));
        }
        let phase = self.phase(&call.phase)?;
        if self.since_review(phase, call, tree).is_some_and(|since| since.truncated) {
            return longer("what changed since its last review");
        }
        if self.previous_review(phase, call).len() > LONGEST_REVIEW {
            return longer("the answer to the review before");
        }
        if self.is_long(&self.output_path(call)?) {
            return longer("the deliverable");
        }
        let documents = self.documents(self.run_state()?, phase);
        let inlined = self.inlined(&call.agent, documents.iter().map(|document| document.path.as_str()));
        let is_missing = |document: &&Document| inlined.iter().all(|read| read.path != document.path);
        if let Some(missing) = documents.iter().find(is_missing) {
            return Ok(Some(format!("{} cannot be read", missing.path)));
        }
        match first_cut(&inlined) {
            Some(cut) => longer(&cut.path),
            None => Ok(None),
        }
    }

    fn is_long(&self, document: &str) -> bool {
        let found = fs::metadata(self.folder.at(document));
        found.is_ok_and(|found| found.len() > LONGEST_DOCUMENT as u64)
    }
}

/// Puts one difference before another.
fn after(first: Diff, then: Diff) -> Diff {
    Diff {
        text: first.text + &then.text,
        truncated: first.truncated || then.truncated,
        not_shown: first.not_shown.into_iter().chain(then.not_shown).collect(),
    }
}
