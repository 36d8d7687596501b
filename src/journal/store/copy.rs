//! A copy of the log under git's common folder, where no checkout, stash or reset reaches. It follows the log and is never
//! ahead of it, so a log that is an earlier state of its copy was taken back by somebody. Whether that was meant is not
//! known here.

use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use super::{StoreError, failed, private, view};
use model::issue::IssueNumber;

/// The copy of the log of one run.
#[derive(Debug, Clone)]
pub struct LogCopy {
    path: PathBuf,
}

impl LogCopy {
    /// Names the copy of the log of an issue's run.
    pub fn of(common: &Path, issue: IssueNumber) -> Self {
        Self { path: private::folder(common, issue).join("events.jsonl") }
    }

    /// Tells whether a log is an earlier state of its copy.
    pub fn is_ahead_of(&self, log: &Path) -> Result<bool, StoreError> {
        let (copy, found) = (bytes_of(&self.path)?, bytes_of(log)?);
        Ok(copy.zip(found).is_some_and(|(copy, found)| is_earlier(&found, &copy)))
    }

    /// Puts a log back that is an earlier state of its copy.
    pub fn put_back(&self, log: &Path) -> Result<(), StoreError> {
        let copy = bytes_of(&self.path)?.unwrap_or_default();
        put_back(log, &copy).map(drop)
    }

    /// Brings the copy to what the log holds, of which so much is new. It only spares a later process a loss, so what
    /// stands in its way stops nothing.
    pub(super) fn follow(&self, written: &[u8], added: usize) {
        let (before, lines) = written.split_at(written.len() - added);
        let is_there = fs::symlink_metadata(&self.path)
            .is_ok_and(|found| found.is_file() && !before.is_empty() && found.len() == before.len() as u64);
        let done = if is_there { self.add(lines) } else { self.replace(written) };
        if let Err(error) = done {
            tracing::debug!("{error}");
        }
    }

    /// Brings a copy that may be older, or of another run, to what the log holds.
    pub(super) fn catch_up(&self, written: &[u8]) {
        if !written.is_empty() && fs::read(&self.path).is_ok_and(|copy| copy != written) {
            self.follow(written, written.len());
        }
    }

    fn add(&self, lines: &[u8]) -> Result<(), StoreError> {
        let opened = OpenOptions::new().append(true).open(&self.path);
        opened.and_then(|mut file| file.write_all(lines)).map_err(failed("write to", &self.path))
    }

    fn replace(&self, written: &[u8]) -> Result<(), StoreError> {
        let folder = self.path.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder).map_err(failed("make the folder", folder))?;
        view::replace(&self.path, written)
    }
}

/// Puts a log back that is an earlier state of what was written: a `git checkout` of what is committed leaves that. Tells
/// whether it was.
pub(super) fn put_back(log: &Path, written: &[u8]) -> Result<bool, StoreError> {
    let is_shorter = |found: fs::Metadata| found.is_file() && found.len() < written.len() as u64;
    if !fs::symlink_metadata(log).is_ok_and(is_shorter) {
        return Ok(false);
    }
    let was_taken_back = bytes_of(log)?.is_some_and(|found| is_earlier(&found, written));
    if was_taken_back {
        let file = log.display();
        tracing::warn!("{file} was taken back to an earlier state; what was written since is put back");
        view::replace_durably(log, written)?;
    }
    Ok(was_taken_back)
}

/// Tells whether whole lines are an earlier state of a log. A file that holds nothing was emptied, which git does not do.
fn is_earlier(found: &[u8], written: &[u8]) -> bool {
    found.ends_with(b"\n") && found.len() < written.len() && written.starts_with(found)
}

/// Returns what an ordinary file holds; of anything else nothing.
fn bytes_of(path: &Path) -> Result<Option<Vec<u8>>, StoreError> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_file() => fs::read(path).map(Some).map_err(failed("read", path)),
        Ok(_) => Ok(None),
        Err(error) if is_missing(&error) => Ok(None),
        Err(error) => Err(failed("look at", path)(error)),
    }
}

fn is_missing(error: &io::Error) -> bool {
    error.kind() == ErrorKind::NotFound
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_lines_from_the_beginning_are_an_earlier_state() {
        let written = b"one\ntwo\nthree\n";
        assert!(is_earlier(b"one\n", written) && is_earlier(b"one\ntwo\n", written));
        for other in
            [&b""[..], b"one", b"one\ntw", b"two\n", b"one\nTWO\n", written, b"one\ntwo\nthree\nfour\n"]
        {
            assert!(!is_earlier(other, written), "{}", String::from_utf8_lossy(other));
        }
    }

    #[test]
    fn a_copy_follows_catches_up_and_tells_when_it_is_ahead() {
        let folder = tempfile::tempdir().expect("a folder");
        let copy = LogCopy::of(folder.path(), IssueNumber::try_from(7).expect("a number"));
        let log = folder.path().join("events.jsonl");
        copy.follow(b"one\n", 4);
        copy.follow(b"one\ntwo\n", 4);
        assert_eq!(fs::read(&copy.path).expect("a copy"), b"one\ntwo\n");
        assert!(!copy.is_ahead_of(&log).expect("looked"), "a log that is gone was not taken back");
        fs::write(&log, "one\n").expect("taken back");
        assert!(copy.is_ahead_of(&log).expect("looked"));
        copy.put_back(&log).expect("put back");
        assert_eq!(fs::read(&log).expect("a log"), b"one\ntwo\n");
        fs::write(&log, "another\n").expect("another run");
        assert!(!copy.is_ahead_of(&log).expect("looked"));
        copy.catch_up(b"another\n");
        assert_eq!(fs::read(&copy.path).expect("a copy"), b"another\n");
        // A write that was cut short, or a run begun anew.
        fs::write(&copy.path, "anoth").expect("cut");
        copy.follow(b"another\nnext\n", 5);
        assert_eq!(fs::read(&copy.path).expect("a copy"), b"another\nnext\n");
    }
}
