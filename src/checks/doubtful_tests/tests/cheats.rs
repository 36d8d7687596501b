//! Cheats: every row has to be caught.

use super::*;

#[test]
#[expect(clippy::too_many_lines, reason = "one table")]
fn a_test_that_is_gone_or_does_not_run_is_caught() {
    each_is_caught(&[
        ("deleted", &[("tests/a.rs", RUST, RUST.split("\n\n").next().expect("one"))], "`counts` is gone"),
        ("file deleted", &[("tests/a.rs", RUST, "")], "`greets` is gone"),
        ("emptied", &[("tests/test_a.py", PYTHON, "import pytest\n")], "`test_close` is gone"),
        (
            "no longer a test",
            &[("tests/test_a.py", PYTHON, &PYTHON.replace("def test_greets", "def check_greets"))],
            "`test_greets` is gone",
        ),
        (
            "renamed file",
            &[("tests/test_a.py", PYTHON, ""), ("tests/a.py.bak", "", PYTHON)],
            "`test_greets` is gone",
        ),
        ("attribute removed", &[("src/a.rs", RUST, &RUST.replacen("#[test]\n", "", 1))], "`greets` is gone"),
        (
            "commented out",
            &[("tests/a.rs", RUST, &RUST.replace("#[test]\nfn counts", "// #[test]\n// fn counts"))],
            "`counts` is gone",
        ),
        (
            "trivial one instead",
            &[(
                "tests/a.rs",
                RUST,
                &RUST.replace(
                    "fn counts() {\n    assert_eq!(count(\"a b\"), 2);",
                    "fn works() {\n    assert!(true);",
                ),
            )],
            "`counts` is gone",
        ),
        (
            "ignored",
            &[("tests/a.rs", RUST, &RUST.replace("#[test]\nfn counts", "#[test]\n#[ignore]\nfn counts"))],
            "tests/a.rs:",
        ),
        (
            "cfg any",
            &[("tests/a.rs", RUST, &RUST.replace("#[test]\nfn counts", "#[cfg(any())]\n#[test]\nfn counts"))],
            "tests/a.rs:",
        ),
        (
            "module cfg",
            &[("tests/a.rs", RUST, &format!("#![cfg(any())]\n{RUST}"))],
            "tests/a.rs:1: a test is switched off",
        ),
        (
            "pytest skip",
            &[("test_a.py", PYTHON, &PYTHON.replace("def test_close", "@pytest.mark.skip\ndef test_close"))],
            "test_a.py:",
        ),
        (
            "pytest skipif",
            &[(
                "test_a.py",
                PYTHON,
                &PYTHON.replace("def test_close", "@pytest.mark.skipif(not RUN, reason='x')\ndef test_close"),
            )],
            "a skip was added in the test `test_close`",
        ),
        (
            "should panic",
            &[(
                "tests/a.rs",
                RUST,
                &RUST.replace("#[test]\nfn counts", "#[test]\n#[should_panic]\nfn counts"),
            )],
            "the test `counts` may fail now",
        ),
        (
            "flaky",
            &[(
                "test_a.py",
                PYTHON,
                &PYTHON.replace("def test_close", "@pytest.mark.flaky(reruns=5)\ndef test_close"),
            )],
            "the test `test_close` may fail now",
        ),
        (
            "xfail",
            &[(
                "test_a.py",
                PYTHON,
                &PYTHON.replace("def test_close", "@pytest.mark.xfail(reason='x')\ndef test_close"),
            )],
            "test_a.py:",
        ),
        (
            "module skip",
            &[(
                "test_a.py",
                PYTHON,
                &PYTHON.replace("import pytest\n", "import pytest\npytestmark = pytest.mark.skip('x')\n"),
            )],
            "test_a.py:2: a test is switched off",
        ),
        ("it.skip", &[("a.test.ts", SCRIPT, &SCRIPT.replace("it('is", "it.skip('is"))], "a.test.ts:8"),
        ("xit", &[("a.test.ts", SCRIPT, &SCRIPT.replace("it('is", "xit('is"))], "a.test.ts:8"),
        ("it.only", &[("a.test.ts", SCRIPT, &SCRIPT.replace("it('is", "it.only('is"))], "a.test.ts:8"),
        (
            "describe.skip",
            &[("a.test.ts", SCRIPT, &SCRIPT.replace("describe(", "describe.skip("))],
            "a.test.ts:1",
        ),
        (
            "todo",
            &[(
                "a.test.ts",
                SCRIPT,
                &SCRIPT.replace(
                    "it('is close', () => {\n    expect(measure()).toBeCloseTo(3.14, 5);\n  });",
                    "it.todo('is close');",
                ),
            )],
            "a.test.ts:8",
        ),
        (
            "t.Skip",
            &[("a_test.go", GO, &GO.replace("testing.T) {\n", "testing.T) {\n\tt.Skip(\"x\")\n"))],
            "a skip was added in the test `TestGreets`",
        ),
    ]);
}

