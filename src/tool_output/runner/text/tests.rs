//! Outputs of runners that stand in `data/runners.toml`.

#[test]
fn numbers_are_read_with_their_words() {
    let of = |text: &str| {
        let line = crate::pattern::regex("^(?<numbers>.*)$");
        super::counts(&line.captures(text).expect("a line"))
    };
    let text = "4 tests run: 2 passed (1 slow), 1 failed | 1 timed out; 5; 99999999999999999999999 skipped";
    assert_eq!(of(text), crate::Counts { passed: 2, failed: 2, ignored: 0 });
    assert_eq!(of("1 failed, 2 errors, 3 error, 1 expected fail | 1 todo").failed, 6);
}

mod nextest {
    use crate::TestOutcome::{DidNotLoad, Failed};
    use crate::runner::tests::{of_stdout, outcomes};
    use crate::{Counts, FailedTest};

    const RECORDED: &str = r#"    Finished `test` profile [unoptimized + debuginfo] target(s) in 0.01s
────────────
 Nextest run ID 10569e40-fad6-40d7-b2f5-d280855e1be8 with nextest profile: default
    Starting 4 tests across 1 binary (1 test skipped)
        PASS [   0.005s] (1/4) demo tests::passes
        FAIL [   0.011s] (2/4) demo tests::returns_error
  stdout ───

    running 1 test
    test tests::returns_error ... FAILED

    failures:

    failures:
        tests::returns_error

    test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 4 filtered out; finished in 0.00s

  stderr ───
    Error: "Permission denied"

        FAIL [   0.094s] (4/4) demo tests::fails
  stdout ───

    running 1 test
    test result: ok. 99 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out
    test tests::fails ... FAILED

  stderr ───

    thread 'tests::fails' (5768) panicked at src/lib.rs:10:107:
    assertion `left == right` failed: sum
    is wrong
      left: 2
     right: 3
    note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace

     SIGSEGV [   0.094s] (5/4) demo tests::crashes
────────────
     Summary [   0.094s] 4 tests run: 1 passed, 3 failed, 1 skipped
        FAIL [   0.011s] (2/4) demo tests::returns_error
        FAIL [   0.094s] (4/4) demo tests::fails
     SIGSEGV [   0.094s] (5/4) demo tests::crashes
error: test run failed
"#;

    #[test]
    fn failures_carry_what_the_tests_printed() {
        let report = of_stdout(RECORDED);
        assert_eq!(report.counts, Some(Counts { passed: 1, failed: 3, ignored: 1 }));
        let sum = "assertion `left == right` failed: sum\nis wrong\n  left: 2\n right: 3";
        let expected = [
            ("demo › tests::returns_error", None, None, "Error: \"Permission denied\""),
            ("demo › tests::fails", Some("src/lib.rs".to_owned()), Some(10), sum),
            ("demo › tests::crashes", None, None, ""),
        ];
        let expected = expected.map(|(name, file, line, error)| FailedTest {
            name: name.into(),
            file,
            line,
            error: error.into(),
        });
        assert_eq!(report.failed, expected);
    }

    #[test]
    fn each_test_is_named_below_its_binary_and_says_why_it_failed() {
        let text = "    Starting 2 tests across 1 binary\n        FAIL [   0.005s] (1/2) pager::pages books\n  stdout ───\n\n\
            \x20   running 1 test\n    test books ... FAILED\n\n  stderr ───\n\n    thread 'books' (7) panicked at tests/pages.rs:3:5:\n\
            \x20   Cannot find module 'books'\n\n        FAIL [   0.005s] (2/2) pager::pages rest\n  stderr ───\n\n\
            \x20   thread 'rest' (8) panicked at tests/pages.rs:8:5:\n    assertion `left == right` failed\n\n\
            ────────────\n     Summary [   0.01s] 2 tests run: 0 passed, 2 failed, 0 skipped\n";
        let report = of_stdout(text);
        assert_eq!(
            outcomes(&report),
            [("pager::pages › books", DidNotLoad), ("pager::pages › rest", Failed)]
        );
    }

    #[test]
    fn the_documentation_tests_after_it_are_added() {
        let both = format!(
            "{RECORDED}\nrunning 1 test\ntest src/lib.rs - add (line 1) ... ok\n\n\
             test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.19s\n"
        );
        assert_eq!(of_stdout(&both).counts, Some(Counts { passed: 2, failed: 3, ignored: 1 }));
    }

    #[test]
    fn a_test_that_passed_when_tried_again_is_no_failure() {
        let text = "    Starting 2 tests across 1 binary\n  TRY 1 FAIL [   0.005s] demo tests::flaky\n\
            --- STDERR:              demo tests::flaky ---\nrunning 1 test\nthread 'x' panicked at src/a.rs:1:2:\nboom\n\
            \x20 TRY 2 PASS [   0.003s] demo tests::flaky\n        TIMEOUT [  60.000s] demo tests::slow\n\
            ------------\n     Summary [   0.020s] 2 tests run: 1 passed (1 flaky), 1 timed out, 0 skipped\n";
        let report = of_stdout(text);
        assert_eq!(report.counts, Some(Counts { passed: 1, failed: 1, ignored: 0 }));
        assert_eq!(
            report.failed.iter().map(|test| test.name.as_str()).collect::<Vec<_>>(),
            ["demo › tests::slow"]
        );
    }

