//! The small project of a runner, as `tests/runners/RUNNER.toml` has it, in a repository of its own; and where the runners are.
//! Whoever asks for these tests without a runner is told loudly.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::support::Sandbox;

/// Set where the runners have to be there: a test that would be skipped fails.
const REQUIRED: &str = "AI_WORKFLOW_RUNNERS_REQUIRED";

/// How a test ended at the base, now, in its old version on the new code, and in its new version on the old code; nothing
/// where a run does not have it.
pub type Outcomes = [String; 4];

/// A project, and what its runner is known to say of it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Project {
    /// The program of the runner.
    program: String,
    /// Nothing that the full suite does installs it.
    #[serde(default)]
    optional: bool,
    /// The command that runs the tests.
    test: String,
    /// The folder of dependencies that the checkout has and git ignores.
    linked: Option<String>,
    /// The files of the base.
    files: BTreeMap<String, String>,
    /// What a branch changes that repairs the product, expects the right of one test and adds another.
    repaired: Vec<Edit>,
    /// What the four runs say of that branch.
    pub tests: BTreeMap<String, Outcomes>,
    /// A test that a bad branch removes besides.
    pub deleted: Deleted,
    /// What another branch adds.
    pub new_function: NewFunction,
}

/// A text that takes the place of another.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Edit {
    file: String,
    old: String,
    new: String,
}

/// A test as it stands in its file, and the ids that are missed without it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Deleted {
    file: String,
    text: String,
    pub lost: Vec<String>,
}

/// A function that the base does not have, and a test of it, which cannot be loaded there.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewFunction {
    /// How the check ends that asks whether a new test fails without the code; it tries again where the function does nothing,
    /// in languages that we can parse.
    pub red_green: String,
    /// What stands at the ends of the files.
    appended: BTreeMap<String, String>,
    /// What the four runs say of that branch.
    pub tests: BTreeMap<String, Outcomes>,
}

impl Project {
    /// Reads the project of a runner; nothing where the runner is not installed.
    pub fn of(runner: &str) -> Option<Self> {
        let file = runners().join(format!("{runner}.toml"));
        let text = fs::read_to_string(&file).expect("the project of the runner");
        let project: Self =
            toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        is_installed(&project.program, project.optional).then_some(project)
    }

    /// Returns the project on a branch that repairs it.
    pub fn repaired(&self) -> Sandbox {
        let branch = self.branch();
        for Edit { file, old, new } in &self.repaired {
            replace(&branch, file, old, new);
        }
        commit(&branch, "fix: count the page that is begun");
        branch
    }

    /// Removes a test from a branch.
    pub fn delete_a_test(&self, branch: &Sandbox) {
        replace(branch, &self.deleted.file, &self.deleted.text, "");
        commit(branch, "test: less of them");
    }

    /// Returns the project on a branch that adds a function with its test.
    pub fn with_new_function(&self) -> Sandbox {
        let branch = self.branch();
        for (file, text) in &self.new_function.appended {
            let before = self.files.get(file).map_or("", String::as_str);
            branch.write(file, &format!("{before}{text}"));
        }
        commit(&branch, "feat: count the books");
        branch
    }

    /// Returns the project on a branch without changes; the settings are in no commit.
    fn branch(&self) -> Sandbox {
        let files = self.files.iter().map(|(file, text)| (file.as_str(), text.as_str()));
        branch(files, self.linked.as_deref(), "test", &self.test)
    }

    /// Returns the tests that expect something else now.
    pub fn changed_expectations(&self) -> Vec<&str> {
        self.ids(|[base, now, old_tests, _]| base == "passed" && now == "passed" && old_tests == "failed")
    }

    /// Returns the tests that fail without the repair by what they assert.
    pub fn red_tests(&self) -> Vec<&str> {
        self.ids(|[_, now, _, new_tests]| now == "passed" && new_tests == "failed")
    }

    fn ids(&self, fits: impl Fn(&Outcomes) -> bool) -> Vec<&str> {
        self.tests.iter().filter(|(_, outcomes)| fits(outcomes)).map(|(id, _)| id.as_str()).collect()
    }
}

/// Tells whether a program is there, and if not, says so.
pub fn is_installed(program: &str, is_optional: bool) -> bool {
    let is_there = places_of_programs().iter().any(|place| place.join(program).exists());
    if !is_there {
        let text = format!("`{program}` is not installed: run `.ci/full runners`");
        assert!(is_optional || std::env::var_os(REQUIRED).is_none(), "{text}");
        eprintln!("SKIPPED: {text}");
    }
    is_there
}

/// Returns a repository with these files, an ignored folder of dependencies, and one command, on a branch without changes.
pub fn branch<'f>(
    files: impl Iterator<Item = (&'f str, &'f str)>,
    linked: Option<&str>,
    key: &str,
    command: &str,
) -> Sandbox {
    let path = std::env::join_paths(places_of_programs()).expect("no colon in them");
    let sandbox = Sandbox::empty().with("PATH", &path.to_string_lossy());
    files.into_iter().for_each(|(file, text)| sandbox.write(file, text));
    if let Some(name) = linked {
        link_entries(&installed(name), &sandbox.root().join(name));
    }
    sandbox.git(&["init", "-q"]);
    sandbox.git(&["add", "-A"]);
    sandbox.git(&["commit", "-q", "-m", "begin"]);
    sandbox.git(&["switch", "-q", "-c", "topic"]);
    let command = toml::Value::from(command);
    sandbox.write(".ai-workflow/config.toml", &format!("[commands]\ndetect = false\n{key} = {command}\n"));
    sandbox
}

fn commit(branch: &Sandbox, message: &str) {
    branch.git(&["add", "-A", "--", ".", ":!.ai-workflow"]);
    branch.git(&["commit", "-q", "-m", message]);
}

fn replace(sandbox: &Sandbox, file: &str, old: &str, new: &str) {
    let text = sandbox.read(file);
    assert_eq!(text.matches(old).count(), 1, "`{old}` in {file}");
    sandbox.write(file, &text.replace(old, new));
}

fn runners() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/runners")
}

/// Returns the folder in which the full suite installs dependencies of this name.
fn installed(name: &str) -> PathBuf {
    if name == "node_modules" {
        runners().join(name)
    } else {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("target/runners/venv")
    }
}

/// Makes a folder of links to what another one holds: a real folder, as a package manager leaves it.
fn link_entries(from: &Path, to: &Path) {
    fs::create_dir(to).expect("a folder");
    for entry in fs::read_dir(from).expect("what is installed").flatten() {
        symlink(entry.path(), to.join(entry.file_name())).expect("a link");
    }
}

/// Returns where programs are looked for: those that the full suite installs, the toolchain of this build, and all others.
fn places_of_programs() -> Vec<PathBuf> {
    let own = [installed("node_modules").join(".bin"), installed(".venv").join("bin")];
    // The programs of rustup need the home of the user.
    let cargo = std::env::var_os("CARGO").map(PathBuf::from);
    let toolchain = cargo.as_deref().and_then(Path::parent).map(Path::to_owned);
    let path = std::env::var_os("PATH").unwrap_or_default();
    own.into_iter().chain(toolchain).chain(std::env::split_paths(&path)).collect()
}
