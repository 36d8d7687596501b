//! Brings something on a server to the latest state of a run. A task of its own writes, so that no fact waits for the network,
//! and leaves out what was over before its turn came. Knows nothing of what it writes.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Notify, watch};
use tokio::task::JoinHandle;
use tracing::warn;

/// How long the end of a run waits for the last state.
const END_WAIT: Duration = Duration::from_secs(60);

/// The task that writes.
pub(super) struct StateTask {
    ending: Arc<Notify>,
    task: JoinHandle<()>,
}

impl StateTask {
    /// Begins the task and returns by what it is told the state; two writes are so far apart. `write` writes a state or warns,
    /// and tells whether a later one may be written. Needs a runtime.
    pub(super) fn begin<S, W>(
        pace: Duration,
        write: impl Fn(S) -> W + Send + 'static,
    ) -> (watch::Sender<Option<S>>, Self)
    where
        S: Clone + PartialEq + Send + Sync + 'static,
        W: Future<Output = bool> + Send,
    {
        let (wanted, mut seen) = watch::channel(None);
        let ending = Arc::new(Notify::new());
        let ends = Arc::clone(&ending);
        let task = tokio::spawn(async move {
            let mut written = None;
            loop {
                let is_last = tokio::select! {
                    changed = seen.changed() => changed.is_err(),
                    () = ends.notified() => true,
                };
                let wanted = seen.borrow_and_update().clone();
                if wanted != written
                    && let Some(state) = wanted.clone()
                {
                    if !write(state).await {
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
                    () = ends.notified() => ends.notify_one(),
                }
            }
        });
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
