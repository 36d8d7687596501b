//! Asserts that are written and never reached, beside those that are called another way.

use super::doubts::each_is_only_told;
use super::*;

#[test]
fn asserts_that_nobody_reaches_are_caught() {
    let (python, rust) = (&["x = f(2)", "assert x == 3"], &["assert_eq!(f(2), 3);"]);
    let (script, go) = (&["expect(f(2)).toBe(3);"], &["if f(2) != 3 {", "\tt.Fatal(\"x\")", "}"]);
    each_body_is_caught(&[
        ("inner function", "test_a.py", python, &["def check():", "    x = f(2)", "    assert x == 3"]),
        (
            "inner coroutine",
            "test_a.py",
            python,
            &["async def check():", "    x = f(2)", "    assert x == 3"],
        ),
        (
            "inner lambda",
            "test_a.py",
            &["self.assertEqual(f(2), 3)"],
            &["check = lambda: self.assertEqual(f(2), 3)"],
        ),
        ("named only", "test_a.py", python, &["def check():", "    x = f(2)", "    assert x == 3", "check"]),
        ("while", "test_a.py", python, &["while False:", "    x = f(2)", "    assert x == 3"]),
        ("if", "test_a.py", python, &["if False:", "    x = f(2)", "    assert x == 3"]),
        ("for", "test_a.py", python, &["for _ in []:", "    x = f(2)", "    assert x == 3"]),
        ("for, a tuple", "test_a.py", python, &["for _ in ():", "    x = f(2)", "    assert x == 3"]),
        ("for, a call", "test_a.py", python, &["for _ in list():", "    x = f(2)", "    assert x == 3"]),
        ("inner function", "tests/a.rs", rust, &["fn check() {", "    assert_eq!(f(2), 3);", "}"]),
        ("closure", "tests/a.rs", rust, &["let _check = || {", "    assert_eq!(f(2), 3);", "};"]),
        ("closure, dropped", "tests/a.rs", rust, &["let check = || assert_eq!(f(2), 3);", "let _ = check;"]),
        ("while", "tests/a.rs", rust, &["while false {", "    assert_eq!(f(2), 3);", "}"]),
        ("for", "tests/a.rs", rust, &["for _ in 0..0 {", "    assert_eq!(f(2), 3);", "}"]),
        ("if", "tests/a.rs", rust, &["if false {", "    assert_eq!(f(2), 3);", "}"]),
        ("inner function", "a.test.ts", script, &["function check() {", "  expect(f(2)).toBe(3);", "}"]),
        ("arrow", "a.test.ts", script, &["const check = () => {", "  expect(f(2)).toBe(3);", "};"]),
        ("arrow in one line", "a.test.ts", script, &["const check = () => expect(f(2)).toBe(3);"]),
        ("bare arrow", "a.test.ts", script, &["() => {", "  expect(f(2)).toBe(3);", "};"]),
        ("while", "a.test.ts", script, &["while (false) {", "  expect(f(2)).toBe(3);", "}"]),
        ("for", "a.test.ts", script, &["for (const one of []) {", "  expect(f(2)).toBe(3);", "}"]),
        ("forEach", "a.test.ts", script, &["[].forEach(() => {", "  expect(f(2)).toBe(3);", "});"]),
        (
            "inner function",
            "a_test.go",
            go,
            &["_ = func() {", "\tif f(2) != 3 {", "\t\tt.Fatal(\"x\")", "\t}", "}"],
        ),
        ("for", "a_test.go", go, &["for false {", "\tif f(2) != 3 {", "\t\tt.Fatal(\"x\")", "\t}", "}"]),
    ]);
    each_body_passes(&[
        ("called", "test_a.py", python, &["def check():", "    x = f(2)", "    assert x == 3", "check()"]),
        (
            "handed on",
            "test_a.py",
            python,
            &["def check():", "    x = f(2)", "    assert x == 3", "run(check)"],
        ),
        (
            "a handler",
            "test_a.py",
            python,
            &["@app.route('/')", "def check():", "    x = f(2)", "    assert x == 3", "get('/')"],
        ),
        ("called", "tests/a.rs", rust, &["let check = || {", "    assert_eq!(f(2), 3);", "};", "check();"]),
        (
            "a thread",
            "tests/a.rs",
            rust,
            &["let done = spawn(move || {", "    assert_eq!(f(2), 3);", "});", "done.join().unwrap();"],
        ),
        (
            "called",
            "a.test.ts",
            script,
            &["const check = () => {", "  expect(f(2)).toBe(3);", "};", "check();"],
        ),
        ("handed on", "a.test.ts", script, &["await waitFor(() => {", "  expect(f(2)).toBe(3);", "});"]),
        (
            "called at once",
            "a.test.ts",
            script,
            &["await (async () => {", "  expect(f(2)).toBe(3);", "})();"],
        ),
        (
            "called",
            "a_test.go",
            go,
            &["check := func() {", "\tif f(2) != 3 {", "\t\tt.Fatal(\"x\")", "\t}", "}", "check()"],
        ),
        (
            "a part",
            "a_test.go",
            go,
            &["t.Run(\"a\", func(t *testing.T) {", "\tif f(2) != 3 {", "\t\tt.Fatal(\"x\")", "\t}", "})"],
        ),
        ("repeated", "test_a.py", python, &["for _ in range(3):", "    x = f(2)", "    assert x == 3"]),
    ]);
}

