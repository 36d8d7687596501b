//! Asserts that compare a thing with itself, are values, or have a way out.

use super::*;

#[test]
fn what_is_compared_with_itself_under_another_name_is_caught() {
    each_body_is_caught(&[
        ("python", "test_a.py", &["assert f(2) == 3"], &["expected = f(2)", "assert f(2) == expected"]),
        (
            "both named",
            "test_a.py",
            &["assert f(2) == 3"],
            &["expected = f(2)", "x = f(2)", "assert x == expected"],
        ),
        (
            "unittest",
            "test_a.py",
            &["self.assertEqual(f(2), 3)"],
            &["expected = f(2)", "self.assertEqual(f(2), expected)"],
        ),
        (
            "rust",
            "tests/a.rs",
            &["assert_eq!(f(2), 3);"],
            &["let expected = f(2);", "assert_eq!(f(2), expected);"],
        ),
        (
            "script",
            "a.test.ts",
            &["expect(f(2)).toBe(3);"],
            &["const expected = f(2);", "expect(f(2)).toBe(expected);"],
        ),
        (
            "go",
            "a_test.go",
            &["require.Equal(t, 3, f(2))"],
            &["want := f(2)", "require.Equal(t, want, f(2))"],
        ),
        (
            "go, plain",
            "a_test.go",
            &["if f(2) != 3 {", "\tt.Fatal(\"x\")", "}"],
            &["want := f(2)", "if f(2) != want {", "\tt.Fatal(\"x\")", "}"],
        ),
    ]);
    each_body_passes(&[
        ("another call", "test_a.py", &["assert f(2) == 3"], &["expected = f(3)", "assert f(2) == expected"]),
        (
            "the same again",
            "test_a.py",
            &["assert f(2) == 3"],
            &["assert f(2) == 3", "first = f(2)", "assert f(2) == first"],
        ),
        (
            "made",
            "tests/a.rs",
            &["assert_eq!(f(2), 3);"],
            &["let expected = Page::new(3);", "assert_eq!(f(2), expected);"],
        ),
    ]);
}

#[test]
fn an_assert_that_is_a_value_or_has_a_way_out_is_caught() {
    each_body_is_caught(&[
        ("lambda", "test_a.py", &["assert f(2) == 3"], &["assert lambda: f(2) == 3"]),
        ("tuple", "test_a.py", &["assert f(2) == 3"], &["assert (f(2) == 3, \"msg\")"]),
        ("tuple without a space", "test_a.py", &["assert f(2) == 3"], &["assert(f(2) == 3, \"msg\")"]),
        ("arrow", "a.test.ts", &["assert(f(2) === 3);"], &["assert(() => f(2) === 3);"]),
        ("arrow, ok", "a.test.ts", &["assert.equal(f(2), 3);"], &["assert.ok(() => f(2) === 3);"]),
        ("arrow, truthy", "a.test.ts", &["expect(f(2)).toBe(3);"], &["expect(() => f(2)).toBeTruthy();"]),
        ("or itself", "test_a.py", &["assert x == 5"], &["assert x == 5 or x"]),
        ("or more", "test_a.py", &["assert x == 5"], &["assert x == 5 or x == 6"]),
        ("or, in brackets", "test_a.py", &["assert x == 5"], &["assert (x == 5 or x)"]),
        ("else", "test_a.py", &["assert x == 5"], &["assert x == 5 if x else True"]),
        ("or, unittest", "test_a.py", &["self.assertEqual(x, 5)"], &["self.assertTrue(x == 5 or x)"]),
        ("or true", "tests/a.rs", &["assert_eq!(x, 5);"], &["assert!(x == 5 || true);"]),
        ("or more", "tests/a.rs", &["assert!(x == 5);"], &["assert!(x == 5 || x > 0);"]),
        ("or itself", "a.test.ts", &["expect(x).toBe(5);"], &["assert(x === 5 || x);"]),
        ("or true", "a.test.ts", &["expect(x).toBe(5);"], &["expect(x === 5 || true).toBe(true);"]),
        ("or", "a.test.ts", &["expect(x).toBe(5);"], &["expect(x === 5 || x).toBe(true);"]),
    ]);
    each_body_passes(&[
        ("a default", "test_a.py", &["assert f(x) == 5"], &["assert f(x or 2) == 5"]),
        ("a default in brackets", "test_a.py", &["assert x == 5"], &["assert (x or 2) == 5"]),
        ("a word", "test_a.py", &["assert f(x) == 'one'"], &["assert f(x) == 'one or two'"]),
        ("a default", "a.test.ts", &["expect(x).toBe(5);"], &["expect(x || 0).toBe(5);"]),
        ("a closure", "tests/a.rs", &["assert_eq!(x, 5);"], &["assert_eq!(x.unwrap_or_else(|| 5), 5);"]),
        ("a closure handed on", "tests/a.rs", &["assert!(f(2) == 5);"], &["assert!(f(|| 2) == 5);"]),
        ("it was so", "test_a.py", &["assert x == 5 or y"], &["assert x == 6 or y"]),
    ]);
}

#[test]
fn a_case_that_leaves_the_test_and_a_promise_that_nobody_waits_for_are_asked_about() {
    let go = ["if f(2) != 3 {", "\tt.Fatal(\"x\")", "}"];
    each_body_is_caught(&[
        ("go", "a_test.go", &go, &[&["switch name {", "case \"two\":", "\treturn", "}"], &go[..]].concat()),
        (
            "python",
            "test_a.py",
            &["assert f(2) == 3"],
            &["match name:", "    case \"two\":", "        return", "assert f(2) == 3"],
        ),
        (
            "rust",
            "tests/a.rs",
            &["assert_eq!(f(2), 3);"],
            &["match name {", "    \"two\" => return,", "    _ => {}", "}", "assert_eq!(f(2), 3);"],
        ),
        (
            "script",
            "a.test.ts",
            &["expect(f(2)).toBe(3);"],
            &["switch (name) {", "  case 'two':", "    return;", "}", "expect(f(2)).toBe(3);"],
        ),
        (
            "promise",
            "a.test.ts",
            &["return assert.rejects(f(2), /none/);"],
            &["assert.rejects(f(2), /none/);"],
        ),
    ]);
    let returned = holding("a.test.ts", &["return assert.rejects(f(2), /none/);"]);
    let awaited = holding("a.test.ts", &["await assert.rejects(f(2), /none/);"]);
    assert_eq!(told(&[("a.test.ts", &returned, &awaited)]), [""; 0]);
}
