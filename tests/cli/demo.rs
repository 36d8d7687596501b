//! `demo`: a real bug, the whole way, on a machine that has only git and cargo.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::line_with;
use crate::support::{Ran, Sandbox, fake_agent, filtered};

/// A machine with a tool chain, and a home in which git knows nobody.
fn machine() -> Sandbox {
    let home = PathBuf::from(std::env::var_os("HOME").unwrap_or_default());
    let folder = |name: &str, fallback: &str| {
        std::env::var(name).unwrap_or_else(|_| home.join(fallback).display().to_string())
    };
    let sandbox = Sandbox::empty()
        .with("RUSTUP_HOME", &folder("RUSTUP_HOME", ".rustup"))
        .with("CARGO_HOME", &folder("CARGO_HOME", ".cargo"))
        .with("AI_WORKFLOW_PRESET", "quick");
    fs::remove_file(sandbox.root().with_file_name("home").join(".gitconfig")).expect("removed");
    sandbox
}

fn cargo_test(sandbox: &Sandbox) -> bool {
    let mut command = sandbox.command("cargo");
    command.args(["test", "--offline", "--quiet"]).current_dir(sandbox.root().join("demo-project"));
    command.output().expect("cargo starts").status.success()
}

fn in_project<'a>(sandbox: &Sandbox, command: &'a mut Command) -> &'a mut Command {
    command.current_dir(sandbox.root().join("demo-project"))
}

#[test]
fn the_demo_repairs_a_real_bug_and_prints_its_steps() {
    let sandbox = machine();
    let ran = sandbox.run(&["demo", "demo-project"]).exits(0);
    assert_eq!(ran.stdout, "");
    insta::with_settings!({prepend_module_to_snapshot => false, omit_expression => true}, {
        insta::assert_snapshot!("demo", filtered(&ran.stderr));
    });
    assert!(cargo_test(&sandbox), "the tests pass on the run's branch");
    Sandbox::ran(in_project(&sandbox, sandbox.command("git").args(["switch", "-q", "main"]))).exits(0);
    assert!(!cargo_test(&sandbox), "the bug was real: the tests fail where the run began");
}

#[test]
fn the_demo_prints_one_json_document() {
    let sandbox = machine();
    let ran: Ran = sandbox.run(&["demo", "demo-project", "--json"]).exits(0);
    let report = ran.json();
    assert_eq!((report["outcome"].as_str(), report["simulated"].as_bool()), (Some("completed"), Some(true)));
    assert_eq!(report["phases"]["implementation"]["retry_count"], 1);
    assert_eq!(report["phases"]["testing"]["status"], "completed");
}

#[test]
fn a_refused_demo_leaves_no_folder_behind() {
    let beside = tempfile::tempdir().expect("a temporary folder");
    let sandbox = machine().with("TMPDIR", &beside.path().display().to_string());
    sandbox.run(&["demo", "--agent", "nosuch"]).exits(4).says("the agent `nosuch` cannot be used");
    assert_eq!(fs::read_dir(beside.path()).expect("a folder").count(), 0);
}

#[test]
fn the_demo_runs_with_another_agent() {
    let sandbox = machine();
    let ran = sandbox.run(&["demo", "demo-project", "--agent", &fake_agent()]);
    let agent = line_with(&ran.stderr, "agent        ").replace(env!("CARGO_MANIFEST_DIR"), "[ROOT]");
    insta::assert_snapshot!(agent, @"  agent        command:[ROOT]/tests/agents/fake.sh, reviewed by the same program in a fresh process");
    // The fake agent repairs nothing, and our own run of the tests sees it.
    ran.exits(1).says("failed: testing (tests_failed)");
}

#[test]
fn the_demo_accepts_an_empty_folder_and_refuses_a_full_one() {
    let sandbox = machine();
    fs::create_dir(sandbox.root().join("demo-project")).expect("a folder");
    sandbox.run(&["demo", "demo-project", "--agent", "command:/no/such"]).exits(4).says("/no/such");
    let before = sandbox.everything();
    sandbox.run(&["demo", "demo-project"]).refuses(2, "is not empty");
    assert_eq!(sandbox.everything(), before);
}
