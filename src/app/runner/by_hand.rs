//! What a person changed while no process of ours worked: it stays, and is judged before anything is approved. Whoever reads
//! is compared with the files as they are when it begins, so that nobody's work passes for a reviewer's; and where nobody
//! reviews, an author does not answer for what a person wrote.

use super::{PhaseRunner, RunError};
use git::{Snapshot, Tree, is_engines_own};
use model::event::Fact;
use model::phase::{PhaseName, Step};

impl PhaseRunner {
    /// Looks at the files before the first call of this process; tells whether they are others than the phase left behind.
    /// Later nobody but those we call can have changed them.
    pub(super) fn takes_up_work_by_hand(
        &mut self,
        name: &PhaseName,
        step: Step,
        known: &Tree,
    ) -> Result<bool, RunError> {
        let has_called = self.has_called;
        self.has_called |= step != Step::Check;
        if has_called {
            return Ok(false);
        }
        if !self.tells_people_apart(name, step)? {
            self.tell_what_may_be_of_people(name, known)?;
            return Ok(false);
        }
        let seen = self.look(Some(known))?;
        if seen.tree == *known {
            return Ok(false);
        }
        let (tree, mut changed) = (seen.tree.to_string(), seen.changed.clone());
        let phase = self.phase(name)?;
        // A command of ours that was killed may have left files behind, but neither documents nor files of the phase.
        let is_known =
            |path: &String| phase.files.changed.contains(path) || self.space.files().contains(path);
        changed.retain(|path| self.is_of_people(path) && (step != Step::Check || is_known(path)));
        if changed.is_empty() && step == Step::Check {
            return Ok(false);
        }
        self.journal.record(Fact::ChangedByHand { phase: name.clone(), tree, changed })?;
        Ok(true)
    }

    /// An author that was killed told nothing of what it left, and where nobody reviews, nobody else will notice.
    fn tell_what_may_be_of_people(&mut self, name: &PhaseName, known: &Tree) -> Result<(), RunError> {
        if self.phase(name)?.def.policy.review.is_some() {
            return Ok(());
        }
        let mut changed = self.look(Some(known))?.changed.clone();
        changed.retain(|path| self.is_of_people(path));
        if !changed.is_empty() {
            let paths = changed.join(", ");
            tracing::warn!(
                "Phase {name}: Changed since its author was killed, by it or by a person, and nobody reviews it: {paths}"
            );
        }
        Ok(())
    }

    /// Before this process has called anybody, only people can have changed what was approved.
    pub(super) fn voided_by_hand(
        &mut self,
        name: &PhaseName,
        seen: Option<Snapshot>,
    ) -> Result<(), RunError> {
        let Some(Snapshot { tree, mut changed, .. }) = seen.filter(|_| !self.has_called) else {
            return Ok(());
        };
        changed.retain(|path| self.is_of_people(path));
        let (phase, tree) = (name.clone(), tree.to_string());
        Ok(self.journal.record(Fact::ChangedByHand { phase, tree, changed })?)
    }

    /// A reviewer is shown all there is, whoever wrote it. An author that was killed may have written anything itself.
    fn tells_people_apart(&self, name: &PhaseName, step: Step) -> Result<bool, RunError> {
        let phase = self.phase(name)?;
        let is_reader = matches!(step, Step::Review | Step::Answer | Step::Check);
        Ok(is_reader || (phase.def.policy.review.is_none() && phase.author_rests()))
    }

    /// Returns what a person changed and did not commit before a phase began; what earlier authors left is theirs.
    pub(super) fn left_by_people(&self, seen: &Snapshot) -> Result<Vec<String>, RunError> {
        let phases = &self.run_state()?.phases;
        let is_of_author = |path: &String| phases.iter().any(|phase| phase.files.changed.contains(path));
        let paths = seen.uncommitted.keys();
        let left = paths.filter(|path| !is_engines_own(path) && self.is_of_people(path));
        Ok(left.filter(|path| !is_of_author(path)).cloned().collect())
    }

    fn is_of_people(&self, path: &str) -> bool {
        let strays = self.journal.state().run.as_ref().map(|run| &run.started.strays);
        !self.space.files().is_setting(path)
            && strays.is_none_or(|strays| strays.iter().all(|stray| stray != path))
    }

    /// A reader that was stopped leaves no change behind: the next process would take it for a person's.
    pub(super) fn undo_of_stopped_reader(&mut self, before: &Tree) -> Result<(), RunError> {
        if !self.space.snapshots().take(Some(before))?.changed.is_empty() {
            self.space.snapshots().restore(before)?;
        }
        self.seen = None;
        Ok(())
    }
}
