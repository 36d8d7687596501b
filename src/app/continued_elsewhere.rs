//! Whether another machine went on with a run: what the run's branch on origin has that is not here. Stops a run before an agent
//! is paid for what is done there already, and names the command that takes the run over. Takes nothing over by itself.

use crate::failure::{Failure, Result};
use crate::forge_connection::{self, REMOTE};
use crate::project::Project;
use crate::run_to_halt::push_when;
use engine::{Run, fold};
use git::{CommitId, Workspace};
use journal::store::common_dir::issue_folder;
use journal::store::folders::RunFolder;
use journal::store::log;
use model::event::Entry;
use model::issue::run_branch_name;
use settings::PushWhen;
use views::summary::{ContinuedElsewhere, StateElsewhere, Unknown};

/// What the run's branch on origin has that is not here.
enum NewOnOrigin {
    /// Another log: the state of the run here may not be the newest.
    Log(ContinuedElsewhere),
    /// Commits of people on top of the branch as it is here.
    Commits,
}

/// The run as it is here, beside its branch on origin.
struct Comparison<'a> {
    workspace: &'a Workspace,
    folder: &'a RunFolder,
    entries: &'a [Entry],
    run: &'a Run,
}

impl Comparison<'_> {
    /// Compares the branch here with a tip of it on origin.
    fn find_new(&self, tip: &CommitId) -> Result<Option<NewOnOrigin>> {
        let (history, branch) = (self.workspace.history(), &self.run.started.branch);
        let Some(here) = self.workspace.branches().find(branch)? else { return Ok(None) };
        if here.tip == *tip || history.is_ancestor(tip, &here.tip)? {
            return Ok(None);
        }
        let (file, name) = (self.folder.events(), format!("{REMOTE}/{branch}"));
        let Some(bytes) = self.workspace.read_file(tip, &file)? else {
            return Ok(Some(NewOnOrigin::Log(self.without_log())));
        };
        let there = log::read(&bytes, &format!("{name}:{file}"))?.entries;
        if self.entries.starts_with(&there) {
            let is_on_top = history.is_ancestor(&here.tip, tip)?;
            return Ok(if is_on_top { Some(NewOnOrigin::Commits) } else { None });
        }
        Ok(Some(NewOnOrigin::Log(self.with_log(&there, tip)?)))
    }

    fn with_log(&self, there: &[Entry], tip: &CommitId) -> Result<ContinuedElsewhere> {
        let shared = self.entries.iter().zip(there).take_while(|(here, there)| here == there).count();
        let run = fold(there).ok().and_then(|state| state.run);
        let state = run.map(|run| StateElsewhere {
            outcome: run.outcome,
            phase: run.current().or(run.last_begun()).map(|phase| phase.name().clone()),
            facts: (there.len() - shared) as u64,
        });
        let only_here = (self.entries.len() - shared) as u64;
        Ok(ContinuedElsewhere { state, only_here, command: self.take_over_command(tip)? })
    }

    /// The branch on origin is not that of a run any more: the command removes what is here, and git refuses it where that would
    /// take files with it that are not committed.
    fn without_log(&self) -> ContinuedElsewhere {
        let (started, workspace) = (&self.run.started, self.workspace);
        let root = shell_word(&workspace.root().display().to_string());
        let leave = if workspace.is_linked() {
            let main = shell_word(&workspace.main_root().display().to_string());
            format!("cd {main} && git worktree remove {root}")
        } else {
            format!("cd {root} && git switch -q {}", shell_word(&started.base_branch))
        };
        let kept = issue_folder(workspace.common(), self.folder.issue());
        let command = format!(
            "{leave} && git branch -q -D {} && rm -r {}",
            started.branch,
            shell_word(&kept.display().to_string())
        );
        ContinuedElsewhere { state: None, only_here: self.entries.len() as u64, command }
    }

    /// Returns the command that brings branch, log and files to what origin has. What is not committed here and is in the way
    /// goes into a stash.
    fn take_over_command(&self, tip: &CommitId) -> Result<String> {
        let (root, branch) = (self.workspace.root().display().to_string(), &self.run.started.branch);
        let root = shell_word(&root);
        let from = format!("refs/remotes/{REMOTE}/{branch}");
        let head = self.workspace.read_state()?.head.branch;
        if head.as_deref() != Some(branch) {
            return Ok(format!("git -C {root} branch -q -f --no-track {branch} {from}"));
        }
        let in_the_way = self.workspace.list_in_the_way(tip)?;
        let paths: Vec<String> = in_the_way.iter().map(|path| shell_word(path)).collect();
        let stash = match paths.join(" ") {
            paths if paths.is_empty() => String::new(),
            paths => format!("git stash push -q --include-untracked -- {paths} && "),
        };
        Ok(format!("cd {root} && {stash}git switch -q --no-track -C {branch} {from}"))
    }
}

