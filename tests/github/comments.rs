//! Comments on issues and pull requests.

use serde_json::{Value, json};

use super::exchange::{Answer, LONGEST_BODY, Request, too_long};
use super::paging::page;
use super::reactions::rollup;
use super::repository::{association, person};
use super::world::{Comment, SITE, World};

/// Answers what is asked of comments.
pub fn answer(world: &mut World, request: &Request, rest: &[&str]) -> Option<Answer> {
    let numbered = |number: &str| number.parse::<u64>().ok();
    Some(match (request.method.as_str(), rest) {
        ("GET", ["issues", number, "comments"]) => list(world, request, numbered(number)?),
        ("GET", ["issues", "comments"]) => all(world, request),
        ("POST", ["issues", number, "comments"]) => create(world, request, numbered(number)?),
        ("GET", ["issues", "comments", id]) => read(world, numbered(id)?),
        ("PATCH", ["issues", "comments", id]) => change(world, request, numbered(id)?),
        ("DELETE", ["issues", "comments", id]) => {
            if remove(world, numbered(id)?) {
                Answer::no_content()
            } else {
                Answer::not_found()
            }
        }
        _ => return None,
    })
}

fn list(world: &World, request: &Request, number: u64) -> Answer {
    if !world.issues.contains_key(&number) {
        return Answer::not_found();
    }
    let since = request.query.get("since").and_then(|since| since.parse::<jiff::Timestamp>().ok());
    let comments = world.comments.values().filter(|comment| comment.issue == number);
    let fitting = comments.filter(|comment| since.is_none_or(|since| comment.updated_at >= since));
    page(world, request, fitting.map(|comment| shown(world, comment)).collect())
}

/// Every comment of the repository, the newest first, as we ask for them.
fn all(world: &World, request: &Request) -> Answer {
    let since = request.query.get("since").and_then(|since| since.parse::<jiff::Timestamp>().ok());
    let fitting = world.comments.values().rev();
    let fitting = fitting.filter(|comment| since.is_none_or(|since| comment.updated_at >= since));
    page(world, request, fitting.map(|comment| shown(world, comment)).collect())
}

fn create(world: &mut World, request: &Request, number: u64) -> Answer {
    if !world.issues.contains_key(&number) {
        return Answer::not_found();
    }
    let body = match said(request, "IssueComment") {
        Ok(body) => body,
        Err(refusal) => return refusal,
    };
    let id = world.comment(number, &request.login, &body);
    Answer::created(shown(world, &world.comments[&id]))
}

/// Returns the body of a comment, or why GitHub does not take it.
pub fn said(request: &Request, resource: &str) -> Result<String, Answer> {
    let body = request.text("body").unwrap_or_default();
    if body.trim().is_empty() {
        return Err(Answer::invalid(resource, "body", "missing_field"));
    }
    too_long(resource, "body", body, LONGEST_BODY).map_or_else(|| Ok(body.to_owned()), Err)
}

fn read(world: &World, id: u64) -> Answer {
    world.comments.get(&id).map_or_else(Answer::not_found, |comment| Answer::ok(shown(world, comment)))
}

/// Whoever may write may change the comments of others, as on GitHub.
fn change(world: &mut World, request: &Request, id: u64) -> Answer {
    if !world.comments.contains_key(&id) {
        return Answer::not_found();
    }
    match said(request, "IssueComment") {
        Ok(body) => edit(world, id, body),
        Err(refusal) => return refusal,
    }
    read(world, id)
}

/// Changes what a comment says; a change to the same text is an edit, too.
pub fn edit(world: &mut World, id: u64, body: String) {
    let at = world.tick();
    if let Some(comment) = world.comments.get_mut(&id) {
        (comment.body, comment.updated_at) = (body, at);
        comment.edits += 1;
    }
}

/// Deletes a comment with what people think of it; tells whether it was there.
pub fn remove(world: &mut World, id: u64) -> bool {
    let on = format!("comment/{id}");
    world.reactions.retain(|reaction| reaction.on != on);
    world.comments.remove(&id).is_some()
}

/// Returns a comment as GitHub shows it.
pub fn shown(world: &World, comment: &Comment) -> Value {
    let (id, number) = (comment.id, comment.issue);
    let url = world.api(&format!("/issues/comments/{id}"));
    let place = if world.pull(number).is_some() { "pull" } else { "issues" };
    json!({
        "id": id,
        "node_id": format!("IC_{id}"),
        "url": url,
        "html_url": format!("{SITE}/{place}/{number}#issuecomment-{id}"),
        "issue_url": world.api(&format!("/issues/{number}")),
        "user": person(world, &comment.author),
        "body": comment.body,
        "created_at": comment.created_at,
        "updated_at": comment.updated_at,
        "author_association": association(world, &comment.author),
        "reactions": rollup(world, &format!("comment/{id}"), &format!("{url}/reactions")),
        "performed_via_github_app": null,
    })
}
