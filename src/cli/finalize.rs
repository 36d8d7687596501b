//! `finalize`: makes the branch of a completed run ready: the run's own files go, the commits become one,
//! and the pull request is no draft any more. The server is asked first, and what it refuses leaves the run as it is; the
//! rewrite, after which the log is gone, comes last.

use serde_json::json;

use super::arguments::Finalize;
use super::door::{Door, log_to, runtime};
use super::failure::Failure;
use super::fetched::REMOTE;
use super::find::{brought, look, no_run};
use super::hold::{Hold, take_existing};
use super::show::show;
use super::{Answer, credit, forge_connection, rewrite};
use app::report::Terminal;
use app::runner;
use engine::Run;
use forge::{PullRequest, PullRequestRef};
use git::{CommitId, RunWorkspace, Survey, Workspace, retry};
use journal::store::common_dir::{FinalizedRun, PendingRewrite};
use journal::store::folders::RunFolder;
use model::event::Outcome;
use views::summary::{Documents, Unreviewed, next_command, pull_request, titled};

pub(super) fn run(arguments: &Finalize) -> Answer {
    log_to(&Terminal::new());
    let door = crate::project::open_without_settings()?;
    if let Some(record) = rewrite::cut_short(&door, arguments.issue)? {
        return finish(&door, &record, arguments);
    }
    if arguments.dry_run {
        return rehearse(&door, arguments);
    }
    let hold = take_existing(&door, arguments.issue, &|run| refuse(&door, run, arguments))?;
    let run = hold.run()?.clone();
    hold.space.run_branch().refuse_missing()?;
    let tip = tip_of_completed(&hold, &run)?;
    let unreviewed = unreviewed(&door, &hold.space, &run, &tip, arguments)?;
    share(&door, &hold, &run)?;
    let commit = final_commit(&door, &hold, &run, &tip, arguments)?;
    make_ready(&door, &run, &pull_request(&run, run.outcome, &unreviewed, documents(arguments)))?;
    let left = PendingRewrite {
        before: tip.to_string(),
        on_server: is_on_server(&door, &run)?,
        keep_files: arguments.keep_files,
        unreviewed: names(&unreviewed),
    };
    let record = record(&door, &run, &commit, left);
    rewrite::carry_out(&door, &hold.space, &record)?;
    let warning = if unreviewed.is_empty() { String::new() } else { not_reviewed(&unreviewed) + "\n" };
    Ok(told(&record, &warning, arguments))
}

/// Tells what would be done. No lock is taken, and the checkout stays on its branch.
fn rehearse(door: &Door, arguments: &Finalize) -> Answer {
    let issue = arguments.issue;
    brought(door, issue)?;
    let seen = look(door, issue)?;
    let run = seen.state.run.ok_or_else(|| no_run(issue))?;
    let workspace = match &seen.root {
        Some(root) if root != door.root() => Workspace::open(root)?,
        _ => door.workspace.clone(),
    };
    let space = workspace.for_issue(issue);
    space.run_branch().refuse_missing()?;
    refuse_incomplete(&run)?;
    refuse_unclean(&workspace.worktree().survey()?)?;
    let branch = workspace.branches().find(&run.started.branch)?.ok_or_else(|| no_run(issue))?;
    let unreviewed = unreviewed(door, &space, &run, &branch.tip, arguments)?;
    Ok(planned(&steps(&run, arguments, &unreviewed), &names(&unreviewed), arguments))
}

/// Refuses what this run does not take, before the checkout goes to its branch.
fn refuse(door: &Door, run: &Run, arguments: &Finalize) -> Result<(), Failure> {
    refuse_incomplete(run)?;
    let Some(branch) = door.workspace.branches().find(&run.started.branch)? else { return Ok(()) };
    let space = door.workspace.for_issue(arguments.issue);
    unreviewed(door, &space, run, &branch.tip, arguments).map(drop)
}

fn refuse_incomplete(run: &Run) -> Result<(), Failure> {
    if run.outcome == Outcome::Completed {
        return Ok(());
    }
    let (number, outcome) = (run.started.issue.number, run.outcome.as_str());
    let told = format!("the run of issue {number} is {outcome}, not completed");
    Err(Failure::usage(told).hint(format!("next: `{}`", next_command(run))))
}

