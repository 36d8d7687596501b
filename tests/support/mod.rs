//! A sandbox for whole-process tests: a small repository, an isolated home, and our own binary.
#![allow(dead_code, reason = "each test binary uses a part of it")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

/// The issue text of the sandbox.
pub const ISSUE: &str = "---\ntitle: The last page is missing\nlabels: [bug]\nauthor: somebody\nstate: open\n---\nIt should be there.\n";

/// A repository with one commit, an issue on the local forge, and a home of its own.
pub struct Sandbox {
    folder: TempDir,
    environment: BTreeMap<String, String>,
}

/// What a run of the binary left behind.
#[derive(Debug)]
pub struct Ran {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Ran {
    fn new(output: &Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// Asserts the exit code and shows everything when it is another one.
    #[track_caller]
    pub fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, code, "\n--- stdout\n{}\n--- stderr\n{}", self.stdout, self.stderr);
        self
    }

    /// Asserts that a text stands on stderr.
    #[track_caller]
    pub fn says(self, text: &str) -> Self {
        assert!(self.stderr.contains(text), "`{text}` is not in\n{}", self.stderr);
        self
    }

    /// Returns stdout as JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("{error}\n{}\n{}", self.stdout, self.stderr))
    }
}

impl Default for Sandbox {
    fn default() -> Self {
        Self::new()
    }
}

impl Sandbox {
    /// Makes a repository with one commit on `main` and issue 243 on the local forge.
    pub fn new() -> Self {
        let sandbox = Self::empty();
        sandbox.write("README.md", "# sandbox\n");
        sandbox.write("src/lib.rs", "pub fn pages() -> u32 {\n    2\n}\n");
        sandbox.git(&["init", "-q", "-b", "main"]);
        sandbox.git(&["add", "-A"]);
        sandbox.git(&["commit", "-q", "-m", "begin"]);
        sandbox.write(".ai-workflow/local/issues/243.md", ISSUE);
        sandbox
    }

