//! Bad input: one error line, a hint, the documented exit code, and nothing written.

use std::fs;

use crate::support::{Ran, Sandbox, fake_agent, honest_script, make_executable};

fn execute(sandbox: &Sandbox, more: &[&str]) -> Ran {
    let agent = fake_agent();
    let mut arguments = vec!["execute", "--issue", "243", "--forge", "local", "--agent", &agent];
    arguments.extend(more);
    sandbox.run(&arguments)
}

/// Runs something that must be refused and must leave everything as it was.
#[track_caller]
fn refused(sandbox: &Sandbox, run: impl FnOnce(&Sandbox) -> Ran, code: i32, text: &str) -> Ran {
    let before = sandbox.everything();
    let ran = run(sandbox).refuses(code, text);
    assert_eq!(sandbox.everything(), before);
    ran
}

#[test]
fn issue_must_be_a_plain_number() {
    let sandbox = Sandbox::new();
    for bad in ["0", "-1", "+1", "243; echo X", "0x10", "243\n", "", "٣", "99999999999999999999999"] {
        let run = |sandbox: &Sandbox| sandbox.run(&["execute", "--issue", bad, "--agent", &fake_agent()]);
        let ran = refused(&sandbox, run, 2, "is not an issue number");
        assert!(!ran.stdout.contains('X'), "{}", ran.stdout);
    }
}

#[test]
fn execute_refuses_a_closed_or_missing_issue() {
    let sandbox = Sandbox::new();
    let missing = |sandbox: &Sandbox| sandbox.run(&["execute", "--issue", "999", "--agent", &fake_agent()]);
    refused(&sandbox, missing, 2, "there is no .ai-workflow/local/issues/999.md");
    let text = sandbox.read(".ai-workflow/local/issues/243.md").replace("open", "closed");
    sandbox.write(".ai-workflow/local/issues/243.md", &text);
    refused(&sandbox, |sandbox| execute(sandbox, &[]), 2, "issue 243 is closed");
    refused(&sandbox, |sandbox| execute(sandbox, &["--dry-run"]), 2, "issue 243 is closed");
}

#[test]
fn the_error_of_an_issue_file_without_front_matter_names_its_line() {
    let sandbox = Sandbox::new();
    sandbox.write(".ai-workflow/local/issues/243.md", "just text\n");
    refused(&sandbox, |sandbox| execute(sandbox, &[]), 2, ".ai-workflow/local/issues/243.md, line 1: ");
}

#[test]
fn unknown_names_are_refused_with_a_suggestion() {
    let sandbox = Sandbox::new();
    for (flag, value, text) in [
        ("--phase", "planing", "did you mean `planning`?"),
        ("--phase", "frobnicate", "the phases are: all, planning, requirements"),
        ("--phase", "../x", "there is no phase `../x`"),
        ("--preset", "quik", "did you mean `quick`?"),
        ("--preset", "frobnicate", "`ai-workflow list-presets`"),
        ("--skip-phases", "desing", "did you mean `design`?"),
        ("--skip-phases", "frobnicate", "`ai-workflow phases`"),
        ("--push", "sometimes", "one of never, halt, phase"),
        ("--set", "budgt.usd=1", "did you mean `budget`?"),
        ("--set", "budget.usd", "is not KEY=VALUE"),
    ] {
        refused(&sandbox, |sandbox| execute(sandbox, &[flag, value]), 2, text);
    }
}

#[test]
fn a_mistyped_command_gives_a_one_line_error_with_hints() {
    let sandbox = Sandbox::new();
    for (arguments, text) in [
        (vec!["exekute"], "a similar subcommand exists: 'execute'"),
        (vec!["execute"], "arguments were not provided: --issue <N>"),
        (vec!["resume", "--issue", "243", "--continue", "--accept"], "cannot be used with"),
        (vec!["rollback", "--issue", "243", "--to-phase", "planning"], "--reason <TEXT>"),
        (vec!["completions", "tcsh"], "possible values: bash"),
        (vec!["explain"], "arguments were not provided: --issue <N>"),
        (vec!["replay"], "arguments were not provided: --issue <N>"),
        (vec!["parse-review", "nowhere.md"], "failed to read nowhere.md"),
    ] {
        refused(&sandbox, |sandbox| sandbox.run(&arguments), 2, text);
    }
}

