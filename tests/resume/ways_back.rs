//! A run whose log, view, branch or repository was damaged: the message names what is intact and a command, and that command,
//! as it is printed, brings the run back. Nothing is begun over a run that is there.

use std::fs;

use super::world::{BRANCH, LOG, VIEW, World};

/// A run that was killed in a step, and whose agent would go on.
fn killed_in(step: &str) -> World {
    let world = World::new();
    world.kill(world.start_until(step));
    world.let_go();
    world
}

/// Where a run was killed: before its first commit and after it.
const STEPS: [&str; 2] = ["planning/execute", "implementation/execute"];

#[track_caller]
fn shell(world: &World, line: &str) {
    let done = world.sandbox.command("sh").args(["-c", line]).status().expect("a shell");
    assert!(done.success(), "{line}");
}

/// Damages something, expects a refusal that says this, does what its first hint says, and expects the run to go on to its end.
#[track_caller]
fn comes_back(world: &World, damage: &str, says: &str) {
    let facts = world.sandbox.facts();
    shell(world, damage);
    let refused = world.execute().exits(6);
    assert!(refused.stderr.contains(says), "`{says}` is not in\n{}", refused.stderr);
    let hint = refused.stderr.lines().find(|line| line.starts_with("hint: ")).expect("a hint");
    let command = hint.split('`').nth(1).expect("a command");
    shell(world, command);
    world.execute().exits(0);
    let now = world.sandbox.facts();
    assert_eq!(now[..facts.len()], facts, "the run was begun anew after {damage}");
    assert_eq!(world.sandbox.metadata()["outcome"], "completed");
}

#[test]
fn a_log_that_is_gone_before_the_first_commit_is_brought_back_from_its_copy() {
    for damage in [
        format!(": > {LOG}"),
        format!("rm {LOG} {VIEW}"),
        "rm -r .ai-workflow/issue-243".to_owned(),
        format!("printf '{{\"chain' > {LOG}"),
    ] {
        let world = killed_in(STEPS[0]);
        comes_back(&world, &damage, "events.jsonl is gone or empty; its copy ");
    }
}

#[test]
fn a_log_that_was_emptied_after_the_first_commit_is_brought_back_from_the_branch() {
    let world = killed_in(STEPS[1]);
    comes_back(
        &world,
        &format!(": > {LOG}"),
        "events.jsonl is gone; the branch ai-workflow/issue-243 still has it",
    );
}

#[test]
fn a_damaged_log_is_brought_back_from_its_copy() {
    let world = killed_in(STEPS[0]);
    comes_back(
        &world,
        &format!("sed -i '2s/\"seq\":2/\"seq\":9/' {LOG}"),
        "events.jsonl is damaged at line 2",
    );
}

#[test]
fn a_lost_branch_is_made_again_at_its_last_commit() {
    for damage in [format!(": > .git/refs/heads/{BRANCH}"), format!("rm .git/refs/heads/{BRANCH}")] {
        let world = killed_in(STEPS[1]);
        comes_back(
            &world,
            &damage,
            "the branch `ai-workflow/issue-243`, which is checked out, is gone or damaged",
        );
    }
}

#[test]
fn a_damaged_head_or_index_is_made_again() {
    let world = killed_in(STEPS[1]);
    comes_back(&world, "echo garbage > .git/HEAD", ".git/HEAD names no branch and no commit");
    let world = killed_in(STEPS[0]);
    comes_back(&world, "echo garbage > .git/index", "git's index is damaged");
}

#[test]
fn a_damaged_pointer_is_moved_away() {
    let world = killed_in(STEPS[0]);
    comes_back(&world, "echo garbage > .git/ai-workflow/issue-243/pointer.json", "pointer.json is damaged");
}

#[test]
fn missing_objects_are_no_bug_of_the_program_and_come_from_another_clone() {
    let world = killed_in(STEPS[1]);
    shell(&world, "git clone -q --no-hardlinks . ../other && rm -r .git/objects/??");
    let refused = world.execute().exits(6);
    assert!(refused.stderr.contains("objects of the commit "), "{}", refused.stderr);
    assert!(refused.stderr.contains("`git fetch PATH_OR_URL`"), "{}", refused.stderr);
}

#[test]
fn a_run_that_was_begun_anew_on_purpose_needs_the_copy_removed() {
    let world = killed_in(STEPS[0]);
    let copy = world.sandbox.root().join(".git/ai-workflow/issue-243/events.jsonl");
    fs::remove_dir_all(world.sandbox.root().join(".ai-workflow/issue-243")).expect("the folder of the run");
    world.sandbox.run(&["status", "--issue", "243"]).exits(6);
    fs::remove_file(copy).expect("the copy");
    world.execute().exits(0);
    world.ended_undisturbed();
}
