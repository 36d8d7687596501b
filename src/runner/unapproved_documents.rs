//! What phases left in approved documents of other phases, and did not bring to their end: they failed, or were opened again. That
//! was never approved, so a document is as it was approved before the next phase builds on it. What a person changed stays.

use std::collections::BTreeSet;

use crate::active_run::ActiveRun;
use crate::documents::{BY_WHOM_IS_UNKNOWN, has_text, is_ticked, list_rewritten, restore};
use crate::error::Result;
use crate::git_files::shorten;
use crate::unfinished_work::find_tree;
use engine::{PhaseState, Run};
use git::{CommitId, RunWorkspace, Tree, is_engines_own};
use journal::Journal;
use journal::store::folders::RunFolder;
use journal::store::log;
use model::event::Fact;
use model::phase::{PhaseName, Step};
use views::summary::find_unknown;

/// The kind of the note about files that changed when the run was killed.
const LEFT_BY_KILLED: &str = "left_by_killed";

/// Puts back the approved documents that stay approved when a phase is opened again and that no person changed: those that
/// changed when the run was killed, and those that a phase without an approval repaired or ticked. Returns what is to be noted of
/// other files that changed when the run was killed; they stay.
///
/// # Errors
///
/// Fails where the log or git cannot be read, or a file cannot be written.
pub fn put_back_before_reopening(
    journal: &Journal,
    space: &RunWorkspace,
    folder: &RunFolder,
    name: &PhaseName,
) -> Result<Option<Fact>> {
    let Some(run) = &journal.state().run else { return Ok(None) };
    let unapproved = UnapprovedDocuments { run, space, folder, name };
    let mut left = Vec::new();
    if is_end_of_work_unknown(journal, folder)? {
        unapproved.put_back_since_latest_fact()?;
        left = unapproved.list_left_since_latest_fact()?;
    }
    unapproved.put_back_recorded()?;
    Ok(if left.is_empty() { None } else { Some(note_left(name, &left)) })
}

/// Notes files that nobody knows the author of.
fn note_left(name: &PhaseName, paths: &[String]) -> Fact {
    let paths = shorten(paths);
    let text = format!("Phase {name}: Changed{BY_WHOM_IS_UNKNOWN}; it stays in the worktree: {paths}");
    Fact::Noted { kind: LEFT_BY_KILLED.to_owned(), text }
}

/// Tells whether a program may have been at work when the process before ended, without an end in the log.
fn is_end_of_work_unknown(journal: &Journal, folder: &RunFolder) -> Result<bool> {
    let entries = log::read_file(&folder.at(&folder.events()))?.entries;
    let phases = journal.state().run.iter().flat_map(|run| &run.phases);
    let is_author_at_work =
        |phase: &PhaseState| phase.current_step().is_some_and(Step::writes) && !phase.is_author_idle();
    let unknown = find_unknown(journal.state(), &entries);
    Ok(unknown.is_some_and(|unknown| unknown.phase().is_some()) || phases.into_iter().any(is_author_at_work))
}

/// Puts back the approved documents that phases which were not approved have changed; tells whether there were any.
pub(super) fn put_back(active: &ActiveRun, name: &PhaseName) -> Result<bool> {
    UnapprovedDocuments::of(active, name)?.put_back_recorded()
}

/// The approved documents as they are when a phase begins or is opened again.
struct UnapprovedDocuments<'a> {
    run: &'a Run,
    space: &'a RunWorkspace,
    folder: &'a RunFolder,
    name: &'a PhaseName,
}

impl<'a> UnapprovedDocuments<'a> {
    fn of(active: &'a ActiveRun, name: &'a PhaseName) -> Result<Self> {
        Ok(Self { run: active.run()?, space: &active.space, folder: &active.folder, name })
    }

    /// Returns the documents of the phases before this one that are not as they were approved.
    fn list(&self) -> Vec<(String, &PhaseState)> {
        let earlier: BTreeSet<&PhaseName> =
            self.run.phases.iter().map(PhaseState::name).take_while(|name| *name != self.name).collect();
        let rewritten = list_rewritten(self.run, self.folder, self.name);
        rewritten.into_iter().filter(|(_, other)| earlier.contains(other.name())).collect()
    }

