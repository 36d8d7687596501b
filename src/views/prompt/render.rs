//! Fills the template of a step, once: values are inserted and never looked at again.

use std::collections::BTreeMap;

use handlebars::{Handlebars, RenderError, RenderErrorReason, TemplateError};
use serde_json::Value;

use super::advice::{advice, failed};
use super::c3l::Library;
use super::context::context;
use super::error::PromptError;
use super::input::PromptInput;
use super::modification;
use super::params::Marks;
use super::templates::Templates;
use model::phase::Step;

/// Returns the prompt of a step. `overrides` holds the repository's own templates by path, such as `planning/execute.md`.
pub fn render(input: &PromptInput<'_>, overrides: &BTreeMap<String, String>) -> Result<String, PromptError> {
    complete(input)?;
    let templates = Templates::new(overrides)?;
    let chosen = modification::template(&templates, input.phase, input.step)
        .ok_or(PromptError::NoPrompt(input.step))?;
    let library = Library { templates: &templates, patterns: input.patterns, c3l: input.c3l };
    let marks = Marks { call: input.fence, run: input.run_fence };
    let failed = failed(input.checks, &library);
    let mut values = context(input, &failed, &templates);
    values.insert("modifies".to_owned(), Value::Bool(chosen.modifies));
    let retry = advice(&failed, &library, &values, marks)?;
    values.insert("retry".to_owned(), Value::String(retry));
    let path = chosen.path;
    let engine = engine(&templates, &templates.with_included(vec![path.clone()]))?;
    let text =
        engine.render(&name_of(&path), &values).map_err(|error| unfilled(&templates, &path, &error))?;
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
    let templates = Templates::new(overrides)?;
    let engine = engine(&templates, &templates.with_included(vec![path.to_owned()]))?;
    engine.render(&name_of(path), values).map_err(|error| unfilled(&templates, path, &error))
}

pub(super) fn good_fence(fence: &str) -> Result<(), PromptError> {
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

/// Returns what fills templates and refuses every name that has no value.
fn engine<'a>(
    templates: &Templates<'_>,
    used: &BTreeMap<&'a str, &'a str>,
) -> Result<Handlebars<'a>, PromptError> {
    let mut engine = plain_engine(templates, used)?;
    engine.set_strict_mode(true);
    Ok(engine)
}

/// The same for retry texts: their names are known before, and a part that a tool did not give is empty.
pub(super) fn plain_engine<'a>(
    templates: &Templates<'_>,
    used: &BTreeMap<&'a str, &'a str>,
) -> Result<Handlebars<'a>, PromptError> {
    let mut engine = Handlebars::new();
    engine.register_escape_fn(handlebars::no_escape);
    for (path, text) in used {
        let registered = engine.register_template_string(&name_of(path), text);
        registered.map_err(|error| unreadable(templates, path, &error))?;
    }
    Ok(engine)
}

/// Returns the name by which templates include each other.
pub(super) fn name_of(path: &str) -> String {
    path.strip_suffix(".md").unwrap_or(path).to_owned()
}

fn unreadable(templates: &Templates<'_>, path: &str, error: &TemplateError) -> PromptError {
    let line = templates.line(path, error.pos().map_or(1, |(line, _)| line));
    PromptError::Template { path: path.to_owned(), line, message: error.reason().to_string() }
}

pub(super) fn unfilled(templates: &Templates<'_>, path: &str, error: &RenderError) -> PromptError {
    let path = error.template_name.as_ref().map_or_else(|| path.to_owned(), |name| format!("{name}.md"));
    let line = templates.line(&path, error.line_no.unwrap_or(1));
    match error.reason() {
        RenderErrorReason::MissingVariable(Some(name)) => {
            PromptError::Placeholder { path, line, name: name.clone() }
        }
        reason => PromptError::Template { path, line, message: reason.to_string() },
    }
}
