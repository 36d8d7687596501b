//! The retry prompt of failed checks outside a run: what they saw, and what to do about each.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::advice::{advice, failed};
use super::c3l::Library;
use super::context::repairs;
use super::error::PromptError;
use super::params::Marks;
use super::render::{fill, good_fence};
use super::templates::Templates;
use model::event::CheckResult;
use model::policy::{C3l, Pattern};

/// Names of a run that a retry text may use, and that are empty outside one.
const OF_A_RUN: [&str; 45] = [
    "answer",
    "changed",
    "changes_code",
    "checks",
    "commands",
    "decides",
    "decisions",
    "declaration",
    "declared_round",
    "demands",
    "diff",
    "documents",
    "doubt",
    "evidence",
    "feedback",
    "findings",
    "hint",
    "history",
    "inlined",
    "issue",
    "issue_number",
    "japanese",
    "language",
    "later",
    "meanings",
    "more_problems",
    "output",
    "output_text",
    "outputs",
    "phase",
    "previous_review",
    "problems",
    "project",
    "quality_gate",
    "questions",
    "remarks",
    "review_id",
    "rollback",
    "round",
    "since_review",
    "step",
    "suggestions",
    "task_lists",
    "tasks",
    "verdicts",
];

/// Returns the prompt for the results that did not pass; an empty text when all did. `overrides` holds the repository's
/// own templates by path, and those of the registry with its base before their paths.
pub fn retry_prompt(
    results: &[CheckResult],
    patterns: &BTreeMap<String, Pattern>,
    c3l: Option<&C3l>,
    overrides: &BTreeMap<String, String>,
    fence: &str,
) -> Result<String, PromptError> {
    good_fence(fence)?;
    let templates = Templates::new(overrides)?;
    let library = Library { templates: &templates, patterns, c3l };
    let marks = Marks { call: fence, run: fence };
    let failed = failed(results, &library);
    if failed.is_empty() {
        return Ok(String::new());
    }
    let mut values = outside_a_run(fence);
    values.append(&mut repairs(&failed, &templates, marks));
    let retry = advice(&failed, &library, &values, marks)?;
    values.insert("retry".to_owned(), Value::String(retry));
    fill("shared/retry.md", &Value::Object(values), fence, overrides)
}

fn outside_a_run(fence: &str) -> Map<String, Value> {
    let mut values: Map<String, Value> =
        OF_A_RUN.iter().map(|name| ((*name).to_owned(), Value::from(""))).collect();
    values.insert("fence".to_owned(), fence.into());
    values.insert("run_fence".to_owned(), fence.into());
    values
}
