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
