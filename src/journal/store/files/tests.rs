//! Tests of `files`.

use super::*;

#[test]
fn every_store_error_names_the_file_and_has_a_hint() {
    let full = io_error("write", Path::new("x/events.jsonl"))(io::ErrorKind::StorageFull.into());
    assert_eq!(full.to_string(), "cannot write x/events.jsonl: no storage space");
    assert!(full.is_disk_full() && full.hint().contains("free some space"));
    let denied = io_error("read", Path::new("y"))(io::ErrorKind::PermissionDenied.into());
    assert!(!denied.is_disk_full() && denied.hint().contains("permissions"));
    let ours = StoreError::Unwritable { seq: 3, why: "no such phase".to_owned() };
    assert_eq!(ours.to_string(), "entry 3 would not read back: no such phase");
    assert!(ours.hint().contains("bug"));
}

#[test]
fn file_is_replaced_atomically_and_leftovers_are_removed() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("metadata.json");
    fs::write(temporary_path(&path), "half of an old vi").expect("a leftover");
    replace(&path, b"one").expect("the first");
    replace(&path, b"two").expect("the second");
    assert_eq!(fs::read_to_string(&path).expect("the file"), "two");
    let names: Vec<_> = fs::read_dir(folder.path())
        .expect("the folder")
        .map(|entry| entry.expect("an entry").file_name())
        .collect();
    assert_eq!(names, ["metadata.json"]);
}

#[test]
fn failed_write_keeps_the_old_file_and_leaves_no_temporary_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("metadata.json");
    fs::create_dir(&path).expect("something in the way");
    fs::write(path.join("inside"), "").expect("not empty");
    let error = replace(&path, b"one").expect_err("a folder is in the way");
    assert!(error.to_string().starts_with(&format!("cannot write {}: ", path.display())), "{error}");
    assert!(!temporary_path(&path).exists());
}

#[cfg(unix)]
#[test]
fn symlink_at_the_temporary_path_is_not_followed() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("metadata.json");
    let victim = folder.path().join("victim");
    fs::write(&victim, "untouched").expect("the victim");
    std::os::unix::fs::symlink(&victim, temporary_path(&path)).expect("a link");
    replace(&path, b"one").expect("the write");
    assert_eq!(fs::read_to_string(&victim).expect("the victim"), "untouched");
}