    #[test]
    fn a_run_that_was_broken_off_has_no_counts() {
        let text = "    Starting 2 tests across 1 binary\n        PASS [   0.003s] demo tests::a\n";
        let report = of_stdout(text);
        assert_eq!((report.known, report.counts), (true, None));
    }
}

mod libtest {
    use crate::runner::tests::of_stdout;
    use crate::{Counts, FailedTest};

    const RECORDED: &str = r#"
running 5 tests
test tests::ignored ... ignored, slow
test tests::passes ... ok
test tests::returns_error ... FAILED
test tests::should - should panic ... FAILED
test tests::fails ... FAILED

failures:

---- tests::returns_error stdout ----
Error: "Permission denied"

---- tests::should stdout ----
note: test did not panic as expected at src/lib.rs:15:8
---- tests::fails stdout ----
running 1 test
test nested ... FAILED

failures:
    nested

test result: ok. 99 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out

thread 'tests::fails' (5712) panicked at src/lib.rs:10:107:
assertion `left == right` failed: sum
is wrong
  left: 2
 right: 3
stack backtrace:
   0: __rustc::rust_begin_unwind
             at /rustc/59807616/library/std/src/panicking.rs:689:5
note: Some details are omitted, run with `RUST_BACKTRACE=full` for a verbose backtrace.


failures:
    tests::fails
    tests::returns_error
    tests::should

test result: FAILED. 1 passed; 3 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.09s

   Doc-tests demo

running 2 tests
test src/lib.rs - add (line 1) ... FAILED
test src/lib.rs - sub (line 9) - compile ... ok

failures:

---- src/lib.rs - add (line 1) stdout ----
Test executable failed (exit status: 101).

stderr:

thread 'main' (5732) panicked at src/lib.rs:5:1:
assertion `left == right` failed
  left: 2
 right: 3
note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace



failures:
    src/lib.rs - add (line 1)

test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.19s
"#;

    fn failed(name: &str, place: Option<(&str, u32)>, error: &str) -> FailedTest {
        let (file, line) = place.map(|(file, line)| (file.to_owned(), line)).unzip();
        FailedTest { name: name.into(), file, line, error: error.into() }
    }

    #[test]
    fn failures_carry_their_panics_and_binaries_are_summed() {
        let report = of_stdout(RECORDED);
        assert_eq!(report.counts, Some(Counts { passed: 2, failed: 4, ignored: 1 }));
        let sum = "assertion `left == right` failed: sum\nis wrong\n  left: 2\n right: 3";
        let add = "assertion `left == right` failed\n  left: 2\n right: 3";
        assert_eq!(
            report.failed,
            [
                failed("tests::returns_error", None, "Error: \"Permission denied\""),
                failed("tests::should", None, "note: test did not panic as expected at src/lib.rs:15:8"),
                failed("tests::fails", Some(("src/lib.rs", 10)), sum),
                failed("src/lib.rs - add", Some(("src/lib.rs", 1)), add),
            ]
        );
    }

    #[test]
    fn a_test_cannot_print_a_result_of_its_own() {
        let forged = "running 2 tests\ntest a ... ok\n\
            test result: ok. 500 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\ntest b ... ok\n\n\
            test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n";
        assert_eq!(of_stdout(forged).counts, Some(Counts { passed: 2, failed: 0, ignored: 0 }));
    }

    #[test]
    fn a_binary_that_broke_off_counts_what_it_said() {
        let broken = "running 3 tests\ntest a ... ok\n\nrunning 1 test\ntest c ... ok\n\n\
            test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n";
        assert_eq!(of_stdout(broken).counts, Some(Counts { passed: 2, failed: 0, ignored: 0 }));
        let silent = of_stdout("running 3 tests\n");
        assert_eq!((silent.known, silent.counts), (true, None));
        let overflow =
            of_stdout("\nthread 'deep' (12) has overflowed its stack\nfatal runtime error: stack overflow\n");
        assert_eq!(overflow.failed, [failed("deep", None, "has overflowed its stack")]);
    }

    #[test]
    fn quiet_output_and_old_panics_are_read() {
        let quiet = "\nrunning 2 tests\n.F\nfailures:\n\n---- t::a stdout ----\n\
            thread 't::a' panicked at 'it's wrong', src/a.rs:3:5\nnote: run with `RUST_BACKTRACE=1` environment\n\n\n\
            failures:\n    t::a\n\ntest result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out\n";
        let report = of_stdout(quiet);
        assert_eq!(report.failed, [failed("t::a", Some(("src/a.rs", 3)), "it's wrong")]);
        assert_eq!(report.counts, Some(Counts { passed: 1, failed: 1, ignored: 0 }));
    }
}

mod pytest {
    use crate::runner::tests::of_stdout;
    use crate::{Counts, FailedTest};

