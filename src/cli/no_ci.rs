//! The warning that the pull request will start no workflow, because its token is the one that GitHub gives to each job.
//! Told before any work is paid for: in the log, on the job's page, and in the comment.

use super::door::Door;
use super::failure::Failure;
use super::job;
use app::runner::JobRole;
use engine::Run;
use forge::Forge;
use journal::Journal;
use model::event::{Fact, Outcome};
use views::summary::{NO_CI, STARTS_CI, starts_no_ci};

/// The account of the token of a job.
pub(super) const JOBS_OWN: &str = "github-actions";

/// Asks whose the token is and tells what follows from it, once in a run as long as it stays so.
pub(super) async fn tell(door: &Door, journal: &mut Journal, forge: &Forge) -> Result<(), Failure> {
    let running = |run: &&Run| run.outcome == Outcome::Running;
    let Some(run) = journal.state().run.as_ref().filter(running) else { return Ok(()) };
    let was_told = starts_no_ci(run).is_some();
    // The first one asks who it is in any case, to find its comment.
    if run.publication.progress_comment.is_some() && !was_told {
        return Ok(());
    }
    // Who writes next is told why GitHub gives no answer.
    let Ok(Some(login)) = forge.myself().await else { return Ok(()) };
    let is_jobs_own = login.trim_end_matches("[bot]") == JOBS_OWN;
    match door.role {
        JobRole::Work if is_jobs_own && !names_a_program(door) => {
            let text = format!(
                "{NO_CI}: unless the job that publishes has the token of an app, which `[github] allowed_actors` names, \
                 the pull request will start no workflow"
            );
            tracing::warn!("{text}");
            job::say(door, &text);
            Ok(())
        }
        JobRole::Both | JobRole::Publish if is_jobs_own && !was_told => {
            let text = format!(
                "{NO_CI}: the token is the job's own, so the pull request will start no workflow; use one of an app"
            );
            job::say(door, &text);
            note(journal, NO_CI, text)
        }
        JobRole::Both | JobRole::Publish if !is_jobs_own && was_told => {
            note(journal, STARTS_CI, format!("The pull request is {login}'s now and starts workflows"))
        }
        JobRole::Both | JobRole::Work | JobRole::Publish => Ok(()),
    }
}

/// Where two jobs share the work, the app that publishes has to be named.
fn names_a_program(door: &Door) -> bool {
    door.settings.github.allowed_actors.iter().any(|name| name.ends_with("[bot]"))
}

/// The reporter of log lines tells it.
fn note(journal: &mut Journal, kind: &str, text: String) -> Result<(), Failure> {
    Ok(journal.record(Fact::Noted { kind: kind.to_owned(), text })?)
}
