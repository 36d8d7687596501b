//! Q3: nothing that was added stands for something left out: no "rest unchanged" in a comment, no body of three dots, no
//! "(omitted)" in a document. Spread operators, ranges, stubs and running text are honest.

mod emptied;

use std::sync::LazyLock;

use regex::Regex;

use super::Site;
use super::outcome::{at, judged, of_answer};
use super::reading::added::{File, files, offences};
use super::reading::language::Language;
use super::reading::spelled::{Comment, Spelled};
use super::reading::{absent, told};
use crate::constant::pattern;
use model::event::{CheckResult, Place};

pub(super) const ID: &str = "omission";

/// What may be an offence, so that most lines need no second look.
static SUSPECT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\.\.\.|\. \. \.|continues|truncated|snip|…|\betc\b|remain|rest of|and so on|omitted|unchanged|same as|existing|implementation|your code|goes here|省略|同様|同上|続く|以下略|中略|後略|\(略\)|（略）|既存|変更なし",
    )
});

pub(super) fn examine(site: &Site<'_>) -> CheckResult {
    let mut places = offences(site, &SUSPECT, |file, number, line| offence(file, number, line, site));
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

fn offence(file: &File<'_>, number: usize, line: &str, site: &Site<'_>) -> Option<String> {
    let shown =
        || format!("`{}` stands for something left out", line.trim().chars().take(80).collect::<String>());
    let found = match file.language {
        Language::Document => omits_content(line) || omits_in_comment(file.spelled(), number),
        _ => omits_in_comment(file.spelled(), number) || is_hollow(file, number, site),
    };
    found.then(shown)
}

fn omits_in_comment(spelled: &Spelled<'_>, number: usize) -> bool {
    let plain = |comment: &&Comment<'_>| !comment.documentation;
    spelled.comments(number).iter().filter(plain).any(|comment| omits(comment.text))
}

/// Tells whether a whole comment stands for code that is left out.
fn omits(comment: &str) -> bool {
    static DOTS: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"(?i)^(?:\.{3,}|…+)\s*(?:$|(?:the |all |your )?(?:existing|rest|remaining|other|more|same|unchanged|previous|code|etc|omitted|implementation|as before|and so|similar|既存|残り|以下|省略|他)\b?)",
        )
    });
    static REST: LazyLock<Regex> = LazyLock::new(|| {
        let whole =
            "(?:the )?(?:rest|remaining|remainder|other|existing|previous)(?: of)?(?: the| this| your)?";
        let what = r"(?: \w+){0,2}? ?(?:code|implementation|methods?|functions?|file|logic|cases?|tests?|fields?|class|body|content|imports?|handlers?|routes?)?";
        let tail = r"(?: (?:is|are|stays?|remains?))?(?: (?:unchanged|the same|as before|here|omitted|goes here|similar\w*|same as (?:before|above)))";
        pattern(&format!(r"(?i)^\W*{whole}{what}(?:{tail}\W*|\W*(?:\.{{3,}}|…))$"))
    });
    static BARE: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"(?i)^\W*(?:etc|and so on|remaining|rest of (?:the )?(?:code|implementation|file|function|class|methods?)|(?:remaining|existing) (?:code|implementation)|(?:code |implementation |body |details )?omitted(?: for brevity)?|unchanged|same as (?:before|above)|(?:your |add your |implementation |the )?(?:code|implementation|logic) (?:goes )?here|implementation details)\W*$",
        )
    });
    static JAPANESE: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"^[\s（(\[.…]*(?:(?:以下|以降|残り|途中|中身|実装|他|その他|既存)?.{0,10}(?:省略|以下略|中略|後略)(?:します|する|しています)?|略|(?:以下|以降)?同様|続く|(?:既存|残り|以下)の?(?:コード|実装|処理)(?:は)?(?:そのまま|同じ|変更なし)?|(?:以下|以降)?変更なし)[\s）)\].。…]*$",
        )
    });
    let comment = comment.trim();
    [&*SNIP, &*DOTS, &*REST, &*BARE, &*JAPANESE].iter().any(|rule| rule.is_match(comment))
}

/// Marks of something cut out, as a whole comment or a whole line of code.
static SNIP: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)^[(\[]?\s*(?:(?:the )?(?:implementation|code) continues(?: (?:as|like) (?:above|before))?|truncated(?: for brevity)?|(?:-{2,}|<|\u{2702}) ?(?:snip|existing code) ?(?:-{2,}|>)?|\. \. \.|\[\.{3}\]|(?:\.{3}|…)\s*[(\[]?\d+ more (?:lines|functions|methods|cases)[)\]]?|\.{2,} ?rest omitted ?\.*)\s*[)\]]?$",
    )
});

