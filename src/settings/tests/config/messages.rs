//! What a user reads when something in a configuration is wrong: the place, the key, and what was probably meant.

use settings::{ConfigError, ConfigTexts, load};

use super::{flags, refused, repository, variables};

#[test]
fn wrong_key_or_type_error_names_its_place() {
    let file = |text: &str, message: &str| {
        assert_eq!(refused(&repository(text)), format!(".ai-workflow/config.toml, {message}"), "{text}");
    };
    file("langage = 'ja'", "line 1: `langage` is not a setting; did you mean `language`?");
    file(
        "\n[phases.planning]\nmax_revision = 2",
        "line 3: `phases.planning.max_revision` is not a setting; did you mean `phases.planning.max_revisions`?",
    );
    file("frobnicate = 1", "line 1: `frobnicate` is not a setting");
    file("[budget]\nusd = 'much'", "line 2: `budget.usd` has to be a number, not the text \"much\"");
    file("[budget]\ncalls = 1.5", "line 2: `budget.calls` has to be a whole number, 0 or more, not 1.5");
    file("[budget]\ncalls = -1", "line 2: `budget.calls` has to be a whole number, 0 or more, not -1");
    file("worktree = 'yes'", "line 1: `worktree` has to be true or false, not the text \"yes\"");
    file("agent = ['a']", "line 1: `agent` has to be a text, not a list");
    file("reviewer = 3", "line 1: `reviewer` has to be a list of texts, or one text with commas, not 3");
    file("reviewer = [3]", "line 1: `reviewer` has to be a text, not 3");
    file("order = 'planning'", "line 1: `order` has to be a list, not the text \"planning\"");
    file("phases = true", "line 1: `phases` has to be a table, not true");
    file("limits = 2021-01-01", "line 1: `limits` has to be a table, not 2021-01-01");
    file("language = {}", "line 1: `language` has to be a text, not a table");
    file("push = 'often'", "line 1: `push` has to be one of never, halt, phase, not the text \"often\"");
    file(
        "[policies.p]\nchecks = [{ id = 'x', on_fail = 'Revise' }]",
        "line 2: `policies.p.checks.on_fail` has to be one of revise, stop, redo, format, continue, note, not the text \"Revise\"",
    );
    file("[policies.p]\nchecks = [{ on_fail = 'note' }]", "line 2: `policies.p.checks.id` is missing");
    file("[policies.p]\nchecks = []", "line 1: `policies.p.limits` is missing");
    file("[phases.audit]\nneeds = []", "line 1: `phases.audit.output` is missing");
    file(
        "[limits]\nmax_cycles = 99999999999",
        "line 2: `limits.max_cycles` has to be a whole number from 0 to 4294967295, not 99999999999",
    );
}

#[test]
fn commands_with_shell_syntax_are_refused_in_every_settings_layer() {
    let file = |text: &str, message: &str| {
        assert_eq!(
            refused(&repository(text)),
            format!(".ai-workflow/config.toml, line 2: {message}"),
            "{text}"
        );
    };
    let shell = "which only a shell understands, and commands run without one";
    for (key, line, syntax) in [
        ("test", "true && python3 -m unittest", "&&"),
        ("setup", "npm ci | tee log", "|"),
        ("lint", "CI=1 make lint", "CI="),
        ("typecheck", "mypy $FILES", "$FILES"),
    ] {
        file(&format!("[commands]\n{key} = '{line}'"), &format!("`commands.{key}` has `{syntax}`, {shell}"));
    }
    file("[commands]\nbuild = ['CI=1', 'make']", &format!("`commands.build` has `CI=`, {shell}"));
    file("[commands]\ntest = \"make 'test\"", "`commands.test` has a quote that is not closed");
    let either = "a program with its arguments, as one text or as a list of texts";
    file(
        "[commands]\ntest = []",
        &format!("`commands.test` has to be {either}, not a list that names no program"),
    );
    file("[commands]\ntest = 3", &format!("`commands.test` has to be {either}, not 3"));
    file("[commands]\ntest = ['make', 3]", "`commands.test` has to be a text, not 3");
    assert_eq!(
        refused(&variables([("AI_WORKFLOW_COMMANDS__TEST", "make a; make b")])),
        format!("variable AI_WORKFLOW_COMMANDS__TEST: `commands.test` has `;`, {shell}")
    );
    assert_eq!(
        refused(&flags([("commands.test", "make a > log")])),
        format!("flag --set commands.test: `commands.test` has `>`, {shell}")
    );
}

