//! Keeps the files of a phase under way in this repository while nobody works: a run may wait for weeks, and no commit has
//! them yet. Sends nothing anywhere.

use super::share_work::is_under_way;
use super::{JobRole, PhaseRunner, RunError};
use engine::PhaseState;
use git::Tree;
use journal::store::log;
use model::event::{Fact, Outcome};
use model::phase::PhaseName;

impl PhaseRunner {
    /// Keeps what whoever goes on will need, or gives it up when that is over.
    pub(super) fn keep_files(&self) -> Result<(), RunError> {
        // Whoever publishes has nothing of a phase under way.
        if self.role == JobRole::Publish {
            return Ok(());
        }
        let run = self.run_state()?;
        let is_over = matches!(run.outcome, Outcome::Completed | Outcome::Cancelled);
        match run.phases.iter().find(|phase| is_under_way(phase)).filter(|_| !is_over) {
            Some(phase) => Ok(self.space.work().keep_trees(&self.trees_of(phase)?)?),
            None => Ok(self.space.work().release_trees()?),
        }
    }

    /// Returns the trees of a phase since it began, the present one first: a review may be compared with an earlier one.
    fn trees_of(&self, phase: &PhaseState) -> Result<Vec<Tree>, RunError> {
        let mut trees = vec![Tree::try_from(phase.files.tree.as_str())?];
        for entry in log::read_file(&self.folder.at(&self.folder.events()))?.entries.iter().rev() {
            if let Some(tree) = tree_of(&entry.fact, phase.name()) {
                let tree = Tree::try_from(tree)?;
                if !trees.contains(&tree) {
                    trees.push(tree);
                }
            }
            if matches!(&entry.fact, Fact::PhaseStarted { phase: begun, .. } if begun == phase.name()) {
                break;
            }
        }
        Ok(trees)
    }
}

fn tree_of<'a>(fact: &'a Fact, name: &PhaseName) -> Option<&'a str> {
    let (phase, tree) = match fact {
        Fact::PhaseStarted { phase, tree, .. } | Fact::ChangedByHand { phase, tree, .. } => (phase, tree),
        Fact::Worked(worked) => (&worked.phase, &worked.tree),
        Fact::Checked(checked) => (&checked.phase, &checked.tree),
        Fact::Reviewed(reviewed) => (&reviewed.phase, &reviewed.tree),
        Fact::Triaged(triaged) => (&triaged.phase, &triaged.tree),
        _ => return None,
    };
    (phase == name && !tree.is_empty()).then_some(tree)
}
