//! What is missing, what hangs, what a project needs besides its tree, and which commands are used.

use serde_json::json;

use super::{WORK, commit, expect, project, tested, turns, work};
use crate::excerpt::excerpt;
use crate::support::{Sandbox, filtered, honest_script, make_executable};

#[test]
fn a_missing_tool_is_unavailable_never_a_failed_test_and_never_a_pass() {
    let sandbox = project("test = \"no-such-tool-anywhere --all\"\n");
    work(&sandbox, &[], &[]).exits(3).says("unavailable");
    let result = expect(&sandbox, "implementation", "tests", "unavailable", "install what is missing");
    assert_eq!(result["pattern"], "command-unavailable");
    for line in ["sh -c 'exit 127'", "sh -c 'exit 126'", "sh -c 'echo EACCES: permission denied >&2; exit 1'"]
    {
        let sandbox = project(&format!("lint = \"{line}\"\n"));
        work(&sandbox, &[], &[]).exits(3);
        expect(&sandbox, "implementation", "lint", "unavailable", "could not run");
    }
}

#[test]
fn a_hanging_command_is_ended_and_fails() {
    let sandbox = project("test = \"sh hanging.sh\"\n");
    sandbox.write("hanging.sh", "if [ -f hang ]; then sleep 60; fi\n");
    commit(&sandbox);
    let config = sandbox.read(".ai-workflow/config.toml") + "[limits]\ncommand_seconds = 1\n";
    sandbox.write(".ai-workflow/config.toml", &config);
    work(&sandbox, &[("hang", "x\n")], &[]).exits(1);
    expect(&sandbox, "implementation", "tests", "fail", "it did not end in time");
}

#[test]
fn unknown_test_output_passes_with_a_note_about_the_test_count() {
    let sandbox = project("test = \"true\"\n");
    work(&sandbox, &[], &[]).exits(0);
    expect(&sandbox, "testing", "tests", "pass", "does not say how many tests ran");
}

#[test]
fn secrets_in_the_output_of_a_command_are_masked() {
    let sandbox = project(
        "test = \"sh -c 'echo test ghp_0123456789abcdefghijABCDEFGHIJ012345 ... FAILED; test -f never'\"\n",
    );
    work(&sandbox, &[], &[]).exits(1);
    let log = sandbox.read(".ai-workflow/issue-243/events.jsonl");
    let rest = log.replace("echo test ghp_0123456789abcdefghijABCDEFGHIJ012345", "");
    assert!(!rest.contains("ghp_0123456789"), "{rest}");
}

/// A project whose dependencies git ignores.
fn depending(commands: &str) -> Sandbox {
    let sandbox = project(commands);
    sandbox.write("tests/old.t", ". ./node_modules/helper.sh\n");
    sandbox.write("packages/one/package.json", "{}\n");
    commit(&sandbox);
    sandbox.write("node_modules/helper.sh", "true\n");
    sandbox.write("packages/one/node_modules/other.sh", "true\n");
    sandbox
}

#[test]
fn ignored_dependencies_are_linked_and_reported_without_a_setup_command() {
    let sandbox = depending("test = \"sh run.sh\"\n");
    work(&sandbox, &[], &[]).exits(0);
    let result = expect(&sandbox, "testing", "tests", "pass", "1 test");
    assert_eq!(
        result["evidence"],
        "linked from the author's worktree: node_modules, packages/one/node_modules"
    );
    sandbox.run(&["cleanup", "--issue", "243"]).exits(0);
    assert!(sandbox.has("node_modules/helper.sh"));
}

#[test]
fn a_virtual_environment_with_its_own_gitignore_is_linked() {
    let sandbox = tested();
    sandbox.write("tests/old.t", ". ./.venv/helper.sh\n");
    commit(&sandbox);
    sandbox.write(".venv/.gitignore", "*\n");
    sandbox.write(".venv/helper.sh", "true\n");
    work(&sandbox, &[], &[]).exits(0);
    let result = expect(&sandbox, "testing", "tests", "pass", "1 test");
    assert_eq!(result["evidence"], "linked from the author's worktree: .venv");
}

#[test]
fn run_in_a_worktree_uses_the_dependencies_of_the_checkout() {
    uses_the_dependencies_of_the_checkout(".venv/.gitignore");
}

#[test]
fn run_in_a_worktree_uses_dependencies_that_git_does_not_ignore() {
    uses_the_dependencies_of_the_checkout(".venv/not-ignored");
}

