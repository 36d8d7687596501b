//! Which resource answers a path. GitHub hides what it does not know behind 404, and so do we.

use super::exchange::{Answer, Request};
use super::world::{NAME, OWNER, REPOSITORY_ID, World};
use super::{
    checks, comments, graphql, issues, labels, pulls, reactions, references, repository, threads,
    workflow_dispatch,
};

/// Writes a path in the form in which it is described: the repository by its name.
pub fn described(path: &str) -> String {
    let numbered = format!("/repositories/{REPOSITORY_ID}");
    match path.strip_prefix(&numbered) {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("/repos/{OWNER}/{NAME}{rest}"),
        _ => path.to_owned(),
    }
}

/// Answers a request of somebody who is known.
pub fn answer(world: &mut World, request: &Request) -> Answer {
    let segments = request.segments();
    let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
    match segments.as_slice() {
        ["graphql"] if request.method == "POST" => graphql::answer(world, request),
        ["repos", owner, name, rest @ ..] => {
            let full = format!("{owner}/{name}");
            if full.eq_ignore_ascii_case(&format!("{OWNER}/{NAME}")) {
                inside(world, request, rest)
            } else if world.former_name.as_ref().is_some_and(|former| full.eq_ignore_ascii_case(former)) {
                moved(world, request, rest)
            } else {
                Answer::not_found()
            }
        }
        _ => repository::outside(world, request),
    }
}

fn inside(world: &mut World, request: &Request, rest: &[&str]) -> Answer {
    repository::answer(world, request, rest)
        .or_else(|| references::answer(world, request, rest))
        .or_else(|| reactions::answer(world, request, rest))
        .or_else(|| comments::answer(world, request, rest))
        .or_else(|| labels::answer(world, request, rest))
        .or_else(|| issues::answer(world, request, rest))
        .or_else(|| threads::answer(world, request, rest))
        .or_else(|| pulls::answer(world, request, rest))
        .or_else(|| checks::answer(world, request, rest))
        .or_else(|| workflow_dispatch::answer(world, request, rest))
        .unwrap_or_else(Answer::not_found)
}

/// A repository that was renamed sends everybody on, to its number.
fn moved(world: &World, request: &Request, rest: &[&str]) -> Answer {
    let rest: String = rest.iter().map(|segment| format!("/{segment}")).collect();
    let to = format!("{}/repositories/{REPOSITORY_ID}{rest}", world.base);
    let mut answer = Answer::error(if request.method == "GET" { 301 } else { 307 }, "Moved Permanently");
    if let Some(body) = &mut answer.body {
        body["url"] = to.clone().into();
    }
    answer.with("location", to)
}
