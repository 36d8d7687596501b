//! Where a run stands: what the fold of its facts amounts to.
//! Nothing here is accepted from an agent; counters, statuses and verdicts are computed.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use super::chain::{Fallback, Unusable};
use super::covered::Covered;
use super::notices::Notice;
use super::outage::Outage;
pub use super::phase_state::{Counters, MadeDocument, Past, PhaseState, Round};
pub use super::stage::{Stage, Status};
use model::event::{Asked, Escalation, FedBack, Outcome, Program, RunStarted, Spent, SpentElsewhere};
use model::phase::{PhaseName, Step};
use model::policy::{Budget, BudgetScopes, Difficulty};

/// Where a run stands. Before the first fact there is no [`Run`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct State {
    pub seq: u64,
    pub run: Option<Run>,
}

/// A run that has begun.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    pub started: RunStarted,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    /// In the order of the agreement.
    pub phases: Vec<PhaseState>,
    pub outcome: Outcome,
    pub asked: Asked,
    /// The limits in force.
    pub budget: Budget,
    pub budget_scopes: BudgetScopes,
    /// What the issue counts as, once it was assessed.
    pub difficulty: Option<Difficulty>,
    pub paused: Option<Escalation>,
    pub spent: Spent,
    /// Agents that are passed over where another one is left.
    pub unusable: BTreeMap<String, Unusable>,
    /// Providers that fail now.
    pub outage: Option<Outage>,
    /// Every agent that was called, once for each program it told of.
    pub called: Vec<Called>,
    /// Who took over from whom.
    pub fallbacks: Vec<Fallback>,
    /// What the run has spent on the day of its latest call.
    pub day: Option<Day>,
    /// What other runs have spent.
    pub elsewhere: Option<SpentElsewhere>,
    /// What one call of each kind has cost at most.
    pub dearest: BTreeMap<Step, Spent>,
    /// What the latest call has used, until a person goes on in spite of it.
    pub latest_call: Spent,
    /// The first agent whose price nobody knows.
    pub unpriced: Option<String>,
    /// The limits that were warned of.
    pub warned: BTreeSet<String>,
    /// How often the evaluation sent the run back.
    pub cycles: u32,
    /// A scripted or plain-command agent took part.
    pub simulated: bool,
    /// The commit where the engine knows the branch to stand.
    pub head: String,
    /// The same without our own records of how a run halted, which hold nothing but the log.
    pub content_head: String,
    /// The commit of the phase that ended last, whatever was put on the branch since; the base before the first.
    pub phase_head: String,
    /// How far somebody looked at what the branch holds.
    pub covered: Covered,
    /// Number and address of the pull request, once there is one.
    pub pull_request: Option<(Option<u64>, String)>,
    /// The id of its comment on the issue.
    pub progress_comment: Option<u64>,
    /// It took the place of one that somebody deleted; another one would be importunate.
    pub comment_was_replaced: bool,
    /// Number and address of the issue with what is left for later.
    pub follow_up: Option<(u64, String)>,
    /// The pull request left its draft when the run was completed.
    pub is_ready: bool,
    /// The owners that were asked to review.
    pub reviewers: Option<Vec<String>>,
    /// What others said last about finished work, until it is answered.
    pub feedback: Option<FedBack>,
    /// Review threads that were taken up ever, each with the last comment that was read.
    pub threads_taken: BTreeMap<String, u64>,
    /// Review threads that are answered and could not be resolved.
    pub left_open: Vec<String>,
    /// The pull request that they are of.
    pub left_open_at: Option<u64>,
    /// How often failed checks of the pull request were given back to the author.
    pub ci_rounds: u32,
    /// The pull request shows what the branch holds.
    pub published: bool,
    /// What authors told those that come after them, the newest first.
    pub notices: Vec<Notice>,
    /// Kind and text of everything worth telling.
    pub notes: Vec<(String, String)>,
}

/// An agent that was called, and the program behind it as far as it told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Called {
    pub agent: String,
    pub program: Option<Program>,
}

/// What a run has spent on one day.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Day {
    /// In UTC.
    pub date: jiff::civil::Date,
    pub spent: Spent,
}

impl State {
    /// Returns where the run stands as a whole; a run that has not begun counts as running.
    pub fn outcome(&self) -> Outcome {
        self.run.as_ref().map_or(Outcome::Running, |run| run.outcome)
    }
}

impl Run {
    /// Returns where its progress comment is seen, where it has one on a server.
    pub fn progress_comment_url(&self) -> Option<String> {
        let id = self.progress_comment?;
        Some(format!("{}#issuecomment-{id}", self.started.issue.url))
    }

    /// Tells whether the run waits for something that passes: a quota, a provider, a budget, a time.
    pub fn waits_by_itself(&self) -> bool {
        self.paused.as_ref().is_some_and(|escalation| escalation.reason.passes_by_itself())
    }

    /// Tells whether the run waits for a person's word; a pause that passes by itself is looked at again instead.
    pub fn waits_for_a_person(&self) -> bool {
        self.paused.as_ref().is_some_and(|escalation| !escalation.reason.passes_by_itself())
    }

    /// Tells whether any phase has begun; before that the branch stands on its base, and nothing can have changed.
    pub fn has_begun(&self) -> bool {
        self.phases.iter().any(|phase| phase.stage != Stage::Idle)
    }

    /// Returns the state of a phase.
    pub fn phase(&self, name: &PhaseName) -> Option<&PhaseState> {
        self.phases.iter().find(|phase| phase.name() == name)
    }

    /// Returns the phase that is in progress or paused, else the first that failed, else the first pending one.
    pub fn current(&self) -> Option<&PhaseState> {
        let with = |status: Status| self.phases.iter().find(move |phase| phase.status == status);
        with(Status::InProgress)
            .or_else(|| with(Status::Paused))
            .or_else(|| with(Status::Failed))
            .or_else(|| with(Status::Pending))
    }
}
