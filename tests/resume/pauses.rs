//! A person edits, commits and deletes files while a run waits, in each policy: everything stays, goes with the phase, and is
//! reviewed or told.

use serde_json::Value;

use crate::support::{Ran, Sandbox, honest_script, make_executable};

const BRANCH: &str = "ai-workflow/issue-243";
const FAILS: &str = "\n[[turn]]\nphase = \"implementation\"\nstep = \"review\"\nsay = '{\"review_id\": \"{{review_id}}\", \"result\": \"FAIL\", \"grade\": \"C\", \"summary\": \"no\", \"findings\": [{\"severity\": \"major\", \"category\": \"x\", \"file\": \"src/lib.rs\", \"line\": 2, \"issue\": \"not enough\"}]}'\n";
/// Code that no check lets pass, for policies without a reviewer.
const UNFINISHED: &str = "\n[[turn]]\nphase = \"implementation\"\nstep = \"execute\"\nwrite = [{ path = \"src/lib.rs\", text = \"<<<<<<< a\\n\" }]\nsay = \"done\"\n";
const ANSWERS: [&[&str]; 3] = [&["--continue"], &["--edited"], &["--accept", "--reason", "fine"]];
/// What is changed by hand in the pause.
const CHANGED: [&str; 4] = ["NEW.md", "NOTES.md", "README.md", "src/lib.rs"];

fn with(policy: &str, more: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    let presets = "[presets.row]\nphases = [\"planning\", \"implementation\"]\n";
    let phase = format!("[phases.implementation]\nneeds = []\npolicy = \"{policy}\"\n{more}");
    sandbox.write(".ai-workflow/config.toml", &format!("{presets}\n{phase}"));
    sandbox
}

/// A run that waits for a person, after nobody approved its code.
fn waiting(policy: &str, turns: &str) -> Sandbox {
    let sandbox = with(policy, "max_revisions = 0\non_exhausted = \"pause\"\n");
    let agent = sandbox.script(&honest_script(turns));
    sandbox.run(&[&["execute", "--preset", "row"], &FLAGS[..], &["--agent", &agent]].concat()).exits(3);
    sandbox
}

const FLAGS: [&str; 4] = ["--issue", "243", "--forge", "local"];

/// Edits one file, commits one, deletes one and adds one.
fn work_by_hand(sandbox: &Sandbox) {
    sandbox.write("NOTES.md", "by hand\n");
    sandbox.git(&["add", "NOTES.md"]);
    sandbox.git(&["commit", "-q", "-m", "by hand"]);
    sandbox.write("src/lib.rs", "pub fn pages() -> u32 {\n    3 // by hand\n}\n");
    std::fs::remove_file(sandbox.root().join("README.md")).expect("a file");
    sandbox.write("NEW.md", "by hand\n");
}

/// An approval that grades what policy retake asks for.
const GRADES: &str = r#"
[[turn]]
step = "review"
say = '{"review_id": "{{review_id}}", "result": "PASS", "summary": "good", "findings": [], "viewpoints": {"security": "A", "performance": "A", "quality": "A", "compatibility": "A"}}'
"#;

fn resume(sandbox: &Sandbox, how: &[&str]) -> Ran {
    let agent = sandbox.script(&honest_script(GRADES));
    sandbox.run(&[&["resume", "--issue", "243", "--agent", &agent], how].concat())
}

/// Asserts that all of it is on the branch, and that nothing is left over in the worktree.
#[track_caller]
fn all_is_published(sandbox: &Sandbox) {
    let words = ["diff", "--name-only", "main", BRANCH, "--", ".", ":!.ai-workflow"];
    assert_eq!(sandbox.git(&words).lines().collect::<Vec<_>>(), CHANGED);
    let left = sandbox.git(&["status", "--porcelain", "--", ".", ":!.ai-workflow"]);
    assert_eq!(left, "");
}

