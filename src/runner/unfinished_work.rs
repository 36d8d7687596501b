//! The files of a phase under way that are in no commit yet. Keeps them in this repository between two processes, because a run
//! may wait for weeks. Sends them to origin, so that another machine can go on: the disk of a job is deleted with the job. Only
//! files in which the checks found no secret leave the machine.

use tracing::warn;

use crate::active_run::ActiveRun;
use crate::error::Result;
use crate::publisher::{JobRole, Publisher};
use engine::{PhaseState, Run, Status};
use git::Tree;
use journal::store::log;
use model::event::{CheckStatus, Checked, Fact, RunOutcome};
use model::phase::PhaseName;
use settings::PushWhen;

/// The kind of the note that says that work was shared.
const SHARED: &str = "work_shared";
/// The most trees that are sent.
const MOST: usize = 20;

/// Sends the files of the phase under way to origin, or deletes them there when no phase is under way any more.
/// When they cannot be sent, logs a warning and goes on: another machine then begins the phase anew.
pub(super) async fn share(active: &mut ActiveRun, publisher: &Publisher, outcome: RunOutcome) -> Result<()> {
    let apart = publisher.push == PushWhen::Never && publisher.role != JobRole::Work;
    if apart || !publisher.forge.is_remote() {
        return Ok(());
    }
    if publisher.role == JobRole::Work {
        active.space.work().forget()?;
    }
    match find_phase_under_way(active.run()?, outcome).cloned() {
        Some(phase) => send(active, publisher, &phase).await,
        None => recall(active, publisher).await,
    }
}

async fn send(active: &mut ActiveRun, publisher: &Publisher, phase: &PhaseState) -> Result<()> {
    let trees = list_clean_trees(active, phase)?;
    if trees.is_empty() {
        return Ok(());
    }
    let number = active.run()?.started.issue.number;
    let message = active.masker.mask(&format!("[ai-workflow] work: #{number} {}", phase.name()));
    if publisher.role == JobRole::Work {
        return Ok(active.space.work().keep_for_sending(&trees, &message)?);
    }
    let work = active.space.work();
    if let Err(error) = publisher.call_origin(active, |origin| work.send(origin, &trees, &message)).await {
        warn!("The files of {} so far cannot be shared: {error}", phase.name());
        return Ok(());
    }
    let reference = active.space.work().reference();
    let text = format!("The files of {} so far are on origin as {reference}", phase.name());
    if active.run()?.notes.iter().any(|(_, known)| *known == text) {
        return Ok(());
    }
    active.note(SHARED, text)
}

async fn recall(active: &ActiveRun, publisher: &Publisher) -> Result<()> {
    if publisher.role == JobRole::Work || !has_shared_work(active.run()?) {
        return Ok(());
    }
    // It may be gone already.
    if let Err(error) = publisher.call_origin(active, |origin| active.space.work().delete_on(origin)).await {
        tracing::debug!("{error}");
    }
    Ok(())
}

/// Returns the trees of a phase that hold no secret, the present one first; none when that one may hold one.
fn list_clean_trees(active: &ActiveRun, phase: &PhaseState) -> Result<Vec<Tree>> {
    let present = phase.files.tree.as_str();
    let contents = log::read_file(&active.folder.at(&active.folder.events()))?;
    let clean = contents.entries.iter().rev().filter_map(|entry| match &entry.fact {
        Fact::Checked(checked) if checked.phase == *phase.name() && is_clean(checked) => Some(checked),
        _ => None,
    });
    let clean: Vec<&str> = clean.map(|checked| checked.tree.as_str()).collect();
    if !clean.contains(&present) {
        return Ok(Vec::new());
    }
    let workspace = active.space.workspace();
    let mut known: Vec<Tree> = Vec::new();
    for tree in std::iter::once(present).chain(clean) {
        let tree = Tree::try_from(tree)?;
        if known.len() < MOST && !known.contains(&tree) && workspace.has_tree(&tree)? {
            known.push(tree);
        }
    }
    Ok(known)
}

/// Keeps the trees that the next process needs, or releases them when no phase is under way.
pub(super) fn keep_trees(active: &ActiveRun, publisher: &Publisher) -> Result<()> {
    // The job that publishes does not have the files of an unfinished phase.
    if publisher.role == JobRole::Publish {
        return Ok(());
    }
    let run = active.run()?;
    match find_phase_under_way(run, run.outcome) {
        Some(phase) => Ok(active.space.work().keep_trees(&list_trees(active, phase)?)?),
        None => Ok(active.space.work().release_trees()?),
    }
}

/// Returns the trees of a phase since it began, the present one first: a reviewer may be shown what changed since an earlier one.
fn list_trees(active: &ActiveRun, phase: &PhaseState) -> Result<Vec<Tree>> {
    let mut trees = vec![Tree::try_from(phase.files.tree.as_str())?];
    for entry in log::read_file(&active.folder.at(&active.folder.events()))?.entries.iter().rev() {
        if let Some((_, tree)) = find_tree(&entry.fact).filter(|(of, _)| *of == phase.name()) {
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

/// Tells whether files of a phase under way were ever sent to origin.
pub fn has_shared_work(run: &Run) -> bool {
    run.notes.iter().any(|(kind, _)| kind == SHARED)
}

/// Returns the phase whose files are in no commit yet; nothing when the run is completed or cancelled.
fn find_phase_under_way(run: &Run, outcome: RunOutcome) -> Option<&PhaseState> {
    let is_open = |phase: &&PhaseState| matches!(phase.status, Status::InProgress | Status::Paused);
    let is_over = matches!(outcome, RunOutcome::Completed | RunOutcome::Cancelled);
    let mut phases = run.phases.iter();
    if is_over { None } else { phases.find(|phase| is_open(phase) && !phase.files.tree.is_empty()) }
}

fn is_clean(checked: &Checked) -> bool {
    let holds_one = |status| matches!(status, CheckStatus::Fail | CheckStatus::Unavailable);
    !checked.results.iter().any(|result| result.check == checks::SECRETS && holds_one(result.status))
}

/// Returns the files that a fact says there were, and the phase of them.
pub(super) fn find_tree(fact: &Fact) -> Option<(&PhaseName, &str)> {
    let (phase, tree) = match fact {
        Fact::PhaseStarted { phase, tree, .. } | Fact::ChangedByHand { phase, tree, .. } => (phase, tree),
        Fact::Worked(worked) => (&worked.phase, &worked.tree),
        Fact::Checked(checked) => (&checked.phase, &checked.tree),
        Fact::Reviewed(reviewed) => (&reviewed.phase, &reviewed.tree),
        Fact::Triaged(triaged) => (&triaged.phase, &triaged.tree),
        _ => return None,
    };
    if tree.is_empty() { None } else { Some((phase, tree)) }
}
