//! Tests of `job`.

use super::*;

fn guarded() -> (tempfile::TempDir, JobFileGuard) {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("GITHUB_ENV"), "OURS=1\n").expect("a file");
    fs::write(folder.path().join("GITHUB_PATH"), "").expect("a file");
    let guard = JobFileGuard::of(|name| (name != "GITHUB_STATE").then(|| folder.path().join(name)));
    (folder, guard)
}

#[test]
fn foreign_writes_to_github_job_files_are_removed_and_reported() {
    let (folder, guard) = guarded();
    assert!(guard.verify().is_ok());
    fs::write(folder.path().join("GITHUB_ENV"), "OURS=1\nLD_PRELOAD=/tmp/x.so\n").expect("a file");
    fs::write(folder.path().join("GITHUB_OUTPUT"), "conclusion=success\n").expect("a file");
    let told = guard.verify().expect_err("they were changed").to_string();
    assert!(told.starts_with("E_JOB_FILES_CHANGED: "), "{told}");
    assert_eq!(fs::read_to_string(folder.path().join("GITHUB_ENV")).expect("a file"), "OURS=1\n");
    assert!(!folder.path().join("GITHUB_OUTPUT").exists());
    assert!(guard.verify().is_ok());
}

#[test]
fn symlink_in_place_of_a_github_job_file_is_not_followed() {
    let (folder, guard) = guarded();
    let (path, other) = (folder.path().join("GITHUB_PATH"), folder.path().join("other"));
    fs::write(&other, "").expect("a file");
    fs::remove_file(&path).expect("it goes");
    std::os::unix::fs::symlink(&other, &path).expect("a link");
    assert!(guard.verify().is_err());
    assert!(fs::symlink_metadata(&path).expect("a file").is_file());
}

#[test]
fn job_file_guard_does_nothing_outside_a_job() {
    assert!(JobFileGuard::of(|_| None).verify().is_ok());
}
