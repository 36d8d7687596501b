//! The engine: `state = fold(apply, facts)` and `decision = decide(state)`, both total and pure.
//! No second loop exists anywhere; the five policies are values that this one reads.

mod phase_state;
mod state;

mod apply;
mod approval;
mod asked_of;
mod branch;
mod calls;
mod chain;
mod finder;
mod fits;
mod history;
mod reopen;
mod reviews;
mod round;
mod spending;
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
pub use approval::{Approval, VerdictRecord, lapsed, standing_approval};
pub use branch::{BranchState, Coverage, UnreviewedPhase};
pub use calls::{Calls, MadeDocument, Turns};
pub use chain::{AgentStates, CalledAgent, Fallback, Unusable};
pub use decide::{Action, Assess, Call, Decision, decide, unmet_needs};
pub use delta::Delta;
pub use ending::{limit_reached, used_of_phase};
pub use escalation::{job_limit_pause, pause_on_request, rate_limit_pause};
pub use exchange::Exchange;
pub use feedback::FeedbackState;
pub use finder::Finder;
pub use fix_tasks::{FixTask, FixTasks, LARGEST_BATCH, TaskId, TaskState, items};
pub use history::{History, PastRuling, Round};
pub use ledger::{FindingId, Ledger, Listed, Standing, Trend, check_identity};
pub use model::event::Spent;
pub use notices::Notice;
pub use opinion::Opinion;
pub use outage::Outage;
pub use phase_state::{Counters, Evidence, PersonInput, PhaseFiles, PhaseState};
pub use reviews::Reviews;
pub use rule::rule;
pub use spending::{Day, Limit, Measure, Scope, Shortage, Spending, over_budget, shortage};
pub use state::{Publication, Run, Stage, State, Status};
