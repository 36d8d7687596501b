//! Finds the tests of a source file: name, line, marks and asserts. By lines and indentation, for formatted code; knows no grammar.
//! A test that stands in a comment is none.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::groups::Groups;
use super::strength::{is_assert, is_trivial, normal};
use super::tables::named;
use crate::reading::source::{ending, without_comments};

/// One test.
#[derive(Debug, Clone, Default)]
pub(super) struct Case {
    pub(super) path: String,
    pub(super) name: String,
    /// The classes, modules and groups that it stands in, the outermost first.
    pub(super) groups: Vec<String>,
    /// From 1.
    pub(super) line: usize,
    /// Attributes, decorators and the lines of the test, without comments.
    pub(super) text: String,
    /// The loop or the list of values that it runs for, where that stands elsewhere.
    pub(super) table: String,
    /// Each assert on one line without white space, and its line from 1.
    pub(super) asserts: Vec<(usize, String)>,
    /// Where the test returns before an assert.
    pub(super) early_return: Option<usize>,
    /// Where it is skipped on its first level, whatever holds.
    pub(super) skipped_in_body: Option<usize>,
}

/// How the tests of a language begin.
struct TestSyntax {
    /// Has the group `name`, or `quote` where a name in quotation marks begins.
    begins: &'static Regex,
    /// What marks the function below it as a test; nothing where its name does.
    mark: Option<&'static Regex>,
    indented: bool,
    /// One of these is in the line that a test begins with.
    parts: &'static [&'static str],
}

