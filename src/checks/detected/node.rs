//! The commands of a project with a `package.json`: its scripts, run by the manager whose lock file is there.

use serde_json::Value;

use super::{Detected, Project, detected};

const MANIFEST: &str = "package.json";
const MANAGERS: [(&str, &str); 3] =
    [("pnpm-lock.yaml", "pnpm"), ("yarn.lock", "yarn"), ("package-lock.json", "npm")];
/// Keys and the scripts that stand for them.
const SCRIPTS: [(&str, &[&str]); 4] = [
    ("lint", &["lint"]),
    ("typecheck", &["typecheck", "type-check"]),
    ("build", &["build"]),
    ("format", &["format:check"]),
];
/// What `npm init` writes where there are no tests.
const PLACEHOLDER: &str = "no test specified";

pub(super) fn commands(project: &Project<'_>) -> Vec<Detected> {
    let manifest: Value = serde_json::from_str(&project.read(MANIFEST)).unwrap_or_default();
    let script = |name: &str| manifest["scripts"][name].as_str().filter(|script| !script.trim().is_empty());
    let (manager, by) = manager(project);
    let because = |name: &str| format!("{MANIFEST} has the script `{name}`{by}");
    let test = script("test").filter(|script| !script.contains(PLACEHOLDER));
    let test = test.map(|script| detected("test", test_line(manager, script), because("test")));
    let others = SCRIPTS.iter().filter_map(|(key, names)| {
        let name = names.iter().find(|name| script(name).is_some())?;
        Some(detected(key, format!("{manager} run {name}"), because(name)))
    });
    test.into_iter().chain(others).collect()
}

fn manager(project: &Project<'_>) -> (&'static str, String) {
    let found = MANAGERS.iter().find(|(lock, _)| project.has(lock));
    found.map_or(("npm", String::new()), |(lock, manager)| (*manager, format!(", and {lock} is there")))
}

/// Some scripts wait for changes unless they are told not to.
fn test_line(manager: &str, script: &str) -> String {
    let watches = script.contains("react-scripts test") && !script.contains("--watchAll=false");
    match (watches, manager) {
        (false, _) => format!("{manager} test"),
        (true, "yarn") => "yarn test --watchAll=false".into(),
        (true, _) => format!("{manager} test -- --watchAll=false"),
    }
}
