//! Makes the branch of a completed run ready: the run's own files go, the commits become one, and the pull request is no draft
//! any more. The server is asked first, and what it refuses leaves the run as it is; the rewrite, after which the log is gone,
//! comes last. The record of a finalized run says before what is to be done, so that the same request ends what was cut short.

use std::fmt::Write as _;

use crate::continued_elsewhere::{refuse_continued_elsewhere, refuse_other_log_on_origin};
use crate::environment::runtime;
use crate::failure::{Failure, Result};
use crate::forge_connection;
use crate::locked_run::{LockedRun, lock_issue, lock_worktree};
use crate::project::{Project, SettingOverrides};
use crate::run_location::{locate_or_fetch, no_run, view};
use engine::Run;
use forge::{Forge, PullRequestContent, PullRequestRef};
use git::{Branch, CommitId, RunWorkspace, Signature, Workspace, WorktreeState};
use journal::store::common_dir::{FinalizedRun, PendingRewrite, RunPointer};
use journal::store::folders::RunFolder;
use model::event::RunOutcome;
use model::issue::IssueNumber;
use runner::{RunFilesAt, plan_restore_lost};
use views::summary::{Documents, UnreviewedFiles, format_title, next_command, pull_request};

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
pub enum FinalizeOutcome {
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
pub fn finalize(project: &Project, request: &FinalizeRequest) -> Result<FinalizeOutcome> {
    if let Some(record) = unfinished_rewrite(project, request.issue)? {
        return resume_finalize(project, record, request.dry_run);
    }
    let finalizer = Finalizer { project, request };
    if request.dry_run { finalizer.plan() } else { finalizer.finalize() }
}

/// Finalizes one run.
struct Finalizer<'a> {
    project: &'a Project,
    request: &'a FinalizeRequest,
}

