//! The past of a phase: its agent calls, the reviews of the present round, its rounds and every ruling. Only data: which reviewer
//! is due is decided in `reviewers`, what the opinions amount to in `panel` and `judge`.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use model::event::{
    CallEnd, CheckResult, Replied, ReviewQuestions, Reviewed, Ruled, TriageTable, Triaged, Usage, UsageTotal,
};
use model::finding::Finding;
use model::phase::Step;
use model::verdict::{Grade, Judgment, ReadAs, Verdict};

/// The agent calls of a phase.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CallState {
    /// The place in each fallback chain of the agent that is called next; the first where there is none.
    pub turns: BTreeMap<FallbackChain, usize>,
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
    pub documents: Vec<AnswerDocument>,
    /// What its calls have used, by step.
    pub usage: BTreeMap<Step, UsageTotal>,
    /// Milliseconds to wait before the next call.
    pub delay_ms: u64,
}

/// A fallback chain.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum FallbackChain {
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
pub struct AnswerDocument {
    /// The step that answered: a review, or an author's reply to it.
    pub step: Step,
    /// The round of the call.
    pub round: u32,
    /// The attempt of the call.
    pub attempt: u32,
    /// SHA-256 of its text.
    pub digest: String,
    /// Its text; nothing in logs of earlier versions.
    pub text: Option<String>,
}

impl CallState {
    /// Remembers the document that was made of an answer; a later one of the same name takes its place.
    pub(crate) fn remember_document(&mut self, step: Step, round: u32, attempt: u32, ended: &CallEnd) {
        let Some(digest) = ended.document.clone() else { return };
        let is_review = |step: Step| step == Step::Review;
        self.documents.retain(|made| made.round != round || is_review(made.step) != is_review(step));
        let text = ended.document_text.clone();
        self.documents.push(AnswerDocument { step, round, attempt, digest, text });
    }

    /// Returns what stays when the phase is opened again: the record of the calls. Turns and sessions begin anew.
    pub(crate) fn keep_on_reopening(self) -> Self {
        let Self { attempts, prompts, documents, usage, .. } = self;
        Self { attempts, prompts, documents, usage, ..Self::default() }
    }

    /// Remembers what a session has used.
    pub(crate) fn remember_session(&mut self, ended: &CallEnd) {
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

/// The reviews of a phase.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Reviews {
    /// The review that counts now: that of the latest call, or all opinions merged once every reviewer has answered.
    pub current: Option<Reviewed>,
    /// When the latest answer in it came in.
    pub answered_at: Option<Timestamp>,
    /// The reviews of this round that came to an end, the first reviewer's first.
    pub opinions: Vec<Reviewed>,
    /// The seats that are left out of this round, and why.
    pub left_out: BTreeMap<String, String>,
    /// What a reviewer of this round asked the author.
    pub exchange: Option<Exchange>,
    /// All answers of this round in their order, those before a question too.
    pub(crate) answers: Vec<Reviewed>,
    /// Approvals of this round whose reviewers were asked what they meant, by their seats.
    pub doubts: BTreeMap<Option<String>, Reviewed>,
    /// The latest verdict, whatever became of it.
    pub latest_verdict: Option<VerdictRecord>,
    /// The review that let the phase advance, as long as no later round ended in another way.
    pub approval: Option<Approval>,
}

/// A verdict as it came in, and what it was about.
#[derive(Debug, Clone, PartialEq)]
pub struct VerdictRecord {
    /// The round that it ended.
    pub round: u32,
    /// The review that states it; nothing where a check decided and nobody reviewed.
    pub review: Option<Reviewed>,
    /// The files that it is about.
    pub tree: String,
    /// Tightened by its findings; nothing when there was no answer.
    pub verdict: Option<Verdict>,
    /// The judgment in the words of the policy.
    pub decision: Option<String>,
    /// The grade that goes with it.
    pub grade: Option<Grade>,
    /// Where the branch stood.
    pub commit: String,
    /// When it came in.
    pub at: Timestamp,
}

/// A review that let the phase advance, with what it holds for.
#[derive(Debug, Clone, PartialEq)]
pub struct Approval {
    /// The review: all opinions merged.
    pub review: Reviewed,
    /// The reviews that were merged for it, and the seats that were left out.
    pub(crate) opinions: Vec<Reviewed>,
    pub(crate) left_out: BTreeMap<String, String>,
    /// What the checks asked it.
    pub(crate) questions: ReviewQuestions,
    /// The triage of the review, where the policy has one, with who made it and when.
    pub(crate) triage: Option<Triaged>,
    pub(crate) triaged_by: String,
    pub(crate) triaged_at: Option<Timestamp>,
    pub(crate) answered_at: Option<Timestamp>,
    /// The latest commit below it that is no record of a halt.
    pub(crate) commit: String,
    /// The digest of the settings it was given under.
    pub(crate) settings: Option<String>,
}

/// Questions of a reviewer, and what came of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Exchange {
    /// The verdict that came with the questions.
    pub first: Reviewed,
    /// How the author's call ended; nothing before that.
    pub reply: Option<Replied>,
}

