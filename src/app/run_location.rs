//! Where the run of an issue is, and in which state: its log in a worktree, on its branch only, on origin only; the record
//! of a run that was finalized; a branch from which a commit removed the log. And the worktree that a run works in: the checkout
//! of the user on the run's branch, or with `--worktree` a linked one beside it. Refuses what would take work of the user's with
//! it. Takes no lock: a run is only looked at here.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::environment::runtime;
use crate::failure::{Failure, Result};
use crate::forge_connection;
use crate::log_repair::{log_failure, refuse_lost_log};
use crate::project::Project;
use checks::command_environment;
use engine::{Run, State, fold};
use git::{Branch, CommitId, RunBase, Workspace, WorktreeState};
use journal::store::common_dir::{FinalizedRun, RunPointer};
use journal::store::folders::RunFolder;
use journal::store::log::{self, LogContents};
use journal::{JournalError, facts_known_to_view, refuse_log_behind};
use model::event::Entry;
use model::issue::{IssueNumber, run_branch_name};
use process::{Launch, ProgramExit, Stop};
use settings::{ForgeKind, PushWhen, split_words};

/// What is there of the run of an issue.
pub(crate) enum RunLocation {
    /// Its files are in this worktree.
    Worktree(PathBuf),
    /// Nothing is checked out; its files are on the branch.
    OnBranch(Branch),
    /// It was completed and finalized; its log is gone.
    Finalized(FinalizedRun),
    /// This commit removed the log from the run's branch, as `git revert` of its commits does.
    LogRemoved(CommitId),
    /// Nothing.
    Missing,
}

impl RunLocation {
    /// Tells whether its log is here, in a worktree or on the branch.
    pub(crate) fn has_log(&self) -> bool {
        matches!(self, Self::Worktree(_) | Self::OnBranch(_))
    }
}

/// Finds the run of an issue. A log that is there counts more than the record of a finalized run.
pub(crate) fn locate(project: &Project, issue: IssueNumber) -> Result<RunLocation> {
    if let Some(found) = locate_log(&project.workspace, issue)? {
        return Ok(found);
    }
    if let Some(record) = FinalizedRun::read(project.workspace.common(), issue)? {
        return Ok(RunLocation::Finalized(record));
    }
    if let Some(commit) = log_removed_by(project, issue)? {
        return Ok(RunLocation::LogRemoved(commit));
    }
    refuse_lost_log(project, issue)?;
    Ok(RunLocation::Missing)
}

/// Finds the run of an issue; one that only origin has is fetched first.
pub(crate) fn locate_or_fetch(project: &Project, issue: IssueNumber) -> Result<RunLocation> {
    let found = locate(project, issue)?;
    let is_known = found.has_log() || matches!(found, RunLocation::Finalized(_));
    if is_known || !fetch(project, issue)? { Ok(found) } else { locate(project, issue) }
}

/// Says how a finalized run ended, in one sentence.
pub fn finalized_sentence(record: &FinalizedRun) -> String {
    let how = if record.left.is_some() { "`finalize` was cut short" } else { "finalized" };
    format!(
        "the run of issue {} was completed and {how}: {} at {}",
        record.issue,
        record.branch,
        record.commit.get(..9).unwrap_or(&record.commit)
    )
}

/// Returns the command that comes after a finalized run.
pub fn next_after_finalized(record: &FinalizedRun) -> String {
    if record.left.is_some() {
        return format!("ai-workflow finalize --issue {}", record.issue);
    }
    format!("git switch {} && git merge refs/heads/{}", record.base_branch, record.branch)
}

/// Finds the log of a run, in a worktree first.
fn locate_log(workspace: &Workspace, issue: IssueNumber) -> Result<Option<RunLocation>> {
    let recorded = RunPointer::read(workspace.common(), issue)?.map(|location| location.worktree);
    let recorded = recorded.filter(|root| is_of_repository(workspace, root));
    let candidates = [recorded, Some(workspace.root().to_owned())];
    if let Some(root) = candidates.into_iter().flatten().find(|root| has_log(root, issue)) {
        return Ok(Some(RunLocation::Worktree(root)));
    }
    let Some(branch) = workspace.branches().find(&run_branch_name(issue))? else { return Ok(None) };
    let path = RunFolder::new("", issue).events();
    let is_there = workspace.read_file(&branch.tip, &path)?.is_some();
    Ok(if is_there { Some(RunLocation::OnBranch(branch)) } else { None })
}

/// Tells whether a worktree is one of this repository. A copy of a repository contains the record of the original's worktree.
fn is_of_repository(workspace: &Workspace, root: &Path) -> bool {
    root == workspace.root() || Workspace::open(root).is_ok_and(|other| other.common() == workspace.common())
}

