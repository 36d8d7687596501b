//! Reads the evaluation's decision about the whole run: objects and `DECISION:` lines, of which the strictest counts.
//! Finds nothing where nothing is decided; there is no default.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::folded::{folded, is_picture};
use super::quoted::Quoted;
use super::strict::{self, Budget};
use super::word::{Said, Words};
use super::{findings, head, objects};
use crate::event::{Evaluation, RemainingTask, RunDecision};
use crate::verdict::Judgment;

const MOST_TASKS: usize = 200;

/// Reads the decision of an evaluation and the tasks it leaves.
pub fn read_evaluation(text: &str) -> Option<Evaluation> {
    let budget = Budget::default();
    let spans = objects::find(text).whole;
    let objects: Vec<_> = spans.into_iter().filter_map(|span| strict::object(&text[span], &budget)).collect();
    let by_objects = objects.iter().filter_map(object_decision);
    let quoted = Quoted::new(text);
    let by_lines = quoted.own_lines().filter_map(line_decision);
    let decision = by_objects.chain(by_lines).reduce(|best, next| if next > best { next } else { best })?;
    let remaining_tasks = objects.iter().filter(|fields| object_decision(fields).is_some()).flat_map(tasks);
    Some(Evaluation { decision, remaining_tasks: each_once(remaining_tasks) })
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
    let start = value.find(|c: char| c.is_ascii_alphanumeric())?;
    let length =
        value[start..].find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(value.len() - start);
    let (token, rest) = value[start..].split_at(length);
    let decision = decision(token.trim_end_matches('_'))?;
    let stands = match Words::new(&approving_words()).read(value) {
        Said::Word { clean, .. } => clean,
        Said::Choice => false,
        _ => !rest.trim_start_matches(['*', '`', ' ', ']']).starts_with(['/', '|']),
    };
    stands.then_some(decision)
}

fn approving_words() -> BTreeMap<String, Judgment> {
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

    fn fail(phase: &str) -> Option<RunDecision> {
        Some(RunDecision::FailPhase(phase.to_owned()))
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
        assert_eq!(decided("## Decision： `FAIL_PHASE_4` – bugs"), fail("4"));
        assert_eq!(decided("Final decision: FAIL_PHASE_test_implementation"), fail("test_implementation"));
        assert_eq!(decided("- DECISION = abort."), Some(RunDecision::Abort));
    }

    #[test]
    fn the_strictest_counts() {
        assert_eq!(decided("DECISION: PASS\nDECISION: FAIL_PHASE_2"), fail("2"));
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
