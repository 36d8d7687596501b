//! Which error has which kind.

use super::*;

#[test]
fn full_disk_gives_the_same_failure_from_git_and_the_log() {
    let of_git = Failure::from(git::Error::DiskFull { command: "git commit".into() });
    let source = std::io::ErrorKind::StorageFull.into();
    let file = "events.jsonl".to_owned();
    let of_log = Failure::from(journal::store::StoreError::Io { action: "write to", file, source });
    assert_eq!((of_git.kind, of_log.kind), (FailureKind::State, FailureKind::State));
}
