//! `dotnet test`: a line per test at the verbosity `normal`, the message of what failed below it, and the numbers.

use super::found::{Detail, Found};
use super::tally::tally;
use crate::place::Place;
use crate::{Counts, TestOutcome, TestResult};

pub(super) fn read(lines: &mut [&str]) -> Option<Found> {
    let mut found = Found::default();
    let mut at = 0;
    while at < lines.len() {
        let mut next = at + 1;
        if let Some(counts) = summary(lines[at]).or_else(|| totals(&lines[at..])) {
            found.count(counts);
        } else if let Some((name, outcome)) = result(lines[at]) {
            next = body_end(lines, next);
            if outcome == TestOutcome::Failed {
                found.fail(name, detail(&lines[at + 1..next]));
            }
            found.result(TestResult::new(name, outcome));
        }
        at = next;
    }
    found.counts.is_some().then_some(found)
}

fn body_end(lines: &[&str], from: usize) -> usize {
    let ends = |line: &str| !line.starts_with("  ") || result(line).is_some();
    (from..lines.len()).find(|index| ends(lines[*index])).unwrap_or(lines.len())
}

/// Reads `  Passed Pages.Tests.RoundsUp [3 ms]`.
fn result(line: &str) -> Option<(&str, TestOutcome)> {
    let (word, rest) = line.strip_prefix("  ")?.split_once(' ')?;
    let outcome = match word {
        "Passed" => TestOutcome::Passed,
        "Failed" => TestOutcome::Failed,
        "Skipped" => TestOutcome::Skipped,
        _ => return None,
    };
    let (name, time) = rest.rsplit_once(" [")?;
    time.ends_with("s]").then_some((name, outcome))
}

/// Reads `Failed!  - Failed:     1, Passed:     3, Skipped:     0, Total:     4, Duration: 5 ms - x.dll`.
fn summary(line: &str) -> Option<Counts> {
    let rest =
        ["Passed!  - ", "Failed!  - ", "Skipped! - "].iter().find_map(|head| line.strip_prefix(head))?;
    let number = |word: &str| {
        let part = rest.split(',').find_map(|part| part.trim().strip_prefix(word)?.strip_prefix(':'));
        part.and_then(|number| number.trim().parse().ok()).unwrap_or(0)
    };
    Some(Counts { passed: number("Passed"), failed: number("Failed"), ignored: number("Skipped") })
}

/// Reads `Total tests: 4` and the lines `     Passed: 3` below it.
fn totals(lines: &[&str]) -> Option<Counts> {
    lines.first()?.strip_prefix("Total tests: ")?;
    let below = lines[1..].iter().take_while(|line| line.starts_with("    "));
    let mut counts = Counts::default();
    for (word, number) in below.filter_map(|line| line.trim().split_once(": ")) {
        let number = tally(&format!("{number} of")).next().map_or(0, |(number, _)| number);
        match word {
            "Passed" => counts.passed = number,
            "Failed" => counts.failed = number,
            "Skipped" => counts.ignored = number,
            _ => {}
        }
    }
    Some(counts)
}

/// The message stands between `Error Message:` and `Stack Trace:`, the place in the latter.
fn detail(body: &[&str]) -> Detail {
    let message = body.iter().skip_while(|line| line.trim() != "Error Message:").skip(1);
    let message: Vec<&str> =
        message.take_while(|line| line.trim() != "Stack Trace:").map(|line| line.trim()).collect();
    let place = body.iter().find_map(|line| {
        let (file, number) = line.trim().strip_prefix("at ")?.split_once(" in ")?.1.rsplit_once(":line ")?;
        Some(Place { file: file.to_owned(), line: number.parse().ok()?, column: None })
    });
    Detail::at(place, &message.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{of_stdout, outcomes};
    use crate::Counts;
    use crate::TestOutcome::{Failed, Passed, Skipped};

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
