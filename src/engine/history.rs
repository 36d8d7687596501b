//! What a phase has been through: its agent calls, its rounds and every ruling. Computes nothing from them.

use std::collections::{BTreeMap, BTreeSet};

use crate::reviews::{Exchange, Opinion};
use model::event::{CheckResult, Ended, Ruled, Spent, TriageTable, Usage};
use model::finding::Finding;
use model::phase::Step;
use model::verdict::{Grade, Judgment, ReadAs, Verdict};

/// The agent calls of a phase.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Calls {
    /// The place in each fallback chain of the agent that is called next; the first where there is none.
    pub turns: BTreeMap<Chain, usize>,
    /// The agent that was called last.
    pub last_agent: String,
    /// What the sessions of the authors have used.
    pub sessions: BTreeMap<String, Usage>,
    /// The last call continued a session.
    pub resumed: bool,
    /// How many calls were made, by round and step.
    pub attempts: BTreeMap<(u32, Step), u32>,
    /// The digest of the templates of the latest prompt, by step; of the prompt itself where the log has no other.
    pub prompts: BTreeMap<Step, String>,
    /// The documents that were made of its answers.
    pub documents: Vec<MadeDocument>,
    /// What its calls have used, by step.
    pub usage: BTreeMap<Step, Spent>,
    /// Milliseconds to wait before the next call.
    pub delay_ms: u64,
}

/// A fallback chain.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Chain {
    /// The author's.
    Author,
    /// The first reviewer's.
    Reviewer,
    /// The one that a step has of its own.
    Step(Step),
    /// The one of a seat of the panel.
    Seat(String),
}

/// A document that was made of an answer, in a phase with triage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MadeDocument {
    /// The step that answered: a review, or an author's reply to it.
    pub step: Step,
    /// The round of the call.
    pub round: u32,
    /// The attempt of the call.
    pub attempt: u32,
    /// SHA-256 of its text.
    pub digest: String,
}

impl Calls {
    /// Remembers the document that was made of an answer; a later one of the same name takes its place.
    pub(crate) fn remember_document(&mut self, step: Step, round: u32, attempt: u32, ended: &Ended) {
        let Some(digest) = ended.document.clone() else { return };
        let is_review = |step: Step| step == Step::Review;
        self.documents.retain(|made| made.round != round || is_review(made.step) != is_review(step));
        self.documents.push(MadeDocument { step, round, attempt, digest });
    }

    /// Returns what stays when the phase is opened again: the record of the calls. Turns and sessions begin anew.
    pub(crate) fn kept_on_reopening(self) -> Self {
        let Self { attempts, prompts, documents, usage, .. } = self;
        Self { attempts, prompts, documents, usage, ..Self::default() }
    }

    /// Remembers what a session has used.
    pub(crate) fn remember_session(&mut self, ended: &Ended) {
        if let Some(session) = &ended.session {
            let used = self.sessions.entry(session.clone()).or_default();
            *used = sum(used, &ended.usage);
        }
    }
}

/// What is missing on one side adds nothing; what is missing on both stays missing.
fn sum(one: &Usage, other: &Usage) -> Usage {
    let both =
        |one: Option<u64>, other: Option<u64>| [one, other].into_iter().flatten().reduce(u64::saturating_add);
    Usage {
        input_tokens: both(one.input_tokens, other.input_tokens),
        cached_tokens: both(one.cached_tokens, other.cached_tokens),
        output_tokens: both(one.output_tokens, other.output_tokens),
        turns: both(one.turns, other.turns),
        cost_usd: [one.cost(), other.cost()].into_iter().flatten().reduce(|one, other| one + other),
        cost_basis: other.cost_basis.or(one.cost_basis),
    }
}

/// The past of a phase.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct History {
    /// The rounds that ended, in their order.
    pub rounds: Vec<Round>,
    /// How many of them are from before the phase was opened again.
    pub(crate) before_reopening: usize,
    /// Every ruling, redos included.
    pub rulings: Vec<Ruled>,
}

impl History {
    /// Returns the rounds since the phase was opened last; what earlier ones came to holds no more.
    pub fn current_rounds(&self) -> &[Round] {
        self.rounds.get(self.before_reopening..).unwrap_or_default()
    }
}

/// A pass of the cycle that ended in a judgment.
#[derive(Debug, Clone, PartialEq)]
pub struct Round {
    /// Its number, from 1.
    pub n: u32,
    /// Nothing when a failed check ended the round.
    pub verdict: Option<Verdict>,
    /// How the verdict was read.
    pub read_as: Option<ReadAs>,
    /// The grade the reviewer gave, where the policy uses grades.
    pub grade: Option<Grade>,
    /// The engine's judgment.
    pub judgment: Judgment,
    /// The word for the ruling.
    pub ruling: &'static str,
    /// Those of the reviewer, and a claim of completion that our checks refute.
    pub findings: Vec<Finding>,
    /// The checks that did not pass, those that are only noted included.
    pub failed: Vec<CheckResult>,
    /// Identities of what was open: findings and failed checks.
    pub open: BTreeSet<String>,
    /// Agent calls that made and judged this round: its execute or revise, its review and triage, redone ones too.
    pub attempts: u32,
    /// Whether the work judged in this round changed any file.
    pub changed_files: bool,
    /// How the phase stood still, where it did.
    pub standstill: Option<String>,
    /// What each reviewer came to, where there are several.
    pub opinions: Vec<Opinion>,
    /// What a reviewer asked the author.
    pub exchange: Option<Exchange>,
    /// What the triage counted, where its table could be read.
    pub table: Option<TriageTable>,
}
