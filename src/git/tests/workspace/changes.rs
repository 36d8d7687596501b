//! What differs from a commit: with the modes that git would commit.

use super::*;
use std::collections::BTreeSet;

use model::change::FileMode;

#[cfg(unix)]
#[test]
fn index_file_modes_count_when_core_filemode_is_off() {
    let fixture = Fixture::new();
    fixture.write("run.sh", "echo\n");
    fixture.git(&["add", "run.sh"]);
    fixture.git(&["update-index", "--chmod=+x", "run.sh"]);
    fixture.git(&["commit", "--quiet", "-m", "a script"]);
    let base = fixture.workspace().opened_at().clone();
    fixture.write("README.md", "two\n");
    fixture.write("new.txt", "new\n");
    make_executable(&fixture.root().join("README.md"));
    make_executable(&fixture.root().join("new.txt"));
    let modes = || -> Vec<(String, Option<FileMode>)> {
        let changes = fixture.workspace().changes().since(&base).expect("changes");
        changes.into_iter().map(|change| (change.path, change.after.map(|after| after.mode))).collect()
    };
    let expected = |readme, new| {
        let both = [("README.md", readme), ("new.txt", new)];
        both.map(|(path, mode)| (path.to_owned(), Some(mode))).to_vec()
    };
    fixture.git(&["config", "core.fileMode", "false"]);
    assert_eq!(modes(), expected(FileMode::File, FileMode::File));
    fixture.git(&["update-index", "--chmod=+x", "README.md"]);
    assert_eq!(modes(), expected(FileMode::Executable, FileMode::File), "the author said so to git");
    fixture.git(&["config", "core.fileMode", "true"]);
    make_executable(&fixture.root().join("run.sh"));
    assert_eq!(modes(), expected(FileMode::Executable, FileMode::Executable));
}

#[test]
fn changes_in_assume_unchanged_and_skip_worktree_files_are_found() {
    let fixture = Fixture::new();
    for name in ["assumed.txt", "skipped.txt", "gone.txt", "same.txt"] {
        fixture.write(name, "one\n");
    }
    fixture.git(&["add", "."]);
    fixture.git(&["commit", "--quiet", "-m", "files"]);
    let base = fixture.workspace().opened_at().clone();
    fixture.git(&["update-index", "--assume-unchanged", "assumed.txt", "same.txt"]);
    fixture.git(&["update-index", "--skip-worktree", "skipped.txt", "gone.txt"]);
    fixture.write("assumed.txt", "two\n");
    fixture.write("skipped.txt", "two\n");
    std::fs::remove_file(fixture.root().join("gone.txt")).expect("a file");
    let paths = || -> Vec<String> {
        let changes = fixture.workspace().changes().since(&base).expect("changes");
        changes.into_iter().map(|change| change.path).collect()
    };
    assert_eq!(paths(), ["assumed.txt", "gone.txt", "skipped.txt"]);
    fixture.git(&["config", "core.sparseCheckout", "true"]);
    assert_eq!(paths(), ["assumed.txt", "skipped.txt"], "a sparse checkout deletes nothing");
}

fn paths(paths: &[&str]) -> BTreeSet<String> {
    paths.iter().map(|path| (*path).to_owned()).collect()
}

#[test]
fn tree_differences_are_limited_to_the_requested_paths() {
    let fixture = Fixture::new();
    let space = fixture.space();
    let old = space.snapshots().take(None).expect("a snapshot").tree;
    fixture.write("src/lib.rs", "one\ntwo\n");
    fixture.write("README.md", "changed\n");
    fixture.write("new.txt", "new\n");
    let new = space.snapshots().take(None).expect("a snapshot").tree;
    let asked = paths(&["src/lib.rs", "new.txt", ".gitignore"]);
    let changes = space.workspace().changes().between(&old, &new, &asked).expect("changes");
    let told: Vec<_> =
        changes.iter().map(|change| (change.path.as_str(), change.old_text(), change.new_text())).collect();
    assert_eq!(told, [("new.txt", None, Some("new\n")), ("src/lib.rs", Some("one\n"), Some("one\ntwo\n"))]);
    assert!(space.workspace().changes().between(&old, &old, &asked).expect("nothing").is_empty());
    let gone = Tree::try_from("0123456789012345678901234567890123456789").expect("an id");
    assert!(space.workspace().changes().between(&gone, &new, &asked).is_err());
}

#[cfg(unix)]
#[test]
fn only_regular_files_of_a_tree_are_listed() {
    let fixture = Fixture::new();
    std::os::unix::fs::symlink("README.md", fixture.root().join("link")).expect("a link");
    fixture.write("[x]*.txt", "odd\n");
    let space = fixture.space();
    let tree = space.snapshots().take(None).expect("a snapshot").tree;
    let asked = paths(&["src/lib.rs", "src", "link", "missing", "./README.md", "SRC/lib.rs", "[x]*.txt"]);
    assert_eq!(
        space.workspace().plain_files(&tree, &asked).expect("files"),
        paths(&["[x]*.txt", "src/lib.rs"])
    );
}
