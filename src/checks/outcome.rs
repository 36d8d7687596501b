//! How a check says what it saw: one constructor for each status, and one for a list of places.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::{Value, json};

use super::{CheckResult, CheckStatus, Place, Site};
use model::data_file;

/// More places than this are counted and not told.
pub(super) const MOST_PLACES: usize = 40;
/// So much of a summary is told again elsewhere, in characters.
pub(super) const MOST_TOLD: usize = 200;
/// So much of a piece of code is told, in characters.
pub(super) const MOST_SHOWN: usize = 90;

/// So many questions a check asks at most; the last one has all the places that are left.
const MOST_QUESTIONS: usize = 3;

/// Checks of tests and of the whole change: what has no file there stands in nobody's answer.
const NOT_OF_AN_ANSWER: [&str; 6] =
    ["tests", "pass_to_pass", "changed_expectations", "runner_settings", "red_green", "code_changed"];

pub(super) fn result(check: &str, status: CheckStatus, summary: &str) -> CheckResult {
    CheckResult {
        check: check.to_owned(),
        status,
        pattern: None,
        summary: summary.to_owned(),
        evidence: String::new(),
        params: BTreeMap::new(),
        places: Vec::new(),
        asks: false,
    }
}

pub(super) fn passed(check: &str, summary: &str) -> CheckResult {
    result(check, CheckStatus::Pass, summary)
}

pub(super) fn skipped(check: &str, why: &str) -> CheckResult {
    result(check, CheckStatus::Skipped, why)
}

pub(super) fn failure(check: &str, pattern: &str, summary: &str, params: &[(&str, &str)]) -> CheckResult {
    CheckResult {
        pattern: Some(pattern.to_owned()),
        params: params.iter().map(|(key, value)| ((*key).to_owned(), Value::from(*value))).collect(),
        ..result(check, CheckStatus::Fail, summary)
    }
}

/// Makes a place in a file.
pub(super) fn at(file: &str, line: usize, what: impl Into<String>) -> Place {
    Place { file: Some(file.to_owned()), line: u64::try_from(line).ok(), ..of_answer(what) }
}

/// Makes a place that is a whole file.
pub(super) fn file(file: &str, what: impl Into<String>) -> Place {
    Place { file: Some(file.to_owned()), ..of_answer(what) }
}

/// Makes a place in the author's answer.
pub(super) fn of_answer(what: impl Into<String>) -> Place {
    Place { what: what.into(), ..Place::default() }
}

/// Fails when there are places, and passes with `clean` when there are none. `problem` says in few words what they are.
pub(super) fn judged(
    check: &str,
    pattern: &str,
    places: Vec<Place>,
    problem: &str,
    clean: &str,
) -> CheckResult {
    let Some(first) = places.first() else { return passed(check, clean) };
    let shown = |place: &Place| shown_by(check, place);
    let summary = format!("{problem}: {}{}", shown(first), and_more(places.len()));
    let evidence = places.iter().take(MOST_PLACES).map(shown).collect::<Vec<_>>().join("\n");
    let mut files: Vec<&str> = places.iter().filter_map(|place| place.file.as_deref()).collect();
    files.sort_unstable();
    files.dedup();
    files.truncate(MOST_PLACES);
    let params = [("relatedFiles".to_owned(), json!(files)), ("count".to_owned(), json!(places.len()))];
    CheckResult {
        evidence,
        params: params.into(),
        places: places.into_iter().take(MOST_PLACES).collect(),
        ..failure(check, pattern, &summary, &[])
    }
}

/// Adds what a failure tells besides; what passed stays as it is.
pub(super) fn if_failed<const N: usize>(mut result: CheckResult, params: [(&str, Value); N]) -> CheckResult {
    if result.status == CheckStatus::Fail {
        result.params.extend(params.map(|(name, value)| (name.to_owned(), value)));
    }
    result
}

/// Says how many more there are than the first that is told.
pub(super) fn and_more(count: usize) -> String {
    if count > 1 { format!(" (and {} more)", count - 1) } else { String::new() }
}

/// What a check says of the places that it finds, where that depends on nothing else.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rule {
    pattern: String,
    problem: String,
    clean: String,
}

static RULES: LazyLock<BTreeMap<String, Rule>> =
    LazyLock::new(|| data_file::read(include_str!("data/rules.toml")));

/// Fails where there are places, in the words that `data/rules.toml` has for the check.
pub(super) fn judge_places(check: &str, places: Vec<Place>) -> CheckResult {
    let rule = &RULES[check];
    judged(check, &rule.pattern, places, &rule.problem, &rule.clean)
}

/// Makes each place of a failed result a question that the reviewer has to answer.
pub(super) fn asking(result: CheckResult) -> CheckResult {
    CheckResult { asks: result.status == CheckStatus::Fail, ..result }
}

/// Makes one question of all that is beyond the others: a reviewer answers a few well.
pub(super) fn gathered(mut doubts: Vec<Place>) -> Vec<Place> {
    if doubts.len() <= MOST_QUESTIONS {
        return doubts;
    }
    let others = doubts.split_off(MOST_QUESTIONS);
    if let Some(last) = doubts.last_mut() {
        for other in others {
            let other = if other.file.is_some() { shown(&other) } else { other.what };
            last.what = format!("{}\nAlso {other}", last.what);
        }
    }
    doubts
}

/// Returns a place of a check as people read it. What has no file stands in the author's answer, but for checks of
/// tests and of the whole change.
pub fn shown_by(check: &str, place: &Place) -> String {
    match &place.file {
        None if NOT_OF_AN_ANSWER.contains(&check) => place.what.clone(),
        _ => shown(place),
    }
}

/// Makes each place of a failed result a question where a reviewer reads it; where nobody does, it stays a failure.
pub(super) fn question_to_reviewer(result: CheckResult, site: &Site<'_>) -> CheckResult {
    if site.phase.policy.review.is_some() { asking(result) } else { result }
}

/// Returns a place as people read it.
pub(super) fn shown(place: &Place) -> String {
    match (&place.file, place.line) {
        (Some(file), Some(line)) => format!("{file}:{line}: {}", place.what),
        (Some(file), None) => format!("{file}: {}", place.what),
        (None, _) => format!("answer: {}", place.what),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::register::{Check, find};

    #[test]
    fn each_check_that_looks_for_places_has_its_words_and_no_other_has_words_alone() {
        let looks = crate::ids().filter(|id| matches!(find(id), Some(Check::Places(_))));
        for id in looks {
            assert_eq!(judge_places(id, Vec::new()).status, CheckStatus::Pass, "{id}");
        }
        for id in RULES.keys() {
            assert!(matches!(find(id), Some(Check::Places(_) | Check::Look(_))), "{id}");
        }
    }
}
