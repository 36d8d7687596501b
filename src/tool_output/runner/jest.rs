//! Jest: `FAIL file`, a block `● name` per failing test, and the line `Tests:`.

use super::found::{Detail, Found};
use super::tally::sum;
use crate::Counts;
use crate::place::{Place, place};

pub(super) fn read(lines: &mut [&str]) -> Option<Found> {
    let mut found: Option<Found> = None;
    let mut file: Option<&str> = None;
    let mut blocks = Found::default();
    let mut at = 0;
    while at < lines.len() {
        let line = lines[at];
        let mut next = at + 1;
        if let Some(counts) = last(line) {
            found.get_or_insert_default().count(counts);
        } else if line.starts_with("No tests found") {
            found.get_or_insert_default().count(Counts::default());
        } else if let Some(name) = line.strip_prefix("FAIL ") {
            file = Some(suite(name));
        } else if line.starts_with("PASS ") || line.starts_with("Test Suites: ") {
            file = None;
        } else if let (Some(file), Some(name)) = (file, block(line)) {
            next = block_end(lines, at + 1);
            let named = if name == "Test suite failed to run" { file } else { name };
            blocks.fail(named, detail(&lines[at + 1..next], file));
        } else {
            at = next;
            continue;
        }
        lines[at..next].fill("");
        at = next;
    }
    let mut found = found?;
    found.join(blocks);
    Some(found)
}

/// Reads `Tests:       1 failed, 2 skipped, 3 passed, 6 total`.
fn last(line: &str) -> Option<Counts> {
    let rest = line.strip_prefix("Tests: ").filter(|rest| rest.ends_with(" total"))?;
    Some(Counts {
        passed: sum(rest, &["passed"]),
        failed: sum(rest, &["failed"]),
        ignored: sum(rest, &["skipped", "todo"]),
    })
}

/// The name of a project may stand before the file, the time behind it.
fn suite(name: &str) -> &str {
    let name = name.trim();
    let name = name.rsplit_once(" (").filter(|(_, time)| time.ends_with(')')).map_or(name, |(name, _)| name);
    name.rsplit_once(' ').map_or(name, |(_, file)| file)
}

fn block(line: &str) -> Option<&str> {
    line.strip_prefix("  ● ").map(str::trim).filter(|name| *name != "Console")
}

/// Whatever belongs to a block is indented deeper than its head.
fn block_end(lines: &[&str], from: usize) -> usize {
    let inside = |line: &str| line.trim().is_empty() || line.starts_with("    ");
    (from..lines.len()).find(|index| !inside(lines[*index])).unwrap_or(lines.len())
}

/// The message stands above the excerpt of the code and the calls.
fn detail(body: &[&str], file: &str) -> Detail {
    let excerpt = |line: &str| {
        let line = line.trim_start().trim_start_matches('>').trim_start();
        let digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
        digits.len() < line.len() && digits.starts_with(" |")
    };
    let message = body.iter().take_while(|line| !excerpt(line) && !line.trim_start().starts_with("at "));
    let message: Vec<&str> = message.map(|line| line.strip_prefix("    ").unwrap_or(line)).collect();
    let called = body.iter().filter_map(|line| call(line)).find(|place| place.file.ends_with(file));
    Detail { file: Some(file.to_owned()), line: called.map(|place| place.line), error: message.join("\n") }
}

/// Reads `at Object.toBe (src/b.test.js:4:20)`.
fn call(line: &str) -> Option<Place> {
    let rest = line.trim_start().strip_prefix("at ")?;
    place(rest.rsplit_once('(').map_or(rest, |(_, at)| at))
}

#[cfg(test)]
mod tests {
    use super::super::tests::of_stdout;
    use crate::{Counts, FailedTest};

    const RECORDED: &str = r"PASS src/a.test.js
FAIL src/b.test.js (5.1 s)
  ● Console

    console.log
      Tests: 900 passed, 900 total

  ● sum › adds numbers

    expect(received).toBe(expected) // Object.is equality

    Expected: 4
    Received: 3

      3 | test('adds numbers', () => {
    > 4 |   expect(sum(1, 2)).toBe(4);
        |                     ^
      5 | });

      at Object.toBe (src/b.test.js:4:21)

FAIL src/c.test.js
  ● Test suite failed to run

    Cannot find module './nothing' from 'src/c.test.js'

      at Resolver._throwModNotFoundError (node_modules/jest-resolve/build/resolver.js:427:11)
      at Object.require (src/c.test.js:1:11)

Summary of all failing tests
FAIL src/b.test.js (5.1 s)
  ● sum › adds numbers

    expect(received).toBe(expected) // Object.is equality

Test Suites: 2 failed, 1 passed, 3 total
Tests:       1 failed, 1 skipped, 2 todo, 3 passed, 7 total
Snapshots:   0 total
Time:        0.512 s
Ran all test suites.
";

    #[test]
    fn blocks_below_a_failing_file_are_its_failures() {
        let report = of_stdout(RECORDED);
        assert_eq!(report.counts, Some(Counts { passed: 3, failed: 1, ignored: 3 }));
        let message = "expect(received).toBe(expected) // Object.is equality\n\nExpected: 4\nReceived: 3";
        let missing = "Cannot find module './nothing' from 'src/c.test.js'";
        let expected = [
            ("sum › adds numbers", "src/b.test.js", 4, message),
            ("src/c.test.js", "src/c.test.js", 1, missing),
        ];
        let expected = expected.map(|(name, file, line, error)| FailedTest {
            name: name.into(),
            file: Some(file.into()),
            line: Some(line),
            error: error.into(),
        });
        assert_eq!(report.failed, expected);
    }
}
