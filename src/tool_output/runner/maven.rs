//! Maven's Surefire and Failsafe: which tests failed, and the numbers at the end of each module. What passed stands in the
//! report files alone.

use super::found::{Detail, Found};
use crate::Counts;

pub(super) fn read(lines: &mut [&str]) -> Option<Found> {
    let mut found = Found::default();
    for (at, line) in lines.iter().enumerate() {
        if let Some(counts) = totals(level(line)) {
            found.count(counts);
        } else if let Some(name) = failed(level(line)) {
            let error = lines.get(at + 1).copied().unwrap_or_default();
            found.fail(&name, Detail::error(level(error)));
        }
    }
    found.counts.is_some().then_some(found)
}

fn level(line: &str) -> &str {
    let line = line.trim_end();
    ["[INFO] ", "[WARNING] ", "[ERROR] "].iter().find_map(|level| line.strip_prefix(level)).unwrap_or(line)
}

/// Reads `Tests run: 4, Failures: 1, Errors: 0, Skipped: 1`; of a single class the time follows.
fn totals(line: &str) -> Option<Counts> {
    let mut numbers = line.strip_prefix("Tests run: ")?.split(", ");
    let total: u64 = numbers.next()?.parse().ok()?;
    let mut number = |word: &str| numbers.next()?.strip_prefix(word)?.parse::<u64>().ok();
    let (failures, errors, ignored) = (number("Failures: ")?, number("Errors: ")?, number("Skipped: ")?);
    let failed = failures.saturating_add(errors);
    numbers.next().is_none().then(|| Counts {
        passed: total.saturating_sub(failed).saturating_sub(ignored),
        failed,
        ignored,
    })
}

/// Reads `com.x.PagesTest.roundsUp -- Time elapsed: 0.01 s <<< FAILURE!`, before version 3 `roundsUp(com.x.PagesTest)  Time …`.
fn failed(line: &str) -> Option<String> {
    let head = line.strip_suffix("<<< FAILURE!").or_else(|| line.strip_suffix("<<< ERROR!"))?;
    let (name, _) = head.split_once(" Time elapsed: ")?;
    let name = name.trim_end_matches([' ', '-']);
    if name.starts_with("Tests run:") {
        return None;
    }
    let old = name.split_once('(').and_then(|(test, class)| Some((test, class.strip_suffix(')')?)));
    Some(old.map_or_else(|| name.to_owned(), |(test, class)| format!("{class}.{test}")))
}

#[cfg(test)]
mod tests {
    use super::super::tests::of_stdout;
    use crate::Counts;

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
