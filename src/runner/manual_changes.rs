//! What a person changed while no process of the run worked: the change stays, and is judged before anything is approved. The
//! files are recorded before an agent that must not write is called, so that a person's change is not counted as the agent's. In a
//! phase without a review the changes of a person are not counted as the author's.

use crate::active_run::ActiveRun;
use crate::documents;
use crate::error::Result;
use git::{Snapshot, Tree, is_engines_own};
use model::event::Fact;
use model::phase::{PhaseName, Step};

/// Records what a person changed before the first agent call of this process; tells whether there was any change.
/// After that call only agents and commands of the run can have changed files.
pub(super) fn record_new_changes(
    active: &mut ActiveRun,
    name: &PhaseName,
    step: Step,
    known: &Tree,
) -> Result<bool> {
    let has_called = active.has_called_agent;
    active.has_called_agent |= step != Step::Check;
    if has_called {
        return Ok(false);
    }
    if !is_attributable_to_person(active, name, step)? {
        warn_of_changes(active, name, known)?;
        return Ok(false);
    }
    let seen = active.ensure_snapshot(Some(known))?;
    if seen.tree == *known {
        return Ok(false);
    }
    let (tree, mut changed) = (seen.tree.to_string(), seen.changed.clone());
    let phase = active.phase(name)?;
    // A command of the run that was killed may have left new files, but no documents or files of the phase.
    let is_known = |path: &String| phase.files.changed.contains(path) || active.space.files().contains(path);
    changed.retain(|path| is_from_person(active, path) && (step != Step::Check || is_known(path)));
    if changed.is_empty() && step == Step::Check {
        return Ok(false);
    }
    let after_kill = documents::was_killed_at_work(active, name, step)?;
    active.record(Fact::ChangedByHand { phase: name.clone(), tree, changed, after_kill })?;
    Ok(true)
}

/// Warns of changed files in a phase without a review: the author was killed before its changes were recorded.
fn warn_of_changes(active: &mut ActiveRun, name: &PhaseName, known: &Tree) -> Result<()> {
    if active.phase(name)?.def.policy.review.is_some() {
        return Ok(());
    }
    let mut changed = active.ensure_snapshot(Some(known))?.changed.clone();
    changed.retain(|path| is_from_person(active, path));
    if !changed.is_empty() {
        let paths = changed.join(", ");
        tracing::warn!(
            "Phase {name}: Changed since its author was killed, by it or by a person, and nobody reviews it: {paths}"
        );
    }
    Ok(())
}

/// Records what changed the approved files. Before the first agent call of this process only people can have changed them.
pub(super) fn record_voiding(active: &mut ActiveRun, name: &PhaseName, seen: Option<Snapshot>) -> Result<()> {
    let Some(Snapshot { tree, mut changed, .. }) = seen else { return Ok(()) };
    if active.has_called_agent {
        return Ok(());
    }
    changed.retain(|path| is_from_person(active, path));
    let (phase, tree) = (name.clone(), tree.to_string());
    active.record(Fact::ChangedByHand { phase, tree, changed, after_kill: false })
}

/// Tells whether changes are recorded as a person's: always before a step that only reads, because a reviewer is shown every
/// change; in a phase without a review only if no author was killed, which may have made them itself.
fn is_attributable_to_person(active: &ActiveRun, name: &PhaseName, step: Step) -> Result<bool> {
    let phase = active.phase(name)?;
    let is_reader = matches!(step, Step::Review | Step::Answer | Step::Check);
    Ok(is_reader || (phase.def.policy.review.is_none() && phase.is_author_idle()))
}

/// Returns the files that a person changed and did not commit before a phase began, without those that earlier authors changed.
/// Of the approved documents, `edited` are those that a person changed.
pub(super) fn list_before_phase(
    active: &ActiveRun,
    seen: &Snapshot,
    edited: &[String],
) -> Result<Vec<String>> {
    let phases = &active.run()?.phases;
    let is_of_author = |path: &String| {
        !edited.contains(path) && phases.iter().any(|phase| phase.files.changed.contains(path))
    };
    let paths = seen.uncommitted.keys();
    let left = paths.filter(|path| !is_engines_own(path) && is_from_person(active, path));
    Ok(left.filter(|path| !is_of_author(path)).cloned().collect())
}

fn is_from_person(active: &ActiveRun, path: &str) -> bool {
    let strays = active.journal.state().run.as_ref().map(|run| &run.started.strays);
    !active.space.files().is_setting(path)
        && strays.is_none_or(|strays| strays.iter().all(|stray| stray != path))
}
