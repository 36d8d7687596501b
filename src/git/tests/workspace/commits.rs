//! The one commit of a passed phase.

use super::*;

#[test]
fn phase_commit_takes_six_git_processes() {
    let fixture = Fixture::new();
    let space = fixture.run();
    let mut tip = fixture.tip();
    let mut tree = space.snapshots().take(None).expect("a snapshot").tree;
    let mut counts = Vec::new();
    for phase in ["00_planning", "01_requirements"] {
        fixture.write(".ai-workflow/issue-7/events.jsonl", phase);
        fixture.write(&format!(".ai-workflow/issue-7/{phase}/output/out.md"), phase);
        let (count, commit) = calls(&space, || {
            let worked = space.snapshots().take(Some(&tree)).expect("a snapshot");
            let judged = space.snapshots().take(Some(&worked.tree)).expect("a snapshot");
            assert_eq!(worked.tree, judged.tree);
            let mut named = worked.changed;
            named.extend(judged.uncommitted.keys().filter(|path| git::is_engines_own(path)).cloned());
            tree = judged.tree.clone();
            space.commit(&named, &message(), &judged, &tip).expect("committed")
        });
        assert_eq!(fixture.changes_of(commit.as_str()).len(), 2, "the deliverable and the log");
        assert_eq!(fixture.git(&["status", "--porcelain"]), "");
        tip = commit;
        counts.push(count);
    }
    assert_eq!(counts, [6, 6]);
    assert_eq!(fixture.git(&["log", "-1", "--format=%B"]).trim(), message().as_str().trim());
}

#[test]
fn earlier_untracked_files_and_files_staged_by_the_agent_are_not_committed() {
    let fixture = Fixture::new();
    fixture.write("stray.txt", "there before the run");
    let space = fixture.run();
    let before = space.snapshots().take(None).expect("a snapshot");
    fixture.write("staged.rs", "staged by the agent");
    fixture.git(&["add", "staged.rs", "stray.txt"]);
    fixture.write("src/lib.rs", "two\n");
    let after = space.snapshots().take(Some(&before.tree)).expect("a snapshot");
    assert_eq!(after.changed, paths(&["src/lib.rs", "staged.rs"]));
    let judged = space.snapshots().take(Some(&after.tree)).expect("a snapshot");
    let commit =
        space.commit(&paths(&["src/lib.rs"]), &message(), &judged, &fixture.tip()).expect("committed");
    assert_eq!(fixture.changes_of(commit.as_str()), ["M src/lib.rs"]);
    assert_eq!(fixture.git(&["status", "--porcelain"]), "?? staged.rs\n?? stray.txt");
    assert_eq!(fixture.read("stray.txt"), "there before the run");
}

#[test]
fn agent_commit_after_the_last_snapshot_is_folded_in() {
    let fixture = Fixture::new();
    let space = fixture.run();
    let start = fixture.tip();
    let before = space.snapshots().take(None).expect("a snapshot");
    fixture.write("src/lib.rs", "two\n");
    let seen = space.snapshots().take(Some(&before.tree)).expect("a snapshot");
    fixture.write("late.rs", "a background process of the agent's");
    fixture.commit_all("too late");
    let commit = space.commit(&paths(&["src/lib.rs"]), &message(), &seen, &start).expect("committed");
    assert_eq!(fixture.changes_of(commit.as_str()), ["M src/lib.rs"]);
    assert_eq!(fixture.git(&["rev-parse", "HEAD~1"]), start.as_str());
    assert_eq!(fixture.git(&["status", "--porcelain"]), "?? late.rs");
}

#[test]
fn agent_commits_are_folded_into_the_phase_commit() {
    let fixture = Fixture::new();
    fixture.write("stray.txt", "there before the run");
    let space = fixture.run();
    let start = fixture.tip();
    let before = space.snapshots().take(None).expect("a snapshot");
    fixture.write("src/lib.rs", "two\n");
    fixture.write("gone.rs", "made and removed");
    fixture.commit_all("the agent's first, with the stray in it");
    fixture.remove("gone.rs");
    fixture.commit_all("the agent's second");
    fixture.write("new.rs", "not committed by the agent");
    let after = space.snapshots().take(Some(&before.tree)).expect("a snapshot");
    assert_eq!(after.changed, paths(&["new.rs", "src/lib.rs"]));
    let named = paths(&["gone.rs", "new.rs", "src/lib.rs"]);
    let commit = space.commit(&named, &message(), &after, &start).expect("committed");
    assert_eq!(fixture.changes_of(commit.as_str()), ["A new.rs", "M src/lib.rs"]);
    assert_eq!(fixture.git(&["rev-parse", "HEAD~1"]), start.as_str());
    assert_eq!(fixture.git(&["status", "--porcelain"]), "?? stray.txt");
}

