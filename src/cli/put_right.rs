//! Brings the comment and the label of a run on which nobody works to what its log says: the process that should have done so
//! may have been lost after its last push. What does not work is told and stops nothing. No comment is made here.

use std::time::Duration;

use super::door::{Door, runtime};
use super::failure::Failure;
use super::fetched::REMOTE;
use super::forge_connection;
use app::report::{put_comment_right, put_label_right};
use app::runner::JobRole;
use engine::Run;
use forge::Forge;

/// A command that has nothing else to do waits no longer for it.
const LONGEST: Duration = Duration::from_secs(60);

/// Does it where nothing else is to be done.
pub(super) fn put_right_now(door: &Door, run: &Run) {
    match runtime() {
        Ok(runtime) => runtime.block_on(put_right(door, run)),
        Err(failure) => tracing::warn!("{}", failure.message),
    }
}

/// Brings comment and label to what the log says, if this log is the newest.
pub(super) async fn put_right(door: &Door, run: &Run) {
    let Ok(Forge::Github(github)) = forge_connection::of_run(door, run) else { return };
    if door.role == JobRole::Work {
        return;
    }
    match is_newest(door, run) {
        Ok(true) => {}
        Ok(false) => return,
        Err(failure) => return tracing::warn!("What others see is not looked after: {}", failure.message),
    }
    let written = async {
        put_comment_right(&github, &door.masker, run).await?;
        if door.settings.github.state_labels { put_label_right(&github, run).await } else { Ok(()) }
    };
    match tokio::time::timeout(LONGEST, written).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::warn!("What others see may not be up to date: {error}"),
        Err(_) => tracing::warn!("What others see may not be up to date: it took too long"),
    }
}

/// Another machine may have gone on with the run; then its words stay.
fn is_newest(door: &Door, run: &Run) -> Result<bool, Failure> {
    if door.workspace.origin().address()?.is_none() {
        return Ok(true);
    }
    let branch = &run.started.branch;
    let Some(here) = door.workspace.branches().find(branch)? else { return Ok(false) };
    let on_origin = door.workspace.remote(REMOTE, forge_connection::credentials().as_ref()).fetch(branch)?;
    match on_origin {
        Some(tip) => Ok(door.workspace.history().is_ancestor(&tip, &here.tip)?),
        None => Ok(true),
    }
}
