//! What stands for something left out, and honest lines that look alike.

use super::*;
use crate::judge_places;
use crate::scene::{Scene, gist};
use model::change::Change;
use model::event::CheckResult;

fn examine(site: &Site<'_>) -> CheckResult {
    judge_places("omission", places(site))
}

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
    let text = "# A\n（以下省略）\n- [...]\n(omitted for brevity)\n同上\nSome (...) do not.\n| a | 同上 |\n";
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
        ("a.rs", "// accepts numbers\n// ...but no letters\n// 省略可能な引数\n// 残りの引数は省略できる\n"),
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
    assert_eq!(said(&Scene::answering("```\nrunning 3 tests\n...\nok\n```\nAnd then ... `// ...`")), "pass");
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
