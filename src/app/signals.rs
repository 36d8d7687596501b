//! SIGINT and SIGTERM: the first asks the run to stop in good order, the second kills the agent at once.

use std::sync::{Arc, OnceLock};

use tokio::signal::unix::{SignalKind, signal};
use tokio::task::JoinHandle;

use crate::failure::{Failure, FailureKind, Result};
use process::StopHandle;

/// Watches the signals of this process.
pub fn watch(handle: StopHandle, seen: Arc<OnceLock<&'static str>>) -> Result<JoinHandle<()>> {
    let failed = |error| Failure::new(FailureKind::OurBug, format!("signals cannot be watched: {error}"));
    let mut interrupt = signal(SignalKind::interrupt()).map_err(failed)?;
    let mut terminate = signal(SignalKind::terminate()).map_err(failed)?;
    Ok(tokio::spawn(async move {
        let mut first = true;
        loop {
            let name = tokio::select! {
                _ = interrupt.recv() => "SIGINT",
                _ = terminate.recv() => "SIGTERM",
            };
            let _ = seen.set(name);
            if first {
                handle.stop();
            } else {
                handle.kill();
            }
            first = false;
        }
    }))
}
