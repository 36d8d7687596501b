//! What a project runs at its end besides one `test` and one `lint`: the scripts that validate the repository, and the tests of
//! each of its languages.

use super::{Detected, Detection, Project, cargo, detected, go, node, python};

/// Scripts by their keys, the most particular place first.
const SCRIPTS: [(&str, &[&str]); 2] = [
    (
        "validate",
        &[
            "scripts/ci/validate.sh",
            "scripts/validate.sh",
            "tests/validate.sh",
            "tests/validate-plugin.sh",
            "validate.sh",
        ],
    ),
    (
        "consistency",
        &["scripts/ci/check-consistency.sh", "scripts/check-consistency.sh", "check-consistency.sh"],
    ),
];

/// Keys and the languages whose tests they are.
const LANGUAGES: [(&str, Detection); 4] = [
    ("package_test", node::commands),
    ("pytest", python::commands),
    ("cargo_test", cargo::commands),
    ("go_test", go::commands),
];

/// Returns the scripts and the tests of each language; nothing where one `test` is all there is. Where `test` is set, it is known what
/// the tests are.
pub(super) fn commands(project: &Project<'_>, is_test_set: bool) -> Vec<Detected> {
    let scripts: Vec<Detected> =
        SCRIPTS.iter().filter_map(|(key, paths)| script(project, key, paths)).collect();
    let tests: Vec<Detected> = if is_test_set { Vec::new() } else { tests(project) };
    if scripts.is_empty() && tests.len() < 2 {
        return Vec::new();
    }
    scripts.into_iter().chain(tests).collect()
}

fn script(project: &Project<'_>, key: &'static str, paths: &[&str]) -> Option<Detected> {
    let path = project.first_of(paths)?;
    Some(detected(key, format!("sh {path}"), format!("{path} is there")))
}

fn tests(project: &Project<'_>) -> Vec<Detected> {
    let of_language = |(key, commands): &(&'static str, Detection)| {
        let test = commands(project).into_iter().find(|command| command.key == "test")?;
        Some(Detected { key, ..test })
    };
    LANGUAGES.iter().filter_map(of_language).collect()
}
