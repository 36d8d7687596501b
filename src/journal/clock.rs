//! The time, as facts carry it: UTC, whole milliseconds. Durations and time limits are not measured with it.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use jiff::Timestamp;

/// Where the time comes from.
#[derive(Debug, Clone, Default)]
pub enum Clock {
    /// The clock of the machine.
    #[default]
    Real,
    /// A clock that stands still until it is moved; its clones move with it.
    Fixed(Arc<AtomicI64>),
}

impl Clock {
    /// Makes a clock that stands still at a time.
    pub fn fixed(at: Timestamp) -> Self {
        Self::Fixed(Arc::new(AtomicI64::new(at.as_millisecond())))
    }

    /// Returns the time in whole milliseconds.
    pub fn now(&self) -> Timestamp {
        let millisecond = match self {
            Self::Real => Timestamp::now().as_millisecond(),
            Self::Fixed(at) => at.load(Ordering::Relaxed),
        };
        Timestamp::from_millisecond(millisecond).unwrap_or(Timestamp::MAX)
    }

    /// Moves a fixed clock on; the real one moves by itself.
    pub fn advance(&self, milliseconds: i64) {
        if let Self::Fixed(at) = self {
            at.fetch_add(milliseconds, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests;
