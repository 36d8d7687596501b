//! What a killed git leaves behind.

use std::io::{Read, Write};

use super::*;

#[test]
fn stale_locks_of_a_killed_git_are_removed_and_young_ones_are_not() {
    let fixture = Fixture::new();
    let space = fixture.run();
    space.snapshot(None).expect("a snapshot");
    let snapshots = space.state_dir().join("snapshots");
    let mut stale = [
        fixture.root().join(".git/HEAD.lock"),
        fixture.root().join(".git/index.lock"),
        fixture.root().join(".git/next-index-12.lock"),
        fixture.root().join(".git/packed-refs.lock"),
        fixture.root().join(".git/refs/heads/ai-workflow/issue-7.lock"),
        snapshots.join("incoming.index"),
        snapshots.join("x.index.lock"),
    ];
    for path in &stale {
        fs::write(path, "").expect("written");
    }
    stale.sort();
    let foreign = fixture.root().join(".git/refs/heads/main.lock");
    fs::write(&foreign, "").expect("written");
    let hour = Duration::from_secs(3600);
    let long_ago = SystemTime::now() - hour;
    assert_eq!(space.sweep_stale_locks(long_ago).expect("swept"), Vec::<PathBuf>::new());
    // Only a git at work here could hold them back, and in a folder of our own there is none.
    let mut swept = space.sweep_stale_locks(SystemTime::now() + hour).expect("swept");
    swept.sort();
    assert_eq!(swept, stale);
    assert!(foreign.exists(), "another branch is none of our business");
}

#[cfg(target_os = "linux")]
#[test]
fn a_lock_is_left_alone_while_a_git_is_at_work_in_the_worktree() {
    let fixture = Fixture::new();
    let space = fixture.run();
    let lock = fixture.root().join(".git/index.lock");
    fs::write(&lock, "").expect("written");
    let mut waiting = Command::new("git")
        .current_dir(fixture.root())
        .args(["cat-file", "--batch"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("git is installed");
    // It is at work when it has answered.
    waiting.stdin.as_mut().expect("it is piped").write_all(b"HEAD\n").expect("fed");
    waiting.stdout.as_mut().expect("it is piped").read_exact(&mut [0; 40]).expect("answered");
    let later = SystemTime::now() + Duration::from_secs(3600);
    let swept = space.sweep_stale_locks(later).expect("swept");
    drop(waiting.stdin.take());
    waiting.wait().expect("it ends");
    assert_eq!((swept, lock.exists()), (Vec::<PathBuf>::new(), true));
    assert_eq!(space.sweep_stale_locks(later).expect("swept"), vec![lock]);
}
