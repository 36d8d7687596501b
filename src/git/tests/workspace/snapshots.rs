//! The identity of the files, undoing what a reviewer wrote, and differences for readers.

use super::*;

#[test]
fn snapshot_includes_untracked_files_but_not_ignored_or_engine_files() {
    let fixture = Fixture::new();
    let space = fixture.run();
    let first = space.snapshots().take(None).expect("a snapshot");
    fixture.write("target/debug/x", "ignored");
    fixture.write(".ai-workflow/issue-7/events.jsonl", "{}\n");
    fixture.write(".ai-workflow/issue-7/00_planning/execute/round-1/attempt-1/prompt.md", "prompt");
    fixture.write(".ai-workflow/local/issues/7.md", "issue");
    let same = space.snapshots().take(Some(&first.tree)).expect("a snapshot");
    assert_eq!((&same.tree, same.changed.len()), (&first.tree, 0));
    fixture.write("new.rs", "untracked");
    fixture.write(".ai-workflow/issue-7/00_planning/output/planning.md", "plan");
    let second = space.snapshots().take(Some(&first.tree)).expect("a snapshot");
    let expected = paths(&[".ai-workflow/issue-7/00_planning/output/planning.md", "new.rs"]);
    assert_eq!(second.changed, expected);
    assert_eq!(
        space.workspace().changes().paths_between(&first.tree, &second.tree).expect("an answer"),
        expected
    );
    assert_eq!(second.head, Head { commit: fixture.tip(), branch: Some(space.branch()) });
    let own_files = second.uncommitted.keys().filter(|path| git::is_engines_own(path));
    let engine_files: Vec<&str> = own_files.map(String::as_str).collect();
    assert_eq!(
        engine_files,
        [
            ".ai-workflow/issue-7/00_planning/execute/round-1/attempt-1/prompt.md",
            ".ai-workflow/issue-7/events.jsonl",
            ".ai-workflow/local/issues/7.md",
        ]
    );
    assert!(fixture.git(&["status", "--porcelain"]).starts_with("?? "), "the user's index is untouched");
}

#[test]
fn restored_file_differs_from_the_last_snapshot_and_not_from_head() {
    let fixture = Fixture::new();
    fixture.write("kept.rs", "before");
    fixture.write("restored.rs", "before");
    fixture.write("deleted.rs", "before");
    fixture.commit_all("three files");
    let space = fixture.run();
    fixture.write("kept.rs", "after");
    fixture.write("restored.rs", "after");
    fs::remove_file(fixture.root().join("deleted.rs")).expect("removed");
    let first = space.snapshots().take(None).expect("a snapshot");
    assert_eq!(first.uncommitted.into_keys().collect::<Vec<_>>(), ["deleted.rs", "kept.rs", "restored.rs"]);
    fixture.write("kept.rs", "after that");
    fixture.write("restored.rs", "before");
    fixture.write("deleted.rs", "before");
    let second = space.snapshots().take(Some(&first.tree)).expect("a snapshot");
    assert_eq!(second.changed, paths(&["deleted.rs", "kept.rs", "restored.rs"]));
    assert_eq!(second.uncommitted.into_keys().collect::<Vec<_>>(), ["kept.rs"]);
    // An author that stages a change and takes it back on disk alone.
    fixture.write("restored.rs", "after");
    fixture.git(&["add", "restored.rs"]);
    fixture.write("restored.rs", "before");
    let third = space.snapshots().take(None).expect("a snapshot");
    assert_eq!(third.uncommitted.into_keys().collect::<Vec<_>>(), ["kept.rs"]);
}

#[test]
fn snapshot_excludes_uncommitted_cache_files() {
    let fixture = Fixture::new();
    fixture.write("old/__pycache__/a.pyc", "committed");
    fixture.commit_all("a cache that somebody committed");
    let space = fixture.run();
    let first = space.snapshots().take(None).expect("a snapshot");
    fixture.write("src/__pycache__/a.cpython-312.pyc", "untracked");
    fixture.write(".pytest_cache/README.md", "untracked");
    assert_eq!(changed(&space, &first), paths(&[]));
    let survey = space.workspace().read_state().expect("a survey");
    assert_eq!((survey.untracked, survey.changed), (vec![], vec![]));
    // An author that stages everything, before the first look of another process.
    fixture.write("src/new.rs", "new");
    fixture.git(&["add", "--all"]);
    let staged = space.snapshots().take(None).expect("a snapshot");
    assert_eq!(
        space.workspace().changes().paths_between(&first.tree, &staged.tree).expect("an answer"),
        paths(&["src/new.rs"])
    );
    assert_eq!(staged.uncommitted.into_keys().collect::<Vec<_>>(), ["src/new.rs"]);
    assert_eq!(changed(&space, &first), paths(&["src/new.rs"]));
    let kept = space.snapshots().take(None).expect("a snapshot");
    assert_eq!(changed(&space, &kept), paths(&[]));
    // What somebody committed belongs to the project.
    fixture.write("old/__pycache__/a.pyc", "changed");
    assert_eq!(changed(&space, &kept), paths(&["old/__pycache__/a.pyc"]));
    // What looks like one is none.
    fixture.write("src/pytest_cache.rs", "code");
    fixture.write("docs/.coveragerc", "settings");
    assert_eq!(changed(&space, &kept).len(), 3);
}

