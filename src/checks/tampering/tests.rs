//! What is refused without a question, beside what is honest or only asked about.

use super::*;
use crate::judge_places;
use crate::scene::{Scene, gist};
use model::event::CheckResult;

fn examine(site: &Site<'_>) -> CheckResult {
    judge_places("tampering", places(site))
}

const TEST: &str = "def test_a():\n    assert f() == 2\n";

fn refused(path: &str, before: &str, after: &str) -> String {
    gist(&examine(&Scene::changing(path, before, after).site()))
}

#[test]
fn a_test_that_never_runs_any_more_or_runs_alone_is_refused() {
    let script = "it('a', () => {\n  expect(f()).toBe(2);\n});\n";
    for (path, before, after, place) in [
        ("test_a.py", TEST, format!("@pytest.mark.skip\n{TEST}"), "test_a.py:1"),
        ("test_a.py", TEST, TEST.replace("    assert", "    return\n    assert"), "test_a.py:2"),
        ("a.test.js", script, script.replace("it(", "it.skip("), "a.test.js:1"),
        ("a.test.js", script, script.replace("it(", "it.only("), "a.test.js:1"),
        ("a.test.js", "", script.replace("it(", "it.only("), "a.test.js:1"),
    ] {
        assert_eq!(refused(path, before, &after), place, "{after}");
    }
}

#[test]
fn what_was_so_or_may_be_honest_is_not_refused() {
    let skipped = format!("@pytest.mark.skip\n{TEST}");
    for (before, after) in [
        (skipped.as_str(), skipped.replace('2', "3")),
        (&skipped, TEST.to_owned()),
        (TEST, format!("@pytest.mark.skipif(windows, reason='x')\n{TEST}")),
        (TEST, format!("@pytest.mark.xfail\n{TEST}")),
        ("", skipped.clone()),
    ] {
        assert_eq!(refused("test_a.py", before, &after), "pass", "{after}");
    }
    let asked = Scene::changing("test_a.py", TEST, &skipped).about("Skip `test_a` until the server is back.");
    assert_eq!(gist(&examine(&asked.site())), "pass");
    assert_eq!(gist(&crate::suspect::examine(&asked.site())), "test_a.py:1", "the reviewer is asked");
}

#[test]
fn a_runner_that_is_replaced_is_refused() {
    let patched = "import unittest\nunittest.TestCase.run = lambda self, result=None: None\n";
    assert_eq!(refused("tests/__init__.py", "import unittest\n", patched), "tests/__init__.py:2");
    let always = Scene::adding("sitecustomize.py", "import os\n");
    assert_eq!(gist(&examine(&always.site())), "sitecustomize.py");
    assert_eq!(refused("tests/a.py", patched, &patched.replace("None\n", "None\n# it was so\n")), "pass");
    assert_eq!(
        refused("tests/a.py", "import unittest\n", "import unittest\nunittest.TestCase.maxDiff = None\n"),
        "pass"
    );
}
