//! The goal drift guard: five criteria about the words of an answer (`data/goal_drift.toml`), as five checks and as one template,
//! whose result holds all five in their order and the instructions for the next attempt. Only the author's own words count, as
//! whole words: code, quotations, and what the issue says itself are left out. With `template_strict` every occurrence counts.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::{Captures, Match};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::template::Template;
use super::{CheckResult, Site, if_failed, judged, of_answer, own_lines, pattern};
use model::data_file;
use model::policy::{criterion, quality_criterion};

pub(super) static TEMPLATE: Template =
    Template { id: "goal_drift_guard", name: "Goal Drift Guard", evaluate: |site| Ok(evaluate(site)) };

/// So much around a phrase is shown on both sides, in characters.
const AROUND: usize = 20;
/// More evidence than this is counted in the instructions.
const MOST: usize = 3;
const NO_ANSWER: &str = "there is no answer to judge";

/// One criterion: how a failure is told and repaired, and which phrases are offences.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct Criterion {
    check: String,
    name: String,
    violation: String,
    description: String,
    fix: String,
    phrases: Vec<String>,
    lacks: Vec<Lack>,
}

/// What an answer lacks that has lines of all these forms and none of those.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct Lack {
    with: Vec<String>,
    without: Vec<String>,
    passes_when_strict: bool,
    what: String,
}

#[derive(Deserialize)]
struct Table {
    criterion: Vec<Criterion>,
    form: BTreeMap<String, String>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| data_file::read(include_str!("data/goal_drift.toml")));

/// One offence against a criterion.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
struct Violation {
    phrase: String,
    pattern: String,
    context: String,
    /// From 1; 0 for the whole answer.
    line: usize,
    criteria_id: &'static str,
}

/// Returns what one criterion says, as a check.
pub(super) fn examine(check: &str, site: &Site<'_>) -> CheckResult {
    let mut criteria = TABLE.criterion.iter();
    let criterion =
        criteria.find(|criterion| criterion.check == check).expect("the table has every criterion");
    let found = criterion.violations(site);
    let places = found.iter().map(|violation| of_answer(violation.evidence())).collect();
    let pattern = criterion.violation.replace('_', "-");
    let result = judged(check, &pattern, places, &criterion.description, &criterion.name);
    let result = if_failed(result, [("violations", json!(found)), ("fix", json!(criterion.fix))]);
    without_an_answer(result, site)
}

/// Returns all five in one result.
fn evaluate(site: &Site<'_>) -> CheckResult {
    let all: Vec<(&Criterion, Vec<Violation>)> =
        TABLE.criterion.iter().map(|criterion| (criterion, criterion.violations(site))).collect();
    let results: Vec<Value> = all.iter().map(|(criterion, found)| criterion.result(found)).collect();
    let reasons: Vec<&Value> = results.iter().filter(|result| result["passed"] == false).collect();
    let ids: Vec<&Value> = reasons.iter().map(|reason| &reason["criteria_id"]).collect();
    let failed = || all.iter().filter(|(_, found)| !found.is_empty());
    let names: Vec<String> =
        failed().map(|(criterion, _)| format!("{} as {}", criterion.id(), criterion.quality())).collect();
    let violations: Vec<&Violation> = all.iter().flat_map(|(_, found)| found).collect();
    let evidence = |violation: &&Violation| format!("{}: {}", violation.criteria_id, violation.evidence());
    let places = violations.iter().map(|violation| of_answer(evidence(violation))).collect();
    let problem = format!("{} of 5 criteria failed ({})", ids.len(), names.join(", "));
    let mut instructions: String = failed().map(|(criterion, found)| criterion.instruction(found)).collect();
    if !instructions.is_empty() {
        // What the next attempt has to know, with the form of the answer.
        let form = include_str!("data/goal_drift_form.md");
        instructions = format!("## Template-Specific Issues ({})\n{instructions}{form}", TEMPLATE.name);
    }
    let params = [
        ("passed", json!(ids.is_empty())),
        ("criteriaResults", json!(results)),
        ("failed_criteria", json!(ids)),
        ("structured_reasons", json!(reasons)),
        ("violations", json!(violations)),
        ("instructions", json!(instructions)),
    ];
    let mut whole = judged(TEMPLATE.id, "goal-drift", places, &problem, "all five criteria passed");
    whole.params.extend(params.map(|(name, value)| (name.to_owned(), value)));
    without_an_answer(whole, site)
}

fn without_an_answer(mut result: CheckResult, site: &Site<'_>) -> CheckResult {
    if site.answer.is_none() {
        result.params.insert("error".to_owned(), NO_ANSWER.into());
    }
    result
}

