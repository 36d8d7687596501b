//! Runners whose output is lines about tests and blocks about failures: they stand in `data/runners.toml`, which needs no code of
//! its own for each. What a failing test printed is nobody else's report, so the lines of a runner are blanked.

use std::collections::{BTreeMap, VecDeque};
use std::sync::LazyLock;

use regex::Captures;
use serde::Deserialize;

use super::found::{Found, joined_names};
use crate::pattern::{LazyPattern, Pattern, number, part, regex, table};
use crate::{Counts, FailedTest, TestOutcome, TestResult};

static RUNNERS: LazyLock<BTreeMap<String, Vec<TextRunner>>> =
    LazyLock::new(|| table(include_str!("../data/runners.toml")));

pub(super) fn read(lines: &mut [&str]) -> Option<Found> {
    let found = RUNNERS["runner"].iter().filter_map(|runner| runner.read(lines));
    found.reduce(Found::joined)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TextRunner {
    known: Pattern,
    #[serde(default)]
    tries_again: bool,
    #[serde(default)]
    counts_results: bool,
    rule: Vec<LineRule>,
}

/// One kind of line, with what belongs to it; the data file says what the keys mean.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LineRule {
    reads: LineKind,
    line: Pattern,
    before: Option<bool>,
    #[serde(default)]
    needs_section: bool,
    #[serde(default)]
    needs_test: bool,
    below: Option<Pattern>,
    until: Option<Pattern>,
    #[serde(default)]
    until_listed: bool,
    #[serde(default)]
    says_above: bool,
    #[serde(default)]
    ends_group: bool,
    mark: Option<Pattern>,
    #[serde(default = "whole_block")]
    message: Pattern,
    place: Option<Pattern>,
    #[serde(default)]
    last_place: bool,
}

#[derive(Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum LineKind {
    Begin,
    Counts,
    Plan,
    File,
    Group,
    Package,
    Test,
    Result,
    Failure,
    Names,
    Block,
    Summary,
    Ignored,
}

fn whole_block() -> Pattern {
    Pattern::try_from("(?s)^(?<message>.*)$".to_owned()).expect("the pattern is a constant")
}

impl TextRunner {
    /// Reads the lines of this runner, and blanks them.
    fn read(&self, lines: &mut [&str]) -> Option<Found> {
        let known = lines.iter().position(|line| self.known.is_match(line))?;
        let mut output = Output::default();
        let (mut at, mut last) = (0, 0);
        while at < lines.len() {
            let holding = self.rule.iter().find_map(|rule| {
                let parts = rule.line.captures(lines[at])?;
                if output.permits(rule, &parts, at < known) { Some((rule, parts)) } else { None }
            });
            let Some((rule, parts)) = holding else {
                at += 1;
                continue;
            };
            let end = rule.end(lines, at + 1, &parts);
            let above = if rule.says_above { last..at } else { at..at };
            let said = [&lines[above], &lines[at + 1..end]].concat();
            let start = output.read(rule, parts, at, said);
            if rule.reads != LineKind::Group {
                lines[start..end].fill("");
            }
            (at, last) = (end, end);
        }
        output.found(self)
    }
}

impl LineRule {
    /// Returns where the lines end that belong to the line above `from`.
    fn end(&self, lines: &[&str], from: usize, parts: &Captures) -> usize {
        let is_alone = self.below.is_none() && self.until.is_none();
        let leaves = |line: &str| self.below.as_ref().is_some_and(|below| !below.is_match(line));
        let ends = |line: &str| self.until.as_ref().is_some_and(|until| until.is_match(line));
        let lists = |at: usize| self.until_listed && lists(&lines[at..], &parts["name"]);
        let is_end = |at: &usize| is_alone || leaves(lines[*at]) || ends(lines[*at]) || lists(*at);
        (from..lines.len()).find(is_end).unwrap_or(lines.len())
    }

    /// Returns what lines say: those alone that bear the mark, where there are any, without it.
    fn unmarked(&self, lines: &[&str]) -> String {
        let unmarked = |line: &&str| Some(line[self.mark.as_ref()?.find(line)?.end()..].to_owned());
        let marked: Vec<String> = lines.iter().filter_map(unmarked).collect();
        if marked.is_empty() { lines.join("\n") } else { marked.join("\n") }
    }

