//! Q2: nothing that was added says that work is left open: no mark in a comment, no `todo!()`, no placeholder in the document
//! of the phase. The chat is not judged, except for code that is only told there; a mark that is talked about is none. In
//! documents of the project a mark is a question to the reviewer.

use super::added::added_comments;
use super::unfinished::{self, Unfinished};
use super::{ChangedFile, LanguageFamily, Place, Site, any_of, one_line, own_lines};
use source::SourceFile;

pattern!(MARK, &any_of("todo", "marks"));
pattern!(SUSPECT, &any_of("todo", "suspects"));
pattern!(LOCALE, &any_of("todo", "locales"));
pattern!(NOUN, &format!("^(?i:{})$", any_of("todo", "nouns")));
pattern!(OTHER_LANGUAGE, &format!("^(?i:{})$", any_of("todo", "other_languages")));

/// Emphasis, brackets and full stops around a promise.
const AROUND: &str = r"[\s*_\[\]()（）<>「」【】{}.。…!]*";
pattern!(
    /// A part of a line that promises content, with its bullet, number and box.
    PROMISE,
    &format!(
        r"^\s*(?:[-*+•]|\d+[.)])?\s*(?:\[[ xX]\])?{AROUND}(?:{}){AROUND}$",
        any_of("todo", "promises")
    )
);

pub(super) fn places(site: &Site<'_>) -> Vec<Place> {
    found(site, |file| !is_of_project_documents(file, site))
}

/// Returns the first mark of each document of the project.
pub(super) fn questions(site: &Site<'_>) -> Vec<Place> {
    let mut places = found(site, |file| is_of_project_documents(file, site));
    places.dedup_by(|next, first| next.file == first.file);
    for place in &mut places {
        place.what.push_str(". Is that what the issue asks for?");
    }
    places
}

/// Returns what is found in the files of a kind. A comment that the issue asks for is none.
fn found(site: &Site<'_>, is_wanted: impl Fn(&ChangedFile<'_>) -> bool + Sync) -> Vec<Place> {
    let issue = &site.issue.body;
    let is_demanded = |open: &Unfinished| open.text.len() >= 12 && issue.contains(&open.text);
    let find = |file: &ChangedFile<'_>| in_file(file).into_iter().filter(|open| !is_demanded(open)).collect();
    unfinished::places(site, &SUSPECT, |file| is_wanted(file) && !LOCALE.is_match(file.path()), find)
}

fn is_of_project_documents(file: &ChangedFile<'_>, site: &Site<'_>) -> bool {
    LanguageFamily::of(file.path()).is_text() && file.path() != site.output
}

fn in_file(file: &ChangedFile<'_>) -> Vec<Unfinished> {
    let comments = added_comments(file);
    let marks = comments.iter().filter_map(|comment| Some((comment.line, mark(comment.text())?)));
    let marks = marks
        .map(|(line, mark)| Unfinished::new(line, mark, format!("a comment says `{}`", one_line(mark, 80))));
    let statements = file.added_parts(SourceFile::open_statements).into_iter().map(|statement| {
        let what = format!("`{}` stands for code that is not there", one_line(statement.text, 80));
        Unfinished::new(statement.line, statement.text, what)
    });
    let mut found: Vec<Unfinished> = marks.chain(placeholders(file)).chain(statements).collect();
    found.sort_by_key(|open| open.line);
    found
}

/// Returns the mark of open work in a comment, with what follows it.
fn mark(comment: &str) -> Option<&str> {
    let mut marks = MARK.find_iter(comment);
    let found =
        marks.find(|found| is_mark(found.as_str(), &comment[..found.start()], &comment[found.end()..]))?;
    Some(comment[found.start()..].trim())
}

/// A mark begins a comment or a part of it, or names somebody, or has a colon. Small letters may be a word of another language.
fn is_mark(word: &str, before: &str, after: &str) -> bool {
    if is_talked_about(before, after) {
        return false;
    }
    let lead = before.trim_matches(|c: char| c.is_whitespace() || "-*•@!#[(<".contains(c));
    let is_addressed =
        after.trim_start().starts_with([':', '：']) || after.starts_with('(') || word.ends_with(':');
    let next = after.trim_start().split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    if word.chars().any(char::is_lowercase) {
        let is_plain = matches!(word, "todo" | "fixme") && !OTHER_LANGUAGE.is_match(next);
        let is_work = is_plain || is_addressed && !word.eq_ignore_ascii_case("xxx");
        return lead.is_empty() && is_work && !NOUN.is_match(next);
    }
    let begins = lead.is_empty() || lead.ends_with([',', ';', '.', ':', '：', '、', '。', '）', ')']);
    is_addressed || begins && !NOUN.is_match(next)
}

