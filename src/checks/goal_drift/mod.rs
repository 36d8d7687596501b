//! The goal drift guard: five criteria about the words of an answer, as five checks and as one template.
//! The template's result holds all five in their order, and the instructions for the next attempt.

pub(super) mod completion_statement;
pub(super) mod escape_phrases;
mod instructions;
mod phrases;
pub(super) mod premature_completion;
pub(super) mod requirement_checklist;
pub(super) mod scope_reduction;

use serde_json::{Value, json};

use super::Site;
use super::outcome::{judged, of_answer, result};
use super::templates::Template;
use model::event::{CheckResult, CheckStatus, Place};
use model::policy::{criterion, quality_criterion};
use phrases::Violation;

pub(super) const TEMPLATE: Template =
    Template { id: "goal_drift_guard", name: "Goal Drift Guard", evaluate: |site| Ok(evaluate(site)) };

/// One criterion: what it looks for, and how a failure is told and repaired.
struct Criterion {
    check: &'static str,
    name: &'static str,
    violation: &'static str,
    description: &'static str,
    fix: &'static str,
    find: fn(&Words<'_>) -> Vec<Violation>,
}

/// In their order.
const CRITERIA: [&Criterion; 5] = [
    &escape_phrases::CRITERION,
    &premature_completion::CRITERION,
    &requirement_checklist::CRITERION,
    &completion_statement::CRITERION,
    &scope_reduction::CRITERION,
];

/// The words that are judged.
struct Words<'s> {
    answer: &'s str,
    issue: &'s str,
    /// Counts to the letter: quotations, code and parts of words, too.
    strict: bool,
}

impl<'s> Words<'s> {
    fn of(site: &Site<'s>) -> Option<Self> {
        let answer = site.answer?;
        Some(Self { answer, issue: &site.issue.body, strict: site.settings.counts_every_phrase() })
    }
}

/// Returns what one criterion says, as a check.
fn examine(criterion: &'static Criterion, site: &Site<'_>) -> CheckResult {
    let Some(words) = Words::of(site) else { return without_an_answer(criterion) };
    of_violations(criterion, &(criterion.find)(&words))
}

fn of_violations(criterion: &'static Criterion, violations: &[Violation]) -> CheckResult {
    let places = violations.iter().map(Violation::place).collect();
    let pattern = criterion.violation.replace('_', "-");
    let mut result = judged(criterion.check, &pattern, places, criterion.description, criterion.name);
    if result.status == CheckStatus::Fail {
        result.params.insert("violations".into(), violations_of(criterion, violations));
        result.params.insert("fix".into(), criterion.fix.into());
    }
    result
}

fn without_an_answer(criterion: &'static Criterion) -> CheckResult {
    let place = of_answer(NO_ANSWER);
    let pattern = criterion.violation.replace('_', "-");
    let mut result = judged(criterion.check, &pattern, vec![place], criterion.description, "");
    result.params.insert("error".into(), NO_ANSWER.into());
    result
}

const NO_ANSWER: &str = "there is no answer to judge";

fn violations_of(criterion: &Criterion, violations: &[Violation]) -> Value {
    each_violation(criterion, violations).collect()
}

fn each_violation(criterion: &Criterion, violations: &[Violation]) -> impl Iterator<Item = Value> {
    let id = id_of(criterion);
    violations.iter().map(move |violation| {
        json!({
            "phrase": violation.phrase,
            "pattern": violation.pattern,
            "context": violation.context,
            "line": violation.line,
            "criteria_id": id,
        })
    })
}

fn id_of(criterion: &Criterion) -> &'static str {
    self::criterion(criterion.check).expect("every criterion has an id")
}

/// Returns the criterion of the quality gate as which it is reported.
fn quality_of(criterion: &Criterion) -> &'static str {
    quality_criterion(id_of(criterion)).expect("every criterion is reported as one of the quality gate")
}