#[test]
fn the_error_of_an_invalid_configuration_names_file_line_and_key() {
    for (text, told) in [
        ("agent = ", ".ai-workflow/config.toml, line 1: not TOML"),
        ("\n[budgt]\n", ".ai-workflow/config.toml, line 2: `budgt` is not a setting; did you mean `budget`?"),
        ("agent = 3", ".ai-workflow/config.toml, line 1: `agent` has to be a text, not 3"),
        ("[budget]\nusd = -1", "line 2: `budget.usd` is -1"),
        (
            "[phases.planning]\npolicy = \"x\"",
            "line 2: `phases.planning.policy` names `x`, which is no policy",
        ),
        ("order = [\"planning\", \"planning\"]", "`order` names `planning` twice"),
        ("preset = \"nope\"", "`preset` names `nope`, which is no preset"),
    ] {
        let sandbox = Sandbox::new();
        sandbox.write(".ai-workflow/config.toml", text);
        refused(&sandbox, |sandbox| execute(sandbox, &[]), 2, told);
        refused(&sandbox, |sandbox| sandbox.run(&["config", "validate"]), 2, told);
    }
}

/// Settings that no run could begin with, and what is said of them.
const UNUSABLE: [(&str, &str); 19] = [
    ("[phases.design]\nagent = \"no:body\"", "error: `no:body` names no kind of agent"),
    ("[[panel]]\nname = \"second\"\nagents = [\"no:body\"]", "error: `no:body` names no kind of agent"),
    (
        "preset = \"x\"\n[presets.x]\nphases = [\"desing\"]",
        "`presets.x.phases` names `desing`, which is no phase",
    ),
    ("preset = \"nope\"", "`preset` names `nope`, which is no preset"),
    ("skip_phases = [\"desing\"]", "`skip_phases` names `desing`, which is no phase"),
    (
        "preset = \"quick\"\nskip_phases = [\"planning\", \"implementation\", \"test_implementation\", \"testing\", \"report\"]",
        "error: every phase is left out",
    ),
    (
        "[policies.x.limits]\nmax_revisions = 1\n[policies.x.outcomes]\nexhausted = \"fail\"",
        "`policies.x` has neither a review nor a required check",
    ),
    (
        "[policies.phase-review.review.verdict_map]\nPASS = \"revise\"\nPASS_WITH_SUGGESTIONS = \"revise\"",
        "`policies.phase-review.review.verdict_map` has no word that approves",
    ),
    (
        "[policies.phase-review.review.verdict_map]\nPASS = \"fine\"",
        "`policies.phase-review.review.verdict_map.PASS` has to be",
    ),
    ("[phases.planning]\nmax_revisions = 51", "`phases.planning.max_revisions` is 51; 50 is the most"),
    ("[limits]\nstep_seconds = 0", "`limits.step_seconds` has to be 1 or more"),
    ("[phases.planning]\nneeds = [\"report\"]", "leads back to the phase itself"),
    ("[phases.planning]\npolicy = \"x\"", "`phases.planning.policy` names `x`, which is no policy"),
    ("[phases.planning]\nstep = \"x\"", "names `x`, and there is no `.ai-workflow/steps_registry.json`"),
    ("[phases.planning]\nschema = \"none.json\"", "`phases.planning.schema = \"none.json\"`: none.json: "),
    (
        "[checks]\nenabled = [\"nosuch\"]",
        "error: phase implementation names a check `nosuch` that does not exist",
    ),
    ("[checks]\ntemplate = \"nosuch\"", "error: [checks] template names `nosuch`, which does not exist"),
    ("[commands]\ntest = \"cargo test && ls\"", "`commands.test`"),
    (
        "[policies.doc-review]\nentry = \"execute\"",
        "`policies.doc-review.entry` has to be `review` with `triage`",
    ),
];

