//! Honest changes of tests: no row may be refused.

use super::*;

#[test]
#[expect(clippy::too_many_lines, reason = "one table")]
fn honest_changes_of_tests_pass() {
    let moved = RUST.split_once("\n\n").expect("two tests");
    let parametrised = "import pytest\n\n@pytest.mark.parametrize('name', ['Ann', 'Bob'])\ndef test_all(name):\n    assert greet(name) == 'Hello ' + name\n";
    let single = "def test_ann():\n    assert greet('Ann') == 'Hello Ann'\n\ndef test_bob():\n    assert greet('Bob') == 'Hello Bob'\n";
    each_passes(&[
        ("nothing changed in it", &[("tests/a.rs", RUST, &format!("// note\n{RUST}"))]),
        ("a new test", &[("tests/a.rs", RUST, &format!("{RUST}\n#[test]\nfn small() {{}}\n"))]),
        ("a new file", &[("tests/b.rs", "", RUST)]),
        ("renamed", &[("tests/a.rs", RUST, &RUST.replace("fn counts", "fn counts_the_words"))]),
        ("moved", &[("tests/a.rs", RUST, moved.0), ("tests/b.rs", "", moved.1.trim_start())]),
        ("file renamed", &[("tests/a.rs", RUST, ""), ("tests/b.rs", "", RUST)]),
        (
            "file split",
            &[
                ("tests/a.rs", RUST, ""),
                ("tests/b.rs", "", moved.0),
                ("tests/c.rs", "", moved.1.trim_start()),
            ],
        ),
        (
            "expected value",
            &[("tests/a.rs", RUST, &RUST.replace("Hello Ann", "Good day, Ann")), ("src/a.rs", "a\n", "b\n")],
        ),
        (
            "reformatted",
            &[(
                "tests/a.rs",
                RUST,
                &RUST.replace(
                    "assert_eq!(count(\"a b\"), 2);",
                    "assert_eq!(\n        count(\"a b\"),\n        2,\n    );",
                ),
            )],
        ),
        (
            "an expected failure is repaired",
            &[(
                "test_a.py",
                "@pytest.mark.xfail(reason='bug')\ndef test_a():\n    assert f() == 1\n",
                "def test_a():\n    assert f() == 1\n",
            )],
        ),
        (
            "stricter",
            &[(
                "tests/a.rs",
                RUST,
                &RUST.replace("assert!(greet(\"\").is_err())", "assert_eq!(greet(\"\"), Err(Empty))"),
            )],
        ),
        (
            "more asserts",
            &[(
                "test_a.py",
                PYTHON,
                &PYTHON.replace(
                    "    assert count(name) == 3\n",
                    "    assert count(name) == 3\n    assert name\n",
                ),
            )],
        ),
        (
            "panics with the words that are expected now",
            &[
                (
                    "tests/a.rs",
                    RUST,
                    &RUST.replace(
                        "#[test]\nfn counts",
                        "#[test]\n#[should_panic(expected = \"no text\")]\nfn counts",
                    ),
                ),
                ("src/a.rs", "a\n", "b\n"),
            ],
        ),
        (
            "another list is cleared, and a report says that it passed",
            &[(
                "test_a.py",
                PYTHON,
                &format!(
                    "{PYTHON}\ndef test_clear(cart):\n    cart.items.clear()\n    assert cart.total() == 0\n    assert show(Result(outcome='passed')) == 'ok'\n"
                ),
            )],
        ),
        ("narrower", &[("test_a.py", PYTHON, &PYTHON.replace("abs=0.001", "abs=0.0001"))]),
        ("parametrised", &[("tests/test_a.py", single, parametrised)]),
        (
            "joined",
            &[(
                "tests/a.rs",
                RUST,
                &RUST.replace(
                    "    assert_eq!(greet(name), \"Hello Ann\");\n    assert!(greet(\"\").is_err());\n",
                    "    assert_eq!((greet(name), greet(\"\")), (\"Hello Ann\", Err(Empty)));\n",
                ),
            )],
        ),
        (
            "moved into a helper",
            &[(
                "tests/a.rs",
                RUST,
                &RUST.replace(
                    "    assert_eq!(count(\"a b\"), 2);\n}\n",
                    "    two(\"a b\");\n}\n\nfn two(text: &str) {\n    assert_eq!(count(text), 2);\n}\n",
                ),
            )],
        ),
        (
            "gone with its module",
            &[("tests/test_old.py", PYTHON, ""), ("src/old.py", "def old():\n    pass\n", "")],
        ),
        (
            "gone with its function",
            &[("tests/a.rs", RUST, moved.0), ("src/a.rs", "pub fn count(text: &str) -> usize {\n", "\n")],
        ),
        (
            "assert gone with its function",
            &[
                ("test_a.py", PYTHON, &PYTHON.replace("    assert count(name) == 3\n", "")),
                ("a.py", "def count(name):\n    return 3\n", "x = 1\n"),
            ],
        ),
        (
            "moved while ignored",
            &[
                ("tests/a.rs", &RUST.replace("#[test]\nfn counts", "#[test]\n#[ignore]\nfn counts"), moved.0),
                (
                    "tests/b.rs",
                    "",
                    "#[test]\n#[ignore]\nfn counts() {\n    assert_eq!(count(\"a b\"), 2);\n}\n",
                ),
            ],
        ),
        (
            "skipped where it cannot run",
            &[(
                "test_b.py",
                "",
                "@pytest.mark.skipif(sys.platform == 'win32', reason='x')\ndef test_x():\n    assert f() == 1\n",
            )],
        ),
        (
            "new, skipped when short",
            &[(
                "b_test.go",
                "",
                &GO.replace("testing.T) {\n", "testing.T) {\n\tif testing.Short() {\n\t\tt.Skip()\n\t}\n"),
            )],
        ),
        (
            "one rule silenced",
            &[
                ("a.py", "x = f()\n", "x = f()  # noqa: E501\n"),
                ("src/a.rs", "a\n", "#[allow(clippy::too_many_arguments)]\na\n"),
            ],
        ),
        ("names of rules in prose", &[("README.md", "a\n", "use `# type: ignore`\n/* eslint-disable */\n")]),
        ("a script of tests", &[("scripts/test.sh", "pytest\n", "pytest -q\n")]),
        (
            "a runner",
            &[(
                "package.json",
                "{\n\"scripts\": {\n\"test\": \"jest\"\n}}\n",
                "{\n\"scripts\": {\n\"test\": \"vitest run\"\n}}\n",
            )],
        ),
        ("code with retries", &[("src/client.ts", "a\n", "fetch({ retries: 3 });\n")]),
        ("asserts of code", &[("src/a.py", "def f(x):\n    assert x\n", "def f(x):\n    return x\n")]),
        (
            "rounding",
            &[(
                "tests/a.rs",
                RUST,
                &RUST
                    .replace("assert_eq!(count(\"a b\"), 2)", "assert!((count(\"a b\") - 2.0).abs() < 1e-9)"),
            )],
        ),
        (
            "a sample with a return",
            &[(
                "a.test.ts",
                SCRIPT,
                &SCRIPT.replace(
                    "    const name = 'Ann';\n",
                    "    const name = () => {\n      return;\n    };\n",
                ),
            )],
        ),
        (
            "modules moved",
            &[
                ("tests/it/main.rs", "mod a;\nmod b;\n", "mod a;\nmod c;\n"),
                ("tests/it/c.rs", "", "mod b;\n"),
            ],
        ),
        ("our own documents", &[(".ai-workflow/issue-7/x/output/test_x.py", PYTHON, "")]),
        (
            "words about tests",
            &[(
                "tests/test_a.py",
                PYTHON,
                &PYTHON.replace("import pytest\n", "import pytest\n# it.skip('x') #[ignore]\n"),
            )],
        ),
    ]);
}

