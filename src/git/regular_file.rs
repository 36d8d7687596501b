//! Reads small files of git's and ours, and nothing else that stands in their places: reading a pipe could wait for ever.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

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

#[cfg(test)]
mod tests;
