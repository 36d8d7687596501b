//! `demo`: makes a small project with a real bug and takes its issue through the very same `execute`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::{Builder, TempDir};

use super::CommandResult;
use super::arguments::DemoArgs;
use super::observer::TerminalObserver;
use super::output::words;
use app::environment::current_folder;
use app::execute::execute;
use app::failure::{Failure, exit_code};
use app::project::{Project, SettingOverrides};
use app::run_request::ExecuteRequest;
use model::issue::IssueNumber;

/// The files of the project.
const FILES: [(&str, &str); 8] = [
    ("Cargo.toml", include_str!("demo_project/manifest.toml")),
    ("Cargo.lock", include_str!("demo_project/lock.toml")),
    ("src/lib.rs", include_str!("demo_project/lib.rs")),
    ("tests/pages.rs", include_str!("demo_project/test.rs")),
    ("README.md", include_str!("demo_project/readme.md")),
    (".gitignore", "/target\n"),
    (".ai-workflow/config.toml", include_str!("demo_project/config.toml")),
    (".ai-workflow/local/issues/243.md", include_str!("demo_project/issue.md")),
];
/// The script of the scripted agent; kept beside the project, not in it.
const SCRIPT: &str = include_str!("demo_project/agent.toml");
const ISSUE: u64 = 243;
/// The folder of the run, which is there from its beginning on.
const RUN_FOLDER: &str = ".ai-workflow/issue-243";

pub(super) fn run(arguments: &DemoArgs) -> CommandResult {
    let project = folder(arguments.dir.as_deref())?;
    make(&project)?;
    let agent = if let Some(spec) = &arguments.agent {
        spec.clone()
    } else {
        let script = project.join(".git").join("demo-agent.toml");
        write(&script, SCRIPT)?;
        format!("scripted:{}", script.display())
    };
    words(&format!(
        "demo project: {0}\nits test fails: cargo test --manifest-path {0}/Cargo.toml\n\
         to look at it afterwards: cd {0} && git log --oneline && cargo test\n\n",
        project.display()
    ));
    std::env::set_current_dir(&project)
        .map_err(|error| Failure::usage(format!("failed to enter {}: {error}", project.display())))?;
    let observer = TerminalObserver::new(arguments.json);
    let played = play(agent, &observer);
    // A refused command leaves nothing behind.
    if played.is_err() && arguments.dir.is_none() && !project.join(RUN_FOLDER).exists() {
        let _ = fs::remove_dir_all(&project);
        words("no run began, so the demo project is removed again\n");
    }
    played
}

fn play(agent: String, observer: &TerminalObserver) -> CommandResult {
    let opened = Project::open(settings(agent))?;
    let request = ExecuteRequest::all_of(IssueNumber::try_from(ISSUE).map_err(Failure::usage)?);
    Ok(exit_code(execute(&opened, observer, &request)?))
}

/// The demo is the same everywhere, whatever the user's own settings say.
fn settings(agent: String) -> SettingOverrides {
    let set = ["forge=local", "preset=full", "skip_phases=", "worktree=false", "push=never", "no_wait=false"];
    SettingOverrides {
        agent: Some(agent.clone()),
        reviewer: vec![agent],
        set: set.map(str::to_owned).to_vec(),
        ..SettingOverrides::default()
    }
}

/// Returns an empty folder for the project.
fn folder(wanted: Option<&Path>) -> Result<PathBuf, Failure> {
    let failed = |path: &Path, error: std::io::Error| {
        Failure::usage(format!("failed to make {}: {error}", path.display()))
    };
    let Some(wanted) = wanted else {
        let folder = Builder::new().prefix("ai-workflow-demo-").tempdir();
        return folder.map(TempDir::keep).map_err(|error| failed(&std::env::temp_dir(), error));
    };
    let path = current_folder()?.join(wanted);
    fs::create_dir_all(&path).map_err(|error| failed(&path, error))?;
    if fs::read_dir(&path).map_err(|error| failed(&path, error))?.next().is_some() {
        return Err(Failure::usage(format!("{} is not empty", path.display()))
            .hint("name a folder that does not exist yet"));
    }
    path.canonicalize().map_err(|error| failed(&path, error))
}

fn make(project: &Path) -> Result<(), Failure> {
    for (name, text) in FILES {
        write(&project.join(name), text)?;
    }
    git(project, &["init", "--quiet", "--initial-branch=main"])?;
    git(project, &["add", "--all"])?;
    // A name of the demo's own: it has to work where git does not know the user yet.
    git(project, &["config", "user.name", "ai-workflow demo"])?;
    git(project, &["config", "user.email", "demo@ai-workflow.invalid"])?;
    git(project, &["config", "commit.gpgSign", "false"])?;
    git(project, &["commit", "--quiet", "--no-verify", "--message", "A pager that forgets the last page"])
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let made = path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(path, text));
    made.map_err(|error| Failure::usage(format!("failed to write {}: {error}", path.display())))
}

fn git(project: &Path, arguments: &[&str]) -> Result<(), Failure> {
    let mut command = Command::new("git");
    for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY"] {
        command.env_remove(name);
    }
    let output = command.args(arguments).current_dir(project).output();
    let output = output.map_err(|error| {
        Failure::usage(format!("git cannot be started: {error}")).hint("install git 2.31 or newer")
    })?;
    if output.status.success() {
        return Ok(());
    }
    let output = String::from_utf8_lossy(&output.stderr);
    Err(Failure::usage(format!("`git {}` failed: {}", arguments.join(" "), output.trim())))
}
