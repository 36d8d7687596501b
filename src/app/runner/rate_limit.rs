//! Where the server lets nobody in for longer than we wait, the run waits, too: it pauses, and what there is is kept. Git is
//! not under that limit, so the branch and the files of the phase under way still leave a job's machine.

use jiff::Timestamp;

use super::{PhaseRunner, RunError};
use engine::rate_limit_pause;
use forge::ForgeError;
use model::event::{Fact, Outcome};

impl PhaseRunner {
    /// Ends the turn; what others should see is written by whoever goes on.
    pub(super) async fn waits_for_server(
        &mut self,
        action: &'static str,
        until: Timestamp,
    ) -> Result<Outcome, RunError> {
        let run = self.run_state()?;
        let phase = run.current().map(|phase| phase.name().clone());
        match run.outcome {
            Outcome::Running => {
                let escalation = rate_limit_pause(phase.as_ref(), action, until);
                self.journal.record(Fact::Paused { escalation })?;
                self.halted(Outcome::Paused).await
            }
            // What follows a completed run is still to be done.
            Outcome::Completed => {
                self.keep_end(Outcome::Completed).await?;
                Err(ForgeError::Limited { action, until }.into())
            }
            outcome => {
                tracing::warn!(
                    "What others see is not up to date: {}",
                    ForgeError::Limited { action, until }
                );
                self.halted(outcome).await
            }
        }
    }
}
