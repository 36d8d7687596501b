//! The worktree as a run uses it, on real repositories in temporary folders, with a git that knows nothing of this machine.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use ai_workflow::issue::IssueNumber;
use ai_workflow::redact::{Masked, Masker};
use ai_workflow::workspace::{
    CommitId, Content, Error, Git, Head, IssueSpace, Origin, Snapshot, Survey, Trailers, Tree, Workspace,
};
use tempfile::TempDir;

/// A repository with one commit, in a folder of its own beside an empty home.
struct Fixture {
    dir: TempDir,
}

impl Fixture {
    fn new() -> Self {
        let fixture = Self::empty();
        fixture.write("src/lib.rs", "one\n");
        fixture.write("README.md", "read me\n");
        fixture.write(".gitignore", "/target/\n");
        fixture.commit_all("start");
        fixture
    }

    fn empty() -> Self {
        let fixture = Self { dir: tempfile::tempdir().expect("a temporary folder") };
        fs::create_dir_all(fixture.root()).expect("made");
        fs::create_dir_all(fixture.home()).expect("made");
        let config = "[user]\n\tname = Test\n\temail = test@example.org\n[init]\n\tdefaultBranch = main\n";
        fs::write(fixture.home().join(".gitconfig"), config).expect("written");
        fixture.git(&["init", "--quiet"]);
        fixture
    }

    /// The name has a space, a quote and letters beyond ASCII in it, because users' folders do.
    fn root(&self) -> PathBuf {
        self.dir.path().canonicalize().expect("it exists").join("my 'répo'")
    }

    fn home(&self) -> PathBuf {
        self.dir.path().join("home")
    }

    fn environment(&self) -> Vec<(&'static str, PathBuf)> {
        vec![
            ("HOME", self.home()),
            ("XDG_CONFIG_HOME", self.home()),
            ("GIT_CONFIG_GLOBAL", self.home().join(".gitconfig")),
            ("GIT_CONFIG_NOSYSTEM", "1".into()),
        ]
    }

    fn program(&self) -> Git {
        Git::with_environment(self.environment())
    }

    fn workspace(&self) -> Workspace {
        Workspace::open_with(&self.root(), self.program()).expect("it is a repository")
    }

    /// The run of issue 7, on its branch.
    fn run(&self) -> IssueSpace {
        let space = self.space();
        let head = space.workspace().opened_at().clone();
        space.workspace().start_branch(&space.branch(), &head).expect("the branch is new");
        space
    }

    fn space(&self) -> IssueSpace {
        self.workspace().for_issue(IssueNumber::try_from(7).expect("a number"))
    }

    fn try_git_in(&self, dir: &Path, args: &[&str]) -> (bool, String) {
        let output = Command::new("git")
            .current_dir(dir)
            .envs(self.environment())
            .args(args)
            .output()
            .expect("git is installed");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        (output.status.success(), text + &String::from_utf8_lossy(&output.stderr))
    }

    fn git_in(&self, dir: &Path, args: &[&str]) -> String {
        let (succeeded, text) = self.try_git_in(dir, args);
        assert!(succeeded, "git {args:?}: {text}");
        text.trim_end_matches('\n').to_owned()
    }

    fn git(&self, args: &[&str]) -> String {
        self.git_in(&self.root(), args)
    }

    fn commit_all(&self, message: &str) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message", message]);
    }

    fn write(&self, path: &str, text: &str) {
        let file = self.root().join(path);
        fs::create_dir_all(file.parent().expect("it has one")).expect("made");
        fs::write(file, text).expect("written");
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.root().join(path)).expect("it is there")
    }

    fn remove(&self, path: &str) {
        fs::remove_file(self.root().join(path)).expect("it was there");
    }

    fn exists(&self, path: &str) -> bool {
        self.root().join(path).symlink_metadata().is_ok()
    }

    /// The paths a commit changed, with git's letters.
    fn changes_of(&self, commit: &str) -> Vec<String> {
        let text = self.git(&["show", "--no-renames", "--name-status", "--format=", "-z", commit]);
        let fields: Vec<&str> = text.split('\0').filter(|field| !field.is_empty()).collect();
        fields.chunks(2).map(|pair| pair.join(" ")).collect()
    }

    fn tip(&self) -> CommitId {
        CommitId::try_from(self.git(&["rev-parse", "HEAD"]).as_str()).expect("an id")
    }
}

fn paths(list: &[&str]) -> Vec<String> {
    list.iter().map(|path| (*path).to_owned()).collect()
}

fn message() -> Masked {
    Masked::own("planning: passed\n\n# a heading that stays\n")
}

fn changed(space: &IssueSpace, since: &Snapshot) -> Vec<String> {
    space.snapshot(Some(&since.tree)).expect("a snapshot").changed
}

/// Counts the git processes of a piece of work.
fn calls<T>(space: &IssueSpace, work: impl FnOnce() -> T) -> (usize, T) {
    let before = space.workspace().calls();
    let result = work();
    (space.workspace().calls() - before, result)
}

// Opening and refusing

