//! What people and programs read: help, lists, schemas, verdicts, the health of a machine.

use std::fs;

use serde_json::{Value, json};

use crate::line_with;
use crate::support::{Sandbox, honest_script};

fn snapshot(name: &str, text: &str) {
    insta::with_settings!({prepend_module_to_snapshot => false, omit_expression => true}, {
        insta::assert_snapshot!(name, text);
    });
}

#[test]
fn the_help_text_matches_its_snapshot() {
    let sandbox = Sandbox::empty();
    snapshot("help", &sandbox.run(&["--help"]).exits(0).stdout);
}

/// Returns the commands that the help lists, in its order.
fn commands(help: &str) -> Vec<&str> {
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let names = lines.take_while(|line| !line.is_empty()).filter_map(|line| line.split_whitespace().next());
    names.filter(|name| *name != "help").collect()
}

#[test]
fn the_help_of_every_command_matches_its_snapshot() {
    let sandbox = Sandbox::empty();
    let help = sandbox.run(&["--help"]).exits(0);
    let whole = commands(&help.stdout).iter().fold(String::new(), |whole, command| {
        let help = sandbox.run(&[command, "--help"]).exits(0);
        assert_eq!(help.stderr, "");
        format!("{whole}$ ai-workflow {command} --help\n{}\n", help.stdout)
    });
    snapshot("help_of_commands", &whole);
}

#[test]
fn program_without_a_command_shows_help_and_exits_2() {
    let ran = Sandbox::empty().run(&[]).exits(2).says("Usage: ai-workflow <COMMAND>");
    assert_eq!(ran.stdout, "");
}

