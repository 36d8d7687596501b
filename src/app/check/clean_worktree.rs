//! The clean worktree in which `check` runs commands: it holds what the worktree would publish, and is gone afterwards. One check
//! of a repository works there at a time; a second one waits for the first.

use std::time::Duration;

use crate::failure::{Failure, FailureKind, Result};
use crate::project::Project;
use checks::{Memory, Published, TestTrees};
use git::{CommitId, RunWorkspace, Tree};
use journal::store::lock::{Lock, LockError};
use model::policy::Policy;
use process::{Stop, Urgency};

/// How often a check that waits looks whether it is its turn.
const BETWEEN_LOOKS: Duration = Duration::from_millis(200);

/// Where commands run, and on which trees.
pub(super) struct CleanCheck {
    space: RunWorkspace,
    tree: Tree,
    base: CommitId,
    test_trees: TestTrees,
    memory: Memory,
    /// Released when this is dropped.
    _lock: Lock,
}

impl CleanCheck {
    /// Waits until no other check works in this repository, and writes the trees that the checks of a policy need. Neither the
    /// files nor the index of the worktree change.
    pub(super) async fn prepare(
        project: &Project,
        policy: &Policy,
        base: &CommitId,
        stop: &mut Stop,
    ) -> Result<Self> {
        let space = project.workspace.outside_a_run();
        let lock = take_lock(project, &space, stop).await?;
        // A check that was killed left it.
        space.clean_worktree().remove()?;
        let tree = space.snapshots().take(None)?.tree;
        let test_trees = TestTrees::write(&space, policy, base, &tree)?;
        Ok(Self { space, tree, base: base.clone(), test_trees, memory: Memory::default(), _lock: lock })
    }

    /// Returns what the checks are shown of it.
    pub(super) fn published(&self) -> Published<'_> {
        let Self { space, tree, base, test_trees, memory, .. } = self;
        Published { space, tree: tree.clone(), base: base.clone(), test_trees, memory }
    }

    /// Removes the worktree. Runs no git, for which a command of the repository may have left something.
    pub(super) fn remove(&self) -> Result<()> {
        Ok(self.space.clean_worktree().remove()?)
    }
}

async fn take_lock(project: &Project, space: &RunWorkspace, stop: &mut Stop) -> Result<Lock> {
    let command_line = project.masker.mask(&project.command_line);
    let mut is_told = false;
    loop {
        let holder = match Lock::take(space.state_dir(), &command_line, journal::now()) {
            Ok(lock) => return Ok(lock),
            Err(LockError::Busy { holder }) => holder,
            Err(LockError::Store(error)) => return Err(error.into()),
        };
        if !is_told {
            let who = holder.map_or_else(String::new, |holder| format!(" ({holder})"));
            tracing::info!("Another check works in this repository{who}; this one waits for it to end");
            is_told = true;
        }
        let waits = tokio::time::timeout(BETWEEN_LOOKS, stop.wait_beyond(Urgency::Running));
        if waits.await.is_ok() {
            return Err(Failure::new(FailureKind::Interrupted, "interrupted while another check works"));
        }
    }
}
