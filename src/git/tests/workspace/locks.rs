//! What a killed git leaves behind.

use std::io::{Read, Write};

use super::*;

/// A process of ours worked in the worktree all the time.
fn always() -> Option<(SystemTime, SystemTime)> {
    Some((SystemTime::UNIX_EPOCH, SystemTime::now() + Duration::from_secs(7200)))
}

#[test]
fn stale_locks_of_a_killed_git_are_removed_and_recent_ones_kept() {
    let fixture = Fixture::new();
    let space = fixture.run();
    space.snapshots().take(None).expect("a snapshot");
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
    assert_eq!(git::remove_stale_locks(&space, long_ago, always()).expect("swept"), Vec::<PathBuf>::new());
    // Only a git at work here could hold them back, and in a folder of our own there is none.
    let mut swept = git::remove_stale_locks(&space, SystemTime::now() + hour, always()).expect("swept");
    swept.sort();
    assert_eq!(swept, stale);
    assert!(foreign.exists(), "another branch is none of our business");
}

#[test]
fn lock_not_known_to_be_ours_is_kept() {
    let fixture = Fixture::new();
    let space = fixture.run();
    let git = fixture.root().join(".git");
    let (index, editor) = (git.join("index.lock"), git.join("editor.lock"));
    let file = fs::File::create(&index).expect("written");
    fs::write(&editor, "").expect("written");
    let (now, minute) = (SystemTime::now(), Duration::from_secs(60));
    let later = now + 60 * minute;
    let swept = |worked| git::remove_stale_locks(&space, later, worked).expect("swept");
    for worked in [None, Some((now + minute, later)), Some((SystemTime::UNIX_EPOCH, now - minute))] {
        assert_eq!(swept(worked), Vec::<PathBuf>::new(), "{worked:?}");
    }
    if cfg!(target_os = "linux") {
        assert_eq!(swept(always()), Vec::<PathBuf>::new(), "somebody has it open");
    }
    drop(file);
    let error = space.workspace().refuse_locked().expect_err("the index is locked");
    assert!(matches!(&error, Error::Locked { path } if path.ends_with(".git/index.lock")), "{error}");
    assert_eq!(swept(Some((now - minute, now + minute))), [index]);
    assert!(editor.exists(), "git makes no such lock");
    space.workspace().refuse_locked().expect("nothing is in the way");
}

#[cfg(target_os = "linux")]
#[test]
fn locks_are_kept_while_a_git_process_runs_in_the_worktree() {
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
    let swept = git::remove_stale_locks(&space, later, always()).expect("swept");
    drop(waiting.stdin.take());
    waiting.wait().expect("it ends");
    assert_eq!((swept, lock.exists()), (Vec::<PathBuf>::new(), true));
    assert_eq!(git::remove_stale_locks(&space, later, always()).expect("swept"), vec![lock]);
}

#[test]
fn locks_of_a_linked_worktree_are_removed_in_both_git_folders() {
    let fixture = Fixture::new();
    let place = fixture.dir.path().canonicalize().expect("it exists").join("linked");
    let base = fixture.tip();
    let linked =
        fixture.workspace().add_linked_worktree(&place, "ai-workflow/issue-7", Some(&base)).expect("made");
    let space = linked.for_issue(IssueNumber::try_from(7).expect("a number"));
    let git = fixture.root().join(".git");
    let stale = [git.join("packed-refs.lock"), git.join("worktrees/linked/index.lock")];
    let foreign = git.join("index.lock");
    for path in stale.iter().chain([&foreign]) {
        fs::write(path, "").expect("written");
    }
    let later = SystemTime::now() + Duration::from_secs(3600);
    let mut swept = git::remove_stale_locks(&space, later, always()).expect("swept");
    swept.sort();
    assert_eq!((swept.as_slice(), foreign.exists()), (stale.as_slice(), true));
}

#[cfg(unix)]
#[test]
fn retry_recovers_from_a_git_that_dies_at_any_call() {
    for deadly in 1..12 {
        let fixture = Fixture::new();
        let space = fixture.run();
        let start = fixture.tip();
        fixture.write("src/lib.rs", "two\n");
        fixture.write(".ai-workflow/issue-7/events.jsonl", "{}\n");
        let script = fixture.home().join("mortal-git");
        let counter = fixture.home().join("counter");
        fs::write(&counter, deadly.to_string()).expect("written");
        let text = "#!/bin/sh\nn=$(($(cat \"$HOME/counter\") - 1))\necho $n >\"$HOME/counter\"\n\
                    if [ $n = 0 ]; then\n  [ -z \"$GIT_INDEX_FILE\" ] || : >\"$GIT_INDEX_FILE.lock\"\n  \
                    : >.git/HEAD.lock\n  kill -9 $$\nfi\nexec git \"$@\"\n";
        fs::write(&script, text).expect("written");
        make_executable(&script);
        let mortal = fixture.program().program(&script);
        let work = |git: Git| -> Result<CommitId, Error> {
            let space =
                Workspace::open_with(&fixture.root(), git)?.for_issue(IssueNumber::try_from(7).expect("7"));
            let worked = space.snapshots().take(None)?;
            let judged = space.snapshots().take(Some(&worked.tree))?;
            let mut named = worked.changed;
            named.extend(judged.uncommitted.keys().filter(|path| git::is_engines_own(path)).cloned());
            space.commit(&named, &message(), &judged, &start)
        };
        let first = work(mortal);
        let left: i32 = fs::read_to_string(&counter).expect("there").trim().parse().expect("a number");
        let survived = left > 0;
        assert_eq!(first.is_ok(), survived, "call {deadly}: {first:?}");
        let commit = first.or_else(|_| {
            git::remove_stale_locks(&space, SystemTime::now() + Duration::from_secs(3600), always())
                .expect("swept");
            work(fixture.program())
        });
        let commit = commit.expect("the second try succeeds");
        let expected = ["A .ai-workflow/issue-7/events.jsonl", "M src/lib.rs"];
        assert_eq!(fixture.changes_of(commit.as_str()), expected, "call {deadly}");
        assert_eq!(fixture.git(&["status", "--porcelain"]), "", "call {deadly}");
        if survived {
            return;
        }
    }
    panic!("every call died");
}

#[cfg(unix)]
#[test]
fn hanging_git_process_is_killed() {
    let fixture = Fixture::new();
    let patient = fixture.space();
    fixture.remove(".gitignore");
    let pipe = fixture.root().join(".gitignore");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo is there").success());
    let git = fixture.program().timeout(Duration::from_millis(300));
    // A busy machine may be too slow for it as well, though not each time.
    let space = (0..20).find_map(|_| Workspace::open_with(&fixture.root(), git.clone()).ok());
    let error =
        space.expect("a repository").read_state().expect_err("git waits for somebody to write into the pipe");
    assert!(matches!(error, Error::TooSlow { .. }), "{error}");
    fs::remove_file(&pipe).expect("removed");
    assert_eq!(patient.workspace().read_state().expect("a survey").changed, paths(&[".gitignore"]));
}
