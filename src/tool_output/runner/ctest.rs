//! `ctest`: a line per test with its outcome, and how many of all failed.

use std::sync::LazyLock;

use regex::Regex;

use super::found::{Detail, Found};
use crate::{Counts, TestOutcome, TestResult};

static RESULT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^ *\d+/\d+ Test +#\d+: (.+?) \.{2,} *(\*\*\*)?([A-Z][A-Za-z ]+?)(?: +\([A-Za-z]+\))? +([\d.]+) sec$")
        .expect("a valid pattern")
});

pub(super) fn read(lines: &mut [&str]) -> Option<Found> {
    let mut found = Found::default();
    for line in lines.iter() {
        if line.contains("% tests passed, ") || *line == "No tests were found!!!" {
            found.count(Counts::default());
        } else if let Some((name, outcome, millis)) = result(line) {
            found.count(Counts::of(outcome));
            if ![TestOutcome::Passed, TestOutcome::Skipped].contains(&outcome) {
                found.fail(name, Detail::default());
            }
            found.result(TestResult::new(name, outcome).after(millis));
        }
    }
    found.counts.is_some().then_some(found)
}

fn result(line: &str) -> Option<(&str, TestOutcome, Option<f64>)> {
    if !line.ends_with(" sec") {
        return None;
    }
    let parts = RESULT.captures(line)?;
    let (name, failed, word) = (parts.get(1)?.as_str(), parts.get(2).is_some(), &parts[3]);
    let outcome = match (failed, word) {
        (false, "Passed") => TestOutcome::Passed,
        (true, "Timeout") => TestOutcome::TimedOut,
        (true, "Not Run" | "Skipped") => TestOutcome::Skipped,
        (true, _) => TestOutcome::Failed,
        (false, _) => return None,
    };
    Some((name, outcome, parts[4].parse::<f64>().ok().map(|seconds| seconds * 1000.0)))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{of_stdout, outcomes};
    use crate::Counts;
    use crate::TestOutcome::{Failed, Passed, Skipped, TimedOut};

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
}
