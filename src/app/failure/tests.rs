//! Which error has which kind.

use super::*;

#[test]
fn a_full_disk_is_told_alike_whoever_meets_it() {
    let of_git = Failure::from(git::Error::DiskFull { command: "git commit".into() });
    let source = std::io::ErrorKind::StorageFull.into();
    let file = "events.jsonl".to_owned();
    let of_log = Failure::from(journal::store::StoreError::Io { action: "write to", file, source });
    assert_eq!((of_git.kind, of_log.kind), (FailureKind::State, FailureKind::State));
}