#[track_caller]
fn all_was_shown(sandbox: &Sandbox) {
    let reviewed = |fact: &&Value| fact["type"] == "reviewed" && fact["phase"] == "implementation";
    let facts = sandbox.facts();
    let last = facts.iter().rfind(reviewed).expect("a review");
    let place = format!("review/round-{}/attempt-{}", last["round"], last["attempt"]);
    let prompt = sandbox.read(&format!(".ai-workflow/issue-243/04_implementation/{place}/prompt.md"));
    assert!(CHANGED.iter().all(|path| prompt.contains(path)), "{prompt}");
    sandbox.run(&["finalize", "--issue", "243"]).exits(0);
}

#[track_caller]
fn all_is_told(sandbox: &Sandbox) {
    let told = format!("not reviewed: 4 files changed and shown to no reviewer: {}", CHANGED.join(", "));
    sandbox.run(&["finalize", "--issue", "243"]).refuses(2, &told);
}

#[test]
fn manual_work_in_a_pause_is_reviewed_and_committed_for_every_answer() {
    for (policy, how) in ["retake", "phase-review"].into_iter().flat_map(|it| ANSWERS.map(|how| (it, how))) {
        let sandbox = waiting(policy, FAILS);
        work_by_hand(&sandbox);
        resume(&sandbox, how).exits(0);
        all_is_published(&sandbox);
        all_was_shown(&sandbox);
    }
}

#[test]
fn manual_work_in_a_pause_of_an_unreviewed_phase_is_reported() {
    for (policy, how) in
        ["quality-gate", "completion"].into_iter().flat_map(|it| ANSWERS.map(|how| (it, how)))
    {
        let sandbox = waiting(policy, UNFINISHED);
        work_by_hand(&sandbox);
        let document = ".ai-workflow/issue-243/04_implementation/output/implementation.md";
        sandbox.write(document, "# by hand\n");
        resume(&sandbox, how).exits(0);
        all_is_published(&sandbox);
        all_is_told(&sandbox);
    }
}

/// A `claude` whose quota is used up, found before any other.
fn without_quota(sandbox: Sandbox) -> Sandbox {
    let recorded = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/agents/recorded/claude/credit_too_low.jsonl");
    let folder = sandbox.root().with_file_name("bin");
    std::fs::create_dir_all(&folder).expect("a folder");
    let program = folder.join("claude");
    let text = format!(
        "#!/bin/sh\ncase \"$*\" in *--version*) echo '2.0.1 (Claude Code)'; exit 0 ;; esac\ncat > /dev/null\ncat '{recorded}'\nexit 1\n"
    );
    std::fs::write(&program, text).expect("a program");
    make_executable(&program);
    let path = std::env::var("PATH").expect("a path");
    sandbox.with("PATH", &format!("{}:{path}", folder.display()))
}

/// Lets the author or the reviewer of the code run out of quota, works by hand, and goes on with others.
fn after_a_quota(policy: &str, flag: &str, command: &[&str]) -> Sandbox {
    let sandbox = without_quota(with(policy, ""));
    let honest = sandbox.script(&honest_script(""));
    let all = ["--agent", &honest, "--reviewer", &honest];
    let planning = ["execute", "--preset", "row", "--phase", "planning"];
    sandbox.run(&[&planning[..], &FLAGS, &all].concat()).exits(0);
    let mut tired = all;
    tired[if flag == "--agent" { 1 } else { 3 }] = "claude";
    sandbox.run(&[&["execute"], &FLAGS[..2], &tired[..]].concat()).exits(3);
    assert_eq!(sandbox.metadata()["paused"]["reason"], "quota");
    work_by_hand(&sandbox);
    sandbox.run(&[command, &FLAGS[..2], &all].concat()).exits(0);
    all_is_published(&sandbox);
    sandbox
}

#[test]
fn manual_work_in_a_quota_pause_is_reviewed_or_reported() {
    for command in [&["execute"][..], &["resume", "--continue"]] {
        all_was_shown(&after_a_quota("phase-review", "--reviewer", command));
        all_was_shown(&after_a_quota("phase-review", "--agent", command));
        all_is_told(&after_a_quota("completion", "--agent", command));
    }
}
