//! Answers the review threads that a run took up, once it is completed again: each once, with the commit that changed its
//! place; only what changed is resolved. What a crash cut off is found by its mark, and what could not be resolved is tried
//! again by whoever comes next.

use crate::active_run::ActiveRun;
use crate::error::Result;
use crate::publisher::Publisher;
use crate::turn::JobRole;
use engine::Run;
use forge::github::{ReviewThread, ThreadReply};
use forge::{Forge, ForgeError, GithubForge};
use git::{CommitId, PlaceChange};
use model::event::{Fact, FedBack, Outcome, TakenThread};
use views::summary::{ThreadLineStatus, answered_up_to, thread_answer, thread_marker};

/// Whether a thread is where it should be, or was left open; nothing when somebody stopped us.
type Done = Option<bool>;

/// Answers what waits for an answer. The commits that it names are on the server by then.
pub(super) async fn answer(active: &mut ActiveRun, publisher: &Publisher, outcome: Outcome) -> Result<()> {
    let run = active.run()?;
    let (fed, before) = (run.feedback.pending.clone(), run.feedback.left_open.clone());
    if outcome != Outcome::Completed || publisher.role == JobRole::Work {
        return Ok(());
    }
    let (Some(number), Forge::Github(github)) = (waiting(run), publisher.forge.clone()) else {
        return Ok(());
    };
    let there = github.review_threads(number);
    let Some(there) = active.unless_stopped(there).await? else { return Ok(()) };
    let mut left_open = Vec::new();
    for thread in &there {
        let done = match fed.as_ref().and_then(|fed| Some((fed, taken(fed, thread)?))) {
            Some((fed, taken)) => answer_thread(active, &github, fed, taken, thread).await?,
            None if before.contains(&thread.id) => resolve_again(active, &github, thread).await?,
            None => Some(true),
        };
        match done {
            Some(true) => {}
            // Its place changed.
            Some(false) => left_open.push(thread.id.clone()),
            None => return Ok(()),
        }
    }
    if fed.is_none() && left_open == before {
        return Ok(());
    }
    active.record(Fact::ThreadsAnswered { left_open })
}

async fn answer_thread(
    active: &ActiveRun,
    github: &GithubForge,
    fed: &FedBack,
    taken: &TakenThread,
    thread: &ReviewThread,
) -> Result<Done> {
    let run = active.run()?;
    let from = CommitId::try_from(fed.head.as_str())?;
    let became = active.space.workspace().history().place_change(&from, &taken.path, taken.line)?;
    let marker = thread_marker(run, taken);
    let place = match &became {
        PlaceChange::Changed(commit) => ThreadLineStatus::Changed(commit.as_str()),
        PlaceChange::Elsewhere(commit) => ThreadLineStatus::Kept(commit.as_str()),
        PlaceChange::Untouched => ThreadLineStatus::Untouched,
    };
    let body = active.masker.mask(&thread_answer(run, &fed.phase, &marker, &place));
    let answer = ThreadReply { pull_request: fed.pull_request, thread, marker: &marker, body: &body };
    let effect = async {
        let is_answered = answered(github, &answer).await?;
        let is_due = is_answered && matches!(became, PlaceChange::Changed(_));
        if is_due { resolved(github, thread).await } else { Ok(true) }
    };
    active.unless_stopped(effect).await
}

/// Resolves what has our answer as its last word; what people say after it is theirs.
async fn resolve_again(active: &ActiveRun, github: &GithubForge, thread: &ReviewThread) -> Result<Done> {
    let run = active.run()?;
    let last = thread.comments.last();
    if thread.is_cut || last.is_none_or(|last| answered_up_to(run, &last.body).is_none()) {
        return Ok(Some(true));
    }
    active.unless_stopped(resolved(github, thread)).await
}

/// Returns the pull request that has threads to be answered, or to be resolved.
fn waiting(run: &Run) -> Option<u64> {
    match &run.feedback.pending {
        Some(fed) => Some(fed.pull_request),
        None if run.feedback.left_open.is_empty() => None,
        None => run.feedback.left_open_at,
    }
}

fn taken<'a>(fed: &'a FedBack, thread: &ReviewThread) -> Option<&'a TakenThread> {
    fed.threads.iter().find(|taken| taken.id == thread.id)
}

/// Answers a thread unless it has the answer; tells whether it has it now.
async fn answered(github: &GithubForge, answer: &ThreadReply<'_>) -> Result<bool, ForgeError> {
    if github.is_answered_with(answer).await? {
        return Ok(true);
    }
    match github.answer_thread(answer).await {
        Err(error @ ForgeError::Refused { .. }) => {
            let (path, hint) = (&answer.thread.path, error.hint());
            tracing::warn!("A review thread of {path} has no answer: {error}; {hint}");
            Ok(false)
        }
        done => done.map(|()| true),
    }
}

/// Resolves a thread unless it is resolved; tells whether it is now.
async fn resolved(github: &GithubForge, thread: &ReviewThread) -> Result<bool, ForgeError> {
    if thread.is_resolved {
        return Ok(true);
    }
    match github.resolve_thread(&thread.id).await {
        Err(error @ ForgeError::Refused { .. }) => {
            let (path, hint) = (&thread.path, error.hint());
            tracing::warn!(
                "A review thread of {path} is answered, but stays open: {error}; {hint}. \
                 `pr-feedback` tries to resolve it again"
            );
            Ok(false)
        }
        done => done.map(|()| true),
    }
}