#[test]
#[expect(clippy::too_many_lines, reason = "one table")]
fn a_test_that_demands_less_is_caught() {
    each_is_caught(&[
        (
            "assert removed",
            &[("tests/a.rs", RUST, &RUST.replace("    assert!(greet(\"\").is_err());\n", ""))],
            "asserts are gone in the test `greets`",
        ),
        (
            "assert commented out",
            &[("test_a.py", PYTHON, &PYTHON.replace("    assert count", "    # assert count"))],
            "asserts are gone",
        ),
        (
            "assert true",
            &[("tests/a.rs", RUST, &RUST.replace("assert_eq!(count(\"a b\"), 2)", "assert!(true)"))],
            "tests/a.rs:10: an assert that always holds",
        ),
        (
            "same sides",
            &[("test_a.py", PYTHON, &PYTHON.replace("assert count(name) == 3", "assert name == name"))],
            "always holds",
        ),
        (
            "or true",
            &[(
                "test_a.py",
                PYTHON,
                &PYTHON.replace("assert count(name) == 3", "assert count(name) == 3 or True"),
            )],
            "always holds",
        ),
        (
            "is_ok",
            &[(
                "tests/a.rs",
                RUST,
                &RUST.replace("assert_eq!(greet(name), \"Hello Ann\")", "assert!(greet(name).is_ok())"),
            )],
            "tests/a.rs:4: an assert demands less",
        ),
        (
            "truthy",
            &[("a.test.ts", SCRIPT, &SCRIPT.replace("toEqual('Hello Ann')", "toBeTruthy()"))],
            "a.test.ts:4: an assert demands less",
        ),
        ("not equal", &[("test_a.py", PYTHON, &PYTHON.replace("== 'Hello Ann'", "!= 'x'"))], "demands less"),
        (
            "not none",
            &[(
                "test_a.py",
                PYTHON,
                &PYTHON.replace("greet(name) == 'Hello Ann'", "greet(name) is not None"),
            )],
            "demands less",
        ),
        (
            "contains",
            &[(
                "tests/a.rs",
                RUST,
                &RUST.replace(
                    "assert_eq!(greet(name), \"Hello Ann\")",
                    "assert!(greet(name).contains(\"Ann\"))",
                ),
            )],
            "demands less",
        ),
        (
            "tolerance",
            &[("test_a.py", PYTHON, &PYTHON.replace("abs=0.001", "abs=5"))],
            "a tolerance is wider",
        ),
        ("digits", &[("a.test.ts", SCRIPT, &SCRIPT.replace("3.14, 5", "3.14, 0"))], "a tolerance is wider"),
        (
            "early return",
            &[("test_a.py", PYTHON, &PYTHON.replace("    name = 'Ann'\n", "    name = 'Ann'\n    return\n"))],
            "test_a.py:6: a return stands",
        ),
        (
            "return in CI",
            &[(
                "a.test.ts",
                SCRIPT,
                &SCRIPT.replace(
                    "    const name = 'Ann';\n",
                    "    if (process.env.CI) return;\n    const name = 'Ann';\n",
                ),
            )],
            "a return stands",
        ),
        (
            "caught",
            &[(
                "test_a.py",
                PYTHON,
                &PYTHON.replace(
                    "    assert count(name) == 3\n",
                    "    try:\n        assert count(name) == 3\n    except Exception:\n        pass\n",
                ),
            )],
            "failures are swallowed",
        ),
        (
            "never run",
            &[(
                "test_a.py",
                PYTHON,
                &PYTHON.replace(
                    "    assert count(name) == 3\n",
                    "    if False:\n        assert count(name) == 3\n",
                ),
            )],
            "failures are swallowed",
        ),
        (
            "renamed and weaker",
            &[(
                "tests/a.rs",
                RUST,
                &RUST
                    .replace("fn greets()", "fn greets_people()")
                    .replace("assert_eq!(greet(name), \"Hello Ann\")", "assert!(greet(name).is_ok())"),
            )],
            "demands less in the test `greets_people`",
        ),
        (
            "go errors removed",
            &[("a_test.go", GO, &GO.replace("\t\tt.Errorf(\"wrong\")\n", ""))],
            "asserts are gone",
        ),
    ]);
}

