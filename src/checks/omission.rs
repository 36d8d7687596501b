//! Q3: nothing that was added stands for something left out: no "rest unchanged" in a comment, no line of three dots, no
//! "(omitted)" in the document of the phase, no function that did something and does nothing now. Spread operators, ranges,
//! stubs of others and running text are honest.

mod emptied;

use std::sync::LazyLock;

use regex::Regex;
use serde::Deserialize;

use super::changed_file::ChangedFile;
use super::comments::{added_comments, comments_of_text};
use super::constant::pattern;
use super::language_family::{LanguageFamily, is_code};
use super::outcome::{at, judged, of_answer};
use super::paths::ending;
use super::unfinished::{self, Unfinished};
use super::{Site, told};
use model::event::{CheckResult, Place};

pub(super) const ID: &str = "omission";

pattern!(
    /// What may be an offence, so that most texts need no second look.
    SUSPECT,
    r"(?i)\.\.\.(?:\W|$|code|omitted|other|previous)|\. \. \.|\.\. |…|continues|truncated|snip|\betc\b|remain|\brest\b|and so on|omitted|unchanged|the same|same as|as before|similar|existing|implementation|\bhere\b|\d more |省略|同様|同上|同じ|続く|略|既存|変更なし"
);

/// What `data/omission.toml` says.
struct Phrases {
    left_out: Regex,
    beside_dots: Regex,
}

static PHRASES: LazyLock<Phrases> = LazyLock::new(|| {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Table {
        left_out: Vec<String>,
        beside_dots: String,
    }
    let table: Table =
        toml::from_str(include_str!("data/omission.toml")).expect("the table of phrases is sound");
    Phrases {
        left_out: pattern(&format!("^(?i:{})$", table.left_out.join("|"))),
        beside_dots: pattern(&format!("^(?i:{})$", table.beside_dots)),
    }
});

pub(super) fn examine(site: &Site<'_>) -> CheckResult {
    let is_wanted =
        |file: &ChangedFile<'_>| !LanguageFamily::of(file.path()).is_text() || file.path() == site.output;
    let mut places = unfinished::places(site, &SUSPECT, is_wanted, in_file);
    places.extend(in_told_code(site));
    places.extend(emptied::places(site));
    places.extend(literals(site));
    judged(
        ID,
        "omission",
        places,
        "something is left out",
        "nothing that was added stands for something left out",
    )
}

/// Returns the added lines of a file that stand for something else.
fn in_file(file: &ChangedFile<'_>) -> Vec<Unfinished> {
    let comments = added_comments(file);
    let omitting = comments.iter().filter(|comment| !comment.is_documentation && omits(comment.text));
    let omitting: Vec<usize> = omitting.map(|comment| comment.line).collect();
    let is_text = LanguageFamily::of(file.path()).is_text();
    let has_dots = is_code(file.path()) && !ending(file.path()).starts_with("py");
    let is_hollow = |number: usize, line: &str| {
        let is_dots = has_dots && is_nothing_but_dots(line) && !is_in_a_list(file, number);
        if is_text { omits_content(line) } else { is_dots }
    };
    let added = file.change.added_lines();
    let found = added.filter(|(number, line)| omitting.contains(number) || is_hollow(*number, line));
    let unfinished = |(line, text): (usize, &str)| {
        let text = text.trim().to_owned();
        let shown: String = text.chars().take(80).collect();
        Unfinished { line, text, what: format!("`{shown}` stands for something left out") }
    };
    found.map(unfinished).collect()
}

/// Tells whether a whole comment stands for code that is left out.
fn omits(comment: &str) -> bool {
    let bare = comment.trim_matches(|c: char| c.is_whitespace() || ".…()[]<>（）。-—*✂".contains(c));
    let has_dots = ["...", "…", ". . .", ".. "].iter().any(|dots| comment.contains(dots));
    let begins_with_dots = comment.starts_with("...") || comment.starts_with('…');
    if bare.is_empty() {
        return has_dots;
    }
    PHRASES.left_out.is_match(bare) || begins_with_dots && PHRASES.beside_dots.is_match(bare)
}

/// Tells whether the code above a line goes on in it.
fn is_in_a_list(file: &ChangedFile<'_>, number: usize) -> bool {
    let above = file.change.new_text().unwrap_or_default().lines().take(number - 1).map(str::trim_end);
    above.filter(|line| !line.is_empty()).last().is_some_and(|line| line.ends_with([',', '=', '(']))
}

