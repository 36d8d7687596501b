//! What to do about each check that did not pass: its retry text, filled with what the check gives, in the order of the checks.
//! What a check gives is made harmless: no text can close a fence, carry a mark of ours or take more space than it is worth, and
//! nothing that is inserted is looked at again, so that braces in it stay braces.
//!
//! The repository's own `retry/<pattern>.md` comes first, then its C3L path `{c1}/{c2}/{c3}/f_{edition}[_{adaptation}].md`,
//! then the same path below the base that a registry names, then ours. A pattern without any text falls back on the
//! pattern whose keywords fit best, and at last on `f_failed.md`.

use std::collections::BTreeMap;

use handlebars::Handlebars;
use regex::RegexBuilder;
use serde_json::{Map, Value, json};

use super::PromptError;
use super::fence::{FenceMarks, TOOL_TEXT};
use super::templates::{TemplatePlaceholders, Templates, Values};
use model::event::{CheckResult, CheckStatus, Place};
use model::policy::{FailurePattern, RetryPromptPath, criterion, finding_type};
use model::text::head;

/// The edition of patterns that no registry defines, and of the text for all others.
const EDITION: &str = "failed";
/// Where texts lie when no registry says so, and where ours do.
const USUAL: &str = "steps/retry/issue";
/// More of what was seen is not searched for keywords, in bytes.
const LONGEST_CORPUS: usize = 64 * 1024;
/// The largest compiled expression, in bytes.
const LARGEST_EXPRESSION: usize = 256 * 1024;

/// What every check gives: facts of its result, and parameters that have the same meaning for all.
pub(super) const COMMON: &str = "check criterion type pattern description summary error places instructions command count \
     severity relatedFiles rootCause suggestedAction";

/// More elements of a list than this are counted.
const MOST_ELEMENTS: usize = 50;
/// Values in more lists and objects than this are left out.
const MOST_LEVELS: usize = 5;

/// Where texts lie, which patterns there are, and the marks around what is inserted.
#[derive(Clone, Copy)]
pub(super) struct RetryTexts<'a> {
    pub(super) templates: &'a Templates<'a>,
    pub(super) patterns: &'a BTreeMap<String, FailurePattern>,
    pub(super) c3l: Option<&'a RetryPromptPath>,
    pub(super) marks: FenceMarks<'a>,
}

/// A check that did not pass, and the path of its retry text.
pub(super) struct FailedCheck<'a> {
    pub(super) result: &'a CheckResult,
    pub(super) path: String,
}

impl RetryTexts<'_> {
    /// Returns the checks that did not pass, each with the path of its text.
    pub(super) fn failed<'a>(&self, checks: &'a [CheckResult]) -> Vec<FailedCheck<'a>> {
        let open = checks.iter().filter(|result| is_open(result));
        open.map(|result| FailedCheck { result, path: self.path_for_failure(result) }).collect()
    }

    /// Returns all texts, each once, under the names of their checks when there are several.
    pub(super) fn advice(&self, failed: &[FailedCheck<'_>], values: &Values) -> Result<String, PromptError> {
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
        one: &FailedCheck<'_>,
        engine: &Handlebars<'_>,
        values: &Values,
    ) -> Result<String, PromptError> {
        let FailedCheck { result, path } = one;
        let mut values = values.clone();
        let names = self.templates.names(path);
        let cleaner = ValueCleaner { names: &names, marks: self.marks };
        let pattern = self.patterns.get(result.pattern.as_deref().unwrap_or_default());
        cleaner.add_common(result, pattern.map_or("", |pattern| &pattern.description), &mut values);
        for param in self.templates.params(path) {
            let value = result.params.get(param);
            if value.is_some() || !values.contains_key(param) {
                values.insert(param.clone(), cleaner.fit(param, value));
            }
        }
        self.templates.refuse_unknown(path, &values)?;
        let text = self.templates.render(engine, path, &values)?;
        let instructions = values.get("instructions").and_then(Value::as_str).unwrap_or_default();
        let has_them = instructions.is_empty() || names.asked.iter().any(|(name, _)| name == "instructions");
        Ok(if has_them { text } else { format!("{}\n\n{instructions}\n", text.trim_end()) })
    }

    /// Returns the path of the text for a failed check.
    pub(super) fn path_for_failure(&self, result: &CheckResult) -> String {
        let exact = result.pattern.as_deref().and_then(|pattern| self.path_for_pattern(pattern));
        let similar = || self.path_for_pattern(most_similar(result, self.patterns)?);
        exact.or_else(similar).unwrap_or_else(|| self.path_for_others())
    }

    fn path_for_pattern(&self, pattern: &str) -> Option<String> {
        let adapted = FailurePattern {
            edition: EDITION.to_owned(),
            adaptation: Some(pattern.to_owned()),
            ..FailurePattern::default()
        };
        let file = file_name(self.patterns.get(pattern).unwrap_or(&adapted));
        self.first(&format!("retry/{pattern}.md"), &file, &file_name(&adapted))
    }

    fn path_for_others(&self) -> String {
        let file = format!("f_{EDITION}.md");
        self.first("retry/generic.md", &file, &file).unwrap_or_else(|| built_in_path(&file))
    }

    /// Returns the first path at which there is a text.
    fn first(&self, short: &str, file: &str, usual: &str) -> Option<String> {
        let below = match self.c3l {
            Some(c3l) => format!("{}/{}/{}/{file}", c3l.c1, c3l.c2, c3l.c3),
            None => format!("{USUAL}/{file}"),
        };
        let base = self.c3l.map_or("", |c3l| &c3l.base);
        let own = [short.to_owned(), below.clone(), join_base(base, &below)];
        let own = own.into_iter().find(|path| self.templates.is_own(path));
        own.or_else(|| {
            [short.to_owned(), built_in_path(usual)].into_iter().find(|path| self.templates.has(path))
        })
    }
}

