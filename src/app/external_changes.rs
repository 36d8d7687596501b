//! What happened to a run outside of it, between two turns: the issue was closed or edited, the base branch moved, people
//! committed on top of the completed run, files of the phase under way are not here. What was pinned stays in force; a change
//! is reported each time and noted in the log once. Lost files let their phase begin anew: files that are lost cannot be
//! reviewed or accepted.

use std::fmt::Write as _;

use crate::environment::runtime;
use crate::failure::{Failure, Result};
use crate::forge_connection;
use crate::locked_run::LockedRun;
use crate::project::Project;
use engine::{Run, Status};
use forge::digest;
use git::{CommitId, Tree, Workspace, is_engines_own};
use model::event::{Fact, RunOutcome};
use model::issue::Issue;
use model::phase::PhaseName;
use runner::unreviewed;
use settings::PushWhen;
use views::summary::{Documents, deliverable_path};

/// Refuses to go on with an issue that was closed meanwhile.
pub(crate) fn refuse_closed(project: &Project, run: &Run) -> Result<()> {
    let number = run.started.issue.number;
    if read_issue(project, run)?.is_none_or(|issue| issue.open) {
        return Ok(());
    }
    Err(Failure::usage(format!("issue {number} was closed since the run began"))
        .hint(format!("open it again, or end the run with `ai-workflow cancel --issue {number}`")))
}

/// Compares the issue and the base branch with what the run was begun with, and notes what changed.
pub(crate) fn note_changes(project: &Project, locked: &mut LockedRun) -> Result<()> {
    let run = locked.run();
    let issue = read_issue(project, run)?;
    let edited = issue.as_ref().and_then(|issue| find_issue_edit(run, issue));
    let moved = find_base_move(project, run)?;
    for (kind, text) in edited.into_iter().chain(moved) {
        note(locked, kind, text)?;
    }
    Ok(())
}

/// Returns the issue as it is now; one that cannot be read is no reason to stop.
fn read_issue(project: &Project, run: &Run) -> Result<Option<Issue>> {
    let forge = forge_connection::of_run(project, run)?;
    Ok(runtime()?.block_on(forge.issue(run.started.issue.number)).ok())
}

fn find_issue_edit(run: &Run, issue: &Issue) -> Option<(&'static str, String)> {
    let now = digest(issue);
    if now == run.started.issue_digest {
        return None;
    }
    let short = now.get(..9).unwrap_or(&now);
    let text =
        format!("The issue was edited since the run began (now {short}); the text of the beginning is used");
    Some(("issue_edited", text))
}

fn find_base_move(project: &Project, run: &Run) -> Result<Option<(&'static str, String)>> {
    let base = &run.started.base_branch;
    let Some(branch) = project.workspace.branches().find(base)? else { return Ok(None) };
    let (now, then) = (branch.tip.as_str(), run.started.base_commit.as_str());
    if now == then {
        return Ok(None);
    }
    let text = format!(
        "The base branch {base} moved since the run began: from {} to {}; the run stays on what it began with",
        &then[..then.len().min(9)],
        &now[..now.len().min(9)]
    );
    Ok(Some(("base_moved", text)))
}

/// Warns of a change each time, and notes it in the log the first time.
fn note(locked: &mut LockedRun, kind: &str, text: String) -> Result<()> {
    if locked.run().notes.iter().any(|(_, known)| *known == text) {
        tracing::warn!("{text}");
        return Ok(());
    }
    // The reporter of log lines tells it.
    locked.record(Fact::Noted { kind: kind.to_owned(), text })
}

/// Warns of what people committed on top of a completed run; tells whether there is anything.
pub(crate) fn warn_of_commits_on_top(project: &Project, locked: &LockedRun) -> Result<bool> {
    let run = locked.run();
    let known = CommitId::try_from(run.branch.head.as_str())?;
    let Some(tip) = locked.space.run_branch().find_tip_beyond(&run.started.run_id, &known)? else {
        return Ok(false);
    };
    let found = unreviewed(&locked.space, &locked.folder, run, &tip, Documents::Gone)?;
    let mut line = String::new();
    if !found.is_empty() {
        line = format!("; not reviewed: {}", found.line());
    }
    let lost = list_lost_documents(&project.workspace, run, &tip)?;
    if !lost.is_empty() {
        let _ = write!(line, "; approved documents that are no longer there: {}", lost.join(", "));
    }
    let line = project.masker.mask(&line);
    tracing::warn!("What lies on top of the run on {} stays as it is{line}", run.started.branch);
    Ok(true)
}

