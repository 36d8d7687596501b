//! `deno test`: the sections `ERRORS` and `FAILURES`, and the line with the counts.

use super::found::{Detail, Found, SEPARATOR};
use super::tally::sum;
use crate::place::{Place, place};
use crate::{Counts, TestOutcome, TestResult};

pub(super) fn read(lines: &mut [&str]) -> Option<Found> {
    let mut found: Option<Found> = None;
    let mut named = Found::default();
    let mut progress: Vec<&str> = Vec::new();
    let mut listing = false;
    let mut file = "";
    let last_end = lines.iter().rposition(|line| ends_output(line)).unwrap_or(0);
    let mut at = 0;
    while at < lines.len() {
        let line = lines[at];
        let mut next = at + 1;
        if let Some(counts) = last(line) {
            found.get_or_insert_default().count(counts);
            listing = false;
        } else if line == "error: No test modules found" {
            found.get_or_insert_default().count(Counts::default());
        } else if at < last_end && line.starts_with("------- ") && line.contains("output -") {
            next = (next..last_end).find(|index| ends_output(lines[*index])).unwrap_or(last_end);
        } else if let Some(name) = line.strip_prefix("FAILED | ") {
            next = (next..lines.len()).find(|index| lines[*index].trim().is_empty()).unwrap_or(lines.len());
            let told: Vec<&str> = lines[at + 1..next].iter().map(|line| line.trim()).collect();
            found.get_or_insert_default().fail(name, Detail::error(&told.join("\n")));
        } else if ["ERRORS", "FAILURES"].contains(&line.trim()) {
            listing = true;
        } else if let (true, Some((name, place))) = (listing, head(line)) {
            next = body_end(lines, at + 1);
            named.fail(name, Detail::at(place, &error(&lines[at + 1..next])));
        } else if let (true, Some(found)) = (listing, found.as_mut()) {
            next = described(lines, at, found);
        } else if let Some(path) =
            line.strip_prefix("running ").and_then(|rest| Some(rest.split_once(" from ")?.1))
        {
            file = path.trim();
        } else if let Some((name, outcome)) = result(line) {
            progress.extend(Some(name).filter(|_| outcome == TestOutcome::Failed));
            named.result(TestResult::new(format!("{file}{SEPARATOR}{name}"), outcome));
        }
        at = next;
    }
    let mut found = found?;
    found.join(named);
    if found.failed.is_empty() {
        for name in progress {
            found.fail(name, Detail::default());
        }
    }
    Some(found)
}

/// What a test itself printed ends here.
fn ends_output(line: &str) -> bool {
    line.starts_with("----- ") && line.ends_with("output end -----")
}

/// Reads `FAILED | 1 passed (2 steps) | 1 failed | 1 ignored (10ms)`.
fn last(line: &str) -> Option<Counts> {
    let rest = line.strip_prefix("ok | ").or_else(|| line.strip_prefix("FAILED | ")).unwrap_or(line);
    let (first, others) = rest.split_once(" passed")?;
    first.parse::<u64>().ok().filter(|_| others.contains("| "))?;
    Some(Counts {
        passed: sum(rest, &["passed"]),
        failed: sum(rest, &["failed"]),
        ignored: sum(rest, &["ignored"]),
    })
}

/// Reads `name => ./a_test.ts:5:6` and `./a_test.ts (uncaught error)`.
fn head(line: &str) -> Option<(&str, Option<Place>)> {
    if let Some(file) = line.strip_suffix(" (uncaught error)") {
        return Some((file, Some(Place { file: file.to_owned(), line: 1, column: None })));
    }
    let (name, at) = line.rsplit_once(" => ")?;
    Some((name, Some(place(at)?)))
}

fn body_end(lines: &[&str], from: usize) -> usize {
    let ends = |line: &str| {
        last(line).is_some() || head(line).is_some() || ["ERRORS", "FAILURES"].contains(&line.trim())
    };
    (from..lines.len()).find(|index| ends(lines[*index])).unwrap_or(lines.len())
}

/// The message stands above the calls.
fn error(body: &[&str]) -> String {
    let told = body.iter().take_while(|line| !line.starts_with("    at "));
    let told: Vec<&str> = told.copied().collect();
    let told = told.join("\n");
    told.trim().strip_prefix("error: ").unwrap_or(told.trim()).to_owned()
}

/// A failing test's name alone on a line, what it says indented below it.
fn described(lines: &[&str], at: usize, found: &mut Found) -> usize {
    let name = lines[at].trim();
    if name.is_empty() || !found.failed.iter().any(|test| test.name == name) {
        return at + 1;
    }
    let end = (at + 1..lines.len()).find(|index| !lines[*index].starts_with("  ")).unwrap_or(lines.len());
    found.fail(name, Detail::error(lines[at + 1..end].join("\n").trim()));
    end
}

/// Reads `name ... FAILED (3ms)`; what is indented is a step of what follows.
fn result(line: &str) -> Option<(&str, TestOutcome)> {
    let (name, rest) = line.rsplit_once(" ... ").filter(|(name, _)| !name.starts_with(' '))?;
    let outcome = match rest.split(' ').next()? {
        "ok" => TestOutcome::Passed,
        "FAILED" => TestOutcome::Failed,
        "ignored" => TestOutcome::Skipped,
        _ => return None,
    };
    Some((name, outcome))
}

#[cfg(test)]
mod tests {
    use super::super::tests::of_stdout;
    use crate::{Counts, FailedTest};

    const RECORDED: &str = "running 3 tests from ./a_test.ts
adds ... ok (1ms)
talks ...
------- output -------
ok | 900 passed | 0 failed (1ms)
----- output end -----
talks ... ok (0ms)
fails ... FAILED (3ms)
group ...
  step two ... FAILED (1ms)
group ... FAILED (due to 1 failed step) (3ms)
later ... ignored (0ms)

 ERRORS 

fails => ./a_test.ts:5:6
error: AssertionError: Values are not equal.


    [Diff] Actual / Expected


-   1
+   2

  throw new AssertionError(message);
        ^
    at assertEquals (https://jsr.io/@std/assert/1.0.0/equals.ts:47:9)
    at file:///x/a_test.ts:6:3

group ... step two => ./a_test.ts:10:11
error: Error: boom
    at file:///x/a_test.ts:11:9

 FAILURES 

fails => ./a_test.ts:5:6
group ... step two => ./a_test.ts:10:11

FAILED | 2 passed | 2 failed (1 step) | 1 ignored (10ms)

error: Test failed
";

    #[test]
    fn errors_carry_their_places_and_what_tests_print_counts_nothing() {
        let report = of_stdout(RECORDED);
        assert_eq!(report.counts, Some(Counts { passed: 2, failed: 2, ignored: 1 }));
        let names: Vec<_> = report.failed.iter().map(|test| (test.name.as_str(), test.line)).collect();
        assert_eq!(names, [("fails", Some(5)), ("group ... step two", Some(10))]);
        assert!(report.failed[0].error.starts_with("AssertionError: Values are not equal.\n"));
        assert_eq!(report.failed[1].error, "Error: boom");
    }

    #[test]
    fn the_summary_line_is_no_name_and_progress_names_what_nothing_else_names() {
        let report = of_stdout("a ... FAILED (1ms)\n\nFAILED | 1 passed | 1 failed (10ms)\n");
        assert_eq!(report.failed, [FailedTest { name: "a".into(), ..FailedTest::default() }]);
        let older = of_stdout("FAILED | one\none\n  Expected true\n\n");
        assert_eq!(older.failed[0].error, "one\nExpected true");
    }
}
