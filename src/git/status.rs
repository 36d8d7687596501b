//! Reads `git status --porcelain=v2 -z`. Knows the format and nothing of what the entries mean for a run. Caches that
//! interpreters and test runners write beside the code they run are passed over as if git ignored them, as long as no commit
//! holds them, so that a repository without a `.gitignore` can run its tests.

use crate::program::Call;
use crate::tree_entry::{ABSENT_MODE, TreeEntry};
use crate::workspace::{Head, Workspace};
use crate::{CommitId, Error, Result};

/// Folders that hold nothing but caches.
const CACHE_FOLDERS: &str = include_str!("data/cache_folders.txt");
/// How the names of cache files end.
const CACHE_ENDINGS: [&str; 2] = [".pyc", ".pyo"];
const CACHE_FILES: [&str; 1] = [".coverage"];

/// What git says about the worktree.
#[derive(Debug)]
pub(crate) struct Status {
    pub(crate) head: Head,
    pub(crate) entries: Vec<StatusEntry>,
    /// What git ignores, where it was asked for that: files, and folders with a `/` at their end.
    pub(crate) ignored: Vec<String>,
    /// Names that are not UTF-8, escaped for people.
    pub(crate) unreadable: Vec<String>,
}

/// One path that differs between HEAD, index and worktree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StatusEntry {
    pub(crate) path: String,
    pub(crate) kind: PathStatus,
}

impl StatusEntry {
    /// Tells whether it is a cache that is staged and that no commit holds.
    pub(crate) fn is_staged_cache(&self) -> bool {
        match &self.kind {
            PathStatus::Tracked { in_head, .. } => in_head.mode == ABSENT_MODE && is_cache(&self.path),
            PathStatus::Untracked | PathStatus::Unmerged | PathStatus::Submodule => false,
        }
    }
}

/// How a path differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PathStatus {
    Untracked,
    Unmerged,
    Submodule,
    /// Letters as git writes them: index against HEAD, worktree against index. Mode and blob are the index's.
    Tracked {
        index: u8,
        worktree: u8,
        mode: String,
        blob: String,
        in_head: TreeEntry,
    },
}

/// Returns the call that asks for the status.
pub(crate) fn status_call() -> Call {
    Call::new(["status", "--porcelain=v2", "--branch", "--no-ahead-behind", "-z"])
        .args(["--untracked-files=all", "--no-renames"])
}

/// Asks git and reads the answer.
pub(crate) fn read_status(workspace: &Workspace, call: &Call) -> Result<Status> {
    let output = workspace.run(call)?;
    parse_status(&output.stdout).map_err(|why| match why {
        StatusError::Unexpected => output.unexpected_answer(),
        StatusError::Unborn => Error::NoCommits { root: workspace.root().to_owned() },
    })
}

/// Why there is no status.
#[derive(Debug, PartialEq, Eq)]
enum StatusError {
    /// The answer has another form than expected.
    Unexpected,
    /// The branch has no commits.
    Unborn,
}

fn parse_status(answer: &[u8]) -> std::result::Result<Status, StatusError> {
    let (mut commit, mut branch) = (None, None);
    let (mut entries, mut ignored, mut unreadable) = (Vec::new(), Vec::new(), Vec::new());
    for record in answer.split(|byte| *byte == 0).filter(|record| !record.is_empty()) {
        let Ok(record) = std::str::from_utf8(record) else {
            if record.starts_with(b"! ") {
                continue;
            }
            unreadable.push(escape_path(record));
            continue;
        };
        match record.split_once(' ').ok_or(StatusError::Unexpected)? {
            ("#", "branch.oid (initial)") => return Err(StatusError::Unborn),
            ("#", "branch.head (detached)") => {}
            ("#", header) => match header.split_once(' ').ok_or(StatusError::Unexpected)? {
                ("branch.oid", id) => commit = CommitId::try_from(id).ok(),
                ("branch.head", name) => branch = Some(name.to_owned()),
                _ => {}
            },
            ("!", path) => ignored.push(path.to_owned()),
            (letter, rest) => {
                let entry = parse_entry(letter, rest).ok_or(StatusError::Unexpected)?;
                if entry.kind != PathStatus::Untracked || !is_cache(&entry.path) {
                    entries.push(entry);
                }
            }
        }
    }
    let commit = commit.ok_or(StatusError::Unexpected)?;
    Ok(Status { head: Head { commit, branch }, entries, ignored, unreadable })
}

fn parse_entry(letter: &str, rest: &str) -> Option<StatusEntry> {
    let (path, kind) = match letter {
        "?" => (rest, PathStatus::Untracked),
        // XY sub m1 m2 m3 mW h1 h2 h3 path
        "u" => (rest.splitn(10, ' ').nth(9)?, PathStatus::Unmerged),
        // XY sub mH mI mW hH hI path
        "1" => {
            let fields: Vec<&str> = rest.splitn(8, ' ').collect();
            let &[letters, submodule, old, mode, _, id, blob, path] = fields.as_slice() else { return None };
            let &[index, worktree] = letters.as_bytes() else { return None };
            let in_head = TreeEntry { mode: old.into(), id: id.into() };
            let kind = PathStatus::Tracked { index, worktree, mode: mode.into(), blob: blob.into(), in_head };
            (path, if submodule.starts_with('S') { PathStatus::Submodule } else { kind })
        }
        _ => return None,
    };
    Some(StatusEntry { path: path.to_owned(), kind })
}

/// Returns the path of a record, escaped, so that a terminal prints it and does not obey it.
fn escape_path(record: &[u8]) -> String {
    let fields = match record.first() {
        Some(b'?') => 2,
        Some(b'u') => 11,
        _ => 9,
    };
    let path = record.splitn(fields, |byte| *byte == b' ').last().unwrap_or_default();
    path.escape_ascii().to_string()
}

/// Tells whether a path is such a cache, or lies in one.
pub(crate) fn is_cache(path: &str) -> bool {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    folders.split('/').any(|folder| CACHE_FOLDERS.lines().any(|cache| cache == folder))
        || CACHE_ENDINGS.iter().any(|ending| name.len() > ending.len() && name.ends_with(ending))
        || CACHE_FILES.contains(&name)
}

#[cfg(test)]
mod tests;
