//! What the reviewers of a round said.

use std::collections::BTreeMap;

use super::approval::{Approval, VerdictRecord};
use super::exchange::Exchange;
use model::event::Reviewed;

/// The reviews of a phase.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Reviews {
    /// The review that is looked at: the latest call's, and what all opinions amount to once everybody has answered.
    pub current: Option<Reviewed>,
    /// The reviews of this round that came to an end, the first reviewer's first.
    pub opinions: Vec<Reviewed>,
    /// The seats that this round does without, and why.
    pub left_out: BTreeMap<String, String>,
    /// What a reviewer of this round asked the author.
    pub exchange: Option<Exchange>,
    /// Approvals of this round whose reviewers were asked what they meant, by their seats.
    pub doubts: BTreeMap<Option<String>, Reviewed>,
    /// The latest verdict, whatever became of it.
    pub latest_verdict: Option<VerdictRecord>,
    /// The review that let the phase advance, as long as no later round ended in another way.
    pub approval: Option<Approval>,
}
