//! Q2: nothing that was added says that work is left open: no mark in a comment, no statement of absence, no placeholder in a
//! document. The chat is not judged, except for code that is only told there; a mark that is talked about is none.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;

use super::Site;
use super::outcome::{judged, of_answer};
use super::reading::added::{File, offences};
use super::reading::language::Language;
use super::reading::spelled::Spelled;
use super::reading::{absent, told};
use crate::constant::pattern;
use model::event::{CheckResult, Place};

pub(super) const ID: &str = "todo";

/// What may be an offence, so that most lines need no second look.
static SUSPECT: LazyLock<Regex> = LazyLock::new(|| {
    let words = r"(?-u:\b)(?:TODO|FIXME|TBD|TBA|HACK|XXX)(?-u:\b)";
    let absence = r"implement|fatalError|\?\?\?|to be |coming soon|placeholder|lorem ipsum|later";
    let japanese = "未|後で|あとで|後日|予定|作成中|執筆中|準備中|ここに";
    let disguised = "[\u{ad}\u{200b}-\u{200d}\u{2060}\u{feff}\u{ff21}-\u{ff3a}\u{ff41}-\u{ff5a}]";
    pattern(&format!("(?i){words}|{absence}|to[ -]do:|{japanese}|{disguised}"))
});

pub(super) fn examine(site: &Site<'_>) -> CheckResult {
    let mut places = offences(site, &SUSPECT, |file, number, line| offence(file, number, line, site));
    places.extend(in_told_code(site));
    judged(ID, "todo-left", places, "work is left open", "nothing that was added says that work is left open")
}

fn offence(file: &File<'_>, number: usize, line: &str, site: &Site<'_>) -> Option<String> {
    if file.language == Language::Document {
        let fenced = || inside_a_fence(file.text, number);
        return (is_placeholder(&folded(line), mentions_marks(site)) && !fenced())
            .then(|| "a placeholder stands for content".to_owned())
            .or_else(|| in_comment(file.spelled(), number, site, is_of_a_locale(file.path)));
    }
    in_comment(file.spelled(), number, site, is_of_a_locale(file.path))
        .or_else(|| admitted(file, number))
        .or_else(|| open_text(file, number, site))
        .or_else(|| absent::statement(file, number, site))
}

fn in_comment(spelled: &Spelled<'_>, number: usize, site: &Site<'_>, only_loud: bool) -> Option<String> {
    let comments = spelled.comments(number);
    let mark = comments.iter().find_map(|comment| {
        mark(&folded(comment.text), comment.documentation, only_loud).map(str::to_owned)
    })?;
    let demanded = mark.len() >= 12 && site.issue.body.contains(&mark);
    (!demanded).then(|| format!("a comment says `{}`", clip(&mark)))
}

/// A comment that owns that this is not the real thing; of a stand-in in tests that is true.
fn admitted(file: &File<'_>, number: usize) -> Option<String> {
    static OWNED: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"(?i)^to[ -]do:\s*\S|\bin (?:a|the) real implementation\b|\ba real implementation (?:would|should)\b",
        )
    });
    let comments = file.spelled().comments(number);
    let owned = comments.iter().find(|comment| !comment.documentation && OWNED.is_match(comment.text))?;
    let told = is_of_a_locale(file.path) || file.is_test();
    (!told).then(|| format!("a comment says `{}`", clip(owned.text)))
}

/// Takes off what hides a word from a search and from no reader: characters without width, letters of full width.
fn folded(text: &str) -> Cow<'_, str> {
    let hides = |c: char| matches!(c, '\u{ad}' | '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}');
    let wide = |c: char| matches!(c, '\u{ff21}'..='\u{ff3a}' | '\u{ff41}'..='\u{ff5a}');
    if !text.contains(|c| hides(c) || wide(c)) {
        return Cow::Borrowed(text);
    }
    let narrow = |c: char| if wide(c) { char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c) } else { c };
    Cow::Owned(text.chars().filter(|c| !hides(*c)).map(narrow).collect())
}

/// Tells texts of other languages, where `todo` is a word.
fn is_of_a_locale(path: &str) -> bool {
    const FOLDERS: [&str; 8] =
        ["locales", "locale", "i18n", "l10n", "lang", "langs", "translations", "_locales"];
    let path = path.to_lowercase();
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    path.split('/').any(|part| FOLDERS.contains(&part))
        || matches!(ending, "po" | "pot" | "arb" | "xlf" | "xliff" | "strings")
}

