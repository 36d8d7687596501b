//! Runners and checkers that were told to look away, and honest settings beside them.

use super::*;

const CONFTEST: &str = "import pytest\n";

#[test]
fn a_runner_that_leaves_tests_out_is_caught() {
    let hooked = |body: &str| format!("{CONFTEST}\n\n{body}\n");
    let ini = "[pytest]\naddopts =\n    -q\n";
    each_is_caught(&[
        (
            "items deleted",
            &[(
                "conftest.py",
                CONFTEST,
                &hooked("def pytest_collection_modifyitems(items):\n    del items[:]"),
            )],
            "conftest.py:5",
        ),
        (
            "all skipped",
            &[(
                "conftest.py",
                CONFTEST,
                &hooked(
                    "def pytest_collection_modifyitems(items):\n    for item in items:\n        item.add_marker(pytest.mark.xfail)",
                ),
            )],
            "conftest.py:6",
        ),
        (
            "a fixture that skips",
            &[(
                "conftest.py",
                CONFTEST,
                &hooked("@pytest.fixture(autouse=True)\ndef quiet():\n    pytest.skip('x')"),
            )],
            "conftest.py:6",
        ),
        ("sitecustomize", &[("sitecustomize.py", "", "import sys\n")], "sitecustomize.py"),
        (
            "deselected",
            &[("tox.ini", ini, &format!("{ini}    --deselect tests/test_a.py::test_x\n"))],
            "tox.ini:4",
        ),
        (
            "make ignores it",
            &[("Makefile", "test:\n\tpytest\n", "test:\n\t-pytest\n")],
            "Makefile:2: lets a failure pass",
        ),
        ("make ends well", &[("Makefile", "test:\n\tpytest\n", "test:\n\tpytest; exit 0\n")], "Makefile:2"),
        ("eslint", &[(".eslintignore", "dist\n", "dist\n**\n")], ".eslintignore:2"),
        (
            "strict",
            &[(
                "tsconfig.json",
                "{\"compilerOptions\": {\n  \"strict\": true\n}}\n",
                "{\"compilerOptions\": {\n  \"strict\": false\n}}\n",
            )],
            "tsconfig.json:2",
        ),
    ]);
    each_passes(&[
        (
            "slow ones on demand",
            &[(
                "conftest.py",
                CONFTEST,
                &hooked(
                    "def pytest_collection_modifyitems(config, items):\n    slow = pytest.mark.skip(reason='needs --slow')\n    for item in items:\n        if 'slow' in item.keywords:\n            item.add_marker(slow)",
                ),
            )],
        ),
        ("make removes", &[("Makefile", "clean:\n", "clean:\n\t-rm -r dist\n")]),
        ("eslint, made files", &[(".eslintignore", "dist\n", "dist\nbuild/**\n")]),
        ("a new tsconfig", &[("tsconfig.json", "", "{\n  \"strict\": false\n}\n")]),
        ("stricter", &[("tsconfig.json", "{\n  \"strict\": false\n}\n", "{\n  \"strict\": true\n}\n")]),
        (
            "left out before",
            &[(
                "tox.ini",
                "[pytest]\naddopts =\n    --ignore=a\n",
                "[pytest]\naddopts =\n    -q\n    --ignore=a\n",
            )],
        ),
    ]);
}
