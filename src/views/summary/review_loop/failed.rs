//! What failed in one iteration, in the words of seed 000: criteria by their letters, issues by type and place.
//! A reviewer's findings are issues like those of our own checks.

use serde_json::{Map, Value, json};

use model::event::{
    CheckResult, CheckStatus, Checked, Claim, ClaimStatus, Reading, Reviewed, Ruled, Triaged, Worked,
};
use model::finding::Finding;
use model::policy::{CRITERIA, OnFail, OnUnavailable, PhaseDef, check_id, criterion, issue_type};
use model::verdict::{ReadAs, Verdict};

/// The criteria that are no checks of ours.
const REVIEW: &str = "review";
const TRIAGE: &str = "triage";
const CLAIM: &str = "claim";

/// The latest facts of an iteration.
#[derive(Clone, Copy, Default)]
pub(super) struct Seen<'a> {
    pub(super) work: Option<&'a Worked>,
    pub(super) checks: Option<&'a Checked>,
    pub(super) review: Option<&'a Reviewed>,
    pub(super) triage: Option<&'a Triaged>,
}

impl<'a> Seen<'a> {
    fn results(&self) -> impl Iterator<Item = &'a CheckResult> {
        self.checks.into_iter().flat_map(|checked| &checked.results)
    }

    fn failed_checks(&self, def: &'a PhaseDef) -> impl Iterator<Item = &'a CheckResult> {
        self.results().filter(|result| demands(def, result))
    }

    fn reading(&self) -> Option<&'a Reading> {
        self.review.and_then(|review| review.reading.as_ref())
    }

    /// Returns a review that does not approve.
    fn rejecting(&self, def: &PhaseDef) -> Option<&'a Reading> {
        let blocking = def.policy.review.as_ref().map(|rule| rule.blocking);
        self.reading().filter(|reading| {
            let serious = blocking.is_some_and(|blocking| reading.worst() >= Some(blocking));
            !def.policy.triage && (!approves(reading) || serious)
        })
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

fn demands(def: &PhaseDef, result: &CheckResult) -> bool {
    let rule = def.policy.checks.iter().find(|rule| rule.id == result.check);
    match result.status {
        CheckStatus::Pass | CheckStatus::Skipped => false,
        CheckStatus::Fail => rule.is_none_or(|rule| rule.on_fail != OnFail::Note),
        CheckStatus::Unavailable => rule.is_none_or(|rule| rule.on_unavailable != OnUnavailable::Note),
    }
}

fn approves(reading: &Reading) -> bool {
    reading.judgment.approves() && reading.result != Verdict::Fail && reading.read_as != ReadAs::Default
}

/// Returns the criterion of a check, or its own name.
fn id_of(check: &str) -> String {
    criterion(check).unwrap_or(check).to_owned()
}

/// Returns the criterion that a finding names as its category.
fn criterion_of(finding: &Finding) -> Option<&'static str> {
    let named = |(id, _): &&(&'static str, &str)| id.eq_ignore_ascii_case(finding.category.trim());
    CRITERIA.iter().find(named).map(|(id, _)| *id)
}

/// Returns the criteria that failed, each once.
pub(super) fn criteria_failed(def: &PhaseDef, seen: &Seen<'_>) -> Vec<String> {
    let mut failed: Vec<String> = seen.failed_checks(def).map(|result| id_of(&result.check)).collect();
    failed.extend(seen.unfinished().map(|_| CLAIM.to_owned()));
    if let Some(reading) = seen.rejecting(def) {
        let named: Vec<_> = reading.findings.iter().filter_map(criterion_of).map(str::to_owned).collect();
        failed.extend(if named.is_empty() { vec![REVIEW.to_owned()] } else { named });
    }
    failed.extend((seen.untriaged() > 0).then(|| TRIAGE.to_owned()));
    let mut once: Vec<String> = Vec::new();
    for id in failed {
        if !once.contains(&id) {
            once.push(id);
        }
    }
    once
}

/// Returns the result of each criterion that was judged; what does not apply was not.
pub(super) fn criteria_results(seen: &Seen<'_>) -> Vec<Value> {
    let result = |id: String, passed: bool, details: &str| json!({"criteria_id": id, "passed": passed, "details": details});
    let applied = seen.results().filter(|checked| checked.status != CheckStatus::Skipped);
    let checks = applied
        .map(|checked| result(id_of(&checked.check), checked.status == CheckStatus::Pass, &checked.summary));
    let review = seen.reading().map(|reading| result(REVIEW.into(), approves(reading), &reading.reason));
    checks.chain(review).collect()
}

/// Returns what is wrong, one issue for each place; at least the ruling itself.
pub(super) fn issues(def: &PhaseDef, seen: &Seen<'_>, ruled: &Ruled) -> Vec<Value> {
    let mut found: Vec<Value> = seen.failed_checks(def).flat_map(of_check).collect();
    if seen.claims_falsely(def) {
        found.push(issue("early_termination", None, "the author says that it is complete", None));
    }
    found.extend(seen.unfinished().map(of_claim));
    if let Some(reading) = seen.rejecting(def) {
        found.extend(of_review(reading));
    }
    if seen.untriaged() > 0 {
        let what = format!("{} findings are not settled", seen.untriaged());
        found.push(issue("incomplete", None, &what, None));
    }
    if found.is_empty() {
        found.push(issue("incomplete", None, &ruled.rule, None));
    }
    found
}

fn of_check(result: &CheckResult) -> Vec<Value> {
    let kind = issue_type(&result.check);
    if result.places.is_empty() {
        return vec![issue(kind, None, &result.summary, None)];
    }
    let places = result.places.iter().map(|place| {
        let location = place.file.as_deref().map(|file| location(file, place.line));
        issue(kind, location, &place.what, place.suggestion.as_deref())
    });
    places.collect()
}

fn of_claim(claim: &Claim) -> Value {
    let words = claim.summary.trim();
    issue(
        "incomplete",
        None,
        if words.is_empty() { "the author says that it is not finished" } else { words },
        None,
    )
}

fn of_review(reading: &Reading) -> Vec<Value> {
    let findings = reading.findings.iter().map(|finding| {
        let kind = criterion_of(finding).map_or("incomplete", |id| issue_type(check_id(id)));
        let location = finding.file.as_deref().map(|file| location(file, finding.line));
        issue(kind, location, &finding.issue, finding.suggestion.as_deref())
    });
    let all: Vec<Value> = findings.collect();
    if all.is_empty() { vec![issue("incomplete", None, &reading.reason, None)] } else { all }
}

fn location(file: &str, line: Option<u64>) -> String {
    line.map_or_else(|| file.to_owned(), |line| format!("{file}:{line}"))
}

/// Makes an issue; what is not known is left out.
fn issue(kind: &str, location: Option<String>, description: &str, suggestion: Option<&str>) -> Value {
    let fields = [
        ("type", Some(kind.to_owned())),
        ("location", location),
        ("description", Some(description.to_owned())),
        ("suggestion", suggestion.map(str::to_owned)),
    ];
    let known = fields.into_iter().filter_map(|(key, text)| Some((key.to_owned(), Value::from(text?))));
    Value::Object(known.collect::<Map<_, _>>())
}
