//! The five policies, as a configuration would write them, and agreements made of them.

use ai_workflow::policy::{Agreement, Budget, PhaseDef, Policy, TimeLimits};

const PHASE_REVIEW: &str = r#"
checks = [{ id = "deliverable" }]
limits = { max_revisions = 3 }
outcomes = { exhausted = "fail" }
review.verdict_map = { PASS = "approve", PASS_WITH_SUGGESTIONS = "approve_with_notes", FAIL = "revise" }
"#;

const QUALITY_GATE: &str = r#"
checks = [{ id = "q1_files" }, { id = "q2_todo" }, { id = "q3_omission" }]
partial = "redo"
limits = { max_passes = 3, max_revisions = 2, max_redo = 2 }
outcomes = { exhausted = "pause", agent_failed = "pause" }
"#;

const RETAKE: &str = r#"
checks = [{ id = "build" }, { id = "tests" }]
limits = { max_revisions = 3 }
outcomes = { exhausted = "pause", blocked = "pause" }
review.verdict_map = { APPROVE = "approve", REQUEST_CHANGES = "revise", REJECT = "block", STOP = "block" }
review.on_critical = "block"
"#;

const COMPLETION: &str = r#"
check_when = "on_declaration"
check_mode = "first_failure"
checks = [{ id = "format", on_fail = "format" }, { id = "git_clean" }, { id = "tests_pass" }, { id = "lint", on_fail = "note" }]
limits = { max_passes = 3, max_revisions = 2, max_format_redo = 2 }
outcomes = { exhausted = "fail", blocked = "fail" }
"#;

const DOC_REVIEW: &str = r#"
entry = "review"
triage = true
discuss = "after_fixes"
limits = { max_revisions = 7 }
outcomes = { exhausted = "pause", discuss = "pause", unreadable = "pause", no_answer = "fail", agent_failed = "fail" }
review.verdict_map = {}
"#;

/// Reads a policy as a configuration would write it.
pub fn policy(text: &str) -> Policy {
    toml::from_str(text).expect("a policy in TOML")
}

pub fn phase_review() -> Policy {
    policy(PHASE_REVIEW)
}

pub fn quality_gate() -> Policy {
    policy(QUALITY_GATE)
}

pub fn retake() -> Policy {
    policy(RETAKE)
}

pub fn completion() -> Policy {
    policy(COMPLETION)
}

pub fn doc_review() -> Policy {
    policy(DOC_REVIEW)
}

/// Makes a phase with one agent and one reviewer.
pub fn phase(name: &str, policy: Policy) -> PhaseDef {
    PhaseDef {
        name: name.parse().expect("a phase name"),
        folder: name.to_owned(),
        output: format!("{name}.md"),
        needs: vec![],
        changes_code: false,
        decides: false,
        policy_name: "test".into(),
        policy,
        agents: vec!["author".into()],
        reviewers: vec!["reviewer".into()],
    }
}

/// Makes phases that need their predecessor, with folders numbered from 00.
pub fn chain(phases: impl IntoIterator<Item = PhaseDef>) -> Vec<PhaseDef> {
    let mut before = vec![];
    let numbered = phases.into_iter().enumerate().map(|(number, mut phase)| {
        phase.folder = format!("{number:02}_{}", phase.name);
        phase.needs = std::mem::replace(&mut before, vec![phase.name.clone()]);
        phase
    });
    numbered.collect()
}

/// Makes an agreement without a budget.
pub fn agreement(phases: Vec<PhaseDef>) -> Agreement {
    Agreement {
        phases,
        preset: None,
        budget: Budget::default(),
        max_cycles: 2,
        commands: std::collections::BTreeMap::default(),
        time: TimeLimits { step_seconds: 60, idle_seconds: 60, command_seconds: 60 },
        protected: Vec::new(),
        require_review_id: false,
    }
}
