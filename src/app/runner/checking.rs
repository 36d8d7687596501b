//! Gathers the evidence of a round: what changed, what the author said, what our own commands say; then records it.

use std::collections::{BTreeMap, BTreeSet};

use super::unreviewed::base_of;
use super::{PhaseRunner, RunError};
use checks::{Published, Site};
use engine::{PhaseState, Run, Status};
use git::{CommitId, Snapshot, Tree};
use journal::store::folders::Call;
use model::change::Change;
use model::event::{CheckResult, CheckStatus, Checked, Fact};
use model::phase::{PhaseName, Step};
use model::policy::DefinedCheck;
use views::summary::deliverable_path;

/// What git says about the files of a phase.
struct Gathered {
    changed: BTreeSet<String>,
    changes: Vec<Change>,
    /// What the run changed since its base, where a check asks for it.
    since_base: Vec<Change>,
    /// What no tree can hold.
    left_out: Vec<String>,
    committable: bool,
    /// The deliverables of completed phases.
    approved: Vec<String>,
    /// What is going to be published, where a command has to run on it.
    tree: Option<Tree>,
}

impl PhaseRunner {
    /// Runs the checks of a phase and records what they saw.
    pub(super) async fn run_checks(&mut self, name: &PhaseName, round: u32) -> Result<(), RunError> {
        let before = Tree::try_from(self.phase(name)?.files.tree.as_str())?;
        if self.takes_up_work_by_hand(name, Step::Check, &before)? {
            return Ok(());
        }
        let changed = self.changed_now(name, &before)?;
        let seen = self.look(Some(&before))?.clone();
        let changes = match self.moved_since(name, &seen)? {
            Some(began) => self.space.workspace().changes().between(&began, &seen.tree, &changed)?,
            None => self.space.workspace().changes().uncommitted(&seen, &changed)?,
        };
        let committable = self.committable(name, &before)?;
        let tree = self.published_tree(name, &seen)?;
        let since_base = self.since_base(name, &seen, &changes)?;
        let approved = self.approved_documents(name)?;
        let left_out = seen.left_out;
        let gathered = Gathered { changed, changes, since_base, left_out, committable, approved, tree };
        let results = self.examine(name, &gathered).await?;
        self.job.verify()?;
        if self.stopping() {
            return Ok(());
        }
        let defined = &self.run_state()?.started.agreement.defined;
        if results.iter().any(|result| ran_a_command(result, defined)) {
            self.seen = None;
        }
        let tree = self.look(Some(&before))?.tree.to_string();
        let fact = Checked { phase: name.clone(), round, results, tree };
        Ok(self.journal.record(Fact::Checked(fact))?)
    }

    /// What the authors changed and did not take back; for a phase that was opened again also what it committed before
    /// and what still stands.
    fn changed_now(&mut self, name: &PhaseName, before: &Tree) -> Result<BTreeSet<String>, RunError> {
        let phase = self.phase(name)?;
        let (changed, earlier) = (phase.files.changed.clone(), phase.files.first_commit.clone());
        let seen = self.look(Some(before))?;
        let seen = seen.clone();
        let mut differing: BTreeSet<String> = seen.uncommitted.keys().cloned().collect();
        if let Some(began) = self.moved_since(name, &seen)? {
            differing.extend(self.space.workspace().changes().paths_between(&began, &seen.tree)?);
        }
        let mut now: BTreeSet<String> = changed.intersection(&differing).cloned().collect();
        let code = now.iter().any(|path| !path.starts_with(".ai-workflow/"));
        if let (false, Some(commit)) = (code, earlier) {
            now.extend(
                self.space.workspace().history().still_changed_by(&CommitId::try_from(commit.as_str())?)?,
            );
        }
        Ok(now)
    }

    /// Returns where the branch stood when the phase began, if somebody committed since: what a person or an agent took into
    /// a commit is still what the phase changed.
    fn moved_since(&self, name: &PhaseName, seen: &Snapshot) -> Result<Option<Tree>, RunError> {
        let Ok(began) = CommitId::try_from(self.phase(name)?.files.began_at.as_str()) else {
            return Ok(None);
        };
        let moved =
            seen.head.commit != began && self.space.workspace().objects().has_tree(&began.as_tree())?;
        Ok(moved.then(|| began.as_tree()))
    }

    /// Returns the tree that a commit of the phase would have; nothing when no check runs a command.
    fn published_tree(&self, name: &PhaseName, seen: &Snapshot) -> Result<Option<Tree>, RunError> {
        let (phase, defined) = (self.phase(name)?, &self.run_state()?.started.agreement.defined);
        if !phase.def.policy.checks.iter().any(|rule| checks::runs_a_command(&rule.id, defined)) {
            return Ok(None);
        }
        Ok(Some(self.committed_tree(name, seen)?))
    }

    /// Returns the tree that a commit of the phase would have, strays left out.
    fn committed_tree(&self, name: &PhaseName, seen: &Snapshot) -> Result<Tree, RunError> {
        let phase = self.phase(name)?;
        let mut paths = phase.files.changed.clone();
        paths.insert(self.folder.deliverable(&phase.def));
        Ok(self.space.snapshots().published_tree(seen, &paths)?)
    }

