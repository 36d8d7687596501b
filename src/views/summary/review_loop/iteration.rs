//! What failed in one iteration, in the words of the older system: criteria by their letters, issues by type and place.
//! A reviewer's findings are issues like those of our own checks.

use serde_json::{Value, json};

use super::super::problems::places_or_summary;
use super::super::text::place;
use model::event::{
    CheckResult, CheckStatus, Checked, Claim, ClaimStatus, Place, Reading, Reviewed, Ruled, Triaged, Worked,
};
use model::finding::Finding;
use model::policy::{CRITERIA, OnFail, PhaseDef, check_id, criterion, issue_type};
use model::verdict::{ReadAs, Verdict};

/// The criteria that are no checks of ours.
const REVIEW: &str = "review";
const TRIAGE: &str = "triage";
const CLAIM: &str = "claim";

/// The latest facts of an iteration.
#[derive(Clone, Copy, Default)]
pub(super) struct Iteration<'a> {
    pub(super) work: Option<&'a Worked>,
    pub(super) checks: Option<&'a Checked>,
    pub(super) review: Option<&'a Reviewed>,
    pub(super) triage: Option<&'a Triaged>,
}

impl<'a> Iteration<'a> {
    /// Returns the criteria that failed, each once.
    pub(super) fn criteria_failed(&self, def: &'a PhaseDef) -> Vec<&'a str> {
        let mut failed: Vec<&str> =
            self.failed_checks(def).map(|result| criterion_or_name(&result.check)).collect();
        if self.unfinished().is_some() {
            failed.push(CLAIM);
        }
        if let Some(reading) = self.rejecting(def) {
            let named: Vec<&str> = reading.findings.iter().filter_map(criterion_of).collect();
            failed.extend(if named.is_empty() { vec![REVIEW] } else { named });
        }
        if self.untriaged() > 0 {
            failed.push(TRIAGE);
        }
        let mut once: Vec<&str> = Vec::new();
        for id in failed {
            if !once.contains(&id) {
                once.push(id);
            }
        }
        once
    }

    /// Returns the result of each criterion that was judged; what does not apply was not.
    pub(super) fn criteria_results(&self) -> Vec<Value> {
        let result = |id: &str, passed: bool, details: &str| json!({"criteria_id": id, "passed": passed, "details": details});
        let applied = self.results().filter(|checked| checked.status != CheckStatus::Skipped);
        let checks = applied.map(|checked| {
            result(criterion_or_name(&checked.check), checked.status == CheckStatus::Pass, &checked.summary)
        });
        let review = self.reading().map(|reading| result(REVIEW, approves(reading), &reading.reason));
        checks.chain(review).collect()
    }

    /// Returns what is wrong, one issue for each place; at least the ruling itself.
    pub(super) fn issues(&self, def: &'a PhaseDef, ruled: &Ruled) -> Vec<Value> {
        let mut issues: Vec<Value> = self.failed_checks(def).flat_map(issues_of_check).collect();
        if self.claims_falsely(def) {
            issues.push(issue("early_termination", None, "the author says that it is complete", None));
        }
        issues.extend(self.unfinished().map(issue_of_claim));
        if let Some(reading) = self.rejecting(def) {
            issues.extend(issues_of_review(reading));
        }
        if self.untriaged() > 0 {
            let what = format!("{} findings are not settled", self.untriaged());
            issues.push(issue("incomplete", None, &what, None));
        }
        if issues.is_empty() {
            issues.push(issue("incomplete", None, &ruled.rule, None));
        }
        issues
    }

    fn results(&self) -> impl Iterator<Item = &'a CheckResult> {
        self.checks.into_iter().flat_map(|checked| &checked.results)
    }

    fn failed_checks(&self, def: &'a PhaseDef) -> impl Iterator<Item = &'a CheckResult> {
        self.results().filter(|result| result.demand(&def.policy) != OnFail::Note)
    }

    fn reading(&self) -> Option<&'a Reading> {
        self.review.and_then(|review| review.reading.as_ref())
    }

    /// Returns a review that does not approve.
    fn rejecting(&self, def: &PhaseDef) -> Option<&'a Reading> {
        let blocking = def.policy.review.as_ref().map(|rule| rule.blocking);
        let reading = self.reading()?;
        let is_serious = blocking.is_some_and(|blocking| reading.worst() >= Some(blocking));
        let rejects = !def.policy.triage && (!approves(reading) || is_serious);
        if rejects { Some(reading) } else { None }
    }

    /// Tells whether the author declared what our checks refute.
    fn claims_falsely(&self, def: &'a PhaseDef) -> bool {
        let claim = self.work.and_then(|work| work.claim.as_ref());
        let complete = claim.is_some_and(|claim| claim.status == ClaimStatus::Completed);
        complete && self.failed_checks(def).next().is_some()
    }

    fn unfinished(&self) -> Option<&'a Claim> {
        let claim = self.work.and_then(|work| work.claim.as_ref());
        claim.filter(|claim| claim.status != ClaimStatus::Completed)
    }

    /// Returns how many findings of a document review are not settled.
    fn untriaged(&self) -> u32 {
        let table = self.triage.and_then(|triage| triage.table);
        table.map_or(0, |table| table.fix_required.saturating_add(table.needs_discussion))
    }
}

fn approves(reading: &Reading) -> bool {
    reading.judgment.approves() && reading.result != Verdict::Fail && reading.read_as != ReadAs::Default
}

/// Returns the criterion of a check, or its own name.
fn criterion_or_name(check: &str) -> &str {
    criterion(check).unwrap_or(check)
}

/// Returns the criterion that a finding names as its category.
fn criterion_of(finding: &Finding) -> Option<&'static str> {
    let named = |(id, _): &&(&'static str, &str)| id.eq_ignore_ascii_case(finding.category.trim());
    CRITERIA.iter().find(named).map(|(id, _)| *id)
}

fn issues_of_check(result: &CheckResult) -> Vec<Value> {
    let kind = issue_type(&result.check);
    let places = places_or_summary(result);
    let issue_at = |at: &Place| {
        let location = place(at.file.as_deref(), at.line);
        issue(kind, location.as_deref(), &at.what, at.suggestion.as_deref())
    };
    places.iter().map(issue_at).collect()
}

fn issue_of_claim(claim: &Claim) -> Value {
    let words = claim.summary.trim();
    let words = if words.is_empty() { "the author says that it is not finished" } else { words };
    issue("incomplete", None, words, None)
}

fn issues_of_review(reading: &Reading) -> Vec<Value> {
    let findings = reading.findings.iter().map(|finding| {
        let kind = criterion_of(finding).map_or("incomplete", |id| issue_type(check_id(id)));
        let location = place(finding.file.as_deref(), finding.line);
        issue(kind, location.as_deref(), &finding.issue, finding.suggestion.as_deref())
    });
    let all: Vec<Value> = findings.collect();
    if all.is_empty() { vec![issue("incomplete", None, &reading.reason, None)] } else { all }
}

/// Makes an issue; what is not known is left out.
fn issue(kind: &str, location: Option<&str>, description: &str, suggestion: Option<&str>) -> Value {
    let mut issue =
        json!({"type": kind, "location": location, "description": description, "suggestion": suggestion});
    if let Some(fields) = issue.as_object_mut() {
        fields.retain(|_, value| !value.is_null());
    }
    issue
}
