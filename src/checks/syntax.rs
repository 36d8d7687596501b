//! Q4: no file that was sound is broken now, and no new one is broken. What was broken before is not charged, and what is
//! broken on purpose is material of tests. Of an answer only whole files that are told there, and its end.

use std::sync::LazyLock;

use regex::Regex;

use super::outcome::{at, judged, of_answer};
use super::reading::added::files;
use super::reading::grammar::{self, Broken, unbalanced};
use super::reading::language::Language;
use super::reading::{data_format, filled, told};
use super::{Site, side_by_side};
use model::event::{CheckResult, Place};

pub(super) const ID: &str = "syntax";

/// A block of so many lines may be a whole file.
const WHOLE: usize = 6;

/// A file before and after.
struct Text<'s> {
    path: &'s str,
    language: Language,
    before: Option<&'s str>,
    after: &'s str,
}

pub(super) fn examine(site: &Site<'_>) -> CheckResult {
    let judgeable = |language: Language| {
        matches!(
            language,
            Language::Rust
                | Language::Python
                | Language::JavaScript
                | Language::TypeScript
                | Language::Tsx
                | Language::Go
                | Language::Json
                | Language::Toml
                | Language::Yaml
        )
    };
    let texts: Vec<Text<'_>> = files(site)
        .filter(|file| judgeable(file.language))
        .map(|file| Text {
            path: file.path,
            language: file.language,
            before: file.change.old_text(),
            after: file.text,
        })
        .collect();
    let mut places = newly_broken(&texts);
    places.extend(told_and_broken(site));
    places.extend(cut_off(site));
    let clean = format!("{} files were read, none is newly broken", texts.len());
    judged(ID, "syntax-error", places, "the syntax is incomplete", &clean)
}

/// Reads the files on several processors: this is the dearest of the checks that only look.
fn newly_broken(texts: &[Text<'_>]) -> Vec<Place> {
    let mut places: Vec<Place> = side_by_side::each(texts, place).into_iter().flatten().collect();
    places.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
    places
}

fn place(text: &Text<'_>) -> Option<Place> {
    let broken = broken(text.path, text.language, text.after)
        .or_else(|| filled::broken(text.path, text.language, text.before, text.after))?;
    let was_broken =
        text.before.is_some_and(|before| self::broken(text.path, text.language, before).is_some());
    (!was_broken).then(|| at(text.path, broken.line, broken.what))
}

fn broken(path: &str, language: Language, text: &str) -> Option<Broken> {
    let broken = data_format::broken(path, language, text).or_else(|| grammar::broken(language, text));
    broken.filter(|_| !data_format::is_filled_in(path, language, text))
}

/// Returns the whole files of the answer whose brackets do not match.
fn told_and_broken(site: &Site<'_>) -> Vec<Place> {
    let blocks = told::code(site, |_| false);
    let whole = blocks.iter().filter(|block| is_whole(block.text));
    let broken = whole.filter_map(|block| Some((block.text, unbalanced(block.language, block.text)?)));
    let place = |(text, broken): (&str, Broken)| {
        let first: String = text.lines().next().unwrap_or_default().chars().take(60).collect();
        of_answer(format!("in the code block that begins with `{first}` the {}", broken.what))
    };
    broken.map(place).collect()
}

fn is_whole(text: &str) -> bool {
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let excerpt = first.starts_with([' ', '\t', '}']) || text.contains("...") || text.contains('…');
    text.lines().count() >= WHOLE && !excerpt
}

/// An answer that ends by saying that it was cut off is not whole.
fn cut_off(site: &Site<'_>) -> Option<Place> {
    static CUT: LazyLock<Regex> = LazyLock::new(|| {
        let about_itself =
            r"\b(?:output|response|answer|message|reply|text)\b.{0,40}\b(?:truncated|cut off)\b";
        Regex::new(&format!(r"(?i){about_itself}|^\W*(?:truncated|cut off)\W*$")).expect("a good pattern")
    });
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
