//! Which tests failed and how many ran, by any runner known here; several in one output give the union.
//! Never guesses: what has no known form stays unknown, and an exit code is nobody's count.

mod found;
mod jest_json;
mod junit;
mod text;

use std::borrow::Cow;
use std::collections::BTreeMap;

use regex::Captures;
use serde::Deserialize;

use super::pattern::{LazyPattern, lines, plain, regex};
use super::{Printed, TestReport};
use found::Found;

/// Reads what test runners printed on both streams.
pub fn tests(printed: &Printed) -> TestReport {
    let (stdout, stderr) = (plain(printed.stdout), plain(printed.stderr));
    let mut all = Vec::new();
    for text in [with_headings(&stdout, &stderr), Cow::Borrowed(&*stderr)] {
        // Nobody else reads what a report quotes.
        let text = junit::REPORT.replace(&text, |parts: &Captures| match junit::read(&parts[1]) {
            Some(report) => {
                all.push(report);
                "\n".to_owned()
            }
            None => parts[0].to_owned(),
        });
        all.extend(text::read(&mut lines(&with_events(&text))));
    }
    all.into_iter().reduce(Found::joined).map(Found::report).unwrap_or_default()
}

/// Reads report files, of `JUnit` or of Jest's JSON, as one report; none when each is neither, or is broken off. `root` is the
/// folder in which the tests ran: names of files are relative to it.
pub fn report_files<T: AsRef<str>>(texts: impl IntoIterator<Item = T>, root: &str) -> Option<TestReport> {
    let read = |text: &str| {
        if text.trim_start().starts_with('{') { jest_json::read(text, root) } else { junit::read(text) }
    };
    texts.into_iter().filter_map(|text| read(text.as_ref())).reduce(Found::joined).map(Found::report)
}

/// `     Running unittests src/lib.rs (target/debug/deps/pager-5d41402abc4b2a76)` and `   Doc-tests pager`.
static HEADING: LazyPattern = LazyPattern::new(|| regex(r"^\s*(?:Running .*[(/\\][^(/\\]+\)|Doc-tests .*)$"));
static BEGINS: LazyPattern = LazyPattern::new(|| regex(r"(?m)^running \d+ tests?\r?$"));

/// Returns the standard output with the headings of the standard error where they belong, one in front of each binary: Cargo says
/// on the standard error which binary it runs, and the binary says the rest on the standard output.
fn with_headings<'t>(stdout: &'t str, stderr: &str) -> Cow<'t, str> {
    let mut headings = stderr.lines().filter(|line| HEADING.is_match(line));
    let count = headings.clone().count();
    if count == 0 || count != BEGINS.find_iter(stdout).count() {
        return Cow::Borrowed(stdout);
    }
    BEGINS.replace_all(stdout, |begins: &Captures| {
        format!("{}\n{}", headings.next().unwrap_or_default(), &begins[0])
    })
}

/// An event of `go test -json`.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Event {
    #[serde(alias = "ImportPath")]
    package: String,
    #[serde(default)]
    output: String,
}

