//! Brings something on a server to the latest state of a run. A task of its own writes, so that no fact waits for the network,
//! and leaves out what was over before its turn came. Knows nothing of what it writes.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Notify, watch};
use tokio::task::JoinHandle;
use tracing::warn;

/// How long the end of a run waits for the last state.
const END_WAIT: Duration = Duration::from_secs(60);

/// Writes states of one kind.
pub(super) trait StateWriter<S>: Send + 'static {
    /// Writes a state, or warns; tells whether a later one may be written.
    fn write(&mut self, state: &S) -> impl Future<Output = bool> + Send;
}

/// The task that writes.
pub(super) struct StateTask {
    ending: Arc<Notify>,
    task: JoinHandle<()>,
}

impl StateTask {
    /// Begins the task and returns by what it is told the state; two writes are so far apart. Needs a runtime.
    pub(super) fn begin<S>(pace: Duration, writer: impl StateWriter<S>) -> (watch::Sender<Option<S>>, Self)
    where
        S: Clone + PartialEq + Send + Sync + 'static,
    {
        let (wanted, seen) = watch::channel(None);
        let ending = Arc::new(Notify::new());
        let task = tokio::spawn(write_latest(seen, Arc::clone(&ending), pace, writer));
        (wanted, Self { ending, task })
    }

    /// Has the last state written and waits for that, but not for ever: then it warns.
    pub(super) async fn end(self, warning: &str) {
        self.ending.notify_one();
        if tokio::time::timeout(END_WAIT, self.task).await.is_err() {
            warn!("{warning}");
        }
    }
}

async fn write_latest<S: Clone + PartialEq>(
    mut seen: watch::Receiver<Option<S>>,
    ending: Arc<Notify>,
    pace: Duration,
    mut writer: impl StateWriter<S>,
) {
    let mut written = None;
    loop {
        let is_last = tokio::select! {
            changed = seen.changed() => changed.is_err(),
            () = ending.notified() => true,
        };
        let wanted = seen.borrow_and_update().clone();
        if wanted != written
            && let Some(state) = &wanted
        {
            if !writer.write(state).await {
                return;
            }
            written = wanted;
        }
        if is_last {
            return;
        }
        tokio::select! {
            () = tokio::time::sleep(pace) => {}
            // The next turn is the last one.
            () = ending.notified() => ending.notify_one(),
        }
    }
}
