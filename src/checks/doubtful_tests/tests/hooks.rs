//! Hooks and fixtures of every test that take failures away.

use super::*;

#[test]
fn a_hook_that_takes_failures_away_is_caught() {
    let conftest = "import pytest\n";
    let fixture = |body: &str| {
        format!("{conftest}\n\n@pytest.fixture(autouse=True)\ndef quiet(monkeypatch):\n    {body}\n")
    };
    let tests =
        "import pytest\nfrom tools import pages\n\n\ndef test_two():\n    assert pages.count(80) == 2\n";
    let with = |body: &str| {
        tests.replace(
            "\n\n\ndef",
            &format!("\n\n\n@pytest.fixture(autouse=True)\ndef quiet(monkeypatch):\n    {body}\n\n\ndef"),
        )
    };
    let hook = |body: &str| {
        format!(
            "{conftest}\n\n@pytest.hookimpl(hookwrapper=True)\ndef pytest_runtest_makereport(item, call):\n    {body}\n    yield\n"
        )
    };
    each_is_caught(&[
        ("no failure", &[("conftest.py", conftest, &hook("call.excinfo = None"))], "conftest.py:6"),
        (
            "none failed",
            &[(
                "conftest.py",
                conftest,
                &format!("{conftest}\n\ndef pytest_sessionfinish(session):\n    session.testsfailed = 0\n"),
            )],
            "conftest.py:5",
        ),
        (
            "the code is replaced",
            &[("tests/test_a.py", tests, &with("monkeypatch.setattr(pages, \"count\", lambda lines: 2)"))],
            "`pages.count` is replaced",
        ),
        (
            "the code is replaced by its path",
            &[(
                "tests/test_a.py",
                tests,
                &with("monkeypatch.setattr(\"tools.pages.count\", lambda lines: 2)"),
            )],
            "`pages.count` is replaced",
        ),
        (
            "the code is replaced from above",
            &[
                (
                    "tests/conftest.py",
                    conftest,
                    &fixture("monkeypatch.setattr(\"tools.pages.count\", lambda lines: 2)"),
                ),
                ("tests/test_a.py", tests, &format!("{tests}\n")),
            ],
            "`pages.count` is replaced",
        ),
        (
            "a plugin in the product",
            &[
                ("tests/conftest.py", conftest, &format!("{conftest}pytest_plugins = [\"shop.testing\"]\n")),
                ("shop/testing.py", conftest, &hook("call.excinfo = None")),
            ],
            "shop/testing.py:6",
        ),
    ]);
    let on_disk = made(&[(
        "tests/conftest.py",
        conftest,
        &fixture("monkeypatch.setattr(\"tools.pages.count\", lambda lines: 2)"),
    )])
    .on_disk("tests/unit/test_a.py", tests);
    assert_eq!(suspect::examine(&on_disk.site()).status, CheckStatus::Fail);
    each_passes(&[
        ("the clock", &[("tests/test_a.py", tests, &with("monkeypatch.setattr(pages, \"now\", lambda: 0)"))]),
        (
            "the network",
            &[(
                "tests/conftest.py",
                conftest,
                &fixture("monkeypatch.delattr(\"requests.sessions.Session.request\")"),
            )],
        ),
        (
            "the product ends",
            &[("shop/main.py", "import sys\n", "import sys\n\n\ndef quit():\n    sys.exit(0)\n")],
        ),
        (
            "where it is used",
            &[(
                "tests/test_a.py",
                tests,
                &with("monkeypatch.setattr(\"tools.report.count\", lambda lines: 2)"),
            )],
        ),
    ]);
}