/// Returns the approved documents of a completed run that people took off its branch.
pub(crate) fn find_lost_documents(workspace: &Workspace, run: &Run) -> Result<Vec<String>> {
    if run.outcome != RunOutcome::Completed {
        return Ok(Vec::new());
    }
    let space = workspace.for_issue(run.started.issue.number);
    let known = CommitId::try_from(run.branch.head.as_str())?;
    let tip = space.run_branch().find_tip_beyond(&run.started.run_id, &known)?;
    tip.map_or(Ok(Vec::new()), |tip| list_lost_documents(workspace, run, &tip))
}

/// Returns the approved documents that the tip of the branch does not have.
fn list_lost_documents(workspace: &Workspace, run: &Run, tip: &CommitId) -> Result<Vec<String>> {
    let approved = run.phases.iter().filter(|phase| phase.files.deliverable.is_some());
    let mut lost = Vec::new();
    for path in approved.map(|phase| deliverable_path(run, phase)) {
        if workspace.file_size(tip, &path)?.is_none() {
            lost.push(path);
        }
    }
    Ok(lost)
}

/// A phase whose files are lost.
pub(crate) struct PhaseWithLostFiles {
    /// The phase.
    pub phase: PhaseName,
    how: &'static str,
}

impl PhaseWithLostFiles {
    /// Says what became of the files.
    pub(crate) fn describe(&self) -> String {
        format!("files of {} {}", self.phase, self.how)
    }
}

const ELSEWHERE: &str = "stayed on another machine";
const REMOVED: &str = "were removed by git, and the worktree has others";

/// Tells whether a phase was reopened with this reason because its files are lost: the program does that by itself.
pub(crate) fn is_lost_files_reason(text: &str) -> bool {
    [ELSEWHERE, REMOVED].map(reopen_reason).iter().any(|reason| reason == text)
}

fn reopen_reason(how: &str) -> String {
    format!("The files of this phase {how}.")
}

/// Brings the files of the phase under way here where they are not; returns the phase if that cannot be.
pub(crate) fn find_lost_files(project: &Project, locked: &LockedRun) -> Result<Option<PhaseWithLostFiles>> {
    let run = locked.run();
    let is_open = |status| matches!(status, Status::InProgress | Status::Paused);
    let open = run.phases.iter().find(|phase| is_open(phase.status) && !phase.files.tree.is_empty());
    let Some(phase) = open else { return Ok(None) };
    let tree = Tree::try_from(phase.files.tree.as_str())?;
    let (was_here, is_known) =
        (locked.space.snapshots().has_index_of(&tree), locked.space.workspace().has_tree(&tree)?);
    if (was_here && is_known) || (!is_known && locked.space.snapshots().write_tree_if_unchanged(&tree)?) {
        return Ok(None);
    }
    // Files that are not committed here are the user's work, and the run's as long as its tree is known.
    let survey = locked.space.workspace().read_state()?;
    let is_here = if survey.is_clean() && survey.untracked.is_empty() {
        is_untouched(locked, &tree)? || fetch_files(project, locked, &tree)?
    } else {
        is_known
    };
    if is_here {
        return Ok(None);
    }
    let how = if was_here { REMOVED } else { ELSEWHERE };
    Ok(Some(PhaseWithLostFiles { phase: phase.name().clone(), how }))
}

/// A phase that has changed nothing yet has left nothing behind.
fn is_untouched(locked: &LockedRun, tree: &Tree) -> Result<bool> {
    if !locked.space.workspace().has_tree(tree)? {
        return Ok(false);
    }
    let now = locked.space.snapshots().take(None)?.tree;
    Ok(locked.space.workspace().changes().paths_between(tree, &now)?.iter().all(|path| is_engines_own(path)))
}

fn fetch_files(project: &Project, locked: &LockedRun, tree: &Tree) -> Result<bool> {
    let stays_here = project.settings.push == Some(PushWhen::Never)
        || !forge_connection::of_run(project, locked.run())?.is_remote();
    if stays_here {
        return Ok(false);
    }
    let credentials = forge_connection::credentials();
    let origin = locked.space.workspace().remote(forge_connection::REMOTE, credentials.as_ref());
    if !locked.space.work().fetch(&origin)? {
        return Ok(false);
    }
    let is_unpacked = locked.space.work().unpack(tree)?;
    if is_unpacked {
        tracing::info!("The files of the phase under way are taken over from origin");
    }
    Ok(is_unpacked)
}

/// Begins a phase anew; a person's words stand on top of its prompt.
pub(crate) fn reopen_phase(locked: &mut LockedRun, lost: &PhaseWithLostFiles, words: &str) -> Result<()> {
    tracing::warn!("The {}; it begins anew", lost.describe());
    let reason = if words.is_empty() { reopen_reason(lost.how) } else { words.to_owned() };
    locked.reopen(lost.phase.clone(), &reason)
}
