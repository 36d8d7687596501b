//! Git's own files: what a program planted in them is removed, what people had there is put back, and what git writes by itself
//! is left alone.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::time::SystemTime;

use git::{GitFiles, InnerFolders, References};

use super::*;

/// The files that are compared, and what git writes there while it works.
const WRITTEN_BY_GIT: [&str; 9] = [
    "objects/pack",
    "refs",
    "logs",
    "index",
    "HEAD",
    "ORIG_HEAD",
    "COMMIT_EDITMSG",
    "packed-refs",
    "ai-workflow",
];

impl Fixture {
    /// A run in a repository in which a person has hooks, settings, a submodule, and two clones.
    fn with_users_files() -> (Self, RunWorkspace, GitFiles) {
        let fixture = Self::new();
        fixture.write(".git/hooks/pre-commit", "#!/bin/sh\ntouch \"$HOME/users-hook\"\n");
        make_executable(&fixture.root().join(".git/hooks/pre-commit"));
        fixture.write(".git/hooks/pre-commit.d/one", "one\n");
        fixture.write(".git/info/attributes", "*.bin binary\n");
        fixture.write(".git/info/exclude", "/hooks-of-mine/\n");
        fixture.git(&["branch", "feature/one"]);
        fixture.git(&["config", "filter.mine.clean", "cat"]);
        fixture.git(&["config", "include.path", "../mine.gitconfig"]);
        fixture.git(&["config", "core.hooksPath", "hooks-of-mine"]);
        fixture.write("hooks-of-mine/commit-msg", "mine\n");
        fixture.git(&["init", "--quiet", "nested"]);
        fixture.git_in(&fixture.root(), &["init", "--quiet", ".git/modules/lib/sub"]);
        let space = fixture.run();
        let files = Fixture::read_git_files(&space);
        (fixture, space, files)
    }

    fn read_git_files(space: &RunWorkspace) -> GitFiles {
        let seen = space.snapshots().take(None).expect("a snapshot");
        let mut inner = InnerFolders::of(space, &seen.tree).expect("listed");
        inner.add(&seen);
        let mut files = GitFiles::read(space, &inner);
        files.keep(space).expect("kept");
        files
    }

    fn sh(&self, script: &str) {
        let output = Command::new("sh")
            .current_dir(self.root())
            .envs(self.environment())
            .args(["-eu", "-c", script])
            .output();
        let output = output.expect("sh starts");
        assert!(output.status.success(), "{script}: {}", String::from_utf8_lossy(&output.stderr));
    }

    /// Everything in git's folders and in hidden places of the worktree that could be planted, with its mode and content.
    fn own_files(&self) -> BTreeMap<String, (u32, String)> {
        let mut found = BTreeMap::new();
        self.collect(&self.root(), &mut found);
        let is_compared = |path: &String| {
            (path.contains(".git") || path.starts_with("hooks"))
                && !path.ends_with(".sample")
                && !WRITTEN_BY_GIT.iter().any(|name| path.starts_with(&format!(".git/{name}")))
        };
        found.retain(|path, _| is_compared(path));
        found
    }

    fn collect(&self, folder: &Path, found: &mut BTreeMap<String, (u32, String)>) {
        for entry in fs::read_dir(folder).expect("a folder").flatten() {
            let (path, kind) = (entry.path(), entry.file_type().expect("a kind"));
            let name = path.strip_prefix(self.root()).expect("below").display().to_string();
            let mode = fs::symlink_metadata(&path).expect("there").mode() & 0o777;
            if kind.is_dir() {
                self.collect(&path, found);
            } else if kind.is_symlink() {
                found.insert(name, (0, fs::read_link(&path).expect("a link").display().to_string()));
            } else if kind.is_file() {
                let bytes = fs::read(&path).expect("readable");
                found.insert(name, (mode, String::from_utf8_lossy(&bytes).into_owned()));
            } else {
                found.insert(name, (mode, "neither a file nor a link".to_owned()));
            }
        }
    }
}

