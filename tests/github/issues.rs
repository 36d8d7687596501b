//! Issues: read, opened, changed, listed, put below one another, and what happened to them.

use serde_json::{Value, json};

use super::exchange::{Answer, LONGEST_BODY, LONGEST_TITLE, Request, too_long};
use super::labels;
use super::paging::page;
use super::reactions::rollup;
use super::repository::{association, person};
use super::world::{Event, Issue, SITE, World, wanted};

/// Answers what is asked of issues.
pub fn answer(world: &mut World, request: &Request, rest: &[&str]) -> Option<Answer> {
    let numbered = |number: &str| number.parse::<u64>().ok();
    Some(match (request.method.as_str(), rest) {
        ("GET", ["issues"]) => list(world, request),
        ("POST", ["issues"]) => open(world, request),
        ("GET", ["issues", "events"]) => all_events(world, request),
        ("GET", ["issues", number]) => read(world, numbered(number)?),
        ("PATCH", ["issues", number]) => change(world, request, numbered(number)?),
        ("GET", ["issues", number, "events"]) => events(world, request, numbered(number)?),
        ("GET", ["issues", number, "sub_issues"]) => children(world, request, numbered(number)?),
        ("POST", ["issues", number, "sub_issues"]) => adopt(world, request, numbered(number)?),
        _ => return None,
    })
}

fn read(world: &World, number: u64) -> Answer {
    world.issues.get(&number).map_or_else(Answer::not_found, |issue| Answer::ok(shown(world, issue)))
}

fn list(world: &World, request: &Request) -> Answer {
    let labels = request.query.get("labels").map(String::as_str).unwrap_or_default();
    let labels: Vec<&str> = labels.split(',').filter(|label| !label.is_empty()).collect();
    let creator = request.query.get("creator");
    let since = request.query.get("since").and_then(|since| since.parse::<jiff::Timestamp>().ok());
    let fits = |issue: &&Issue| {
        wanted(request, issue.open)
            && labels.iter().all(|label| issue.labels.iter().any(|have| have == label))
            && creator.is_none_or(|creator| *creator == issue.author)
            && since.is_none_or(|since| issue.updated_at >= since)
    };
    // The newest comes first.
    let shown = world.issues.values().rev().filter(fits).map(|issue| shown(world, issue)).collect();
    page(world, request, shown)
}

fn open(world: &mut World, request: &Request) -> Answer {
    let title = match &request.body["title"] {
        Value::String(title) => title.clone(),
        Value::Number(title) => title.to_string(),
        _ => return Answer::invalid("Issue", "title", "missing_field"),
    };
    let body = request.text("body").unwrap_or_default();
    if let Some(refusal) = refusal("Issue", &title, body) {
        return refusal;
    }
    let number = world.next("number");
    let labels = labels::named(&request.body).unwrap_or_default();
    world.open(number, &request.login, &title, body, &labels);
    Answer::created(shown(world, &world.issues[&number]))
}

/// Refuses what is too long or has no title.
pub fn refusal(resource: &str, title: &str, body: &str) -> Option<Answer> {
    if title.trim().is_empty() {
        return Some(Answer::invalid(resource, "title", "missing_field"));
    }
    too_long(resource, "title", title, LONGEST_TITLE)
        .or_else(|| too_long(resource, "body", body, LONGEST_BODY))
}

fn change(world: &mut World, request: &Request, number: u64) -> Answer {
    let Some(before) = world.issues.get(&number) else { return Answer::not_found() };
    let title = request.text("title").unwrap_or(&before.title).to_owned();
    let body = request.text("body").unwrap_or(&before.body).to_owned();
    if let Some(refusal) = refusal("Issue", &title, &body) {
        return refusal;
    }
    edit(world, number, title, body);
    if let Some(labels) = labels::named(&request.body) {
        labels::replace(world, number, &request.login, &labels);
    }
    if let Some(state) = request.text("state") {
        world.turn(number, &request.login, state == "open", request.text("state_reason"));
    }
    read(world, number)
}

/// Changes what an issue says; a change to the same text is an edit, too.
pub fn edit(world: &mut World, number: u64, title: String, body: String) {
    let at = world.tick();
    let Some(issue) = world.issues.get_mut(&number) else { return };
    let (author, before) = (issue.author.clone(), std::mem::replace(&mut issue.title, title));
    let is_renamed = before != issue.title;
    (issue.body, issue.updated_at) = (body, at);
    issue.edits += 1;
    if is_renamed {
        world.happened(number, "renamed", &author, None);
    }
}

