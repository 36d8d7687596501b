//! What a user writes into a configuration, and what comes of it: layers, messages, presets, prompts.

mod agents;
mod messages;
mod registry;
mod review_loop;

use std::collections::BTreeMap;

use model::phase::{PhaseName, Step};
use model::policy::{
    Budget, BudgetScopes, CheckKind, CheckMode, CheckRule, CheckWhen, Difficulty, FirstStep, Gate, OnFail,
    OnPartial, OnUnavailable, OnUnreadable, PhaseDef, UnapprovedEnd,
};
use settings::{ConfigTexts, DEFAULTS, Origin, Settings, load, schema};

const OWN: &str = include_str!("../../../../.ai-workflow/config.toml");

/// Returns the layers of a repository whose file holds a text.
fn repository(text: &str) -> ConfigTexts {
    ConfigTexts {
        repository: Some((".ai-workflow/config.toml".into(), text.into())),
        ..ConfigTexts::default()
    }
}

fn variables<const N: usize>(pairs: [(&str, &str); N]) -> ConfigTexts {
    ConfigTexts { environment: map(pairs), ..ConfigTexts::default() }
}

fn flags<const N: usize>(pairs: [(&str, &str); N]) -> ConfigTexts {
    ConfigTexts { flags: map(pairs), ..ConfigTexts::default() }
}

fn map<const N: usize>(pairs: [(&str, &str); N]) -> BTreeMap<String, String> {
    pairs.into_iter().map(|(key, value)| (key.to_owned(), value.to_owned())).collect()
}

fn defaults() -> Settings {
    load(&ConfigTexts::default()).expect("the defaults are good")
}

fn refused(layers: &ConfigTexts) -> String {
    load(layers).expect_err("this configuration is wrong").to_string()
}

fn phase(settings: &Settings, preset: Option<&str>, name: &str) -> PhaseDef {
    let agreement = settings.agreement(preset).expect("a good preset");
    agreement.phases.into_iter().find(|phase| phase.name.as_str() == name).expect("a phase of the preset")
}

fn names(phases: &[PhaseName]) -> Vec<&str> {
    phases.iter().map(PhaseName::as_str).collect()
}

fn check(id: &str, on_fail: OnFail) -> CheckRule {
    CheckRule { id: id.into(), on_fail, on_unavailable: OnUnavailable::Block }
}

// Defaults ------------------------------------------------------------------------------------------

#[test]
fn defaults_have_the_eleven_phases_with_their_documented_folders() {
    let agreement = defaults().agreement(None).expect("the defaults are good");
    let table: Vec<_> = agreement
        .phases
        .iter()
        .map(|phase| {
            format!(
                "{} {} {} <- {}",
                phase.folder,
                phase.output,
                phase.policy_name,
                names(&phase.needs).join(" ")
            )
        })
        .collect();
    assert_eq!(
        table,
        [
            "00_planning planning.md phase-review <- ",
            "01_requirements requirements.md phase-review <- planning",
            "02_design design.md phase-review <- requirements",
            "03_test_scenario test-scenario.md phase-review <- requirements design",
            "document_review document-review.md doc-review <- requirements design test_scenario",
            "04_implementation implementation.md phase-review <- requirements design test_scenario document_review",
            "05_test_implementation test-implementation.md phase-review <- implementation",
            "06_testing test-result.md phase-review <- test_implementation",
            "07_documentation documentation-update-log.md phase-review <- implementation",
            "08_report report.md phase-review <- requirements design implementation testing documentation",
            "09_evaluation evaluation_report.md phase-review <- report",
        ]
    );
    assert_eq!((agreement.preset, agreement.budget, agreement.max_cycles), (None, Budget::default(), 2));
}

/// Returns the ids of a phase's checks without those that the lists of `[checks]` bring.
fn own_checks(settings: &Settings, name: &str) -> Vec<CheckRule> {
    let lists = &settings.checks;
    let listed = [&lists.every_phase, &lists.code_phases, &lists.document_phases];
    let listed: Vec<&String> = listed.into_iter().flatten().collect();
    let mut checks = phase(settings, None, name).policy.checks;
    checks.retain(|rule| !listed.contains(&&rule.id));
    checks
}

