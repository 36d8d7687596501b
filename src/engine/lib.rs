//! The engine: `state = fold(apply, facts)` and `decision = decide(state)`, both total and pure.
//! No second loop exists anywhere; the five policies are values that this one reads.

mod phase_state;
mod state;

mod apply;
mod approval;
mod asked_of;
mod budget;
mod chain;
mod covered;
mod finder;
mod fits;
mod reopen;
mod round;
mod step;

mod opinion;
mod panel;
mod seats;
mod similar;

mod decide;
mod delta;
mod doubt;
mod exchange;
mod feedback;
mod fix_tasks;
mod judge;
mod ladder;
mod ledger;
mod llm_judge;
mod notices;
mod outage;
mod triage;
mod unfinished;

mod advance;
mod ending;
mod escalation;
mod evaluation;
mod recovery;
mod redo;
mod rule;
mod session;
mod stage;
mod standstill;
mod stopped;

pub use apply::{Misfit, apply, fold};
pub use approval::{Approval, Bound, lapsed, standing_approval};
pub use budget::{Limit, Measure, Scope, Shortage, over_budget, shortage};
pub use chain::{Fallback, Unusable};
pub use covered::{Covered, Unshown};
pub use decide::{Action, Assess, Call, Decision, decide, unmet_needs};
pub use delta::Delta;
pub use ending::{limit_reached, used_of_phase};
pub use escalation::{job_limit_pause, pause_on_request, rate_limit_pause};
pub use exchange::Exchange;
pub use finder::Finder;
pub use fix_tasks::{FixTask, FixTasks, LARGEST_BATCH, TaskId, TaskState, items};
pub use ledger::{FindingId, Ledger, Listed, Standing, Trend, check_identity};
pub use model::event::Spent;
pub use notices::Notice;
pub use opinion::Opinion;
pub use outage::Outage;
pub use rule::rule;
pub use state::{Called, Counters, Day, MadeDocument, Past, PhaseState, Round, Run, Stage, State, Status};
