//! A log that somebody took back to the last commit, as `git checkout -- .`, `git stash` and `git reset --hard` do: what was
//! written since is put back. Who goes back to an older commit means it.

use std::fs;

use super::world::{World, calls, has_the_code};
use crate::line_with;
use crate::support::filtered;

/// A reviewer of the second phase that runs a command of git: once, or each time.
fn reviewer_that_runs(git: &str, once: bool) -> World {
    let world = World::new();
    let first = if once { "[ ! -e \"$here/calls\" ]" } else { "true" };
    world.beside(
        "meddle-review",
        &format!(
            "if [ \"$AI_WORKFLOW_PHASE\" = implementation ]; then if {first}; then {git}; fi; echo x >> \"$here/calls\"; fi\n"
        ),
    );
    world
}

fn reviews_of_code(world: &World) -> usize {
    fs::read_to_string(world.path_beside("calls")).map_or(0, |calls| calls.lines().count())
}

#[test]
fn a_review_that_reverts_the_log_is_void_and_the_log_is_restored() {
    for git in ["git checkout -q -- .", "git stash -q", "git reset -q --hard"] {
        let world = reviewer_that_runs(git, true);
        let ran = world.execute().exits(0);
        insta::allow_duplicates! { insta::assert_snapshot!(line_with(&ran.stderr, "was taken back"), @" WARN [REPO]/.ai-workflow/issue-243/events.jsonl was taken back to an earlier state; what was written since is put back") };
        assert_eq!(calls(&world.sandbox)["implementation/review/1"], 2, "{git}");
        assert_eq!(calls(&world.sandbox)["implementation/execute/1"], 1, "{git}");
        let void = world.sandbox.facts().into_iter().find(|fact| fact["ended"]["outcome"] == "crashed");
        let reason = void.expect("a void review")["ended"]["reason"].as_str().unwrap_or_default().to_owned();
        insta::allow_duplicates! { insta::assert_snapshot!(filtered(&reason), @"the reviewer changed files, which was undone: src/lib.rs, .ai-workflow/issue-243/events.jsonl") };
        world.sandbox.run(&["replay", "--issue", "243"]).exits(0);
        world.ended_undisturbed();
    }
}

#[test]
fn calls_of_a_reviewer_that_always_reverts_the_log_stay_counted() {
    let world = reviewer_that_runs("git checkout -q -- .", false);
    world.execute().exits(3);
    let paid = reviews_of_code(&world);
    assert!(paid > 1);
    assert_eq!(calls(&world.sandbox)["implementation/review/1"], paid);
    world.execute().exits(3);
    assert_eq!(reviews_of_code(&world), paid, "the run waits, and nobody is asked again");
}

#[test]
fn a_log_reverted_after_a_crash_is_restored_by_the_next_run() {
    let world = World::new();
    world.kill(world.start_until("implementation/review"));
    world.let_go();
    let before = world.log();
    world.sandbox.git(&["checkout", "-q", "--", "."]);
    assert!(world.log().len() < before.len());
    let ran = world.execute().exits(0);
    insta::assert_snapshot!(line_with(&ran.stderr, "was taken back"), @" WARN [REPO]/.ai-workflow/issue-243/events.jsonl was taken back to an earlier state; what was written since is put back");
    // The code of the author went with it, and nobody can tell that a person did that: nothing is left to review, so the author writes it again.
    insta::assert_snapshot!(line_with(&ran.stderr, "judged as it is"), @" WARN Phase implementation: Changed, by a program that was at work when the run was killed or by a person, judged as it is: src/lib.rs");
    assert!(world.log().starts_with(&before), "nothing that was written is lost");
    assert_eq!(calls(&world.sandbox)["implementation/execute/1"], 1, "the author is not paid twice");
    has_the_code(&world.sandbox, 3);
}

#[test]
fn reset_to_an_older_run_commit_continues_from_there() {
    let world = World::new();
    world.execute().exits(0);
    let before = world.log();
    world.sandbox.git(&["reset", "-q", "--hard", "HEAD~2"]);
    let back = world.log();
    assert!(!back.is_empty() && before.starts_with(&back));
    let ran = world.execute().exits(0);
    assert!(!ran.stderr.contains("was taken back"), "{}", ran.stderr);
    assert!(world.log().starts_with(&back) && !world.log().starts_with(&before));
    world.ended_undisturbed();
}
