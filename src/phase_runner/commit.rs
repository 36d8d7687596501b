//! One commit per passed phase: the paths that the phase changed and the log up to the fact that announced it.
//! A commit whose fact was lost in a crash is found by its trailers and completed.

use super::{PhaseRunner, Push, RunError};
use crate::event::{Fact, Outcome};
use crate::flow::Run;
use crate::phase::PhaseName;
use crate::redact::Masked;
use crate::summary::quoted;
use crate::workspace::{CommitId, Trailers, Tree};

impl PhaseRunner {
    /// Commits a phase that was ruled to advance, if its files are still what was approved.
    pub(super) fn commit(&mut self, name: &PhaseName) -> Result<(), RunError> {
        if let Some(commit) = self.commit_without_fact(name)? {
            return self.committed(name, &commit);
        }
        let approved = Tree::try_from(self.phase(name)?.tree.as_str())?;
        if self.look(Some(&approved))?.tree != approved {
            self.seen = None;
            let reason = "the files changed after they were approved".to_owned();
            return Ok(self.journal.record(Fact::ApprovalVoided { phase: name.clone(), reason })?);
        }
        let paths = self.paths_to_commit(name)?;
        let message = self.message(name)?;
        let expected = CommitId::try_from(self.run_state()?.head.as_str())?;
        let seen = self.look(Some(&approved))?.clone();
        let commit = self.space.commit(&paths, &message, &seen, &expected)?;
        self.committed(name, &commit)
    }

    /// Only a process that did not see the files itself has to look for a commit whose fact is lost. What a later
    /// process recorded before it came here stands between the announcement and now.
    fn commit_without_fact(&mut self, name: &PhaseName) -> Result<Option<CommitId>, RunError> {
        if self.seen.is_some() {
            return Ok(None);
        }
        let run_id = &self.run_state()?.started.run_id;
        for (seq, chain) in self.journal.since_ruling(name)? {
            let found = self.space.find_commit_with(run_id, seq)?;
            if let Some((commit, _)) = found.filter(|(_, trailers)| trailers.chain == chain) {
                return Ok(Some(commit));
            }
        }
        Ok(None)
    }

    fn committed(&mut self, name: &PhaseName, commit: &CommitId) -> Result<(), RunError> {
        self.journal.record(Fact::Committed { phase: name.clone(), commit: commit.to_string() })?;
        if let Some(seen) = &mut self.seen {
            seen.head.commit = commit.clone();
        }
        if self.push == Push::Phase { self.push() } else { Ok(()) }
    }

    /// Everything the authors of the phase changed, its documents and the engine's own files; strays never.
    fn paths_to_commit(&self, name: &PhaseName) -> Result<Vec<String>, RunError> {
        let phase = self.phase(name)?;
        let mut paths: Vec<String> = phase.changed.iter().cloned().collect();
        paths.extend([self.folder.events(), self.folder.metadata(), self.folder.review_result()]);
        if phase.def.policy.triage {
            let documents =
                |n| [self.folder.review_document(&phase.def, n), self.folder.reply_document(&phase.def, n)];
            paths.extend((1..=phase.round).flat_map(documents));
        } else {
            paths.push(self.folder.deliverable(&phase.def));
        }
        paths.sort();
        paths.dedup();
        Ok(paths)
    }

    fn message(&self, name: &PhaseName) -> Result<Masked, RunError> {
        let run = self.run_state()?;
        let subject = format!("{name}: #{} {}", run.started.issue.number, quoted(&run.started.issue.title));
        Ok(self.masker.mask(&format!("[ai-workflow] {subject}\n\n{}", self.trailers(run, name.as_str()))))
    }

    fn trailers(&self, run: &Run, phase: &str) -> Trailers {
        let chain = self.journal.chain().to_owned();
        Trailers {
            run: run.started.run_id.clone(),
            phase: phase.to_owned(),
            seq: self.journal.state().seq,
            chain,
        }
    }

    /// Puts the end of the log on the branch at each halt: the worktree is left without changes of ours, and another
    /// machine that gets the branch knows how the run stands.
    pub(super) fn commit_record(&mut self, outcome: Outcome) -> Result<(), RunError> {
        let run = self.run_state()?.clone();
        let message = format!(
            "[ai-workflow] run: #{} {}\n\n{}",
            run.started.issue.number,
            outcome.as_str(),
            self.trailers(&run, "-")
        );
        let message = self.masker.mask(&message);
        let expected = CommitId::try_from(run.head.as_str())?;
        let mut paths = vec![self.folder.events(), self.folder.metadata(), self.folder.review_result()];
        let tree =
            run.phases.iter().rev().find(|phase| !phase.tree.is_empty()).map(|phase| phase.tree.clone());
        let tree = tree.map(|tree| Tree::try_from(tree.as_str())).transpose()?;
        let snapshot = self.look(tree.as_ref())?.clone();
        paths.retain(|path| snapshot.uncommitted.contains_key(path));
        if !paths.is_empty() {
            self.space.commit(&paths, &message, &snapshot, &expected)?;
        }
        Ok(())
    }
}