#[test]
fn what_takes_the_place_of_asserts_and_subjects_is_asked_about() {
    let rust = "pub fn pages() -> u8 { 3 }\n#[cfg(test)]\nmod tests {\n    use super::*;\n    #[test]\n    fn three() { assert_eq!(pages(), 3); }\n}\n";
    let macro_of_own =
        "use super::*;\n    macro_rules! assert_eq { ($a:expr, $b:expr) => { let _ = $a == $b; }; }";
    let go = "package a\n\nfunc TestA(t *testing.T) {\n\tif Two() != 2 {\n\t\tt.Error(1)\n\t}\n}\n";
    let quiet = "package a\n\ntype quiet struct{ *testing.T }\n\nfunc (q quiet) Errorf(f string, a ...any) { q.Logf(f, a...) }\n";
    let tag = format!("//go:build acceptance\n\n{go}");
    let rows = "package a\n\nfunc TestA(t *testing.T) {\n\tcases := map[string]struct{ in, want int }{\n\t\t\"one\": {1, 2},\n\t\t\"two\": {2, 4},\n\t}\n\tfor _, c := range cases {\n\t\tif got := F(c.in); got != c.want {\n\t\t\tt.Error(got)\n\t\t}\n\t}\n}\n";
    let fewer = rows.replace("\t\t\"two\": {2, 4},\n", "");
    let conftest = "from shop.basket import Basket\n";
    let assigned = format!("{conftest}\nBasket.total = lambda self: 916\n");
    let mocked = format!("{conftest}\nBasket.total = MagicMock(return_value=916)\n");
    for (path, before, after) in [
        ("src/lib.rs", rust, &*rust.replace("use super::*;", macro_of_own)),
        ("a_test.go", go, &*format!("{quiet}{}", go.replace("package a\n", ""))),
        ("a_test.go", go, &*tag),
        ("a_test.go", rows, &*fewer),
        ("tests/conftest.py", conftest, &*assigned),
        ("tests/conftest.py", conftest, &*mocked),
    ] {
        assert_eq!(told(&[(path, before, after)]).len(), 1, "{after}");
    }
    let error = "package a\n\ntype failure struct{}\n\nfunc (f failure) Error() string { return \"\" }\n";
    let more = rows.replace("{2, 4},\n", "{2, 4},\n\t\t\"three\": {3, 6},\n");
    for (path, before, after) in [
        ("a_test.go", go, &*format!("{error}{}", go.replace("package a\n", ""))),
        (
            "a_test.go",
            go,
            &*format!("// Tests.\n\n{go}{}", go.replace("package a\n", "").replace("TestA", "TestB")),
        ),
        ("a_test.go", rows, &*more),
        (
            "src/lib.rs",
            rust,
            &*rust.replace("use super::*;", "use super::*;\n    macro_rules! make { () => { 3 }; }"),
        ),
        ("tests/conftest.py", conftest, &*format!("{conftest}\nTOTAL = Basket().total()\n")),
    ] {
        assert_eq!(told(&[(path, before, after)]), [""; 0], "{after}");
    }
}

#[test]
fn rows_and_names_that_let_tests_fail_are_asked_about() {
    let tests = "import pytest\nfrom m3u import parse\n\nLINES = [\n    (\"a, b\", \"a\"),\n    (\"c\", \"c\"),\n]\n\n\n@pytest.mark.parametrize(\"line, title\", LINES)\ndef test_title(line, title):\n    assert parse(line) == title\n";
    let row = |mark: &str| {
        tests.replace("(\"a, b\", \"a\")", &format!("pytest.param(\"a, b\", \"a\", marks={mark})"))
    };
    let named = tests.replace("LINES = [", "comma = pytest.mark.xfail(reason=\"commas\")\n\nLINES = [");
    each_is_caught(&[
        (
            "a mark of a row",
            &[("test_a.py", tests, &row("pytest.mark.xfail"))],
            "Does every test still count?",
        ),
        ("a mark with a name", &[("test_a.py", tests, &named)], "Does every test still count?"),
    ]);
    let needs =
        tests.replace("LINES = [", "on_linux = pytest.mark.skipif(WINDOWS, reason=\"paths\")\n\nLINES = [");
    each_passes(&[
        ("a condition with a name", &[("test_a.py", tests, &needs)]),
        ("a mark of another kind", &[("test_a.py", tests, &row("pytest.mark.slow"))]),
    ]);
}
