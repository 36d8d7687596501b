//! Pull requests: opened once for a head branch, changed, listed, merged by a test.

use serde_json::{Value, json};

use super::exchange::{Answer, LONGEST_BODY, Request, too_long};
use super::issues::{edit, issue_id, refusal};
use super::labels;
use super::paging::page;
use super::repository::{association, extend, person, whole};
use super::world::{Issue, OWNER, Pull, SITE, World, wanted};

/// Answers what is asked of pull requests.
pub fn answer(world: &mut World, request: &Request, rest: &[&str]) -> Option<Answer> {
    let numbered = |number: &str| number.parse::<u64>().ok();
    Some(match (request.method.as_str(), rest) {
        ("GET", ["pulls"]) => list(world, request),
        ("POST", ["pulls"]) => open(world, request),
        ("GET", ["pulls", number]) => read(world, numbered(number)?),
        ("PATCH", ["pulls", number]) => change(world, request, numbered(number)?),
        ("POST", ["pulls", number, "requested_reviewers"]) => ask(world, request, numbered(number)?),
        ("GET", ["pulls", number, "reviews"]) => match world.pull(numbered(number)?) {
            Some(_) => page(world, request, Vec::new()),
            None => Answer::not_found(),
        },
        _ => return None,
    })
}

fn read(world: &World, number: u64) -> Answer {
    match world.pull(number) {
        Some((issue, pull)) => Answer::ok(whole_pull(world, issue, pull)),
        None => Answer::not_found(),
    }
}

/// `head` counts only as `owner:branch`; GitHub ignores what has no owner.
fn list(world: &World, request: &Request) -> Answer {
    let head = request.query.get("head").and_then(|head| head.split_once(':'));
    let base = request.query.get("base");
    let pulls = world.issues.values().rev().filter_map(|issue| Some((issue, issue.pull.as_ref()?)));
    let fitting = pulls.filter(|(issue, pull)| {
        wanted(request, issue.open)
            && head.is_none_or(|(owner, branch)| owner == OWNER && branch == pull.head)
            && base.is_none_or(|base| *base == pull.base)
    });
    page(world, request, fitting.map(|(issue, pull)| shown(world, issue, pull)).collect())
}

fn open(world: &mut World, request: &Request) -> Answer {
    let text = |key: &str| request.text(key).unwrap_or_default().to_owned();
    let (title, body, base) = (text("title"), text("body"), text("base"));
    let head = text("head");
    let head = head.strip_prefix(&format!("{OWNER}:")).unwrap_or(&head).to_owned();
    if let Some(refusal) = refusal("PullRequest", &title, &body) {
        return refusal;
    }
    let commit = |branch: &str| world.references.commit(&format!("heads/{branch}"));
    let Some(head_commit) = commit(&head) else { return Answer::invalid("PullRequest", "head", "invalid") };
    let Some(base_commit) = commit(&base) else { return Answer::invalid("PullRequest", "base", "invalid") };
    if head_commit == base_commit {
        return Answer::custom("PullRequest", &format!("No commits between {base} and {head}"));
    }
    let same = |pull: &Pull| pull.head == head && pull.base == base;
    if world.issues.values().any(|issue| issue.open && issue.pull.as_ref().is_some_and(same)) {
        return Answer::custom("PullRequest", &format!("A pull request already exists for {OWNER}:{head}."));
    }
    let number = world.next("number");
    world.open(number, &request.login, &title, &body, &[]);
    let draft = request.body["draft"] == json!(true);
    let (merged_at, reviewers) = (None, Vec::new());
    let teams = Vec::new();
    let pull = Pull { head, base, draft, merged_at, reviewers, teams, head_commit, base_commit };
    if let Some(issue) = world.issues.get_mut(&number) {
        issue.pull = Some(pull);
    }
    Answer { status: 201, ..read(world, number) }
}

fn change(world: &mut World, request: &Request, number: u64) -> Answer {
    let Some((before, pull)) = world.pull(number) else { return Answer::not_found() };
    let title = request.text("title").unwrap_or(&before.title).to_owned();
    let body = request.text("body").unwrap_or(&before.body).to_owned();
    let base = request.text("base").unwrap_or(&pull.base).to_owned();
    let merged = pull.merged_at.is_some();
    if let Some(refusal) = refusal("PullRequest", &title, &body) {
        return refusal;
    }
    if world.references.commit(&format!("heads/{base}")).is_none() {
        return Answer::invalid("PullRequest", "base", "invalid");
    }
    if merged && request.text("state") == Some("open") {
        return Answer::custom("PullRequest", "state cannot be changed. The pull request was merged.");
    }
    edit(world, number, title, body);
    if let Some(pull) = world.issues.get_mut(&number).and_then(|issue| issue.pull.as_mut()) {
        pull.base = base;
    }
    if let Some(state) = request.text("state") {
        world.turn(number, &request.login, state == "open", None);
    }
    read(world, number)
}

