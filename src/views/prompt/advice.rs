//! What to do about each check that did not pass: its retry text, filled with what the check gives, in the order of the
//! checks. What a check gives is made harmless: no text can close a fence, carry a mark of ours or take more space than it is
//! worth, and nothing that is inserted is looked at again, so that braces in it stay braces. `retry_texts` chooses the text.

use handlebars::Handlebars;
use serde_json::{Map, Value, json};

use super::PromptError;
use super::fence::{Marks, TOOL_TEXT};
use super::lists::{self, value_text, with_rest};
use super::placeholders::{Names, Values};
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

impl Library<'_> {
    /// Returns the checks that did not pass, each with the path of its text.
    pub(super) fn failed<'a>(&self, checks: &'a [CheckResult]) -> Vec<Failed<'a>> {
        let open = checks.iter().filter(|result| lists::is_open(result));
        open.map(|result| Failed { result, path: self.of_failure(result) }).collect()
    }

    /// Returns all texts, each once, under the names of their checks when there are several.
    pub(super) fn advice(&self, failed: &[Failed<'_>], values: &Values) -> Result<String, PromptError> {
        let engine = self.templates.engine(failed.iter().map(|failed| failed.path.clone()).collect())?;
        let mut texts: Vec<(String, Vec<String>)> = Vec::new();
        for one in failed {
            let text = self.text(one, &engine, values)?;
            let check = title(one.result, self.marks);
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

    fn text(
        &self,
        one: &Failed<'_>,
        engine: &Handlebars<'_>,
        values: &Values,
    ) -> Result<String, PromptError> {
        let Failed { result, path } = one;
        let mut values = values.clone();
        let names = self.templates.names(path);
        let cleaner = Cleaner { names: &names, marks: self.marks };
        let pattern = self.patterns.get(result.pattern.as_deref().unwrap_or_default());
        cleaner.add_common(result, pattern.map_or("", |pattern| &pattern.description), &mut values);
        for param in self.templates.params(path) {
            let value = result.params.get(param);
            if value.is_some() || !values.contains_key(param) {
                values.insert(param.clone(), cleaner.fitted(param, value));
            }
        }
        self.templates.refuse_unknown(path, &values.keys().map(String::as_str).collect())?;
        let text = self.templates.render(engine, path, &values)?;
        let instructions = values.get("instructions").and_then(Value::as_str).unwrap_or_default();
        let has_them = instructions.is_empty() || names.asked.iter().any(|(name, _)| name == "instructions");
        Ok(if has_them { text } else { format!("{}\n\n{instructions}\n", text.trim_end()) })
    }
}

fn title(result: &CheckResult, marks: Marks<'_>) -> String {
    let name = marks.line(&result.check);
    match criterion(&result.check) {
        Some(criterion) => format!("`{name}` ({criterion})"),
        None => format!("`{name}`"),
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
    /// Adds what every check gives; what this one does not have is empty.
    fn add_common(&self, result: &CheckResult, description: &str, values: &mut Values) {
        let marks = self.marks;
        let facts = json!({
            "check": marks.line(&result.check),
            "criterion": criterion(&result.check).unwrap_or_default(),
            "type": issue_type(&result.check),
            "pattern": marks.line(result.pattern.as_deref().unwrap_or_default()),
            "description": marks.line(description),
            "summary": marks.line(&result.summary),
            "error": self.fitted("error", Some(&result.evidence.as_str().into())),
            "places": places(&result.places, marks),
            "instructions": marks.text(result.param("instructions").unwrap_or_default()),
        });
        for name in COMMON {
            let value = facts.get(name).cloned();
            let value = value.unwrap_or_else(|| self.fitted(name, result.params.get(name)));
            values.insert(name.to_owned(), value);
        }
    }

    /// Makes a parameter fit the use that a template makes of it: a list where it is gone through, one text where it is not.
    /// What was not given is empty.
    fn fitted(&self, name: &str, value: Option<&Value>) -> Value {
        let is_list = self.names.is_list(name);
        match value.unwrap_or(&Value::Null) {
            Value::Null if is_list => json!([]),
            Value::Array(items) if !is_list && !self.names.is_object(name) => {
                let first = items.iter().take(MOST_ELEMENTS);
                let each = first.map(|item| self.marks.line(&value_text(item))).collect();
                Value::String(with_rest(each, items.len()).join(", "))
            }
            several @ (Value::Array(_) | Value::Object(_)) => self.value(name, several, 0),
            one if is_list => json!([self.value(name, one, 0)]),
            one => self.value(name, one, 0),
        }
    }

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
        format!("\n{}", self.marks.block(&source, raw, TOOL_TEXT))
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
