//! Bases, branches and linked worktrees.

use super::*;

#[test]
fn known_default_branch_of_origin_is_the_base() {
    let fixture = Fixture::new();
    let workspace = fixture.workspace();
    let head = workspace.read_state().expect("a survey").head;
    let branch =
        |head: &Head| workspace.branches().origin_default(head).expect("an answer").map(|base| base.branch);
    assert_eq!(branch(&head), None);
    fixture.git(&["update-ref", "refs/remotes/origin/trunk", "HEAD"]);
    fixture.git(&["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/trunk"]);
    assert_eq!(branch(&head).as_deref(), Some("trunk"));
    let detached = Head { branch: None, ..head.clone() };
    assert_eq!(branch(&detached).as_deref(), Some("trunk"));
}

#[cfg(unix)]
#[test]
fn remote_default_branch_query_has_a_timeout() {
    let fixture = Fixture::new();
    let remote = fixture.dir.path().join("remote");
    fixture.git(&["init", "--quiet", "--bare", "--initial-branch=trunk", &remote.display().to_string()]);
    fixture.git(&["remote", "add", "origin", &remote.display().to_string()]);
    fixture.git(&["push", "--quiet", "origin", "main:trunk"]);
    let asked = |git: Git| {
        Workspace::open_with(&fixture.root(), git)
            .expect("a repository")
            .remote("origin", None)
            .default_branch()
    };
    assert_eq!(asked(fixture.program()).expect("an answer").as_deref(), Some("trunk"));
    let script = fixture.home().join("slow-git");
    let text = "#!/bin/sh\ncase \"$*\" in *ls-remote*) sleep 60 ;; esac\nexec git \"$@\"\n";
    fs::write(&script, text).expect("written");
    make_executable(&script);
    let slow = fixture.program().program(&script).timeout(Duration::from_secs(2));
    assert!(matches!(asked(slow), Err(Error::TooSlow { .. })));
    fs::remove_dir_all(&remote).expect("removed");
    assert!(asked(fixture.program()).is_err(), "there is no such remote any more");
}

#[test]
fn base_lookup_on_the_default_branch_takes_one_git_process() {
    let fixture = Fixture::new();
    fixture.git(&["update-ref", "refs/remotes/origin/main", "HEAD"]);
    fixture.git(&["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main"]);
    let space = fixture.space();
    let head = space.workspace().read_state().expect("a survey").head;
    let base =
        || space.workspace().branches().origin_default(&head).expect("an answer").expect("a base").branch;
    assert_eq!(calls(&space, base), (1, "main".to_owned()));
}

#[test]
fn missing_branch_needs_no_git_process_and_packed_branch_is_found() {
    let fixture = Fixture::new();
    let space = fixture.space();
    let found =
        |name: &str| calls(&space, || space.workspace().branches().find(name).expect("an answer").is_some());
    assert_eq!(found("one"), (0, false));
    fixture.git(&["branch", "one"]);
    assert_eq!(found("one"), (1, true));
    fixture.git(&["pack-refs", "--all"]);
    assert!(!fixture.exists(".git/refs/heads/one"));
    assert_eq!((found("one"), found("on")), ((1, true), (0, false)));
    fs::create_dir(fixture.root().join(".git/reftable")).expect("made");
    assert_eq!(found("two"), (1, false), "git is asked where it may keep references elsewhere");
}

#[test]
fn base_that_differs_on_origin_is_reported() {
    let fixture = Fixture::new();
    let first = fixture.tip();
    fixture.git(&["commit", "--quiet", "--allow-empty", "--message=second"]);
    let second = fixture.tip();
    fixture.git(&["update-ref", "refs/remotes/origin/main", second.as_str()]);
    let workspace = fixture.workspace();
    assert_eq!(workspace.branches().base("main").expect("a base").on_origin, None);
    fixture.git(&["reset", "--quiet", "--hard", first.as_str()]);
    let base = workspace.branches().base("main").expect("a base");
    assert_eq!((base.commit, base.on_origin), (first, Some(second)));
}

#[test]
fn invalid_base_names_are_never_passed_to_git() {
    let fixture = Fixture::new();
    let space = fixture.space();
    for bad in ["--upload-pack=x", "a..b", "$(x)", "refs/heads/../x", "@{-1}", "x.lock"] {
        let (count, result) = calls(&space, || space.workspace().branches().base(bad));
        assert!(matches!(result, Err(Error::BadBranchName { .. })), "{bad}");
        assert_eq!(count, 0, "{bad}");
    }
    let error = space.workspace().branches().base("nowhere").expect_err("no such branch");
    assert_eq!(error.to_string(), "there is no branch `nowhere`, neither here nor on origin");
}

#[test]
fn repository_name_comes_from_origin_or_the_folder() {
    let fixture = Fixture::new();
    let workspace = fixture.workspace();
    assert_eq!(workspace.origin().address().expect("an answer"), None);
    assert_eq!(workspace.origin().repository_name().expect("a name"), "my 'répo'");
    fixture.git(&["remote", "add", "origin", "https://user:secret@github.com/o/n.git"]);
    let workspace = fixture.workspace();
    assert_eq!(
        workspace.origin().address().expect("an answer").as_deref(),
        Some("https://github.com/o/n.git")
    );
    assert_eq!(workspace.origin().repository_name().expect("a name"), "o/n");
}