#[test]
fn a_person_may_allow_it() {
    let mut allowed = made(&[("tests/test_old.py", PYTHON, "")]);
    assert_eq!(suspect::examine(&allowed.site()).status, CheckStatus::Fail);
    allowed.settings.allowed = vec!["tests/test_old.py".to_owned()];
    assert_eq!(suspect::examine(&allowed.site()).status, CheckStatus::Pass);
}

#[test]
fn what_silences_a_checker_without_a_rule_is_asked_about_and_nothing_else() {
    for (path, line) in [
        ("a.py", "x = f()  # type: ignore"),
        ("a.py", "x = f()  # noqa"),
        ("src/a.ts", "/* eslint-disable */"),
        ("src/a.ts", "// @ts-ignore"),
        ("src/lib.rs", "#![allow(warnings)]"),
        ("a.go", "x := f() //nolint"),
    ] {
        let made = Scene::changing(path, "first = 1\n", &format!("first = 1\n{line}\n"));
        assert_eq!(tampering::places(&made.site()), [], "{line}");
        let told: Vec<String> = suspect::examine(&made.site()).places.iter().map(shown).collect();
        assert!(told.len() == 1 && told[0].starts_with(&format!("{path}:2: ")), "{line}: {told:?}");
    }
    for (path, line) in [
        ("a.py", "x = f()  # type: ignore[arg-type]"),
        ("a.py", "x = f()  # noqa: E501"),
        ("src/a.ts", "// eslint-disable-next-line no-console"),
        ("src/a.ts", "// @ts-expect-error: the types are wrong"),
        ("src/lib.rs", "#[allow(dead_code)]"),
        ("README.md", "`# type: ignore`"),
        ("src/lib.rs", "allow(warnings);"),
        ("a.py", "noqa = 1"),
    ] {
        let made = Scene::changing(path, "first = 1\n", &format!("first = 1\n{line}\n"));
        assert_eq!(suspect::examine(&made.site()).status, CheckStatus::Pass, "{line}");
    }
}

