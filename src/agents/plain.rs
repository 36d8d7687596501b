//! A plain command: its standard output is the answer, its exit code says whether it ended well.

use std::string::FromUtf8Error;

use super::dialect::{Dialect, Ear, Heard, outcome, reason};
use process::{Finish, Launch, Stream};

/// The dialect of `command:PATH` and of profiles that say nothing else.
pub(super) struct Plain;

impl Dialect for Plain {
    fn take(&mut self, stream: Stream, bytes: &[u8], ear: &mut Ear<'_>) {
        ear.raw.take(stream, bytes);
        ear.progress.take(bytes);
    }

    fn heard(self: Box<Self>, launch: &Launch, mut finish: Finish, _: &mut Ear<'_>) -> Heard {
        let lossy = |error: FromUtf8Error| String::from_utf8_lossy(error.as_bytes()).into_owned();
        let text = String::from_utf8(std::mem::take(&mut finish.stdout)).unwrap_or_else(lossy);
        Heard {
            outcome: outcome(&finish.exit, &text),
            reason: reason(launch, &finish, &text),
            truncated: finish.stdout_truncated,
            text,
            ..Heard::default()
        }
    }
}
