//! Tests of `output`.

use super::*;

#[test]
fn the_beginning_and_the_end_are_kept() {
    let mut output = BoundedOutput::new(4);
    output.push(b"abc");
    output.push(b"def");
    output.push(&[b'x'; 2 * TAIL]);
    output.push(b"end");
    assert_eq!(output.tail_text(), "x".repeat(TAIL - 3) + "end");
    assert_eq!((output.head, output.truncated), (b"abcd".to_vec(), true));
}

#[test]
fn a_short_output_is_kept_whole() {
    let mut output = BoundedOutput::new(4);
    output.push(b"ab\xff");
    assert_eq!(output.tail_text(), "ab\u{fffd}");
    assert_eq!((output.head, output.truncated), (b"ab\xff".to_vec(), false));
}

#[test]
fn every_end_has_words_for_people() {
    let words: Vec<_> = [
        Exit::Code(3),
        Exit::Signal(9),
        Exit::Signal(64),
        Exit::TimedOut,
        Exit::Idle,
        Exit::Stopped,
        Exit::NotStarted("why".into()),
        Exit::Lost,
    ]
    .iter()
    .map(ToString::to_string)
    .collect();
    assert_eq!(
        words,
        [
            "ended with exit code 3",
            "was ended by signal 9 (SIGKILL)",
            "was ended by signal 64",
            "ran longer than it may",
            "was silent longer than it may",
            "was stopped",
            "could not be started: why",
            "was lost: its supervisor died",
        ]
    );
    assert!(Exit::Code(0).is_success());
    assert!(!Exit::Lost.is_success());
}