/// Runs `execute` without an agent of its own, both ways of validating, and a step of a registry; all have to refuse alike.
#[track_caller]
fn refused_by_all(sandbox: &Sandbox, code: i32, told: &str) {
    let message = |arguments: &[&str]| {
        let ran = refused(sandbox, |sandbox| sandbox.run(arguments), code, told);
        ran.stderr.lines().filter(|line| line.starts_with("error: ")).collect::<Vec<_>>().join("\n")
    };
    let expected = message(&["execute", "--issue", "243", "--forge", "local"]);
    assert_eq!(message(&["config", "validate"]), expected);
    assert_eq!(message(&["validate", "one", "--registry", "one.json"]), expected);
}

#[test]
fn validating_refuses_every_setting_that_execute_refuses_with_the_same_message() {
    let sandbox = Sandbox::new();
    for (config, told) in UNUSABLE {
        sandbox.write(".ai-workflow/config.toml", config);
        refused_by_all(&sandbox, 2, told);
    }
    for config in [
        "agent = \"nobody\"",
        "[phases.design.agents]\nrevise = \"nobody\"",
        "[[phases.implementation.panel]]\nname = \"security\"\nagents = [\"nobody\"]",
    ] {
        sandbox.write(".ai-workflow/config.toml", config);
        refused_by_all(
            &sandbox,
            4,
            "error: the agent `nobody` cannot be used: the agent `nobody` is not configured",
        );
    }
    sandbox.write(".ai-workflow/config.toml", "");
    let prompt = sandbox.root().join(".ai-workflow/prompts/planning/execute.md");
    for (text, told) in [
        (&b"{{nosuch}}"[..], "prompts/planning/execute.md, line 1: `nosuch` is no placeholder of a prompt"),
        (b"{{> own/missing}}", "prompts/planning/execute.md, line 1: "),
        (b"\xff\xfe", "failed to read .ai-workflow/prompts/planning/execute.md: "),
    ] {
        fs::create_dir_all(prompt.parent().expect("a folder")).expect("a folder");
        fs::write(&prompt, text).expect("a file");
        refused_by_all(&sandbox, 2, told);
    }
    fs::remove_file(&prompt).expect("removed");
    fs::write(sandbox.root().join(".ai-workflow/config.toml"), [0xff, 0xfe]).expect("a file");
    refused_by_all(&sandbox, 2, "failed to read ");
}

#[test]
fn validating_refuses_a_base_branch_that_execute_refuses() {
    for name in ["refs/heads/main", "nosuch", "-main"] {
        let sandbox = Sandbox::new();
        sandbox.write(".ai-workflow/config.toml", &format!("base_branch = \"{name}\""));
        refused(&sandbox, |sandbox| execute(sandbox, &[]), 2, name);
        refused(&sandbox, |sandbox| sandbox.run(&["config", "validate"]), 2, name);
        refused(&sandbox, |sandbox| sandbox.run(&["validate", "one", "--registry", "one.json"]), 2, name);
    }
    let sandbox = Sandbox::new();
    sandbox.write(".ai-workflow/config.toml", "base_branch = \"main\"");
    sandbox.run(&["config", "validate"]).exits(0);
}

#[test]
fn an_unreadable_configuration_file_is_named() {
    let sandbox = Sandbox::new();
    refused(&sandbox, |sandbox| execute(sandbox, &["--config", "nowhere.toml"]), 2, "nowhere.toml");
    fs::write(sandbox.root().join(".ai-workflow/config.toml"), [0xff, 0xfe]).expect("a file");
    refused(&sandbox, |sandbox| execute(sandbox, &[]), 2, "failed to read ");
    fs::remove_file(sandbox.root().join(".ai-workflow/config.toml")).expect("removed");
    fs::create_dir(sandbox.root().join(".ai-workflow/config.toml")).expect("a folder");
    refused(&sandbox, |sandbox| execute(sandbox, &[]), 2, "failed to read ");
}

