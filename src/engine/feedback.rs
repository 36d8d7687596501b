//! What others said about finished work opens its phase again for a revision, and stands among the phase's findings, so that
//! the next reviewer looks at it, too.

use super::reopen::reopen;
use super::state::{Run, Status};
use model::event::{FedBack, Reopened, ReopenedBy, Source, Spent};
use model::phase::{PhaseName, Step};

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
        self.latest_call = Spent::default();
        let (phase, reason) = (fed.phase.clone(), fed.reason());
        reopen(self, &Reopened { phase, step: Step::Revise, reason, by: ReopenedBy::Feedback });
        self.phase_mut(&fed.phase).take_up(&fed.findings);
        self.left_open.retain(|left| fed.threads.iter().all(|taken| taken.id != *left));
        self.threads_taken.extend(fed.threads.iter().map(|taken| (taken.id.clone(), taken.up_to)));
        match fed.by {
            Source::Reviewers => self.feedback = Some(fed.clone()),
            Source::Checks => self.ci_rounds += 1,
        }
    }
}