#[test]
fn each_default_phase_has_the_checks_of_its_kind() {
    let deliverable = || check("deliverable", OnFail::Revise);
    let settings = defaults();
    for (name, mut checks) in [
        ("planning", vec![deliverable()]),
        ("document_review", vec![]),
        ("implementation", vec![deliverable(), check("code_changed", OnFail::Revise)]),
        ("test_implementation", vec![deliverable(), check("code_changed", OnFail::Revise)]),
        ("testing", vec![deliverable(), check("tests", OnFail::Revise)]),
        ("evaluation", vec![deliverable(), check("decision", OnFail::Format)]),
    ] {
        checks.insert(0, check("documents", OnFail::Revise));
        assert_eq!(own_checks(&settings, name), checks, "{name}");
    }
    assert_eq!(phase(&settings, None, "evaluation").policy.limits.max_format_redo, 1);
    assert_eq!(phase(&settings, None, "testing").policy.limits.max_format_redo, 2);
}

#[test]
fn check_lists_apply_to_phases_of_their_kind_except_disabled_checks() {
    let text = "[checks]\nevery_phase = ['protected']\ncode_phases = ['Q7']\ndocument_phases = ['Q8']\nenabled = ['q9']\ndisabled = ['Q8']";
    let settings = load(&repository(text)).expect("a good file");
    let ids = |name: &str| {
        let checks = phase(&settings, None, name).policy.checks;
        checks.into_iter().map(|rule| rule.id).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(ids("implementation"), "documents deliverable code_changed protected tests typecheck");
    assert_eq!(ids("planning"), "documents deliverable protected");
}

#[test]
fn five_default_policies_have_their_documented_limits() {
    let settings = defaults();
    let limits = |name: &str| {
        let limits = &settings.policies[name].limits;
        (limits.max_revisions, limits.max_passes)
    };
    assert_eq!(settings.policies.len(), 5);
    assert_eq!(limits("phase-review"), (3, None));
    assert_eq!(limits("retake"), (3, None));
    assert_eq!(limits("quality-gate"), (2, Some(3)));
    assert_eq!(limits("completion"), (2, Some(3)));
    assert_eq!(limits("doc-review"), (7, None));
    let [phase_review, gate, retake, completion, documents] =
        ["phase-review", "quality-gate", "retake", "completion", "doc-review"]
            .map(|name| &settings.policies[name]);
    assert_eq!(phase_review.outcomes.exhausted, UnapprovedEnd::Fail);
    assert_eq!((gate.partial, gate.review.is_none()), (OnPartial::Redo, true));
    assert_eq!(
        (gate.outcomes.exhausted, gate.outcomes.agent_failed),
        (UnapprovedEnd::Pause, UnapprovedEnd::Pause)
    );
    assert_eq!(
        (retake.outcomes.exhausted, retake.outcomes.blocked),
        (UnapprovedEnd::Pause, UnapprovedEnd::Pause)
    );
    assert_eq!(
        (completion.check_when, completion.check_mode),
        (CheckWhen::OnDeclaration, CheckMode::FirstFailure)
    );
    assert_eq!((documents.entry, documents.triage), (FirstStep::Review, true));
    assert_eq!(documents.outcomes.unreadable, OnUnreadable::Pause);
    assert_eq!(
        (documents.outcomes.exhausted, documents.outcomes.no_answer),
        (UnapprovedEnd::Pause, UnapprovedEnd::Fail)
    );
}

#[test]
fn default_settings_are_a_valid_config_file() {
    assert_eq!(load(&repository(DEFAULTS)).expect("the defaults are good").to_toml(), defaults().to_toml());
}

#[test]
fn shown_settings_round_trip() {
    let settings =
        load(&repository("agent = 'claude:opus'\n[agents.mine]\ncommand = ['mine', '--x']\n")).expect("good");
    let again = load(&repository(&settings.to_toml())).expect("what is shown is a good file");
    assert_eq!(again.to_toml(), settings.to_toml());
}

// Presets -------------------------------------------------------------------------------------------

#[test]
fn every_preset_includes_the_needs_of_its_phases() {
    let settings = defaults();
    assert_eq!(settings.presets.len(), 16);
    for name in settings.presets.keys() {
        let agreement = settings.agreement(Some(name)).expect(name);
        assert_eq!(agreement.preset.as_ref(), Some(name));
        let mut done = Vec::new();
        for phase in agreement.phases {
            assert!(phase.needs.iter().all(|need| done.contains(need)), "{name}: {}", phase.name);
            done.push(phase.name);
        }
    }
}

#[test]
fn preset_limits_needs_to_its_own_phases() {
    let settings = defaults();
    let needs = |name: &str| names(&phase(&settings, Some("quick"), name).needs).join(" ");
    assert_eq!(needs("planning"), "");
    assert_eq!(needs("implementation"), "planning");
    assert_eq!(needs("testing"), "test_implementation");
    assert_eq!(needs("report"), "planning implementation testing");
}

#[test]
fn presets_of_the_earlier_system_keep_their_phases() {
    let settings = defaults();
    let list = |name: &str| settings.presets[name].phases.join(" ");
    for (name, phases) in [
        ("quick", "planning implementation test_implementation testing report"),
        ("review-requirements", "planning requirements"),
        ("analysis-design", "planning requirements design"),
        ("review-test-scenario", "planning requirements design test_scenario"),
        ("prototype", "planning design implementation report"),
        ("quick-fix", "planning implementation documentation report"),
        ("full-test", "planning test_scenario test_implementation"),
        ("testing", "planning test_implementation testing"),
        ("finalize", "planning documentation report evaluation"),
    ] {
        assert_eq!(list(name), phases, "{name}");
    }
    for (alias, preset) in [
        ("requirements-only", "review-requirements"),
        ("design-phase", "review-design"),
        ("analysis-design", "review-design"),
        ("implementation-phase", "implementation"),
        ("full-workflow", "full"),
    ] {
        assert_eq!(list(alias), list(preset), "{alias}");
    }
    assert_eq!(settings.presets["full"].phases, settings.order);
    assert_eq!(names(&settings.phase_names()).len(), 11);
}

#[test]
fn unknown_preset_error_suggests_the_most_similar_one() {
    let error = defaults().agreement(Some("qiuck")).expect_err("there is no such preset");
    assert_eq!(error.to_string(), "there is no preset `qiuck`; did you mean `quick`?");
    assert_eq!(
        refused(&variables([("AI_WORKFLOW_PRESET", "everything")])),
        "variable AI_WORKFLOW_PRESET: `preset` names `everything`, which is no preset"
    );
}

// Layers --------------------------------------------------------------------------------------------

#[test]
fn later_settings_layer_takes_priority_and_is_the_origin() {
    let mut layers = ConfigTexts {
        user: Some((
            "~/.config/ai-workflow/config.toml".into(),
            "language = 'ja'\nagent = 'codex'\nworktree = true".into(),
        )),
        ..repository("\nagent = 'claude'\npreset = 'quick'\n[budget]\nusd = 3\n")
    };
    layers.environment =
        map([("AI_WORKFLOW_AGENT", "claude:opus"), ("AI_WORKFLOW_BUDGET__USD", "4.5"), ("PATH", "/bin")]);
    layers.flags = map([("agent", "scripted:demo.toml"), ("skip_phases", "documentation, report")]);
    let settings = load(&layers).expect("good layers");
    assert_eq!(settings.agent, "scripted:demo.toml");
    assert_eq!(settings.language, "ja");
    assert_eq!(settings.preset.as_deref(), Some("quick"));
    assert_eq!(settings.budget.run.usd, Some(4.5));
    assert_eq!(settings.skip_phases, ["documentation", "report"]);
    assert!(settings.worktree);
    for (key, place) in [
        ("agent", "flag --agent"),
        ("skip_phases", "flag --skip-phases"),
        ("budget.usd", "variable AI_WORKFLOW_BUDGET__USD"),
        ("preset", ".ai-workflow/config.toml, line 3"),
        ("language", "~/.config/ai-workflow/config.toml, line 1"),
        ("no_wait", "the built-in defaults"),
    ] {
        assert_eq!(settings.origin(key).to_string(), place, "{key}");
    }
    assert_eq!(settings.origins().get("no_wait"), None);
    assert_eq!(settings.origins().get("agent").copied(), Some(&Origin::Flag("--agent".into())));
}

#[test]
fn lists_replace_earlier_settings_and_tables_merge() {
    let settings = load(&repository(
        "reviewer = 'claude, codex'\n[phases.design]\nneeds = ['planning']\nmax_revisions = 5\non_exhausted = 'pause'\n\
         [policies.phase-review.limits]\nmax_redo = 1\n[checks]\nevery_phase = []\ncode_phases = []\ndocument_phases = []\nenabled = ['lint']\n[phases.report]\nchecks = ['lint', 'deliverable']",
    ))
    .expect("a good file");
    let design = phase(&settings, None, "design");
    assert_eq!(names(&design.needs), ["planning"]);
    assert_eq!(design.output, "design.md");
    assert_eq!((design.policy.limits.max_revisions, design.policy.limits.max_redo), (5, 1));
    assert_eq!(design.policy.outcomes.exhausted, UnapprovedEnd::Pause);
    assert_eq!(design.reviewers, ["claude", "codex"]);
    let ids = |name: &str| {
        let checks = phase(&settings, None, name).policy.checks;
        checks.into_iter().map(|rule| rule.id).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(ids("implementation"), "documents deliverable code_changed lint");
    assert_eq!(ids("report"), "documents deliverable lint");
    assert_eq!(ids("design"), "documents deliverable");
}

#[test]
fn agent_configured_for_a_phase_takes_priority_over_the_flag() {
    let mut layers =
        repository("[phases.testing]\nagent = 'codex, claude'\n[phases.report]\nreviewer = ['claude']");
    layers.flags = map([("agent", "command:./fake"), ("commands.test", "cargo test")]);
    let settings = load(&layers).expect("good layers");
    let who = |name: &str| {
        let phase = phase(&settings, None, name);
        (phase.agents.join(" "), phase.reviewers.join(" "))
    };
    assert_eq!(who("planning"), ("command:./fake".into(), "command:./fake".into()));
    assert_eq!(who("testing"), ("codex claude".into(), "codex claude".into()));
    assert_eq!(who("report"), ("command:./fake".into(), "claude".into()));
    let agreement = settings.agreement(None).expect("good layers");
    assert_eq!(agreement.commands, map([("test", "cargo test")]));
    assert_eq!((agreement.time.step_seconds, agreement.time.idle_seconds), (3600, 1800));
    assert!(!agreement.require_review_id);
}

#[test]
fn custom_phase_needs_an_output_and_a_place_in_the_order() {
    let text = "order = ['planning', 'audit', 'implementation']\n[phases.audit]\noutput = 'audit.md'\nneeds = ['planning']\n\
                [phases.implementation]\nneeds = ['audit', 'design']\n";
    let settings = load(&repository(text)).expect("a good file");
    let audit = phase(&settings, None, "audit");
    assert_eq!((audit.folder.as_str(), audit.policy_name.as_str()), ("audit", "phase-review"));
    assert_eq!(names(&phase(&settings, None, "implementation").needs), ["planning", "audit"]);
}

#[test]
fn default_outage_wait_is_shorter_in_ci_jobs() {
    let seconds = |layers: &ConfigTexts| load(layers).expect("good settings").limits.outage_seconds;
    assert_eq!(seconds(&ConfigTexts::default()), 1_800);
    for (name, value, expected) in
        [("CI", "true", 300), ("GITHUB_ACTIONS", "true", 300), ("CI", "", 1_800), ("CI", "false", 1_800)]
    {
        let job = variables([(name, value)]);
        assert_eq!(seconds(&job), expected, "{name}={value}");
        let own = ConfigTexts { environment: job.environment, ..repository("limits.outage_seconds = 60") };
        assert_eq!(seconds(&own), 60);
    }
}

#[test]
fn unattended_run_has_a_default_spend_limit() {
    let usd = |layers: &ConfigTexts, attended| load(layers).expect("good layers").budget(attended).usd;
    assert_eq!(usd(&ConfigTexts::default(), true), None);
    assert_eq!(usd(&ConfigTexts::default(), false), Some(20.0));
    assert_eq!(usd(&repository("[budget]\nusd = 50"), false), Some(50.0));
    assert_eq!(usd(&repository("[budget]\nunattended_usd = 2"), false), Some(2.0));
}

#[test]
fn infinite_amount_is_refused_only_where_no_later_layer_replaces_it() {
    let layers =
        ConfigTexts { flags: map([("budget.usd", "2.5")]), ..repository("[budget]\nusd = inf\nturns = 3") };
    assert_eq!(load(&layers).expect("a finite amount").budget(true).usd, Some(2.5));
    assert_eq!(
        refused(&ConfigTexts { flags: map([("budget.usd", "-inf")]), ..layers }),
        "flag --set budget.usd: `budget.usd` is -inf; it has to be an amount, 0 or more"
    );
}

#[test]
fn persistent_settings_can_be_set_by_environment_variables() {
    let settings = load(&variables([
        ("AI_WORKFLOW_REVIEWER", "claude,codex"),
        ("AI_WORKFLOW_LANGUAGE", "ja"),
        ("AI_WORKFLOW_BASE_BRANCH", "develop"),
        ("AI_WORKFLOW_FORGE", "local"),
        ("AI_WORKFLOW_PUSH", "never"),
        ("AI_WORKFLOW_WORKTREE", "1"),
        ("AI_WORKFLOW_NO_WAIT", "true"),
        ("AI_WORKFLOW_AUTO_MODEL", "true"),
        ("AI_WORKFLOW_FRESH_SESSIONS", "yes"),
        ("AI_WORKFLOW_PHASES__DESIGN__GATE", "no_go"),
        ("AI_WORKFLOW_MODELS__SIMPLE__CLAUDE__REVIEW", "haiku"),
        ("AI_WORKFLOW_SKIP_PHASES", "report, evaluation"),
        ("AI_WORKFLOW_COMMANDS__TEST", "cargo test"),
        ("AI_WORKFLOW_PHASES__TESTING__MAX_REVISIONS", "1"),
        ("AI_WORKFLOW_PHASES__TEST_SCENARIO__NEEDS", "planning"),
        ("AI_WORKFLOW_POLICIES__PHASE_REVIEW__LIMITS__MAX_REDO", "4"),
        ("AI_WORKFLOW_AGENTS__MINE__COMMAND", "mine,--x"),
        ("AI_WORKFLOW_AGENTS__MINE__ENV__MODE", "careful"),
        ("AI_WORKFLOW_AGENTS__CLAUDE__API_KEY_ENV", "MY_PASS"),
        ("AI_WORKFLOW_AGENTS__CLAUDE__MAX_TURNS", "9"),
        ("AI_WORKFLOW_LIMITS__STEPS__REVIEW__FIRST_OUTPUT_SECONDS", "7"),
        ("AI_WORKFLOW_BUDGET__DAY__USD", "12.5"),
        ("AI_WORKFLOW_PHASES__TESTING__AGENTS__REVIEW", "codex,claude"),
        ("AI_WORKFLOW_PRESET", "  "),
    ]))
    .expect("good variables");
    assert_eq!(settings.reviewer, ["claude", "codex"]);
    assert_eq!((settings.base_branch.as_deref(), settings.preset.as_deref()), (Some("develop"), None));
    assert!(settings.worktree && settings.no_wait && settings.auto_model && settings.fresh_sessions);
    assert_eq!(settings.models[&Difficulty::Simple]["claude"].review.as_deref(), Some("haiku"));
    assert_eq!(settings.phases["design"].gate, Gate::NoGo);
    assert_eq!(settings.phases["testing"].max_revisions, Some(1));
    assert_eq!(settings.phases["test_scenario"].needs, ["planning"]);
    assert_eq!(settings.policies["phase-review"].limits.max_redo, 4);
    assert_eq!(settings.agents["mine"].command, ["mine", "--x"]);
    assert_eq!(settings.agents["mine"].env, map([("MODE", "careful")]));
    let claude = &settings.agents["claude"];
    assert_eq!((claude.api_key_env.as_deref(), claude.max_turns), (Some("MY_PASS"), Some(9)));
    assert_eq!(settings.limits.steps[&Step::Review].first_output_seconds, Some(7));
    assert_eq!(settings.budget.scopes.day.usd, Some(12.5));
    assert_eq!(settings.phases["testing"].agents[&Step::Review], "codex,claude");
}

#[test]
fn difficulty_selects_models_and_a_lighter_one_for_reviews() {
    let settings = load(&flags([("auto_model", "true"), ("fresh_sessions", "true")])).expect("good flags");
    let agreement = settings.agreement(None).expect("good");
    assert!(settings.auto_model && agreement.fresh_sessions);
    let table: Vec<String> = agreement
        .models
        .iter()
        .flat_map(|(difficulty, agents)| agents.iter().map(move |agent| (difficulty, agent)))
        .map(|(difficulty, (agent, models))| {
            let of = |step| models.for_step(step).unwrap_or("-");
            let steps = [Step::Execute, Step::Revise, Step::Review, Step::Triage].map(of).join(" ");
            format!("{} {agent}: {steps}", difficulty.as_str())
        })
        .collect();
    assert_eq!(
        table,
        [
            "simple claude: sonnet sonnet haiku sonnet",
            "simple codex: gpt-6-sol gpt-6-sol gpt-6-luna gpt-6-luna",
            "moderate claude: opus opus sonnet sonnet",
            "moderate codex: gpt-6.1-sol gpt-6.1-sol gpt-6-luna gpt-6-luna",
            "complex claude: opus opus sonnet opus",
            "complex codex: gpt-6.1-sol gpt-6.1-sol gpt-6-luna gpt-6.1-sol",
        ]
    );
}

#[test]
fn phase_records_whether_its_agents_are_its_own() {
    let text = "agent = 'codex'\nreviewer = ['claude']\n[phases.planning]\nagent = 'claude'\n[phases.design]\nreviewer = ['codex']";
    let settings = load(&repository(text)).expect("good");
    let own = |name| {
        let def = phase(&settings, None, name);
        (def.own_agents, def.own_reviewers)
    };
    assert_eq!(["planning", "design", "report"].map(own), [(true, false), (false, true), (false, false)]);
}

#[test]
fn difficulty_does_not_override_a_configured_model() {
    for text in ["[agents.claude]\nmodel = 'haiku'", "[agents.claude]\nbase_url = 'http://localhost:1'"] {
        let agreement = load(&repository(text)).expect("good").agreement(None).expect("good");
        for (difficulty, agents) in agreement.models {
            assert_eq!(agents.keys().collect::<Vec<_>>(), ["codex"], "{difficulty:?}");
        }
    }
    assert_eq!(
        refused(&repository("[models.simple.mine]\nexecute = 'x'")),
        ".ai-workflow/config.toml, line 1: `models.simple.mine` chooses models for an agent that is neither `claude` nor `codex`"
    );
}

#[test]
fn gate_setting_applies_to_its_phase_only() {
    let settings = load(&repository("[phases.implementation]\ngate = 'ask'")).expect("a good file");
    assert_eq!(phase(&settings, None, "implementation").gate, Gate::Ask);
    assert_eq!(phase(&settings, None, "report").gate, Gate::Go);
}

#[test]
fn step_limits_budget_scopes_and_step_agents_reach_the_agreement() {
    let settings = load(&repository(
        "[limits]\nfirst_output_seconds = 60\n[limits.steps.review]\nstep_seconds = 900\n\
         [budget]\nturns = 500\n[budget.step]\nusd = 1\n[budget.phase]\ncalls = 9\n[budget.day]\nminutes = 60\n\
         [phases.design.agents]\nexecute = 'claude:opus, codex'\nreview = 'codex'\n",
    ))
    .expect("a good file");
    let agreement = settings.agreement(None).expect("good");
    assert_eq!(agreement.time.for_step(Step::Review), (900, 1800, 60));
    assert_eq!(agreement.time.for_step(Step::Execute), (3600, 1800, 60));
    let scopes = BudgetScopes {
        step: Budget { usd: Some(1.0), ..Budget::default() },
        phase: Budget { calls: Some(9), ..Budget::default() },
        day: Budget { minutes: Some(60), ..Budget::default() },
    };
    assert_eq!((agreement.budget.turns, agreement.budget_scopes), (Some(500), scopes));
    let chain = |specs: &[&str]| specs.iter().map(|spec| (*spec).to_owned()).collect::<Vec<_>>();
    let of_steps = [(Step::Execute, chain(&["claude:opus", "codex"])), (Step::Review, chain(&["codex"]))];
    assert_eq!(phase(&settings, None, "design").step_agents, BTreeMap::from(of_steps));
    assert_eq!(phase(&settings, None, "report").step_agents, BTreeMap::new());
}

#[test]
fn variables_for_agents_logs_and_tests_are_not_settings() {
    let ours = ["ISSUE", "PHASE", "STEP", "ROUND", "OUTPUT", "REVIEW_ID", "LOG", "CORPUS"];
    let environment = ours.into_iter().map(|name| (format!("AI_WORKFLOW_{name}"), "x".to_owned())).collect();
    let layers = ConfigTexts { environment, ..ConfigTexts::default() };
    assert_eq!(load(&layers).expect("nothing to read"), defaults());
}

#[test]
fn commands_are_a_string_or_a_list() {
    let test = |layers: &ConfigTexts| load(layers).expect("a good command").commands.test.clone();
    let line = |line: &str| Some(line.to_owned());
    assert_eq!(test(&repository("[commands]\ntest = \"sh -c 'a && b'\"")), line("sh -c 'a && b'"));
    assert_eq!(test(&repository("[commands]\ntest = ['sh', '-c', 'a && b']")), line("sh -c 'a && b'"));
    assert_eq!(test(&variables([("AI_WORKFLOW_COMMANDS__TEST", "[\"make\", \"a b\"]")])), line("make 'a b'"));
    assert_eq!(test(&variables([("AI_WORKFLOW_COMMANDS__TEST", "[ -f x ]")])), line("[ -f x ]"));
    assert_eq!(test(&flags([("commands.test", "make test")])), line("make test"));
    assert_eq!(
        test(&repository("[commands]\ntest = ''")),
        line(""),
        "nothing is run and nothing is looked for"
    );
    let own =
        load(&repository("[checks.define.audit]\nrun = ['make', 'audit', 'a;b']")).expect("a good check");
    let defined = own.agreement(None).expect("an agreement").defined;
    let run = CheckKind::Command { run: "make audit 'a;b'".into(), shell: false };
    assert_eq!(defined["audit"].look, run);
}

// Schema and our own file ---------------------------------------------------------------------------

#[test]
fn settings_schema_and_loader_accept_the_same_files() {
    let schema = schema();
    let validator = jsonschema::validator_for(&schema).expect("a good schema");
    let json = |text: &str| -> serde_json::Value { toml::from_str(text).expect("good TOML") };
    for good in [
        "",
        DEFAULTS,
        OWN,
        "reviewer = 'claude'",
        "[budget]\nusd = 3",
        "[commands]\ntest = ['a', 'b']",
        "[commands]\ntest = 'a b'",
    ] {
        assert!(validator.is_valid(&json(good)), "{good}");
    }
    for bad in [
        "langage = 'ja'",
        "worktree = 'yes'",
        "push = 'often'",
        "[budget]\ncalls = -1",
        "[commands]\ntest = []",
        "[policies.p]\nchecks = [{ idd = 'x' }]",
    ] {
        assert!(!validator.is_valid(&json(bad)), "{bad}");
    }
    assert_eq!(
        schema["properties"]["language"]["description"],
        "The language of deliverables and comments, such as `en` or `ja`. Prompts are English."
    );
}

#[test]
fn config_file_of_this_repository_loads_and_shows_every_key() {
    let settings = load(&repository(OWN)).expect("our own file is good");
    assert_eq!(settings.to_toml(), defaults().to_toml());
    assert_eq!(settings.commands.test, None);
    let spelled: Vec<&str> = OWN.lines().map(|line| line.trim_start_matches("# ")).collect();
    let mut keys = Vec::new();
    collect_keys(&schema(), &mut keys);
    for key in keys {
        let named = |line: &&str| {
            line.contains(&format!("{key} = "))
                || line.contains(&format!("[{key}"))
                || line.contains(&format!(".{key}]"))
                || (line.starts_with('[') && line.contains(&format!(".{key}.")))
        };
        assert!(spelled.iter().any(named), "{key} is not shown in .ai-workflow/config.toml");
    }
}

fn collect_keys(schema: &serde_json::Value, keys: &mut Vec<String>) {
    let properties = schema["properties"].as_object().into_iter().flatten();
    for (key, inner) in properties {
        keys.push(key.clone());
        collect_keys(inner, keys);
    }
    for below in ["additionalProperties", "items"] {
        if let Some(inner) = schema.get(below) {
            collect_keys(inner, keys);
        }
    }
}