fn title(result: &CheckResult, marks: FenceMarks<'_>) -> String {
    let name = marks.line(&result.check);
    match criterion(&result.check) {
        Some(criterion) => format!("`{name}` ({criterion})"),
        None => format!("`{name}`"),
    }
}

/// Returns places with all their keys.
fn places(places: &[Place], marks: FenceMarks<'_>) -> Value {
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
struct ValueCleaner<'a> {
    names: &'a TemplatePlaceholders,
    marks: FenceMarks<'a>,
}

impl ValueCleaner<'_> {
    /// Adds what every check gives; what this one does not have is empty.
    fn add_common(&self, result: &CheckResult, description: &str, values: &mut Values) {
        let marks = self.marks;
        let facts = json!({
            "check": marks.line(&result.check),
            "criterion": criterion(&result.check).unwrap_or_default(),
            "type": finding_type(&result.check),
            "pattern": marks.line(result.pattern.as_deref().unwrap_or_default()),
            "description": marks.line(description),
            "summary": marks.line(&result.summary),
            "error": self.fit("error", Some(&result.evidence.as_str().into())),
            "places": places(&result.places, marks),
            "instructions": marks.text(result.param("instructions").unwrap_or_default()),
        });
        for name in COMMON.split_whitespace() {
            let value = facts.get(name).cloned();
            let value = value.unwrap_or_else(|| self.fit(name, result.params.get(name)));
            values.insert(name.to_owned(), value);
        }
    }

    /// Makes a parameter fit the use that a template makes of it: a list where it is gone through, one text where it is not.
    /// What was not given is empty.
    fn fit(&self, name: &str, value: Option<&Value>) -> Value {
        let is_list = self.names.is_list(name);
        match value.unwrap_or(&Value::Null) {
            Value::Null if is_list => json!([]),
            Value::Array(items) if !is_list && !self.names.is_object(name) => {
                let first = items.iter().take(MOST_ELEMENTS);
                let each = first.map(|item| self.marks.line(&value_text(item))).collect();
                Value::String(add_rest(each, items.len()).join(", "))
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

/// Tells whether a result is something to repair.
pub(super) fn is_open(result: &CheckResult) -> bool {
    matches!(result.status, CheckStatus::Fail | CheckStatus::Unavailable)
}

/// Returns a value as text: texts as they are, everything else as JSON.
pub(super) fn value_text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Adds how many of `all` are missing.
pub(super) fn add_rest(mut shown: Vec<String>, all: usize) -> Vec<String> {
    if all > shown.len() {
        shown.push(format!("… and {} more", all - shown.len()));
    }
    shown
}

/// Returns the folder in which the texts of a step of a registry lie, seen from the top of the repository.
pub fn retry_folder(c3l: &RetryPromptPath) -> String {
    join_base(&c3l.base, &format!("{}/{}/{}", c3l.c1, c3l.c2, c3l.c3))
}

fn file_name(pattern: &FailurePattern) -> String {
    match pattern.adaptation.as_deref().filter(|adaptation| !adaptation.is_empty()) {
        Some(adaptation) => format!("f_{}_{adaptation}.md", pattern.edition),
        None => format!("f_{}.md", pattern.edition),
    }
}

fn join_base(base: &str, path: &str) -> String {
    let base = base.trim_end_matches('/');
    if base.is_empty() { path.to_owned() } else { format!("{base}/{path}") }
}

fn built_in_path(file: &str) -> String {
    format!("{USUAL}/{file}")
}

/// Returns the patterns whose text a path would be: those of a registry, and else the one its name says.
pub(super) fn patterns_of<'a>(path: &'a str, patterns: &'a BTreeMap<String, FailurePattern>) -> Vec<&'a str> {
    let file = path.rsplit('/').next().unwrap_or(path);
    let short = path.strip_prefix("retry/").and_then(|name| name.strip_suffix(".md"));
    let usual = || file.strip_prefix("f_")?.strip_prefix(EDITION)?.strip_prefix('_')?.strip_suffix(".md");
    let defined = patterns.iter().filter(|(_, pattern)| short.is_none() && file_name(pattern) == file);
    let mut found: Vec<&str> = defined.map(|(name, _)| name.as_str()).collect();
    if found.is_empty() {
        found.extend(short.or_else(usual));
    }
    found
}

/// Returns the name of the pattern that a failure resembles most, by words in what was seen: one point for each keyword found, of
/// equal ones the first. Nothing when no keyword is found.
fn most_similar<'a>(result: &CheckResult, patterns: &'a BTreeMap<String, FailurePattern>) -> Option<&'a str> {
    let corpus = corpus(result);
    let scores =
        patterns.iter().map(|(name, pattern)| (count_keywords(&pattern.keywords, &corpus), name.as_str()));
    match scores.rev().max_by_key(|(score, _)| *score)? {
        (0, _) => None,
        (_, name) => Some(name),
    }
}

/// What a check says about its failure in its own words; only the cause is searched, after the summary.
const OWN_WORDS: [&str; 5] = ["severity", "relatedFiles", "suggestedAction", "instructions", CAUSE];
const CAUSE: &str = "rootCause";

/// Returns what is searched: the error text, the parameters that are texts or lists of texts, the summary and the cause.
fn corpus(result: &CheckResult) -> String {
    let texts = |value: &Value| -> Vec<String> {
        match value {
            Value::String(text) => vec![text.clone()],
            Value::Array(items) => items.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
            _ => Vec::new(),
        }
    };
    let mut pieces = vec![result.evidence.clone()];
    let given = result.params.iter().filter(|(name, _)| !OWN_WORDS.contains(&name.as_str()));
    pieces.extend(given.flat_map(|(_, value)| texts(value)));
    pieces.push(result.summary.clone());
    pieces.extend(result.param(CAUSE).map(str::to_owned));
    pieces.retain(|part| !part.is_empty());
    head(&pieces.join(" "), LONGEST_CORPUS).to_lowercase()
}

/// Counts the keywords that a text in lower case holds. An expression that is none is skipped.
fn count_keywords(keywords: &[String], corpus: &str) -> usize {
    keywords.iter().filter(|keyword| contains_keyword(keyword, corpus)).count()
}

fn contains_keyword(keyword: &str, corpus: &str) -> bool {
    let Some(expression) = keyword.strip_prefix('/').and_then(|rest| rest.strip_suffix('/')) else {
        let keyword = keyword.trim().to_lowercase();
        return !keyword.is_empty() && corpus.contains(&keyword);
    };
    let built = RegexBuilder::new(expression).case_insensitive(true).size_limit(LARGEST_EXPRESSION).build();
    !expression.is_empty() && built.is_ok_and(|expression| expression.is_match(corpus))
}

#[cfg(test)]
mod tests;
