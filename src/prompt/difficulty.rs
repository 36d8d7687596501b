//! The prompt that asks how hard an issue is, before any phase begins.

use std::collections::BTreeMap;

use serde_json::json;

use super::context::issue_block;
use super::error::PromptError;
use super::render::fill;
use crate::issue::Issue;

/// Returns the prompt; `fence` is the mark around data, as in every other prompt.
pub fn difficulty(
    issue: &Issue,
    fence: &str,
    overrides: &BTreeMap<String, String>,
) -> Result<String, PromptError> {
    let values = json!({
        "issue_number": issue.number.get(),
        "fence": fence,
        "issue": issue_block(issue, fence),
    });
    fill("shared/difficulty.md", &values, fence, overrides)
}
