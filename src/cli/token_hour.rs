//! The warning that a job may work for longer than its token lasts, before any work is paid for.

use super::door::Door;
use super::forge_connection::in_ci;
use super::job;
use super::no_ci::JOBS_OWN;
use app::runner::JobRole;
use forge::Forge;

/// Phases that begin later than this may end after the hour. GitHub: an installation access token expires after one hour.
const MOST_MINUTES: u64 = 50;

/// Asks whose the token is, in a job that works and publishes; the token of a job lasts as long as the job.
pub(super) async fn tell(door: &Door, forge: &Forge) {
    let minutes = door.settings.github.job_minutes.unwrap_or(u64::MAX);
    if door.role != JobRole::Both || !forge.is_remote() || !in_ci() || minutes <= MOST_MINUTES {
        return;
    }
    // Who writes next is told why GitHub gives no answer.
    let Ok(Some(login)) = forge.myself().await else { return };
    if login.strip_suffix("[bot]").is_some_and(|name| name != JOBS_OWN) {
        let text = format!(
            "W_TOKEN_HOUR: the token of {login} lasts an hour, this job may take longer: set `[github] job_minutes` to 40, \
             or let a second job publish (`init github --two-job`)"
        );
        tracing::warn!("{text}");
        job::say(door, &text);
    }
}
