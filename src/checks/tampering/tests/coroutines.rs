//! Coroutines that somebody may run, and new ones that perhaps nobody does.

use super::doubts::each_is_only_told;
use super::*;

#[test]
fn coroutines_that_somebody_may_run_are_no_cheat() {
    let waits = PYTHON.replace("def test_close():", "async def test_close():");
    let decorated = waits.replace("async def test_close", "@runs_async\nasync def test_close");
    let methods = |base: &str, word: &str| {
        format!(
            "import unittest\n\n\nclass CloseTest({base}):\n    {word}def test_close(self):\n        self.assertEqual(measure(), 3)\n"
        )
    };
    let own = format!(
        "from unittest import IsolatedAsyncioTestCase\n\n\nclass AsyncCase(IsolatedAsyncioTestCase):\n    pass\n\n{}",
        methods("AsyncCase", "async ")
    );
    let (before, after) = (methods("unittest.TestCase", ""), methods("AsyncCase", "async "));
    each_passes(&[
        ("its own decorator", &[("test_a.py", PYTHON, &decorated)]),
        ("a base class", &[("test_a.py", &before, &after)]),
        ("a base class of this file", &[("test_a.py", &before, &own)]),
    ]);
    each_is_caught(&[
        (
            "the usual base class",
            &[("test_a.py", &before, &methods("unittest.TestCase", "async "))],
            "nobody awaits",
        ),
        (
            "a mark that runs nothing",
            &[("test_a.py", PYTHON, &waits.replace("async def", "@pytest.mark.slow\nasync def"))],
            "nobody awaits",
        ),
    ]);
}

#[test]
fn a_new_coroutine_without_a_mark_is_only_told() {
    let waits = "async def test_more():\n    assert await measure() == 3\n";
    let with = |more: &str| format!("{PYTHON}\n\n{more}");
    each_is_only_told(&[
        ("in a file", &[("test_a.py", PYTHON, &with(waits))], "nobody may await the test `test_more`"),
        ("a new file", &[("test_b.py", "", waits)], "nobody may await the test `test_more`"),
    ]);
    let told = |files: &[(&str, &str, &str)]| suspicions(&made(files).site()).len();
    assert_eq!(told(&[("test_a.py", PYTHON, &with(&format!("@pytest.mark.asyncio\n{waits}")))]), 0);
    assert_eq!(told(&[("test_b.py", "", &format!("pytestmark = pytest.mark.anyio\n\n\n{waits}"))]), 0);
    let marked = made(&[("test_b.py", "", waits)]).on_disk("pytest.ini", "[pytest]\nasyncio_mode = auto\n");
    assert_eq!(suspicions(&marked.site()).len(), 0);
}
