//! A fault of every kind at every call of the forge: the end is the same as without it, and nothing is there twice.

use std::time::Duration;

use forge::github::{RetryPolicy, ThreadReply};
use forge::{CodeOwner, ForgeError, GithubForge};
use model::remote_check::RemoteCheckState;

use super::fake_state::Picture;
use super::follow_up::follow_up;
use super::forge::{PATIENCE, forge_of, github, masked, number, request, upsert};
use super::{Github, Kind, Lost};

/// The number that the pull request is given.
const THREADED: u64 = 8;

/// Everything that a run asks of GitHub, once.
async fn play(forge: &GithubForge) -> Result<(), ForgeError> {
    forge.issue(number()).await?;
    forge.comments(number()).await?;
    let id = upsert(forge, None, "one").await?;
    upsert(forge, Some(id), "two").await?;
    forge.upsert_pull_request(&request("one")).await?;
    let pull = forge.upsert_pull_request(&request("two")).await?;
    follow_up(forge).await?;
    answer(forge, pull.number.expect("GitHub gives numbers")).await?;
    forge.mark_ready(pull.number.expect("GitHub gives numbers")).await
}

/// Answers the one thread of the pull request, asks for a review, and reads what the checks say.
async fn answer(forge: &GithubForge, number: u64) -> Result<(), ForgeError> {
    let threads = forge.review_threads(number).await?;
    let body = masked("done <!-- mark -->");
    for thread in threads.iter().filter(|thread| !thread.is_resolved) {
        let answer = ThreadReply { pull_request: number, thread, marker: "<!-- mark -->", body: &body };
        if !forge.is_answered_with(&answer).await? {
            forge.answer_thread(&answer).await?;
        }
        forge.resolve_thread(&thread.id).await?;
    }
    let asked = forge.ask_for_review(number, [CodeOwner::Person("octo".to_owned())]).await?;
    assert_eq!(asked, ["octo"]);
    let said = forge.checks_of(&"2".repeat(40)).await?;
    assert_eq!(said.iter().map(|one| one.state).collect::<Vec<_>>(), [RemoteCheckState::Failed]);
    Ok(())
}

/// Plays with these faults and returns what is there in the end.
async fn played(faults: &[(usize, Kind)], patience: RetryPolicy) -> (Github, Picture) {
    let github = github();
    github.thread_by("octo", THREADED, "src/lib.rs", 1, "Count them");
    github.checked(&"2".repeat(40), "build", Some("failure"));
    for (nth, kind) in faults {
        github.fault_at_call(*nth, *kind);
    }
    let done = play(&forge_of(&github.url(), "test-token", patience)).await;
    let calls: Vec<_> = github.calls().iter().map(ToString::to_string).collect();
    done.unwrap_or_else(|error| panic!("{faults:?}: {error}\n{calls:#?}"));
    let state = github.state().without_edits();
    (github, state)
}

/// Plays once for every call, with the faults beginning there.
async fn swept(faults: &[Kind], patience: RetryPolicy) {
    let (github, wanted) = played(&[], patience).await;
    let calls = github.calls().len();
    assert!(calls >= 10, "the play is too short: {calls} calls");
    for first in 1..=calls {
        let faults: Vec<_> = (first..).zip(faults.iter().copied()).collect();
        let (github, state) = played(&faults, patience).await;
        let shown: Vec<_> = github.calls().iter().map(ToString::to_string).collect();
        assert_eq!(state, wanted, "{faults:?}\n{shown:#?}");
        assert!(github.calls().len() > first, "{faults:?} hit nothing");
    }
}

#[tokio::test]
async fn lost_answers_create_no_duplicates() {
    for lost in [Lost::Status(502), Lost::Reset] {
        swept(&[Kind::AppliedButLost(lost)], PATIENCE).await;
    }
    swept(&[Kind::HalfJson], PATIENCE).await;
}

#[tokio::test]
async fn repeatedly_lost_answers_create_no_duplicates() {
    let lost = Kind::AppliedButLost(Lost::Reset);
    swept(&[lost, lost], PATIENCE).await;
    swept(&[lost, Kind::Before(502), lost], PATIENCE).await;
    swept(&[lost, Kind::RateLimited { status: 429, retry_after: 3 }, Kind::HalfJson], PATIENCE).await;
}

#[tokio::test]
async fn lost_calls_are_repeated() {
    for kind in [Kind::Before(503), Kind::Reset, Kind::Html] {
        swept(&[kind], PATIENCE).await;
    }
}

#[tokio::test]
async fn rate_limited_calls_are_repeated() {
    for status in [403, 429] {
        swept(&[Kind::RateLimited { status, retry_after: 2 }], PATIENCE).await;
    }
    swept(&[Kind::SecondaryLimit { retry_after: None }], PATIENCE).await;
}

#[tokio::test]
async fn late_answers_create_no_duplicates() {
    let patience = RetryPolicy { request: Duration::from_secs(2), ..PATIENCE };
    swept(&[Kind::Slow(3_500)], patience).await;
}
