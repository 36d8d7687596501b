//! Symbolic links that lead out of the worktree or into git's own folder, and special files in place of plain ones.
//! Looks at what a link says and follows none.

use super::left_out::special_files;
use super::outcome::{file, judged};
use super::{Site, outcome};
use model::change::{Change, FileMode};
use model::event::CheckResult;

pub(super) const ID: &str = "links";

pub(super) fn examine(site: &Site<'_>) -> CheckResult {
    let links = site.changes.iter().filter_map(|change| {
        let why = astray(&change.path, target(change)?)?;
        Some(file(&change.path, why))
    });
    let special = special_files(site).map(|path| outcome::file(path, "is a special file, no plain one"));
    let places = links.chain(special).collect();
    judged(ID, "links-astray", places, "links lead astray", "no link leads out of the worktree")
}

/// Returns where a link leads that is new or leads elsewhere now.
fn target(change: &Change) -> Option<&str> {
    let after = change.after.as_ref().filter(|after| after.mode == FileMode::Link)?;
    after.content.text()
}

/// Says what is wrong with a link.
fn astray(path: &str, target: &str) -> Option<&'static str> {
    let drive = target.as_bytes().get(1) == Some(&b':');
    if target.is_empty() || target.starts_with(['/', '\\', '~']) || drive {
        return Some("is a link to an absolute path");
    }
    let mut depth = path.matches('/').count();
    let mut went_down = false;
    for part in target.split(['/', '\\']) {
        match part {
            "" | "." => {}
            // What is behind a name may be a link itself, so nobody knows where its parent is.
            ".." if went_down => return Some("is a link that goes down and up again"),
            ".." if depth == 0 => return Some("is a link that leads out of the worktree"),
            ".." => depth -= 1,
            part if part.eq_ignore_ascii_case(".git") => return Some("is a link into git's own folder"),
            _ => went_down = true,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Scene;
    use model::change::{FileContent, FileVersion};
    use model::event::CheckStatus;

    fn judge(path: &str, target: &str) -> CheckResult {
        let link = FileVersion { mode: FileMode::Link, content: FileContent::Text(target.to_owned()) };
        examine(&Scene::of([Change::new(path, None, Some(link))]).site())
    }

    #[test]
    fn a_link_out_of_the_worktree_is_found_and_not_followed() {
        for (path, target) in [
            ("hosts", "/etc/hostname"),
            ("a/b/link", "../../../outside"),
            ("link", ".."),
            ("a/link", "../.git/config"),
            ("a/link", "b/../../.."),
            ("a/link", "b/../c"),
            ("link", "C:\\Windows"),
            ("link", "sub/.GIT/hooks"),
        ] {
            assert_eq!(judge(path, target).status, CheckStatus::Fail, "{path} -> {target}");
        }
    }

    #[test]
    fn links_inside_the_worktree_are_fine() {
        for (path, target) in [
            ("link", "src/lib.rs"),
            ("a/b/link", "../../src"),
            ("a/link", "./x"),
            ("l", ".gitignore"),
            ("l", "later"),
        ] {
            assert_eq!(judge(path, target).status, CheckStatus::Pass, "{path} -> {target}");
        }
    }

    #[test]
    fn a_special_file_of_this_phase_is_named_and_an_older_one_is_left_alone() {
        use std::os::unix::net::UnixListener;
        let folder = tempfile::tempdir().expect("a folder");
        let _socket = UnixListener::bind(folder.path().join("a.rs")).expect("a socket");
        let mut made = Scene::of([]);
        made.worktree = folder.path().to_owned();
        made.left_out = vec!["a.rs".to_owned(), "gone".to_owned()];
        let result = examine(&made.site());
        assert_eq!((result.status, result.places.len()), (CheckStatus::Fail, 1));
        let later = Site { began: "2999-01-01T00:00:00Z".parse().expect("a time"), ..made.site() };
        assert_eq!(examine(&later).status, CheckStatus::Pass);
    }
}