/// Refuses a run that another machine went on with. Asks origin where the run is published there.
pub(crate) fn refuse_continued_elsewhere(project: &Project, workspace: &Workspace, run: &Run) -> Result<()> {
    let folder = RunFolder::new(workspace.root(), run.started.issue.number);
    let entries = log::read_file(&folder.at(&folder.events()))?.entries;
    refuse_other_log_on_origin(project, workspace, run, &entries)
}

/// Refuses a run with these entries that another machine went on with.
pub(crate) fn refuse_other_log_on_origin(
    project: &Project,
    workspace: &Workspace,
    run: &Run,
    entries: &[Entry],
) -> Result<()> {
    let branch = &run.started.branch;
    look_at_origin(project, run);
    let Some(tip) = workspace.branches().find_on_origin(branch)? else { return Ok(()) };
    let folder = &RunFolder::new(workspace.root(), run.started.issue.number);
    let comparison = Comparison { workspace, folder, entries, run };
    match comparison.find_new(&tip)? {
        None => Ok(()),
        Some(NewOnOrigin::Log(found)) => Err(continued_failure(run, &found, &tip)),
        Some(NewOnOrigin::Commits) => Err(commits_failure(workspace, branch)),
    }
}

/// Returns what another machine did with a run, as far as this repository has heard of it. Asks no server.
pub(crate) fn find_continued_elsewhere(
    workspace: &Workspace,
    run: &Run,
    entries: &[Entry],
) -> Result<Option<Unknown>> {
    let Some(tip) = workspace.branches().find_on_origin(&run.started.branch)? else { return Ok(None) };
    let folder = RunFolder::new(workspace.root(), run.started.issue.number);
    let comparison = Comparison { workspace, folder: &folder, entries, run };
    Ok(match comparison.find_new(&tip) {
        Ok(Some(NewOnOrigin::Log(found))) => Some(Unknown::ContinuedElsewhere(found)),
        Ok(Some(NewOnOrigin::Commits) | None) => None,
        Err(failure) => {
            tracing::warn!("What origin has of the run cannot be read: {}", failure.message);
            None
        }
    })
}

/// Fetches the run's branch where the run is published. Without an answer, what was fetched last counts.
fn look_at_origin(project: &Project, run: &Run) {
    let is_published = forge_connection::of_run(project, run)
        .is_ok_and(|forge| push_when(project, &forge) != PushWhen::Never)
        && project.workspace.origin().address().is_ok_and(|address| address.is_some());
    if !is_published {
        return;
    }
    if let Err(failure) = forge_connection::fetch(project, &run_branch_name(run.started.issue.number)) {
        tracing::warn!("origin could not be asked whether another machine went on: {}", failure.message);
    }
}

/// Returns a path as one word of a shell.
fn shell_word(path: &str) -> String {
    let is_plain = path.chars().all(|c| c.is_ascii_alphanumeric() || "._-/".contains(c));
    if is_plain { path.to_owned() } else { format!("'{}'", path.replace('\'', "'\\''")) }
}

fn continued_failure(run: &Run, found: &ContinuedElsewhere, tip: &CommitId) -> Failure {
    let (number, branch) = (run.started.issue.number, &run.started.branch);
    Failure::state(format!("the run of issue {number} was continued on another machine: {}", found.there()))
        .hint(format!("{}, and run the same command again", found.way_on()))
        .hint(format!(
            "or go on from here and give up what was done there: `git push --force-with-lease=refs/heads/{branch}:{tip} \
             {REMOTE} refs/heads/{branch}`"
        ))
}

fn commits_failure(workspace: &Workspace, branch: &str) -> Failure {
    Failure::usage(format!("{REMOTE} has commits on {branch} that are not here")).hint(format!(
        "bring them here with `git -C {} merge -q --ff-only refs/remotes/{REMOTE}/{branch}`, and run the same command again",
        shell_word(&workspace.root().display().to_string())
    ))
}
