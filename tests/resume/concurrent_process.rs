//! Two processes and one issue: who works, who is turned away, who may look and who may end it.

use std::time::Duration;

use serde_json::json;

use super::world::{BRANCH, World, ends_within};
use crate::line_with;
use crate::support::{ISSUE, Ran, SHORT, fake_agent};

/// Executes another issue in the repository of a world.
fn execute(world: &World, issue: &str, more: &[&str]) -> Ran {
    world.sandbox.write(&format!(".ai-workflow/local/issues/{issue}.md"), ISSUE);
    let agent = fake_agent();
    let arguments = ["execute", "--issue", issue, "--forge", "local", "--preset", SHORT, "--agent", &agent];
    world.sandbox.run(&[arguments.as_slice(), more].concat())
}

#[test]
fn a_second_process_is_refused_and_shows_the_process_that_holds_the_issue() {
    let world = World::new();
    let child = world.start_until("planning/review");
    let before = world.every_byte();
    let ran = world.execute().exits(75);
    let holder = format!("another process holds this issue: process {} on ", child.id());
    let ran = ran.says(&holder).says("execute --phase all");
    insta::assert_snapshot!(line_with(&ran.stderr, "hint: "), @"hint: watch it with `ai-workflow status --issue 243`, or end it with `ai-workflow cancel --issue 243`");
    world.is_unchanged_since(&before);
    world.let_go();
    let (code, stderr) = ends_within(child, Duration::from_secs(20));
    assert_eq!(code, 0, "{stderr}");
    world.ended_undisturbed();
}

#[test]
fn status_works_while_another_process_runs_the_issue() {
    let world = World::new();
    let child = world.start_until("planning/revise");
    let before = world.log();
    let status = world.sandbox.run(&["status", "--issue", "243", "--json"]).exits(0).json();
    assert_eq!(status["phases"]["planning"]["current_step"], "revise");
    let held_by = status["held_by"].as_str().unwrap_or_default();
    assert!(held_by.starts_with(&format!("process {} ", child.id())), "{held_by}");
    for look in [vec!["status"], vec!["explain", "--issue", "243"], vec!["replay", "--issue", "243"]] {
        world.sandbox.run(&look).exits(0);
    }
    assert_eq!(world.log(), before, "looking writes nothing");
    world.kill(child);
}

#[test]
fn a_run_can_be_cancelled_from_another_process() {
    let world = World::new();
    let child = world.start_until("planning/revise");
    let cancelled = world.sandbox.run(&["cancel", "--issue", "243"]).exits(0);
    insta::assert_snapshot!(cancelled.stdout, @"the run of issue 243 is cancelled");
    let (code, stderr) = ends_within(child, Duration::from_secs(1));
    assert_eq!(code, 130, "{stderr}");
    assert!(!stderr.contains("run the same command again"), "{stderr}");
    insta::assert_snapshot!(line_with(&stderr, "error: "), @"error: stopped, because another process cancels the run; nothing finished is lost");
    insta::assert_snapshot!(line_with(&stderr, "RESULT: "), @"RESULT: cancelled, 0 of 2 phases completed");
    insta::assert_snapshot!(line_with(&stderr, "NEXT: "), @"NEXT:   ai-workflow cleanup --issue 243");
    assert!(!world.sandbox.has(".git/ai-workflow/issue-243/cancel-requested"));
    world.is_alone_within(Duration::ZERO);
    let facts = world.sandbox.facts();
    let last_two: Vec<_> = facts.iter().rev().take(2).map(|fact| fact["type"].clone()).collect();
    assert_eq!(last_two, [json!("cancelled"), json!("interrupted")]);
    assert_eq!(world.sandbox.metadata()["outcome"], "cancelled");
    world.let_go();
    let ran = world.execute().exits(2);
    insta::assert_snapshot!(line_with(&ran.stderr, "hint: "), @"hint: remove it with `ai-workflow cleanup --issue 243` and begin anew");
    assert_eq!(world.sandbox.facts().len(), facts.len());
}