impl Finalizer<'_> {
    fn finalize(&self) -> Result<FinalizeOutcome> {
        let (project, request) = (self.project, self.request);
        let mut locked = LockedRun::take(project, request.issue, &|run| self.refuse(run))?;
        locked.space.run_branch().refuse_missing()?;
        refuse_continued_elsewhere(project, locked.space.workspace(), locked.run())?;
        let found = tip_of_completed(&locked, locked.run())?;
        self.unreviewed(&locked.space, locked.run(), &found)?;
        let tip = self.restore_kept(&mut locked, found)?;
        let run = locked.run();
        let unreviewed = self.unreviewed(&locked.space, run, &tip)?;
        // What the server refuses is known before anything is rewritten here.
        if is_on_server(project, run)? {
            forge_connection::push(locked.space.workspace(), &run.started.branch, None)?;
        }
        let commit = self.final_commit(&locked, run, &tip)?;
        make_ready(project, run, &pull_request(run, run.outcome, &unreviewed, self.documents()))?;
        let masked = |text: &str| project.masker.mask(text).to_string();
        let left = PendingRewrite {
            before: tip.to_string(),
            on_server: is_on_server(project, run)?,
            keep_files: request.keep_files,
            unreviewed: names(&unreviewed),
        };
        let record = FinalizedRun {
            issue: run.started.issue.number,
            title: masked(&run.started.issue.title),
            branch: run.started.branch.clone(),
            base_branch: run.started.base_branch.clone(),
            commit: commit.to_string(),
            pull_request: run.publication.pull_request.as_ref().map(|(_, url)| masked(url)),
            at: journal::now(),
            left: Some(left),
        };
        carry_out(project, &locked.space, &record)?;
        let warning = if unreviewed.is_empty() { None } else { Some(unreviewed_warning(&unreviewed.line())) };
        Ok(FinalizeOutcome::Done { record, warning })
    }

    /// Restores the records of reviews and the documents that stay on the branch, and returns its tip.
    fn restore_kept(&self, locked: &mut LockedRun, tip: CommitId) -> Result<CommitId> {
        if !self.request.keep_files {
            return Ok(tip);
        }
        locked.locks.begin_work();
        runner::restore_lost(&locked.journal, &locked.space, &locked.folder, &self.project.masker)?;
        tip_of_completed(locked, locked.run())
    }

    /// Returns what would be done. No lock is taken, and the checkout stays on its branch.
    fn plan(&self) -> Result<FinalizeOutcome> {
        let (project, issue) = (self.project, self.request.issue);
        locate_or_fetch(project, issue)?;
        let view = view(project, issue)?;
        let run = view.state.run.ok_or_else(|| no_run(issue))?;
        let workspace = match &view.root {
            Some(root) => project.open_worktree(root)?,
            None => project.workspace.clone(),
        };
        let space = workspace.for_issue(issue);
        space.run_branch().refuse_missing()?;
        refuse_incomplete(&run)?;
        refuse_other_log_on_origin(project, &workspace, &run, &view.entries)?;
        let survey = workspace.read_state()?;
        refuse_unclean(&survey)?;
        let branch = workspace.branches().find(&run.started.branch)?.ok_or_else(|| no_run(issue))?;
        let mut unreviewed = self.unreviewed(&space, &run, &branch.tip)?;
        let is_here = survey.head.branch.as_ref() == Some(&run.started.branch);
        let mut steps = Vec::new();
        if !is_here {
            steps.push(format!("switch {} to {}", workspace.root().display(), run.started.branch));
        }
        if self.request.keep_files {
            let files = if is_here { RunFilesAt::Worktree } else { RunFilesAt::Commit(&branch.tip) };
            let folder = RunFolder::new(workspace.root(), issue);
            for restored in plan_restore_lost(&run, &space, &folder, &project.masker, files)? {
                unreviewed.after_the_end.retain(|path| *path != restored.path);
                steps.push(restored.sentence);
            }
        }
        steps.extend(self.steps(&run, &unreviewed)?);
        Ok(FinalizeOutcome::Planned { steps, unreviewed: names(&unreviewed) })
    }

    /// Refuses what this run does not take, before the checkout goes to its branch.
    fn refuse(&self, run: &Run) -> Result<()> {
        refuse_incomplete(run)?;
        let workspace = &self.project.workspace;
        let Some(branch) = workspace.branches().find(&run.started.branch)? else { return Ok(()) };
        self.unreviewed(&workspace.for_issue(self.request.issue), run, &branch.tip).map(drop)
    }

    fn documents(&self) -> Documents {
        if self.request.keep_files { Documents::Kept } else { Documents::Gone }
    }

    /// Returns the files that nobody reviewed, their names masked; refuses them where nobody asked to include them. Commits are
    /// compared, so the branch need not be checked out.
    fn unreviewed(&self, space: &RunWorkspace, run: &Run, tip: &CommitId) -> Result<UnreviewedFiles> {
        let folder = RunFolder::new(space.workspace().root(), self.request.issue);
        let found = runner::unreviewed(space, &folder, run, tip, self.documents())?;
        let masked = |paths: Vec<String>| {
            paths.iter().map(|path| self.project.masker.mask(path).to_string()).collect()
        };
        let unreviewed =
            UnreviewedFiles { after_the_end: masked(found.after_the_end), unseen: masked(found.unseen) };
        if unreviewed.is_empty() || self.request.include_unreviewed {
            return Ok(unreviewed);
        }
        let branch = &run.branch;
        let from = if unreviewed.unseen.is_empty() { &branch.phase_head } else { &branch.coverage.reviewed };
        let range = format!("git diff {}..refs/heads/{}", &from[..9], run.started.branch);
        Err(Failure::usage(unreviewed_warning(&unreviewed.line())).hint(format!(
            "look at it with `{range}`; `--include-unreviewed` publishes it, and the pull request says so"
        )))
    }

    fn steps(&self, run: &Run, unreviewed: &UnreviewedFiles) -> Result<Vec<String>> {
        let (request, started) = (self.request, &run.started);
        let mut steps = Vec::new();
        if is_on_server(self.project, run)? {
            steps.push(format!("push {}, and again what it becomes", started.branch));
        }
        if !request.keep_files {
            steps.push(format!("remove .ai-workflow/issue-{} from {}", started.issue.number, started.branch));
        }
        if !request.skip_squash {
            steps.push(format!("make one commit of the run's commits on {}", started.base_branch));
        }
        steps.push("mark the pull request ready".into());
        if !unreviewed.is_empty() {
            steps.push(format!("say in it what is {}", unreviewed_warning(&unreviewed.line())));
        }
        Ok(steps)
    }

    /// Makes one commit of all, without the run's own files unless they are wanted. Nothing moves yet.
    fn final_commit(&self, locked: &LockedRun, run: &Run, tip: &CommitId) -> Result<CommitId> {
        let (space, masker) = (&locked.space, &self.project.masker);
        let own = if self.request.keep_files {
            Vec::new()
        } else {
            space.workspace().list_tracked_files(&locked.folder.relative())?
        };
        let number = run.started.issue.number;
        if self.request.skip_squash && own.is_empty() {
            return Ok(tip.clone());
        }
        if self.request.skip_squash {
            let words = format!("[ai-workflow] finalize: #{number} without the run's own files\n");
            return Ok(space.squash(tip, &own, tip, &masker.mask(&words))?);
        }
        let title = format_title(&run.started.issue.title);
        let base = runner::base_of(space, run, tip)?;
        let trailers = self.trailers(space.workspace(), run, &base)?;
        let message = masker.mask(&format!("{title}\n\nCloses #{number}\n\n{trailers}"));
        Ok(space.squash(tip, &own, &base, &message)?)
    }

    /// Returns the trailers of the commit.
    fn trailers(&self, workspace: &Workspace, run: &Run, base: &CommitId) -> Result<String> {
        let forge = forge_connection::of_run(self.project, run)?;
        let mut people = workspace.history().other_authors(base)?;
        let known = |author: &Signature| people.iter().any(|one| one.mail.eq_ignore_ascii_case(&author.mail));
        let requester = requester(run, &forge)?.filter(|author| !known(author));
        people.extend(requester);
        let mut lines = format!("AI-Workflow-Run: {}\n", run.started.run_id);
        for Signature { name, mail } in people {
            let _ = writeln!(lines, "Co-authored-by: {name} <{mail}>");
        }
        Ok(lines)
    }
}