#[test]
fn deliverables_are_in_the_snapshot_even_if_ignored() {
    let fixture = Fixture::new();
    let space = fixture.run();
    let first = space.snapshots().take(None).expect("a snapshot");
    let plan = ".ai-workflow/issue-7/00_planning/output/planning.md";
    let local = ".ai-workflow/issue-7/00_planning/execute/round-1/attempt-1/prompt.md";
    for path in
        [plan, local, ".ai-workflow/issue-7/00_planning/output/.env", ".ai-workflow/issue-8/x/output/x.md"]
    {
        fixture.write(path, "text");
    }
    for lines in [".*\n", "*.md\n*.env\n", "output\nexecute\n", ".ai-workflow/issue-*\n"] {
        fixture.write(".git/info/exclude", lines);
        let seen = space.snapshots().take(Some(&first.tree)).expect("a snapshot");
        assert_eq!(seen.changed, paths(&[plan]), "{lines}");
        let again = space.snapshots().take(Some(&seen.tree)).expect("a snapshot");
        assert_eq!((&again.tree, again.changed.len()), (&seen.tree, 0), "{lines}");
        fixture.write(plan, "changed by a reviewer");
        assert_eq!(space.snapshots().restore(&seen.tree).expect("undone"), paths(&[plan]), "{lines}");
        assert_eq!(fixture.read(plan), "text");
    }
}

#[test]
fn snapshot_takes_one_git_process_if_unchanged_and_three_if_changed() {
    let fixture = Fixture::new();
    let space = fixture.run();
    let (count, first) = calls(&space, || space.snapshots().take(None).expect("a snapshot"));
    assert_eq!(count, 1);
    let (count, same) = calls(&space, || space.snapshots().take(Some(&first.tree)).expect("a snapshot"));
    assert_eq!((count, &same.tree), (1, &first.tree));
    fixture.write("src/lib.rs", "two\n");
    let (count, second) = calls(&space, || space.snapshots().take(Some(&first.tree)).expect("a snapshot"));
    assert_eq!((count, second.changed), (3, paths(&["src/lib.rs"])));
    let (count, _) = calls(&space, || space.snapshots().take(Some(&second.tree)).expect("a snapshot"));
    assert_eq!(count, 1);
}

#[test]
fn same_length_change_within_one_second_is_detected() {
    let fixture = Fixture::new();
    let space = fixture.run();
    let mut last = space.snapshots().take(None).expect("a snapshot");
    for text in ["aaa\n", "bbb\n", "ccc\n", "ddd\n"] {
        fixture.write("src/lib.rs", text);
        let next = space.snapshots().take(Some(&last.tree)).expect("a snapshot");
        assert_eq!(next.changed, paths(&["src/lib.rs"]), "{text}");
        last = next;
    }
}

#[test]
fn lost_snapshot_index_is_rebuilt_from_its_tree() {
    let fixture = Fixture::new();
    let space = fixture.run();
    fixture.write("stray.txt", "untracked");
    let first = space.snapshots().take(None).expect("a snapshot");
    fs::remove_dir_all(space.state_dir()).expect("removed");
    let again = space.snapshots().take(Some(&first.tree)).expect("a snapshot");
    assert_eq!((again.tree, again.changed), (first.tree.clone(), paths(&[])));
    fs::remove_dir_all(space.state_dir()).expect("removed");
    fs::remove_file(fixture.root().join(".git/index")).expect("removed");
    assert_eq!(space.snapshots().take(None).expect("a snapshot").tree, first.tree);
}

