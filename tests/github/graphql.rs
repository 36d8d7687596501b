//! The little of GitHub's GraphQL that REST does not have: threads of reviews, and drafts that become ready.
//! What is not asked for is not answered, and what GitHub has no field for is an error.

use serde_json::{Map, Value, json};

use super::exchange::{Answer, Request};
use super::query::{Field, cut, read};
use super::repository::association;
use super::threads::reply;
use super::world::{Comment, NAME, OWNER, SITE, Thread, World};

/// Answers a query or a mutation; errors have status 200, as GitHub gives them.
pub fn answer(world: &mut World, request: &Request) -> Answer {
    let text = request.text("query").unwrap_or_default();
    match read(text, &request.body["variables"]).and_then(|fields| data(world, request, &fields)) {
        Ok(data) => Answer::ok(json!({ "data": data })),
        Err(message) => Answer::ok(json!({ "data": null, "errors": [{ "message": message }] })),
    }
}

/// Tells what of a query GitHub's schema does not allow; what is only not there is no such thing.
pub fn wrong(answer: &Answer) -> Vec<String> {
    let errors = answer.body.as_ref().map(|body| &body["errors"]);
    let messages = errors.and_then(Value::as_array).into_iter().flatten();
    let messages = messages.filter_map(|error| error["message"].as_str());
    messages.filter(|message| !message.starts_with("Could not resolve")).map(str::to_owned).collect()
}

/// Returns the text of a query or a mutation.
pub fn asked(request: &Request) -> Option<&str> {
    request.text("query").filter(|_| request.path == "/graphql")
}

/// Tells whether a query changes something.
pub fn writes(body: &Value) -> bool {
    body["query"].as_str().is_some_and(|text| text.trim_start().starts_with("mutation"))
}

fn data(world: &mut World, request: &Request, fields: &[Field]) -> Result<Value, String> {
    let mut all = Map::new();
    for field in fields {
        let value = match field.name.as_str() {
            "viewer" => json!({ "login": request.login }),
            "repository" => repository(world, field)?,
            _ if writes(&request.body) => mutation(world, request, field)?,
            other => return Err(format!("Field '{other}' doesn't exist on type 'Query'")),
        };
        all.insert(field.name.clone(), value);
    }
    cut(&Value::Object(all), fields)
}

fn repository(world: &World, field: &Field) -> Result<Value, String> {
    let is = |key: &str, name: &str| field.arguments.get(key).and_then(Value::as_str) == Some(name);
    if !is("owner", OWNER) || !is("name", NAME) {
        return Err("Could not resolve to a Repository".to_owned());
    }
    let mut found = json!({ "id": "R_1", "nameWithOwner": format!("{OWNER}/{NAME}") });
    if let Some(asked) = field.fields.iter().find(|field| field.name == "pullRequest") {
        let number = asked.arguments.get("number").and_then(Value::as_u64).unwrap_or(0);
        found["pullRequest"] = pull(world, number, asked)?;
    }
    Ok(found)
}

fn pull(world: &World, number: u64, asked: &Field) -> Result<Value, String> {
    let (issue, pull) = world
        .pull(number)
        .ok_or_else(|| format!("Could not resolve to a PullRequest with the number of {number}."))?;
    let mut found = json!({
        "id": format!("PR_{number}"),
        "number": number,
        "title": issue.title,
        "url": format!("{SITE}/pull/{number}"),
        "isDraft": pull.draft,
        "state": if pull.merged_at.is_some() { "MERGED" } else if issue.open { "OPEN" } else { "CLOSED" },
        "headRefName": pull.head,
        "baseRefName": pull.base,
    });
    if let Some(asked) = asked.fields.iter().find(|field| field.name == "reviewThreads") {
        let threads = world.threads.iter().filter(|thread| thread.pull == number);
        let shown = threads.map(|thread| shown(world, thread, asked)).collect::<Result<_, _>>()?;
        found["reviewThreads"] = connection(shown, &asked.arguments)?;
    }
    Ok(found)
}

