//! Gathers the evidence of a round: the changes, the author's answer, the results of commands and, for the checks that need it,
//! data from git and GitHub. Then records the results. The crate `checks` decides what passes.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use jiff::Timestamp;

use crate::active_run::ActiveRun;
use crate::error::Result;
use crate::git_files::{GitBefore, Watched, note_moved_references, note_put_back};
use crate::publisher::Publisher;
use crate::unreviewed::base_of;
use crate::{documents, manual_changes, remote_checks};
use checks::{Published, Site, TestTrees, Untaken, World};
use engine::{PhaseState, Run, Status};
use git::{CommitId, GitFiles, Snapshot, Tree, WorktreeState};
use journal::store::folders::CallFolder;
use model::change::Change;
use model::event::{CheckResult, CheckStatus, Checked, Fact};
use model::phase::{PhaseName, Step};
use model::policy::CheckKind;
use views::summary::deliverable_path;

/// Runs the checks of a phase and records their results.
pub(super) async fn run_checks(
    active: &mut ActiveRun,
    publisher: &Publisher,
    name: &PhaseName,
    round: u32,
) -> Result<()> {
    documents::put_back_before_step(active, name, Step::Check)?;
    let before = Tree::try_from(active.phase(name)?.files.tree.as_str())?;
    if manual_changes::record_new_changes(active, name, Step::Check, &before)? {
        return Ok(());
    }
    let seen = active.ensure_snapshot(Some(&before))?.clone();
    let trees = TreesOfCommands::write(active, active.run()?, active.phase(name)?, &seen)?;
    let git_before =
        if runs_commands(active, name)? { Some(GitBefore::read(active, &before)?) } else { None };
    let (run, phase) = (active.run()?, active.phase(name)?);
    let results = CheckedPhase { active, publisher, run, phase, seen, trees }.examine().await;
    if let Some(git_before) = git_before {
        undo_changes_by_commands(active, name, &git_before)?;
    }
    let mut results = results?;
    active.job_files.verify()?;
    let commands = list_commands(active, &results)?;
    if !commands.is_empty() {
        let put_back = documents::put_back_after_commands(active, name, &before, &commands)?;
        checks::add_put_back_documents(&mut results, &put_back, &commands);
    }
    if active.is_stopping() {
        return Ok(());
    }
    let tree = active.ensure_snapshot(Some(&before))?.tree.clone();
    let documents = documents::see_approved(active, active.phase(name)?, &tree)?;
    let fact = Checked { phase: name.clone(), round, results, tree: tree.to_string(), documents };
    active.record(Fact::Checked(fact))
}

/// Puts back what commands of the repository changed in git's own files and references, and notes it.
fn undo_changes_by_commands(active: &mut ActiveRun, name: &PhaseName, before: &GitBefore) -> Result<()> {
    let planted = before.restore_files(active)?;
    let moved = before.restore_references(active, Watched::Command)?;
    GitFiles::forget(&active.space)?;
    note_put_back(active, &format!("Phase {name}: A command of the repository"), &planted)?;
    note_moved_references(active, &moved, Watched::Command)
}

/// Writes the tree that a commit of the phase would have, without strays.
fn write_committed_tree(active: &ActiveRun, phase: &PhaseState, seen: &Snapshot) -> Result<Tree> {
    let mut paths = phase.files.changed.clone();
    paths.insert(active.folder.deliverable(&phase.def));
    Ok(active.space.snapshots().published_tree(seen, &paths)?)
}

/// A phase that is checked, with the files as they are.
struct CheckedPhase<'a> {
    active: &'a ActiveRun,
    publisher: &'a Publisher,
    run: &'a Run,
    phase: &'a PhaseState,
    seen: Snapshot,
    trees: Option<TreesOfCommands>,
}

/// The trees on which commands of the repository run.
struct TreesOfCommands {
    base: CommitId,
    published: Tree,
    tests: TestTrees,
}

impl TreesOfCommands {
    /// Writes what a commit of the phase would publish, and what the comparisons of tests need; nothing when no check runs a
    /// command.
    fn write(active: &ActiveRun, run: &Run, phase: &PhaseState, seen: &Snapshot) -> Result<Option<Self>> {
        if !runs_commands(active, phase.name())? {
            return Ok(None);
        }
        let base = CommitId::try_from(run.started.base_commit.as_str())?;
        let published = write_committed_tree(active, phase, seen)?;
        let tests = TestTrees::write(&active.space, &phase.def.policy, &base, &published)?;
        Ok(Some(Self { base, published, tests }))
    }
}

