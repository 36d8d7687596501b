//! Where a data file does not follow its format: JSON, TOML, YAML. JSON with comments by convention is not held to the strict
//! form.

use std::sync::LazyLock;

use regex::Regex;
use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::paths::{ending, name};
use source::{Broken, SourceFile};

pattern!(
    /// Files that are JSON with comments or a looser form.
    LOOSE,
    r"(?x)(?:^|/)\.vscode/ | (?:^|/)(?: tsconfig | jsconfig | \.?devcontainer | \.eslintrc | \.babelrc | \.swcrc | deno | turbo
      | api-extractor | renovate | wrangler | nx | \.jshintrc )(?:\.[^/]*)?$"
);

/// Tells whether a file is in a format that is read here.
pub(super) fn is_known(path: &str) -> bool {
    let ending = ending(path).to_lowercase();
    let formats = ["json", "jsonc", "json5", "ipynb", "code-workspace", "toml", "yaml", "yml"];
    name(path) == "Cargo.lock" || formats.contains(&ending.as_str())
}

/// Returns where a data file is broken first.
pub(super) fn broken(path: &str, text: &str) -> Option<Broken> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    match ending(path).to_lowercase().as_str() {
        "json" | "ipynb" if !LOOSE.is_match(path) => json(text).filter(|_| !are_lines(text)),
        "json" | "jsonc" | "json5" | "code-workspace" => loose_json(text),
        "yaml" | "yml" => yaml(text),
        _ => toml(text),
    }
}

/// One object in every line, in a file that does not say so in its name.
fn are_lines(text: &str) -> bool {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let object =
        |line: &str| line.trim_start().starts_with('{') && serde_json::from_str::<IgnoredAny>(line).is_ok();
    text.lines().count() > 1 && lines.all(object)
}

/// With comments and last commas it is an expression of JavaScript.
fn loose_json(text: &str) -> Option<Broken> {
    let is_empty = text.trim().is_empty();
    SourceFile::parse("value.js", format!("({text}\n)")).filter(|_| !is_empty)?.broken()
}

fn json(text: &str) -> Option<Broken> {
    let error = serde_json::from_str::<IgnoredAny>(text).err()?;
    Some(Broken {
        line: error.line().min(text.lines().count()).max(1),
        what: format!("no valid JSON: {error}"),
    })
}

fn toml(text: &str) -> Option<Broken> {
    let error = toml::from_str::<toml::Table>(text).err()?;
    let at = error.span().map_or(0, |span| span.start).min(text.len());
    let line = text.bytes().take(at).filter(|byte| *byte == b'\n').count() + 1;
    Some(Broken {
        line,
        what: format!("no valid TOML: {}", error.message().lines().next().unwrap_or_default()),
    })
}

fn yaml(text: &str) -> Option<Broken> {
    let error = serde_norway::Deserializer::from_str(text)
        .find_map(|document| IgnoredAny::deserialize(document).err())?;
    let line = error.location().map_or(1, |location| location.line());
    Some(Broken { line, what: format!("no valid YAML: {error}") })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(path: &str, text: &str) -> Option<usize> {
        broken(path, text).map(|broken| broken.line)
    }

    #[test]
    fn sound_data_is_sound() {
        for (path, text) in [
            ("a.json", "{\"a\": [1, 2, {\"b\": null}], \"a\": 1}\n"),
            ("a.json", "\u{feff}{}"),
            ("tsconfig.json", "{ // comment\n \"a\": 1, }"),
            ("tsconfig.build.json", "{ /* c */ }"),
            ("a.jsonc", "{ // x }\n }"),
            ("x.code-workspace", "{ // {\n }"),
            (".vscode/settings.json", "{ // {\n }"),
            ("a.json", "{\"a\": 1}\n{\"a\": 2}\n"),
            ("a.yaml", "a: |\n  x\n  \tb\n"),
            ("a.toml", "[a]\nb = 1979-05-27T07:32:00Z\n[[c]]\nd.e = [1,\n2]\n"),
            ("a.yaml", "a: &x {b: 1}\nc: *x\n---\n- !Ref d\n- |\n  text: {\n...\n"),
            ("a.yml", "on: [push]\na: 1\na: 2\n"),
            ("a.yaml", ""),
            ("a.yaml", "%YAML 1.2\n---\na: \"x\"\n"),
        ] {
            assert_eq!(broken(path, text), None, "{path}: {text}");
        }
    }

    #[test]
    fn broken_data_is_found_with_its_line() {
        for (path, text, expected) in [
            ("a.json", "{\n\"a\": 1,\n}\n", 3),
            ("a.json", "", 1),
            ("package.json", "{\n // no\n}", 2),
            ("tsconfig.json", "{\n \"a\": {\n", 2),
            ("a.toml", "[a]\nb = \n", 2),
            ("a.toml", "a = 1\na = 2\n", 2),
            ("a.yaml", "a: 1\n b: [\n", 2),
            ("a.yaml", "a: 1\n---\nb: {\n", 3),
        ] {
            let found = line(path, text);
            assert!(found.is_some_and(|found| found.abs_diff(expected) <= 2), "{path}: {text}: {found:?}");
        }
    }
}
