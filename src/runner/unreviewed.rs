//! Which files of a branch were not reviewed in their present form: those that differ from the commit whose whole content a
//! reviewer was shown, unless an accepted phase made the change. Does not decide whether they are published.

use std::collections::BTreeSet;

use crate::active_run::ActiveRun;
use crate::error::Result;
use crate::records;
use engine::{PhaseState, Run, UnreviewedPhase, may_change};
use git::{CommitId, RunWorkspace};
use journal::store::folders::RunFolder;
use model::event::RunOutcome;
use views::summary::{Documents, UnreviewedFiles};

type UnreviewedPaths = BTreeSet<String>;

/// Returns the files that no reviewer saw as a commit of the branch holds them. Files in the run's own folder count where
/// that folder is kept, except those that the engine or the authors of its documents wrote, and what stands where the engine
/// writes its records: that is restored.
pub fn unreviewed(
    space: &RunWorkspace,
    folder: &RunFolder,
    run: &Run,
    tip: &CommitId,
    documents: Documents,
) -> Result<UnreviewedFiles> {
    let counts = |path: &String| match documents {
        Documents::Gone => !space.files().contains(path),
        Documents::Kept => !folder.own_files().contains(path) && !records::is_record(run, folder, path),
    };
    let mut after_the_end = UnreviewedPaths::new();
    if run.outcome == RunOutcome::Completed {
        after_the_end =
            changed_between(space, existing_or_base(space, run, &run.branch.phase_head)?, tip.as_str())?;
        after_the_end.retain(counts);
    }
    let mut unseen = find_changed_since_review(space, run, tip)?;
    if !(after_the_end.is_empty() && unseen.is_empty()) {
        let not_ours = find_base_branch_changes(space, run, tip)?;
        after_the_end.retain(|path| !not_ours.contains(path));
        unseen.retain(|path| !not_ours.contains(path));
    }
    unseen.retain(|path| counts(path) && !after_the_end.contains(path));
    if !unseen.is_empty() {
        let delivered = list_delivered(space, folder, run, tip)?;
        unseen.retain(|path| !delivered.iter().any(|documents| documents.contains(path)));
    }
    Ok(UnreviewedFiles {
        after_the_end: after_the_end.into_iter().collect(),
        unseen: unseen.into_iter().collect(),
    })
}

/// Returns the unreviewed files of the branch as it is published while the run goes on. Starts no git process when the
/// latest phase was reviewed.
pub(super) fn find_on_branch(active: &ActiveRun) -> Result<UnreviewedFiles> {
    let run = active.run()?;
    if run.branch.content_head == run.branch.coverage.reviewed {
        return Ok(UnreviewedFiles::default());
    }
    let tip = CommitId::try_from(run.branch.head.as_str())?;
    unreviewed(&active.space, &active.folder, run, &tip, Documents::Gone)
}

/// Returns the files that differ from the last reviewed commit, without those that an accepted phase left as they are.
fn find_changed_since_review(space: &RunWorkspace, run: &Run, tip: &CommitId) -> Result<UnreviewedPaths> {
    let covered = &run.branch.coverage;
    if covered.reviewed == run.branch.phase_head && run.outcome == RunOutcome::Completed {
        // Every difference came after the end of the run.
        return Ok(UnreviewedPaths::new());
    }
    let from = existing_or_base(space, run, &covered.reviewed)?;
    let mut found = changed_between(space, from, tip.as_str())?;
    if !found.is_empty() {
        let unanswered = find_unaccepted(space, run, from, tip)?;
        found.retain(|path| unanswered.contains(path));
    }
    Ok(found)
}

/// Returns the files that were changed after a commit outside of the accepted phases. The acceptance of a phase covers the
/// work of its author, not other changes in the same file.
fn find_unaccepted(space: &RunWorkspace, run: &Run, from: &str, tip: &CommitId) -> Result<UnreviewedPaths> {
    let open = UnreviewedPaths::new();
    let mut walk = BranchWalk { space, at: from, known: vec![(from, open.clone())], open };
    for UnreviewedPhase { from, to, .. } in run.branch.coverage.since.iter().filter(|phase| phase.is_accepted)
    {
        if has_commit(space, from)? && has_commit(space, to)? {
            walk.advance_to(from)?;
            walk.known.push((to, walk.open.clone()));
            walk.at = to;
        }
    }
    walk.advance_to(tip.as_str())?;
    // A change by hand is in no commit before the commit of the phase that included it.
    walk.open.extend(run.branch.coverage.by_hand.iter().cloned());
    Ok(walk.open)
}