/// Returns an output with what the events of `go test -json` say at its end, package by package: it is what `go test -v` prints.
fn with_events(text: &str) -> Cow<'_, str> {
    if !text.contains("{\"") {
        return Cow::Borrowed(text);
    }
    let mut packages: BTreeMap<String, String> = BTreeMap::new();
    let mut rest = String::new();
    for line in text.split_inclusive('\n') {
        match serde_json::from_str::<Event>(line) {
            Ok(event) => *packages.entry(event.package).or_default() += &event.output,
            Err(_) => rest += line,
        }
    }
    rest.push('\n');
    rest.extend(packages.into_values());
    Cow::Owned(rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Counts, MOST_KEPT, TestOutcome};

    pub(super) fn of_stdout(stdout: &str) -> TestReport {
        tests(&Printed { stdout, stderr: "", exit: Some(1) })
    }

    pub(super) fn outcomes(report: &TestReport) -> Vec<(&str, TestOutcome)> {
        report.results.iter().map(|test| (test.id.as_str(), test.outcome)).collect()
    }

    #[test]
    fn several_runners_in_one_output_give_the_union() {
        let stdout = "cargo test\n\nrunning 2 tests\ntest a ... ok\ntest b ... FAILED\n\nfailures:\n\nfailures:\n    b\n\n\
            test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\nnpx jest\n";
        let stderr = "FAIL src/b.test.js\n  ● adds\n\n    boom\n\n      at Object.<anonymous> (src/b.test.js:4:20)\n\n\
            Test Suites: 1 failed, 1 total\nTests:       1 failed, 3 passed, 4 total\nSnapshots:   0 total\n";
        let report = tests(&Printed { stdout, stderr, exit: Some(2) });
        let names: Vec<&str> = report.failed.iter().map(|test| test.name.as_str()).collect();
        assert_eq!(names, ["b", "adds"]);
        assert_eq!(report.counts, Some(Counts { passed: 4, failed: 2, ignored: 0 }));
    }

    #[test]
    fn what_has_no_known_form_is_unknown_and_counts_nothing() {
        for unknown in ["", "\n", "all good", "error: could not compile `x`", "42", "ok", "FAILED", "Tests"] {
            assert_eq!(of_stdout(unknown), TestReport::default(), "{unknown}");
        }
    }

    #[test]
    fn zero_collected_is_seen_for_every_runner() {
        let zeros = [
            "\nrunning 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 5 filtered out; \
             finished in 0.00s\n",
            "    Starting 0 tests across 1 binary (5 tests skipped)\n     Summary [   0.000s] 0 tests run: 0 passed, \
             5 skipped\nerror: no tests to run\n",
            "============ test session starts ============\ncollected 0 items\n\n====== no tests ran in 0.01s ======\n",
            "no tests ran in 0.00s\n",
            "Ran 0 tests in 0.000s\n\nNO TESTS RAN\n",
            "No tests were found!!!\n",
            "[INFO] Tests run: 0, Failures: 0, Errors: 0, Skipped: 0\n",
            "bun test v1\n\n 0 pass\n 0 fail\nRan 0 tests across 1 file. [1.00ms]\n",
            "No tests found, exiting with code 1\nRun with `--passWithNoTests` to exit with code 0\n",
            "No test files found, exiting with code 1\n",
            "\n\n  0 passing (1ms)\n\n",
            "testing: warning: no tests to run\nPASS\nok  \texample.com/x\t0.002s [no tests to run]\n",
            "?   \texample.com/x\t[no test files]\n",
            "ℹ tests 0\nℹ suites 0\nℹ pass 0\nℹ fail 0\nℹ cancelled 0\nℹ skipped 0\nℹ todo 0\nℹ duration_ms 4.1\n",
            "TAP version 13\n1..0\n",
            "1..0 # SKIP nothing here\n",
            "error: No test modules found\n",
            "ok | 0 passed | 0 failed (0ms)\n",
            "<?xml version=\"1.0\"?>\n<testsuites></testsuites>\n",
            "<testsuite name=\"x\" tests=\"4\"/>\n",
        ];
        for zero in zeros {
            let report = of_stdout(zero);
            assert_eq!(
                (report.known, report.counts.map(|counts| counts.collected())),
                (true, Some(0)),
                "{zero}"
            );
        }
    }

    #[test]
    fn failures_are_kept_up_to_a_limit_and_all_are_counted() {
        let lines: String = (0..6000).map(|index| format!("test t{index} ... FAILED\n")).collect();
        let result = "test result: FAILED. 0 passed; 6000 failed; 0 ignored; 0 measured; 0 filtered out";
        let text = format!("running 6000 tests\n{lines}\n{result}\n");
        let report = of_stdout(&text);
        assert_eq!(report.failed.len(), MOST_KEPT);
        assert_eq!(report.counts, Some(Counts { passed: 0, failed: 6000, ignored: 0 }));
    }

    #[test]
    fn every_test_is_named_with_what_it_stands_in() {
        use TestOutcome::{DidNotLoad, Failed, Passed, Skipped, TimedOut};
        let table: &[(&str, &[(&str, TestOutcome)])] = &[
            (
                "     Running unittests src/lib.rs (target/debug/deps/pager-5d41402abc4b2a76)\n\nrunning 3 tests\n\
                 test a::ok ... ok\ntest a::off ... ignored, slow\ntest a::bad - should panic ... FAILED\n\n\
                 failures:\n\n---- a::bad stdout ----\nnote: test did not panic as expected\n\nfailures:\n    a::bad\n\n\
                 test result: FAILED. 1 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\n\
                 \x20  Doc-tests pager\n\nrunning 1 test\ntest src/lib.rs - pages (line 4) ... ok\n\n\
                 test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n",
                &[
                    ("pager › a::ok", Passed),
                    ("pager › a::off", Skipped),
                    ("pager › a::bad", Failed),
                    ("pager › src/lib.rs - pages", Passed),
                ],
            ),
            (
                "    Starting 3 tests across 1 binary\n        PASS [   0.005s] (1/3) demo tests::a\n\
                 \x20 TRY 1 FAIL [   0.005s] demo tests::flaky\n  TRY 2 PASS [   0.003s] demo tests::flaky\n\
                 \x20    TIMEOUT [  60.000s] demo tests::slow\n\
                 \x20    Summary [   0.020s] 3 tests run: 2 passed (1 flaky), 1 timed out, 0 skipped\n",
                &[
                    ("demo › tests::a", Passed),
                    ("demo › tests::flaky", Passed),
                    ("demo › tests::slow", TimedOut),
                ],
            ),
            (
                "test_a (tests.test_x.T.test_a) ... ok\ntest_b (tests.test_x.T.test_b)\nAbout b. ... FAIL\n\
                 test_c (tests.test_x.T) ... skipped 'slow'\ntest_d (tests.test_x.T.test_d) ... a word\nok\n\
                 tests.bad (unittest.loader._FailedTest.tests.bad) ... ERROR\n\n\
                 ======================================================================\n\
                 FAIL: test_b (tests.test_x.T.test_b)\nAbout b.\n\
                 ----------------------------------------------------------------------\n\
                 Traceback (most recent call last):\n  File \"/x/t.py\", line 6, in test_b\n    f()\nNameError: name 'f' is not defined\n\n\
                 ----------------------------------------------------------------------\n\
                 Ran 5 tests in 0.001s\n\nFAILED (failures=1, errors=1, skipped=1)\n",
                &[
                    ("tests.test_x.T.test_a", Passed),
                    ("tests.test_x.T.test_b", DidNotLoad),
                    ("tests.test_x.T.test_c", Skipped),
                    ("tests.test_x.T.test_d", Passed),
                    ("unittest.loader._FailedTest.tests.bad", DidNotLoad),
                ],
            ),
            (
                "✔ adds (1.81ms)\n✖ fails # hard (2.02ms)\n﹣ skipped (0.17ms) # SKIP\n▶ suite\n  ✔ inner ok (0.23ms)\n\
                 \x20 ▶ deep\n    ✔ last (0.1ms)\n  ▶ deep (0.2ms)\n\n✔ suite (0.82ms)\nℹ tests 5\nℹ suites 2\nℹ pass 3\nℹ fail 1\n\
                 ℹ cancelled 0\nℹ skipped 1\nℹ todo 0\nℹ duration_ms 185.6\n",
                &[
                    ("adds", Passed),
                    ("fails # hard", Failed),
                    ("skipped", Skipped),
                    ("suite › inner ok", Passed),
                    ("suite › deep › last", Passed),
                ],
            ),
            (
                "TAP version 13\n# Subtest: adds\nok 1 - adds\n# Subtest: suite\n    # Subtest: in\n    not ok 1 - in\n      ---\n\
                 \x20     error: 'ReferenceError: pages is not defined'\n      ...\n    1..1\nnot ok 2 - suite\n  ---\n\
                 \x20 failureType: 'subtestsFailed'\n  ...\n1..2\n# tests 2\n# suites 1\n# pass 1\n# fail 1\n",
                &[("adds", Passed), ("suite › in", DidNotLoad)],
            ),
            (
                "t/a.t .. \nok 1 - adds\nnot ok 2 - bad # TODO later\nok 3 # skip slow\n1..3\nok\nt/b.t .. \n1..1\nok 1 - adds\nok\n\
                 All tests successful.\n",
                &[
                    ("t/a.t › adds", Passed),
                    ("t/a.t › bad", Skipped),
                    ("t/a.t", Skipped),
                    ("t/b.t › adds", Passed),
                ],
            ),
            (
                "\n  Sum\n    ✔ zero\n    inner\n      ✔ one (12ms)\n    1) adds\n    - later\n\n  2 passing (10ms)\n  1 pending\n\
                 \x20 1 failing\n\n  1) Sum\n       adds:\n\n      TypeError: sum.adds is not a function\n\
                 \x20     at Context.<anonymous> (test/a.js:5:12)\n\n",
                &[
                    ("Sum › zero", Passed),
                    ("Sum › inner › one", Passed),
                    ("Sum › adds", DidNotLoad),
                    ("Sum › later", Skipped),
                ],
            ),
            (
                "running 3 tests from ./a_test.ts\nadds ... ok (1ms)\ntalks ...\n------- output -------\nx ... ok (1ms)\n\
                 ----- output end -----\ntalks ... ok (0ms)\ngroup ...\n  step two ... ok (1ms)\ngroup ... ok (3ms)\n\n\
                 ok | 3 passed (1 step) | 0 failed (10ms)\n",
                &[
                    ("./a_test.ts › adds", Passed),
                    ("./a_test.ts › talks", Passed),
                    ("./a_test.ts › group", Passed),
                ],
            ),
        ];
        for (text, expected) in table {
            let report = of_stdout(text);
            assert_eq!(outcomes(&report), *expected, "{text}");
        }
    }

    #[test]
    fn tests_of_go_are_named_with_their_package() {
        use TestOutcome::{DidNotLoad, Passed, Skipped};
        let table: &[(&str, &[(&str, TestOutcome)])] = &[
            (
                "=== RUN   TestA\n=== RUN   TestA/sub\n--- PASS: TestA (0.00s)\n    --- PASS: TestA/sub (0.00s)\n\
                 === RUN   TestB\n--- SKIP: TestB (0.00s)\nPASS\nok  \tx/a\t0.1s\nFAIL\tx/b [build failed]\n",
                &[
                    ("x/a › TestA", Passed),
                    ("x/a › TestA/sub", Passed),
                    ("x/a › TestB", Skipped),
                    ("x/b", DidNotLoad),
                ],
            ),
            (
                "{\"Action\":\"output\",\"Package\":\"x/a\",\"Test\":\"TestA\",\"Output\":\"--- PASS: TestA (0.01s)\\n\"}\n\
                 {\"Action\":\"output\",\"Package\":\"x/b\",\"Output\":\"FAIL\\tx/b [build failed]\\n\"}\n\
                 {\"Action\":\"output\",\"Package\":\"x/a\",\"Test\":\"TestA/sub\",\"Output\":\"    --- PASS: TestA/sub (0.01s)\\n\"}\n\
                 {\"Action\":\"pass\",\"Package\":\"x/a\",\"Test\":\"TestA/sub\",\"Elapsed\":0.01}\n\
                 {\"Action\":\"output\",\"Package\":\"x/a\",\"Output\":\"ok  \\tx/a\\t0.1s\\n\"}\n",
                &[("x/a › TestA", Passed), ("x/a › TestA/sub", Passed), ("x/b", DidNotLoad)],
            ),
        ];
        for (text, expected) in table {
            assert_eq!(outcomes(&of_stdout(text)), *expected, "{text}");
        }
    }

    #[test]
    fn reports_name_tests_by_class_or_by_suite() {
        let table = [
            (
                "<testsuites><testsuite name='pytest'><testcase classname='tests.test_a' name='test_b[1-2]' time='0.004'/>\
                 </testsuite></testsuites>",
                "tests.test_a › test_b[1-2]",
            ),
            (
                "<testsuites><testsuite name='suite'><testcase name='inner' classname='test'/></testsuite></testsuites>",
                "suite › inner",
            ),
            ("<testsuites><testcase name='adds' classname='test'/></testsuites>", "adds"),
            (
                "<testsuites><testsuite name='a.test.ts'><testcase classname='a.test.ts' name='sum > adds'/></testsuite></testsuites>",
                "a.test.ts › sum > adds",
            ),
            ("<testsuite name='(empty)'><testcase classname='adds' name='adds'/></testsuite>", "adds"),
        ];
        for (text, id) in table {
            let report = report_files([text], "/x").expect("a report");
            assert_eq!(outcomes(&report), [(id, TestOutcome::Passed)]);
        }
        let broken = "<testsuite name='pytest'><testcase classname='t' name='a'><error message='failed on setup with x'>E\n\
            </error></testcase></testsuite>";
        let report = report_files([broken], "/x").expect("a report");
        assert_eq!(outcomes(&report), [("t › a", TestOutcome::DidNotLoad)]);
    }

    #[test]
    fn headings_of_the_standard_error_name_the_binaries_of_the_standard_output() {
        let ok =
            "test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n";
        let stdout =
            format!("\nrunning 1 test\ntest a ... ok\n\n{ok}\nrunning 1 test\ntest a ... ok\n\n{ok}");
        let stderr = "   Compiling x\n     Running unittests src/lib.rs (target/debug/deps/x-0123456789abcdef)\n\
            \x20    Running tests/pages.rs (target/debug/deps/pages-0123456789abcdef)\n";
        let report = tests(&Printed { stdout: &stdout, stderr, exit: Some(0) });
        let expected = [("x › a", TestOutcome::Passed), ("pages › a", TestOutcome::Passed)];
        assert_eq!(outcomes(&report), expected);
    }

    #[test]
    fn a_line_that_a_test_prints_is_no_result() {
        let forged =
            "test_a (t.T.test_a) ... ok\ntest_gone (t.T.test_gone) ... ok\n\nRan 1 test in 0.001s\n\nOK\n";
        let report = of_stdout(forged);
        assert_eq!((report.counts.map(|counts| counts.passed), report.results.len()), (Some(1), 0));
    }
}
