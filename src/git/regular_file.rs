//! Reads small files of git's and ours, and nothing else that stands in their places: reading a pipe could wait for ever. Also
//! finds pipes and devices below a folder, for which git itself would wait.

use std::fs::{self, FileType};
use std::io::{self, ErrorKind};
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use crate::error::ignore_missing;

/// Reads a file; an error where there is something else.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    if fs::metadata(path)?.is_file() {
        fs::read(path)
    } else {
        Err(io::Error::new(ErrorKind::InvalidInput, "it is no regular file"))
    }
}

/// Reads a file as text; an error where there is something else.
pub fn read_text(path: &Path) -> io::Result<String> {
    String::from_utf8(read(path)?).map_err(|error| io::Error::new(ErrorKind::InvalidData, error))
}

/// Writes a file, in the place of whatever else stands there: writing into a pipe could wait for ever.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if !fs::symlink_metadata(path).is_ok_and(|found| found.is_file()) {
        remove_all(path)?;
    }
    fs::write(path, bytes)
}

/// Removes what stands there, with everything in it.
pub(crate) fn remove_all(path: &Path) -> io::Result<()> {
    let is_folder = fs::symlink_metadata(path).is_ok_and(|found| found.is_dir());
    if is_folder { fs::remove_dir_all(path) } else { ignore_missing(fs::remove_file(path)) }
}

/// Tells whether a pipe or a device stands there. A socket is none: opening one fails at once.
pub(crate) fn is_pipe(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| is_kind_of_pipe(found.file_type()))
}

fn is_kind_of_pipe(kind: FileType) -> bool {
    kind.is_fifo() || kind.is_char_device() || kind.is_block_device()
}

/// Returns the pipes and devices below a folder.
pub(crate) fn list_pipes(folder: &Path, is_passed_over: impl Fn(&Path) -> bool) -> Vec<PathBuf> {
    let (mut folders, mut found) = (vec![folder.to_owned()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir() && !is_passed_over(&entry.path()) {
                folders.push(entry.path());
            } else if is_kind_of_pipe(kind) {
                found.push(entry.path());
            }
        }
    }
    found.sort();
    found
}

#[cfg(test)]
mod tests;
