//! What lies on top of a completed run: commits of people, a merge, what came from another clone. It is told and stays as it
//! is; `finalize` says what becomes of it.

use super::door::Door;
use super::failure::Failure;
use super::hold::Hold;
use app::runner::unreviewed;
use git::CommitId;
use views::summary::Documents;

/// Tells what people put on top of a completed run; whether there is anything.
pub(super) fn is_told(door: &Door, hold: &Hold) -> Result<bool, Failure> {
    let run = hold.run()?;
    let known = CommitId::try_from(run.branch.head.as_str())?;
    let Some(tip) = hold.space.run_branch().tip_beyond(&run.started.run_id, &known)? else {
        return Ok(false);
    };
    let found = unreviewed(&hold.space, &hold.folder, run, &tip, Documents::Gone)?;
    let line = if found.is_empty() { String::new() } else { format!("; not reviewed: {}", found.line()) };
    let line = door.masker.mask(&line);
    tracing::warn!("What lies on top of the run on {} stays as it is{line}", run.started.branch);
    Ok(true)
}