pattern!(RUST, r"\bfn\s+(?P<name>\w+)");
pattern!(RUST_MARK, r"#\[\s*(?:\w+::)*(?:test|rstest|test_case|quickcheck|wasm_bindgen_test|test_log)\b");
pattern!(PYTHON, r"^\s*(?:async\s+)?def\s+(?P<name>test\w*)\s*\(");
pattern!(
    SCRIPT,
    r#"^\s*(?:for\s*\([^)]*\)\s*)?(?:await\s+)?(?:[xf]?(?:it|test|specify)|Deno\.test|t\.step)(?:\.\w+)*\s*(?:\(|`|\.each)(?:\s*(?:\{\s*)?(?:name:\s*)?(?P<quote>['"`]))?"#
);
pattern!(GO, r"^func\s+(?P<name>(?:Test|Example|Fuzz)\w*)\s*\(");
pattern!(JAVA, r"(?P<name>`[^`]+`|\w+)\s*\([^;]*$");
pattern!(
    JAVA_MARK,
    r"^\s*(?:@(?:Test|ParameterizedTest|RepeatedTest|TestFactory)\b|\[(?:Fact|Theory|Test|TestMethod|TestCase)\b)"
);
pattern!(RUBY, r#"^\s*(?:(?:[xf]?(?:it|specify)|test)\s+(?P<quote>['"])|def\s+(?P<name>test_\w+))"#);
pattern!(PHP, r"function\s+(?P<name>test\w*)\s*\(");
pattern!(
    HELPER,
    r"(?x) ^\s*(?:(?:pub(?:\([a-z]+\))?|async|export|const|static|private)\s+)*(?:fn|def|function\*?|func|void)\s+(?P<name>\w+)
      | ^\s*(?:export\s+)?(?:let|const|var)?\s*(?P<bound>\w+)\b[^=]*=\s*(?:async\s+)?(?:move\s*)?(?:function\b|func\(|lambda\b|\||\([^;]*=>|\w+\s*=>)"
);
pattern!(LOOP, r"^\s*(?:for\s*\(.*\{\s*$|[\w.]+\.(?:forEach|each)\b.*(?:\{|do\s*\|\w.*\|)\s*$)");
pattern!(
    LIST,
    r#"\.each\(\s*(?P<each>[A-Za-z_]\w*)|parametrize\([^\n]*,\s*(?P<python>[A-Za-z_]\w*)\s*\)|@MethodSource\(\s*"(?P<method>\w+)"|\b(?:of|in)\s+(?P<loop>[A-Za-z_]\w*)|^\s*(?P<of>\w+)\.(?:forEach|each)\b"#
);
pattern!(RETURN, r"^\s*return(?:\s+(?:None|True|true|null|undefined|Ok\(\(\)\)))?\s*;?\s*$");
pattern!(GUARDED, r"^\s*if\b.*\breturn\b[^;]{0,12};?\s*\}?\s*$");
pattern!(
    SKIP_CALL,
    r"^\s*(?:t\.Skip(?:f|Now)?|pytest\.(?:skip|xfail)|self\.skipTest|this\.skip|t\.skip|ctx\.skip)\s*\("
);

fn language(path: &str) -> Option<TestSyntax> {
    let (begins, mark, indented, parts): (_, Option<&'static Regex>, _, &[&str]) = match ending(path) {
        "rs" => (&RUST, Some(&RUST_MARK), false, &["fn "]),
        "py" => (&PYTHON, None, true, &["def test"]),
        "js" | "jsx" | "mjs" | "cjs" | "ts" | "tsx" | "mts" | "cts" => {
            (&SCRIPT, None, false, &["it", "test", "specify", "step"])
        }
        "go" => (&GO, None, false, &["func "]),
        "java" | "kt" | "cs" => (&JAVA, Some(&JAVA_MARK), false, &["("]),
        "rb" => (&RUBY, None, true, &["it", "specify", "test"]),
        "php" => (&PHP, None, false, &["function test"]),
        _ => return None,
    };
    Some(TestSyntax { begins, mark, indented, parts })
}

fn has(line: &str, parts: &[&str]) -> bool {
    parts.iter().any(|part| line.contains(part))
}

/// Tells whether the tests of a file can be found by its ending.
pub(super) fn is_known(path: &str) -> bool {
    language(path).is_some()
}

/// Returns the functions of a file that hold asserts and are no tests.
pub(super) fn helpers_of(path: &str, text: &str) -> BTreeSet<String> {
    let Some(language) = language(path) else { return BTreeSet::new() };
    let code = without_comments(path, text);
    let lines: Vec<&str> = code.lines().collect();
    helpers(&lines, &beginnings(&lines, &language)).into_iter().map(str::to_owned).collect()
}

/// Returns the functions of a file that are no tests, each as if it were one.
pub(super) fn helper_cases(path: &str, text: &str) -> Vec<Case> {
    let Some(language) = language(path) else { return Vec::new() };
    let code = without_comments(path, text);
    let lines: Vec<&str> = code.lines().collect();
    let tests: BTreeSet<usize> = beginnings(&lines, &language).iter().map(|(_, at, _)| *at).collect();
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate().filter(|(at, _)| !tests.contains(at)) {
        if !has(line, &["fn ", "def ", "func"]) {
            continue;
        }
        let Some(name) = HELPER.captures(line).and_then(|begin| begin.name("name")) else { continue };
        let end = end_of(&lines, at, language.indented);
        let asserts = asserts(path, &lines, (at + 1).min(end)..end, &BTreeSet::new());
        let (path, name, text) = (path.to_owned(), name.as_str().to_owned(), lines[at..end].join("\n"));
        found.push(Case { path, name, line: at + 1, text, asserts, ..Case::default() });
    }
    found
}

/// Returns the tests of a file. A call of a helper, shared or of its own, is an assert.
pub(super) fn cases(path: &str, text: &str, shared: &BTreeSet<String>) -> Vec<Case> {
    let Some(language) = language(path) else { return Vec::new() };
    let code = without_comments(path, text);
    let lines: Vec<&str> = code.lines().collect();
    let begins = beginnings(&lines, &language);
    let mut helpers = helpers(&lines, &begins);
    helpers.extend(shared.iter().map(String::as_str));
    let loops = loops(path, &lines, language.indented);
    let mut tables = Tables { text: &code, lines: &lines, known: HashMap::new() };
    let (mut cases, mut groups) = (Vec::new(), Groups::default());
    for (index, (head, at, name)) in begins.iter().enumerate() {
        let next = begins.get(index + 1).map_or(lines.len(), |(head, ..)| *head);
        let end = end_of(&lines, *at, language.indented).min(next);
        let mut case = Case { path: path.to_owned(), name: name.clone(), line: at + 1, ..Case::default() };
        case.groups = groups.around(&lines, *at);
        case.text = lines[*head..end].join("\n");
        let around = loops.iter().rev().find(|span| span.contains(at)).map_or("", |span| lines[span.start]);
        case.table = [around, &tables.of(around), &tables.of(&case.text)].join("\n");
        case.asserts = asserts(path, &lines, *at..end, &helpers);
        let last = case.asserts.last().map_or(0, |(line, _)| *line);
        let level = first_level(&lines, *at, end);
        let on_level = |pattern: &Regex, part: &str| {
            (*at + 1..end)
                .find(|&line| {
                    lines[line].contains(part)
                        && indent(lines[line]) == level
                        && pattern.is_match(lines[line])
                })
                .map(|line| line + 1)
        };
        case.early_return =
            on_level(&RETURN, "return").or_else(|| on_level(&GUARDED, "return")).filter(|line| *line < last);
        case.skipped_in_body = on_level(&SKIP_CALL, "(");
        cases.push(case);
    }
    cases
}

/// Returns the loops of a script that tests may stand in.
fn loops(path: &str, lines: &[&str], indented: bool) -> Vec<Range<usize>> {
    if !matches!(ending(path), "js" | "jsx" | "mjs" | "cjs" | "ts" | "tsx" | "mts" | "cts" | "rb") {
        return Vec::new();
    }
    let heads = (0..lines.len()).filter(|at| has(lines[*at], &["for", ".each"]) && LOOP.is_match(lines[*at]));
    heads.map(|at| at..end_of(lines, at, indented)).collect()
}

/// The lists of a file that have a name, each looked for once.
struct Tables<'t> {
    text: &'t str,
    lines: &'t [&'t str],
    known: HashMap<String, String>,
}

impl Tables<'_> {
    /// Returns what a loop or a mark runs for; nothing where there is none, or it is written out.
    fn of(&mut self, text: &str) -> String {
        if !has(text, &["each", "Each", "parametrize", "MethodSource", "for ("]) {
            return String::new();
        }
        let Some(found) = LIST.captures(text) else { return String::new() };
        let Some(name) = found.iter().skip(1).flatten().next() else { return String::new() };
        let (all, lines) = (self.text, self.lines);
        let list = self.known.entry(name.as_str().to_owned()).or_insert_with_key(|name| {
            named(name, all).map(|rows| rows.join(" ")).or_else(|| method(name, lines)).unwrap_or_default()
        });
        list.clone()
    }
}

