//! Makes the branch of a completed run ready: the run's own files go, the commits become one, and the pull request is no draft
//! any more. The server is asked first, and what it refuses leaves the run as it is; the rewrite, after which the log is gone,
//! comes last. The record of a finalized run says before what is to be done, so that the same request ends what was cut short.

use std::fmt::Write as _;
use std::path::Path;

use crate::environment::runtime;
use crate::failure::Failure;
use crate::forge_connection;
use crate::locked_run::{LockedRun, lock_checkout, lock_issue};
use crate::project::Project;
use crate::run_location::{locate_or_fetch, no_run, view};
use crate::setting_overrides::SettingOverrides;
use engine::Run;
use forge::{Forge, PullRequest, PullRequestRef};
use git::{Author, Branch, CommitId, RunWorkspace, Survey, Workspace, retry};
use journal::store::common_dir::{FinalizedRun, PendingRewrite, RunLocation};
use journal::store::folders::RunFolder;
use model::event::Outcome;
use model::issue::IssueNumber;
use views::summary::{Documents, Unreviewed, next_command, pull_request, titled};

/// How a run is finalized.
#[derive(Debug, Clone)]
pub struct FinalizeRequest {
    /// The issue of the run.
    pub issue: IssueNumber,
    /// Keep one commit per phase.
    pub skip_squash: bool,
    /// Keep the run's folder on the branch.
    pub keep_files: bool,
    /// Publish also what no reviewer was shown.
    pub include_unreviewed: bool,
    /// Change nothing.
    pub dry_run: bool,
}

/// What became of it.
#[derive(Debug, Clone)]
pub enum Finalized {
    /// Nothing was changed.
    Planned {
        /// What would be done, one sentence each.
        steps: Vec<String>,
        /// Files that nobody reviewed.
        unreviewed: Vec<String>,
    },
    /// The branch is ready.
    Done {
        /// What is left of the run.
        record: FinalizedRun,
        /// What is published although nobody reviewed it, in one line.
        warning: Option<String>,
    },
}

/// Makes the branch of a completed run ready.
pub fn finalize(project: &Project, request: &FinalizeRequest) -> Result<Finalized, Failure> {
    if let Some(record) = unfinished_rewrite(project, request.issue)? {
        return resume_finalize(project, record, request);
    }
    if request.dry_run {
        return rehearse(project, request);
    }
    let locked = LockedRun::take(project, request.issue, &|run| refuse(project, run, request))?;
    let run = locked.run()?.clone();
    locked.space.run_branch().refuse_missing()?;
    let tip = tip_of_completed(&locked, &run)?;
    let unreviewed = unreviewed(project, &locked.space, &run, &tip, request)?;
    share(project, &locked, &run)?;
    let commit = final_commit(project, &locked, &run, &tip, request)?;
    make_ready(project, &run, &pull_request(&run, run.outcome, &unreviewed, documents(request)))?;
    let left = PendingRewrite {
        before: tip.to_string(),
        on_server: is_on_server(project, &run)?,
        keep_files: request.keep_files,
        unreviewed: names(&unreviewed),
    };
    let record = record(project, &run, &commit, left);
    carry_out(project, &locked.space, &record)?;
    let warning = if unreviewed.is_empty() { None } else { Some(not_reviewed(&unreviewed)) };
    Ok(Finalized::Done { record, warning })
}

/// Returns what would be done. No lock is taken, and the checkout stays on its branch.
fn rehearse(project: &Project, request: &FinalizeRequest) -> Result<Finalized, Failure> {
    let issue = request.issue;
    locate_or_fetch(project, issue)?;
    let view = view(project, issue)?;
    let run = view.state.run.ok_or_else(|| no_run(issue))?;
    let workspace = match &view.root {
        Some(root) if root != project.root() => Workspace::open(root)?,
        _ => project.workspace.clone(),
    };
    let space = workspace.for_issue(issue);
    space.run_branch().refuse_missing()?;
    refuse_incomplete(&run)?;
    refuse_unclean(&workspace.worktree().survey()?)?;
    let branch = workspace.branches().find(&run.started.branch)?.ok_or_else(|| no_run(issue))?;
    let unreviewed = unreviewed(project, &space, &run, &branch.tip, request)?;
    Ok(Finalized::Planned { steps: steps(&run, request, &unreviewed), unreviewed: names(&unreviewed) })
}

/// Refuses what this run does not take, before the checkout goes to its branch.
fn refuse(project: &Project, run: &Run, request: &FinalizeRequest) -> Result<(), Failure> {
    refuse_incomplete(run)?;
    let Some(branch) = project.workspace.branches().find(&run.started.branch)? else { return Ok(()) };
    let space = project.workspace.for_issue(request.issue);
    unreviewed(project, &space, run, &branch.tip, request).map(drop)
}

