//! Where a data file does not follow its format: JSON, TOML, YAML. Files that are templates, or JSON with comments by
//! convention, are not held to the strict form.

use std::sync::LazyLock;

use regex::Regex;
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::grammar::{Broken, unbalanced};
use super::language::Language;
use super::spelled::Spelled;

/// Names of files that are JSON with comments or a looser form.
const LOOSE_NAMES: [&str; 14] = [
    "tsconfig",
    "jsconfig",
    "devcontainer",
    ".devcontainer",
    ".eslintrc",
    ".babelrc",
    ".swcrc",
    "deno",
    "turbo",
    "api-extractor",
    "renovate",
    "wrangler",
    "nx",
    ".jshintrc",
];

/// Returns where a data file is broken first; nothing for what is no data file.
pub(crate) fn broken(path: &str, language: Language, text: &str) -> Option<Broken> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    match language {
        _ if is_template(path, text) => None,
        Language::Json if is_lines(path) => None,
        Language::Json if is_loose(path) => unbalanced(language, text),
        Language::Json => json(text).filter(|_| !are_lines(text)),
        Language::Toml => toml(text),
        Language::Yaml => yaml(text),
        _ => None,
    }
}

/// The text is filled in by another program before it is data.
fn is_template(path: &str, text: &str) -> bool {
    let chart = path.split('/').any(|folder| folder == "templates") && text.contains("{{");
    let marks = ["{%", "{{-", "{{ ", "<%", "{{#"];
    path.contains("{{") || chart || (!ends(path, &["json"]) && marks.iter().any(|mark| text.contains(mark)))
}

/// Tells a text that another program fills in, by where it lies or by marks that its language does not have.
pub(crate) fn is_filled_in(path: &str, language: Language, text: &str) -> bool {
    static MARK: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?m)(?:^|[\s,:(>;_])(?P<mark>\{\{-?\s*[#/.$\w][^{}\n]*\}\}|\{%[^%\n]*%\}|<%[^%\n]*%>)")
            .expect("a constant")
    });
    if lies_among_templates(path, text) {
        return true;
    }
    let mut marks = MARK.captures_iter(text).filter_map(|found| found.name("mark")).peekable();
    if marks.peek().is_none() {
        return false;
    }
    let spelled = Spelled::new(text, language);
    let bare: Vec<_> = spelled.bare().collect();
    marks.any(|mark| {
        let next = bare.partition_point(|part| part.end <= mark.start());
        bare.get(next).is_some_and(|part| part.contains(&mark.start()))
    })
}

/// Tells a text with marks in a folder of templates.
pub(super) fn lies_among_templates(path: &str, text: &str) -> bool {
    let folder = |part: &str| {
        matches!(part, "templates" | "_templates" | "helm" | "charts") || part.starts_with("cookiecutter")
    };
    path.split('/').any(folder) && ["{{", "{%", "<%"].iter().any(|mark| text.contains(mark))
}

/// One object in every line, in a file that does not say so in its name.
fn are_lines(text: &str) -> bool {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let object =
        |line: &str| line.trim_start().starts_with('{') && serde_json::from_str::<IgnoredAny>(line).is_ok();
    text.lines().count() > 1 && lines.all(object)
}

fn ends(path: &str, endings: &[&str]) -> bool {
    let ending = path.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    ending.is_some_and(|ending| endings.contains(&ending.as_str()))
}

fn is_lines(path: &str) -> bool {
    ends(path, &["jsonl", "ndjson"])
}

fn is_loose(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.strip_suffix(".json").unwrap_or(name);
    let known = LOOSE_NAMES.iter().any(|loose| stem == *loose || stem.starts_with(&format!("{loose}.")));
    known || !ends(name, &["json", "ipynb"]) || path.split('/').any(|folder| folder == ".vscode")
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
        broken(path, Language::of_path(path), text).map(|broken| broken.line)
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
            ("a.jsonl", "{}\n{}\n"),
            ("a.json", "{\"a\": 1}\n{\"a\": 2}\n"),
            ("a.yaml", "a: |\n  x\n  \tb\n"),
            ("a.toml", "[a]\nb = 1979-05-27T07:32:00Z\n[[c]]\nd.e = [1,\n2]\n"),
            ("a.yaml", "a: &x {b: 1}\nc: *x\n---\n- !Ref d\n- |\n  text: {\n...\n"),
            ("a.yml", "on: [push]\na: 1\na: 2\n"),
            ("chart/templates/a.yaml", "{{ if .Values.a }}\na: {{ .Values.b }}\n{{ end }}\n"),
            ("a.yaml", ""),
            ("a.yaml", "%YAML 1.2\n---\na: \"x\"\n"),
        ] {
            assert_eq!(broken(path, Language::of_path(path), text), None, "{path}: {text}");
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
