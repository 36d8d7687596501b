//! The world of these tests: a run of two phases whose first review fails once, an agent that can be held in the
//! middle of a step, and what an undisturbed run ends with.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Output};
use std::sync::OnceLock;
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{Ran, Sandbox, eventually, working_below};

/// The log of the run, from the top of the repository.
pub const LOG: &str = ".ai-workflow/issue-243/events.jsonl";
/// The view of the run.
pub const VIEW: &str = ".ai-workflow/issue-243/metadata.json";
/// The branch of the run.
pub const BRANCH: &str = "ai-workflow/issue-243";

/// Two phases, and redos without a pause.
const CONFIG: &str = "[presets.two]\nphases = [\"planning\", \"implementation\"]\n\n[policies.phase-review.limits]\nbackoff_ms = 1\n";

/// Plays author and reviewer. While `hold` names the step, it says so in `held` and waits; with `deaf` it ignores
/// SIGTERM meanwhile. `meddle-STEP` is run in that step. With `lenient` the first review passes. `strike` says which
/// call of the run is to be killed at its start, and who with it.
const AGENT: &str = r#"#!/bin/sh
set -eu
cat > /dev/null
here=$(dirname "$0")
at="$AI_WORKFLOW_PHASE/$AI_WORKFLOW_STEP"
if [ -e "$here/strike" ]; then
    read -r turn whom < "$here/strike"
    now=$(($(cat "$here/turn" 2>/dev/null || echo 0) + 1))
    echo "$now" > "$here/turn"
    if [ "$now" = "$turn" ]; then
        rm "$here/strike"
        case "$whom" in
        agent) kill -9 $$ ;;
        reaper) kill -9 "$PPID" $$ ;;
        runner) kill -9 "$(cut -d ' ' -f 4 "/proc/$PPID/stat")" $$ ;;
        esac
    fi
fi
if [ -e "$here/deaf" ]; then trap '' TERM; fi
if [ -e "$here/hold" ] && [ "$(cat "$here/hold")" = "$at" ]; then
    if [ "$AI_WORKFLOW_STEP" != review ]; then echo unfinished > unfinished.txt; fi
    echo $$ > "$here/held.new"
    mv "$here/held.new" "$here/held"
    while [ -e "$here/hold" ]; do sleep 0.02 || true; done
fi
if [ -e "$here/meddle-$AI_WORKFLOW_STEP" ]; then . "$here/meddle-$AI_WORKFLOW_STEP"; fi
if [ "$AI_WORKFLOW_STEP" = review ]; then
    if [ "$AI_WORKFLOW_PHASE/$AI_WORKFLOW_ROUND" = planning/1 ] && [ ! -e "$here/lenient" ]; then
        printf '{"review_id": "%s", "result": "FAIL", "findings": [{"severity": "major", "category": "plan", "issue": "too coarse"}]}\n' "$AI_WORKFLOW_REVIEW_ID"
    else
        printf '{"review_id": "%s", "result": "PASS", "summary": "good", "findings": []}\n' "$AI_WORKFLOW_REVIEW_ID"
    fi
    exit 0
fi
rm -f unfinished.txt
mkdir -p "$(dirname "$AI_WORKFLOW_OUTPUT")"
printf '# %s\n\n%s of round %s\n' "$AI_WORKFLOW_PHASE" "$AI_WORKFLOW_STEP" "$AI_WORKFLOW_ROUND" > "$AI_WORKFLOW_OUTPUT"
if [ "$AI_WORKFLOW_PHASE" = implementation ]; then printf 'pub fn pages() -> u32 {\n    3\n}\n' > src/lib.rs; fi
echo done
"#;

/// A sandbox with its agent.
pub struct World {
    pub sandbox: Sandbox,
    agent: PathBuf,
}

impl Default for World {
    fn default() -> Self {
        Self::new()
    }
}

impl World {
    pub fn new() -> Self {
        let sandbox = Sandbox::new();
        sandbox.write(".ai-workflow/config.toml", CONFIG);
        let agent = sandbox.executable("agent.sh", AGENT);
        Self { sandbox, agent }
    }

    /// Returns the arguments of the one command that every test repeats.
    pub fn arguments(&self) -> Vec<String> {
        let agent = format!("command:{}", self.agent.display());
        ["execute", "--phase", "all", "--preset", "two", "--issue", "243", "--forge", "local", "--agent"]
            .into_iter()
            .map(str::to_owned)
            .chain([agent])
            .collect()
    }

    /// Finds a program before the ones of the system.
    #[must_use]
    pub fn with_program(mut self, folder: &Path) -> Self {
        let path = std::env::var("PATH").expect("a path");
        self.sandbox = self.sandbox.with("PATH", &format!("{}:{path}", folder.display()));
        self
    }

