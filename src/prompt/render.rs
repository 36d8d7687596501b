//! Fills the template of a step, once: values are inserted and never looked at again.

use std::collections::BTreeMap;

use handlebars::{Handlebars, RenderError, RenderErrorReason, TemplateError};
use serde_json::{Map, Value};

use super::clean::line;
use super::context::context;
use super::error::PromptError;
use super::input::PromptInput;
use super::lists;
use super::templates::Templates;
use crate::phase::Step;

/// Returns the prompt of a step. `overrides` holds the repository's own templates by path, such as `planning/execute.md`.
pub fn render(input: &PromptInput<'_>, overrides: &BTreeMap<String, String>) -> Result<String, PromptError> {
    complete(input)?;
    let templates = Templates::new(overrides)?;
    let path = templates.of_step(&input.phase.name, input.step).ok_or(PromptError::NoPrompt(input.step))?;
    let failed: Vec<(String, String)> = failed(input, &templates);
    let used = failed.iter().map(|(_, advice)| advice.clone()).chain([path.clone()]).collect();
    let engine = engine(&templates.with_included(used))?;
    let mut values = context(input);
    let retry = retry(&failed, &engine, &values)?;
    values.insert("retry".to_owned(), Value::String(retry));
    let text = engine.render(&name_of(&path), &values).map_err(|error| unfilled(&path, &error))?;
    Ok(text.trim_start().to_owned())
}

/// Fills one template that belongs to no phase.
pub(super) fn fill(
    path: &str,
    values: &Value,
    fence: &str,
    overrides: &BTreeMap<String, String>,
) -> Result<String, PromptError> {
    good_fence(fence)?;
    let engine = engine(&Templates::new(overrides)?.with_included(vec![path.to_owned()]))?;
    engine.render(&name_of(path), values).map_err(|error| unfilled(path, &error))
}

fn good_fence(fence: &str) -> Result<(), PromptError> {
    let good = fence.len() >= 8 && fence.chars().all(|c| c.is_ascii_alphanumeric());
    if good { Ok(()) } else { Err(PromptError::BadFence) }
}

/// Refuses an input whose prompt could be misread.
fn complete(input: &PromptInput<'_>) -> Result<(), PromptError> {
    good_fence(input.fence)?;
    good_fence(input.run_fence)?;
    let judges = matches!(input.step, Step::Review | Step::Triage);
    if judges && input.review_id.is_none_or(str::is_empty) {
        return Err(PromptError::NoReviewId(input.step));
    }
    Ok(())
}

/// Returns the checks that did not pass, each with the path of the advice for it.
fn failed(input: &PromptInput<'_>, templates: &Templates<'_>) -> Vec<(String, String)> {
    let open = input.checks.iter().filter(|result| lists::is_open(result));
    let advice = |pattern: &Option<String>| templates.of_pattern(pattern.as_deref().unwrap_or("generic"));
    open.map(|result| (line(&result.check), advice(&result.pattern))).collect()
}

fn engine<'a>(templates: &BTreeMap<&'a str, &'a str>) -> Result<Handlebars<'a>, PromptError> {
    let mut engine = Handlebars::new();
    engine.set_strict_mode(true);
    engine.register_escape_fn(handlebars::no_escape);
    for (path, text) in templates {
        engine.register_template_string(&name_of(path), text).map_err(|error| unreadable(path, &error))?;
    }
    Ok(engine)
}

/// Returns the name by which templates include each other.
fn name_of(path: &str) -> String {
    path.strip_suffix(".md").unwrap_or(path).to_owned()
}

/// Returns what to do about each failed check, each advice once.
fn retry(
    failed: &[(String, String)],
    engine: &Handlebars<'_>,
    values: &Map<String, Value>,
) -> Result<String, PromptError> {
    let mut told: Vec<String> = Vec::new();
    for (check, path) in failed {
        let mut values = values.clone();
        values.insert("check".to_owned(), Value::String(check.clone()));
        let advice = engine.render(&name_of(path), &values).map_err(|error| unfilled(path, &error))?;
        if !told.contains(&advice) {
            told.push(advice);
        }
    }
    Ok(told.concat())
}

fn unreadable(path: &str, error: &TemplateError) -> PromptError {
    let line = error.pos().map_or(1, |(line, _)| line);
    PromptError::Template { path: path.to_owned(), line, message: error.reason().to_string() }
}

fn unfilled(path: &str, error: &RenderError) -> PromptError {
    let path = error.template_name.as_ref().map_or_else(|| path.to_owned(), |name| format!("{name}.md"));
    let line = error.line_no.unwrap_or(1);
    match error.reason() {
        RenderErrorReason::MissingVariable(Some(name)) => {
            PromptError::Placeholder { path, line, name: name.clone() }
        }
        reason => PromptError::Template { path, line, message: reason.to_string() },
    }
}
