//! Gathers what a prompt may say.

use super::{PhaseRunner, RunError};
use crate::flow::Call;
use crate::workspace::Tree;

impl PhaseRunner {
    pub(super) fn compose(
        &self,
        call: &Call,
        review_id: Option<&str>,
        _before: &Tree,
    ) -> Result<String, RunError> {
        Ok(format!("{} {} {:?} {}", call.phase, call.step, review_id, self.output_path(call)?))
    }
}