#[test]
fn another_form_of_the_same_assert_is_no_question() {
    let go = |message: &'static str| ["if f(2) != 3 {", message, "}"];
    no_body_is_asked_about(&[
        (
            "parentheses",
            "test_a.py",
            &["assert (f(2) == 3), 'f rounds'"],
            &["assert f(2) == 3, ('f rounds')"],
        ),
        ("no message", "test_a.py", &["assert f(2) == 3, 'f rounds up to 3'"], &["assert f(2) == 3"]),
        (
            "go's message",
            "a_test.go",
            &go("t.Fatal(fmt.Sprintf(\"%d\", f(2)))"),
            &go("t.Fatalf(\"%d\", f(2))"),
        ),
        (
            "casts",
            "a.test.ts",
            &["expect(f([x] as unknown as Array<Record<string, A[]>>, y as B)).toBe(3 as number);"],
            &["expect(f([x], y)).toBe(3);"],
        ),
        (
            "a loop by range",
            "a_test.go",
            &["for i := 0; i < 40; i++ {", "if f(2) != 3 {", "t.Fatal(1)", "}", "}"],
            &["for range 40 {", "if f(2) != 3 {", "t.Fatal(1)", "}", "}"],
        ),
        (
            "a set-up in a function",
            "a.test.js",
            &["const a = {x: 1, y: 2};", "expect(f(a)).toBe(3);"],
            &["const a = one();", "expect(f(a)).toBe(3);"],
        ),
        (
            "a loop over a written list",
            "test_a.py",
            &["x = f('a')", "assert x == 3"],
            &["for name in ('a', 'b'):", "    x = f(name)", "    assert x == 3"],
        ),
    ]);
}

#[test]
fn a_test_of_an_option_that_the_issue_removes_may_go() {
    let test = "test('streams', async t => {\n  t.is(got('a', {isStream: true}).body, 1);\n});\n";
    let (before, now) = ("export const get = o => o.isStream ? 1 : 2;\n", "export const get = o => 2;\n");
    let files = [("test/a.js", test, "test.todo('x');\n"), ("source/a.js", before, now)];
    assert_eq!(told(&files).len(), 1);
    let mut scene = made(&files);
    scene.issue.title = "Remove the `isStream` option".to_owned();
    assert!(suspect::examine(&scene.site()).places.is_empty());
    let mut kept = made(&[files[0], ("source/a.js", before, before)]);
    kept.issue.title = "Remove the `isStream` option".to_owned();
    assert_eq!(suspect::examine(&kept.site()).places.len(), 1);
}

#[test]
fn a_new_test_of_what_the_others_construct_is_no_question() {
    let test = "def test_read():\n    request = Request('GET', 'a')\n    assert request.read() == b''\n";
    let new = format!(
        "{test}\ndef test_params():\n    request = Request('GET', 'a?b')\n    assert request.url == 'a?b'\n"
    );
    assert!(told(&[("test_a.py", test, &new)]).is_empty());
    let twice = format!("{new}    answer = Request('GET', 'a?c')\n    assert answer.url == 'a?c'\n");
    assert!(told(&[("test_a.py", test, &twice)]).is_empty());
    let hollow = format!(
        "{test}\ndef test_params():\n    answer = Answer('GET', 'a?b')\n    assert answer.url == 'a?b'\n"
    );
    assert_eq!(told(&[("test_a.py", test, &hollow)]).len(), 1);
}
