//! What to do about each check that did not pass: its retry text, filled with what the check gives, in the order of the
//! checks. Chooses no text (`c3l`) and cleans no value (`params`).

use std::collections::{BTreeMap, BTreeSet};

use handlebars::Handlebars;
use serde_json::{Map, Value, json};

use super::c3l::Library;
use super::error::PromptError;
use super::lists;
use super::params::{self, Marks};
use super::placeholders::Names;
use super::render::{name_of, plain_engine, unfilled};
use model::event::CheckResult;
use model::policy::{criterion, issue_type};

/// What every check gives: facts of its result, and parameters that have the same meaning for all.
pub(super) const COMMON: [&str; 15] = [
    "check",
    "criterion",
    "type",
    "pattern",
    "description",
    "summary",
    "error",
    "places",
    "command",
    "count",
    "severity",
    "relatedFiles",
    "rootCause",
    "suggestedAction",
    "instructions",
];

/// A check that did not pass, and the path of its retry text.
pub(super) struct Failed<'a> {
    pub(super) result: &'a CheckResult,
    pub(super) path: String,
}

/// Returns the checks that did not pass, each with the path of its text.
pub(super) fn failed<'a>(checks: &'a [CheckResult], library: &Library<'_>) -> Vec<Failed<'a>> {
    let open = checks.iter().filter(|result| lists::is_open(result));
    open.map(|result| Failed { result, path: library.of_failure(result) }).collect()
}

/// Returns all texts, each once, under the names of their checks when there are several.
pub(super) fn advice(
    failed: &[Failed<'_>],
    library: &Library<'_>,
    values: &Map<String, Value>,
    marks: Marks<'_>,
) -> Result<String, PromptError> {
    let paths = failed.iter().map(|failed| failed.path.clone()).collect();
    let engine = plain_engine(library.templates, &library.templates.with_included(paths))?;
    let mut told: Vec<(String, Vec<String>)> = Vec::new();
    for one in failed {
        let text = text(one, library, &engine, values, marks)?;
        let check = title(one.result, marks);
        match told.iter_mut().find(|(known, _)| *known == text) {
            Some((_, checks)) if checks.contains(&check) => {}
            Some((_, checks)) => checks.push(check),
            None => told.push((text, vec![check])),
        }
    }
    let several = failed.len() > 1;
    let parts = told.into_iter().map(|(text, checks)| {
        let title = if several { format!("### {}\n", checks.join(", ")) } else { String::new() };
        format!("{title}{}\n", text.trim_end())
    });
    Ok(parts.collect::<Vec<_>>().join("\n"))
}

fn title(result: &CheckResult, marks: Marks<'_>) -> String {
    let name = marks.line(&result.check);
    criterion(&result.check)
        .map_or_else(|| format!("`{name}`"), |criterion| format!("`{name}` ({criterion})"))
}

fn text(
    failed: &Failed<'_>,
    library: &Library<'_>,
    engine: &Handlebars<'_>,
    values: &Map<String, Value>,
    marks: Marks<'_>,
) -> Result<String, PromptError> {
    let mut values = values.clone();
    let names = library.templates.names(&failed.path);
    values.append(&mut common(failed.result, library, &names, marks));
    for param in library.templates.params(&failed.path) {
        if let Some(value) = failed.result.params.get(param) {
            values.insert(param.clone(), params::fitted(param, Some(value), &names, marks));
        } else if !values.contains_key(param) {
            values.insert(param.clone(), params::fitted(param, None, &names, marks));
        }
    }
    let known = values.keys().map(String::as_str).collect();
    refuse_unknown(&failed.path, library, &known)?;
    let text = engine.render(&name_of(&failed.path), &values);
    let text = text.map_err(|error| unfilled(library.templates, &failed.path, &error))?;
    let instructions = values.get("instructions").and_then(Value::as_str).unwrap_or_default();
    let told = instructions.is_empty() || names.asked.iter().any(|(name, _)| name == "instructions");
    Ok(if told { text } else { format!("{}\n\n{instructions}\n", text.trim_end()) })
}

/// Returns what every check gives; what this one does not have is empty.
fn common(
    result: &CheckResult,
    library: &Library<'_>,
    names: &Names,
    marks: Marks<'_>,
) -> Map<String, Value> {
    let pattern = result.pattern.as_deref().unwrap_or_default();
    let description = library.patterns.get(pattern).map_or("", |pattern| &pattern.description);
    let error = Value::from(result.evidence.as_str());
    let facts = json!({
        "check": marks.line(&result.check),
        "criterion": criterion(&result.check).unwrap_or_default(),
        "type": issue_type(&result.check),
        "pattern": marks.line(pattern),
        "description": marks.line(description),
        "summary": marks.line(&result.summary),
        "error": params::fitted("error", Some(&error), names, marks),
        "places": params::places(&result.places, marks),
        "instructions": marks.text(result.param("instructions").unwrap_or_default()),
    });
    let mut values = facts.as_object().cloned().unwrap_or_default();
    for name in COMMON {
        if !values.contains_key(name) {
            let value = params::fitted(name, result.params.get(name), names, marks);
            values.insert(name.to_owned(), value);
        }
    }
    values
}

/// Refuses a placeholder that is neither common nor declared, wherever it stands in the text or in what it includes.
pub(super) fn refuse_unknown(
    path: &str,
    library: &Library<'_>,
    known: &BTreeSet<&str>,
) -> Result<(), PromptError> {
    let used: BTreeMap<&str, &str> = library.templates.with_included(vec![path.to_owned()]);
    for (path, text) in used {
        let names = Names::of(text);
        if let Some((name, line)) = names.asked.into_iter().find(|(name, _)| !known.contains(name.as_str())) {
            let line = library.templates.line(path, line);
            return Err(PromptError::Placeholder { path: path.to_owned(), line, name });
        }
    }
    Ok(())
}