/// Refuses a run that is not completed.
pub(crate) fn refuse_incomplete(run: &Run) -> Result<()> {
    if run.outcome == RunOutcome::Completed {
        return Ok(());
    }
    let (number, outcome) = (run.started.issue.number, run.outcome.as_str());
    let message = format!("the run of issue {number} is {outcome}, not completed");
    Err(Failure::usage(message).hint(format!("next: `{}`", next_command(run))))
}

/// Returns where the branch of a completed run stands; refuses a run or a worktree that is not ready for it.
fn tip_of_completed(locked: &LockedRun, run: &Run) -> Result<CommitId> {
    refuse_incomplete(run)?;
    let survey = locked.space.workspace().read_state()?;
    if survey.head.branch.as_deref() != Some(run.started.branch.as_str()) {
        return Err(Failure::usage(format!("the worktree is not on {}", run.started.branch))
            .hint(format!("git switch {}", run.started.branch)));
    }
    refuse_unclean(&survey)?;
    Ok(survey.head.commit)
}

fn refuse_unclean(survey: &WorktreeState) -> Result<()> {
    if survey.is_clean() {
        return Ok(());
    }
    Err(Failure::usage("the worktree has changes that are not committed").hint("commit or stash them"))
}

/// Ends what an earlier `finalize` began: the request is ready by then, and what was not reviewed was allowed.
fn resume_finalize(project: &Project, record: FinalizedRun, dry_run: bool) -> Result<FinalizeOutcome> {
    let unreviewed = record.left.iter().flat_map(|left| left.unreviewed.clone()).collect::<Vec<_>>();
    if dry_run {
        let step = format!("finish what was cut short: {} at {}", record.branch, &record.commit[..9]);
        return Ok(FinalizeOutcome::Planned { steps: vec![step], unreviewed });
    }
    let _lock = lock_issue(project, record.issue)?;
    let branch = project.workspace.branches().find(&record.branch)?;
    let root = branch.and_then(|branch| branch.worktree);
    let (workspace, _checkout) = lock_worktree(project, record.issue, root.as_deref())?;
    carry_out(project, &workspace.for_issue(record.issue), &record)?;
    let warning = if unreviewed.is_empty() { None } else { Some(unreviewed_warning(&unreviewed.join(", "))) };
    Ok(FinalizeOutcome::Done { record, warning })
}

fn names(unreviewed: &UnreviewedFiles) -> Vec<String> {
    unreviewed.paths().into_iter().map(str::to_owned).collect()
}

fn unreviewed_warning(paths: &str) -> String {
    format!("not reviewed: {paths}")
}

/// Tells whether the branch has a pull request on a server.
fn is_on_server(project: &Project, run: &Run) -> Result<bool> {
    let has_number = run.publication.pull_request.as_ref().is_some_and(|(number, _)| number.is_some());
    Ok(forge_connection::of_run(project, run)?.is_remote() && has_number)
}