/// Returns the lines of a method of Java.
fn method(name: &str, lines: &[&str]) -> Option<String> {
    let head = format!(" {name}()");
    let at = lines.iter().position(|line| line.contains(&head) && line.trim_end().ends_with('{'))?;
    Some(lines[at..end_of(lines, at, false)].join("\n"))
}

/// Returns where tests begin: their first mark, their line (from 0) and their name.
fn beginnings(lines: &[&str], language: &TestSyntax) -> Vec<(usize, usize, String)> {
    let mut found = Vec::new();
    let (mut head, mut marked, mut open) = (None, false, 0_i64);
    for (at, line) in lines.iter().enumerate() {
        let bare = line.trim_start();
        let begins_mark = bare.starts_with(['@', '[']) || bare.starts_with("#[");
        // A mark may have several lines.
        let is_mark = begins_mark || open > 0 && language.begins.find(line).is_none();
        open = if is_mark { open.max(0) + count(line, "([{") - count(line, ")]}") } else { 0 };
        if is_mark {
            head = head.or(Some(at));
            marked |= has(line, &["est", "Fact", "Theory", "quickcheck"])
                && language.mark.is_some_and(|mark| mark.is_match(line));
        }
        let wanted = language.mark.is_none() || marked;
        if wanted
            && !(is_mark && language.begins.as_str() == JAVA.as_str())
            && has(line, language.parts)
            && let Some(begin) = language.begins.captures(line)
        {
            let name = begin.name("name").map(|name| name.as_str().trim_matches('`'));
            let name = name.or_else(|| quoted(&line[begin.name("quote")?.start()..]));
            found.push((head.unwrap_or(at), at, name.unwrap_or_else(|| unnamed(lines, at)).to_owned()));
            (head, marked) = (None, false);
        } else if !is_mark && !bare.is_empty() && (bare.ends_with(['{', '}', ';', ':']) || !marked) {
            (head, marked) = (None, false);
        }
    }
    found
}

/// A name that stands on the line below its call.
fn unnamed<'t>(lines: &[&'t str], at: usize) -> &'t str {
    let below = lines.get(at + 1).and_then(|line| quoted(line.trim()));
    below.unwrap_or_else(|| lines[at].trim())
}

