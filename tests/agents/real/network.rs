//! With our switches a program talks to its model's address and to nobody else. Seen by strace.

use std::fs;
use std::process::Command;

use model::event::ExecOutcome;
use settings::AgentKind;

use super::calls::writing;
use super::play::{in_order, say};
use super::scene::Scene;

fn strace_is_there() -> bool {
    let there = Command::new("strace").arg("--version").output().is_ok_and(|output| output.status.success());
    if !there {
        eprintln!("SKIPPED: strace is not installed, so nobody sees whom the programs talk to");
    }
    there
}

/// Returns the addresses that a trace connects to, each on the lines of its call.
fn connections(trace: &str) -> Vec<&str> {
    trace.lines().filter(|line| line.contains("connect(") && line.contains("AF_INET")).collect()
}

of_both!(a_program_connects_to_its_model_and_to_nobody_else);

fn a_program_connects_to_its_model_and_to_nobody_else(kind: AgentKind) {
    if !strace_is_there() {
        return;
    }
    let turns = vec![writing(kind, "note.txt".as_ref(), "written\n"), say("It is written.")];
    let Some(mut scene) = Scene::of(kind, in_order(turns)) else { return };
    let trace = scene.worktree().with_file_name("trace.txt");
    let file = trace.display().to_string();
    let watched = ["strace", "-f", "-qq", "-e", "trace=connect", "-o", &file].map(str::to_owned);
    scene.profile.command = [&watched[..], &scene.profile.command].concat();
    assert_eq!(scene.call().outcome, ExecOutcome::Done, "{}", scene.raw());
    let trace = fs::read_to_string(trace).expect("a trace");
    let (ours, others): (Vec<_>, Vec<_>) =
        connections(&trace).into_iter().partition(|line| line.contains("inet_addr(\"127.0.0.1\")"));
    assert_eq!((ours.is_empty(), others), (false, Vec::new()));
}
