//! What an agent call is given besides its prompt: the session that it continues, and what it may use at most.
//! How a call ended is a fact, defined in `event`.

use crate::event::Usage;

/// A session of an agent that can be continued.
#[derive(Debug, Clone, PartialEq)]
pub struct ResumableSession {
    /// The session's id, as the program gave it.
    pub session: String,
    /// What the session has used so far; programs that report totals report them on top of this.
    pub used: Usage,
}

/// What one call may use at most; a missing figure is no limit. A program that takes limits is given them, and one that
/// reports its usage is ended there.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct CallBudget {
    /// US dollars.
    pub usd: Option<f64>,
    /// Input plus output tokens.
    pub tokens: Option<u64>,
    /// Turns of the model.
    pub turns: Option<u64>,
    /// Seconds of wall time.
    pub seconds: Option<u64>,
}
