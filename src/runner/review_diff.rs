//! What of the code a reviewer is shown, and whether somebody who cannot open files would see all of it. An approval covers
//! what its reviewer could see: everything that the branch would publish, whoever made it and in whichever phase.

use std::fs;

use crate::active_run::ActiveRun;
use crate::error::Result;
use crate::prompt::PreparedCall;
use crate::{documents, prompt};
use agents::Answer;
use engine::Call;
use git::{CommitId, Diff, Tree};
use model::event::ExecOutcome;
use model::phase::Step;
use views::prompt::{Document, LONGEST_DOCUMENT, LONGEST_REVIEW, first_cut};

/// How much of a diff a reviewer is shown, in bytes; the files themselves are on disk.
const LONGEST: usize = 60_000;

/// A difference that was computed, and what it is about.
#[derive(Debug, Clone)]
struct ReviewDiff {
    /// The files that it is about.
    tree: Tree,
    /// The commit whose code is the same, where there is one.
    head: Option<CommitId>,
    diff: Diff,
}

/// Keeps the difference that was computed last, so that phases which write documents alone cost no process of git.
#[derive(Debug, Default)]
pub(super) struct DiffCache {
    last: Option<ReviewDiff>,
}

impl DiffCache {
    /// Returns what the branch as it would be committed differs in from its base, for a reviewer. Documents of the run are
    /// read on disk; what the phase rewrote of those that were approved comes first.
    pub(super) fn for_review(&mut self, active: &mut ActiveRun, call: &Call, tree: &Tree) -> Result<Diff> {
        if call.step != Step::Review {
            return Ok(Diff::default());
        }
        let base = CommitId::try_from(active.run()?.started.base_commit.as_str())?;
        let changed = active.phase(&call.phase)?.files.changed.clone();
        let seen = active.look(Some(tree))?.clone();
        // When the files are others by now, the review will be void anyway.
        if seen.tree != *tree {
            return Ok(active.space.diffs().code(&base, tree, LONGEST)?);
        }
        let would_commit = |path: &&String| changed.contains(*path) && !active.space.files().contains(path);
        let head = seen.uncommitted.keys().all(|path| !would_commit(&path)).then(|| seen.head.commit.clone());
        let known = self.last.as_ref().filter(|known| head.is_some() && known.head == head);
        let diff = match known {
            Some(known) => known.diff.clone(),
            None if head.as_ref() == Some(&base) => Diff::default(),
            None => {
                let published = active.space.snapshots().published_tree(&seen, &changed)?;
                active.space.diffs().code(&base, &published, LONGEST)?
            }
        };
        self.last = Some(ReviewDiff { tree: tree.clone(), head, diff: diff.clone() });
        Ok(after(documents::rewritten(active, &call.phase, tree, LONGEST)?, diff))
    }

    /// Keeps what is known when the files of a phase were committed: its commit holds what its reviewers were shown.
    pub(super) fn committed_as(&mut self, tree: &str, commit: &CommitId) {
        let known = self.last.take().filter(|known| known.tree.as_str() == tree);
        self.last = known.map(|known| ReviewDiff { head: Some(commit.clone()), ..known });
    }
}

/// Returns the end of a call that is not made: its agent would judge what it cannot see.
pub(super) fn unseen(active: &ActiveRun, prepared: &PreparedCall<'_>) -> Result<Option<Answer>> {
    let call = prepared.call;
    if call.step != Step::Review || !prepared.programs.inlines(&call.agent) {
        return Ok(None);
    }
    let Some(what) = what_is_cut(active, prepared)? else { return Ok(None) };
    let reason = format!("it was not asked: it cannot open files, and {what}");
    Ok(Some(Answer { outcome: ExecOutcome::ContextTooLong, reason: Some(reason), ..Answer::default() }))
}

/// Says what of all that a reviewer judges would not be in its prompt.
fn what_is_cut(active: &ActiveRun, prepared: &PreparedCall<'_>) -> Result<Option<String>> {
    let PreparedCall { programs, call, tree, diff, output, .. } = prepared;
    let longer = |what: &str| Ok(Some(format!("{what} is longer than a prompt shows")));
    if diff.truncated {
        return longer("the difference");
    }
    if let Some(file) = diff.not_shown.first() {
        return Ok(Some(format!("the difference shows nothing of {file}")));
    }
    let phase = active.phase(&call.phase)?;
    if prompt::since_review(active, phase, call, tree).is_some_and(|since| since.truncated) {
        return longer("what changed since its last review");
    }
    if prompt::previous_review(active, phase, call).len() > LONGEST_REVIEW {
        return longer("the answer to the review before");
    }
    let deliverable = fs::metadata(active.folder.at(output));
    if deliverable.is_ok_and(|found| found.len() > LONGEST_DOCUMENT as u64) {
        return longer("the deliverable");
    }
    let documents = prompt::documents_on_disk(active, active.run()?, phase);
    let paths: Vec<&str> = documents.iter().map(|document| document.path.as_str()).collect();
    let inlined = programs.inlined(&active.folder, &call.agent, &paths);
    let is_missing = |document: &&Document| inlined.iter().all(|read| read.path != document.path);
    if let Some(missing) = documents.iter().find(is_missing) {
        return Ok(Some(format!("{} cannot be read", missing.path)));
    }
    match first_cut(&inlined) {
        Some(cut) => longer(&cut.path),
        None => Ok(None),
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
