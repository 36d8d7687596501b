//! The engine: `state = fold(apply, facts)` and `decision = decide(state)`, both total and pure.
//! No second loop exists anywhere; the five policies are values that this one reads.
//!
//! The modules are listed in the order of their layers: each uses only those above it.
#![warn(missing_docs)]

mod agents;
mod history;
mod ledger;

mod fix_tasks;

mod phase_state;

mod panel;
mod review_scope;

mod changed_verdicts;
mod findings;
mod judge;
mod review_questions;
mod reviewers;
mod stated_failure;
mod transitions;

mod spending;

mod run;

mod escalation;
mod stop_report;

mod budget;
mod fallback_chain;
mod revision_limit;

mod redo;

mod advance;
mod documents;

mod decide;

mod fact_validation;
mod reopen;

mod apply;

pub use agents::{AgentStates, CalledAgent, Fallback, Outage, UnusableAgent};
pub use apply::{InvalidFact, apply, check_fits, fold};
pub use budget::shortage;
pub use decide::{Action, Call, Decision, decide, rule, unmet_needs};
pub use documents::may_change;
pub use escalation::{job_limit_pause, pause, pause_on_request, rate_limit_pause};
pub use findings::{remarks, state_of};
pub use fix_tasks::{FixTask, FixTasks, LARGEST_BATCH, TaskId, TaskState, items};
pub use history::{
    AnswerDocument, Approval, CallState, ChangedVerdict, Exchange, FallbackChain, History, Opinion,
    ReviewerQuestion, Reviews, Round, StatedFailure, VerdictRecord,
};
pub use ledger::{FindingId, FindingSource, FindingStatus, Ledger, LedgerFinding, Trend, check_identity};
pub use phase_state::{
    Counters, Evidence, PersonDecisions, PhaseFiles, PhaseState, Status, StepPosition, limit_reached,
    used_of_phase,
};
pub use review_questions::AnsweredQuestion;
pub use review_scope::PreviousReview;
pub use run::{
    BranchHeads, FeedbackState, Notice, Publication, ReviewCoverage, Run, State, UnreviewedPhase,
    change_since_approval,
};
pub use spending::{Limit, LimitMeasure, LimitScope, Shortage, Spending, over_budget};
