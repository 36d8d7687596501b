//! The engine: `state = fold(apply, facts)` and `decision = decide(state)`, both total and pure.
//! No second loop exists anywhere; the five policies are values that this one reads.
//!
//! The modules stand in the order of their layers: one uses only those above it.
#![warn(missing_docs)]

mod fix_tasks;
mod history;
mod ledger;
mod reviews;

mod phase_state;

mod delta;
mod panel;
mod recovery;

mod findings;
mod judge;
mod reviewers;
mod transitions;

mod agents;
mod branch;
mod spending;

mod run;

mod approval;
mod escalation;

mod budget;
mod chain;
mod redo;

mod advance;
mod rule;

mod decide;

mod apply;
mod fits;
mod reopen;

pub use agents::{AgentStates, CalledAgent, Fallback, Outage, Unusable};
pub use apply::{InvalidFact, apply, fold};
pub use approval::{lapsed, standing_approval};
pub use branch::{BranchState, Coverage, UnreviewedPhase};
pub use budget::shortage;
pub use decide::{Action, Call, Decision, decide, unmet_needs};
pub use delta::Delta;
pub use escalation::{job_limit_pause, pause_on_request, rate_limit_pause};
pub use findings::{remarks, state_of};
pub use fix_tasks::{FixTask, FixTasks, LARGEST_BATCH, TaskId, TaskState, items};
pub use history::{Calls, Chain, History, MadeDocument, Round};
pub use ledger::{Finder, FindingId, Ledger, LedgerFinding, Standing, Trend, check_identity};
pub use model::event::Spent;
pub use phase_state::{
    Counters, Evidence, PersonInput, PhaseFiles, PhaseState, Stage, Status, limit_reached, used_of_phase,
};
pub use reviews::{Approval, Exchange, Opinion, Reviews, VerdictRecord};
pub use rule::rule;
pub use run::{FeedbackState, Notice, Publication, Run, State};
pub use spending::{Day, Limit, Measure, Scope, Shortage, Spending, over_budget};
