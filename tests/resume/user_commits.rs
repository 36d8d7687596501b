//! What people put on the branch of a run stays there: a commit of theirs, a merge, what another clone brings.

use std::fs;

use super::world::{BRANCH, World};

/// Commits a file in the worktree; returns the commit.
fn commit(world: &World, path: &str, text: &str) -> String {
    world.sandbox.write(path, text);
    world.sandbox.git(&["add", path]);
    world.sandbox.git(&["commit", "-q", "-m", "by hand"]);
    world.sandbox.git(&["rev-parse", "HEAD"])
}

/// Asserts that the branch holds a commit.
#[track_caller]
fn holds(world: &World, commit: &str) {
    let branches = world.sandbox.git(&["branch", "--format=%(refname:short)", "--contains", commit]);
    assert!(branches.lines().any(|name| name == BRANCH), "{commit} is off the branch: {branches}");
}

fn completed() -> World {
    let world = World::new();
    world.execute().exits(0);
    world
}

/// Runs the command again and asserts that it changes nothing and tells of these files.
#[track_caller]
fn leaves_alone(world: &World, told: &str) {
    let before = (world.sandbox.git(&["rev-parse", BRANCH]), world.log());
    let status = world.sandbox.git(&["status", "--porcelain"]);
    let ran = world.execute().exits(0).says("is completed; nothing is left to do");
    ran.says(told);
    assert_eq!((world.sandbox.git(&["rev-parse", BRANCH]), world.log()), before);
    assert_eq!(world.sandbox.git(&["status", "--porcelain"]), status);
}

#[test]
fn commit_on_top_of_a_completed_run_is_kept_and_reported() {
    let world = completed();
    let by_hand = commit(&world, "NOTES.md", "by hand\n");
    for _ in 0..2 {
        leaves_alone(&world, "not reviewed: 1 file changed after the end of the run: NOTES.md");
    }
    holds(&world, &by_hand);
    assert_eq!(world.sandbox.read("NOTES.md"), "by hand\n");
    world.sandbox.run(&["finalize", "--issue", "243"]).refuses(2, "NOTES.md");
    world.sandbox.run(&["finalize", "--issue", "243", "--include-unreviewed"]).exits(0);
    assert_eq!(world.sandbox.git(&["show", "--name-only", "--format=", BRANCH, "NOTES.md"]), "NOTES.md");
}

#[test]
fn a_document_that_a_commit_on_top_of_a_completed_run_removed_is_named() {
    let world = completed();
    let document = ".ai-workflow/issue-243/00_planning/output/planning.md";
    world.sandbox.git(&["rm", "-q", document]);
    world.sandbox.git(&["commit", "-q", "-m", "without the plan"]);
    leaves_alone(&world, &format!("; approved documents that are no longer there: {document}\n"));
    let status = ["status", "--issue", "243"];
    let text = world.sandbox.run(&status).exits(0).stdout;
    assert!(
        text.contains(&format!("lost     {document} is approved and is no longer on the branch\n")),
        "{text}"
    );
    let value = world.sandbox.run(&[&status[..], &["--json"]].concat()).exits(0).json();
    assert_eq!(value["lost_documents"], serde_json::json!([document]));
}

#[test]
fn a_merge_of_the_base_branch_into_a_completed_run_needs_no_review() {
    let world = completed();
    world.sandbox.git(&["switch", "-q", "main"]);
    commit(&world, "COLLEAGUE.md", "of a colleague\n");
    world.sandbox.git(&["switch", "-q", BRANCH]);
    world.sandbox.git(&["merge", "-q", "--no-edit", "main"]);
    let merge = world.sandbox.git(&["rev-parse", "HEAD"]);
    leaves_alone(&world, "What lies on top of the run on ai-workflow/issue-243 stays as it is\n");
    holds(&world, &merge);
    assert!(world.sandbox.root().join("COLLEAGUE.md").is_file());
}

