//! The forge against the fake: what it reads, what it writes once and rewrites, what it leaves alone, and what a refusal
//! is to it. How it stands faults at every call is in `sweep`.

use std::time::Duration;

use forge::github::{Access, RetryPolicy};
use forge::{CommentDraft, ForgeError, GithubForge, PullRequestContent, PullRequestRef};
use model::issue::{Issue, IssueNumber};
use model::redact::{Masked, Masker};
use serde_json::json;

use super::client::send;
use super::{Fault, Github, Kind, Lost};

pub const MARKER: &str = "<!-- ai-workflow run 7 -->";

/// Seconds are short in tests; the longest wait is as long as ever.
pub const PATIENCE: RetryPolicy = RetryPolicy {
    tries: 5,
    second: Duration::from_millis(1),
    longest: 300,
    request: Duration::from_secs(20),
};

pub fn forge(github: &Github) -> GithubForge {
    forge_of(&github.url(), "test-token", PATIENCE)
}

pub fn forge_of(url: &str, token: &str, patience: RetryPolicy) -> GithubForge {
    GithubForge::new(Access::new(url, "octo/pages", token).expect("an access"), patience)
}

pub fn number() -> IssueNumber {
    IssueNumber::try_from(7).expect("a number")
}

pub fn masked(text: &str) -> Masked {
    Masker::default().mask(text)
}

/// A GitHub with an issue that two people talk about, and a branch that was pushed for it.
pub fn github() -> Github {
    let github = Github::start();
    github.open_issue(7, "The last page is missing", "It should be there.", &["bug"], "alice");
    github.comment_by("alice", 7, "It was there yesterday.");
    github.comment_by("mallory", 7, "Me too.");
    github.branch("ai/7", &"2".repeat(40));
    github
}

pub async fn upsert(forge: &GithubForge, id: Option<u64>, text: &str) -> Result<u64, ForgeError> {
    let body = masked(&format!("{MARKER}\n{text}"));
    forge.upsert_comment(number(), CommentDraft { id, marker: MARKER, body: &body }).await
}

pub fn request(body: &str) -> PullRequestContent {
    PullRequestContent {
        title: masked("Bring the last page back"),
        head: "ai/7".to_owned(),
        base: "main".to_owned(),
        draft: true,
        body: masked(body),
        run: "the first run".to_owned(),
        number: None,
    }
}

/// Returns our part of a pull request with a text in it.
fn part(text: &str) -> String {
    format!("<!-- ai-workflow:begin -->\n{text}\n<!-- ai-workflow:end -->")
}

/// Who wrote our kind of comment, and what stands in it after the marker.
fn marked(github: &Github) -> Vec<(String, String)> {
    let comments = github.state().comments.into_iter();
    let ours = comments.filter_map(|comment| {
        let text = comment.body.strip_prefix(MARKER)?.trim().to_owned();
        Some((comment.author, text))
    });
    ours.collect()
}

fn by_machine(text: &str) -> (String, String) {
    ("octo-machine".to_owned(), text.to_owned())
}

#[tokio::test]
async fn an_issue_is_read_with_all_its_fields() {
    let github = github();
    github.label_by("octo", 7, "good first issue");
    let forge = forge(&github);
    let issue = forge.issue(number()).await.expect("an issue");
    assert_eq!(
        issue,
        Issue {
            number: number(),
            title: "The last page is missing".to_owned(),
            body: "It should be there.".to_owned(),
            labels: vec!["bug".to_owned(), "good first issue".to_owned()],
            author: "alice".to_owned(),
            open: true,
            url: "https://github.com/octo/pages/issues/7".to_owned(),
            discussion: model::issue::Discussion::default()
        }
    );
    github.close_issue(7, "octo");
    assert!(!forge.issue(number()).await.expect("an issue").open);
    assert_eq!(github.writes(), 0);
}

#[tokio::test]
async fn missing_issue_and_pull_request_have_different_errors() {
    let github = github();
    let forge = forge(&github);
    let pull = forge.upsert_pull_request(&request("ours")).await.expect("a pull request");
    let pull = IssueNumber::try_from(pull.number.expect("a number")).expect("a number");
    let error = forge.issue(pull).await.expect_err("a pull request");
    assert!(matches!(error, ForgeError::NoIssue { .. }), "{error}");
    let error = forge.issue(IssueNumber::try_from(99).expect("a number")).await.expect_err("nothing");
    assert!(matches!(error, ForgeError::NotFound { .. }), "{error}");
    assert!(error.is_final());
}

