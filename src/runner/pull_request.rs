//! The pull request of a run, or its text, and what belongs to it: a follow-up issue for the tasks that an evaluation left open,
//! review requests to code owners, the end of the draft, and answers to the review threads that a run worked on. Each effect can be
//! repeated. A person may undo a follow-up issue or a review request, so each is made only once; when GitHub refuses it, a warning
//! is logged and the run goes on. An effect that a crash left unrecorded is found by its marker.

use jiff::ToSpan;

use crate::active_run::ActiveRun;
use crate::error::{Result, RunError};
use crate::publisher::{JobRole, Publisher};
use crate::{documents, unreviewed};
use engine::{PhaseState, Run};
use forge::github::{ReviewThread, ThreadReply};
use forge::{
    CODE_OWNERS_PATHS, CodeOwner, CodeOwners, FollowUpIssue, Forge, ForgeError, GithubForge, LocalForge,
    PullRequestContent, PullRequestRef,
};
use git::{CommitId, LineRangeChange};
use model::event::{Fact, Feedback, FeedbackThread, RunOutcome};
use settings::PushWhen;
use views::summary::{
    Documents, REQUEST_CLOSED, REQUEST_OPEN, ThreadLineStatus, answered_up_to, follow_up, follow_up_marker,
    is_request_closed, pull_request, thread_answer, thread_marker, wants_follow_up,
};

/// The kind of the note about a refusal.
const REFUSED: &str = "follow_up_refused";
/// How far the clocks of the server and of this machine may differ.
const HOURS_APART: i64 = 24;

/// Pushes the branch after a phase, and brings the pull request up to date.
pub(super) async fn share_phase(active: &mut ActiveRun, publisher: &Publisher) -> Result<()> {
    if publisher.push != PushWhen::Phase || active.run()?.publication.is_up_to_date {
        return Ok(());
    }
    publisher.push(active).await?;
    if publisher.forge.is_remote() { upsert(active, publisher, RunOutcome::Running).await } else { Ok(()) }
}

/// Publishes the work of a run that halts before its end in a draft pull request.
pub(super) async fn publish_draft(active: &mut ActiveRun, publisher: &Publisher) -> Result<()> {
    let run = active.run()?;
    let nothing = run.phases.iter().all(|phase| phase.files.commit.is_none());
    // A person may have reopened a pull request that was closed.
    let is_over =
        run.publication.is_up_to_date && run.outcome == RunOutcome::Completed && !is_request_closed(run);
    if !publisher.is_push_enabled() || is_over || nothing {
        return Ok(());
    }
    let outcome = run.outcome;
    publisher.push(active).await?;
    upsert(active, publisher, outcome).await
}

/// Brings the pull request up to date with the branch. On a server the branch has to be there first.
pub(super) async fn publish(active: &mut ActiveRun, publisher: &Publisher) -> Result<()> {
    documents::refuse_lost(active, &active.run()?.branch.head)?;
    if publisher.is_push_enabled() {
        publisher.push(active).await?;
    }
    // This is the last action of the run, so it counts as completed.
    upsert(active, publisher, RunOutcome::Completed).await
}

/// Opens the pull request or updates its text. `outcome` is the outcome that the text states.
async fn upsert(active: &mut ActiveRun, publisher: &Publisher, outcome: RunOutcome) -> Result<()> {
    open_follow_up(active, publisher).await?;
    let (run, unreviewed) = (active.run()?, unreviewed::find_on_branch(active)?);
    let (title, body) = pull_request(run, outcome, &unreviewed, Documents::Kept);
    let request = PullRequestContent {
        title: active.masker.mask(&title),
        head: run.started.branch.clone(),
        base: run.started.base_branch.clone(),
        draft: true,
        body: active.masker.mask(&body),
        run: run.started.run_id.clone(),
        number: run.publication.pull_request.as_ref().and_then(|(number, _)| *number),
    };
    // When nothing is pushed, the pull request is a file in the checkout.
    let unshared = Forge::Local(LocalForge::new(&publisher.checkout));
    let forge = if publisher.push == PushWhen::Never { &unshared } else { &publisher.forge };
    let opened = forge.upsert_pull_request(run.started.issue.number, &request);
    let Some(published) = active.wait_unless_stopped(opened).await? else { return Ok(()) };
    record_request(active, published)
}

/// Records the pull request, and notes once when a person closed or reopened it.
fn record_request(active: &mut ActiveRun, request: PullRequestRef) -> Result<()> {
    let PullRequestRef { number, url, is_closed } = request;
    let run = active.run()?;
    let was_closed = is_request_closed(run);
    let is_known = run.publication.is_up_to_date
        && run.publication.pull_request.as_ref() == Some(&(number, url.clone()));
    let name = number.map_or_else(|| url.clone(), |number| format!("#{number}"));
    if !(is_closed && is_known) {
        active.record(Fact::Published { pr_number: number, pr_url: url })?;
    }
    let (kind, text) = match (is_closed, was_closed) {
        (true, false) => (
            REQUEST_CLOSED,
            format!(
                "{REQUEST_CLOSED}: a person closed the pull request {name}, so it stays as it is and no other one is \
                 opened; the branch is pushed all the same. Who wants it opens it again on GitHub, and runs again"
            ),
        ),
        (false, true) => (REQUEST_OPEN, format!("The pull request {name} is open again")),
        (true, true) | (false, false) => return Ok(()),
    };
    active.note(kind, text)
}

