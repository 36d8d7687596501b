//! Where a path that an agent or a script names really is: in the worktree, or nowhere.

use std::path::{Component, Path, PathBuf};

/// The longest path that a system opens, in bytes: `PATH_MAX` of Linux. Resolving a longer one takes minutes.
const LONGEST_PATH: usize = 4096;

/// Returns the real path of something in the worktree that exists or could be made; nothing when it leads out.
pub(crate) fn resolve(worktree: &Path, path: &Path) -> Option<PathBuf> {
    if path.as_os_str().len() > LONGEST_PATH || path.components().any(|part| part == Component::ParentDir) {
        return None;
    }
    let real = resolve_existing(&worktree.join(path))?;
    if real.starts_with(worktree) { Some(real) } else { None }
}

/// Returns the real path of something that an author may change: nothing of git's own, and no link.
pub(crate) fn resolve_writable(worktree: &Path, path: &Path) -> Option<PathBuf> {
    let real = resolve(worktree, path)?;
    let below = real.strip_prefix(worktree).ok()?;
    let is_gits = below.components().any(|part| part.as_os_str().eq_ignore_ascii_case(".git"));
    let is_writable = !is_gits && below.file_name().is_some() && !worktree.join(path).is_symlink();
    if is_writable { Some(real) } else { None }
}

/// Resolves the part that exists; a link to nowhere has no real path.
fn resolve_existing(path: &Path) -> Option<PathBuf> {
    let existing = path.ancestors().find(|ancestor| ancestor.symlink_metadata().is_ok())?;
    let missing = path.strip_prefix(existing).ok()?;
    let real = existing.canonicalize().ok()?;
    Some(if missing.as_os_str().is_empty() { real } else { real.join(missing) })
}
