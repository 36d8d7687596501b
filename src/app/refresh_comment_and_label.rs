//! Brings the comment and the label of a run on which nobody works to what its log says: the process that should have done so
//! may have been lost after its last push. What does not work is warned of and stops nothing. No comment is made here.

use std::time::Duration;

use crate::environment::runtime;
use crate::failure::Result;
use crate::forge_connection;
use crate::project::Project;
use engine::Run;
use forge::Forge;
use runner::JobRole;
use runner::report::{refresh_comment, refresh_label};

/// A command that has nothing else to do waits no longer for it.
const LONGEST: Duration = Duration::from_secs(60);

/// Does it where nothing else is to be done.
pub fn refresh_now(project: &Project, run: &Run) {
    match runtime() {
        Ok(runtime) => runtime.block_on(refresh(project, run)),
        Err(failure) => tracing::warn!("{}", failure.message),
    }
}

/// Brings comment and label to what the log says, if this log is the newest.
pub async fn refresh(project: &Project, run: &Run) {
    let Ok(Forge::Github(github)) = forge_connection::of_run(project, run) else { return };
    if project.role == JobRole::Work {
        return;
    }
    match is_newest(project, run) {
        Ok(true) => {}
        Ok(false) => return,
        Err(failure) => return tracing::warn!("What others see is not looked after: {}", failure.message),
    }
    let written = async {
        refresh_comment(&github, &project.masker, run).await?;
        if project.settings.github.state_labels { refresh_label(&github, run).await } else { Ok(()) }
    };
    match tokio::time::timeout(LONGEST, written).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::warn!("What others see may not be up to date: {error}"),
        Err(_) => tracing::warn!("What others see may not be up to date: it took too long"),
    }
}

/// Another machine may have gone on with the run; then its words stay.
fn is_newest(project: &Project, run: &Run) -> Result<bool> {
    if project.workspace.origin().address()?.is_none() {
        return Ok(true);
    }
    let branch = &run.started.branch;
    let Some(here) = project.workspace.branches().find(branch)? else { return Ok(false) };
    match forge_connection::fetch(project, branch)? {
        Some(tip) => Ok(project.workspace.history().is_ancestor(&tip, &here.tip)?),
        None => Ok(true),
    }
}
