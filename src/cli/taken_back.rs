//! A log that was taken back to the last commit while nobody could see it: an agent ran `git checkout -- .`, `git stash` or
//! `git reset --hard`, and the run was killed. What was written since is put back, or paid calls and findings would be lost.
//! Where the branch was moved since, a person may have meant the log, too: then it counts as it is found.

use super::door::Door;
use super::failure::Failure;
use git::RunWorkspace;
use journal::store::folders::RunFolder;
use journal::store::log::LogCopy;

/// Puts back what is missing from the log, where the branch stands as the run left it.
pub(super) fn put_back(door: &Door, space: &RunWorkspace, folder: &RunFolder) -> Result<(), Failure> {
    let log = folder.at(&folder.events());
    let copy = LogCopy::of(door.workspace.common(), folder.issue());
    if copy.is_ahead_of(&log)? && space.run_branch().is_where_left()? {
        copy.restore(&log)?;
    }
    Ok(())
}