    const RECORDED: &str = r#"============================= test session starts ==============================
platform linux -- Python 3.12.1, pytest-8.3.3, pluggy-1.5.0
rootdir: /x
collected 5 items / 1 error

test_a.py .Fs                                                            [ 60%]
test_b.py .F                                                             [100%]

==================================== ERRORS ====================================
_________________________ ERROR collecting test_c.py __________________________
ImportError while importing test module 'test_c.py'.
E   ModuleNotFoundError: No module named 'nothing'
=================================== FAILURES ===================================
____________________________________ test_b ____________________________________

    def test_b():
        print("===== 9 passed in 0.01s =====")
>       assert 1 == 2
E       assert 1 == 2
E         +more

test_a.py:5: AssertionError
----------------------------- Captured stdout call -----------------------------
E   not the error
________________________________ TestX.test_deep _______________________________

self = <test_b.TestX object>

    def test_deep(self):
>       helper()

test_b.py:7:
_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _

    def helper():
>       raise ValueError("boom")
E       ValueError: boom

helper.py:2: ValueError
=========================== short test summary info ============================
FAILED test_a.py::test_b - assert 1 == 2
FAILED test_b.py::TestX::test_deep - ValueError: boom
ERROR test_c.py
==================== 2 failed, 2 passed, 1 skipped, 1 error in 0.12s ====================
"#;

    #[test]
    fn the_summary_is_joined_with_what_the_sections_show() {
        let report = of_stdout(RECORDED);
        assert_eq!(report.counts, Some(Counts { passed: 2, failed: 3, ignored: 1 }));
        let expected = [
            ("test_a.py::test_b", "test_a.py", Some(5), "assert 1 == 2\n  +more"),
            ("test_b.py::TestX::test_deep", "test_b.py", Some(7), "ValueError: boom"),
            ("test_c.py", "test_c.py", None, "ModuleNotFoundError: No module named 'nothing'"),
        ];
        let expected = expected.map(|(name, file, line, error)| FailedTest {
            name: name.into(),
            file: Some(file.into()),
            line,
            error: error.into(),
        });
        assert_eq!(report.failed, expected);
    }

    #[test]
    fn quiet_output_and_expected_failures_are_read() {
        let quiet = "..x                                                                      [100%]\n\
            2 passed, 1 xfailed, 1 xpassed, 3 warnings in 61.03s (0:01:01)\n";
        assert_eq!(of_stdout(quiet).counts, Some(Counts { passed: 3, failed: 0, ignored: 1 }));
        let deselected = "===== 4 deselected in 0.01s =====\n";
        assert_eq!(of_stdout(deselected).counts, Some(Counts::default()));
    }

    #[test]
    fn sections_without_a_summary_name_their_tests() {
        let text = "==== test session starts ====\n==== FAILURES ====\n____ test_x[1-2] ____\n\nE   boom\n\n\
            test_x.py:3: Error\n==== 1 failed in 0.01s ====\n";
        let report = of_stdout(text);
        assert_eq!(report.failed[0].name, "test_x[1-2]");
        assert_eq!((report.failed[0].line, report.failed[0].error.as_str()), (Some(3), "boom"));
    }
}

mod unittest {
    use crate::Counts;
    use crate::runner::tests::of_stdout;

    #[test]
    fn failures_and_counts_are_read() {
        let text = "F.s\n======================================================================\n\
            FAIL: test_b (test_a.T.test_b)\n----------------------------------------------------------------------\n\
            Traceback (most recent call last):\n  File \"/x/test_a.py\", line 6, in test_b\n    self.assertEqual(1, 2)\n\
            AssertionError: 1 != 2\n\n----------------------------------------------------------------------\n\
            Ran 3 tests in 0.001s\n\nFAILED (failures=1, skipped=1)\n";
        let report = of_stdout(text);
        assert_eq!(report.counts, Some(Counts { passed: 1, failed: 1, ignored: 1 }));
        let test = &report.failed[0];
        assert_eq!((test.name.as_str(), test.error.as_str()), ("test_a.T.test_b", "AssertionError: 1 != 2"));
        assert_eq!((test.file.as_deref(), test.line), (Some("/x/test_a.py"), Some(6)));
    }
}

mod vitest {
    use crate::runner::tests::of_stdout;
    use crate::{Counts, FailedTest};

    const RECORDED: &str = r"
 RUN  v2.1.8 /x

 ✓ src/a.test.ts (2 tests) 2ms
 ❯ src/b.test.ts (2 tests | 1 failed) 5ms
   × sum > adds 4ms
     → expected 3 to be 4 // Object.is equality

⎯⎯⎯⎯⎯⎯ Failed Suites 1 ⎯⎯⎯⎯⎯⎯⎯

 FAIL  src/c.test.ts [ src/c.test.ts ]
Error: Failed to load url ./nothing (resolved id: ./nothing) in /x/src/c.test.ts. Does the file exist?
⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯[1/2]⎯

⎯⎯⎯⎯⎯⎯⎯ Failed Tests 1 ⎯⎯⎯⎯⎯⎯⎯

