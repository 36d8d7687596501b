//! `.claude/review-loop.json`: the settings of the quality-criteria loop, mapped onto the policy `quality-gate`.

use model::policy::{OnFail, OnUnavailable, UnapprovedEnd};
use settings::{ConfigTexts, Settings, load};

use super::registry::phase;

const GATE: &str = "[phases.implementation]\npolicy = \"quality-gate\"\n";

/// The file as the older system shows it.
const WHOLE: &str = r#"{
  "enabled": true,
  "max_iterations": 3,
  "retry_delay_ms": 1000,
  "escalate_on_max": true,
  "criteria": {
    "mandatory": ["Q7", "Q8"],
    "optional": ["Q9"]
  },
  "omission_patterns": ["...", "// etc."],
  "early_termination_patterns": ["That's all"]
}"#;

fn layers(file: &str) -> ConfigTexts {
    ConfigTexts {
        repository: Some((".ai-workflow/config.toml".into(), GATE.into())),
        review_loop: Some((".claude/review-loop.json".into(), file.into())),
        ..ConfigTexts::default()
    }
}

#[track_caller]
fn loaded(file: &str) -> Settings {
    load(&layers(file)).unwrap_or_else(|error| panic!("{error}"))
}

fn rules(settings: &Settings, name: &str) -> Vec<(String, OnFail, OnUnavailable)> {
    let checks = phase(settings, name).policy.checks;
    checks.into_iter().map(|rule| (rule.id, rule.on_fail, rule.on_unavailable)).collect()
}

#[test]
fn review_loop_file_sets_iterations_delay_and_escalation_of_the_quality_gate() {
    let policy = phase(&loaded(r#"{"max_iterations": 5, "retry_delay_ms": 20}"#), "implementation").policy;
    assert_eq!((policy.limits.max_passes, policy.limits.max_revisions), (Some(5), 4));
    assert_eq!(policy.limits.backoff_ms, 20);
    let usual = phase(&loaded("{}"), "implementation").policy;
    assert_eq!((usual.limits.max_passes, usual.limits.backoff_ms), (Some(3), 1000));
    assert_eq!(usual.outcomes.exhausted, UnapprovedEnd::Pause);
}

#[test]
fn escalate_on_max_selects_pause_or_incomplete() {
    for (escalate, ending) in [("true", UnapprovedEnd::Pause), ("false", UnapprovedEnd::Incomplete)] {
        let policy = phase(&loaded(&format!("{{\"escalate_on_max\": {escalate}}}")), "implementation").policy;
        assert_eq!((policy.outcomes.exhausted, policy.outcomes.agent_failed), (ending, ending));
    }
}

#[test]
fn review_loop_lists_decide_which_criteria_count() {
    let settings = loaded(WHOLE);
    let rules = rules(&settings, "implementation");
    let of = |id: &str| rules.iter().find(|rule| rule.0 == id).map(|rule| (rule.1, rule.2));
    assert_eq!(of("tests"), Some((OnFail::Revise, OnUnavailable::Block)));
    assert_eq!(of("lint"), Some((OnFail::Revise, OnUnavailable::Block)));
    assert_eq!(of("typecheck"), Some((OnFail::Revise, OnUnavailable::Block)), "it was enabled");
    assert!(
        of("deliverable").is_some() && of("protected").is_some(),
        "what is no criterion stays: {rules:?}"
    );
    let criteria = rules.iter().filter(|rule| model::policy::criterion(&rule.0).is_some());
    assert_eq!(criteria.count(), 3);
    assert_eq!(settings.checks.omission_patterns, ["...", "// etc."]);
    assert_eq!(settings.checks.early_termination_patterns, ["That's all"]);
}

#[test]
fn partial_review_loop_file_keeps_the_other_settings() {
    let plain = ConfigTexts { review_loop: None, ..layers("") };
    let plain = load(&plain).expect("good");
    for file in ["{}", r#"{"max_iterations": 3}"#, r#"{"criteria": {}}"#] {
        assert_eq!(rules(&loaded(file), "implementation"), rules(&plain, "implementation"), "{file}");
    }
    let enabled = rules(&loaded(r#"{"criteria": {"optional": ["Q10"]}}"#), "implementation");
    let more = ("tautology".to_owned(), OnFail::Revise, OnUnavailable::Block);
    assert_eq!(enabled, [rules(&plain, "implementation"), vec![more]].concat());
}

#[test]
fn review_loop_file_is_for_every_policy_that_takes_it() {
    let defaults: toml::Table = toml::from_str(settings::DEFAULTS).expect("TOML");
    let copied = toml::Table::from_iter([(
        "policies".to_owned(),
        toml::Table::from_iter([("own-gate".to_owned(), defaults["policies"]["quality-gate"].clone())])
            .into(),
    )]);
    let mut layers = layers(WHOLE);
    let user = toml::to_string(&copied).expect("TOML");
    layers.user = Some(("user.toml".into(), user));
    let text = "[phases.implementation]\npolicy = \"own-gate\"\n";
    layers.repository = Some(("config.toml".into(), text.into()));
    let copy = phase(&load(&layers).unwrap_or_else(|error| panic!("{error}")), "implementation");
    let original = phase(&loaded(WHOLE), "implementation");
    assert_eq!((copy.policy, copy.policy_name.as_str()), (original.policy, "own-gate"));
}

#[test]
fn review_loop_file_does_not_affect_other_policies() {
    assert_eq!(rules(&loaded(WHOLE), "design"), rules(&loaded("{}"), "design"));
}

#[test]
fn config_file_takes_priority_over_the_review_loop_file() {
    let mut layers = layers(r#"{"max_iterations": 5}"#);
    layers.repository =
        Some(("config.toml".into(), format!("{GATE}[policies.quality-gate.limits]\nmax_passes = 4\n")));
    let policy = phase(&load(&layers).expect("good"), "implementation").policy;
    assert_eq!(policy.limits.max_passes, Some(4));
}

#[test]
fn disabled_review_loop_file_is_ignored_with_a_notice() {
    let settings = loaded(&WHOLE.replace("\"enabled\": true", "\"enabled\": false").replace(": 3,", ": 9,"));
    assert_eq!(rules(&settings, "implementation"), rules(&loaded("{}"), "implementation"));
    assert_eq!(phase(&settings, "implementation").policy.limits.max_passes, Some(3));
    let notices: Vec<_> = settings.notices().collect();
    assert_eq!(notices, [".claude/review-loop.json is switched off (`enabled` is false) and does not count"]);
    assert_eq!(loaded(WHOLE).notices().count(), 0);
}

#[test]
fn unknown_keys_and_wrong_types_in_the_review_loop_file_are_reported() {
    let files = [
        "{\n\"max_iteration\": 3}",
        "{\"max_iterations\": \"3\"}",
        "{\"max_iterations\": 0}",
        "{\"max_iterations\": 60}",
        "{\"escalate_on_max\": 1}",
        "{\"retry_delay_ms\": -1}",
        "{\"criteria\": {\"mandatory\": []}}",
        "{\"criteria\": {\"mandatory\": [\"Q77\"]}}",
        "{\"criteria\": {\"mandatory\": [\"Q7\", \"tests\"]}}",
        "{\"criteria\": {\"mandatory\": [\"Q7\"], \"optional\": [\"Q7\"]}}",
        "{\"omission_patterns\": [\"\"]}",
        "{",
        "{\"enabled\": false, \"x\": 1}",
    ];
    let told = files.map(|file| format!("{file}\n{}\n", load(&layers(file)).expect_err(file)));
    insta::assert_snapshot!(told.join("\n"));
}
