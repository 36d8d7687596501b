//! Vitest: ` FAIL  file > test` below `Failed Tests`, and the line `Tests`.

use super::found::{Detail, Found};
use super::tally::sum;
use crate::Counts;
use crate::place::place;

pub(super) fn read(lines: &mut [&str]) -> Option<Found> {
    let mut found: Option<Found> = None;
    let mut blocks = Found::default();
    let mut at = 0;
    while at < lines.len() {
        let line = lines[at];
        let mut next = at + 1;
        if let Some(counts) = last(line) {
            found.get_or_insert_default().count(counts);
        } else if line.trim_start().starts_with("No test files found") {
            found.get_or_insert_default().count(Counts::default());
        } else if let Some((file, name)) = failing(line) {
            next = block_end(lines, at + 1);
            blocks.fail(name, detail(&lines[at + 1..next], file));
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

/// Reads `      Tests  1 failed | 3 passed | 1 skipped (5)`.
fn last(line: &str) -> Option<Counts> {
    let rest = line.trim_start().strip_prefix("Tests  ").filter(|_| line.starts_with(' '))?;
    if rest.trim() == "no tests" {
        return Some(Counts::default());
    }
    let all = rest.trim_end().strip_suffix(')').and_then(|rest| rest.rsplit_once('('))?.1;
    all.parse::<u64>().ok()?;
    Some(Counts {
        passed: sum(rest, &["passed"]),
        failed: sum(rest, &["failed"]),
        ignored: sum(rest, &["skipped", "todo", "expected"]),
    })
}

/// Reads ` FAIL  |project| file > suite > test`, and a file that could not be loaded: ` FAIL  file [ file ]`.
fn failing(line: &str) -> Option<(&str, &str)> {
    let rest = line.strip_prefix(" FAIL  ")?.trim();
    let rest = rest.strip_prefix('|').and_then(|rest| rest.split_once("| ")).map_or(rest, |(_, rest)| rest);
    let file = rest.split_once(" [ ").map_or(rest, |(file, _)| file);
    Some(file.split_once(" > ").map_or((file, file), |(file, _)| (file, rest)))
}

fn block_end(lines: &[&str], from: usize) -> usize {
    let rule = |line: &str| line.starts_with("⎯⎯⎯") || last(line).is_some() || failing(line).is_some();
    (from..lines.len()).find(|index| rule(lines[*index])).unwrap_or(lines.len())
}

/// The message stands above the place, ` ❯ file:line:column`; several tests may share one.
fn detail(body: &[&str], file: &str) -> Detail {
    let message: Vec<&str> = body.iter().take_while(|line| !line.starts_with(" ❯ ")).copied().collect();
    let called = body
        .iter()
        .filter_map(|line| line.strip_prefix(" ❯ "))
        .filter_map(|line| place(line).or_else(|| place(line.rsplit_once(' ')?.1)));
    let line = called.into_iter().find(|place| place.file.ends_with(file)).map(|place| place.line);
    Detail { file: Some(file.to_owned()), line, error: message.join("\n") }
}

#[cfg(test)]
mod tests {
    use super::super::tests::of_stdout;
    use crate::{Counts, FailedTest};

    const RECORDED: &str = r"
 RUN  v2.1.8 /x

 ✓ src/a.test.ts (2 tests) 2ms
 ❯ src/b.test.ts (2 tests | 1 failed) 5ms
   × sum > adds 4ms
     → expected 3 to be 4 // Object.is equality

⎯⎯⎯⎯⎯⎯ Failed Suites 1 ⎯⎯⎯⎯⎯⎯⎯

 FAIL  src/c.test.ts [ src/c.test.ts ]
Error: Failed to load url ./nothing (resolved id: ./nothing) in /x/src/c.test.ts. Does the file exist?
⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯[1/2]⎯

⎯⎯⎯⎯⎯⎯⎯ Failed Tests 1 ⎯⎯⎯⎯⎯⎯⎯

 FAIL  |unit| src/b.test.ts > sum > adds
AssertionError: expected 3 to be 4 // Object.is equality

- Expected
+ Received

- 4
+ 3

 ❯ helper src/helper.ts:2:9
 ❯ src/b.test.ts:5:20
      3|
      5|     expect(sum(1, 2)).toBe(4)
       |                       ^

⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯[2/2]⎯

 Test Files  2 failed | 1 passed (3)
      Tests  1 failed | 3 passed | 1 skipped | 1 todo (6)
   Start at  10:00:00
   Duration  300ms
";

    #[test]
    fn failing_tests_and_files_are_read() {
        let report = of_stdout(RECORDED);
        assert_eq!(report.counts, Some(Counts { passed: 3, failed: 1, ignored: 2 }));
        let load = "Error: Failed to load url ./nothing (resolved id: ./nothing) in /x/src/c.test.ts. Does the file exist?";
        let equal =
            "AssertionError: expected 3 to be 4 // Object.is equality\n\n- Expected\n+ Received\n\n- 4\n+ 3";
        let expected = [
            ("src/c.test.ts", "src/c.test.ts", None, load),
            ("src/b.test.ts > sum > adds", "src/b.test.ts", Some(5), equal),
        ];
        let expected = expected.map(|(name, file, line, error)| FailedTest {
            name: name.into(),
            file: Some(file.into()),
            line,
            error: error.into(),
        });
        assert_eq!(report.failed, expected);
    }
}