#[test]
fn commits_pulled_onto_a_completed_run_are_kept() {
    let world = completed();
    let (clone, root) = (world.path_beside("clone"), world.sandbox.root());
    let (clone, root) = (clone.to_str().expect("a path"), root.to_str().expect("a path"));
    world.sandbox.git(&["clone", "-q", "-b", BRANCH, root, clone]);
    fs::write(format!("{clone}/COLLEAGUE.md"), "of a colleague\n").expect("a file");
    world.sandbox.git(&["-C", clone, "add", "COLLEAGUE.md"]);
    world.sandbox.git(&["-C", clone, "commit", "-q", "-m", "of a colleague"]);
    world.sandbox.git(&["pull", "-q", clone, BRANCH]);
    let tip = world.sandbox.git(&["rev-parse", "HEAD"]);
    leaves_alone(&world, "COLLEAGUE.md");
    holds(&world, &tip);
}

#[test]
fn executing_a_completed_run_without_new_commits_changes_nothing() {
    let world = completed();
    world.execute().exits(0);
    world.ended_undisturbed();
}

#[test]
fn commit_on_top_of_a_completed_run_in_a_worktree_is_kept_and_reported() {
    let world = World::new();
    let arguments = world.arguments();
    let words: Vec<&str> = arguments.iter().map(String::as_str).chain(["--worktree"]).collect();
    world.sandbox.run(&words).exits(0);
    let worktree = world.path_beside("repo-issue-243");
    let at = worktree.to_str().expect("a path");
    fs::write(worktree.join("NOTES.md"), "by hand\n").expect("a file");
    world.sandbox.git(&["-C", at, "add", "NOTES.md"]);
    world.sandbox.git(&["-C", at, "commit", "-q", "-m", "by hand"]);
    let by_hand = world.sandbox.git(&["rev-parse", BRANCH]);
    let told = "not reviewed: 1 file changed after the end of the run: NOTES.md";
    world.sandbox.run(&words).exits(0).says(told);
    world.execute().exits(0).says(told);
    assert_eq!(world.sandbox.git(&["rev-parse", BRANCH]), by_hand);
    world.sandbox.run(&["finalize", "--issue", "243"]).refuses(2, "NOTES.md");
    // Where the worktree goes, the branch stays.
    world.sandbox.git(&["worktree", "remove", "--force", at]);
    world.sandbox.run(&words).exits(0).says(told);
    assert_eq!(world.sandbox.git(&["rev-parse", BRANCH]), by_hand);
}

#[test]
fn running_a_phase_of_a_completed_run_keeps_and_reports_later_commits() {
    let world = completed();
    let by_hand = commit(&world, "NOTES.md", "by hand\n");
    for phase in ["planning", "implementation"] {
        let mut arguments = world.arguments();
        arguments[2] = phase.to_owned();
        let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let told = "not reviewed: 1 file changed after the end of the run: NOTES.md";
        world.sandbox.run(&words).exits(0).says(told);
        assert_eq!(world.sandbox.git(&["rev-parse", BRANCH]), by_hand);
    }
}

#[test]
fn a_manual_commit_between_single_phase_runs_is_kept_and_reviewed() {
    let world = World::new();
    let ask = |phase: &str| {
        let mut arguments = world.arguments();
        arguments[2] = phase.to_owned();
        world.sandbox.run(&arguments.iter().map(String::as_str).collect::<Vec<_>>()).exits(0)
    };
    drop(ask("planning"));
    let by_hand = commit(&world, "NOTES.md", "by hand\n");
    drop(ask("planning"));
    drop(ask("implementation"));
    holds(&world, &by_hand);
    let prompt = ".ai-workflow/issue-243/04_implementation/review/round-1/attempt-1/prompt.md";
    insta::assert_snapshot!(crate::line_with(&world.sandbox.read(prompt), "diff --git a/NOTES.md"), @"diff --git a/NOTES.md b/NOTES.md");
    world.sandbox.run(&["finalize", "--issue", "243"]).exits(0);
}
