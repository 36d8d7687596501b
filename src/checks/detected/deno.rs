//! The commands of a Deno project. A task of its own for the tests counts before the plain command.

use super::{Detected, Project, detected};

pub(super) fn commands(project: &Project<'_>) -> Vec<Detected> {
    let Some(settings) = project.first_of(&["deno.json", "deno.jsonc"]) else { return Vec::new() };
    let because = format!("{settings} is there");
    let (test, why) = if has_test_task(&project.read(settings)) {
        ("deno task test", format!("{settings} has the task `test`"))
    } else {
        ("deno test", because.clone())
    };
    let others = [("lint", "deno lint"), ("typecheck", "deno check"), ("format", "deno fmt --check")];
    let others = others.map(|(key, line)| detected(key, line, because.clone()));
    [detected("test", test, why)].into_iter().chain(others).collect()
}

/// The settings may have comments in them, so they are not read as JSON.
fn has_test_task(settings: &str) -> bool {
    settings
        .split_once("\"tasks\"")
        .is_some_and(|(_, tasks)| tasks.split('}').next().is_some_and(|tasks| tasks.contains("\"test\"")))
}