    /// Makes a folder with a home, and nothing in it.
    pub fn empty() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let home = folder.path().join("home");
        fs::create_dir_all(folder.path().join("repo")).expect("a folder");
        fs::create_dir_all(&home).expect("a folder");
        fs::write(
            home.join(".gitconfig"),
            "[user]\n\tname = Tester\n\temail = tester@example.org\n[init]\n\tdefaultBranch = main\n",
        )
        .expect("a file");
        let environment = [
            ("PATH", std::env::var("PATH").unwrap_or_default()),
            ("HOME", home.display().to_string()),
            ("LANG", "C.UTF-8".to_owned()),
            ("GIT_CONFIG_NOSYSTEM", "1".to_owned()),
            ("NO_COLOR", "1".to_owned()),
        ];
        // Only there when a build measures its coverage: where the figures of our binary go.
        let figures = std::env::var("LLVM_PROFILE_FILE").ok().map(|file| ("LLVM_PROFILE_FILE", file));
        let environment =
            environment.into_iter().chain(figures).map(|(key, value)| (key.to_owned(), value)).collect();
        Self { folder, environment }
    }

    /// Adds a variable to the environment of everything that is run.
    #[must_use]
    pub fn with(mut self, key: &str, value: &str) -> Self {
        self.environment.insert(key.to_owned(), value.to_owned());
        self
    }

    /// Returns the top of the repository.
    pub fn root(&self) -> PathBuf {
        self.folder.path().join("repo")
    }

    /// Writes a file of the repository.
    pub fn write(&self, path: &str, text: &str) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    /// Reads a file of the repository.
    #[track_caller]
    pub fn read(&self, path: &str) -> String {
        fs::read_to_string(self.root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// Reads a file of the repository that may be no text.
    #[track_caller]
    pub fn read_bytes(&self, path: &str) -> Vec<u8> {
        fs::read(self.root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// Tells whether a file of the repository is there.
    pub fn has(&self, path: &str) -> bool {
        self.root().join(path).exists()
    }

    /// Writes an agent script beside the repository and returns its spec.
    pub fn script(&self, toml: &str) -> String {
        let path = self.folder.path().join("agent.toml");
        fs::write(&path, toml).expect("a file");
        format!("scripted:{}", path.display())
    }

    /// Writes an executable beside the repository and returns its path.
    pub fn executable(&self, name: &str, text: &str) -> PathBuf {
        let path = self.folder.path().join(name);
        fs::write(&path, text).expect("a file");
        make_executable(&path);
        path
    }

    /// Runs git in the repository and returns what it prints.
    #[track_caller]
    pub fn git(&self, arguments: &[&str]) -> String {
        // What is asked about are the objects themselves, whatever an author has the repository show in their place.
        let mut git = self.command("git");
        let output = git.env("GIT_NO_REPLACE_OBJECTS", "1").args(arguments).output().expect("git starts");
        assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    /// Runs our binary in the repository to its end.
    #[must_use]
    pub fn run(&self, arguments: &[&str]) -> Ran {
        Ran::new(&self.binary(arguments).output().expect("the binary starts"))
    }

    /// Runs `execute --phase all --issue 243` with an agent.
    #[must_use]
    pub fn execute(&self, agent: &str) -> Ran {
        self.run(&["execute", "--phase", "all", "--issue", "243", "--forge", "local", "--agent", agent])
    }

    /// Starts our binary in the repository without waiting for it.
    pub fn start(&self, arguments: &[&str]) -> Child {
        let mut command = self.binary(arguments);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary starts")
    }

    /// Returns a command for our binary in the repository.
    pub fn binary(&self, arguments: &[&str]) -> Command {
        let mut command = self.command(env!("CARGO_BIN_EXE_ai-workflow"));
        command.args(arguments);
        command
    }

    /// Returns a command in the repository with the sandbox's environment.
    pub fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env_clear().envs(&self.environment).current_dir(self.root()).stdin(Stdio::null());
        command
    }

    /// Returns `metadata.json` of issue 243.
    #[track_caller]
    pub fn metadata(&self) -> Value {
        serde_json::from_str(&self.read(".ai-workflow/issue-243/metadata.json"))
            .expect("metadata.json is JSON")
    }

    /// Returns the facts of issue 243 in their order.
    #[track_caller]
    pub fn facts(&self) -> Vec<Value> {
        let log = self.read(".ai-workflow/issue-243/events.jsonl");
        log.lines()
            .map(|line| serde_json::from_str::<Value>(line).expect("a line is JSON")["fact"].clone())
            .collect()
    }
}

/// Makes a file executable, as a copy that a child process wrote: a descriptor of ours that the child of another test
/// inherits would make the file busy.
pub fn make_executable(path: &Path) {
    let copied = "cp \"$1\" \"$1.new\" && chmod 755 \"$1.new\" && mv \"$1.new\" \"$1\"";
    let status = Command::new("sh").args(["-c", copied, "sh"]).arg(path).status().expect("sh starts");
    assert!(status.success(), "{} cannot be made executable", path.display());
}

/// Returns the plain command agent that writes and approves everything.
pub fn fake_agent() -> String {
    format!("command:{}/tests/agents/fake.sh", env!("CARGO_MANIFEST_DIR"))
}

/// Returns an agent script that writes and approves everything; `extra` turns stand after it and win.
pub fn honest_script(extra: &str) -> String {
    format!(
        r##"
[[turn]]
step = "execute"
write = [{{ path = "{{{{output}}}}", text = "# {{{{phase}}}}\n\nwritten\n" }}]
say = "done"

[[turn]]
step = "revise"
write = [{{ path = "{{{{output}}}}", text = "# {{{{phase}}}}\n\nrevised in round {{{{round}}}}\n" }}]
say = "revised"

[[turn]]
step = "review"
say = '{{"review_id": "{{{{review_id}}}}", "result": "PASS", "summary": "good", "findings": [], "answers": {{{{answers}}}}}}'

[[turn]]
step = "triage"
say = """
review_id: {{{{review_id}}}}

| Severity | Issues | Fix Required | No Fix Needed | Needs Discussion |
|---|---|---|---|---|
| Info | 0 | 0 | 0 | 0 |
"""

[[turn]]
phase = "implementation"
step = "execute"
write = [{{ path = "{{{{output}}}}", text = "# implementation\n" }}, {{ path = "src/lib.rs", text = "pub fn pages() -> u32 {{\n    3\n}}\n" }}]
say = "done"

[[turn]]
phase = "test_implementation"
step = "execute"
write = [{{ path = "{{{{output}}}}", text = "# tests\n" }}, {{ path = "tests/pages.rs", text = "#[test]\nfn three() {{}}\n" }}]
say = "done"

[[turn]]
phase = "evaluation"
step = "execute"
write = [{{ path = "{{{{output}}}}", text = "# evaluation\n" }}]
say = '{{"decision": "PASS", "remaining_tasks": []}}'
{extra}
"##
    )
}

impl Sandbox {
    /// Runs a command to its end.
    pub fn finish(mut command: Command) -> Ran {
        Ran::new(&command.output().expect("the command starts"))
    }
}

/// Two phases and over: enough for everything that is not about the phases themselves.
pub const SHORT: &str = "review-requirements";

impl Ran {
    /// Asserts that a failure is one `error:` line, at least one `hint:` line, how its run ended where one did, and nothing of our
    /// own data types.
    #[track_caller]
    pub fn refuses(self, code: i32, text: &str) -> Self {
        let ran = self.exits(code).says(text);
        let starting = |start: &str| ran.stderr.lines().filter(|line| line.starts_with(start)).count();
        assert_eq!(starting("error: "), 1, "{}", ran.stderr);
        assert!(starting("hint: ") >= 1, "no hint in\n{}", ran.stderr);
        let ending = ["RESULT:", "TASK:", "NEXT:", "WHY:", "HINT:"];
        let own = |line: &str| line.starts_with("error: ") || line.starts_with("hint: ") || line.is_empty();
        let foreign =
            ran.stderr.lines().find(|line| !own(line) && !ending.iter().any(|name| line.starts_with(name)));
        assert_eq!(foreign, None, "{}", ran.stderr);
        for sign in ["Some(", "Err(", "Os {", "PathBuf", "panicked"] {
            assert!(!ran.stderr.contains(sign), "`{sign}` in\n{}", ran.stderr);
        }
        ran
    }
}

impl Sandbox {
    /// Runs our binary in a folder below the repository.
    #[must_use]
    pub fn run_in(&self, folder: &str, arguments: &[&str]) -> Ran {
        let mut command = self.binary(arguments);
        Ran::new(&command.current_dir(self.root().join(folder)).output().expect("the binary starts"))
    }

    /// Runs a command to its end.
    #[must_use]
    pub fn ran(command: &mut Command) -> Ran {
        Ran::new(&command.output().expect("it starts"))
    }

    /// Runs `execute` with the short preset, an agent script and further arguments; `AGENT` stands for that agent.
    #[must_use]
    pub fn short(&self, extra_turns: &str, more: &[&str]) -> Ran {
        let agent = self.script(&honest_script(extra_turns));
        let mut arguments = vec!["execute", "--issue", "243", "--forge", "local", "--agent", &agent];
        arguments.extend(["--preset", SHORT]);
        arguments.extend(more.iter().map(|word| if *word == "AGENT" { agent.as_str() } else { word }));
        self.run(&arguments)
    }

    /// Returns everything a refusal must not change: every file outside git, where git stands, and what we keep in it.
    pub fn everything(&self) -> BTreeMap<String, String> {
        let mut found = BTreeMap::new();
        collect(&self.root(), &self.root(), &mut found);
        if self.root().join(".git").is_dir() {
            found.insert("refs".into(), self.git(&["for-each-ref"]));
            found
                .insert("HEAD".into(), fs::read_to_string(self.root().join(".git/HEAD")).unwrap_or_default());
            let moves = fs::read_to_string(self.root().join(".git/logs/HEAD")).unwrap_or_default();
            found.insert("moves of HEAD".into(), moves);
            if self.has(".git/ai-workflow") {
                collect(&self.root(), &self.root().join(".git/ai-workflow"), &mut found);
            }
        }
        found
    }
}

fn collect(root: &Path, folder: &Path, found: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(folder).expect("a readable folder").flatten() {
        let path = entry.path();
        let name = path.strip_prefix(root).expect("below").display().to_string();
        if name == ".git" {
            continue;
        }
        if path.is_dir() {
            found.insert(format!("{name}/"), String::new());
            collect(root, &path, found);
        } else {
            found.insert(name, String::from_utf8_lossy(&fs::read(&path).unwrap_or_default()).into_owned());
        }
    }
}

/// Replaces what differs from run to run: times, hashes, paths, process ids.
pub fn filtered(text: &str) -> String {
    let rules = [
        (r"/[^\s`:']*/(ai-workflow-demo-\w+|demo-project|repo)\b", "[REPO]"),
        (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", "[TIME]"),
        (r"\b[0-9a-f]{64}\b", "[SHA256]"),
        (r"\b[0-9a-f]{40}\b", "[COMMIT]"),
        (r"\b[0-9a-f]{32}\b", "[RUN]"),
        (r"(commit |\()[0-9a-f]{9}\b", "$1[HASH]"),
        (r"passed in \d+ ms", "passed in [MILLIS] ms"),
        (r"\b(\d+h)?(\d+m)?\d+s (of agents|since)", "[DURATION] $3"),
        (r"USD, (\d+h)?(\d+m)?\d+s\b", "USD, [DURATION]"),
        (r"ai-workflow \d+\.\d+\.\d+\n", "ai-workflow [VERSION]\n"),
    ];
    rules.iter().fold(text.to_owned(), |text, (pattern, by)| {
        regex::Regex::new(pattern).expect("a constant").replace_all(&text, *by).into_owned()
    })
}

/// Returns material that is not part of this repository, if it is there. A skipped test must be seen.
pub fn beside(variable: &str, usual: &str) -> Option<PathBuf> {
    let path = std::env::var_os(variable).map_or_else(|| PathBuf::from(usual), PathBuf::from);
    let found = path.exists();
    #[expect(clippy::print_stderr, reason = "a skipped test must be seen")]
    if !found {
        eprintln!("SKIPPED: nothing at {}; set {variable}", path.display());
    }
    found.then_some(path)
}

/// How long anything here may take before the test fails instead of hanging.
const PATIENCE: Duration = Duration::from_secs(30);

/// Waits until something is so.
#[track_caller]
pub fn eventually(what: &str, mut is_so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < PATIENCE, "not within {PATIENCE:?}: {what}");
        sleep(Duration::from_millis(5));
    }
}

/// Returns the processes that work below a folder. Where there is no `/proc` nobody is seen.
pub fn working_below(folder: &Path) -> Vec<String> {
    let Ok(folder) = folder.canonicalize() else { return Vec::new() };
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let below = |process: &PathBuf| {
        fs::read_link(process.join("cwd")).is_ok_and(|directory| directory.starts_with(&folder))
    };
    processes
        .map(|process| process.path())
        .filter(below)
        .map(|process| {
            let words = fs::read(process.join("cmdline")).unwrap_or_default();
            format!("{}: {}", process.display(), String::from_utf8_lossy(&words).replace('\0', " "))
        })
        .collect()
}
