//! What is damaged in a repository that git does not open, and the command that repairs it: HEAD, the branch that is checked out,
//! the objects of its commit. Reads git's own files, because git reads nothing there any more. Repairs nothing.

use std::path::{Path, PathBuf};

use crate::Error;
use crate::regular_file;

/// The end of a reflog line that says where a checkout went.
const CHECKOUT: &str = "checkout: moving from ";

/// Finds the git folder of the repository that a folder lies in, damaged or not; nothing where there is none.
fn find_git_folder(dir: &Path) -> Option<PathBuf> {
    let found = dir.ancestors().map(|folder| folder.join(".git")).find(|found| found.exists())?;
    let Ok(link) = regular_file::read_text(&found) else { return Some(found) };
    let target = link.trim().strip_prefix("gitdir: ")?;
    Some(found.parent()?.join(target))
}

/// Says what is wrong with a repository that git does not take for one.
pub(crate) fn of_unopened(dir: &Path) -> Error {
    let missing = || Error::NotARepository { dir: dir.to_owned() };
    let Some(git_dir) = find_git_folder(dir) else { return missing() };
    let head = git_dir.join("HEAD");
    let text = regular_file::read_text(&head).unwrap_or_default();
    if text.starts_with("ref: refs/") || model::object_id::is_object_id(text.trim()) {
        return missing();
    }
    let branch = last_checkout(&git_dir).unwrap_or_else(|| "main".to_owned());
    Error::DamagedHead { file: head, branch }
}

/// Says why HEAD names no commit: the branch that it names was never there, or was lost.
pub(crate) fn of_unborn_head(root: &Path, git_dir: &Path, common: &Path) -> Error {
    let lost = || {
        let text = regular_file::read_text(&git_dir.join("HEAD")).ok()?;
        let branch = text.trim().strip_prefix("ref: refs/heads/")?.to_owned();
        let name = format!("refs/heads/{branch}");
        let commit = last_commit(&common.join("logs").join(&name))
            .or_else(|| last_commit(&git_dir.join("logs/HEAD")))?;
        Some(Error::LostBranch { file: common.join(name), branch, commit })
    };
    lost().unwrap_or_else(|| Error::NoCommits { root: root.to_owned() })
}

/// Returns the branch that was checked out last, by the reflog of HEAD.
fn last_checkout(git_dir: &Path) -> Option<String> {
    let log = regular_file::read_text(&git_dir.join("logs/HEAD")).ok()?;
    let line = log.lines().rev().find_map(|line| line.split_once(CHECKOUT))?.1;
    Some(line.rsplit_once(" to ")?.1.to_owned())
}

/// Returns the commit that a reflog ends with.
fn last_commit(log: &Path) -> Option<String> {
    let log = regular_file::read_text(log).ok()?;
    let commit = log.lines().last()?.split(' ').nth(1)?;
    model::object_id::is_object_id(commit).then(|| commit.to_owned())
}
