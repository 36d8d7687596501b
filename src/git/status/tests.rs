//! Tests of `status`.

use super::*;

#[test]
fn cache_files_are_recognized_by_name() {
    for path in ["__pycache__/a.txt", "a/.pytest_cache/v/x", "a/b.pyc", "c.pyo", ".coverage", "x/.tox/"] {
        assert!(is_cache(path), "{path}");
    }
    for path in ["a.py", "pytest_cache/a", "a/__pycache__", ".coveragerc", ".pyc", "cache/a", "a.pyc.md"] {
        assert!(!is_cache(path), "{path}");
    }
}

const ID: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

fn parsed(records: &[&str]) -> std::result::Result<Status, StatusError> {
    let text = records.iter().fold(String::new(), |text, record| text + record + "\0");
    parse_status(text.as_bytes())
}

#[test]
fn every_kind_of_status_entry_is_parsed() {
    let oid = format!("# branch.oid {ID}");
    let unmerged = format!("u UU N... 1 2 3 4 {ID} {ID} {ID} a b");
    let tracked = format!("1 .M N... 100644 100644 100644 {ID} {ID} a \n\"b");
    let submodule = format!("1 .M SC.. 160000 160000 160000 {ID} {ID} sub");
    let status = parsed(&[
        &oid,
        "# branch.head main",
        "# branch.upstream origin/main",
        &tracked,
        &submodule,
        &unmerged,
        "? -x",
        "! target/",
    ]);
    let status = status.expect("it is readable");
    assert_eq!(status.head.commit.as_str(), ID);
    assert_eq!(status.head.branch.as_deref(), Some("main"));
    let in_head = TreeEntry { mode: "100644".into(), id: ID.into() };
    let (mode, blob) = ("100644".into(), ID.into());
    let kind = PathStatus::Tracked { index: b'.', worktree: b'M', mode, blob, in_head };
    assert_eq!(status.ignored, ["target/"]);
    assert_eq!(
        status.entries,
        [
            StatusEntry { path: "a \n\"b".into(), kind },
            StatusEntry { path: "sub".into(), kind: PathStatus::Submodule },
            StatusEntry { path: "a b".into(), kind: PathStatus::Unmerged },
            StatusEntry { path: "-x".into(), kind: PathStatus::Untracked },
        ]
    );
}

#[test]
fn unexpected_status_format_is_refused() {
    let oid = format!("# branch.oid {ID}");
    for foreign in ["M  a", "1 .M N... x", "x y", "1 . N... 1 2 3 4 5 6", "nothing"] {
        assert_eq!(parsed(&[&oid, foreign]).err(), Some(StatusError::Unexpected), "{foreign}");
    }
    assert_eq!(parsed(&["# branch.head main"]).err(), Some(StatusError::Unexpected));
    assert_eq!(parsed(&["# branch.oid (initial)"]).err(), Some(StatusError::Unborn));
}

#[test]
fn non_utf8_names_are_escaped() {
    let mut bytes = format!("# branch.oid {ID}\0# branch.head (detached)\0").into_bytes();
    bytes.extend_from_slice(b"? a b\xff\0");
    bytes.extend_from_slice(format!("1 .M N... 1 2 3 {ID} {ID} c ").as_bytes());
    bytes.extend_from_slice(b"\xfe\0! d \xfe\0");
    let status = parse_status(&bytes).expect("it is readable");
    assert_eq!(status.unreadable, ["a b\\xff", "c \\xfe"]);
    assert_eq!(status.head.branch, None);
}
