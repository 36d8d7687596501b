//! The worktree of its own that a run gets with `--worktree`: beside the checkout, on the run's branch.

use std::path::PathBuf;

use super::door::Door;
use super::failure::Failure;
use super::setup;
use git::{Base, Workspace};
use journal::store::common_dir::RunLocation;
use model::event::branch_of;
use model::issue::IssueNumber;

/// Makes the worktree of an issue, on a new branch where a base is given; one that is there already is opened.
pub(super) fn make(door: &Door, issue: IssueNumber, base: Option<&Base>) -> Result<Workspace, Failure> {
    let path = path(door, issue);
    if path.exists() {
        return Ok(Workspace::open(&path)?);
    }
    Ok(door.workspace.add_worktree(&path, &branch_of(issue), base.map(|base| &base.commit))?)
}

/// Makes a worktree for a run that is on its branch only.
pub(super) fn of_branch(door: &Door, issue: IssueNumber) -> Result<Workspace, Failure> {
    let workspace = make(door, issue, None)?;
    set_up(door, &workspace)?;
    let location = RunLocation { worktree: workspace.root().to_owned(), branch: branch_of(issue) };
    location.write(door.workspace.common(), issue)?;
    Ok(workspace)
}

/// A fresh worktree gets what `[commands] setup` installs.
pub(super) fn set_up(door: &Door, workspace: &Workspace) -> Result<(), Failure> {
    let fresh = workspace.root() != door.root();
    match door.settings.commands.setup.as_deref().filter(|_| fresh) {
        None => Ok(()),
        Some(line) => setup::run(door, workspace.root(), line),
    }
}

fn path(door: &Door, issue: IssueNumber) -> PathBuf {
    let root = door.root();
    let name = root.file_name().unwrap_or_default().to_string_lossy().into_owned();
    root.with_file_name(format!("{name}-issue-{issue}"))
}