#[test]
fn only_the_newest_snapshot_indexes_are_kept() {
    let fixture = Fixture::new();
    let space = fixture.run();
    let mut tree = space.snapshots().take(None).expect("a snapshot").tree;
    for number in 0..10 {
        fixture.write("src/lib.rs", &number.to_string());
        tree = space.snapshots().take(Some(&tree)).expect("a snapshot").tree;
    }
    let kept = fs::read_dir(space.state_dir().join("snapshots")).expect("it is there").count();
    assert_eq!(kept, 6);
    assert_eq!(space.snapshots().take(Some(&tree)).expect("a snapshot").changed, paths(&[]));
}

const ODD_NAMES: [&str; 9] =
    ["a b", "quo\"te", "apo'strophe", "line\nbreak", "-dash", "日本語.md", ":(top)x", "st*r", "back\\slash"];

#[test]
fn unusual_file_names_survive_snapshot_commit_and_restore() {
    let fixture = Fixture::new();
    let space = fixture.run();
    let before = space.snapshots().take(None).expect("a snapshot");
    for name in ODD_NAMES {
        fixture.write(name, "odd");
    }
    fixture.write("star", "not meant by st*r");
    let after = space.snapshots().take(Some(&before.tree)).expect("a snapshot");
    let mut expected = paths(&ODD_NAMES);
    expected.sort();
    let named: Vec<String> = after.changed.iter().filter(|path| *path != "star").cloned().collect();
    assert_eq!(named, expected);
    let commit = space.commit(&named, &message(), &after, &fixture.tip()).expect("committed");
    assert_eq!(fixture.changes_of(commit.as_str()).len(), ODD_NAMES.len());
    for name in ODD_NAMES {
        fixture.remove(name);
    }
    assert_eq!(space.snapshots().restore(&after.tree).expect("restored"), expected);
    assert!(ODD_NAMES.iter().all(|name| fixture.read(name) == "odd"));
}

#[test]
fn pipes_in_the_places_of_files_that_git_reads_are_removed() {
    let fixture = Fixture::new();
    let space = fixture.run();
    let before = space.snapshots().take(None).expect("a snapshot");
    let pipes =
        ["src/.gitignore", "src/.gitattributes", ".ai-workflow/issue-7/04_implementation/output/x.md"];
    let others = ["src/control"];
    for path in pipes.iter().chain(&others) {
        let path = fixture.root().join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        assert!(Command::new("mkfifo").arg(&path).status().expect("mkfifo is there").success());
    }
    let after = space.snapshots().take(Some(&before.tree)).expect("a snapshot");
    assert_eq!(after.tree, before.tree);
    assert!(others.iter().all(|path| fixture.exists(path)), "a pipe of a program is nobody's fault");
    assert!(pipes.iter().all(|path| !fixture.exists(path)));
}

#[cfg(target_os = "linux")]
#[test]
fn special_files_nested_repositories_and_unreadable_names_are_left_out() {
    use std::os::unix::ffi::OsStrExt;
    let fixture = Fixture::new();
    let space = fixture.run();
    let before = space.snapshots().take(None).expect("a snapshot");
    fs::write(fixture.root().join(std::ffi::OsStr::from_bytes(b"bad\xffname")), "x").expect("written");
    fixture.git(&["init", "--quiet", "nested"]);
    fixture.write("nested/file", "inside");
    fixture.remove("README.md");
    let pipe = fixture.root().join("README.md");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo is there").success());
    let after = space.snapshots().take(Some(&before.tree)).expect("a snapshot");
    assert_eq!((&after.tree, after.changed), (&before.tree, paths(&[])));
    let mut left_out = after.left_out;
    left_out.sort();
    assert_eq!(left_out, ["README.md", "bad\\xffname", "nested/"]);
}

#[test]
fn file_ignored_later_leaves_the_snapshot_tree() {
    let fixture = Fixture::new();
    let space = fixture.run();
    let before = space.snapshots().take(None).expect("a snapshot");
    fixture.write("out.log", "output");
    let middle = space.snapshots().take(Some(&before.tree)).expect("a snapshot");
    assert_eq!(middle.changed, paths(&["out.log"]));
    fixture.write(".gitignore", "/target/\n*.log\nsrc/\n");
    let after = space.snapshots().take(Some(&middle.tree)).expect("a snapshot");
    assert_eq!(after.changed, paths(&[".gitignore", "out.log"]));
    let between = space.workspace().changes().paths_between(&before.tree, &after.tree).expect("an answer");
    assert_eq!(between, paths(&[".gitignore"]), "src/lib.rs is ignored now, but tracked");
    let named = paths(&[".gitignore", "out.log"]);
    let commit = space.commit(&named, &message(), &after, &fixture.tip()).expect("committed");
    assert_eq!(fixture.changes_of(commit.as_str()), ["M .gitignore"]);
}