impl CheckedPhase<'_> {
    async fn examine(&self) -> Result<Vec<CheckResult>> {
        let Self { active, run, phase, seen, .. } = self;
        let agreement = &run.started.agreement;
        let changed = self.list_changed_now()?;
        let all_changes = active.space.workspace().changes();
        let changes = match self.find_start_of_moved_branch()? {
            Some(began) => all_changes.between(&began, &seen.tree, &changed)?,
            None => all_changes.uncommitted(seen, &changed)?,
        };
        let committable = self.is_committable()?;
        let published = self.trees.as_ref().map(|trees| self.published(trees));
        let since_base = self.list_changes_since_base(&changes)?;
        let approved = documents::list_approved(active, phase.name())?;
        let documents = documents::see_approved(active, phase, &seen.tree)?;
        let mut by_hand = documents::list_changed_by_person(run, &documents);
        by_hand.extend(phase.files.by_hand.iter().cloned());
        let world = self.gather_world().await;
        let answer = self.read_latest_answer();
        // A phase opened again for a review or a revision may keep the deliverable it has.
        let began = match phase.started_at {
            Some(at) if phase.evidence.completed_steps.contains(&Step::Execute) => at,
            _ => run.created_at,
        };
        let site = Site {
            worktree: active.folder.root(),
            phase: &phase.def,
            output: &deliverable_path(run, phase),
            committable,
            began,
            changed: &changed,
            changes: &changes,
            since_base: &since_base,
            changed_before: &list_changed_before(run, phase),
            approved: &approved,
            put_back: &phase.files.put_back,
            by_hand: &by_hand,
            left_out: &seen.left_out,
            reviewed: &list_reviewed(run, phase),
            plans: &list_plans(run, phase),
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
            masker: &active.masker,
            read: checks::Read::default(),
        };
        let results = checks::run(&site, &mut active.stop.clone()).await;
        active.space.clean_worktree().seal();
        Ok(results)
    }

    /// Returns the files that the authors changed and did not restore; for a phase that was reopened also those that its
    /// earlier commit changed and that are still so.
    fn list_changed_now(&self) -> Result<BTreeSet<String>> {
        let workspace = self.active.space.workspace();
        // On a branch that moved, what differs from HEAD says nothing: the author may have committed what was put back since.
        let differing: BTreeSet<String> = match self.find_start_of_moved_branch()? {
            Some(began) => workspace.changes().paths_between(&began, &self.seen.tree)?.into_iter().collect(),
            None => self.seen.uncommitted.keys().cloned().collect(),
        };
        let files = &self.phase.files;
        let mut now: BTreeSet<String> = files.changed.intersection(&differing).cloned().collect();
        let code = now.iter().any(|path| !path.starts_with(".ai-workflow/"));
        if let (false, Some(commit)) = (code, &files.first_commit) {
            now.extend(workspace.history().list_still_changed_paths(&CommitId::try_from(commit.as_str())?)?);
        }
        Ok(now)
    }

    /// Returns the tree of the branch when the phase began, if there are commits since then: what a person or an agent
    /// committed still counts as a change of the phase.
    fn find_start_of_moved_branch(&self) -> Result<Option<Tree>> {
        let Ok(began) = CommitId::try_from(self.phase.files.began_at.as_str()) else { return Ok(None) };
        let workspace = self.active.space.workspace();
        let moved = self.seen.head.commit != began && workspace.has_tree(&began.as_tree())?;
        Ok(if moved { Some(began.as_tree()) } else { None })
    }

    /// Tells whether git tracks the deliverable or would add it to a commit.
    fn is_committable(&self) -> Result<bool> {
        let output = self.active.folder.deliverable(&self.phase.def);
        let is_new = self.seen.uncommitted.contains_key(&output);
        Ok(is_new || !self.active.space.workspace().list_tracked_files(&output)?.is_empty())
    }

    fn published<'a>(&'a self, trees: &'a TreesOfCommands) -> Published<'a> {
        let TreesOfCommands { base, published, tests } = trees;
        let (space, memory) = (&self.active.space, &self.active.commands);
        Published { space, tree: published.clone(), base: base.clone(), test_trees: tests, memory }
    }

    /// Returns what the run changed since its base, as a commit of the phase would have it; nothing when the checks need only
    /// the changes of the phase. Changes that were merged from the base branch do not count.
    fn list_changes_since_base(&self, changes: &[Change]) -> Result<Vec<Change>> {
        let commands = &self.run.started.agreement.commands;
        let test_command = commands.get("test").map_or("", String::as_str);
        if !checks::depends_on_the_run(&self.phase.def, changes, test_command) {
            return Ok(Vec::new());
        }
        let space = &self.active.space;
        let base = base_of(space, self.run, &self.seen.head.commit)?;
        Ok(space
            .workspace()
            .changes()
            .all_between(&base.as_tree(), &write_committed_tree(self.active, self.phase, &self.seen)?)?)
    }

    /// Reads the latest answer of the author, if it is on this machine.
    fn read_latest_answer(&self) -> Option<String> {
        let work = self.phase.evidence.work.as_ref()?;
        let (step, round, attempt) = (work.step, work.round, work.attempt);
        self.active.folder.read_answer(CallFolder { phase: &self.phase.def, step, round, attempt })
    }

    /// Gathers the data beyond the files that the checks of the phase need.
    async fn gather_world(&self) -> World {
        let Self { active, run, .. } = self;
        let asks = |look: &CheckKind| {
            let defined = &run.started.agreement.defined;
            let mut checks = self.phase.def.policy.checks.iter().filter_map(|rule| defined.get(&rule.id));
            checks.any(|check| check.look == *look)
        };
        let mut world = World::default();
        if asks(&CheckKind::GitClean) {
            let survey = active.space.workspace().read_state();
            let untaken = survey.map(|survey| find_untaken(&survey, active.folder.root(), run.created_at));
            world.untaken = untaken.map_err(|error| self.mask(&error.to_string()));
        }
        if asks(&CheckKind::IssueClosed) {
            let issue = self.publisher.forge.issue(run.started.issue.number).await;
            world.issue_open = issue.map(|issue| issue.open).map_err(|error| self.mask(&error.to_string()));
        }
        if asks(&CheckKind::RemoteChecks) {
            let judged = remote_checks::read_results(active, self.publisher).await;
            world.remote_checks = judged.map_err(|why| self.mask(&why));
        }
        if asks(&CheckKind::CommitMessages) {
            world.messages = self.list_messages().map_err(|error| self.mask(&error.to_string()));
        }
        world
    }

    fn mask(&self, text: &str) -> String {
        self.active.masker.mask(text).as_str().to_owned()
    }

    /// Returns the messages of the author's commits: those after the engine's latest commit.
    fn list_messages(&self) -> Result<Vec<String>, git::Error> {
        let head = CommitId::try_from(self.run.branch.head.as_str())?;
        self.active.space.workspace().history().messages_since(&head)
    }
}

