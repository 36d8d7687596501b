//! The reviewer's answer as a JSON Schema, for agents that can be held to one. The same contract in words is
//! `prompts/shared/reviewer_contract.md`.

use serde_json::{Map, Value, json};

use super::words::Words;
use model::policy::ReviewRule;

/// Returns the JSON Schema of a reviewer's answer under a policy, with grades for these viewpoints: every key required,
/// nothing else allowed.
pub fn reviewer_schema(review: Option<&ReviewRule>, viewpoints: &[String]) -> Value {
    let words = Words::of(review);
    let mut schema = common_schema(&words.verdicts);
    if !words.decisions.is_empty() {
        require(&mut schema, "decision", json!({"type": "string", "enum": words.decisions}));
    }
    if !viewpoints.is_empty() {
        require(&mut schema, "viewpoints", grades(viewpoints));
    }
    schema
}

fn require(schema: &mut Value, key: &str, of: Value) {
    schema["properties"][key] = of;
    if let Some(required) = schema["required"].as_array_mut() {
        required.push(key.into());
    }
}

fn grades(viewpoints: &[String]) -> Value {
    let grade = json!({"type": "string", "enum": ["A", "B", "C", "D"]});
    let each: Map<String, Value> = viewpoints.iter().map(|name| (name.clone(), grade.clone())).collect();
    json!({"type": "object", "additionalProperties": false, "required": viewpoints, "properties": each})
}

fn common_schema(verdicts: &[String]) -> Value {
    let optional = |kind: &str| json!({"type": [kind, "null"]});
    let finding = json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["severity", "category", "file", "line", "issue", "suggestion", "auto_fixable"],
        "properties": {
            "severity": {"type": "string", "enum": ["critical", "major", "minor", "info"]},
            "category": {"type": "string"},
            "file": optional("string"),
            "line": optional("integer"),
            "issue": {"type": "string"},
            "suggestion": optional("string"),
            "auto_fixable": {"type": "boolean"},
        },
    });
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["review_id", "result", "summary", "findings", "questions"],
        "properties": {
            "review_id": {"type": "string"},
            "result": {"type": "string", "enum": verdicts},
            "summary": {"type": "string"},
            "findings": {"type": "array", "items": finding},
            "questions": {"type": "array", "items": {"type": "string"}},
        },
    })
}