#[cfg(unix)]
#[test]
fn files_replaced_by_an_ignored_symlink_count_as_deleted() {
    let fixture = Fixture::new();
    let space = fixture.run();
    let before = space.snapshots().take(None).expect("a snapshot");
    let elsewhere = fixture.dir.path().join("elsewhere");
    fs::create_dir(&elsewhere).expect("made");
    fs::write(elsewhere.join("lib.rs"), "secret").expect("written");
    fs::remove_dir_all(fixture.root().join("src")).expect("removed");
    std::os::unix::fs::symlink(&elsewhere, fixture.root().join("src")).expect("linked");
    fixture.write(".git/info/exclude", "src\n");
    let after = space.snapshots().take(Some(&before.tree)).expect("a snapshot");
    assert_eq!(after.changed, paths(&["src/lib.rs"]));
    assert_eq!(
        space.workspace().changes().paths_between(&before.tree, &after.tree).expect("an answer"),
        after.changed
    );
    assert_eq!(changed(&space, &after), paths(&[]));
}

#[test]
fn restore_undoes_the_reviewers_changes_and_nothing_else() {
    let fixture = Fixture::new();
    let space = fixture.run();
    fixture.write("author.rs", "by the author");
    fixture.write(".ai-workflow/issue-7/events.jsonl", "{}\n");
    let agreed = space.snapshots().take(None).expect("a snapshot");
    fixture.write("target/x", "ignored");
    fixture.write(".ai-workflow/issue-7/events.jsonl", "{}\n{}\n");
    fixture.write("author.rs", "by the reviewer");
    fixture.write("deep/er/new.rs", "by the reviewer");
    fixture.remove("README.md");
    let (count, undone) = calls(&space, || space.snapshots().restore(&agreed.tree).expect("restored"));
    assert_eq!((count, undone), (2, paths(&["README.md", "author.rs", "deep/er/new.rs"])));
    assert_eq!(
        (fixture.read("author.rs"), fixture.read("README.md")),
        ("by the author".into(), "read me\n".into())
    );
    assert!(!fixture.exists("deep"));
    assert_eq!(fixture.read(".ai-workflow/issue-7/events.jsonl"), "{}\n{}\n");
    assert!(fixture.exists("target/x"));
    assert_eq!(changed(&space, &agreed), paths(&[]));
    let (count, undone) = calls(&space, || space.snapshots().restore(&agreed.tree).expect("restored"));
    assert_eq!((count, undone), (1, paths(&[])));
}

#[cfg(unix)]
#[test]
fn folder_replaced_by_a_symlink_is_restored_without_touching_its_target() {
    let fixture = Fixture::new();
    let space = fixture.run();
    let agreed = space.snapshots().take(None).expect("a snapshot");
    let elsewhere = fixture.dir.path().join("elsewhere");
    fs::create_dir(&elsewhere).expect("made");
    fs::write(elsewhere.join("lib.rs"), "not ours").expect("written");
    fs::remove_dir_all(fixture.root().join("src")).expect("removed");
    std::os::unix::fs::symlink(&elsewhere, fixture.root().join("src")).expect("linked");
    assert_eq!(space.snapshots().restore(&agreed.tree).expect("restored"), paths(&["src", "src/lib.rs"]));
    assert_eq!(fixture.read("src/lib.rs"), "one\n");
    assert_eq!(fs::read_to_string(elsewhere.join("lib.rs")).expect("it is there"), "not ours");
}

#[test]
fn diff_text_is_truncated_at_a_limit() {
    let fixture = Fixture::new();
    let space = fixture.run();
    let before = space.snapshots().take(None).expect("a snapshot");
    fixture.write("src/lib.rs", "two\n");
    fixture.write("new 日本.rs", "new\n");
    let after = space.snapshots().take(Some(&before.tree)).expect("a snapshot");
    let whole = space.diff(&before.tree, &after.tree, 10_000).expect("a diff");
    assert!(
        whole.text.contains("-one\n+two\n") && whole.text.contains("+++ b/new 日本.rs"),
        "{}",
        whole.text
    );
    assert_eq!(space.diff(fixture.tip(), &after.tree, 10_000).expect("a diff"), whole);
    let cut = space.diff(&before.tree, &after.tree, 60).expect("a diff");
    assert!(cut.truncated && whole.text.starts_with(&cut.text) && cut.text.ends_with('\n'), "{}", cut.text);
    assert!(matches!(space.diff("--output=x", &after.tree, 60), Err(Error::BadObjectId { .. })));
}

