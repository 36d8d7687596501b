//! Tests of `handler`.

use std::os::unix::fs::symlink;

use super::*;

/// A worktree with a file, and what lies beside it.
fn scene() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let worktree = folder.path().canonicalize().expect("it is there").join("worktree");
    fs::create_dir(&worktree).expect("a worktree");
    fs::write(worktree.join("a"), "one\ntwo\nthree\n").expect("a file");
    fs::write(folder.path().join("secret"), "secret").expect("a file");
    symlink("../secret", worktree.join("link")).expect("a link");
    (folder, worktree)
}

fn asked(worktree: &Path, path: &str, line: Option<u32>, limit: Option<u32>) -> Result<String, String> {
    let request = ReadTextFileRequest::new("s", worktree.join(path)).line(line).limit(limit);
    read_lines(worktree, &request)
        .map_err(|error| error.to_string().replace(&*worktree.to_string_lossy(), "W"))
}

#[test]
fn read_requests_return_the_requested_lines() {
    let (_folder, worktree) = scene();
    let read = |line, limit| asked(&worktree, "a", line, limit).expect("readable");
    assert_eq!(read(None, None), "one\ntwo\nthree\n");
    assert_eq!(read(Some(2), None), "two\nthree\n");
    assert_eq!(read(Some(2), Some(1)), "two\n");
    assert_eq!(read(None, Some(1)), "one\n");
    assert_eq!(read(Some(9), Some(1)), "");
}

#[test]
fn only_regular_files_in_the_worktree_are_read() {
    let (_folder, worktree) = scene();
    fs::write(worktree.join("huge"), "x".repeat(4 << 20) + "x").expect("a file");
    let failure = |path: &str| asked(&worktree, path, None, None).expect_err(path);
    assert_eq!(failure("link"), "`W/link` is outside the worktree, or protected");
    assert_eq!(failure("none"), "`W/none` was not found");
    assert_eq!(failure(""), "`W/` is no plain file");
    assert_eq!(failure("huge"), "`W/huge` is larger than what is read for an agent");
}

#[test]
fn authors_write_in_the_worktree_and_reviewers_nowhere() {
    let (folder, worktree) = scene();
    let put = |read_only: bool, path: &str| {
        write_file(&worktree, read_only, &WriteTextFileRequest::new("s", worktree.join(path), "new"))
    };
    put(false, "new/b").expect("an author may");
    assert_eq!(fs::read_to_string(worktree.join("new/b")).expect("it is there"), "new");
    assert!(matches!(put(false, "link"), Err(FileError::Outside(_))));
    assert!(matches!(put(false, ".git/config"), Err(FileError::Outside(_))));
    assert!(matches!(put(false, "new"), Err(FileError::NotPlain(_))));
    assert!(matches!(put(true, "a"), Err(FileError::Reviewer)));
    assert_eq!(fs::read_to_string(folder.path().join("secret")).expect("it is there"), "secret");
}

/// Makes a worktree with links and tells which paths are taken.
fn taken(judge: fn(&Path, &Path) -> Option<PathBuf>, paths: &[&str]) -> Vec<bool> {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().canonicalize().expect("it is there");
    let worktree = root.join("worktree");
    fs::create_dir_all(worktree.join("src")).expect("a worktree");
    fs::write(worktree.join("src/a"), "a").expect("a file");
    for (target, link) in [("..", "out"), ("/no/such", "nowhere"), ("src", "in"), ("src/a", "file")] {
        symlink(target, worktree.join(link)).expect("a link");
    }
    let full = |path: &&str| PathBuf::from(path.replace("ROOT", root.to_str().expect("plain")));
    paths.iter().map(|path| judge(&worktree, &full(path)).is_some()).collect()
}

#[test]
fn only_paths_that_resolve_into_the_worktree_are_accepted() {
    let good = ["ROOT/worktree/src/a", "src/new/b", "ROOT/worktree", "in/a", "file", ".git/config"];
    assert_eq!(taken(resolve, &good), [true; 6]);
    let bad = [
        "/etc/passwd",
        "ROOT/worktree/../x",
        "../x",
        "out/x",
        "ROOT/worktree/out",
        "nowhere",
        "nowhere/x",
        "ROOT/worktreex",
    ];
    assert_eq!(taken(resolve, &bad), [false; 8]);
}

#[test]
fn git_directories_and_symlinks_are_not_writable() {
    assert_eq!(taken(resolve_writable, &["src/a", "src/new/b", "in/a"]), [true; 3]);
    assert_eq!(
        taken(resolve_writable, &[".git/hooks/x", "src/.GIT/x", "file", "nowhere", "", "out/x"]),
        [false; 6]
    );
}

#[test]
fn paths_that_no_system_opens_are_refused_at_once() {
    let (_folder, worktree) = scene();
    let began = std::time::Instant::now();
    let long = worktree.join("a/".repeat(400_000) + "b");
    assert_eq!((resolve(&worktree, &long), resolve_writable(&worktree, &long)), (None, None));
    assert!(began.elapsed() < std::time::Duration::from_secs(5), "{:?}", began.elapsed());
}
