//! Waits for the checks of the server on the commit that was pushed last. The wait has an end, is told, and can be stopped.
//! Checks that may not be read are unknown: nobody's word is taken for theirs.

use std::time::Duration;

use tokio::time::Instant;

use super::publish::unless_stopped;
use super::{PhaseRunner, Push, RunError};
use forge::Forge;
use forge::github::missing_permission;
use model::remote_check::{RemoteCheck, RemoteCheckState};

/// Two looks are so far apart.
const PACE: Duration = Duration::from_secs(10);
/// A server that has not begun by then has nothing to check.
const NONE_YET: Duration = Duration::from_secs(60);

impl PhaseRunner {
    /// Returns what the server's checks say about a commit, as far as they are done in time; nothing where there is no server,
    /// nothing is pushed, or a stop came first.
    pub(super) async fn remote_checks(&self, commit: &str) -> Result<Option<Vec<RemoteCheck>>, RunError> {
        let Forge::Github(github) = &self.forge else { return Ok(None) };
        if self.push == Push::Never {
            return Ok(None);
        }
        let most = Duration::from_secs(self.run_state()?.started.agreement.time.command_seconds);
        let (begun, mut told) = (Instant::now(), false);
        loop {
            let look = github.checks_of(commit);
            let Some(all) = unless_stopped(&self.stop, look).await? else { return Ok(None) };
            let passed = begun.elapsed();
            let most = if all.is_empty() { most.min(NONE_YET) } else { most };
            let under_way = all.is_empty() || all.iter().any(|one| one.state == RemoteCheckState::Running);
            if !under_way || passed >= most {
                return Ok(Some(all));
            }
            if !told {
                tracing::info!("Waiting for the checks of the server, at most {} s", most.as_secs());
                told = true;
            }
            let pause = async {
                tokio::time::sleep(PACE.min(most.saturating_sub(passed))).await;
                Ok(())
            };
            if unless_stopped(&self.stop, pause).await?.is_none() {
                return Ok(None);
            }
        }
    }

    /// Returns what the checks say where that is only given back to the author: what may not be read is told, and ends no run.
    pub(super) async fn remote_checks_to_feed_back(
        &self,
        commit: &str,
    ) -> Result<Option<Vec<RemoteCheck>>, RunError> {
        let seen = self.remote_checks(commit).await;
        let Some(right) = seen.as_ref().err().and_then(missing_right) else { return seen };
        let why = seen.err().map(|error| error.to_string()).unwrap_or_default();
        let why = self.masker.mask(&why);
        tracing::warn!("W_CI_UNKNOWN: {why}; the token needs the right `{right}`. Nothing is fed back");
        Ok(None)
    }

    /// Returns where the run's branch stands, which is what was pushed last.
    pub(super) fn pushed(&self) -> Result<String, RunError> {
        let run = self.run_state()?;
        let branch = self.space.workspace().branches().find(&run.started.branch)?;
        Ok(branch.map_or_else(|| run.branch.head.clone(), |branch| branch.tip.to_string()))
    }
}

/// Tells why the checks of the server are not known.
pub(super) fn unknown(error: &RunError) -> String {
    match missing_right(error) {
        Some(right) => format!("{error}; the token needs the right `{right}`"),
        None => error.to_string(),
    }
}

fn missing_right(error: &RunError) -> Option<&'static str> {
    if let RunError::Forge(error) = error { missing_permission(error) } else { None }
}