fn refuse_incomplete(run: &Run) -> Result<(), Failure> {
    if run.outcome == Outcome::Completed {
        return Ok(());
    }
    let (number, outcome) = (run.started.issue.number, run.outcome.as_str());
    let message = format!("the run of issue {number} is {outcome}, not completed");
    Err(Failure::usage(message).hint(format!("next: `{}`", next_command(run))))
}

/// Returns where the branch of a completed run stands; refuses a run or a worktree that is not ready for it.
fn tip_of_completed(locked: &LockedRun, run: &Run) -> Result<CommitId, Failure> {
    refuse_incomplete(run)?;
    let survey = locked.space.workspace().worktree().survey()?;
    if survey.head.branch.as_deref() != Some(run.started.branch.as_str()) {
        return Err(Failure::usage(format!("the worktree is not on {}", run.started.branch))
            .hint(format!("git switch {}", run.started.branch)));
    }
    refuse_unclean(&survey)?;
    Ok(survey.head.commit)
}

fn refuse_unclean(survey: &Survey) -> Result<(), Failure> {
    if survey.is_clean() {
        return Ok(());
    }
    Err(Failure::usage("the worktree has changes that are not committed").hint("commit or stash them"))
}

/// Ends what an earlier `finalize` began: the request is ready by then, and what was not reviewed was allowed.
fn resume_finalize(
    project: &Project,
    record: FinalizedRun,
    request: &FinalizeRequest,
) -> Result<Finalized, Failure> {
    let unreviewed = record.left.iter().flat_map(|left| left.unreviewed.clone()).collect::<Vec<_>>();
    if request.dry_run {
        let step = format!("finish what was cut short: {} at {}", record.branch, &record.commit[..9]);
        return Ok(Finalized::Planned { steps: vec![step], unreviewed });
    }
    resume_rewrite(project, &record)?;
    let warning =
        if unreviewed.is_empty() { None } else { Some(format!("not reviewed: {}", unreviewed.join(", "))) };
    Ok(Finalized::Done { record, warning })
}

fn documents(request: &FinalizeRequest) -> Documents {
    if request.keep_files { Documents::Kept } else { Documents::Gone }
}

/// Returns the files that nobody reviewed, their names masked; refuses them where nobody asked to include them. Commits are
/// compared, so the branch need not be checked out.
fn unreviewed(
    project: &Project,
    space: &RunWorkspace,
    run: &Run,
    tip: &CommitId,
    request: &FinalizeRequest,
) -> Result<Unreviewed, Failure> {
    let folder = RunFolder::new(space.workspace().root(), request.issue);
    let found = runner::unreviewed(space, &folder, run, tip, documents(request))?;
    let masked =
        |paths: Vec<String>| paths.iter().map(|path| project.masker.mask(path).to_string()).collect();
    let unreviewed = Unreviewed { after_the_end: masked(found.after_the_end), unseen: masked(found.unseen) };
    if unreviewed.is_empty() || request.include_unreviewed {
        return Ok(unreviewed);
    }
    Err(refused(run, &unreviewed))
}

fn names(unreviewed: &Unreviewed) -> Vec<String> {
    unreviewed.paths().into_iter().map(str::to_owned).collect()
}

fn refused(run: &Run, unreviewed: &Unreviewed) -> Failure {
    let from =
        if unreviewed.unseen.is_empty() { &run.branch.phase_head } else { &run.branch.coverage.reviewed };
    let range = format!("git diff {}..{}", &from[..9], run.started.branch);
    Failure::usage(not_reviewed(unreviewed)).hint(format!(
        "look at it with `{range}`; `--include-unreviewed` publishes it, and the pull request says so"
    ))
}

fn not_reviewed(unreviewed: &Unreviewed) -> String {
    format!("not reviewed: {}", unreviewed.line())
}

/// What is left of the run once the log is gone.
fn record(project: &Project, run: &Run, commit: &CommitId, left: PendingRewrite) -> FinalizedRun {
    let masked = |text: &str| project.masker.mask(text).to_string();
    FinalizedRun {
        issue: run.started.issue.number,
        title: masked(&run.started.issue.title),
        branch: run.started.branch.clone(),
        base_branch: run.started.base_branch.clone(),
        commit: commit.to_string(),
        pull_request: run.publication.pull_request.as_ref().map(|(_, url)| masked(url)),
        at: journal::now(),
        left: Some(left),
    }
}

fn steps(run: &Run, request: &FinalizeRequest, unreviewed: &Unreviewed) -> Vec<String> {
    let number = run.started.issue.number;
    let mut steps = Vec::new();
    if !request.keep_files {
        steps.push(format!("remove .ai-workflow/issue-{number} from {}", run.started.branch));
    }
    if !request.skip_squash {
        steps.push(format!("make one commit of the run's commits on {}", run.started.base_branch));
    }
    steps.push("mark the pull request ready".into());
    if !unreviewed.is_empty() {
        steps.push(format!("say in it what is {}", not_reviewed(unreviewed)));
    }
    steps
}

