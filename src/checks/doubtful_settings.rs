//! Settings that decide which tests run, what checkers see and what counts as a failure. Changes of them may be honest: each
//! file with one is a question to the reviewer. What the suite says with the old settings stands in `runner_settings`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use regex::Regex;
use serde::Deserialize;
use serde_json::Value;

use super::Site;
use super::changed_file::ChangedFile;
use super::constant::pattern;
use super::outcome::{at, file};
use super::paths::{ending, name};
use model::change::Change;
use model::event::Place;
use source::{is_fixture, is_foreign, is_test};

/// The names of changed keys that are told at most.
const MOST_NAMED: usize = 4;

#[derive(Deserialize)]
struct Table {
    file: Vec<DecidingFile>,
}

/// Files of some names, and what in them decides.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct DecidingFile {
    files: String,
    keys: Vec<String>,
    words: Vec<String>,
    /// Instead of `words`, where the file is one of tests.
    words_in_tests: Vec<String>,
    /// Beginnings of keys that the tool gave another name: the old one and the new one.
    moved: Vec<[String; 2]>,
}

impl DecidingFile {
    /// Returns the other name of a key.
    fn other_name(&self, key: &str) -> Option<String> {
        let with = |from: &str, to: &str| key.strip_prefix(from).map(|rest| format!("{to}{rest}"));
        self.moved.iter().find_map(|[old, new]| with(new, old).or_else(|| with(old, new)))
    }
}

static FILES: LazyLock<Vec<(Regex, DecidingFile)>> = LazyLock::new(|| {
    let table: Table =
        toml::from_str(include_str!("data/deciding_settings.toml")).expect("the table is sound");
    let named = |file: DecidingFile| (pattern(&format!("(?x)^(?:{})$", file.files)), file);
    table.file.into_iter().map(named).collect()
});

/// Returns the places that a reviewer is asked about.
pub(super) fn questions(site: &Site<'_>) -> Vec<Place> {
    let files = ChangedFile::judged(site);
    let files = files.iter().filter(|file| !is_fixture(file.path()) && !is_foreign(file.path()));
    let deciding = |path: &str| FILES.iter().find(|(names, _)| names.is_match(name(path)));
    files.filter_map(|file| doubt(file.change, &deciding(file.path())?.1)).collect()
}

fn doubt(change: &Change, deciding: &DecidingFile) -> Option<Place> {
    let (old, new) = (change.old_text().unwrap_or_default(), change.new_text().unwrap_or_default());
    if deciding.keys.is_empty() {
        return changed_line(change, deciding);
    }
    let [before, now] = [old, new].map(|text| keys(&change.path, text));
    let (Some(before), Some(now)) = (before, now) else {
        return (!change.is_new()).then(|| changed_line(change, deciding)).flatten();
    };
    let is_changed = |key: &str| {
        let value = |keys: &BTreeMap<String, String>| {
            keys.get(key).or_else(|| keys.get(&deciding.other_name(key)?)).cloned()
        };
        value(&before) != value(&now)
    };
    let decides = |key: &str| deciding.keys.iter().any(|known| key.starts_with(known.as_str()));
    let all: BTreeSet<&String> = before.keys().chain(now.keys()).filter(|key| decides(key)).collect();
    let changed: Vec<String> = all
        .into_iter()
        .filter(|key| is_changed(key))
        .map(|key| format!("`{key}`"))
        .take(MOST_NAMED)
        .collect();
    let what = format!(
        "{} changed, which decides what tests or checkers see. Do they see as much?",
        changed.join(", ")
    );
    (!changed.is_empty()).then(|| file(&change.path, what))
}

fn changed_line(change: &Change, deciding: &DecidingFile) -> Option<Place> {
    let words = if is_test(&change.path) && !deciding.words_in_tests.is_empty() {
        &deciding.words_in_tests
    } else {
        &deciding.words
    };
    let counts = |line: &str| {
        let bare = line.trim();
        let is_comment = bare.starts_with('#') && !bare.starts_with("#!") || bare.starts_with("//");
        let is_meant = words.is_empty() || words.iter().any(|word| line.contains(word.as_str()));
        !bare.is_empty() && !is_comment && is_meant
    };
    let added = change.added_lines().find(|(_, line)| counts(line));
    let removed = || change.removed_lines().find(|(_, line)| counts(line));
    let what = |line: &str| {
        format!("`{}` decides what tests or checkers see. Do they see as much as before?", line.trim())
    };
    match added {
        Some((number, line)) => Some(at(&change.path, number, what(line))),
        None => removed().map(|(_, line)| file(&change.path, format!("no longer says {}", what(line)))),
    }
}

/// Returns the keys of JSON, TOML or INI, each with its value, as `tool.pytest.ini_options.addopts`; none where the text is not read.
fn keys(path: &str, text: &str) -> Option<BTreeMap<String, String>> {
    let value = match ending(path) {
        "json" | "jsonc" => serde_json::from_str::<Value>(&without_comments(text)).ok()?,
        "toml" => toml::from_str::<Value>(text).ok()?,
        _ => return Some(of_sections(text)),
    };
    let mut keys = BTreeMap::new();
    flatten("", &value, &mut keys);
    Some(keys)
}

/// `tsconfig.json` may have comments, each on a line of its own.
fn without_comments(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.flat_map(|line| [line, "\n"]).collect()
}

fn flatten(front: &str, value: &Value, keys: &mut BTreeMap<String, String>) {
    match value {
        Value::Object(inner) => {
            for (key, value) in inner {
                let dot = if front.is_empty() { "" } else { "." };
                flatten(&format!("{front}{dot}{key}"), value, keys);
            }
        }
        other => {
            keys.insert(front.to_owned(), other.to_string());
        }
    }
}

/// A value may go on in lines that are indented.
fn of_sections(text: &str) -> BTreeMap<String, String> {
    let (mut section, mut key) = (String::new(), String::new());
    let mut keys: BTreeMap<String, String> = BTreeMap::new();
    for line in text.lines().filter(|line| !line.trim_start().starts_with(['#', ';'])) {
        if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.split(']').next()) {
            name.clone_into(&mut section);
        } else if line.starts_with([' ', '\t']) {
            *keys.entry(key.clone()).or_default() += line.trim();
        } else if let Some((name, value)) = line.split_once(['=', ':']) {
            key = format!("{section}.{}", name.trim());
            keys.insert(key.clone(), value.trim().to_owned());
        }
    }
    keys
}

#[cfg(test)]
mod tests;
