//! `check`: the checks of a run in any repository, without a run.

use serde_json::{Value, json};

use crate::line_with;
use crate::support::{Ran, Sandbox};

/// A repository on a branch of its own with one changed file.
fn changed() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.git(&["switch", "-q", "-c", "topic"]);
    sandbox.write("src/lib.rs", "pub fn pages() -> u32 {\n    3\n}\n");
    sandbox
}

/// Returns stdout with the hash of the base taken out.
fn lines(sandbox: &Sandbox, ran: &Ran) -> String {
    let base = sandbox.git(&["rev-parse", "main"]);
    ran.stdout.replace(&base, "[BASE]").replace(&base[..9], "[BASE]")
}

#[test]
fn check_passes_for_a_good_change() {
    let sandbox = changed();
    let ran = sandbox.run(&["check", "--only", "code_changed,protected"]).exits(0);
    assert_eq!(
        lines(&sandbox, &ran),
        "1 file changed since [BASE] (main)\n\
         ✓ code_changed  1 file changed outside .ai-workflow/\n\
         ✓ protected     no protected path was changed\n\
         2 passed\n"
    );
    assert_eq!(ran.stderr, "");
    assert_eq!(sandbox.git(&["status", "--porcelain"]), "M src/lib.rs\n?? .ai-workflow/");
}

