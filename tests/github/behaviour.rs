//! The fake refuses what GitHub refuses, counts pages as GitHub does, and breaks as it is told.

use octocrab::params;
use serde_json::{Value, json};

use super::client::{Came, client, send, send_to};
use super::{Fault, Github, Kind, Lost};

const REPOSITORY: &str = "/repos/octo/pages";

fn with_issue() -> Github {
    let github = Github::start();
    github.open_issue(7, "The last page is missing", "It should be there.", &["bug"], "alice");
    github
}

async fn call(github: &Github, method: &str, path: &str, body: Value) -> Came {
    let body = (!body.is_null()).then_some(body);
    send(github, method, &format!("{REPOSITORY}{path}"), body).await.expect("an answer")
}

async fn get(github: &Github, path: &str) -> Came {
    call(github, "GET", path, Value::Null).await
}

#[tokio::test]
async fn octocrab_reads_the_resources_of_the_fake() {
    let github = with_issue();
    github.branch("ai/7", &"2".repeat(40));
    let client = client(&github.url(), "test-token");
    let issues = client.issues("octo", "pages");
    let issue = issues.get(7).await.expect("an issue");
    assert_eq!((issue.title.as_str(), issue.user.login.as_str()), ("The last page is missing", "alice"));
    assert_eq!(issue.labels.iter().map(|label| label.name.as_str()).collect::<Vec<_>>(), ["bug"]);
    let comment = issues.create_comment(7, "hello").await.expect("a comment");
    assert_eq!(comment.user.login, "octo-machine");
    let pulls = client.pulls("octo", "pages");
    let made = pulls.create("Last page", "ai/7", "main").body("Fixes #7").draft(true).send().await;
    let made = made.expect("a pull request");
    let listed = pulls.list().state(params::State::Open).head("octo:ai/7").send().await.expect("a list");
    assert_eq!(listed.items.iter().map(|pull| pull.number).collect::<Vec<_>>(), [made.number]);
    assert_eq!(client.current().user().await.expect("a user").login, "octo-machine");
    client.repos("octo", "pages").get().await.expect("the repository");
    client.ratelimit().get().await.expect("the limit");
    assert_eq!(github.writes(), 2);
    insta::assert_snapshot!(github.state());
}

#[tokio::test]
async fn fake_paginates_lists_with_links_that_use_the_repository_id() {
    let github = with_issue();
    for number in 1..=7 {
        github.comment_by("bob", 7, &format!("comment {number}"));
    }
    let first = get(&github, "/issues/7/comments?per_page=3").await;
    assert_eq!(first.body.as_array().map(Vec::len), Some(3));
    let address = format!("{}/repositories/1296269/issues/7/comments?per_page=3&page", github.url());
    assert_eq!(first.link, format!("<{address}=2>; rel=\"next\", <{address}=3>; rel=\"last\""));
    let client = client(&github.enterprise_url(), "test-token");
    let page = client.issues("octo", "pages").list_comments(7).per_page(3).send().await.expect("a page");
    let all = client.all_pages(page).await.expect("all pages");
    assert_eq!(all.len(), 7);
    assert!(github.calls().last().is_some_and(|call| call.path.starts_with("/api/v3/repositories/1296269/")));
    let last = get(&github, "/issues/7/comments?per_page=3&page=3").await;
    assert!(last.link.contains("rel=\"prev\"") && !last.link.contains("rel=\"next\""), "{}", last.link);
}

