//! The five policies of the built-in defaults, with their checks, and agreements made of them.

use model::policy::{
    Agreement, Budget, BudgetScopes, CheckRule, CheckSettings, OnFail, OnUnavailable, PhaseDef, Policy,
    TimeLimits,
};
use settings::{ConfigTexts, Settings, load};

/// The built-in defaults.
pub fn defaults() -> Settings {
    load(&ConfigTexts::default()).expect("the defaults are without contradiction")
}

fn default_policy(name: &str) -> Policy {
    defaults().policies[name].clone()
}

pub fn with_checks(name: &str, checks: &[(&str, OnFail)]) -> Policy {
    let rule = |(id, on_fail): &(&str, OnFail)| CheckRule {
        id: (*id).into(),
        on_fail: *on_fail,
        on_unavailable: OnUnavailable::Block,
    };
    Policy { checks: checks.iter().map(rule).collect(), ..default_policy(name) }
}

/// Reads a policy as a configuration would write it.
pub fn policy(text: &str) -> Policy {
    toml::from_str(text).expect("a policy in TOML")
}

pub fn phase_review() -> Policy {
    default_policy("phase-review")
}

pub fn quality_gate() -> Policy {
    let checks = ["q1_files", "q2_todo", "q3_omission"].map(|id| (id, OnFail::Revise));
    with_checks("quality-gate", &checks)
}

pub fn retake() -> Policy {
    with_checks("retake", &["build", "tests"].map(|id| (id, OnFail::Revise)))
}

pub fn completion() -> Policy {
    let checks = [
        ("format", OnFail::Format),
        ("git_clean", OnFail::Revise),
        ("tests_pass", OnFail::Revise),
        ("lint", OnFail::Note),
    ];
    with_checks("completion", &checks)
}

pub fn doc_review() -> Policy {
    default_policy("doc-review")
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
        properties: model::policy::PhaseProperties { prompts: name.to_owned(), ..Default::default() },
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
        budget_scopes: BudgetScopes::default(),
        max_cycles: 2,
        commands: std::collections::BTreeMap::default(),
        detected_commands: std::collections::BTreeSet::default(),
        time: TimeLimits { step_seconds: 60, idle_seconds: 60, command_seconds: 60, ..TimeLimits::default() },
        protected: Vec::new(),
        check_settings: CheckSettings::default(),
        defined: std::collections::BTreeMap::new(),
        patterns: std::collections::BTreeMap::new(),
        require_review_id: false,
        fresh_sessions: false,
        models: std::collections::BTreeMap::new(),
    }
}