/// Returns all five in one result.
fn evaluate(site: &Site<'_>) -> CheckResult {
    let words = Words::of(site);
    let judged: Vec<(&'static Criterion, Vec<Violation>)> = CRITERIA
        .into_iter()
        .map(|criterion| {
            let missing = || vec![Violation::of_whole(NO_ANSWER)];
            (criterion, words.as_ref().map_or_else(missing, |words| (criterion.find)(words)))
        })
        .collect();
    let failed: Vec<&(&'static Criterion, Vec<Violation>)> =
        judged.iter().filter(|(_, violations)| !violations.is_empty()).collect();
    let mut whole = summed(&failed);
    whole.params.extend([
        ("passed".to_owned(), json!(failed.is_empty())),
        (
            "criteriaResults".to_owned(),
            judged.iter().map(|(criterion, found)| told(criterion, found)).collect(),
        ),
        ("failed_criteria".to_owned(), failed.iter().map(|(criterion, _)| id_of(criterion)).collect()),
        (
            "structured_reasons".to_owned(),
            failed.iter().map(|(criterion, found)| reason(criterion, found)).collect(),
        ),
        (
            "violations".to_owned(),
            failed.iter().flat_map(|(criterion, found)| each_violation(criterion, found)).collect(),
        ),
        ("instructions".to_owned(), instructions::told(TEMPLATE.name, &failed).into()),
    ]);
    if words.is_none() {
        whole.params.insert("error".into(), NO_ANSWER.into());
    }
    whole
}

fn summed(failed: &[&(&'static Criterion, Vec<Violation>)]) -> CheckResult {
    let name = |criterion: &Criterion| format!("{} as {}", id_of(criterion), quality_of(criterion));
    let names: Vec<String> = failed.iter().map(|(criterion, _)| name(criterion)).collect();
    let problem = format!("{} of 5 criteria failed ({})", failed.len(), names.join(", "));
    let places: Vec<Place> = failed
        .iter()
        .flat_map(|(criterion, found)| found.iter().map(|violation| violation.place_of(id_of(criterion))))
        .collect();
    if places.is_empty() {
        return result(TEMPLATE.id, CheckStatus::Pass, "all five criteria passed");
    }
    judged(TEMPLATE.id, "goal-drift", places, &problem, "")
}

fn told(criterion: &Criterion, found: &[Violation]) -> Value {
    json!({
        "criteria_id": id_of(criterion),
        "quality_criterion": quality_of(criterion),
        "name": criterion.name,
        "passed": found.is_empty(),
        "violations": violations_of(criterion, found),
    })
}

fn reason(criterion: &Criterion, found: &[Violation]) -> Value {
    json!({
        "criteria_id": id_of(criterion),
        "quality_criterion": quality_of(criterion),
        "violation_type": criterion.violation,
        "description": criterion.description,
        "evidence": found.iter().map(Violation::evidence).collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Scene;

    const GOOD: &str = "### Requirement Checklist\n- [x] Feature A\n- [x] Feature B\n\nCOMPLETE: All 2 requirements fulfilled";

    fn of(answer: &str) -> CheckResult {
        Scene::answering(answer).shown_to(evaluate)
    }

    #[test]
    fn the_result_holds_five_criteria_in_order() {
        let result = of("Basic implementation complete if needed.");
        let ids = |key: &str| -> Vec<String> {
            let list = result.params[key].as_array().expect("a list");
            list.iter().map(|value| value["criteria_id"].as_str().unwrap_or_default().to_owned()).collect()
        };
        assert_eq!(ids("criteriaResults"), ["GD1", "GD2", "GD3", "GD4", "GD5"]);
        assert_eq!(result.params["failed_criteria"], json!(["GD1", "GD2", "GD3", "GD4"]));
        assert_eq!(
            (&result.params["passed"], result.pattern.as_deref()),
            (&json!(false), Some("goal-drift"))
        );
        assert_eq!(ids("structured_reasons"), ["GD1", "GD2", "GD3", "GD4"]);
        let types: Vec<&str> = result.params["structured_reasons"]
            .as_array()
            .expect("a list")
            .iter()
            .filter_map(|it| it["violation_type"].as_str())
            .collect();
        assert_eq!(
            types,
            ["escape_phrase", "premature_completion", "missing_checklist", "invalid_completion_statement"]
        );
        let first = &result.params["criteriaResults"][0]["violations"][0];
        assert_eq!((&first["phrase"], &first["line"]), (&json!("if needed"), &json!(1)));
        let good = of(GOOD);
        assert_eq!((good.status, &good.params["passed"]), (CheckStatus::Pass, &json!(true)));
    }

    #[test]
    fn each_criterion_is_reported_as_one_of_the_quality_gate() {
        let result = Scene::new().shown_to(evaluate);
        for list in ["criteriaResults", "structured_reasons"] {
            let all = result.params[list].as_array().expect("a list").iter();
            let pairs: Vec<_> =
                all.map(|it| (it["criteria_id"].clone(), it["quality_criterion"].clone())).collect();
            let expected = [("GD1", "Q2"), ("GD2", "Q5"), ("GD3", "Q5"), ("GD4", "Q5"), ("GD5", "Q3")];
            assert_eq!(pairs, expected.map(|(id, quality)| (json!(id), json!(quality))));
        }
        assert_eq!(
            result.summary,
            "5 of 5 criteria failed (GD1 as Q2, GD2 as Q5, GD3 as Q5, GD4 as Q5, GD5 as Q3): answer: GD1: there is no answer to judge (and 4 more)"
        );
        assert_eq!(result.params["violations"].as_array().map(Vec::len), Some(5));
    }

    #[test]
    fn without_an_answer_all_five_fail() {
        let result = Scene::new().shown_to(evaluate);
        assert_eq!(result.params["failed_criteria"], json!(["GD1", "GD2", "GD3", "GD4", "GD5"]));
        assert_eq!(result.param("error"), Some(NO_ANSWER));
        let one = Scene::new().shown_to(escape_phrases::examine);
        assert_eq!((one.status, one.param("error")), (CheckStatus::Fail, Some(NO_ANSWER)));
    }

    #[test]
    fn the_instructions_name_each_reason() {
        let result = of("Basic implementation complete if needed.");
        let text = result.param("instructions").expect("a text").to_owned();
        assert!(text.starts_with("## Template-Specific Issues (Goal Drift Guard)\n"), "{text}");
        for part in ["GD1", "GD2", "GD3", "GD4", "Fix: ", "COMPLETE: All N requirements fulfilled"] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(!text.contains("GD5"));
    }

    #[test]
    fn three_pieces_of_evidence_are_told_and_the_rest_counted() {
        let many = format!("{}{GOOD}", "It is optional.\n".repeat(5));
        let result = of(&many);
        let text = result.param("instructions").expect("a text").to_owned();
        assert_eq!(
            (text.matches("\"optional\"").count(), text.contains("... and 2 more")),
            (3, true),
            "{text}"
        );
        assert_eq!(of(GOOD).param("instructions"), Some(""));
    }
}
