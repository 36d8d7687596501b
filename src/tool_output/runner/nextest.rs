//! `cargo nextest`: a status line per test, what failing tests printed, a summary. What stands in a test's own
//! output, the harness's report included, is the test's and counts nothing.

use std::collections::BTreeMap;

use super::found::{Detail, Found, SEPARATOR};
use super::panicked::detail;
use super::tally;
use crate::pattern::LazyPattern;
use crate::{Counts, TestOutcome, TestResult};

static STATUS: LazyPattern = LazyPattern::new(
    r"^ *(?:TRY \d+ )?([A-Z][A-Z0-9-]*)(?: \d+/\d+)? \[ *>? *[\d.]+s\] +(?:\( *\d+/\d+\) +)?(\S+ +.+?) *$",
);
static SUMMARY: LazyPattern = LazyPattern::new(r"^ *Summary \[.*?\] .*?run: (.*)$");

/// The header of a test's output; what is indented below the newer one belongs to it.
static HEADER: LazyPattern =
    LazyPattern::new(r"^\s*(?:(?<indented>(?:stdout|stderr|output) ───)\s*$|--- (?:STDOUT|STDERR|OUTPUT):)");

pub(super) fn read(lines: &mut [&str]) -> Option<Found> {
    let mut found: Option<Found> = None;
    let mut name = "";
    let mut results = BTreeMap::new();
    let mut at = 0;
    while at < lines.len() {
        let line = lines[at];
        let mut next = at + 1;
        if line.trim_start().starts_with("Starting ") && line.contains(" across ") {
            found.get_or_insert_default();
        } else if line == "error: no tests to run" {
            found.get_or_insert_default().count(Counts::default());
        } else if let Some(counts) = summary(line) {
            found.get_or_insert_default().count(counts);
        } else if let (Some(found), Some((outcome, test))) = (found.as_mut(), status(line)) {
            name = test;
            match outcome {
                Some(TestOutcome::Passed) => found.forgive(name),
                Some(_) => found.fail(name, Detail::default()),
                None => {}
            }
            results.extend(outcome.map(|outcome| (id(name), outcome)));
        } else if let (Some(found), Some(header)) = (found.as_mut(), HEADER.captures(line)) {
            next = output_end(lines, at + 1, header.name("indented").is_some());
            if found.has_failed(name) {
                let detail = detail(&output(&lines[at + 1..next], name));
                found.explain(id(name), &detail.error);
                found.fail(name, detail);
            }
        } else {
            at = next;
            continue;
        }
        lines[at..next].fill("");
        at = next;
    }
    let mut found = found?;
    for (id, outcome) in results {
        found.result(TestResult::new(id, outcome));
    }
    Some(found)
}

/// Puts the name of a binary, which holds no space, in front of a test as other runners do.
fn id(name: &str) -> String {
    name.replacen(' ', SEPARATOR, 1)
}

/// Reads how a test ended at its latest try, and which.
fn status(line: &str) -> Option<(Option<TestOutcome>, &str)> {
    if !line.contains("s] ") {
        return None;
    }
    let (_, [status, name]) = STATUS.captures(line)?.extract();
    let outcome = match status {
        "PASS" | "FLAKY" | "LEAK" => Some(TestOutcome::Passed),
        "FAIL" | "ABORT" | "LEAK-FAIL" | "XFAIL" => Some(TestOutcome::Failed),
        "TIMEOUT" => Some(TestOutcome::TimedOut),
        signal if signal.starts_with("SIG") => Some(TestOutcome::Failed),
        _ => None,
    };
    Some((outcome, name))
}

fn output_end(lines: &[&str], from: usize, indented: bool) -> usize {
    let ends = |line: &str| {
        let inside = indented && (line.is_empty() || line.starts_with("    "));
        let rule = line.starts_with("────") || HEADER.is_match(line) || summary(line).is_some();
        status(line).is_some() || if indented { !inside } else { rule }
    };
    (from..lines.len()).find(|index| ends(lines[*index])).unwrap_or(lines.len())
}

/// The harness's own chatter says nothing that the panic does not say.
fn output(body: &[&str], name: &str) -> String {
    let test = name.rsplit_once(' ').map_or(name, |(_, test)| test);
    let chatter = ["running 1 test", "failures:", "test result:", "test "];
    let is_told = |line: &&str| {
        let listed = line.trim().trim_start_matches("---- ").trim_end_matches(" stdout ----");
        listed != test && !chatter.iter().any(|start| line.starts_with(start))
    };
    let told = body.iter().map(|line| line.strip_prefix("    ").unwrap_or(line)).filter(is_told);
    told.collect::<Vec<_>>().join("\n")
}

fn summary(line: &str) -> Option<Counts> {
    Some(tally::counts(&SUMMARY.captures(line)?[1]))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{of_stdout, outcomes};
    use crate::TestOutcome::{DidNotLoad, Failed};
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
            ("demo tests::returns_error", None, None, "Error: \"Permission denied\""),
            ("demo tests::fails", Some("src/lib.rs".to_owned()), Some(10), sum),
            ("demo tests::crashes", None, None, ""),
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
            ["demo tests::slow"]
        );
    }

    #[test]
    fn a_run_that_was_broken_off_has_no_counts() {
        let text = "    Starting 2 tests across 1 binary\n        PASS [   0.003s] demo tests::a\n";
        let report = of_stdout(text);
        assert_eq!((report.known, report.counts), (true, None));
    }
}
