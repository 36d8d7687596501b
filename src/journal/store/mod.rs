//! What a run leaves on disk: the log (the truth), the view of it, the lock, the folders and the pointers.
//! Knows how to write so that a crash costs nothing; does not know what the facts mean, nor what time it is.

pub mod checkout;
pub mod copy;
pub mod day;
pub mod finalized;
pub mod folders;
pub mod job;
pub mod lock;
pub mod log;
pub mod pointer;
mod private;
pub mod seal;
pub mod view;

use std::io;
use std::path::Path;

use sha2::{Digest, Sha256};

use model::event;

/// Says what is wrong with the files of a run. Every one of them stops the run; none changes a file.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("{file} is damaged at line {line}: {why}")]
    Damaged { file: String, line: usize, why: String },
    #[error("{file}, line {line}, has format {format}; this program knows formats up to {known}", known = event::FORMAT)]
    Newer { file: String, line: usize, format: u64 },
    #[error("{file} was changed by somebody else while the run was going on: {why}")]
    Tampered { file: String, why: String },
    #[error(
        "E_JOB_FILES_CHANGED: an agent or a command wrote to the file in ${variable}, which later steps of the job obey"
    )]
    JobFile { variable: &'static str },
    #[error("{file} is {what}")]
    Foreign { file: String, what: &'static str },
    #[error("cannot {action} {file}: {source}")]
    Io { action: &'static str, file: String, source: io::Error },
    #[error("entry {seq} would not read back: {why}")]
    Unwritable { seq: u64, why: String },
}

impl StoreError {
    /// Returns what a person can do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Damaged { .. } => {
                "nothing was changed; restore the file from the run's branch (`git checkout -- FILE`) or start anew with `cleanup`"
            }
            Self::Newer { .. } => "use the version of ai-workflow that wrote it, or a later one",
            Self::Tampered { .. } => {
                "only ai-workflow writes this file; look at what was running, restore the file, then run the same command again"
            }
            Self::JobFile { .. } => {
                "what it wrote was taken out again; look at what the agent and the tests of the repository did"
            }
            Self::Foreign { .. } => "move it out of the way, then run the same command again",
            Self::Io { .. } if self.is_disk_full() => "free some space, then run the same command again",
            Self::Io { .. } => "look at the permissions and the disk, then run the same command again",
            Self::Unwritable { .. } => "this is a bug of ai-workflow; please report it",
        }
    }

    /// Tells whether there was no room left.
    pub fn is_disk_full(&self) -> bool {
        use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
        matches!(self, Self::Io { source, .. } if matches!(source.kind(), StorageFull | QuotaExceeded | FileTooLarge))
    }
}

/// Returns what turns an input/output error into ours, which names the file.
fn failed(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> StoreError {
    let file = path.display().to_string();
    move |source| StoreError::Io { action, file, source }
}

/// Returns a SHA-256 in lower-case hex.
fn sha256_hex(parts: &[&[u8]]) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update(part);
    }
    hex(&hasher.finalize())
}

fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |nibble: u8| char::from(DIGITS[usize::from(nibble)]);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_is_written_in_lower_case_hex() {
        let of_abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(sha256_hex(&[b"a", b"bc"]), of_abc);
    }

    #[test]
    fn every_error_names_the_file_and_a_way_out() {
        let full = failed("write", Path::new("x/events.jsonl"))(io::ErrorKind::StorageFull.into());
        assert_eq!(full.to_string(), "cannot write x/events.jsonl: no storage space");
        assert!(full.is_disk_full() && full.hint().contains("free some space"));
        let denied = failed("read", Path::new("y"))(io::ErrorKind::PermissionDenied.into());
        assert!(!denied.is_disk_full() && denied.hint().contains("permissions"));
        let ours = StoreError::Unwritable { seq: 3, why: "no such phase".to_owned() };
        assert_eq!(ours.to_string(), "entry 3 would not read back: no such phase");
        assert!(ours.hint().contains("bug"));
    }
}
