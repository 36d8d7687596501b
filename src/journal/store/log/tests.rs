//! Tests of `log`.

use super::*;

#[test]
fn earlier_log_state_is_a_prefix_of_whole_lines() {
    let written = b"one\ntwo\nthree\n";
    assert!(is_earlier(b"one\n", written) && is_earlier(b"one\ntwo\n", written));
    for other in [&b""[..], b"one", b"one\ntw", b"two\n", b"one\nTWO\n", written, b"one\ntwo\nthree\nfour\n"]
    {
        assert!(!is_earlier(other, written), "{}", String::from_utf8_lossy(other));
    }
}

#[test]
fn log_copy_follows_catches_up_and_detects_being_ahead() {
    let folder = tempfile::tempdir().expect("a folder");
    let copy = LogCopy::of(folder.path(), IssueNumber::try_from(7).expect("a number"));
    let log = folder.path().join("events.jsonl");
    copy.update(b"one\n", 4);
    copy.update(b"one\ntwo\n", 4);
    assert_eq!(fs::read(&copy.path).expect("a copy"), b"one\ntwo\n");
    assert!(!copy.is_ahead_of(&log).expect("looked"), "a log that is gone was not taken back");
    fs::write(&log, "one\n").expect("taken back");
    assert!(copy.is_ahead_of(&log).expect("looked"));
    copy.restore(&log).expect("put back");
    assert_eq!(fs::read(&log).expect("a log"), b"one\ntwo\n");
    fs::write(&log, "another\n").expect("another run");
    assert!(!copy.is_ahead_of(&log).expect("looked"));
    copy.catch_up(b"another\n");
    assert_eq!(fs::read(&copy.path).expect("a copy"), b"another\n");
    // A write that was cut short, or a run begun anew.
    fs::write(&copy.path, "anoth").expect("cut");
    copy.update(b"another\nnext\n", 5);
    assert_eq!(fs::read(&copy.path).expect("a copy"), b"another\nnext\n");
}
