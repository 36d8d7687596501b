//! TAP, also as `node --test` and tape write it: results, plans, details in YAML, and the counts in comments.
//! A plan that was not kept counts what is missing as failed.

use regex::Captures;

use super::found::{Found, SEPARATOR};
use super::text::counts;
use crate::pattern::{LazyPattern, number, part};
use crate::place::place;
use crate::{Counts, FailedTest, TestOutcome, TestResult};

/// `t/pages.t .. `, which `prove -v` prints above a document.
static HEADING: LazyPattern = LazyPattern::new(r"^(?<file>[^ ]*) \.{2,}\s*$");
static PLAN: LazyPattern = LazyPattern::new(r"^1\.\.(?<planned>\d+)\s*(?:#.*)?$");
/// `ok 1 - name # SKIP reason`
static POINT: LazyPattern = LazyPattern::new(
    r"(?x)^(?<depth>(?:\x20{4})*)(?<failed>not\x20)?ok\x20(?:\d+|-\x20)\x20*(?:-\x20)?
    (?:\#\x20(?i:skip|todo).*|(?<name>.*?)(?<directive>\x20\#\x20(?i:skip|todo).*)?)$",
);
/// `# pass 2` and the others at the end; the total says nothing that the others do not say.
static COUNT: LazyPattern = LazyPattern::new(
    r"^# (?:(?:tests|suites) \d+|pass (?<passed>\d+)|(?:fail|cancelled) (?<failed>\d+)|(?:skipped|todo) (?<ignored>\d+))\s*$",
);

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

pub(super) fn read(lines: &mut [&str]) -> Option<Found> {
    let mut all = Vec::new();
    let mut document = Document::default();
    let mut at = 0;
    while at < lines.len() {
        let line = lines[at];
        at += 1;
        if line.starts_with("TAP version ") {
            let next = Document { begun: true, file: document.file, ..Document::default() };
            std::mem::replace(&mut document, next).end(&mut all);
        } else if let Some(parts) = HEADING.captures(line) {
            let next = Document { file: part(&parts, "file"), ..Document::default() };
            std::mem::replace(&mut document, next).end(&mut all);
        } else if let Some(parts) = PLAN.captures(line) {
            document.planned = number(&parts, "planned");
        } else if let Some(parts) = POINT.captures(line) {
            let details = &lines[at..details_end(lines, at)];
            document.point(&parts, details);
            at += details.len();
        } else if let Some(parts) = COUNT.captures(line) {
            document.said = Some(document.said.unwrap_or_default().plus(counts(&parts)));
        } else if let Some(reason) = line.strip_prefix("Bail out!") {
            document.seen.failed += 1;
            document.found.fail(FailedTest::at(None, "Bail out!", reason));
        }
    }
    document.end(&mut all);
    all.into_iter().reduce(Found::joined)
}

impl Document<'_> {
    /// Takes a point; what came before it and is indented deeper stands below it.
    fn point(&mut self, parts: &Captures, details: &[&str]) {
        let depth = parts["depth"].len();
        let name = part(parts, "name").unwrap_or_default().replace("\\#", "#");
        let is_directed = parts.name("name").is_none() || parts.name("directive").is_some();
        let outcome = match (is_directed, parts.name("failed")) {
            (true, _) => TestOutcome::Skipped,
            (false, None) => TestOutcome::Passed,
            (false, Some(_)) => TestOutcome::Failed,
        };
        if depth == 0 {
            self.seen = self.seen.plus(Counts::of(outcome));
        }
        let is_parent = || value(details, "failureType").is_some_and(|why| why == "subtestsFailed");
        if outcome == TestOutcome::Failed && !is_parent() {
            self.found.fail(failed(&name, details));
        }
        let mut is_group = false;
        for (other, result) in self.points.iter_mut().rev().take_while(|(other, _)| *other > depth) {
            result.id = id(Some(&name), &result.id);
            *other = depth;
            is_group = true;
        }
        if is_group {
            self.groups += 1;
        } else {
            self.points.push((depth, TestResult::new(name, outcome)));
        }
    }

    fn end(mut self, all: &mut Vec<Found>) {
        let mut counts = self.seen;
        let ran = counts.collected().saturating_add(counts.ignored);
        if !self.begun && self.planned.is_none_or(|planned| planned > 0 && ran == 0) {
            return;
        }
        if let Some(said) = self.said.filter(|said| *said != Counts::default() || ran == 0) {
            (0..self.groups).for_each(|_| self.found.group());
            counts = said;
        } else {
            let missing = self.planned.unwrap_or(ran).saturating_sub(ran);
            counts.failed = counts.failed.saturating_add(missing);
        }
        if self.planned.is_some() || ran > 0 || self.said.is_some() {
            self.found.count(counts);
        }
        for (_, result) in self.points {
            self.found.result(TestResult { id: id(self.file, &result.id), ..result });
        }
        all.push(self.found);
    }
}

/// Puts a file or a group in front of a test; one without a name has theirs.
fn id(front: Option<&str>, name: &str) -> String {
    let parts = [front.unwrap_or_default(), name].into_iter().filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join(SEPARATOR)
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
        text.is_some_and(|text| !COUNT.is_match(line.trim_start()) && !text.starts_with("Subtest"))
    };
    (from..lines.len()).find(|index| !comment(lines[*index])).unwrap_or(lines.len())
}

fn failed(name: &str, details: &[&str]) -> FailedTest {
    let location = value(details, "location").or_else(|| value(details, "at"));
    let at = location.and_then(|at| place(at.rsplit_once('(').map_or(at.as_str(), |(_, at)| at)));
    let error = value(details, "error").or_else(|| value(details, "message"));
    let yaml = details.first().is_some_and(|line| line.trim() == "---");
    let comments =
        || details.iter().map(|line| line.trim_start().trim_start_matches('#').trim()).collect::<Vec<_>>();
    let error = error.unwrap_or_else(|| if yaml { String::new() } else { comments().join("\n") });
    FailedTest::at(at, name, &error)
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
