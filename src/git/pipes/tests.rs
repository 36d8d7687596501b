//! Tests of `pipes`.

use std::thread::sleep;

use super::*;

fn make_pipe(path: &Path) {
    rustix::fs::mkfifoat(rustix::fs::CWD, path, 0o600.into()).expect("made");
}

#[test]
fn pipes_are_found_but_for_folders_that_are_passed_over_and_links() {
    let dir = tempfile::tempdir().expect("a folder");
    let at = |name: &str| dir.path().join(name);
    fs::create_dir_all(at("in/passed")).expect("made");
    make_pipe(&at("in/pipe"));
    make_pipe(&at("in/passed/pipe"));
    std::os::unix::fs::symlink(at("in/pipe"), at("link to a pipe")).expect("linked");
    std::os::unix::fs::symlink(at("in"), at("link to a folder")).expect("linked");
    let found = PipeSearch::default().below(dir.path(), |folder| folder.ends_with("passed"));
    assert_eq!(found, [at("in/pipe")]);
    assert!(is_pipe(&at("link to a pipe")) && !is_pipe(&at("in")) && !is_pipe(&at("none")));
}

#[test]
fn search_sees_what_came_and_went_in_folders_that_it_knows() {
    let dir = tempfile::tempdir().expect("a folder");
    let at = |name: &str| dir.path().join(name);
    fs::create_dir_all(at("a/deep")).expect("made");
    fs::create_dir_all(at("b/deep")).expect("made");
    make_pipe(&at("b/deep/pipe"));
    sleep(TICK * 2);
    let mut search = PipeSearch::default();
    let mut found = || search.below(dir.path(), |_| false);
    assert_eq!((found(), found()), (vec![at("b/deep/pipe")], vec![at("b/deep/pipe")]));
    // The time of a folder's contents can be set back, and is here.
    let modified = fs::metadata(at("a/deep")).and_then(|found| found.modified()).expect("a time");
    make_pipe(&at("a/deep/pipe"));
    fs::File::open(at("a/deep")).and_then(|folder| folder.set_modified(modified)).expect("set back");
    assert_eq!(found(), [at("a/deep/pipe"), at("b/deep/pipe")]);
    fs::remove_file(at("b/deep/pipe")).expect("removed");
    assert_eq!(found(), [at("a/deep/pipe")]);
    // Another folder takes the place of a known one.
    fs::rename(at("a/deep"), at("aside")).expect("moved");
    fs::rename(at("b/deep"), at("a/deep")).expect("moved");
    assert_eq!(found(), [at("aside/pipe")]);
}

#[test]
fn search_sees_changes_that_follow_within_one_tick() {
    let dir = tempfile::tempdir().expect("a folder");
    let mut search = PipeSearch::default();
    for number in 0..100 {
        let pipe = dir.path().join(number.to_string());
        assert_eq!(search.below(dir.path(), |_| false).len(), number);
        make_pipe(&pipe);
        assert_eq!(search.below(dir.path(), |_| false).len(), number + 1);
    }
}
