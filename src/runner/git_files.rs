//! Git's own files around a program that could write them: an agent, or a command of the repository, which runs what agents
//! wrote. What it planted there is put back before git is used again, and told.

use crate::active_run::ActiveRun;
use crate::error::Result;
use git::{GitFiles, MovedReferences, References, Snapshot, Tree};

/// The kind of the note about git's own files.
const PUT_BACK: &str = "git_files";
/// The kind of the note about moved branches and tags.
const MOVED: &str = "references_moved";

/// A note names so many files or references.
const MOST_NAMES: usize = 30;

/// The program around which git's own files and references are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Watched {
    /// An agent that may commit.
    Author,
    /// An agent that must only read.
    Reader,
    /// Commands of the repository, which have no reason to commit.
    Command,
}

/// Git's own files and references before a program works.
pub(super) struct GitBefore {
    files: GitFiles,
    references: References,
}

impl GitBefore {
    /// Reads git's own files and references, and keeps them on disk until they are forgotten: where the log shows a call without
    /// an end, they have to be there. `tree` is what the worktree holds.
    pub(super) fn read(active: &mut ActiveRun, tree: &Tree) -> Result<Self> {
        let references = References::read(active.space.workspace())?;
        let inner = active.ensure_inner_folders(tree)?.clone();
        let mut files = GitFiles::read(&active.space, &inner);
        files.keep(&active.space)?;
        Ok(Self { files, references })
    }

    /// Puts git's own files back and returns the names of those that were different.
    pub(super) fn restore_files(&self, active: &ActiveRun) -> Result<Vec<String>> {
        Ok(self.files.restore(&active.space)?)
    }

    /// Puts references back after a program.
    pub(super) fn restore_references(&self, active: &ActiveRun, who: Watched) -> Result<MovedReferences> {
        let mut restored = match who {
            Watched::Author => self.references.restore_others(&active.space),
            Watched::Reader | Watched::Command => self.references.restore(&active.space),
        }?;
        let new = self.files.list_left(&active.space);
        restored.left.extend(new.iter().cloned());
        restored.seldom.extend(new);
        // A person who works there is as likely.
        restored.left.extend(self.files.list_new_elsewhere(&active.space));
        Ok(restored)
    }

    /// Looks at the files after an agent that must only read. Repositories that it made inside the worktree are removed, so
    /// that their files are seen; their names are added to `planted`.
    pub(super) fn look_after_reader(
        &self,
        active: &ActiveRun,
        tree: &Tree,
        planted: &mut Vec<String>,
    ) -> Result<Snapshot> {
        let seen = active.space.snapshots().take(Some(tree))?;
        let made = self.files.remove_new_repositories(&active.space, &seen.left_out)?;
        if made.is_empty() {
            return Ok(seen);
        }
        planted.extend(made);
        Ok(active.space.snapshots().take(Some(tree))?)
    }
}

/// Notes which of git's own files a program changed.
pub(super) fn note_put_back(active: &mut ActiveRun, who: &str, names: &[String]) -> Result<()> {
    if names.is_empty() {
        return Ok(());
    }
    let (names, kept) = (shorten(names), GitFiles::removed_folder(&active.space));
    active
        .note(PUT_BACK, format!("{who} changed git's own files, which was undone: {names} (kept in {kept})"))
}

/// Notes references that moved while a program worked. Of an agent that only reads, what was undone is told with its answer.
pub(super) fn note_moved_references(
    active: &mut ActiveRun,
    moved: &MovedReferences,
    who: Watched,
) -> Result<()> {
    let during = match who {
        Watched::Author => "while an author worked",
        Watched::Reader => "in a read-only step",
        Watched::Command => "while a command of the repository ran",
    };
    if who != Watched::Reader && !moved.undone.is_empty() {
        active.note(MOVED, format!("moved or new {during}, and restored: {}", shorten(&moved.undone)))?;
    }
    if moved.left.is_empty() {
        return Ok(());
    }
    active.note(MOVED, format!("moved or new {during}, and not restored: {}", shorten(&moved.left)))
}

/// Returns the first names of a list, and how many there are beside them.
pub(super) fn shorten(names: &[String]) -> String {
    let (first, rest) = names.split_at(names.len().min(MOST_NAMES));
    let more = if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
    first.join(", ") + &more
}