/// Makes one commit of all, without the run's own files unless they are wanted. Nothing moves yet.
fn final_commit(
    project: &Project,
    locked: &LockedRun,
    run: &Run,
    tip: &CommitId,
    request: &FinalizeRequest,
) -> Result<CommitId, Failure> {
    let own = if request.keep_files { Vec::new() } else { own_files(locked)? };
    let number = run.started.issue.number;
    if request.skip_squash && own.is_empty() {
        return Ok(tip.clone());
    }
    if request.skip_squash {
        let words = format!("[ai-workflow] finalize: #{number} without the run's own files\n");
        return Ok(locked.space.commits().squash(tip, &own, tip, &project.masker.mask(&words))?);
    }
    let title = titled(&run.started.issue.title);
    let base = runner::base_of(&locked.space, run, tip)?;
    let trailers = trailers(project, locked, run, &base, &forge_connection::of_run(project, run)?)?;
    let message = project.masker.mask(&format!("{title}\n\nCloses #{number}\n\n{trailers}"));
    Ok(locked.space.commits().squash(tip, &own, &base, &message)?)
}

fn own_files(locked: &LockedRun) -> Result<Vec<String>, Failure> {
    Ok(locked.space.workspace().objects().tracked_below(&locked.folder.relative())?)
}

/// Brings what a person committed to the server, so that what it refuses is known before anything is rewritten here.
fn share(project: &Project, locked: &LockedRun, run: &Run) -> Result<(), Failure> {
    if !is_on_server(project, run)? {
        return Ok(());
    }
    let workspace = locked.space.workspace();
    let credentials = forge_connection::credentials();
    Ok(retry(|| {
        workspace.remote(forge_connection::REMOTE, credentials.as_ref()).push(&run.started.branch, None)
    })?)
}

/// Tells whether the branch has a pull request on a server.
fn is_on_server(project: &Project, run: &Run) -> Result<bool, Failure> {
    let has_number = run.publication.pull_request.as_ref().is_some_and(|(number, _)| number.is_some());
    Ok(forge_connection::of_run(project, run)?.is_remote() && has_number)
}

/// GitHub does not open a request again whose branch was rewritten, so nothing is rewritten before.
fn closed(request: &PullRequestRef, head: &str) -> Failure {
    Failure::usage(format!("a person closed the pull request {}", request.url)).hint(format!(
        "open it again on GitHub, or another one of the branch `{head}`; then run the same command"
    ))
}

/// Brings the request up to date and takes it out of its draft.
fn make_ready(project: &Project, run: &Run, (title, body): &(String, String)) -> Result<(), Failure> {
    let forge = if is_on_server(project, run)? {
        forge_connection::of_run(project, run)?
    } else {
        forge_connection::local(project)
    };
    let request = PullRequest {
        title: project.masker.mask(title),
        head: run.started.branch.clone(),
        base: run.started.base_branch.clone(),
        draft: false,
        body: project.masker.mask(body),
        run: run.started.run_id.clone(),
        number: run.publication.pull_request.as_ref().and_then(|(number, _)| *number),
    };
    runtime()?.block_on(async {
        let opened = forge.upsert_pull_request(run.started.issue.number, &request).await?;
        if opened.is_closed {
            return Err(closed(&opened, &request.head));
        }
        Ok(forge.mark_ready(&opened).await?)
    })
}

/// Returns the record of a rewrite that was cut short. Where nothing was rewritten yet, or somebody went on with the run
/// since, there is none: the run is still there, and is finalized anew.
fn unfinished_rewrite(project: &Project, issue: IssueNumber) -> Result<Option<FinalizedRun>, Failure> {
    let Some(record) = FinalizedRun::read(project.workspace.common(), issue)? else { return Ok(None) };
    let (Some(left), Some(branch)) = (&record.left, project.workspace.branches().find(&record.branch)?)
    else {
        return Ok(None);
    };
    let begun = match branch.tip.as_str() {
        tip if tip == record.commit => true,
        tip if tip == left.before => left.on_server && server_has(project, &record)?,
        _ => !has_log(project, issue, &branch)?,
    };
    Ok(begun.then_some(record))
}

fn server_has(project: &Project, record: &FinalizedRun) -> Result<bool, Failure> {
    Ok(forge_connection::fetch(project, &record.branch)?.is_some_and(|tip| tip.as_str() == record.commit))
}

fn has_log(project: &Project, issue: IssueNumber, branch: &Branch) -> Result<bool, Failure> {
    Ok(project.workspace.objects().read(&branch.tip, &RunFolder::new("", issue).events())?.is_some())
}

