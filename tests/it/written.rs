//! Tests that come with the code: whole runs in which the author writes its tests while it implements.

use serde_json::json;

use crate::support::{Sandbox, honest_script};

const CODE: &str = "{ path = \"src/lib.rs\", text = \"pub fn pages() -> u32 { 3 }\\n\" }";
const TESTS: &str = "{ path = \"tests/pages.rs\", text = \"#[test]\\nfn three() {}\\n\" }";

/// Runs two phases; the first writes these files, the second its document only.
fn run(phases: [&str; 2], files: &[&str]) -> Sandbox {
    let sandbox = Sandbox::new();
    let [first, second] = phases;
    let config = format!(
        "order = [\"{first}\", \"{second}\"]\n[commands]\ndetect = false\n\
         [phases.{first}]\nneeds = []\n[phases.{second}]\nneeds = []\nmax_revisions = 1\n"
    );
    sandbox.write(".ai-workflow/config.toml", &config);
    let turn = |phase: &str, files: &[&str]| {
        let document = "{ path = \"{{output}}\", text = \"# What was left to do\\n\" }";
        let files = [&[document], files].concat().join(", ");
        format!("[[turn]]\nphase = \"{phase}\"\nstep = \"execute\"\nsay = \"done\"\nwrite = [{files}]\n")
    };
    let agent = sandbox.script(&honest_script(&(turn(first, files) + &turn(second, &[]))));
    let ran = sandbox.run(&["execute", "--issue", "243", "--forge", "local", "--agent", &agent]);
    assert!(ran.code != 2, "{}", ran.stderr);
    let outcome = &sandbox.metadata()["outcome"];
    assert_eq!(ran.code == 0, outcome == "completed", "{}", ran.stderr);
    sandbox
}

#[test]
fn tests_written_together_with_the_code_are_those_that_test_implementation_asks_for() {
    let sandbox = run(["implementation", "test_implementation"], &[CODE, TESTS]);
    assert_eq!(sandbox.metadata()["outcome"], "completed");
    let review =
        sandbox.read(".ai-workflow/issue-243/05_test_implementation/review/round-1/attempt-1/prompt.md");
    assert!(review.contains("this phase changed nothing outside .ai-workflow/"), "{review}");
    assert!(review.contains("+fn three() {}"), "the reviewer sees the tests: {review}");
}

#[test]
fn code_written_together_with_the_tests_is_that_which_implementation_asks_for() {
    let sandbox = run(["test_implementation", "implementation"], &[TESTS, CODE]);
    assert_eq!(sandbox.metadata()["outcome"], "completed");
}

#[test]
fn a_run_in_which_nobody_wrote_a_test_fails_in_test_implementation() {
    let sandbox = run(["implementation", "test_implementation"], &[CODE]);
    let phase = &sandbox.metadata()["phases"]["test_implementation"];
    assert_eq!((&phase["status"], &phase["reason"]), (&json!("failed"), &json!("E_NO_DELIVERABLE")));
    let advice =
        sandbox.read(".ai-workflow/issue-243/05_test_implementation/revise/round-1/attempt-1/prompt.md");
    assert!(advice.contains("holds no test yet"), "{advice}");
}