    /// Returns a place that lines name, in a file where that is known.
    fn place(&self, lines: &[&str], file: Option<&str>) -> Option<(String, u32)> {
        let pattern = self.place.as_ref()?;
        let said = lines.join("\n");
        let all = pattern.captures_iter(&said);
        let mut own = all.filter(|place| file.is_none_or(|file| place["file"].ends_with(file)));
        let place = if self.last_place { own.last() } else { own.next() }?;
        Some((place["file"].to_owned(), number(&place, "line")?))
    }
}

/// Tells whether a list of failures begins here that names a test.
fn lists(lines: &[&str], name: &str) -> bool {
    let mut names = lines[1..].iter().map_while(|line| line.strip_prefix("    "));
    lines[0] == "failures:" && names.any(|listed| listed.trim() == name)
}

/// Returns how deep a line stands in groups: by what the rule says, else by its indentation.
fn depth(parts: &Captures) -> usize {
    let line = &parts[0];
    part(parts, "depth").map_or(line.len() - line.trim_start_matches(' ').len(), str::len)
}

/// What was read so far of one output.
#[derive(Default)]
struct Output<'r, 't> {
    found: Found,
    results: Vec<OpenResult<'t>>,
    /// How the results ended, since the last section began where there are any.
    seen: Counts,
    /// How many tests were planned.
    planned: u64,
    section: Option<Section<'t>>,
    file: Option<&'t str>,
    /// What the tests of the next section stand in.
    suite: Option<&'t str>,
    /// The groups that are open, each with its depth.
    groups: Vec<(usize, &'t str)>,
    /// The test that was named last.
    test: Option<String>,
    /// The names of the results that failed.
    failed: Vec<String>,
    /// What is said of failing tests that are not wholly named yet, by what they are called there.
    blocks: BTreeMap<&'t str, VecDeque<Block<'r, 't>>>,
    /// The sum of all tests, where the runner prints that.
    total: u64,
}

/// Tests that were announced and are not counted yet.
struct Section<'t> {
    start: usize,
    suite: Option<&'t str>,
    announced: u64,
}

/// A result whose groups may be named below it.
struct OpenResult<'t> {
    depth: usize,
    /// The file or the suite that it stands in.
    above: Option<&'t str>,
    result: TestResult,
}

/// The head of what is said of a failing test, and the rest.
struct Block<'r, 't> {
    rule: &'r LineRule,
    parts: Captures<'t>,
    lines: Vec<&'t str>,
}

impl<'r, 't> Output<'r, 't> {
    /// Tells whether a rule holds here, before or behind the line by which the runner is known.
    fn permits(&self, rule: &LineRule, parts: &Captures, is_before: bool) -> bool {
        let is_sum =
            |section: &Section| rule.reads != LineKind::Counts || section.announced == counts(parts).all();
        rule.before.is_none_or(|before| before == is_before)
            && (!rule.needs_section || self.section.as_ref().is_some_and(is_sum))
            && (!rule.needs_test || self.test.is_some())
    }

    /// Reads a line with what is said of it, and returns where the lines begin that belong to it.
    fn read(&mut self, rule: &'r LineRule, parts: Captures<'t>, at: usize, said: Vec<&'t str>) -> usize {
        let total = number::<u32>(&parts, "total").map_or(0, u64::from);
        match rule.reads {
            LineKind::Begin => {
                self.leave_section();
                self.section = Some(Section { start: at, suite: self.suite.take(), announced: total });
            }
            LineKind::Counts => {
                self.total += total;
                self.found.count(counts(&parts));
                return self.section.take().map_or(at, |section| section.start);
            }
            LineKind::Plan => self.planned += total,
            LineKind::File => (self.file, self.suite) = (part(&parts, "file"), part(&parts, "suite")),
            LineKind::Group => {
                let depth = depth(&parts);
                self.groups.retain(|(other, _)| *other < depth);
                self.groups.extend(part(&parts, "name").map(|name| (depth, name)));
            }
            LineKind::Package => self.package(rule, &parts, &said),
            LineKind::Test => self.test = test_name(&parts),
            LineKind::Result => self.result(rule, &parts, said),
            LineKind::Failure => self.failure(rule, &parts, &said),
            LineKind::Names => said.iter().for_each(|line| self.failure(rule, &parts, &[line])),
            LineKind::Block => {
                let name = part(&parts, "name").unwrap_or_default();
                self.blocks.entry(name).or_default().push_back(Block { rule, parts, lines: said });
            }
            LineKind::Summary => self.summary(rule, &parts),
            LineKind::Ignored => {}
        }
        at
    }

