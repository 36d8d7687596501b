//! The state of a run: the result of the fold of its facts. Nothing here is accepted from an agent.
//!
//! Its branch: how far it was reviewed, that is the latest commit that a reviewer saw completely, and the phases since. Which
//! files differ from that commit is known to git; which of them people changed before a commit is known from the facts.
//!
//! Its approvals: whether one still holds, so that another review of the same files is needless. By the facts alone, never by
//! `review-result.json`. A review is left out only where an approval let the phase advance before, and verdict, commit, files,
//! settings, reviewer and run are the same; the run is, because a log holds one.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use crate::agents::AgentStates;
use crate::history::Approval;
use crate::phase_state::{PhaseState, Status, StepPosition};
use crate::spending::Spending;
use model::event::{Escalation, Feedback, PauseReason, RunOutcome, RunRequested, RunStarted, Worked};
use model::phase::{PhaseName, Step};
use model::policy::Difficulty;

/// The state of a log. Before the first fact there is no [`Run`].
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
    /// Its outcome so far.
    pub outcome: RunOutcome,
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
    /// Which agents were called, and which cannot be used now.
    pub agents: AgentStates,
    /// The state of its branch.
    pub branch: BranchHeads,
    /// Its pull request and comments.
    pub publication: Publication,
    /// The feedback on its finished work.
    pub feedback: FeedbackState,
    /// What authors want later authors to know, the newest first.
    pub notices: Vec<Notice>,
    /// Kind and text of everything worth telling.
    pub notes: Vec<(String, String)>,
}

/// The state of a run's branch, as far as the facts know it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BranchHeads {
    /// The head of the branch, as far as the engine knows.
    pub head: String,
    /// The same without our own records of how a run halted, which hold nothing but the log.
    pub content_head: String,
    /// The commit of the phase that ended last, whatever was put on the branch since; the base before the first.
    pub phase_head: String,
    /// How far the branch was reviewed.
    pub coverage: ReviewCoverage,
}

/// What of a run's branch was reviewed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewCoverage {
    /// The commit of the latest phase whose reviewer saw the code; the base before the first.
    pub reviewed: String,
    /// The phases that were committed since then.
    pub since: Vec<UnreviewedPhase>,
    /// What people changed since then without a commit of their own, as far as that is known.
    pub by_hand: BTreeSet<String>,
    /// The head of the branch that a reviewer saw last.
    shown_at: Option<String>,
}

/// A phase whose commit no reviewer saw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreviewedPhase {
    /// Its name.
    pub phase: PhaseName,
    /// The head of the branch before it.
    pub from: String,
    /// Its commit.
    pub to: String,
    /// It was agreed that it changes code without a review, or a person took the reviewer's place.
    pub is_accepted: bool,
}

/// What a run published on the server: its pull request and what belongs to it.
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
    /// A deleted comment was replaced once; it is not replaced again.
    pub comment_was_replaced: bool,
    /// Number and address of the issue with what is left for later.
    pub follow_up: Option<(u64, String)>,
}

/// The feedback on the finished work of a run, and what became of it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FeedbackState {
    /// The latest feedback, until it is answered.
    pub pending: Option<Feedback>,
    /// Review threads that were taken up ever, each with the last comment that was read.
    pub threads: BTreeMap<String, u64>,
    /// Review threads that are answered and could not be resolved.
    pub left_open: Vec<String>,
    /// The pull request that they are of.
    pub left_open_at: Option<u64>,
    /// How often failed checks of the pull request were given back to the author.
    pub ci_rounds: u32,
}

/// A note of an author for later authors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// The phase whose author wrote it.
    pub phase: PhaseName,
    /// The agent that wrote it.
    pub agent: String,
    /// One line, length-limited.
    pub text: String,
}

/// The most notices that are kept.
const MOST_NOTICES: usize = 20;

/// The longest notice, in characters.
const LONGEST_NOTICE: usize = 300;

/// Returns a notice as one line, at most so long as a notice may be.
fn shortened(text: &str) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    words.chars().take(LONGEST_NOTICE).collect()
}