#[tokio::test]
async fn fake_refuses_calls_without_a_token_and_missing_items() {
    let github = with_issue();
    let anonymous =
        octocrab::Octocrab::builder().base_uri(github.url()).expect("an address").build().expect("a client");
    let refused = send_to(&anonymous, "GET", "/repos/octo/pages/issues/7", None).await.expect("an answer");
    assert_eq!(refused.status, 401);
    let missing = get(&github, "/issues/8").await;
    assert_eq!((missing.status, &missing.body["message"]), (404, &json!("Not Found")));
    assert_eq!(missing.body["status"], "404");
    let robot = client(&github.url(), "ghs_installation");
    assert_eq!(send_to(&robot, "GET", "/user", None).await.expect("an answer").status, 403);
    let other = send(&github, "GET", "/repos/octo/other/issues/7", None).await.expect("an answer");
    assert_eq!(other.status, 404);
}

#[tokio::test]
async fn fake_refuses_a_pull_request_without_branches_or_a_second_one() {
    let github = with_issue();
    let wanted = json!({ "title": "Last page", "head": "ai/7", "base": "main", "body": "", "draft": true });
    let refused = call(&github, "POST", "/pulls", wanted.clone()).await;
    assert_eq!(refused.status, 422);
    assert_eq!(
        refused.body["errors"],
        json!([{ "resource": "PullRequest", "field": "head", "code": "invalid" }])
    );
    github.branch("ai/7", &"1".repeat(40));
    let same = call(&github, "POST", "/pulls", wanted.clone()).await;
    assert_eq!(same.body["errors"][0]["message"], "No commits between main and ai/7");
    github.branch("ai/7", &"2".repeat(40));
    assert_eq!(call(&github, "POST", "/pulls", wanted.clone()).await.status, 201);
    let again = call(&github, "POST", "/pulls", wanted.clone()).await;
    assert_eq!(again.status, 422);
    assert_eq!(again.body["errors"][0]["message"], "A pull request already exists for octo:ai/7.");
    github.close_issue(8, "alice");
    assert_eq!(call(&github, "POST", "/pulls", wanted).await.status, 201);
}

#[tokio::test]
async fn fake_refuses_overlong_duplicate_and_missing_items() {
    let github = with_issue();
    let long = json!({ "body": "é".repeat(65_536) });
    assert_eq!(call(&github, "POST", "/issues/7/comments", long).await.status, 201);
    let longer = json!({ "body": "é".repeat(65_537) });
    let refused = call(&github, "POST", "/issues/7/comments", longer).await;
    assert_eq!(refused.status, 422);
    assert_eq!(refused.body["errors"][0]["message"], "body is too long (maximum is 65536 characters)");
    let reference = json!({ "ref": "refs/heads/main", "sha": "2".repeat(40) });
    assert_eq!(
        call(&github, "POST", "/git/refs", reference).await.body["message"],
        "Reference already exists"
    );
    assert_eq!(call(&github, "DELETE", "/issues/7/labels/bug", Value::Null).await.status, 200);
    let gone = call(&github, "DELETE", "/issues/7/labels/bug", Value::Null).await;
    assert_eq!((gone.status, &gone.body["message"]), (404, &json!("Label does not exist")));
    let label = json!({ "name": "BUG", "color": "ff0000" });
    let refused = call(&github, "POST", "/labels", label).await;
    assert_eq!(refused.body["errors"][0]["code"], "already_exists");
}

#[tokio::test]
async fn fake_answers_with_the_permission_of_each_user() {
    let github = with_issue();
    github.permit("mona", "maintain");
    github.sign_in("ghs_1", "helper[bot]");
    let asked = async |login: &str| get(&github, &format!("/collaborators/{login}/permission")).await;
    let mona = asked("mona").await;
    assert_eq!((&mona.body["permission"], &mona.body["role_name"]), (&json!("write"), &json!("maintain")));
    assert_eq!(asked("octo").await.body["permission"], "admin");
    assert_eq!(asked("alice").await.body["permission"], "read");
    assert_eq!(asked("nobody").await.status, 404);
    assert_eq!(asked("helper%5Bbot%5D").await.status, 404);
}

