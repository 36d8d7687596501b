//! `finalize`: makes the branch of a completed run ready: the run's own files go, the commits become one,
//! and the pull request is no draft any more.

use serde_json::json;

use super::Answer;
use super::arguments::Finalize;
use super::door::{Door, log_to, runtime};
use super::failure::Failure;
use super::hold::{Hold, take_existing};
use super::show::show;
use crate::event::Outcome;
use crate::flow::Run;
use crate::forge::{Forge, LocalForge, PullRequest};
use crate::report::Terminal;
use crate::store::finalized::{self, Finalized};
use crate::store::pointer;
use crate::summary::{finalized_pull_request, next_command, quoted};
use crate::workspace::CommitId;

pub(super) fn run(arguments: &Finalize) -> Answer {
    log_to(&Terminal::new());
    let door = Door::open_plain()?;
    let hold = take_existing(&door, arguments.issue)?;
    let run = hold.run()?.clone();
    if run.outcome != Outcome::Completed {
        let told = format!("the run of issue {} is {}, not completed", arguments.issue, run.outcome.as_str());
        return Err(Failure::usage(told).hint(format!("next: `{}`", next_command(&run))));
    }
    let survey = hold.space.workspace().survey()?;
    if survey.head.branch.as_deref() != Some(run.started.branch.as_str()) {
        return Err(Failure::usage(format!("the worktree is not on {}", run.started.branch))
            .hint(format!("git switch {}", run.started.branch)));
    }
    if !survey.is_clean() {
        return Err(
            Failure::usage("the worktree has changes that are not committed").hint("commit or stash them")
        );
    }
    let steps = steps(&run, arguments.skip_squash);
    if arguments.dry_run {
        show(arguments.json, &json!({"dry_run": true, "steps": steps}), &format!("{}\n", steps.join("\n")));
        return Ok(0);
    }
    let commit = tidy_branch(&door, &hold, &run, &survey.head.commit, arguments.skip_squash)?;
    make_ready(&door, &run)?;
    finalized::write(door.workspace.common(), &record(&door, &run, &commit))?;
    pointer::remove(door.workspace.common(), arguments.issue)?;
    let value = json!({"branch": run.started.branch, "commit": commit.to_string(), "pull_request": run.pull_request.as_ref().map(|(_, url)| url)});
    let lines = format!(
        "{} is ready at {}\nnext: git switch {} && git merge {}\n",
        run.started.branch,
        &commit.as_str()[..9],
        run.started.base_branch,
        run.started.branch
    );
    show(arguments.json, &value, &lines);
    Ok(0)
}

/// What is left to tell by, once the log is gone.
fn record(door: &Door, run: &Run, commit: &CommitId) -> Finalized {
    let masked = |text: &str| door.masker.mask(text).to_string();
    Finalized {
        issue: run.started.issue.number,
        title: masked(&run.started.issue.title),
        branch: run.started.branch.clone(),
        base_branch: run.started.base_branch.clone(),
        commit: commit.to_string(),
        pull_request: run.pull_request.as_ref().map(|(_, url)| masked(url)),
        at: door.clock.now(),
    }
}

fn steps(run: &Run, skip_squash: bool) -> Vec<String> {
    let number = run.started.issue.number;
    let mut steps = vec![format!("remove .ai-workflow/issue-{number} from {}", run.started.branch)];
    if !skip_squash {
        steps.push(format!("make one commit of the run's commits on {}", run.started.base_branch));
    }
    steps.push("mark the pull request ready".into());
    steps
}

/// Removes the run's own files in a commit, then makes one commit of all.
fn tidy_branch(
    door: &Door,
    hold: &Hold,
    run: &Run,
    tip: &CommitId,
    skip_squash: bool,
) -> Result<CommitId, Failure> {
    let workspace = hold.space.workspace();
    let folder = hold.folder.relative();
    let tracked = workspace.tracked_below(&folder)?;
    for path in &tracked {
        std::fs::remove_file(hold.folder.at(path))
            .map_err(|error| Failure::usage(format!("failed to remove {path}: {error}")))?;
    }
    let snapshot = hold.space.snapshot(None)?;
    let message = door.masker.mask(&format!(
        "[ai-workflow] finalize: #{} without the run's own files\n",
        run.started.issue.number
    ));
    let tip = hold.space.commit(&tracked, &message, &snapshot, tip)?;
    // What is left are prompts, answers and raw streams, which belong to nobody now.
    let left = hold.folder.at(&folder);
    std::fs::remove_dir_all(&left)
        .or_else(missing_is_fine)
        .map_err(|error| Failure::usage(format!("failed to remove {}: {error}", left.display())))?;
    if skip_squash {
        return Ok(tip);
    }
    let title = quoted(&run.started.issue.title);
    let message = door.masker.mask(&format!("{title}\n\nCloses #{}\n", run.started.issue.number));
    let base = CommitId::try_from(run.started.base_commit.as_str())?;
    let commit = hold.space.squash(&base, &tip, &message)?;
    workspace.refresh_index()?;
    Ok(commit)
}

fn missing_is_fine(error: std::io::Error) -> std::io::Result<()> {
    if error.kind() == std::io::ErrorKind::NotFound { Ok(()) } else { Err(error) }
}

fn make_ready(door: &Door, run: &Run) -> Result<(), Failure> {
    let (title, body) = finalized_pull_request(run);
    let request = PullRequest {
        title: door.masker.mask(&title),
        head: run.started.branch.clone(),
        base: run.started.base_branch.clone(),
        draft: false,
        body: door.masker.mask(&body),
    };
    let forge = Forge::Local(LocalForge::new(door.root()));
    runtime()?.block_on(forge.upsert_pull_request(run.started.issue.number, &request))?;
    Ok(())
}
