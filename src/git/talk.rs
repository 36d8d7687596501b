//! Feeds a running git and reads it at the same time, because it may answer before it has read everything.
//! Ends it when we have read enough or waited long enough. What the answer means is not known here.

use std::io::{self, Read, Write};
use std::process::Child;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use super::call::Call;
use super::output::Output;

/// Waits for the end of a git.
pub(super) fn talk(mut child: Child, call: &Call, patience: Duration) -> io::Result<Output> {
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let (id, alone) = (child.id(), !call.asks_person);
    let (stdout, stderr, late) = thread::scope(|scope| {
        if let (Some(mut stdin), Some(input)) = (stdin, call.input.as_deref()) {
            // A git that ends early says why on stderr; the broken pipe adds nothing.
            scope.spawn(move || drop(stdin.write_all(input)));
        }
        let (ended, end) = mpsc::channel::<()>();
        let watch = scope.spawn(move || {
            let late = end.recv_timeout(patience) == Err(RecvTimeoutError::Timeout);
            if late {
                kill(id, alone);
            }
            late
        });
        let complaints = scope.spawn(move || read(stderr, None));
        let answer = read(stdout, call.limit.map(|limit| limit + 1));
        if exceeds(&answer, call.limit) {
            kill(id, alone);
        }
        let complaints = complaints.join().expect("reading does not panic");
        drop(ended);
        (answer, complaints, watch.join().expect("waiting does not panic"))
    });
    // Only now: until it is waited for, its id belongs to nobody else.
    let status = child.wait()?;
    let truncated = exceeds(&stdout, call.limit);
    let (mut stdout, stderr) = (stdout?, stderr?);
    stdout.truncate(call.limit.unwrap_or(usize::MAX));
    Ok(Output { status, stdout, truncated, late, stderr })
}

fn exceeds(answer: &io::Result<Vec<u8>>, limit: Option<usize>) -> bool {
    limit.is_some_and(|limit| answer.as_ref().is_ok_and(|answer| answer.len() > limit))
}

fn read(stream: Option<impl Read>, limit: Option<usize>) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if let Some(stream) = stream {
        stream.take(limit.map_or(u64::MAX, |limit| limit as u64)).read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

/// Kills a git, with everything it started when it is alone in its process group. It may have ended by itself meanwhile.
#[cfg(unix)]
fn kill(id: u32, alone: bool) {
    use rustix::process::{Pid, Signal, kill_process, kill_process_group};
    let Some(id) = i32::try_from(id).ok().and_then(Pid::from_raw) else { return };
    let _ = if alone { kill_process_group(id, Signal::KILL) } else { kill_process(id, Signal::KILL) };
}

/// Without signals a git that we have read enough of ends by the closed pipe, and one that hangs is not ended.
#[cfg(not(unix))]
fn kill(_: u32, _: bool) {}