#[test]
fn checkers_and_runners_that_were_silenced_are_caught() {
    each_is_caught(&[
        ("eslint", &[("src/a.test.ts", "a\n", "/* eslint-disable */\na\n")], "src/a.test.ts:1: silences"),
        ("type ignore", &[("test_a.py", "x = f()\n", "x = f()  # type: ignore\n")], "silences"),
        ("noqa", &[("tests/a.py", "x = f()\n", "x = f()  # noqa\n")], "silences"),
        ("ts-ignore", &[("a.spec.ts", "f();\n", "// @ts-ignore\nf();\n")], "silences"),
        ("a tool's own settings", &[("eslint.config.js", "a\n", "/* eslint-disable */\na\n")], "silences"),
        ("allow all", &[("tests/a.rs", "x\n", "#![allow(warnings)]\nx\n")], "silences"),
        (
            "allow all, in a module of tests",
            &[("src/lib.rs", "#[cfg(test)]\nmod a {}\n", "#[cfg(test)]\nmod a {\n#![allow(unused)]\n}\n")],
            "silences",
        ),
        ("or true", &[("scripts/test.sh", "pytest\n", "pytest || true\n")], "lets a failure pass"),
        (
            "continue",
            &[(".gitlab-ci.yml", "a: 1\n", "a: 1\n    allow_failure: true\n")],
            "lets a failure pass",
        ),
        (
            "echo",
            &[(
                "package.json",
                "{\"scripts\": {\n\"test\": \"jest\"\n}}\n",
                "{\"scripts\": {\n\"test\": \"echo ok\"\n}}\n",
            )],
            "runs no tests",
        ),
        (
            "exit 0",
            &[(
                "package.json",
                "{\"scripts\": {\n\"test\": \"jest\"\n}}\n",
                "{\"scripts\": {\n\"test\": \"exit 0\"\n}}\n",
            )],
            "runs no tests",
        ),
        (
            "ignored file",
            &[("pytest.ini", "[pytest]\n", "[pytest]\naddopts = --ignore=tests/test_a.py\n")],
            "leaves tests out",
        ),
        (
            "ignored pattern",
            &[(
                "jest.config.js",
                "module.exports = {};\n",
                "module.exports = {\n  testPathIgnorePatterns: ['a'],\n};\n",
            )],
            "leaves tests out",
        ),
        ("autotests", &[("Cargo.toml", "[package]\n", "[package]\nautotests = false\n")], "leaves tests out"),
        (
            "coverage",
            &[(
                "pyproject.toml",
                "[tool.coverage.report]\nfail_under = 90\n",
                "[tool.coverage.report]\nfail_under = 20\n",
            )],
            "lowers a floor",
        ),
        ("exit in tests", &[("tests/conftest.py", "", "import os\nos._exit(0)\n")], "can turn a failure"),
        (
            "outcome",
            &[("conftest.py", "import x\n", "import x\ndef f(report):\n    report.outcome = \"passed\"\n")],
            "can turn a failure",
        ),
    ]);
}
