//! Whole runs with a scripted agent that are held to a registry or to checks of the project's own.

use serde_json::Value;

use super::REGISTRY;
use crate::excerpt::excerpt;
use crate::support::{Ran, Sandbox, honest_script};

const CONFIG: &str = "[phases.planning]\nstep = \"complete.issue\"\npolicy = \"completion\"\n";
/// Red as long as there is no file `green`.
const TESTS: &str = "test -e green || { echo 'tests/last.rs: the last page is missing' >&2; exit 1; }\n";

/// A repository whose planning phase is held to a step.
fn sandbox(config: &str, registry: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("tests.sh", TESTS);
    sandbox.write(".ai-workflow/config.toml", config);
    sandbox.write(".ai-workflow/steps_registry.json", registry);
    sandbox.git(&["add", "tests.sh", ".ai-workflow/config.toml", ".ai-workflow/steps_registry.json"]);
    sandbox.git(&["commit", "-q", "-m", "registry"]);
    sandbox
}

fn execute(sandbox: &Sandbox, turns: &str) -> Ran {
    let agent = sandbox.script(&honest_script(turns));
    let arguments = ["execute", "--issue", "243", "--forge", "local", "--agent", &agent];
    sandbox.run(&[&arguments[..], &["--set", "order=planning", "--preset", "one"]].concat())
}

fn preset(config: &str) -> String {
    format!("{config}\n[presets.one]\nphases = [\"planning\"]\n")
}

/// Returns the results of each round by check and status.
fn rounds(sandbox: &Sandbox) -> Vec<Vec<(String, String)>> {
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let of = |fact: &Value| {
        let results = fact["results"].as_array()?.iter();
        Some(results.map(|result| (word(&result["check"]), word(&result["status"]))).collect())
    };
    sandbox.facts().iter().filter_map(of).collect()
}

fn last(rounds: &[Vec<(String, String)>]) -> Vec<(&str, &str)> {
    rounds
        .iter()
        .filter_map(|round| round.last())
        .map(|(check, status)| (check.as_str(), status.as_str()))
        .collect()
}

fn reason(sandbox: &Sandbox) -> String {
    sandbox.metadata()["phases"]["planning"]["reason"].as_str().unwrap_or_default().to_owned()
}

const REPAIRS: &str = r##"
[[turn]]
phase = "planning"
step = "revise"
write = [{ path = "{{output}}", text = "# planning, once more\n" }, { path = "green", text = "yes\n" }]
say = "repaired"
"##;