#[tokio::test]
async fn fake_keeps_comments_reactions_and_other_resources() {
    let github = with_issue();
    let commit = "2".repeat(40);
    let made = |body: Value| body["id"].as_u64().expect("an id");
    let id = made(call(&github, "POST", "/issues/7/comments", json!({ "body": "one" })).await.body);
    let comment = format!("/issues/comments/{id}");
    assert_eq!(call(&github, "PATCH", &comment, json!({ "body": "two" })).await.status, 200);
    assert_eq!(get(&github, &comment).await.body["body"], "two");
    let eyes = json!({ "content": "eyes" });
    assert_eq!(call(&github, "POST", &format!("{comment}/reactions"), eyes.clone()).await.status, 201);
    assert_eq!(call(&github, "POST", &format!("{comment}/reactions"), eyes.clone()).await.status, 200);
    assert_eq!(
        get(&github, &format!("{comment}/reactions?content=eyes")).await.body.as_array().map(Vec::len),
        Some(1)
    );
    let on_issue = made(call(&github, "POST", "/issues/7/reactions", eyes.clone()).await.body);
    assert_eq!(
        call(&github, "DELETE", &format!("/issues/7/reactions/{on_issue}"), Value::Null).await.status,
        204
    );
    let reference = json!({ "ref": "refs/heads/ai/7", "sha": commit });
    assert_eq!(call(&github, "POST", "/git/refs", reference).await.status, 201);
    assert_eq!(get(&github, "/git/ref/heads/ai/7").await.body["object"]["sha"], commit.as_str());
    assert_eq!(get(&github, "/git/matching-refs/heads/ai").await.body.as_array().map(Vec::len), Some(1));
    assert_eq!(get(&github, "/branches/ai/7").await.body["commit"]["sha"], commit.as_str());
    let commit = "3".repeat(40);
    let moved = json!({ "sha": commit, "force": false });
    assert_eq!(call(&github, "PATCH", "/git/refs/heads/ai/7", moved).await.status, 200);
    let pull = json!({ "title": "Last page", "head": "ai/7", "base": "main" });
    let number = call(&github, "POST", "/pulls", pull).await.body["number"].as_u64().expect("a number");
    let pull = format!("/pulls/{number}");
    assert_eq!(get(&github, &pull).await.body["head"]["sha"], commit.as_str());
    assert_eq!(call(&github, "PATCH", &pull, json!({ "title": "Pages" })).await.body["title"], "Pages");
    github.permit("mona", "write");
    let asked = json!({ "reviewers": ["mona"] });
    assert_eq!(call(&github, "POST", &format!("{pull}/requested_reviewers"), asked).await.status, 201);
    assert_eq!(get(&github, &format!("{pull}/reviews")).await.status, 200);
    let (_, first) = github.thread_by("mona", number, "src/lib.rs", 3, "why?");
    let answer = json!({ "body": "because" });
    assert_eq!(call(&github, "POST", &format!("{pull}/comments/{first}/replies"), answer).await.status, 201);
    assert_eq!(get(&github, &format!("{pull}/comments")).await.body[1]["in_reply_to_id"], first);
    let on_review = format!("/pulls/comments/{first}/reactions");
    assert_eq!(call(&github, "POST", &on_review, eyes).await.status, 201);
    assert_eq!(get(&github, &on_review).await.status, 200);
    let run = json!({ "name": "pages", "head_sha": commit, "status": "in_progress" });
    let run = made(call(&github, "POST", "/check-runs", run).await.body);
    let done = json!({ "conclusion": "success", "output": { "title": "ok", "summary": "all" } });
    assert_eq!(call(&github, "PATCH", &format!("/check-runs/{run}"), done).await.body["status"], "completed");
    assert_eq!(get(&github, "/commits/ai/7/check-runs").await.body["total_count"], 1);
    let status = json!({ "state": "failure", "context": "ci" });
    assert_eq!(call(&github, "POST", &format!("/statuses/{commit}"), status).await.status, 201);
    assert_eq!(get(&github, &format!("/commits/{commit}/status")).await.body["state"], "failure");
    let follow = json!({ "title": "Rest", "body": "later", "labels": ["bug", "new"] });
    let follow = call(&github, "POST", "/issues", follow).await.body;
    let child = json!({ "sub_issue_id": follow["id"] });
    assert_eq!(call(&github, "POST", "/issues/7/sub_issues", child.clone()).await.status, 201);
    assert_eq!(call(&github, "POST", "/issues/7/sub_issues", child).await.status, 422);
    assert_eq!(get(&github, "/issues/7/sub_issues").await.body[0]["number"], follow["number"]);
    assert_eq!(get(&github, "/issues?labels=new&state=all").await.body.as_array().map(Vec::len), Some(1));
    let closed = json!({ "state": "closed", "state_reason": "not_planned" });
    assert_eq!(call(&github, "PATCH", "/issues/7", closed).await.body["state"], "closed");
    assert_eq!(call(&github, "POST", "/issues/7/labels", json!({ "labels": ["run"] })).await.status, 200);
    assert_eq!(call(&github, "PUT", "/issues/7/labels", json!({ "labels": ["bug"] })).await.status, 200);
    assert_eq!(get(&github, "/issues/7/labels").await.body[0]["name"], "bug");
    assert_eq!(
        call(&github, "POST", "/labels", json!({ "name": "a b", "color": "00ff00" })).await.status,
        201
    );
    assert_eq!(get(&github, "/labels/a%20b").await.body["name"], "a b");
    assert_eq!(get(&github, "/labels").await.status, 200);
    let events = get(&github, "/issues/7/events").await.body;
    assert_eq!((&events[0]["event"], &events[0]["label"]["name"]), (&json!("labeled"), &json!("bug")));
    assert_eq!(call(&github, "DELETE", &comment, Value::Null).await.status, 204);
    assert_eq!(call(&github, "DELETE", "/git/refs/heads/ai/7", Value::Null).await.status, 204);
    insta::assert_snapshot!(github.state());
}

