//! Q4: no file that was sound is broken now, and no new one is broken. What was broken before is not charged, and what is
//! broken on purpose is material of tests. Of an answer only whole files that stand there, and its end.

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::{
    AnswerCode, ChangedFile, CheckResult, Place, Site, any_of, at, ending, judged, name, of_answer, one_line,
    side_by_side,
};
use source::{Broken, Language, SourceFile};

pub(super) const ID: &str = "syntax";

/// A block of so many lines may be a whole file.
const WHOLE: usize = 6;

pub(super) fn examine(site: &Site<'_>) -> CheckResult {
    let mut files = ChangedFile::of_author(site);
    files.retain(|file| Language::of(file.path()).is_some() || is_data(file.path()));
    let mut places = side_by_side::places(&files, newly_broken);
    places.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
    places.extend(broken_in_answer(site));
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
    source.map_or_else(|| broken_data(path, text), SourceFile::broken)
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
fn broken_in_answer(site: &Site<'_>) -> Vec<Place> {
    let code = AnswerCode::read(site, |_| false);
    let broken = code.files().filter_map(|file| {
        let text = file.change.new_text().filter(|text| is_whole(text))?;
        let (what, first) = (file.now()?.broken()?.what, text.lines().next()?);
        Some(of_answer(format!("in the code block that begins with `{}` {what}", one_line(first, 60))))
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
    pattern!(CUT, &any_of("syntax", "cut"));
    let last = site.answer?.trim_end().lines().next_back()?;
    CUT.is_match(last).then(|| of_answer("it ends by saying that it was cut off"))
}

pattern!(LOOSE, &any_of("syntax", "loose"));

/// Tells whether a file is in a format that is read here.
fn is_data(path: &str) -> bool {
    let ending = ending(path).to_lowercase();
    let formats = ["json", "jsonc", "json5", "ipynb", "code-workspace", "toml", "yaml", "yml"];
    name(path) == "Cargo.lock" || formats.contains(&ending.as_str())
}

/// Returns where a data file is broken first.
fn broken_data(path: &str, text: &str) -> Option<Broken> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    match ending(path).to_lowercase().as_str() {
        "json" | "ipynb" if !LOOSE.is_match(path) => json(text),
        // With comments and last commas it is an expression of JavaScript.
        "json" | "jsonc" | "json5" | "code-workspace" if text.trim().is_empty() => None,
        "json" | "jsonc" | "json5" | "code-workspace" => {
            SourceFile::parse("value.js", format!("({text}\n)"))?.broken()
        }
        "yaml" | "yml" => yaml(text),
        _ => toml(text),
    }
}

fn json(text: &str) -> Option<Broken> {
    // Several objects may stand in a file that does not say so in its name.
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<IgnoredAny>();
    if text.starts_with('{') && values.all(|value| value.is_ok()) {
        return None;
    }
    let error = serde_json::from_str::<IgnoredAny>(text).err()?;
    let line = error.line().min(text.lines().count()).max(1);
    Some(Broken { line, what: format!("no valid JSON: {error}") })
}

fn toml(text: &str) -> Option<Broken> {
    let error = toml::from_str::<toml::Table>(text).err()?;
    let at = error.span().map_or(0, |span| span.start).min(text.len());
    let line = text.bytes().take(at).filter(|byte| *byte == b'\n').count() + 1;
    let why = error.message().lines().next().unwrap_or_default();
    Some(Broken { line, what: format!("no valid TOML: {why}") })
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

    fn line(path: &str, text: &str) -> Option<usize> {
        broken_data(path, text).map(|broken| broken.line)
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
            assert_eq!(broken_data(path, text), None, "{path}: {text}");
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
