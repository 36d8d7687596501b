//! A reader of stdout that goes away, and a disk that is full.

use super::*;

/// Takes nothing, for a reason.
struct Refusing(io::ErrorKind);

impl Write for Refusing {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(self.0.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Err(self.0.into())
    }
}

#[test]
fn broken_pipe_is_the_only_write_error_that_is_ignored() {
    assert!(written(b"x", &mut Refusing(io::ErrorKind::BrokenPipe)).is_ok());
    let failure = written(b"x", &mut Refusing(io::ErrorKind::StorageFull)).expect_err("the disk is full");
    assert_eq!((failure.kind, failure.hints.len()), (FailureKind::State, 1));
    assert!(failure.message.starts_with("failed to write to stdout: "), "{}", failure.message);
    let mut out = Vec::new();
    assert!(written(b"x", &mut out).is_ok());
    assert_eq!(out, b"x");
}