#[test]
fn unfinished_merge_of_the_agent_is_aborted_and_a_rebase_refused() {
    let fixture = Fixture::new();
    let space = fixture.run();
    let start = fixture.tip();
    fixture.git(&["switch", "--quiet", "--create", "side"]);
    fixture.write("src/lib.rs", "side\n");
    fixture.commit_all("side");
    fixture.git(&["switch", "--quiet", &space.branch()]);
    let before = space.snapshots().take(None).expect("a snapshot");
    fixture.git(&["merge", "--quiet", "--no-ff", "--no-commit", "side"]);
    let after = space.snapshots().take(Some(&before.tree)).expect("a snapshot");
    let named = after.changed.clone();
    let commit = space.commit(&named, &message(), &after, &start).expect("committed");
    assert_eq!(fixture.git(&["rev-list", "--parents", "-1", "HEAD"]), format!("{commit} {start}"));
    assert_eq!(space.workspace().operation_in_progress(), None);

    fs::create_dir(fixture.root().join(".git/rebase-merge")).expect("made");
    let error = space.commit(&named, &message(), &after, &commit).expect_err("a rebase is in progress");
    assert!(matches!(error, Error::InProgress { what: "rebase", .. }), "{error}");
    assert_eq!(fixture.tip(), commit);
}

#[test]
fn nothing_is_committed_on_another_branch_or_detached_head() {
    let fixture = Fixture::new();
    let space = fixture.run();
    let start = fixture.tip();
    fixture.write("src/lib.rs", "two\n");
    let on_branch = space.snapshots().take(None).expect("a snapshot");
    fixture.git(&["switch", "--quiet", "main"]);
    let on_main = space.snapshots().take(None).expect("a snapshot");
    fixture.git(&["switch", "--quiet", "--detach"]);
    let detached = space.snapshots().take(None).expect("a snapshot");
    fixture.git(&["switch", "--quiet", "main"]);
    for (seen, found) in
        [(on_branch, "`main`"), (on_main, "`main`"), (detached, "no branch (HEAD is detached)")]
    {
        let error = space.commit(&seen.changed, &message(), &seen, &start).expect_err("the wrong branch");
        let expected =
            format!("the worktree is on {found} instead of the run's branch `ai-workflow/issue-7`");
        assert_eq!(error.to_string(), expected);
    }
    assert_eq!(fixture.git(&["rev-parse", "main", &space.branch()]), format!("{start}\n{start}"));
    assert_eq!(fixture.git(&["status", "--porcelain"]), " M src/lib.rs");
}

#[test]
fn renames_deletions_and_vanished_paths_are_committed() {
    let fixture = Fixture::new();
    let space = fixture.run();
    let before = space.snapshots().take(None).expect("a snapshot");
    fixture.write("passing.rs", "made and removed");
    let middle = space.snapshots().take(Some(&before.tree)).expect("a snapshot");
    fixture.remove("passing.rs");
    fs::rename(fixture.root().join("README.md"), fixture.root().join("READ ME.md")).expect("renamed");
    fixture.remove("src/lib.rs");
    fixture.write("src/lib.rs/mod.rs", "a folder where a file was");
    let after = space.snapshots().take(Some(&middle.tree)).expect("a snapshot");
    let mut named = middle.changed;
    named.extend(after.changed);
    named.push("never/there.rs".into());
    let judged = space.snapshots().take(Some(&after.tree)).expect("a snapshot");
    let commit = space.commit(&named, &message(), &judged, &fixture.tip()).expect("committed");
    let expected = ["A READ ME.md", "D README.md", "D src/lib.rs", "A src/lib.rs/mod.rs"];
    assert_eq!(fixture.changes_of(commit.as_str()), expected);
    assert_eq!(fixture.git(&["status", "--porcelain"]), "");
}