    /// Returns what the run changed since its base, as a commit of the phase would have it; nothing where what the phase
    /// changed itself tells enough. What came with the base branch is nobody's work here.
    fn since_base(
        &self,
        name: &PhaseName,
        seen: &Snapshot,
        changes: &[Change],
    ) -> Result<Vec<Change>, RunError> {
        let (run, phase) = (self.run_state()?, self.phase(name)?);
        let test_command = run.started.agreement.commands.get("test").map_or("", String::as_str);
        if !checks::depends_on_the_run(&phase.def, changes, test_command) {
            return Ok(Vec::new());
        }
        let base = base_of(&self.space, run, &seen.head.commit)?;
        Ok(self
            .space
            .workspace()
            .changes()
            .all_between(&base.as_tree(), &self.committed_tree(name, seen)?)?)
    }

    /// Tells whether git knows the deliverable or would take it into a commit.
    fn committable(&mut self, name: &PhaseName, before: &Tree) -> Result<bool, RunError> {
        let output = self.folder.deliverable(&self.phase(name)?.def);
        if self.look(Some(before))?.uncommitted.contains_key(&output) {
            return Ok(true);
        }
        Ok(!self.space.workspace().objects().tracked_below(&output)?.is_empty())
    }

    async fn examine(&mut self, name: &PhaseName, gathered: &Gathered) -> Result<Vec<CheckResult>, RunError> {
        let run =
            self.journal.state().run.as_ref().ok_or_else(|| RunError::Bug("the run has not begun".into()))?;
        let phase = run.phase(name).ok_or_else(|| RunError::Bug(format!("the run has no phase {name}")))?;
        let output = deliverable_path(run, phase);
        let answer = self.latest_answer(phase);
        let agreement = &run.started.agreement;
        let world = self.world(run, &phase.def).await;
        let base = CommitId::try_from(run.started.base_commit.as_str())?;
        let tree = gathered.tree.clone();
        let published = tree.map(|tree| Published { space: &self.space, tree, base, memory: &self.commands });
        let (plans, changed_before) = (plans(run, phase), changed_before(run, phase));
        let reviewed = reviewed(run, phase);
        let site = Site {
            worktree: self.folder.root(),
            phase: &phase.def,
            output: &output,
            committable: gathered.committable,
            // A phase opened again for a review or a revision may keep the deliverable it has.
            began: phase
                .started_at
                .filter(|_| phase.evidence.completed_steps.contains(&Step::Execute))
                .unwrap_or(run.created_at),
            changed: &gathered.changed,
            changes: &gathered.changes,
            since_base: &gathered.since_base,
            changed_before: &changed_before,
            approved: &gathered.approved,
            by_hand: &phase.files.by_hand,
            left_out: &gathered.left_out,
            reviewed: &reviewed,
            plans: &plans,
            answer: answer.as_deref(),
            claim: phase.evidence.work.as_ref().and_then(|work| work.claim.as_ref()),
            issue: &run.started.issue,
            evaluation: phase.evidence.evaluation.as_ref(),
            expected: &[],
            settings: &agreement.check_settings,
            defined: &agreement.defined,
            world: &world,
            commands: &agreement.commands,
            detected_commands: &agreement.detected_commands,
            published: published.as_ref(),
            time: &agreement.time,
            masker: &self.masker,
            read: checks::Read::default(),
        };
        Ok(checks::run(&site, &mut self.stop).await)
    }

    /// Reads what the author said last, where it is on this machine.
    fn latest_answer(&self, phase: &PhaseState) -> Option<String> {
        let work = phase.evidence.work.as_ref()?;
        let (step, round, attempt) = (work.step, work.round, work.attempt);
        self.folder.read_answer(Call { phase: &phase.def, step, round, attempt })
    }
}

/// Returns the deliverables that plan what a phase does, the earlier one first.
pub(super) fn plans(run: &Run, phase: &PhaseState) -> Vec<String> {
    let earlier = run.phases.iter().take_while(|earlier| earlier.name() != phase.name());
    let planned = earlier.filter(|earlier| {
        earlier.status == Status::Completed && checks::PLANNING.contains(&earlier.name().as_str())
    });
    planned.map(|earlier| deliverable_path(run, earlier)).collect()
}

/// Returns the deliverables of the completed phases before a phase whose reviewer was told what our checks saw.
fn reviewed(run: &Run, phase: &PhaseState) -> Vec<String> {
    let earlier = run.phases.iter().take_while(|earlier| earlier.name() != phase.name());
    let told = earlier.filter(|earlier| {
        earlier.status == Status::Completed
            && earlier.def.policy.review.is_some()
            && !earlier.def.policy.triage
    });
    told.map(|earlier| deliverable_path(run, earlier)).collect()
}

/// Returns what the phases before a phase have put on the branch.
fn changed_before(run: &Run, phase: &PhaseState) -> BTreeSet<String> {
    let earlier = run.phases.iter().take_while(|earlier| earlier.name() != phase.name());
    let completed = earlier.filter(|earlier| earlier.status == Status::Completed);
    completed.flat_map(|earlier| earlier.files.on_branch.iter().cloned()).collect()
}

/// A command may leave files behind; one that is not configured was not run.
fn ran_a_command(result: &CheckResult, defined: &BTreeMap<String, DefinedCheck>) -> bool {
    checks::runs_a_command(&result.check, defined) && result.status != CheckStatus::Skipped
}
