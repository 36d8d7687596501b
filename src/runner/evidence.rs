//! Gathers the evidence of a round: what changed, what the author said, what our own commands say, and, for the checks that ask
//! for it, what lies beyond the files. Then records it. What each check makes of it is said by `checks`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use jiff::Timestamp;

use crate::active_run::ActiveRun;
use crate::error::RunError;
use crate::publisher::Publisher;
use crate::remote_checks::unknown;
use crate::turn::{JobRole, Push};
use crate::unreviewed::base_of;
use crate::{changes_by_hand, documents, remote_checks};
use checks::{Memory, Published, Site, Untaken, World};
use engine::{PhaseState, Run, Status};
use forge::ForgeError;
use git::{CommitId, Snapshot, Survey, Tree};
use journal::store::folders::Call;
use model::change::Change;
use model::event::{CheckResult, CheckStatus, Checked, Fact};
use model::phase::{PhaseName, Step};
use model::policy::{DefinedCheck, Look, PhaseDef};
use model::remote_check::RemoteCheck;
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

/// Runs the checks of a phase and records what they saw.
pub(super) async fn run_checks(
    active: &mut ActiveRun,
    publisher: &Publisher,
    memory: &Memory,
    name: &PhaseName,
    round: u32,
) -> Result<(), RunError> {
    let before = Tree::try_from(active.phase(name)?.files.tree.as_str())?;
    if changes_by_hand::take_up(active, name, Step::Check, &before)? {
        return Ok(());
    }
    let changed = changed_now(active, name, &before)?;
    let seen = active.look(Some(&before))?.clone();
    let changes = match moved_since(active, name, &seen)? {
        Some(began) => active.space.workspace().changes().between(&began, &seen.tree, &changed)?,
        None => active.space.workspace().changes().uncommitted(&seen, &changed)?,
    };
    let committable = committable(active, name, &before)?;
    let tree = published_tree(active, name, &seen)?;
    let since_base = since_base(active, name, &seen, &changes)?;
    let approved = documents::approved(active, name)?;
    let left_out = seen.left_out;
    let gathered = Gathered { changed, changes, since_base, left_out, committable, approved, tree };
    let results = examine(active, publisher, memory, name, &gathered).await?;
    active.job_files.verify()?;
    if active.is_stopping() {
        return Ok(());
    }
    let defined = &active.run()?.started.agreement.defined;
    if results.iter().any(|result| ran_a_command(result, defined)) {
        active.snapshot = None;
    }
    let tree = active.look(Some(&before))?.tree.to_string();
    let fact = Checked { phase: name.clone(), round, results, tree };
    Ok(active.journal.record(Fact::Checked(fact))?)
}

/// What the authors changed and did not take back; for a phase that was opened again also what it committed before
/// and what still stands.
fn changed_now(
    active: &mut ActiveRun,
    name: &PhaseName,
    before: &Tree,
) -> Result<BTreeSet<String>, RunError> {
    let phase = active.phase(name)?;
    let (changed, earlier) = (phase.files.changed.clone(), phase.files.first_commit.clone());
    let seen = active.look(Some(before))?;
    let seen = seen.clone();
    let mut differing: BTreeSet<String> = seen.uncommitted.keys().cloned().collect();
    if let Some(began) = moved_since(active, name, &seen)? {
        differing.extend(active.space.workspace().changes().paths_between(&began, &seen.tree)?);
    }
    let mut now: BTreeSet<String> = changed.intersection(&differing).cloned().collect();
    let code = now.iter().any(|path| !path.starts_with(".ai-workflow/"));
    if let (false, Some(commit)) = (code, earlier) {
        now.extend(
            active.space.workspace().history().still_changed_by(&CommitId::try_from(commit.as_str())?)?,
        );
    }
    Ok(now)
}

/// Returns where the branch stood when the phase began, if somebody committed since: what a person or an agent took into
/// a commit is still what the phase changed.
fn moved_since(active: &ActiveRun, name: &PhaseName, seen: &Snapshot) -> Result<Option<Tree>, RunError> {
    let Ok(began) = CommitId::try_from(active.phase(name)?.files.began_at.as_str()) else {
        return Ok(None);
    };
    let moved = seen.head.commit != began && active.space.workspace().objects().has_tree(&began.as_tree())?;
    Ok(moved.then(|| began.as_tree()))
}

/// Returns the tree that a commit of the phase would have; nothing when no check runs a command.
fn published_tree(active: &ActiveRun, name: &PhaseName, seen: &Snapshot) -> Result<Option<Tree>, RunError> {
    let (phase, defined) = (active.phase(name)?, &active.run()?.started.agreement.defined);
    if !phase.def.policy.checks.iter().any(|rule| checks::runs_a_command(&rule.id, defined)) {
        return Ok(None);
    }
    Ok(Some(committed_tree(active, name, seen)?))
}

/// Returns the tree that a commit of the phase would have, strays left out.
fn committed_tree(active: &ActiveRun, name: &PhaseName, seen: &Snapshot) -> Result<Tree, RunError> {
    let phase = active.phase(name)?;
    let mut paths = phase.files.changed.clone();
    paths.insert(active.folder.deliverable(&phase.def));
    Ok(active.space.snapshots().published_tree(seen, &paths)?)
}

/// Returns what the run changed since its base, as a commit of the phase would have it; nothing where what the phase
/// changed itself tells enough. What came with the base branch is nobody's work here.
fn since_base(
    active: &ActiveRun,
    name: &PhaseName,
    seen: &Snapshot,
    changes: &[Change],
) -> Result<Vec<Change>, RunError> {
    let (run, phase) = (active.run()?, active.phase(name)?);
    let test_command = run.started.agreement.commands.get("test").map_or("", String::as_str);
    if !checks::depends_on_the_run(&phase.def, changes, test_command) {
        return Ok(Vec::new());
    }
    let base = base_of(&active.space, run, &seen.head.commit)?;
    Ok(active
        .space
        .workspace()
        .changes()
        .all_between(&base.as_tree(), &committed_tree(active, name, seen)?)?)
}

