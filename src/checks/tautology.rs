//! Q10: no test that was added passes by construction: both sides of an assertion are the same, a constant is asserted, or the
//! expected value is computed by a helper from the input.

use std::sync::LazyLock;

use regex::Regex;

use super::changed_file::ChangedFile;
use super::outcome::{at, judged};
use super::{Site, side_by_side};
use model::event::{CheckResult, Place};
use source::{Part, is_test};

pub(super) const ID: &str = "tautology";

pub(super) fn examine(site: &Site<'_>) -> CheckResult {
    let mut files = ChangedFile::of_author(site);
    let may_assert = |text: &str| ["assert", "expect", "require"].iter().any(|word| text.contains(word));
    files.retain(|file| file.change.new_text().is_some_and(may_assert));
    let places = side_by_side::each(&files, places).into_iter().flatten().collect();
    judged(
        ID,
        "tautological-test",
        places,
        "a test cannot fail",
        "no test that was added passes by construction",
    )
}

fn places(file: &ChangedFile<'_>) -> Vec<Place> {
    let Some(new) = file.now() else { return Vec::new() };
    let mut asserts = new.asserts();
    asserts.retain(|assert| {
        file.is_added(assert.line) && (is_test(file.path()) || new.is_test_code(assert.line))
    });
    let place = |assert: Part<'_>| {
        let text = assert.text.split_whitespace().collect::<Vec<_>>().join(" ");
        let found = constant(&text).or_else(|| same_sides(&text)).or_else(|| helper(&text))?;
        let shown: String = text.chars().take(100).collect();
        Some(at(file.path(), assert.line, format!("{found}: `{shown}`")))
    };
    asserts.into_iter().filter_map(place).collect()
}

/// What is true whatever the code does.
fn constant(line: &str) -> Option<&'static str> {
    pattern!(
        CONSTANT,
        r"\bassert!\(\s*true\s*[,)]|^assert\s+True\b|^assert\s+(?:\d+\s*==\s*\d+|'[^']*'|\x22[^\x22]*\x22)\s*$|\bassertTrue\(\s*[Tt]rue\s*[,)]|\bassert(?:\.ok)?\(\s*true\s*[,)]|\bassert\.True\(\s*t\s*,\s*true\s*\)|\bexpect\(\s*(?:true\s*\)\.(?:toBe\(\s*true|toBeTruthy\()|1\s*\)\.to(?:Be|Equal)\(\s*1)"
    );
    CONSTANT.is_match(line).then_some("a constant is asserted")
}

/// Both sides are written alike.
fn same_sides(line: &str) -> Option<&'static str> {
    pattern!(
        COMPARED,
        r"\b(?:assert_eq!|assertEquals?|assert\.(?:equal|strictEqual|deepEqual|deepStrictEqual)|(?:assert|require)\.Equal)\s*\("
    );
    pattern!(MATCHER, r"^\)\s*\.to(?:Be|Equal|StrictEqual)\s*\(");
    let sides = if let Some(found) = COMPARED.find(line) {
        let sides = arguments(&line[found.end()..]).0;
        let skipped = usize::from(sides.first().is_some_and(|first| *first == "t") && sides.len() > 2);
        Some((*sides.get(skipped)?, *sides.get(skipped + 1)?))
    } else if let Some((_, rest)) = line.split_once("expect(") {
        let (received, after) = arguments(rest);
        let matcher = MATCHER.find(after)?;
        let (expected, _) = arguments(&after[matcher.end()..]);
        Some((*received.first()?, *expected.first()?))
    } else {
        line.strip_prefix("assert ")
            .map(|compared| compared.trim_end_matches(';'))
            .and_then(|compared| compared.split_once(" == "))
    };
    let (left, right) = sides?;
    let plain = |side: &str| side.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    (!plain(left).is_empty() && plain(left) == plain(right)).then_some("both sides are the same")
}

