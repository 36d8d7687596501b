//! What to do about each check that did not pass: its retry text, filled with what the check gives, in the order of the
//! checks. What a check gives is made harmless: no text can close a fence, carry a mark of ours or take more space than it is
//! worth, and nothing that is inserted is looked at again, so that braces in it stay braces. `retry_texts` chooses the text.

use std::collections::BTreeSet;

use handlebars::Handlebars;
use serde_json::{Map, Value, json};

use super::PromptError;
use super::fence::{Marks, TOOL_TEXT, block};
use super::lists::{self, value_text, with_rest};
use super::placeholders::Names;
use super::retry_texts::Library;
use model::event::{CheckResult, Place};
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

/// More elements of a list than this are counted.
const MOST_ELEMENTS: usize = 50;
/// Values in more lists and objects than this are left out.
const MOST_LEVELS: usize = 5;

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
    let engine = library.templates.engine(failed.iter().map(|failed| failed.path.clone()).collect())?;
    let mut texts: Vec<(String, Vec<String>)> = Vec::new();
    for one in failed {
        let text = text(one, library, &engine, values, marks)?;
        let check = title(one.result, marks);
        match texts.iter_mut().find(|(known, _)| *known == text) {
            Some((_, checks)) if checks.contains(&check) => {}
            Some((_, checks)) => checks.push(check),
            None => texts.push((text, vec![check])),
        }
    }
    let several = failed.len() > 1;
    let sections = texts.into_iter().map(|(text, checks)| {
        let title = if several { format!("### {}\n", checks.join(", ")) } else { String::new() };
        format!("{title}{}\n", text.trim_end())
    });
    Ok(sections.collect::<Vec<_>>().join("\n"))
}

fn title(result: &CheckResult, marks: Marks<'_>) -> String {
    let name = marks.line(&result.check);
    match criterion(&result.check) {
        Some(criterion) => format!("`{name}` ({criterion})"),
        None => format!("`{name}`"),
    }
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
        let value = failed.result.params.get(param);
        if value.is_some() || !values.contains_key(param) {
            values.insert(param.clone(), fitted(param, value, &names, marks));
        }
    }
    let known = values.keys().map(String::as_str).collect();
    refuse_unknown(&failed.path, library, &known)?;
    let text = library.templates.render(engine, &failed.path, &values)?;
    let instructions = values.get("instructions").and_then(Value::as_str).unwrap_or_default();
    let has_them = instructions.is_empty() || names.asked.iter().any(|(name, _)| name == "instructions");
    Ok(if has_them { text } else { format!("{}\n\n{instructions}\n", text.trim_end()) })
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
        "error": fitted("error", Some(&error), names, marks),
        "places": places(&result.places, marks),
        "instructions": marks.text(result.param("instructions").unwrap_or_default()),
    });
    let mut values = facts.as_object().cloned().unwrap_or_default();
    for name in COMMON {
        if !values.contains_key(name) {
            let value = fitted(name, result.params.get(name), names, marks);
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
    for (path, text) in library.templates.with_included(vec![path.to_owned()]) {
        let names = Names::of(text);
        if let Some((name, line)) = names.asked.into_iter().find(|(name, _)| !known.contains(name.as_str())) {
            let line = library.templates.line(path, line);
            return Err(PromptError::Placeholder { path: path.to_owned(), line, name });
        }
    }
    Ok(())
}

/// Makes a parameter fit the use that a template makes of it: a list where it is gone through, one text where it is not.
/// What was not given is empty.
fn fitted(name: &str, value: Option<&Value>, names: &Names, marks: Marks<'_>) -> Value {
    let cleaner = Cleaner { names, marks };
    match value.unwrap_or(&Value::Null) {
        Value::Null if names.is_list(name) => json!([]),
        Value::Null => json!(""),
        Value::Array(items) if !names.is_list(name) && !names.is_object(name) => {
            let each: Vec<String> =
                items.iter().take(MOST_ELEMENTS).map(|item| marks.line(&value_text(item))).collect();
            Value::String(with_rest(each, items.len()).join(", "))
        }
        Value::Array(_) | Value::Object(_) => cleaner.value(name, value.unwrap_or(&Value::Null), 0),
        one if names.is_list(name) => json!([cleaner.value(name, one, 0)]),
        one => cleaner.value(name, one, 0),
    }
}

/// Returns places with all their keys.
fn places(places: &[Place], marks: Marks<'_>) -> Value {
    let line = |text: &Option<String>| text.as_deref().map(|text| marks.line(text)).unwrap_or_default();
    let each = places.iter().take(MOST_ELEMENTS).map(|place| {
        json!({
            "file": line(&place.file),
            "line": place.line.map_or_else(String::new, |line| line.to_string()),
            "what": marks.line(&place.what),
            "suggestion": line(&place.suggestion),
        })
    });
    each.collect()
}

/// Makes values harmless for one template.
struct Cleaner<'a> {
    names: &'a Names,
    marks: Marks<'a>,
}

impl Cleaner<'_> {
    fn value(&self, name: &str, value: &Value, depth: usize) -> Value {
        match value {
            Value::Null => json!(""),
            Value::Bool(_) | Value::Number(_) => value.clone(),
            Value::String(text) => Value::String(self.string(name, text)),
            _ if depth >= MOST_LEVELS => json!(""),
            Value::Array(items) => self.items(name, items, depth),
            Value::Object(fields) => self.fields(fields, depth),
        }
    }

    /// A text of several lines becomes a block, unless the template puts a fence of its own around it.
    fn string(&self, name: &str, raw: &str) -> String {
        if self.names.is_fenced(name) {
            return self.marks.text(raw);
        }
        if !raw.trim().contains('\n') {
            return self.marks.line(raw);
        }
        let source = format!("{} from a tool", self.marks.line(name));
        format!("\n{}", block(self.marks.call, &source, &self.marks.without(raw), TOOL_TEXT))
    }

    fn items(&self, name: &str, items: &[Value], depth: usize) -> Value {
        let mut cleaned: Vec<Value> =
            items.iter().take(MOST_ELEMENTS).map(|item| self.value(name, item, depth + 1)).collect();
        if items.len() > MOST_ELEMENTS && items.iter().all(Value::is_string) {
            cleaned.push(format!("… and {} more", items.len() - MOST_ELEMENTS).into());
        }
        Value::Array(cleaned)
    }

    fn fields(&self, fields: &Map<String, Value>, depth: usize) -> Value {
        let each = fields.iter().take(MOST_ELEMENTS).map(|(key, value)| {
            let key = self.marks.line(key);
            let value = self.value(&key, value, depth + 1);
            (key, value)
        });
        Value::Object(each.collect())
    }
}

#[cfg(test)]
mod tests;
