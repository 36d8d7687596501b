//! Tests of `output`.

use super::*;

/// Records the pieces on both outputs.
fn recorded(pieces: &[&[u8]]) -> ProgramEnd {
    let mut on_output = |_, _: &[u8]| {};
    let mut recorder = OutputRecorder::new(4, &mut on_output);
    for piece in pieces {
        recorder.push(Stream::Stdout, piece);
        recorder.push(Stream::Stderr, piece);
    }
    recorder.finish(ProgramExit::Code(0))
}

#[test]
fn beginning_of_stdout_and_end_of_stderr_are_kept() {
    let output = recorded(&[b"abc", b"def", &[b'x'; 2 * TAIL], b"end"]);
    assert_eq!(output.stderr_tail, "x".repeat(TAIL - 3) + "end");
    assert_eq!((output.stdout, output.stdout_truncated), (b"abcd".to_vec(), true));
}

#[test]
fn short_output_is_kept_completely() {
    let output = recorded(&[b"ab\xff"]);
    assert_eq!(output.stderr_tail, "ab\u{fffd}");
    assert_eq!((output.stdout, output.stdout_truncated), (b"ab\xff".to_vec(), false));
}

#[test]
fn every_program_exit_has_a_readable_text() {
    let words: Vec<_> = [
        ProgramExit::Code(3),
        ProgramExit::Signal(9),
        ProgramExit::Signal(64),
        ProgramExit::TimedOut,
        ProgramExit::Idle,
        ProgramExit::Stopped,
        ProgramExit::NotStarted("why".into()),
        ProgramExit::Lost,
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
    assert!(ProgramExit::Code(0).is_success());
    assert!(!ProgramExit::Lost.is_success());
}