#[test]
fn execute_refuses_a_folder_without_git_commits_or_a_worktree() {
    let folder = Sandbox::empty();
    refused(&folder, |sandbox| execute(sandbox, &[]), 2, "is not in a git repository");
    let fresh = Sandbox::empty();
    fresh.git(&["init", "-q"]);
    refused(&fresh, |sandbox| execute(sandbox, &[]), 2, "has no commits yet");
    let bare = Sandbox::empty();
    bare.git(&["init", "-q", "--bare", "."]);
    execute(&bare, &[]).refuses(2, "is a bare repository");
}

#[test]
fn an_invalid_base_branch_is_refused() {
    let sandbox = Sandbox::new();
    for (base, text) in [
        ("--base-branch=nope", "there is no branch `nope`"),
        ("--base-branch=--upload-pack=x", "it begins with `-`"),
        ("--base-branch=a..b", "it contains `..`"),
        ("--base-branch=", "cannot be a branch"),
        ("--base-branch=HEAD~1", "cannot be a branch"),
        ("--base-branch=ai-workflow/issue-243", "is the run's own branch"),
    ] {
        refused(&sandbox, |sandbox| execute(sandbox, &[base]), 2, text);
    }
}

#[test]
fn execute_refuses_a_dirty_checkout_or_detached_head() {
    let sandbox = Sandbox::new();
    sandbox.write("README.md", "# mine\n");
    refused(&sandbox, |sandbox| execute(sandbox, &[]), 2, "changes of yours: README.md").says("--worktree");
    sandbox.git(&["checkout", "-q", "README.md"]);
    sandbox.git(&["checkout", "-q", "--detach"]);
    refused(&sandbox, |sandbox| execute(sandbox, &[]), 2, "HEAD is detached").says("--base-branch");
}

#[test]
fn execute_refuses_a_checkout_with_a_merge_in_progress() {
    let sandbox = Sandbox::new();
    for (branch, text) in [("other", "theirs\n"), ("main", "ours\n")] {
        sandbox.git(&["checkout", "-q", "-B", branch, "main"]);
        sandbox.write("README.md", text);
        sandbox.git(&["commit", "-q", "-a", "-m", branch]);
    }
    let merge = Sandbox::ran(sandbox.command("git").args(["merge", "-q", "other"]));
    assert_ne!(merge.code, 0, "the branches conflict");
    refused(&sandbox, |sandbox| execute(sandbox, &[]), 2, "a merge is in progress").says("git merge --abort");
}

#[test]
fn a_git_index_lock_is_reported_and_not_removed() {
    let sandbox = Sandbox::new();
    sandbox.write(".git/index.lock", "");
    refused(&sandbox, |sandbox| execute(sandbox, &[]), 2, "another git holds ")
        .says("if none is running, delete that file");
    assert!(sandbox.has(".git/index.lock"), "a lock of somebody else was removed");
}

#[test]
fn run_without_a_git_identity_is_refused() {
    let sandbox = Sandbox::new();
    fs::remove_file(sandbox.root().with_file_name("home").join(".gitconfig")).expect("removed");
    sandbox.git(&["config", "user.useConfigOnly", "true"]);
    refused(&sandbox, |sandbox| execute(sandbox, &[]), 2, "does not know who commits").says("user.name");
}

#[test]
fn foreign_branch_with_the_name_of_a_run_is_refused() {
    let sandbox = Sandbox::new();
    sandbox.git(&["checkout", "-q", "-b", "ai-workflow/issue-243"]);
    sandbox.git(&["commit", "-q", "--allow-empty", "-m", "somebody else's"]);
    sandbox.git(&["checkout", "-q", "main"]);
    refused(&sandbox, |sandbox| execute(sandbox, &[]), 2, "was not made by a run that is known here");
}