 FAIL  |unit| src/b.test.ts > sum > adds
AssertionError: expected 3 to be 4 // Object.is equality

- Expected
+ Received

- 4
+ 3

 ❯ helper src/helper.ts:2:9
 ❯ src/b.test.ts:5:20
      3|
      5|     expect(sum(1, 2)).toBe(4)
       |                       ^

⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯[2/2]⎯

 Test Files  2 failed | 1 passed (3)
      Tests  1 failed | 3 passed | 1 skipped | 1 todo (6)
   Start at  10:00:00
   Duration  300ms
";

    #[test]
    fn failing_tests_and_files_are_read() {
        let report = of_stdout(RECORDED);
        assert_eq!(report.counts, Some(Counts { passed: 3, failed: 1, ignored: 2 }));
        let load = "Error: Failed to load url ./nothing (resolved id: ./nothing) in /x/src/c.test.ts. Does the file exist?";
        let equal =
            "AssertionError: expected 3 to be 4 // Object.is equality\n\n- Expected\n+ Received\n\n- 4\n+ 3";
        let expected = [
            ("src/c.test.ts", "src/c.test.ts", None, load),
            ("src/b.test.ts > sum > adds", "src/b.test.ts", Some(5), equal),
        ];
        let expected = expected.map(|(name, file, line, error)| FailedTest {
            name: name.into(),
            file: Some(file.into()),
            line,
            error: error.into(),
        });
        assert_eq!(report.failed, expected);
    }
}

mod jest {
    use crate::runner::tests::of_stdout;
    use crate::{Counts, FailedTest};

    const RECORDED: &str = r"PASS src/a.test.js
FAIL src/b.test.js (5.1 s)
  ● Console

    console.log
      Tests: 900 passed, 900 total

  ● sum › adds numbers

    expect(received).toBe(expected) // Object.is equality

    Expected: 4
    Received: 3

      3 | test('adds numbers', () => {
    > 4 |   expect(sum(1, 2)).toBe(4);
        |                     ^
      5 | });

      at Object.toBe (src/b.test.js:4:21)

FAIL src/c.test.js
  ● Test suite failed to run

    Cannot find module './nothing' from 'src/c.test.js'

      at Resolver._throwModNotFoundError (node_modules/jest-resolve/build/resolver.js:427:11)
      at Object.require (src/c.test.js:1:11)

Summary of all failing tests
FAIL src/b.test.js (5.1 s)
  ● sum › adds numbers

    expect(received).toBe(expected) // Object.is equality

Test Suites: 2 failed, 1 passed, 3 total
Tests:       1 failed, 1 skipped, 2 todo, 3 passed, 7 total
Snapshots:   0 total
Time:        0.512 s
Ran all test suites.
";

    #[test]
    fn blocks_below_a_failing_file_are_its_failures() {
        let report = of_stdout(RECORDED);
        assert_eq!(report.counts, Some(Counts { passed: 3, failed: 1, ignored: 3 }));
        let message = "expect(received).toBe(expected) // Object.is equality\n\nExpected: 4\nReceived: 3";
        let missing = "Cannot find module './nothing' from 'src/c.test.js'";
        let expected = [
            ("sum › adds numbers", "src/b.test.js", 4, message),
            ("src/c.test.js", "src/c.test.js", 1, missing),
        ];
        let expected = expected.map(|(name, file, line, error)| FailedTest {
            name: name.into(),
            file: Some(file.into()),
            line: Some(line),
            error: error.into(),
        });
        assert_eq!(report.failed, expected);
    }
}

mod bun {
    use crate::Counts;
    use crate::TestOutcome::{DidNotLoad, Failed, Passed, Skipped};
    use crate::runner::tests::{of_stdout, outcomes};

    #[test]
    fn tests_stand_below_their_files() {
        let text = "bun test v1.2.2\n\nsrc/a.test.ts:\n(pass) sum > adds [0.12ms]\n3 |   expect(1).toBe(2);\n\
            error: expect(received).toBe(expected)\n(fail) sum > fails [1.00ms]\n(skip) later\n\n 1 pass\n 1 skip\n 1 fail\n\
            \x202 expect() calls\nRan 3 tests across 1 file. [10.00ms]\n";
        let report = of_stdout(text);
        assert_eq!(report.counts, Some(Counts { passed: 1, failed: 1, ignored: 1 }));
        assert_eq!(report.failed[0].name, "sum > fails");
        assert_eq!(
            outcomes(&report),
            [
                ("src/a.test.ts › sum > adds", Passed),
                ("src/a.test.ts › sum > fails", Failed),
                ("src/a.test.ts › later", Skipped)
            ]
        );
    }

