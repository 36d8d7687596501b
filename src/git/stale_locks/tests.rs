//! Tests of `locks`.

use super::*;

fn shows(line: &str) -> bool {
    let process = tempfile::tempdir().expect("a folder");
    fs::write(process.path().join("cmdline"), line.replace(' ', "\0")).expect("written");
    is_ours(process.path())
}

#[test]
fn git_and_reaper_processes_of_a_run_are_recognized() {
    assert!(shows("git --no-pager --literal-pathspecs commit"));
    assert!(shows("/bin/sh /usr/local/bin/git --no-pager --literal-pathspecs commit"));
    assert!(shows("ai-workflow __reaper"));
    assert!(shows(""), "a git whose memory is being given back has no words any more");
    assert!(!shows("git commit"));
    assert!(!shows("vim src/lib.rs"));
}

#[test]
fn only_lock_names_used_by_git_are_git_locks() {
    let is_of_git = |name: &str| is_of_git(&Path::new("/r/.git").join(name));
    for name in ["index.lock", "HEAD.lock", "packed-refs.lock", "config.worktree.lock", "next-index-12.lock"]
    {
        assert!(is_of_git(name), "{name}");
    }
    for name in ["editor.lock", "gitoxide.lock", "next-index-.lock", "next-index-x.lock", "index.lock.lock"] {
        assert!(!is_of_git(name), "{name}");
    }
}

#[test]
fn locks_of_unknown_owner_are_stale_after_ten_minutes() {
    let lock = tempfile::NamedTempFile::new().expect("a temporary file");
    let locks = [lock.path().to_owned()];
    let now = SystemTime::now();
    assert!(!are_certainly_unused(&locks, now));
    assert!(are_certainly_unused(&locks, now + CERTAINLY_UNUSED + Duration::from_secs(60)));
}