/// Tells whether a worktree has the log of a run. An empty file says nothing.
fn has_log(root: &Path, issue: IssueNumber) -> bool {
    let folder = RunFolder::new(root, issue);
    folder.at(&folder.events()).metadata().is_ok_and(|found| found.is_file() && found.len() > 0)
}

fn log_removed_by(project: &Project, issue: IssueNumber) -> Result<Option<CommitId>> {
    let Some(found) = project.workspace.branches().find(&run_branch_name(issue))? else { return Ok(None) };
    Ok(project.workspace.history().find_removal(&found.tip, &RunFolder::new("", issue).events())?)
}

/// Fetches the branch of a run that another machine worked on; tells whether there was one. The log is on the branch, so the
/// branch is all that is needed to go on; a branch without a log is not built on.
fn fetch(project: &Project, issue: IssueNumber) -> Result<bool> {
    let stays_here =
        project.settings.push == Some(PushWhen::Never) || project.settings.forge == Some(ForgeKind::Local);
    // A forge that cannot be used is reported by the code that needs it.
    if stays_here
        || !forge_connection::of_issue(project, issue).is_ok_and(|forge| forge.is_remote())
        || project.workspace.origin().address()?.is_none()
    {
        return Ok(false);
    }
    let branch = run_branch_name(issue);
    let Some(tip) = forge_connection::fetch(project, &branch)? else { return Ok(false) };
    let log = RunFolder::new("", issue).events();
    if project.workspace.read_file(&tip, &log)?.is_none() {
        return Err(Failure::usage(format!(
            "origin has a branch `{branch}` that holds no run, or one that was finalized"
        ))
        .hint(format!("look at it, and remove it with `git push origin --delete {branch}` to begin anew")));
    }
    project.workspace.branches().fast_forward(&branch, &tip)?;
    tracing::info!("The run of issue #{issue} is taken over from origin at {}", &tip.as_str()[..9]);
    Ok(true)
}

/// A run that is only looked at.
pub struct RunView {
    /// The state that its log folds into.
    pub state: State,
    /// The entries of its log.
    pub entries: Vec<Entry>,
    /// The hash of the last entry.
    pub chain: String,
    /// The worktree the files are in, if they are checked out.
    pub root: Option<PathBuf>,
}

impl RunView {
    /// Returns the run.
    pub fn run(&self) -> &Run {
        self.state.run.as_ref().expect("a log without a run is refused")
    }
}

/// Reads the run of an issue without holding it; works while another process holds it.
pub fn view(project: &Project, issue: IssueNumber) -> Result<RunView> {
    let (contents, root) = match locate(project, issue)? {
        RunLocation::Worktree(root) => {
            let folder = RunFolder::new(&root, issue);
            let contents = read_log(&folder).map_err(|error| log_failure(project, &folder, error))?;
            (contents, Some(root))
        }
        RunLocation::OnBranch(branch) => {
            let path = RunFolder::new("", issue).events();
            let bytes = project.workspace.read_file(&branch.tip, &path)?.unwrap_or_default();
            (log::read(&bytes, &format!("{}:{path}", run_branch_name(issue)))?, None)
        }
        other => return Err(no_run_failure(&other, issue)),
    };
    let does_not_fit =
        |error| Failure::state(error).hint("the log does not fit together; nothing was changed");
    let state = fold(&contents.entries).map_err(does_not_fit)?;
    if state.run.is_none() {
        return Err(no_run(issue));
    }
    Ok(RunView { state, entries: contents.entries, chain: contents.chain, root })
}

/// Reads the log in a worktree. A process that holds the run may write meanwhile: it writes the log first, so the view is read first.
fn read_log(folder: &RunFolder) -> Result<LogContents, JournalError> {
    let path = folder.at(&folder.relative());
    let known = facts_known_to_view(&path)?;
    let contents = log::read_file(&folder.at(&folder.events()))?;
    refuse_log_behind(&path, contents.entries.len() as u64, known)?;
    Ok(contents)
}

/// Says that an issue has no run.
pub(crate) fn no_run(issue: IssueNumber) -> Failure {
    Failure::usage(format!("there is no run of issue {issue} in this repository"))
        .hint(format!("begin one with `ai-workflow execute --phase all --issue {issue}`"))
}

