//! Python's `unittest`: `FAIL: test (module.Class)`, the first line of its description, a traceback, and `Ran N tests`.
//! With `-v` a line for each test as well.

use super::found::{Detail, Found};
use crate::pattern::{LazyPattern, number};
use crate::place::Place;
use crate::{Counts, TestOutcome, TestResult};

static RAN: LazyPattern = LazyPattern::new(r"^Ran (?<total>\d+) tests? in ");
static HEAD: LazyPattern = LazyPattern::new(r"^(?:FAIL|ERROR): (.*)$");
/// One of the numbers in `FAILED (failures=1, errors=1, skipped=1)`.
static NUMBER: LazyPattern = LazyPattern::new(r"([a-z ]+)=(\d+)");
/// `  File "/x/test_a.py", line 6, in test_b`
static FRAME: LazyPattern = LazyPattern::new(r#"^\s*File "(?<file>.*)", line (?<line>\d+)"#);
/// `test_b (test_a.T.test_b) ... ok`, and the same of Python before 3.11, which leaves the name out of the brackets.
static NAMED: LazyPattern = LazyPattern::new(r"^(\S+) \(([^\s)]+)\)");
static OUTCOME: LazyPattern = LazyPattern::new(
    r"^(?:.* \.\.\. )?(?:(?<passed>ok)|(?<failed>FAIL|ERROR|unexpected success)|expected failure|skipped .*)\s*$",
);

pub(super) fn read(lines: &mut [&str]) -> Option<Found> {
    let mut found = Found::default();
    let ran: Vec<usize> = positions(lines, &RAN);
    let last = *ran.last()?;
    for result in results(&lines[..last]) {
        found.result(result);
    }
    for at in ran {
        let verdict = lines[at + 1..].iter().find(|line| !line.is_empty()).copied().unwrap_or_default();
        found.count(counts(lines[at], verdict));
    }
    let heads = positions(&lines[..last], &HEAD);
    let ends = heads.iter().skip(1).copied().chain([last]);
    for (start, end) in heads.iter().zip(ends) {
        let Some(rule) = (start + 1..end).find(|index| lines[*index].starts_with("-----")) else { continue };
        let name = lines[*start].split_once(": ").map_or("", |(_, name)| name);
        let detail = detail(&lines[rule + 1..end]);
        if let Some(id) = named(name) {
            found.explain(id, &detail.error);
        }
        found.fail(name, detail);
    }
    Some(found)
}

fn positions(lines: &[&str], pattern: &LazyPattern) -> Vec<usize> {
    (0..lines.len()).filter(|index| pattern.is_match(lines[*index])).collect()
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
        if let (Some(id), Some(outcome)) = (open.as_ref(), outcome(line)) {
            // A module that cannot be imported stands for its tests.
            let is_loaded = !id.contains("unittest.loader._FailedTest");
            found.push(TestResult::new(id, if is_loaded { outcome } else { TestOutcome::DidNotLoad }));
            open = None;
        }
    }
    found
}

fn named(line: &str) -> Option<String> {
    let (_, [name, place]) = NAMED.captures(line)?.extract();
    let is_whole = place.strip_suffix(name).is_some_and(|groups| groups.ends_with('.'));
    Some(if is_whole { place.to_owned() } else { format!("{place}.{name}") })
}

fn outcome(line: &str) -> Option<TestOutcome> {
    let parts = OUTCOME.captures(line)?;
    match (parts.name("passed"), parts.name("failed")) {
        (Some(_), _) => Some(TestOutcome::Passed),
        (_, Some(_)) => Some(TestOutcome::Failed),
        (None, None) => Some(TestOutcome::Skipped),
    }
}

fn counts(ran: &str, verdict: &str) -> Counts {
    let (mut failed, mut ignored) = (0_u64, 0_u64);
    for parts in NUMBER.captures_iter(verdict) {
        let number = parts[2].parse().unwrap_or(0);
        match parts[1].trim() {
            "failures" | "errors" | "unexpected successes" => failed = failed.saturating_add(number),
            "skipped" | "expected failures" => ignored = ignored.saturating_add(number),
            _ => {}
        }
    }
    let total: u64 = RAN.captures(ran).and_then(|parts| number(&parts, "total")).unwrap_or(0);
    Counts { passed: total.saturating_sub(failed).saturating_sub(ignored), failed, ignored }
}

fn detail(body: &[&str]) -> Detail {
    let told = body.iter().take_while(|line| !line.starts_with("=====") && !line.starts_with("-----"));
    let told: Vec<&str> = told.copied().collect();
    let place = told.iter().rev().find_map(|line| frame(line));
    let message = told.iter().rposition(|line| line.starts_with("  ")).map_or(0, |index| index + 1);
    Detail::at(place, &told[message..].join("\n"))
}

fn frame(line: &str) -> Option<Place> {
    let parts = FRAME.captures(line)?;
    Some(Place { file: parts["file"].to_owned(), line: number(&parts, "line")?, column: None })
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
