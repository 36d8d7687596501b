//! The runner is killed or asked to stop while an agent works.

use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use super::world::{CALLS, World, calls, ends_within};

/// Kills the runner in the middle of a step and lets the same command finish the run.
fn killed_in(step: &str, repeated: &str) {
    let world = World::new();
    let child = world.start_until(step);
    world.kill(child);
    world.let_go();
    let view = world.sandbox.metadata();
    let (phase, _) = step.split_once('/').expect("a phase and a step");
    assert_eq!(
        (&view["outcome"], &view["phases"][phase]["status"]),
        (&json!("running"), &json!("in_progress"))
    );
    world.execute().exits(0);
    assert_eq!(calls(&world.sandbox), once_but(repeated));
    world.ended_undisturbed();
}

/// Every call once, and this one twice.
fn once_but(repeated: &str) -> std::collections::BTreeMap<String, usize> {
    CALLS.map(|call| (call.to_owned(), if call == repeated { 2 } else { 1 })).into()
}

fn signal(child: &std::process::Child, signal: Signal) {
    let process = i32::try_from(child.id()).ok().and_then(Pid::from_raw).expect("a process");
    kill_process(process, signal).expect("it runs");
}

#[test]
fn a_run_killed_during_the_author_call_can_continue() {
    killed_in("planning/execute", "planning/execute/1");
}

#[test]
fn a_run_killed_during_an_author_of_a_later_phase_can_continue() {
    killed_in("implementation/execute", "implementation/execute/1");
}

#[test]
fn a_run_killed_during_a_review_can_continue() {
    killed_in("implementation/review", "implementation/review/1");
}

#[test]
fn a_run_killed_during_a_revision_can_continue() {
    killed_in("planning/revise", "planning/revise/1");
}

/// Asks the runner to stop in the middle of a revise and lets the same command finish the run.
fn stopped_by(name: &str, asked: Signal) {
    let world = World::new();
    let child = world.start_until("planning/revise");
    signal(&child, asked);
    let (code, stderr) = ends_within(child, Duration::from_secs(10));
    assert_eq!(code, 130, "{stderr}");
    let told = crate::line_with(&stderr, "nothing finished is lost");
    insta::allow_duplicates! { insta::assert_snapshot!(told, @"error: interrupted; nothing finished is lost") };
    world.is_alone_within(Duration::ZERO);
    let facts = world.sandbox.facts();
    assert_eq!(facts.last(), Some(&json!({"type": "interrupted", "signal": name})));
    assert_eq!(world.sandbox.metadata()["phases"]["planning"]["status"], "in_progress");
    world.let_go();
    world.execute().exits(0);
    assert_eq!(calls(&world.sandbox), once_but("planning/revise/1"));
    world.ended_undisturbed();
}

#[test]
fn sigterm_stops_the_run_cleanly_and_it_can_continue() {
    stopped_by("SIGTERM", Signal::TERM);
}

#[test]
fn sigint_stops_the_run_cleanly_and_it_can_continue() {
    stopped_by("SIGINT", Signal::INT);
}

#[test]
fn an_agent_that_ignores_sigterm_is_killed_when_the_run_is_stopped() {
    let world = World::new();
    world.beside("deaf", "");
    let child = world.start_until("planning/execute");
    signal(&child, Signal::INT);
    let (code, stderr) = ends_within(child, Duration::from_secs(10));
    assert_eq!(code, 130, "{stderr}");
    world.is_alone_within(Duration::ZERO);
}

/// An agent that ignores SIGTERM has three seconds after the first signal; a busy machine may take its time once, and not
/// each time.
#[test]
fn a_second_signal_kills_an_agent_that_ignores_the_first() {
    let limit = Duration::from_millis(2500);
    let mut times = Vec::new();
    while times.len() < 5 && !times.iter().any(|took| *took < limit) {
        times.push(time_to_end_after_two_signals());
    }
    assert!(times.iter().any(|took| *took < limit), "{times:?}");
}

fn time_to_end_after_two_signals() -> Duration {
    let world = World::new();
    world.beside("deaf", "");
    let child = world.start_until("planning/execute");
    // Two signals of one kind may arrive as one.
    signal(&child, Signal::INT);
    signal(&child, Signal::TERM);
    let asked = Instant::now();
    let (code, stderr) = ends_within(child, Duration::from_secs(10));
    let took = asked.elapsed();
    assert_eq!(code, 130, "{stderr}");
    world.is_alone_within(Duration::ZERO);
    took
}

#[test]
fn an_agent_that_ignores_sigterm_ends_with_a_killed_runner() {
    let world = World::new();
    world.beside("deaf", "");
    let child = world.start_until("planning/execute");
    world.kill(child);
}
