//! Reads the evaluation's decision about the whole run: objects and `DECISION:` lines, of which the strictest counts.
//! Finds nothing where nothing is decided; there is no default.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::{Match, Regex};
use serde_json::{Map, Value};

use super::folded::{folded, is_picture};
use super::objects::{self, Broken};
use super::quoted::Quoted;
use super::strict::{self, Budget};
use super::word::{Said, Words};
use super::{findings, head, tail};
use crate::event::{Evaluation, RemainingTask, RunDecision};
use crate::verdict::Judgment;

const MOST_TASKS: usize = 200;
const MOST_LINES: usize = 20_000;

/// Reads the decision of an evaluation and the tasks it leaves. An answer with a decision that cannot be read decides
/// nothing: that one may be the strictest.
pub fn read_evaluation(text: &str) -> Option<Evaluation> {
    let quoted = Quoted::new(text);
    let objects = objects(text, &quoted)?;
    let by_objects = objects.iter().filter_map(object_decision);
    let by_lines = decision_lines(text, &quoted)?.into_iter().filter_map(line_decision);
    let decision = by_objects.chain(by_lines).reduce(|best, next| if next > best { next } else { best })?;
    let remaining_tasks = objects.iter().filter(|fields| object_decision(fields).is_some()).flat_map(tasks);
    Some(Evaluation { decision, remaining_tasks: each_once(remaining_tasks) })
}

/// Returns the objects of a text; nothing when one that decides cannot be read.
fn objects(text: &str, quoted: &Quoted) -> Option<Vec<Map<String, Value>>> {
    let found = objects::find(text);
    let breaks = |broken: &Broken| {
        let word = broken.word.clone().map(|span| text[span].to_ascii_uppercase()).unwrap_or_default();
        let decides = decision(&word).is_some() || broken.end == text.len();
        decides && !quoted.is_code(broken.end.saturating_sub(1))
    };
    if found.crowded || found.broken.iter().any(breaks) {
        return None;
    }
    let budget = Budget::default();
    let mut objects = Vec::new();
    for span in found.whole {
        match strict::object(&text[span.clone()], &budget) {
            Some(fields) => objects.push(fields),
            None if text[span].to_ascii_lowercase().contains("\"decision\"") => return None,
            None => {}
        }
    }
    Some(objects)
}

/// Returns the lines that have the label near their start and are not quoted; nothing when there is a flood of them.
fn decision_lines<'t>(text: &'t str, quoted: &Quoted) -> Option<Vec<&'t str>> {
    static LABEL: LazyLock<Regex> =
        LazyLock::new(|| Regex::new("(?i-u:decision)").expect("the pattern is a constant"));
    let line_of = |label: Match| {
        let before = tail(&text[..label.start()], 60);
        let line = before
            .rfind('\n')
            .map_or(label.start() - before.len(), |at| label.start() - before.len() + at + 1);
        let begins = line == 0 || text[..line].ends_with('\n');
        (begins && !quoted.is_quoted(line, label.start()))
            .then(|| text[line..].lines().next().unwrap_or_default())
    };
    let lines: Vec<Option<&str>> = LABEL.find_iter(text).take(MOST_LINES).map(line_of).collect();
    (lines.len() < MOST_LINES).then(|| lines.into_iter().flatten().collect())
}

fn object_decision(fields: &Map<String, Value>) -> Option<RunDecision> {
    let word = fields.get("decision")?.as_str()?.trim().to_ascii_uppercase();
    decision(&word)
}

fn decision(word: &str) -> Option<RunDecision> {
    match word {
        "PASS" => Some(RunDecision::Pass),
        "PASS_WITH_ISSUES" => Some(RunDecision::PassWithIssues),
        "ABORT" => Some(RunDecision::Abort),
        _ => {
            let phase = word.strip_prefix("FAIL_PHASE_")?.to_ascii_lowercase();
            let plain = phase.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
            (plain && !phase.is_empty() && phase.len() <= 40).then_some(RunDecision::FailPhase(phase))
        }
    }
}

/// Reads a line such as `**DECISION: PASS_WITH_ISSUES**`. A pass that is taken back and words to choose from say nothing.
fn line_decision(line: &str) -> Option<RunDecision> {
    let line = folded(head(line.trim(), 400)).to_ascii_uppercase();
    let bare = line.trim_start_matches(|c: char| c.is_whitespace() || "*_`#-+".contains(c) || is_picture(c));
    let bare = ["FINAL ", "OVERALL "].iter().find_map(|word| bare.strip_prefix(word)).unwrap_or(bare);
    let after = bare.strip_prefix("DECISION")?.trim_start_matches(['*', '_', '`', ' ']);
    let value = after.strip_prefix([':', '='])?;
    let value =
        value.trim_start_matches(|c: char| c.is_whitespace() || "*_`\"'「『[".contains(c) || is_picture(c));
    let end = value.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(value.len());
    let (token, rest) = value.split_at(end);
    let decision = decision(token.trim_end_matches('_'))?;
    let stands = match decision {
        RunDecision::FailPhase(_) => !rest.trim_start_matches(['*', '`', ' ', ']']).starts_with(['/', '|']),
        _ => matches!(Words::new(&other_words()).read(value), Said::Word { clean: true, .. }),
    };
    stands.then_some(decision)
}

