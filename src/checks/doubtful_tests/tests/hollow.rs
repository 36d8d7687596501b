//! Cheats that leave a test where it is and take the demand out of it. Every row has to be caught.

use super::*;

#[test]
fn an_assert_that_always_holds_is_caught() {
    let count = |to: &str| PYTHON.replace("assert count(name) == 3", to);
    let awaited = SCRIPT.replace("expect(count(name)).toBe(3)", "await expect(load(name)).resolves.toBe(3)");
    each_is_caught(&[
        ("any", &[("test_a.py", PYTHON, &count("assert count(name) == mock.ANY"))], "always holds"),
        ("tuple", &[("test_a.py", PYTHON, &count("assert (count(name), 'three')"))], "always holds"),
        (
            "any pattern",
            &[(
                "tests/a.rs",
                RUST,
                &RUST.replace("assert_eq!(count(\"a b\"), 2)", "assert!(matches!(count(\"a b\"), _))"),
            )],
            "always holds",
        ),
        (
            "only in debug builds",
            &[("tests/a.rs", RUST, &RUST.replace("assert_eq!(count", "debug_assert_eq!(count"))],
            "always holds",
        ),
        (
            "no matcher",
            &[("a.test.ts", SCRIPT, &SCRIPT.replace("expect(count(name)).toBe(3)", "expect(count(name))"))],
            "always holds",
        ),
        (
            "not awaited",
            &[("a.test.ts", &awaited, &awaited.replace("await expect", "expect"))],
            "always holds",
        ),
        (
            "large tolerance",
            &[("test_a.py", PYTHON, &count("assert count(name) == pytest.approx(3, abs=100)"))],
            "demands less",
        ),
    ]);
}

#[test]
fn a_test_that_ends_or_runs_for_nothing_is_caught() {
    let body = |to: &str| PYTHON.replace("    name = 'Ann'\n", &format!("    name = 'Ann'\n    {to}\n"));
    each_is_caught(&[
        ("exit", &[("test_a.py", PYTHON, &body("os._exit(0)"))], "`test_greets`"),
        (
            "exit of Rust",
            &[(
                "tests/a.rs",
                RUST,
                &RUST.replace("    assert_eq!(count", "    std::process::exit(0);\n    assert_eq!(count"),
            )],
            "`counts`",
        ),
        ("raised", &[("test_a.py", PYTHON, &body("raise unittest.SkipTest('x')"))], "`test_greets`"),
        (
            "loop over nothing",
            &[(
                "test_a.py",
                PYTHON,
                &PYTHON.replace(
                    "    assert count(name) == 3",
                    "    for x in []:\n        assert count(name) == 3",
                ),
            )],
            "`test_greets`",
        ),
        (
            "no parameters",
            &[(
                "test_a.py",
                PYTHON,
                &PYTHON.replace("def test_close(", "@pytest.mark.parametrize('x', [])\ndef test_close("),
            )],
            "`test_close`",
        ),
        (
            "only on some machines",
            &[(
                "test_a.py",
                PYTHON,
                &PYTHON.replace(
                    "    assert count(name) == 3",
                    "    if os.environ.get('X'):\n        assert count(name) == 3",
                ),
            )],
            "`test_greets`",
        ),
        (
            "deleted by name",
            &[("test_a.py", PYTHON, &format!("{PYTHON}\n\ndel test_close\n"))],
            "test_a.py:14",
        ),
        (
            "marked as none",
            &[("test_a.py", PYTHON, &format!("{PYTHON}\n\ntest_close.__test__ = False\n"))],
            "test_a.py:14",
        ),
        (
            "defined twice",
            &[("test_a.py", PYTHON, &format!("{PYTHON}\n\ndef test_close():\n    pass\n"))],
            "test_a.py:",
        ),
        (
            "a whole file for one machine",
            &[("tests/a.rs", RUST, &format!("#![cfg(feature = \"later\")]\n{RUST}"))],
            "tests/a.rs:1",
        ),
        (
            "own assert_eq",
            &[(
                "tests/a.rs",
                RUST,
                &format!("macro_rules! assert_eq {{\n    ($($t:tt)*) => {{}};\n}}\n{RUST}"),
            )],
            "tests/a.rs:1",
        ),
        (
            "own expect",
            &[("a.test.js", SCRIPT, &format!("function expect() {{\n  return proxy;\n}}\n{SCRIPT}"))],
            "a.test.js:1",
        ),
    ]);
}

#[test]
fn asserts_taken_out_of_a_helper_are_caught() {
    let rust =
        "pub fn expects_two(text: &str) {\n    let found = count(text);\n    assert_eq!(found, 2);\n}\n";
    let go =
        "package a\n\nfunc check(t *testing.T, got int) {\n\tif got != 2 {\n\t\tt.Fatal(\"x\")\n\t}\n}\n";
    let python = "def check_two(text):\n    found = count(text)\n    assert found == 2\n";
    each_is_caught(&[
        (
            "rust",
            &[("tests/common/mod.rs", rust, &rust.replace("    assert_eq!(found, 2);\n", ""))],
            "`expects_two`",
        ),
        ("go", &[("a_test.go", go, &go.replace("\t\tt.Fatal(\"x\")\n", ""))], "`check`"),
        (
            "python",
            &[("tests/helpers.py", python, &python.replace("assert found == 2", "return found"))],
            "`check_two`",
        ),
    ]);
    each_passes(&[
        ("more", &[("tests/helpers.py", python, &format!("{python}    assert text\n"))]),
        ("gone", &[("tests/helpers.py", python, "x = 1\n")]),
    ]);
}

#[test]
fn a_test_in_a_file_that_no_runner_collects_is_gone() {
    each_is_caught(&[
        (
            "python",
            &[("tests/test_a.py", PYTHON, ""), ("tests/a_checks.py", "", PYTHON)],
            "`test_greets` is gone",
        ),
        ("rust", &[("tests/a.rs", RUST, ""), ("tests/more/a.rs", "", RUST)], "`greets` is gone"),
        ("go", &[("x_test.go", GO, ""), ("_x_test.go", "", GO)], "`TestGreets` is gone"),
        ("samples", &[("tests/test_a.py", PYTHON, ""), ("tests/fixtures/test_a.py", "", PYTHON)], "is gone"),
        ("script", &[("src/a.test.ts", SCRIPT, ""), ("src/a.checks.ts", "", SCRIPT)], "`greets` is gone"),
    ]);
    each_passes(&[
        (
            "a module of tests",
            &[
                ("tests/a.rs", RUST, ""),
                ("tests/it/a.rs", "", RUST),
                ("tests/it/main.rs", "mod b;\n", "mod a;\nmod b;\n"),
            ],
        ),
        ("beside the code", &[("tests/a.test.ts", SCRIPT, ""), ("src/a.test.ts", "", SCRIPT)]),
        ("the other name", &[("tests/test_a.py", PYTHON, ""), ("src/a_test.py", "", PYTHON)]),
        ("own names already", &[("checks/tests/a.py", PYTHON, ""), ("checks/tests/b.py", "", PYTHON)]),
    ]);
}
