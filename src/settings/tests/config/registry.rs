//! What a registry becomes, and each way in which it is refused.

use model::policy::{
    CheckKind, CheckMode, CheckRule, CheckWhen, DefinedCheck, FailurePattern, OnFail, OnUnavailable,
    PhaseDef, RetryPromptPath, UnapprovedEnd,
};
use settings::{ConfigTexts, Settings, load};

/// A registry of steps with commands that every machine has.
const REGISTRY: &str = include_str!("steps_registry.json");

const ATTACHED: &str = "[phases.implementation]\nstep = \"complete.issue\"\n";
const GATE: &str = "[phases.implementation]\nstep = \"complete.issue\"\npolicy = \"completion\"\n";

/// Returns the layers of a repository with a registry of steps.
fn layers(config: &str, steps: &str) -> ConfigTexts {
    ConfigTexts {
        repository: Some((".ai-workflow/config.toml".into(), config.into())),
        steps: Some((".ai-workflow/steps_registry.json".into(), steps.into())),
        ..ConfigTexts::default()
    }
}

#[track_caller]
fn loaded(config: &str, steps: &str) -> Settings {
    load(&layers(config, steps)).unwrap_or_else(|error| panic!("{error}"))
}

#[track_caller]
pub(super) fn phase(settings: &Settings, name: &str) -> PhaseDef {
    let agreement = settings.agreement(None).expect("an agreement");
    agreement.phases.into_iter().find(|phase| phase.name.as_str() == name).expect("a phase")
}

fn rule(id: &str, on_fail: OnFail) -> CheckRule {
    CheckRule { id: id.into(), on_fail, on_unavailable: OnUnavailable::Block }
}

/// Returns the rules of the step that stand in a phase.
fn rules(registry: &str) -> Vec<CheckRule> {
    let phase = phase(&loaded(GATE, registry), "implementation");
    phase.policy.checks.into_iter().filter(|rule| rule.id.contains('/')).collect()
}

#[track_caller]
fn refused(registry: &str, line: usize, told: &str) {
    let error = load(&layers("", registry)).expect_err(told).to_string();
    let place = format!(".ai-workflow/steps_registry.json, line {line}: ");
    assert!(error.starts_with(&place) && error.contains(told), "`{place}…{told}` is not\n{error}");
}

#[track_caller]
fn with(old: &str, new: &str) -> String {
    assert!(REGISTRY.contains(old), "{old}");
    REGISTRY.replace(old, new)
}

#[test]
fn registry_step_defines_checks_and_limits_of_its_phase() {
    let phase = phase(&loaded(GATE, REGISTRY), "implementation");
    let policy = phase.policy;
    assert_eq!((policy.check_when, policy.check_mode), (CheckWhen::OnDeclaration, CheckMode::FirstFailure));
    assert_eq!((policy.limits.max_passes, policy.limits.max_revisions), (Some(3), 2));
    assert_eq!(
        (policy.outcomes.exhausted, policy.outcomes.blocked),
        (UnapprovedEnd::Fail, UnapprovedEnd::Fail)
    );
    let ids: Vec<_> = policy.checks.iter().map(|rule| rule.id.as_str()).collect();
    assert_eq!(ids[..2], ["documents", "deliverable"], "what is cheap comes first");
    assert_eq!(&ids[ids.len() - 2..], ["complete.issue/git-clean", "complete.issue/tests-pass"]);
    let c3l = RetryPromptPath {
        base: ".agent/iterator/prompts".into(),
        c1: "steps".into(),
        c2: "retry".into(),
        c3: "issue".into(),
    };
    assert_eq!(phase.c3l, Some(c3l));
}

#[test]
fn registry_step_keeps_the_review_of_its_phase() {
    let reviewed = phase(&loaded(ATTACHED, REGISTRY), "implementation");
    assert!(reviewed.policy.review.is_some());
    let other = phase(&loaded(ATTACHED, REGISTRY), "design");
    assert_eq!((other.c3l, other.policy.check_mode), (None, CheckMode::All));
}

#[test]
fn failure_patterns_are_pinned_with_edition_adaptation_and_params() {
    let agreement = loaded(ATTACHED, REGISTRY).agreement(None).expect("an agreement");
    let dirty = FailurePattern {
        description: "something is not committed".into(),
        edition: "failed".into(),
        adaptation: Some("git-dirty".into()),
        params: vec!["changedFiles".into(), "untrackedFiles".into()],
        keywords: vec![],
    };
    assert_eq!(agreement.patterns["git-dirty"], dirty);
    assert_eq!(agreement.patterns.keys().collect::<Vec<_>>(), ["git-dirty", "test-failed"]);
}

