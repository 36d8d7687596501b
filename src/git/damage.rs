//! What is damaged in a repository that git does not open, and the command that repairs it: HEAD, the branch that is checked out,
//! the objects of its commit. Reads git's own files, because git reads nothing there any more. Repairs nothing, and writes
//! nothing but a copy of kept settings.

use std::fs;
use std::path::{Path, PathBuf};

use crate::branch_name::check_branch_name;
use crate::file_entry::{REFERENCE, read_kept};
use crate::pipes::is_pipe;
use crate::regular_file;
use crate::{Error, Result};

/// The file in which the engine notes where it left the branch of a run, in the folder of the run.
pub(crate) const LEFT_AT: &str = "left-at";
/// The end of a reflog line that says where a checkout went.
const CHECKOUT: &str = "checkout: moving from ";

/// What git reads whenever it opens a repository.
const OPENED: [&str; 5] = ["HEAD", "commondir", "config", "config.worktree", "packed-refs"];

/// Finds the git folder of the repository that a folder lies in, damaged or not; nothing where there is none.
fn find_git_folder(dir: &Path) -> Option<PathBuf> {
    let found = dir.ancestors().map(|folder| folder.join(".git")).find(|found| found.exists())?;
    let Ok(link) = regular_file::read_text(&found) else { return Some(found) };
    let target = link.trim().strip_prefix("gitdir: ")?;
    Some(found.parent()?.join(target))
}

/// Refuses a repository with a pipe or a device in the place of a file that git reads whenever it opens one: git would wait for it.
pub(crate) fn refuse_pipes(dir: &Path) -> Result<()> {
    let Some(git_dir) = find_git_folder(dir) else { return Ok(()) };
    let common = common_folder(&git_dir);
    let head = regular_file::read_text(&git_dir.join("HEAD")).unwrap_or_default();
    let branch = head.trim().strip_prefix("ref: ").map(|name| common.join(name));
    let places = [&git_dir, &common].into_iter().flat_map(|folder| OPENED.map(|name| folder.join(name)));
    let pipe = places.chain(branch).find(|place| is_pipe(place));
    let Some(path) = pipe else { return refuse_pipe_as_index(&git_dir) };
    let kept = write_kept(&common, &path);
    Err(Error::Pipe { path, kept })
}

/// An index can be made anew.
fn refuse_pipe_as_index(git_dir: &Path) -> Result<()> {
    let index = git_dir.join("index");
    if !is_pipe(&index) {
        return Ok(());
    }
    Err(Error::DamagedIndex { detail: format!("{} is a pipe or a device", index.display()) })
}

/// Says what is wrong with a repository that git does not take for one.
pub(crate) fn of_unopened(dir: &Path) -> Error {
    let missing = || Error::NotARepository { dir: dir.to_owned() };
    let Some(git_dir) = find_git_folder(dir) else { return missing() };
    let common = common_folder(&git_dir);
    if !common.join("objects").is_dir() {
        return Error::LostObjects { git_dir: common };
    }
    let head = git_dir.join("HEAD");
    let text = regular_file::read_text(&head).unwrap_or_default();
    let is_head_intact = text.starts_with("ref: refs/") || model::object_id::is_object_id(text.trim());
    let branch = last_checkout(&git_dir).unwrap_or_else(|| "main".to_owned());
    let refs = common.join("refs");
    if !refs.is_dir() {
        let name_head = format!("echo 'ref: refs/heads/{branch}' > {}", head.display());
        let first = if is_head_intact { None } else { Some(name_head) };
        let first = first.into_iter().chain([format!("mkdir -p {}", refs.display())]);
        let branches = last_commits(&common).into_iter();
        let made = branches.map(|(branch, commit)| format!("git update-ref refs/heads/{branch} {commit}"));
        let repair = first.chain(made).collect::<Vec<_>>().join(" && ");
        return Error::LostReferences { folder: refs, repair };
    }
    if is_head_intact { missing() } else { Error::DamagedHead { file: head, branch } }
}

/// Returns git's folder that all worktrees share.
fn common_folder(git_dir: &Path) -> PathBuf {
    let common = regular_file::read_text(&git_dir.join("commondir"));
    common.map_or_else(|_| git_dir.to_owned(), |common| git_dir.join(common.trim()))
}

/// Returns the repository's file of settings and a file with what it held before the call of an agent that was killed; nothing
/// where no such call was killed.
pub(crate) fn find_kept_config(dir: &Path) -> Option<(PathBuf, PathBuf)> {
    let common = common_folder(&find_git_folder(dir)?);
    let config = common.join("config");
    let kept = write_kept(&common, &config)?;
    Some((config, kept))
}

/// Writes what a file of git's held before the call of an agent that was killed beside the state of that run, and returns where.
fn write_kept(common: &Path, path: &Path) -> Option<PathBuf> {
    let runs = fs::read_dir(common.join("ai-workflow")).ok()?;
    runs.flatten().find_map(|run| {
        let bytes = read_kept(&run.path().join(REFERENCE), path)?;
        let kept = run.path().join(format!("{}.kept", path.file_name()?.to_str()?));
        regular_file::write(&kept, &bytes).ok()?;
        Some(kept)
    })
}

/// Says why HEAD names no commit: the branch that it names was never there, or was lost.
pub(crate) fn of_unborn_head(root: &Path, git_dir: &Path, common: &Path) -> Error {
    let lost = || {
        let text = regular_file::read_text(&git_dir.join("HEAD")).ok()?;
        let branch = text.trim().strip_prefix("ref: refs/heads/")?.to_owned();
        let name = format!("refs/heads/{branch}");
        let commit = last_commit_of(common, &branch).or_else(|| last_commit(&git_dir.join("logs/HEAD")))?;
        Some(Error::LostBranch { file: common.join(name), branch, commit })
    };
    lost().unwrap_or_else(|| Error::NoCommits { root: root.to_owned() })
}

/// Returns the branches that have a reflog, each with the commit that it ends with: git removes the reflog of a branch that a
/// person deletes.
fn last_commits(common: &Path) -> Vec<(String, String)> {
    let heads = common.join("logs/refs/heads");
    let (mut folders, mut found) = (vec![heads.clone()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let name = path.strip_prefix(&heads).ok().and_then(Path::to_str).map(str::to_owned);
            if path.is_dir() {
                folders.push(path);
            } else if let Some(name) = name.filter(|name| check_branch_name(name).is_ok()) {
                found.extend(last_commit_of(common, &name).map(|commit| (name, commit)));
            }
        }
    }
    found.sort();
    found
}

/// Returns the last commit of a branch: by its reflog, or by what the engine noted of a run's branch.
fn last_commit_of(common: &Path, branch: &str) -> Option<String> {
    let noted = || {
        let noted = regular_file::read_text(&common.join(branch).join(LEFT_AT)).ok()?;
        model::object_id::is_object_id(noted.trim()).then(|| noted.trim().to_owned())
    };
    last_commit(&common.join("logs/refs/heads").join(branch)).or_else(noted)
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