    #[test]
    fn a_file_that_cannot_be_loaded_stands_for_its_tests() {
        let text = "bun test v1.4.5 (a7733435c)\n\nsrc/b.test.js:\n\n# Unhandled error between tests\n\
            -------------------------------\nerror: Cannot find module './books.js' from '/x/src/b.test.js'\n\
            -------------------------------\n\n\nsrc/a.test.js:\n(pass) adds [0.02ms]\n(fail) fails [0.13ms]\n\n 1 pass\n 2 fail\n\
            \x201 error\n 2 expect() calls\nRan 3 tests across 2 files. [58.00ms]\n";
        let report = of_stdout(text);
        let expected = [
            ("src/b.test.js", DidNotLoad),
            ("src/a.test.js › adds", Passed),
            ("src/a.test.js › fails", Failed),
        ];
        assert_eq!(outcomes(&report), expected);
        assert_eq!(report.failed[0].error, "error: Cannot find module './books.js' from '/x/src/b.test.js'");
        assert_eq!(report.failed[1].error, "");
    }
}

mod deno {
    use crate::runner::tests::of_stdout;
    use crate::{Counts, FailedTest};

    const RECORDED: &str = "running 3 tests from ./a_test.ts
adds ... ok (1ms)
talks ...
------- output -------
ok | 900 passed | 0 failed (1ms)
----- output end -----
talks ... ok (0ms)
fails ... FAILED (3ms)
group ...
  step two ... FAILED (1ms)
group ... FAILED (due to 1 failed step) (3ms)
later ... ignored (0ms)

 ERRORS 

fails => ./a_test.ts:5:6
error: AssertionError: Values are not equal.


    [Diff] Actual / Expected


-   1
+   2

  throw new AssertionError(message);
        ^
    at assertEquals (https://jsr.io/@std/assert/1.0.0/equals.ts:47:9)
    at file:///x/a_test.ts:6:3

group ... step two => ./a_test.ts:10:11
error: Error: boom
    at file:///x/a_test.ts:11:9

 FAILURES 

fails => ./a_test.ts:5:6
group ... step two => ./a_test.ts:10:11

FAILED | 2 passed | 2 failed (1 step) | 1 ignored (10ms)

error: Test failed
";

    #[test]
    fn errors_carry_their_places_and_what_tests_print_counts_nothing() {
        let report = of_stdout(RECORDED);
        assert_eq!(report.counts, Some(Counts { passed: 2, failed: 2, ignored: 1 }));
        let names: Vec<_> = report.failed.iter().map(|test| (test.name.as_str(), test.line)).collect();
        assert_eq!(names, [("fails", Some(5)), ("group ... step two", Some(10))]);
        assert!(report.failed[0].error.starts_with("AssertionError: Values are not equal.\n"));
        assert_eq!(report.failed[1].error, "Error: boom");
    }

    #[test]
    fn the_summary_line_is_no_name_and_progress_names_what_nothing_else_names() {
        let report = of_stdout("a ... FAILED (1ms)\n\nFAILED | 1 passed | 1 failed (10ms)\n");
        assert_eq!(report.failed, [FailedTest { name: "a".into(), ..FailedTest::default() }]);
        let older = of_stdout("FAILED | one\none\n  Expected true\n\n");
        assert_eq!(older.failed[0].error, "one\nExpected true");
    }
}

mod node {
    use crate::runner::tests::of_stdout;
    use crate::{Counts, FailedTest};

    const RECORDED: &str = "✔ adds (1.816086ms)
✖ fails # hard (2.023659ms)
  AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:

﹣ skipped (0.176129ms) # SKIP
▶ suite
  ✔ inner ok (0.237251ms)
  ✖ inner bad (0.162978ms)

✖ suite (0.824748ms)
ℹ tests 6
ℹ suites 1
ℹ pass 2
ℹ fail 2
ℹ cancelled 0
ℹ skipped 1
ℹ todo 1
ℹ duration_ms 185.677213

✖ failing tests:

test at a.test.js:3:1
✖ fails # hard (2.023659ms)
  AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:
  
  1 !== 2
  
      at TestContext.<anonymous> (a.test.js:3:35)
      at Test.run (node:internal/test_runner/test:796:25) {
    generatedMessage: true,
    code: 'ERR_ASSERTION',
  }

test at a.test.js:5:1
✖ todo fails (12.58877ms) # TODO
  AssertionError [ERR_ASSERTION]: The expression evaluated to a falsy value:

test at a.test.js:6:49
✖ inner bad (0.162978ms)
  Error: boom
  second line
      at TestContext.<anonymous> (a.test.js:6:77)
";

    #[test]
    fn the_list_of_failing_tests_is_read() {
        let report = of_stdout(RECORDED);
        assert_eq!(report.counts, Some(Counts { passed: 2, failed: 2, ignored: 2 }));
        let equal = "AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:\n\n1 !== 2";
        let expected = [("fails # hard", 3, equal), ("inner bad", 6, "Error: boom\nsecond line")];
        let expected = expected.map(|(name, line, error)| FailedTest {
            name: name.into(),
            file: Some("a.test.js".into()),
            line: Some(line),
            error: error.into(),
        });
        assert_eq!(report.failed, expected);
    }
}

mod mocha {
    use crate::runner::tests::of_stdout;
    use crate::{Counts, FailedTest};

