//! What a job of GitHub Actions is told of a run: outputs, a table on its page, annotations; and what nobody but us can tell it.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use super::told::{line_with, outputs, steady};
use crate::excerpt::excerpt;
use crate::support::{Ran, Sandbox, fake_agent, honest_script, make_executable};

/// The outputs of a step, in the order of the alphabet.
pub const OUTPUTS: [&str; 13] = [
    "branch-name",
    "code",
    "conclusion",
    "cost-usd",
    "head-sha",
    "input-tokens",
    "issue",
    "output-tokens",
    "phases",
    "pr-number",
    "pr-url",
    "run-id",
    "state-path",
];

/// A sandbox inside a job, with the files that the runner makes for a step.
struct Job {
    sandbox: Sandbox,
    files: tempfile::TempDir,
}

impl Job {
    fn new() -> Self {
        let files = tempfile::tempdir().expect("a folder");
        let mut sandbox = Sandbox::new().with("GITHUB_ACTIONS", "true");
        for name in ["GITHUB_ENV", "GITHUB_OUTPUT", "GITHUB_PATH", "GITHUB_STATE", "GITHUB_STEP_SUMMARY"] {
            let path = files.path().join(name);
            fs::write(&path, "").expect("a file");
            sandbox = sandbox.with(name, &path.display().to_string());
        }
        Self { sandbox, files }
    }

    fn path(&self, variable: &str) -> PathBuf {
        self.files.path().join(variable)
    }

    fn read(&self, variable: &str) -> String {
        fs::read_to_string(self.path(variable)).expect("a file")
    }

    fn outputs(&self) -> BTreeMap<String, String> {
        outputs(&self.read("GITHUB_OUTPUT"))
    }

    fn told(&self, name: &str) -> String {
        self.outputs().get(name).cloned().unwrap_or_else(|| panic!("no output {name}"))
    }

    /// An agent that does as the fake one does, and something else before it.
    fn agent_that(&self, also: &str) -> String {
        let fake = fake_agent().trim_start_matches("command:").to_owned();
        let path = self.sandbox.executable("agent.sh", &format!("#!/bin/sh\n{also}\nexec {fake}\n"));
        make_executable(&path);
        format!("command:{}", path.display())
    }

    fn execute(&self, agent: &str) -> Ran {
        let words = ["execute", "--issue", "243", "--forge", "local", "--preset", "review-requirements"];
        self.sandbox.run(&[&words[..], &["--agent", agent]].concat())
    }
}

/// Returns the lines that a runner would obey.
fn obeyed(text: &str) -> Vec<&str> {
    let lines = text.split(['\n', '\r']);
    lines.filter(|line| line.trim_start().starts_with("::") || line.contains("##[")).collect()
}

