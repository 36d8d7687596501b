//! Where a run stands: what the fold of its facts amounts to. Nothing here is accepted from an agent.

use std::collections::BTreeMap;

use jiff::Timestamp;

use crate::agents::AgentStates;
use crate::branch::BranchState;
use crate::phase_state::Stage;
use crate::phase_state::{PhaseState, Status};
use crate::spending::Spending;
use model::event::{Escalation, FedBack, Outcome, PauseReason, RunRequested, RunStarted, Worked};
use model::phase::PhaseName;
use model::policy::Difficulty;

/// Where a run stands. Before the first fact there is no [`Run`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct State {
    /// The number of the latest entry; 0 before the first.
    pub seq: u64,
    /// The run, once it has begun.
    pub run: Option<Run>,
}

/// A run that has begun.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// What it is about and what was agreed.
    pub started: RunStarted,
    /// The time of its first fact.
    pub created_at: Timestamp,
    /// The time of its latest fact.
    pub updated_at: Timestamp,
    /// In the order of the agreement.
    pub phases: Vec<PhaseState>,
    /// Where it stands as a whole.
    pub outcome: Outcome,
    /// The part of the run that was asked for last.
    pub asked: RunRequested,
    /// The question it waits for.
    pub paused: Option<Escalation>,
    /// What the issue counts as, once it was assessed.
    pub difficulty: Option<Difficulty>,
    /// How often the evaluation sent the run back.
    pub cycles: u32,
    /// A scripted or plain-command agent took part.
    pub simulated: bool,
    /// The limits in force, and what is used of them.
    pub spending: Spending,
    /// Which agents were called, and which are of no use now.
    pub agents: AgentStates,
    /// Where its branch stands.
    pub branch: BranchState,
    /// What of it others see.
    pub publication: Publication,
    /// What others said about its finished work.
    pub feedback: FeedbackState,
    /// What authors want later authors to know, the newest first.
    pub notices: Vec<Notice>,
    /// Kind and text of everything worth telling.
    pub notes: Vec<(String, String)>,
}

/// What of a run others see: its pull request and what belongs to it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Publication {
    /// Number and address of the pull request, once there is one.
    pub pull_request: Option<(Option<u64>, String)>,
    /// The pull request shows what the branch holds.
    pub is_up_to_date: bool,
    /// The pull request left its draft when the run was completed.
    pub is_ready: bool,
    /// The owners that were asked to review.
    pub reviewers: Option<Vec<String>>,
    /// The id of its comment on the issue.
    pub progress_comment: Option<u64>,
    /// It took the place of one that somebody deleted; another one would be importunate.
    pub comment_was_replaced: bool,
    /// Number and address of the issue with what is left for later.
    pub follow_up: Option<(u64, String)>,
}

/// What others said about the finished work of a run, and what became of it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FeedbackState {
    /// What was said last, until it is answered.
    pub pending: Option<FedBack>,
    /// Review threads that were taken up ever, each with the last comment that was read.
    pub threads: BTreeMap<String, u64>,
    /// Review threads that are answered and could not be resolved.
    pub left_open: Vec<String>,
    /// The pull request that they are of.
    pub left_open_at: Option<u64>,
    /// How often failed checks of the pull request were given back to the author.
    pub ci_rounds: u32,
}

/// What an author told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// The phase whose author wrote it.
    pub phase: PhaseName,
    /// The agent that wrote it.
    pub agent: String,
    /// One line, length-limited.
    pub text: String,
}

/// More than so many are not kept.
const MOST_NOTICES: usize = 20;

/// The longest notice, in characters.
const LONGEST_NOTICE: usize = 300;

/// One line, not too long.
fn shortened(text: &str) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    words.chars().take(LONGEST_NOTICE).collect()
}

/// The phase that is revised where the run has completed it.
const REVISED: &str = "implementation";

impl State {
    /// Returns where the run stands as a whole; a run that has not begun counts as running.
    pub fn outcome(&self) -> Outcome {
        self.run.as_ref().map_or(Outcome::Running, |run| run.outcome)
    }
}

impl Run {
    /// Returns where its progress comment is seen, where it has one on a server.
    pub fn progress_comment_url(&self) -> Option<String> {
        let id = self.publication.progress_comment?;
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
        let by_urgency = [Status::InProgress, Status::Paused, Status::Failed, Status::Pending];
        by_urgency.iter().find_map(|status| self.phases.iter().find(|phase| phase.status == *status))
    }

    /// Returns who is asked, for people; nothing while the run does not wait.
    pub fn asked_of(&self) -> Option<String> {
        let (paused, issue) = (self.paused.as_ref()?, &self.started.issue);
        let maintainer = format!("a maintainer of {}", self.started.repository);
        let asked = if paused.reason == PauseReason::Budget {
            "whoever pays for the agents".to_owned()
        } else if paused.reason.passes_by_itself() {
            "nobody: the pause ends by itself".to_owned()
        } else if paused.reason == PauseReason::Discuss && !issue.author.is_empty() {
            format!("{}, who wrote the issue, or {maintainer}", issue.author)
        } else {
            maintainer
        };
        Some(asked)
    }

    /// Keeps what an author told, the newest first. The same once more is only newer.
    pub(crate) fn keep_notices(&mut self, worked: &Worked) {
        if !worked.ended.outcome.ended() {
            return;
        }
        let Some(agent) = self.phase(&worked.phase).map(|phase| phase.calls.last_agent.clone()) else {
            return;
        };
        for text in worked.claim.iter().flat_map(|claim| claim.notices.iter().rev()) {
            let text = shortened(text);
            self.notices.retain(|known| known.text != text);
            let notice = Notice { phase: worked.phase.clone(), agent: agent.clone(), text };
            self.notices.insert(0, notice);
        }
        self.notices.retain(|known| !known.text.is_empty());
        self.notices.truncate(MOST_NOTICES);
    }

    /// Returns what a call of an author is told: all but what it said itself in the session that goes on.
    pub fn notices_for(&self, phase: &PhaseState, agent: &str, resumes: bool) -> Vec<&Notice> {
        let own = |notice: &Notice| resumes && notice.phase == *phase.name() && notice.agent == agent;
        self.notices.iter().filter(|notice| !own(notice)).collect()
    }

    /// Returns the phase that is opened again for what others say: the implementation, else the last that changes code.
    pub fn feedback_phase(&self) -> Option<PhaseName> {
        let mut done = self.phases.iter().rev().filter(|phase| phase.status == Status::Completed);
        let named = done.clone().find(|phase| phase.name().as_str() == REVISED);
        named.or_else(|| done.find(|phase| phase.def.changes_code)).map(|phase| phase.name().clone())
    }
}