    #[test]
    fn numbered_blocks_are_the_failures() {
        let text = "\n  Sum\n    ✔ zero\n    1) adds\n\n  1 passing (10ms)\n  2 pending\n  1 failing\n\n  1) Sum\n       adds:\n\n\
            \x20     AssertionError: expected 3 to equal 4\n      + expected - actual\n\n      -3\n      +4\n\n\
            \x20     at Context.<anonymous> (test/a.js:5:12)\n\n";
        let report = of_stdout(text);
        assert_eq!(report.counts, Some(Counts { passed: 1, failed: 1, ignored: 2 }));
        let error = "AssertionError: expected 3 to equal 4\n+ expected - actual\n\n-3\n+4";
        let (name, file) = ("Sum › adds".into(), Some("test/a.js".into()));
        assert_eq!(report.failed, [FailedTest { name, file, line: Some(5), error: error.into() }]);
    }

    #[test]
    fn a_test_outside_of_groups_has_its_name_on_the_first_line() {
        let text = "\n  1) broken\n\n  0 passing (3ms)\n  1 failing\n\n  1) broken:\n     Error: Timeout of 2000ms exceeded.\n\
            Values are:\n      at listOnTimeout (node:internal/timers:581:17)\n";
        let report = of_stdout(text);
        let error = "Error: Timeout of 2000ms exceeded.\nValues are:";
        assert_eq!((report.failed[0].name.as_str(), report.failed[0].error.as_str()), ("broken", error));
        assert_eq!(report.results[0].outcome, crate::TestOutcome::TimedOut);
    }

    #[test]
    fn a_sentence_about_passing_is_no_summary() {
        assert!(!of_stdout("  3 passing thoughts about tests that are long\n12 passing\n").known);
    }
}

mod ctest {
    use crate::Counts;
    use crate::TestOutcome::{DidNotLoad, Failed, Passed, Skipped, TimedOut};
    use crate::runner::tests::{of_stdout, outcomes};

    #[test]
    fn each_line_is_a_test() {
        let text = "Test project /x/build\n    Start 1: adds\n1/4 Test #1: adds .............................   Passed    0.00 sec\n\
            2/4 Test #2: sub tracts .......................***Failed    0.01 sec\n\
            3/4 Test #3: slow .............................***Timeout   1.50 sec\n\
            4/4 Test #4: off ..............................***Not Run (Disabled)   0.00 sec\n\n\
            33% tests passed, 2 tests failed out of 3\n";
        let report = of_stdout(text);
        assert_eq!(report.counts, Some(Counts { passed: 1, failed: 2, ignored: 1 }));
        let expected = [("adds", Passed), ("sub tracts", Failed), ("slow", TimedOut), ("off", Skipped)];
        assert_eq!(outcomes(&report), expected);
    }

    #[test]
    fn crashes_and_texts_that_are_missing_fail_and_what_cannot_start_did_not_load() {
        let text = "    Start 1: segv\n1/7 Test #1: segv .............................***Exception: SegFault  0.00 sec\n\
            \x20   Start 2: abrt\n2/7 Test #2: abrt .............................Subprocess aborted***Exception:   0.01 sec\n\
            \x20   Start 3: regex\n3/7 Test #3: regex ............................***Failed  Required regular expression not found. Regex=[three pages\n\
            ]  0.01 sec\nno database\n\n    Start 4: books\nCould not find executable /x/build/books\n\
            4/7 Test #4: books ............................***Not Run   0.00 sec\n    Start 5: include\n\
            5/7 Test #5: include ..........................***Failed    0.01 sec\nCMake Error at /x/bad.cmake:1 (include):\n\
            \x20 include could not find requested file:\n\n    /x/books.cmake\n\n    Start 6: off\n\
            6/7 Test #6: off ..............................***Skipped   0.00 sec\n    Start 7: fails\n\
            7/7 Test #7: fails ............................***Failed    0.01 sec\n2 pages, not 3\n\n\
            0% tests passed, 6 tests failed out of 6\n";
        let report = of_stdout(text);
        let expected = [
            ("segv", Failed),
            ("abrt", Failed),
            ("regex", Failed),
            ("books", DidNotLoad),
            ("include", DidNotLoad),
            ("off", Skipped),
            ("fails", Failed),
        ];
        assert_eq!(outcomes(&report), expected);
        assert_eq!(report.counts, Some(Counts { passed: 0, failed: 6, ignored: 1 }));
        assert_eq!(report.failed[5].error, "2 pages, not 3");
    }
}

mod dotnet {
    use crate::Counts;
    use crate::TestOutcome::{Failed, Passed, Skipped};
    use crate::runner::tests::{of_stdout, outcomes};

    const TESTS: &str = "  Passed Pages.Tests.RoundsUp [3 ms]\n  Failed Pages.Tests.Adds(a: 1) [12 ms]\n  Error Message:\n\
        \x20  Assert.Equal() Failure\n   Expected: 4\n  Stack Trace:\n     at Pages.Tests.Adds(Int32 a) in /x/Tests.cs:line 12\n\
        \x20 Skipped Pages.Tests.Later [1 ms]\n";

