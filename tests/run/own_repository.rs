//! One whole run on a clone of this project's own repository: a real tree, not a sandbox of two files.
//! Asserts what is cheap to count; `bench/run_figures.sh` measures the same run in a release build.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::{ISSUE, Ran, Sandbox, fake_agent, make_executable};

/// The phases of a run without a preset.
const PHASES: usize = 11;
/// The branch of the clone that the run starts from.
const TRUNK: &str = "trunk";

/// A clone of our own repository, with a `git` in the `PATH` that notes every start.
struct Clone {
    sandbox: Sandbox,
    noted: PathBuf,
    _beside: tempfile::TempDir,
}

impl Clone {
    /// Clones what is committed; nothing when these sources are not in a git checkout, say in a published package.
    fn new() -> Option<Self> {
        let ours = Path::new(env!("CARGO_MANIFEST_DIR"));
        if !ours.join(".git").exists() {
            eprintln!("SKIPPED: {} is no git checkout, so there is nothing to clone", ours.display());
            return None;
        }
        let beside = tempfile::tempdir().expect("a temporary folder");
        let noted = beside.path().join("noted.txt");
        noting_git(&beside.path().join("git"), &noted);
        // The commands of this project would run this very test; here only our own work is counted.
        fs::write(beside.path().join("config.toml"), "[commands]\ndetect = false\n").expect("a file");
        let path = std::env::var("PATH").expect("a PATH");
        let sandbox = Sandbox::empty().with("PATH", &format!("{}:{path}", beside.path().display()));
        sandbox.git(&["-c", "safe.directory=*", "clone", "--quiet", &ours.display().to_string(), "."]);
        sandbox.git(&["switch", "--quiet", "--no-track", "--create", TRUNK]);
        sandbox.write(".ai-workflow/local/issues/243.md", ISSUE);
        Some(Self { sandbox, noted, _beside: beside })
    }

    fn execute(&self) -> Ran {
        let config = self.noted.with_file_name("config.toml").display().to_string();
        let agent = fake_agent();
        let what = ["execute", "--phase", "all", "--issue", "243", "--forge", "local"];
        let how = ["--agent", &agent, "--base-branch", TRUNK, "--config", &config];
        fs::write(&self.noted, "").expect("a file");
        self.sandbox.run(&[&what[..], &how[..]].concat())
    }

    /// Returns the calls of git since the last `execute` began, by the step of the agent that made them; empty for ours.
    fn git_calls_of(&self, step: &str) -> usize {
        let noted = fs::read_to_string(&self.noted).expect("the notes");
        noted.lines().filter(|line| line.split('\t').next() == Some(step)).count()
    }

    fn calls_of_agents_in(&self, phase: &Value) -> usize {
        let started = |fact: &&Value| fact["type"] == "step_started" && fact["phase"] == *phase;
        self.sandbox.facts().iter().filter(started).count()
    }
}

/// Writes a `git` that notes who started it and does what the real one does.
fn noting_git(path: &Path, noted: &Path) {
    let real = std::env::var_os("PATH")
        .as_deref()
        .map(std::env::split_paths)
        .and_then(|mut folders| {
            folders.find_map(|folder| Some(folder.join("git")).filter(|git| git.is_file()))
        })
        .expect("git is installed");
    let quoted = |path: &OsStr| format!("'{}'", path.display());
    let (noted, real) = (quoted(noted.as_os_str()), quoted(real.as_os_str()));
    let text = format!(
        "#!/bin/sh\nprintf '%s\\t%s\\n' \"${{AI_WORKFLOW_STEP:-}}\" \"$*\" >> {noted}\nexec {real} \"$@\"\n"
    );
    fs::write(path, text).expect("a file");
    make_executable(path);
}

#[test]
fn a_run_on_this_repository_completes_with_two_calls_per_phase() {
    let Some(clone) = Clone::new() else { return };
    let _ = clone.execute().exits(0);
    let metadata = clone.sandbox.metadata();
    let phases = metadata["phases"].as_object().expect("the phases");
    let completed = phases.iter().filter(|(_, phase)| phase["status"] == "completed").count();
    assert_eq!((phases.len(), completed, &metadata["outcome"]), (PHASES, PHASES, &json!("completed")));
    for phase in phases.keys() {
        assert_eq!(clone.calls_of_agents_in(&json!(phase)), 2, "agent calls of {phase}");
    }
    let (ours, most) = (clone.git_calls_of(""), 6 * PHASES + 12);
    assert!((PHASES..=most).contains(&ours), "{ours} git processes, {most} at most");
    assert_eq!(clone.sandbox.git(&["status", "--porcelain", "--untracked-files=no"]), "");
    let tracked = clone.sandbox.git(&["ls-tree", "-r", "--name-only", "ai-workflow/issue-243"]);
    assert!(
        tracked.contains("FAKE_CHANGE.md") && tracked.contains("src/runner/phase_runner.rs"),
        "{tracked}"
    );
}
