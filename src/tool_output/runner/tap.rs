//! TAP, also as `node --test` and tape write it: results, plans, details in YAML, and the counts in comments.
//! A plan that was not kept counts what is missing as failed.

use super::found::{Detail, Found, SEPARATOR};

use crate::place::place;
use crate::{Counts, TestOutcome, TestResult};

/// One document; several may follow each other.
#[derive(Default)]
struct Document<'t> {
    /// The file that `prove -v` names above it.
    file: Option<&'t str>,
    begun: bool,
    planned: Option<u64>,
    seen: Counts,
    /// What the comments at the end say, where they say it.
    said: Option<Counts>,
    found: Found,
    /// Results whose groups may still follow, each with its depth.
    points: Vec<(usize, TestResult)>,
    /// How many points stand for points below them.
    groups: u64,
}

impl Document<'_> {
    /// Takes a point; what came before it and is indented deeper stands below it.
    fn point(&mut self, point: &TestPoint, name: &str) {
        let mut is_group = false;
        for (depth, result) in self.points.iter_mut().rev().take_while(|(depth, _)| *depth > point.depth) {
            result.id = format!("{name}{SEPARATOR}{}", result.id);
            *depth = point.depth;
            is_group = true;
        }
        let outcome = match (point.ignored, point.passed) {
            (true, _) => TestOutcome::Skipped,
            (false, true) => TestOutcome::Passed,
            (false, false) => TestOutcome::Failed,
        };
        if is_group {
            self.groups += 1;
        } else {
            self.points.push((point.depth, TestResult::new(name, outcome)));
        }
    }
}

pub(super) fn read(lines: &mut [&str]) -> Option<Found> {
    let mut all: Option<Found> = None;
    let mut document = Document::default();
    let mut at = 0;
    while at < lines.len() {
        let line = lines[at];
        at += 1;
        if line.starts_with("TAP version ") {
            let next = Document { begun: true, file: document.file, ..Document::default() };
            close(std::mem::replace(&mut document, next), &mut all);
        } else if let Some(file) = heading(line) {
            let next = Document { file: Some(file), ..Document::default() };
            close(std::mem::replace(&mut document, next), &mut all);
        } else if let Some(planned) = plan(line) {
            document.planned = Some(planned);
        } else if let Some(result) = result(line) {
            let details = details_end(lines, at);
            see(&result, &lines[at..details], &mut document);
            at = details;
        } else if let Some(counts) = line.strip_prefix("# ").and_then(trailer) {
            document.said = Some(document.said.unwrap_or_default().plus(counts));
        } else if let Some(reason) = line.strip_prefix("Bail out!") {
            document.seen.failed += 1;
            document.found.fail("Bail out!", Detail::error(reason.trim()));
        }
    }
    close(document, &mut all);
    all
}

fn close(document: Document<'_>, all: &mut Option<Found>) {
    let Document { file, begun, planned, mut seen, said, mut found, points, groups } = document;
    let ran = seen.collected().saturating_add(seen.ignored);
    let is_one = begun || planned == Some(0) || (planned.is_some() && ran > 0);
    if !is_one {
        return;
    }
    if let Some(said) = said.filter(|said| *said != Counts::default() || ran == 0) {
        (0..groups).for_each(|_| found.group());
        seen = said;
    } else {
        seen.failed = seen.failed.saturating_add(planned.unwrap_or(ran).saturating_sub(ran));
    }
    if planned.is_some() || ran > 0 || said.is_some() {
        found.count(seen);
    }
    for (_, result) in points {
        let id = file.map_or_else(|| result.id.clone(), |file| format!("{file}{SEPARATOR}{}", result.id));
        found.result(TestResult { id, ..result });
    }
    all.get_or_insert_default().join(found);
}

/// Reads `t/pages.t .. `, which `prove -v` prints above a document.
fn heading(line: &str) -> Option<&str> {
    let (file, dots) = line.trim_end().split_once(' ')?;
    (dots.len() > 1 && dots.bytes().all(|byte| byte == b'.')).then_some(file)
}

