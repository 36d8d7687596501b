//! Tests of `advance`.

use super::*;
use crate::{StepPosition, fold};
use model::event::{
    CallEnd, CheckResult, ClaimStatus, Entry, ExecOutcome, Reading, TriageTable, Triaged, Worked,
};
use model::finding::{Disposition, Finding, Severity};
use model::phase::Step;
use model::policy::{PhaseDef, Policy};
use model::verdict::Judgment;
use std::collections::BTreeMap;

const POLICY: &str = r#"
checks = [{ id = "tests" }, { id = "lint", on_fail = "note", on_unavailable = "note" }]
limits = { max_revisions = 3 }
outcomes = { exhausted = "fail" }
review.verdict_map = { PASS = "approve" }
"#;

const STARTED: &str = r#"{"seq": 1, "at": "2026-01-01T00:00:00Z", "fact": {
    "type": "run_started", "format": 1, "run_id": "", "version": "", "issue_digest": "", "repository": "",
    "branch": "", "base_branch": "", "base_commit": "", "language": "en",
    "issue": {"number": 1, "title": "", "body": ""},
    "agreement": {"phases": [], "budget": {}, "max_cycles": 2,
        "time": {"step_seconds": 1, "idle_seconds": 1, "command_seconds": 1}}}}"#;

fn run() -> Run {
    let entry: Entry = serde_json::from_str(STARTED).expect("an entry");
    fold([&entry]).expect("a start").run.expect("a run")
}

fn ended() -> CallEnd {
    CallEnd { outcome: ExecOutcome::Done, ..CallEnd::default() }
}

fn result(check: &str, status: CheckStatus) -> CheckResult {
    let (summary, evidence) = (String::new(), String::new());
    let (params, places) = (BTreeMap::new(), vec![]);
    CheckResult { check: check.into(), status, pattern: None, summary, evidence, params, places, asks: false }
}

/// A phase for which every precondition holds.
fn good() -> PhaseState {
    let policy: Policy = toml::from_str(POLICY).expect("a policy");
    let mut phase = PhaseState::new(PhaseDef {
        name: "design".parse().expect("a name"),
        folder: "02_design".into(),
        output: "design.md".into(),
        needs: vec![],
        changes_code: false,
        decides: false,
        properties: model::policy::PhaseProperties { prompts: "design".into(), ..Default::default() },
        policy_name: "test".into(),
        policy,
        agents: vec!["author".into()],
        reviewers: vec!["reviewer".into()],
        panel: vec![],
        own_agents: false,
        own_reviewers: false,
        step_agents: std::collections::BTreeMap::new(),
        gate: model::policy::Gate::Go,
        c3l: None,
        output_schema: None,
        answer_form: None,
    });
    phase.position = StepPosition::Deciding;
    phase.files.tree = "tree".into();
    phase.evidence.checks = Some(vec![result("tests", CheckStatus::Pass), result("lint", CheckStatus::Fail)]);
    phase.reviews.current = Some(Reviewed {
        phase: phase.name().clone(),
        round: 1,
        attempt: 1,
        reviewer: "reviewer".into(),
        ended: ended(),
        reading: Some(reading()),
        tree: "tree".into(),
        seat: None,
    });
    phase.reviews.opinions = phase.reviews.current.iter().cloned().collect();
    phase
}

fn reading() -> Reading {
    Reading {
        result: Verdict::Pass,
        judgment: Judgment::Approve,
        stated: "PASS".into(),
        read_as: ReadAs::Json,
        reason: String::new(),
        doubt: None,
        feedback: String::new(),
        suggestions: vec![],
        findings: vec![],
        questions: vec![],
        grade: None,
        viewpoints: BTreeMap::new(),
        answers: BTreeMap::new(),
    }
}

fn advances(phase: &PhaseState) -> bool {
    advance(&run(), phase, "why").0 == Ruling::Advance
}

/// Breaks one thing in a good phase and says whether it still advances.
fn advances_with(breaking: impl FnOnce(&mut PhaseState)) -> bool {
    let mut phase = good();
    breaking(&mut phase);
    advances(&phase)
}

fn with_reading(change: impl FnOnce(&mut Reading)) -> impl FnOnce(&mut PhaseState) {
    move |phase| {
        let reading = phase.reviews.current.as_mut().and_then(|review| review.reading.as_mut());
        change(reading.expect("a reading"));
    }
}

fn with_review(change: impl FnOnce(&mut Reviewed)) -> impl FnOnce(&mut PhaseState) {
    move |phase| change(phase.reviews.current.as_mut().expect("a review"))
}