const THREADS: &str = "query($number: Int!) { repository(owner: \"octo\", name: \"pages\") { pullRequest(number: $number) {
  id isDraft reviewThreads(first: 50) { pageInfo { hasNextPage endCursor }
  nodes { id isResolved path line comments(first: 10) { nodes { databaseId body author { login } } } } } } } }";

#[tokio::test]
async fn fake_resolves_threads_and_marks_drafts_ready_by_graphql() {
    let github = with_issue();
    github.branch("ai/7", &"2".repeat(40));
    let pull = json!({ "title": "Last page", "head": "ai/7", "base": "main", "draft": true });
    call(&github, "POST", "/pulls", pull).await;
    let (thread, comment) = github.thread_by("mona", 8, "src/lib.rs", 3, "why?");
    let ask = async |query: &str, variables: Value| {
        let body = json!({ "query": query, "variables": variables });
        send(&github, "POST", "/graphql", Some(body)).await.expect("an answer").body
    };
    let found = ask(THREADS, json!({ "number": 8 })).await;
    assert_eq!(
        found["data"]["repository"]["pullRequest"],
        json!({ "id": "PR_8", "isDraft": true, "reviewThreads": {
            "pageInfo": { "hasNextPage": false, "endCursor": "1" },
            "nodes": [{ "id": format!("PRRT_{thread}"), "isResolved": false, "path": "src/lib.rs", "line": 3,
                "comments": { "nodes": [{ "databaseId": comment, "body": "why?", "author": { "login": "mona" } }] } }],
        } })
    );
    let resolve =
        "mutation($id: ID!) { resolveReviewThread(input: { threadId: $id }) { thread { isResolved } } }";
    let resolved = ask(resolve, json!({ "id": format!("PRRT_{thread}") })).await;
    assert_eq!(resolved["data"]["resolveReviewThread"]["thread"]["isResolved"], true);
    let reply = "mutation($id: ID!, $body: String!) { addPullRequestReviewThreadReply(input: { pullRequestReviewThreadId: $id, body: $body }) { comment { databaseId } } }";
    ask(reply, json!({ "id": format!("PRRT_{thread}"), "body": "because" })).await;
    let ready = "mutation { markPullRequestReadyForReview(input: { pullRequestId: \"PR_8\" }) { pullRequest { isDraft } } }";
    assert_eq!(
        ask(ready, json!({})).await["data"]["markPullRequestReadyForReview"]["pullRequest"]["isDraft"],
        false
    );
    assert_eq!(github.state().threads[0].comments.len(), 2);
    assert!(ask(resolve, json!({ "id": "PRRT_1" })).await["errors"][0]["message"].is_string());
    assert_eq!(github.violations(), [""; 0]);
    ask("query { repository(owner: \"octo\", name: \"pages\") { nameWithOwnr } }", json!({})).await;
    assert_eq!(github.violations(), ["POST /graphql: Field 'nameWithOwnr' doesn't exist here"]);
}