#[test]
fn an_agent_that_cannot_be_started_is_refused_before_the_run() {
    let sandbox = Sandbox::new();
    sandbox.executable("no-right.sh", "#!/bin/sh\n");
    sandbox.write("plain.txt", "no program\n");
    let bad = sandbox.script("turn = 3\n");
    for (agent, text) in [
        ("command:/no/such/agent", "`/no/such/agent` was not found"),
        ("command:no-such-agent", "add its folder to PATH"),
        ("command:./plain.txt", "is not executable"),
        ("scripted:nowhere.toml", "nowhere.toml"),
        (bad.as_str(), "the agent `scripted:"),
        ("claude", "`claude`"),
        ("codex:o3", "`codex"),
        ("auto", "the agent `auto` cannot be used: the agent program `claude` was not found"),
        ("acp:no-such --acp", "`no-such` was not found"),
        ("nobody", "[agents.nobody]"),
    ] {
        let run = |sandbox: &Sandbox| {
            let mut command = sandbox.binary(&["execute", "--issue", "243", "--agent", agent]);
            Sandbox::ran(command.env("PATH", "/usr/bin:/bin"))
        };
        refused(&sandbox, run, 4, text);
    }
    let reviewer = |sandbox: &Sandbox| execute(sandbox, &["--reviewer", "command:/no/such/reviewer"]);
    refused(&sandbox, reviewer, 4, "`/no/such/reviewer` was not found");
    let kind = |sandbox: &Sandbox| sandbox.run(&["execute", "--issue", "243", "--agent", "gpt:4"]);
    refused(&sandbox, kind, 2, "names no kind of agent");
}

#[test]
fn a_refused_first_command_starts_no_run() {
    let sandbox = Sandbox::new();
    for (arguments, code, text) in [
        (vec!["--phase", "implementation"], 2, "implementation needs requirements, "),
        (vec!["--phase", "implementation", "--dry-run"], 2, "implementation needs requirements, "),
        (vec!["--phase", "implementation", "--worktree"], 2, "implementation needs requirements, "),
        (vec!["--preset", "quick", "--phase", "design"], 2, "the phase design is left out of this run"),
        (vec!["--skip-phases", "planning", "--phase", "planning"], 2, "it was left out by --skip-phases"),
        (vec!["--retry-failed"], 2, "no phase of this run has failed"),
    ] {
        refused(&sandbox, |sandbox| execute(sandbox, &arguments), code, text);
    }
    assert!(!sandbox.root().with_file_name("repo-issue-243").exists(), "a worktree was made");
    let phases = sandbox.run(&["phases", "--json"]).exits(0).json();
    let named =
        phases.as_array().expect("a list").iter().map(|phase| phase["phase"].as_str().expect("a name"));
    let own = |name: &str| format!("[phases.{name}]\nagent = \"{0}\"\nreviewer = \"{0}\"\n", fake_agent());
    sandbox.write(".ai-workflow/config.toml", &named.map(own).collect::<String>());
    let run = |sandbox: &Sandbox| sandbox.run(&["execute", "--issue", "243", "--agent", "command:/no/such"]);
    refused(&sandbox, run, 4, "`/no/such` was not found");
}

#[test]
fn a_refused_command_does_not_switch_to_the_branch_of_a_run() {
    let sandbox = Sandbox::new();
    execute(&sandbox, &["--phase", "planning"]).exits(0);
    sandbox.git(&["switch", "-q", "main"]);
    for (arguments, text) in [
        (vec!["execute", "--phase", "implementation"], "implementation needs "),
        (vec!["execute", "--preset", "quick"], "was begun with preset `full`"),
        (vec!["execute", "--retry-failed"], "no phase of this run has failed"),
        (vec!["resume", "--continue"], "is running; nothing was asked"),
        (vec!["rollback", "--to-phase", "testing", "--reason", "x"], "testing has not begun yet"),
        (vec!["finalize"], "is running, not completed"),
    ] {
        let run = |sandbox: &Sandbox| sandbox.run(&[arguments.as_slice(), &["--issue", "243"]].concat());
        refused(&sandbox, run, 2, text);
    }
    let sandbox = super::answers::paused();
    sandbox.git(&["switch", "-q", "main"]);
    let before = sandbox.everything();
    sandbox.run(&["resume", "--issue", "243"]).exits(2).says("error: an answer is needed");
    assert_eq!(sandbox.everything(), before);
    for (arguments, code, text) in [
        (vec!["resume", "--accept"], 2, "an accept needs a reason"),
        (vec!["resume", "--edited", "--rounds", "2"], 2, "--rounds says how far a run goes on"),
        (vec!["resume", "--answer", "x", "--agent", "nope"], 4, "the agent `nope` cannot be used"),
    ] {
        let run = |sandbox: &Sandbox| sandbox.run(&[arguments.as_slice(), &["--issue", "243"]].concat());
        refused(&sandbox, run, code, text);
    }
}

