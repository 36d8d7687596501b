//! Review comments on the lines of a pull request, as REST shows them. Whether a thread is resolved, only GraphQL tells.

use serde_json::{Value, json};

use super::comments::said;
use super::exchange::{Answer, Request};
use super::paging::page;
use super::pulls::{head_commit, long_review};
use super::reactions::rollup;
use super::repository::{association, person};
use super::world::{Comment, SITE, Thread, World};

/// Answers what is asked of review comments.
pub fn answer(world: &mut World, request: &Request, rest: &[&str]) -> Option<Answer> {
    let numbered = |number: &str| number.parse::<u64>().ok();
    Some(match (request.method.as_str(), rest) {
        ("GET", ["pulls", number, "comments"]) => list(world, request, numbered(number)?),
        ("POST", ["pulls", number, "comments", id, "replies"]) => {
            reply_to(world, request, numbered(number)?, numbered(id)?)
        }
        _ => return None,
    })
}

fn list(world: &World, request: &Request, number: u64) -> Answer {
    if world.pull(number).is_none() {
        return Answer::not_found();
    }
    let threads = world.threads.iter().filter(|thread| thread.pull == number);
    let mut all: Vec<_> =
        threads.flat_map(|thread| thread.comments.iter().map(move |comment| (thread, comment))).collect();
    all.sort_by_key(|(_, comment)| comment.id);
    page(world, request, all.into_iter().map(|(thread, comment)| shown(world, thread, comment)).collect())
}

/// Only the first comment of a thread can be replied to.
fn reply_to(world: &mut World, request: &Request, number: u64, id: u64) -> Answer {
    let first = |thread: &&Thread| {
        thread.pull == number && thread.comments.first().is_some_and(|first| first.id == id)
    };
    let Some(thread) = world.threads.iter().find(first).map(|thread| thread.id) else {
        return Answer::not_found();
    };
    let body = match said(request, "PullRequestReviewComment") {
        Ok(body) => body,
        Err(refusal) => return refusal,
    };
    if let Some(refusal) = long_review(&body) {
        return refusal;
    }
    reply(world, thread, &request.login, &body);
    let thread = world.threads.iter().find(|known| known.id == thread).expect("the thread was found above");
    Answer::created(shown(world, thread, thread.comments.last().expect("a comment was added")))
}

/// Adds a comment to a thread and returns its id.
pub fn reply(world: &mut World, thread: u64, login: &str, body: &str) -> u64 {
    world.meet(login);
    let (id, at) = (world.next("review comment"), world.tick());
    if let Some(thread) = world.threads.iter_mut().find(|known| known.id == thread) {
        let (author, body) = (login.to_owned(), body.to_owned());
        let issue = thread.pull;
        thread.comments.push(Comment { id, issue, author, body, created_at: at, updated_at: at, edits: 0 });
    }
    id
}

/// Begins a thread and returns its id and that of its comment.
pub fn begin(world: &mut World, pull: u64, path: &str, line: u64, login: &str, body: &str) -> (u64, u64) {
    let id = world.next("thread");
    let path = path.to_owned();
    world.threads.push(Thread {
        id,
        pull,
        path,
        line,
        resolved: false,
        outdated: false,
        comments: Vec::new(),
    });
    (id, reply(world, id, login, body))
}

fn shown(world: &World, thread: &Thread, comment: &Comment) -> Value {
    let (id, number) = (comment.id, thread.pull);
    let url = world.api(&format!("/pulls/comments/{id}"));
    let html = format!("{SITE}/pull/{number}#discussion_r{id}");
    let pull_api = world.api(&format!("/pulls/{number}"));
    let commit = world.pull(number).map(|(_, pull)| head_commit(world, pull)).unwrap_or_default();
    let first = thread.comments.first().map_or(id, |first| first.id);
    let mut shown = json!({
        "id": id,
        "node_id": format!("PRRC_{id}"),
        "pull_request_review_id": thread.id,
        "url": url,
        "html_url": html,
        "pull_request_url": pull_api,
        "diff_hunk": "@@ -1,3 +1,3 @@",
        "path": thread.path,
        "position": if thread.outdated { Value::Null } else { json!(1) },
        "original_position": 1,
        "line": if thread.outdated { Value::Null } else { json!(thread.line) },
        "original_line": thread.line,
        "side": "RIGHT",
        "start_line": null,
        "original_start_line": null,
        "start_side": null,
        "subject_type": "line",
        "commit_id": commit,
        "original_commit_id": commit,
        "user": person(world, &comment.author),
        "body": comment.body,
        "created_at": comment.created_at,
        "updated_at": comment.updated_at,
        "author_association": association(world, &comment.author),
        "reactions": rollup(world, &format!("review/{id}"), &format!("{url}/reactions")),
        "_links": { "self": { "href": url }, "html": { "href": html }, "pull_request": { "href": pull_api } },
    });
    if first != id {
        shown["in_reply_to_id"] = json!(first);
    }
    shown
}