/// Runs in a worktree, where a file with a pattern for everything lies among the dependencies of the checkout.
fn uses_the_dependencies_of_the_checkout(patterns: &str) {
    let sandbox = depending("test = \"sh run.sh\"\n");
    sandbox.write("tests/other.t", ". ./.venv/helper.sh\n");
    commit(&sandbox);
    sandbox.write(patterns, "*\n");
    sandbox.write(".venv/helper.sh", "true\n");
    let agent = sandbox.script(&honest_script(&turns(&[], &[])));
    sandbox.run(&["execute", "--issue", "243", "--forge", "local", "--agent", &agent, "--worktree"]).exits(0);
    let beside = sandbox.root().with_file_name("repo-issue-243");
    let log = std::fs::read_to_string(beside.join(".ai-workflow/issue-243/events.jsonl")).expect("the log");
    let linked = "linked from the checkout: node_modules, .venv, packages/one/node_modules";
    assert_eq!(excerpt(&log, "linked from the checkout", "\""), linked);
    let published = sandbox.git(&["ls-tree", "-r", "--name-only", "ai-workflow/issue-243"]);
    assert!(!published.contains("node_modules") && !published.contains(".venv"), "{published}");
    assert!(!beside.join("node_modules").exists(), "nothing is put into the author's worktree");
    sandbox.run(&["cleanup", "--issue", "243"]).exits(0);
    assert!(sandbox.has("node_modules/helper.sh") && sandbox.has(".venv/helper.sh"));
}

#[test]
fn test_caches_are_not_committed_even_without_a_gitignore() {
    let sandbox = tested();
    sandbox.git(&["rm", "-q", ".gitignore"]);
    commit(&sandbox);
    let caches = [
        ("src/__pycache__/pages.cpython-312.pyc", "compiled\u{0}\n"),
        ("pages.pyc", "compiled\n"),
        (".pytest_cache/v/cache/lastfailed", "{}\n"),
        (".pytest_cache/CACHEDIR.TAG", "Signature: 8a477f597d28d172789f06886806bc55\n"),
        (".coverage", "SQLite format 3\n"),
    ];
    work(&sandbox, &caches, &[]).exits(0);
    let published = sandbox.git(&["ls-tree", "-r", "--name-only", "ai-workflow/issue-243"]);
    for (path, _) in caches {
        assert!(sandbox.has(path) && !published.contains(path), "{path} in {published}");
    }
    sandbox.run(&["cleanup", "--issue", "243"]).exits(0);
}

#[test]
fn setup_runs_once_and_again_after_a_lock_file_change() {
    let sandbox = depending("setup = \"sh setup.sh\"\ntest = \"sh run.sh\"\n");
    let noted = sandbox.root().with_file_name("noted");
    let setup = format!(
        "mkdir -p node_modules && echo true > node_modules/helper.sh && echo . >> '{}'\n",
        noted.display()
    );
    sandbox.write("setup.sh", &setup);
    commit(&sandbox);
    let times = || std::fs::read_to_string(&noted).map_or(0, |noted| noted.lines().count());
    work(&sandbox, &[], &[]).exits(0);
    assert_eq!(times(), 1);
    let result = expect(&sandbox, "testing", "tests", "pass", "1 test");
    assert_eq!(result["evidence"], json!(null));
    sandbox.run(&["cleanup", "--issue", "243"]).exits(0);
    work(&sandbox, &[("package-lock.json", "{}\n"), ("tests/old.t", "cat node_modules/helper.sh # \n")], &[])
        .exits(0);
    assert!(times() >= 2);
}

#[test]
fn a_failed_setup_command_makes_tests_unavailable_and_not_failed() {
    let sandbox = project("setup = \"sh -c 'echo no network >&2; exit 1'\"\ntest = \"sh run.sh\"\n");
    work(&sandbox, &[], &[]).exits(3);
    expect(
        &sandbox,
        "implementation",
        "tests",
        "unavailable",
        "`[commands] setup` ended with exit code 1: no network",
    );
}

/// A Go module on a machine whose `go` tests and cannot vet.
fn go_project() -> Sandbox {
    let sandbox = Sandbox::new();
    let tools = sandbox.root().with_file_name("tools");
    std::fs::create_dir(&tools).expect("made");
    std::fs::write(tools.join("go"), "#!/bin/sh\n[ \"$1\" = test ] && exec sh run.sh\nexit 127\n")
        .expect("written");
    make_executable(&tools.join("go"));
    let path = format!("{}:{}", tools.display(), std::env::var("PATH").expect("a PATH"));
    let sandbox = sandbox.with("PATH", &path);
    sandbox.write("go.mod", "module example\n");
    sandbox.write("run.sh", super::RUNNER);
    sandbox.write("tests/old.t", "true\n");
    commit(&sandbox);
    sandbox.write(".ai-workflow/config.toml", WORK);
    sandbox
}