/// Reads `1..5`.
fn plan(line: &str) -> Option<u64> {
    let rest = line.strip_prefix("1..")?;
    rest.split_once('#').map_or(rest, |(number, _)| number).trim().parse().ok()
}

/// One line `ok 1 - name # SKIP reason`.
struct TestPoint<'a> {
    depth: usize,
    passed: bool,
    ignored: bool,
    name: &'a str,
}

fn result(line: &str) -> Option<TestPoint<'_>> {
    let text = line.trim_start_matches(' ');
    let depth = line.len() - text.len();
    let (passed, rest) = match text.strip_prefix("not ok") {
        Some(rest) => (false, rest),
        None => (true, text.strip_prefix("ok")?),
    };
    let rest = rest.strip_prefix(' ')?;
    let named = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    if named.len() == rest.len() && !rest.starts_with("- ") {
        return None;
    }
    let named = named.trim_start().trim_start_matches("- ");
    let alone = named.strip_prefix("# ").map(|directive| ("", directive));
    let (name, directive) = alone.or_else(|| named.rsplit_once(" # ")).unwrap_or((named, ""));
    let directive = directive.get(..4).unwrap_or_default().to_ascii_uppercase();
    let ignored = directive == "SKIP" || directive == "TODO";
    let name = if ignored { name } else { named };
    (depth.is_multiple_of(4)).then_some(TestPoint { depth, passed, ignored, name })
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// The details stand between `---` and `...`, indented; others write comments.
fn details_end(lines: &[&str], from: usize) -> usize {
    if lines.get(from).is_some_and(|line| line.trim() == "---") {
        let depth = indentation(lines[from]);
        let ends = |line: &str| line.trim() == "..." && indentation(line) == depth;
        let left = |line: &str| !line.trim().is_empty() && indentation(line) < depth;
        let end = (from + 1..lines.len()).find(|index| ends(lines[*index]) || left(lines[*index]));
        return end.map_or(lines.len(), |index| index + usize::from(ends(lines[index])));
    }
    let comment = |line: &str| {
        let text = line.trim_start().strip_prefix("# ");
        text.is_some_and(|text| trailer(text).is_none() && !text.starts_with("Subtest"))
    };
    (from..lines.len()).find(|index| !comment(lines[*index])).unwrap_or(lines.len())
}

fn see(point: &TestPoint, details: &[&str], document: &mut Document<'_>) {
    let fails = !point.passed && !point.ignored;
    if point.depth == 0 {
        let one = |counts: bool| u64::from(counts);
        let (passed, ignored) = (one(point.passed && !point.ignored), one(point.ignored));
        document.seen = document.seen.plus(Counts { passed, failed: one(fails), ignored });
    }
    let name = point.name.replace("\\#", "#");
    document.point(point, &name);
    let parent = value(details, "failureType").is_some_and(|why| why == "subtestsFailed");
    if fails && !parent {
        document.found.fail(&name, detail(details));
    }
}

fn detail(details: &[&str]) -> Detail {
    let location = value(details, "location").or_else(|| value(details, "at"));
    let at = location.and_then(|at| place(at.rsplit_once('(').map_or(at.as_str(), |(_, at)| at)));
    let error = value(details, "error").or_else(|| value(details, "message"));
    let yaml = details.first().is_some_and(|line| line.trim() == "---");
    let comments =
        || details.iter().map(|line| line.trim_start().trim_start_matches('#').trim()).collect::<Vec<_>>();
    let error = error.unwrap_or_else(|| if yaml { String::new() } else { comments().join("\n") });
    Detail::at(at, &error)
}

