//! The worktree in which commands run: exactly one tree, made lazily, repaired, and gone at the end.

use std::collections::BTreeSet;

use super::*;

/// A run with a change that will be published and everything that will not.
fn begun() -> (Fixture, RunWorkspace) {
    let fixture = Fixture::new();
    let space = fixture.run();
    fixture.write("src/lib.rs", "two\n");
    fixture.write("helper.txt", "only here\n");
    fixture.write("target/built", "old\n");
    (fixture, space)
}

fn published(space: &RunWorkspace, changed: &[&str]) -> Tree {
    let seen = space.snapshots().take(None).expect("a snapshot");
    let changed: BTreeSet<String> = paths(changed).into_iter().collect();
    space.snapshots().published_tree(&seen, &changed).expect("a tree")
}

fn beside(fixture: &Fixture) -> PathBuf {
    fixture.root().with_file_name("my 'répo'-issue-7-clean")
}

fn files_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder").flatten();
    let mut names: Vec<String> = entries.map(|entry| entry.file_name().display().to_string()).collect();
    names.sort();
    names
}

fn worktrees(fixture: &Fixture) -> usize {
    fixture.git(&["worktree", "list"]).lines().count()
}

#[test]
fn clean_worktree_contains_only_files_to_be_published() {
    let (fixture, space) = begun();
    let tree = published(&space, &["src/lib.rs"]);
    let root = space.clean_worktree().check_out(&tree).expect("a worktree");
    assert_eq!(root, beside(&fixture));
    assert_eq!(files_in(&root), [".git", ".gitignore", "README.md", "src"]);
    assert_eq!(fs::read_to_string(root.join("src/lib.rs")).expect("a file"), "two\n");
    assert!(fixture.exists("helper.txt"), "the author's worktree stays as it is");
    let (status, head) = (fixture.git(&["status", "--porcelain"]), fixture.git(&["symbolic-ref", "HEAD"]));
    assert_eq!(
        (status.as_str(), head.as_str()),
        (" M src/lib.rs\n?? helper.txt", "refs/heads/ai-workflow/issue-7")
    );
}

#[test]
fn reused_clean_worktree_keeps_only_ignored_files() {
    let (_fixture, space) = begun();
    let tree = published(&space, &["src/lib.rs", "helper.txt"]);
    let root = space.clean_worktree().check_out(&tree).expect("a worktree");
    for (path, text) in [("target/built", "x"), ("left/over.txt", "x"), ("src/lib.rs", "spoiled\n")] {
        fs::create_dir_all(root.join(path).parent().expect("it has one")).expect("made");
        fs::write(root.join(path), text).expect("written");
    }
    let (calls, root) = calls(&space, || space.clean_worktree().check_out(&tree).expect("a worktree"));
    assert_eq!(calls, 2);
    assert_eq!(files_in(&root), [".git", ".gitignore", "README.md", "helper.txt", "src", "target"]);
    assert_eq!(fs::read_to_string(root.join("src/lib.rs")).expect("a file"), "two\n");
}

#[test]
fn clean_worktree_checks_out_one_tree_after_another() {
    let (fixture, space) = begun();
    let tree = published(&space, &["src/lib.rs", "helper.txt"]);
    let base = space.workspace().opened_at().as_tree();
    let mut root = PathBuf::new();
    for (tree, text, helps) in [(&tree, "two\n", true), (&base, "one\n", false), (&tree, "two\n", true)] {
        root = space.clean_worktree().check_out(tree).expect("a worktree");
        assert_eq!(fs::read_to_string(root.join("src/lib.rs")).expect("a file"), text);
        assert_eq!(root.join("helper.txt").exists(), helps);
    }
    assert_eq!(worktrees(&fixture), 2);
    space.clean_worktree().remove().expect("removed");
    assert!(!root.exists());
    assert_eq!(worktrees(&fixture), 1);
    assert_eq!(files_in(space.state_dir()), ["snapshots"]);
    space.clean_worktree().remove().expect("there is nothing to remove");
}

#[test]
fn clean_worktree_outside_of_a_run_is_named_by_check() {
    let fixture = Fixture::new();
    let workspace = fixture.workspace();
    let space = workspace.outside_a_run();
    let tree = space.snapshots().take(None).expect("a snapshot").tree;
    let root = space.clean_worktree().check_out(&tree).expect("a worktree");
    assert_eq!(root, fixture.root().with_file_name("my 'répo'-check-clean"));
    space.clean_worktree().remove().expect("removed");
    assert_eq!((root.exists(), worktrees(&fixture)), (false, 1));
}

