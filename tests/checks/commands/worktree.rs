//! The clean worktree of a run from its beginning to its end.

use std::fs;
use std::time::{Duration, Instant};

use super::{commit, expect, project, tested, turns, work, worktrees};
use crate::support::{Sandbox, honest_script};

fn clean(sandbox: &Sandbox) -> std::path::PathBuf {
    sandbox.root().with_file_name("repo-issue-243-clean")
}

#[test]
fn the_clean_worktree_is_removed_by_cleanup() {
    let sandbox = tested();
    work(&sandbox, &[], &[]).exits(0);
    assert_eq!((worktrees(&sandbox), clean(&sandbox).exists()), (2, true));
    sandbox.run(&["cleanup", "--issue", "243"]).exits(0);
    assert_eq!((worktrees(&sandbox), clean(&sandbox).exists()), (1, false));
    assert!(!sandbox.has(".git/worktrees") && !sandbox.has(".git/ai-workflow/issue-243"));
}

#[test]
fn the_clean_worktree_is_removed_by_finalize() {
    let sandbox = tested();
    work(&sandbox, &[], &[]).exits(0);
    sandbox.run(&["finalize", "--issue", "243"]).exits(0);
    assert_eq!((worktrees(&sandbox), clean(&sandbox).exists()), (1, false));
}

#[test]
fn commands_of_a_run_with_worktree_flag_use_a_separate_clean_worktree() {
    let sandbox = tested();
    let agent = sandbox.script(&honest_script(&turns(&[("tests/new.t", "grep -q 3 src/lib.rs\n")], &[])));
    sandbox.run(&["execute", "--issue", "243", "--forge", "local", "--agent", &agent, "--worktree"]).exits(0);
    assert_eq!((worktrees(&sandbox), clean(&sandbox).exists()), (3, true));
    sandbox.run(&["cleanup", "--issue", "243", "--force"]).exits(0);
    assert_eq!((worktrees(&sandbox), clean(&sandbox).exists()), (1, false));
}

#[test]
fn files_that_a_command_leaves_are_in_no_snapshot() {
    let sandbox = project("test = \"sh -c 'echo x > left-over; echo spoiled > src/lib.rs'\"\n");
    work(&sandbox, &[], &[]).exits(0);
    assert!(!sandbox.has("left-over"));
    assert_eq!(sandbox.read("src/lib.rs"), "pub fn pages() -> u32 {\n    3\n}\n");
    assert!(!sandbox.git(&["ls-tree", "-r", "--name-only", "ai-workflow/issue-243"]).contains("left-over"));
}

#[test]
fn a_run_killed_during_a_check_command_can_be_continued() {
    let sandbox = project("test = \"sh waiting.sh\"\n");
    let (begun, go) = (sandbox.root().with_file_name("begun"), sandbox.root().with_file_name("go"));
    let waiting = format!("echo x > '{}'\n[ -e '{}' ] || sleep 60\n", begun.display(), go.display());
    sandbox.write("waiting.sh", &waiting);
    commit(&sandbox);
    let agent = sandbox.script(&honest_script(&turns(&[], &[])));
    let arguments = ["execute", "--issue", "243", "--forge", "local", "--agent", &agent];
    let mut child = sandbox.start(&arguments);
    let began = Instant::now();
    while !begun.exists() {
        assert!(began.elapsed() < Duration::from_secs(60), "the command never began");
        std::thread::sleep(Duration::from_millis(10));
    }
    child.kill().expect("it runs");
    child.wait().expect("it is over");
    // As if a git had been killed, too, in the middle of its work.
    let admins = fs::read_dir(sandbox.root().join(".git/worktrees")).expect("worktrees").flatten();
    admins.for_each(|admin| fs::write(admin.path().join("index.lock"), "").expect("written"));
    fs::remove_file(clean(&sandbox).join("waiting.sh")).expect("removed");
    fs::write(&go, "").expect("written");
    sandbox.run(&arguments).exits(0);
    expect(&sandbox, "testing", "tests", "pass", "passed");
    assert_eq!(worktrees(&sandbox), 2);
    sandbox.run(&["cleanup", "--issue", "243"]).exits(0);
    assert_eq!(worktrees(&sandbox), 1);
}