/// Opens the follow-up issue, if one is wanted, before the pull request names it.
pub(super) async fn open_follow_up(active: &mut ActiveRun, publisher: &Publisher) -> Result<()> {
    let run = active.run()?;
    let is_done = run.publication.follow_up.is_some() || run.notes.iter().any(|(kind, _)| kind == REFUSED);
    if is_done || !publisher.is_push_enabled() || !publisher.github.follow_up || !wants_follow_up(run) {
        return Ok(());
    }
    let (title, body) = follow_up(run);
    let wanted = FollowUpIssue {
        parent: run.started.issue.number,
        marker: &follow_up_marker(run),
        title: &active.masker.mask(&title),
        body: &active.masker.mask(&body),
        since: run.created_at.checked_sub(HOURS_APART.hours()).unwrap_or(run.created_at),
        trigger: &publisher.github.trigger_label,
    };
    match active.wait_unless_stopped(publisher.forge.follow_up(&wanted)).await {
        Ok(Some(Some(issue))) => active.record(Fact::FollowedUp { number: issue.number, url: issue.url }),
        Ok(Some(None) | None) => Ok(()),
        // An invalid token is another error: it does not concern the follow-up issue alone.
        Err(RunError::Forge(error @ ForgeError::Refused { .. })) => {
            let text = format!("There is no follow-up issue: {error}");
            active.note(REFUSED, text)
        }
        Err(error) => Err(error),
    }
}

/// Requests reviews of the code owners, then marks the pull request ready, if the settings ask for it and it is not done yet.
pub(super) async fn request_review(
    active: &mut ActiveRun,
    publisher: &Publisher,
    outcome: RunOutcome,
) -> Result<()> {
    let run = active.run()?;
    let Some((Some(number), url)) = run.publication.pull_request.clone() else { return Ok(()) };
    let is_reviewed =
        run.phases.iter().any(|phase| phase.reviews.current.is_some() || phase.reviews.approval.is_some());
    let complete =
        outcome == RunOutcome::Completed && is_reviewed && run.phases.iter().all(PhaseState::is_met);
    if !complete || publisher.push == PushWhen::Never || is_request_closed(run) {
        return Ok(());
    }
    if publisher.github.code_owners && run.publication.reviewers.is_none() {
        ask_owners(active, publisher, number).await?;
    }
    if publisher.github.mark_ready && !active.run()?.publication.is_ready && is_all_reviewed(active)? {
        let request = PullRequestRef { number: Some(number), url, is_closed: false };
        mark_ready(active, publisher, &request).await?;
    }
    Ok(())
}

/// Tells whether every file of the branch was reviewed. A branch with unreviewed files stays a draft.
fn is_all_reviewed(active: &ActiveRun) -> Result<bool> {
    let unreviewed = unreviewed::find_on_branch(active)?;
    if !unreviewed.is_empty() {
        let line = active.masker.mask(&unreviewed.line());
        tracing::warn!("The pull request stays a draft; not reviewed: {line}");
    }
    Ok(unreviewed.is_empty())
}

async fn mark_ready(active: &mut ActiveRun, publisher: &Publisher, request: &PullRequestRef) -> Result<()> {
    match active.wait_unless_stopped(publisher.forge.mark_ready(request)).await {
        Ok(Some(())) => active.record(Fact::MarkedReady),
        Ok(None) => Ok(()),
        Err(RunError::Forge(error @ ForgeError::Refused { .. })) => {
            tracing::warn!("The pull request stays a draft: {error}");
            Ok(())
        }
        Err(error) => Err(error),
    }
}

async fn ask_owners(active: &mut ActiveRun, publisher: &Publisher, number: u64) -> Result<()> {
    let Forge::Github(github) = publisher.forge.clone() else { return Ok(()) };
    let owners = find_owners(active)?;
    let asked = if owners.is_empty() {
        Ok(Some(Vec::new()))
    } else {
        active.wait_unless_stopped(github.ask_for_review(number, owners)).await
    };
    match asked {
        Ok(Some(reviewers)) => active.record(Fact::ReviewersAsked { reviewers }),
        Ok(None) => Ok(()),
        Err(RunError::Forge(error @ ForgeError::Refused { .. })) => {
            tracing::warn!("Nobody was asked to review: {error}");
            active.record(Fact::ReviewersAsked { reviewers: Vec::new() })
        }
        Err(error) => Err(error),
    }
}