impl Criterion {
    fn id(&self) -> &'static str {
        criterion(&self.check).expect("every criterion has an id")
    }

    /// Returns the criterion of the quality gate as which it is reported.
    fn quality(&self) -> &'static str {
        quality_criterion(self.id()).expect("every criterion is reported as one of the quality gate")
    }

    fn violations(&self, site: &Site<'_>) -> Vec<Violation> {
        let Some(answer) = site.answer else { return vec![self.of_whole(NO_ANSWER)] };
        let is_strict = site.settings.counts_every_phrase();
        let lines = if is_strict { (1..).zip(answer.lines()).collect() } else { own_lines(answer) };
        let lack = self.lack(&lines, is_strict).map(|what| self.of_whole(what));
        lack.into_iter().chain(self.phrases_in(&lines, &site.issue.body, is_strict)).collect()
    }

    fn lack(&self, lines: &[(usize, &str)], is_strict: bool) -> Option<&str> {
        let says = |form: &String| {
            let form = pattern(&TABLE.form[form]);
            lines.iter().any(|(_, line)| form.is_match(line))
        };
        let applies = |lack: &&Lack| {
            let passes = is_strict && lack.passes_when_strict;
            !passes && lack.with.iter().all(says) && !lack.without.iter().any(says)
        };
        self.lacks.iter().find(applies).map(|lack| lack.what.as_str())
    }

    fn phrases_in(&self, lines: &[(usize, &str)], issue: &str, is_strict: bool) -> Vec<Violation> {
        let phrases: Vec<String> = self.phrases.iter().map(|phrase| regex::escape(phrase)).collect();
        if phrases.is_empty() {
            return Vec::new();
        }
        let phrases = pattern(&format!("(?i){}", phrases.join("|")));
        let issue = words(issue).join(" ");
        let in_line = |(number, line): &(usize, &str)| {
            let line = if is_strict { Cow::Borrowed(*line) } else { without_inline_code(line) };
            let counts = |found: &Match<'_>| {
                is_strict || stands_alone(&line, found) && !is_from_the_issue(&line, found, &issue)
            };
            let found = phrases.find_iter(&line).filter(counts);
            found.map(|found| self.of_phrase(*number, &line, &found)).collect::<Vec<_>>()
        };
        lines.iter().flat_map(in_line).collect()
    }

    fn of_phrase(&self, line: usize, text: &str, found: &Match<'_>) -> Violation {
        let before = text[..found.start()].char_indices().rev().take(AROUND).last();
        let after = text[found.end()..].chars().take(AROUND).map(char::len_utf8).sum::<usize>();
        let context = &text[before.map_or(found.start(), |(at, _)| at)..found.end() + after];
        Violation {
            pattern: found.as_str().to_lowercase(),
            context: context.trim().to_owned(),
            line,
            ..self.of_whole(&found.as_str().to_lowercase())
        }
    }

    /// Makes an offence of the whole answer.
    fn of_whole(&self, what: &str) -> Violation {
        Violation { phrase: what.to_owned(), criteria_id: self.id(), ..Violation::default() }
    }

    /// Returns what the events say of the criterion: its result, and the reason where it failed.
    fn result(&self, found: &[Violation]) -> Value {
        json!({
            "criteria_id": self.id(),
            "quality_criterion": self.quality(),
            "name": self.name,
            "passed": found.is_empty(),
            "violations": found,
            "violation_type": self.violation,
            "description": self.description,
            "evidence": found.iter().map(Violation::evidence).collect::<Vec<_>>(),
        })
    }

    /// Returns the reason with some evidence and a way to repair it.
    fn instruction(&self, found: &[Violation]) -> String {
        let evidence = found.iter().take(MOST).map(|violation| format!("- {}\n", violation.evidence()));
        let more = match found.len().saturating_sub(MOST) {
            0 => String::new(),
            more => format!("- ... and {more} more\n"),
        };
        let evidence: String = evidence.chain([more]).collect();
        let Self { violation, description, fix, .. } = self;
        format!("\n### {} ({violation}): {description}\n{evidence}Fix: {fix}\n", self.id())
    }
}

impl Violation {
    /// Returns it as people read it.
    fn evidence(&self) -> String {
        match self.line {
            0 => self.phrase.clone(),
            line => format!("line {line}: \"{}\" in \"{}\"", self.phrase, self.context),
        }
    }
}

/// Blanks what stands between backticks.
fn without_inline_code(line: &str) -> Cow<'_, str> {
    pattern!(CODE, "`[^`]*`");
    CODE.replace_all(line, |code: &Captures<'_>| " ".repeat(code[0].len()))
}

/// Tells whether a phrase is no part of longer words.
fn stands_alone(line: &str, found: &Match<'_>) -> bool {
    let joins = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    !line[..found.start()].ends_with(joins) && !line[found.end()..].starts_with(joins)
}

/// Words around the phrase stand in the issue, too: the author repeats what was asked for.
fn is_from_the_issue(line: &str, found: &Match<'_>, issue: &str) -> bool {
    let (before, after) = (words(&line[..found.start()]), words(&line[found.end()..]));
    let before = &before[before.len().saturating_sub(2)..];
    let after = &after[..after.len().min(2)];
    let has_words = !before.is_empty() || !after.is_empty();
    has_words && issue.contains(&[before, &words(found.as_str()), after].concat().join(" "))
}

/// Returns the words of a text in lower case.
fn words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !(c.is_alphanumeric() || c == '\'')).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

#[cfg(test)]
mod tests;
