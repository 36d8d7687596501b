//! What a reviewer asks the author before its verdict counts (seed 001, pattern A): once a round, whoever asks first, and
//! then the same reviewer states its verdict again. An answer is a claim: no file, finding or limit moves by it, and
//! without one the first verdict counts as it stands.

use super::state::{PhaseState, Stage};
use model::event::{ExecOutcome, Replied, Reviewed};
use model::phase::Step;
use model::policy::Policy;
use model::verdict::ReadAs;

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

impl PhaseState {
    /// Tells whether a reviewer may still ask the author something in this round.
    pub fn may_ask(&self) -> bool {
        takes_questions(&self.def.policy) && !self.calls.attempts.contains_key(&(self.round, Step::Answer))
    }

    /// Tells whether the author is asked before this review counts.
    pub(super) fn asks_author(&self, reviewed: &Reviewed) -> bool {
        let readable = reviewed.reading.as_ref().filter(|reading| reading.read_as != ReadAs::Default);
        self.may_ask() && readable.is_some_and(|reading| !reading.questions.is_empty())
    }

    pub(super) fn put_questions(&mut self, reviewed: &Reviewed) {
        self.reviews.exchange = Some(Exchange { first: reviewed.clone(), reply: None });
        self.stage = Stage::Ready(Step::Answer);
    }

    /// Has the same reviewer asked again; without an answer what it stated counts.
    pub(super) fn replied(&mut self, replied: &Replied) {
        let Some(exchange) = self.reviews.exchange.as_mut() else { return };
        if replied.ended.outcome == ExecOutcome::Cancelled {
            return;
        }
        exchange.reply = Some(replied.clone());
        let (answered, first) = (exchange.answer().is_some(), exchange.first.clone());
        self.remember_session(&replied.ended);
        if answered {
            return self.ask_for_review();
        }
        self.hear(&first);
    }

    /// Returns what a second reviewer stated before it was asked again.
    pub(super) fn first_verdict_of(&self, seat: &str) -> Option<&Reviewed> {
        let first = self.reviews.exchange.as_ref().map(|exchange| &exchange.first);
        let asked = first.filter(|first| first.seat.as_deref() == Some(seat));
        asked.or_else(|| self.reviews.doubts.get(&Some(seat.to_owned())))
    }
}

/// With triage and with a judge of criteria there is nobody who asks.
fn takes_questions(policy: &Policy) -> bool {
    let counts = !policy.triage && !policy.llm_judge;
    counts && policy.review.as_ref().is_some_and(|rule| rule.questions == Some(true))
}