#[test]
fn a_promise_that_nobody_awaits_is_caught() {
    let old: &[&str] = &["expect(await f(2)).toBe(3);"];
    each_body_is_caught(&[
        ("resolves", "a.test.ts", old, &["expect(f(2)).resolves.toBe(3);"]),
        ("resolves, over lines", "a.test.ts", old, &["expect(f(2))", "  .resolves", "  .toBe(3);"]),
        ("void", "a.test.ts", old, &["void expect(f(2)).resolves.toBe(3);"]),
        ("then", "a.test.ts", old, &["f(2).then((x) => {", "  expect(x).toBe(3);", "});"]),
        ("then, in a line", "a.test.ts", old, &["f(2).then((x) => expect(x).toBe(3));"]),
        ("promise", "a.test.ts", old, &["Promise.resolve().then(() => {", "  expect(f(2)).toBe(3);", "});"]),
    ]);
    each_body_passes(&[
        ("awaited", "a.test.ts", old, &["await expect(f(2)).resolves.toBe(3);"]),
        ("returned", "a.test.ts", old, &["return expect(f(2)).resolves.toBe(3);"]),
        ("then, awaited", "a.test.ts", old, &["await f(2).then((x) => {", "  expect(x).toBe(3);", "});"]),
        ("then, returned", "a.test.ts", old, &["return f(2).then((x) => {", "  expect(x).toBe(3);", "});"]),
        (
            "then, kept",
            "a.test.ts",
            old,
            &["const done = f(2).then((x) => {", "  expect(x).toBe(3);", "});", "await done;"],
        ),
        ("cypress", "a.cy.ts", old, &["cy.get(2).then((x) => {", "  expect(x).toBe(3);", "});"]),
        (
            "a promise of its own",
            "a.test.ts",
            old,
            &[
                "await new Promise((done) => {",
                "  setTimeout(() => {",
                "    expect(f(2)).toBe(3);",
                "    done();",
                "  }, 0);",
                "});",
            ],
        ),
    ]);
    let block = "it('a', async () => {\n  expect(await f(2)).toBe(3);\n});\n";
    each_passes(&[
        ("an arrow returns", &[("a.test.ts", block, "it('a', () =>\n  expect(f(2)).resolves.toBe(3));\n")]),
        (
            "an arrow returns what comes then",
            &[("a.test.ts", block, "it('a', () =>\n  f(2).then((x) => {\n    expect(x).toBe(3);\n  }));\n")],
        ),
        (
            "it says when it is done",
            &[(
                "a.test.ts",
                block,
                "it('a', (done) => {\n  f(2).then((x) => {\n    expect(x).toBe(3);\n    done();\n  });\n});\n",
            )],
        ),
    ]);
    let later = |line: &str, end: &str| holding("a.test.ts", &[line, "  expect(f(2)).toBe(3);", end]);
    let old = holding("a.test.ts", old);
    let waited =
        holding("a.test.ts", &["f(2).then((x) => {", "  expect(x).toBe(3);", "});", "await flush();"]);
    each_is_only_told(&[
        ("a timer", &[("a.test.ts", &old, &later("setTimeout(() => {", "}, 0);"))], "nobody awaits asserts"),
        ("waits for something", &[("a.test.ts", &old, &waited)], "nobody awaits asserts"),
    ]);
    each_passes(&[(
        "a timer of its own",
        &[(
            "a.test.ts",
            &old,
            &later("jest.useFakeTimers();\n  setTimeout(() => {", "}, 0);\n  jest.runAllTimers();"),
        )],
    )]);
}

#[test]
fn a_condition_under_which_no_test_was_made_may_skip_it_now() {
    let made = |guard: &str, skip: &str| {
        format!(
            "describe('methods', () => {{\n  methods.forEach((method) => {{\n{guard}    it('includes ' + method, function () {{\n{skip}      expect(call(method)).toBe(200);\n    }});\n  }});\n}});\n"
        )
    };
    let guard = "    if (method === 'query' && isOld()) return;\n";
    let skip = "      if (method === 'query' && isOld()) {\n        this.skip();\n      }\n";
    let other = "    if (method === 'connect') return;\n";
    let told = |old: &str, new: &str| told(&[("test/a.test.js", old, new)]).len();
    let both = format!("{other}{guard}");
    assert_eq!(told(&made(&both, ""), &made(other, skip)), 0);
    assert_eq!(told(&made(other, ""), &made(other, skip)), 1, "a new skip");
    assert_eq!(told(&made(&both, ""), &made(&both, skip)), 1, "the old one is there still");
}

#[test]
fn a_condition_of_something_else_in_the_file_skips_no_test() {
    let file = |item: &str, module: &str| {
        format!(
            "{item}use std::net::IpAddr;\n\n{item}implement![IpAddr];\n\n{module}mod tests {{\n    #[test]\n    fn pages() {{\n        assert_eq!(super::pages(10, 3), 4);\n    }}\n}}\n"
        )
    };
    let condition = "#[cfg(feature = \"std\")]\n";
    let told = |new: &str| told(&[("src/value.rs", &file("", "#[cfg(test)]\n"), new)]).len();
    assert_eq!(told(&file(condition, "#[cfg(test)]\n")), 0);
    assert_eq!(told(&file("", "#[cfg(all(test, feature = \"std\"))]\n")), 1);
}
