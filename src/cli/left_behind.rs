//! A phase whose files are not here: they stayed on another machine, or git removed them when it cleared up. They are brought
//! from origin, or known again by the files on disk; those that are lost let the phase begin anew: what nobody has cannot be
//! reviewed or accepted.

use super::door::Door;
use super::failure::Failure;
use super::fetched::REMOTE;
use super::forge_connection;
use super::hold::Hold;
use engine::Status;
use git::{Tree, is_engines_own};
use model::event::{Fact, Reopened, ReopenedBy};
use model::phase::{PhaseName, Step};
use settings::PushWhen;

/// A phase whose files are lost.
pub(super) struct Lost {
    pub(super) phase: PhaseName,
    elsewhere: bool,
}

impl Lost {
    /// Says what became of the files.
    pub(super) fn told(&self) -> String {
        let how = if self.elsewhere { ELSEWHERE } else { REMOVED };
        format!("files of {} {how}", self.phase)
    }

    fn reason(&self) -> &'static str {
        REASONS[usize::from(!self.elsewhere)]
    }
}

const ELSEWHERE: &str = "stayed on another machine";
const REMOVED: &str = "were removed by git, and the worktree has others";

/// Why such a phase begins anew, where nobody says more.
pub(super) const REASONS: [&str; 2] = [
    "The files of this phase stayed on another machine.",
    "The files of this phase were removed by git, and the worktree has others.",
];

/// Brings the files of the phase under way here where they are not; returns the phase if that cannot be.
pub(super) fn phase(door: &Door, hold: &Hold) -> Result<Option<Lost>, Failure> {
    let run = hold.run()?;
    let is_open = |status| matches!(status, Status::InProgress | Status::Paused);
    let open = run.phases.iter().find(|phase| is_open(phase.status) && !phase.files.tree.is_empty());
    let Some(phase) = open else { return Ok(None) };
    let tree = Tree::try_from(phase.files.tree.as_str())?;
    let (was_here, is_known) =
        (hold.space.snapshots().has_index_of(&tree), hold.space.workspace().objects().has_tree(&tree)?);
    if (was_here && is_known) || (!is_known && hold.space.snapshots().recreate(&tree)?) {
        return Ok(None);
    }
    // Whatever is not committed here is somebody's work, and the run's as long as its tree is known.
    let survey = hold.space.workspace().worktree().survey()?;
    let is_here = if survey.is_clean() && survey.strays.is_empty() {
        is_untouched(hold, &tree)? || is_brought(door, hold, &tree)?
    } else {
        is_known
    };
    Ok((!is_here).then(|| Lost { phase: phase.name().clone(), elsewhere: !was_here }))
}

/// A phase that has changed nothing yet has left nothing behind.
fn is_untouched(hold: &Hold, tree: &Tree) -> Result<bool, Failure> {
    if !hold.space.workspace().objects().has_tree(tree)? {
        return Ok(false);
    }
    let now = hold.space.snapshots().take(None)?.tree;
    Ok(hold.space.workspace().changes().paths_between(tree, &now)?.iter().all(|path| is_engines_own(path)))
}

fn is_brought(door: &Door, hold: &Hold, tree: &Tree) -> Result<bool, Failure> {
    let alone = door.settings.push == Some(PushWhen::Never)
        || !forge_connection::of_run(door, hold.run()?)?.is_remote();
    if alone
        || !hold
            .space
            .work()
            .fetch(&hold.space.workspace().remote(REMOTE, forge_connection::credentials().as_ref()))?
    {
        return Ok(false);
    }
    let is_brought = hold.space.work().unpack(tree)?;
    if is_brought {
        tracing::info!("The files of the phase under way are taken over from origin");
    }
    Ok(is_brought)
}

/// Begins a phase anew; a person's words stand on top of its prompt.
pub(super) fn begin_again(hold: &mut Hold, lost: Lost, words: &str) -> Result<(), Failure> {
    tracing::warn!("The {}; it begins anew", lost.told());
    let reason = if words.is_empty() { lost.reason() } else { words }.to_owned();
    let phase = lost.phase;
    let (step, by) = (Step::Execute, ReopenedBy::Retry);
    Ok(hold.journal.record(Fact::Reopened(Reopened { phase, step, reason, by }))?)
}
