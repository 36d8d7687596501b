//! `bun test`: a line per test below its file, and the numbers at the end.

use super::found::{Detail, Found, SEPARATOR};
use super::tally::tally;
use crate::{Counts, TestOutcome, TestResult};

pub(super) fn read(lines: &mut [&str]) -> Option<Found> {
    let end = lines.iter().position(|line| is_last(line))?;
    let mut found = Found::default();
    found.count(Counts::default());
    let mut file = "";
    let mut said: Vec<&str> = Vec::new();
    for line in &lines[..end] {
        if let Some(path) = heading(line) {
            file = path;
        } else if let Some((name, outcome, millis)) = result(line) {
            if outcome == TestOutcome::Failed {
                found.fail(name, Detail { file: Some(file.to_owned()), ..Detail::error(&said.join("\n")) });
            }
            found.result(TestResult::new(format!("{file}{SEPARATOR}{name}"), outcome).after(millis));
            said.clear();
        } else if let Some(counts) = counted(line) {
            found.count(counts);
        } else {
            said.push(line);
        }
    }
    lines[..=end].fill("");
    Some(found)
}

/// Reads `Ran 4 tests across 1 file. [10.00ms]`.
fn is_last(line: &str) -> bool {
    line.strip_prefix("Ran ").is_some_and(|rest| rest.contains(" across ") && rest.ends_with(']'))
}

/// Reads `src/a.test.ts:`.
fn heading(line: &str) -> Option<&str> {
    let path = line.strip_suffix(':')?;
    let name = path.rsplit('/').next()?;
    (["test", "spec"].iter().any(|word| name.contains(word)) && !path.contains(' ')).then_some(path)
}

/// Reads `(pass) sum > adds [0.12ms]`; at a terminal signs stand for the words.
fn result(line: &str) -> Option<(&str, TestOutcome, Option<f64>)> {
    let (word, rest) = line.split_once(' ')?;
    let outcome = match word {
        "(pass)" | "✓" => TestOutcome::Passed,
        "(fail)" | "✗" => TestOutcome::Failed,
        "(skip)" | "(todo)" | "»" | "✎" => TestOutcome::Skipped,
        _ => return None,
    };
    let timed = rest.rsplit_once(" [").and_then(|(name, time)| Some((name, time.strip_suffix("ms]")?)));
    let (name, millis) = timed.map_or((rest, None), |(name, millis)| (name, millis.parse().ok()));
    Some((name, outcome, millis))
}

/// Reads ` 3 pass`.
fn counted(line: &str) -> Option<Counts> {
    let alone = line.starts_with(' ') && line.split_whitespace().count() == 2;
    let (number, word) = tally(line).next().filter(|_| alone)?;
    let none = Counts::default();
    match word {
        "pass" => Some(Counts { passed: number, ..none }),
        "fail" => Some(Counts { failed: number, ..none }),
        "skip" | "todo" => Some(Counts { ignored: number, ..none }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{of_stdout, outcomes};
    use crate::Counts;
    use crate::TestOutcome::{Failed, Passed, Skipped};

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
}