#[test]
fn damaged_clean_worktree_is_recreated() {
    let (fixture, space) = begun();
    let tree = published(&space, &["src/lib.rs"]);
    let root = space.clean_worktree().check_out(&tree).expect("a worktree");
    let admin = fixture.root().join(".git/worktrees").join(root.file_name().expect("a name"));
    let admin = if admin.is_dir() { admin } else { only_folder_in(&fixture.root().join(".git/worktrees")) };
    let damages: [(&str, &dyn Fn()); 7] = [
        ("a lock of a killed git", &|| fs::write(admin.join("index.lock"), "").expect("written")),
        ("no index", &|| fs::remove_file(admin.join("index")).expect("removed")),
        ("a damaged index", &|| fs::write(admin.join("index"), "rubbish").expect("written")),
        ("no folder", &|| fs::remove_dir_all(&root).expect("removed")),
        ("an empty folder", &|| {
            fs::remove_dir_all(&root).expect("removed");
            fs::create_dir(&root).expect("made");
        }),
        ("no entrance", &|| fs::remove_file(root.join(".git")).expect("removed")),
        ("an entrance to elsewhere", &|| fs::write(root.join(".git"), "gitdir: /tmp\n").expect("written")),
    ];
    for (name, damage) in damages {
        damage();
        assert_eq!(space.clean_worktree().check_out(&tree).expect(name), root, "{name}");
        assert_eq!(fs::read_to_string(root.join("src/lib.rs")).expect(name), "two\n", "{name}");
        assert_eq!(worktrees(&fixture), 2, "{name}");
    }
    space.clean_worktree().remove().expect("removed");
    assert_eq!((root.exists(), worktrees(&fixture)), (false, 1));
}

