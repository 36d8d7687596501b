//! Which pattern a failure resembles, by words in what was seen. One point for each keyword found; the most points win.

use std::collections::BTreeMap;

use regex::RegexBuilder;
use serde_json::Value;

use model::event::CheckResult;
use model::policy::Pattern;

/// More of what was seen is not searched, in bytes.
const LONGEST: usize = 64 * 1024;
/// The largest compiled expression, in bytes.
const LARGEST: usize = 256 * 1024;

/// Returns the name of the pattern that fits best; of equal ones the first. Nothing when no keyword is found.
pub(super) fn best<'a>(result: &CheckResult, patterns: &'a BTreeMap<String, Pattern>) -> Option<&'a str> {
    let corpus = corpus(result);
    let scores = patterns.iter().map(|(name, pattern)| (score(&pattern.keywords, &corpus), name.as_str()));
    let best = scores.rev().max_by_key(|(score, _)| *score)?;
    (best.0 > 0).then_some(best.1)
}

/// What a check says about its failure in its own words; only the cause is searched, after the summary.
const WORDS: [&str; 5] = ["severity", "relatedFiles", "suggestedAction", "instructions", CAUSE];
const CAUSE: &str = "rootCause";

/// Returns what is searched: the error text, the parameters that are texts or lists of texts, the summary and the cause.
pub(super) fn corpus(result: &CheckResult) -> String {
    let texts = |value: &Value| -> Vec<String> {
        match value {
            Value::String(text) => vec![text.clone()],
            Value::Array(items) => items.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
            _ => Vec::new(),
        }
    };
    let mut parts = vec![result.evidence.clone()];
    let given = result.params.iter().filter(|(name, _)| !WORDS.contains(&name.as_str()));
    parts.extend(given.flat_map(|(_, value)| texts(value)));
    parts.push(result.summary.clone());
    parts.extend(result.param(CAUSE).map(str::to_owned));
    parts.retain(|part| !part.is_empty());
    let mut corpus = parts.join(" ");
    let end = (0..=LONGEST.min(corpus.len())).rev().find(|at| corpus.is_char_boundary(*at)).unwrap_or(0);
    corpus.truncate(end);
    corpus.to_lowercase()
}

/// Counts the keywords that a text in lower case holds. An expression that is none is skipped.
pub(super) fn score(keywords: &[String], corpus: &str) -> usize {
    keywords.iter().filter(|keyword| found(keyword, corpus)).count()
}

fn found(keyword: &str, corpus: &str) -> bool {
    let Some(expression) = keyword.strip_prefix('/').and_then(|rest| rest.strip_suffix('/')) else {
        let keyword = keyword.trim().to_lowercase();
        return !keyword.is_empty() && corpus.contains(&keyword);
    };
    let built = RegexBuilder::new(expression).case_insensitive(true).size_limit(LARGEST).build();
    !expression.is_empty() && built.is_ok_and(|expression| expression.is_match(corpus))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(keywords: &[&str], corpus: &str) -> usize {
        score(&keywords.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>(), corpus)
    }

    #[test]
    fn words_and_expressions_count_one_each_and_bad_expressions_nothing() {
        assert_eq!(count(&["Dirty", "git", "lint"], "git directory is dirty"), 2);
        assert_eq!(count(&[r"/\d+ TESTS? failed/", "assertion"], "5 tests failed: assertion"), 2);
        assert_eq!(count(&["/[invalid/", "//", "/", "", " ", "dirty"], "it is dirty"), 1);
        assert_eq!(count(&["/(a{1000}){1000}/"], "aaa"), 0, "too large is as bad as wrong");
    }
}