#[test]
fn detected_commands_stay_fixed_and_a_missing_tool_is_unavailable() {
    let sandbox = go_project();
    work(
        &sandbox,
        &[("package.json", "{\"scripts\": {\"test\": \"vitest run\", \"lint\": \"eslint .\"}}\n")],
        &[],
    )
    .exits(0);
    let agreed = &sandbox.facts()[0]["agreement"]["commands"];
    assert_eq!(agreed, &json!({"lint": "go vet ./...", "test": "go test ./..."}));
    expect(&sandbox, "implementation", "lint", "unavailable", "`go vet ./...` could not run");
    expect(&sandbox, "testing", "tests", "pass", "`go test ./...` passed");
}

#[test]
fn set_commands_override_detected_ones_and_detection_can_be_disabled() {
    let sandbox = go_project();
    sandbox.write(".ai-workflow/config.toml", &format!("{WORK}[commands]\nlint = \"true\"\n"));
    work(&sandbox, &[], &[]).exits(0);
    assert_eq!(sandbox.facts()[0]["agreement"]["commands"], json!({"lint": "true", "test": "go test ./..."}));
    let sandbox = go_project();
    sandbox.write(".ai-workflow/config.toml", &format!("{WORK}[commands]\ndetect = false\n"));
    work(&sandbox, &[], &[]).exits(0);
    assert_eq!(sandbox.facts()[0]["agreement"]["commands"], json!({}));
    expect(&sandbox, "testing", "tests", "skipped", "no `[commands] test` is set or detected");
}

#[test]
fn shell_syntax_in_a_command_is_refused_before_the_run() {
    let sandbox = project("test = \"true && python3 -m unittest\"\n");
    let before = sandbox.everything();
    let said = "config.toml, line 8: `commands.test` has `&&`, which only a shell understands";
    work(&sandbox, &[], &[]).refuses(2, said);
    sandbox.run(&["config", "validate"]).refuses(2, said);
    let told = sandbox.run(&["doctor"]).exits(2).stdout;
    insta::assert_snapshot!(excerpt(&told, "config.toml, line 8", "\n\n"), @r#"
    config.toml, line 8: `commands.test` has `&&`, which only a shell understands, and commands run without one
                   hint: say plainly that a shell is meant, `["sh", "-c", "…"]`, or put the line into a script and name that; a sign that belongs to an argument goes in quotes
    "#);
    assert_eq!(sandbox.everything(), before);
}

#[test]
fn a_command_list_may_call_a_shell() {
    let sandbox = project("test = [\"sh\", \"-c\", \"true && sh run.sh\"]\n");
    work(&sandbox, &[], &[]).exits(0);
    assert_eq!(sandbox.facts()[0]["agreement"]["commands"]["test"], "sh -c 'true && sh run.sh'");
    expect(&sandbox, "testing", "tests", "pass", "1 test");
}

#[test]
fn doctor_and_the_dry_run_show_which_commands_are_used_and_why() {
    let sandbox = go_project();
    sandbox.write(".ai-workflow/config.toml", &format!("{WORK}[commands]\nlint = \"no-such-linter\"\n"));
    let told = sandbox.run(&["doctor"]).exits(2).stdout;
    insta::assert_snapshot!(excerpt(&told, "✓ command", "\n"), @"✓ command      test: go test ./... (detected: go.mod is there)");
    insta::assert_snapshot!(excerpt(&told, "✗ command", "\n"), @"✗ command      lint: no-such-linter (set)");
    let dry = ["execute", "--issue", "243", "--forge", "local", "--agent", "command:/bin/true", "--dry-run"];
    let told = sandbox.run(&dry).exits(0).stdout;
    insta::assert_snapshot!(filtered(&told), @"
    #243 The last page is missing
    ai-workflow/issue-243 from main

      planning             left out (preset)
      requirements         left out (preset)
      design               left out (preset)
      test_scenario        left out (preset)
      document_review      left out (preset)
      implementation       phase-review  2 to 4 calls   implementation.md by command:/bin/true
      test_implementation  left out (preset)
      testing              phase-review  2 to 4 calls   test-result.md by command:/bin/true
      documentation        left out (preset)
      report               left out (preset)
      evaluation           left out (preset)

    commands
      lint                 no-such-linter (set)
      test                 go test ./... (detected: go.mod is there)

    4 to 8 agent calls (redos of broken calls and of open tasks apart), at most 20.00 USD
    Nothing was called and nothing written.
    ");
    let value = sandbox.run(&[&dry[..], &["--json"]].concat()).exits(0).json();
    assert_eq!(
        value["commands"][1],
        json!({"key": "test", "line": "go test ./...", "detected_because": "go.mod is there"})
    );
}

#[test]
fn a_run_without_commands_creates_no_clean_worktree() {
    let sandbox = tested();
    sandbox.write(".ai-workflow/config.toml", WORK);
    work(&sandbox, &[], &[]).exits(0);
    assert_eq!(super::worktrees(&sandbox), 1);
    assert!(!sandbox.root().with_file_name("repo-issue-243-clean").exists());
}
