//! Tests of `scripted`.

use super::*;

#[test]
fn only_paths_inside_the_worktree_are_taken() {
    let folder = tempfile::tempdir().expect("a folder");
    let worktree = folder.path().join("worktree");
    fs::create_dir_all(worktree.join("src")).expect("a worktree");
    std::os::unix::fs::symlink(folder.path(), worktree.join("out")).expect("a link out");
    std::os::unix::fs::symlink("/no/such", worktree.join("nowhere")).expect("a link to nowhere");
    std::os::unix::fs::symlink("src", worktree.join("in")).expect("a link inside");
    for bad in ["/etc/x", "../x", "src/../../x", "out/x", "nowhere/x", "", "."] {
        assert!(inside(&worktree, bad).is_err(), "{bad}");
    }
    for good in ["x", "./src/new/x", "in/x"] {
        assert!(inside(&worktree, good).is_ok(), "{good}");
    }
}

#[test]
fn a_link_is_never_written_through() {
    let folder = tempfile::tempdir().expect("a folder");
    let target = folder.path().join("target");
    let worktree = folder.path().join("worktree");
    fs::create_dir(&worktree).expect("a worktree");
    std::os::unix::fs::symlink(&target, worktree.join("link")).expect("a link out");
    let error = write_file(&worktree, "link", "x").expect_err("refused");
    assert_eq!((error.as_str(), target.exists()), ("`link` is outside the worktree", false));
    delete_file(&worktree, "link").expect("the link itself may go");
    delete_file(&worktree, "link").expect("it has gone already");
}

#[test]
fn a_folder_is_not_deleted() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("src")).expect("a folder in it");
    let refused = delete_file(folder.path(), "src");
    assert!(refused.is_err_and(|error| error.starts_with("`src` cannot be deleted: ")));
}

#[test]
fn a_command_line_that_cannot_be_read_breaks() {
    for bad in [&["x"][..], &["x", "--try", "1"], &["x", "--attempt", "y"]] {
        assert!(read_arguments(bad.iter().map(OsString::from).collect()).is_none(), "{bad:?}");
    }
    assert_eq!(main(vec![]), BROKEN);
}

#[test]
fn a_broken_answer_is_no_answer() {
    assert_eq!(decode(b"{\"text\""), None);
}
