//! Two processes and one issue: who works, who is turned away, who may look and who may end it.

use std::time::Duration;

use serde_json::json;

use super::world::{World, ends_within};

#[test]
fn x09_a_second_runner_is_turned_away_and_told_who_works() {
    let world = World::new();
    let child = world.start_until("planning/review");
    let before = world.every_byte();
    let ran = world.execute().exits(75);
    let holder = format!("another process holds this issue: process {} on ", child.id());
    assert!(ran.stderr.contains(&holder) && ran.stderr.contains("execute --phase all"), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("hint: ") && ran.stderr.contains("ai-workflow cancel --issue 243"),
        "{}",
        ran.stderr
    );
    world.is_unchanged_since(&before);
    world.let_go();
    let (code, stderr) = ends_within(child, Duration::from_secs(20));
    assert_eq!(code, 0, "{stderr}");
    world.ended_undisturbed();
}

#[test]
fn a_run_can_be_watched_while_another_process_works_on_it() {
    let world = World::new();
    let child = world.start_until("planning/revise");
    let before = world.log();
    let status = world.sandbox.run(&["status", "--issue", "243", "--json"]).exits(0).json();
    assert_eq!(status["phases"]["planning"]["current_step"], "revise");
    let held_by = status["held_by"].as_str().unwrap_or_default();
    assert!(held_by.contains(&format!("process {} ", child.id())), "{held_by}");
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
    assert!(cancelled.stdout.contains("cancelled"), "{}", cancelled.stdout);
    let (code, stderr) = ends_within(child, Duration::from_secs(1));
    assert_eq!(code, 130, "{stderr}");
    world.is_alone_within(Duration::ZERO);
    let facts = world.sandbox.facts();
    let last_two: Vec<_> = facts.iter().rev().take(2).map(|fact| fact["type"].clone()).collect();
    assert_eq!(last_two, [json!("cancelled"), json!("interrupted")]);
    assert_eq!(world.sandbox.metadata()["outcome"], "cancelled");
    world.let_go();
    let ran = world.execute().exits(2);
    assert!(
        ran.stderr.contains("hint: ") && ran.stderr.contains("ai-workflow cleanup --issue 243"),
        "{}",
        ran.stderr
    );
    assert_eq!(world.sandbox.facts().len(), facts.len());
}

#[test]
fn a_run_whose_runner_was_killed_is_nobodys() {
    let world = World::new();
    let child = world.start_until("planning/revise");
    world.kill(child);
    let status = world.sandbox.run(&["status", "--issue", "243", "--json"]).exits(0).json();
    assert_eq!(status["held_by"], json!(null));
    world.sandbox.run(&["cancel", "--issue", "243"]).exits(0);
    assert_eq!(world.sandbox.metadata()["outcome"], "cancelled");
}