fn finding(severity: Severity) -> Finding {
    Finding {
        severity,
        category: String::new(),
        file: None,
        line: None,
        issue: "a problem".into(),
        suggestion: None,
        auto_fixable: false,
        disposition: Disposition::Open,
        in_scope: true,
    }
}

#[test]
fn phase_that_meets_all_preconditions_advances() {
    assert!(advances(&good()));
    assert!(advances_with(with_reading(|reading| reading.findings.push(finding(Severity::Minor)))));
}

#[test]
fn one_missing_precondition_blocks_the_advance_despite_approval() {
    assert!(!advances_with(|phase| phase.evidence.broken = Some(Step::Review)));
    assert!(!advances_with(|phase| phase.counters.voided = MOST_VOIDED));
    assert!(!advances_with(|phase| phase.evidence.checks = None));
    assert!(!advances_with(|phase| phase.evidence.checks = Some(vec![result("tests", CheckStatus::Fail)])));
    let unavailable = || result("tests", CheckStatus::Unavailable);
    assert!(!advances_with(
        |phase| phase.evidence.checks = Some(vec![unavailable(), result("lint", CheckStatus::Pass)])
    ));
    assert!(!advances_with(|phase| phase.evidence.checks = Some(vec![result("tests", CheckStatus::Pass)])));
    assert!(!advances_with(|phase| phase.files.tree = "other".into()));
    assert!(!advances_with(|phase| phase.reviews.current = None));
    assert!(!advances_with(with_review(|review| review.reading = None)));
    assert!(!advances_with(with_review(|review| review.round = 2)));
    assert!(!advances_with(with_review(|review| review.tree = "other".into())));
    assert!(!advances_with(with_review(|review| review.ended.truncated = true)));
    assert!(!advances_with(with_reading(|reading| reading.read_as = ReadAs::Default)));
    assert!(!advances_with(with_reading(|reading| reading.result = Verdict::Fail)));
    assert!(!advances_with(with_reading(|reading| reading.findings.push(finding(Severity::Major)))));
    assert!(!advances_with(|phase| phase.def.decides = true));
    assert!(advances_with(|phase| phase.evidence.work = Some(worked(ClaimStatus::Completed))));
    assert!(!advances_with(|phase| phase.evidence.work = Some(worked(ClaimStatus::Incomplete))));
}

fn worked(status: ClaimStatus) -> Worked {
    let text = r#"{"phase": "planning", "step": "execute", "round": 1, "attempt": 1, "tree": "tree",
        "ended": {"outcome": "done", "millis": 1}, "claim": {"status": "completed"}}"#;
    let mut worked: Worked = serde_json::from_str(text).expect("a fact");
    worked.claim.as_mut().expect("a claim").status = status;
    worked
}

fn triaged_phase(change: impl FnOnce(&mut Triaged)) -> PhaseState {
    let mut phase = good();
    phase.def.policy.triage = true;
    let mut triaged = Triaged {
        phase: phase.name().clone(),
        round: 1,
        attempt: 1,
        ended: ended(),
        table: Some(TriageTable::default()),
        unread: None,
        judgments: vec![],
        put_back: vec![],
        tree: "tree".into(),
        changed: vec![],
    };
    change(&mut triaged);
    phase.evidence.triage = Some(triaged);
    phase
}

#[test]
fn triage_phases_advance_only_with_a_clean_triage_table() {
    assert!(advances(&triaged_phase(|_| ())));
    let table = |fix_required, needs_discussion| {
        Some(TriageTable { fix_required, no_fix_needed: 4, needs_discussion })
    };
    assert!(!advances(&triaged_phase(|triaged| triaged.table = None)));
    assert!(!advances(&triaged_phase(|triaged| triaged.table = table(1, 0))));
    assert!(!advances(&triaged_phase(|triaged| triaged.table = table(0, 1))));
    assert!(!advances(&triaged_phase(|triaged| triaged.changed = vec!["design.md".into()])));
    assert!(!advances(&triaged_phase(|triaged| triaged.round = 2)));
    let mut untriaged = triaged_phase(|_| ());
    untriaged.evidence.triage = None;
    assert!(!advances(&untriaged));
}

#[test]
fn only_acceptance_by_a_person_replaces_the_preconditions() {
    assert!(!advances_with(|phase| {
        phase.evidence.checks = None;
        phase.reviews.current = None;
    }));
    assert!(advances_with(|phase| {
        phase.evidence.checks = None;
        phase.person.accepted_by = Some("alice".into());
    }));
}
