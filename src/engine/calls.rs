//! The agent calls of a phase: whose turn it is, what was asked and what was used.

use std::collections::BTreeMap;

use jiff::Timestamp;

use model::event::{Ended, Spent, Usage};
use model::phase::Step;

/// The agent calls of a phase.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Calls {
    /// Which agent of each chain is called.
    pub turns: Turns,
    /// The agent that was called last.
    pub last_agent: String,
    /// What the sessions of the authors have used.
    pub sessions: BTreeMap<String, Usage>,
    /// The last call continued a session.
    pub resumed: bool,
    /// When the last call ended.
    pub ended_at: Option<Timestamp>,
    /// How many calls were made, by round and step.
    pub attempts: BTreeMap<(u32, Step), u32>,
    /// The digest of the latest prompt, by step.
    pub prompts: BTreeMap<Step, String>,
    /// The digest of the templates of the latest prompt, by step, where the log has it.
    pub templates: BTreeMap<Step, String>,
    /// The documents that were made of its answers.
    pub documents: Vec<MadeDocument>,
    /// What its calls have used, by step.
    pub usage: BTreeMap<Step, Spent>,
    /// Milliseconds to wait before the next call.
    pub delay_ms: u64,
}

/// Places in the fallback chains: which agent is called next.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Turns {
    /// In the author's chain.
    pub author: usize,
    /// In the reviewer's chain.
    pub reviewer: usize,
    /// In the chains that single steps have of their own.
    pub by_step: BTreeMap<Step, usize>,
    /// In the chains of the seats of the panel.
    pub by_seat: BTreeMap<String, usize>,
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
    pub(super) fn remember_document(&mut self, step: Step, round: u32, attempt: u32, ended: &Ended) {
        let Some(digest) = ended.document.clone() else { return };
        let is_review = |step: Step| step == Step::Review;
        self.documents.retain(|made| made.round != round || is_review(made.step) != is_review(step));
        self.documents.push(MadeDocument { step, round, attempt, digest });
    }

    /// Returns what stays when the phase is opened again: the record of the calls. Turns and sessions begin anew.
    pub(super) fn kept_on_reopening(self) -> Self {
        let Self { attempts, prompts, templates, documents, usage, .. } = self;
        Self { attempts, prompts, templates, documents, usage, ..Self::default() }
    }
}
