//! What failed already at the base of the run is told and not charged, until the tests themselves are the subject.

use super::{commit, expect, project, tested, work};
use crate::support::Sandbox;

/// A project with a test that fails before anybody has worked.
fn red() -> Sandbox {
    let sandbox = tested();
    sandbox.write("tests/broken.t", "grep -q 4 src/lib.rs\n");
    commit(&sandbox);
    sandbox
}

#[test]
fn what_fails_at_the_base_is_not_charged_before_testing_and_charged_there() {
    let sandbox = red();
    work(&sandbox, &[], &[]).exits(1);
    expect(
        &sandbox,
        "implementation",
        "tests",
        "pass",
        "not charged: what fails (1) fails at the base as well",
    );
    expect(&sandbox, "testing", "tests", "fail", "exit code 1; 1 failure");
    assert_eq!(sandbox.metadata()["phases"]["implementation"]["status"], "completed");
    assert_eq!(sandbox.metadata()["phases"]["testing"]["status"], "failed");
}

#[test]
fn a_new_failure_beside_an_old_one_is_charged_alone() {
    let sandbox = red();
    work(&sandbox, &[("tests/new.t", "false\n")], &[]).exits(1);
    let result = expect(&sandbox, "implementation", "tests", "fail", "1 failure that the base does not have");
    assert_eq!(result["params"]["failedTests"], serde_json::json!(["new"]));
}

#[test]
fn a_new_failure_beside_a_hundred_and_fifty_old_ones_is_charged_alone() {
    let sandbox = tested();
    for number in 0..150 {
        sandbox.write(&format!("tests/broken_{number:03}.t"), "false\n");
    }
    commit(&sandbox);
    work(&sandbox, &[("tests/new.t", "false\n")], &[]).exits(1);
    let result = expect(&sandbox, "implementation", "tests", "fail", "1 failure that the base does not have");
    assert_eq!(result["params"]["failedTests"], serde_json::json!(["new"]));
}

#[test]
fn a_repaired_test_is_welcome() {
    let sandbox = red();
    work(&sandbox, &[("src/lib.rs", "pub fn pages() -> u32 {\n    4\n}\n")], &[]).exits(0);
}

#[test]
fn without_names_an_old_failure_is_not_charged_and_said_so() {
    let sandbox = project("lint = \"false\"\n");
    work(&sandbox, &[], &[]).exits(0);
    expect(&sandbox, "implementation", "lint", "pass", "its output names none");
}

#[test]
fn a_command_is_run_at_the_base_once_in_a_run() {
    let sandbox = project("test = \"sh noting.sh\"\n");
    let noted = sandbox.root().with_file_name("noted");
    sandbox.write("noting.sh", &format!("cat src/lib.rs | tr -dc 0-9 >> '{}'\nexit 1\n", noted.display()));
    commit(&sandbox);
    work(&sandbox, &[], &[]).exits(1);
    // u32 and the figure: 2 at the base, 3 in what is published; testing asks nobody about the base.
    let noted = std::fs::read_to_string(noted).expect("the notes");
    assert_eq!(noted.matches("322").count(), 1, "{noted}");
    assert_eq!(noted, "323322323323");
}
