//! What this process finds around it: variables, the current folder, the name of the user, the signals that it gets; and the
//! runtime on which its asynchronous work happens. Knows no repository.

use std::ffi::OsString;
use std::io::{IsTerminal, stderr, stdin};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock, RwLock};

use tokio::signal::unix::{SignalKind, signal};
use tokio::task::JoinHandle;

use crate::failure::{Failure, FailureKind, Result};
use model::redact::Masker;
use process::StopHandle;

/// Returns the environment of this process as far as its names are text.
pub(crate) fn environment() -> impl Iterator<Item = (String, String)> {
    let is_text = |(name, value): (OsString, OsString)| {
        Some((name.into_string().ok()?, value.to_string_lossy().into_owned()))
    };
    std::env::vars_os().filter_map(is_text)
}

/// Returns a variable of this process; one that is empty counts as missing.
pub fn variable(name: &str) -> Option<String> {
    environment().find(|(found, value)| found == name && !value.trim().is_empty()).map(|(_, value)| value)
}

/// The secrets of the settings that were loaded last; logs and failures are masked by them.
static KNOWN: RwLock<Option<Masker>> = RwLock::new(None);

/// Returns what masks everything this process prints: the secrets of the settings, or else of our environment alone.
pub fn masker() -> Masker {
    let known = KNOWN.read().ok().and_then(|known| known.clone());
    known.unwrap_or_else(|| Masker::from_environment(environment()))
}

/// Masks by these secrets from now on.
pub(crate) fn remember(masker: &Masker) {
    if let Ok(mut known) = KNOWN.write() {
        *known = Some(masker.clone());
    }
}

/// Returns how this process was called.
pub(crate) fn command_line() -> String {
    std::env::args().collect::<Vec<_>>().join(" ")
}

/// Returns the folder the user stands in.
pub fn current_folder() -> Result<PathBuf> {
    std::env::current_dir()
        .map_err(|error| Failure::usage(format!("the current folder cannot be read: {error}")))
}

/// Tells whether a person is at the terminal; else a default spending limit counts.
pub(crate) fn is_attended() -> bool {
    stderr().is_terminal() && stdin().is_terminal()
}

/// Returns the name of the person at the keyboard, as far as the environment knows it.
pub(crate) fn user_name() -> String {
    std::env::var("USER").ok().filter(|name| !name.is_empty()).unwrap_or_else(|| "a person".into())
}

/// Starts the runtime all asynchronous work happens on: one thread, so that children die with the right parent.
pub fn runtime() -> Result<tokio::runtime::Runtime> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime
        .map_err(|error| Failure::new(FailureKind::OurBug, format!("the runtime cannot be started: {error}")))
}

/// Watches SIGINT and SIGTERM: the first asks the run to stop in good order, the second kills the agent at once.
pub(crate) fn watch_signals(handle: StopHandle, seen: Arc<OnceLock<&'static str>>) -> Result<JoinHandle<()>> {
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
