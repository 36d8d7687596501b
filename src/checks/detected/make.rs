//! The commands of a project with a makefile: its targets of the usual names.

use super::{Detected, Project, detected};

/// Keys and the targets that stand for them; `check` is what GNU calls the tests.
const TARGETS: [(&str, &[&str]); 3] =
    [("test", &["test", "check"]), ("lint", &["lint"]), ("typecheck", &["typecheck", "type-check"])];

pub(super) fn commands(project: &Project<'_>) -> Vec<Detected> {
    let Some(file) = project.first_of(&["GNUmakefile", "makefile", "Makefile"]) else { return Vec::new() };
    let text = project.read(file);
    let found = |(key, names): &(&'static str, &[&str])| {
        let target = names.iter().find(|name| has_target(&text, name))?;
        Some(detected(key, format!("make {target}"), format!("{file} has the target `{target}`")))
    };
    TARGETS.iter().filter_map(found).collect()
}

fn has_target(text: &str, name: &str) -> bool {
    text.lines().any(|line| {
        let Some((targets, rest)) = line.split_once(':') else { return false };
        !line.starts_with(['\t', '#'])
            && !rest.starts_with('=')
            && targets.split_whitespace().any(|target| target == name)
    })
}
