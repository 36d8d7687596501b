//! The files that an agent reads and writes through us: in the worktree only, none through a link that leads out, none
//! that is huge.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use agent_client_protocol::v1::schema::{ReadTextFileRequest, WriteTextFileRequest};

use crate::worktree_path::{resolve, resolve_writable};

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

#[cfg(test)]
mod tests;