/// Returns what stands between the quotation mark that a text begins with and the next one of the same kind.
pub(super) fn quoted(text: &str) -> Option<&str> {
    let mark = text.chars().next().filter(|c| matches!(c, '"' | '\'' | '`'))?;
    let (inside, mut escaped) = (&text[1..], false);
    let ends = |c: char| {
        let ends = c == mark && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    };
    Some(inside.find(ends).map_or(inside, |end| &inside[..end]))
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// Returns the first line behind a function that begins at a line.
fn end_of(lines: &[&str], at: usize, indented: bool) -> usize {
    let own = indent(lines[at]);
    let bare = lines[at].trim_end();
    if !indented && bare.contains('{') && bare.matches('{').count() == bare.matches('}').count() {
        return at + 1;
    }
    for (index, line) in lines.iter().enumerate().skip(at + 1) {
        let bare = line.trim();
        if bare.is_empty() || indent(line) > own || bare.starts_with(')') {
            continue;
        }
        let closes = !indented && bare.starts_with('}') && !bare.ends_with('{') || indented && bare == "end";
        if closes {
            return index + 1;
        }
        if indented {
            return index;
        }
    }
    lines.len()
}

/// Returns how far the statements of a test are indented.
fn first_level(lines: &[&str], at: usize, end: usize) -> usize {
    let own = indent(lines[at]);
    let inner = (at + 1..end).map(|line| lines[line]).filter(|line| !line.trim().is_empty());
    inner.map(indent).find(|depth| *depth > own).unwrap_or(usize::MAX)
}

/// Returns the functions that hold asserts and are no tests: a call of one is as good as an assert.
fn helpers<'t>(lines: &[&'t str], tests: &[(usize, usize, String)]) -> BTreeSet<&'t str> {
    let tests: BTreeSet<usize> = tests.iter().map(|(_, at, _)| *at).collect();
    let mut found = BTreeSet::new();
    let mut inside: Option<(&str, usize)> = None;
    for (at, line) in lines.iter().copied().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let asserts = |part: &str| is_assert(part) && !is_trivial(part.trim());
        if has(line, &["fn ", "def ", "func", "void ", "=>", "|", "lambda"])
            && let Some(begin) =
                HELPER.captures(line).and_then(|found| found.name("name").or(found.name("bound")))
        {
            inside = (!tests.contains(&at)).then(|| (begin.as_str(), indent(line)));
            found.extend(inside.filter(|_| asserts(&line[begin.end()..])).map(|(name, _)| name));
        } else if let Some((name, depth)) = inside
            && indent(line) > depth
            && asserts(line)
        {
            found.insert(name);
        }
    }
    found
}

fn asserts(path: &str, lines: &[&str], span: Range<usize>, helpers: &BTreeSet<&str>) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut at = span.start;
    while at < span.end {
        let own = at == span.start;
        let line = if own { body(path, lines[at]) } else { lines[at] };
        if is_assert(line) || calls(line, helpers) {
            let (whole, length) = statement(&lines[at..span.end]);
            let bare = if own { balanced(body(path, &whole)) } else { &whole };
            let assert = normal(path, bare);
            let is_returned = !own && ending(path) != "rs" && lines[at - 1].trim_end().ends_with("=>");
            found.push((at + 1, if is_returned { format!("return {}", balanced(&assert)) } else { assert }));
            at += length;
        } else {
            at += 1;
        }
    }
    found
}

/// Returns what stands behind the head of a test in the same line.
fn body<'t>(path: &str, line: &'t str) -> &'t str {
    let mark = match ending(path) {
        "py" => "):",
        "rs" | "go" | "java" | "kt" | "cs" | "php" => "{",
        _ => "=>",
    };
    line.split_once(mark).map_or("", |(_, body)| body.trim_start_matches(['{', ' ']))
}

/// Returns a statement without what closes the test around it.
fn balanced(statement: &str) -> &str {
    let mut bare = statement.trim_end();
    while bare.ends_with(['}', ')', ';', ' ']) && (bare.ends_with([';', ' ']) || is_closed_too_often(bare)) {
        bare = &bare[..bare.len() - 1];
    }
    bare
}

fn is_closed_too_often(text: &str) -> bool {
    count(text, ")]}") > count(text, "([{")
}

fn calls(line: &str, helpers: &BTreeSet<&str>) -> bool {
    let words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
    !helpers.is_empty() && words.filter(|word| !word.is_empty()).any(|word| helpers.contains(word))
}