impl Exchange {
    /// Returns what was asked.
    pub fn questions(&self) -> &[String] {
        self.first.reading.as_ref().map_or(&[], |reading| &reading.questions)
    }

    /// Returns what the author said; nothing before that, and where no answer counts.
    pub fn answer(&self) -> Option<&str> {
        self.reply.as_ref()?.text.as_deref()
    }
}

/// An answer of a reviewer, and the last one of the same round.
#[derive(Debug, Clone, PartialEq)]
pub struct ChangedVerdict {
    /// The earlier answer.
    pub first: Reviewed,
    /// What the reviewer was asked then.
    pub question: ReviewerQuestion,
    /// The answer that counts.
    pub last: Reviewed,
    /// The findings of the earlier answer that no reviewer names any more.
    pub withdrawn: Vec<Finding>,
}

/// What a reviewer was asked between two answers.
#[derive(Debug, Clone, PartialEq)]
pub enum ReviewerQuestion {
    /// Which holds: its approval, or these words beside it.
    Doubt(String),
    /// To answer again, for this reason: its answer could not be read, say.
    Again(String),
    /// To judge with the author's reply to its own questions.
    WithReply {
        /// What it had asked the author.
        questions: Vec<String>,
        /// What the author said.
        reply: String,
    },
}

/// What one reviewer of a round came to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[allow(missing_docs, reason = "docs would become descriptions in the published schema")]
pub struct Opinion {
    /// The seat of the panel; nothing for the first reviewer.
    pub seat: Option<String>,
    /// Who answered; nothing when the round went without.
    pub agent: Option<String>,
    /// What its own answer amounts to.
    pub verdict: Option<Verdict>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grade: Option<Grade>,
    /// How many findings it named.
    pub findings: usize,
    /// Why the round went without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_out: Option<String>,
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

/// A failure that a reviewer states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatedFailure {
    /// `test_failure`, `build_failure`, `lint_failure` or `environment_error`.
    pub kind: &'static str,
    /// The command that failed, where the reviewer names it.
    pub command: Option<String>,
}

/// A pass of the cycle that ended in a judgment.
#[derive(Debug, Clone, PartialEq)]
pub struct Round {
    /// Its number, from 1.
    pub n: u32,
    /// Nothing when a failed check ended the round.
    pub verdict: Option<Verdict>,
    /// The judgment in the words of the policy; nothing where a step broke, and where the policy has no words.
    pub decision: Option<String>,
    /// How the verdict was read.
    pub read_as: Option<ReadAs>,
    /// The grade of the work, where the policy uses grades.
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
    /// What led to the ruling, with the limits used.
    pub rule: String,
    /// What the reviewer says of its verdict in one line, where it does not approve.
    pub summary: Option<String>,
    /// What failed, as a reviewer states it that does not approve.
    pub stated_failure: Option<StatedFailure>,
    /// What each reviewer came to, where there are several.
    pub opinions: Vec<Opinion>,
    /// What a reviewer asked the author.
    pub exchange: Option<Exchange>,
    /// The verdicts that changed after a question.
    pub changed_verdicts: Vec<ChangedVerdict>,
    /// What the triage counted, where its table could be read.
    pub table: Option<TriageTable>,
    /// When its review came in: with several reviewers, the last of them.
    pub reviewed_at: Option<Timestamp>,
    /// When its triage came in.
    pub triaged_at: Option<Timestamp>,
}

impl Round {
    /// Returns the decision of its reviewers in the words of the policy; nothing when a failed check ended the round.
    pub fn stated_decision(&self) -> Option<&str> {
        let verdict = self.verdict?;
        Some(self.decision.as_deref().unwrap_or(verdict.as_str()))
    }
}
