//! Honest changes that give tests another form: tables, joined tests, shared helpers, better runners. No row may be refused.

use super::*;

const TWO: &str = "def test_ann():\n    assert greet('Ann') == 'Hello Ann'\n\n\ndef test_two():\n    assert greet(2) == 'Hello 2'\n";

#[test]
fn tests_that_became_a_table_or_one_test_are_not_gone() {
    let rust = "#[test]\nfn none() {\n    assert_eq!(pages(0), 0);\n}\n\n#[test]\nfn two() {\n    assert_eq!(pages(80), 2);\n}\n";
    let go = "package a\n\nfunc TestNone(t *testing.T) {\n\tif pages(0) != 0 {\n\t\tt.Errorf(\"none\")\n\t}\n}\n\nfunc TestTwo(t *testing.T) {\n\tif pages(80) != 2 {\n\t\tt.Errorf(\"two\")\n\t}\n}\n";
    let script = "describe('pages', () => {\n  it('none', () => {\n    expect(pages(0)).toBe(0);\n  });\n\n  it('two pages', () => {\n    expect(pages(80)).toBe(2);\n  });\n});\n";
    each_passes(&[
        (
            "pytest",
            &[(
                "tests/test_a.py",
                TWO,
                "import pytest\n\n\n@pytest.mark.parametrize(\n    'name, text',\n    [('Ann', 'Hello Ann'), (2, 'Hello 2')],\n)\ndef test_greets(name, text):\n    assert greet(name) == text\n",
            )],
        ),
        (
            "pytest, joined",
            &[(
                "tests/test_a.py",
                TWO,
                "def test_all():\n    assert greet('Ann') == 'Hello Ann'\n    assert greet(2) == 'Hello 2'\n",
            )],
        ),
        (
            "rstest",
            &[(
                "tests/a.rs",
                rust,
                "use rstest::rstest;\n\n#[rstest]\n#[case(0, 0)]\n#[case(80, 2)]\nfn counts(#[case] lines: u32, #[case] expected: u32) {\n    assert_eq!(pages(lines), expected);\n}\n",
            )],
        ),
        (
            "rust, joined",
            &[(
                "tests/a.rs",
                rust,
                "#[test]\nfn counts() {\n    assert_eq!(pages(0), 0);\n    assert_eq!(pages(80), 2);\n}\n",
            )],
        ),
        (
            "rust, a loop",
            &[(
                "tests/a.rs",
                rust,
                "#[test]\nfn counts() {\n    for (lines, expected) in [(0, 0), (80, 2)] {\n        assert_eq!(pages(lines), expected);\n    }\n}\n",
            )],
        ),
        (
            "go",
            &[(
                "a_test.go",
                go,
                "package a\n\nfunc TestPages(t *testing.T) {\n\ttests := []struct {\n\t\tname string\n\t\tlines, want int\n\t}{\n\t\t{\"none\", 0, 0},\n\t\t{\"two\", 80, 2},\n\t}\n\tfor _, tt := range tests {\n\t\tt.Run(tt.name, func(t *testing.T) {\n\t\t\tif got := pages(tt.lines); got != tt.want {\n\t\t\t\tt.Errorf(\"got %d\", got)\n\t\t\t}\n\t\t})\n\t}\n}\n",
            )],
        ),
        (
            "test.each",
            &[(
                "a.test.ts",
                script,
                "describe('pages', () => {\n  test.each([\n    [0, 0],\n    [80, 2],\n  ])('%i lines', (lines, expected) => {\n    expect(pages(lines)).toBe(expected);\n  });\n});\n",
            )],
        ),
        (
            "renamed with its describe and the function",
            &[
                ("a.test.ts", script, &script.replace("pages", "sheets")),
                (
                    "a.ts",
                    "export function pages(n: number) {\n  return n;\n}\n",
                    "export function sheets(n: number) {\n  return n;\n}\n",
                ),
            ],
        ),
        (
            "renamed with its describe, an arrow function",
            &[
                ("a.test.js", script, &script.replace("pages", "sheets")),
                ("a.js", "exports.pages = (n) => n;\n", "exports.sheets = (n) => n;\n"),
            ],
        ),
    ]);
}

#[test]
fn asserts_that_moved_or_wait_are_not_lost() {
    let slow = "def test_starts():\n    start()\n    time.sleep(2)\n    assert state() == 'up'\n";
    each_passes(&[
        (
            "into a shared helper",
            &[
                (
                    "tests/a.rs",
                    RUST,
                    &RUST.replace(
                        "    assert_eq!(count(\"a b\"), 2);\n",
                        "    common::expects_two(\"a b\");\n",
                    ),
                ),
                (
                    "tests/common/mod.rs",
                    "",
                    "pub fn expects_two(text: &str) {\n    assert_eq!(count(text), 2);\n}\n",
                ),
            ],
        ),
        (
            "into a helper of Python",
            &[
                (
                    "tests/test_a.py",
                    PYTHON,
                    &PYTHON.replace(
                        "    assert greet(name) == 'Hello Ann'\n    assert count(name) == 3\n",
                        "    check_person(name)\n",
                    ),
                ),
                (
                    "tests/helpers.py",
                    "",
                    "def check_person(name):\n    assert greet(name) == 'Hello Ann'\n    assert count(name) == 3\n",
                ),
            ],
        ),
        (
            "waits",
            &[(
                "tests/test_a.py",
                slow,
                "def test_starts():\n    start()\n    wait_until(lambda: state() == 'up')\n",
            )],
        ),
        (
            "a route goes with its test",
            &[
                (
                    "tests/test_a.py",
                    &format!(
                        "{PYTHON}\n\ndef test_legacy(client):\n    assert client.get('/legacy').status_code == 200\n"
                    ),
                    PYTHON,
                ),
                ("app.py", "@app.get('/legacy')\ndef old_page():\n    return 'x'\n", "\n"),
            ],
        ),
    ]);
}

#[test]
fn runners_that_end_or_wait_for_a_reason_pass() {
    each_passes(&[
        (
            "TestMain",
            &[(
                "a_test.go",
                GO,
                &format!(
                    "{GO}\nfunc TestMain(m *testing.M) {{\n\tif os.Getenv(\"CHILD\") == \"1\" {{\n\t\tos.Exit(0)\n\t}}\n\tos.Exit(m.Run())\n}}\n"
                ),
            )],
        ),
        (
            "signal",
            &[(
                "tests/server.test.js",
                SCRIPT,
                &format!("process.on(\"SIGINT\", () => process.exit(0));\n{SCRIPT}"),
            )],
        ),
        (
            "no tests are a failure",
            &[(
                "package.json",
                "{\n\"scripts\": {\n\"test\": \"vitest\"\n}}\n",
                "{\n\"scripts\": {\n\"test\": \"vitest run --passWithNoTests=false\"\n}}\n",
            )],
        ),
        (
            "a new package",
            &[(
                "packages/types/package.json",
                "",
                "{\n\"scripts\": {\n\"test\": \"echo \\\"no tests in types package\\\"\"\n}}\n",
            )],
        ),
        (
            "needs a database",
            &[(
                "tests/b.rs",
                "",
                "#[test]\n#[ignore = \"needs a database\"]\nfn reads() {\n    assert_eq!(read(), 1);\n}\n",
            )],
        ),
    ]);
}