impl State {
    /// Returns the outcome of the run; a run that has not begun counts as running.
    pub fn outcome(&self) -> RunOutcome {
        self.run.as_ref().map_or(RunOutcome::Running, |run| run.outcome)
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

    /// Tells whether the run waits for a person's answer; a pause that passes by itself is checked again instead.
    pub fn waits_for_a_person(&self) -> bool {
        self.paused.as_ref().is_some_and(|escalation| !escalation.reason.passes_by_itself())
    }

    /// Tells whether any phase has begun; before that the branch is at its base, and nothing can have changed.
    pub fn has_begun(&self) -> bool {
        self.phases.iter().any(|phase| phase.position != StepPosition::Idle)
    }

    /// Returns the state of a phase.
    pub fn phase(&self, name: &PhaseName) -> Option<&PhaseState> {
        self.phases.iter().find(|phase| phase.name() == name)
    }

    /// Returns a phase of the run by its name. Panics where the run has none; a fact that fits names one.
    pub(crate) fn phase_mut(&mut self, name: &PhaseName) -> &mut PhaseState {
        phase_of(&mut self.phases, name)
    }

    /// Returns the phase that is in progress or paused, else the first that failed, else the first pending one; nothing when the
    /// run is over.
    pub fn current(&self) -> Option<&PhaseState> {
        if self.outcome.is_final() {
            return None;
        }
        let by_urgency = [Status::InProgress, Status::Paused, Status::Failed, Status::Pending];
        by_urgency.iter().find_map(|status| self.phases.iter().find(|phase| phase.status == *status))
    }

    /// Returns the phase that was begun last.
    pub fn last_begun(&self) -> Option<&PhaseState> {
        self.phases.iter().filter(|phase| phase.started_at.is_some()).max_by_key(|phase| phase.started_at)
    }

    /// Returns the person who is asked, in words; nothing while the run does not wait.
    pub fn recipient_of_question(&self) -> Option<String> {
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

    /// Keeps what an author told, the newest first. A repeated notice moves to the front.
    pub(crate) fn keep_notices(&mut self, worked: &Worked) {
        if !worked.ended.outcome.ended() {
            return;
        }
        let agent = self.phase_mut(&worked.phase).calls.last_agent.clone();
        for text in worked.claim.iter().flat_map(|claim| claim.notices.iter().rev()) {
            let text = shortened(text);
            self.notices.retain(|known| known.text != text);
            let notice = Notice { phase: worked.phase.clone(), agent: agent.clone(), text };
            self.notices.insert(0, notice);
        }
        self.notices.retain(|known| !known.text.is_empty());
        self.notices.truncate(MOST_NOTICES);
    }

    /// Returns the notices for a call of an author: all but its own from the session that the call continues.
    pub fn notices_for(&self, phase: &PhaseState, agent: &str, resumes: bool) -> Vec<&Notice> {
        let own = |notice: &Notice| resumes && notice.phase == *phase.name() && notice.agent == agent;
        self.notices.iter().filter(|notice| !own(notice)).collect()
    }

    /// Returns the phase that is opened again for what others say: the one that takes feedback, else the last that changes code.
    pub fn feedback_phase(&self) -> Option<PhaseName> {
        let mut done = self.phases.iter().rev().filter(|phase| phase.status == Status::Completed);
        let named = done.clone().find(|phase| phase.def.properties.takes_feedback);
        named.or_else(|| done.find(|phase| phase.def.changes_code)).map(|phase| phase.name().clone())
    }
}

impl BranchHeads {
    pub(crate) fn at_base(base: &str) -> Self {
        let [head, content_head, phase_head] = [base; 3].map(str::to_owned);
        Self { head, content_head, phase_head, coverage: ReviewCoverage::up_to(base) }
    }

    /// Remembers that a reviewer saw the whole difference between the branch and its base.
    pub(crate) fn remember_shown(&mut self, phase: &PhaseState) {
        if phase.shows_code() {
            self.coverage.shown_at = Some(self.content_head.clone());
        }
    }

    /// Takes up the commit of a phase: the branch stands there now.
    pub(crate) fn add_commit(&mut self, phase: &PhaseState, commit: &str) {
        self.cover(phase, commit);
        for head in [&mut self.head, &mut self.content_head, &mut self.phase_head] {
            commit.clone_into(head);
        }
    }

    fn cover(&mut self, phase: &PhaseState, commit: &str) {
        let shows_code = phase.shows_code();
        let by_person = phase.person.accepted_by.is_some();
        let was_shown = !by_person || self.coverage.shown_at.as_ref() == Some(&self.content_head);
        if shows_code && was_shown {
            // No reviewer saw what is still in no commit.
            let by_hand = self.coverage.by_hand.difference(&phase.files.changed).cloned().collect();
            self.coverage = ReviewCoverage { by_hand, ..ReviewCoverage::up_to(commit) };
            return;
        }
        let is_agreed = phase.def.policy.review.is_none() && phase.def.changes_code;
        if is_agreed {
            self.coverage.by_hand.extend(phase.files.by_hand.iter().cloned());
        }
        self.coverage.since.push(UnreviewedPhase {
            phase: phase.name().clone(),
            from: self.content_head.clone(),
            to: commit.to_owned(),
            is_accepted: shows_code || is_agreed,
        });
    }
}

impl ReviewCoverage {
    pub(crate) fn up_to(commit: &str) -> Self {
        Self { reviewed: commit.to_owned(), since: Vec::new(), by_hand: BTreeSet::new(), shown_at: None }
    }
}

/// Returns the approval that makes another review of the files as they are needless: the checks ask what they asked then. Once a reviewer has answered in this
/// round, all of them are called.
pub(crate) fn standing_approval<'a>(run: &Run, phase: &'a PhaseState) -> Option<&'a Approval> {
    if !phase.takes_reviews() {
        return None;
    }
    let approval = phase.reviews.approval.as_ref()?;
    let same_files = approval.review.tree == phase.files.tree;
    let same_reviewer = phase.chain(Step::Review).contains(&approval.review.reviewer);
    let unheard = phase.reviews.opinions.is_empty()
        && phase.reviews.exchange.is_none()
        && phase.evidence.triage.is_none();
    let same_questions = approval.questions == phase.review_questions();
    (same_files && same_reviewer && same_questions && unheard && change_since_approval(run, phase).is_none())
        .then_some(approval)
}

/// Returns what changed around an approval since it was given; nothing where nothing changed, or where there is none.
pub fn change_since_approval(run: &Run, phase: &PhaseState) -> Option<&'static str> {
    let approval = phase.reviews.approval.as_ref()?;
    if approval.settings != run.asked.settings {
        Some("the settings changed after the approval")
    } else if approval.commit != run.branch.content_head {
        Some("the branch moved after the approval")
    } else {
        None
    }
}

/// The same for a caller that holds another field of the run.
pub(crate) fn phase_of<'a>(phases: &'a mut [PhaseState], name: &PhaseName) -> &'a mut PhaseState {
    let found = phases.iter_mut().find(|phase| phase.name() == name);
    found.expect("a fact that fits names a phase of the run")
}