#[test]
fn commit_contains_the_reviewed_files_and_no_later_changes() {
    let fixture = Fixture::new();
    let space = fixture.run();
    let before = space.snapshots().take(None).expect("a snapshot");
    fixture.write("src/lib.rs", "judged\n");
    let worked = space.snapshots().take(Some(&before.tree)).expect("a snapshot");
    let judged = space.snapshots().take(Some(&worked.tree)).expect("a snapshot");
    assert!(matches!(judged.uncommitted.get("src/lib.rs"), Some(PathContent::Blob { .. })));
    fixture.write("src/lib.rs", "smuggled\n");
    let commit = space.commit(&worked.changed, &message(), &judged, &fixture.tip()).expect("committed");
    let committed = space.workspace().read_file(&commit, "src/lib.rs").expect("an answer");
    assert_eq!(committed, Some(b"judged\n".to_vec()));
    assert_eq!(fixture.git(&["status", "--porcelain"]), " M src/lib.rs");
}

#[test]
fn commit_right_after_a_change_rereads_the_files() {
    let fixture = Fixture::new();
    let space = fixture.run();
    fixture.write("src/lib.rs", "two\n");
    fixture.write("new.rs", "new\n");
    let worked = space.snapshots().take(None).expect("a snapshot");
    let commit = space.commit(&worked.changed, &message(), &worked, &fixture.tip()).expect("committed");
    assert_eq!(fixture.changes_of(commit.as_str()), ["A new.rs", "M src/lib.rs"]);
}

#[cfg(unix)]
#[test]
fn symlink_that_leaves_the_worktree_is_committed_as_a_symlink() {
    let fixture = Fixture::new();
    let space = fixture.run();
    let before = space.snapshots().take(None).expect("a snapshot");
    let elsewhere = fixture.dir.path().join("elsewhere");
    fs::create_dir(&elsewhere).expect("made");
    fs::write(elsewhere.join("lib.rs"), "secret").expect("written");
    fs::remove_dir_all(fixture.root().join("src")).expect("removed");
    std::os::unix::fs::symlink(&elsewhere, fixture.root().join("src")).expect("linked");
    let worked = space.snapshots().take(Some(&before.tree)).expect("a snapshot");
    assert_eq!(worked.changed, paths(&["src", "src/lib.rs"]));
    let judged = space.snapshots().take(Some(&worked.tree)).expect("a snapshot");
    let commit = space.commit(&worked.changed, &message(), &judged, &fixture.tip()).expect("committed");
    assert_eq!(fixture.changes_of(commit.as_str()), ["A src", "D src/lib.rs"]);
    assert!(fixture.git(&["ls-tree", "HEAD", "src"]).starts_with("120000 blob "));
    let link = space.workspace().read_file(&commit, "src").expect("an answer").expect("it is there");
    assert_eq!(link, elsewhere.to_str().expect("plain").as_bytes());
}

#[test]
fn phase_without_changes_commits_the_log_even_if_ignored() {
    let fixture = Fixture::new();
    let space = fixture.run();
    let log = ".ai-workflow/issue-7/events.jsonl";
    fixture.write(log, "1");
    let seen = space.snapshots().take(None).expect("a snapshot");
    // Written after the snapshot, as the last facts are.
    fixture.write(log, "1\n2");
    fixture.write(".ai-workflow/issue-7/review-result.json", "{}");
    let named =
        paths(&[log, ".ai-workflow/issue-7/review-result.json", ".ai-workflow/issue-7/metadata.json"]);
    let commit = space.commit(&named, &message(), &seen, &fixture.tip()).expect("committed");
    let expected = ["A .ai-workflow/issue-7/events.jsonl", "A .ai-workflow/issue-7/review-result.json"];
    assert_eq!(fixture.changes_of(commit.as_str()), expected);
    assert_eq!(space.workspace().read_file(&commit, log).expect("an answer"), Some(b"1\n2".to_vec()));

    let ignoring = Fixture::new();
    ignoring.write(".git/info/exclude", ".ai-workflow/\n");
    let space = ignoring.run();
    ignoring.write(log, "1");
    let seen = space.snapshots().take(None).expect("a snapshot");
    let commit = space.commit(&named, &message(), &seen, &ignoring.tip()).expect("committed");
    assert_eq!(ignoring.changes_of(commit.as_str()), ["A .ai-workflow/issue-7/events.jsonl"]);
    assert_eq!(ignoring.tip(), commit);
}

