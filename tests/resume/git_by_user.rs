//! What a person does with git beside a run: reverts, amends, deleted and renamed branches, and clearing up. It ends in a
//! clear word or a run that goes on; nothing is lost, and nobody is asked twice for the same work.

use std::process::Child;
use std::time::Duration;

use super::world::{BRANCH, World, calls, ends_within, has_the_code};
use crate::line_with;

const LONG: Duration = Duration::from_secs(60);

/// A run that was killed in the middle of a step.
fn killed_in(step: &str) -> World {
    let world = World::new();
    world.kill(world.start_until(step));
    world.let_go();
    world
}

fn commit(world: &World, path: &str, text: &str) -> String {
    world.sandbox.write(path, text);
    world.sandbox.git(&["add", path]);
    world.sandbox.git(&["commit", "-q", "-m", "by hand"]);
    world.sandbox.git(&["rev-parse", "HEAD"])
}

fn on_branch(world: &World, path: &str) -> String {
    world.sandbox.git(&["show", &format!("{BRANCH}:{path}")])
}

#[test]
fn log_reverted_on_the_branch_is_reported_with_its_repair() {
    let world = World::new();
    world.execute().exits(0);
    world.sandbox.git(&["revert", "--no-edit", "main..HEAD"]);
    let before = world.sandbox.git(&["rev-parse", "HEAD"]);
    let told = format!("events.jsonl was taken off `{BRANCH}` by the commit {}", &before[..9]);
    let back = format!("git checkout {}~1 -- .ai-workflow/issue-243", &before[..9]);
    for _ in 0..2 {
        world.execute().refuses(6, &told).says(&back);
    }
    world.sandbox.run(&["status", "--issue", "243"]).refuses(6, &told);
    assert_eq!(world.sandbox.git(&["rev-parse", "HEAD"]), before);
    let words: Vec<&str> = back.split(' ').skip(1).collect();
    world.sandbox.git(&words);
    world.execute().exits(0);
    assert_eq!(world.sandbox.metadata()["outcome"], "completed");
    has_the_code(&world.sandbox, 3);
    world.sandbox.run(&["finalize", "--issue", "243"]).exits(0);
}

#[test]
fn a_run_starts_again_after_its_reverted_branch_is_renamed() {
    let world = World::new();
    world.execute().exits(0);
    world.sandbox.git(&["revert", "--no-edit", "main..HEAD"]);
    let aside = world.sandbox.git(&["rev-parse", "HEAD"]);
    world.sandbox.git(&["branch", "-m", BRANCH, "aside"]);
    world.sandbox.git(&["switch", "-q", "main"]);
    world.execute().exits(0);
    assert_eq!(world.sandbox.git(&["rev-parse", "aside"]), aside);
    world.ended_undisturbed();
}

#[test]
fn commit_amended_after_a_killed_review_is_reviewed() {
    let world = killed_in("implementation/review");
    world.sandbox.write("NOTES.md", "by hand\n");
    world.sandbox.git(&["add", "NOTES.md"]);
    world.sandbox.git(&["commit", "-q", "--amend", "--no-edit"]);
    world.execute().exits(0);
    let prompt = ".ai-workflow/issue-243/04_implementation/review/round-1/attempt-2/prompt.md";
    insta::assert_snapshot!(line_with(&world.sandbox.read(prompt), "diff --git a/NOTES.md"), @"diff --git a/NOTES.md b/NOTES.md");
    assert_eq!(on_branch(&world, "NOTES.md"), "by hand");
    assert_eq!(calls(&world.sandbox)["implementation/execute/1"], 1);
    world.sandbox.run(&["finalize", "--issue", "243"]).exits(0);
}

#[test]
fn commits_after_a_killed_author_are_kept_and_reviewed() {
    let world = killed_in("implementation/execute");
    let by_hand = commit(&world, "NOTES.md", "by hand\n");
    world.execute().exits(0);
    let holders = world.sandbox.git(&["branch", "--format=%(refname:short)", "--contains", &by_hand]);
    assert_eq!(holders, BRANCH, "the commit is off the branch");
    let prompt = ".ai-workflow/issue-243/04_implementation/review/round-1/attempt-1/prompt.md";
    insta::assert_snapshot!(line_with(&world.sandbox.read(prompt), "diff --git a/NOTES.md"), @"diff --git a/NOTES.md b/NOTES.md");
    world.sandbox.run(&["finalize", "--issue", "243"]).exits(0);
}