/// Says why there is no run to work with where no log is here.
pub(crate) fn no_run_failure(found: &RunLocation, issue: IssueNumber) -> Failure {
    match found {
        RunLocation::Finalized(record) if record.left.is_some() => Failure::usage(finalized_sentence(record))
            .hint(format!("finish it with `{}`", next_after_finalized(record))),
        RunLocation::Finalized(record) => {
            Failure::usage(format!("{}; its log is gone", finalized_sentence(record)))
                .hint(format!("remove what is left with `ai-workflow cleanup --issue {issue}` to begin anew"))
        }
        RunLocation::LogRemoved(commit) => log_removed_failure(issue, commit),
        RunLocation::Worktree(_) | RunLocation::OnBranch(_) | RunLocation::Missing => no_run(issue),
    }
}

fn log_removed_failure(issue: IssueNumber, commit: &CommitId) -> Failure {
    let (branch, folder) = (run_branch_name(issue), RunFolder::new("", issue));
    let commit = &commit.as_str()[..9];
    let back = format!("git checkout {commit}~1 -- {}", folder.relative());
    let message = format!("{} was taken off `{branch}` by the commit {commit}", folder.events());
    Failure::state(message)
        .hint(format!("to go on from there, bring it back on that branch: `{back}`"))
        .hint(format!("to begin anew, give the branch another name: `git branch -m {branch} NAME`"))
}

/// Makes the linked worktree of an issue, on a new branch where a base is given; one that is there already is opened.
pub(crate) fn make_linked(project: &Project, issue: IssueNumber, at: Option<&RunBase>) -> Result<Workspace> {
    let path = linked_path(project, issue);
    if path.exists() {
        return Ok(Workspace::open(&path)?);
    }
    Ok(project.workspace.add_linked_worktree(&path, &run_branch_name(issue), at.map(|base| &base.commit))?)
}

/// Makes a linked worktree for a run that is on its branch only.
pub(crate) fn link_branch(project: &Project, issue: IssueNumber) -> Result<Workspace> {
    let workspace = make_linked(project, issue, None)?;
    set_up(project, &workspace)?;
    record_location(project, issue, workspace.root())?;
    Ok(workspace)
}

/// Runs `[commands] setup` in a worktree that is not the user's checkout.
pub(crate) fn set_up(project: &Project, workspace: &Workspace) -> Result<()> {
    if workspace.root() == project.root() {
        return Ok(());
    }
    match project.settings.commands.setup.as_deref() {
        None => Ok(()),
        Some(line) => run_setup(project, workspace.root(), line),
    }
}

/// Writes down in which worktree the files of a run are.
pub(crate) fn record_location(project: &Project, issue: IssueNumber, worktree: &Path) -> Result<()> {
    let location = RunPointer { worktree: worktree.to_owned(), branch: run_branch_name(issue) };
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
    if finish.exit == ProgramExit::Code(0) {
        return Ok(());
    }
    let tail = project.masker.mask(finish.stderr_tail.trim());
    Err(Failure::usage(format!("`[commands] setup` failed: {}\n{tail}", finish.exit))
        .hint("repair it and execute again"))
}

/// Tells whether a worktree with the files of a run has another branch checked out although the run's branch is there:
/// the files were merged into it, or the user switched to it.
pub(crate) fn is_on_other_branch(workspace: &Workspace, issue: IssueNumber) -> Result<bool> {
    let Some(branch) = workspace.branches().find(&run_branch_name(issue))? else { return Ok(false) };
    let is_here = branch.worktree.as_deref().is_some_and(|at| is_same_folder(at, workspace.root()));
    Ok(!is_here)
}

fn is_same_folder(one: &Path, other: &Path) -> bool {
    one == other || one.canonicalize().is_ok_and(|one| other.canonicalize().is_ok_and(|other| one == other))
}

/// Says that the files of a run are not in the checkout although its branch is checked out there now.
pub(crate) fn refuse_missing_log(project: &Project, issue: IssueNumber) -> Result<()> {
    let folder = RunFolder::new(project.root(), issue);
    if has_log(project.root(), issue) {
        return Ok(());
    }
    let (log, branch) = (folder.events(), run_branch_name(issue));
    Err(Failure::state(format!("{log} is gone; the branch {branch} still has it"))
        .hint(format!("bring it back with `git checkout refs/heads/{branch} -- {}`", folder.relative())))
}

/// Refuses a checkout with the user's own changes in it.
pub(crate) fn require_clean(workspace: &Workspace) -> Result<WorktreeState> {
    let survey = workspace.read_state()?;
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
pub(crate) fn first_of(paths: &[String], most: usize) -> String {
    let first = paths.iter().take(most).cloned().collect::<Vec<_>>().join(", ");
    if paths.len() > most { format!("{first} and {} more", paths.len() - most) } else { first }
}