#[test]
fn locks_that_a_program_leaves_are_removed_and_those_of_before_or_of_a_git_at_work_stay() {
    let fixture = Fixture::new();
    let space = fixture.run();
    fixture.sh("touch .git/config.lock");
    let files = Fixture::read_git_files(&space);
    let leaves = "touch .git/HEAD.lock .git/index.lock .git/packed-refs.lock .git/refs/heads/main.lock editor.lock
        touch .git/ai-workflow/issue-7/snapshots/x.index.lock; mkdir -p .git/refs/heads/ai-workflow/issue-7.lock/x";
    fixture.sh(leaves);
    let mut git_at_work = Command::new("git")
        .current_dir(fixture.root())
        .args(["cat-file", "--batch"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("git is installed");
    git_at_work.stdin.as_mut().expect("it is piped").write_all(b"HEAD\n").expect("fed");
    git_at_work.stdout.as_mut().expect("it is piped").read_exact(&mut [0; 40]).expect("answered");
    if cfg!(target_os = "linux") {
        assert_eq!(files.restore(&space).expect("restored"), Vec::<String>::new(), "a git is at work");
    }
    drop(git_at_work.stdin.take());
    git_at_work.wait().expect("it ends");
    let mut removed = files.restore(&space).expect("restored");
    removed.sort();
    assert_eq!(
        removed,
        [
            ".git/HEAD.lock",
            ".git/ai-workflow/issue-7/snapshots/x.index.lock",
            ".git/index.lock",
            ".git/packed-refs.lock",
            ".git/refs/heads/ai-workflow/issue-7.lock",
            ".git/refs/heads/main.lock",
        ]
    );
    assert!(fixture.root().join(".git/config.lock").exists() && fixture.root().join("editor.lock").exists());
    assert_eq!(files.restore(&space).expect("restored"), Vec::<String>::new());
}

fn ctime(path: &Path) -> (i64, i64) {
    fs::metadata(path).map(|found| (found.ctime(), found.ctime_nsec())).expect("there")
}

fn changed_in_killed_call(space: &RunWorkspace) -> Option<Vec<String>> {
    GitFiles::settle_killed_call(space).expect("settled").map(|call| call.changed)
}

/// What a program does, and the names under which it is told.
const PLANTS: [(&str, &[&str]); 35] = [
    ("git rev-parse HEAD > .git/main", &[".git/main"]),
    ("mkdir -p .git/feature; ln -s ../HEAD .git/feature/one", &[".git/feature/one"]),
    ("rm -r hooks-of-mine", &["hooks-of-mine/commit-msg"]),
    ("echo x > .git/hooks/post-commit", &[".git/hooks/post-commit"]),
    ("echo x > .git/hooks/pre-commit.d/two", &[".git/hooks/pre-commit.d/two"]),
    ("echo x >> .git/hooks/pre-commit", &[".git/hooks/pre-commit"]),
    ("rm .git/hooks/pre-commit", &[".git/hooks/pre-commit"]),
    ("chmod -x .git/hooks/pre-commit", &[".git/hooks/pre-commit"]),
    ("rm -r .git/hooks", &[".git/hooks/pre-commit", ".git/hooks/pre-commit.d/one"]),
    (
        "mv .git/hooks away; ln -s ../away .git/hooks",
        &[".git/hooks", ".git/hooks/pre-commit", ".git/hooks/pre-commit.d/one"],
    ),
    (
        "rm -r .git/hooks; echo x > .git/hooks",
        &[".git/hooks", ".git/hooks/pre-commit", ".git/hooks/pre-commit.d/one"],
    ),
    ("mkfifo .git/hooks/post-commit", &[".git/hooks/post-commit"]),
    (
        "echo x > hooks-of-mine/post-commit; echo x >> hooks-of-mine/commit-msg",
        &["hooks-of-mine/commit-msg", "hooks-of-mine/post-commit"],
    ),
    ("git config core.sshCommand x", &[".git/config"]),
    ("git config user.email other@example.org", &[".git/config"]),
    ("git config alias.st '!x'", &[".git/config"]),
    ("git config branch.main.pushRemote https://example.org/x", &[".git/config"]),
    ("cp .git/config away; rm .git/config; ln -s ../away .git/config", &[".git/config"]),
    ("rm .git/config", &[".git/config"]),
    ("echo x > .git/config.worktree", &[".git/config.worktree"]),
    ("printf '[core]\\nsshCommand = x\\n' > mine.gitconfig", &[".git/../mine.gitconfig"]),
    ("echo '* filter=mine' > .git/info/attributes", &[".git/info/attributes"]),
    ("rm -r .git/info", &[".git/info/attributes", ".git/info/exclude"]),
    (
        "echo 'x*' >> .git/info/exclude; echo x > .git/info/grafts; echo x > .git/info/sparse-checkout",
        &[".git/info/exclude", ".git/info/grafts", ".git/info/sparse-checkout"],
    ),
    (
        "mkdir -p .git/objects/info; echo /elsewhere > .git/objects/info/alternates",
        &[".git/objects/info/alternates"],
    ),
    ("rm -rf .git/objects/info; ln -s .. .git/objects/info", &[".git/objects/info"]),
    ("echo /elsewhere > .git/commondir", &[".git/commondir"]),
    (
        "mkdir .git/remotes; echo 'URL: /elsewhere' > .git/remotes/origin; mkdir -p .git/branches; echo /elsewhere > .git/branches/origin",
        &[".git/branches/origin", ".git/remotes/origin"],
    ),
    ("git init -q src", &["src/.git"]),
    ("echo 'gitdir: /elsewhere' > src/.git", &["src/.git"]),
    ("ln -s /elsewhere src/.git", &["src/.git"]),
    ("git init -q .ai-workflow", &[".ai-workflow/.git"]),
    (
        "git -C nested config core.fsmonitor x; echo x > nested/.git/hooks/post-commit",
        &["nested/.git/config", "nested/.git/hooks/post-commit"],
    ),
    (
        "git -C .git/modules/lib/sub config core.fsmonitor x; echo x > .git/modules/lib/sub/.git/hooks/post-commit",
        &[".git/modules/lib/sub/.git/config", ".git/modules/lib/sub/.git/hooks/post-commit"],
    ),
    (
        "echo x > .git/hooks/evil; mkdir -p .git/hooks/a/b/c; echo x > .git/hooks/a/b/c/d",
        &[".git/hooks/a/b/c/d", ".git/hooks/evil"],
    ),
];

#[test]
fn planted_git_files_are_removed_and_those_of_people_put_back() {
    for (plant, names) in PLANTS {
        let (fixture, space, files) = Fixture::with_users_files();
        let before = fixture.own_files();
        fixture.sh(plant);
        assert_ne!(fixture.own_files(), before, "{plant}");
        let (processes, told) = calls(&space, || files.restore(&space).expect("put back"));
        assert_eq!((processes, told), (0, paths(names)), "{plant}");
        assert_eq!(fixture.own_files(), before, "{plant}");
        assert_eq!(files.restore(&space).expect("nothing to do"), paths(&[]), "{plant}");
        assert!(space.snapshots().take(None).is_ok(), "git is used again: {plant}");
    }
}

#[test]
fn a_reference_that_git_takes_for_a_branch_is_removed_and_others_left() {
    let (fixture, space, files) = Fixture::with_users_files();
    let own = format!("refs/{}", space.branch());
    fixture.git(&["update-ref", &own, "HEAD"]);
    fixture.git(&["symbolic-ref", "refs/main", &own]);
    fixture.git(&["update-ref", "refs/pull/one", "HEAD"]);
    let told = files.restore(&space).expect("put back");
    assert_eq!(told, paths(&[&format!(".git/{own}"), ".git/refs/main"]));
    let kept =
        fixture.git(&["for-each-ref", "--format=%(refname)", "refs/ai-workflow", "refs/main", "refs/pull"]);
    assert_eq!(kept, "refs/pull/one");
    fixture.sh("git rev-parse HEAD > .git/hooks-of-mine; mkdir .git/main");
    assert_eq!(files.restore(&space).expect("nothing to do"), paths(&[]), "git takes neither for a branch");
}

#[test]
fn a_hook_among_thousands_of_planted_files_is_removed_and_named_first() {
    let (fixture, space, files) = Fixture::with_users_files();
    let before = fixture.own_files();
    fixture.sh("for n in $(seq 6001); do : > .git/hooks/a$n; done; cp .git/hooks/pre-commit .git/hooks/post-commit
                mkdir -p .git/hooks/1/2/3/4/5/6; echo x > .git/hooks/1/2/3/4/5/6/7; git config core.sshCommand x");
    let told = files.restore(&space).expect("put back");
    assert_eq!(told[..2], paths(&[".git/config", ".git/hooks/post-commit"]));
    assert_eq!(told.len(), 6004);
    assert_eq!(fixture.own_files(), before);
}

#[test]
fn what_git_ignores_in_a_tracked_folder_of_hooks_is_put_back_and_the_rest_is_seen_by_snapshots() {
    let fixture = Fixture::new();
    fixture.git(&["config", "core.hooksPath", ".githooks/"]);
    fixture.write(".githooks/pre-commit", "#!/bin/sh\n. .githooks/_/own.sh\n");
    fixture.commit_all("hooks");
    fixture.write(".git/info/exclude", ".githooks/_\n");
    fixture.write(".githooks/_/own.sh", "mine\n");
    let space = fixture.run();
    let before = space.snapshots().take(None).expect("a snapshot");
    let files = Fixture::read_git_files(&space);
    fixture.sh("echo x > .githooks/commit-msg; echo x >> .githooks/pre-commit");
    assert_eq!(files.restore(&space).expect("compared"), paths(&[]), "a person sees both in the commit");
    fixture.sh(
        "echo '*' > .githooks/.gitignore; echo x > .githooks/post-commit; git add -f .githooks/post-commit
                rm -r .githooks/_; mkdir .githooks/_; echo x > .githooks/_/other.sh",
    );
    let told = files.restore(&space).expect("put back");
    let ignored = [".gitignore", "_/other.sh", "_/own.sh", "commit-msg", "post-commit"];
    assert_eq!(told, ignored.map(|name| format!(".githooks/{name}")));
    assert_eq!(fixture.read(".githooks/_/own.sh"), "mine\n");
    assert!(!fixture.exists(".githooks/post-commit"));
    assert_eq!(files.restore(&space).expect("compared"), paths(&[]));
    assert_eq!(changed(&space, &before), paths(&[".githooks/pre-commit"]));
}

#[test]
fn an_operation_that_a_program_began_is_ended_and_one_of_a_person_stays() {
    let rebase = "GIT_SEQUENCE_EDITOR='printf \"break\\nexec touch ran\\n\" >' git rebase -q -i HEAD";
    let merge = "git switch -q -C side main; git commit -q --allow-empty -m x; git switch -q -; git merge -q --no-ff --no-commit side";
    let bisect = "git bisect start -q; git bisect bad; git update-ref refs/bisect/good-x HEAD";
    for (begin, names) in [
        (rebase, &["HEAD", "rebase-merge"][..]),
        (merge, &["MERGE_HEAD", "MERGE_MODE", "MERGE_MSG"]),
        (bisect, &["BISECT_LOG", "BISECT_NAMES", "BISECT_START", "BISECT_TERMS", "refs/bisect"]),
    ] {
        let (fixture, space, files) = Fixture::with_users_files();
        fixture.sh(begin);
        let mut told = files.restore(&space).expect("ended");
        told.sort();
        assert_eq!(told, names.iter().map(|name| format!(".git/{name}")).collect::<Vec<_>>());
        assert_eq!(space.workspace().operation_in_progress(), None);
        assert_eq!(fixture.git(&["symbolic-ref", "--short", "HEAD"]), space.branch());
        fixture.sh(begin);
        let files = Fixture::read_git_files(&space);
        assert_eq!(files.restore(&space).expect("compared"), paths(&[]), "{begin}");
    }
}

#[test]
fn pipes_in_the_folder_of_git_are_removed_and_never_opened() {
    let (fixture, space, _) = Fixture::with_users_files();
    let seen = space.snapshots().take(None).expect("a snapshot");
    let inner = InnerFolders::of(&space, &seen.tree).expect("listed");
    let files = GitFiles::read(&space, &inner);
    let names = [
        "ORIG_HEAD",
        "ai-workflow/issue-7/rests-at",
        "refs/heads/x",
        "refs/x",
        "worktrees/e/HEAD",
        "worktrees/e/gitdir",
    ];
    fixture.sh("mkdir -p .git/worktrees/e");
    for name in names {
        fixture.sh(&format!("rm -f .git/{name}; mkfifo .git/{name}"));
    }
    let (processes, told) = calls(&space, || {
        GitFiles::read(&space, &inner);
        References::read(space.workspace()).expect("read");
        files.restore(&space).expect("removed")
    });
    assert_eq!((processes, told), (0, names.map(|name| format!(".git/{name}")).to_vec()));
}

#[test]
fn a_large_hook_of_the_user_survives() {
    let (fixture, space, _) = Fixture::with_users_files();
    let hook = fixture.root().join(".git/hooks/pre-push");
    fs::write(&hook, "#!/bin/sh\n".to_owned() + &"#".repeat(3 << 20)).expect("written");
    make_executable(&hook);
    let before = fixture.own_files();
    for (does, told) in [
        ("touch .git/hooks/pre-push", &[][..]),
        ("printf x | dd of=.git/hooks/pre-push conv=notrunc 2> /dev/null", &[".git/hooks/pre-push"]),
        ("echo x > .git/hooks/pre-push", &[".git/hooks/pre-push"]),
        ("rm .git/hooks/pre-push", &[".git/hooks/pre-push"]),
        ("chmod 600 .git/hooks/pre-push", &[".git/hooks/pre-push"]),
    ] {
        let files = Fixture::read_git_files(&space);
        fixture.sh(does);
        assert_eq!(files.restore(&space).expect("put back"), paths(told), "{does}");
        assert!(fixture.own_files() == before, "{does}");
    }
    Fixture::read_git_files(&space);
    fixture.sh("rm .git/hooks/pre-push");
    assert_eq!(changed_in_killed_call(&space), Some(paths(&[".git/hooks/pre-push"])));
    assert!(fixture.own_files() == before);
}

#[test]
fn references_that_git_cannot_read_any_more_are_put_back_and_others_left() {
    for name in ["HEAD", "packed-refs", "refs/heads/ai-workflow/issue-7"] {
        let (fixture, space, _) = Fixture::with_users_files();
        fixture.git(&["tag", "v1"]);
        fixture.sh("git pack-refs --all; git commit -q --no-verify --allow-empty -m x");
        let files = Fixture::read_git_files(&space);
        let before =
            fixture.git(&["for-each-ref"]) + &fixture.git(&["rev-parse", "--symbolic-full-name", "HEAD"]);
        for spoil in [
            "echo garbage > FILE",
            "rm FILE; ln -s /elsewhere FILE",
            "rm FILE; mkdir FILE; echo x > FILE/y",
            "rm FILE; mkfifo FILE",
        ] {
            fixture.sh(&spoil.replace("FILE", &format!(".git/{name}")));
            let (processes, told) = calls(&space, || files.restore(&space).expect("put back"));
            assert_eq!((processes, told), (0, vec![format!(".git/{name}")]), "{spoil}");
            let now =
                fixture.git(&["for-each-ref"]) + &fixture.git(&["rev-parse", "--symbolic-full-name", "HEAD"]);
            assert_eq!(now, before, "{spoil}");
        }
        fixture.sh("git tag v2; git commit -q --no-verify --allow-empty -m x; git pack-refs --all; git switch -q --detach");
        assert_eq!(files.restore(&space).expect("compared"), paths(&[]));
    }
}

#[test]
fn new_worktrees_submodules_and_strange_references_are_told_and_those_of_other_runs_not() {
    for (plant, names) in [
        ("git worktree add -q --detach ../wt", &[".git/worktrees/wt"][..]),
        ("git init -q --bare .git/modules/evil", &[".git/modules/evil"]),
        ("echo garbage > .git/refs/heads/x", &[".git/refs/heads/x"]),
        ("git symbolic-ref refs/tags/x refs/heads/main", &[".git/refs/tags/x"]),
        ("ln -s heads/main .git/refs/stash", &[".git/refs/stash"]),
        ("git rev-parse HEAD > .git/shallow", &[".git/shallow"]),
        (
            "git worktree add -q -b ai-workflow/issue-9 ../nine; git worktree add -q --detach ../repo-issue-9-clean",
            &[],
        ),
        ("git worktree add -q --detach ../repo-check-clean", &[]),
        ("git worktree add -q --detach .git/ai-workflow/check/clean", &[]),
        ("git tag v1; git branch b; git pack-refs --all; git update-ref refs/notes/x HEAD", &[]),
    ] {
        let (fixture, space, files) = Fixture::with_users_files();
        fixture.sh(plant);
        assert_eq!(files.restore(&space).expect("compared"), paths(&[]), "{plant}");
        assert_eq!(files.list_left(&space), paths(names), "{plant}");
    }
}

/// How a user arranged hooks and settings, what a program does, and the names under which it is told.
const BEHIND_LINKS: [(&str, &str, &[&str]); 10] = [
    (
        "mkdir .githooks; echo x > .githooks/pre-commit; rm -rf .git/hooks; ln -s ../.githooks .git/hooks",
        "echo x > .githooks/post-commit; echo '*' > .githooks/.gitignore",
        &[".githooks/.gitignore", ".githooks/post-commit"],
    ),
    (
        "mkdir ../team; rm -rf .git/hooks; ln -s \"$PWD/../team\" .git/hooks",
        "echo x > ../team/post-commit",
        &["[TMP]/team/post-commit"],
    ),
    (
        "mkdir .git/shared; echo x > .git/shared/hook; ln -s ../shared/hook .git/hooks/post-commit",
        "echo y > .git/shared/hook",
        &[".git/shared/hook"],
    ),
    (
        "mkdir -p .githooks/a/b; echo x > .githooks/a/b/c; git config core.hooksPath .githooks",
        "echo x > .githooks/a/b/d; echo '*' > .githooks/a/b/.gitignore",
        &[".githooks/a/b/.gitignore", ".githooks/a/b/d"],
    ),
    (
        "mv .git/config ../config; ln -s \"$PWD/../config\" .git/config",
        "git config core.fsmonitor x",
        &["[TMP]/config"],
    ),
    (
        "echo '*.log text' > .git/mine; git config core.attributesFile .git/mine; git config core.excludesFile .git/mine",
        "echo '* filter=x' > .git/mine",
        &[".git/mine"],
    ),
    (
        "git -c protocol.file.allow=always submodule --quiet add \"$PWD\" vendor/a/b/c/d/e/f/lib",
        "echo x > .git/modules/vendor/a/b/c/d/e/f/lib/hooks/post-commit",
        &[".git/modules/vendor/a/b/c/d/e/f/lib/hooks/post-commit"],
    ),
    (
        "git -c protocol.file.allow=always submodule --quiet add \"$PWD\" lib; git -C lib config core.hooksPath .hooks",
        "mkdir lib/.hooks; echo x > lib/.hooks/post-commit",
        &["lib/.hooks/post-commit"],
    ),
    (
        "git -c protocol.file.allow=always submodule --quiet add \"$PWD\" lib",
        "echo 'gitdir: ../build' > lib/.git",
        &["lib/.git"],
    ),
    ("true", "git config branch.main.pushRemote build", &[".git/config"]),
];

#[test]
fn what_links_settings_and_submodules_lead_to_is_compared_as_well() {
    for (arrangement, plant, names) in BEHIND_LINKS {
        let fixture = Fixture::new();
        fixture.run();
        fixture.sh(&format!("{arrangement}; git add -A; git commit -qm arranged --allow-empty"));
        let space = fixture.space();
        let files = Fixture::read_git_files(&space);
        fixture.sh(plant);
        let top = fixture.root().parent().expect("above").display().to_string();
        let told: Vec<String> = files.restore(&space).expect("put back");
        let told: Vec<String> = told.iter().map(|name| name.replace(&top, "[TMP]")).collect();
        assert_eq!(told, paths(names), "{plant}");
        assert_eq!(files.restore(&space).expect("nothing to do"), paths(&[]), "{plant}");
    }
}

#[test]
fn what_is_begun_in_another_worktree_is_told_and_left_and_what_other_runs_do_there_is_not_told() {
    let fixture = Fixture::new();
    fixture.sh(
        "git worktree add -q -b mine ../mine; git worktree add -q -b ai-workflow/issue-8 ../repo-issue-8; \
         git worktree add -q --detach ../repo-issue-8-clean",
    );
    let space = fixture.run();
    let files = Fixture::read_git_files(&space);
    fixture.sh("git -C ../mine add -A; git -C ../repo-issue-8-clean commit -q --allow-empty -m x");
    assert_eq!(files.list_new_elsewhere(&space), paths(&[]));
    fixture.sh("git -C ../mine switch -q -c other; mkdir .git/worktrees/mine/rebase-merge");
    let told = [".git/worktrees/mine/rebase-merge", ".git/worktrees/mine/HEAD"];
    assert_eq!(files.list_new_elsewhere(&space), paths(&told));
    assert_eq!(files.restore(&space).expect("nothing to do"), paths(&[]));
    assert!(fixture.exists(".git/worktrees/mine/rebase-merge"), "it may be a person's");
    fixture.sh("echo 'ref: refs/heads/ai-workflow/issue-7' > .git/worktrees/mine/HEAD");
    assert_eq!(files.list_new_elsewhere(&space), paths(&told), "no git lets a person do this");
}

#[test]
fn settings_of_an_old_repository_of_the_user_are_as_old_as_before_when_they_are_put_back() {
    let (fixture, space, _) = Fixture::with_users_files();
    let config = fixture.root().join("nested/.git/config");
    let old = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
    fs::File::open(&config).and_then(|file| file.set_modified(old)).expect("set");
    let files = Fixture::read_git_files(&space);
    fixture.sh("git -C nested config user.name bot");
    assert_eq!(files.restore(&space).expect("put back"), paths(&["nested/.git/config"]));
    assert_eq!(fs::metadata(&config).and_then(|found| found.modified()).expect("there"), old);
}

#[test]
fn what_a_program_planted_is_kept_for_the_user() {
    let (fixture, space, files) = Fixture::with_users_files();
    fixture.sh("echo planted > .git/hooks/post-commit; git config core.sshCommand x");
    files.restore(&space).expect("put back");
    let kept = GitFiles::removed_folder(&space);
    assert_eq!(fixture.read(&format!("{kept}/.git/hooks/post-commit")), "planted\n");
    assert!(fixture.read(&format!("{kept}/.git/config")).contains("sshCommand"));
}

#[test]
fn what_git_and_other_worktrees_write_is_left_alone() {
    let (fixture, space, _) = Fixture::with_users_files();
    fixture.git(&["worktree", "add", "--quiet", "--detach", "../gone"]);
    let files = Fixture::read_git_files(&space);
    fixture.sh(
        "git branch other; git branch --quiet --set-upstream-to=main other; git config branch.other.pushRemote origin
         git config branch.other.vscode-merge-base origin/main
         git config lfs.repositoryformatversion 0; git config lfs.https://example.org/x.access basic
         echo x > new.txt; git add new.txt; git commit --quiet --no-verify -m x; git tag -m x v1; git stash list
         git update-server-info; git pack-refs --all; git gc --quiet; git worktree remove ../gone
         git worktree add --quiet -b third ../third; git -C ../third config core.x y; git config --unset core.x",
    );
    assert_eq!(files.restore(&space).expect("compared"), paths(&[]));
}

#[test]
fn links_between_worktrees_are_put_back() {
    let fixture = Fixture::new();
    fixture.git(&["worktree", "add", "--quiet", "-b", "second", "../second"]);
    let second = fixture.dir.path().canonicalize().expect("there").join("second");
    let workspace = Workspace::open_with(&second, fixture.program()).expect("a worktree");
    let space = workspace.for_issue(IssueNumber::try_from(7).expect("a number"));
    let files = Fixture::read_git_files(&space);
    let before = fixture.own_files();
    let entrance = fs::read(second.join(".git")).expect("a file");
    fixture.sh("echo 'gitdir: /elsewhere' > ../second/.git; rm .git/worktrees/second/commondir; echo /x > .git/worktrees/second/gitdir
                echo x > .git/worktrees/second/config.worktree");
    let told = files.restore(&space).expect("put back");
    let admin = |name: &str| format!(".git/worktrees/second/{name}");
    assert_eq!(told, [admin("commondir"), admin("config.worktree"), admin("gitdir"), ".git".to_owned()]);
    assert_eq!(fixture.own_files(), before);
    assert_eq!(fs::read(second.join(".git")).expect("a file"), entrance);
}

#[test]
fn a_replaced_git_folder_is_refused() {
    let (fixture, space, files) = Fixture::with_users_files();
    fixture.sh("mv .git away; git init -q .");
    let error = files.restore(&space).expect_err("it is another one");
    assert!(matches!(error, Error::RepositoryReplaced { .. }), "{error}");
}

#[test]
fn a_new_repository_inside_the_worktree_is_removed_and_its_files_are_seen() {
    let (fixture, space, files) = Fixture::with_users_files();
    let before = space.snapshots().take(None).expect("a snapshot");
    fixture.sh("git init -q made; echo x > made/file");
    let seen = space.snapshots().take(Some(&before.tree)).expect("a snapshot");
    assert_eq!(
        files.remove_new_repositories(&space, &seen.left_out).expect("removed"),
        paths(&["made/.git"])
    );
    assert_eq!(changed(&space, &before), paths(&["made/file"]));
    assert!(fixture.exists("nested/.git"), "that of a person stays");
}

#[test]
fn an_index_of_a_snapshot_that_hides_a_change_is_made_anew() {
    let (fixture, space, _) = Fixture::with_users_files();
    let before = space.snapshots().take(None).expect("a snapshot");
    let files = Fixture::read_git_files(&space);
    fixture.sh("for index in .git/ai-workflow/issue-7/snapshots/*.index; do
             GIT_INDEX_FILE=$index git update-index --assume-unchanged README.md; done; echo x >> README.md");
    assert_eq!(changed(&space, &before), paths(&[]), "it is hidden");
    assert!(!files.restore(&space).expect("removed").is_empty());
    assert_eq!(changed(&space, &before), paths(&["README.md"]));
}

#[test]
fn after_a_killed_call_its_changes_are_undone_and_later_ones_of_a_person_stay() {
    let (fixture, space, _) = Fixture::with_users_files();
    let before = fixture.own_files();
    fixture.sh("echo x > .git/hooks/post-commit; rm .git/hooks/pre-commit");
    // The reaper does this when no process of the call is left.
    let (reference, ended) = GitFiles::files(&space);
    fs::copy(&reference, &ended).expect("copied");
    // The clock of files goes in steps.
    while ctime(&fixture.root().join(".git/config")) <= ctime(&ended) {
        fixture.sh("git config core.editor mine");
    }
    let with_editor = fixture.read(".git/config");
    assert_eq!(
        changed_in_killed_call(&space),
        Some(paths(&[".git/hooks/post-commit", ".git/hooks/pre-commit"]))
    );
    assert_eq!(fixture.read(".git/config"), with_editor);
    assert_eq!(fixture.own_files().get(".git/hooks/pre-commit"), before.get(".git/hooks/pre-commit"));
    assert_eq!(changed_in_killed_call(&space), Some(paths(&[])));
    assert!(space.snapshots().take(None).is_ok());
}

#[test]
fn after_a_killed_call_references_are_compared_and_later_moves_of_a_person_are_not_told() {
    for reads in [true, false] {
        let (fixture, space, _) = Fixture::with_users_files();
        if reads {
            space.run_branch().remember_resting_tip().expect("noted");
        }
        Fixture::read_git_files(&space);
        let (object, tip) = (fixture.git(&["rev-parse", "HEAD:README.md"]), fixture.tip());
        fixture.git(&["replace", &object, "HEAD:src/lib.rs"]);
        fixture.git(&["branch", "planted"]);
        fixture.git(&["commit", "--quiet", "--allow-empty", "--message", "x"]);
        let theirs = fixture.tip();
        let (reference, ended) = GitFiles::files(&space);
        fs::copy(reference, &ended).expect("copied");
        // The clock of files goes in steps.
        let branch = fixture.root().join(".git/refs/heads/of-a-person");
        while !branch.exists() || ctime(&branch) <= ctime(&ended) {
            fixture.sh("git update-ref -d refs/heads/of-a-person; git branch of-a-person");
        }
        let call = GitFiles::settle_killed_call(&space).expect("settled").expect("a call");
        let own = format!("refs/heads/{} (was at {})", space.branch(), &theirs.to_string()[..9]);
        assert_eq!(call.moved.left, ["refs/heads/planted (was not there)"]);
        assert!(call.moved.undone[0].starts_with("refs/replace/"), "{:?}", call.moved);
        let expected = if reads { vec![own] } else { Vec::new() };
        assert_eq!(call.moved.undone[1..], expected, "what an author commits stays");
        assert_eq!(fixture.tip() == tip, reads);
    }
}

#[test]
fn a_repository_made_anew_is_told_from_one_in_which_something_was_planted() {
    let (fixture, began) = (Fixture::new(), SystemTime::now());
    let space = fixture.run();
    assert!(!GitFiles::are_of_new_repository(&space, began), "it is older");
    for (plant, is_plain) in [
        ("true", true),
        ("echo x > .git/hooks/post-commit", false),
        ("git config core.fsmonitor x", false),
        ("git config remote.origin.url https://example.org/x", true),
        ("git config remote.origin.url 'ext::x'", false),
        ("echo '* filter=x' > .git/info/attributes", false),
        ("mkdir -p .git/objects/info; echo /elsewhere > .git/objects/info/alternates", false),
        ("git worktree add -q ../other-worktree", false),
    ] {
        fixture
            .sh("git clone -q --mirror . ../anew; rm -rf .git; mv ../anew .git; git config core.bare false");
        fixture.sh(plant);
        assert_eq!(GitFiles::are_of_new_repository(&space, began), is_plain, "{plant}");
    }
}

#[test]
fn after_a_killed_call_whose_end_is_not_known_every_change_is_undone() {
    let (fixture, space, _) = Fixture::with_users_files();
    let before = fixture.own_files();
    fixture.sh("git config core.sshCommand x");
    assert_eq!(changed_in_killed_call(&space), Some(paths(&[".git/config"])));
    assert_eq!(fixture.own_files(), before);
    assert_eq!(changed_in_killed_call(&space), Some(paths(&[])));
}

#[test]
fn the_state_is_kept_until_the_end_of_the_call_is_on_record_and_later_changes_stay() {
    let (fixture, space, files) = Fixture::with_users_files();
    fixture.sh("echo x > .git/hooks/post-commit");
    assert_eq!(files.restore(&space).expect("put back"), paths(&[".git/hooks/post-commit"]));
    let changed_at = |path: &Path| fs::metadata(path).and_then(|found| found.modified()).expect("there");
    let ended = changed_at(&GitFiles::files(&space).1);
    // The clock of files goes in steps.
    while !fixture.exists("new.rs") || changed_at(&fixture.root().join("new.rs")) <= ended {
        fixture.write("new.rs", "new\n");
    }
    // The program that was not killed takes a snapshot when it has compared.
    let seen = space.snapshots().take(None).expect("a snapshot");
    fixture.git(&["config", "core.editor", "mine"]);
    assert_eq!(changed_in_killed_call(&space), Some(paths(&[])));
    assert_eq!(fixture.git(&["config", "core.editor"]), "mine");
    assert!(space.snapshots().has_index_of(&seen.tree));
}

#[test]
fn a_lost_state_stops_the_run_until_a_person_has_looked() {
    let (_fixture, space, _) = Fixture::with_users_files();
    GitFiles::forget(&space).expect("removed");
    assert!(matches!(GitFiles::note_unknown(&space), Error::ConfigUnknown { .. }));
    assert!(matches!(GitFiles::settle_killed_call(&space), Err(Error::ConfigUnknown { .. })));
    fs::remove_file(GitFiles::files(&space).0).expect("there");
    assert_eq!(GitFiles::settle_killed_call(&space).expect("nothing is kept"), None);
}

#[test]
fn a_state_that_cannot_be_read_stops_the_run() {
    let (_fixture, space, _) = Fixture::with_users_files();
    fs::write(GitFiles::files(&space).0, "").expect("written");
    let error = GitFiles::settle_killed_call(&space).expect_err("it says nothing");
    assert!(matches!(error, Error::ConfigUnknown { .. }) && error.hint().is_some(), "{error}");
}

#[test]
fn a_hook_of_the_user_keeps_its_mode() {
    let (fixture, space, files) = Fixture::with_users_files();
    let hook = fixture.root().join(".git/hooks/pre-commit");
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o700)).expect("set");
    files.restore(&space).expect("put back");
    assert_eq!(fs::metadata(hook).expect("there").mode() & 0o777, 0o755);
}

#[test]
fn folders_of_the_worktree_are_known_without_a_git_process_in_every_version_of_the_index() {
    for version in ["2", "3", "4", "split"] {
        let fixture = Fixture::empty();
        for path in ["a/b/c/one.txt", "a/b/two.txt", "a-b/three.txt", "z/four.txt", "README.md"] {
            fixture.write(path, path);
        }
        fixture.commit_all("start");
        match version {
            "split" => fixture.git(&["update-index", "--split-index"]),
            "3" => fixture.git(&["update-index", "--skip-worktree", "z/four.txt"]),
            version => fixture.git(&["update-index", "--index-version", version]),
        };
        let space = fixture.run();
        let seen = space.snapshots().take(None).expect("a snapshot");
        let (processes, inner) = calls(&space, || InnerFolders::of(&space, &seen.tree).expect("listed"));
        assert_eq!(processes, 0, "{version}");
        let files = GitFiles::read(&space, &inner);
        let folders = ["a", "a/b", "a/b/c", "a-b", "z"];
        for folder in folders {
            fixture.write(&format!("{folder}/.git"), "gitdir: /elsewhere\n");
        }
        let mut told = files.restore(&space).expect("removed");
        told.sort();
        let mut expected = folders.map(|folder| format!("{folder}/.git"));
        expected.sort();
        assert_eq!(told, expected, "{version}");
    }
}
