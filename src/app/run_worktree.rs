//! The worktree that a run works in: the checkout of the user on the run's branch, or with `--worktree` a linked one beside
//! it. Refuses what would take work of the user's with it. Takes no lock.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::environment::runtime;
use crate::failure::{Failure, Result};
use crate::project::Project;
use checks::command_environment;
use git::{Base, Survey, Workspace};
use journal::store::common_dir::RunLocation;
use journal::store::folders::RunFolder;
use model::event::branch_of;
use model::issue::IssueNumber;
use process::{Exit, Launch, Stop};
use settings::split_words;

/// Makes the linked worktree of an issue, on a new branch where a base is given; one that is there already is opened.
pub fn make_linked(project: &Project, issue: IssueNumber, base: Option<&Base>) -> Result<Workspace> {
    let path = linked_path(project, issue);
    if path.exists() {
        return Ok(Workspace::open(&path)?);
    }
    Ok(project.workspace.worktree().add_linked(&path, &branch_of(issue), base.map(|base| &base.commit))?)
}

/// Makes a linked worktree for a run that is on its branch only.
pub fn link_branch(project: &Project, issue: IssueNumber) -> Result<Workspace> {
    let workspace = make_linked(project, issue, None)?;
    set_up(project, &workspace)?;
    record_location(project, issue, workspace.root())?;
    Ok(workspace)
}

/// Runs `[commands] setup` in a worktree that is not the user's checkout.
pub fn set_up(project: &Project, workspace: &Workspace) -> Result<()> {
    if workspace.root() == project.root() {
        return Ok(());
    }
    match project.settings.commands.setup.as_deref() {
        None => Ok(()),
        Some(line) => run_setup(project, workspace.root(), line),
    }
}

/// Writes down in which worktree the files of a run are.
pub fn record_location(project: &Project, issue: IssueNumber, worktree: &Path) -> Result<()> {
    let location = RunLocation { worktree: worktree.to_owned(), branch: branch_of(issue) };
    Ok(location.write(project.workspace.common(), issue)?)
}

fn linked_path(project: &Project, issue: IssueNumber) -> PathBuf {
    let root = project.root();
    let name = root.file_name().unwrap_or_default().to_string_lossy().into_owned();
    root.with_file_name(format!("{name}-issue-{issue}"))
}

fn run_setup(project: &Project, worktree: &Path, line: &str) -> Result<()> {
    let bad = || Failure::usage(format!("`[commands] setup` cannot be read: {line}"));
    let words = split_words(line).map_err(|_| bad())?;
    let (program, arguments) = words.split_first().ok_or_else(bad)?;
    let wall = Duration::from_secs(project.settings.limits.time.command_seconds);
    let launch = Launch {
        arguments: arguments.iter().map(Into::into).collect(),
        environment: command_environment(),
        ..Launch::new(program, worktree, wall)
    };
    tracing::info!("Setting up the worktree: {line}");
    let (_handle, mut stop) = Stop::new();
    let finish = runtime()?.block_on(process::run(&launch, &mut |_, _| {}, &mut stop));
    if finish.exit == Exit::Code(0) {
        return Ok(());
    }
    let tail = project.masker.mask(finish.stderr_tail.trim());
    Err(Failure::usage(format!("`[commands] setup` failed: {}\n{tail}", finish.exit))
        .hint("repair it and execute again"))
}

/// Tells whether a worktree with the files of a run has another branch checked out although the run's branch is there:
/// somebody merged the files, or went away.
pub fn is_on_other_branch(workspace: &Workspace, issue: IssueNumber) -> Result<bool> {
    let Some(branch) = workspace.branches().find(&branch_of(issue))? else { return Ok(false) };
    let is_here = branch.worktree.as_deref().is_some_and(|at| is_same_folder(at, workspace.root()));
    Ok(!is_here)
}

fn is_same_folder(one: &Path, other: &Path) -> bool {
    one == other || one.canonicalize().is_ok_and(|one| other.canonicalize().is_ok_and(|other| one == other))
}

/// Says that the files of a run are not in the checkout although its branch is checked out there now.
pub fn refuse_missing_log(project: &Project, issue: IssueNumber) -> Result<()> {
    let folder = RunFolder::new(project.root(), issue);
    if folder.at(&folder.events()).is_file() {
        return Ok(());
    }
    let (log, branch) = (folder.events(), branch_of(issue));
    Err(Failure::state(format!("{log} is gone; the branch {branch} still has it"))
        .hint(format!("bring it back with `git checkout {branch} -- {}`", folder.relative())))
}

/// Refuses a checkout with the user's own changes in it.
pub fn refuse_dirty(workspace: &Workspace) -> Result<Survey> {
    let survey = workspace.worktree().survey()?;
    if let Some(what) = survey.in_progress {
        return Err(Failure::usage(format!("a {what} is in progress in this checkout"))
            .hint(format!("end it with `git {what} --continue` or `git {what} --abort`")));
    }
    if survey.is_clean() {
        return Ok(survey);
    }
    let first = first_of(&survey.changed, 5);
    Err(Failure::usage(format!("the checkout has changes of yours: {first}"))
        .hint("commit or stash them, or leave the checkout alone with `--worktree`"))
}

/// Names the first of these paths, and says how many more there are.
pub fn first_of(paths: &[String], most: usize) -> String {
    let first = paths.iter().take(most).cloned().collect::<Vec<_>>().join(", ");
    if paths.len() > most { format!("{first} and {} more", paths.len() - most) } else { first }
}