#[test]
fn toml_syntax_error_names_its_line() {
    let message = refused(&repository("agent = 'claude'\n\nlanguage = \n"));
    assert!(message.starts_with(".ai-workflow/config.toml, line 3: not TOML: "), "{message}");
    let twice = refused(&repository("agent = 'a'\nagent = 'b'\n"));
    assert!(twice.starts_with(".ai-workflow/config.toml, line 2: not TOML: duplicate key"), "{twice}");
    let user = ConfigTexts { user: Some(("user.toml".into(), "[".into())), ..ConfigTexts::default() };
    assert!(matches!(load(&user), Err(ConfigError::Syntax { .. })));
}

#[test]
fn wrong_variable_or_flag_error_names_it() {
    let variable = |name: &str, text: &str| refused(&variables([(name, text)]));
    assert_eq!(
        variable("AI_WORKFLOW_AGNET", "claude"),
        "variable AI_WORKFLOW_AGNET: `AI_WORKFLOW_AGNET` is not a setting; did you mean `AI_WORKFLOW_AGENT`?"
    );
    assert_eq!(
        variable("AI_WORKFLOW_BUDGET_USD", "3"),
        "variable AI_WORKFLOW_BUDGET_USD: `AI_WORKFLOW_BUDGET_USD` is not a setting; did you mean `AI_WORKFLOW_BUDGET__USD`?"
    );
    assert_eq!(
        variable("AI_WORKFLOW_WORKTREE", "perhaps"),
        "variable AI_WORKFLOW_WORKTREE: `worktree` has to be true or false, not the text \"perhaps\""
    );
    assert_eq!(
        variable("AI_WORKFLOW_BUDGET__USD", "NaN"),
        "variable AI_WORKFLOW_BUDGET__USD: `budget.usd` is NaN; it has to be an amount, 0 or more"
    );
    assert_eq!(
        variable("AI_WORKFLOW_BUDGET__CALLS", "many"),
        "variable AI_WORKFLOW_BUDGET__CALLS: `budget.calls` has to be a whole number, 0 or more, not the text \"many\""
    );
    let tables = ["AI_WORKFLOW_BUDGET", "AI_WORKFLOW_PHASES", "AI_WORKFLOW_AGENT__X", "AI_WORKFLOW_"];
    insta::assert_snapshot!(tables.map(|table| variable(table, "x")).join("\n"), @"
    variable AI_WORKFLOW_BUDGET: `AI_WORKFLOW_BUDGET` is not a setting
    variable AI_WORKFLOW_PHASES: `AI_WORKFLOW_PHASES` is not a setting; did you mean `AI_WORKFLOW_PANEL`?
    variable AI_WORKFLOW_AGENT__X: `AI_WORKFLOW_AGENT__X` is not a setting; did you mean `AI_WORKFLOW_AGENT`?
    variable AI_WORKFLOW_: `AI_WORKFLOW_` is not a setting
    ");
    assert_eq!(
        refused(&flags([("skip_phases", "planing")])),
        "flag --skip-phases: `skip_phases` names `planing`, which is no phase; did you mean `planning`?"
    );
    assert_eq!(
        refused(&flags([("push", "now")])),
        "flag --push: `push` has to be one of never, halt, phase, not the text \"now\""
    );
    assert_eq!(
        refused(&flags([("agent", "a"), ("agent.x", "b")])),
        "flag --set agent.x: `agent` has to be a text, not a table"
    );
}

/// Asserts that a file is refused with this message after its line.
#[track_caller]
fn wrong(text: &str, message: &str) {
    let said = refused(&repository(text));
    let said = said.strip_prefix(".ai-workflow/config.toml, line ").expect("the file is named");
    assert_eq!(said.split_once(": ").map(|(_, rest)| rest), Some(message), "{text}");
}

#[test]
fn contradictory_settings_are_refused() {
    wrong(
        "[phases.design]\nneeds = ['desing']",
        "`phases.design.needs` names `desing`, which is no phase; did you mean `design`?",
    );
    wrong("[phases.planning]\nneeds = ['report']", "`phases.design.needs` leads back to the phase itself");
    wrong(
        "[phases.planning]\nneeds = ['planning']",
        "`phases.planning.needs` leads back to the phase itself",
    );
    wrong("order = ['design', 'planning']", "`order` puts `design` before `planning`, which it needs");
    wrong("order = ['planning', 'planning']", "`order` names `planning` twice");
    wrong("order = []", "`order` has to name at least one phase");
    wrong("order = ['plan']", "`order` names `plan`, which is no phase");
    wrong(
        "[presets.x]\nphases = ['testing', 'planning']",
        "`presets.x.phases` puts `testing` before `planning`, which it needs",
    );
    wrong("[presets.x]\nphases = ['nothing']", "`presets.x.phases` names `nothing`, which is no phase");
    wrong(
        "[phases.testing]\npolicy = 'retakes'",
        "`phases.testing.policy` names `retakes`, which is no policy; did you mean `retake`?",
    );
    wrong(
        "[phases.audit]\noutput = 'a.md'",
        "`phases.audit` is neither in `order` nor in a preset: it would never run",
    );
    wrong("[phases.testing]\nmax_revisions = 51", "`phases.testing.max_revisions` is 51; 50 is the most");
    wrong("[phases.testing]\nmax_format_redo = 51", "`phases.testing.max_format_redo` is 51; 50 is the most");
    wrong(
        "[policies.retake.limits]\nmax_passes = 51",
        "`policies.retake.limits.max_passes` is 51; 50 is the most",
    );
    wrong(
        "[policies.retake.limits]\nmax_passes = 0",
        "`policies.retake.limits.max_passes` has to be 1 or more",
    );
    wrong(
        "[policies.retake.limits]\nmax_tries = 0",
        "`policies.retake.limits.max_tries` has to be 1 or more",
    );
    let panel = |inside: &str| format!("panel = [{inside}]");
    wrong(
        &panel("{ name = 'chief' }"),
        "`panel` has a seat `chief`, which is what the first reviewer is called",
    );
    wrong(&panel("{ name = 'a' }, { name = 'A' }"), "`panel` names `A` twice");
    let form = "a name has letters, digits, `-` and `_`, at most 40 of them, such as `security`";
    wrong(&panel("{ name = 'a b' }"), &format!("`panel` names `a b`; {form}"));
    wrong(&panel("{ name = 'a', agents = ['']}"), "`panel` has a seat `a` with an agent that has no name");
    wrong(
        &panel("{ name = 'a', viewpoints = ['x/y'] }"),
        &format!("`panel` has a seat `a` that names `x/y`; {form}"),
    );
    wrong(
        "[phases.document_review]\npanel = [{ name = 'a' }]",
        "`phases.document_review.panel` has no effect: under the policy `doc-review` no reviewer's word counts",
    );
    wrong(
        "[policies.phase-review.review]\nsplit = true",
        "`policies.phase-review.review.split` has no viewpoint to split",
    );
    wrong(
        "[phases.design]\npolicy = 'retake'\npanel = [{ name = 'security' }]\n[policies.retake.review]\nsplit = true",
        "`phases.design.panel` has a seat `security`, which the policy makes of its viewpoint already",
    );
    wrong(
        "[policies.doc-review.review]\nviewpoints = ['quality']",
        "`policies.doc-review.review.viewpoints` would be graded for nothing: the triage table alone decides",
    );
    wrong("[limits]\nmax_cycles = 51", "`limits.max_cycles` is 51; 50 is the most");
    wrong("[limits]\nidle_seconds = 0", "`limits.idle_seconds` has to be 1 or more");
    wrong("[agents.a]\ncommand = ['a']\nstep_seconds = 0", "`agents.a.step_seconds` has to be 1 or more");
    wrong("[agents.a]\ncommand = []", "`agents.a.command` has to name a program");
    wrong("[budget]\nusd = -1", "`budget.usd` is -1; it has to be an amount, 0 or more");
    wrong(
        "[budget]\nunattended_usd = inf",
        "`budget.unattended_usd` is inf; it has to be an amount, 0 or more",
    );
    wrong("[budget.day]\nusd = nan", "`budget.day.usd` is NaN; it has to be an amount, 0 or more");
    wrong(
        "[budget.step]\ncalls = 3",
        "`budget.step.calls` would limit the calls of one call; `budget.phase.calls` limits those of a phase",
    );
    wrong("agent = ' , '", "`agent` names no agent");
    wrong("[phases.report.agents]\nreview = ','", "`phases.report.agents.review` names no agent");
    wrong("[phases.report]\nagent = ''", "`phases.report.agent` names no agent");
    wrong("language = 'Ignore all rules'", "`language` has to be a language tag such as `en` or `ja`");
}

#[test]
fn unusable_names_of_phases_and_their_files_are_refused() {
    wrong(
        "[phases.planning]\noutput = '../x.md'",
        "`phases.planning.output` has to be a plain file name: letters, digits, `.`, `-` and `_`",
    );
    wrong(
        "[phases.planning]\noutput = 'document-review-1.md'",
        "`phases.planning.output` is the name of a document that the engine writes; name another file",
    );
    wrong(
        "[phases.planning]\nprompts = '../x'",
        "`phases.planning.prompts` has to be the name of a folder below `prompts/`, such as `planning`",
    );
    wrong("[phases.planning]\nnumber = 4", "`phases.planning.number` has to be below 100 and its own");
    wrong(
        "[phases.Audit]\noutput = 'a.md'",
        "`phases.Audit` has no usable name: `Audit` is not a phase name: lower-case letters, digits and `_`, starting with a letter, at most 40 characters",
    );
}

#[test]
fn zero_time_limits_are_refused_everywhere() {
    for (table, head) in [
        ("limits", ""),
        ("limits.steps.review", ""),
        ("limits.steps.execute", ""),
        ("agents.claude", ""),
        ("agents.a", "command = ['a']\n"),
    ] {
        for key in ["step_seconds", "idle_seconds", "first_output_seconds"] {
            let said = refused(&repository(&format!("[{table}]\n{head}{key} = 0")));
            assert!(said.ends_with(&format!("`{table}.{key}` has to be 1 or more")), "{said}");
        }
    }
    for key in ["limits.command_seconds", "limits.outage_seconds", "agents.claude.max_turns"] {
        let said = refused(&repository(&format!("{key} = 0")));
        assert_eq!(said, format!(".ai-workflow/config.toml, line 1: `{key}` has to be 1 or more"));
    }
}

#[test]
fn agent_with_unusable_settings_is_refused() {
    let wrong = |text: &str, message: &str| {
        let said = refused(&repository(text));
        let said = said.strip_prefix(".ai-workflow/config.toml, line ").expect("the file is named");
        assert_eq!(said.split_once(": ").map(|(_, rest)| rest), Some(message), "{text}");
    };
    wrong("[agents.a]\nkind = 'command'", "`agents.a.command` has to name a program");
    wrong("[agents.a]\nkind = 'acp'", "`agents.a.command` has to name a program");
    wrong("[agents.claude]\ncommand = ['']", "`agents.claude.command` has to name a program");
    wrong(
        "[agents.a]\nkind = 'gpt'",
        "`agents.a.kind` has to be one of command, claude, codex, acp, not the text \"gpt\"",
    );
    wrong(
        "[agents.claude]\nkind = 'codex'",
        "`agents.claude.kind` has to be `claude`: the agent is known by its name",
    );
    wrong(
        "[agents.auto]\ncommand = ['a']",
        "`agents.auto` cannot be asked for: the word has a meaning of its own",
    );
    for url in ["localhost:11434", "http://", "http://:80/v1", "ftp://host", "http://ho st", ""] {
        wrong(
            &format!("[agents.claude]\nbase_url = '{url}'"),
            "`agents.claude.base_url` has to be an address such as `http://localhost:11434`",
        );
    }
    wrong(
        "[agents.claude]\nbase_url = 'https://me:secret@host/v1'",
        "`agents.claude.base_url` must not hold a name or a password",
    );
    for key in ["", "sk-ant-api03-abc", "1KEY", "MY KEY"] {
        wrong(
            &format!("[agents.claude]\napi_key_env = '{key}'"),
            "`agents.claude.api_key_env` has to be the name of a variable, not the key itself",
        );
    }
    wrong(
        "[agents.codex]\napi_key_env = 'GH_TOKEN'",
        "`agents.codex.api_key_env` names a GitHub token, and no agent gets one",
    );
    for (key, value) in [
        ("model", "'x'"),
        ("base_url", "'http://x'"),
        ("effort", "'low'"),
        ("max_turns", "3"),
        ("allow", "['x']"),
    ] {
        wrong(
            &format!("[agents.a]\ncommand = ['a']\n{key} = {value}"),
            &format!(
                "`agents.a.{key}` means nothing to a plain command; set `kind`, or say it in `command` or `env`"
            ),
        );
    }
}

#[test]
fn policy_without_a_check_or_an_approving_review_is_refused() {
    let policy = |text: &str| {
        let all = format!(
            "[policies.p]\nlimits = {{ max_revisions = 1 }}\noutcomes = {{ exhausted = 'fail' }}\n{text}"
        );
        load(&repository(&all)).map(|_| ()).map_err(|error| match error {
            ConfigError::Contradiction { key, what, .. } => format!("{key} {what}"),
            other => other.to_string(),
        })
    };
    let nothing = "policies.p has neither a review nor a required check: it would approve anything";
    assert_eq!(policy(""), Err(nothing.to_owned()));
    assert_eq!(policy("checks = [{ id = 'lint', on_fail = 'note' }]"), Err(nothing.to_owned()));
    assert_eq!(policy("checks = [{ id = 'lint' }]"), Ok(()));
    assert_eq!(
        policy(
            "checks = [{ id = 'lint' }]\nllm_judge = true\n[policies.p.review.verdict_map]\nOK = 'approve'"
        ),
        Err("policies.p.llm_judge needs a policy without `review` and `triage`: the judge is its review"
            .to_owned())
    );
    assert_eq!(policy("checks = [{ id = 'lint' }]\nllm_judge = true"), Ok(()));
    assert_eq!(policy("llm_judge = true"), Err(nothing.to_owned()));
    assert_eq!(
        policy("checks = [{ id = 'lint' }]\ntriage = true"),
        Err("policies.p.triage needs a review".to_owned())
    );
    assert_eq!(
        policy("checks = [{ id = 'lint' }]\nentry = 'review'"),
        Err("policies.p.entry is `review`, and there is none".to_owned())
    );
    let with_triage = "triage = true\nreview = { verdict_map = { OK = 'approve' } }";
    assert_eq!(policy(&format!("entry = 'review'\n{with_triage}")), Ok(()));
    for text in [with_triage.to_owned(), format!("entry = 'execute'\n{with_triage}")] {
        assert!(policy(&text).is_err_and(|what| what.contains("take `triage` away")), "{text}");
    }
    assert_eq!(policy("review = { verdict_map = { OK = 'approve' } }"), Ok(()));
    assert_eq!(
        policy("review = { verdict_map = { OK = 'revise' } }"),
        Err("policies.p.review.verdict_map has no word that approves".to_owned())
    );
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(64))]

    #[test]
    fn no_file_variable_or_flag_makes_the_settings_loader_panic(
        key in "(agent|order|phases|phases.planning|phases.x|budget.usd|limits.max_cycles|policies.p.limits|skip_phases|[a-z.\"]{0,9})",
        value in "(true|-?[0-9]{1,21}|'[a-z,]{0,9}'|\\['planning'\\]|\\{ number = [0-9] \\}|1e400|nan|.{0,12})",
    ) {
        let _ = load(&repository(&format!("{key} = {value}\n")));
        let _ = load(&flags([(&key, &value)]));
        let variable = format!("AI_WORKFLOW_{}", key.to_uppercase().replace('.', "__"));
        let _ = load(&variables([(&variable, &value)]));
    }
}
