//! Pushing, squashing and taking back.

use super::*;

#[test]
fn push_never_overwrites_commits_of_others() {
    let fixture = Fixture::new();
    fixture.git(&["init", "--quiet", "--bare", "../remote"]);
    fixture.git(&["remote", "add", "origin", "../remote"]);
    let space = fixture.run();
    let (branch, workspace) = (space.branch(), space.workspace());
    let first = fixture.tip();
    workspace.remote("origin", None).push(&branch, None).expect("pushed");
    let remote = fixture.dir.path().join("remote");
    assert_eq!(fixture.git_in(&remote, &["rev-parse", &branch]), first.as_str());

    fixture.git(&["commit", "--quiet", "--allow-empty", "--message=second"]);
    let second = fixture.tip();
    workspace.remote("origin", None).push(&branch, None).expect("pushed");
    fixture.git(&["reset", "--quiet", "--hard", first.as_str()]);
    fixture.git(&["commit", "--quiet", "--allow-empty", "--message=another second"]);
    let third = fixture.tip();
    for replaced in [None, Some((&first, &third))] {
        let error = workspace.remote("origin", None).push(&branch, replaced).expect_err("the remote moved");
        assert!(matches!(error, Error::RemoteMoved { .. }), "{error}");
    }
    assert_eq!(fixture.git_in(&remote, &["rev-parse", &branch]), second.as_str());
    for _ in ["put in its place", "found there"] {
        workspace
            .remote("origin", None)
            .push(&branch, Some((&second, &third)))
            .expect("pushed with the lease");
        assert_eq!(fixture.git_in(&remote, &["rev-parse", &branch]), third.as_str());
    }
    assert!(matches!(workspace.remote("nowhere", None).push(&branch, None), Err(Error::PushFailed { .. })));
    assert!(matches!(
        workspace.remote("--exec=x", None).push(&branch, None),
        Err(Error::BadBranchName { .. })
    ));
}

#[test]
fn what_origin_had_of_a_branch_when_it_was_heard_from_is_known() {
    let fixture = Fixture::new();
    fixture.git(&["init", "--quiet", "--bare", "../remote"]);
    fixture.git(&["remote", "add", "origin", "../remote"]);
    let space = fixture.run();
    let (branch, workspace) = (space.branch(), space.workspace());
    let is_on_origin = || workspace.branches().is_on_origin(&branch).expect("looked up");
    assert_eq!(is_on_origin(), None);
    workspace.remote("origin", None).push(&branch, None).expect("pushed");
    assert_eq!(is_on_origin(), Some(true));
    fixture.git(&["commit", "--quiet", "--allow-empty", "--message=second"]);
    assert_eq!(is_on_origin(), Some(false));
}

#[test]
fn squash_makes_one_commit_and_keeps_the_files() {
    let fixture = Fixture::new();
    let space = fixture.run();
    let base = fixture.tip();
    for text in ["two\n", "three\n"] {
        fixture.write("src/lib.rs", text);
        fixture.commit_all(text);
    }
    let tip = fixture.tip();
    let commit = space.squash(&tip, &[], &base, &message()).expect("made");
    assert_eq!(fixture.tip(), tip, "nothing moved yet");
    space.run_branch().move_to(&tip, &commit).expect("moved");
    assert_eq!(fixture.git(&["rev-list", "--parents", "-1", "HEAD"]), format!("{commit} {base}"));
    assert_eq!(fixture.git(&["status", "--porcelain"]), "");
    assert_eq!(fixture.read("src/lib.rs"), "three\n");
    assert!(space.run_branch().move_to(&tip, &base).is_err(), "the branch is not there any more");
    assert_eq!(fixture.tip(), commit);
}

#[test]
fn commit_without_some_files_leaves_index_and_worktree_unchanged() {
    let fixture = Fixture::new();
    let space = fixture.run();
    let base = fixture.tip();
    fixture.write("kept.txt", "kept\n");
    fixture.write("notes/an odd \"name\".txt", "gone\n");
    fixture.commit_all("two");
    let (tip, without) = (fixture.tip(), ["notes/an odd \"name\".txt".to_owned()]);
    let commit = space.squash(&tip, &without, &base, &message()).expect("made");
    let changed = fixture.git(&["diff", "--name-only", base.as_str(), commit.as_str()]);
    assert_eq!(changed, "kept.txt");
    assert_eq!((fixture.tip(), fixture.git(&["status", "--porcelain"])), (tip, String::new()));
}

#[test]
fn configured_commit_signing_is_applied() {
    let fixture = Fixture::new();
    let space = fixture.run();
    let base = fixture.tip();
    let config = fixture.home().join(".gitconfig");
    let text = fs::read_to_string(&config).expect("it is there");
    fs::write(&config, text + "[commit]\n\tgpgSign = true\n[gpg]\n\tprogram = /no/such/program\n")
        .expect("written");
    let error = space.squash(&base, &[], &base, &message()).expect_err("nothing can sign");
    assert!(error.to_string().contains("gpg"), "{error}");
    let seen = space.snapshots().take(None).expect("a snapshot");
    assert!(space.commit(&[], &message(), &seen, &base).is_err(), "nothing can sign");
    assert_eq!(fixture.tip(), base);
}

#[test]
fn files_are_restored_to_an_older_commit_except_the_runs_own() {
    let fixture = Fixture::new();
    let space = fixture.run();
    let before = fixture.tip();
    fixture.write("src/lib.rs", "two\n");
    fixture.write("new.txt", "new\n");
    fixture.write(".ai-workflow/issue-7/events.jsonl", "{}\n");
    fixture.commit_all("two");
    let paths = space.workspace().restore_code(&before).expect("put back");
    assert_eq!(paths, ["new.txt", "src/lib.rs"]);
    assert_eq!(fixture.read("src/lib.rs"), "one\n");
    assert_eq!(fixture.git(&["status", "--porcelain"]), " D new.txt\n M src/lib.rs");
}