    fn with_arguments<T>(&self, then: impl FnOnce(&[&str]) -> T) -> T {
        let arguments = self.arguments();
        then(&arguments.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// Runs the command to its end.
    pub fn execute(&self) -> Ran {
        self.with_arguments(|arguments| self.sandbox.run(arguments))
    }

    /// Starts the command without waiting for it.
    pub fn start(&self) -> Child {
        self.with_arguments(|arguments| self.sandbox.start(arguments))
    }

    /// Starts the command and waits until its agent is in the middle of `planning/execute` or the like.
    pub fn start_until(&self, step: &str) -> Child {
        self.beside("hold", step);
        let child = self.start();
        eventually("the agent is at work", || self.path_beside("held").exists());
        child
    }

    /// Lets the agent go on, and those after it.
    pub fn let_go(&self) {
        let _ = fs::remove_file(self.path_beside("hold"));
        let _ = fs::remove_file(self.path_beside("held"));
    }

    /// Returns a path beside the repository, where the agent lives.
    pub fn path_beside(&self, name: &str) -> PathBuf {
        self.agent.with_file_name(name)
    }

    /// Writes a file beside the repository.
    pub fn beside(&self, name: &str, text: &str) {
        fs::write(self.path_beside(name), text).expect("a file");
    }

    /// Kills a running command at once and waits until nobody it started is left.
    #[track_caller]
    pub fn kill(&self, mut child: Child) {
        child.kill().expect("the command runs");
        child.wait().expect("it has ended");
        self.is_alone_within(Duration::from_secs(5));
    }

    /// Asserts that after this long no process works in the sandbox any more.
    #[track_caller]
    pub fn is_alone_within(&self, limit: Duration) {
        let began = Instant::now();
        loop {
            let left = working_below(self.agent.parent().expect("a folder"));
            if left.is_empty() {
                return;
            }
            assert!(began.elapsed() < limit, "still at work after {limit:?}: {left:?}");
            sleep(Duration::from_millis(5));
        }
    }

    /// Returns the bytes of the log.
    pub fn log(&self) -> Vec<u8> {
        fs::read(self.sandbox.root().join(LOG)).unwrap_or_default()
    }

    /// Replaces the log. Its copy and its view go: no crash leaves one that is ahead of the log.
    pub fn set_log(&self, bytes: impl AsRef<[u8]>) {
        let _ = fs::remove_file(self.sandbox.root().join(".git/ai-workflow/issue-243/events.jsonl"));
        let _ = fs::remove_file(self.sandbox.root().join(VIEW));
        fs::write(self.sandbox.root().join(LOG), bytes).expect("the log is written");
    }

    /// Keeps the whole repository, so that it can be brought back.
    pub fn keep(&self) -> Kept {
        let (root, copy) = (self.sandbox.root(), self.path_beside("kept"));
        copy_folder(&root, &copy);
        Kept { root, copy }
    }

    /// Returns every file of the checkout with its content; git's own files only where they say where branches stand.
    pub fn every_byte(&self) -> BTreeMap<String, Vec<u8>> {
        let root = self.sandbox.root();
        let mut found = BTreeMap::new();
        collect(&root, &root, &mut found);
        found.retain(|path, _| !path.starts_with(".git/") || path.starts_with(".git/refs/heads/"));
        found
    }

    /// Asserts that no file of the checkout is different from what it was.
    #[track_caller]
    pub fn is_unchanged_since(&self, before: &BTreeMap<String, Vec<u8>>) {
        let now = self.every_byte();
        let names: BTreeSet<&String> = before.keys().chain(now.keys()).collect();
        let changed: Vec<_> = names.into_iter().filter(|name| before.get(*name) != now.get(*name)).collect();
        assert!(changed.is_empty(), "{changed:?}");
    }

    /// Asserts that the run ended as if nothing had happened.
    #[track_caller]
    pub fn ended_undisturbed(&self) {
        assert_eq!(ending(&self.sandbox), *undisturbed());
    }
}

/// A copy of a repository.
pub struct Kept {
    root: PathBuf,
    copy: PathBuf,
}

impl Kept {
    /// Names a repository and a copy of it that somebody else has made.
    pub fn at(root: &Path, copy: &Path) -> Self {
        Self { root: root.to_owned(), copy: copy.to_owned() }
    }

    /// Brings the repository back to what it was.
    pub fn bring_back(&self) {
        fs::remove_dir_all(&self.root).expect("the repository is removed");
        copy_folder(&self.copy, &self.root);
    }
}

fn copy_folder(from: &Path, to: &Path) {
    let status = std::process::Command::new("cp").arg("-a").args([from, to]).status().expect("cp starts");
    assert!(status.success(), "cp {} {}", from.display(), to.display());
}

fn collect(root: &Path, folder: &Path, found: &mut BTreeMap<String, Vec<u8>>) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(root, &path, found);
        } else {
            let name = path.strip_prefix(root).expect("below the root").display().to_string();
            found.insert(name, fs::read(&path).unwrap_or_default());
        }
    }
}

