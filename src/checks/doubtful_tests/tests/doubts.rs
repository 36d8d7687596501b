//! Cheats that the rules of `doubts.rs` know from the honest change that is most like each, and what is only told.

use super::*;

/// Rows that are told to the reviewer and refuse nothing.
pub(super) fn each_is_only_told(rows: &[Cheat<'_>]) {
    let found = rows.iter().map(|(doubt, files, _)| {
        let (refused, told) = (refused(files), told(files));
        (!refused.is_empty() || told.is_empty()).then(|| format!("{doubt}: {refused:?}"))
    });
    let wrong: Vec<String> = found.flatten().collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

const COUNT: &str = "    assert count(name) == 3\n";

fn python(to: &str) -> String {
    PYTHON.replace(COUNT, to)
}

fn rust(to: &str) -> String {
    RUST.replace("    assert_eq!(count(\"a b\"), 2);\n", to)
}

fn script(to: &str) -> String {
    SCRIPT.replace("    expect(count(name)).toBe(3);\n", to)
}

#[test]
fn asserts_under_a_new_condition_are_caught() {
    let value = "def test_a():\n    result = greet('Ann')\n    assert result == 'Hello Ann'\n";
    each_is_caught(&[
        (
            "never",
            &[("test_a.py", PYTHON, &python("    if None:\n        assert count(name) == 3\n"))],
            "`test_greets`",
        ),
        (
            "itself",
            &[("test_a.py", value, &value.replace("    assert", "    if result:\n        assert"))],
            "under a condition in the test `test_a`",
        ),
        (
            "itself, in one line",
            &[("test_a.py", value, &value.replace("    assert", "    if result: assert"))],
            "in the test `test_a`",
        ),
        (
            "only where it is so",
            &[(
                "tests/a.rs",
                RUST,
                &rust("    if count(\"a b\") == 2 {\n        assert_eq!(count(\"a b\"), 2);\n    }\n"),
            )],
            "under a condition in the test `counts`",
        ),
        (
            "only what fits",
            &[(
                "tests/a.rs",
                RUST,
                &rust(
                    "    if let Some(2) = count(\"a b\") {\n        assert_eq!(count(\"a b\"), 2);\n    }\n",
                ),
            )],
            "under a condition",
        ),
        (
            "cfg never",
            &[(
                "tests/a.rs",
                RUST,
                &rust("    if cfg!(any()) {\n        assert_eq!(count(\"a b\"), 2);\n    }\n"),
            )],
            "under a condition",
        ),
        (
            "in a script",
            &[(
                "a.test.ts",
                SCRIPT,
                &script("    if (count(name)) {\n      expect(count(name)).toBe(3);\n    }\n"),
            )],
            "under a condition in the test `greets`",
        ),
        (
            "returns when it is not so",
            &[(
                "test_a.py",
                value,
                &value.replace("    assert", "    if not result:\n        return\n    assert"),
            )],
            "a return under a condition",
        ),
        (
            "leaves without a value",
            &[(
                "tests/a.rs",
                RUST,
                &rust(
                    "    let Some(found) = count(\"a b\") else { return };\n    assert_eq!(count(\"a b\"), 2);\n",
                ),
            )],
            "a return under a condition",
        ),
        (
            "yields",
            &[("test_a.py", PYTHON, &python("    assert count(name) == 3\n    yield\n"))],
            "generator",
        ),
    ]);
}

#[test]
fn conditions_that_may_be_honest_are_only_told() {
    each_is_only_told(&[
        (
            "a platform",
            &[(
                "test_a.py",
                PYTHON,
                &python("    if sys.platform != 'win32':\n        assert count(name) == 3\n"),
            )],
            "under a condition",
        ),
        (
            "some rows of a loop",
            &[(
                "test_a.py",
                "def test_a():\n    for row in rows():\n        assert row.size == 1\n",
                "def test_a():\n    for row in rows():\n        if row.kind == 'page':\n            assert row.size == 1\n",
            )],
            "under a condition",
        ),
    ]);
}

#[test]
fn conditions_that_are_answered_or_were_there_pass() {
    let go = "package a\n\nfunc TestGreets(t *testing.T) {\n\tgot, err := greet(\"Ann\")\n\tif err != nil {\n\t\tt.Fatal(err)\n\t}\n\tif got != \"Hello Ann\" {\n\t\tt.Errorf(\"wrong\")\n\t}\n}\n";
    let value = "def test_a(kind):\n    result = greet(kind)\n    assert result == 'Hello'\n";
    each_passes(&[
        ("go", &[("a_test.go", GO, go)]),
        (
            "go, with a return",
            &[(
                "a_test.go",
                GO,
                &go.replace("\t\tt.Fatal(err)\n", "\t\tt.Errorf(\"%v\", err)\n\t\treturn\n"),
            )],
        ),
        (
            "both arms assert",
            &[(
                "test_a.py",
                value,
                "def test_a(kind):\n    result = greet(kind)\n    if result:\n        assert result == 'Hello'\n    else:\n        assert kind == 'none'\n",
            )],
        ),
        (
            "the other arm fails",
            &[(
                "tests/a.rs",
                RUST,
                &rust(
                    "    if let Some(found) = count(\"a b\") {\n        assert_eq!(found, 2);\n    } else {\n        panic!(\"nothing\");\n    }\n",
                ),
            )],
        ),
        (
            "a let that fails",
            &[(
                "tests/a.rs",
                RUST,
                &rust(
                    "    let Some(found) = count(\"a b\") else { panic!(\"nothing\") };\n    assert_eq!(found, 2);\n",
                ),
            )],
        ),
        (
            "a condition beside the asserts",
            &[(
                "test_a.py",
                PYTHON,
                &python("    if name:\n        prepare(name)\n    assert count(name) == 3\n"),
            )],
        ),
        (
            "a condition that was there",
            &[(
                "test_a.py",
                &python("    if name:\n        assert count(name) == 3\n"),
                &python("    if name:\n        assert count(name) == 3\n        assert name != 'Bob'\n"),
            )],
        ),
        (
            "a generator inside",
            &[(
                "test_a.py",
                PYTHON,
                &python("    def names():\n        yield name\n    assert count(next(names())) == 3\n"),
            )],
        ),
        (
            "one more under a condition",
            &[(
                "test_a.py",
                PYTHON,
                &python("    assert count(name) == 3\n    if name:\n        assert name == 'Ann'\n"),
            )],
        ),
    ]);
}

#[test]
fn cases_that_are_gone_from_a_table_are_caught() {
    let pytest = "import pytest\n\n\n@pytest.mark.parametrize('lines, pages', [\n    (0, 0),\n    (40, 1),\n    (80, 2),\n])\ndef test_pages(lines, pages):\n    assert count(lines) == pages\n";
    let each = "describe('pages', () => {\n  it.each([\n    [0, 0],\n    [40, 1],\n  ])('%i lines', (lines, pages) => {\n    expect(count(lines)).toBe(pages);\n  });\n});\n";
    let looped = "#[test]\nfn counts() {\n    for (lines, pages) in [(0, 0), (40, 1), (80, 2)] {\n        assert_eq!(count(lines), pages);\n    }\n}\n";
    let rstest = "#[rstest]\n#[case(0, 0)]\n#[case(40, 1)]\nfn counts(#[case] lines: u32, #[case] pages: u32) {\n    assert_eq!(count(lines), pages);\n}\n";
    let go = "package a\n\nfunc TestPages(t *testing.T) {\n\ttests := []struct {\n\t\tlines, want int\n\t}{\n\t\t{0, 0},\n\t\t{40, 1},\n\t}\n\tfor _, tt := range tests {\n\t\tif got := count(tt.lines); got != tt.want {\n\t\t\tt.Errorf(\"got %d\", got)\n\t\t}\n\t}\n}\n";
    let constant = "CASES = [\n    (0, 0),\n    (40, 1),\n]\n\n\n@pytest.mark.parametrize('lines, pages', CASES)\ndef test_pages(lines, pages):\n    assert count(lines) == pages\n";
    let without = |text: &str, row: &str| text.replacen(row, "", 1);
    each_is_caught(&[
        (
            "pytest",
            &[("test_a.py", pytest, &without(pytest, "    (40, 1),\n"))],
            "1 of 3 cases are gone from the test `test_pages`",
        ),
        ("each", &[("a.test.ts", each, &without(each, "    [40, 1],\n"))], "1 of 2 cases"),
        ("loop", &[("tests/a.rs", looped, &without(looped, ", (40, 1)"))], "1 of 3 cases"),
        ("rstest", &[("tests/a.rs", rstest, &without(rstest, "#[case(40, 1)]\n"))], "1 of 2 cases"),
        ("go", &[("a_test.go", go, &without(go, "\t\t{40, 1},\n"))], "1 of 2 cases"),
        ("constant", &[("test_a.py", constant, &without(constant, "    (40, 1),\n"))], "1 of 2 cases"),
    ]);
    each_passes(&[
        ("changed", &[("test_a.py", pytest, &pytest.replace("(40, 1)", "(41, 2)"))]),
        ("more", &[("test_a.py", pytest, &pytest.replace("    (40, 1),\n", "    (40, 1),\n    (41, 2),\n"))]),
        (
            "reformatted",
            &[(
                "test_a.py",
                pytest,
                &pytest
                    .replace("[\n    (0, 0),\n    (40, 1),\n    (80, 2),\n]", "[(0, 0), (40, 1), (80, 2)]"),
            )],
        ),
        ("with ids", &[("test_a.py", pytest, &pytest.replace("(40, 1)", "pytest.param(40, 1, id='one')"))]),
        (
            "named",
            &[(
                "test_a.py",
                pytest,
                &format!(
                    "CASES = [\n    (0, 0),\n    (40, 1),\n    (80, 2),\n]\n{}",
                    pytest.replace("[\n    (0, 0),\n    (40, 1),\n    (80, 2),\n]", "CASES")
                ),
            )],
        ),
        (
            "a test of its own",
            &[(
                "test_a.py",
                pytest,
                &format!(
                    "{}\n\ndef test_one():\n    assert count(40) == 1\n",
                    without(pytest, "    (40, 1),\n")
                ),
            )],
        ),
        (
            "in another file",
            &[
                ("test_a.py", pytest, &without(pytest, "    (40, 1),\n")),
                (
                    "test_b.py",
                    "",
                    "@pytest.mark.parametrize('lines, pages', [\n    (40, 1),\n])\ndef test_more(lines, pages):\n    assert count(lines) == pages\n",
                ),
            ],
        ),
        (
            "other lists",
            &[(
                "test_a.py",
                &python("    assert sort([3, 1, 2]) == [1, 2, 3]\n"),
                &python("    assert sort([2, 1]) == [1, 2]\n"),
            )],
        ),
    ]);
    each_is_only_told(&[(
        "read from a file",
        &[(
            "test_a.py",
            pytest,
            &pytest.replace("[\n    (0, 0),\n    (40, 1),\n    (80, 2),\n]", "load_cases()"),
        )],
        "cases are gone",
    )]);
}