#[tokio::test]
async fn renamed_repository_is_reported() {
    let github = github();
    github.renamed_from("octo/book");
    let access = Access::new(&github.url(), "octo/book", "test-token").expect("an access");
    let error = GithubForge::new(access, PATIENCE).issue(number()).await.expect_err("another name");
    assert!(matches!(error, ForgeError::Refused { status: 301, .. }), "{error}");
    insta::assert_snapshot!(error.hint(), @"the repository has another name now: correct the address of origin");
}

#[tokio::test]
async fn comments_of_many_pages_are_read_oldest_first() {
    let github = github();
    for comment in 1..=230 {
        github.comment_by("bob", 7, &format!("comment {comment}"));
    }
    let comments = forge(&github).comments(number()).await.expect("comments");
    assert_eq!(comments.len(), 232);
    assert_eq!((comments[0].author.as_str(), comments[231].body.as_str()), ("alice", "comment 230"));
    assert!(comments.is_sorted_by_key(|comment| (comment.created_at, comment.id)));
    assert_eq!(github.calls().len(), 3);
}

#[tokio::test]
async fn a_comment_is_created_once_and_edited_later() {
    let github = github();
    let first = forge(&github);
    let id = upsert(&first, None, "one").await.expect("a comment");
    assert_eq!(upsert(&first, Some(id), "two").await.expect("the comment"), id);
    // Another process that has lost the id.
    assert_eq!(upsert(&forge(&github), None, "three").await.expect("the comment"), id);
    assert_eq!(marked(&github), [by_machine("three")]);
    assert_eq!(github.state().comments.len(), 3);
}

#[tokio::test]
async fn a_comment_beyond_the_first_page_is_found_again() {
    let github = github();
    for comment in 1..=120 {
        github.comment_by("bob", 7, &format!("comment {comment}"));
    }
    let id = upsert(&forge(&github), None, "one").await.expect("a comment");
    assert_eq!(upsert(&forge(&github), None, "two").await.expect("the comment"), id);
    assert_eq!(marked(&github), [by_machine("two")]);
}

#[tokio::test]
async fn a_comment_deleted_by_a_person_is_created_again() {
    let github = github();
    let forge = forge(&github);
    let id = upsert(&forge, None, "one").await.expect("a comment");
    github.delete_comment(id);
    let second = upsert(&forge, Some(id), "two").await.expect("a comment");
    assert_ne!(second, id);
    assert_eq!(upsert(&forge, Some(id), "three").await.expect("the comment"), second);
    assert_eq!(marked(&github), [by_machine("three")]);
}

#[tokio::test]
async fn foreign_comment_with_the_marker_is_ignored() {
    let github = github();
    let theirs = github.comment_by("mallory", 7, &format!("{MARKER}\nall is well"));
    let id = upsert(&forge(&github), None, "one").await.expect("a comment");
    assert_ne!(id, theirs);
    assert_eq!(marked(&github), [("mallory".to_owned(), "all is well".to_owned()), by_machine("one")]);
}

#[tokio::test]
async fn a_bot_finds_its_own_comment_and_not_that_of_a_person_with_its_name() {
    let github = github();
    github.comment_by("github-actions", 7, &format!("{MARKER}\nall is well"));
    let robot = || forge_of(&github.url(), "ghs_installation", PATIENCE);
    let id = upsert(&robot(), None, "one").await.expect("a comment");
    assert_eq!(upsert(&robot(), None, "two").await.expect("the comment"), id);
    let robots = ("github-actions[bot]".to_owned(), "two".to_owned());
    assert_eq!(marked(&github), [("github-actions".to_owned(), "all is well".to_owned()), robots]);
}

#[tokio::test]
async fn a_comment_with_a_lost_answer_is_found_by_text_without_our_login() {
    let github = github();
    github.fault(Fault { method: "POST", path_contains: "/graphql", nth: 0, kind: Kind::Before(403) });
    let kind = Kind::AppliedButLost(Lost::Reset);
    github.fault(Fault { method: "POST", path_contains: "/comments", nth: 1, kind });
    upsert(&forge(&github), None, "one").await.expect("a comment");
    assert_eq!(marked(&github), [by_machine("one")]);
}

#[tokio::test]
async fn a_comment_is_not_duplicated_when_our_login_is_unknown() {
    let github = github();
    upsert(&forge(&github), None, "one").await.expect("a comment");
    for nth in 1..=PATIENCE.tries as usize {
        github.fault(Fault { method: "POST", path_contains: "/graphql", nth, kind: Kind::GraphqlLimit });
    }
    let another = forge(&github);
    let error = upsert(&another, None, "two").await.expect_err("no answer");
    assert!(!error.is_final(), "{error}");
    upsert(&another, None, "two").await.expect("the comment");
    assert_eq!(marked(&github), [by_machine("two")]);
}