/// Tells whether git knows the deliverable or would take it into a commit.
fn committable(active: &mut ActiveRun, name: &PhaseName, before: &Tree) -> Result<bool, RunError> {
    let output = active.folder.deliverable(&active.phase(name)?.def);
    if active.look(Some(before))?.uncommitted.contains_key(&output) {
        return Ok(true);
    }
    Ok(!active.space.workspace().objects().tracked_below(&output)?.is_empty())
}

async fn examine(
    active: &mut ActiveRun,
    publisher: &Publisher,
    memory: &Memory,
    name: &PhaseName,
    gathered: &Gathered,
) -> Result<Vec<CheckResult>, RunError> {
    let run =
        active.journal.state().run.as_ref().ok_or_else(|| RunError::Bug("the run has not begun".into()))?;
    let phase = run.phase(name).ok_or_else(|| RunError::Bug(format!("the run has no phase {name}")))?;
    let output = deliverable_path(run, phase);
    let answer = latest_answer(active, phase);
    let agreement = &run.started.agreement;
    let world = world(active, publisher, run, &phase.def).await;
    let base = CommitId::try_from(run.started.base_commit.as_str())?;
    let tree = gathered.tree.clone();
    let published = tree.map(|tree| Published { space: &active.space, tree, base, memory });
    let (plans, changed_before) = (plans(run, phase), changed_before(run, phase));
    let reviewed = reviewed(run, phase);
    // A phase opened again for a review or a revision may keep the deliverable it has.
    let began = match phase.started_at {
        Some(at) if phase.evidence.completed_steps.contains(&Step::Execute) => at,
        _ => run.created_at,
    };
    let site = Site {
        worktree: active.folder.root(),
        phase: &phase.def,
        output: &output,
        committable: gathered.committable,
        began,
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
        masker: &active.masker,
        read: checks::Read::default(),
    };
    Ok(checks::run(&site, &mut active.stop).await)
}

/// Reads what the author said last, where it is on this machine.
fn latest_answer(active: &ActiveRun, phase: &PhaseState) -> Option<String> {
    let work = phase.evidence.work.as_ref()?;
    let (step, round, attempt) = (work.step, work.round, work.attempt);
    active.folder.read_answer(Call { phase: &phase.def, step, round, attempt })
}

/// Looks at what the checks of a phase ask for.
pub(super) async fn world(active: &ActiveRun, publisher: &Publisher, run: &Run, phase: &PhaseDef) -> World {
    let asks = |look: &Look| {
        let defined = &run.started.agreement.defined;
        phase.policy.checks.iter().filter_map(|rule| defined.get(&rule.id)).any(|check| check.look == *look)
    };
    let mut world = World::default();
    if asks(&Look::GitClean) {
        let survey = active.space.workspace().worktree().survey();
        let untaken = survey.map(|survey| untaken(&survey, active.folder.root(), run.created_at));
        world.untaken = untaken.map_err(|error| active.masker.mask(&error.to_string()).as_str().to_owned());
    }
    if asks(&Look::IssueClosed) {
        let issue = publisher.forge.issue(run.started.issue.number).await;
        let open = issue.map(|issue| issue.open);
        world.issue_open = open.map_err(|error| active.masker.mask(&error.to_string()).as_str().to_owned());
    }
    if asks(&Look::RemoteChecks) {
        world.remote_checks = judged_by_server(active, publisher).await;
    }
    if asks(&Look::CommitMessages) {
        let messages = messages(active, run);
        world.messages = messages.map_err(|error| active.masker.mask(&error.to_string()).as_str().to_owned());
    }
    world
}

/// What was not pushed, the server cannot have looked at: that is no pass, and no reason to leave a check out.
async fn judged_by_server(
    active: &ActiveRun,
    publisher: &Publisher,
) -> Result<Option<Vec<RemoteCheck>>, String> {
    if publisher.role == JobRole::Work {
        return Err("of two jobs this one pushes nothing; `[github] ci_rounds` has the other one ask".into());
    }
    let seen: Result<_, RunError> =
        async { remote_checks::wait_for(active, publisher, &remote_checks::pushed_commit(active)?).await }
            .await;
    seen.map_err(|error| active.masker.mask(&why_unknown(publisher, &error)).as_str().to_owned())
}

/// What is pushed at a halt only, the server does not know before.
fn why_unknown(publisher: &Publisher, error: &RunError) -> String {
    match error {
        RunError::Forge(ForgeError::Refused { status: 422, .. }) if publisher.push == Push::Halt => {
            "the commit is not on GitHub yet, for the branch is pushed when the run halts; push after each phase \
             (`--push phase`), or have `[github] ci_rounds` ask at the end of the run"
                .to_owned()
        }
        error => unknown(error),
    }
}

/// The engine knows where it left the branch: what came after is the author's, and folded in later.
fn messages(active: &ActiveRun, run: &Run) -> Result<Vec<String>, git::Error> {
    let workspace = active.space.workspace();
    workspace.history().messages_since(&CommitId::try_from(run.branch.head.as_str())?)
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

/// Returns what no commit of the run will take. What the authors changed is committed, what git ignores is nobody's
/// business, and what was there before the run is the user's.
fn untaken(survey: &Survey, root: &Path, began: Timestamp) -> Vec<Untaken> {
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
