//! Settings that decide which tests run, what checkers see and what counts as a failure. Changes of them may be honest: each
//! file with one is a question to the reviewer. What the suite says with the old settings stands in `runner_settings`.

use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use regex::Regex;
use serde::Deserialize;
use serde_json::Value;

use super::paths::files_of_tests;
use super::{Change, ChangedFile, Patterns, Place, Site, at, ending, file, pattern};
use model::data_file;
use source::{is_fixture, is_foreign};

/// The names of changed keys that are told at most.
const MOST_NAMED: usize = 4;

/// Files of some names, and what in them decides.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub(super) struct DecidingFile {
    files: String,
    keys: Vec<String>,
    words: Vec<String>,
    /// Parts of keys that a tool took into use later, and what stands in their place otherwise.
    renamed: Vec<[String; 2]>,
}

static FILES: LazyLock<Vec<(Regex, DecidingFile)>> = LazyLock::new(|| {
    let mut table: BTreeMap<String, Vec<DecidingFile>> =
        data_file::read(include_str!("data/deciding_settings.toml"));
    let named = |file: DecidingFile| (pattern(&format!("(?x)(?:^|/)(?:{})$", file.files)), file);
    table.remove("file").into_iter().flatten().map(named).collect()
});

/// Returns the places that a reviewer is asked about.
pub(super) fn questions(site: &Site<'_>) -> Vec<Place> {
    let files = ChangedFile::judged(site);
    let files = files.iter().filter(|file| !is_fixture(file.path()) && !is_foreign(file.path()));
    let tests = LazyCell::new(|| files_of_tests(site.worktree));
    let doubt = |file: &ChangedFile<'_>| match file.path().strip_suffix(".gitignore") {
        Some(folder) => ignored_tests(file.change, folder, &tests),
        None => deciding(file.path())?.doubt(file.change),
    };
    files.filter_map(doubt).collect()
}

/// Returns what decides in a file, where something may.
pub(super) fn deciding(path: &str) -> Option<&'static DecidingFile> {
    FILES.iter().find(|(paths, _)| paths.is_match(path)).map(|(_, file)| file)
}

/// Returns the first new rule by which git passes over tests that are there: a new test beside them would be on no branch.
fn ignored_tests(change: &Change, folder: &str, tests: &[String]) -> Option<Place> {
    change.added_lines().find_map(|(number, line)| {
        let line = line.trim();
        let anywhere = if line.trim_end_matches('/').contains('/') { "" } else { "**/" };
        let rule = Patterns::exact(&[format!("{folder}{anywhere}{}", line.trim_start_matches('/'))]);
        let test = tests.iter().find(|test| !line.is_empty() && rule.hold(test))?;
        let what = format!("git passes over tests such as `{test}` now. Would a new one be on the branch?");
        Some(at(&change.path, number, what))
    })
}

impl DecidingFile {
    fn doubt(&self, change: &Change) -> Option<Place> {
        if self.keys.is_empty() {
            return self.changed_line(change);
        }
        let [before, now] = [change.old_text(), change.new_text()]
            .map(|text| Some(self.deciding_keys(keys(&change.path, text.unwrap_or_default())?)));
        let (Some(before), Some(now)) = (before, now) else {
            return if change.is_new() { None } else { self.changed_line(change) };
        };
        let changed: BTreeSet<String> =
            before.symmetric_difference(&now).map(|(key, _)| format!("`{key}`")).collect();
        let named: Vec<String> = changed.into_iter().take(MOST_NAMED).collect();
        let what = "changed, which decides what tests or checkers see. Do they see as much?";
        (!named.is_empty()).then(|| file(&change.path, format!("{} {what}", named.join(", "))))
    }

    /// Returns the keys that decide, with their values.
    fn deciding_keys(&self, mut keys: BTreeMap<String, String>) -> BTreeSet<(String, String)> {
        keys.retain(|key, _| self.keys.iter().any(|known| key.starts_with(known)));
        let oldest = |key| self.renamed.iter().fold(key, |key: String, [new, old]| key.replace(new, old));
        keys.into_iter().map(|(key, value)| (oldest(key), value)).collect()
    }

    fn changed_line(&self, change: &Change) -> Option<Place> {
        let counts = |line: &str| {
            let bare = line.trim();
            let is_comment = bare.starts_with('#') && !bare.starts_with("#!") || bare.starts_with("//");
            let is_meant =
                self.words.is_empty() || self.words.iter().any(|word| line.contains(word.as_str()));
            !bare.is_empty() && !is_comment && is_meant
        };
        let what = |line: &str| {
            format!("`{}` decides what tests or checkers see. Do they see as much as before?", line.trim())
        };
        if let Some((number, line)) = change.added_lines().find(|(_, line)| counts(line)) {
            return Some(at(&change.path, number, what(line)));
        }
        let (_, removed) = change.removed_lines().find(|(_, line)| counts(line))?;
        Some(file(&change.path, format!("no longer says {}", what(removed))))
    }
}

/// Returns the keys of JSON or TOML, each with its value, as `tool.pytest.ini_options.addopts`; none where the text is not read.
fn keys(path: &str, text: &str) -> Option<BTreeMap<String, String>> {
    // `tsconfig.json` may have comments, each on a line of its own.
    let is_comment = |line: &&str| line.trim_start().starts_with("//");
    let bare = || text.lines().filter(|line| !is_comment(line)).collect::<Vec<_>>().join("\n");
    match ending(path) {
        "json" | "jsonc" => Some(flatten("", serde_json::from_str(&bare()).ok()?)),
        _ => Some(flatten("", toml::from_str(text).ok()?)),
    }
}

fn flatten(front: &str, value: Value) -> BTreeMap<String, String> {
    match value {
        Value::Object(inner) => {
            let inner = inner.into_iter().map(|(key, value)| (format!("{front}.{key}"), value));
            inner.flat_map(|(key, value)| flatten(&key, value)).collect()
        }
        other => [(front.trim_start_matches('.').to_owned(), other.to_string())].into(),
    }
}

#[cfg(test)]
mod tests;
