//! Finds what a reviewer said before it was asked again in the same round, where its last answer says something else. The first
//! form stays on record: findings that vanished were withdrawn, not repaired. Decides nothing; the last answer counts.

use crate::history::{ChangedVerdict, ReviewerQuestion};
use crate::panel::are_alike;
use crate::phase_state::PhaseState;
use model::event::{Reading, Reviewed};
use model::finding::Finding;
use model::verdict::ReadAs;

impl PhaseState {
    /// Returns the verdicts of this round that changed after a question, in the order of the first answers.
    pub(crate) fn changed_verdicts(&self) -> Vec<ChangedVerdict> {
        let answers = &self.reviews.answers;
        let mut changed: Vec<ChangedVerdict> = Vec::new();
        for (index, first) in answers.iter().enumerate() {
            let Some(last) = answers[index + 1..].iter().rfind(|later| later.seat == first.seat) else {
                continue;
            };
            let is_known = |finding: &Finding| {
                changed.iter().any(|known| known.withdrawn.iter().any(|other| is_same(other, finding)))
            };
            let gone =
                findings(first).filter(|finding| !self.is_named_at_last(finding) && !is_known(finding));
            let withdrawn: Vec<Finding> = gone.cloned().collect();
            if !withdrawn.is_empty() || has_other_verdict(first, last) {
                let (question, first, last) = (self.question_after(first), first.clone(), last.clone());
                changed.push(ChangedVerdict { first, question, last, withdrawn });
            }
        }
        changed
    }

    /// Tells whether the review that counts, or the last answer of any reviewer, names a finding.
    fn is_named_at_last(&self, finding: &Finding) -> bool {
        let last = self.reviews.current.iter().chain(&self.reviews.opinions);
        last.flat_map(findings).any(|named| is_same(named, finding))
    }

    fn question_after(&self, first: &Reviewed) -> ReviewerQuestion {
        let exchange = self.reviews.exchange.as_ref().filter(|exchange| exchange.first == *first);
        if let Some((exchange, reply)) = exchange.and_then(|exchange| Some((exchange, exchange.answer()?))) {
            let questions = exchange.questions().to_vec();
            return ReviewerQuestion::WithReply { questions, reply: reply.to_owned() };
        }
        if let Some(doubt) = first.reading.as_ref().and_then(|reading| reading.doubt.clone()) {
            return ReviewerQuestion::Doubt(doubt);
        }
        let why = self.opinion_judgment(first).map(|(_, why)| why);
        ReviewerQuestion::Again(why.unwrap_or_default())
    }
}

fn findings(review: &Reviewed) -> impl Iterator<Item = &Finding> {
    review.reading.iter().flat_map(|reading| &reading.findings)
}

fn is_same(one: &Finding, other: &Finding) -> bool {
    one.fingerprint() == other.fingerprint() || are_alike(one, other)
}

/// Tells whether two answers state different verdicts.
fn has_other_verdict(first: &Reviewed, last: &Reviewed) -> bool {
    match (readable(first), readable(last)) {
        (Some(first), Some(last)) => first.result != last.result && first.stated != last.stated,
        // What could not be read may have been a refusal.
        (None, Some(last)) => last.judgment.approves(),
        (_, None) => false,
    }
}

fn readable(review: &Reviewed) -> Option<&Reading> {
    review.reading.as_ref().filter(|reading| reading.read_as != ReadAs::Default)
}