#[test]
fn failing_tests_are_fixed_in_a_retry_and_the_step_completes() {
    let sandbox = sandbox(&preset(CONFIG), REGISTRY);
    execute(&sandbox, REPAIRS).exits(0);
    let rounds = rounds(&sandbox);
    let tests = "complete.issue/tests-pass";
    assert_eq!(last(&rounds), [(tests, "fail"), (tests, "pass")]);
    let failed = sandbox.facts().into_iter().find_map(|fact| {
        let results = fact["results"].as_array()?.clone();
        results.into_iter().find(|result| result["check"] == tests)
    });
    let failed = failed.expect("a result");
    assert_eq!(failed["pattern"], "test-failed");
    assert_eq!(failed["params"]["errorOutput"], "tests/last.rs: the last page is missing\n");
    let prompt = sandbox.read(".ai-workflow/issue-243/00_planning/revise/round-1/attempt-1/prompt.md");
    insta::assert_snapshot!(excerpt(&prompt, "## What to repair", "\n\n"), @"
    ## What to repair
    Checks that did not pass, in the order in which to repair them; they come before anything else:
    [data [RUN]: what our checks saw, output of commands included]
    ```
    - complete.issue/tests-pass: FAILED: `sh tests.sh` failed: exit code 1
       command: sh tests.sh
       exitCode: 1
       tests/last.rs: the last page is missing
    ```
    [end of data [RUN]]
    We ran the tests with `sh tests.sh` and they failed.
    Repair the cause of each failure in the code; change a test only where the requirements prove it wrong. Run the same command until
    it passes. Do not delete, skip or weaken a test.
    ");
}

#[test]
fn the_author_gets_the_retry_prompt_of_the_registry_folder() {
    let registry = REGISTRY.replace(
        r#""agentId": "iterator","#,
        r#""agentId": "iterator", "userPromptsBase": "agents/prompts","#,
    );
    let sandbox = sandbox(&preset(CONFIG), &registry);
    let folder = "agents/prompts/steps/retry/issue";
    sandbox.write(
        &format!("{folder}/f_failed_test-failed.md"),
        "---\nparams: [errorOutput]\n---\nOur house wants green tests; `{{command}}` said: {{errorOutput}}\n",
    );
    sandbox.write("agents/prompts/steps/initial/issue/f_default.md", "Prompt of {{another}} program\n");
    sandbox.git(&["add", "agents"]);
    sandbox.git(&["commit", "-q", "-m", "prompts"]);
    execute(&sandbox, REPAIRS).exits(0);
    let tests = "complete.issue/tests-pass";
    assert_eq!(last(&rounds(&sandbox)), [(tests, "fail"), (tests, "pass")]);
    let prompt = sandbox.read(".ai-workflow/issue-243/00_planning/revise/round-1/attempt-1/prompt.md");
    insta::assert_snapshot!(excerpt(&prompt, "Our house", "\n"), @"Our house wants green tests; `sh tests.sh` said: tests/last.rs: the last page is missing");
    assert!(!prompt.contains("We ran the tests with"), "{prompt}");
}

#[test]
fn an_unpublished_file_does_not_make_a_registry_test_pass() {
    let cheat = REPAIRS.replace("path = \"green\"", "path = \"cache/green\"");
    let sandbox = sandbox(&preset(CONFIG), &REGISTRY.replace("{\"validator\": \"git-clean\"}, ", ""));
    sandbox.write("tests.sh", &TESTS.replace("green", "cache/green"));
    sandbox.write(".gitignore", "cache/\n");
    sandbox.git(&["add", "tests.sh", ".gitignore"]);
    sandbox.git(&["commit", "-q", "-m", "a cache"]);
    execute(&sandbox, &cheat).exits(1);
    assert!(sandbox.has("cache/green"), "it stands in the author's tree, where the tests would pass");
    let tests = "complete.issue/tests-pass";
    assert!(last(&rounds(&sandbox)).iter().all(|result| *result == (tests, "fail")));
}

#[test]
fn third_failure_ends_the_step_without_a_review() {
    let reviewed = CONFIG.replace("policy = \"completion\"\n", "");
    let sandbox = sandbox(&preset(&reviewed), REGISTRY);
    execute(&sandbox, "").exits(1);
    assert_eq!(rounds(&sandbox).len(), 3);
    assert_eq!(reason(&sandbox), "retry_limit");
    let reviews = sandbox.facts().iter().filter(|fact| fact["reading"].is_object()).count();
    assert_eq!(reviews, 0);
}

#[test]
fn abort_ends_the_phase_at_the_first_failure() {
    let abort = REGISTRY.replace(r#"{"action": "retry", "maxAttempts": 3}"#, r#"{"action": "abort"}"#);
    let sandbox = sandbox(&preset(CONFIG), &abort);
    execute(&sandbox, REPAIRS).exits(1);
    assert_eq!((rounds(&sandbox).len(), reason(&sandbox)), (1, "blocked".to_owned()));
    assert!(!sandbox.has("green"));
}

#[test]
fn a_failure_with_action_skip_is_logged_and_the_run_continues() {
    let skip = REGISTRY.replace(r#"{"action": "retry", "maxAttempts": 3}"#, r#"{"action": "skip"}"#);
    let sandbox = sandbox(&preset(CONFIG), &skip);
    execute(&sandbox, "").exits(0);
    assert_eq!(last(&rounds(&sandbox)), [("complete.issue/tests-pass", "fail")]);
}

#[test]
fn a_missing_program_makes_a_condition_unavailable_and_not_failed() {
    for command in ["no-such-program --now", "sh -c 'exit 126'", "sh -c 'echo EACCES >&2; exit 1'"] {
        let registry = REGISTRY.replace("sh tests.sh", command);
        let sandbox = sandbox(&preset(CONFIG), &registry);
        execute(&sandbox, REPAIRS).exits(1);
        assert_eq!(last(&rounds(&sandbox)), [("complete.issue/tests-pass", "unavailable")], "{command}");
        assert_eq!(reason(&sandbox), "blocked", "{command}");
    }
}

#[test]
fn an_unfinished_merge_of_the_author_fails_the_git_clean_condition() {
    // The marks alone would be caught by another check.
    let config = format!("{CONFIG}[checks]\ndisabled = [\"conflict_markers\"]\n");
    let sandbox = sandbox(&preset(&config), REGISTRY);
    sandbox.git(&["switch", "-q", "-c", "other", "HEAD~1"]);
    sandbox.write("src/lib.rs", "pub fn pages() -> u32 {\n    7\n}\n");
    sandbox.git(&["commit", "-q", "-am", "other"]);
    sandbox.git(&["switch", "-q", "main"]);
    sandbox.write("src/lib.rs", "pub fn pages() -> u32 {\n    8\n}\n");
    sandbox.git(&["commit", "-q", "-am", "main"]);
    let merges = sandbox.executable(
        "merge.sh",
        "#!/bin/sh\ngit -c user.name=a -c user.email=a@example.org merge other\nexit 0\n",
    );
    let turns = format!(
        "{REPAIRS}\n[[turn]]\nphase = \"planning\"\nstep = \"execute\"\nrun = \"{}\"\nwrite = [{{ path = \"{{{{output}}}}\", text = \"# plan\\n\" }}]\nsay = \"done\"\n",
        merges.display()
    );
    let ran = execute(&sandbox, &turns);
    let rounds = rounds(&sandbox);
    let first = last(&rounds).first().copied();
    assert_eq!(first, Some(("complete.issue/git-clean", "fail")), "{}\n{rounds:?}", ran.stderr);
}

const OWN: &str = "
[checks.define.notes]
run = \"grep -q ${word} NOTES.md\"
params = { word = \"a b; touch evil\" }

[checks.define.shelled]
run = \"echo ${word} | grep -q '; touch'\"
shell = true
params = { word = \"x; touch evil\" }

[checks.define.license]
file = \"README.md\"

[phases.planning]
policy = \"completion\"
checks = [\"license\", \"shelled\", \"notes\"]
";

#[test]
fn a_value_in_a_check_command_is_one_argument_and_is_not_executed() {
    let sandbox = sandbox(&preset(OWN), REGISTRY);
    let notes = REPAIRS
        .replace("path = \"green\", text = \"yes\\n\"", "path = \"NOTES.md\", text = \"a b; touch evil\\n\"");
    execute(&sandbox, &notes).exits(0);
    let rounds = rounds(&sandbox);
    assert_eq!(last(&rounds), [("notes", "fail"), ("notes", "pass")]);
    assert!(!sandbox.has("evil"));
}

#[test]
fn a_hanging_check_is_ended_and_fails() {
    let own = "[checks.define.slow]\nrun = \"sleep 60\"\ntimeout_seconds = 1\n[phases.planning]\npolicy = \"completion\"\nmax_revisions = 0\nchecks = [\"slow\"]\n";
    let sandbox = sandbox(&preset(own), REGISTRY);
    execute(&sandbox, "").exits(1);
    let facts = sandbox.facts();
    let told = facts.iter().find_map(|fact| fact["results"].as_array()?.last()?["summary"].as_str());
    assert_eq!(told, Some("`sleep 60` failed: did not end in time"));
}

#[test]
fn open_issue_does_not_count_as_closed_by_a_claim() {
    let own = "[checks.define.closed]\nissue_closed = true\n[phases.planning]\npolicy = \"completion\"\nmax_revisions = 0\nchecks = [\"closed\"]\n";
    let sandbox = sandbox(&preset(own), REGISTRY);
    execute(&sandbox, "").exits(1);
    assert_eq!(last(&rounds(&sandbox)), [("closed", "fail")]);
}

#[test]
fn reserved_and_unknown_check_names_are_refused_before_the_run() {
    for (config, told) in [
        (
            "[checks.define.tests]\nrun = \"true\"\n",
            "`checks.define.tests` bears the name of a check of ours",
        ),
        (
            "[phases.planning]\nchecks = [\"nots\"]\n",
            "phase planning names a check `nots` that does not exist",
        ),
        ("[phases.planning]\nstep = \"nowhere\"\n", "names `nowhere`, which is no step of the registry"),
    ] {
        let sandbox = sandbox(&preset(config), REGISTRY);
        execute(&sandbox, "").refuses(2, told);
    }
    let broken = sandbox(&preset(CONFIG), "{");
    execute(&broken, "").refuses(2, ".ai-workflow/steps_registry.json, line 1: not JSON");
}

#[test]
fn resume_refuses_a_step_registry_changed_during_the_run() {
    let own =
        CONFIG.replace("policy = \"completion\"\n", "on_exhausted = \"pause\"\npolicy = \"completion\"\n");
    let sandbox = sandbox(&preset(&own), REGISTRY);
    execute(&sandbox, "").exits(3);
    sandbox.write(".ai-workflow/steps_registry.json", &REGISTRY.replace("sh tests.sh", "true"));
    let told = ".ai-workflow/steps_registry.json or .claude/review-loop.json changed since";
    sandbox.run(&["resume", "--issue", "243", "--continue"]).exits(2).says(told);
}

#[test]
fn a_disabled_review_loop_file_is_mentioned() {
    let sandbox = sandbox(&preset(""), REGISTRY);
    sandbox.write(".claude/review-loop.json", "{\"enabled\": false}");
    sandbox.git(&["add", ".claude"]);
    sandbox.git(&["commit", "-q", "-m", "loop"]);
    execute(&sandbox, "").exits(0).says("review-loop.json is switched off");
}

#[test]
fn commit_messages_of_an_author_are_checked() {
    let own = "[checks.define.messages]\ncommit_messages = true\n[phases.planning]\npolicy = \"completion\"\nchecks = [\"messages\"]\n";
    let commit = "git -c user.name=author -c user.email=author@example.org commit --quiet --allow-empty";
    let turns = format!(
        r##"
[[turn]]
phase = "planning"
step = "execute"
write = [{{ path = "{{{{output}}}}", text = "# planning\n" }}]
run = "{commit} -m update"

[[turn]]
phase = "planning"
step = "revise"
write = [{{ path = "{{{{output}}}}", text = "# planning, once more\n" }}]
run = "{commit} --amend -m 'count the last page as well'"
"##
    );
    let sandbox = sandbox(&preset(own), REGISTRY);
    execute(&sandbox, &turns).exits(0);
    assert_eq!(last(&rounds(&sandbox)), [("messages", "fail"), ("messages", "pass")]);
    let prompt = sandbox.read(".ai-workflow/issue-243/00_planning/revise/round-1/attempt-1/prompt.md");
    insta::assert_snapshot!(excerpt(&prompt, "## What to repair", "\n   taskDescription"), @r#"
    ## What to repair
    Checks that did not pass, in the order in which to repair them; they come before anything else:
    [data [RUN]: what our checks saw, output of commands included]
    ```
    - messages: FAILED: the commit message "update" would fit every change
       commitMessages: update
       error: the commit message "update" would fit every change
    "#);
    let honest = super::runs::sandbox(&preset(own), REGISTRY);
    execute(&honest, "").exits(0);
    assert_eq!(last(&rounds(&honest)), [("messages", "skipped")], "only the engine committed");
}