/// Returns a page of a list, with a cursor that is the place of its last item.
fn connection(items: Vec<Value>, arguments: &Map<String, Value>) -> Result<Value, String> {
    let first = arguments.get("first").and_then(Value::as_u64);
    let first = first.filter(|first| (1..=100).contains(first));
    let first = first.ok_or("You must provide a `first` value from 1 to 100 to paginate properly")?;
    let after = arguments.get("after").and_then(Value::as_str).unwrap_or("0");
    let after =
        after.parse::<usize>().map_err(|_| format!("`{after}` does not appear to be a valid cursor."))?;
    let end = items.len().min(after + usize::try_from(first).expect("at most a hundred"));
    let all = items.len();
    let nodes: Vec<_> = items.into_iter().take(end).skip(after).collect();
    let cursor = (!nodes.is_empty()).then(|| end.to_string());
    Ok(json!({
        "nodes": nodes,
        "totalCount": all,
        "pageInfo": { "hasNextPage": end < all, "endCursor": cursor },
    }))
}

fn shown(world: &World, thread: &Thread, asked: &Field) -> Result<Value, String> {
    let nodes = asked.fields.iter().find(|field| field.name == "nodes");
    let inside = nodes.map_or(&asked.fields, |nodes| &nodes.fields);
    let mut found = json!({
        "id": format!("PRRT_{}", thread.id),
        "isResolved": thread.resolved,
        "isOutdated": thread.outdated,
        "isCollapsed": thread.resolved,
        "path": thread.path,
        "line": if thread.outdated { Value::Null } else { json!(thread.line) },
        "originalLine": thread.line,
        "viewerCanResolve": true,
    });
    if let Some(asked) = inside.iter().find(|field| field.name == "comments") {
        let comments = thread.comments.iter().map(|comment| comment_shown(world, comment)).collect();
        found["comments"] = connection(comments, &asked.arguments)?;
    }
    Ok(found)
}

/// GraphQL calls a robot by its name without the ending that REST gives it.
fn comment_shown(world: &World, comment: &Comment) -> Value {
    let plain = comment.author.strip_suffix("[bot]");
    json!({
        "id": format!("PRRC_{}", comment.id),
        "databaseId": comment.id,
        "fullDatabaseId": comment.id.to_string(),
        "author": {
            "__typename": if plain.is_some() { "Bot" } else { "User" },
            "login": plain.unwrap_or(&comment.author),
        },
        "authorAssociation": association(world, &comment.author),
        "body": comment.body,
        "createdAt": comment.created_at,
        "updatedAt": comment.updated_at,
        "url": format!("{SITE}/pull/{}#discussion_r{}", comment.issue, comment.id),
    })
}

fn mutation(world: &mut World, request: &Request, field: &Field) -> Result<Value, String> {
    let input = field.arguments.get("input").ok_or("Argument 'input' is required")?;
    let id = |key: &str, prefix: &str| {
        let text = input[key].as_str().ok_or_else(|| format!("Argument '{key}' is required"))?;
        let number = text.strip_prefix(prefix).and_then(|number| number.parse::<u64>().ok());
        number.ok_or_else(|| format!("Could not resolve to a node with the global id of '{text}'"))
    };
    match field.name.as_str() {
        name @ ("resolveReviewThread" | "unresolveReviewThread") => {
            let thread = id("threadId", "PRRT_")?;
            world.tick();
            let found = world.threads.iter_mut().find(|known| known.id == thread);
            let found = found.ok_or("Could not resolve to a node")?;
            found.resolved = name == "resolveReviewThread";
            let found = found.clone();
            let asked = field.fields.first().ok_or("Field must have selections")?;
            Ok(json!({ "thread": shown(world, &found, asked)? }))
        }
        "addPullRequestReviewThreadReply" => {
            let thread = id("pullRequestReviewThreadId", "PRRT_")?;
            let body = input["body"].as_str().filter(|body| !body.trim().is_empty());
            let body = body.ok_or("Body can't be blank")?;
            if !world.threads.iter().any(|known| known.id == thread) {
                return Err("Could not resolve to a node".to_owned());
            }
            reply(world, thread, &request.login, body);
            let comments = world.threads.iter().find(|known| known.id == thread).map(|found| &found.comments);
            let last = comments.and_then(|comments| comments.last()).ok_or("Could not resolve to a node")?;
            Ok(json!({ "comment": comment_shown(world, last) }))
        }
        name @ ("markPullRequestReadyForReview" | "convertPullRequestToDraft") => {
            let number = id("pullRequestId", "PR_")?;
            world.tick();
            let issue = world.issues.get_mut(&number).and_then(|issue| issue.pull.as_mut());
            issue.ok_or("Could not resolve to a node")?.draft = name == "convertPullRequestToDraft";
            let asked = field.fields.first().ok_or("Field must have selections")?;
            Ok(json!({ "pullRequest": pull(world, number, asked)? }))
        }
        other => Err(format!("Field '{other}' doesn't exist on type 'Mutation'")),
    }
}
