//! An agent writes into git's own files, and the process that watches it is killed. The next one undoes what the agent did, and
//! nothing that a person did since.

use super::world::World;
use crate::line_with;
use crate::support::eventually;

/// A run whose author of the implementation planted a hook and a setting, and was killed with the process that watches it.
fn killed_after_planting(step: &str) -> World {
    let world = World::new();
    let plant = format!(
        "if [ \"$AI_WORKFLOW_PHASE\" = implementation ] && [ ! -e \"$here/once\" ]; then touch \"$here/once\"\n\
         echo planted > .git/hooks/post-commit; {step}\n\
         echo $$ > \"$here/held\"; while true; do sleep 0.02; done; fi\n"
    );
    world.beside("meddle-execute", &plant);
    world.beside("meddle-review", &plant);
    let child = world.start();
    eventually("it has planted", || world.path_beside("held").exists());
    world.kill(child);
    world
}

#[test]
fn git_files_planted_by_a_killed_author_are_gone_when_the_run_goes_on() {
    let world = killed_after_planting("git config core.sshCommand planted");
    let ran = world.execute().exits(0);
    insta::assert_snapshot!(line_with(&ran.stderr, "Git's own files"), @" WARN Git's own files changed while a program of the killed run worked, which was undone: .git/config, .git/hooks/post-commit (kept in .git/ai-workflow/issue-243/removed)");
    assert!(!world.sandbox.has(".git/hooks/post-commit"));
    assert!(!world.sandbox.read(".git/config").contains("planted"));
}

#[test]
fn settings_that_a_person_makes_after_a_killed_author_stay() {
    let world = killed_after_planting("true");
    world.sandbox.git(&["config", "core.sshCommand", "of-a-person"]);
    let ran = world.execute().exits(0);
    insta::assert_snapshot!(line_with(&ran.stderr, "Git's own files"), @" WARN Git's own files changed while a program of the killed run worked, which was undone: .git/hooks/post-commit (kept in .git/ai-workflow/issue-243/removed)");
    assert!(world.sandbox.read(".git/config").contains("of-a-person"));
}

#[test]
fn a_killed_author_who_removed_the_state_of_git_files_stops_the_run_until_a_person_has_looked() {
    let state = ".git/ai-workflow/issue-243/git-files";
    for removes in [
        &format!("rm {state}"),
        &format!("rm {state} .git/ai-workflow/checkout/work.json"),
        "rm -r .git/ai-workflow",
    ] {
        let world = killed_after_planting(removes);
        for _ in 0..2 {
            let refused = world.execute().exits(6);
            insta::allow_duplicates! {
                insta::assert_snapshot!(line_with(&refused.stderr, "error:"), @"error: an agent was at work when an earlier process was killed, and [REPO]/.git/ai-workflow/issue-243/git-files does not say any more what git's files were before");
                insta::assert_snapshot!(line_with(&refused.stderr, "hint:"), @"hint: look at .git/config and .git/hooks for what you did not make, delete that file with `rm -r [REPO]/.git/ai-workflow/issue-243/git-files`, and run again");
            }
        }
        std::fs::remove_file(world.sandbox.root().join(state)).expect("there");
        world.execute().exits(0);
    }
}

#[test]
fn references_moved_by_a_killed_author_are_told_when_the_run_goes_on() {
    let plants = "git branch planted; git replace HEAD:README.md HEAD:src/lib.rs";
    let world = killed_after_planting(plants);
    world.sandbox.git(&["branch", "of-a-person"]);
    let ran = world.execute().exits(0);
    insta::assert_snapshot!(line_with(&ran.stderr, "and not put back"), @" WARN References were moved or made since a program of the killed run began to work, and not put back: refs/heads/planted (was not there)");
    assert!(line_with(&ran.stderr, "and were put back").contains("refs/replace/"));
    assert_eq!(world.sandbox.git(&["replace", "--list"]), "");
}
