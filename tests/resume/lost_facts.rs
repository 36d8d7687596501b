//! What was done and not written down: a commit without its fact, a branch without a log, a lock without its git,
//! a git without its runner, an end without its record.

use std::time::Duration;

use super::world::{BRANCH, World, git_program};
use crate::support::{eventually, filtered};

/// Takes the last lines from the log until its last fact is of this type.
fn cut_after(world: &World, kind: &str) {
    let text = String::from_utf8(world.log()).expect("text");
    let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
    let wanted = format!("\"type\":\"{kind}\"");
    while lines.last().is_some_and(|line| !line.contains(&wanted)) {
        lines.pop();
    }
    assert!(!lines.is_empty(), "no fact {kind}");
    world.set_log(lines.concat());
}

#[test]
fn a_phase_commit_missing_in_the_log_is_found_and_not_repeated() {
    let world = World::new();
    let child = world.start_until("implementation/execute");
    world.kill(child);
    world.let_go();
    let commit = world.sandbox.git(&["rev-parse", BRANCH]);
    cut_after(&world, "ruled");
    world.execute().exits(0);
    assert_eq!(world.sandbox.metadata()["phases"]["planning"]["commit"], commit);
    world.ended_undisturbed();
}

#[test]
fn an_uncommitted_record_of_the_end_is_committed_by_the_next_run() {
    let world = World::new();
    world.execute().exits(0);
    // As a crash right after the last fact leaves it: the fact is there, its commit is not.
    world.sandbox.git(&["reset", "--quiet", "--soft", "HEAD~1"]);
    world.sandbox.git(&["reset", "--quiet"]);
    let facts = world.sandbox.facts();
    world.execute().exits(0);
    assert_eq!(world.sandbox.facts(), facts);
    world.ended_undisturbed();
}

#[test]
fn execute_reuses_a_branch_without_a_log() {
    for go_there in [true, false] {
        let world = World::new();
        world.sandbox.git(&["branch", BRANCH]);
        if go_there {
            world.sandbox.git(&["switch", "--quiet", BRANCH]);
        }
        world.execute().exits(0);
        assert_eq!(world.sandbox.metadata()["base_branch"], "main");
        world.ended_undisturbed();
    }
}

#[test]
fn git_locks_left_by_a_killed_run_are_removed() {
    let world = World::new();
    let child = world.start_until("implementation/execute");
    world.kill(child);
    world.let_go();
    let locks = [".git/index.lock", ".git/HEAD.lock", ".git/refs/heads/ai-workflow/issue-243.lock"];
    for lock in locks.iter().chain(&[".git/editor.lock"]) {
        world.sandbox.write(lock, "");
    }
    let ran = world.execute().exits(0);
    for lock in locks {
        assert!(!world.sandbox.has(lock), "{lock}");
    }
    let mut told: Vec<&str> = ran.stderr.lines().filter(|line| line.contains(".lock")).collect();
    told.sort_unstable();
    insta::assert_snapshot!(filtered(&told.join("\n")), @r"
    WARN removed a lock that a killed git left behind path=[REPO]/.git/HEAD.lock
    WARN removed a lock that a killed git left behind path=[REPO]/.git/index.lock
    WARN removed a lock that a killed git left behind path=[REPO]/.git/refs/heads/ai-workflow/issue-243.lock
    ");
    assert!(world.sandbox.has(".git/editor.lock"), "a lock of another program was removed");
    world.ended_undisturbed();
}

/// A git that takes its time to commit, as one does that asks for a passphrase or works on a slow disk.
const SLOW_GIT: &str = r#"#!/bin/sh
here=$(dirname "$0")
case " $* " in
*" commit "*)
    if [ -e "$here/slow" ]; then
        rm "$here/slow"
        echo > "$here/committing"
        sleep 1
    fi ;;
esac
exec GIT "$@"
"#;

#[test]
fn the_next_run_waits_for_a_git_process_of_a_killed_run() {
    let world = World::new();
    let slow = SLOW_GIT.replace("GIT", &git_program().display().to_string());
    let git = world.sandbox.executable("git", &slow);
    let world = world.with_program(git.parent().expect("a folder"));
    world.beside("slow", "");
    let mut child = world.start();
    eventually("git commits", || world.path_beside("committing").exists());
    child.kill().expect("the runner is killed");
    child.wait().expect("it has ended");
    world.execute().exits(0);
    world.is_alone_within(Duration::from_secs(5));
    world.ended_undisturbed();
}