    #[test]
    fn both_forms_of_the_summary_are_read() {
        let old = format!(
            "{TESTS}\nTest Run Failed.\nTotal tests: 3\n     Passed: 1\n     Failed: 1\n    Skipped: 1\n Total time: 1 s\n"
        );
        let new = format!(
            "{TESTS}\nFailed!  - Failed:     1, Passed:     1, Skipped:     1, Total:     3, Duration: 5 ms - x.dll\n"
        );
        for text in [old, new] {
            let report = of_stdout(&text);
            assert_eq!(report.counts, Some(Counts { passed: 1, failed: 1, ignored: 1 }));
            assert_eq!(
                (report.failed[0].error.as_str(), report.failed[0].line),
                ("Assert.Equal() Failure\nExpected: 4", Some(12))
            );
            let names = ["Pages.Tests.RoundsUp", "Pages.Tests.Adds(a: 1)", "Pages.Tests.Later"];
            assert_eq!(outcomes(&report), [(names[0], Passed), (names[1], Failed), (names[2], Skipped)]);
        }
    }
}

mod maven {
    use crate::Counts;
    use crate::runner::tests::of_stdout;

    #[test]
    fn the_numbers_of_each_module_are_added() {
        let text = "[INFO] Running com.x.PagesTest\n\
            [ERROR] Tests run: 3, Failures: 1, Errors: 0, Skipped: 1, Time elapsed: 0.05 s <<< FAILURE! -- in com.x.PagesTest\n\
            [ERROR] com.x.PagesTest.roundsUp -- Time elapsed: 0.01 s <<< FAILURE!\n\
            org.opentest4j.AssertionFailedError: expected: <4> but was: <3>\n[INFO]\n[INFO] Results:\n\
            [ERROR] Tests run: 3, Failures: 1, Errors: 0, Skipped: 1\n[INFO] Tests run: 2, Failures: 0, Errors: 0, Skipped: 0\n";
        let report = of_stdout(text);
        assert_eq!(report.counts, Some(Counts { passed: 3, failed: 1, ignored: 1 }));
        assert_eq!(report.failed[0].name, "com.x.PagesTest.roundsUp");
        assert_eq!(report.failed[0].error, "org.opentest4j.AssertionFailedError: expected: <4> but was: <3>");
        assert!(report.results.is_empty());
    }
}

mod go {
    use crate::runner::tests::of_stdout;
    use crate::{Counts, FailedTest};

    fn names(text: &str) -> Vec<(String, Option<u32>, String)> {
        of_stdout(text).failed.into_iter().map(|test| (test.name, test.line, test.error)).collect()
    }

    #[test]
    fn plain_output_names_failing_tests_and_counts_passing_packages() {
        let text = "--- FAIL: TestA (0.00s)\n    a_test.go:10: got 1,\n        want 2\n--- FAIL: TestT (0.00s)\n\
            \x20   --- FAIL: TestT/sub (0.00s)\n        a_test.go:12: bad\nFAIL\nFAIL\texample.com/a\t0.003s\n\
            ok  \texample.com/b\t(cached)\nFAIL\texample.com/c [build failed]\n?   \texample.com/d\t[no test files]\nFAIL\n";
        assert_eq!(
            names(text),
            [
                ("TestA".into(), Some(10), "a_test.go:10: got 1,\n    want 2".into()),
                ("TestT/sub".into(), Some(12), "a_test.go:12: bad".into()),
                ("example.com/c".into(), None, "[build failed]".into()),
            ]
        );
        assert_eq!(of_stdout(text).counts, Some(Counts { passed: 1, failed: 4, ignored: 0 }));
    }

    #[test]
    fn verbose_output_is_counted_test_by_test() {
        let text = "=== RUN   TestA\n    a_test.go:10: got 1\n--- FAIL: TestA (0.00s)\n=== RUN   TestB\n--- PASS: TestB (0.00s)\n\
            === RUN   TestC\n    a_test.go:20: later\n--- SKIP: TestC (0.00s)\nFAIL\nFAIL\texample.com/a\t0.003s\n";
        assert_eq!(names(text), [("TestA".into(), Some(10), "a_test.go:10: got 1".into())]);
        assert_eq!(of_stdout(text).counts, Some(Counts { passed: 1, failed: 1, ignored: 1 }));
    }

    #[test]
    fn a_panic_is_told_without_its_goroutines() {
        let text = "--- FAIL: TestA (0.00s)\npanic: boom [recovered]\n\tpanic: boom\n\ngoroutine 7 [running]:\n\
            testing.tRunner.func1.2()\n\t/usr/lib/go/src/testing/testing.go:1545 +0x238\nFAIL\texample.com/a\t0.003s\nFAIL\n";
        assert_eq!(names(text), [("TestA".into(), None, "panic: boom [recovered]\n\tpanic: boom".into())]);
    }

