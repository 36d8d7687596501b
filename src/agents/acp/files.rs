//! The files that an agent reads and writes through us: in the worktree only, none through a link, none that is huge.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use agent_client_protocol::v1::schema::{ReadTextFileRequest, WriteTextFileRequest};

use super::inside::{changeable, inside};
use super::policy::Policy;

/// How large a file is that is still read.
const LARGEST: u64 = 4 * 1024 * 1024;

/// Says why a file is not read or not written.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failed {
    #[error("`{}` is outside the worktree, or nobody's to change", .0.display())]
    Outside(PathBuf),
    #[error("a reviewer changes nothing")]
    Reviewer,
    #[error("`{}` is larger than what is read for an agent", .0.display())]
    Huge(PathBuf),
    #[error("`{}` is no plain file", .0.display())]
    NotPlain(PathBuf),
    #[error("`{}` was not found", .0.display())]
    NotFound(PathBuf),
    #[error("`{}`: {}", .0.display(), .1)]
    Other(PathBuf, io::Error),
}

/// Returns the lines of a file that are asked for.
pub(super) fn read(policy: &Policy, request: &ReadTextFileRequest) -> Result<String, Failed> {
    let path = &request.path;
    let real = inside(&policy.worktree, path).ok_or_else(|| Failed::Outside(path.clone()))?;
    let text = read_whole(&real, path)?;
    let Some(limit) = request.limit.or(request.line.map(|_| u32::MAX)) else { return Ok(text) };
    let before = request.line.unwrap_or(1).saturating_sub(1);
    let lines = text.split_inclusive('\n').skip(before as usize);
    Ok(lines.take(limit as usize).collect())
}

fn read_whole(real: &Path, path: &Path) -> Result<String, Failed> {
    let failed = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => Failed::NotFound(path.to_owned()),
        _ => Failed::Other(path.to_owned(), error),
    };
    if !real.metadata().map_err(failed)?.is_file() {
        return Err(Failed::NotPlain(path.to_owned()));
    }
    let mut text = String::new();
    let file = File::open(real).map_err(failed)?;
    let length = file.take(LARGEST + 1).read_to_string(&mut text).map_err(failed)?;
    if length as u64 > LARGEST { Err(Failed::Huge(path.to_owned())) } else { Ok(text) }
}

/// Writes a file for an author, its folders too.
pub(super) fn write(policy: &Policy, request: &WriteTextFileRequest) -> Result<(), Failed> {
    let path = &request.path;
    if policy.read_only {
        return Err(Failed::Reviewer);
    }
    let real = changeable(&policy.worktree, path).ok_or_else(|| Failed::Outside(path.clone()))?;
    let failed = |error| Failed::Other(path.clone(), error);
    if real.exists() && !real.is_file() {
        return Err(Failed::NotPlain(path.clone()));
    }
    if let Some(folder) = real.parent() {
        fs::create_dir_all(folder).map_err(failed)?;
    }
    fs::write(&real, &request.content).map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    /// A worktree with a file, and what lies beside it.
    fn scene() -> (tempfile::TempDir, Policy) {
        let folder = tempfile::tempdir().expect("a folder");
        let worktree = folder.path().canonicalize().expect("it is there").join("worktree");
        fs::create_dir(&worktree).expect("a worktree");
        fs::write(worktree.join("a"), "one\ntwo\nthree\n").expect("a file");
        fs::write(folder.path().join("secret"), "secret").expect("a file");
        symlink("../secret", worktree.join("link")).expect("a link");
        (folder, Policy { worktree, read_only: false, commands: vec![] })
    }

    fn asked(policy: &Policy, path: &str, line: Option<u32>, limit: Option<u32>) -> Result<String, String> {
        let request = ReadTextFileRequest::new("s", policy.worktree.join(path)).line(line).limit(limit);
        read(policy, &request)
            .map_err(|error| error.to_string().replace(&*policy.worktree.to_string_lossy(), "W"))
    }

    #[test]
    fn the_lines_that_are_asked_for_are_read() {
        let (_folder, policy) = scene();
        let read = |line, limit| asked(&policy, "a", line, limit).expect("readable");
        assert_eq!(read(None, None), "one\ntwo\nthree\n");
        assert_eq!(read(Some(2), None), "two\nthree\n");
        assert_eq!(read(Some(2), Some(1)), "two\n");
        assert_eq!(read(None, Some(1)), "one\n");
        assert_eq!(read(Some(9), Some(1)), "");
    }

    #[test]
    fn what_is_not_a_plain_file_in_the_worktree_is_not_read() {
        let (_folder, policy) = scene();
        fs::write(policy.worktree.join("huge"), "x".repeat(4 << 20) + "x").expect("a file");
        let said = |path: &str| asked(&policy, path, None, None).expect_err(path);
        assert_eq!(said("link"), "`W/link` is outside the worktree, or nobody's to change");
        assert_eq!(said("none"), "`W/none` was not found");
        assert_eq!(said(""), "`W/` is no plain file");
        assert_eq!(said("huge"), "`W/huge` is larger than what is read for an agent");
    }

    #[test]
    fn an_author_writes_in_the_worktree_and_a_reviewer_nowhere() {
        let (folder, mut policy) = scene();
        let put = |policy: &Policy, path: &str| {
            write(policy, &WriteTextFileRequest::new("s", policy.worktree.join(path), "new"))
        };
        put(&policy, "new/b").expect("an author may");
        assert_eq!(fs::read_to_string(policy.worktree.join("new/b")).expect("it is there"), "new");
        assert!(matches!(put(&policy, "link"), Err(Failed::Outside(_))));
        assert!(matches!(put(&policy, ".git/config"), Err(Failed::Outside(_))));
        assert!(matches!(put(&policy, "new"), Err(Failed::NotPlain(_))));
        policy.read_only = true;
        assert!(matches!(put(&policy, "a"), Err(Failed::Reviewer)));
        assert_eq!(fs::read_to_string(folder.path().join("secret")).expect("it is there"), "secret");
    }
}