/// GitHub does not open a request again whose branch was rewritten, so nothing is rewritten before.
fn closed_request_failure(request: &PullRequestRef, head: &str) -> Failure {
    Failure::usage(format!("a person closed the pull request {}", request.url)).hint(format!(
        "open it again on GitHub, or another one of the branch `{head}`; then run the same command"
    ))
}

/// Brings the request up to date and takes it out of its draft.
fn make_ready(project: &Project, run: &Run, (title, body): &(String, String)) -> Result<()> {
    let forge = if is_on_server(project, run)? {
        forge_connection::of_run(project, run)?
    } else {
        forge_connection::local(project)
    };
    let request = PullRequestContent {
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
            return Err(closed_request_failure(&opened, &request.head));
        }
        Ok(forge.mark_ready(&opened).await?)
    })
}

/// Returns the record of a rewrite that was cut short. Where nothing was rewritten yet, or somebody went on with the run
/// since, there is none: the run is still there, and is finalized anew.
fn unfinished_rewrite(project: &Project, issue: IssueNumber) -> Result<Option<FinalizedRun>> {
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

fn server_has(project: &Project, record: &FinalizedRun) -> Result<bool> {
    Ok(forge_connection::fetch(project, &record.branch)?.is_some_and(|tip| tip.as_str() == record.commit))
}

fn has_log(project: &Project, issue: IssueNumber, branch: &Branch) -> Result<bool> {
    Ok(project.workspace.read_file(&branch.tip, &RunFolder::new("", issue).events())?.is_some())
}

/// Does what the record says is left, and writes that it is done.
fn carry_out(project: &Project, space: &RunWorkspace, record: &FinalizedRun) -> Result<()> {
    let common = project.workspace.common();
    if let Some(left) = &record.left {
        record.write(common)?;
        replace(project, space, record)?;
        if !left.keep_files {
            remove_files(project, space.workspace(), record)?;
        }
        space.clean_worktree().remove()?;
        space.work().release_trees()?;
    }
    RunPointer::remove(common, record.issue)?;
    Ok(FinalizedRun { left: None, ..record.clone() }.write(common)?)
}

/// The server comes first: what it refuses changes nothing here.
fn replace(project: &Project, space: &RunWorkspace, record: &FinalizedRun) -> Result<()> {
    let Some(left) = &record.left else { return Ok(()) };
    let before = CommitId::try_from(left.before.as_str())?;
    let after = CommitId::try_from(record.commit.as_str())?;
    let branch = project.workspace.branches().find(&record.branch)?;
    if before == after || branch.is_none_or(|branch| branch.tip != before) {
        return Ok(());
    }
    if left.on_server {
        forge_connection::push(space.workspace(), &record.branch, Some((&before, &after)))?;
    }
    Ok(space.run_branch().move_to(&before, &after)?)
}

/// Removes the run's files where the branch is checked out: with the log also prompts, answers and raw streams, which belong
/// to nobody now.
fn remove_files(project: &Project, workspace: &Workspace, record: &FinalizedRun) -> Result<()> {
    let branch = project.workspace.branches().find(&record.branch)?;
    if branch.is_none_or(|branch| branch.worktree.is_none()) {
        return Ok(());
    }
    workspace.reset_index()?;
    let folder = RunFolder::new(workspace.root(), record.issue);
    let path = folder.at(&folder.relative());
    match std::fs::remove_dir_all(&path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(Failure::usage(format!("failed to remove {}: {error}", path.display())))
        }
        _ => Ok(()),
    }
}

/// Whoever put the label on that started the run; nobody when that is not known for sure, or was a program.
fn requester(run: &Run, forge: &Forge) -> Result<Option<Signature>> {
    let Forge::Github(github) = forge else { return Ok(None) };
    // Settings that cannot be read are no reason to stop here: nobody is named then.
    let Ok(project) = Project::open(SettingOverrides::default()) else { return Ok(None) };
    let label = &project.settings.github.trigger_label;
    let labelled = runtime()?.block_on(github.last_labelling(run.started.issue.number, label));
    let Ok(Some(labelled)) = labelled else { return Ok(None) };
    let before = labelled.created_at <= run.created_at;
    let person = labelled.actor.filter(|actor| before && actor.kind == "User");
    Ok(person.map(|actor| {
        let mail = format!("{}+{}@{}", actor.id, actor.login, forge_connection::no_reply_domain());
        Signature { name: actor.login, mail }
    }))
}