/// Returns a value of the details: in one line, in quotes, or a block below.
fn value(details: &[&str], key: &str) -> Option<String> {
    let has = |line: &&str| line.trim_start().strip_prefix(key).is_some_and(|rest| rest.starts_with(':'));
    let at = details.iter().position(has)?;
    let depth = indentation(details[at]);
    let told = details[at].trim_start()[key.len() + 1..].trim();
    if !told.starts_with(['|', '>']) {
        return Some(told.trim_matches(['\'', '"']).to_owned());
    }
    let inside = |line: &&&str| line.trim().is_empty() || indentation(line) > depth;
    let block = details[at + 1..].iter().take_while(inside);
    Some(block.map(|line| line.get(depth + 2..).unwrap_or("")).collect::<Vec<_>>().join("\n"))
}

/// Reads one of `# tests 6`, `# pass 2`, `# fail 2`; the total says nothing that the others do not say.
fn trailer(text: &str) -> Option<Counts> {
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

#[cfg(test)]
mod tests {
    use super::super::tests::of_stdout;
    use crate::{Counts, FailedTest};

    const RECORDED: &str = r"TAP version 13
# Subtest: adds
ok 1 - adds
  ---
  duration_ms: 1.871946
  ...
# Subtest: fails \# hard
not ok 2 - fails \# hard
  ---
  duration_ms: 2.030374
  location: '/x/a.test.js:3:1'
  failureType: 'testCodeFailure'
  error: |-
    Expected values to be strictly equal:
    
    1 !== 2
    
  code: 'ERR_ASSERTION'
  ...
# Subtest: skipped
ok 3 - skipped # SKIP
# Subtest: todo fails
not ok 4 - todo fails # TODO
# Subtest: suite
    # Subtest: inner ok
    ok 1 - inner ok
      ---
      duration_ms: 0.264873
      ...
    # Subtest: inner bad
    not ok 2 - inner bad
      ---
      location: '/x/a.test.js:6:49'
      error: 'boom'
      ...
    1..2
not ok 5 - suite
  ---
  location: '/x/a.test.js:6:1'
  failureType: 'subtestsFailed'
  error: '1 subtest failed'
  ...
1..5
# tests 6
# suites 1
# pass 2
# fail 2
# cancelled 0
# skipped 1
# todo 1
# duration_ms 191.673479
";

    fn failed(name: &str, line: u32, error: &str) -> FailedTest {
        FailedTest {
            name: name.into(),
            file: Some("/x/a.test.js".into()),
            line: Some(line),
            error: error.into(),
        }
    }

    #[test]
    fn details_subtests_and_directives_of_node_are_read() {
        let report = of_stdout(RECORDED);
        assert_eq!(report.counts, Some(Counts { passed: 2, failed: 2, ignored: 2 }));
        let equal = "Expected values to be strictly equal:\n\n1 !== 2";
        assert_eq!(report.failed, [failed("fails # hard", 3, equal), failed("inner bad", 6, "boom")]);
    }

    #[test]
    fn plain_documents_are_counted_and_a_broken_plan_is_a_failure() {
        let text =
            "1..5\nok 1 - a\nnot ok 2 - b\n#   Failed test 'b'\n#   at t/a.t line 5.\nok 3 # skip no disk\n";
        let report = of_stdout(text);
        assert_eq!(report.counts, Some(Counts { passed: 1, failed: 3, ignored: 1 }));
        assert_eq!(report.failed[0].error, "Failed test 'b'\nat t/a.t line 5.");
        let bailed = of_stdout("TAP version 14\nok 1 - a\nBail out! no database\n");
        assert_eq!(bailed.counts, Some(Counts { passed: 1, failed: 1, ignored: 0 }));
        assert_eq!(bailed.failed[0].error, "no database");
    }

    #[test]
    fn lines_that_only_look_alike_are_no_document() {
        for text in ["ok 1 - a\nnot ok 2 - b\n", "1..5\n", "ok  \tx\t0.1s\n1..3\n"] {
            assert_eq!(of_stdout(text).counts.map_or(0, |counts| counts.failed), 0, "{text}");
        }
    }
}