#[test]
fn commits_of_a_killed_author_join_the_phase_commit() {
    let world = World::new();
    let commits = "if [ \"$AI_WORKFLOW_PHASE\" = implementation ] && [ ! -e \"$here/once\" ]; then\n\
                   touch \"$here/once\"; echo own > OWN.md; git add OWN.md; git commit -q -m own\n\
                   echo $$ > \"$here/held\"; while true; do sleep 0.02; done; fi\n";
    world.beside("meddle-execute", commits);
    let child = world.start();
    crate::support::eventually("the author has committed", || world.path_beside("held").exists());
    world.kill(child);
    world.execute().exits(0);
    let messages = world.sandbox.git(&["log", "--format=%s", &format!("main..{BRANCH}")]);
    assert!(!messages.lines().any(|line| line == "own"), "{messages}");
}

#[test]
fn commits_of_unknown_origin_join_the_next_commit_with_a_warning() {
    let world = killed_in("implementation/execute");
    let by_hand = commit(&world, "NOTES.md", "by hand\n");
    // As a power cut leaves it, which kills everybody.
    std::fs::remove_file(world.sandbox.root().join(".git/ai-workflow/issue-243/rests-at")).expect("a file");
    world
        .execute()
        .exits(0)
        .says(&format!("may be the interrupted agent's: it goes into the next commit, and was at {by_hand}"));
    assert_eq!(on_branch(&world, "NOTES.md"), "by hand");
}

/// What takes the run's branch away from under it.
const GONE: [&[&[&str]]; 2] =
    [&[&["branch", "-m", "mine"]], &[&["switch", "-q", "--detach"], &["branch", "-q", "-D", BRANCH]]];

fn take_away(world: &World, commands: &[&[&str]]) {
    for words in commands {
        world.sandbox.git(words);
    }
}

/// Does what the hint says.
fn make_it_again(world: &World) {
    world.sandbox.git(&["switch", "-q", "-c", BRANCH]);
}

#[test]
fn deleted_branch_is_reported_before_any_call() {
    for commands in GONE {
        let world = killed_in("implementation/execute");
        take_away(&world, commands);
        let before = calls(&world.sandbox);
        let hint = format!("git switch -c {BRANCH}");
        for _ in 0..2 {
            world.execute().refuses(6, &format!("the run's branch `{BRANCH}` is gone")).says(&hint);
        }
        assert_eq!(calls(&world.sandbox), before);
        make_it_again(&world);
        world.execute().exits(0);
        world.sandbox.run(&["finalize", "--issue", "243"]).exits(0);
    }
}

#[test]
fn a_branch_deleted_during_an_author_call_loses_no_work() {
    for commands in GONE {
        let world = World::new();
        let child: Child = world.start_until("implementation/execute");
        take_away(&world, commands);
        world.let_go();
        let (code, stderr) = ends_within(child, LONG);
        assert_eq!(code, 6, "{stderr}");
        let (gone, hint) = (line_with(&stderr, "is gone"), line_with(&stderr, "git switch -c"));
        let told = format!("{}\n{hint}", gone.split(';').next().unwrap_or_default());
        insta::allow_duplicates! { insta::assert_snapshot!(told, @r"
        error: the run's branch `ai-workflow/issue-243` is gone
        hint: make it again where the worktree is with `git switch -c ai-workflow/issue-243`, and run again
        ") };
        make_it_again(&world);
        world.execute().exits(0);
        assert_eq!(calls(&world.sandbox)["implementation/execute/1"], 1);
        has_the_code(&world.sandbox, 3);
    }
}

#[test]
fn a_branch_deleted_during_a_review_is_restored() {
    for commands in GONE {
        let world = World::new();
        let child: Child = world.start_until("implementation/review");
        take_away(&world, commands);
        world.let_go();
        let (code, stderr) = ends_within(child, LONG);
        assert_eq!(code, 0, "{stderr}");
        assert_eq!(world.sandbox.git(&["branch", "--show-current"]), BRANCH);
        has_the_code(&world.sandbox, 3);
    }
}

#[test]
fn execute_reports_a_missing_branch_of_a_completed_run() {
    let world = World::new();
    world.execute().exits(0);
    world.sandbox.git(&["branch", "-m", "mine"]);
    let before = world.log();
    world.execute().exits(0).says("is gone; the worktree is on `mine`");
    assert_eq!(world.log(), before);
    world.sandbox.run(&["finalize", "--issue", "243"]).refuses(6, "is gone");
    make_it_again(&world);
    world.sandbox.run(&["finalize", "--issue", "243"]).exits(0);
}

#[test]
fn git_gc_during_a_call_does_not_disturb_the_revision() {
    for step in ["review", "revise"] {
        let world = World::new();
        world.beside(&format!("meddle-{step}"), "git gc --quiet --prune=now\n");
        world.execute().exits(0);
        world.ended_undisturbed();
    }
}
