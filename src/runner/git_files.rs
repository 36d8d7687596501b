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

/// Git's own files and references before a program works.
pub(super) struct GitBefore {
    files: GitFiles,
    references: Option<References>,
}

impl GitBefore {
    /// Reads git's own files before a command of the repository. `tree` is what the worktree holds.
    pub(super) fn of_command(active: &mut ActiveRun, tree: &Tree) -> Result<Self> {
        let inner = active.ensure_inner_folders(tree)?.clone();
        let mut files = GitFiles::read(&active.space, &inner);
        files.keep(&active.space)?;
        Ok(Self { files, references: None })
    }

    /// Reads git's own files and references before an agent is called.
    pub(super) fn of_call(active: &mut ActiveRun, tree: &Tree) -> Result<Self> {
        let references = Some(References::read(active.space.workspace())?);
        Ok(Self { references, ..Self::of_command(active, tree)? })
    }

    /// Puts git's own files back and returns the names of those that were different. After a call the state stays on disk: where
    /// the log shows a call without an end, it has to be there.
    pub(super) fn restore_files(&self, active: &ActiveRun) -> Result<Vec<String>> {
        let changed = self.files.restore(&active.space)?;
        if self.references.is_none() {
            GitFiles::forget(&active.space)?;
        }
        Ok(changed)
    }

    /// Puts references back; `writes` says whether the agent may commit.
    pub(super) fn restore_references(&self, active: &ActiveRun, writes: bool) -> Result<MovedReferences> {
        let Some(references) = &self.references else { return Ok(MovedReferences::default()) };
        let restored =
            if writes { references.restore_others(&active.space) } else { references.restore(&active.space) };
        let mut restored = restored?;
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

/// Notes references that moved while an agent worked. Of an agent that only reads, what was undone is told with its answer.
pub(super) fn note_moved_references(
    active: &mut ActiveRun,
    moved: &MovedReferences,
    writes: bool,
) -> Result<()> {
    if writes && !moved.undone.is_empty() {
        active.note(MOVED, format!("moved by an author, and restored: {}", shorten(&moved.undone)))?;
    }
    if moved.left.is_empty() {
        return Ok(());
    }
    let during = if writes { "while an author worked" } else { "in a read-only step" };
    active.note(MOVED, format!("moved or new {during}, and not restored: {}", shorten(&moved.left)))
}

/// Returns the first names of a list, and how many there are beside them.
pub(super) fn shorten(names: &[String]) -> String {
    let (first, rest) = names.split_at(names.len().min(MOST_NAMES));
    let more = if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
    first.join(", ") + &more
}