#[test]
fn diff_excludes_engine_files() {
    let fixture = Fixture::new();
    let space = fixture.run();
    let before = space.snapshots().take(None).expect("a snapshot");
    for own in [
        "issue-7/events.jsonl",
        "issue-7/own_phase/output/document-review-1.md",
        "local/issues/7.md",
        "tmp/x",
    ] {
        fixture.write(&format!(".ai-workflow/{own}"), "the engine's own\n");
    }
    let delivered = ".ai-workflow/issue-7/00_planning/output/planning.md";
    fixture.write(delivered, "plan\n");
    fixture.write("src/lib.rs", "two\n");
    fixture.commit_all("everything");
    let after = space.snapshots().take(Some(&before.tree)).expect("a snapshot");
    assert!(!fixture.git(&["diff", "--name-only", "HEAD", after.tree.as_str()]).is_empty());
    assert_eq!(space.diff(fixture.tip(), &after.tree, 10_000).expect("a diff").text, "");
    let shown = space.diff(&before.tree, &after.tree, 10_000).expect("a diff").text;
    let named: Vec<&str> = shown.lines().filter_map(|line| line.strip_prefix("+++ b/")).collect();
    assert_eq!(named, [delivered, "src/lib.rs"]);
}

#[test]
fn first_snapshot_takes_more_git_processes_only_if_files_differ_from_the_commit() {
    type Spoil = fn(&Fixture);
    let cases: [(Spoil, usize); 6] = [
        (|_| {}, 1),
        (|fixture| fixture.write(".ai-workflow/issue-7/events.jsonl", "{}\n"), 1),
        (|fixture| fixture.write("more.rs", "untracked\n"), 3),
        (|fixture| fixture.write("src/lib.rs", "changed\n"), 3),
        (stage_a_change, 2),
        (commit_behind_our_back, 2),
    ];
    for (number, (spoil, expected)) in cases.into_iter().enumerate() {
        let fixture = Fixture::new();
        let space = fixture.run();
        spoil(&fixture);
        let (count, seen) = calls(&space, || space.snapshots().take(None).expect("a snapshot"));
        assert_eq!(count, expected, "case {number}");
        for name in ["src/lib.rs", "more.rs"].into_iter().filter(|name| fixture.exists(name)) {
            let held = fixture.git(&["cat-file", "blob", &format!("{}:{name}", seen.tree)]);
            assert_eq!(held, fixture.read(name).trim(), "{name} in case {number}");
        }
        let (count, same) = calls(&space, || space.snapshots().take(Some(&seen.tree)).expect("a snapshot"));
        assert_eq!((count, same.changed), (1, paths(&[])), "case {number}");
    }
}

fn stage_a_change(fixture: &Fixture) {
    fixture.write("src/lib.rs", "staged\n");
    fixture.git(&["add", "src/lib.rs"]);
}

fn commit_behind_our_back(fixture: &Fixture) {
    fixture.write("more.rs", "committed\n");
    fixture.commit_all("behind our back");
}

#[test]
fn kept_trees_survive_git_gc_and_releasing_none_takes_no_git_process() {
    let fixture = Fixture::new();
    let space = fixture.run();
    fixture.write("one.txt", "one\n");
    let one = space.snapshots().take(None).expect("seen").tree;
    fixture.write("one.txt", "two\n");
    let two = space.snapshots().take(Some(&one)).expect("seen").tree;
    space.work().keep_trees(&[two.clone(), one.clone()]).expect("kept");
    fixture.git(&["gc", "--quiet", "--prune=now"]);
    assert!(
        space.workspace().has_tree(&one).expect("asked") && space.workspace().has_tree(&two).expect("asked")
    );
    space.work().keep_trees(std::slice::from_ref(&two)).expect("kept");
    fixture.git(&["gc", "--quiet", "--prune=now"]);
    assert!(
        !space.workspace().has_tree(&one).expect("asked") && space.workspace().has_tree(&two).expect("asked")
    );
    space.work().keep_trees(&[two.clone(), one.clone()]).expect("what is gone is passed over");
    space.work().release_trees().expect("given up");
    let (processes, ()) = calls(&space, || space.work().release_trees().expect("nothing to give up"));
    assert_eq!(processes, 0);
    fixture.git(&["gc", "--quiet", "--prune=now"]);
    assert!(!space.workspace().has_tree(&two).expect("asked"));
    assert!(
        !space.snapshots().write_tree_if_unchanged(&one).expect("looked")
            && space.snapshots().write_tree_if_unchanged(&two).expect("looked")
    );
    assert!(space.workspace().has_tree(&two).expect("asked"));
}
