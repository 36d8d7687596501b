//! The files that an agent reads and writes through us: in the worktree only, none through a link that leads out, none
//! that is huge.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use agent_client_protocol::v1::schema::{ReadTextFileRequest, WriteTextFileRequest};

/// How many bytes a file may have that is still read.
const LARGEST: u64 = 4 * 1024 * 1024;

/// Says why a file is not read or not written.
#[derive(Debug, thiserror::Error)]
pub(super) enum FileError {
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
pub(super) fn read(worktree: &Path, request: &ReadTextFileRequest) -> Result<String, FileError> {
    let path = &request.path;
    let real = resolve(worktree, path).ok_or_else(|| FileError::Outside(path.clone()))?;
    let text = read_whole(&real, path)?;
    let Some(limit) = request.limit.or(request.line.map(|_| u32::MAX)) else { return Ok(text) };
    let before = request.line.unwrap_or(1).saturating_sub(1);
    let lines = text.split_inclusive('\n').skip(before as usize);
    Ok(lines.take(limit as usize).collect())
}

fn read_whole(real: &Path, path: &Path) -> Result<String, FileError> {
    let failed = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => FileError::NotFound(path.to_owned()),
        _ => FileError::Other(path.to_owned(), error),
    };
    if !real.metadata().map_err(failed)?.is_file() {
        return Err(FileError::NotPlain(path.to_owned()));
    }
    let mut text = String::new();
    let file = File::open(real).map_err(failed)?;
    let length = file.take(LARGEST + 1).read_to_string(&mut text).map_err(failed)?;
    if length as u64 > LARGEST { Err(FileError::Huge(path.to_owned())) } else { Ok(text) }
}

/// Writes a file for an author, its folders too.
pub(super) fn write(
    worktree: &Path,
    read_only: bool,
    request: &WriteTextFileRequest,
) -> Result<(), FileError> {
    let path = &request.path;
    if read_only {
        return Err(FileError::Reviewer);
    }
    let real = resolve_writable(worktree, path).ok_or_else(|| FileError::Outside(path.clone()))?;
    let failed = |error| FileError::Other(path.clone(), error);
    if real.exists() && !real.is_file() {
        return Err(FileError::NotPlain(path.clone()));
    }
    if let Some(folder) = real.parent() {
        fs::create_dir_all(folder).map_err(failed)?;
    }
    fs::write(&real, &request.content).map_err(failed)
}

/// Returns the real path of something in the worktree that exists or could be made; nothing when it leads out.
pub(crate) fn resolve(worktree: &Path, path: &Path) -> Option<PathBuf> {
    if path.components().any(|part| part == Component::ParentDir) {
        return None;
    }
    let real = real(&worktree.join(path))?;
    if real.starts_with(worktree) { Some(real) } else { None }
}

/// Returns the real path of something that an author may change: nothing of git's own, and no link.
pub(super) fn resolve_writable(worktree: &Path, path: &Path) -> Option<PathBuf> {
    let real = resolve(worktree, path)?;
    let below = real.strip_prefix(worktree).ok()?;
    let is_gits = below.components().any(|part| part.as_os_str().eq_ignore_ascii_case(".git"));
    let is_writable = !is_gits && below.file_name().is_some() && !worktree.join(path).is_symlink();
    if is_writable { Some(real) } else { None }
}

/// Resolves the part that exists; a link to nowhere has no real path.
fn real(path: &Path) -> Option<PathBuf> {
    let existing = path.ancestors().find(|ancestor| ancestor.symlink_metadata().is_ok())?;
    let missing = path.strip_prefix(existing).ok()?;
    let real = existing.canonicalize().ok()?;
    Some(if missing.as_os_str().is_empty() { real } else { real.join(missing) })
}

#[cfg(test)]
mod tests;
