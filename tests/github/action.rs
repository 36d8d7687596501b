//! The action as a job runs it: its own command, the files of a job, our binary, and the fake behind them.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::Value;

use super::run::Scene;
use super::told::{closing_line, line_with};
use crate::support::{Ran, Sandbox, honest_script};

/// Returns the command of a step: `run` hands over the event, `check` judges a pull request.
fn command(id: &str) -> String {
    let text = include_str!("../../action.yml");
    let action: serde_norway::Value = serde_norway::from_str(text).expect("YAML");
    let steps = action["runs"]["steps"].as_sequence().expect("steps");
    let step = steps.iter().find(|step| step["id"].as_str() == Some(id)).expect("the step");
    step["run"].as_str().expect("a command").to_owned()
}

/// Has the action take an event.
fn taken(scene: &Scene, name: &str, event: &Value, extra: &str, calls: &str) -> Ran {
    let temporary = scene.origin.path().join("runner temp");
    let bin = temporary.join("ai-workflow/bin");
    fs::create_dir_all(&bin).expect("a folder");
    // A second event finds it there.
    let _ = symlink(env!("CARGO_BIN_EXE_ai-workflow"), bin.join("ai-workflow"));
    let path = temporary.join("event.json");
    fs::write(&path, event.to_string()).expect("a file");
    let agent = scene.sandbox.script(&honest_script(extra));
    let mut bash = scene.sandbox.command("bash");
    bash.args(["--noprofile", "--norc", "-eo", "pipefail", "-c", &command("run")])
        .env("RUNNER_TEMP", &temporary)
        .env("GITHUB_EVENT_PATH", &path)
        .env("GITHUB_EVENT_NAME", name)
        // Origin is a folder here; in a job it is on the server.
        .env("AI_WORKFLOW_FORGE", "github")
        .envs([
            ("AGENT", agent.as_str()),
            ("REVIEWER", ""),
            ("PRESET", "quick-fix"),
            ("AI_WORKFLOW_BUDGET__CALLS", calls),
        ]);
    Sandbox::finish(bash)
}

#[test]
fn a_hostile_issue_title_is_not_executed_by_the_action() {
    let scene = Scene::of_event();
    let sentinel = scene.origin.path().join("SENTINEL");
    let evil =
        format!("a\"; touch {0} # `touch {0}` $(touch {0}) ${{{{ github.token }}}}", sentinel.display());
    scene.github.edit_issue(243, &evil, &evil);
    let event = scene.labeled();
    assert!(event.to_string().contains("touch"), "{event}");
    let ran = taken(&scene, "issues", &event, "", "99").exits(0);
    assert_eq!(closing_line(&scene.draft()), "Closes #243");
    assert!(!sentinel.exists(), "{}", ran.stderr);
    insta::assert_snapshot!(line_with(&scene.summary(), "| planning |"), @"| planning | ✓ completed | 1 | 23 checks passed | scripted:[FOLDER]/agent.toml: PASS by json | 0.00 USD | [DURATION] |");
    scene.everything_is_pushed();
    scene.within_the_contract();
}

#[test]
fn a_paused_run_exits_0_in_the_action_and_a_failed_run_does_not() {
    let scene = Scene::of_event();
    let event = scene.labeled();
    let waits = taken(&scene, "issues", &event, "", "2");
    let outcome = scene.sandbox.metadata()["outcome"].clone();
    assert_eq!((waits.code, outcome.as_str()), (0, Some("paused")), "{}", waits.stderr);
    let fails = r#"
[[turn]]
phase = "planning"
step = "review"
say = '{"review_id": "{{review_id}}", "result": "FAIL", "summary": "no", "findings": [{"severity": "major", "category": "quality", "issue": "no pages"}]}'
"#;
    let scene = Scene::of_event();
    let event = scene.labeled();
    taken(&scene, "issues", &event, fails, "99").exits(1);
}

#[test]
fn a_comment_without_permission_starts_no_run_and_the_job_passes() {
    let scene = Scene::of_event();
    let event = scene.github.commented("mallory", 243, "/ai-workflow run");
    taken(&scene, "issue_comment", &event, "", "99").exits(0).says("E_ACTOR_DENIED");
    assert!(scene.github.state().pulls.is_empty());
}

/// Has the action check the branch of a sandbox, as in the job of a pull request into `main`.
fn checked(sandbox: &Sandbox, sarif: &str) -> Ran {
    let temporary = sandbox.root().with_file_name("runner temp");
    let bin = temporary.join("ai-workflow/bin");
    fs::create_dir_all(&bin).expect("a folder");
    let _ = symlink(env!("CARGO_BIN_EXE_ai-workflow"), bin.join("ai-workflow"));
    let mut bash = sandbox.command("bash");
    bash.args(["--noprofile", "--norc", "-eo", "pipefail", "-c", &command("check")])
        .env("RUNNER_TEMP", &temporary)
        .envs([("GITHUB_BASE_REF", "main"), ("GITHUB_ACTIONS", "true"), ("SARIF", sarif)]);
    Sandbox::finish(bash)
}

#[test]
fn the_action_checks_a_pull_request_against_its_base_and_asks_nobody() {
    let sandbox = Sandbox::new();
    let base = sandbox.git(&["rev-parse", "HEAD"]);
    sandbox.git(&["update-ref", "refs/remotes/origin/main", &base]);
    sandbox.git(&["switch", "-q", "--detach"]);
    sandbox.write("src/lib.rs", "pub fn pages() -> u32 {\n    3\n}\n");
    sandbox.git(&["commit", "-q", "-am", "fix: count the last page"]);
    let ran = checked(&sandbox, "").exits(0);
    assert!(
        ran.stdout.contains("1 file changed since") && ran.stdout.contains("(origin/main)"),
        "{}",
        ran.stdout
    );
    sandbox.write("src/lib.rs", "// TODO: count pages\npub fn pages() -> u32 {\n    4\n}\n");
    sandbox.git(&["commit", "-q", "-am", "fix: count the next page"]);
    checked(&sandbox, "out.sarif").exits(1);
    let log: Value = serde_json::from_str(&sandbox.read("out.sarif")).expect("JSON");
    assert_eq!(log["runs"][0]["results"][0]["ruleId"], "check/todo");
}

#[test]
fn each_mode_of_the_action_runs_its_own_steps() {
    let action: serde_norway::Value = serde_norway::from_str(include_str!("../../action.yml")).expect("YAML");
    let condition = |step: &serde_norway::Value| step["if"].as_str().unwrap_or("always").to_owned();
    let steps = action["runs"]["steps"].as_sequence().expect("steps");
    assert_eq!(
        steps.iter().map(condition).collect::<Vec<_>>(),
        [
            "always",
            "inputs.mode != 'check' && inputs.install-agents == 'true' && inputs.part != 'apply'",
            "inputs.mode == 'check'",
            "inputs.mode != 'check'",
        ]
    );
    let keys: Vec<&str> =
        steps[2]["env"].as_mapping().expect("variables").keys().filter_map(|key| key.as_str()).collect();
    assert!(!keys.contains(&"GITHUB_TOKEN"), "{keys:?}");
}
