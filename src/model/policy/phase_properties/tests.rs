//! Tests of `phase_properties`.

use serde_json::{Value, json};

use super::*;
use crate::policy::Agreement;

/// Returns an agreement with one phase as a log has it.
fn written(name: &str, policy: &str, properties: Option<Value>) -> Value {
    let mut phase = json!({
        "name": name, "folder": name, "output": "out.md", "policy_name": policy, "agents": ["a"], "reviewers": ["b"],
        "policy": {"limits": {"max_revisions": 3}, "outcomes": {"exhausted": "fail"}},
    });
    if let Some(properties) = properties {
        phase["properties"] = properties;
    }
    let time = json!({"step_seconds": 1, "idle_seconds": 1, "command_seconds": 1});
    json!({"phases": [phase], "budget": {}, "max_cycles": 2, "time": time})
}

fn read(agreement: Value) -> PhaseDef {
    let read: Agreement = serde_json::from_value(agreement).expect("an agreement");
    read.phases.into_iter().next().expect("a phase")
}

#[test]
fn phases_of_logs_without_properties_have_those_of_their_names() {
    let of = |name: &str| read(written(name, "phase-review", None)).properties;
    let plain = |name: &str| PhaseProperties { prompts: name.to_owned(), ..PhaseProperties::default() };
    assert_eq!(of("planning"), PhaseProperties { plans: true, ..plain("planning") });
    assert_eq!(of("design"), PhaseProperties { plans: true, ..plain("design") });
    assert_eq!(of("implementation"), PhaseProperties { takes_feedback: true, ..plain("implementation") });
    assert_eq!(
        of("test_implementation"),
        PhaseProperties { has_tests: true, ..plain("test_implementation") }
    );
    assert_eq!(of("testing"), PhaseProperties { judges_tests: true, ..plain("testing") });
    assert_eq!(of("audit"), plain("audit"));
}

#[test]
fn quality_gate_of_logs_without_properties_revises_with_the_task() {
    let of = |policy: &str| read(written("design", policy, None)).policy.revise_prompt;
    assert_eq!(of("quality-gate"), RevisePrompt::OriginalTask);
    assert_eq!(of("retake"), RevisePrompt::Feedback);
}

#[test]
fn names_mean_nothing_where_properties_are_written() {
    let phase = read(written("testing", "quality-gate", Some(json!({"prompts": "testing"}))));
    let expected = PhaseProperties { prompts: "testing".into(), ..PhaseProperties::default() };
    assert_eq!((phase.properties.clone(), phase.policy.revise_prompt), (expected, RevisePrompt::Feedback));
    let agreement = serde_json::to_value(&phase).expect("a phase");
    assert_eq!(agreement["properties"]["prompts"], "testing");
}