#[tokio::test]
async fn an_overlong_comment_is_truncated_to_the_limit_of_github() {
    let github = github();
    let long = "a line of a long comment\n".repeat(4_000);
    let id = upsert(&forge(&github), None, &long).await.expect("a comment");
    upsert(&forge(&github), Some(id), &long).await.expect("the comment");
    let state = github.state();
    let body = state.comments.last().map(|comment| comment.body.chars().count()).unwrap_or_default();
    assert!((60_000..=65_536).contains(&body), "{body}");
}

#[tokio::test]
async fn a_pull_request_is_opened_once_per_head_and_then_updated() {
    let github = github();
    let forge = forge(&github);
    let first = forge.upsert_pull_request(&request("one")).await.expect("a pull request");
    let url = "https://github.com/octo/pages/pull/8".to_owned();
    assert_eq!(first, PullRequestRef { number: Some(8), url, is_closed: false });
    let people = github.state().pulls[&8].issue.body.clone() + "\n\n- [x] looked at it";
    github.edit_issue(8, "A better title", &people);
    assert_eq!(forge.upsert_pull_request(&request("two")).await.expect("the pull request"), first);
    let state = github.state();
    assert_eq!(state.pulls.len(), 1);
    let pull = &state.pulls[&8];
    assert_eq!(pull.issue.title, "A better title");
    assert_eq!(pull.issue.body, part("two") + "\n\n- [x] looked at it");
    assert_eq!((pull.head.as_str(), pull.base.as_str(), pull.draft), ("ai/7", "main", true));
    let writes = github.writes();
    forge.upsert_pull_request(&request("two")).await.expect("the pull request");
    assert_eq!(github.writes(), writes, "what is the same already is not written");
}

#[tokio::test]
async fn the_pull_request_of_a_branch_with_special_characters_is_found() {
    let github = github();
    let head = "ai/7+a&b#c".to_owned();
    github.branch(&head, &"4".repeat(40));
    let wanted = PullRequestContent { head, ..request("ours") };
    let first = forge(&github).upsert_pull_request(&wanted).await.expect("a pull request");
    assert_eq!(forge(&github).upsert_pull_request(&wanted).await.expect("the pull request"), first);
    assert_eq!(github.state().pulls.len(), 1);
}

#[tokio::test]
async fn a_pull_request_opened_meanwhile_by_a_person_is_used() {
    let github = github();
    // The list still knows nothing: what it shows first is what was there before.
    let opened = json!({ "title": "by hand", "head": "ai/7", "base": "main", "body": "mine" });
    send(&github, "POST", "/repos/octo/pages/pulls", Some(opened)).await.expect("an answer");
    let found = forge(&github).upsert_pull_request(&request("ours")).await.expect("the pull request");
    assert_eq!(found.number, Some(8));
    let body = github.state().pulls[&8].issue.body.clone();
    assert_eq!(body, format!("mine\n\n{}", part("ours")));
}

#[tokio::test]
async fn a_merged_or_closed_pull_request_is_not_changed() {
    let github = github();
    let forge = forge(&github);
    forge.upsert_pull_request(&request("one")).await.expect("a pull request");
    github.merge(8, "octo");
    github.branch("ai/7", &"3".repeat(40));
    let second = forge.upsert_pull_request(&request("two")).await.expect("a pull request");
    assert_eq!(second.number, Some(9));
    assert_eq!(github.state().pulls[&8].issue.body, part("one"));
}

#[tokio::test]
async fn a_pull_request_closed_by_a_person_stays_closed_until_it_is_reopened() {
    let github = github();
    let forge = forge(&github);
    let first = forge.upsert_pull_request(&request("one, of the first run")).await.expect("a pull request");
    let turn = |open| github.change(|world| world.turn(8, "alice", open, None));
    turn(false);
    let (closed, writes) = (PullRequestRef { is_closed: true, ..first.clone() }, github.writes());
    assert_eq!(forge.upsert_pull_request(&request("two")).await.expect("the pull request"), closed);
    // A person may empty its text: its number is known, too.
    github.edit_issue(8, "Closed", "");
    let known = PullRequestContent { number: Some(8), ..request("two") };
    assert_eq!(forge.upsert_pull_request(&known).await.expect("the pull request"), closed);
    assert_eq!(github.writes(), writes, "nothing is opened and nothing is written into it");
    turn(true);
    assert_eq!(forge.upsert_pull_request(&request("three")).await.expect("the pull request"), first);
    assert_eq!(github.state().pulls[&8].issue.body, part("three"));
    assert_eq!(github.state().pulls.len(), 1);
}

