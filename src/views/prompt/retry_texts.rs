//! Where the retry text of a failure is looked for, in which order. Names paths; whether there is a text, `templates` knows.
//!
//! The repository's own `retry/<pattern>.md` comes first, then its C3L path `{c1}/{c2}/{c3}/f_{edition}[_{adaptation}].md`,
//! then the same path below the base that a registry names, then ours. A pattern without any text falls back on the
//! pattern whose keywords fit best, and at last on `f_failed.md`.

use std::collections::BTreeMap;

use regex::RegexBuilder;
use serde_json::Value;

use super::fence::Marks;
use super::templates::Templates;
use model::event::CheckResult;
use model::policy::{C3l, Pattern};

/// The edition of patterns that no registry defines, and of the text for all others.
const EDITION: &str = "failed";
/// Where texts lie when no registry says so, and where ours do.
const USUAL: &str = "steps/retry/issue";
/// More of what was seen is not searched for keywords, in bytes.
const LONGEST_CORPUS: usize = 64 * 1024;
/// The largest compiled expression, in bytes.
const LARGEST_EXPRESSION: usize = 256 * 1024;

/// Where texts lie, which patterns there are, and the marks around what is inserted.
#[derive(Clone, Copy)]
pub(super) struct Library<'a> {
    pub(super) templates: &'a Templates<'a>,
    pub(super) patterns: &'a BTreeMap<String, Pattern>,
    pub(super) c3l: Option<&'a C3l>,
    pub(super) marks: Marks<'a>,
}

impl Library<'_> {
    /// Returns the path of the text for a failed check.
    pub(super) fn of_failure(&self, result: &CheckResult) -> String {
        let exact = result.pattern.as_deref().and_then(|pattern| self.of_pattern(pattern));
        let similar = || self.of_pattern(most_similar(result, self.patterns)?);
        exact.or_else(similar).unwrap_or_else(|| self.of_all_others())
    }

    fn of_pattern(&self, pattern: &str) -> Option<String> {
        let adapted = Pattern {
            edition: EDITION.to_owned(),
            adaptation: Some(pattern.to_owned()),
            ..Pattern::default()
        };
        let file = file_name(self.patterns.get(pattern).unwrap_or(&adapted));
        self.first(&format!("retry/{pattern}.md"), &file, &file_name(&adapted))
    }

    fn of_all_others(&self) -> String {
        let file = format!("f_{EDITION}.md");
        self.first("retry/generic.md", &file, &file).unwrap_or_else(|| ours(&file))
    }

    /// Returns the first path at which there is a text.
    fn first(&self, short: &str, file: &str, usual: &str) -> Option<String> {
        let below = match self.c3l {
            Some(c3l) => format!("{}/{}/{}/{file}", c3l.c1, c3l.c2, c3l.c3),
            None => format!("{USUAL}/{file}"),
        };
        let base = self.c3l.map_or("", |c3l| &c3l.base);
        let own = [short.to_owned(), below.clone(), based(base, &below)];
        let own = own.into_iter().find(|path| self.templates.is_own(path));
        own.or_else(|| [short.to_owned(), ours(usual)].into_iter().find(|path| self.templates.has(path)))
    }
}

/// Returns the folder in which the texts of a step of a registry lie, seen from the top of the repository.
pub fn retry_folder(c3l: &C3l) -> String {
    based(&c3l.base, &format!("{}/{}/{}", c3l.c1, c3l.c2, c3l.c3))
}

fn file_name(pattern: &Pattern) -> String {
    match pattern.adaptation.as_deref().filter(|adaptation| !adaptation.is_empty()) {
        Some(adaptation) => format!("f_{}_{adaptation}.md", pattern.edition),
        None => format!("f_{}.md", pattern.edition),
    }
}

fn based(base: &str, path: &str) -> String {
    let base = base.trim_end_matches('/');
    if base.is_empty() { path.to_owned() } else { format!("{base}/{path}") }
}

fn ours(file: &str) -> String {
    format!("{USUAL}/{file}")
}

/// Returns the patterns whose text a path would be: those of a registry, and else the one its name says.
pub(super) fn patterns_of<'a>(path: &'a str, patterns: &'a BTreeMap<String, Pattern>) -> Vec<&'a str> {
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
fn most_similar<'a>(result: &CheckResult, patterns: &'a BTreeMap<String, Pattern>) -> Option<&'a str> {
    let corpus = corpus(result);
    let scores = patterns.iter().map(|(name, pattern)| (score(&pattern.keywords, &corpus), name.as_str()));
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
    let mut corpus = pieces.join(" ");
    let end =
        (0..=LONGEST_CORPUS.min(corpus.len())).rev().find(|at| corpus.is_char_boundary(*at)).unwrap_or(0);
    corpus.truncate(end);
    corpus.to_lowercase()
}

/// Counts the keywords that a text in lower case holds. An expression that is none is skipped.
fn score(keywords: &[String], corpus: &str) -> usize {
    keywords.iter().filter(|keyword| found(keyword, corpus)).count()
}

fn found(keyword: &str, corpus: &str) -> bool {
    let Some(expression) = keyword.strip_prefix('/').and_then(|rest| rest.strip_suffix('/')) else {
        let keyword = keyword.trim().to_lowercase();
        return !keyword.is_empty() && corpus.contains(&keyword);
    };
    let built = RegexBuilder::new(expression).case_insensitive(true).size_limit(LARGEST_EXPRESSION).build();
    !expression.is_empty() && built.is_ok_and(|expression| expression.is_match(corpus))
}

#[cfg(test)]
mod tests;
