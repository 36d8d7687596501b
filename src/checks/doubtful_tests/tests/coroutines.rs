//! Coroutines that somebody may run, and new ones that perhaps nobody does.

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
        ("no mark", &[("test_a.py", PYTHON, &waits)], "is a coroutine now"),
        (
            "the usual base class",
            &[("test_a.py", &before, &methods("unittest.TestCase", "async "))],
            "Does every test still count?",
        ),
        (
            "a new one of the usual base class",
            &[("test_b.py", "x = 1\n", &methods("unittest.TestCase", "async "))],
            "Does every test still count?",
        ),
    ]);
}