#[test]
fn a_deletion_counts_as_evidence_and_an_empty_change_does_not() {
    let sandbox = changed();
    sandbox.git(&["rm", "-q", "-f", "src/lib.rs"]);
    let ran = sandbox.run(&["check", "--only", "Q5"]).exits(0);
    insta::assert_snapshot!(lines(&sandbox, &ran), @r"
    1 file changed since [BASE] (main)
    ✓ evidence (Q5)  1 file gone
    1 passed
    ");
    sandbox.git(&["reset", "-q", "--hard", "main"]);
    sandbox.run(&["check", "--only", "Q5"]).exits(1);
}

#[test]
fn failures_are_shown_with_every_place_and_the_end_of_the_output() {
    let sandbox = changed();
    sandbox.write("a.lock", "1\n");
    sandbox.write("b.lock", "1\n");
    let red = sandbox.executable("red", "#!/bin/sh\necho one\necho two >&2\nexit 3\n");
    let set = format!("commands.test={}", red.display());
    let only = ["check", "--only", "protected,Q7,lint,build", "--set", "checks.protected=[\"*.lock\"]"];
    let more = ["--set", &set, "--set", "commands.build=/no/such/program"];
    let ran = sandbox.run(&[&only[..], &more].concat()).exits(1);
    let told = lines(&sandbox, &ran).replace(&red.display().to_string(), "[RED]");
    insta::assert_snapshot!(told, @r"
    3 files changed since [BASE] (main)
    ✗ protected   protected paths were changed: a.lock: is protected (and 1 more)
                  b.lock: is protected
    ✗ tests (Q7)  `[RED]` failed: exit code 3; it fails at the base as well; which failures are new cannot be told, because its output names none; it is listed and has to pass
                  | one
                  | two
    - lint (Q8)   skipped: no `[commands] lint` is set or detected
    ? build       unavailable: `/no/such/program` could not run: `/no/such/program` was not found; install what is missing, or change `[commands]`
    2 failed, 1 unavailable, 1 skipped
    ");
}

#[test]
fn check_json_lists_every_result_with_its_places() {
    let sandbox = changed();
    sandbox.write("a.lock", "1\n");
    let arguments = ["check", "--only", "Q8,protected", "--json", "--set", "checks.protected=[\"*.lock\"]"];
    let ran = sandbox.run(&arguments).exits(1);
    let base = sandbox.git(&["rev-parse", "main"]);
    assert_eq!(
        ran.json(),
        json!({
            "ok": false, "base": base, "base_name": "main", "changed_files": 2, "warnings": [],
            "asked_for": null, "tests": [],
            "results": [
                {"check": "lint", "criterion": "Q8", "status": "skipped", "required": true, "pattern": null,
                    "summary": "no `[commands] lint` is set or detected", "places": [], "evidence": "",
                    "questions": []},
                {"check": "protected", "criterion": null, "status": "fail", "required": true,
                    "pattern": "protected-changed", "summary": "protected paths were changed: a.lock: is protected",
                    "places": [{"file": "a.lock", "what": "is protected"}], "evidence": "a.lock: is protected",
                    "questions": []},
            ],
        })
    );
}

fn ids(ran: &Ran) -> Vec<String> {
    let results = ran.json()["results"].as_array().cloned().unwrap_or_default();
    results.iter().map(|result| result["check"].as_str().unwrap_or_default().to_owned()).collect()
}

#[test]
fn check_runs_the_checks_of_a_code_phase_and_set_commands_by_default() {
    let sandbox = changed();
    sandbox
        .write(".ai-workflow/config.toml", "[commands]\nlint = \"true\"\n[checks]\ndisabled = [\"build\"]\n");
    let all = ids(&sandbox.run(&["check", "--json"]).exits(0));
    for id in ["code_changed", "protected", "lint"] {
        assert!(all.iter().any(|known| known == id), "{id} is not in {all:?}");
    }
    for id in ["deliverable", "decision", "answer_format", "build"] {
        assert!(all.iter().all(|known| known != id), "{id} is in {all:?}");
    }
    let texts = ids(&sandbox.run(&["check", "--json", "--no-commands"]).exits(0));
    assert!(!texts.contains(&"lint".to_owned()), "{texts:?}");
}

#[test]
fn check_can_run_a_single_check_defined_by_the_project() {
    let sandbox = changed();
    let own = "[checks.define.audit]\nrun = \"false\"\n[checks.define.spelling]\nrun = \"true\"\n";
    sandbox.write(".ai-workflow/config.toml", own);
    assert_eq!(ids(&sandbox.run(&["check", "--only", "audit", "--json"]).exits(1)), ["audit"]);
    assert_eq!(ids(&sandbox.run(&["check", "--only", "spelling", "--json"]).exits(0)), ["spelling"]);
}

#[test]
fn unavailable_and_empty_checks_do_not_pass() {
    let sandbox = changed();
    let unavailable = ["check", "--only", "Q7", "--set", "commands.test=/no/such/program"];
    let ran = sandbox.run(&unavailable).exits(1);
    insta::assert_snapshot!(lines(&sandbox, &ran), @r"
    1 file changed since [BASE] (main)
    ? tests (Q7)  unavailable: `/no/such/program` could not run: `/no/such/program` was not found; install what is missing, or change `[commands]`
    1 unavailable
    ");
    let ran = sandbox.run(&["check", "--only", "Q7"]).exits(1);
    assert!(ran.stdout.ends_with("1 skipped: nothing was judged\n"), "{}", ran.stdout);
    let ran = sandbox.run(&["check", "--only", "Q7", "--no-commands"]).exits(1);
    assert!(ran.stdout.ends_with("\nnothing was judged\n"), "{}", ran.stdout);
}

#[test]
fn check_without_a_change_does_not_pass() {
    let sandbox = Sandbox::new();
    let ran = sandbox.run(&["check", "--no-commands"]).exits(1);
    assert!(ran.stdout.starts_with("nothing changed since "), "{}", ran.stdout);
    insta::assert_snapshot!(line_with(&ran.stdout, " code_changed "), @"✗ code_changed   nothing changed outside .ai-workflow/");
}

#[test]
fn only_what_somebody_has_to_look_at_is_shown_and_each_reason_once() {
    let sandbox = changed();
    sandbox.write(
        "src/lib.rs",
        "pub fn pages() -> u32 {\n    3\n}\n\npub fn lines() -> u32 {\n    todo!()\n}\n",
    );
    let check = ["check", "--set", "commands.test=/no/such/program"];
    let ran = sandbox.run(&check).exits(1);
    insta::assert_snapshot!(lines(&sandbox, &ran), @r"
    1 file changed since [BASE] (main)
    → suspect       1 question for the reviewer
                    S1: src/lib.rs:5: `lines` only says that it is not implemented. Is that what the issue asks for?
    ✗ todo (Q2)     work is left open: src/lib.rs:6: `todo!()` stands for code that is not there
    ? tests (Q7)    unavailable: `/no/such/program` could not run: `/no/such/program` was not found; install what is missing, or change `[commands]`
    ? pass_to_pass  unavailable: the tests could not be compared: `/no/such/program` was not found
                    the same: mutants
    24 passed, 1 failed, 3 unavailable, 1 with questions, 3 skipped; `--all` shows each
    ");
    let all = sandbox.run(&[&check[..], &["--all"]].concat()).exits(1);
    assert!(all.stdout.contains("✓ protected "), "{}", all.stdout);
    assert!(all.stdout.ends_with("skipped\n"), "{}", all.stdout);
}

#[test]
fn unknown_check_names_are_refused_with_a_suggestion() {
    let sandbox = changed();
    for (only, hint) in [
        ("protcted", "did you mean `protected`?"),
        ("q77", "did you mean `Q7`?"),
        ("frobnicate", "the checks are: "),
        ("deliverable", "leave it out of `--only`"),
    ] {
        sandbox.run(&["check", "--only", only]).exits(2).says(hint);
    }
    sandbox.run(&["check", "--template", "no_such_template"]).exits(2).says("no_such_template");
    sandbox
        .run(&["check", "--expect", "../outside"])
        .exits(2)
        .says("`--expect ../outside` is not a file of ");
    sandbox.run(&["check", "--output", "none.md"]).exits(2).says("failed to read none.md");
    assert_eq!(sandbox.run(&["check", "--only", "nonsense", "--json"]).exits(2).json()["exit_code"], 2);
}

#[test]
fn check_refuses_a_base_that_is_not_a_commit() {
    let sandbox = changed();
    sandbox.git(&["commit", "-q", "-am", "changed"]);
    sandbox.git(&["tag", "-a", "-m", "a tag", "v1"]);
    let files = |base: &[&str]| {
        let ran = sandbox.run(&[&["check", "--only", "code_changed", "--json"], base].concat());
        (ran.code, ran.json()["changed_files"].clone(), ran.json()["base_name"].clone())
    };
    assert_eq!(files(&[]), (0, json!(1), json!("main")));
    assert_eq!(files(&["--base", "HEAD~1"]), (0, json!(1), json!("HEAD~1")));
    assert_eq!(files(&["--base", "v1"]), (1, json!(0), json!("v1")));
    for bad in ["", "--all", "-h", "no-such-thing", "main..topic", "HEAD:src", "main\ntopic"] {
        sandbox.run(&["check", "--base", bad]).exits(2).says("there is no commit");
    }
}

#[test]
fn unpushed_commits_are_checked_on_the_default_branch() {
    let sandbox = Sandbox::new();
    let name = |sandbox: &Sandbox| {
        sandbox.run(&["check", "--only", "protected", "--json"]).json()["base_name"].clone()
    };
    assert_eq!(name(&sandbox), "HEAD");
    let head = sandbox.git(&["rev-parse", "HEAD"]);
    sandbox.git(&["update-ref", "refs/remotes/origin/main", &head]);
    sandbox.git(&["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main"]);
    sandbox.write("src/lib.rs", "pub fn pages() {}\n");
    sandbox.git(&["commit", "-q", "-am", "changed"]);
    let value: Value = sandbox.run(&["check", "--only", "code_changed", "--json"]).exits(0).json();
    assert_eq!((&value["base"], &value["base_name"]), (&json!(head), &json!("main")));
}

#[test]
fn check_works_in_a_subfolder_and_needs_a_repository_with_a_commit() {
    let sandbox = changed();
    let here = sandbox.run(&["check", "--only", "code_changed"]).exits(0).stdout;
    assert_eq!(sandbox.run_in("src", &["check", "--only", "code_changed"]).exits(0).stdout, here);
    let nowhere = Sandbox::empty();
    nowhere.run(&["check"]).exits(2).says("is not in a git repository").says("hint: ");
    nowhere.git(&["init", "-q"]);
    nowhere.run(&["check"]).exits(2).says("has no commits yet").says("hint: commit something first");
}

#[test]
fn check_validates_an_answer_against_the_schema_of_the_phase() {
    let sandbox = changed();
    sandbox.write(".ai-workflow/config.toml", "[phases.implementation]\nschema = \"answer.json\"\n");
    sandbox.write(".ai-workflow/answer.json", "{\"type\": \"object\", \"required\": [\"done\"], \"properties\": {\"done\": {\"type\": \"boolean\"}}}");
    sandbox.write("good.md", "Fine.\n```json\n{\"done\": true}\n```\n");
    sandbox.write("bad.md", "Fine.\n```json\n{\"done\": \"yes\"}\n```\n");
    let judged = |file: &str| sandbox.run(&["check", "--only", "answer_format", "--output", file]);
    judged("good.md").exits(0);
    let bad = judged("bad.md").exits(1);
    insta::assert_snapshot!(line_with(&bad.stdout, " answer_format "), @r#"✗ answer_format  Schema validation failed: done: Expected type "boolean", got string"#);
    let all = ids(&sandbox.run(&["check", "--json", "--no-commands", "--output", "good.md"]));
    assert!(all.contains(&"answer_format".to_owned()), "{all:?}");
}

#[test]
fn secrets_of_the_environment_are_never_printed() {
    let sandbox = changed().with("SERVICE_TOKEN", "s3cr3t-value-of-a-token");
    sandbox.write("s3cr3t-value-of-a-token.lock", "1\n");
    for json in [&["--json"][..], &[]] {
        let arguments = ["check", "--only", "protected", "--set", "checks.protected=[\"*.lock\"]"];
        let ran = sandbox.run(&[&arguments[..], json].concat()).exits(1);
        assert!(!ran.stdout.contains("s3cr3t"), "{}", ran.stdout);
    }
}

#[test]
fn what_a_command_plants_in_git_files_is_put_back_and_moved_references_are_told() {
    let sandbox = changed();
    let plants = "#!/bin/sh\necho planted > .git/hooks/post-commit\ngit config core.fsmonitor planted\n\
        git update-ref refs/heads/planted HEAD\ngit update-ref refs/topic HEAD^{tree}\n";
    let plant = sandbox.executable("plant", plants);
    let set = format!("commands.test={}", plant.display());
    let ran = sandbox.run(&["check", "--only", "tests", "--set", &set, "--json", "--in-place"]);
    insta::assert_snapshot!(ran.stderr, @"
    warning: a command of the repository changed git's own files, which was undone: .git/config, .git/hooks/post-commit, .git/refs/topic (kept in .git/ai-workflow/check/removed)
    warning: references moved or were made while a command of the repository ran, and were left as they are: refs/heads/planted (was not there)
    ");
    let report: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    assert_eq!(report["warnings"].as_array().map(Vec::len), Some(2), "{report}");
    assert!(!sandbox.has(".git/hooks/post-commit") && !sandbox.has(".git/refs/topic"));
    assert!(!sandbox.read(".git/config").contains("planted"));
    assert!(sandbox.has(".git/ai-workflow/check/removed/.git/hooks/post-commit"));
}
