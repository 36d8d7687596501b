//! Python's `unittest`: `FAIL: test (module.Class)`, the first line of its description, a traceback, and `Ran N tests`.
//! With `-v` a line for each test as well.

use super::found::{Detail, Found};
use super::tally::sum;
use crate::place::Place;
use crate::{Counts, TestOutcome, TestResult};

pub(super) fn read(lines: &mut [&str]) -> Option<Found> {
    let ran: Vec<usize> = (0..lines.len()).filter(|index| ran(lines[*index]).is_some()).collect();
    let mut found = Found::default();
    for result in results(&lines[..*ran.last()?]) {
        found.result(result);
    }
    for at in &ran {
        let total = ran_at(lines, *at);
        let verdict = lines[at + 1..].iter().find(|line| !line.is_empty()).copied().unwrap_or_default();
        found.count(counts(total, verdict));
    }
    let heads: Vec<usize> = (0..*ran.last()?).filter(|index| head(lines[*index]).is_some()).collect();
    let ends = heads.iter().skip(1).chain(ran.last());
    for (start, end) in heads.iter().zip(ends) {
        let Some(rule) = (start + 1..*end).find(|index| lines[*index].starts_with("-----")) else { continue };
        let name = head(lines[*start]).unwrap_or_default();
        let detail = detail(&lines[rule + 1..*end]);
        if let Some(id) = named(name) {
            found.explain(id, &detail.error);
        }
        found.fail(name, detail);
    }
    Some(found)
}

/// Reads what `-v` prints: a name with its module and class, a line of its description, and the outcome. What a test itself
/// writes to the standard error may stand in between.
fn results(lines: &[&str]) -> Vec<TestResult> {
    let mut found = Vec::new();
    let mut open: Option<String> = None;
    for line in lines {
        if let Some(id) = named(line) {
            open = Some(id);
        }
        let outcome = line.rsplit_once(" ... ").map_or(*line, |(_, outcome)| outcome);
        if let (Some(id), Some(outcome)) = (open.as_ref(), outcome_of(outcome)) {
            found.push(TestResult::new(id.as_str(), load_failure(id).unwrap_or(outcome)));
            open = None;
        }
    }
    found
}

/// Reads `test_b (test_a.T.test_b) ... ok`, and the same of Python before 3.11, which leaves the name out of the brackets.
fn named(line: &str) -> Option<String> {
    let (name, rest) = line.split_once(" (")?;
    let (place, _) = rest.split_once(')')?;
    let is_name = |text: &str| !text.is_empty() && !text.contains(char::is_whitespace);
    let whole = place.strip_suffix(name).is_some_and(|groups| groups.ends_with('.'));
    let id = if whole { place.to_owned() } else { format!("{place}.{name}") };
    (is_name(name) && is_name(place)).then_some(id)
}

fn outcome_of(text: &str) -> Option<TestOutcome> {
    match text.trim() {
        "ok" => Some(TestOutcome::Passed),
        "FAIL" | "ERROR" | "unexpected success" => Some(TestOutcome::Failed),
        "expected failure" => Some(TestOutcome::Skipped),
        text if text.starts_with("skipped ") => Some(TestOutcome::Skipped),
        _ => None,
    }
}

/// A module that cannot be imported stands for its tests.
fn load_failure(id: &str) -> Option<TestOutcome> {
    id.contains("unittest.loader._FailedTest").then_some(TestOutcome::DidNotLoad)
}

fn ran(line: &str) -> Option<u64> {
    let (number, rest) = line.strip_prefix("Ran ")?.split_once(' ')?;
    (rest.starts_with("test in ") || rest.starts_with("tests in ")).then(|| number.parse().ok())?
}

fn ran_at(lines: &[&str], at: usize) -> u64 {
    ran(lines[at]).unwrap_or(0)
}

/// Reads `FAILED (failures=1, errors=1, skipped=1)`; the words stand before their numbers.
fn counts(total: u64, verdict: &str) -> Counts {
    let turned: String = verdict
        .split([',', '(', ')'])
        .filter_map(|part| part.trim().split_once('='))
        .map(|(word, number)| format!("{number} {} ", word.replace(' ', "_")))
        .collect();
    let failed = sum(&turned, &["failures", "errors", "unexpected_successes"]);
    let ignored = sum(&turned, &["skipped", "expected_failures"]);
    Counts { passed: total.saturating_sub(failed).saturating_sub(ignored), failed, ignored }
}

fn head(line: &str) -> Option<&str> {
    line.strip_prefix("FAIL: ").or_else(|| line.strip_prefix("ERROR: "))
}

fn detail(body: &[&str]) -> Detail {
    let told = body.iter().take_while(|line| !line.starts_with("=====") && !line.starts_with("-----"));
    let told: Vec<&str> = told.copied().collect();
    let place = told.iter().rev().find_map(|line| frame(line));
    let message = told.iter().rposition(|line| line.starts_with("  ")).map_or(0, |index| index + 1);
    Detail::at(place, &told[message..].join("\n"))
}

/// Reads `  File "/x/test_a.py", line 6, in test_b`.
fn frame(line: &str) -> Option<Place> {
    let (file, rest) = line.trim().strip_prefix("File \"")?.split_once("\", line ")?;
    let number = rest.split(',').next()?.parse().ok()?;
    Some(Place { file: file.to_owned(), line: number, column: None })
}

#[cfg(test)]
mod tests {
    use super::super::tests::of_stdout;
    use crate::Counts;

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
        assert_eq!(
            (test.name.as_str(), test.error.as_str()),
            ("test_b (test_a.T.test_b)", "AssertionError: 1 != 2")
        );
        assert_eq!((test.file.as_deref(), test.line), (Some("/x/test_a.py"), Some(6)));
    }
}
