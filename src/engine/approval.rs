//! Whether an approval still stands, so that another review of the same files is needless: the fast path. By the facts alone,
//! never by `review-result.json`. A review is left out only where an approval let the phase advance before, and verdict, commit,
//! files, settings and run are the same; the run is, because a log holds one.

use crate::phase_state::PhaseState;
use crate::reviews::Approval;
use crate::run::Run;

/// Returns the approval that makes another review of the files as they are needless; once somebody was heard in this
/// round, all are.
pub fn standing_approval<'a>(run: &Run, phase: &'a PhaseState) -> Option<&'a Approval> {
    if !phase.takes_reviews() {
        return None;
    }
    let approval = phase.reviews.approval.as_ref()?;
    let same_files = approval.review.tree == phase.files.tree;
    let unheard = phase.reviews.opinions.is_empty() && phase.reviews.exchange.is_none();
    (same_files && unheard && lapsed(run, phase).is_none()).then_some(approval)
}

/// Says what changed around an approval since it was given; nothing where nothing did, or where there is none.
pub fn lapsed(run: &Run, phase: &PhaseState) -> Option<&'static str> {
    let approval = phase.reviews.approval.as_ref()?;
    if approval.settings != run.asked.settings {
        Some("the settings changed after the approval")
    } else if approval.commit != run.branch.content_head {
        Some("the branch moved after the approval")
    } else {
        None
    }
}
