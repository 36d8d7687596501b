//! What failed already at the base of the run is told and not charged, until the tests themselves are the subject.

use super::{WORK, commit, expect, project, tested, work};
use crate::support::{Sandbox, make_executable};

/// A project with a test that fails before anybody has worked.
fn red() -> Sandbox {
    let sandbox = tested();
    sandbox.write("tests/broken.t", "grep -q 4 src/lib.rs\n");
    commit(&sandbox);
    sandbox
}

#[test]
fn failures_of_the_base_are_charged_in_the_testing_phase_only() {
    let sandbox = red();
    work(&sandbox, &[], &[]).exits(1);
    expect(
        &sandbox,
        "implementation",
        "tests",
        "failed_before",
        "not charged: what fails (1) fails at the base as well",
    );
    expect(&sandbox, "testing", "tests", "fail", "exit code 1; 1 failure");
    assert_eq!(sandbox.metadata()["phases"]["implementation"]["status"], "completed");
    assert_eq!(sandbox.metadata()["phases"]["testing"]["status"], "failed");
}

#[test]
fn only_the_new_failure_is_charged_when_the_base_fails_too() {
    let sandbox = red();
    work(&sandbox, &[("tests/new.t", "false\n")], &[]).exits(1);
    let result = expect(&sandbox, "implementation", "tests", "fail", "1 failure that the base does not have");
    assert_eq!(result["params"]["failedTests"], serde_json::json!(["new"]));
}

#[test]
fn only_the_new_failure_is_charged_among_150_failures_of_the_base() {
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
fn a_test_that_failed_at_the_base_and_passes_now_is_accepted() {
    let sandbox = red();
    work(&sandbox, &[("src/lib.rs", "pub fn pages() -> u32 {\n    4\n}\n")], &[]).exits(0);
}

#[test]
fn failure_of_the_base_without_test_names_is_reported_and_not_charged() {
    let sandbox = project("lint = \"false\"\n");
    work(&sandbox, &[], &[]).exits(0);
    expect(&sandbox, "implementation", "lint", "failed_before", "its output names none");
}

#[test]
fn each_command_runs_once_at_the_base_in_a_run() {
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

/// Stands for a cargo of the stable channel: it does not compile benches of the nightly one and, without `--keep-going`,
/// stops at the first, which is another one each time. Beside that it objects to `pages_` in the library.
const STABLE_CARGO: &str = r#"#!/bin/sh
case "$1" in clippy | check) ;; *) exit 0 ;; esac
failed=0
refuse() {
    failed=1
    printf 'error%s: %s\n --> %s:1:1\n  |\n1 | x\n  | ^\n\n' "$1" "$2" "$3"
    printf 'error: could not compile `example` (%s) due to 1 previous error\n' "$3"
} >&2
noted="$(dirname "$0")/turns"
echo >> "$noted"
first=$(($(wc -l < "$noted") % 2 + 1))
set -- "$*" "benches/$first.rs" "benches/$((3 - first)).rs"
for bench in "$2" "$3"; do
    [ -e "$bench" ] || continue
    refuse '[E0554]' '`#![feature]` may not be used on the stable release channel' "$bench"
    case "$1" in *--keep-going*) ;; *) break ;; esac
done
if grep -q pages_ src/lib.rs; then refuse '' 'the name `pages_` is odd' src/lib.rs; fi
[ "$failed" = 0 ] || exit 101
"#;

/// A Rust project on a machine with that cargo, with these benches.
fn rust_project(benches: &[&str]) -> Sandbox {
    let sandbox = Sandbox::new();
    let tools = sandbox.root().with_file_name("tools");
    std::fs::create_dir(&tools).expect("made");
    for name in ["cargo", "cargo-clippy"] {
        std::fs::write(tools.join(name), STABLE_CARGO).expect("written");
        make_executable(&tools.join(name));
    }
    let path = format!("{}:{}", tools.display(), std::env::var("PATH").expect("a PATH"));
    let sandbox = sandbox.with("PATH", &path);
    sandbox.write("Cargo.toml", "[package]\nname = \"example\"\nversion = \"0.1.0\"\n");
    for bench in benches {
        sandbox.write(bench, "#![feature(test)]\n");
    }
    commit(&sandbox);
    sandbox.write(".ai-workflow/config.toml", WORK);
    sandbox
}

const ODD: (&str, &str) = ("src/lib.rs", "pub fn pages_() -> u32 {\n    3\n}\n");

#[test]
fn detected_command_that_fails_at_the_base_is_reported_and_not_charged() {
    let sandbox = rust_project(&["benches/1.rs", "benches/2.rs"]);
    work(&sandbox, &[ODD], &[]).exits(0);
    for check in ["lint", "typecheck"] {
        let says = "exit code 101; not charged: it was detected, not set, and fails at the base as well; 1 failure that the base does not have";
        let result = expect(&sandbox, "implementation", check, "failed_before", says);
        let places = result["places"].as_array().expect("places");
        assert_eq!((places.len(), &places[0]["file"]), (1, &"src/lib.rs".into()), "{result:#}");
    }
    let sandbox = rust_project(&[]);
    work(&sandbox, &[ODD], &[]).exits(1);
    expect(&sandbox, "implementation", "lint", "fail", "exit code 101; 1 failure");
}

#[test]
fn failures_of_the_base_are_recognised_by_message_and_not_by_target() {
    let set = || {
        let sandbox = rust_project(&["benches/1.rs", "benches/2.rs"]);
        let config = "[commands]\ndetect = false\nlint = \"cargo clippy --all-targets\"\n";
        sandbox.write(".ai-workflow/config.toml", &format!("{WORK}{config}"));
        sandbox
    };
    let sandbox = set();
    work(&sandbox, &[], &[]).exits(0);
    expect(
        &sandbox,
        "implementation",
        "lint",
        "failed_before",
        "not charged: what fails (1) fails at the base as well",
    );
    let sandbox = set();
    work(&sandbox, &[ODD], &[]).exits(1);
    expect(&sandbox, "implementation", "lint", "fail", "1 failure that the base does not have");
}