#[test]
fn foreign_run_branch_is_distinguished_from_our_own() {
    let fixture = Fixture::new();
    let space = fixture.space();
    let base = fixture.tip();
    let origin = || space.run_branch().state(&base).expect("an answer");
    assert_eq!(origin(), RunBranchState::Missing);
    fixture.git(&["branch", &space.branch()]);
    assert!(matches!(origin(), RunBranchState::AtBase(branch) if branch.tip == base));
    space.workspace().branches().switch(&space.branch()).expect("it is there");
    fixture.git(&["commit", "--quiet", "--allow-empty", "--message=foreign"]);
    assert!(matches!(origin(), RunBranchState::Foreign(branch) if branch.worktree == Some(fixture.root())));
    fixture.write(".ai-workflow/issue-7/events.jsonl", "{}\n");
    fixture.commit_all("our log");
    assert!(matches!(origin(), RunBranchState::Ours(_)));
}

#[test]
fn starting_or_leaving_a_branch_reports_every_refusal() {
    let fixture = Fixture::new();
    let space = fixture.run();
    let workspace = space.workspace();
    let base = workspace.opened_at();
    assert!(matches!(workspace.branches().start(&space.branch(), base), Err(Error::BranchExists { .. })));
    assert!(matches!(workspace.branches().delete(&space.branch()), Err(Error::BranchInUse { .. })));
    fixture.write("README.md", "committed on the branch");
    fixture.commit_all("on the branch");
    fixture.write("README.md", "not committed");
    let error = workspace.branches().switch("main").expect_err("a change would be lost");
    assert_eq!(error.to_string(), "going to `main` would overwrite README.md");
    fixture.git(&["checkout", "--quiet", "--", "README.md"]);
    workspace.branches().switch("main").expect("nothing is in the way");
    workspace.branches().delete(&space.branch()).expect("it is not in use");
    assert!(matches!(workspace.branches().switch(&space.branch()), Err(Error::NoSuchBranch { .. })));
    assert_eq!(workspace.branches().find(&space.branch()).expect("an answer"), None);
}

#[test]
fn run_can_use_a_linked_worktree() {
    let fixture = Fixture::new();
    let space = fixture.space();
    let place = fixture.dir.path().canonicalize().expect("it exists").join("linked");
    let base = space.workspace().opened_at().clone();
    let linked = space.workspace().add_linked_worktree(&place, &space.branch(), Some(&base)).expect("made");
    assert_eq!((linked.root(), linked.common()), (place.as_path(), fixture.root().join(".git").as_path()));
    assert!(linked.is_linked());
    let found = space.workspace().branches().find(&space.branch()).expect("an answer").expect("it is there");
    assert_eq!(found.worktree, Some(place.clone()));
    assert!(matches!(space.workspace().branches().switch(&space.branch()), Err(Error::BranchInUse { .. })));

    let inside = linked.for_issue(IssueNumber::try_from(7).expect("a number"));
    let before = inside.snapshots().take(None).expect("a snapshot");
    fs::write(place.join("new.rs"), "new").expect("written");
    let after = inside.snapshots().take(Some(&before.tree)).expect("a snapshot");
    let commit = inside.commit(&after.changed, &message(), &after, &base).expect("committed");
    assert_eq!(fixture.changes_of(commit.as_str()), ["A new.rs"]);
    assert_eq!(fixture.git_in(&place, &["status", "--porcelain"]), "");
    assert!(!fixture.exists("new.rs"));

    space.workspace().remove_linked_worktree(&place).expect("removed");
    assert!(!place.exists());
    let again = space.workspace().add_linked_worktree(&place, &space.branch(), None).expect("made again");
    assert_eq!(*again.opened_at(), commit);
}

#[test]
fn file_content_is_read_from_a_commit() {
    let fixture = Fixture::new();
    let workspace = fixture.workspace();
    let commit = workspace.opened_at();
    fixture.write("README.md", "changed");
    assert_eq!(workspace.read_file(commit, "README.md").expect("an answer"), Some(b"read me\n".to_vec()));
    assert_eq!(workspace.read_file(commit, "no such file").expect("an answer"), None);
    assert!(matches!(workspace.read_file(commit, "src"), Err(Error::Unexpected { .. })));
    assert!(matches!(workspace.read_file(commit, "a\nb"), Err(Error::BadPath { .. })));
}

#[test]
fn changes_are_compared_with_the_merge_base_of_a_named_branch() {
    let fixture = Fixture::new();
    let commit = |message: &str| fixture.git(&["commit", "--quiet", "--allow-empty", "--message", message]);
    let began = fixture.tip();
    commit("later");
    fixture.git(&["switch", "--quiet", "--detach", "HEAD~1"]);
    commit("mine");
    let workspace = fixture.workspace();
    let base = |name: &str| workspace.branches().diff_base(Some(name), None).expect("a base").commit;
    assert_eq!((base("main"), base("HEAD~1")), (began.clone(), began), "what main got since does not count");
    let other = fixture.git(&["commit-tree", "-m", "other", "HEAD^{tree}"]);
    assert_eq!(base(&other).as_str(), other, "nothing is in common");
}