/// Waits for the end of a command, which has to come within this time, and returns what it printed.
#[track_caller]
pub fn ends_within(mut child: Child, limit: Duration) -> (i32, String) {
    let began = Instant::now();
    while child.try_wait().expect("a child").is_none() {
        assert!(began.elapsed() < limit, "it did not end within {limit:?}");
        sleep(Duration::from_millis(5));
    }
    let Output { status, stderr, .. } = child.wait_with_output().expect("it has ended");
    (status.code().unwrap_or(-1), String::from_utf8_lossy(&stderr).into_owned())
}

/// Returns where git is.
pub fn git_program() -> PathBuf {
    let path = std::env::var("PATH").expect("a path");
    std::env::split_paths(&path).map(|folder| folder.join("git")).find(|git| git.is_file()).expect("git")
}

/// How many calls were begun for each step of each round.
pub fn calls(sandbox: &Sandbox) -> BTreeMap<String, usize> {
    let mut calls = BTreeMap::new();
    for fact in sandbox.facts().iter().filter(|fact| fact["type"] == "step_started") {
        let word = |key: &str| fact[key].as_str().unwrap_or_default().to_owned();
        *calls.entry(format!("{}/{}/{}", word("phase"), word("step"), fact["round"])).or_insert(0) += 1;
    }
    calls
}

/// The calls of an undisturbed run.
pub const CALLS: [&str; 6] = [
    "implementation/execute/1",
    "implementation/review/1",
    "planning/execute/1",
    "planning/review/1",
    "planning/review/2",
    "planning/revise/1",
];

/// Returns what has to be the same however often a run was disturbed: how it ended, what is on the branch.
#[track_caller]
pub fn ending(sandbox: &Sandbox) -> Value {
    let mut view = sandbox.metadata();
    let mut phases = view["phases"].take();
    for phase in phases.as_object_mut().expect("phases").values_mut() {
        let phase = phase.as_object_mut().expect("a phase");
        for moving in ["started_at", "completed_at", "commit", "usage"] {
            phase.shift_remove(moving);
        }
        for round in phase["rounds"].as_array_mut().expect("rounds") {
            for moving in ["attempts", "review_completed_at"] {
                round.as_object_mut().expect("a round").shift_remove(moving);
            }
            // The script of each sandbox lies in a folder of its own.
            if let Some(exchange) = round.get_mut("exchange").and_then(Value::as_object_mut) {
                exchange.shift_remove("asked_by");
            }
        }
        for finding in phase.get_mut("findings").and_then(Value::as_array_mut).into_iter().flatten() {
            for finder in finding["found_by"].as_array_mut().expect("finders") {
                *finder = finder.as_str().expect("a name").rsplit('/').next().into();
            }
        }
    }
    let trailers = "--format=%(trailers:key=AI-Workflow-Phase,valueonly,separator=%x2C)";
    let commits = sandbox.git(&["log", trailers, &format!("main..{BRANCH}")]);
    json!({
        "outcome": view["outcome"],
        "phases": phases,
        "pull_request": view["pr_url"],
        "commits": commits.lines().collect::<Vec<_>>(),
        "files": files_on(sandbox, BRANCH),
        "status": sandbox.git(&["status", "--porcelain"]),
        "branch": sandbox.git(&["branch", "--show-current"]),
    })
}

/// Returns the files of a branch with their content's hash; those that tell of times and hashes by name only.
pub fn files_on(sandbox: &Sandbox, branch: &str) -> Vec<String> {
    let tree = sandbox.git(&["ls-tree", "-r", branch]);
    let told = ["events.jsonl", "metadata.json", "review-result.json"];
    let line = |line: &str| {
        let (content, path) = line.split_once('\t').expect("a path");
        if told.iter().any(|name| path.ends_with(name)) {
            path.to_owned()
        } else {
            format!("{content} {path}")
        }
    };
    tree.lines().map(line).collect()
}

/// Asserts that the code on the branch is the one with so many pages; those of the author are 3.
#[track_caller]
pub fn has_the_code(sandbox: &Sandbox, pages: u32) {
    let code = sandbox.git(&["show", &format!("{BRANCH}:src/lib.rs")]);
    assert_eq!(code, format!("pub fn pages() -> u32 {{\n    {pages}\n}}"));
}

/// Returns what a run that nothing happened to ends with.
pub fn undisturbed() -> &'static Value {
    static ENDING: OnceLock<Value> = OnceLock::new();
    ENDING.get_or_init(|| {
        let world = World::new();
        world.execute().exits(0);
        assert_eq!(calls(&world.sandbox), CALLS.map(|call| (call.to_owned(), 1)).into());
        ending(&world.sandbox)
    })
}