#[test]
fn a_refused_command_does_not_switch_to_the_branch_of_a_completed_run() {
    let sandbox = Sandbox::new();
    sandbox.short("", &[]).exits(0);
    sandbox.git(&["switch", "-q", "main"]);
    let run = |sandbox: &Sandbox, command: &[&str]| sandbox.run(&[command, &["--issue", "243"]].concat());
    let left_out = "the phase document_review is left out of this run";
    refused(&sandbox, |sandbox| run(sandbox, &["doc-review"]), 2, left_out);
    let before = sandbox.everything();
    run(&sandbox, &["finalize", "--dry-run"]).exits(0);
    assert_eq!(sandbox.everything(), before);
    sandbox.git(&["switch", "-q", "ai-workflow/issue-243"]);
    super::unreviewed::commit(&sandbox, "src/mine.rs", "// mine\n");
    sandbox.git(&["switch", "-q", "main"]);
    for command in [&["finalize"][..], &["finalize", "--dry-run"]] {
        refused(&sandbox, |sandbox| run(sandbox, command), 2, "not reviewed: 1 file changed after the end");
    }
}

#[test]
fn flags_that_exclude_each_other_are_refused() {
    let sandbox = Sandbox::new();
    let both = |sandbox: &Sandbox| execute(sandbox, &["--skip-dependency-check", "--ignore-dependencies"]);
    refused(&sandbox, both, 2, "exclude each other");
}

#[test]
fn github_forge_without_a_repository_or_token_is_refused() {
    let run = |sandbox: &Sandbox| {
        sandbox.run(&["execute", "--issue", "243", "--forge", "github", "--agent", &fake_agent()])
    };
    refused(&Sandbox::new(), run, 2, "origin is not on https://github.com").says("GITHUB_REPOSITORY");
    let named = Sandbox::new().with("GITHUB_REPOSITORY", "octo/pages");
    refused(&named, run, 2, "there is no token in GITHUB_TOKEN or GH_TOKEN").says("--forge local");
}

#[test]
fn flags_cannot_change_the_fixed_settings_of_a_run() {
    let sandbox = Sandbox::new();
    sandbox.git(&["branch", "other"]);
    sandbox.short("", &[]).exits(0);
    let facts = sandbox.facts().len();
    for (flag, value, text) in [
        ("--preset", "quick", "was begun with preset `review-requirements`, not `quick`"),
        ("--base-branch", "other", "was begun with base-branch `main`, not `other`"),
        ("--language", "ja", "was begun with language `en`, not `ja`"),
        ("--skip-phases", "planning", "was begun with the phase `planning` in it"),
    ] {
        execute(&sandbox, &[flag, value]).refuses(2, text).says("ai-workflow cleanup --issue 243");
    }
    execute(&sandbox, &["--fresh-sessions"])
        .refuses(2, "was begun with sessions that are continued")
        .says("go on without `--fresh-sessions`");
    for set in [
        "commands.test=false",
        "phases.planning.max_revisions=9",
        "limits.max_cycles=7",
        "checks.max_kilobytes=1",
    ] {
        let key = set.split_once('=').expect("a key").0;
        execute(&sandbox, &["--set", set])
            .refuses(2, &format!("was begun with another `{key}`"))
            .says(&format!("go on without `--set {key}`"));
    }
    execute(&sandbox, &["--dry-run", "--language", "ja"])
        .refuses(2, "was begun with language `en`, not `ja`");
    execute(&sandbox, &["--set", "budget.usd=3"]).exits(0);
    assert_eq!(sandbox.facts().len(), facts);
    sandbox.write(".ai-workflow/config.toml", "preset = \"quick\"\n");
    execute(&sandbox, &["--preset", "review-requirements"]).exits(0);
    execute(&sandbox, &[]).exits(0);
}

