//! The engine: `state = fold(apply, facts)` and `decision = decide(state)`, both total and pure.
//! No second loop exists anywhere; the five policies are values that this one reads.

mod state;

mod apply;
mod chain;
mod fits;
mod reopen;
mod round;
mod step;

mod decide;
mod judge;

mod advance;
mod ending;
mod escalation;
mod evaluation;
mod recovery;
mod redo;
mod rule;
mod session;
mod standstill;

pub use crate::event::Spent;
pub use apply::{Misfit, apply, fold};
pub use chain::{Fallback, Unusable};
pub use decide::{Action, Allowance, Assess, Call, Decision, Resume, decide, over_budget, unmet_needs};
pub use rule::rule;
pub use state::{Counters, Past, PhaseState, Round, Run, Stage, State, Status};