#[cfg(unix)]
#[test]
fn git_hooks_are_not_run() {
    let fixture = Fixture::new();
    let space = fixture.run();
    fixture.write(".githooks/pre-commit", "#!/bin/sh\ntouch \"$HOME/ran\"\nexit 1\n");
    fs::create_dir_all(fixture.root().join(".git/hooks")).expect("made");
    for name in ["pre-commit", "commit-msg", "post-commit", "reference-transaction", "post-index-change"] {
        let hook = fixture.root().join(".git/hooks").join(name);
        fs::copy(fixture.root().join(".githooks/pre-commit"), &hook).expect("copied");
        make_executable(&hook);
    }
    make_executable(&fixture.root().join(".githooks/pre-commit"));
    let before = fixture.tip();
    fixture.git(&["config", "core.hooksPath", ".githooks"]);
    let seen = space.snapshots().take(None).expect("a snapshot");
    space.commit(&seen.changed, &message(), &seen, &before).expect("committed in spite of the hooks");
    space.workspace().branches().switch("main").expect("switched");
    assert!(!fixture.home().join("ran").exists());
}

#[test]
fn git_settings_that_start_programs_stop_the_run() {
    let fixture = Fixture::new();
    let space = fixture.run();
    let before = space.snapshots().take(None).expect("a snapshot");
    fixture.git(&["config", "user.name", "Agent"]);
    assert_eq!(changed(&space, &before), paths(&[]), "a name is harmless");
    fixture.git(&["config", "filter.evil.clean", "touch \"$HOME/ran\"; cat"]);
    fixture.write(".gitattributes", "*.rs filter=evil\n");
    fixture.write("src/lib.rs", "two\n");
    let error = space.snapshots().take(Some(&before.tree)).expect_err("a filter was set");
    assert!(matches!(&error, Error::ConfigChanged { path } if path.ends_with(".git/config")), "{error}");
    assert!(error.hint().is_some());
    assert!(!fixture.home().join("ran").exists());
}

#[test]
fn lock_held_by_another_git_is_reported_and_nothing_changes() {
    let fixture = Fixture::new();
    let space = fixture.run();
    fixture.write("src/lib.rs", "two\n");
    let seen = space.snapshots().take(None).expect("a snapshot");
    fixture.write(".git/index.lock", "");
    let before = fixture.tip();
    let error = space.commit(&seen.changed, &message(), &seen, &before).expect_err("it is locked");
    assert!(matches!(&error, Error::Locked { path } if path.ends_with(".git/index.lock")), "{error}");
    assert!(error.hint().is_some());
    assert!(matches!(space.workspace().branches().switch("main"), Err(Error::Locked { .. })));
    assert_eq!(fixture.tip(), before);
}

#[test]
fn a_failed_commit_leaves_no_lock_behind() {
    let fixture = Fixture::new();
    let space = fixture.run();
    fixture.write("src/lib.rs", "two\n");
    let seen = space.snapshots().take(None).expect("a snapshot");
    fs::write(fixture.home().join(".gitconfig"), "[user]\n\tuseConfigOnly = true\n").expect("written");
    let error = space.commit(&seen.changed, &message(), &seen, &fixture.tip()).expect_err("nobody commits");
    assert!(error.to_string().starts_with("`git commit --allow-empty"), "{error}");
    assert!(!fixture.exists(".git/index.lock"));
}

#[test]
fn outdated_index_after_a_crash_is_reset_to_head() {
    let fixture = Fixture::new();
    let space = fixture.run();
    let old = fs::read(fixture.root().join(".git/index")).expect("it is there");
    fixture.write("src/lib.rs", "of another length\n");
    fixture.commit_all("a commit whose process died before it wrote the index");
    fs::write(fixture.root().join(".git/index"), old).expect("written");
    assert_eq!(fixture.git(&["status", "--porcelain"]), "MM src/lib.rs");
    space.workspace().reset_index().expect("refreshed");
    assert_eq!(fixture.git(&["status", "--porcelain"]), "");
}

#[test]
fn unrecorded_commit_is_found_by_its_trailers() {
    let fixture = Fixture::new();
    let space = fixture.space();
    assert_eq!(space.run_branch().find_commit("run", 3).expect("an answer"), None);
    let space = fixture.run();
    let trailers = |seq| Trailers { run: "run".into(), phase: "planning".into(), seq, chain: "ff".into() };
    let mut commits = Vec::new();
    for seq in [3, 9] {
        let seen = space.snapshots().take(None).expect("a snapshot");
        let text =
            Masker::default().mask(&format!("planning: passed\n\nWhat was done.\n\n{}", trailers(seq)));
        commits.push(space.commit(&[], &text, &seen, &fixture.tip()).expect("committed"));
    }
    let found = |run, seq| space.run_branch().find_commit(run, seq).expect("an answer");
    assert_eq!(found("run", 3), Some((commits[0].clone(), trailers(3))));
    assert_eq!(found("run", 9), Some((commits[1].clone(), trailers(9))));
    assert_eq!((found("run", 4), found("other", 3)), (None, None));
}
