//! Tests of `lock`.

use super::*;

fn take(folder: &Path) -> Result<Lock, LockError> {
    Lock::take(folder, &Masked::own("execute --issue 243"), Timestamp::UNIX_EPOCH)
}

#[test]
fn issue_lock_error_names_the_holder() {
    let folder = tempfile::tempdir().expect("a folder");
    let issue = folder.path().join("ai-workflow/issue-243");
    let first = take(&issue).expect("the first");
    let Err(LockError::Busy { holder: Some(found) }) = take(&issue) else { panic!("taken twice") };
    let command = "execute --issue 243".to_owned();
    let expected = LockHolder {
        pid: std::process::id(),
        host: hostname(),
        since: Timestamp::UNIX_EPOCH,
        command,
        issue: None,
    };
    assert_eq!(found, expected);
    assert!(found.is_here());
    assert_eq!(
        LockError::Busy { holder: Some(found) }.to_string(),
        format!(
            "another process holds this issue: process {} on {} since 1970-01-01T00:00:00Z: execute --issue 243",
            std::process::id(),
            hostname()
        )
    );
    drop(first);
    take(&issue).expect("free again");
}

#[test]
fn holder_query_does_not_take_the_lock() {
    let folder = tempfile::tempdir().expect("a folder");
    assert_eq!(holder(folder.path()), None);
    let lock = take(folder.path()).expect("the lock");
    assert_eq!(holder(folder.path()).map(|found| found.pid), Some(std::process::id()));
    drop(lock);
    assert_eq!(holder(folder.path()), None);
    take(folder.path()).expect("asking left it free");
}

#[test]
fn lock_without_holder_information_is_still_held() {
    let folder = tempfile::tempdir().expect("a folder");
    let lock = take(folder.path()).expect("the lock");
    lock.file.set_len(0).expect("emptied");
    assert_eq!(holder(folder.path()), None);
    let error = take(folder.path()).expect_err("held").to_string();
    assert_eq!(error, "another process holds this issue: it has not said who it is");
}

#[test]
fn concurrent_holder_queries_do_not_block_the_lock() {
    let folder = tempfile::tempdir().expect("a folder");
    drop(take(folder.path()).expect("made"));
    std::thread::scope(|scope| {
        // A pause between the questions: somebody who asks without end is not what this is about.
        let asking = scope.spawn(|| {
            for _ in 0..30 {
                let _ = holder(folder.path());
                std::thread::sleep(Duration::from_millis(1));
            }
        });
        for _ in 0..20 {
            take(folder.path()).expect("nobody else takes it");
        }
        asking.join().expect("asked");
    });
}

#[test]
fn lock_creation_error_names_the_lock_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("file");
    fs::write(&file, "").expect("a file");
    let error = take(&file).expect_err("a file is no folder").to_string();
    assert!(error.starts_with(&format!("cannot lock {}: ", file.join("lock").display())), "{error}");
}

#[cfg(unix)]
#[test]
fn removed_lock_file_is_not_accepted_as_the_lock() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("lock");
    let file = open(folder.path(), &path).expect("a file");
    assert!(is_same_file(&file, &path));
    fs::remove_file(&path).expect("removed");
    assert!(!is_same_file(&file, &path));
    open(folder.path(), &path).expect("another file");
    assert!(!is_same_file(&file, &path));
}

fn issue(number: u64) -> IssueNumber {
    IssueNumber::try_from(number).expect("a number")
}

fn take_checkout(git_dir: &Path, number: u64) -> Result<CheckoutLock, LockError> {
    let command = Masked::own("execute");
    CheckoutLock::take(git_dir, issue(number), &command, Timestamp::UNIX_EPOCH)
}

#[test]
fn checkout_lock_error_names_the_issue_at_work() {
    let git_dir = tempfile::tempdir().expect("a folder");
    let first = take_checkout(git_dir.path(), 1).expect("the first");
    let Err(LockError::Busy { holder: Some(holder) }) = take_checkout(git_dir.path(), 2) else {
        panic!("taken twice");
    };
    assert_eq!((holder.issue, holder.pid), (Some(issue(1)), std::process::id()));
    let other = tempfile::tempdir().expect("a folder");
    take_checkout(other.path(), 2).expect("another worktree is another checkout");
    drop(first);
    take_checkout(git_dir.path(), 2).expect("free again");
}

#[test]
fn checkout_lock_records_the_work_time_only_after_work() {
    let git_dir = tempfile::tempdir().expect("a folder");
    take_checkout(git_dir.path(), 1).expect("a lock").release();
    assert!(!git_dir.path().join("ai-workflow").exists());
    let mut lock = take_checkout(git_dir.path(), 1).expect("a lock");
    assert_eq!(lock.last_work(), None);
    lock.begin_work(Timestamp::UNIX_EPOCH);
    let work = lock.last_work().expect("work under way");
    assert_eq!((work.since, work.until), (Timestamp::UNIX_EPOCH, None));
    drop(lock);
    let lock = take_checkout(git_dir.path(), 2).expect("a lock");
    let work = lock.last_work().expect("work that ended");
    assert!(work.until.is_some_and(|until| until > work.since));
    lock.release();
    let lock = take_checkout(git_dir.path(), 2).expect("a lock");
    assert_eq!(lock.last_work(), Some(work), "who did not work changes nothing");
    let elsewhere = serde_json::json!({"host": "another machine", "since": "2026-01-01T00:00:00Z"});
    fs::write(lock.folder.join(WORK), elsewhere.to_string()).expect("written");
    assert_eq!(lock.last_work(), None, "what works on another machine cannot be seen here");
}