fn is_nothing_but_dots(line: &str) -> bool {
    matches!(line.trim().trim_end_matches(';'), "..." | "…" | "[...]" | "[…]")
}

/// Tells whether a line of a document stands for content that is left out.
fn omits_content(line: &str) -> bool {
    let line = line.trim();
    let line = ["- ", "* ", "+ "].iter().find_map(|bullet| line.strip_prefix(bullet)).unwrap_or(line);
    let is_in_brackets = line.starts_with(['(', '[', '（']) && line.ends_with([')', ']', '）']);
    (is_in_brackets || !line.is_ascii()) && omits(line)
}

fn in_told_code(site: &Site<'_>) -> Option<Place> {
    let blocks = told::blocks(site, |line| SUSPECT.is_match(line));
    let line = blocks.iter().filter(|block| SUSPECT.is_match(block.text)).find_map(|block| {
        let comments = comments_of_text(told::family(block)?, block.text);
        let omitting = comments.iter().find(|comment| !comment.is_documentation && omits(comment.text));
        let dots = || block.text.lines().find(|line| is_nothing_but_dots(line));
        let is_python = block.language.starts_with("py");
        omitting.map(|comment| comment.text).or_else(|| if is_python { None } else { dots() })
    });
    line.map(|line| of_answer(format!("code that is only told leaves something out: `{}`", line.trim())))
}