/// A text that says what is to be done, in a project that has nothing to do with such texts.
fn open_text(file: &File<'_>, number: usize, site: &Site<'_>) -> Option<String> {
    static OPEN: LazyLock<Regex> = LazyLock::new(|| pattern(r"^(?:TODO|FIXME)(?:\([^)]*\))?:\s*\S"));
    let is_notebook = file.path.to_lowercase().ends_with(".ipynb");
    if is_of_a_locale(file.path) || is_notebook {
        return None;
    }
    let texts = file.spelled().texts(number);
    let open = texts.iter().find(|text| OPEN.is_match(text))?;
    (!mentions_marks(site)).then(|| format!("a text says `{}`", clip(open)))
}

fn in_told_code(site: &Site<'_>) -> Vec<Place> {
    let blocks = told::code(site, |_| false);
    let found = blocks.iter().filter(|block| SUSPECT.is_match(block.text)).find_map(|block| {
        let spelled = Spelled::new(block.text, block.language);
        (1..=block.text.lines().count()).find_map(|number| in_comment(&spelled, number, site, false))
    });
    found.map(|what| of_answer(format!("code that is only told: {what}"))).into_iter().collect()
}

/// Words after a mark that show that it is talked about.
const NOUNS: [&str; 34] = [
    "mark",
    "marks",
    "marker",
    "markers",
    "comment",
    "comments",
    "item",
    "items",
    "list",
    "lists",
    "word",
    "words",
    "tag",
    "tags",
    "keyword",
    "keywords",
    "entry",
    "entries",
    "app",
    "state",
    "status",
    "column",
    "model",
    "component",
    "type",
    "view",
    "page",
    "store",
    "service",
    "api",
    "id",
    "title",
    "task",
    "tasks",
];
/// Words before a mark that show the same.
const BEFORE: [&str; 16] = [
    "no", "any", "every", "each", "all", "the", "of", "for", "like", "as", "finds", "find", "counts",
    "count", "word", "leftover",
];

/// Returns the mark of open work in a comment, with what follows it.
fn mark(comment: &str, documentation: bool, only_loud: bool) -> Option<&str> {
    static WORD: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"(?i)(?-u:\b)(?:TODO|FIXME|TBD|HACK|XXX)(?-u:\b)"));
    let found = WORD.find_iter(comment).find(|found| {
        let (before, after) = (&comment[..found.start()], &comment[found.end()..]);
        let quiet = found.as_str().bytes().any(|byte| byte.is_ascii_lowercase());
        !(quiet && only_loud) && is_mark(found.as_str(), before, after, documentation)
    })?;
    Some(comment[found.start()..].trim())
}

fn is_mark(word: &str, before: &str, after: &str, documentation: bool) -> bool {
    if is_part_of_a_name(before, after) || is_quoted(before) {
        return false;
    }
    let loud = word.bytes().all(|byte| byte.is_ascii_uppercase());
    let begins = before.trim_matches(|c: char| c.is_whitespace() || "-*•@!#[(<".contains(c)).is_empty();
    let addressed = after.trim_start().starts_with([':', '：']) || after.starts_with('(');
    let next = next_word(after);
    if !loud {
        // In other languages it is a word: all, everything.
        let quiet = after.starts_with([':', '：', '(']) || before.ends_with('@') && !documentation;
        return begins && quiet && !word.eq_ignore_ascii_case("xxx") && !NOUNS.contains(&next.as_str());
    }
    let listed = lists_marks(after) || is_listed(before);
    let talked_about = NOUNS.contains(&next.as_str()) || listed;
    let previous = before.split_whitespace().next_back().unwrap_or_default().to_lowercase();
    (addressed && !listed) || (!talked_about && (begins || !BEFORE.contains(&previous.as_str())))
}

/// `todo-list`, `TODO.md`, `XXX-XXXX`.
fn is_part_of_a_name(before: &str, after: &str) -> bool {
    let joins = |c: char| matches!(c, '-' | '.' | '_' | '/' | '\\');
    let mut following = after.chars();
    let joined = following.next().is_some_and(joins) && following.next().is_some_and(char::is_alphabetic);
    joined || before.ends_with(joins) && before.trim_end_matches(joins).ends_with(char::is_alphanumeric)
}

fn is_quoted(before: &str) -> bool {
    let odd = |mark: char| before.matches(mark).count() % 2 == 1;
    odd('`') || odd('"') || before.ends_with(['\'', '「', '“'])
}

