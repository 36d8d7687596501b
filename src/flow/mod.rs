//! The engine: `state = fold(apply, facts)` and `decision = decide(state)`, both total and pure.
//! No second loop exists anywhere; the five policies are values that this one reads.

mod phase_state;
mod state;

mod apply;
mod budget;
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
pub use budget::{Limit, Measure, Scope, Shortage, over_budget, shortage};
pub use chain::{Fallback, Unusable};
pub use decide::{Action, Allowance, Assess, Call, Decision, Resume, decide, unmet_needs};
pub use rule::rule;
pub use state::{Called, Counters, Day, Past, PhaseState, Round, Run, Stage, State, Status};
