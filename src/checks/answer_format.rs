//! The form of an answer. Of a phase: that its last object satisfies the schema that was agreed on, whoever held the agent to it
//! before; or that it has a JSON block; or that a pattern finds something in it. Says all that is wrong in one message.

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::paths::{Location, LocationSegment};
use jsonschema::{JsonType, ValidationError};
use regex::Regex;
use serde::de::IgnoredAny;
use serde_json::Value;

use super::{CheckResult, Site, failure, passed, skipped};
use content_parser::{last_json_block, last_object, read_value};
use model::policy::AnswerForm;
use settings::validator;

pub(super) const ID: &str = "answer_format";
/// More errors of one answer than this are not told.
const MOST: usize = 40;
/// The longest error, in characters: it may quote the answer.
const LONGEST: usize = 300;

pub(super) fn examine(site: &Site<'_>) -> CheckResult {
    let (schema, form) = (site.phase.output_schema.as_ref(), site.phase.answer_form.as_ref());
    let (pattern, met) = match (schema, form, site.answer) {
        (None, None, _) => return skipped(ID, "no form of the answer was agreed on"),
        (_, _, None) => ("answer-format", Err("the answer is not here".to_owned())),
        (Some(schema), _, Some(answer)) => ("answer-format", held_to(answer, schema)),
        (None, Some(form), Some(answer)) => ("answer-form", formed(answer, form)),
    };
    match met {
        Ok(met) => passed(ID, met),
        Err(error) => failure(ID, pattern, &error, &[("code", "answer_format"), ("error", &error)]),
    }
}

fn held_to(answer: &str, schema: &Value) -> Result<&'static str, String> {
    let object = last_object(answer).ok_or("no JSON object that can be read ends the answer")?;
    satisfies(&object.into(), schema)?;
    Ok("the answer's last object satisfies its schema")
}

/// An answer that is JSON and nothing else needs no block.
fn formed(answer: &str, form: &AnswerForm) -> Result<&'static str, String> {
    let is_json = || serde_json::from_str::<IgnoredAny>(answer.trim()).is_ok();
    match form {
        AnswerForm::Json if is_json() => Ok("the answer is JSON"),
        AnswerForm::Json => json_block(answer).map(|_| "the answer has a JSON block"),
        AnswerForm::Pattern(pattern) => {
            find_pattern(answer, pattern).map(|_| "the answer has what the pattern asks for")
        }
    }
}

/// Returns the value of the last JSON block of an answer, or what is wrong with that.
pub fn json_block(text: &str) -> Result<Value, String> {
    let block = last_json_block(text).ok_or("No JSON block found in response")?;
    read_value(block.trim()).ok_or_else(|| {
        let why = serde_json::from_str::<IgnoredAny>(block).err();
        let why = why.map_or_else(|| "a key is told twice".to_owned(), |error| error.to_string());
        format!("Invalid JSON in the block: {why}")
    })
}

/// Returns what a regular expression finds in an answer, or why it finds nothing.
pub fn find_pattern(text: &str, pattern: &str) -> Result<Value, String> {
    let regex = Regex::new(pattern).map_err(|error| {
        let error = error.to_string();
        format!("Invalid regex pattern: {}", error.lines().last().unwrap_or_default())
    })?;
    let hit = regex.find(text).ok_or_else(|| format!("Pattern \"{pattern}\" not found in response"))?;
    Ok(hit.as_str().into())
}

/// Holds a value to a schema; the error names every place that does not satisfy it.
pub fn satisfies(value: &Value, schema: &Value) -> Result<(), String> {
    let validator = validator(schema).map_err(|why| format!("Schema cannot be used: {why}"))?;
    let mut errors: Vec<String> = validator.iter_errors(value).map(|error| told(&error)).collect();
    if errors.is_empty() {
        return Ok(());
    }
    let more = errors.len().saturating_sub(MOST);
    errors.truncate(MOST);
    if more > 0 {
        errors.push(format!("and {more} more"));
    }
    Err(format!("Schema validation failed: {}", errors.join("; ")))
}

/// Says where and what.
fn told(error: &ValidationError<'_>) -> String {
    let mut path = path_of(error.instance_path());
    let what = match error.kind() {
        ValidationErrorKind::Required { property } => {
            path = joined(&path, property.as_str().unwrap_or_default());
            "Required property is missing".to_owned()
        }
        ValidationErrorKind::Type { kind } => {
            format!("Expected type {}, got {}", kinds(kind), JsonType::from(error.instance().as_ref()))
        }
        ValidationErrorKind::Enum { options } => {
            format!("Value {} not in enum {}", error.instance(), list(options))
        }
        _ => error.to_string(),
    };
    let what: String = what.chars().take(LONGEST).collect();
    if path.is_empty() { what } else { format!("{path}: {what}") }
}

/// Returns a path as people write it: `items[2].name`.
fn path_of(location: &Location) -> String {
    location.iter().fold(String::new(), |path, segment| match segment {
        LocationSegment::Property(name) => joined(&path, &name),
        LocationSegment::Index(index) => format!("{path}[{index}]"),
    })
}

fn joined(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

fn kinds(kind: &TypeKind) -> String {
    let all: Vec<JsonType> = match kind {
        TypeKind::Single(one) => vec![*one],
        TypeKind::Multiple(several) => several.iter().collect(),
    };
    all.iter().map(|kind| format!("\"{kind}\"")).collect::<Vec<_>>().join(" or ")
}

fn list(options: &Value) -> String {
    let all = options.as_array().into_iter().flatten().map(ToString::to_string);
    format!("[{}]", all.collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests;
