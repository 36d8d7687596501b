//! Q4: no file that was sound is broken now, and no new one is broken. What was broken before is not charged, and what is
//! broken on purpose is material of tests. Of an answer only whole files that are told there, and its end.

mod data_format;

use std::sync::LazyLock;

use regex::Regex;

use super::changed_file::ChangedFile;
use super::outcome::{at, judged, of_answer};
use super::{Site, side_by_side, told};
use model::event::{CheckResult, Place};
use source::{Broken, Language, SourceFile};

pub(super) const ID: &str = "syntax";

/// A block of so many lines may be a whole file.
const WHOLE: usize = 6;

pub(super) fn examine(site: &Site<'_>) -> CheckResult {
    let mut files = ChangedFile::of_author(site);
    files.retain(|file| Language::of(file.path()).is_some() || data_format::is_known(file.path()));
    let mut places: Vec<Place> = side_by_side::each(&files, newly_broken).into_iter().flatten().collect();
    places.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
    places.extend(told_and_broken(site));
    places.extend(cut_off(site));
    let clean = format!("{} files were read, none is newly broken", files.len());
    judged(ID, "syntax-error", places, "the syntax is incomplete", &clean)
}

fn newly_broken(file: &ChangedFile<'_>) -> Option<Place> {
    let text = file.change.new_text()?;
    let found = broken(file.path(), text, file.now())?;
    let is_excused = match file.change.old_text() {
        Some(before) => broken(file.path(), before, file.before()).is_some(),
        None => is_template(file.path(), text, &found),
    };
    (!is_excused).then(|| at(file.path(), found.line, found.what))
}

fn broken(path: &str, text: &str, source: Option<&SourceFile>) -> Option<Broken> {
    source.map_or_else(|| data_format::broken(path, text), SourceFile::broken)
}

/// Tells a new file that another program fills in: by where it lies, or by a mark where it is broken first. A file that was
/// sound is none.
fn is_template(path: &str, text: &str, found: &Broken) -> bool {
    let has_mark = |text: &str| ["{{", "{%", "<%"].iter().any(|mark| text.contains(mark));
    let is_folder = |part: &str| {
        matches!(part, "templates" | "_templates" | "helm" | "charts") || part.starts_with("cookiecutter")
    };
    let line = text.lines().nth(found.line.saturating_sub(1)).unwrap_or_default();
    has_mark(line) || path.contains("{{") || has_mark(text) && path.split('/').any(is_folder)
}

/// Returns the whole files of the answer that are broken.
fn told_and_broken(site: &Site<'_>) -> Vec<Place> {
    let blocks = told::blocks(site, |_| false);
    let broken = blocks.iter().filter(|block| is_whole(block.text)).filter_map(|block| {
        let broken = SourceFile::parse(&told::path(block), block.text)?.broken()?;
        let first: String = block.text.lines().next().unwrap_or_default().chars().take(60).collect();
        Some(of_answer(format!("in the code block that begins with `{first}` {}", broken.what)))
    });
    broken.collect()
}

fn is_whole(text: &str) -> bool {
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let excerpt = first.starts_with([' ', '\t', '}']) || text.contains("...") || text.contains('…');
    text.lines().count() >= WHOLE && !excerpt
}

/// An answer that ends by saying that it was cut off is not whole.
fn cut_off(site: &Site<'_>) -> Option<Place> {
    pattern!(
        CUT,
        r"(?i)\b(?:output|response|answer|message|reply|text)\b.{0,40}\b(?:truncated|cut off)\b|^\W*(?:truncated|cut off)\W*$"
    );
    let last = site.answer?.trim_end().lines().next_back()?;
    CUT.is_match(last).then(|| of_answer("it ends by saying that it was cut off"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{Scene, gist};

    fn said(scene: &Scene) -> String {
        gist(&scene.shown_to(examine))
    }

    #[test]
    fn only_newly_broken_files_count() {
        let broken = "fn a() {\n    g(;\n}\n";
        for (scene, expected) in vec![
            (Scene::adding("a.rs", broken), "a.rs:2"),
            (Scene::changing("a.rs", "fn a() {}\n", broken), "a.rs:2"),
            (Scene::changing("a.rs", "fn b( {}\n", broken), "pass"),
            (Scene::adding("a.rs", "fn a() {}\n"), "pass"),
            (Scene::adding("a.json", "{\n  \"a\": 1,\n"), "a.json:2"),
            (Scene::adding("tests/fixtures/a.json", "{"), "pass"),
            (Scene::adding("tests/invalid_syntax.py", "def f(:"), "pass"),
            (Scene::adding("a.py", "def f():\n    return (1,\n"), "a.py:2"),
            (Scene::adding("templates/a.py", "class {{ name }}:\n    {% if a %}\n"), "pass"),
            (
                Scene::adding(
                    "chart/templates/a.yaml",
                    "{{ if .Values.a }}\na: {{ .Values.b }}\n{{ end }}\n",
                ),
                "pass",
            ),
            (Scene::adding("a.py", "{% if a %}\ndef f(\n{% endif %}\n"), "pass"),
            (Scene::adding("a.py", "class {{ name }}:\n    def f(:\n        pass\n"), "a.py:2"),
            (Scene::changing("a.py", "x = 1\n", "{% x %}\ndef f(:\n    return (\n"), "a.py:3"),
            (Scene::changing("a.py", "class {{ name }}(:\n", "class {{ name }}:\n    def (:\n"), "pass"),
            (Scene::adding("a.go", "package {{ .Name }}\n\nfunc F() {}\n"), "pass"),
            (Scene::changing("a.py", "x = 1\n", "x = {{ x }}\ndef f(:\n"), "a.py:2"),
            (Scene::adding("a.json", "{\"a\": {{ a }}, \"b\": <%= b %>}\n"), "pass"),
            (Scene::adding("a.py", "# {{ name }}\ndef f(:\n    return '{{ x }}'\n"), "a.py:2"),
            (Scene::adding("a.go", "package a\n\nvar p = []T{{1, 2}}\nfunc F( {\n"), "a.go:4"),
            (Scene::adding("README.md", "(unfinished [text\n"), "pass"),
        ] {
            assert_eq!(said(&scene), expected, "{:?}", scene.changes);
        }
    }

    #[test]
    fn many_files_are_read_in_order() {
        let scene = (0..50).fold(Scene::new(), |scene, number| {
            let text = if number % 20 == 7 { "fn a( {}\n" } else { "fn a() {}\n" };
            scene.with(model::change::Change::of_texts(&format!("{number:02}.rs"), None, Some(text)))
        });
        assert_eq!(said(&scene), "07.rs:1 27.rs:1 47.rs:1");
    }

    #[test]
    fn unclosed_code_blocks_and_truncated_ends_of_answers_are_errors() {
        let whole = "```js\nfunction a() {\n  b();\n  c();\n  d();\n  e(\"}\");\n\n```\n";
        for (answer, expected) in [
            (whole, "answer"),
            ("```js\nfunction a() {\n  return 1;\n```\n", "pass"),
            ("```js\n  b();\n  c();\n  d();\n  e();\n  f();\n}\n```\n", "pass"),
            ("Half.\nThe output was truncated due to length", "answer"),
            ("Long names are truncated to 40 characters.", "pass"),
            ("The output was truncated before; now it is whole.\nAll tests pass.", "pass"),
        ] {
            assert_eq!(said(&Scene::answering(answer)), expected, "{answer}");
        }
    }
}