#[test]
fn version_flag_prints_the_package_version() {
    let ran = Sandbox::empty().run(&["--version"]).exits(0);
    assert_eq!(ran.stdout, format!("ai-workflow {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn presets_and_phases_are_listed_without_a_repository() {
    let sandbox = Sandbox::empty();
    let presets = sandbox.run(&["list-presets"]).exits(0);
    snapshot("list_presets", &presets.stdout);
    let json = sandbox.run(&["list-presets", "--json"]).exits(0).json();
    assert_eq!(json["review-requirements"]["phases"], json!(["planning", "requirements"]));
    let phases = sandbox.run(&["phases"]).exits(0);
    snapshot("phases", &phases.stdout);
    let json = sandbox.run(&["phases", "--json"]).exits(0).json();
    assert_eq!(json.as_array().map(Vec::len), Some(11));
    assert_eq!((&json[4]["policy"], &json[4]["max_revisions"]), (&json!("doc-review"), &json!(7)));
}

#[test]
fn phases_command_applies_settings_from_flags() {
    let json =
        Sandbox::new().run(&["phases", "--json", "--set", "phases.planning.max_revisions=5"]).exits(0).json();
    assert_eq!(json[0]["max_revisions"], 5);
}

#[test]
fn phases_command_lists_the_checks_that_the_commands_of_the_repository_bring() {
    let checks_of = |flags: &[&str]| {
        let json = Sandbox::new().run(&[&["phases", "--json"], flags].concat()).exits(0).json();
        json[6]["checks"].as_array().expect("the checks of a phase").clone()
    };
    assert!(!checks_of(&[]).contains(&json!("red_green")));
    assert!(checks_of(&["--set", "commands.test=true"]).contains(&json!("red_green")));
}

#[test]
fn parse_review_reads_a_file_or_stdin_and_exits_0_for_every_verdict() {
    let sandbox = Sandbox::empty();
    let read = |text: &str, more: &[&str]| {
        sandbox.write("review.md", text);
        sandbox.run(&[&["parse-review", "review.md", "--json"], more].concat()).exits(0).json()
    };
    let japanese = read("**判定: PASS**\n\n**最終判定: FAIL**\n", &[]);
    assert_eq!((&japanese["result"], &japanese["read_as"]), (&json!("FAIL"), &json!("marker:最終判定")));
    assert_eq!(read("no verdict", &[])["read_as"], "default");
    let object = "{\"review_id\": \"abc\", \"result\": \"PASS\"}";
    assert_eq!(read(object, &["--review-id", "abc"])["result"], "PASS");
    assert_eq!(read(object, &["--review-id", "xyz"])["result"], "FAIL");
    let doubtful = read(&format!("Must fix: the lock\n\n{object}\n"), &["--review-id", "abc"]);
    assert_eq!((&doubtful["result"], &doubtful["doubt"]), (&json!("PASS"), &json!("Must fix: the lock")));
    sandbox.write("review.md", object);
    let file = fs::File::open(sandbox.root().join("review.md")).expect("the file");
    let ran = Sandbox::ran(sandbox.binary(&["parse-review", "-"]).stdin(file)).exits(0);
    assert_eq!(ran.stdout, "PASS\nVerdict read from JSON: PASS\n");
}

#[test]
fn config_show_names_the_origin_of_every_value() {
    let sandbox = Sandbox::new().with("AI_WORKFLOW_BUDGET__CALLS", "60");
    sandbox.write(".ai-workflow/config.toml", "language = \"ja\"\n");
    let ran = sandbox.run(&["config", "show", "--agent", "claude:opus"]).exits(0);
    insta::assert_snapshot!(line_with(&ran.stdout, "agent = "), @r#"agent = "claude:opus""#);
    let origins: Vec<&str> = ran.stdout.lines().filter(|line| line.starts_with('#')).collect();
    insta::assert_snapshot!(origins.join("\n"), @r"
    # Set by you:
    # agent: flag --agent
    # budget.calls: variable AI_WORKFLOW_BUDGET__CALLS
    # language: .ai-workflow/config.toml, line 1
    ");
    let json = sandbox.run(&["config", "show", "--json"]).exits(0).json();
    assert_eq!(
        (&json["settings"]["language"], &json["settings"]["budget"]["calls"]),
        (&json!("ja"), &json!(60))
    );
    let valid = sandbox.run(&["config", "validate"]).exits(0);
    assert_eq!(valid.stdout, "valid: 2 settings of yours in force\n");
    assert_eq!(sandbox.run(&["config", "validate", "--json"]).exits(0).json()["valid"], true);
}

#[test]
fn config_validate_refuses_an_unknown_check() {
    let sandbox = Sandbox::new();
    sandbox.write(".ai-workflow/config.toml", "[phases.planning]\nchecks = [\"nope\"]\n");
    sandbox
        .run(&["config", "validate"])
        .refuses(2, "phase planning names a check `nope` that does not exist");
}

/// Says why a document does not fit a schema.
fn misfits(schema: &Value, document: &Value) -> Vec<String> {
    let validator = jsonschema::validator_for(schema).expect("the schema is one");
    validator.iter_errors(document).map(|error| format!("{}: {error}", error.instance_path())).collect()
}

/// Puts a commented setting of the example in force.
fn uncommented(line: &str) -> &str {
    let is_setting =
        |rest: &&str| rest.starts_with(['[', '"', ']']) || rest.starts_with("  \"") || rest.contains(" = ");
    line.strip_prefix("# ").filter(is_setting).unwrap_or(line)
}

#[test]
fn the_example_configuration_matches_the_published_schema() {
    let sandbox = Sandbox::new();
    let schema = sandbox.run(&["config", "schema"]).exits(0).json();
    sandbox.run(&["init"]).exits(0);
    let text = sandbox.read(".ai-workflow/config.toml");
    let uncommented = text.lines().map(uncommented).collect::<Vec<_>>().join("\n");
    for text in [text, uncommented] {
        let document: toml::Table = text.parse().unwrap_or_else(|error| panic!("{error}\n{text}"));
        let document = serde_json::to_value(document).expect("TOML is JSON");
        assert_eq!(misfits(&schema, &document), Vec::<String>::new());
    }
    assert_ne!(misfits(&schema, &json!({"agnet": "x"})), Vec::<String>::new());
}

#[test]
fn metadata_of_runs_matches_the_published_schema() {
    let sandbox = Sandbox::new();
    let schema = sandbox.run(&["config", "schema", "--metadata"]).exits(0).json();
    let fails = "[[turn]]\nphase = \"requirements\"\nstep = \"review\"\nsay = '{\"review_id\": \"{{review_id}}\", \"result\": \"FAIL\", \"findings\": [{\"severity\": \"major\", \"category\": \"x\", \"issue\": \"y\"}]}'\n";
    sandbox.write(".ai-workflow/config.toml", "[phases.requirements]\non_exhausted = \"pause\"\n");
    let none = Vec::<String>::new();
    sandbox.short("", &["--phase", "planning"]).exits(0);
    assert_eq!(misfits(&schema, &sandbox.metadata()), none);
    sandbox.short(fails, &[]).exits(3);
    assert_eq!(misfits(&schema, &sandbox.metadata()), none);
    let agent = sandbox.script(&honest_script(""));
    sandbox.run(&["resume", "--issue", "243", "--continue", "--agent", &agent]).exits(0);
    assert_eq!(misfits(&schema, &sandbox.metadata()), none);
    let mut wrong = sandbox.metadata();
    wrong["outcome"] = json!("splendid");
    assert_ne!(misfits(&schema, &wrong), none);
}

#[test]
fn init_overwrites_only_with_force() {
    let sandbox = Sandbox::new();
    let ran = sandbox.run(&["init"]).exits(0);
    insta::assert_snapshot!(ran.stdout, @r"
    .ai-workflow/config.toml is written; look at `agent` and `[commands] test`
    next: ai-workflow execute --phase all --issue N
    ");
    let written = sandbox.read(".ai-workflow/config.toml");
    sandbox.run(&["config", "validate"]).exits(0);
    sandbox.write(".ai-workflow/config.toml", "# mine\n");
    sandbox.run(&["init"]).refuses(2, "exists already").says("--force");
    assert_eq!(sandbox.read(".ai-workflow/config.toml"), "# mine\n");
    let json = sandbox.run(&["init", "--force", "--json"]).exits(0).json();
    assert_eq!(json["written"], json!([".ai-workflow/config.toml"]));
    assert_eq!(sandbox.read(".ai-workflow/config.toml"), written);
    Sandbox::empty().run(&["init"]).refuses(2, "is not in a git repository");
}

#[test]
fn doctor_lists_missing_agents_and_commands() {
    let sandbox = Sandbox::new();
    let agent = sandbox.script(&honest_script(""));
    let well = sandbox.run(&["doctor", "--agent", &agent]).exits(0);
    insta::assert_snapshot!(line_with(&well.stdout, " identity "), @"✓ identity     git knows who commits");
    sandbox.write("README.md", "# mine\n");
    sandbox.write(".ai-workflow/config.toml", "[commands]\ntest = \"no-such-tool --all\"\n");
    let ill = sandbox.run(&["doctor", "--agent", "command:/no/such/agent"]).exits(2);
    let mut lines = ill.stdout.lines();
    let mut wrong = |start| {
        let line = lines.find(|line| line.starts_with(start)).unwrap_or_else(|| panic!("{}", ill.stdout));
        format!("{line}\n{}\n", lines.next().unwrap_or_default())
    };
    insta::assert_snapshot!(["✗ checkout", "✗ agent ", "✗ command "].map(&mut wrong).concat(), @r"
    ✗ checkout     1 files of yours are changed
                   hint: commit or stash them, or use `--worktree`
    ✗ agent        command:/no/such/agent: the agent program `/no/such/agent` was not found
                   hint: name a file that exists, from the folder you stand in or from the root
    ✗ command      test: no-such-tool --all (set)
                   hint: this program is not installed; install it, or set `[commands] test`
    ");
    sandbox.write(".ai-workflow/prompts/planing/execute.md", "plan\n");
    sandbox.write(".ai-workflow/prompts/planning/execute.md", "plan\n");
    let slip = sandbox.run(&["doctor", "--agent", "command:/no/such/agent"]).exits(2);
    insta::assert_snapshot!(line_with(&slip.stdout, " prompts "), @"- prompts      prompts/planing/execute.md is used by nothing");
    let json = sandbox.run(&["doctor", "--json", "--agent", "gpt:4"]).exits(2).json();
    assert_eq!(json["ok"], false);
    let outside = Sandbox::empty().run(&["doctor"]).exits(2);
    insta::assert_snapshot!(line_with(&outside.stdout, " repository "), @"✗ repository   [REPO] is not in a git repository");
}

#[test]
fn completions_are_printed_for_each_shell() {
    let sandbox = Sandbox::empty();
    for (shell, text) in
        [("bash", "complete -F"), ("zsh", "#compdef ai-workflow"), ("fish", "complete -c ai-workflow")]
    {
        let ran = sandbox.run(&["completions", shell]).exits(0);
        assert!(ran.stdout.contains(text), "{shell}");
    }
}

/// Returns the long options that a help text lists.
fn options(help: &str) -> Vec<&str> {
    let words = help.lines().map(str::trim_start).filter(|line| line.starts_with('-'));
    words.filter_map(|line| line.split([' ', ',']).find(|word| word.starts_with("--"))).collect()
}

#[test]
fn every_command_has_a_manual_page_that_names_its_options() {
    let sandbox = Sandbox::empty();
    sandbox.run(&["man", "--dir", "share/man1"]).exits(0);
    let help = sandbox.run(&["--help"]).exits(0).stdout;
    for command in commands(&help) {
        let page = sandbox.read(&format!("share/man1/ai-workflow-{command}.1"));
        let help = sandbox.run(&[command, "--help"]).exits(0).stdout;
        for option in options(&help) {
            assert!(page.contains(&option.replace('-', "\\-")), "{command} {option}: {page}");
        }
    }
    let nested = ["config-show", "config-validate", "config-schema", "init-github"];
    assert!(nested.iter().all(|name| sandbox.has(&format!("share/man1/ai-workflow-{name}.1"))));
    let pages = fs::read_dir(sandbox.root().join("share/man1")).expect("the pages").count();
    assert_eq!(pages, 1 + commands(&help).len() + nested.len());
}

#[test]
fn manual_page_of_the_program_is_printed_without_a_folder() {
    let sandbox = Sandbox::empty();
    let printed = sandbox.run(&["man"]).exits(0).stdout;
    sandbox.run(&["man", "--dir", "."]).exits(0);
    assert_eq!(printed, sandbox.read("ai-workflow.1"));
    sandbox.write("file", "");
    sandbox.run(&["man", "--dir", "file"]).refuses(6, "failed to write the manual pages to file");
}