fn other_words() -> BTreeMap<String, Judgment> {
    let words = [
        ("PASS", Judgment::Approve),
        ("PASS_WITH_ISSUES", Judgment::ApproveWithNotes),
        ("ABORT", Judgment::Block),
    ];
    words.into_iter().map(|(word, judgment)| (word.to_owned(), judgment)).collect()
}

fn tasks(fields: &Map<String, Value>) -> Vec<RemainingTask> {
    let task = |value: &Value| match value {
        Value::Object(fields) => {
            let text = |name: &str| fields.get(name).map(findings::line).unwrap_or_default();
            RemainingTask { task: text("task"), phase: text("phase"), priority: text("priority") }
        }
        other => RemainingTask { task: findings::line(other), phase: String::new(), priority: String::new() },
    };
    let items = fields.get("remaining_tasks").and_then(Value::as_array);
    items.into_iter().flatten().map(task).filter(|task| !task.task.is_empty()).take(MOST_TASKS).collect()
}

fn each_once(tasks: impl Iterator<Item = RemainingTask>) -> Vec<RemainingTask> {
    let mut once: Vec<RemainingTask> = Vec::new();
    for task in tasks {
        if once.len() < MOST_TASKS && !once.contains(&task) {
            once.push(task);
        }
    }
    once
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decided(text: &str) -> Option<RunDecision> {
        read_evaluation(text).map(|evaluation| evaluation.decision)
    }

    fn fail(phase: &str) -> RunDecision {
        RunDecision::FailPhase(phase.to_owned())
    }

    #[test]
    fn an_object_decides_and_leaves_tasks() {
        let text = r#"{"decision": "pass_with_issues", "remaining_tasks": [{"task": "t", "phase": "report", "priority": "low"}, "u", {}]}"#;
        let task = |task: &str, phase: &str, priority: &str| RemainingTask {
            task: task.into(),
            phase: phase.into(),
            priority: priority.into(),
        };
        let remaining_tasks = vec![task("t", "report", "low"), task("u", "", "")];
        let expected = Evaluation { decision: RunDecision::PassWithIssues, remaining_tasks };
        assert_eq!(read_evaluation(text), Some(expected.clone()));
        assert_eq!(read_evaluation(&format!("{text}\n{text}")), Some(expected));
    }

    #[test]
    fn lines_decide_too() {
        assert_eq!(decided("all fine\n**DECISION: PASS**\n"), Some(RunDecision::Pass));
        assert_eq!(decided("## Decision： `FAIL_PHASE_4` – bugs"), Some(fail("4")));
        assert_eq!(
            decided("Final decision: FAIL_PHASE_test_implementation"),
            Some(fail("test_implementation"))
        );
        assert_eq!(decided("- DECISION = abort."), Some(RunDecision::Abort));
    }

    #[test]
    fn the_strictest_counts() {
        assert_eq!(decided("DECISION: PASS\nDECISION: FAIL_PHASE_2"), Some(fail("2")));
        assert_eq!(
            decided("DECISION: PASS\n{\"decision\": \"ABORT\"}\nDECISION: FAIL_PHASE_2"),
            Some(RunDecision::Abort)
        );
        assert_eq!(
            decided("DECISION: PASS_WITH_ISSUES\n{\"decision\": \"PASS\"}"),
            Some(RunDecision::PassWithIssues)
        );
    }

    #[test]
    fn a_decision_that_cannot_be_read_may_be_the_strictest() {
        for text in [
            r#"{"decision": "ABORT", "decision": "PASS"}"#,
            r#"{"decision": "ABORT", "remaining_tasks": ["#,
            r#"{"decision": "ABORT" oops}"#,
            r#"{"decision": "AB"#,
            &"DECISION\n".repeat(MOST_LINES),
        ] {
            assert_eq!(decided(&format!("DECISION: PASS\n{text}")), None, "{}", &text[..20]);
        }
        let code = "DECISION: PASS\n```py\nreturn {\"decision\": \"ABORT\", \"why\": why}\n```\n";
        assert_eq!(decided(code), Some(RunDecision::Pass));
    }

    #[test]
    fn what_decides_nothing_is_none() {
        for text in [
            "",
            "The run passed.",
            "DECISION: PASSED",
            "DECISION: [PASS|PASS_WITH_ISSUES|ABORT]",
            "DECISION: FAIL_PHASE_<name>",
            "DECISION: PASS / FAIL_PHASE_X / ABORT",
            "DECISION: FAIL_PHASE_4 | ABORT",
            "> DECISION: PASS",
            "```\nDECISION: PASS\n```\nx",
            "DECISION: PASS once the blockers are fixed",
            "My DECISION: PASS",
            "DECISION: PASS → ABORT",
            "{\"decision\": 1}",
            "{\"decision\": \"APPROVE\"}",
            "DECISION:",
            "the decision is PASS",
        ] {
            assert_eq!(decided(text), None, "{text}");
        }
    }
}