#[test]
fn what_changed_in_the_clean_worktree_since_its_last_use_makes_it_anew() {
    let (_fixture, space) = begun();
    let tree = published(&space, &["src/lib.rs"]);
    let root = space.clean_worktree().check_out(&tree).expect("a worktree");
    let keep = || {
        fs::create_dir_all(root.join("target")).expect("made");
        fs::write(root.join("target/built"), "ours").expect("written");
        space.clean_worktree().seal();
    };
    keep();
    space.clean_worktree().check_out(&tree).expect("a worktree");
    assert!(root.join("target/built").exists(), "nobody was there");
    let shell = |line: &str| {
        let done = Command::new("sh").args(["-c", line]).current_dir(&root).status().expect("a shell");
        assert!(done.success(), "{line}");
    };
    let forgeries = [
        "echo forged > target/built",
        "echo forged > target/other",
        "git update-index --skip-worktree src/lib.rs && echo forged > src/lib.rs",
        "git update-index --assume-unchanged src/lib.rs && echo forged > src/lib.rs",
    ];
    for forgery in forgeries {
        keep();
        shell(forgery);
        space.clean_worktree().check_out(&tree).expect("a worktree");
        assert_eq!(fs::read_to_string(root.join("src/lib.rs")).expect("a file"), "two\n", "{forgery}");
        assert!(!root.join("target").exists(), "{forgery}");
    }
    let aside = root.with_file_name("aside");
    fs::write(&aside, "the user's").expect("written");
    shell(r#"index=$(git rev-parse --git-path index) && rm "$index" && ln -s "$PWD/../aside" "$index""#);
    space.clean_worktree().check_out(&tree).expect("a worktree");
    assert_eq!(fs::read_to_string(&aside).expect("a file"), "the user's");
    // The commands themselves may do it, too.
    shell(forgeries[2]);
    space.clean_worktree().check_out(&tree).expect("a worktree");
    assert_eq!(fs::read_to_string(root.join("src/lib.rs")).expect("a file"), "two\n");
}

#[test]
fn another_process_makes_the_clean_worktree_anew() {
    let (fixture, space) = begun();
    let tree = published(&space, &["src/lib.rs"]);
    let root = space.clean_worktree().check_out(&tree).expect("a worktree");
    fs::create_dir_all(root.join("target")).expect("made");
    space.clean_worktree().seal();
    let another = fixture.space();
    another.clean_worktree().check_out(&tree).expect("a worktree");
    assert!(!root.join("target").exists());
}

fn only_folder_in(folder: &Path) -> PathBuf {
    fs::read_dir(folder).expect("a folder").flatten().next().expect("an entry").path()
}

#[test]
fn foreign_folder_is_neither_used_nor_removed() {
    let (fixture, space) = begun();
    let tree = published(&space, &["src/lib.rs"]);
    fs::create_dir(beside(&fixture)).expect("made");
    fs::write(beside(&fixture).join("precious"), "x").expect("written");
    let root = space.clean_worktree().check_out(&tree).expect("a worktree elsewhere");
    let cache = fixture.home().join("cache/ai-workflow");
    assert_eq!(root.parent().expect("it has one"), cache.canonicalize().expect("it was made"));
    assert!(fs::read_to_string(root.join("src/lib.rs")).is_ok(), "the tree is there");
    space.clean_worktree().remove().expect("removed");
    assert_eq!((files_in(&cache).len(), worktrees(&fixture)), (0, 1));
    fs::write(space.state_dir().join("clean.path"), beside(&fixture).as_os_str().as_encoded_bytes())
        .expect("forged");
    space.clean_worktree().remove().expect("nothing of ours is there");
    assert!(beside(&fixture).join("precious").exists());
}

#[test]
fn clean_worktree_lies_below_git_where_no_other_place_is_free() {
    let (fixture, space) = begun();
    fs::create_dir(beside(&fixture)).expect("made");
    fs::write(fixture.home().join("cache"), "no folder").expect("written");
    let root =
        space.clean_worktree().check_out(&space.workspace().opened_at().as_tree()).expect("a worktree");
    assert_eq!(root, space.state_dir().canonicalize().expect("it is there").join("clean"));
}

#[test]
fn linked_dependencies_survive_removal_of_the_clean_worktree() {
    let (fixture, space) = begun();
    let tree = published(&space, &["src/lib.rs"]);
    let root = space.clean_worktree().check_out(&tree).expect("a worktree");
    std::os::unix::fs::symlink(fixture.root().join("target"), root.join("node_modules")).expect("linked");
    space.clean_worktree().check_out(&tree).expect("the link goes");
    assert!(root.join("node_modules").symlink_metadata().is_err());
    std::os::unix::fs::symlink(fixture.root().join("target"), root.join("target")).expect("linked");
    space.clean_worktree().remove().expect("removed");
    assert!(fixture.exists("target/built"));
}

#[test]
fn runs_of_different_issues_use_separate_clean_worktrees() {
    let (fixture, space) = begun();
    let other = fixture.workspace().for_issue(IssueNumber::try_from(8).expect("a number"));
    let tree = published(&space, &["src/lib.rs"]);
    let one = space.clean_worktree().check_out(&tree).expect("a worktree");
    let two = other.clean_worktree().check_out(&space.workspace().opened_at().as_tree()).expect("a worktree");
    assert_ne!(one, two);
    space.clean_worktree().remove().expect("removed");
    assert_eq!(fs::read_to_string(two.join("src/lib.rs")).expect("a file"), "one\n");
}

#[test]
fn published_tree_leaves_out_only_other_changed_paths() {
    let (fixture, space) = begun();
    let seen = space.snapshots().take(None).expect("a snapshot");
    let all: BTreeSet<String> = paths(&["src/lib.rs", "helper.txt"]).into_iter().collect();
    let (none, whole) = calls(&space, || space.snapshots().published_tree(&seen, &all).expect("a tree"));
    assert_eq!((none, &whole), (0, &seen.tree));
    fixture.write("README.md", "a note of mine\n");
    let tree = published(&space, &["src/lib.rs"]);
    let listed = fixture.git(&["diff-tree", "-r", "--name-only", "HEAD", tree.as_str()]);
    assert_eq!(listed, "src/lib.rs");
}

#[test]
fn paths_can_be_put_back_to_a_commit() {
    let (fixture, space) = begun();
    fixture.write("tests/new.rs", "t\n");
    fixture.remove("README.md");
    let tree = published(&space, &["src/lib.rs", "tests/new.rs", "README.md"]);
    let base = space.workspace().opened_at().clone();
    let back = space
        .snapshots()
        .reset_paths(&tree, &base, |path| path.starts_with("tests/"))
        .expect("a tree")
        .expect("a difference");
    let listed = fixture.git(&["diff-tree", "-r", "--name-status", base.as_str(), back.as_str()]);
    assert_eq!(listed, "A\ttests/new.rs");
    // What differs between the two is known by now.
    let (count, nothing) = calls(&space, || space.snapshots().reset_paths(&tree, &base, |_| true));
    assert_eq!((count, nothing.expect("nothing to do")), (0, None));
    let (_, other) = calls(&space, || space.snapshots().reset_paths(&base.as_tree(), &base, |_| false));
    assert_eq!(other.expect("another pair of trees"), None);
    assert_eq!(
        space.workspace().changes().present_paths_between(&base, &tree).expect("paths"),
        ["src/lib.rs", "tests/new.rs"]
    );
}

#[test]
fn files_of_a_tree_can_have_other_texts() {
    let (fixture, space) = begun();
    let tree = published(&space, &["src/lib.rs"]);
    let text = |path: &str, text: &str| (path.to_owned(), text.to_owned());
    let texts = [text("src/lib.rs", "fn other() {}\n"), text("src/new.rs", "é\r\n")];
    let (count, other) = calls(&space, || space.snapshots().with_texts(&tree, &texts).expect("a tree"));
    assert_eq!(count, 4, "all texts, the index of the tree, what changes in it, the new tree");
    assert_eq!(fixture.git(&["show", &format!("{other}:src/lib.rs")]), "fn other() {}");
    assert_eq!(space.workspace().read_file(&other, "src/new.rs").expect("read"), Some("é\r\n".into()));
    let differing = fixture.git(&["diff-tree", "-r", "--name-only", tree.as_str(), other.as_str()]);
    assert_eq!(differing, "src/lib.rs\nsrc/new.rs");
    assert!(!space.state_dir().join("texts").exists());
}

#[test]
fn ignored_paths_are_detected() {
    let (_fixture, space) = begun();
    let asked = paths(&["target", "src", "helper.txt"]);
    let ignored = |asked: &[String]| {
        let workspace = space.workspace();
        workspace.list_ignored(workspace.root(), asked).expect("an answer")
    };
    assert_eq!(ignored(&asked), ["target"]);
    assert_eq!(ignored(&paths(&["src"])), [""; 0]);
}
