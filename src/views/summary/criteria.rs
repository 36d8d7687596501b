//! The criteria that a check judged: the one that it is itself, or each one of a template of evaluators in its order.

use serde_json::Value;

use model::event::{CheckResult, CheckStatus};
use model::policy::{criterion, quality_criterion};

/// What a check says about one criterion.
pub(super) struct CriterionResult<'r> {
    /// The criterion, such as `GD1`; the name of a check that is none.
    pub id: &'r str,
    /// The criterion of the quality gate as which it is reported, where that is another one.
    pub quality: Option<&'static str>,
    /// Whether it is fulfilled.
    pub passed: bool,
    /// What was seen.
    pub details: &'r str,
}

impl CriterionResult<'_> {
    /// Returns the criterion with the one as which it is reported: `GD1 as Q2`.
    pub(super) fn label(&self) -> String {
        self.quality.map_or_else(|| self.id.to_owned(), |quality| format!("{} as {quality}", self.id))
    }
}

/// Returns what a check says about each of its criteria; one result for a check that is no template.
pub(super) fn criteria_of(result: &CheckResult) -> Vec<CriterionResult<'_>> {
    let of_template = of_template(result);
    if !of_template.is_empty() {
        return of_template;
    }
    let id = criterion(&result.check).unwrap_or(&result.check);
    let (passed, details) = (result.status == CheckStatus::Pass, result.summary.as_str());
    vec![CriterionResult { id, quality: reported_as(id), passed, details }]
}

/// Returns the criteria that a template judged, all of them in their order; nothing for another check.
pub(super) fn of_template(result: &CheckResult) -> Vec<CriterionResult<'_>> {
    let all = result.params.get("criteriaResults").and_then(Value::as_array);
    all.into_iter().flatten().filter_map(|judged| of_judged(result, judged)).collect()
}

fn of_judged<'r>(result: &'r CheckResult, judged: &'r Value) -> Option<CriterionResult<'r>> {
    let id = judged["criteria_id"].as_str()?;
    let passed = judged["passed"].as_bool()?;
    let name = judged["name"].as_str().unwrap_or_default();
    let reason = reasons(result).find(|reason| reason["criteria_id"] == id);
    let details = reason.and_then(|reason| reason["description"].as_str()).unwrap_or(name);
    Some(CriterionResult { id, quality: reported_as(id), passed, details })
}

/// Returns why criteria of a template failed, each with its evidence.
pub(super) fn reasons(result: &CheckResult) -> impl Iterator<Item = &Value> {
    result.params.get("structured_reasons").and_then(Value::as_array).into_iter().flatten()
}

fn reported_as(id: &str) -> Option<&'static str> {
    quality_criterion(id).filter(|quality| *quality != id)
}
