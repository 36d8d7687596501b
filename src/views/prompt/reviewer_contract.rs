//! What a reviewer may answer: the words of its policy, mildest first, and its answer as a JSON Schema for agents that can be held
//! to one. The same contract in words is `prompts/shared/reviewer_contract.md`.
//!
//! The three common words are `result`; further ones of a policy are its `decision`. A policy without the common ones uses its
//! own as `result`.

use serde_json::{Map, Value, json};

use super::review_questions;
use crate::text::line;
use model::event::ReviewQuestion;
use model::policy::{ReviewRule, VERIFICATION_FAILED};
use model::verdict::{Judgment, Verdict};

/// What a reviewer says that could not verify the work. The kinds are those that the report of a stop has.
const FAILED_VERIFICATION: &str = "stop, the build or a test fails or cannot run: a finding with one of build_failure, test_failure, \
     lint_failure, environment_error as its category, and with the failed command in backquotes in its issue";

/// What the answers under all policies have in common; the words of `result` are the policy's.
const SCHEMA: &str = include_str!("reviewer_schema.json");

/// The words of a policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct VerdictWords {
    pub(super) verdicts: Vec<String>,
    pub(super) decisions: Vec<String>,
    /// The words that a policy adds or changes, and what they lead to.
    own: Vec<(String, Judgment)>,
}

impl VerdictWords {
    /// Returns the words of a policy's review.
    pub(super) fn of(review: Option<&ReviewRule>) -> Self {
        let pairs = review.iter().flat_map(|review| &review.verdict_map);
        let mut map: Vec<(String, Judgment)> =
            pairs.map(|(word, judgment)| (line(word), *judgment)).collect();
        if map.is_empty() {
            map = common().to_vec();
        }
        map.sort_by_key(|(_, judgment)| *judgment);
        let has_common = common().iter().all(|(word, _)| map.iter().any(|(known, _)| known == word));
        let own = map.iter().filter(|pair| !common().contains(pair)).cloned().collect();
        let words = map.into_iter().map(|(word, _)| word);
        let (verdicts, decisions) = words.partition(|word| !has_common || Verdict::is_word(word));
        Self { verdicts, decisions, own }
    }

    /// Says what the words mean that are not the common ones; nothing when there are none.
    pub(super) fn meanings(&self) -> String {
        let each = self.own.iter().map(|(word, judgment)| {
            let means = if word == VERIFICATION_FAILED { FAILED_VERIFICATION } else { meaning(*judgment) };
            format!("{word}: {means}")
        });
        each.collect::<Vec<_>>().join("; ")
    }
}

fn common() -> [(String, Judgment); 3] {
    [Judgment::Approve, Judgment::ApproveWithNotes, Judgment::Revise]
        .map(|judgment| (judgment.verdict().as_str().to_owned(), judgment))
}

fn meaning(judgment: Judgment) -> &'static str {
    match judgment {
        Judgment::Approve => "approved",
        Judgment::ApproveWithNotes => "approved with suggestions",
        Judgment::Discuss => "a person has to decide",
        Judgment::Revise => "has to be revised",
        Judgment::Unverifiable => "cannot be judged",
        Judgment::Redo => "has to be done once more",
        Judgment::Block => "stop, a person has to look",
    }
}

/// Returns the JSON Schema of a reviewer's answer under a policy, with grades for these viewpoints and answers to these questions of
/// our checks: every key required, nothing else allowed.
pub fn reviewer_schema(
    review: Option<&ReviewRule>,
    viewpoints: &[String],
    questions: &[ReviewQuestion],
) -> Value {
    let words = VerdictWords::of(review);
    let mut schema: Value = serde_json::from_str(SCHEMA).expect("the schema is JSON, as its tests show");
    schema["properties"]["result"]["enum"] = json!(words.verdicts);
    if !words.decisions.is_empty() {
        require(&mut schema, "decision", json!({"type": "string", "enum": words.decisions}));
    }
    if !viewpoints.is_empty() {
        require(&mut schema, "viewpoints", grades_schema(viewpoints));
    }
    if !questions.is_empty() {
        require(&mut schema, "answers", review_questions::schema(questions));
    }
    schema
}

fn require(schema: &mut Value, key: &str, of: Value) {
    schema["properties"][key] = of;
    if let Some(required) = schema["required"].as_array_mut() {
        required.push(key.into());
    }
}

fn grades_schema(viewpoints: &[String]) -> Value {
    let grade = json!({"type": "string", "enum": ["A", "B", "C", "D"]});
    let each: Map<String, Value> = viewpoints.iter().map(|name| (name.clone(), grade.clone())).collect();
    json!({"type": "object", "additionalProperties": false, "required": viewpoints, "properties": each})
}

#[cfg(test)]
mod tests;
