//! The handle by which a program is ended from outside. Knows no signals and no processes.

use std::future::pending;

use tokio::sync::watch;

/// How urgently a program is to end, mildest first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Urgency {
    /// Nobody has asked for an end.
    #[default]
    Running,
    /// End in good order: TERM, some time, then KILL.
    Stopping,
    /// End at once.
    Killing,
}

/// The side that asks for the end. Dropping it asks for nothing.
#[derive(Debug, Clone)]
pub struct StopHandle(watch::Sender<Urgency>);

impl StopHandle {
    /// Asks for an end in good order; never makes a request milder.
    pub fn stop(&self) {
        self.raise(Urgency::Stopping);
    }

    /// Asks for an end at once.
    pub fn kill(&self) {
        self.raise(Urgency::Killing);
    }

    /// Asks for this much; never makes a request milder.
    pub fn raise(&self, urgency: Urgency) {
        self.0.send_if_modified(|now| {
            let raised = urgency > *now;
            *now = urgency.max(*now);
            raised
        });
    }
}

/// The side that is ended; clones see the same request.
#[derive(Debug, Clone)]
pub struct Stop(watch::Receiver<Urgency>);

impl Stop {
    /// Returns both sides.
    pub fn new() -> (StopHandle, Self) {
        let (sender, receiver) = watch::channel(Urgency::Running);
        (StopHandle(sender), Self(receiver))
    }

    /// Returns how urgent it is now.
    pub fn urgency(&self) -> Urgency {
        *self.0.borrow()
    }

    /// Waits until it is more urgent than this; for ever when nobody is left who could ask.
    pub async fn beyond(&mut self, urgency: Urgency) -> Urgency {
        if let Ok(now) = self.0.wait_for(|now| *now > urgency).await {
            return *now;
        }
        pending().await
    }
}

#[cfg(test)]
mod tests;
