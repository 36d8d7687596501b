//! Which tests failed and how many ran, by any runner known here; several in one output give the union.
//! Never guesses: what has no known form stays unknown, and an exit code is nobody's count.

mod deno;
mod found;
mod go;
mod go_json;
mod jest;
mod junit;
mod libtest;
mod mocha;
mod nextest;
mod node;
mod panicked;
mod pytest;
mod tally;
mod tap;
mod unittest;
mod vitest;

use found::Found;

use super::plain::{lines, plain};
use super::{Printed, TestReport};

/// Reads one form. A reader blanks the lines it owns, so that what a failing test printed is nobody else's report.
type RunnerReader = fn(&mut [&str]) -> Option<Found>;

/// Runners that carry the output of others come first.
const READERS: [RunnerReader; 12] = [
    nextest::read,
    libtest::read,
    pytest::read,
    unittest::read,
    go_json::read,
    go::read,
    vitest::read,
    jest::read,
    deno::read,
    node::read,
    tap::read,
    mocha::read,
];

/// Reads what test runners printed on both streams.
pub fn tests(printed: &Printed) -> TestReport {
    let mut all: Option<Found> = None;
    for stream in [printed.stdout, printed.stderr] {
        let text = plain(stream);
        let (text, report) = junit::taken_out(&text);
        let mut lines = lines(&text);
        for found in report.into_iter().chain(READERS.iter().filter_map(|read| read(&mut lines))) {
            all.get_or_insert_default().join(found);
        }
    }
    all.map(Found::report).unwrap_or_default()
}

/// Reads a `JUnit` report file; none when it is not one, or is broken off.
pub fn junit(text: &str) -> Option<TestReport> {
    junit::read(text).map(Found::report)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Counts, MOST_KEPT};

    pub(super) fn of_stdout(stdout: &str) -> TestReport {
        tests(&Printed { stdout, stderr: "", exit: Some(1) })
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
}
