//! Shares what is not approved yet, so that another machine can go on with it: a job's disk is gone when the job is over.
//! Only files in which the checks found no secret leave the machine.

use tracing::warn;

use super::{JobRole, PhaseRunner, Push, RunError};
use engine::{PhaseState, Run, Status};
use git::{RunWorkspace, Tree};
use journal::store::log;
use model::event::{CheckStatus, Checked, Fact, Outcome};

/// The kind of the note that says that work was shared.
const SHARED: &str = "work_shared";
/// The most trees that travel.
const MOST: usize = 20;

impl PhaseRunner {
    /// Sends the files of the phase under way to origin, or takes them away when nobody needs them any more.
    /// What cannot be sent is told and stops nothing: then another machine begins the phase anew.
    pub(super) async fn share_work(&mut self, outcome: Outcome) -> Result<(), RunError> {
        let apart = self.push == Push::Never && self.role != JobRole::Work;
        if apart || !self.forge.is_remote() {
            return Ok(());
        }
        if self.role == JobRole::Work {
            self.space.work().forget()?;
        }
        let is_over = matches!(outcome, Outcome::Completed | Outcome::Cancelled);
        let phase = self.run_state()?.phases.iter().find(|phase| is_under_way(phase)).cloned();
        match phase.filter(|_| !is_over) {
            Some(phase) => self.send(&phase).await,
            None => self.recall().await,
        }
    }

    async fn send(&mut self, phase: &PhaseState) -> Result<(), RunError> {
        let trees = self.clean_trees(phase)?;
        if trees.is_empty() {
            return Ok(());
        }
        let number = self.run_state()?.started.issue.number;
        let message = self.masker.mask(&format!("[ai-workflow] work: #{number} {}", phase.name()));
        if self.role == JobRole::Work {
            return Ok(self.space.work().keep(&trees, &message)?);
        }
        let credentials = self.credentials.clone();
        let send = |space: &RunWorkspace| {
            space.work().send(&space.workspace().remote("origin", credentials.as_ref()), &trees, &message)
        };
        if let Err(error) = self.with_origin(send).await {
            warn!("The files of {} so far cannot be shared: {error}", phase.name());
            return Ok(());
        }
        let reference = self.space.work().reference();
        let text = format!("The files of {} so far are on origin as {reference}", phase.name());
        if self.run_state()?.notes.iter().any(|(_, known)| *known == text) {
            return Ok(());
        }
        Ok(self.journal.record(Fact::Noted { kind: SHARED.to_owned(), text })?)
    }

    async fn recall(&mut self) -> Result<(), RunError> {
        if self.role == JobRole::Work {
            return Ok(());
        }
        if !has_shared_work(self.run_state()?) {
            return Ok(());
        }
        let credentials = self.credentials.clone();
        // It may be gone already.
        let recall = |space: &RunWorkspace| {
            space.work().recall(&space.workspace().remote("origin", credentials.as_ref()))
        };
        if let Err(error) = self.with_origin(recall).await {
            tracing::debug!("{error}");
        }
        Ok(())
    }

    /// Returns the trees of a phase that hold no secret, the present one first; none when that one may hold one.
    fn clean_trees(&self, phase: &PhaseState) -> Result<Vec<Tree>, RunError> {
        let contents = log::read_file(&self.folder.at(&self.folder.events()))?;
        let mut trees: Vec<String> = Vec::new();
        for entry in contents.entries.iter().rev() {
            match &entry.fact {
                Fact::Checked(checked) if checked.phase == *phase.name() && is_clean(checked) => {
                    trees.push(checked.tree.clone());
                }
                _ => {}
            }
        }
        if !trees.contains(&phase.files.tree) {
            return Ok(Vec::new());
        }
        trees.insert(0, phase.files.tree.clone());
        let mut known: Vec<Tree> = Vec::new();
        for tree in trees {
            let tree = Tree::try_from(tree.as_str())?;
            if known.len() < MOST
                && !known.contains(&tree)
                && self.space.workspace().objects().has_tree(&tree)?
            {
                known.push(tree);
            }
        }
        Ok(known)
    }
}

/// Tells whether files of a phase under way were ever sent to origin.
pub fn has_shared_work(run: &Run) -> bool {
    run.notes.iter().any(|(kind, _)| kind == SHARED)
}

/// Tells whether a phase has files that no commit has yet.
pub(super) fn is_under_way(phase: &PhaseState) -> bool {
    let is_open = matches!(phase.status, Status::InProgress | Status::Paused);
    is_open && !phase.files.tree.is_empty()
}

fn is_clean(checked: &Checked) -> bool {
    let holds_one = |status| matches!(status, CheckStatus::Fail | CheckStatus::Unavailable);
    !checked.results.iter().any(|result| result.check == checks::SECRETS && holds_one(result.status))
}
