//! Gives what an evaluation left for later an issue of its own, once in a run. The pull request lists it in any case, so a
//! GitHub that refuses the issue is told and stops nothing.

use jiff::ToSpan;

use super::publish::unless_stopped;
use super::{PhaseRunner, Push, RunError};
use forge::{FollowUp, ForgeError};
use model::event::Fact;
use views::summary::{follow_up, follow_up_marker, wants_follow_up};

/// The kind of the note about a refusal.
const REFUSED: &str = "follow_up_refused";
/// Two clocks may be so far apart.
const HOURS_APART: i64 = 24;

impl PhaseRunner {
    /// Sees to it that the follow-up issue is there before the pull request names it.
    pub(super) async fn follow_up(&mut self) -> Result<(), RunError> {
        let run = self.run_state()?;
        let told = run.publication.follow_up.is_some() || run.notes.iter().any(|(kind, _)| kind == REFUSED);
        let shared = self.forge.is_remote() && self.push != Push::Never;
        if told || !shared || !self.github.follow_up || !wants_follow_up(run) {
            return Ok(());
        }
        let (title, body) = follow_up(run);
        let (title, body, marker) =
            (self.masker.mask(&title), self.masker.mask(&body), follow_up_marker(run));
        let wanted = FollowUp {
            parent: run.started.issue.number,
            marker: &marker,
            title: &title,
            body: &body,
            since: run.created_at.checked_sub(HOURS_APART.hours()).unwrap_or(run.created_at),
            trigger: &self.github.trigger_label,
        };
        match unless_stopped(&self.stop, self.forge.follow_up(&wanted)).await {
            Ok(Some(Some(issue))) => {
                Ok(self.journal.record(Fact::FollowedUp { number: issue.number, url: issue.url })?)
            }
            Ok(Some(None) | None) => Ok(()),
            Err(RunError::Forge(error)) if refused(&error) => {
                let text = format!("There is no follow-up issue: {error}");
                Ok(self.journal.record(Fact::Noted { kind: REFUSED.to_owned(), text })?)
            }
            Err(error) => Err(error),
        }
    }
}

/// A token that is no good is no refusal of this one thing.
fn refused(error: &ForgeError) -> bool {
    matches!(error, ForgeError::Refused { .. })
}