#[tokio::test]
async fn second_run_of_an_issue_opens_its_own_pull_request() {
    let github = github();
    let forge = forge(&github);
    forge.upsert_pull_request(&request("one, of the first run")).await.expect("a pull request");
    github.change(|world| world.turn(8, "alice", false, None));
    let other = PullRequestContent { run: "another run".to_owned(), ..request("of another run") };
    let second = forge.upsert_pull_request(&other).await.expect("a pull request");
    assert_eq!((second.number, second.is_closed), (Some(9), false));
}

#[tokio::test]
async fn a_pull_request_without_a_pushed_branch_is_refused_without_a_retry() {
    let github = github();
    let head = "ai/8".to_owned();
    let unknown = PullRequestContent { head, ..request("ours") };
    let error = forge(&github).upsert_pull_request(&unknown).await.expect_err("no branch");
    assert!(matches!(error, ForgeError::Refused { status: 422, .. }), "{error}");
    assert_eq!(github.writes(), 1, "a refusal is not tried again");
}

#[tokio::test]
async fn a_draft_is_marked_ready_once() {
    let github = github();
    for url in [github.url(), github.enterprise_url()] {
        let forge = forge_of(&url, "test-token", PATIENCE);
        forge.upsert_pull_request(&request("ours")).await.expect("a pull request");
        forge.mark_ready(8).await.expect("ready");
        assert!(!github.state().pulls[&8].draft);
    }
    let marked = github.calls().into_iter().filter(|call| call.writes && call.path.contains("graphql"));
    assert_eq!(marked.count(), 1);
}

#[tokio::test]
async fn refusal_names_the_missing_permission_and_is_not_retried() {
    let github = github();
    github.fault(Fault { method: "POST", path_contains: "/comments", nth: 0, kind: Kind::Before(403) });
    let error = upsert(&forge(&github), None, "one").await.expect_err("refused");
    assert!(matches!(error, ForgeError::Refused { status: 403, .. }), "{error}");
    insta::assert_snapshot!(error.hint(), @"the token lacks a permission; it needs issues=write, or pull_requests=write");
    assert_eq!(github.writes(), 1);
}

#[tokio::test]
async fn invalid_token_is_reported_at_once() {
    let github = github();
    github.fault_at_call(1, Kind::Before(401));
    let error = forge(&github).issue(number()).await.expect_err("refused");
    assert!(matches!(error, ForgeError::Token { .. }), "{error}");
    assert_eq!(github.calls().len(), 1);
}

#[tokio::test]
async fn a_long_rate_limit_ends_the_call_with_its_end_time() {
    let github = github();
    let kind = Kind::RateLimited { status: 403, retry_after: 3_000 };
    github.fault(Fault { method: "", path_contains: "", nth: 0, kind });
    let error = forge(&github).issue(number()).await.expect_err("limited");
    let ForgeError::Limited { until, .. } = error else { panic!("{error}") };
    let seconds = until.duration_since(jiff::Timestamp::now()).as_secs();
    assert!((2_900..=3_000).contains(&seconds), "{seconds}");
    assert_eq!(github.calls().len(), 1);
}

#[tokio::test]
async fn an_unreachable_github_ends_the_call_after_five_tries() {
    for kind in [Kind::Reset, Kind::Before(503), Kind::Html, Kind::HalfJson] {
        let github = github();
        github.fault(Fault { method: "", path_contains: "", nth: 0, kind });
        let error = forge(&github).issue(number()).await.expect_err("away");
        assert!(matches!(error, ForgeError::Unreachable { .. }), "{kind:?}: {error}");
        assert!(!error.is_final());
        assert_eq!(github.calls().len(), 5, "{kind:?}");
    }
}

#[tokio::test]
async fn permission_is_unknown_after_a_timeout() {
    let github = github();
    let too_late = Fault { method: "GET", path_contains: "/permission", nth: 0, kind: Kind::Slow(2_000) };
    github.fault(too_late);
    let patience = RetryPolicy { request: Duration::from_millis(500), ..PATIENCE };
    let error = forge_of(&github.url(), "test-token", patience).permission("octo").await.expect_err("late");
    assert!(matches!(error, ForgeError::Unreachable { .. }) && !error.is_final(), "{error}");
    assert_eq!(github.calls().len(), 5);
}