/// `TODO`s in quotation marks, `TODO.md`, `todo-list`, and `TODO, FIXME and TBD`: who lists marks talks about them.
fn is_talked_about(before: &str, after: &str) -> bool {
    pattern!(PART_BEFORE, r"[\p{L}\p{N}][-._/\\]+$|['「“]$");
    pattern!(PART_AFTER, r"^[-._/\\]\p{L}|^\s*(?:,|/|、|and|or|と)\s*`?(?:TODO|FIXME|TBD|HACK|XXX)(?-u:\b)");
    let is_quoted = ['`', '"'].iter().any(|quote| before.matches(*quote).count() % 2 == 1);
    is_quoted || MARK.is_match(before) || PART_BEFORE.is_match(before) || PART_AFTER.is_match(after)
}

/// Returns the lines of a document that hold a promise of content instead of it.
fn placeholders(file: &ChangedFile<'_>) -> Vec<Unfinished> {
    if !LanguageFamily::of(file.path()).is_text() {
        return Vec::new();
    }
    let promises = |line: &str| {
        let is_heading_or_code = line.trim_start().starts_with(['#', '`']);
        !is_heading_or_code && line.split(['|', ':', '：']).any(|part| PROMISE.is_match(part))
    };
    let lines = own_lines(file.change.new_text().unwrap_or_default()).into_iter();
    let found = lines.filter(|(number, line)| promises(line) && file.is_added(*number));
    let what = "a placeholder stands for content";
    found.map(|(number, line)| Unfinished::new(number, line.trim(), what.to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge_places;
    use crate::scene::{Scene, gist};
    use model::change::Change;
    use model::event::CheckResult;

    fn examine(site: &Site<'_>) -> CheckResult {
        judge_places("todo", places(site))
    }

    fn said(scene: &Scene) -> String {
        gist(&scene.shown_to(examine))
    }

    #[test]
    fn open_work_is_found_where_the_change_put_it() {
        for (path, text, expected) in [
            ("a.ts", "// TODO: implement this function\n", "a.ts:1"),
            ("a.ts", &format!("{}x(); // FIXME handle errors\n", "ok();\n".repeat(3000)), "a.ts:3001"),
            ("a.rs", "fn f() {\n    todo!(\"later\")\n}\n", "a.rs:2"),
            ("a.py", "def f(x):\n    \"\"\"TODO: say what it does.\"\"\"\n    return x\n", "a.py:2"),
            ("a.java", "/*\n * Broken, FIXME later.\n */\n", "a.java:2"),
            ("a.rs", "let x = 1; // todo: check the limits\n", "a.rs:1"),
            ("a.rs", "// 並び替え: TODO あとで\n", "a.rs:1"),
            ("a.ts", "// TODOを実装する\n", "a.ts:1"),
            ("a.sh", "true # XXX quick fix\n", "a.sh:1"),
            ("a.html", "<p>x</p> <!-- TODO -->\n", "a.html:1"),
            ("a.sql", "-- TBD: index\n", "a.sql:1"),
            ("a.rs", "// ＴＯＤＯ: wide\n", "a.rs:1"),
            ("a.ts", "// To do: implement\n", "a.ts:1"),
            ("a.py", "x = 1  # todo handle\n", "a.py:1"),
            ("a.py", "# todo handle\n", "a.py:1"),
            ("a.py", "# fixme this is wrong for zero\n", "a.py:1"),
            ("src/generated/a.py", "# TODO: pay\n", "src/generated/a.py:1"),
            ("src/pay.generated.ts", "// TODO: pay\n", "src/pay.generated.ts:1"),
            ("corpus/a.py", "# TODO: pay\n", "corpus/a.py:1"),
            ("tool.unknown", "x; # HACK around the cache\n", "tool.unknown:1"),
            ("a.test.ts", "it.todo('rejects bad input');\n", "a.test.ts:1"),
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
        assert_eq!((said(&finder).as_str(), finder.shown_to(questions).len()), ("pass", 0));
    }

    #[test]
    fn in_the_document_of_the_phase_a_placeholder_stands_for_content() {
        for (line, expected) in [
            ("TODO", true),
            ("- TBD", true),
            ("**To be written.**", true),
            ("TODO: describe the errors", true),
            ("| limits | TBD |", true),
            ("Owner: TODO", true),
            ("- [ ] FIXME - measure", true),
            ("（後で書く）", true),
            ("未定", true),
            ("追記予定。", true),
            ("<!-- TODO: figures -->", true),
            ("Coming soon...", true),
            ("The words TODO and TBD are searched.", false),
            ("It is to be done by Friday.", false),
            ("| `TODO` in a comment | found |", false),
            ("日程は未定です。", false),
        ] {
            let text = format!("# A\n\n{line}\n");
            let mut scene = Scene::new();
            scene.changes = vec![Change::of_texts(&scene.output, None, Some(&text))];
            let expected_places = if expected { format!("{}:3", scene.output) } else { "pass".to_owned() };
            assert_eq!(said(&scene), expected_places, "{line}");
            let of_project = Scene::adding("d.md", &text);
            assert_eq!(said(&of_project), "pass", "{line}");
            assert_eq!(of_project.shown_to(questions).len(), usize::from(expected), "{line}");
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
