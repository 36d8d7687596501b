//! Whether a path stays in the worktree, links resolved. Reads no file and changes none.

use std::path::{Component, Path, PathBuf};

/// Returns the real path of something in the worktree that exists or could be made; nothing when it leads out.
pub(super) fn inside(worktree: &Path, path: &Path) -> Option<PathBuf> {
    if path.components().any(|part| part == Component::ParentDir) {
        return None;
    }
    let real = real(&worktree.join(path))?;
    real.starts_with(worktree).then_some(real)
}

/// Returns the real path of something that an author may change: nothing of git's own, and no link.
pub(super) fn changeable(worktree: &Path, path: &Path) -> Option<PathBuf> {
    let real = inside(worktree, path)?;
    let below = real.strip_prefix(worktree).ok()?;
    let of_git = below.components().any(|part| part.as_os_str().eq_ignore_ascii_case(".git"));
    let changeable = !of_git && below.file_name().is_some() && !worktree.join(path).is_symlink();
    changeable.then_some(real)
}

/// Resolves the part that exists; a link to nowhere has no real path.
fn real(path: &Path) -> Option<PathBuf> {
    let there = path.ancestors().find(|ancestor| ancestor.symlink_metadata().is_ok())?;
    let missing = path.strip_prefix(there).ok()?;
    let real = there.canonicalize().ok()?;
    Some(if missing.as_os_str().is_empty() { real } else { real.join(missing) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    /// Makes a worktree with links and tells which paths are taken.
    fn taken(judge: fn(&Path, &Path) -> Option<PathBuf>, paths: &[&str]) -> Vec<bool> {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().canonicalize().expect("it is there");
        let worktree = root.join("worktree");
        fs::create_dir_all(worktree.join("src")).expect("a worktree");
        fs::write(worktree.join("src/a"), "a").expect("a file");
        for (target, link) in [("..", "out"), ("/no/such", "nowhere"), ("src", "in"), ("src/a", "file")] {
            symlink(target, worktree.join(link)).expect("a link");
        }
        let full = |path: &&str| PathBuf::from(path.replace("ROOT", root.to_str().expect("plain")));
        paths.iter().map(|path| judge(&worktree, &full(path)).is_some()).collect()
    }

    #[test]
    fn only_what_stays_in_the_worktree_is_inside() {
        let good = ["ROOT/worktree/src/a", "src/new/b", "ROOT/worktree", "in/a", "file", ".git/config"];
        assert_eq!(taken(inside, &good), [true; 6]);
        let bad = [
            "/etc/passwd",
            "ROOT/worktree/../x",
            "../x",
            "out/x",
            "ROOT/worktree/out",
            "nowhere",
            "nowhere/x",
            "ROOT/worktreex",
        ];
        assert_eq!(taken(inside, &bad), [false; 8]);
    }

    #[test]
    fn git_and_links_are_not_changed() {
        assert_eq!(taken(changeable, &["src/a", "src/new/b", "in/a"]), [true; 3]);
        assert_eq!(
            taken(changeable, &[".git/hooks/x", "src/.GIT/x", "file", "nowhere", "", "out/x"]),
            [false; 6]
        );
    }
}