/// Returns where the branch of a completed run stands; refuses a run or a worktree that is not ready for it.
fn tip_of_completed(hold: &Hold, run: &Run) -> Result<CommitId, Failure> {
    refuse_incomplete(run)?;
    let survey = hold.space.workspace().worktree().survey()?;
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
fn finish(door: &Door, record: &FinalizedRun, arguments: &Finalize) -> Answer {
    let unreviewed = record.left.iter().flat_map(|left| left.unreviewed.clone()).collect::<Vec<_>>();
    if arguments.dry_run {
        let step = format!("finish what was cut short: {} at {}", record.branch, &record.commit[..9]);
        return Ok(planned(&[step], &unreviewed, arguments));
    }
    rewrite::finish(door, record)?;
    let warning = if unreviewed.is_empty() {
        String::new()
    } else {
        format!("not reviewed: {}\n", unreviewed.join(", "))
    };
    Ok(told(record, &warning, arguments))
}

fn planned(steps: &[String], unreviewed: &[String], arguments: &Finalize) -> u8 {
    let value = json!({"dry_run": true, "steps": steps, "unreviewed": unreviewed});
    show(arguments.json, &value, &format!("{}\n", steps.join("\n")));
    0
}

fn told(record: &FinalizedRun, warning: &str, arguments: &Finalize) -> u8 {
    let unreviewed = record.left.as_ref().map(|left| left.unreviewed.as_slice()).unwrap_or_default();
    let value = json!({
        "branch": record.branch, "commit": record.commit, "unreviewed": unreviewed,
        "pull_request": record.pull_request,
    });
    let (branch, base) = (&record.branch, &record.base_branch);
    let lines = format!(
        "{warning}{branch} is ready at {}\nnext: git switch {base} && git merge {branch}\n",
        &record.commit[..9]
    );
    show(arguments.json, &value, &lines);
    0
}

fn documents(arguments: &Finalize) -> Documents {
    if arguments.keep_files { Documents::Kept } else { Documents::Gone }
}

/// Returns the files that nobody reviewed, their names masked; refuses them where nobody asked to include them. Commits are
/// compared, so the branch need not be checked out.
fn unreviewed(
    door: &Door,
    space: &RunWorkspace,
    run: &Run,
    tip: &CommitId,
    arguments: &Finalize,
) -> Result<Unreviewed, Failure> {
    let folder = RunFolder::new(space.workspace().root(), arguments.issue);
    let found = runner::unreviewed(space, &folder, run, tip, documents(arguments))?;
    let masked = |paths: Vec<String>| paths.iter().map(|path| door.masker.mask(path).to_string()).collect();
    let unreviewed = Unreviewed { after_the_end: masked(found.after_the_end), unseen: masked(found.unseen) };
    if unreviewed.is_empty() || arguments.include_unreviewed {
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

/// What is left to tell by, once the log is gone.
fn record(door: &Door, run: &Run, commit: &CommitId, left: PendingRewrite) -> FinalizedRun {
    let masked = |text: &str| door.masker.mask(text).to_string();
    FinalizedRun {
        issue: run.started.issue.number,
        title: masked(&run.started.issue.title),
        branch: run.started.branch.clone(),
        base_branch: run.started.base_branch.clone(),
        commit: commit.to_string(),
        pull_request: run.publication.pull_request.as_ref().map(|(_, url)| masked(url)),
        at: door.clock.now(),
        left: Some(left),
    }
}

fn steps(run: &Run, arguments: &Finalize, unreviewed: &Unreviewed) -> Vec<String> {
    let number = run.started.issue.number;
    let mut steps = Vec::new();
    if !arguments.keep_files {
        steps.push(format!("remove .ai-workflow/issue-{number} from {}", run.started.branch));
    }
    if !arguments.skip_squash {
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
    door: &Door,
    hold: &Hold,
    run: &Run,
    tip: &CommitId,
    arguments: &Finalize,
) -> Result<CommitId, Failure> {
    let own = if arguments.keep_files { Vec::new() } else { own_files(hold)? };
    let number = run.started.issue.number;
    if arguments.skip_squash && own.is_empty() {
        return Ok(tip.clone());
    }
    if arguments.skip_squash {
        let words = format!("[ai-workflow] finalize: #{number} without the run's own files\n");
        return Ok(hold.space.commits().squash(tip, &own, tip, &door.masker.mask(&words))?);
    }
    let title = titled(&run.started.issue.title);
    let base = runner::base_of(&hold.space, run, tip)?;
    let trailers = credit::trailers(hold, run, &base, &forge_connection::of_run(door, run)?)?;
    let message = door.masker.mask(&format!("{title}\n\nCloses #{number}\n\n{trailers}"));
    Ok(hold.space.commits().squash(tip, &own, &base, &message)?)
}

fn own_files(hold: &Hold) -> Result<Vec<String>, Failure> {
    Ok(hold.space.workspace().objects().tracked_below(&hold.folder.relative())?)
}

/// Brings what a person committed to the server, so that what it refuses is known before anything is rewritten here.
fn share(door: &Door, hold: &Hold, run: &Run) -> Result<(), Failure> {
    if !is_on_server(door, run)? {
        return Ok(());
    }
    let workspace = hold.space.workspace();
    let credentials = forge_connection::credentials();
    Ok(retry(|| workspace.remote(REMOTE, credentials.as_ref()).push(&run.started.branch, None))?)
}

/// Tells whether the branch has a pull request on a server.
fn is_on_server(door: &Door, run: &Run) -> Result<bool, Failure> {
    let has_number = run.publication.pull_request.as_ref().is_some_and(|(number, _)| number.is_some());
    Ok(forge_connection::of_run(door, run)?.is_remote() && has_number)
}

/// GitHub does not open a request again whose branch was rewritten, so nothing is rewritten before.
fn closed(request: &PullRequestRef, head: &str) -> Failure {
    Failure::usage(format!("a person closed the pull request {}", request.url)).hint(format!(
        "open it again on GitHub, or another one of the branch `{head}`; then run the same command"
    ))
}

/// Brings the request up to date and takes it out of its draft.
fn make_ready(door: &Door, run: &Run, (title, body): &(String, String)) -> Result<(), Failure> {
    let forge = if is_on_server(door, run)? {
        forge_connection::of_run(door, run)?
    } else {
        forge_connection::local(door)
    };
    let request = PullRequest {
        title: door.masker.mask(title),
        head: run.started.branch.clone(),
        base: run.started.base_branch.clone(),
        draft: false,
        body: door.masker.mask(body),
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