/// Returns the checks that ran a command; one whose command is not configured did not run.
fn list_commands(active: &ActiveRun, results: &[CheckResult]) -> Result<String> {
    let defined = &active.run()?.started.agreement.defined;
    let ran = results.iter().filter(|result| {
        result.status != CheckStatus::Skipped && checks::runs_a_command(&result.check, defined)
    });
    Ok(ran.map(|result| result.check.as_str()).collect::<Vec<_>>().join(", "))
}

/// Tells whether a check of a phase runs a command.
fn runs_commands(active: &ActiveRun, name: &PhaseName) -> Result<bool> {
    let (defined, rules) = (&active.run()?.started.agreement.defined, &active.phase(name)?.def.policy.checks);
    Ok(rules.iter().any(|rule| checks::runs_a_command(&rule.id, defined)))
}

/// Returns the completed phases before a phase.
fn list_completed_before<'a>(run: &'a Run, phase: &PhaseState) -> impl Iterator<Item = &'a PhaseState> {
    let earlier = run.phases.iter().take_while(|earlier| earlier.name() != phase.name());
    earlier.filter(|earlier| earlier.status == Status::Completed)
}

/// Returns the deliverables that plan what a phase does, the earlier one first.
pub(super) fn list_plans(run: &Run, phase: &PhaseState) -> Vec<String> {
    let completed = list_completed_before(run, phase);
    let planned =
        completed.filter(|earlier| earlier.def.properties.plans && !earlier.def.stores_review_documents());
    planned.map(|earlier| deliverable_path(run, earlier)).collect()
}

/// Returns the deliverables of the completed phases before a phase whose reviewer was shown the results of the checks.
fn list_reviewed(run: &Run, phase: &PhaseState) -> Vec<String> {
    let is_reviewed =
        |earlier: &&PhaseState| earlier.def.policy.review.is_some() && !earlier.def.policy.triage;
    let reviewed = list_completed_before(run, phase).filter(is_reviewed);
    reviewed.map(|earlier| deliverable_path(run, earlier)).collect()
}

/// Returns the files that the phases before a phase have committed.
fn list_changed_before(run: &Run, phase: &PhaseState) -> BTreeSet<String> {
    list_completed_before(run, phase).flat_map(|earlier| earlier.files.on_branch.iter().cloned()).collect()
}

/// Returns what no commit of the run can hold: unmerged files, nested repositories and git operations in progress. Ignored
/// files, and nested repositories older than the run, do not count.
fn find_untaken(survey: &WorktreeState, root: &Path, began: Timestamp) -> Vec<Untaken> {
    let of = |letters, what| move |path: &String| Untaken { letters, path: path.clone(), what };
    let unmerged = survey.unmerged.iter().map(of("UU", "is not merged"));
    let nested = survey.nested_repositories.iter().filter(|path| is_younger(&root.join(path), began));
    let nested = nested.map(of("??", "is a repository inside the worktree"));
    let begun = survey.in_progress.map(|what| Untaken {
        letters: "UU",
        path: format!("a {what}"),
        what: "was begun and not ended",
    });
    begun.into_iter().chain(unmerged).chain(nested).collect()
}

fn is_younger(path: &Path, began: Timestamp) -> bool {
    let made = fs::metadata(path).and_then(|metadata| metadata.created().or_else(|_| metadata.modified()));
    made.ok().and_then(|made| Timestamp::try_from(made).ok()).is_none_or(|made| made >= began)
}
