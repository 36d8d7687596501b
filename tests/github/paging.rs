//! Lists in pages, with links to the other pages as GitHub writes them: its own base, the repository by its number.

use serde_json::{Value, json};

use super::exchange::{Answer, Request};
use super::world::{NAME, OWNER, REPOSITORY_ID, World};

/// Answers with a page of a list.
pub fn page(world: &World, request: &Request, items: Vec<Value>) -> Answer {
    let (items, links, _) = cut(world, request, items);
    linked(Answer::ok(Value::Array(items)), &links)
}

/// Answers with a page of a list that stands under a key beside the count of all.
pub fn counted(world: &World, request: &Request, key: &str, items: Vec<Value>) -> Answer {
    let (items, links, all) = cut(world, request, items);
    linked(Answer::ok(json!({ "total_count": all, key: items })), &links)
}

fn linked(answer: Answer, links: &[String]) -> Answer {
    if links.is_empty() { answer } else { answer.with("link", links.join(", ")) }
}

fn cut(world: &World, request: &Request, items: Vec<Value>) -> (Vec<Value>, Vec<String>, usize) {
    let number = |key: &str| request.query.get(key).and_then(|text| text.parse::<usize>().ok());
    let size = number("per_page").unwrap_or(30).clamp(1, 100);
    let page = number("page").unwrap_or(1).max(1);
    let all = items.len();
    let last = all.div_ceil(size).max(1);
    let mut links = Vec::new();
    let mut link = |there: bool, to: usize, relation: &str| {
        if there {
            links.push(format!("<{}>; rel=\"{relation}\"", address(world, request, to)));
        }
    };
    link(page > 1, page - 1, "prev");
    link(page < last, page + 1, "next");
    link(page < last, last, "last");
    link(page > 1, 1, "first");
    (items.into_iter().skip((page - 1) * size).take(size).collect(), links, all)
}

fn address(world: &World, request: &Request, page: usize) -> String {
    let named = format!("/repos/{OWNER}/{NAME}");
    let path = request.path.replacen(&named, &format!("/repositories/{REPOSITORY_ID}"), 1);
    let rest = request.query.iter().filter(|(key, _)| *key != "page");
    let query: String = rest.map(|(key, value)| format!("{key}={}&", value.replace(':', "%3A"))).collect();
    format!("{}{path}?{query}page={page}", world.base)
}