#[tokio::test]
async fn faults_before_a_call_prevent_it_and_faults_after_it_do_not() {
    let said = json!({ "body": "hello" });
    let kinds = [
        (Kind::Before(502), 0, Some(502)),
        (Kind::Reset, 0, None),
        (Kind::RateLimited { status: 429, retry_after: 2 }, 0, Some(429)),
        (Kind::SecondaryLimit { retry_after: Some(1) }, 0, Some(403)),
        (Kind::Html, 0, Some(502)),
        (Kind::AppliedButLost(Lost::Status(502)), 1, Some(502)),
        (Kind::AppliedButLost(Lost::Reset), 1, None),
        (Kind::HalfJson, 1, Some(201)),
        (Kind::Slow(30), 1, Some(201)),
    ];
    for (kind, comments, status) in kinds {
        let github = with_issue();
        github.fault(Fault { method: "POST", path_contains: "/comments", nth: 1, kind });
        let path = format!("{REPOSITORY}/issues/7/comments");
        let came = send(&github, "POST", &path, Some(said.clone())).await;
        assert_eq!(came.as_ref().ok().map(|came| came.status), status, "{kind:?}");
        assert_eq!(github.state().comments.len(), comments, "{kind:?}");
        assert_eq!(github.calls()[0].status, status, "{kind:?}");
        if let Ok(came) = came {
            let readable = matches!(kind, Kind::Slow(_)) || status != Some(201) && kind != Kind::Html;
            assert_eq!(!came.body.is_null(), readable, "{kind:?}: {}", came.text);
        }
        assert_eq!(call(&github, "POST", "/issues/7/comments", said.clone()).await.status, 201, "{kind:?}");
    }
}

#[tokio::test]
async fn a_configured_fault_hits_exactly_its_call() {
    let github = with_issue();
    github.fault_at_call(2, Kind::Before(500));
    github.fault(Fault { method: "GET", path_contains: "/labels", nth: 0, kind: Kind::Before(403) });
    let mut statuses = Vec::new();
    for path in ["/issues/7", "/issues/7", "/issues/7", "/issues/7/labels", "/labels"] {
        statuses.push(get(&github, path).await.status);
    }
    assert_eq!(statuses, [200, 500, 200, 403, 403]);
    let calls: Vec<_> = github.calls().iter().map(ToString::to_string).collect();
    assert_eq!(calls[1], "GET /repos/octo/pages/issues/7 500");
}

#[test]
fn the_fake_stops_listening_when_it_is_dropped() {
    let github = Github::start();
    let address = github.url().replace("http://", "");
    let open = std::net::TcpStream::connect(&address).expect("a connection");
    drop(github);
    assert!(std::net::TcpStream::connect(&address).is_err());
    drop(open);
}

