//! Git clears up while a run waits or after a crash: what no commit has yet is kept, known again or begun anew, and never a
//! reason for which no command works any more.

use super::world::{World, calls, has_the_code};
use crate::support::{Sandbox, honest_script};

const KEPT: &str = "refs/ai-workflow-kept/issue-243";

/// One phase of code whose review fails, so that the run waits for a person.
const WAITS: &str = "[presets.row]\nphases = [\"planning\", \"implementation\"]\n\n[policies.phase-review.limits]\nbackoff_ms = 1\n\n[phases.implementation]\nmax_revisions = 0\non_exhausted = \"pause\"\n";
const FAILS: &str = "\n[[turn]]\nphase = \"implementation\"\nstep = \"review\"\nsay = '{\"review_id\": \"{{review_id}}\", \"result\": \"FAIL\", \"findings\": [{\"severity\": \"major\", \"file\": \"src/lib.rs\", \"line\": 2, \"issue\": \"not enough\"}]}'\n";

/// A run that waits for a person, with code that no commit has, in a repository that git has cleared up.
fn waiting() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write(".ai-workflow/config.toml", WAITS);
    let agent = sandbox.script(&honest_script(FAILS));
    let arguments = ["--preset", "row", "--issue", "243", "--forge", "local", "--agent", &agent];
    sandbox.run(&[&["execute"], &arguments[..]].concat()).exits(3);
    sandbox.git(&["gc", "--quiet", "--prune=now"]);
    sandbox
}

fn answer(sandbox: &Sandbox, how: &[&str], pages: u32) {
    let honest = sandbox.script(&honest_script(""));
    sandbox.run(&[&["resume", "--issue", "243", "--agent", &honest], how].concat()).exits(0);
    assert_eq!(sandbox.metadata()["outcome"], "completed");
    assert!(sandbox.facts().iter().all(|fact| fact["type"] != "reopened"), "nothing was lost");
    has_the_code(sandbox, pages);
}

fn kept(sandbox: &Sandbox) -> String {
    sandbox.git(&["for-each-ref", "--format=%(refname)", "refs/ai-workflow-kept"])
}

#[test]
fn every_answer_works_after_git_gc_and_removes_the_kept_refs() {
    for how in [&["--accept", "--reason", "fine"][..], &["--answer", "do it"], &["--continue"]] {
        let sandbox = waiting();
        assert_eq!(kept(&sandbox), KEPT);
        answer(&sandbox, how, 3);
        assert_eq!(kept(&sandbox), "");
    }
}

#[test]
fn manual_edit_is_reviewed_after_git_gc() {
    let sandbox = waiting();
    sandbox.write("src/lib.rs", "pub fn pages() -> u32 {\n    33\n}\n");
    answer(&sandbox, &["--edited"], 33);
}

#[test]
fn cancel_and_cleanup_remove_the_refs_of_kept_work() {
    for end in [&["cancel", "--issue", "243"][..], &["cleanup", "--issue", "243", "--force"]] {
        let sandbox = waiting();
        if end[0] == "cleanup" {
            sandbox.git(&["stash", "-q"]);
        }
        sandbox.run(end).exits(0);
        assert_eq!(kept(&sandbox), "");
    }
}

#[test]
fn work_of_a_killed_run_is_recognised_in_the_worktree_after_git_gc() {
    let world = World::new();
    world.kill(world.start_until("implementation/review"));
    world.let_go();
    world.sandbox.git(&["gc", "--quiet", "--prune=now"]);
    world.execute().exits(0);
    assert_eq!(calls(&world.sandbox)["implementation/execute/1"], 1, "the author's work is still there");
    world.ended_undisturbed();
}

#[test]
fn git_gc_during_a_review_does_not_disturb_the_run() {
    let world = World::new();
    // Where a revision followed, the next command would have to make it good.
    let clears = "if [ \"$AI_WORKFLOW_PHASE\" = implementation ]; then git gc --quiet --prune=now; fi\n";
    world.beside("meddle-review", clears);
    world.execute().exits(0);
    world.ended_undisturbed();
}

#[test]
fn a_phase_begins_again_when_git_gc_removed_its_files() {
    let world = World::new();
    world.kill(world.start_until("implementation/review"));
    world.let_go();
    world.sandbox.git(&["gc", "--quiet", "--prune=now"]);
    world.sandbox.write("src/lib.rs", "pub fn pages() -> u32 {\n    4\n}\n");
    let ran = world.execute().exits(0);
    let told = "The files of implementation were removed by git, and the worktree has others; it begins anew";
    assert_eq!(ran.stderr.matches(told).count(), 1, "{}", ran.stderr);
    assert_eq!(calls(&world.sandbox)["implementation/execute/1"], 2);
    assert_eq!(world.sandbox.metadata()["outcome"], "completed");
    has_the_code(&world.sandbox, 3);
    assert_eq!(world.sandbox.git(&["status", "--porcelain", "--untracked-files=no"]), "");
}