#[test]
fn a_run_of_a_killed_process_has_no_holder_and_can_be_cancelled() {
    let world = World::new();
    let child = world.start_until("planning/revise");
    world.kill(child);
    let status = world.sandbox.run(&["status", "--issue", "243", "--json"]).exits(0).json();
    assert_eq!(status["held_by"], json!(null));
    world.sandbox.run(&["cancel", "--issue", "243"]).exits(0);
    assert_eq!(world.sandbox.metadata()["outcome"], "cancelled");
}

#[test]
fn second_issue_in_a_busy_checkout_is_refused() {
    let world = World::new();
    let sandbox = &world.sandbox;
    execute(&world, "8", &["--phase", "planning"]).exits(0);
    sandbox.git(&["switch", "-q", "main"]);
    sandbox.write(".ai-workflow/local/issues/7.md", ISSUE);
    let child = world.start_until("planning/execute");
    let (before, references) = (world.every_byte(), sandbox.git(&["for-each-ref"]));
    let holder = format!("process {} on ", child.id());
    let turned_away = |ran: Ran| {
        ran.refuses(75, "the run of issue 243 works in ").says(&holder).says(" --worktree`");
        world.is_unchanged_since(&before);
        assert_eq!(sandbox.git(&["for-each-ref"]), references);
        assert!(!sandbox.has(".git/ai-workflow/issue-7"), "the refusal left something behind");
    };
    turned_away(execute(&world, "7", &[]));
    turned_away(execute(&world, "8", &[]));
    for arguments in [
        vec!["resume", "--continue"],
        vec!["rollback", "--to-phase", "planning", "--reason", "x"],
        vec!["finalize"],
        vec!["cancel"],
        vec!["doc-review"],
    ] {
        turned_away(sandbox.run(&[arguments.as_slice(), &["--issue", "8"]].concat()));
    }
    for issue in ["7", "8"] {
        execute(&world, issue, &["--worktree"]).exits(0);
    }
    assert_eq!(sandbox.git(&["branch", "--show-current"]), BRANCH);
    world.let_go();
    let (code, stderr) = ends_within(child, Duration::from_secs(20));
    assert_eq!(code, 0, "{stderr}");
    let changed = sandbox.git(&["diff", "--name-only", "main", BRANCH]);
    assert!(!changed.contains("issue-7") && !changed.contains("issue-8"), "{changed}");
}

#[test]
fn another_issue_can_start_in_the_checkout_of_a_killed_run() {
    let world = World::new();
    world.kill(world.start_until("planning/execute"));
    execute(&world, "7", &[]).exits(0);
}

#[test]
fn another_run_can_start_after_a_cancelled_one() {
    let world = World::new();
    let sandbox = &world.sandbox;
    let full = |issue: &str, more: &[&str]| {
        sandbox.write(&format!(".ai-workflow/local/issues/{issue}.md"), ISSUE);
        let agent = fake_agent();
        sandbox.run(&[&["execute", "--issue", issue, "--forge", "local", "--agent", &agent], more].concat())
    };
    full("8", &["--phase", "implementation", "--skip-dependency-check"]).exits(0);
    sandbox.run(&["cancel", "--issue", "8"]).exits(0);
    assert_eq!(sandbox.git(&["status", "--porcelain", "--untracked-files=no"]), "");
    let log = sandbox.git(&["show", "ai-workflow/issue-8:.ai-workflow/issue-8/events.jsonl"]);
    assert!(log.lines().last().is_some_and(|line| line.contains("\"type\":\"cancelled\"")), "{log}");
    full("7", &["--phase", "planning", "--base-branch", "main"]).exits(0);
    sandbox.run(&["cleanup", "--issue", "8"]).exits(0);
    sandbox.run(&["rollback", "--issue", "7", "--to-phase", "planning", "--reason", "x"]).exits(0);
    let told = "would overwrite .ai-workflow/issue-7/events.jsonl";
    full("9", &["--phase", "planning", "--base-branch", "main"]).exits(2).says(told).says(" `--worktree`");
    assert_eq!(sandbox.git(&["branch", "--show-current"]), "ai-workflow/issue-7");
}