/// Asks people for a review; the author and people without a right to the repository are refused.
fn ask(world: &mut World, request: &Request, number: u64) -> Answer {
    let Some((issue, _)) = world.pull(number) else { return Answer::not_found() };
    let reviewers = request.texts("reviewers").unwrap_or_default();
    if reviewers.contains(&issue.author) {
        return Answer::error(422, "Review cannot be requested from pull request author.");
    }
    if reviewers.iter().any(|login| !world.permissions.contains_key(login)) {
        let message = "Reviews may only be requested from collaborators. One or more of the users or teams you specified is not a collaborator of the octo/pages repository.";
        return Answer::error(422, message);
    }
    world.tick();
    if let Some(pull) = world.issues.get_mut(&number).and_then(|issue| issue.pull.as_mut()) {
        let new = reviewers.into_iter().filter(|login| !pull.reviewers.contains(login)).collect::<Vec<_>>();
        pull.reviewers.extend(new);
        pull.teams.extend(request.texts("team_reviewers").unwrap_or_default());
    }
    match world.pull(number) {
        Some((issue, pull)) => Answer::created(shown(world, issue, pull)),
        None => Answer::not_found(),
    }
}

/// Refuses a text of a review that is too long.
pub fn long_review(body: &str) -> Option<Answer> {
    too_long("PullRequestReviewComment", "body", body, LONGEST_BODY)
}

/// Returns where the head is now, or where it was last seen.
pub fn head_commit(world: &World, pull: &Pull) -> String {
    let now = world.references.commit(&format!("heads/{}", pull.head));
    now.unwrap_or_else(|| pull.head_commit.clone())
}

fn side(world: &World, branch: &str, commit: &str) -> Value {
    json!({
        "label": format!("{OWNER}:{branch}"),
        "ref": branch,
        "sha": commit,
        "user": person(world, OWNER),
        "repo": whole(world),
    })
}

/// Returns a pull request as it stands in a list.
fn shown(world: &World, issue: &Issue, pull: &Pull) -> Value {
    let number = issue.number;
    let api = |rest: &str| world.api(&format!("/pulls/{number}{rest}"));
    let head = head_commit(world, pull);
    let base = world.references.commit(&format!("heads/{}", pull.base));
    let base = base.unwrap_or_else(|| pull.base_commit.clone());
    let html = format!("{SITE}/pull/{number}");
    let issue_api = world.api(&format!("/issues/{number}"));
    let (comments, statuses) = (format!("{issue_api}/comments"), world.api(&format!("/statuses/{head}")));
    let reviewers: Vec<_> = pull.reviewers.iter().map(|login| person(world, login)).collect();
    let link = |to: &str| json!({ "href": to });
    let mut shown = json!({
        "id": 2_000_000 + issue_id(issue),
        "node_id": format!("PR_{number}"),
        "url": api(""),
        "html_url": html,
        "diff_url": format!("{html}.diff"),
        "patch_url": format!("{html}.patch"),
        "issue_url": issue_api,
        "commits_url": api("/commits"),
        "review_comments_url": api("/comments"),
        "review_comment_url": world.api("/pulls/comments{/number}"),
        "comments_url": comments,
        "statuses_url": statuses,
        "number": number,
        "state": if issue.open { "open" } else { "closed" },
        "locked": false,
        "active_lock_reason": null,
        "title": issue.title,
        "body": issue.body,
        "user": person(world, &issue.author),
        "labels": labels::of(world, issue),
    });
    extend(
        &mut shown,
        json!({
            "milestone": null,
            "assignee": null,
            "assignees": [],
            "requested_reviewers": reviewers,
            "requested_teams": [],
            "created_at": issue.created_at,
            "updated_at": issue.updated_at,
            "closed_at": issue.closed_at,
            "merged_at": pull.merged_at,
            "merge_commit_sha": head,
            "head": side(world, &pull.head, &head),
            "base": side(world, &pull.base, &base),
            "author_association": association(world, &issue.author),
            "auto_merge": null,
            "draft": pull.draft,
            "_links": {
                "self": link(&api("")), "html": link(&html), "issue": link(&issue_api),
                "comments": link(&comments), "review_comments": link(&api("/comments")),
                "review_comment": link(&world.api("/pulls/comments{/number}")),
                "commits": link(&api("/commits")), "statuses": link(&statuses),
            },
        }),
    );
    shown
}

/// Returns a pull request as it stands alone.
fn whole_pull(world: &World, issue: &Issue, pull: &Pull) -> Value {
    let mut shown = shown(world, issue, pull);
    let threads = world.threads.iter().filter(|thread| thread.pull == issue.number);
    let comments = world.comments.values().filter(|comment| comment.issue == issue.number).count();
    extend(
        &mut shown,
        json!({
            "merged": pull.merged_at.is_some(),
            "mergeable": true,
            "rebaseable": true,
            "mergeable_state": if pull.draft { "draft" } else { "clean" },
            "merged_by": null,
            "comments": comments,
            "review_comments": threads.map(|thread| thread.comments.len()).sum::<usize>(),
            "maintainer_can_modify": false,
            "commits": 1,
            "additions": 1,
            "deletions": 0,
            "changed_files": 1,
        }),
    );
    shown
}
