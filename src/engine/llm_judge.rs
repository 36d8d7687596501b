//! The judge of the quality criteria, where a policy has one: it asks again or rejects where another reviewer leaves open
//! what it means (seed 000, A-25). An empty or unreadable judgment rejects, a late or broken one is asked for again.
//! Never passes on doubt, and never has the author's work redone because the judge could not do its own.

use super::judge::Judged;
use super::redo::{ask_which_holds, once_more};
use super::rule::{HowRuled, revise};
use super::state::PhaseState;
use model::event::{ExecOutcome, Reviewed};
use model::phase::Step;
use model::verdict::Judgment;

/// What an author is told that was rejected without a word.
const HINT_WITHOUT_WORDS: &str = "The judge of the quality criteria said nothing, and that is no approval. Look \
     through the work yourself: is anything missing, shortened, put off or claimed without a proof?";

impl PhaseState {
    /// Tells whether the judge came to its end without a word: that rejects. One that broke is asked again.
    pub(super) fn judged_without_words(&self, reviewed: &Reviewed) -> bool {
        let ended = matches!(reviewed.ended.outcome, ExecOutcome::Done | ExecOutcome::NoOutput);
        self.def.policy.llm_judge && ended && reviewed.reading.is_none()
    }

    /// Returns what a judgment is worth in this policy: what a judge leaves open is a rejection.
    pub(super) fn as_judge(&self, judged: Judged) -> Judged {
        let (judgment, why) = self.asked_for_doubt(judged);
        let open = matches!(judgment, Judgment::Unverifiable | Judgment::Discuss);
        (if open { Judgment::Revise } else { judgment }, why)
    }

    /// Returns the judgment of a policy with a judge when there is no reading.
    pub(super) fn without_reading(&self) -> Judged {
        let judged = (Judgment::Unverifiable, "no review".to_owned());
        let silent = self.reviews.current.as_ref().is_some_and(|review| self.judged_without_words(review));
        if silent { self.as_judge((judged.0, "the judge said nothing".into())) } else { judged }
    }

    /// Returns what an author reads when the judge gave it nothing to read.
    pub(super) fn judge_hint(&self) -> Option<&'static str> {
        let review = self.reviews.current.as_ref()?;
        self.judged_without_words(review).then_some(HINT_WITHOUT_WORDS)
    }

    /// Tells whether the judge itself asks to be asked again.
    pub(super) fn judge_asks_again(&self) -> bool {
        self.def.policy.llm_judge
            && self.evidence.broken.is_none()
            && self.evidence_judgment().is_none()
            && self
                .reading()
                .is_some_and(|reading| reading.judgment == Judgment::Redo || reading.doubt.is_some())
    }
}

/// Asks the judge again on the budget of its own step; then its words are a rejection.
pub(super) fn judge_again(phase: &PhaseState, why: &str) -> HowRuled {
    let again = ask_which_holds(phase).or_else(|| once_more(phase, Step::Review));
    again.unwrap_or_else(|| revise(phase, why))
}