/// Ends a rewrite that was cut short.
fn resume_rewrite(project: &Project, record: &FinalizedRun) -> Result<(), Failure> {
    let _lock = lock_issue(project, record.issue)?;
    let branch = project.workspace.branches().find(&record.branch)?;
    let root = branch.and_then(|branch| branch.worktree);
    let workspace = match root.as_ref().filter(|root| *root != project.root()) {
        Some(root) => Workspace::open(root)?,
        None => project.workspace.clone(),
    };
    let _checkout = match root {
        Some(_) => Some(lock_checkout(project, record.issue, &workspace)?),
        None => None,
    };
    carry_out(project, &workspace.for_issue(record.issue), record)
}

/// Does what the record says is left, and writes that it is done.
fn carry_out(project: &Project, space: &RunWorkspace, record: &FinalizedRun) -> Result<(), Failure> {
    let common = project.workspace.common();
    if let Some(left) = &record.left {
        record.write(common)?;
        replace(project, space, record, left)?;
        if !left.keep_files {
            remove_files(project, space.workspace(), record)?;
        }
        space.clean_worktree().remove()?;
        space.work().release_trees()?;
    }
    RunLocation::remove(common, record.issue)?;
    Ok(FinalizedRun { left: None, ..record.clone() }.write(common)?)
}

/// The server comes first: what it refuses changes nothing here.
fn replace(
    project: &Project,
    space: &RunWorkspace,
    record: &FinalizedRun,
    left: &PendingRewrite,
) -> Result<(), Failure> {
    let before = CommitId::try_from(left.before.as_str())?;
    let after = CommitId::try_from(record.commit.as_str())?;
    let branch = project.workspace.branches().find(&record.branch)?;
    if before == after || branch.is_none_or(|branch| branch.tip != before) {
        return Ok(());
    }
    if left.on_server {
        let (credentials, pair) = (forge_connection::credentials(), Some((&before, &after)));
        retry(|| {
            space
                .workspace()
                .remote(forge_connection::REMOTE, credentials.as_ref())
                .push(&record.branch, pair)
        })?;
    }
    Ok(space.run_branch().move_to(&before, &after)?)
}

/// Removes the run's files where the branch is checked out: with the log also prompts, answers and raw streams, which belong
/// to nobody now.
fn remove_files(project: &Project, workspace: &Workspace, record: &FinalizedRun) -> Result<(), Failure> {
    let branch = project.workspace.branches().find(&record.branch)?;
    if branch.is_none_or(|branch| branch.worktree.is_none()) {
        return Ok(());
    }
    workspace.worktree().reset_index()?;
    let folder = RunFolder::new(workspace.root(), record.issue);
    remove_folder(&folder.at(&folder.relative()))
}

fn remove_folder(path: &Path) -> Result<(), Failure> {
    match std::fs::remove_dir_all(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(Failure::usage(format!("failed to remove {}: {error}", path.display())))
        }
        _ => Ok(()),
    }
}

/// Returns the trailers of the commit.
fn trailers(
    project: &Project,
    locked: &LockedRun,
    run: &Run,
    base: &CommitId,
    forge: &Forge,
) -> Result<String, Failure> {
    let mut people = locked.space.workspace().history().other_authors(base)?;
    let known = |author: &Author| people.iter().any(|one| one.mail.eq_ignore_ascii_case(&author.mail));
    let requester = requester(project, run, forge)?.filter(|author| !known(author));
    people.extend(requester);
    let mut lines = format!("AI-Workflow-Run: {}\n", run.started.run_id);
    for Author { name, mail } in people {
        let _ = writeln!(lines, "Co-authored-by: {name} <{mail}>");
    }
    Ok(lines)
}

/// Whoever put the label on that started the run; nobody when that is not known for sure, or was a program.
fn requester(project: &Project, run: &Run, forge: &Forge) -> Result<Option<Author>, Failure> {
    let Forge::Github(github) = forge else { return Ok(None) };
    let command_line = project.command_line.clone();
    // Settings that cannot be read are no reason to stop here: nobody is named then.
    let Ok(project) = Project::open(SettingOverrides::default(), command_line) else { return Ok(None) };
    let label = &project.settings.github.trigger_label;
    let labelled = runtime()?.block_on(github.last_labelling(run.started.issue.number, label));
    let Ok(Some(labelled)) = labelled else { return Ok(None) };
    let before = labelled.created_at <= run.created_at;
    let person = labelled.actor.filter(|actor| before && actor.kind == "User");
    Ok(person.map(|actor| {
        let mail = format!("{}+{}@{}", actor.id, actor.login, forge_connection::no_reply_domain());
        Author { name: actor.login, mail }
    }))
}