    fn result(&mut self, rule: &LineRule, parts: &Captures<'t>, below: Vec<&'t str>) {
        let depth = depth(parts);
        self.groups.retain(|(other, _)| *other < depth);
        let known = std::mem::replace(&mut self.test, test_name(parts));
        if rule.ends_group && self.end_group(depth) {
            self.found.groups += 1;
            return;
        }
        let Some(outcome) = outcome(parts) else { return };
        let test = self.test.clone().or(known.filter(|_| rule.needs_test));
        let blocks = part(parts, "name").and_then(|name| self.blocks.remove(name)).unwrap_or_default();
        if outcome >= TestOutcome::Failed {
            self.failed.extend(test.clone().or(self.file.map(str::to_owned)));
            if rule.says_above || rule.until.is_some() {
                let said = blocks.into_iter().flat_map(|block| block.lines).chain(below);
                self.failure(rule, parts, &said.collect::<Vec<_>>());
            }
        }
        let groups = self.groups.iter().map(|(_, group)| *group);
        let id = joined_names(groups.chain(test.as_deref()));
        let seconds = number::<f64>(parts, "seconds").map(|seconds| seconds * 1000.0);
        self.see(depth, TestResult::new(id, outcome).after(number(parts, "millis").or(seconds)));
    }

    fn see(&mut self, depth: usize, result: TestResult) {
        self.seen = self.seen.plus(Counts::of(result.outcome));
        let above = self.file.or(self.section.as_ref().and_then(|section| section.suite));
        self.results.push(OpenResult { depth, above, result });
    }

    /// Puts the name that was read last in front of the results that stand deeper; tells whether there are any.
    fn end_group(&mut self, depth: usize) -> bool {
        let group = self.test.as_deref().unwrap_or_default();
        let deeper = self.results.iter_mut().rev().take_while(|open| open.depth > depth);
        let mut is_group = false;
        for open in deeper {
            open.result.id = joined_names([group, &open.result.id]);
            open.depth = depth;
            is_group = true;
        }
        is_group
    }

    /// Names the package of the results above. Where one failed although none of its tests did, it was not built, or broke off.
    fn package(&mut self, rule: &LineRule, parts: &Captures<'t>, said: &[&str]) {
        let mut own = self.results.iter().rev().take_while(|open| open.depth > 0);
        let has_failed = own.any(|open| open.result.outcome == TestOutcome::Failed);
        self.test = test_name(parts);
        if !self.end_group(0) && parts.name("passed").is_some() {
            self.seen.passed += 1;
        }
        if parts.name("failed").is_some() && !has_failed {
            self.see(0, TestResult::new(&parts["name"], TestOutcome::DidNotLoad));
            self.failure(rule, parts, said);
        }
    }

    /// Names a failing test of which a block told before: `test_a.py::T::test_b` is headed `T.test_b` there.
    fn summary(&mut self, rule: &LineRule, parts: &Captures<'t>) {
        let headed = part(parts, "test").unwrap_or(&parts["name"]).replace("::", ".");
        match self.blocks.get_mut(headed.as_str()).and_then(VecDeque::pop_front) {
            Some(block) => self.failure(block.rule, parts, &block.lines),
            None => self.failure(rule, parts, &[]),
        }
    }

    /// Takes what lines say of a failing test, which they or the line above them name; else it is named by its file.
    fn failure(&mut self, rule: &LineRule, parts: &Captures<'t>, lines: &[&str]) {
        let said = rule.unmarked(lines);
        let body = rule.message.captures(&said).filter(|body| body.name("directive").is_none());
        let Some(body) = body else { return };
        let file = part(parts, "file").or(self.file);
        let named = test_name(&body).or_else(|| test_name(parts)).or(file.map(str::to_owned));
        let Some(name) = named else { return };
        let titles = part(&body, "title").unwrap_or_default().lines().map(str::trim);
        let message = ["quoted", "message"].map(|name| part(&body, name).unwrap_or_default()).join("\n");
        let shortly = part(parts, "message").unwrap_or_default();
        let (own_file, own_line) = rule.place(lines, file).unzip();
        self.found.fail(FailedTest {
            name: joined_names([name.as_str()].into_iter().chain(titles)),
            file: file.map(str::to_owned).or(own_file),
            line: number(parts, "line").or(own_line),
            error: if message.trim().is_empty() { shortly.to_owned() } else { message },
        });
    }