/// Tells whether a line of code is nothing but three dots.
fn is_hollow(file: &File<'_>, number: usize, site: &Site<'_>) -> bool {
    static DOTS: LazyLock<Regex> = LazyLock::new(|| pattern(r"^\s*(?:\.{3,}|…)\s*;?\s*$"));
    let spelled = file.spelled();
    let line = spelled.line(number);
    let cut = SNIP.is_match(line.trim()) && spelled.code(number).trim() == line.trim();
    if cut && file.language.is_code() && file.language != Language::Unknown {
        return true;
    }
    if !file.language.is_code() || !DOTS.is_match(&spelled.code(number)) {
        return false;
    }
    if file.language == Language::Python {
        return is_hollow_function(file, number, site);
    }
    let above = (1..number).rev().map(|line| spelled.code(line)).find(|code| !code.trim().is_empty());
    !above.is_some_and(|code| code.trim_end().ends_with([',', '=', '(']))
}

/// In Python three dots are the body of what others write, of an exception, of a stand-in.
fn is_hollow_function(file: &File<'_>, number: usize, site: &Site<'_>) -> bool {
    static FUNCTION: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"^\s*(?:async\s+)?def\s|^\s*\)\s*(?:->.*)?:"));
    let spelled = file.spelled();
    let above = (1..number).rev().find(|line| !spelled.code(*line).trim().is_empty());
    let is_function = above.is_some_and(|line| FUNCTION.is_match(&spelled.code(line)));
    let stub =
        file.path.rsplit('.').next() == Some("pyi") || file.is_test() || file.text.contains("TYPE_CHECKING");
    is_function
        && !stub
        && absent::is_whole_body(file, number)
        && !absent::written_elsewhere(file, number, site)
}

/// Tells whether a line of a document stands for content that is left out.
fn omits_content(line: &str) -> bool {
    static ALONE: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"(?i)^(?:[-*+] |\d+\. )?(?:[（(\[]\s*(?:(?:以下|以降|中|後|残りは?)?(?:省略|略)|(?:the )?(?:rest|remainder|remaining \w+)?\s*(?:is |are )?omitted(?: for brevity)?)\s*[）)\]]|\[(?:\.{3,}|…)\]|[（(]\.{3,}[）)]|以下(?:省略|同様|略)|同上)[.。]?$",
        )
    });
    ALONE.is_match(line.trim())
}

fn in_told_code(site: &Site<'_>) -> Vec<Place> {
    let blocks = told::code(site, |line| SUSPECT.is_match(line));
    let found = blocks.iter().filter(|block| SUSPECT.is_match(block.text)).find_map(|block| {
        let spelled = Spelled::new(block.text, block.language);
        let dots = |number: usize| {
            block.language != Language::Python && matches!(spelled.code(number).trim(), "..." | "…")
        };
        let number = (1..=block.text.lines().count())
            .find(|number| omits_in_comment(&spelled, *number) || dots(*number))?;
        Some(spelled.line(number).trim().to_owned())
    });
    let place = |line: String| of_answer(format!("code that is only told leaves something out: `{line}`"));
    found.map(place).into_iter().collect()
}

/// Texts of the configuration count as written; three dots alone are what the built-in rule is about.
fn literals(site: &Site<'_>) -> Vec<Place> {
    let literals: Vec<&str> = site.settings.omission_patterns.iter().map(|text| text.trim()).collect();
    let literals: Vec<&str> =
        literals.into_iter().filter(|text| !text.is_empty() && *text != "...").collect();
    if literals.is_empty() {
        return Vec::new();
    }
    let holds = |text: &str| literals.iter().copied().find(|literal| text.contains(literal));
    let suspicious: Vec<File<'_>> = files(site).filter(|file| holds(file.text).is_some()).collect();
    let added = suspicious.iter().flat_map(|file| {
        let lines = file.change.added_lines();
        lines.filter_map(|(number, line)| Some(at(file.path, number, format!("holds `{}`", holds(line)?))))
    });
    let blocks = told::code(site, |_| false);
    let told = blocks
        .iter()
        .filter_map(|block| Some(of_answer(format!("a code block holds `{}`", holds(block.text)?))));
    added.chain(told).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{Scene, gist};

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
            ("a.py", "def f(x):\n    ...\n", "a.py:2"),
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
            ("d.md", "# A\n（以下省略）\n", "d.md:2"),
            ("d.md", "- [...]\n(omitted for brevity)\n同上\n", "d.md:1 d.md:2 d.md:3"),
        ] {
            assert_eq!(said(&Scene::adding(path, text)), expected, "{text}");
        }
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
