//! Makes prompts: of a step, of failed checks outside a run, and the question how hard an issue is. A template is filled once;
//! values are inserted and never looked at again.

use std::collections::BTreeMap;

use serde_json::json;

use super::PromptError;
use super::context::{self, context, issue_block};
use super::fence::Marks;
use super::input::PromptInput;
use super::placeholders::Values;
use super::repair::checks_block;
use super::retry_texts::Library;
use super::templates::Templates;
use model::event::CheckResult;
use model::issue::Issue;
use model::phase::Step;
use model::policy::{C3l, Pattern};

/// Returns the prompt of a step. `overrides` holds the repository's own templates by path, such as `planning/execute.md`.
/// Fails when the step has no prompt, when a mark or the review id could be guessed or is missing, and when a template is wrong.
pub fn render(input: &PromptInput<'_>, overrides: &BTreeMap<String, String>) -> Result<String, PromptError> {
    refuse_incomplete(input)?;
    let templates = Templates::new(overrides)?;
    let template = templates.for_step(input.phase, input.step).ok_or(PromptError::NoPrompt(input.step))?;
    let marks = Marks { call: input.fence, run: input.run_fence };
    let library = Library { templates: &templates, patterns: input.patterns, c3l: input.c3l, marks };
    let failed = library.failed(input.checks);
    let mut values = context(input, &failed, &library);
    values.insert("modifies".to_owned(), template.modifies.into());
    let retry = library.advice(&failed, &values)?;
    values.insert("retry".to_owned(), retry.into());
    Ok(templates.fill(&template.path, &values)?.trim_start().to_owned())
}

/// Returns the prompt that asks how hard an issue is, before any phase begins; `fence` is the mark around data.
/// Fails when the mark could be guessed, and when the template is wrong.
pub fn difficulty(
    issue: &Issue,
    fence: &str,
    overrides: &BTreeMap<String, String>,
) -> Result<String, PromptError> {
    refuse_weak(fence)?;
    let values = json!({
        "issue_number": issue.number.get(),
        "fence": fence,
        "run_fence": fence,
        "issue": issue_block(issue, Marks { call: fence, run: fence }),
    });
    Templates::new(overrides)?.fill("shared/difficulty.md", &values)
}

/// Returns the prompt for the results that did not pass, outside a run; an empty text when all did. `overrides` holds the
/// repository's own templates by path, and those of the registry with its base before their paths. Fails like [`render`].
pub fn retry_prompt(
    results: &[CheckResult],
    patterns: &BTreeMap<String, Pattern>,
    c3l: Option<&C3l>,
    overrides: &BTreeMap<String, String>,
    fence: &str,
) -> Result<String, PromptError> {
    refuse_weak(fence)?;
    let templates = Templates::new(overrides)?;
    let marks = Marks { call: fence, run: fence };
    let library = Library { templates: &templates, patterns, c3l, marks };
    let failed = library.failed(results);
    if failed.is_empty() {
        return Ok(String::new());
    }
    // What a prompt of a run gives is empty outside one.
    let mut values: Values = context::names().map(|name| (name.to_owned(), "".into())).collect();
    values.insert("fence".to_owned(), fence.into());
    values.insert("run_fence".to_owned(), fence.into());
    values.insert("checks".to_owned(), checks_block(&failed, &library, true).into());
    values.insert("outputs".to_owned(), checks_block(&failed, &library, false).into());
    let retry = library.advice(&failed, &values)?;
    values.insert("retry".to_owned(), retry.into());
    templates.fill("shared/retry.md", &values)
}

/// Refuses a mark that a text could contain by chance.
fn refuse_weak(fence: &str) -> Result<(), PromptError> {
    let good = fence.len() >= 8 && fence.chars().all(|c| c.is_ascii_alphanumeric());
    if good { Ok(()) } else { Err(PromptError::BadFence) }
}

/// Refuses an input whose prompt could be misread.
fn refuse_incomplete(input: &PromptInput<'_>) -> Result<(), PromptError> {
    refuse_weak(input.fence)?;
    refuse_weak(input.run_fence)?;
    let judges = matches!(input.step, Step::Review | Step::Triage);
    if judges && input.review.review_id.is_none_or(str::is_empty) {
        return Err(PromptError::NoReviewId(input.step));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