#[test]
fn a_workspace_is_found_from_a_folder_inside_with_one_process() {
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
fn what_cannot_be_worked_on_is_refused_with_a_hint() {
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
    assert!(error.to_string().contains("nowhere"), "{error}");
}

#[cfg(unix)]
#[test]
fn an_old_git_is_said_to_be_old() {
    let fixture = Fixture::new();
    let script = fixture.home().join("old-git");
    fs::write(&script, "#!/bin/sh\necho --path-format=absolute\necho false\n").expect("written");
    make_executable(&script);
    let error =
        Workspace::open_with(&fixture.root(), fixture.program().program(&script)).expect_err("too old");
    assert!(matches!(error, Error::TooOld), "{error}");
}

#[test]
fn a_shallow_clone_works_and_is_known_to_be_one() {
    let fixture = Fixture::new();
    fixture.write("README.md", "two\n");
    fixture.commit_all("second");
    let address = format!("file://{}", fixture.root().display());
    fixture.git(&["clone", "--quiet", "--depth=1", &address, "../shallow"]);
    let shallow = fixture.dir.path().join("shallow");
    let workspace = Workspace::open_with(&shallow, fixture.program()).expect("a repository");
    assert!(workspace.is_shallow());
    let space = workspace.for_issue(IssueNumber::try_from(7).expect("a number"));
    assert_eq!(space.snapshot(None).expect("a snapshot").changed, paths(&[]));
}

#[test]
fn an_unknown_committer_is_refused_with_the_command_that_helps() {
    let fixture = Fixture::new();
    let workspace = fixture.workspace();
    assert!(workspace.identity().is_ok());
    fs::write(fixture.home().join(".gitconfig"), "[user]\n\tuseConfigOnly = true\n").expect("written");
    let error = workspace.identity().expect_err("nobody is known");
    assert!(error.to_string().starts_with("git does not know who commits: "), "{error}");
    assert!(error.hint().is_some_and(|hint| hint.contains("git config user.name")));
}

#[test]
fn the_survey_tells_changed_files_strays_and_what_is_unfinished_with_one_process() {
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
    let (count, survey) = calls(&space, || space.workspace().survey().expect("a survey"));
    assert_eq!(count, 1);
    assert!(!survey.is_clean());
    let expected = Survey {
        head: Head { commit: fixture.tip(), branch: Some("main".into()) },
        changed: paths(&["README.md", "staged.rs"]),
        strays: paths(&["my notes.txt"]),
        nested: paths(&["nested/"]),
        moved_submodules: paths(&[]),
        has_submodules: false,
        in_progress: Some("merge"),
        unreadable: paths(&[]),
    };
    assert_eq!(survey, expected);
}

#[test]
fn a_submodule_is_seen_and_its_content_left_alone() {
    let fixture = Fixture::new();
    let other = Fixture::new();
    let address = other.root().display().to_string();
    fixture.git(&["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", &address, "sub"]);
    fixture.commit_all("with a submodule");
    let space = fixture.run();
    let before = space.snapshot(None).expect("a snapshot");
    fixture.git_in(&fixture.root().join("sub"), &["commit", "--quiet", "--allow-empty", "--message=moved"]);
    fixture.write("sub/new.txt", "inside");
    let survey = space.workspace().survey().expect("a survey");
    assert_eq!((survey.moved_submodules, survey.has_submodules), (paths(&["sub"]), true));
    assert_eq!(changed(&space, &before), paths(&[]));
}

#[test]
fn a_failing_git_is_reported_with_its_command_and_last_words() {
    let fixture = Fixture::new();
    let unknown = Tree::try_from("0123456789012345678901234567890123456789").expect("an id");
    let error = fixture.space().changed_between(&unknown, &unknown).expect_err("there is no such tree");
    let text = error.to_string();
    assert!(text.starts_with("`git diff-tree -r -z --name-only --no-renames 0123"), "{text}");
    assert!(text.contains("failed (exit 128): fatal: bad object 0123"), "{text}");
}

// Bases and branches

#[test]
fn the_base_is_the_wanted_branch_then_origins_default_then_the_current_one() {
    let fixture = Fixture::new();
    fixture.git(&["branch", "release/1"]);
    let workspace = fixture.workspace();
    let head = workspace.survey().expect("a survey").head;
    let branch = |wanted| workspace.default_base(wanted, &head).expect("a base").branch;
    assert_eq!((branch(None), branch(Some("release/1"))), ("main".to_owned(), "release/1".to_owned()));
    fixture.git(&["update-ref", "refs/remotes/origin/trunk", "HEAD"]);
    fixture.git(&["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/trunk"]);
    assert_eq!(branch(None), "trunk");
    let detached = Head { branch: None, ..head };
    fixture.git(&["symbolic-ref", "--delete", "refs/remotes/origin/HEAD"]);
    assert!(matches!(workspace.default_base(None, &detached), Err(Error::DetachedHead)));
    assert!(workspace.default_base(Some("main"), &detached).is_ok());
}

#[test]
fn a_base_that_moved_on_origin_is_told() {
    let fixture = Fixture::new();
    let first = fixture.tip();
    fixture.git(&["commit", "--quiet", "--allow-empty", "--message=second"]);
    let second = fixture.tip();
    fixture.git(&["update-ref", "refs/remotes/origin/main", second.as_str()]);
    let workspace = fixture.workspace();
    assert_eq!(workspace.base("main").expect("a base").on_origin, None);
    fixture.git(&["reset", "--quiet", "--hard", first.as_str()]);
    let base = workspace.base("main").expect("a base");
    assert_eq!((base.commit, base.on_origin), (first, Some(second)));
}

#[test]
fn g01_a_base_that_is_no_plain_name_never_reaches_git() {
    let fixture = Fixture::new();
    let space = fixture.space();
    for bad in ["--upload-pack=x", "a..b", "$(x)", "refs/heads/../x", "@{-1}", "x.lock"] {
        let (count, result) = calls(&space, || space.workspace().base(bad));
        assert!(matches!(result, Err(Error::BadBranchName { .. })), "{bad}");
        assert_eq!(count, 0, "{bad}");
    }
    let error = space.workspace().base("nowhere").expect_err("no such branch");
    assert_eq!(error.to_string(), "there is no branch `nowhere`, neither here nor on origin");
}

#[test]
fn the_repository_is_named_by_origin_else_by_its_folder() {
    let fixture = Fixture::new();
    let workspace = fixture.workspace();
    assert_eq!(workspace.origin_address().expect("an answer"), None);
    assert_eq!(workspace.repository_name().expect("a name"), "my 'répo'");
    fixture.git(&["remote", "add", "origin", "https://user:secret@github.com/o/n.git"]);
    let workspace = fixture.workspace();
    assert_eq!(workspace.origin_address().expect("an answer").as_deref(), Some("https://github.com/o/n.git"));
    assert_eq!(workspace.repository_name().expect("a name"), "o/n");
}

#[test]
fn a_branch_from_elsewhere_is_told_from_our_own() {
    let fixture = Fixture::new();
    let space = fixture.space();
    let base = fixture.tip();
    let origin = || space.origin(&base).expect("an answer");
    assert_eq!(origin(), Origin::Missing);
    fixture.git(&["branch", &space.branch()]);
    assert!(matches!(origin(), Origin::AtBase(branch) if branch.tip == base));
    space.workspace().switch(&space.branch()).expect("it is there");
    fixture.git(&["commit", "--quiet", "--allow-empty", "--message=foreign"]);
    assert!(matches!(origin(), Origin::Foreign(branch) if branch.worktree == Some(fixture.root())));
    fixture.write(".ai-workflow/issue-7/events.jsonl", "{}\n");
    fixture.commit_all("our log");
    assert!(matches!(origin(), Origin::Ours(_)));
}

#[test]
fn starting_and_leaving_a_branch_refuses_nothing_silently() {
    let fixture = Fixture::new();
    let space = fixture.run();
    let workspace = space.workspace();
    let base = workspace.opened_at();
    assert!(matches!(workspace.start_branch(&space.branch(), base), Err(Error::BranchExists { .. })));
    assert!(matches!(workspace.delete_branch(&space.branch()), Err(Error::BranchInUse { .. })));
    fixture.write("README.md", "committed on the branch");
    fixture.commit_all("on the branch");
    fixture.write("README.md", "not committed");
    let error = workspace.switch("main").expect_err("a change would be lost");
    assert!(error.to_string().contains("README.md"), "{error}");
    fixture.git(&["checkout", "--quiet", "--", "README.md"]);
    workspace.switch("main").expect("nothing is in the way");
    workspace.delete_branch(&space.branch()).expect("it is not in use");
    assert!(matches!(workspace.switch(&space.branch()), Err(Error::NoSuchBranch { .. })));
    assert_eq!(workspace.branch(&space.branch()).expect("an answer"), None);
}

#[test]
fn a_run_can_have_a_worktree_of_its_own() {
    let fixture = Fixture::new();
    let space = fixture.space();
    let place = fixture.dir.path().canonicalize().expect("it exists").join("linked");
    let base = space.workspace().opened_at().clone();
    let linked = space.workspace().add_worktree(&place, &space.branch(), Some(&base)).expect("made");
    assert_eq!((linked.root(), linked.common()), (place.as_path(), fixture.root().join(".git").as_path()));
    assert!(linked.is_linked());
    let found = space.workspace().branch(&space.branch()).expect("an answer").expect("it is there");
    assert_eq!(found.worktree, Some(place.clone()));
    assert!(matches!(space.workspace().switch(&space.branch()), Err(Error::BranchInUse { .. })));

    let inside = linked.for_issue(IssueNumber::try_from(7).expect("a number"));
    let before = inside.snapshot(None).expect("a snapshot");
    fs::write(place.join("new.rs"), "new").expect("written");
    let after = inside.snapshot(Some(&before.tree)).expect("a snapshot");
    let commit = inside.commit(&after.changed, &message(), &after, &base).expect("committed");
    assert_eq!(fixture.changes_of(commit.as_str()), ["A new.rs"]);
    assert_eq!(fixture.git_in(&place, &["status", "--porcelain"]), "");
    assert!(!fixture.exists("new.rs"));

    space.workspace().remove_worktree(&place).expect("removed");
    assert!(!place.exists());
    let again = space.workspace().add_worktree(&place, &space.branch(), None).expect("made again");
    assert_eq!(*again.opened_at(), commit);
}

#[test]
fn a_file_is_read_as_a_commit_has_it() {
    let fixture = Fixture::new();
    let workspace = fixture.workspace();
    let commit = workspace.opened_at();
    fixture.write("README.md", "changed");
    assert_eq!(workspace.read_at(commit, "README.md").expect("an answer"), Some(b"read me\n".to_vec()));
    assert_eq!(workspace.read_at(commit, "no such file").expect("an answer"), None);
    assert!(matches!(workspace.read_at(commit, "src"), Err(Error::Unexpected { .. })));
    assert!(matches!(workspace.read_at(commit, "a\nb"), Err(Error::BadPath { .. })));
}

// Snapshots

#[test]
fn a_snapshot_covers_untracked_files_and_neither_ignored_ones_nor_the_engines_own() {
    let fixture = Fixture::new();
    let space = fixture.run();
    let first = space.snapshot(None).expect("a snapshot");
    fixture.write("target/debug/x", "ignored");
    fixture.write(".ai-workflow/issue-7/events.jsonl", "{}\n");
    fixture.write(".ai-workflow/issue-7/00_planning/execute/round-1/attempt-1/prompt.md", "prompt");
    fixture.write(".ai-workflow/local/issues/7.md", "issue");
    let same = space.snapshot(Some(&first.tree)).expect("a snapshot");
    assert_eq!((&same.tree, same.changed.len()), (&first.tree, 0));
    fixture.write("new.rs", "untracked");
    fixture.write(".ai-workflow/issue-7/00_planning/output/planning.md", "plan");
    let second = space.snapshot(Some(&first.tree)).expect("a snapshot");
    let expected = paths(&[".ai-workflow/issue-7/00_planning/output/planning.md", "new.rs"]);
    assert_eq!(second.changed, expected);
    assert_eq!(space.changed_between(&first.tree, &second.tree).expect("an answer"), expected);
    assert_eq!(second.head, Head { commit: fixture.tip(), branch: Some(space.branch()) });
    let engine_files: Vec<&str> = second.engine_files().collect();
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
fn an_unchanged_tree_costs_one_process_and_a_changed_one_three() {
    let fixture = Fixture::new();
    let space = fixture.run();
    let (count, first) = calls(&space, || space.snapshot(None).expect("a snapshot"));
    assert_eq!(count, 2);
    let (count, same) = calls(&space, || space.snapshot(Some(&first.tree)).expect("a snapshot"));
    assert_eq!((count, &same.tree), (1, &first.tree));
    fixture.write("src/lib.rs", "two\n");
    let (count, second) = calls(&space, || space.snapshot(Some(&first.tree)).expect("a snapshot"));
    assert_eq!((count, second.changed), (3, paths(&["src/lib.rs"])));
    let (count, _) = calls(&space, || space.snapshot(Some(&second.tree)).expect("a snapshot"));
    assert_eq!(count, 1);
}

#[test]
fn a_change_of_the_same_length_in_the_same_second_is_seen() {
    let fixture = Fixture::new();
    let space = fixture.run();
    let mut last = space.snapshot(None).expect("a snapshot");
    for text in ["aaa\n", "bbb\n", "ccc\n", "ddd\n"] {
        fixture.write("src/lib.rs", text);
        let next = space.snapshot(Some(&last.tree)).expect("a snapshot");
        assert_eq!(next.changed, paths(&["src/lib.rs"]), "{text}");
        last = next;
    }
}

#[test]
fn a_lost_index_is_rebuilt_from_its_tree() {
    let fixture = Fixture::new();
    let space = fixture.run();
    fixture.write("stray.txt", "untracked");
    let first = space.snapshot(None).expect("a snapshot");
    fs::remove_dir_all(space.state_dir()).expect("removed");
    let again = space.snapshot(Some(&first.tree)).expect("a snapshot");
    assert_eq!((again.tree, again.changed), (first.tree.clone(), paths(&[])));
    fs::remove_dir_all(space.state_dir()).expect("removed");
    fs::remove_file(fixture.root().join(".git/index")).expect("removed");
    assert_eq!(space.snapshot(None).expect("a snapshot").tree, first.tree);
}

#[test]
fn only_the_newest_indexes_are_kept() {
    let fixture = Fixture::new();
    let space = fixture.run();
    let mut tree = space.snapshot(None).expect("a snapshot").tree;
    for number in 0..10 {
        fixture.write("src/lib.rs", &number.to_string());
        tree = space.snapshot(Some(&tree)).expect("a snapshot").tree;
    }
    let kept = fs::read_dir(space.state_dir().join("snapshots")).expect("it is there").count();
    assert_eq!(kept, 6);
    assert_eq!(space.snapshot(Some(&tree)).expect("a snapshot").changed, paths(&[]));
}

const ODD_NAMES: [&str; 9] =
    ["a b", "quo\"te", "apo'strophe", "line\nbreak", "-dash", "日本語.md", ":(top)x", "st*r", "back\\slash"];

#[test]
fn g04_odd_names_pass_through_snapshot_commit_and_restore() {
    let fixture = Fixture::new();
    let space = fixture.run();
    let before = space.snapshot(None).expect("a snapshot");
    for name in ODD_NAMES {
        fixture.write(name, "odd");
    }
    fixture.write("star", "not meant by st*r");
    let after = space.snapshot(Some(&before.tree)).expect("a snapshot");
    let mut expected = paths(&ODD_NAMES);
    expected.sort();
    let named: Vec<String> = after.changed.iter().filter(|path| *path != "star").cloned().collect();
    assert_eq!(named, expected);
    let commit = space.commit(&named, &message(), &after, &fixture.tip()).expect("committed");
    assert_eq!(fixture.changes_of(commit.as_str()).len(), ODD_NAMES.len());
    for name in ODD_NAMES {
        fixture.remove(name);
    }
    assert_eq!(space.restore(&after.tree).expect("restored"), expected);
    assert!(ODD_NAMES.iter().all(|name| fixture.read(name) == "odd"));
}

#[cfg(target_os = "linux")]
#[test]
fn g03_special_files_nested_repositories_and_unreadable_names_are_left_out_and_named() {
    use std::os::unix::ffi::OsStrExt;
    let fixture = Fixture::new();
    let space = fixture.run();
    let before = space.snapshot(None).expect("a snapshot");
    fs::write(fixture.root().join(std::ffi::OsStr::from_bytes(b"bad\xffname")), "x").expect("written");
    fixture.git(&["init", "--quiet", "nested"]);
    fixture.write("nested/file", "inside");
    fixture.remove("README.md");
    let pipe = fixture.root().join("README.md");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo is there").success());
    let after = space.snapshot(Some(&before.tree)).expect("a snapshot");
    assert_eq!((&after.tree, after.changed), (&before.tree, paths(&[])));
    let mut left_out = after.left_out;
    left_out.sort();
    assert_eq!(left_out, ["README.md", "bad\\xffname", "nested/"]);
}

#[test]
fn a_file_taken_in_and_ignored_later_leaves_the_tree_again() {
    let fixture = Fixture::new();
    let space = fixture.run();
    let before = space.snapshot(None).expect("a snapshot");
    fixture.write("out.log", "output");
    let middle = space.snapshot(Some(&before.tree)).expect("a snapshot");
    assert_eq!(middle.changed, paths(&["out.log"]));
    fixture.write(".gitignore", "/target/\n*.log\nsrc/\n");
    let after = space.snapshot(Some(&middle.tree)).expect("a snapshot");
    assert_eq!(after.changed, paths(&[".gitignore", "out.log"]));
    let between = space.changed_between(&before.tree, &after.tree).expect("an answer");
    assert_eq!(between, paths(&[".gitignore"]), "src/lib.rs is ignored now, but tracked");
    let named = paths(&[".gitignore", "out.log"]);
    let commit = space.commit(&named, &message(), &after, &fixture.tip()).expect("committed");
    assert_eq!(fixture.changes_of(commit.as_str()), ["M .gitignore"]);
}

// Restoring

#[test]
fn a_reviewers_changes_are_undone_and_nothing_else() {
    let fixture = Fixture::new();
    let space = fixture.run();
    fixture.write("author.rs", "by the author");
    fixture.write(".ai-workflow/issue-7/events.jsonl", "{}\n");
    let agreed = space.snapshot(None).expect("a snapshot");
    fixture.write("target/x", "ignored");
    fixture.write(".ai-workflow/issue-7/events.jsonl", "{}\n{}\n");
    fixture.write("author.rs", "by the reviewer");
    fixture.write("deep/er/new.rs", "by the reviewer");
    fixture.remove("README.md");
    let (count, undone) = calls(&space, || space.restore(&agreed.tree).expect("restored"));
    assert_eq!((count, undone), (2, paths(&["README.md", "author.rs", "deep/er/new.rs"])));
    assert_eq!(
        (fixture.read("author.rs"), fixture.read("README.md")),
        ("by the author".into(), "read me\n".into())
    );
    assert!(!fixture.exists("deep"));
    assert_eq!(fixture.read(".ai-workflow/issue-7/events.jsonl"), "{}\n{}\n");
    assert!(fixture.exists("target/x"));
    assert_eq!(changed(&space, &agreed), paths(&[]));
    let (count, undone) = calls(&space, || space.restore(&agreed.tree).expect("restored"));
    assert_eq!((count, undone), (1, paths(&[])));
}

#[cfg(unix)]
#[test]
fn a_folder_that_became_a_link_to_elsewhere_is_restored_without_touching_elsewhere() {
    let fixture = Fixture::new();
    let space = fixture.run();
    let agreed = space.snapshot(None).expect("a snapshot");
    let elsewhere = fixture.dir.path().join("elsewhere");
    fs::create_dir(&elsewhere).expect("made");
    fs::write(elsewhere.join("lib.rs"), "not ours").expect("written");
    fs::remove_dir_all(fixture.root().join("src")).expect("removed");
    std::os::unix::fs::symlink(&elsewhere, fixture.root().join("src")).expect("linked");
    assert_eq!(space.restore(&agreed.tree).expect("restored"), paths(&["src", "src/lib.rs"]));
    assert_eq!(fixture.read("src/lib.rs"), "one\n");
    assert_eq!(fs::read_to_string(elsewhere.join("lib.rs")).expect("it is there"), "not ours");
}

// Commits

#[test]
fn a_clean_phase_costs_six_processes() {
    let fixture = Fixture::new();
    let space = fixture.run();
    let mut tip = fixture.tip();
    let mut tree = space.snapshot(None).expect("a snapshot").tree;
    let mut counts = Vec::new();
    for phase in ["00_planning", "01_requirements"] {
        fixture.write(".ai-workflow/issue-7/events.jsonl", phase);
        fixture.write(&format!(".ai-workflow/issue-7/{phase}/output/out.md"), phase);
        let (count, commit) = calls(&space, || {
            let worked = space.snapshot(Some(&tree)).expect("a snapshot");
            let judged = space.snapshot(Some(&worked.tree)).expect("a snapshot");
            assert_eq!(worked.tree, judged.tree);
            let mut named = worked.changed;
            named.extend(judged.engine_files().map(str::to_owned));
            tree = judged.tree.clone();
            space.commit(&named, &message(), &judged, &tip).expect("committed")
        });
        assert_eq!(fixture.changes_of(commit.as_str()).len(), 2, "the deliverable and the log");
        assert_eq!(fixture.git(&["status", "--porcelain"]), "");
        tip = commit;
        counts.push(count);
    }
    assert_eq!(counts, [7, 6], "the first commit of a process makes its index");
    assert_eq!(fixture.git(&["log", "-1", "--format=%B"]).trim(), message().as_str().trim());
}

#[test]
fn strays_and_what_the_agent_staged_are_never_committed() {
    let fixture = Fixture::new();
    fixture.write("stray.txt", "there before the run");
    let space = fixture.run();
    let before = space.snapshot(None).expect("a snapshot");
    fixture.write("staged.rs", "staged by the agent");
    fixture.git(&["add", "staged.rs", "stray.txt"]);
    fixture.write("src/lib.rs", "two\n");
    let after = space.snapshot(Some(&before.tree)).expect("a snapshot");
    assert_eq!(after.changed, paths(&["src/lib.rs", "staged.rs"]));
    let judged = space.snapshot(Some(&after.tree)).expect("a snapshot");
    let commit =
        space.commit(&paths(&["src/lib.rs"]), &message(), &judged, &fixture.tip()).expect("committed");
    assert_eq!(fixture.changes_of(commit.as_str()), ["M src/lib.rs"]);
    assert_eq!(fixture.git(&["status", "--porcelain"]), "?? staged.rs\n?? stray.txt");
    assert_eq!(fixture.read("stray.txt"), "there before the run");
}

#[test]
fn g08_the_agents_own_commits_are_folded_in() {
    let fixture = Fixture::new();
    fixture.write("stray.txt", "there before the run");
    let space = fixture.run();
    let start = fixture.tip();
    let before = space.snapshot(None).expect("a snapshot");
    fixture.write("src/lib.rs", "two\n");
    fixture.write("gone.rs", "made and removed");
    fixture.commit_all("the agent's first, with the stray in it");
    fixture.remove("gone.rs");
    fixture.commit_all("the agent's second");
    fixture.write("new.rs", "not committed by the agent");
    let after = space.snapshot(Some(&before.tree)).expect("a snapshot");
    assert_eq!(after.changed, paths(&["new.rs", "src/lib.rs"]));
    let named = paths(&["gone.rs", "new.rs", "src/lib.rs"]);
    let commit = space.commit(&named, &message(), &after, &start).expect("committed");
    assert_eq!(fixture.changes_of(commit.as_str()), ["A new.rs", "M src/lib.rs"]);
    assert_eq!(fixture.git(&["rev-parse", "HEAD~1"]), start.as_str());
    assert_eq!(fixture.git(&["status", "--porcelain"]), "?? stray.txt");
}

#[test]
fn g06_a_merge_that_the_agent_left_behind_is_taken_back_and_a_rebase_refused() {
    let fixture = Fixture::new();
    let space = fixture.run();
    let start = fixture.tip();
    fixture.git(&["switch", "--quiet", "--create", "side"]);
    fixture.write("src/lib.rs", "side\n");
    fixture.commit_all("side");
    fixture.git(&["switch", "--quiet", &space.branch()]);
    let before = space.snapshot(None).expect("a snapshot");
    fixture.git(&["merge", "--quiet", "--no-ff", "--no-commit", "side"]);
    let after = space.snapshot(Some(&before.tree)).expect("a snapshot");
    let named = after.changed.clone();
    let commit = space.commit(&named, &message(), &after, &start).expect("committed");
    assert_eq!(fixture.git(&["rev-list", "--parents", "-1", "HEAD"]), format!("{commit} {start}"));
    assert_eq!(space.workspace().in_progress(), None);

    fs::create_dir(fixture.root().join(".git/rebase-merge")).expect("made");
    let error = space.commit(&named, &message(), &after, &commit).expect_err("a rebase is in progress");
    assert!(matches!(error, Error::InProgress { what: "rebase", .. }), "{error}");
    assert_eq!(fixture.tip(), commit);
}

#[test]
fn nothing_is_committed_on_another_branch_or_on_none() {
    let fixture = Fixture::new();
    let space = fixture.run();
    let start = fixture.tip();
    fixture.write("src/lib.rs", "two\n");
    let on_branch = space.snapshot(None).expect("a snapshot");
    fixture.git(&["switch", "--quiet", "main"]);
    let on_main = space.snapshot(None).expect("a snapshot");
    fixture.git(&["switch", "--quiet", "--detach"]);
    let detached = space.snapshot(None).expect("a snapshot");
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
fn renames_deletions_and_paths_that_vanished_are_committed_as_they_are() {
    let fixture = Fixture::new();
    let space = fixture.run();
    let before = space.snapshot(None).expect("a snapshot");
    fixture.write("passing.rs", "made and removed");
    let middle = space.snapshot(Some(&before.tree)).expect("a snapshot");
    fixture.remove("passing.rs");
    fs::rename(fixture.root().join("README.md"), fixture.root().join("READ ME.md")).expect("renamed");
    fixture.remove("src/lib.rs");
    fixture.write("src/lib.rs/mod.rs", "a folder where a file was");
    let after = space.snapshot(Some(&middle.tree)).expect("a snapshot");
    let mut named = middle.changed;
    named.extend(after.changed);
    named.push("never/there.rs".into());
    let judged = space.snapshot(Some(&after.tree)).expect("a snapshot");
    let commit = space.commit(&named, &message(), &judged, &fixture.tip()).expect("committed");
    let expected = ["A READ ME.md", "D README.md", "D src/lib.rs", "A src/lib.rs/mod.rs"];
    assert_eq!(fixture.changes_of(commit.as_str()), expected);
    assert_eq!(fixture.git(&["status", "--porcelain"]), "");
}

#[test]
fn a_commit_holds_what_was_judged_and_not_what_was_written_afterwards() {
    let fixture = Fixture::new();
    let space = fixture.run();
    let before = space.snapshot(None).expect("a snapshot");
    fixture.write("src/lib.rs", "judged\n");
    let worked = space.snapshot(Some(&before.tree)).expect("a snapshot");
    let judged = space.snapshot(Some(&worked.tree)).expect("a snapshot");
    assert!(matches!(judged.uncommitted.get("src/lib.rs"), Some(Content::Blob { .. })));
    fixture.write("src/lib.rs", "smuggled\n");
    let commit = space.commit(&worked.changed, &message(), &judged, &fixture.tip()).expect("committed");
    let committed = space.workspace().read_at(&commit, "src/lib.rs").expect("an answer");
    assert_eq!(committed, Some(b"judged\n".to_vec()));
    assert_eq!(fixture.git(&["status", "--porcelain"]), " M src/lib.rs");
}

#[test]
fn a_commit_right_after_the_change_reads_the_files_once_more() {
    let fixture = Fixture::new();
    let space = fixture.run();
    fixture.write("src/lib.rs", "two\n");
    fixture.write("new.rs", "new\n");
    let worked = space.snapshot(None).expect("a snapshot");
    let commit = space.commit(&worked.changed, &message(), &worked, &fixture.tip()).expect("committed");
    assert_eq!(fixture.changes_of(commit.as_str()), ["A new.rs", "M src/lib.rs"]);
}

#[cfg(unix)]
#[test]
fn g02_a_link_that_leaves_the_worktree_is_committed_as_a_link() {
    let fixture = Fixture::new();
    let space = fixture.run();
    let before = space.snapshot(None).expect("a snapshot");
    let elsewhere = fixture.dir.path().join("elsewhere");
    fs::create_dir(&elsewhere).expect("made");
    fs::write(elsewhere.join("lib.rs"), "secret").expect("written");
    fs::remove_dir_all(fixture.root().join("src")).expect("removed");
    std::os::unix::fs::symlink(&elsewhere, fixture.root().join("src")).expect("linked");
    let worked = space.snapshot(Some(&before.tree)).expect("a snapshot");
    assert_eq!(worked.changed, paths(&["src", "src/lib.rs"]));
    let judged = space.snapshot(Some(&worked.tree)).expect("a snapshot");
    let commit = space.commit(&worked.changed, &message(), &judged, &fixture.tip()).expect("committed");
    assert_eq!(fixture.changes_of(commit.as_str()), ["A src", "D src/lib.rs"]);
    assert!(fixture.git(&["ls-tree", "HEAD", "src"]).starts_with("120000 blob "));
    let link = space.workspace().read_at(&commit, "src").expect("an answer").expect("it is there");
    assert_eq!(link, elsewhere.to_str().expect("plain").as_bytes());
}

#[test]
fn an_empty_phase_commits_the_log_and_an_ignored_log_leaves_an_empty_commit() {
    let fixture = Fixture::new();
    let space = fixture.run();
    let log = ".ai-workflow/issue-7/events.jsonl";
    fixture.write(log, "1");
    let seen = space.snapshot(None).expect("a snapshot");
    // Written after the snapshot, as the last facts are.
    fixture.write(log, "1\n2");
    fixture.write(".ai-workflow/issue-7/review-result.json", "{}");
    let named =
        paths(&[log, ".ai-workflow/issue-7/review-result.json", ".ai-workflow/issue-7/metadata.json"]);
    let commit = space.commit(&named, &message(), &seen, &fixture.tip()).expect("committed");
    let expected = ["A .ai-workflow/issue-7/events.jsonl", "A .ai-workflow/issue-7/review-result.json"];
    assert_eq!(fixture.changes_of(commit.as_str()), expected);
    assert_eq!(space.workspace().read_at(&commit, log).expect("an answer"), Some(b"1\n2".to_vec()));

    let ignoring = Fixture::new();
    ignoring.write(".git/info/exclude", ".ai-workflow/\n");
    let space = ignoring.run();
    ignoring.write(log, "1");
    let seen = space.snapshot(None).expect("a snapshot");
    let commit = space.commit(&named, &message(), &seen, &ignoring.tip()).expect("committed");
    assert_eq!(ignoring.changes_of(commit.as_str()), Vec::<String>::new());
    assert_eq!(ignoring.tip(), commit);
}

#[cfg(unix)]
#[test]
fn c08_hooks_of_the_repository_or_set_by_the_agent_are_not_run() {
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
    let seen = space.snapshot(None).expect("a snapshot");
    space.commit(&seen.changed, &message(), &seen, &before).expect("committed in spite of the hooks");
    space.workspace().switch("main").expect("switched");
    assert!(!fixture.home().join("ran").exists());
}

#[test]
fn c07_settings_by_which_git_would_start_an_agents_program_stop_the_run() {
    let fixture = Fixture::new();
    let space = fixture.run();
    let before = space.snapshot(None).expect("a snapshot");
    fixture.git(&["config", "user.name", "Agent"]);
    assert_eq!(changed(&space, &before), paths(&[]), "a name is harmless");
    fixture.git(&["config", "filter.evil.clean", "touch \"$HOME/ran\"; cat"]);
    fixture.write(".gitattributes", "*.rs filter=evil\n");
    fixture.write("src/lib.rs", "two\n");
    let error = space.snapshot(Some(&before.tree)).expect_err("a filter was set");
    assert!(matches!(&error, Error::ConfigChanged { path } if path.ends_with(".git/config")), "{error}");
    assert!(error.hint().is_some());
    assert!(!fixture.home().join("ran").exists());
}

#[test]
fn a_lock_that_another_git_holds_is_named_and_nothing_is_changed() {
    let fixture = Fixture::new();
    let space = fixture.run();
    fixture.write("src/lib.rs", "two\n");
    let seen = space.snapshot(None).expect("a snapshot");
    fixture.write(".git/index.lock", "");
    let before = fixture.tip();
    let error = space.commit(&seen.changed, &message(), &seen, &before).expect_err("it is locked");
    assert!(matches!(&error, Error::Locked { path } if path.ends_with(".git/index.lock")), "{error}");
    assert!(error.hint().is_some());
    assert!(matches!(space.workspace().switch("main"), Err(Error::Locked { .. })));
    assert_eq!(fixture.tip(), before);
}

#[test]
fn a_failed_commit_leaves_no_lock_behind() {
    let fixture = Fixture::new();
    let space = fixture.run();
    fixture.write("src/lib.rs", "two\n");
    let seen = space.snapshot(None).expect("a snapshot");
    fs::write(fixture.home().join(".gitconfig"), "[user]\n\tuseConfigOnly = true\n").expect("written");
    let error = space.commit(&seen.changed, &message(), &seen, &fixture.tip()).expect_err("nobody commits");
    assert!(error.to_string().starts_with("`git commit --allow-empty"), "{error}");
    assert!(!fixture.exists(".git/index.lock"));
}

#[test]
fn an_index_left_behind_by_a_crash_is_brought_to_head() {
    let fixture = Fixture::new();
    let space = fixture.run();
    let old = fs::read(fixture.root().join(".git/index")).expect("it is there");
    fixture.write("src/lib.rs", "two\n");
    fixture.commit_all("a commit whose process died before it wrote the index");
    fs::write(fixture.root().join(".git/index"), old).expect("written");
    assert_eq!(fixture.git(&["status", "--porcelain"]), "MM src/lib.rs");
    space.workspace().refresh_index().expect("refreshed");
    assert_eq!(fixture.git(&["status", "--porcelain"]), "");
}

#[test]
fn a_commit_whose_fact_was_lost_is_found_by_its_trailers() {
    let fixture = Fixture::new();
    let space = fixture.space();
    assert_eq!(space.find_commit_with("run", 3).expect("an answer"), None);
    let space = fixture.run();
    let trailers = |seq| Trailers { run: "run".into(), phase: "planning".into(), seq, chain: "ff".into() };
    let mut commits = Vec::new();
    for seq in [3, 9] {
        let seen = space.snapshot(None).expect("a snapshot");
        let text =
            Masker::default().mask(&format!("planning: passed\n\nWhat was done.\n\n{}", trailers(seq)));
        commits.push(space.commit(&[], &text, &seen, &fixture.tip()).expect("committed"));
    }
    let found = |run, seq| space.find_commit_with(run, seq).expect("an answer");
    assert_eq!(found("run", 3), Some((commits[0].clone(), trailers(3))));
    assert_eq!(found("run", 9), Some((commits[1].clone(), trailers(9))));
    assert_eq!((found("run", 4), found("other", 3)), (None, None));
}

// Locks

#[test]
fn stale_locks_of_a_killed_git_are_removed_and_young_ones_are_not() {
    let fixture = Fixture::new();
    let space = fixture.run();
    space.snapshot(None).expect("a snapshot");
    let snapshots = space.state_dir().join("snapshots");
    let stale = [
        fixture.root().join(".git/HEAD.lock"),
        fixture.root().join(".git/index.lock"),
        fixture.root().join(".git/next-index-12.lock"),
        fixture.root().join(".git/packed-refs.lock"),
        fixture.root().join(".git/refs/heads/ai-workflow/issue-7.lock"),
        snapshots.join("incoming.index"),
        snapshots.join("x.index.lock"),
    ];
    for path in &stale {
        fs::write(path, "").expect("written");
    }
    let foreign = fixture.root().join(".git/refs/heads/main.lock");
    fs::write(&foreign, "").expect("written");
    let hour = Duration::from_secs(3600);
    let long_ago = SystemTime::now() - hour;
    assert_eq!(space.sweep_stale_locks(long_ago).expect("swept"), Vec::<PathBuf>::new());
    // Only a git at work here could hold them back, and in a folder of our own there is none.
    let mut swept = space.sweep_stale_locks(SystemTime::now() + hour).expect("swept");
    swept.sort();
    assert_eq!(swept, stale);
    assert!(foreign.exists(), "another branch is none of our business");
}

#[cfg(target_os = "linux")]
#[test]
fn a_lock_is_left_alone_while_a_git_is_at_work_in_the_worktree() {
    let fixture = Fixture::new();
    let space = fixture.run();
    let lock = fixture.root().join(".git/index.lock");
    fs::write(&lock, "").expect("written");
    let mut waiting = Command::new("git")
        .current_dir(fixture.root())
        .args(["cat-file", "--batch"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::null())
        .spawn()
        .expect("git is installed");
    let later = SystemTime::now() + Duration::from_secs(3600);
    let swept = space.sweep_stale_locks(later).expect("swept");
    drop(waiting.stdin.take());
    waiting.wait().expect("it ends");
    assert_eq!((swept, lock.exists()), (Vec::<PathBuf>::new(), true));
    assert_eq!(space.sweep_stale_locks(later).expect("swept"), vec![lock]);
}

// Publishing

#[test]
fn a_push_adds_to_the_remote_and_never_replaces_what_others_pushed() {
    let fixture = Fixture::new();
    fixture.git(&["init", "--quiet", "--bare", "../remote"]);
    fixture.git(&["remote", "add", "origin", "../remote"]);
    let space = fixture.run();
    let (branch, workspace) = (space.branch(), space.workspace());
    let first = fixture.tip();
    workspace.push("origin", &branch, None).expect("pushed");
    let remote = fixture.dir.path().join("remote");
    assert_eq!(fixture.git_in(&remote, &["rev-parse", &branch]), first.as_str());

    fixture.git(&["commit", "--quiet", "--allow-empty", "--message=second"]);
    let second = fixture.tip();
    workspace.push("origin", &branch, None).expect("pushed");
    fixture.git(&["reset", "--quiet", "--hard", first.as_str()]);
    fixture.git(&["commit", "--quiet", "--allow-empty", "--message=another second"]);
    for lease in [None, Some(&first)] {
        let error = workspace.push("origin", &branch, lease).expect_err("the remote moved");
        assert!(matches!(error, Error::RemoteMoved { .. }), "{error}");
    }
    assert_eq!(fixture.git_in(&remote, &["rev-parse", &branch]), second.as_str());
    workspace.push("origin", &branch, Some(&second)).expect("pushed with the lease");
    assert!(matches!(workspace.push("nowhere", &branch, None), Err(Error::PushFailed { .. })));
    assert!(matches!(workspace.push("--exec=x", &branch, None), Err(Error::BadBranchName { .. })));
}

#[test]
fn many_commits_become_one_and_the_files_stay() {
    let fixture = Fixture::new();
    let space = fixture.run();
    let base = fixture.tip();
    for text in ["two\n", "three\n"] {
        fixture.write("src/lib.rs", text);
        fixture.commit_all(text);
    }
    let tip = fixture.tip();
    let commit = space.squash(&base, &tip, &message()).expect("squashed");
    assert_eq!(fixture.git(&["rev-list", "--parents", "-1", "HEAD"]), format!("{commit} {base}"));
    assert_eq!(fixture.git(&["status", "--porcelain"]), "");
    assert_eq!(fixture.read("src/lib.rs"), "three\n");
    assert!(space.squash(&base, &tip, &message()).is_err(), "the branch is not there any more");
    assert_eq!(fixture.tip(), commit);
}

#[test]
fn a_signature_that_the_user_wants_is_asked_for() {
    let fixture = Fixture::new();
    let space = fixture.run();
    let base = fixture.tip();
    let config = fixture.home().join(".gitconfig");
    let text = fs::read_to_string(&config).expect("it is there");
    fs::write(&config, text + "[commit]\n\tgpgSign = true\n[gpg]\n\tprogram = /no/such/program\n")
        .expect("written");
    let error = space.squash(&base, &base, &message()).expect_err("nothing can sign");
    assert!(error.to_string().contains("gpg"), "{error}");
    let seen = space.snapshot(None).expect("a snapshot");
    assert!(space.commit(&[], &message(), &seen, &base).is_err(), "nothing can sign");
    assert_eq!(fixture.tip(), base);
}

#[test]
fn commits_are_taken_back_by_new_commits_and_a_conflict_changes_nothing() {
    let fixture = Fixture::new();
    let space = fixture.run();
    let mut commits = Vec::new();
    for text in ["two\n", "three\n"] {
        fixture.write("src/lib.rs", text);
        fixture.commit_all(text);
        commits.insert(0, fixture.tip());
    }
    let tip = fixture.tip();
    let older_only = [commits[1].clone()];
    let error = space.workspace().revert(&older_only).expect_err("the newer one stands on it");
    assert!(matches!(error, Error::RevertConflict { .. }), "{error}");
    assert_eq!((fixture.tip(), fixture.read("src/lib.rs")), (tip, "three\n".to_owned()));
    space.workspace().revert(&commits).expect("reverted");
    assert_eq!(fixture.read("src/lib.rs"), "one\n");
    assert_eq!(fixture.git(&["rev-list", "--count", "HEAD"]), "5");
    fixture.write("src/lib.rs", "in the way\n");
    assert!(matches!(space.workspace().revert(&commits), Err(Error::Git { .. })));
}

// Differences

#[test]
fn a_difference_is_text_up_to_a_limit() {
    let fixture = Fixture::new();
    let space = fixture.run();
    let before = space.snapshot(None).expect("a snapshot");
    fixture.write("src/lib.rs", "two\n");
    fixture.write("new 日本.rs", "new\n");
    let after = space.snapshot(Some(&before.tree)).expect("a snapshot");
    let whole = space.diff(&before.tree, &after.tree, 10_000).expect("a diff");
    assert!(
        whole.text.contains("-one\n+two\n") && whole.text.contains("+++ b/new 日本.rs"),
        "{}",
        whole.text
    );
    assert_eq!(space.diff(&fixture.tip(), &after.tree, 10_000).expect("a diff"), whole);
    let cut = space.diff(&before.tree, &after.tree, 60).expect("a diff");
    assert!(cut.truncated && whole.text.starts_with(&cut.text) && cut.text.ends_with('\n'), "{}", cut.text);
    assert!(matches!(space.diff("--output=x", &after.tree, 60), Err(Error::BadObjectId { .. })));
}

#[cfg(unix)]
fn make_executable(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("set");
}