fn next_word(after: &str) -> String {
    after.trim_start().chars().take_while(|c| c.is_alphanumeric()).collect::<String>().to_lowercase()
}

/// `TODO, FIXME and TBD`: who lists marks talks about them.
fn lists_marks(after: &str) -> bool {
    static NEXT: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"^\s*(?:,|/|、|and|or|と)\s*`?(?:TODO|FIXME|TBD|HACK|XXX)(?-u:\b)"));
    NEXT.is_match(after)
}

fn is_listed(before: &str) -> bool {
    static PREVIOUS: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"(?-u:\b)(?:TODO|FIXME|TBD|HACK|XXX)`?\s*(?:,|/|、|and|or|と)\s*`?$"));
    PREVIOUS.is_match(before)
}

/// The issue is about such marks.
fn mentions_marks(site: &Site<'_>) -> bool {
    static WORD: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?-u:\b)(?:TODO|FIXME|TBD)(?-u:\b)"));
    WORD.is_match(&site.issue.title) || WORD.is_match(&site.issue.body)
}

/// Tells whether a line of a document holds nothing but a promise of content. `talked_about` leaves only the bare words.
fn is_placeholder(line: &str, talked_about: bool) -> bool {
    static BARE: LazyLock<Regex> = LazyLock::new(|| {
        let english = r"to be (?:written|determined|decided|defined|done|added|completed|filled(?: in)?)(?: later| soon)?|coming soon|(?:fill|write) (?:this|it)(?: in)? later|placeholder|lorem ipsum.*";
        let japanese = "未定|未記入|(?:後|あと)で(?:書く|書きます|記載|記入|追記)(?:する|します)?|後日(?:記載|追記)|(?:追記|記載)予定|作成中|執筆中|準備中|ここに.{1,15}を(?:書く|記載)";
        pattern(&format!("^(?i:TODO|TBD|TBA|FIXME|XXX|{english}|{japanese})$"))
    });
    static BEGUN: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"^(?:TODO|TBD|FIXME)(?:\([^)]*\)\s*[:：]?|\s*[:：]|\s+[-–—])\s*\S"));
    static LABELLED: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"^[^:：]{1,40}[:：][\s*_]*[\[(（<]?(?:TODO|TBD|FIXME)[\])）>]?[.。]?$"));
    static HEADED: LazyLock<Regex> = LazyLock::new(|| pattern(r"^#+ .*[(（\[](?:TODO|TBD)[\])）]$"));
    let line = line.trim();
    if line.starts_with('>') || line.starts_with("```") {
        return false;
    }
    if line.starts_with('|') {
        return line.split('|').any(|cell| BARE.is_match(undecorated(cell)));
    }
    if line.starts_with('#') {
        return HEADED.is_match(line);
    }
    let content = undecorated(line);
    BARE.is_match(content) || (!talked_about && (BEGUN.is_match(content) || LABELLED.is_match(line)))
}

/// Takes bullets, numbers, boxes, emphasis, brackets and full stops off.
fn undecorated(line: &str) -> &str {
    static BULLET: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"^\s*(?:[-*+•]|\d+[.)])?\s*(?:\[[ xX]\])?\s*"));
    let line = BULLET.find(line).map_or(line, |found| &line[found.end()..]);
    line.trim_matches(|c: char| c.is_whitespace() || "*_[]()（）<>「」【】{}.。…!".contains(c))
}

fn inside_a_fence(text: &str, number: usize) -> bool {
    let fences = text.lines().take(number.saturating_sub(1)).filter(|line| {
        let line = line.trim_start();
        line.starts_with("```") || line.starts_with("~~~")
    });
    fences.count() % 2 == 1
}

