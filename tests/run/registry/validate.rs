//! `validate`: the conditions of a step in a checkout, without a run.

use super::REGISTRY;
use crate::excerpt::excerpt;
use crate::support::{Sandbox, filtered};

fn sandbox(tests: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("tests.sh", tests);
    sandbox.write(".ai-workflow/steps_registry.json", REGISTRY);
    sandbox.git(&["add", "-A"]);
    sandbox.git(&["commit", "-q", "-m", "registry"]);
    sandbox
}

#[test]
fn passing_conditions_print_one_line_each_and_exit_0() {
    let sandbox = sandbox("exit 0\n");
    let ran = sandbox.run(&["validate", "complete.issue"]).exits(0);
    insta::assert_snapshot!(filtered(&ran.stdout), @r"
    Issue Complete Step
    ✓ git-clean: `git status --porcelain` passed in [MILLIS] ms with exit code 0
    ✓ tests-pass: `sh tests.sh` passed in [MILLIS] ms with exit code 0
    ");
    let json = sandbox.run(&["validate", "complete.issue", "--json"]).exits(0).json();
    assert_eq!(json["valid"], true);
    assert!(json["pattern"].is_null() && json["retry_prompt"].is_null(), "{json}");
}

#[test]
fn validate_stops_at_the_first_failure_and_prints_its_pattern_and_params() {
    let sandbox = sandbox("exit 0\n");
    sandbox.write("src/lib.rs", "// changed\n");
    sandbox.write("new.txt", "x\n");
    let ran = sandbox.run(&["validate", "complete.issue"]).exits(1);
    insta::assert_snapshot!(filtered(&ran.stdout));
    let json = sandbox.run(&["validate", "complete.issue", "--json"]).exits(1).json();
    assert_eq!(json["valid"], false);
    assert_eq!(json["pattern"], "git-dirty");
    assert_eq!(json["params"]["changedFiles"][0], "src/lib.rs");
    assert_eq!(json["params"]["untrackedFiles"][0], "new.txt");
    assert_eq!(json["results"].as_array().map(Vec::len), Some(1));
}

#[test]
fn each_condition_has_a_summary_a_severity_related_files_a_root_cause_and_a_suggested_action() {
    let five = |sandbox: &Sandbox, arguments: &[&str], code: i32| {
        let json = sandbox.run(&[&["validate"], arguments, &["--json"]].concat()).exits(code).json();
        let results = json["results"].as_array().cloned().unwrap_or_default();
        let names = ["summary", "severity", "relatedFiles", "rootCause", "suggestedAction"];
        let of =
            |result: &serde_json::Value| names.map(|name| format!("{name}: {}", result[name])).join("\n");
        results.iter().map(of).collect::<Vec<_>>().join("\n")
    };
    let pytest = "echo '==== FAILURES ===='\necho '==== short test summary info ===='\n\
        echo 'FAILED test_a.py::test_b - assert 1 == 2'\necho '==== 1 failed, 2 passed in 0.1s ===='\nexit 1\n";
    let red = sandbox(pytest);
    insta::assert_snapshot!(filtered(&five(&red, &["complete.issue"], 1)), @r#"
    summary: "`git status --porcelain` passed in [MILLIS] ms with exit code 0"
    severity: null
    relatedFiles: []
    rootCause: null
    suggestedAction: null
    summary: "`sh tests.sh` failed: exit code 1: 1 of 3 tests failed"
    severity: "error"
    relatedFiles: ["test_a.py"]
    rootCause: "assert 1 == 2"
    suggestedAction: "Make the code do what the failing tests expect; leave what they assert as it is"
    "#);
    red.write("src/lib.rs", "// changed\n");
    insta::assert_snapshot!(filtered(&five(&red, &["complete.issue"], 1)), @r#"
    summary: "`git status --porcelain` failed: it printed something: 1 file changed"
    severity: "error"
    relatedFiles: ["src/lib.rs"]
    rootCause: null
    suggestedAction: "Keep what belongs to the task, and put back the rest"
    "#);
    let file = r#"{"type": "file", "path": "docs/guide.md", "failurePattern": "failed"}"#;
    red.write("one.json", &only(file));
    insta::assert_snapshot!(filtered(&five(&red, &["one", "--registry", "one.json"], 1)), @r#"
    summary: "docs/guide.md is not there"
    severity: "error"
    relatedFiles: ["docs/guide.md"]
    rootCause: null
    suggestedAction: "Write each missing file with its full content, at exactly its path"
    "#);
}

#[test]
fn the_prompt_about_a_file_that_does_not_exist_names_its_path() {
    let sandbox = sandbox("exit 0\n");
    let told = |validator: &str| {
        sandbox.write("one.json", &only(validator).replace("\"failed\"", "\"file-not-exists\""));
        let json = sandbox.run(&["validate", "one", "--registry", "one.json", "--json"]).exits(1).json();
        let prompt = json["retry_prompt"].as_str().unwrap_or_default().to_owned();
        let (_, told) = prompt.split_once("\n```\n[end of data ").expect("data, and what to do about it");
        told.lines().skip(2).take_while(|line| !line.starts_with("Write it")).collect::<Vec<_>>().join("\n")
    };
    let file = r#"{"type": "file", "path": "docs/guide.md", "failurePattern": "failed"}"#;
    let command = r#"{"type": "command", "command": "test -f docs/guide.md", "successWhen": "exitCode:0", "failurePattern": "failed"}"#;
    insta::assert_snapshot!([file, command].map(told).join("\n"), @"
    What has to be there is missing:
    - `docs/guide.md`
    What has to be there is missing:
    - `docs/guide.md`
    ");
    sandbox.write("one.json", &only(command).replace("\"failed\"", "\"file-not-exists\""));
    let json = sandbox.run(&["validate", "one", "--registry", "one.json", "--json"]).exits(1).json();
    assert!(json.to_string().contains("\"relatedFiles\":[\"docs/guide.md\"]"), "{json}");
}

#[test]
fn retry_prompt_comes_from_the_base_folder_of_the_registry() {
    let sandbox = sandbox("echo red >&2; exit 1\n");
    let text = "---\nparams: [errorOutput]\n---\nOurs: {{errorOutput}}\n";
    sandbox.write(".agent/iterator/prompts/steps/retry/issue/f_failed_test-failed.md", text);
    sandbox.git(&["add", "-A"]);
    sandbox.git(&["commit", "-q", "-m", "prompts"]);
    let json = sandbox.run(&["validate", "complete.issue", "--json"]).exits(1).json();
    let prompt = json["retry_prompt"].as_str().unwrap_or_default();
    insta::assert_snapshot!(excerpt(prompt, "Ours: ", "\n"), @"Ours: red");
}

#[test]
fn validate_accepts_another_registry_and_refuses_a_bad_one() {
    let sandbox = sandbox("echo red >&2; exit 1\n");
    sandbox.write("other.json", &REGISTRY.replace("{\"validator\": \"git-clean\"}, ", ""));
    let ran = sandbox.run(&["validate", "complete.issue", "--registry", "other.json"]).exits(1);
    insta::assert_snapshot!(filtered(&ran.stdout), @"
    Issue Complete Step
    ✗ tests-pass: `sh tests.sh` failed: exit code 1

    The author would be told:

    ## Conditions that are not met yet
    [data [RUN]: what our checks saw, output of commands included]
    ```
    - complete.issue/tests-pass: FAILED: `sh tests.sh` failed: exit code 1
       command: sh tests.sh
       exitCode: 1
       red
    ```
    [end of data [RUN]]

    We ran the tests with `sh tests.sh` and they failed.
    Repair the cause of each failure in the code; change a test only where the requirements prove it wrong. Run the same command until
    it passes. Do not delete, skip or weaken a test.

    Repair what is named here and nothing else; then declare completion again.
    ");
    sandbox.write("other.json", &REGISTRY.replace("\"tests-pass\"}", "\"test-pass\"}"));
    sandbox.run(&["validate", "complete.issue", "--registry", "other.json"]).refuses(
        2,
        "other.json, line 39: `steps.complete.issue.completionConditions[1].validator` names `test-pass`",
    );
    sandbox
        .run(&["validate", "complete.issue", "--registry", "none.json"])
        .refuses(2, "failed to read none.json");
    sandbox.run(&["validate", "complete.isue"]).refuses(2, "there is no step `complete.isue`");
    std::fs::remove_file(sandbox.root().join(".ai-workflow/steps_registry.json")).expect("removed");
    sandbox.run(&["validate", "complete.issue"]).refuses(2, "there is no .ai-workflow/steps_registry.json");
}

#[test]
fn unavailable_condition_does_not_pass_and_skipped_one_is_listed() {
    let sandbox = sandbox("exit 1\n");
    sandbox.write("other.json", &REGISTRY.replace("git status --porcelain", "no-such-program"));
    let ran = sandbox.run(&["validate", "complete.issue", "--registry", "other.json"]).exits(1);
    insta::assert_snapshot!(excerpt(&ran.stdout, "? git-clean", "\n"), @"? git-clean: `no-such-program` could not run: `no-such-program` was not found");
    let skip = REGISTRY
        .replace(r#"{"action": "retry", "maxAttempts": 3}"#, r#"{"action": "skip"}"#)
        .replace("{\"validator\": \"git-clean\"}, ", "");
    sandbox.write("other.json", &skip);
    let ran = sandbox.run(&["validate", "complete.issue", "--registry", "other.json"]).exits(0);
    insta::assert_snapshot!(filtered(&ran.stdout), @"
    Issue Complete Step
    ✗ tests-pass: `sh tests.sh` failed: exit code 1
    ");
}

#[test]
fn the_issue_closed_condition_reads_the_issue_from_the_forge() {
    let sandbox = sandbox("exit 0\n");
    let closed = REGISTRY
        .replace("\"tests-pass\": {", "\"closed\": {\"type\": \"custom\", \"check\": \"issue_closed\", \"failurePattern\": \"open\"}, \"tests-pass\": {")
        .replace("\"test-failed\": {\n", "\"open\": {\"description\": \"x\"}, \"test-failed\": {\n")
        .replace("{\"validator\": \"git-clean\"}", "{\"validator\": \"closed\"}");
    sandbox.write("other.json", &closed);
    let arguments = ["validate", "complete.issue", "--registry", "other.json"];
    let ran = sandbox.run(&arguments).exits(1);
    insta::assert_snapshot!(excerpt(&ran.stdout, "? closed", "\n"), @"? closed: the issue could not be asked for: name it with `--issue`");
    let with_issue = [&arguments[..], &["--issue", "243"]].concat();
    let ran = sandbox.run(&with_issue).exits(1);
    insta::assert_snapshot!(excerpt(&ran.stdout, "✗ closed", "\n"), @"✗ closed: the issue is still open");
    let issue = sandbox.read(".ai-workflow/local/issues/243.md");
    sandbox.write(".ai-workflow/local/issues/243.md", &issue.replace("state: open", "state: closed"));
    let ran = sandbox.run(&with_issue).exits(0);
    insta::assert_snapshot!(excerpt(&ran.stdout, "✓ closed", "\n"), @"✓ closed: the issue is closed");
}

/// A step with one validator.
fn only(validator: &str) -> String {
    format!(
        r#"{{"agentId": "x", "failurePatterns": {{"failed": {{}}}}, "validators": {{"only": {validator}}},
        "steps": {{"one": {{"c2": "retry", "c3": "issue", "completionConditions": [{{"validator": "only"}}],
        "onFailure": {{"action": "retry"}}}}}}}}"#
    )
}

#[test]
fn file_conditions_look_in_the_checkout_and_do_not_follow_links() {
    let sandbox = sandbox("exit 0\n");
    let validate = |path: &str| {
        sandbox.write(
            "one.json",
            &only(&format!(r#"{{"type": "file", "path": "{path}", "failurePattern": "failed"}}"#)),
        );
        sandbox.run_in("src", &["validate", "one", "--registry", "../one.json", "--json"])
    };
    validate("src/lib.rs").exits(0);
    validate("src").exits(0);
    let json = validate("docs/guide.md").exits(1).json();
    assert_eq!(json["pattern"], "failed");
    assert_eq!(json["params"]["expectedPath"], "docs/guide.md");
    assert_eq!(json["params"]["missingFiles"][0], "docs/guide.md");
    std::os::unix::fs::symlink("/etc/passwd", sandbox.root().join("link")).expect("a link");
    assert_eq!(validate("link").exits(1).json()["pattern"], "failed");
    std::os::unix::fs::symlink("README.md", sandbox.root().join("inner")).expect("a link");
    validate("inner").exits(0);
}

#[test]
fn failed_command_without_output_does_not_pass() {
    let sandbox = sandbox("exit 3\n");
    let validator = |when: &str| {
        let text = r#"{"type": "command", "command": "sh tests.sh", "successWhen": "WHEN", "failurePattern": "failed"}"#;
        only(&text.replace("WHEN", when))
    };
    for (when, code) in [("empty", 1), ("exitCode:3", 0), ("contains:x", 1), ("matches:^$", 0)] {
        sandbox.write("one.json", &validator(when));
        let ran = sandbox.run(&["validate", "one", "--registry", "one.json"]).exits(code);
        assert_eq!(ran.stdout.contains("✓ only"), code == 0, "{when}: {}", ran.stdout);
    }
}

#[test]
fn output_of_a_command_is_masked() {
    let sandbox =
        sandbox("echo the key is hunter2hunter2 >&2; exit 1\n").with("MY_API_TOKEN", "hunter2hunter2");
    for more in [&[][..], &["--json"]] {
        let ran = sandbox.run(&[&["validate", "complete.issue"][..], more].concat()).exits(1);
        assert!(ran.stdout.contains("the key is") && !ran.stdout.contains("hunter2"), "{}", ran.stdout);
    }
}
