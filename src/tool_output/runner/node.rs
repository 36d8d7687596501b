//! `node --test` with the reporter `spec`: counts behind `ℹ`, and the list `✖ failing tests:`.

use super::found::{Detail, Found, SEPARATOR};
use crate::place::{Place, place};
use crate::{Counts, TestOutcome, TestResult};

pub(super) fn read(lines: &mut [&str]) -> Option<Found> {
    let mut found: Option<Found> = None;
    let mut tree = ResultTree::default();
    let mut at = 0;
    while at < lines.len() {
        let mut next = at + 1;
        if found.is_none() {
            tree.read(lines[at]);
        }
        if let Some(counts) = counted(lines[at]) {
            found.get_or_insert_default().count(counts);
        } else if let (Some(found), Some(place)) = (found.as_mut(), failing(lines[at])) {
            next = block_end(lines, at + 1);
            describe(&lines[at + 1..next], place, found);
        }
        at = next;
    }
    let mut found = found?;
    found.join(tree.found);
    Some(found)
}

/// The tests above the counts, each below the groups that it stands in.
#[derive(Default)]
struct ResultTree<'t> {
    groups: Vec<&'t str>,
    found: Found,
}

impl<'t> ResultTree<'t> {
    /// Reads `▶ group`, `  ✔ name (1.2ms)`, `  ✖ name`, `﹣ name # SKIP`; a group is named once more where it ends.
    fn read(&mut self, line: &'t str) {
        let text = line.trim_start_matches(' ');
        let depth = (line.len() - text.len()) / 2;
        let Some((sign, rest)) = text.split_once(' ') else { return };
        let marked =
            rest.rsplit_once(" # ").filter(|(_, word)| word.starts_with("SKIP") || word.starts_with("TODO"));
        let directive = marked.is_some();
        let (name, millis) = timed(marked.map_or(rest, |(name, _)| name));
        let outcome = match sign {
            "✔" if !directive => TestOutcome::Passed,
            "✖" if !directive => TestOutcome::Failed,
            "✔" | "✖" | "﹣" | "⚠" => TestOutcome::Skipped,
            "▶" => return self.enter_or_leave(depth, name),
            _ => return,
        };
        if self.groups.get(depth) == Some(&name) {
            return self.enter_or_leave(depth, name);
        }
        self.groups.truncate(depth);
        let id = self.groups.iter().copied().chain([name]).collect::<Vec<_>>().join(SEPARATOR);
        self.found.result(TestResult::new(id, outcome).after(millis));
    }

    fn enter_or_leave(&mut self, depth: usize, name: &'t str) {
        let leaves = self.groups.get(depth) == Some(&name);
        self.groups.truncate(depth);
        if leaves {
            self.found.group();
        } else {
            self.groups.push(name);
        }
    }
}

/// Takes the time in milliseconds off a name.
fn timed(text: &str) -> (&str, Option<f64>) {
    let timed = text.rsplit_once(" (").and_then(|(name, time)| Some((name, time.strip_suffix("ms)")?)));
    timed.map_or((text, None), |(name, millis)| (name, millis.parse().ok()))
}

/// Reads one of `ℹ tests 6`, `ℹ pass 2`, `ℹ fail 2`, ….
fn counted(line: &str) -> Option<Counts> {
    trailer(line.strip_prefix("ℹ ")?)
}

/// Reads the last lines of both reporters; the total says nothing that the others do not say.
pub(super) fn trailer(text: &str) -> Option<Counts> {
    let (word, number) = text.split_once(' ')?;
    let number: u64 = number.trim().parse().ok()?;
    let none = Counts::default();
    match word {
        "tests" | "suites" => Some(none),
        "pass" => Some(Counts { passed: number, ..none }),
        "fail" | "cancelled" => Some(Counts { failed: number, ..none }),
        "skipped" | "todo" => Some(Counts { ignored: number, ..none }),
        _ => None,
    }
}

/// Reads `test at a.test.js:3:1`.
fn failing(line: &str) -> Option<Place> {
    place(line.strip_prefix("test at ")?)
}

fn block_end(lines: &[&str], from: usize) -> usize {
    let inside = |line: &str| line.is_empty() || line.starts_with("✖ ") || line.starts_with("  ");
    (from..lines.len()).find(|index| !inside(lines[*index])).unwrap_or(lines.len())
}

/// Reads `✖ name (1.2ms)` and the indented message; what is still to do may fail.
fn describe(block: &[&str], place: Place, found: &mut Found) {
    let Some(head) = block.first().and_then(|line| line.strip_prefix("✖ ")) else { return };
    if head.ends_with("# TODO") {
        return;
    }
    let (name, _) = timed(head);
    let message = block[1..].iter().take_while(|line| !line.trim_start().starts_with("at "));
    let message: Vec<&str> = message.map(|line| line.strip_prefix("  ").unwrap_or(line)).collect();
    found.fail(name, Detail::at(Some(place), &message.join("\n")));
}

#[cfg(test)]
mod tests {
    use super::super::tests::of_stdout;
    use crate::{Counts, FailedTest};

    const RECORDED: &str = "✔ adds (1.816086ms)
✖ fails # hard (2.023659ms)
  AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:

﹣ skipped (0.176129ms) # SKIP
▶ suite
  ✔ inner ok (0.237251ms)
  ✖ inner bad (0.162978ms)

✖ suite (0.824748ms)
ℹ tests 6
ℹ suites 1
ℹ pass 2
ℹ fail 2
ℹ cancelled 0
ℹ skipped 1
ℹ todo 1
ℹ duration_ms 185.677213

✖ failing tests:

test at a.test.js:3:1
✖ fails # hard (2.023659ms)
  AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:
  
  1 !== 2
  
      at TestContext.<anonymous> (a.test.js:3:35)
      at Test.run (node:internal/test_runner/test:796:25) {
    generatedMessage: true,
    code: 'ERR_ASSERTION',
  }

test at a.test.js:5:1
✖ todo fails (12.58877ms) # TODO
  AssertionError [ERR_ASSERTION]: The expression evaluated to a falsy value:

test at a.test.js:6:49
✖ inner bad (0.162978ms)
  Error: boom
  second line
      at TestContext.<anonymous> (a.test.js:6:77)
";

    #[test]
    fn the_list_of_failing_tests_is_read() {
        let report = of_stdout(RECORDED);
        assert_eq!(report.counts, Some(Counts { passed: 2, failed: 2, ignored: 2 }));
        let equal = "AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:\n\n1 !== 2";
        let expected = [("fails # hard", 3, equal), ("inner bad", 6, "Error: boom\nsecond line")];
        let expected = expected.map(|(name, line, error)| FailedTest {
            name: name.into(),
            file: Some("a.test.js".into()),
            line: Some(line),
            error: error.into(),
        });
        assert_eq!(report.failed, expected);
    }
}