/// Walks along the branch and collects the files that no reviewer has seen.
struct BranchWalk<'a> {
    space: &'a RunWorkspace,
    at: &'a str,
    open: UnreviewedPaths,
    /// Commits for which the unreviewed files are already known.
    known: Vec<(&'a str, UnreviewedPaths)>,
}

impl<'a> BranchWalk<'a> {
    /// A file that changed on the way to a commit is unreviewed, unless it was restored.
    fn advance_to(&mut self, to: &'a str) -> Result<()> {
        if self.at == to {
            return Ok(());
        }
        self.open.extend(changed_between(self.space, self.at, to)?);
        for (commit, open) in &self.known {
            let differs = changed_between(self.space, commit, to)?;
            self.open.retain(|path| differs.contains(path) || open.contains(path));
        }
        self.at = to;
        Ok(())
    }
}

/// The documents that a phase wrote or, with triage, had to repair, as its commit holds them.
struct DeliveredDocuments {
    folders: Vec<String>,
    changed_since: UnreviewedPaths,
}

impl DeliveredDocuments {
    fn contains(&self, path: &str) -> bool {
        self.folders.iter().any(|folder| path.starts_with(folder)) && !self.changed_since.contains(path)
    }
}

/// Returns the documents of the phases since the last review. Of a commit that is not there, nobody knows what it held.
fn list_delivered(
    space: &RunWorkspace,
    folder: &RunFolder,
    run: &Run,
    tip: &CommitId,
) -> Result<Vec<DeliveredDocuments>> {
    let mut delivered = Vec::new();
    for unshown in &run.branch.coverage.since {
        if let Some(phase) = run.phase(&unshown.phase)
            && has_commit(space, &unshown.to)?
        {
            let changed_since = changed_between(space, &unshown.to, tip.as_str())?;
            delivered.push(DeliveredDocuments {
                folders: list_document_folders(folder, run, phase),
                changed_since,
            });
        }
    }
    Ok(delivered)
}

/// Returns the folders of the documents that a phase writes or may repair.
fn list_document_folders(folder: &RunFolder, run: &Run, phase: &PhaseState) -> Vec<String> {
    let is_delivered = |other: &&PhaseState| other.name() == phase.name() || may_change(phase, other);
    run.phases.iter().filter(is_delivered).map(|other| format!("{}/", folder.output(&other.def))).collect()
}

/// Returns the commit that the run's work is compared with: the latest one of the base branch that is merged into the run's
/// branch.
pub fn base_of(space: &RunWorkspace, run: &Run, tip: &CommitId) -> Result<CommitId> {
    let began = CommitId::try_from(run.started.base_commit.as_str())?;
    let is_on_server = run.publication.pull_request.as_ref().is_some_and(|(number, _)| number.is_some());
    Ok(space.workspace().branches().find_merged(&run.started.base_branch, is_on_server, &began, tip)?)
}

/// Returns the files that were merged from the base branch and are the same as there.
fn find_base_branch_changes(space: &RunWorkspace, run: &Run, tip: &CommitId) -> Result<UnreviewedPaths> {
    let base = base_of(space, run, tip)?;
    if base.as_str() == run.started.base_commit {
        return Ok(UnreviewedPaths::new());
    }
    let ours = changed_between(space, base.as_str(), tip.as_str())?;
    let mut brought = changed_between(space, &run.started.base_commit, base.as_str())?;
    brought.retain(|path| !ours.contains(path));
    Ok(brought)
}

/// Returns a commit if the repository has it, else the base commit: after history was rewritten nothing counts as reviewed.
fn existing_or_base<'a>(space: &RunWorkspace, run: &'a Run, commit: &'a str) -> Result<&'a str> {
    Ok(if has_commit(space, commit)? { commit } else { &run.started.base_commit })
}

fn has_commit(space: &RunWorkspace, commit: &str) -> Result<bool> {
    Ok(space.workspace().has_tree(&CommitId::try_from(commit)?.as_tree())?)
}

fn changed_between(space: &RunWorkspace, from: &str, to: &str) -> Result<UnreviewedPaths> {
    let (from, to) = (CommitId::try_from(from)?, CommitId::try_from(to)?);
    Ok(space.workspace().changes().paths_between(&from.as_tree(), &to.as_tree())?.into_iter().collect())
}