#[test]
fn a_flag_that_repeats_what_a_run_was_begun_with_is_taken() {
    let sandbox = Sandbox::new();
    let same = ["--set", "phases.planning.max_revisions=2", "--set", "checks.max_kilobytes=700"];
    sandbox.short("", &[&same[..], &["--set", "budget.calls=1"]].concat()).exits(3);
    sandbox.write(
        ".ai-workflow/config.toml",
        "[phases.requirements]\nmax_revisions = 7\n[checks]\nmax_files = 700\n[budget]\ncalls = 9\n",
    );
    let confirmed = ["--config", ".ai-workflow/config.toml"];
    let ran = sandbox.short("", &[&same[..], &confirmed].concat()).exits(0);
    let warned = crate::line_with(&ran.stderr, "for new runs only");
    assert!(warned.contains("`phases.requirements.max_revisions`"), "{warned}");
    assert!(!warned.contains("planning") && !warned.contains("max_kilobytes"), "{warned}");
}

#[test]
fn every_command_refuses_an_issue_without_a_run() {
    let sandbox = Sandbox::new();
    for command in ["status", "explain", "replay", "resume", "cancel", "finalize", "cleanup", "rollback"] {
        let mut arguments = vec![command, "--issue", "243"];
        if command == "rollback" {
            arguments.extend(["--to-phase", "planning", "--reason", "x"]);
        }
        refused(&sandbox, |sandbox| sandbox.run(&arguments), 2, "there is no run of issue 243");
    }
}

#[test]
fn a_refusal_with_json_prints_one_json_document() {
    let sandbox = Sandbox::new();
    let ran =
        sandbox.run(&["execute", "--issue", "999", "--agent", &fake_agent(), "--json"]).refuses(2, "999");
    let document = ran.json();
    assert_eq!(document["exit_code"], 2);
    insta::assert_snapshot!(document["error"].as_str().unwrap_or_default(), @"issue 999 does not exist: there is no .ai-workflow/local/issues/999.md");
    assert!(document["hints"].as_array().is_some_and(|hints| !hints.is_empty()));
}

#[test]
fn a_log_of_a_newer_version_is_refused_and_not_changed() {
    let sandbox = Sandbox::new();
    sandbox.short("", &[]).exits(0);
    let path = ".ai-workflow/issue-243/events.jsonl";
    let log = sandbox.read(path).replacen("\"format\":1", "\"format\":99", 1);
    sandbox.write(path, &log);
    let before = sandbox.everything();
    execute(&sandbox, &[]).refuses(6, "events.jsonl");
    sandbox.run(&["status", "--issue", "243"]).refuses(6, "events.jsonl");
    assert_eq!(sandbox.everything(), before);
}

#[test]
fn an_agent_program_that_stops_working_during_the_run_exits_4() {
    let sandbox = Sandbox::new();
    let agent = sandbox.executable("agent.sh", "#!/bin/sh\nexit 1\n");
    fs::write(&agent, "#!/no/such/interpreter\n").expect("written");
    make_executable(&agent);
    sandbox.write(".ai-workflow/config.toml", "[policies.phase-review.limits]\nbackoff_ms = 1\n");
    let spec = format!("command:{}", agent.display());
    let ran = sandbox.run(&["execute", "--issue", "243", "--agent", &spec, "--preset", "quick"]).exits(4);
    insta::assert_snapshot!(crate::line_with(&ran.stderr, "failed: planning"), @"RESULT: failed: planning (agent_failed)");
    let honest = sandbox.script(&honest_script(""));
    sandbox.run(&["execute", "--issue", "243", "--agent", &honest, "--retry-failed"]).exits(0);
}