/// Texts of the configuration count as written; three dots alone are what the built-in rule is about.
fn literals(site: &Site<'_>) -> Vec<Place> {
    let literals = site.settings.omission_patterns.iter().map(|text| text.trim());
    let literals: Vec<&str> = literals.filter(|text| !text.is_empty() && *text != "...").collect();
    if literals.is_empty() {
        return Vec::new();
    }
    let holds = |text: &str| literals.iter().copied().find(|literal| text.contains(literal));
    let files = ChangedFile::of_author(site);
    let added = files.iter().flat_map(|file| {
        let lines = file.change.added_lines();
        lines.filter_map(|(number, line)| Some(at(file.path(), number, format!("holds `{}`", holds(line)?))))
    });
    let blocks = told::blocks(site, |_| false);
    let told = blocks
        .iter()
        .filter_map(|block| Some(of_answer(format!("a code block holds `{}`", holds(block.text)?))));
    added.chain(told).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{Scene, gist};
    use model::change::Change;

    fn said(scene: &Scene) -> String {
        gist(&scene.shown_to(examine))
    }

    #[test]
    fn what_stands_for_something_left_out_is_found() {
        for (path, text, expected) in [
            ("a.ts", "f();\n// ...\n", "a.ts:2"),
            ("a.ts", "// ... existing code ...\n", "a.ts:1"),
            ("a.ts", "const items = [a, b, // etc.\n]\n", "a.ts:1"),
            ("a.ts", "function process() { // 残り省略\n}\n", "a.ts:1"),
            ("a.ts", "case 1: return \"one\"; // 以下同様\n", "a.ts:1"),
            ("a.rs", "// rest of the code unchanged\n", "a.rs:1"),
            ("a.rs", "/* ... */\n", "a.rs:1"),
            ("a.rs", "/* 省略 */\n", "a.rs:1"),
            ("a.py", "# remaining methods are similar\n", "a.py:1"),
            ("a.py", "# ... same as before\n", "a.py:1"),
            ("a.py", "# 残りは同様に実装\n", "a.py:1"),
            ("a.ts", "// 残りは同様に実装\n", "a.ts:1"),
            ("a.java", "void f() {\n  ...\n}\n", "a.java:2"),
            ("a.html", "<ul>\n<!-- ... -->\n</ul>\n", "a.html:2"),
            ("a.go", "// and so on\n", "a.go:1"),
            (
                "a.ts",
                "// (implementation continues as above)\n// [truncated]\n// [...]\n",
                "a.ts:1 a.ts:2 a.ts:3",
            ),
            ("a.ts", "// . . .\n// <existing code>\n// ... (100 more lines)\n", "a.ts:1 a.ts:2 a.ts:3"),
            ("a.py", "# -- snip --\n# .. rest omitted ..\n", "a.py:1 a.py:2"),
            ("a.js", "f();\n[...]\n", "a.js:2"),
            ("a.rs", "// existing code here\n", "a.rs:1"),
            ("a.rs", "// (省略)\n", "a.rs:1"),
            ("a.rs", "// 以下略\n// 続く\n// 既存のコード\n", "a.rs:1 a.rs:2 a.rs:3"),
            ("a.c", "f(); /* remaining ... */\n", "a.c:1"),
        ] {
            assert_eq!(said(&Scene::adding(path, text)), expected, "{text}");
        }
    }

    #[test]
    fn in_the_document_of_the_phase_nothing_stands_for_content() {
        let mut scene = Scene::new();
        let text =
            "# A\n（以下省略）\n- [...]\n(omitted for brevity)\n同上\nSome (...) do not.\n| a | 同上 |\n";
        scene.changes = vec![Change::of_texts(&scene.output, None, Some(text))];
        let lines: Vec<_> = scene.shown_to(examine).places.iter().filter_map(|place| place.line).collect();
        assert_eq!(lines, [2, 3, 4, 5]);
        assert_eq!(said(&Scene::adding("d.md", text)), "pass");
    }

    #[test]
    fn honest_lines_are_never_refused() {
        for (path, text) in [
            ("a.ts", "f(...args);\nconst b = {...a, c: 1};\nfunction g(...rest: number[]) {}\n"),
            ("a.rs", "let S { a, .. } = s; for i in 1..=3 {}\nprintln!(\"Loading...\"); // Loading...\n"),
            ("a.rs", "// handles json, yaml, etc.\n// rest of the arguments go to the program\n"),
            (
                "a.rs",
                "// Remaining budget in cents.\n// remaining cases\n// The existing code calls this twice.\n",
            ),
            ("a.rs", "/// Like this:\n/// ```\n/// // ...\n/// f();\n/// ```\n"),
            (
                "a.rs",
                "// accepts numbers\n// ...but no letters\n// 省略可能な引数\n// 残りの引数は省略できる\n",
            ),
            ("a.py", "class P(Protocol):\n    def f(self) -> int:\n        ...\n"),
            ("a.py", "@overload\ndef f(x: int) -> int:\n    ...\n\ndef f(x):\n    return x\n"),
            ("a.py", "class E(Exception):\n    ...\n\nx[..., 0] = 1\ntry:\n    g()\nexcept E:\n    ...\n"),
            ("a.pyi", "def f(x: int) -> int:\n    ...\n"),
            ("a.c", "int log(const char *format,\n  ...\n);\n"),
            ("a.yaml", "a: 1\n...\n---\nb: \"...\" # wait...\n"),
            ("a.go", "x = append(x, y...)\nfunc f(a ...int) {}\n// unchanged files are skipped\n"),
            ("a.sh", "echo \"Installing...\" # installs curl, jq etc.\n"),
            (
                "d.md",
                "Prose may pause ... and go on, etc.\n\n| a | 同上 |\n\n```rust\n// ...\n```\n引数は省略できます。\n",
            ),
            ("a.rs", "// The text is truncated.\n// snip the ends\nlet a = [truncated];\n"),
            ("d.md", "Some say so (...) and others do not.\n"),
            ("testdata/a.rs", "// ...\n"),
        ] {
            assert_eq!(said(&Scene::adding(path, text)), "pass", "{text}");
        }
        assert_eq!(said(&Scene::changing("a.rs", "// ...\nf();\n", "// ...\ng();\n")), "pass");
    }

    #[test]
    fn an_excerpt_of_what_is_on_disk_omits_nothing() {
        let told = "```ts\nfunction test() {\n  ...\n}\n```";
        assert_eq!(said(&Scene::answering(told)), "answer");
        assert_eq!(said(&Scene::answering(&told.replace("```ts", "```"))), "answer");
        let mut excerpt = Scene::adding("a.ts", "function test() {\n  return 1;\n}\n");
        excerpt.answer = Some(told.to_owned());
        assert_eq!(said(&excerpt), "pass");
        assert_eq!(
            said(&Scene::answering("```\nrunning 3 tests\n...\nok\n```\nAnd then ... `// ...`")),
            "pass"
        );
    }

    #[test]
    fn texts_of_the_configuration_are_literals() {
        let literals = |text: &str| {
            let mut scene = Scene::adding("a.md", text);
            scene.settings.omission_patterns = vec!["...".into(), "[snip]".into(), "// etc.".into()];
            said(&scene)
        };
        assert_eq!([literals("a ... b\n"), literals("a\nb [snip]\n")], ["pass", "a.md:2"]);
    }
}
