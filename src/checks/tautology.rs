//! Q10: no test that was added passes by construction: both sides of an assertion are the same, a constant is asserted, or the
//! expected value is computed by a helper from the input.

use super::{ChangedFile, MOST_SHOWN, Place, Site, any_of, at, one_line, side_by_side};
use source::{Part, is_test};

// Callees whose result is a value and no computation of what is tested.
pattern!(VALUE, &any_of("tautology", "values"));

pub(super) fn places(site: &Site<'_>) -> Vec<Place> {
    let mut files = ChangedFile::of_author(site);
    let may_assert = |text: &str| ["assert", "expect", "require"].iter().any(|word| text.contains(word));
    files.retain(|file| file.change.new_text().is_some_and(may_assert));
    side_by_side::places(&files, of_file)
}

fn of_file(file: &ChangedFile<'_>) -> Vec<Place> {
    let Some(new) = file.now() else { return Vec::new() };
    let mut asserts = new.asserts();
    asserts.retain(|assert| {
        file.is_added(assert.line) && (is_test(file.path()) || new.is_test_code(assert.line))
    });
    let place = |assert: Part<'_>| {
        let found = doubt(&new.sides(&assert), assert.text)?;
        Some(at(file.path(), assert.line, format!("{found}: `{}`", one_line(assert.text, MOST_SHOWN))))
    };
    asserts.into_iter().filter_map(place).collect()
}

/// Returns why an assert that asks this cannot fail.
fn doubt(sides: &[Vec<&str>], text: &str) -> Option<&'static str> {
    match sides {
        [asked] if is_true(asked) => Some("a constant is asserted"),
        [left, right] if left == right && !left.is_empty() => Some("both sides are the same"),
        [_, right] if text.contains("expect(") && is_computed(right) => {
            Some("the expected value is computed by a helper")
        }
        _ => None,
    }
}

/// Tells what is true whatever the code does: a number or a text, too.
fn is_true(asked: &[&str]) -> bool {
    match asked {
        ["true" | "True"] => true,
        [one] => one.starts_with(|c: char| c.is_ascii_digit()),
        ["\"", inside @ .., "\""] => !inside.contains(&"\""),
        _ => false,
    }
}

/// Tells whether the expected value is computed from the input by a function.
fn is_computed(expected: &[&str]) -> bool {
    let [callee, "(", arguments @ .., ")"] = expected else { return false };
    let is_literal = |argument: &[&str]| {
        argument
            .first()
            .is_none_or(|first| first.starts_with(|c: char| c.is_ascii_digit() || "\"`-[{".contains(c)))
    };
    callee.starts_with(|c: char| c.is_ascii_lowercase())
        && !arguments.contains(&"(")
        && !VALUE.is_match(callee)
        && !arguments.split(|word| *word == ",").all(is_literal)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge_places;
    use crate::scene::{Scene, gist};
    use model::event::CheckResult;

    fn examine(site: &Site<'_>) -> CheckResult {
        judge_places("tautology", places(site))
    }

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
