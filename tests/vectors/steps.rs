//! The completion validators through the command `validate`, and what the quality-criteria loop says about limits.

use model::policy::UnapprovedEnd;
use serde_json::{Map, Value, json};
use settings::{ConfigTexts, load};

use crate::support::{Sandbox, beside};

const UNKNOWN: &str =
    "a validator that names nothing we know would let everything pass; its registry is refused";

/// Where we differ on purpose.
const DIFFERENT: [(&str, &str); 5] = [
    (
        "diagnosis: error message and params from failing validator",
        "a line for a shell has to say so: `shell` is true",
    ),
    ("semantic type: warns on generic commit message", "the same, in a sentence of ours"),
    ("semantic type: graceful when semanticConfig missing", UNKNOWN),
    ("semantic type: graceful when plugin not found", UNKNOWN),
    ("semantic type: custom plugin dispatches correctly", UNKNOWN),
];

fn cases(name: &str) -> Vec<Value> {
    let Some(folder) = beside("AI_WORKFLOW_VECTORS", "../shared/vectors") else { return Vec::new() };
    let text = std::fs::read_to_string(folder.join(name)).expect("a vector file");
    let file: Value = serde_json::from_str(&text).expect("it is JSON");
    file["cases"].as_array().expect("cases").clone()
}

/// Returns a registry with one step of these conditions.
fn registry(validators: &Value, conditions: &Value) -> String {
    let names = validators.as_object().into_iter().flatten();
    let patterns: Map<String, Value> = names
        .filter_map(|(_, validator)| Some((validator["failurePattern"].as_str()?.to_owned(), json!({}))))
        .collect();
    json!({
        "agentId": "vectors", "completionPatterns": patterns, "validators": validators,
        "steps": {"step": {
            "stepId": "step", "name": "step", "c2": "retry", "c3": "issue", "completionConditions": conditions,
            "onFailure": {"action": "retry", "maxAttempts": 3},
        }},
    })
    .to_string()
}

/// Tells whether we answer as the older system does.
fn agrees(sandbox: &Sandbox, validators: &Value, conditions: &Value, expected: &Value) -> bool {
    sandbox.write("vectors.json", &registry(validators, conditions));
    let ran = sandbox.run(&["validate", "step", "--registry", "vectors.json", "--json"]);
    if ran.code == 2 {
        return expected["throws"].is_object();
    }
    let seen = ran.json();
    let params = expected["params"].as_object().into_iter().flatten();
    let valid = expected["valid"] == true;
    seen["valid"] == expected["valid"]
        && ran.code == i32::from(!valid)
        && (valid
            || (seen["pattern"] == expected["pattern"]
                && seen["recoverable"] == expected["recoverable"]
                && seen["params"]["error"] == expected["error"]
                && params.clone().all(|(name, value)| seen["params"][name] == *value)))
}

#[test]
fn step_validation_matches_the_vectors() {
    let sandbox = Sandbox::new();
    for case in cases("002_step_validator.json") {
        let name = case["name"].as_str().expect("a name").trim_start_matches("StepValidator - ").to_owned();
        let calls = case["input"]["calls"].as_array().expect("calls");
        let expected = case["expected"].as_array().expect("answers");
        let validators = &case["input"]["ctor"][0]["validators"];
        let same = calls
            .iter()
            .zip(expected)
            .all(|(call, expected)| agrees(&sandbox, validators, &call["args"][0], expected));
        let differs = DIFFERENT.iter().any(|(listed, _)| *listed == name);
        assert_eq!(same, !differs, "{name}");
    }
}

#[test]
fn a_semantic_validator_gives_the_same_result_with_its_own_message() {
    let sandbox = Sandbox::new();
    let validators = json!({"check-commits": {
        "type": "semantic", "semanticConfig": {"checkType": "commit-message"}, "successWhen": "empty",
        "failurePattern": "bad-commit", "extractParams": {},
    }});
    let params = json!({"taskDescription": "Fix authentication bug", "commitMessages": ["update"]});
    let expected = json!({
        "valid": false, "pattern": "bad-commit", "recoverable": true,
        "error": "the commit message \"update\" would fit every change",
    });
    let conditions = json!([{"validator": "check-commits", "params": params}]);
    assert!(agrees(&sandbox, &validators, &conditions, &expected));
}

#[test]
fn failed_step_has_the_same_diagnosis_with_a_shell() {
    let sandbox = Sandbox::new();
    let validators = json!({"diagnosis": {
        "type": "command", "command": "echo 'M src/app.ts' >&2; exit 1", "shell": true, "successWhen": "exitCode:0",
        "failurePattern": "compile-error", "extractParams": {"errorOutput": "stderr"},
    }});
    let expected = json!({
        "valid": false, "pattern": "compile-error", "params": {"errorOutput": "M src/app.ts\n"},
        "error": "M src/app.ts\n", "recoverable": true,
    });
    assert!(agrees(&sandbox, &validators, &json!([{"validator": "diagnosis"}]), &expected));
}

#[test]
fn iteration_limits_of_the_quality_gate_match_the_vectors() {
    for case in cases("000_judgment_loop.json") {
        let (input, expected) = (&case["input"], &case["expected"]);
        let Some(iterations) = input["max_iterations"].as_u64() else { continue };
        let escalate = input["escalate_on_max"].as_bool().unwrap_or(true);
        let file = json!({"max_iterations": iterations, "escalate_on_max": escalate}).to_string();
        let layers =
            ConfigTexts { review_loop: Some(("review-loop.json".into(), file)), ..ConfigTexts::default() };
        let settings = load(&layers).expect("a good file");
        let policy = &settings.policies["quality-gate"];
        let always = input["outputs"].as_array().is_some_and(|all| all.iter().all(|output| output == "TODO"));
        if let Some(wanted) = expected["iterations"].as_u64().filter(|_| always) {
            assert_eq!(policy.limits.max_passes.map(u64::from), Some(wanted), "{case}");
        }
        let ending = match expected["final_spec"].as_str() {
            Some("AWAITING_RESPONSE") => UnapprovedEnd::Pause,
            Some("INCOMPLETE") => UnapprovedEnd::Incomplete,
            _ => continue,
        };
        assert_eq!(policy.outcomes.exhausted, ending, "{case}");
    }
}
