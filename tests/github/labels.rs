//! Labels of the repository and of its issues. Names are the same in any case.

use serde_json::{Value, json};

use super::exchange::{Answer, Request};
use super::paging::page;
use super::world::{Issue, Label, World};

/// Answers what is asked of labels.
pub fn answer(world: &mut World, request: &Request, rest: &[&str]) -> Option<Answer> {
    let numbered = |number: &str| number.parse::<u64>().ok();
    Some(match (request.method.as_str(), rest) {
        ("GET", ["labels"]) => {
            let shown = world.labels.values().map(|label| shown(world, label)).collect();
            page(world, request, shown)
        }
        ("POST", ["labels"]) => create(world, request),
        ("GET", ["labels", name]) => {
            find(world, name).map_or_else(Answer::not_found, |label| Answer::ok(shown(world, label)))
        }
        (method @ ("GET" | "POST" | "PUT"), ["issues", number, "labels"]) => {
            let number = numbered(number)?;
            if !world.issues.contains_key(&number) {
                return Some(Answer::not_found());
            }
            put(world, request, method, number)
        }
        ("DELETE", ["issues", number, "labels", name]) => {
            let number = numbered(number)?;
            if !world.unlabel(number, &request.login, name) {
                return Some(Answer::error(404, "Label does not exist"));
            }
            Answer::ok(of(world, &world.issues[&number]))
        }
        _ => return None,
    })
}

fn put(world: &mut World, request: &Request, method: &str, number: u64) -> Answer {
    let labels = named(&request.body).unwrap_or_default();
    match method {
        "POST" => {
            for label in &labels {
                let known = find(world, label).map(|label| label.name.clone());
                world.label(number, &request.login, known.as_deref().unwrap_or(label));
            }
        }
        "PUT" => replace(world, number, &request.login, &labels),
        _ => return page(world, request, listed(world, &world.issues[&number])),
    }
    Answer::ok(of(world, &world.issues[&number]))
}

/// Returns the labels that a request names: texts, or objects with a name, with or without an object around them.
pub fn named(body: &Value) -> Option<Vec<String>> {
    let list = body.get("labels").unwrap_or(body).as_array()?;
    let name = |label: &Value| label.as_str().or_else(|| label["name"].as_str()).map(str::to_owned);
    Some(list.iter().filter_map(name).collect())
}

/// Puts these labels in the place of all others.
pub fn replace(world: &mut World, number: u64, login: &str, labels: &[String]) {
    let before = world.issues.get(&number).map(|issue| issue.labels.clone()).unwrap_or_default();
    for gone in before.iter().filter(|label| !labels.contains(label)) {
        world.unlabel(number, login, gone);
    }
    for label in labels {
        world.label(number, login, label);
    }
}

fn create(world: &mut World, request: &Request) -> Answer {
    let name = request.text("name").unwrap_or_default().to_owned();
    if name.is_empty() || name.chars().count() > 50 {
        return Answer::invalid("Label", "name", if name.is_empty() { "missing_field" } else { "invalid" });
    }
    let color = request.text("color").unwrap_or("ededed").to_owned();
    if color.len() != 6 || !color.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Answer::invalid("Label", "color", "invalid");
    }
    if find(world, &name).is_some() {
        return Answer::invalid("Label", "name", "already_exists");
    }
    let (id, description) = (world.next("label"), request.text("description").map(str::to_owned));
    world.tick();
    let label = Label { id, name: name.clone(), color, description };
    let answer = Answer::created(shown(world, &label));
    world.labels.insert(name, label);
    answer
}

fn find<'a>(world: &'a World, name: &str) -> Option<&'a Label> {
    world.labels.values().find(|label| label.name.eq_ignore_ascii_case(name))
}

/// Returns the labels of an issue.
pub fn of(world: &World, issue: &Issue) -> Value {
    Value::Array(listed(world, issue))
}

fn listed(world: &World, issue: &Issue) -> Vec<Value> {
    issue.labels.iter().filter_map(|name| find(world, name)).map(|label| shown(world, label)).collect()
}

fn shown(world: &World, label: &Label) -> Value {
    json!({
        "id": label.id,
        "node_id": format!("LA_{}", label.id),
        "url": world.api(&format!("/labels/{}", label.name.replace(' ', "%20"))),
        "name": label.name,
        "color": label.color,
        "default": false,
        "description": label.description,
    })
}