#[test]
fn job_outputs_and_summary_show_the_result_of_the_run() {
    let job = Job::new();
    job.sandbox.short("", &[]).exits(0);
    let outputs = job.outputs();
    let names: Vec<&str> = outputs.keys().map(String::as_str).collect();
    assert_eq!(names, OUTPUTS);
    assert_eq!((job.told("conclusion"), job.told("code")), ("success".into(), "completed".into()));
    assert_eq!(job.told("head-sha"), job.sandbox.git(&["rev-parse", "ai-workflow/issue-243"]));
    assert_eq!((job.told("issue"), job.told("branch-name")), ("243".into(), "ai-workflow/issue-243".into()));
    assert_eq!(job.sandbox.facts()[0]["run_id"], job.told("run-id"));
    assert!(job.sandbox.has(&job.told("state-path")));
    let phases: Value = serde_json::from_str(&job.told("phases")).expect("JSON");
    assert_eq!((&phases[0]["name"], &phases[0]["status"]), (&"planning".into(), &"completed".into()));
    let page = job.read("GITHUB_STEP_SUMMARY");
    insta::assert_snapshot!(steady(&excerpt(&page, "| Phase |", "| requirements |")), @"
    | Phase | Result | Rounds | Evidence | Reviewer | Cost | Time |
    |---|---|---|---|---|---|---|
    | planning | ✓ completed | 1 | 23 checks passed | scripted:[FOLDER]/agent.toml: PASS by json | 0.00 USD | [DURATION] |
    ");
}

#[test]
fn outside_a_job_no_job_files_are_written() {
    let files = tempfile::tempdir().expect("a folder");
    let page = files.path().join("page");
    let sandbox = Sandbox::new().with("GITHUB_STEP_SUMMARY", &page.display().to_string());
    let ran = sandbox.short("", &[]).exits(0);
    assert!(!page.exists() && obeyed(&ran.stderr).is_empty());
}

const WAITS: &str = r#"
[[turn]]
phase = "requirements"
step = "review"
say = '{"review_id": "{{review_id}}", "result": "FAIL", "summary": "no", "findings": [{"severity": "major", "category": "quality", "issue": "nothing is counted"}]}'
"#;

#[test]
fn job_outputs_have_one_of_five_conclusions_and_a_code() {
    let job = Job::new();
    job.sandbox.short(WAITS, &["--set", "policies.phase-review.outcomes.exhausted=pause"]).exits(3);
    assert_eq!((job.told("conclusion"), job.told("code")), ("needs_human".into(), "exhausted".into()));
    let page = job.read("GITHUB_STEP_SUMMARY");
    insta::assert_snapshot!(line_with(&page, "**A person is needed:**"), @"**A person is needed:** requirements is not approved and has used revisions 3/3: the reviewer states FAIL. Go on, accept it as it is, or give up?");
    let job = Job::new();
    job.sandbox.short(WAITS, &[]).exits(1);
    assert_eq!((job.told("conclusion"), job.told("code")), ("failure".into(), "retry_limit".into()));
    let job = Job::new();
    job.sandbox.short("", &["--set", "budget.calls=2"]).exits(3);
    assert_eq!((job.told("conclusion"), job.told("code")), ("paused".into(), "budget".into()));
    let job = Job::new();
    job.execute("command:/nowhere/agent").exits(4);
    assert_eq!((job.told("conclusion"), job.told("code")), ("failure".into(), "no_agent".into()));
    let job = Job::new();
    job.sandbox.run(&["execute", "--issue", "99", "--forge", "local"]).exits(2);
    assert_eq!((job.told("conclusion"), job.told("code")), ("failure".into(), "usage".into()));
}

const FOUND: &str = r#"
[[turn]]
phase = "implementation"
step = "review"
say = '{"review_id": "{{review_id}}", "result": "FAIL", "summary": "no", "findings": [{"severity": "major", "category": "quality", "file": "src/lib.rs", "line": 2, "issue": "three, or 100% of it\n::set-env name=X::SENTINEL", "suggestion": "count ##[group]"}, {"severity": "major", "category": "quality", "file": "elsewhere.rs", "line": 1, "issue": "not in the change"}]}'
"#;

#[test]
fn open_findings_become_annotations_at_their_line() {
    let job = Job::new();
    let agent = job.sandbox.script(&honest_script(FOUND));
    let words = ["execute", "--issue", "243", "--forge", "local", "--preset", "quick-fix", "--agent", &agent];
    let ran = job.sandbox.run(&words).exits(1);
    assert_eq!(
        obeyed(&ran.stderr),
        ["::error file=src/lib.rs,line=2,title=major in implementation::three, or 100%25 of it \
          ::set-env name=X::SENTINEL%0ASuggestion: count ## [group]"]
    );
    assert_eq!(ran.stdout, "");
}

#[test]
fn text_of_agents_and_issues_cannot_be_a_workflow_command() {
    let evil = "::set-env name=X::SENTINEL\\n::add-mask::a\\n##[group]b\\r::error::c";
    let job = Job::new();
    job.sandbox.write(
        ".ai-workflow/local/issues/243.md",
        "---\ntitle: '::add-mask::x ##[group]y'\nstate: open\n---\n::set-env name=X::SENTINEL\n##[endgroup]\n",
    );
    let says = format!(
        r##"
[[turn]]
step = "execute"
write = [{{ path = "{{{{output}}}}", text = "# plan\n" }}]
say = "{evil}"

[[turn]]
phase = "requirements"
step = "review"
say = '{{"review_id": "{{{{review_id}}}}", "result": "FAIL", "summary": "{evil}", "findings": [{{"severity": "major", "category": "{evil}", "issue": "{evil}"}}], "suggestions": ["{evil}"]}}'
"##
    );
    let pauses = ["--set", "policies.phase-review.outcomes.exhausted=pause"];
    let mut printed = vec![job.sandbox.short(&says, &[&pauses[..], &["--json"]].concat()).exits(3)];
    printed.push(job.sandbox.short(&says, &pauses).exits(3));
    for words in [
        &["status", "--issue", "243"][..],
        &["status", "--issue", "243", "--json"],
        &["findings", "--issue", "243"],
        &["findings", "--issue", "243", "--format", "sarif"],
        &["findings", "--issue", "243", "--format", "json"],
        &["explain", "--issue", "243"],
        &["replay", "--issue", "243"],
        &["replay", "--issue", "243", "--json"],
        &["replay", "--issue", "243", "--format", "review-loop"],
        &["execute", "--issue", "243", "--phase", "::error::x"],
    ] {
        printed.push(job.sandbox.run(words));
    }
    let all: Vec<String> = printed.iter().flat_map(|ran| [ran.stdout.clone(), ran.stderr.clone()]).collect();
    assert!(all.iter().any(|text| text.contains("SENTINEL")), "nothing was shown: the test tests nothing");
    for text in &all {
        assert_eq!(obeyed(text), Vec::<&str>::new());
    }
}

#[test]
fn every_job_output_has_its_own_delimiter() {
    let job = Job::new();
    job.sandbox.short("", &[]).exits(0);
    let text = job.read("GITHUB_OUTPUT");
    let mut delimiters: Vec<&str> = text.lines().filter_map(|line| Some(line.split_once("<<")?.1)).collect();
    let all = delimiters.len();
    delimiters.sort_unstable();
    delimiters.dedup();
    assert!(all > 10 && delimiters.len() == all && delimiters.iter().all(|word| word.len() == 32));
}

#[test]
fn agents_get_no_paths_of_job_files() {
    let job = Job::new();
    let seen = job.files.path().join("seen");
    let agent = job.agent_that(&format!("env > '{}'", seen.display()));
    job.execute(&agent).exits(0);
    let environment = fs::read_to_string(seen).expect("the agent ran");
    assert_eq!(line_with(&environment, "AI_WORKFLOW_PHASE="), "AI_WORKFLOW_PHASE=requirements");
    assert!(!environment.contains("GITHUB_"), "{environment}");
    assert_eq!((job.read("GITHUB_ENV"), job.read("GITHUB_PATH")), (String::new(), String::new()));
}

#[test]
fn an_agent_that_writes_job_files_stops_the_run_and_they_are_restored() {
    for variable in ["GITHUB_ENV", "GITHUB_PATH", "GITHUB_OUTPUT", "GITHUB_STATE"] {
        let job = Job::new();
        let path = job.path(variable).display().to_string();
        let agent = job.agent_that(&format!("echo 'pr-url=SENTINEL' >> '{path}'"));
        job.execute(&agent).exits(6).says("E_JOB_FILES_CHANGED: ").says(variable);
        assert!(!job.read(variable).contains("SENTINEL"));
        assert_eq!(
            (job.told("conclusion"), job.told("code")),
            ("failure".into(), "E_JOB_FILES_CHANGED".into())
        );
    }
}

#[test]
fn tests_of_the_repository_that_write_job_files_stop_the_run() {
    let job = Job::new();
    let path = job.path("GITHUB_ENV").display().to_string();
    let test = job
        .sandbox
        .executable("test.sh", &format!("#!/bin/sh\necho 'X=SENTINEL' >> '{path}'\necho '1 passed'\n"));
    let words = ["execute", "--issue", "243", "--forge", "local", "--preset", "quick-fix"];
    let commands = format!("commands.test={}", test.display());
    let ran = job.sandbox.run(&[&words[..], &["--agent", &fake_agent(), "--set", &commands]].concat());
    ran.exits(6).says("E_JOB_FILES_CHANGED: ");
    assert_eq!(job.read("GITHUB_ENV"), "");
}

/// What is printed goes through few places, and each of them takes commands out.
#[test]
fn only_the_output_module_and_the_live_line_print() {
    let mut printing = Vec::new();
    for folder in ["src/cli", "src/app", "src/runner"] {
        look(&PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(folder), &mut printing);
    }
    printing.sort();
    assert_eq!(printing, ["src/cli/live_line.rs", "src/cli/output.rs"]);
}

fn look(folder: &std::path::Path, printing: &mut Vec<String>) {
    for entry in fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            look(&path, printing);
            continue;
        }
        let text = fs::read_to_string(&path).expect("a source file");
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        let prints = ["stdout()", "stderr()", "print!(", "println!("].iter().any(|word| {
            code.match_indices(word).any(|(at, _)| {
                let is_looked_at = code[at + word.len()..].starts_with(".is_terminal()");
                !is_looked_at && !code[..at].ends_with("LiveLine::on_")
            })
        });
        if prints {
            let path = path.strip_prefix(env!("CARGO_MANIFEST_DIR")).expect("below").display().to_string();
            printing.push(path);
        }
    }
}

#[test]
fn a_workflow_changed_by_an_agent_is_not_published() {
    let sandbox = Sandbox::new();
    let changes = r##"
[[turn]]
phase = "implementation"
step = "execute"
write = [{ path = "{{output}}", text = "# implementation\n" }, { path = ".github/workflows/x.yml", text = "on: push\n" }]
say = "done"
"##;
    let agent = sandbox.script(&honest_script(changes));
    let words = ["execute", "--issue", "243", "--forge", "local", "--preset", "quick-fix", "--agent", &agent];
    let limits = ["--set", "policies.phase-review.limits.max_revisions=1"];
    sandbox.run(&[&words[..], &limits].concat()).exits(1).says("Check protected failed");
    let published = sandbox.git(&["ls-tree", "-r", "--name-only", "ai-workflow/issue-243"]);
    assert_eq!(line_with(&published, "src/"), "src/lib.rs");
    assert!(!published.contains(".github"), "{published}");
}