fn clip(text: &str) -> String {
    text.chars().take(80).collect()
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
    fn open_work_is_found_where_the_change_put_it() {
        for (path, text, expected) in [
            ("a.ts", "// TODO: implement this function\n", "a.ts:1"),
            ("a.ts", &format!("{}x(); // FIXME handle errors\n", "ok();\n".repeat(3000)), "a.ts:3001"),
            ("a.rs", "fn f() {\n    todo!(\"later\")\n}\n", "a.rs:2"),
            ("a.rs", "fn f() -> u8 {\n    unimplemented!()\n}\n", "a.rs:2"),
            ("a.py", "def f(x):\n    raise NotImplementedError\n", "a.py:2"),
            ("a.py", "def f(x):\n    \"\"\"TODO: say what it does.\"\"\"\n    return x\n", "a.py:2"),
            ("a.js", "function f() {\n  throw new Error('not implemented');\n}\n", "a.js:2"),
            ("a.go", "func f() {\n\tpanic(\"TODO\")\n}\n", "a.go:2"),
            ("a.kt", "fun f() {\n    TODO(\"later\")\n}\n", "a.kt:2"),
            ("a.java", "/*\n * Broken, FIXME later.\n */\n", "a.java:2"),
            ("a.rs", "let x = 1; // todo: check the limits\n", "a.rs:1"),
            ("a.rs", "// 並び替え: TODO あとで\n", "a.rs:1"),
            ("a.ts", "// TODOを実装する\n", "a.ts:1"),
            ("a.sh", "true # XXX quick fix\n", "a.sh:1"),
            ("a.html", "<p>x</p> <!-- TODO -->\n", "a.html:1"),
            ("a.sql", "-- TBD: index\n", "a.sql:1"),
            ("a.rs", "// TO\u{200b}DO: hidden\n// ＴＯＤＯ: wide\n", "a.rs:1 a.rs:2"),
            (
                "a.ts",
                "// To do: implement\n// In a real implementation this asks the bank.\n",
                "a.ts:1 a.ts:2",
            ),
            ("a.cs", "public int F(int x) => throw new NotImplementedException();\n", "a.cs:1"),
            ("a.kt", "fun f(): Int = TODO()\n", "a.kt:1"),
            ("a.js", "function f() {\n  return Promise.reject(new Error('not implemented'));\n}\n", "a.js:2"),
            ("src/generated/a.py", "# TODO: pay\n", "src/generated/a.py:1"),
            ("src/pay.generated.ts", "// TODO: pay\n", "src/pay.generated.ts:1"),
            ("corpus/a.py", "# TODO: pay\n", "corpus/a.py:1"),
            ("tool.unknown", "x; # HACK around the cache\n", "tool.unknown:1"),
            ("a.test.ts", "it.todo('rejects bad input');\n", "a.test.ts:1"),
            ("a.ts", "return \"TODO: build the answer\";\n", "a.ts:1"),
            ("src/list.rs", "/// A list of todo items.\n// TODO(me): sort the todo items\n", "src/list.rs:2"),
        ] {
            assert_eq!(said(&Scene::adding(path, text)), expected, "{path}: {}", text.trim());
        }
    }

    #[test]
    fn honest_code_is_never_refused() {
        for (path, text) in [
            (
                "a.rs",
                "/// A list of todo items.\nstruct TodoList;\n// Todo items are sorted.\n// the todo app\n",
            ),
            ("a.rs", "// Reports every TODO that was added.\n// Finds `TODO` marks and \"FIXME\" ones.\n"),
            ("a.rs", "const MARKS: [&str; 2] = [\"TODO\", \"FIXME\"];\n"),
            ("a.rs", "// TODO, FIXME and TBD are marks of open work.\n"),
            (
                "a.rs",
                "// A phone number is XXX-XXXX-XXXX; see TODO.md.\nlet hackathon = 1; // Hack attempts are logged.\n",
            ),
            (
                "a.ts",
                "const columns = [\"TODO\", \"DOING\", \"DONE\"];\nthrow new HttpError(501, \"Not Implemented\");\n",
            ),
            (
                "a.ts",
                "function f(x) {\n  if (x) {\n    throw new Error('not implemented for ' + x);\n  }\n  return x;\n}\n",
            ),
            (
                "a.py",
                "class Base(ABC):\n    @abstractmethod\n    def f(self):\n        raise NotImplementedError\n",
            ),
            (
                "a.py",
                "class Shape:\n    def area(self):\n        raise NotImplementedError\n\nclass Box(Shape):\n    def area(self):\n        return 1\n",
            ),
            (
                "tests/fake.rs",
                "impl Disk for Fake {\n    fn sync(&self) {\n        unimplemented!()\n    }\n}\n",
            ),
            ("tests/fixtures/todo.rs", "// TODO: found by the test\n"),
            ("vendor/lib/a.go", "// TODO: theirs\n"),
            ("web/app.min.js", "/* TODO */\n"),
            ("a.json", "{\"status\": \"TODO\"}\n"),
            (
                "docs/checks.md",
                "The check `todo` finds TODO and FIXME in comments.\n\n```rust\n// TODO: like this\n```\n",
            ),
            (
                "docs/plan.md",
                "> TODO\n\nNo TODO is left. Everything is to be done in one pass.\n\n## TODO list\n",
            ),
            ("a.py", "# todo el libro cuenta\n# Todo o nada\n# Todos los casos\n"),
            ("src/locales/es.ts", "// todo: non\nexport const all = \"TODO: el libro\";\n"),
            (
                "a.rs",
                "match n {\n    0 => 1,\n    _ => unimplemented!(\"only zero is supported by the protocol\"),\n}\n",
            ),
            (
                "a.py",
                "class View(Store):\n    def put(self, x):\n        raise NotImplementedError(\"read-only store cannot be written\")\n",
            ),
            ("generated/a.ts", &format!("{}// TODO: theirs\n", "ok();\n".repeat(300))),
            ("docs/表.md", "未定の項目はありません。後で書くことはない。\n"),
        ] {
            assert_eq!(said(&Scene::adding(path, text)), "pass", "{path}: {text}");
        }
    }

    #[test]
    fn what_stood_there_or_only_moved_is_not_charged() {
        let old = "// TODO: old\nfn a() {}\nfn b() {}\n";
        assert_eq!(said(&Scene::changing("a.rs", old, "// TODO: old\nfn a() { 1 }\nfn b() {}\n")), "pass");
        assert_eq!(said(&Scene::changing("a.rs", old, "fn b() {}\n    // TODO: old\nfn a() {}\n")), "pass");
        let moved = Scene::changing("a.rs", old, "fn a() {}\nfn b() {}\n");
        assert_eq!(said(&moved.with(Change::of_texts("b.rs", None, Some("x(); // TODO: old\n")))), "pass");
        let twice = Scene::changing("a.rs", old, "fn a() {}\n");
        let twice = twice.with(Change::of_texts("b.rs", None, Some("// TODO: old\n// TODO: old\n")));
        assert_eq!(said(&twice), "b.rs:2");
        assert_eq!(said(&Scene::changing("a.rs", old, "// TODO: new\nfn a() {}\nfn b() {}\n")), "a.rs:1");
    }

    #[test]
    fn what_the_issue_demands_is_not_charged() {
        let demanded = Scene::adding("a.rs", "// TODO(#12): remove after the migration\n");
        assert_eq!(said(&demanded.about("Leave `// TODO(#12): remove after the migration` there.")), "pass");
        let finder = Scene::adding("a.ts", "const sample = \"TODO: x\";\n").about("Find TODO comments.");
        assert_eq!(said(&finder), "pass");
        let stub = Scene::adding("a.py", "def f():\n    raise NotImplementedError\n");
        assert_eq!(said(&stub.about("Calling f raises NotImplementedError.")), "pass");
    }

    #[test]
    fn in_documents_a_placeholder_stands_for_content() {
        for (line, expected) in [
            ("TODO", "d.md:3"),
            ("- TBD", "d.md:3"),
            ("**To be written.**", "d.md:3"),
            ("TODO: describe the errors", "d.md:3"),
            ("| limits | TBD |", "d.md:3"),
            ("Owner: TODO", "d.md:3"),
            ("- [ ] FIXME - measure", "d.md:3"),
            ("（後で書く）", "d.md:3"),
            ("未定", "d.md:3"),
            ("追記予定。", "d.md:3"),
            ("<!-- TODO: figures -->", "d.md:3"),
            ("Coming soon...", "d.md:3"),
            ("The words TODO and TBD are searched.", "pass"),
            ("It is to be done by Friday.", "pass"),
            ("| `TODO` in a comment | found |", "pass"),
            ("日程は未定です。", "pass"),
        ] {
            assert_eq!(said(&Scene::adding("d.md", &format!("# A\n\n{line}\n"))), expected, "{line}");
        }
    }

    #[test]
    fn in_the_answer_only_code_that_is_told_counts() {
        for (answer, expected) in [
            ("Created the file. TODO: add error handling", "pass"),
            ("```rust\nfn f() {\n    // TODO: implement\n    g();\n}\n```", "answer"),
            ("```console\n$ grep TODO\nsrc/a.rs: // TODO: x\n```", "pass"),
            ("In `old.rs` stood before:\n```rust\n// TODO: old\nlet a = 1;\n```", "pass"),
        ] {
            let scene = Scene::answering(answer).on_disk("old.rs", "// TODO: old\nlet a = 1;\n");
            assert_eq!(said(&scene), expected, "{answer}");
        }
    }
}
