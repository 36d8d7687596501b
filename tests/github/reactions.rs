//! Reactions to issues, comments and review comments. One of a kind from everybody.

use serde_json::{Value, json};

use super::exchange::{Answer, Request};
use super::paging::page;
use super::repository::person;
use super::world::{Reaction, World};

const CONTENTS: [&str; 8] = ["+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes"];

/// Answers what is asked of reactions.
pub fn answer(world: &mut World, request: &Request, rest: &[&str]) -> Option<Answer> {
    let (on, id) = match rest {
        ["issues", "comments", id, "reactions", more @ ..] => (format!("comment/{id}"), more),
        ["pulls", "comments", id, "reactions", more @ ..] => (format!("review/{id}"), more),
        ["issues", number, "reactions", more @ ..] => (format!("issue/{number}"), more),
        _ => return None,
    };
    if !there(world, &on) {
        return Some(Answer::not_found());
    }
    Some(match (request.method.as_str(), id) {
        ("GET", []) => {
            let content = request.query.get("content");
            let fitting = world.reactions.iter().filter(|reaction| reaction.on == on);
            let fitting =
                fitting.filter(|reaction| content.is_none_or(|content| *content == reaction.content));
            page(world, request, fitting.map(|reaction| shown(world, reaction)).collect())
        }
        ("POST", []) => create(world, request, on),
        ("DELETE", [id]) => {
            let before = world.reactions.len();
            world.reactions.retain(|reaction| reaction.on != on || reaction.id.to_string() != **id);
            if world.reactions.len() < before { Answer::no_content() } else { Answer::not_found() }
        }
        _ => return None,
    })
}

fn there(world: &World, on: &str) -> bool {
    let Some((kind, id)) = on.split_once('/') else { return false };
    let Ok(id) = id.parse::<u64>() else { return false };
    match kind {
        "comment" => world.comments.contains_key(&id),
        "issue" => world.issues.contains_key(&id),
        _ => world.threads.iter().flat_map(|thread| &thread.comments).any(|comment| comment.id == id),
    }
}

/// The same again is answered with the one that is there, and with another status.
fn create(world: &mut World, request: &Request, on: String) -> Answer {
    let content = request.text("content").unwrap_or_default().to_owned();
    if !CONTENTS.contains(&content.as_str()) {
        return Answer::invalid("Reaction", "content", "invalid");
    }
    let same = |have: &&Reaction| have.on == on && have.content == content && have.author == request.login;
    if let Some(reaction) = world.reactions.iter().find(same) {
        return Answer::ok(shown(world, reaction));
    }
    let (id, created_at) = (world.next("reaction"), world.tick());
    let reaction = Reaction { id, on, content, author: request.login.clone(), created_at };
    let answer = Answer::created(shown(world, &reaction));
    world.reactions.push(reaction);
    answer
}

fn shown(world: &World, reaction: &Reaction) -> Value {
    json!({
        "id": reaction.id,
        "node_id": format!("REA_{}", reaction.id),
        "user": person(world, &reaction.author),
        "content": reaction.content,
        "created_at": reaction.created_at,
    })
}

/// Returns how many of each kind there are.
pub fn rollup(world: &World, on: &str, url: &str) -> Value {
    let count = |content: &str| {
        world.reactions.iter().filter(|reaction| reaction.on == on && reaction.content == content).count()
    };
    let mut shown =
        json!({ "url": url, "total_count": CONTENTS.iter().map(|content| count(content)).sum::<usize>() });
    for content in CONTENTS {
        shown[content] = json!(count(content));
    }
    shown
}