/// Callees whose result is a value and no computation of what is tested.
const VALUES: [&str; 20] = [
    "expect", "expected", "make", "create", "build", "fixture", "mock", "golden", "string", "number",
    "boolean", "bigint", "symbol", "array", "date", "object", "map", "set", "regexp", "error",
];

/// The expected value is computed from the input by a function.
fn helper(line: &str) -> Option<&'static str> {
    pattern!(COMPUTED, r"\bexpect\(.*\)\.to(?:Be|Equal|StrictEqual)\(\s*([a-z]\w*)\(([^()]*)\)\s*\)");
    let found = COMPUTED.captures(line)?;
    let callee = found[1].to_lowercase();
    let literal = |argument: &str| {
        let argument = argument.trim();
        argument.is_empty() || argument.starts_with(|c: char| c.is_ascii_digit() || "\"'`-[{".contains(c))
    };
    let value = VALUES.iter().any(|value| callee.starts_with(value)) || found[2].split(',').all(literal);
    (!value).then_some("the expected value is computed by a helper")
}

/// Splits what follows an opening parenthesis into arguments; returns the rest from the closing one on.
fn arguments(text: &str) -> (Vec<&str>, &str) {
    pattern!(MARK, r#""(?:\\.|[^"\\])*"|`(?:\\.|[^`\\])*`|[(\[{]|[)\]}]|,"#);
    let (mut depth, mut from, mut found) = (0_usize, 0, Vec::new());
    for mark in MARK.find_iter(text) {
        let is_end = depth == 0 && matches!(mark.as_str(), ")" | "]" | "}");
        if is_end || depth == 0 && mark.as_str() == "," {
            found.push(text[from..mark.start()].trim());
            from = mark.end();
        }
        match mark.as_str() {
            _ if is_end => return (found, &text[mark.start()..]),
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            _ => {}
        }
    }
    (Vec::new(), "")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{Scene, gist};

    #[test]
    fn a_test_that_cannot_fail_is_found() {
        for (path, line, expected) in [
            ("a.test.ts", "expect(calculate(input)).toBe(calculate(input))", "a.test.ts:1"),
            ("a.test.ts", "expect(result).toEqual(transform(data))", "a.test.ts:1"),
            ("a.test.ts", "expect(true).toBe(true);", "a.test.ts:1"),
            ("tests/a.rs", "    assert_eq!(f(x, \")\"), f(x,  \")\"));", "tests/a.rs:1"),
            ("tests/a.rs", "assert!(true);", "tests/a.rs:1"),
            ("test_a.py", "    assert total(x) == total(x)", "test_a.py:1"),
            ("test_a.py", "self.assertEqual(a, a)", "test_a.py:1"),
            ("a_test.go", "assert.Equal(t, Sum(x), Sum(x))", "a_test.go:1"),
            ("a.test.ts", "expect(add(1, 2)).toBe(3); // spec: simple addition", "pass"),
            (
                "a.test.ts",
                "expect(result).toEqual(expect.objectContaining(x)); expect(a).toBe(String(b))",
                "pass",
            ),
            ("a.test.ts", "expect(w).toBe(px(10)); expect(s).toEqual(initialState())", "pass"),
            ("tests/a.rs", "assert_eq!(f(x), g(x)); assert_eq!(f(a), f(b)); assert!(is_true);", "pass"),
            ("test_a.py", "assert f(1) == 1 and x == y", "pass"),
            ("a_test.go", "assert.Equal(t, Sum(x), 3)", "pass"),
            ("src/a.rs", "fn f() { debug_assert!(true); }", "pass"),
        ] {
            assert_eq!(gist(&Scene::adding(path, line).shown_to(examine)), expected, "{line}");
        }
        let module = "fn f() {}\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn a() {\n        assert!(true);\n    }\n}\n";
        assert_eq!(gist(&Scene::adding("src/a.rs", module).shown_to(examine)), "src/a.rs:6");
    }
}