#[test]
fn pattern_edition_defaults_to_that_of_the_step_or_failed() {
    let edition = |registry: &str| {
        let agreement = loaded(ATTACHED, registry).agreement(None).expect("an agreement");
        agreement.patterns["test-failed"].edition.clone()
    };
    let without = with("\"edition\": \"failed\",\n      \"adaptation\": \"test-failed\",", "");
    assert_eq!(edition(&without), "failed");
    assert_eq!(
        edition(&without.replace("\"c2\": \"retry\"", "\"edition\": \"late\", \"c2\": \"retry\"")),
        "late"
    );
}

#[test]
fn registry_validators_become_pinned_checks() {
    let agreement = loaded(ATTACHED, REGISTRY).agreement(None).expect("an agreement");
    let tests = DefinedCheck {
        look: CheckKind::Command { run: "sh tests.sh".into(), shell: false },
        success_when: "exitCode:0".into(),
        pattern: "test-failed".into(),
        extract: [("errorOutput".to_owned(), "stderr".to_owned())].into(),
        params: [].into(),
        timeout_seconds: None,
        recoverable: None,
    };
    assert_eq!(agreement.defined["complete.issue/tests-pass"], tests);
    let clean = &agreement.defined["complete.issue/git-clean"];
    assert_eq!(
        (&clean.look, clean.pattern.as_str()),
        (&CheckKind::GitClean, "git-dirty"),
        "in a run we commit ourselves"
    );
}