    /// Returns the files as the latest fact says they were; nothing where git does not have them any more.
    fn find_latest_tree(&self) -> Result<Option<Tree>> {
        let entries = log::read_file(&self.folder.at(&self.folder.events()))?.entries;
        let recorded = entries.iter().rev().find_map(|entry| find_tree(&entry.fact));
        let Some((_, recorded)) = recorded else { return Ok(None) };
        let tree = Tree::try_from(recorded)?;
        Ok(if self.space.workspace().has_tree(&tree)? { Some(tree) } else { None })
    }

    /// Puts back what changed after the latest fact.
    fn put_back_since_latest_fact(&self) -> Result<()> {
        let mut paths: Vec<String> = self.list().into_iter().map(|(path, _)| path).collect();
        if paths.is_empty() {
            return Ok(());
        }
        let known = match self.find_latest_tree()? {
            Some(tree) => tree,
            None => self.approved_at()?.as_tree(),
        };
        let seen = self.space.snapshots().take(Some(&known))?;
        paths.retain(|path| seen.changed.contains(path));
        restore(self.space, self.name, &known, &paths, (&seen.tree, BY_WHOM_IS_UNKNOWN))
    }

    /// Returns the files beside those documents that changed after the latest fact.
    fn list_left_since_latest_fact(&self) -> Result<Vec<String>> {
        let Some(known) = self.find_latest_tree()? else { return Ok(Vec::new()) };
        let mut left = self.space.snapshots().take(Some(&known))?.changed;
        let is_stray = |path: &String| self.run.started.strays.contains(path);
        left.retain(|path| !is_engines_own(path) && !self.space.files().is_setting(path) && !is_stray(path));
        Ok(left)
    }

    /// Puts back what the facts say that phases changed; tells whether there was anything.
    fn put_back_recorded(&self) -> Result<bool> {
        let changed = self.list();
        let Some(latest) = (if changed.is_empty() { None } else { self.find_latest_tree()? }) else {
            return Ok(false);
        };
        let approved = self.approved_at()?;
        let seen = self.space.snapshots().take(Some(&latest))?;
        let mut has_put_back = false;
        for (path, other) in changed {
            if let Some(author) = self.find_author(&path)
                && !seen.changed.contains(&path)
                && !self.is_own_change(&path, other)?
                && has_text(self.space, &approved, &path)?
            {
                let who = format!(" by {author}, which was not approved");
                restore(self.space, self.name, &approved.as_tree(), &[path], (&latest, &who))?;
                has_put_back = true;
            }
        }
        Ok(has_put_back)
    }

    /// Returns the phase that changed a document; nothing where a person changed it, too.
    fn find_author(&self, path: &str) -> Option<&PhaseName> {
        let phases = &self.run.phases;
        let is_by_hand = self.run.branch.coverage.by_hand.contains(path)
            || phases.iter().any(|phase| phase.files.by_hand.contains(path));
        if is_by_hand {
            return None;
        }
        phases.iter().rev().find(|phase| phase.files.changed.contains(path)).map(PhaseState::name)
    }

    /// Tells whether the phase itself made an approved document what it is, and may: it repairs the document, or ticked boxes in it.
    fn is_own_change(&self, path: &str, other: &PhaseState) -> Result<bool> {
        let Some(phase) = self.run.phase(self.name) else { return Ok(false) };
        if !phase.files.changed.contains(path) || phase.files.by_hand.contains(path) {
            return Ok(false);
        }
        let approved = self.space.workspace().read_file(&self.approved_at()?, path)?;
        let now = git::regular_file::read(&self.folder.at(path)).ok();
        Ok(engine::may_change(phase, other) || is_ticked(approved.as_deref(), now.as_deref()))
    }

    fn approved_at(&self) -> Result<CommitId> {
        Ok(CommitId::try_from(self.run.branch.phase_head.as_str())?)
    }
}

/// Returns the approved documents that a person changed before a phase begins.
pub(super) fn list_edited(active: &ActiveRun, name: &PhaseName) -> Result<Vec<String>> {
    let documents = UnapprovedDocuments::of(active, name)?;
    let mut edited = Vec::new();
    for (path, other) in list_rewritten(documents.run, documents.folder, name) {
        if !documents.is_own_change(&path, other)? {
            edited.push(path);
        }
    }
    Ok(edited)
}