    #[test]
    fn events_are_counted_and_outputs_joined() {
        let text = r#"{"Time":"2024-05-01T10:00:00Z","Action":"start","Package":"x/a"}
{"Action":"run","Package":"x/a","Test":"TestA"}
{"Action":"output","Package":"x/a","Test":"TestA","Output":"=== RUN   TestA\n"}
{"Action":"output","Package":"x/a","Test":"TestA","Output":"    a_test.go:10: got 1\n"}
{"Action":"output","Package":"x/a","Test":"TestA","Output":"--- FAIL: TestA (0.00s)\n"}
{"Action":"fail","Package":"x/a","Test":"TestA","Elapsed":0}
{"Action":"output","Package":"x/a","Test":"TestB","Output":"--- PASS: TestB (0.00s)\n"}
{"Action":"pass","Package":"x/a","Test":"TestB","Elapsed":0}
{"Action":"output","Package":"x/a","Output":"FAIL\tx/a\t0.003s\n"}
{"Action":"fail","Package":"x/a","Elapsed":0.003}
{"Action":"output","Package":"x/b","Output":"FAIL\tx/b [build failed]\n"}
{"Action":"fail","Package":"x/b","Elapsed":0}
{"Action":"output","Package":"x/c","Output":"?   \tx/c\t[no test files]\n"}
{"Action":"skip","Package":"x/c","Elapsed":0}
"#;
        let report = of_stdout(text);
        assert_eq!(report.counts, Some(Counts { passed: 1, failed: 2, ignored: 0 }));
        let (name, file, error) = ("TestA".into(), Some("a_test.go".into()), "a_test.go:10: got 1".into());
        assert_eq!(report.failed[0], FailedTest { name, file, line: Some(10), error });
        assert_eq!(report.failed[1].name, "x/b");
        let nothing = of_stdout(
            "{\"Action\":\"output\",\"Package\":\"x/c\",\"Output\":\"?   \\tx/c\\t[no test files]\\n\"}\n\
             {\"Action\":\"skip\",\"Package\":\"x/c\",\"Elapsed\":0}\n",
        );
        assert_eq!(nothing.counts, Some(Counts::default()));
    }
}

mod tap {
    use crate::runner::tests::of_stdout;
    use crate::{Counts, FailedTest};

    const RECORDED: &str = r"TAP version 13
# Subtest: adds
ok 1 - adds
  ---
  duration_ms: 1.871946
  ...
# Subtest: fails \# hard
not ok 2 - fails \# hard
  ---
  duration_ms: 2.030374
  location: '/x/a.test.js:3:1'
  failureType: 'testCodeFailure'
  error: |-
    Expected values to be strictly equal:
    
    1 !== 2
    
  code: 'ERR_ASSERTION'
  ...
# Subtest: skipped
ok 3 - skipped # SKIP
# Subtest: todo fails
not ok 4 - todo fails # TODO
# Subtest: suite
    # Subtest: inner ok
    ok 1 - inner ok
      ---
      duration_ms: 0.264873
      ...
    # Subtest: inner bad
    not ok 2 - inner bad
      ---
      location: '/x/a.test.js:6:49'
      error: 'boom'
      ...
    1..2
not ok 5 - suite
  ---
  location: '/x/a.test.js:6:1'
  failureType: 'subtestsFailed'
  error: '1 subtest failed'
  ...
1..5
# tests 6
# suites 1
# pass 2
# fail 2
# cancelled 0
# skipped 1
# todo 1
# duration_ms 191.673479
";

    fn failed(name: &str, line: u32, error: &str) -> FailedTest {
        FailedTest {
            name: name.into(),
            file: Some("/x/a.test.js".into()),
            line: Some(line),
            error: error.into(),
        }
    }

    #[test]
    fn details_subtests_and_directives_of_node_are_read() {
        let report = of_stdout(RECORDED);
        assert_eq!(report.counts, Some(Counts { passed: 2, failed: 2, ignored: 2 }));
        let equal = "Expected values to be strictly equal:\n\n1 !== 2";
        assert_eq!(report.failed, [failed("fails # hard", 3, equal), failed("inner bad", 6, "boom")]);
    }

    #[test]
    fn plain_documents_are_counted_and_a_broken_plan_is_a_failure() {
        let text =
            "1..5\nok 1 - a\nnot ok 2 - b\n#   Failed test 'b'\n#   at t/a.t line 5.\nok 3 # skip no disk\n";
        let report = of_stdout(text);
        assert_eq!(report.counts, Some(Counts { passed: 1, failed: 3, ignored: 1 }));
        assert_eq!(report.failed[0].error, "Failed test 'b'\nat t/a.t line 5.");
        let bailed = of_stdout("TAP version 14\nok 1 - a\nBail out! no database\n");
        assert_eq!(bailed.counts, Some(Counts { passed: 1, failed: 1, ignored: 0 }));
        assert_eq!(bailed.failed[0].error, "no database");
    }

    #[test]
    fn lines_that_only_look_alike_are_no_document() {
        for text in ["ok 1 - a\nnot ok 2 - b\n", "1..5\n", "ok  \tx\t0.1s\n1..3\n"] {
            assert_eq!(of_stdout(text).counts.map_or(0, |counts| counts.failed), 0, "{text}");
        }
    }
}
