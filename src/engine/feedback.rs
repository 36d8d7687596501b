//! What others said about finished work opens its phase again for a revision, and stands among the phase's findings, so that
//! the next reviewer looks at it, too.

use std::collections::BTreeMap;

use super::reopen::reopen;
use super::state::{Run, Status};
use model::event::{FedBack, Reopened, ReopenedBy, Source, Spent};
use model::phase::{PhaseName, Step};

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

/// The phase that is revised where the run has completed it.
const REVISED: &str = "implementation";

impl Run {
    /// Returns the phase that is opened again for what others say: the implementation, else the last that changes code.
    pub fn feedback_phase(&self) -> Option<PhaseName> {
        let mut done = self.phases.iter().rev().filter(|phase| phase.status == Status::Completed);
        let named = done.clone().find(|phase| phase.name().as_str() == REVISED);
        named.or_else(|| done.find(|phase| phase.def.changes_code)).map(|phase| phase.name().clone())
    }

    pub(super) fn fed_back(&mut self, fed: &FedBack) {
        self.spending.latest_call = Spent::default();
        let (phase, reason) = (fed.phase.clone(), fed.reason());
        reopen(self, &Reopened { phase, step: Step::Revise, reason, by: ReopenedBy::Feedback });
        self.phase_mut(&fed.phase).take_up(&fed.findings);
        self.feedback.left_open.retain(|left| fed.threads.iter().all(|taken| taken.id != *left));
        self.feedback.threads.extend(fed.threads.iter().map(|taken| (taken.id.clone(), taken.up_to)));
        match fed.by {
            Source::Reviewers => self.feedback.pending = Some(fed.clone()),
            Source::Checks => self.feedback.ci_rounds += 1,
        }
    }
}