#[test]
fn file_and_custom_validators_become_checks() {
    let registry = with(
        "\"tests-pass\": {",
        r#""report": {"type": "file", "path": "${name}.md", "failurePattern": "gone"},
    "more": {"type": "file", "failurePattern": "gone"},
    "clean": {"type": "custom", "check": "git_clean", "failurePattern": "git-dirty"},
    "closed": {"type": "custom", "check": "issue_closed", "failurePattern": "gone"},
    "tests-pass": {"#,
    );
    let registry = registry
        .replace("\"test-failed\": {\n", "\"gone\": {\"description\": \"gone\"},\n\"test-failed\": {\n")
        .replace(
            "{\"validator\": \"git-clean\"}",
            r#"{"validator": "report", "params": {"name": "a"}}, {"validator": "report", "params": {"name": "b"}},
            {"validator": "more", "params": {"paths": ["x", "y"]}}, {"validator": "clean"}, {"validator": "closed"}"#,
        );
    let agreement = loaded(ATTACHED, &registry).agreement(None).expect("an agreement");
    let look = |id: &str| agreement.defined[&format!("complete.issue/{id}")].look.clone();
    assert_eq!(look("report"), CheckKind::Files { paths: vec!["${name}.md".into()] });
    assert_eq!(look("report#2"), look("report"));
    assert_eq!(agreement.defined["complete.issue/report#2"].params["name"], "b");
    assert_eq!(look("more"), CheckKind::Files { paths: vec!["x".into(), "y".into()] });
    assert_eq!((look("clean"), look("closed")), (CheckKind::GitClean, CheckKind::IssueClosed));
}

#[test]
fn max_attempts_three_gives_two_revisions() {
    for (attempts, revisions) in [(3, 2), (1, 0), (5, 4)] {
        let registry = with("\"maxAttempts\": 3", &format!("\"maxAttempts\": {attempts}"));
        let limits = phase(&loaded(GATE, &registry), "implementation").policy.limits;
        assert_eq!((limits.max_passes, limits.max_revisions), (Some(attempts), revisions));
    }
    let silent = phase(&loaded(GATE, &with(", \"maxAttempts\": 3", "")), "implementation").policy;
    assert_eq!(silent.limits.max_passes, Some(3), "as often as the policy says");
}

#[test]
fn retry_abort_and_skip_map_to_revise_stop_and_note() {
    for (action, on_fail) in [("retry", OnFail::Revise), ("abort", OnFail::Stop), ("skip", OnFail::Note)] {
        let registry =
            with(r#"{"action": "retry", "maxAttempts": 3}"#, &format!("{{\"action\": \"{action}\"}}"));
        let expected =
            [rule("complete.issue/git-clean", on_fail), rule("complete.issue/tests-pass", on_fail)];
        assert_eq!(rules(&registry), expected, "{action}");
    }
}

#[test]
fn unrecoverable_validator_gets_the_stop_rule() {
    let registry =
        with("\"command\": \"sh tests.sh\"", "\"recoverableByDefault\": false, \"command\": \"sh tests.sh\"");
    assert_eq!(rules(&registry)[1], rule("complete.issue/tests-pass", OnFail::Stop));
}

#[test]
fn newer_registry_key_names_are_accepted_or_explained() {
    let later = with("completionPatterns", "failurePatterns");
    assert_eq!(loaded(ATTACHED, &later), loaded(ATTACHED, REGISTRY));
    refused(&with("\"steps\": {", "\"validationSteps\": {"), 33, "here steps stand under `steps`");
    refused(&with("completionConditions", "validationConditions"), 39, "here it is `completionConditions`");
    refused(&with("\"name\": \"Issue", "\"uvVariables\": [], \"name\": \"Issue"), 36, "means nothing here");
}

#[test]
fn invalid_registry_is_refused_with_line_path_and_reason() {
    refused("{\n\"agentId\": }", 2, "not JSON: expected value");
    refused("[]", 1, "`the file` has to be an object, not a list");
    refused("{}", 1, "`agentId` is missing");
    refused(r#"{"agentId": "../x", "steps": {}}"#, 1, "`agentId` has to be a plain name");
    refused(r#"{"agentId": "x", "steps": {}}"#, 1, "`steps` names no step");
    for (old, new, line, told) in [
        (
            "\"validators\": {",
            "\"validator\": {",
            17,
            "`validator` is not a setting; did you mean `validators`?",
        ),
        (
            "\"agentId\": \"iterator\",",
            "\"agentId\": \"a\",\n\"agentId\": \"b\",",
            3,
            "`agentId` stands twice",
        ),
        (
            "\"adaptation\": \"test-failed\"",
            "\"adaptation\": 7",
            13,
            "`completionPatterns.test-failed.adaptation` has to be a text, not 7",
        ),
        ("\"successWhen\": \"exitCode:0\",", "", 25, "`validators.tests-pass.successWhen` is missing"),
        ("exitCode:0", "exit:0", 28, "`validators.tests-pass.successWhen` has to be `empty`"),
        ("exitCode:0", "matches:(", 28, "`(` is no regular expression"),
        ("\"command\": \"sh tests.sh\",", "", 25, "`validators.tests-pass.command` is missing"),
        ("sh tests.sh", "sh tests.sh; true", 27, "which only a shell understands"),
        ("sh tests.sh", "sh ${file}", 39, "has `${file}`, and `params` has no value for it"),
        ("\"stderr\"", "\"sterr\"", 30, "names `sterr`, which is no extractor; did you mean `stderr`?"),
        (
            "\"failurePattern\": \"test-failed\"",
            "\"failurePattern\": \"tests\"",
            39,
            "fails with the pattern `tests`, which is not described",
        ),
        ("{\"errorOutput\": \"stderr\"}", "{}", 39, "whose prompt inserts `errorOutput`"),
        (
            "{\"validator\": \"tests-pass\"}",
            "{\"validator\": \"test-pass\"}",
            39,
            "which is no validator; did you mean `tests-pass`?",
        ),
        ("{\"validator\": \"tests-pass\"}", "{}", 39, "completionConditions[1].validator` is missing"),
        ("[{\"validator\": \"git-clean\"}, {\"validator\": \"tests-pass\"}]", "[]", 39, "names no condition"),
        ("\"stepId\": \"complete.issue\"", "\"stepId\": \"other\"", 35, "has to be `complete.issue`"),
        ("\"c2\": \"retry\",", "", 34, "`steps.complete.issue.c2` is missing"),
        ("\"c2\": \"retry\"", "\"c2\": \"../retry\"", 37, "`steps.complete.issue.c2` has to be a plain name"),
        ("\"action\": \"retry\"", "\"action\": \"again\"", 40, "has to be one of retry, abort, skip"),
        ("\"maxAttempts\": 3", "\"maxAttempts\": 0", 40, "has to be 1 or more"),
        ("\"action\": \"retry\"", "\"action\": \"abort\"", 40, "only the action `retry` tries again"),
        (
            "\"type\": \"command\",\n      \"command\": \"sh",
            "\"type\": \"semantic\",\n      \"command\": \"sh",
            25,
            "`validators.tests-pass.semanticConfig` is missing",
        ),
        (
            "\"type\": \"command\",\n      \"command\": \"sh tests.sh\",",
            "\"type\": \"custom\",",
            25,
            "has neither `command` nor `check`",
        ),
        (
            "\"agentId\": \"iterator\",",
            "\"agentId\": \"x\", \"userPromptsBase\": \"../x\",",
            2,
            "leads out of the repository",
        ),
    ] {
        refused(&with(old, new), line, told);
    }
}

#[test]
fn registry_step_without_conditions_or_output_schema_is_refused() {
    let without = with(
        "\"completionConditions\": [{\"validator\": \"git-clean\"}, {\"validator\": \"tests-pass\"}],\n      \"onFailure\": {\"action\": \"retry\", \"maxAttempts\": 3}",
        "\"name\": \"x\"",
    )
    .replacen("\"name\": \"Issue Complete Step\",", "", 1);
    refused(&without, 34, "has neither `completionConditions` nor `outputSchemaRef`");
    let schema = without.replace(
        "\"name\": \"x\"",
        "\"outputSchemaRef\": {\"file\": \"issue.schema.json\", \"schema\": \"initial.issue\"}",
    );
    let settings = loaded("", &schema);
    let step = &settings.registry().expect("a registry").steps["complete.issue"];
    assert_eq!(step.output_schema.as_deref(), Some("issue.schema.json#initial.issue"));
    let attached = phase(&loaded(ATTACHED, &schema), "implementation");
    assert!(
        attached.policy.checks.iter().any(|rule| rule.id == "answer_format"),
        "{:?}",
        attached.policy.checks
    );
    let told = ["schema = \"a.json\"", "policy = \"doc-review\""].map(|more| {
        let phase = format!("[phases.design]\nstep = \"complete.issue\"\n{more}\n");
        load(&layers(&phase, &schema)).expect_err("a contradiction").to_string()
    });
    insta::assert_snapshot!(told.join("\n"), @"
    .ai-workflow/config.toml, line 2: `phases.design.step` names `complete.issue`, which has a schema for the answer; the phase names another form
    .ai-workflow/config.toml, line 2: `phases.design.step` names `complete.issue`, whose schema is for the answer of an author; the policy `doc-review` has none
    ");
}

#[test]
fn phase_with_an_unknown_registry_step_is_refused() {
    let told = load(&layers("[phases.design]\nstep = \"complete.isue\"", REGISTRY))
        .expect_err("unknown")
        .to_string();
    assert_eq!(
        told,
        ".ai-workflow/config.toml, line 2: `phases.design.step` names `complete.isue`, which is no step of the registry; did you mean `complete.issue`?"
    );
    let mut alone = layers(ATTACHED, "");
    alone.steps = None;
    insta::assert_snapshot!(load(&alone).expect_err("no registry"), @".ai-workflow/config.toml, line 2: `phases.implementation.step` names `complete.issue`, and there is no `.ai-workflow/steps_registry.json`");
}

#[test]
fn custom_checks_are_defined_in_the_configuration() {
    let config = "
[checks.define.docs]
run = \"make ${what}\"
params = { what = \"docs\" }
success_when = \"contains:ok\"
pattern = \"docs-old\"
extract = { errorOutput = \"stderr\" }
timeout_seconds = 60
recoverable = false

[checks.define.changelog]
file = \"CHANGELOG.md\"

[phases.documentation]
checks = [\"docs\", \"changelog\"]
";
    let settings = loaded(config, REGISTRY);
    let agreement = settings.agreement(None).expect("an agreement");
    let docs = DefinedCheck {
        look: CheckKind::Command { run: "make ${what}".into(), shell: false },
        success_when: "contains:ok".into(),
        pattern: "docs-old".into(),
        extract: [("errorOutput".to_owned(), "stderr".to_owned())].into(),
        params: [("what".to_owned(), "docs".into())].into(),
        timeout_seconds: Some(60),
        recoverable: Some(false),
    };
    assert_eq!(agreement.defined["docs"], docs);
    assert_eq!(agreement.defined["changelog"].pattern, "file-not-exists");
    assert!(agreement.check_settings.define.is_empty(), "it is pinned once");
    let checks = phase(&settings, "documentation").policy.checks;
    assert_eq!(&checks[checks.len() - 2..], [rule("docs", OnFail::Stop), rule("changelog", OnFail::Revise)]);
}

#[test]
fn invalid_custom_check_is_refused() {
    let checks = [
        "",
        "run = \"a\"\nfile = \"b\"",
        "run = \" \"",
        "run = \"a | b\"",
        "run = \"a ${b}\"",
        "run = \"a\"\nsuccess_when = \"ok\"",
        "run = \"a\"\nextract = { b = \"c\" }",
        "run = \"a\"\ntimeout_seconds = 0",
        "file = \"../a\"",
        "file = \"/a\"",
        "file = \"a\"\nshell = true",
        "run = \"a\"\npattern = \"../a\"",
        "run = \"a\"\nrunn = \"b\"",
    ];
    let told = checks.map(|lines| {
        let error = load(&layers(&format!("[checks.define.x]\n{lines}"), REGISTRY)).expect_err(lines);
        format!("{lines}\n{error}\n")
    });
    insta::assert_snapshot!(told.join("\n"));
}

#[test]
fn registry_and_its_prompt_files_are_protected_from_authors() {
    let protected = |settings: &Settings| {
        settings.agreement(None).expect("an agreement").check_settings.protected_by_default
    };
    let with_base = |base: &str| {
        let name = r#""agentId": "iterator","#;
        REGISTRY.replace(name, &format!(r#"{name} "userPromptsBase": "{base}","#))
    };
    let of = |registry: &str| protected(&loaded("", registry));
    for (registry, folder) in
        [(REGISTRY.to_owned(), ".agent/iterator/prompts/"), (with_base("agents/prompts/"), "agents/prompts/")]
    {
        let schemas = ".agent/iterator/schemas/";
        for path in [folder, schemas, ".ai-workflow/steps_registry.json", ".claude/review-loop.json"] {
            assert!(of(&registry).iter().any(|known| known == path), "{path}");
        }
    }
    let mut without = protected(&load(&ConfigTexts::default()).expect("the defaults"));
    without.push(".agent/iterator/schemas/".to_owned());
    assert_eq!(of(&with_base(".")), without, "all of a repository is never protected");
}

#[test]
fn semantic_validator_must_name_what_it_judges() {
    let semantic = |config: &str| {
        let validator = format!(
            "\"words\": {{\"type\": \"semantic\", {config}\"failurePattern\": \"test-failed\"}}, \"tests-pass\": {{"
        );
        let registry = with("\"tests-pass\": {", &validator);
        let registry = registry.replace("\"params\": [\"errorOutput\"]", "\"params\": []");
        registry.replace(
            "{\"validator\": \"git-clean\"}",
            "{\"validator\": \"words\"}, {\"validator\": \"git-clean\"}",
        )
    };
    for (kind, expected) in
        [("commit-message", CheckKind::CommitMessages), ("git-clean", CheckKind::GitClean)]
    {
        let config =
            format!("\"semanticConfig\": {{\"checkType\": \"{kind}\"}}, \"successWhen\": \"empty\", ");
        let agreement = loaded(ATTACHED, &semantic(&config)).agreement(None).expect("an agreement");
        assert_eq!(agreement.defined["complete.issue/words"].look, expected);
    }
    let told = [
        "",
        "\"semanticConfig\": {}, ",
        "\"semanticConfig\": {\"checkType\": \"commit-mesage\"}, ",
        "\"semanticConfig\": {\"checkType\": \"commit-message\"}, \"command\": \"true\", ",
        "\"semanticConfig\": {\"checkType\": \"commit-message\"}, \"extractParams\": {\"a\": \"stderr\"}, ",
    ]
    .map(|config| load(&layers(ATTACHED, &semantic(config))).expect_err(config).to_string());
    insta::assert_snapshot!(told.join("\n"), @r#"
    .ai-workflow/steps_registry.json, line 25: `validators.words.semanticConfig` is missing
    .ai-workflow/steps_registry.json, line 25: `validators.words.semanticConfig.checkType` is missing
    .ai-workflow/steps_registry.json, line 25: `validators.words.semanticConfig.checkType` has to be one of commit-message, git-clean, not "commit-mesage"
    .ai-workflow/steps_registry.json, line 25: `validators.words.command` means nothing with this type
    .ai-workflow/steps_registry.json, line 25: `validators.words.extractParams` means something with a command only
    "#);
    let broken = semantic("\"semanticConfig\": {\"checkType\": \"commit-message\"}, ").replace(
        "{\"validator\": \"words\"}",
        "{\"validator\": \"words\", \"params\": {\"commitMessages\": \"x\"}}",
    );
    insta::assert_snapshot!(load(&layers(ATTACHED, &broken)).expect_err("no list"), @".ai-workflow/steps_registry.json, line 39: `steps.complete.issue.completionConditions[0].validator` has `commitMessages` that are no list of texts");
}
