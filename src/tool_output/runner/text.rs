//! Runners that print a line for each test, a block for each failure and a line of numbers. What these look like stands in
//! `data/runners.toml`. A form that says more than its lines do has a module of its own.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Captures;
use serde::Deserialize;

use super::found::{Detail, Found, SEPARATOR};
use super::tally;
use crate::pattern::{Pattern, number, part};
use crate::{Counts, TestOutcome, TestResult};

static RUNNERS: LazyLock<BTreeMap<String, Vec<TextRunner>>> =
    LazyLock::new(|| toml::from_str(include_str!("../data/runners.toml")).expect("the table is a constant"));

pub(super) fn read(lines: &mut [&str]) -> Option<Found> {
    let found = RUNNERS["runner"].iter().filter_map(|runner| runner.read(lines));
    found.reduce(Found::joined)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TextRunner {
    known: Pattern,
    rule: Vec<LineRule>,
}

/// One kind of line, with what belongs to it; the data file says what the keys mean.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LineRule {
    reads: LineKind,
    line: Pattern,
    part: Option<OutputPart>,
    needs: Option<Requirement>,
    below: Option<Pattern>,
    until: Option<Pattern>,
    #[serde(default)]
    says_above: bool,
    #[serde(default)]
    indent: usize,
    #[serde(default = "whole_block")]
    message: Pattern,
    place: Option<Pattern>,
}

#[derive(Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum LineKind {
    Counts,
    Result,
    Failure,
    File,
    Group,
    Ignored,
}

/// Before the first line by which a runner is known, or from there on.
#[derive(Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum OutputPart {
    Before,
    After,
}

/// What has to stand above a line.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Requirement {
    File,
    Failure,
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
            let part = if at < known { OutputPart::Before } else { OutputPart::After };
            let Some((rule, parts)) = self.rule(lines[at], &part, &output) else {
                at += 1;
                continue;
            };
            let end = rule.end(lines, at + 1);
            output.read(rule, &parts, &lines[last..at], &lines[at + 1..end]);
            if rule.reads != LineKind::Group {
                lines[at..end].fill("");
            }
            (at, last) = (end, end);
        }
        Some(output.found())
    }

    fn rule<'t>(
        &self,
        line: &'t str,
        part: &OutputPart,
        output: &Output,
    ) -> Option<(&LineRule, Captures<'t>)> {
        let is_in_part = |rule: &&LineRule| rule.part.as_ref().is_none_or(|own| own == part);
        self.rule.iter().filter(is_in_part).find_map(|rule| {
            let parts = rule.line.captures(line)?;
            output.has(rule.needs.as_ref(), &parts).then_some((rule, parts))
        })
    }
}

impl LineRule {
    /// Returns where the lines end that belong to the line above `from`.
    fn end(&self, lines: &[&str], from: usize) -> usize {
        let ends = |line: &str| match (&self.below, &self.until) {
            (Some(below), _) => !below.is_match(line),
            (None, Some(until)) => until.is_match(line),
            (None, None) => true,
        };
        (from..lines.len()).find(|index| ends(lines[*index])).unwrap_or(lines.len())
    }

    fn without_indent<'t>(&self, line: &'t str) -> &'t str {
        let indent = indent(line).min(self.indent);
        &line[indent..]
    }
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// What was read so far of one output.
#[derive(Default)]
struct Output<'t> {
    found: Found,
    file: Option<&'t str>,
    /// The groups that are open, each with its indentation.
    groups: Vec<(usize, &'t str)>,
    /// The names of the results that failed.
    failed: Vec<&'t str>,
}

impl<'t> Output<'t> {
    fn has(&self, need: Option<&Requirement>, parts: &Captures) -> bool {
        match need {
            None => true,
            Some(Requirement::File) => self.file.is_some(),
            Some(Requirement::Failure) => self.found.has_failed(&parts["name"]),
        }
    }