/// Joins the lines of a call until its parentheses are closed.
fn statement(lines: &[&str]) -> (String, usize) {
    let mut joined = String::new();
    let mut open = 0_i64;
    for (index, line) in lines.iter().take(30).enumerate() {
        joined.push_str(line.trim());
        open += count(line, "([{") - count(line, ")]}");
        let goes_on = lines.get(index + 1).is_some_and(|next| next.trim_start().starts_with('.'));
        if open <= 0 && !goes_on || index > 0 && is_assert(line) && open <= 1 {
            return (joined, index + 1);
        }
        joined.push(' ');
    }
    (lines[0].trim().to_owned(), 1)
}

fn count(line: &str, signs: &str) -> i64 {
    line.bytes().filter(|byte| signs.as_bytes().contains(byte)).count().try_into().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(path: &str, text: &str) -> Vec<(String, usize, usize)> {
        cases(path, text, &BTreeSet::new())
            .into_iter()
            .map(|case| (case.name, case.line, case.asserts.len()))
            .collect()
    }

    fn expected(cases: &[(&str, usize, usize)]) -> Vec<(String, usize, usize)> {
        cases.iter().map(|(name, line, asserts)| ((*name).to_owned(), *line, *asserts)).collect()
    }

    #[test]
    fn tests_of_six_languages_are_found_with_their_asserts() {
        let rust = "fn helper() {}\n#[test]\n#[ignore]\nfn one() {\n    assert!(a);\n    assert_eq!(\n        a,\n        b,\n    );\n}\n// #[test]\n// fn not() {}\n    #[tokio::test]\n    async fn two() {}\n";
        assert_eq!(seen("a.rs", rust), expected(&[("one", 4, 2), ("two", 14, 0)]));
        let python = "import x\n@mark\ndef test_a(\n    one,\n):\n    assert one == 2\n    with pytest.raises(E):\n        f()\n\nclass T:\n    async def test_b(self):\n        self.assertEqual(1, f())\n";
        assert_eq!(seen("test_a.py", python), expected(&[("test_a", 3, 2), ("test_b", 11, 1)]));
        let script = "describe('x', () => {\n  it('does', async () => {\n    expect(f()).toBe(1);\n  });\n  test.skip(\"no\", () => { expect(1).toBe(2) });\n  xit(\n    'later',\n    () => {});\n});\n";
        assert_eq!(seen("a.test.ts", script), expected(&[("does", 2, 1), ("no", 5, 1), ("later", 6, 0)]));
        let go = "func TestA(t *testing.T) {\n\tif f() != 1 {\n\t\tt.Errorf(\"x\")\n\t}\n}\n";
        assert_eq!(seen("a_test.go", go), expected(&[("TestA", 1, 1)]));
        let java = "  @Test\n  void adds() {\n    assertEquals(2, add(1, 1));\n  }\n  void other() {}\n";
        assert_eq!(seen("ATest.java", java), expected(&[("adds", 2, 1)]));
        let deno = "Deno.test(\"name\", () => {\n  assertEquals(1, f());\n});\n";
        assert_eq!(seen("a_test.ts", deno), expected(&[("name", 1, 1)]));
    }

    #[test]
    fn a_call_of_a_function_that_asserts_is_an_assert() {
        let rust = "#[test]\nfn one() {\n    greets(\"a\");\n}\n\nfn greets(name: &str) {\n    assert!(greet(name));\n}\n";
        assert_eq!(seen("a.rs", rust), expected(&[("one", 2, 1)]));
    }

    #[test]
    fn a_return_or_a_skip_in_front_of_the_asserts_is_seen() {
        let python = "def test_a():\n    return\n    assert f()\n\ndef test_b():\n    x = [1 for y in z]\n    def g():\n        return\n    assert f()\n";
        let found: Vec<_> =
            cases("test_a.py", python, &BTreeSet::new()).into_iter().map(|case| case.early_return).collect();
        assert_eq!(found, [Some(2), None]);
        let go = "func TestA(t *testing.T) {\n\tt.Skip(\"x\")\n\tt.Error()\n}\nfunc TestB(t *testing.T) {\n\tif testing.Short() {\n\t\tt.Skip()\n\t}\n\tt.Error()\n}\n";
        let found: Vec<_> =
            cases("a_test.go", go, &BTreeSet::new()).into_iter().map(|case| case.skipped_in_body).collect();
        assert_eq!(found, [Some(2), None]);
    }
}