/// Runs git and returns what it says.
fn git(folder: &std::path::Path, arguments: &[&str]) -> String {
    let identity = ["-c", "user.name=Tester", "-c", "user.email=tester@example.org"];
    let output =
        std::process::Command::new("git").arg("-C").arg(folder).args(identity).args(arguments).output();
    let output = output.expect("git runs");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

#[tokio::test]
async fn fake_can_use_the_branches_of_a_bare_repository() {
    let folder = tempfile::tempdir().expect("a folder");
    let (bare, clone) = (folder.path().join("pages.git"), folder.path().join("clone"));
    git(folder.path(), &["init", "-q", "--bare", "-b", "main", "pages.git"]);
    git(folder.path(), &["clone", "-q", "pages.git", "clone"]);
    git(&clone, &["commit", "-q", "--allow-empty", "-m", "begin"]);
    git(&clone, &["push", "-q", "origin", "HEAD:main"]);
    let github = Github::start_with(&bare);
    let pull = json!({ "title": "Last page", "head": "ai/7", "base": "main" });
    assert_eq!(call(&github, "POST", "/pulls", pull.clone()).await.status, 422);
    git(&clone, &["commit", "-q", "--allow-empty", "-m", "repair"]);
    git(&clone, &["push", "-q", "origin", "HEAD:ai/7"]);
    assert_eq!(
        call(&github, "POST", "/pulls", pull).await.body["head"]["sha"],
        git(&clone, &["rev-parse", "HEAD"])
    );
    let unknown = json!({ "ref": "refs/heads/other", "sha": "2".repeat(40) });
    assert_eq!(call(&github, "POST", "/git/refs", unknown).await.body["message"], "Object does not exist");
    let back = json!({ "sha": git(&clone, &["rev-parse", "HEAD~1"]) });
    let refused = call(&github, "PATCH", "/git/refs/heads/ai/7", back).await;
    assert_eq!(refused.body["message"], "Update is not a fast forward");
    assert_eq!(call(&github, "DELETE", "/git/refs/heads/ai/7", Value::Null).await.status, 204);
    assert_eq!(github.state().references.len(), 1);
}

#[tokio::test]
async fn tests_can_act_as_people_and_set_the_clock_of_the_fake() {
    let github = with_issue();
    github.set_time("2026-02-01T12:00:00Z");
    let id = github.comment_by("bob", 7, "one");
    github.edit_comment(id, "two");
    github.edit_issue(7, "Another title", "Another body");
    github.label_by("bob", 7, "run");
    let comment = get(&github, &format!("/issues/comments/{id}")).await.body;
    assert_eq!(comment["created_at"], "2026-02-01T12:00:01Z");
    assert_eq!(comment["updated_at"], "2026-02-01T12:00:02Z");
    let since = get(&github, "/issues/7/comments?since=2026-02-01T12:00:03Z").await.body;
    assert_eq!(since, json!([]));
    github.delete_comment(id);
    assert_eq!(get(&github, &format!("/issues/comments/{id}")).await.status, 404);
    github.branch("ai/7", &"2".repeat(40));
    github.checked(&"2".repeat(40), "pages", Some("failure"));
    github.checked(&"2".repeat(40), "lint", None);
    assert_eq!(get(&github, "/commits/ai/7/check-runs?check_name=lint").await.body["total_count"], 1);
    call(&github, "POST", "/pulls", json!({ "title": "Last page", "head": "ai/7", "base": "main" })).await;
    github.merge(8, "mona");
    let pull = get(&github, "/pulls/8").await.body;
    assert_eq!((&pull["merged"], &pull["state"]), (&json!(true), &json!("closed")));
    let opened = call(&github, "PATCH", "/pulls/8", json!({ "state": "open" })).await;
    assert_eq!(opened.status, 422);
    assert_eq!(github.state().issues[&7].labels, ["bug", "run"]);
    assert_eq!(Github::repository(), "octo/pages");
}