fn events(world: &World, request: &Request, number: u64) -> Answer {
    if !world.issues.contains_key(&number) {
        return Answer::not_found();
    }
    let events = world.events.iter().filter(|event| event.issue == number);
    page(world, request, events.map(|event| event_shown(world, event)).collect())
}

/// What happened to any issue, the newest first.
fn all_events(world: &World, request: &Request) -> Answer {
    let events = world.events.iter().rev();
    page(world, request, events.map(|event| event_shown(world, event)).collect())
}

fn event_shown(world: &World, event: &Event) -> Value {
    let mut shown = json!({
        "id": event.id,
        "node_id": format!("E_{}", event.id),
        "url": world.api(&format!("/issues/events/{}", event.id)),
        "actor": person(world, &event.actor),
        "event": event.kind,
        "commit_id": null,
        "commit_url": null,
        "created_at": event.created_at,
        "performed_via_github_app": null,
    });
    if let Some(label) = &event.label {
        shown["label"] = json!({ "name": label, "color": "ededed" });
    }
    if matches!(event.kind, "closed" | "reopened") {
        shown["state_reason"] = Value::Null;
    }
    shown
}

fn children(world: &World, request: &Request, number: u64) -> Answer {
    if !world.issues.contains_key(&number) {
        return Answer::not_found();
    }
    let children = world.issues.values().filter(|issue| issue.parent == Some(number));
    page(world, request, children.map(|issue| shown(world, issue)).collect())
}

/// Puts an issue below another one; it is named by its id, not by its number, and has one parent at most.
fn adopt(world: &mut World, request: &Request, number: u64) -> Answer {
    if !world.issues.contains_key(&number) {
        return Answer::not_found();
    }
    let id = request.body["sub_issue_id"].as_u64();
    let Some(child) = world.issues.values().find(|issue| Some(issue_id(issue)) == id) else {
        return Answer::error(404, "The provided sub-issue does not exist");
    };
    let child = child.number;
    let moves = request.body["replace_parent"] == json!(true);
    if world.issues[&child].parent.is_some() && !moves {
        return Answer::error(
            422,
            "An error occurred while adding the sub-issue to the parent issue. Issue may not contain duplicate sub-issues and Sub issue may only have one parent",
        );
    }
    world.tick();
    if let Some(child) = world.issues.get_mut(&child) {
        child.parent = Some(number);
    }
    Answer::created(shown(world, &world.issues[&number]))
}

/// Returns the id of an issue, which is not its number.
pub fn issue_id(issue: &Issue) -> u64 {
    3_000_000 + issue.number
}

/// Returns an issue, or what of a pull request is one.
pub fn shown(world: &World, issue: &Issue) -> Value {
    let number = issue.number;
    let api = |rest: &str| world.api(&format!("/issues/{number}{rest}"));
    let place = if issue.pull.is_some() { "pull" } else { "issues" };
    let comments = world.comments.values().filter(|comment| comment.issue == number).count();
    let children = world.issues.values().filter(|other| other.parent == Some(number));
    let mut shown = json!({
        "id": issue_id(issue),
        "node_id": format!("I_{}", issue_id(issue)),
        "url": api(""),
        "repository_url": world.api(""),
        "labels_url": api("/labels{/name}"),
        "comments_url": api("/comments"),
        "events_url": api("/events"),
        "timeline_url": api("/timeline"),
        "html_url": format!("{SITE}/{place}/{number}"),
        "number": number,
        "title": issue.title,
        "body": issue.body,
        "user": person(world, &issue.author),
        "labels": labels::of(world, issue),
        "state": if issue.open { "open" } else { "closed" },
        "state_reason": issue.reason,
        "locked": issue.locked,
        "active_lock_reason": null,
        "assignee": null,
        "assignees": [],
        "milestone": null,
        "comments": comments,
        "created_at": issue.created_at,
        "updated_at": issue.updated_at,
        "closed_at": issue.closed_at,
        "closed_by": null,
        "author_association": association(world, &issue.author),
        "reactions": rollup(world, &format!("issue/{number}"), &api("/reactions")),
        "performed_via_github_app": null,
        "sub_issues_summary": { "total": children.count(), "completed": 0, "percent_completed": 0 },
    });
    if let Some(parent) = issue.parent {
        shown["parent_issue_url"] = json!(world.api(&format!("/issues/{parent}")));
    }
    if let Some(pull) = &issue.pull {
        shown["draft"] = json!(pull.draft);
        shown["pull_request"] = json!({
            "url": world.api(&format!("/pulls/{number}")),
            "html_url": format!("{SITE}/pull/{number}"),
            "diff_url": format!("{SITE}/pull/{number}.diff"),
            "patch_url": format!("{SITE}/pull/{number}.patch"),
            "merged_at": pull.merged_at,
        });
    }
    shown
}