/// Returns the owners of the changed files by the CODEOWNERS file of the base commit: the run must not choose its reviewers.
fn find_owners(active: &ActiveRun) -> Result<Vec<CodeOwner>> {
    let run = active.run()?;
    let base = CommitId::try_from(run.started.base_commit.as_str())?;
    let workspace = active.space.workspace();
    for place in CODE_OWNERS_PATHS {
        let Some(bytes) = workspace.read_file(&base, place)? else { continue };
        let head = CommitId::try_from(run.branch.head.as_str())?;
        let changed = workspace.changes().paths_between(&base.as_tree(), &head.as_tree())?;
        let paths = changed.iter().map(String::as_str).filter(|path| !path.starts_with(".ai-workflow/"));
        return Ok(CodeOwners::read(&String::from_utf8_lossy(&bytes)).of(paths).into_iter().collect());
    }
    Ok(Vec::new())
}

/// Whether a review thread needs nothing more, or stays open; nothing when the process was stopped.
type ThreadResolution = Option<bool>;

/// Answers the waiting review threads when the run is completed again: each thread once, with the commit that changed its lines.
/// Resolves a thread only if its lines changed. The commits are on the server by then. The next process tries again to resolve a
/// thread that GitHub refused to resolve.
pub(super) async fn answer_threads(
    active: &mut ActiveRun,
    publisher: &Publisher,
    outcome: RunOutcome,
) -> Result<()> {
    let run = active.run()?;
    let (fed, before) = (run.feedback.pending.clone(), run.feedback.left_open.clone());
    if outcome != RunOutcome::Completed || publisher.role == JobRole::Work {
        return Ok(());
    }
    let (Some(number), Forge::Github(github)) = (find_waiting_pull_request(run), publisher.forge.clone())
    else {
        return Ok(());
    };
    let there = github.review_threads(number);
    let Some(there) = active.wait_unless_stopped(there).await? else { return Ok(()) };
    let mut left_open = Vec::new();
    for thread in &there {
        let taken = fed.as_ref().and_then(|fed| fed.threads.iter().find(|taken| taken.id == thread.id));
        let done = match (&fed, taken) {
            (Some(fed), Some(taken)) => answer_thread(active, &github, fed, taken, thread).await?,
            _ if before.contains(&thread.id) => resolve_again(active, &github, thread).await?,
            _ => Some(true),
        };
        match done {
            Some(true) => {}
            // Its lines changed, but it could not be resolved.
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
    fed: &Feedback,
    taken: &FeedbackThread,
    thread: &ReviewThread,
) -> Result<ThreadResolution> {
    let run = active.run()?;
    let from = CommitId::try_from(fed.head.as_str())?;
    let became = active.space.workspace().history().place_change(&from, &taken.path, taken.line)?;
    let marker = thread_marker(run, taken.up_to);
    let place = match &became {
        LineRangeChange::Changed(commit) => ThreadLineStatus::Changed(commit.as_str()),
        LineRangeChange::Elsewhere(commit) => ThreadLineStatus::Kept(commit.as_str()),
        LineRangeChange::Untouched => ThreadLineStatus::Untouched,
    };
    let body = active.masker.mask(&thread_answer(run, &fed.phase, &marker, &place));
    let answer = ThreadReply { pull_request: fed.pull_request, thread, marker: &marker, body: &body };
    let effect = async {
        let is_answered = ensure_answered(github, &answer).await?;
        let is_due = is_answered && matches!(became, LineRangeChange::Changed(_));
        if is_due { ensure_resolved(github, thread).await } else { Ok(true) }
    };
    active.wait_unless_stopped(effect).await
}

/// Resolves a thread whose last comment is our answer. A thread that a person commented on later is left to people.
async fn resolve_again(
    active: &ActiveRun,
    github: &GithubForge,
    thread: &ReviewThread,
) -> Result<ThreadResolution> {
    let run = active.run()?;
    let last = thread.comments.last();
    if thread.is_cut || last.is_none_or(|last| answered_up_to(run, &last.body).is_none()) {
        return Ok(Some(true));
    }
    active.wait_unless_stopped(ensure_resolved(github, thread)).await
}

/// Returns the number of the pull request with threads that are to be answered or resolved.
fn find_waiting_pull_request(run: &Run) -> Option<u64> {
    match &run.feedback.pending {
        Some(fed) => Some(fed.pull_request),
        None if run.feedback.left_open.is_empty() => None,
        None => run.feedback.left_open_at,
    }
}

/// Answers a thread unless it has the answer; tells whether the answer is there now.
async fn ensure_answered(github: &GithubForge, answer: &ThreadReply<'_>) -> Result<bool, ForgeError> {
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

/// Resolves a thread unless it is resolved; tells whether it is resolved now.
async fn ensure_resolved(github: &GithubForge, thread: &ReviewThread) -> Result<bool, ForgeError> {
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