    fn read(&mut self, rule: &LineRule, parts: &Captures<'t>, above: &[&str], below: &[&str]) {
        match rule.reads {
            LineKind::Counts => self.found.count(counts(parts)),
            LineKind::File => self.file = part(parts, "file"),
            LineKind::Group => {
                let depth = indent(&parts[0]);
                self.groups.retain(|(other, _)| *other < depth);
                self.groups.extend(part(parts, "name").map(|name| (depth, name)));
            }
            LineKind::Result => self.result(rule, parts, if rule.says_above { above } else { below }),
            LineKind::Failure => self.failure(rule, parts, below),
            LineKind::Ignored => {}
        }
    }

    fn result(&mut self, rule: &LineRule, parts: &Captures<'t>, said: &[&str]) {
        let name = part(parts, "name");
        let depth = indent(&parts[0]);
        self.groups.retain(|(other, group)| *other < depth || (*other == depth && Some(*group) == name));
        if self.groups.pop_if(|(other, _)| *other == depth).is_some() {
            return self.found.group();
        }
        let Some(outcome) = outcome(parts) else { return };
        if Counts::of(outcome).failed > 0 {
            self.failed.extend(name.or(self.file));
            if rule.says_above || rule.until.is_some() {
                self.failure(rule, parts, said);
            }
        }
        let groups = self.groups.iter().map(|(_, group)| *group);
        let id = self.file.into_iter().chain(groups).chain(name).collect::<Vec<_>>().join(SEPARATOR);
        let seconds = number::<f64>(parts, "seconds").map(|seconds| seconds * 1000.0);
        self.found.result(TestResult::new(id, outcome).after(number(parts, "millis").or(seconds)));
    }

    fn failure(&mut self, rule: &LineRule, parts: &Captures<'t>, said: &[&str]) {
        let said = said.iter().map(|line| rule.without_indent(line)).collect::<Vec<_>>().join("\n");
        let Some(body) = rule.message.captures(&said) else { return };
        if body.name("directive").is_some() {
            return;
        }
        let message = part(&body, "message").unwrap_or_default().trim();
        let file = part(parts, "file").or(self.file);
        let name = part(&body, "name").or(part(parts, "name")).or(file);
        let title = part(&body, "title").unwrap_or_default().lines().map(str::trim);
        let names: Vec<&str> = name.into_iter().chain(title).filter(|name| !name.is_empty()).collect();
        let name = match (part(parts, "class"), part(parts, "method")) {
            (Some(class), Some(method)) => format!("{class}.{method}"),
            _ => names.join(" "),
        };
        let place = rule.place.as_ref().and_then(|place| {
            let mut places = place.captures_iter(&said);
            places.find(|place| file.is_none_or(|file| place["file"].ends_with(file)))
        });
        let line = number(parts, "line").or_else(|| number(place.as_ref()?, "line"));
        let file = file.or_else(|| part(place.as_ref()?, "file")).map(str::to_owned);
        self.found.explain(names.join(SEPARATOR), message);
        self.found.fail(&name, Detail { file, line, error: message.to_owned() });
    }

    /// A runner that prints no numbers has its results counted; where no block names a failure the results do.
    fn found(mut self) -> Found {
        self.found.count_results();
        if self.found.failed.is_empty() {
            for name in self.failed {
                self.found.fail(name, Detail::default());
            }
        }
        self.found
    }
}

/// Returns the numbers of a line by the names of their groups.
pub(super) fn counts(parts: &Captures) -> Counts {
    if let Some(numbers) = part(parts, "numbers") {
        return tally::counts(numbers);
    }
    let number = |name| number::<u64>(parts, name).unwrap_or(0);
    let (failed, ignored) = (number("failed").saturating_add(number("errors")), number("ignored"));
    let others = number("total").saturating_sub(failed).saturating_sub(ignored);
    Counts { passed: number("passed").max(others), failed, ignored }
}

fn outcome(parts: &Captures) -> Option<TestOutcome> {
    let outcomes = [
        ("directive", TestOutcome::Skipped),
        ("passed", TestOutcome::Passed),
        ("failed", TestOutcome::Failed),
        ("timed_out", TestOutcome::TimedOut),
        ("not_loaded", TestOutcome::DidNotLoad),
        ("skipped", TestOutcome::Skipped),
    ];
    outcomes.into_iter().find(|(name, _)| parts.name(name).is_some()).map(|(_, outcome)| outcome)
}

#[cfg(test)]
mod tests;
