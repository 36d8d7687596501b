//! Opening a worktree and looking around in it: what is refused, and with which words.

use super::*;

#[test]
fn workspace_is_found_from_a_subfolder_with_one_git_process() {
    let fixture = Fixture::new();
    let workspace =
        Workspace::open_with(&fixture.root().join("src"), fixture.program()).expect("a repository");
    assert_eq!(workspace.calls(), 1);
    assert_eq!(workspace.root(), fixture.root());
    assert_eq!(workspace.common(), fixture.root().join(".git"));
    assert_eq!(workspace.prefix(), "src");
    assert_eq!(fixture.workspace().prefix(), "");
    assert_eq!(*workspace.opened_at(), fixture.tip());
    assert!(!workspace.is_shallow() && !workspace.is_linked());
}

#[test]
fn unusable_workspaces_are_refused_with_a_hint() {
    let fixture = Fixture::empty();
    let refused = |dir: &Path, git: Git| {
        let error = Workspace::open_with(dir, git).expect_err("it cannot be opened");
        assert!(error.hint().is_some(), "{error}");
        error
    };
    assert!(matches!(refused(&fixture.home(), fixture.program()), Error::NotARepository { .. }));
    assert!(matches!(refused(&fixture.root(), fixture.program()), Error::NoCommits { .. }));
    fixture.git(&["init", "--quiet", "--bare", "../bare"]);
    assert!(matches!(refused(&fixture.dir.path().join("bare"), fixture.program()), Error::Bare { .. }));
    let missing = fixture.program().program("no-such-git");
    assert!(matches!(refused(&fixture.root(), missing), Error::NoGit { .. }));
    let error =
        Workspace::open_with(&fixture.root().join("nowhere"), fixture.program()).expect_err("no folder");
    insta::assert_snapshot!(error.to_string().rsplit('/').next().unwrap_or_default(), @"nowhere: No such file or directory (os error 2)");
}

#[cfg(unix)]
#[test]
fn outdated_git_version_is_reported() {
    let fixture = Fixture::new();
    let script = fixture.home().join("old-git");
    fs::write(&script, "#!/bin/sh\necho --path-format=absolute\necho false\n").expect("written");
    make_executable(&script);
    let error =
        Workspace::open_with(&fixture.root(), fixture.program().program(&script)).expect_err("too old");
    assert!(matches!(error, Error::TooOld), "{error}");
}

#[test]
fn shallow_clone_works_and_is_detected() {
    let fixture = Fixture::new();
    fixture.write("README.md", "two\n");
    fixture.commit_all("second");
    let address = format!("file://{}", fixture.root().display());
    fixture.git(&["clone", "--quiet", "--depth=1", &address, "../shallow"]);
    let shallow = fixture.dir.path().join("shallow");
    let workspace = Workspace::open_with(&shallow, fixture.program()).expect("a repository");
    assert!(workspace.is_shallow());
    let space = workspace.for_issue(IssueNumber::try_from(7).expect("a number"));
    assert_eq!(space.snapshots().take(None).expect("a snapshot").changed, paths(&[]));
}

#[test]
fn missing_git_identity_is_refused_with_a_helpful_command() {
    let fixture = Fixture::new();
    let workspace = fixture.workspace();
    assert!(workspace.history().check_identity().is_ok());
    fs::write(fixture.home().join(".gitconfig"), "[user]\n\tuseConfigOnly = true\n").expect("written");
    let error = workspace.history().check_identity().expect_err("nobody is known");
    assert!(error.to_string().starts_with("git does not know who commits: "), "{error}");
    insta::assert_snapshot!(error.hint().unwrap_or_default(), @"tell git who you are: `git config user.name NAME` and `git config user.email ADDRESS`");
}

#[test]
fn survey_lists_changed_untracked_and_unfinished_state_with_one_git_process() {
    let fixture = Fixture::new();
    fixture.write(".ai-workflow/config.toml", "");
    fixture.write("target/debug/x", "ignored");
    fixture.write("my notes.txt", "stray");
    fixture.write("README.md", "changed");
    fixture.write("staged.rs", "staged");
    fixture.git(&["add", "staged.rs"]);
    fixture.git(&["init", "--quiet", "nested"]);
    fs::write(fixture.root().join(".git/MERGE_HEAD"), "").expect("written");
    let space = fixture.space();
    let (count, survey) = calls(&space, || space.workspace().read_state().expect("a survey"));
    assert_eq!(count, 1);
    assert!(!survey.is_clean());
    let expected = WorktreeState {
        unmerged: vec![],
        head: Head { commit: fixture.tip(), branch: Some("main".into()) },
        changed: paths(&["README.md", "staged.rs"]),
        untracked: paths(&["my notes.txt"]),
        nested_repositories: paths(&["nested/"]),
        moved_submodules: paths(&[]),
        has_submodules: false,
        in_progress: Some("merge"),
        unreadable: paths(&[]),
    };
    assert_eq!(survey, expected);
}

#[test]
fn submodules_are_detected_and_their_content_is_ignored() {
    let fixture = Fixture::new();
    let other = Fixture::new();
    let address = other.root().display().to_string();
    fixture.git(&["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", &address, "sub"]);
    fixture.commit_all("with a submodule");
    let space = fixture.run();
    let before = space.snapshots().take(None).expect("a snapshot");
    fixture.git_in(&fixture.root().join("sub"), &["commit", "--quiet", "--allow-empty", "--message=moved"]);
    fixture.write("sub/new.txt", "inside");
    let survey = space.workspace().read_state().expect("a survey");
    assert_eq!((survey.moved_submodules, survey.has_submodules), (paths(&["sub"]), true));
    assert_eq!(changed(&space, &before), paths(&[]));
}

#[test]
fn git_failure_is_reported_with_command_and_error_output() {
    let fixture = Fixture::new();
    let unknown = Tree::try_from("0123456789012345678901234567890123456789").expect("an id");
    let error = fixture
        .space()
        .workspace()
        .changes()
        .paths_between(&unknown, &unknown)
        .expect_err("there is no such tree");
    insta::assert_snapshot!(error, @"`git diff-tree -r -z --name-only --no-renames 0123456789012345678901234567890123456789 0123456789012345678901234567890123456789 --` failed (exit 128): fatal: bad object 0123456789012345678901234567890123456789");
}
