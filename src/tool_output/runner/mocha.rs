//! Mocha: `3 passing`, `1 failing`, and a numbered block per failing test.

use super::found::{Detail, Found, SEPARATOR};
use super::tally::tally;
use crate::place::place;
use crate::{Counts, TestOutcome, TestResult};

pub(super) fn read(lines: &mut [&str]) -> Option<Found> {
    let passing = lines.iter().position(|line| count(line, "passing").is_some())?;
    let mut found = Found::default();
    for line in lines.iter() {
        let (passed, failed, ignored) =
            (count(line, "passing"), count(line, "failing"), count(line, "pending"));
        if passed.or(failed).or(ignored).is_some() {
            let [passed, failed, ignored] = [passed, failed, ignored].map(Option::unwrap_or_default);
            found.count(Counts { passed, failed, ignored });
        }
    }
    results(&lines[..passing], &mut found);
    let heads: Vec<usize> = (passing..lines.len()).filter(|index| head(lines[*index]).is_some()).collect();
    let ends = heads.iter().skip(1).copied().chain([lines.len()]);
    for (start, end) in heads.iter().zip(ends) {
        describe(&lines[*start..end], &mut found);
    }
    Some(found)
}

/// Reads the tree of the reporter `spec`: groups, and below them `    ✔ name (12ms)`, `    1) name`, `    - name`.
fn results<'t>(lines: &[&'t str], found: &mut Found) {
    let mut groups: Vec<&'t str> = Vec::new();
    for line in lines.iter().filter(|line| line.starts_with("  ")) {
        let text = line.trim();
        groups.truncate(((line.len() - line.trim_start().len()) / 2).saturating_sub(1));
        let Some((outcome, name)) = outcome(text) else {
            groups.push(text);
            continue;
        };
        let id = groups.iter().copied().chain([name]).collect::<Vec<_>>().join(SEPARATOR);
        found.result(TestResult::new(id, outcome));
    }
}

fn outcome(text: &str) -> Option<(TestOutcome, &str)> {
    let (sign, name) = text.split_once(' ')?;
    let timed = name.rsplit_once(" (").filter(|(_, time)| time.ends_with("ms)"));
    let name = timed.map_or(name, |(name, _)| name);
    let number = sign.strip_suffix(')').is_some_and(|number| number.parse::<u64>().is_ok());
    match sign {
        "✔" | "✓" | "√" => Some((TestOutcome::Passed, name)),
        "-" => Some((TestOutcome::Skipped, name)),
        _ => number.then_some((TestOutcome::Failed, name)),
    }
}

/// Reads `  3 passing (10ms)`.
fn count(line: &str, word: &str) -> Option<u64> {
    let (number, said) = line.strip_prefix("  ").and_then(|rest| tally(rest).next())?;
    let alone = line.trim_start().split([' ', '(']).filter(|part| !part.is_empty()).count() <= 3;
    (said == word && alone && line.trim_start().starts_with(|c: char| c.is_ascii_digit())).then_some(number)
}

/// Reads `  1) Suite`.
fn head(line: &str) -> Option<&str> {
    let (number, name) = line.strip_prefix("  ")?.split_once(") ")?;
    (!number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())).then_some(name)
}

/// The name runs over several lines and ends in a colon; the calls come last.
fn describe(block: &[&str], found: &mut Found) {
    let ends = block.iter().position(|line| line.ends_with(':')).map_or(1, |index| index + 1);
    let first = head(block[0]).unwrap_or_default();
    let names: Vec<&str> =
        block[1..ends].iter().map(|line| line.trim()).filter(|line| !line.is_empty()).collect();
    let name = [&[first], names.as_slice()].concat().join(" ");
    let calls = |line: &str| line.trim_start().starts_with("at ");
    let message: Vec<&str> =
        block[ends..].iter().take_while(|line| !calls(line)).map(|line| line.trim()).collect();
    let called = block[ends..].iter().filter(|line| calls(line)).find_map(|line| {
        place(line.rsplit_once('(').map_or(line.trim_start().trim_start_matches("at "), |(_, at)| at))
    });
    let id = [&[first], names.as_slice()].concat().join(SEPARATOR);
    let error = message.join("\n");
    found.explain(id.trim_end_matches(':').to_owned(), &error);
    found.fail(name.trim_end_matches(':'), Detail::at(called, error.trim()));
}

#[cfg(test)]
mod tests {
    use super::super::tests::of_stdout;
    use crate::{Counts, FailedTest};

    #[test]
    fn numbered_blocks_are_the_failures() {
        let text = "\n  Sum\n    ✔ zero\n    1) adds\n\n  1 passing (10ms)\n  2 pending\n  1 failing\n\n  1) Sum\n       adds:\n\n\
            \x20     AssertionError: expected 3 to equal 4\n      + expected - actual\n\n      -3\n      +4\n\n\
            \x20     at Context.<anonymous> (test/a.js:5:12)\n\n";
        let report = of_stdout(text);
        assert_eq!(report.counts, Some(Counts { passed: 1, failed: 1, ignored: 2 }));
        let error = "AssertionError: expected 3 to equal 4\n+ expected - actual\n\n-3\n+4";
        let (name, file) = ("Sum adds".into(), Some("test/a.js".into()));
        assert_eq!(report.failed, [FailedTest { name, file, line: Some(5), error: error.into() }]);
    }

    #[test]
    fn a_sentence_about_passing_is_no_summary() {
        assert!(!of_stdout("  3 passing thoughts about tests that are long\n12 passing\n").known);
    }
}
