//! The worktree as a run uses it, on real repositories in temporary folders, with a git that knows nothing of this machine.
#![allow(clippy::disallowed_methods, reason = "tests of a crate that touches the world")]

mod branches;
mod changes;
mod clean;
mod commits;
mod differences;
mod git_files;
mod locks;
mod opening;
mod publishing;
mod references;
mod snapshots;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use git::{
    CommitId, Error, Git, Head, PathContent, RunBranchState, RunWorkspace, Snapshot, Trailers, Tree,
    Workspace, WorktreeState,
};
use model::issue::IssueNumber;
use model::redact::{Masked, Masker};
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
            ("XDG_CACHE_HOME", self.home().join("cache")),
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
    fn run(&self) -> RunWorkspace {
        let space = self.space();
        let head = space.workspace().opened_at().clone();
        space.workspace().branches().start(&space.branch(), &head).expect("the branch is new");
        space
    }

    fn space(&self) -> RunWorkspace {
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

fn changed(space: &RunWorkspace, since: &Snapshot) -> Vec<String> {
    space.snapshots().take(Some(&since.tree)).expect("a snapshot").changed
}

/// Counts the git processes of a piece of work.
fn calls<T>(space: &RunWorkspace, work: impl FnOnce() -> T) -> (usize, T) {
    let before = space.workspace().calls();
    let result = work();
    (space.workspace().calls() - before, result)
}

/// Makes a file executable, as a copy that a child process wrote: a descriptor of ours that the child of another test
/// inherits would make the file busy.
fn make_executable(path: &Path) {
    let copied = "cp \"$1\" \"$1.new\" && chmod 755 \"$1.new\" && mv \"$1.new\" \"$1\"";
    let status = Command::new("sh").args(["-c", copied, "sh"]).arg(path).status().expect("sh starts");
    assert!(status.success(), "{} cannot be made executable", path.display());
}