    /// Counts the results of a section that broke off, where it has any.
    fn leave_section(&mut self) {
        let seen = std::mem::take(&mut self.seen);
        if self.section.take().is_some_and(|left| left.announced == 0 || seen != Counts::default()) {
            self.found.count(seen);
        }
    }

    /// Ends the output. Planned tests that are missing failed, and of the sum of all tests the rest passed; where no block names a failure the results do.
    fn found(mut self, runner: &TextRunner) -> Option<Found> {
        if runner.counts_results && self.found.counts.unwrap_or_default() == Counts::default() {
            if self.found.counts.is_none() && self.seen == Counts::default() {
                return None;
            }
            let missing = self.planned.saturating_sub(self.seen.all());
            self.found.count(Counts { failed: self.seen.failed.saturating_add(missing), ..self.seen });
        }
        self.leave_section();
        for block in std::mem::take(&mut self.blocks).into_values().flatten() {
            self.failure(block.rule, &block.parts, &block.lines);
        }
        if self.found.failed.is_empty() {
            let named = |name| FailedTest { name, ..FailedTest::default() };
            self.failed.into_iter().for_each(|name| self.found.fail(named(name)));
        }
        for OpenResult { above, result, .. } in self.results {
            let id = joined_names(above.into_iter().chain([result.id.as_str()]));
            self.found.results.push(TestResult { id, ..result });
        }
        if runner.tries_again {
            self.found.keep_latest();
        }
        if let Some(counts) = &mut self.found.counts {
            let rest = self.total.saturating_sub(counts.failed).saturating_sub(counts.ignored);
            counts.passed = counts.passed.max(rest);
        }
        Some(self.found)
    }
}

/// Returns the name of a test, with what it stands in as far as the line says that.
fn test_name(parts: &Captures) -> Option<String> {
    // TAP writes a backslash before a mark that is no comment.
    let name = match (part(parts, "class"), part(parts, "method")) {
        (Some(class), Some(method)) if class.ends_with(&format!(".{method}")) => class.to_owned(),
        (Some(class), Some(method)) => format!("{class}.{method}"),
        _ => part(parts, "id").or(part(parts, "name"))?.trim().replace("\\#", "#"),
    };
    Some(joined_names(part(parts, "suite").into_iter().chain([name.as_str()])))
}

/// Numbers with their words, as in `3 passed; 1 failed`.
static NUMBERS: LazyPattern = LazyPattern::new(|| {
    regex(
        r"(?x)(?<passed>\d+)\x20x?passed\b | (?<failed>\d+)\x20(?:failed|errors?|timed|exec)\b
    | (?<ignored>\d+)\x20(?:skipped|ignored|todo|expected|xfailed)\b",
    )
});

/// Returns the numbers of a line by the names of their groups, or by their words.
fn counts(parts: &Captures) -> Counts {
    if let Some(numbers) = part(parts, "numbers") {
        let all = NUMBERS.captures_iter(numbers).map(|parts| counts(&parts));
        return all.fold(Counts::default(), Counts::plus);
    }
    let sum = |names: &[&str]| {
        names.iter().filter_map(|name| number::<u64>(parts, name)).fold(0, u64::saturating_add)
    };
    Counts {
        passed: sum(&["passed"]),
        failed: sum(&["failed", "errors", "unexpected"]),
        ignored: sum(&["ignored", "expected", "measured"]),
    }
}

fn outcome(parts: &Captures) -> Option<TestOutcome> {
    let outcomes = [
        ("directive", TestOutcome::Skipped),
        ("skipped", TestOutcome::Skipped),
        ("passed", TestOutcome::Passed),
        ("failed", TestOutcome::Failed),
        ("timed_out", TestOutcome::TimedOut),
        ("not_loaded", TestOutcome::DidNotLoad),
    ];
    outcomes.into_iter().find(|(name, _)| parts.name(name).is_some()).map(|(_, outcome)| outcome)
}

#[cfg(test)]
mod tests;
