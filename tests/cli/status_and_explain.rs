//! Looking at runs: `status`, `explain`, `replay`, from anywhere and while a run goes on.

use std::process::Child;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::line_with;
use crate::support::{SHORT, Sandbox, filtered, honest_script};

/// An author that takes its time in the first phase.
const SLOW: &str = "[[turn]]\nphase = \"planning\"\nstep = \"execute\"\nsleep_ms = 60000\nsay = \"late\"\n";

/// A run with an agent at work.
pub(super) struct Running {
    pub(super) sandbox: Sandbox,
    pub(super) child: Child,
}

impl Running {
    /// Starts a run and waits until its agent is at work.
    pub(super) fn start() -> Self {
        let sandbox = Sandbox::new();
        let agent = sandbox.script(&honest_script(SLOW));
        let arguments = ["execute", "--issue", "243", "--agent", &agent, "--preset", SHORT, "--json"];
        let child = sandbox.start(&arguments);
        let begun = Instant::now();
        while status(&sandbox).is_none_or(|status| status["under_way"].is_null()) {
            assert!(begun.elapsed() < Duration::from_secs(30), "no agent is at work");
            std::thread::sleep(Duration::from_millis(50));
        }
        Self { sandbox, child }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns what a command printed, without what differs from run to run.
pub(super) fn shown(sandbox: &Sandbox, stdout: &str) -> String {
    let beside = sandbox.root().with_file_name("agent.toml").display().to_string();
    let short = regex::Regex::new(r"\b([0-9a-f]{9}|[0-9a-f]{12})\b").expect("a constant");
    filtered(&short.replace_all(&stdout.replace(&beside, "[AGENT]"), "[HASH]"))
}

fn status(sandbox: &Sandbox) -> Option<Value> {
    let ran = sandbox.run(&["status", "--issue", "243", "--json"]);
    (ran.code == 0).then(|| ran.json())
}

#[test]
fn status_shows_a_run_from_any_branch_and_folder() {
    let sandbox = Sandbox::new();
    sandbox.short("", &[]).exits(0);
    let here = sandbox.run(&["status", "--issue", "243"]).exits(0);
    insta::assert_snapshot!("status_of_a_completed_run", shown(&sandbox, &here.stdout));
    assert_eq!(here.stderr, "");
    assert_eq!(sandbox.run_in("src", &["status", "--issue", "243"]).exits(0).stdout, here.stdout);
    sandbox.git(&["switch", "-q", "main"]);
    assert_eq!(sandbox.run(&["status", "--issue", "243"]).exits(0).stdout, here.stdout);
    let json = sandbox.run(&["status", "--issue", "243", "--json"]).exits(0).json();
    assert_eq!(
        (&json["outcome"], &json["held_by"], &json["under_way"]),
        (&json!("completed"), &Value::Null, &Value::Null)
    );
}

#[test]
fn columns_of_status_are_aligned_with_wide_characters() {
    let sandbox = Sandbox::new();
    let japanese =
        "[[turn]]\nphase = \"planning\"\nstep = \"review\"\nsay = \"**最終判定: PASS_WITH_SUGGESTIONS**\"\n";
    sandbox.short(japanese, &[]).exits(0);
    let ran = sandbox.run(&["status", "--issue", "243"]).exits(0);
    let lines: Vec<&str> = ran.stdout.lines().filter(|line| line.contains("/3 revisions")).collect();
    assert_eq!(lines.len(), 2, "{}", ran.stdout);
    // Each of the four letters of the label takes two columns.
    let places: Vec<usize> =
        lines.iter().map(|line| line.split("0/3").next().unwrap_or_default().chars().count()).collect();
    insta::assert_snapshot!(filtered(lines[0]), @"  planning             ✓ completed  PASS_WITH_SUGGESTIONS by marker:最終判定  0/3 revisions");
    assert_eq!(places[0] + 4, places[1], "{}", ran.stdout);
}

#[test]
fn all_runs_of_a_repository_are_listed() {
    let sandbox = Sandbox::new();
    assert_eq!(sandbox.run(&["status"]).exits(0).stdout, "no runs in this repository\n");
    assert_eq!(sandbox.run(&["status", "--json"]).exits(0).json(), json!([]));
    sandbox.short("", &[]).exits(0);
    sandbox.git(&["switch", "-q", "main"]);
    let ran = sandbox.run(&["status"]).exits(0);
    assert!(ran.stdout.starts_with("#243    completed "), "{}", ran.stdout);
    let list = sandbox.run(&["status", "--json"]).exits(0).json();
    assert_eq!((list.as_array().map(Vec::len), &list[0]["issue_number"]), (Some(1), &json!(243)));
}

#[test]
fn status_explain_and_replay_work_with_a_broken_configuration() {
    let sandbox = Sandbox::new();
    sandbox.short("", &[]).exits(0);
    sandbox.write(".ai-workflow/config.toml", "nonsense");
    for command in ["status", "explain", "replay"] {
        sandbox.run(&[command, "--issue", "243"]).exits(0);
    }
}

#[test]
fn status_lists_other_runs_beside_a_damaged_one() {
    let sandbox = Sandbox::new();
    sandbox.short("", &[]).exits(0);
    let log = sandbox.read(".ai-workflow/issue-243/events.jsonl");
    sandbox.write(".ai-workflow/issue-7/events.jsonl", &log.replacen("\"seq\":2", "\"seq\":9", 1));
    let ran = sandbox.run(&["status"]).exits(0);
    insta::assert_snapshot!(filtered(&ran.stdout), @r"
    #7      [REPO]/.ai-workflow/issue-7/events.jsonl is damaged at line 2: its chain does not fit its content and the line before
    #243    completed                         The last page is missing
    ");
    let list = sandbox.run(&["status", "--json"]).exits(0).json();
    insta::assert_snapshot!(filtered(list[0]["error"].as_str().unwrap_or_default()), @"[REPO]/.ai-workflow/issue-7/events.jsonl is damaged at line 2: its chain does not fit its content and the line before");
}

#[test]
fn status_of_a_running_run_names_the_log_file_to_follow() {
    let running = Running::start();
    let ran = running.sandbox.run(&["status", "--issue", "243"]).exits(0);
    let told = shown(&running.sandbox, &ran.stdout).replace(env!("CARGO_BIN_EXE_ai-workflow"), "[PROGRAM]");
    let moving = regex::Regex::new(r"for \d+s\b|process \d+ on \S+").expect("a constant");
    insta::assert_snapshot!("status_of_a_running_run", moving.replace_all(&told, "[MOVING]"));
    let under_way = status(&running.sandbox).expect("a status")["under_way"].clone();
    let file = under_way["file"].as_str().expect("a file");
    assert!(std::path::Path::new(file).is_file(), "{file}");
    let follow = format!("  follow   tail -f {file}");
    assert!(ran.stdout.lines().any(|line| line == follow), "{}", ran.stdout);
    assert_eq!((&under_way["phase"], &under_way["step"]), (&json!("planning"), &json!("execute")));
    assert!(under_way["seconds"].as_u64().is_some_and(|seconds| seconds < 60), "{under_way}");
}

#[test]
fn explain_names_the_rule_behind_each_ruling_and_the_limits() {
    let sandbox = Sandbox::new();
    let fails = "[[turn]]\nphase = \"planning\"\nstep = \"review\"\nround = 1\nsay = '{\"review_id\": \"{{review_id}}\", \"result\": \"FAIL\"}'\n";
    sandbox.short(fails, &[]).exits(0);
    let ran = sandbox.run(&["explain", "--issue", "243"]).exits(0);
    insta::assert_snapshot!("explain", shown(&sandbox, &ran.stdout));
    let rulings = sandbox.run(&["explain", "--issue", "243", "--json"]).exits(0).json();
    let words: Vec<&str> =
        rulings.as_array().expect("a list").iter().filter_map(|ruling| ruling["ruling"].as_str()).collect();
    assert_eq!(words, ["revise", "advance", "advance"]);
}

#[test]
fn a_refusal_by_a_word_alone_is_shown_with_the_reviewers_summary() {
    let sandbox = Sandbox::new();
    sandbox.write(".ai-workflow/config.toml", "[phases.planning]\npolicy = \"retake\"\n");
    let rejects = "[[turn]]\nphase = \"planning\"\nstep = \"review\"\nsay = '{\"review_id\": \"{{review_id}}\", \"result\": \"FAIL\", \"decision\": \"REJECT\", \"summary\": \"the key is logged\"}'\n";
    sandbox.short(rejects, &[]).exits(3);
    let reason = "the reviewer says: the key is logged";
    for command in ["status", "explain"] {
        let ran = sandbox.run(&[command, "--issue", "243"]).exits(0);
        assert!(ran.stdout.lines().any(|line| line.trim() == reason), "{command}\n{}", ran.stdout);
    }
    let rulings = sandbox.run(&["explain", "--issue", "243", "--json"]).exits(0).json();
    assert_eq!(rulings[0]["summary"], "the key is logged");
    let round = sandbox.metadata()["phases"]["planning"]["rounds"][0].clone();
    let rule = "the reviewer states REJECT; on blocked: pause";
    assert_eq!((&round["summary"], &round["rule"]), (&json!("the key is logged"), &json!(rule)));
}

#[test]
fn replay_shows_every_fact_in_its_order() {
    let sandbox = Sandbox::new();
    sandbox.short("", &[]).exits(0);
    let ran = sandbox.run(&["replay", "--issue", "243"]).exits(0);
    let end = ran.stdout.find("now: ").unwrap_or_else(|| panic!("{}", ran.stdout));
    insta::assert_snapshot!(filtered(&ran.stdout[end..]), @r"
    now: completed
    next: halt (completed)
    ");
    let json = sandbox.run(&["replay", "--issue", "243", "--json"]).exits(0).json();
    let facts: Vec<Value> =
        json["facts"].as_array().expect("a list").iter().map(|fact| fact["fact"].clone()).collect();
    assert_eq!(facts, sandbox.facts());
    assert_eq!(json["chain"], sandbox.metadata()["engine"]["chain"]);
}

#[test]
fn a_closed_stdout_pipe_is_not_a_failure() {
    let sandbox = Sandbox::new();
    let mut child = sandbox.start(&["config", "schema"]);
    drop(child.stdout.take());
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
}

#[test]
fn two_runs_can_be_compared() {
    let sandbox = Sandbox::new();
    sandbox.write(".ai-workflow/local/issues/244.md", crate::support::ISSUE);
    let agent = crate::support::fake_agent();
    let begin = |issue: &str, more: &[&str]| {
        let execute = ["execute", "--issue", issue, "--agent", &agent, "--preset", crate::support::SHORT];
        let worktree = ["--worktree", "--set", "budget.calls=9"];
        sandbox.run(&[&execute[..], &worktree, more].concat()).exits(0);
    };
    begin("243", &[]);
    sandbox.write(".ai-workflow/prompts/planning/execute.md", "Plan it.\n");
    begin("244", &["--set", "phases.planning.max_revisions=2", "--language", "ja"]);
    let compare = ["explain", "--issue", "243", "--compare", "244"];
    let ran = sandbox.run(&compare).exits(0);
    insta::assert_snapshot!("comparison_of_two_runs", shown(&sandbox, &ran.stdout));
    assert!(!ran.stdout.contains("prompt of planning/review"), "the same template: {}", ran.stdout);
    let json = sandbox.run(&[&compare[..], &["--json"]].concat()).exits(0).json();
    let what: Vec<_> =
        json["differences"].as_array().expect("rows").iter().map(|row| row["what"].clone()).collect();
    assert_eq!(what[..2], ["language", "planning: policy"]);
    let same = sandbox.run(&["explain", "--issue", "243", "--compare", "243"]).exits(0).stdout;
    assert_eq!(same, "nothing differs between the runs of #243 and #243\n");
    sandbox.run(&["explain", "--issue", "243", "--compare", "7"]).refuses(2, "there is no run of issue 7");
}

#[test]
fn status_json_lists_prompt_bytes_and_calls_of_each_step() {
    let sandbox = Sandbox::new();
    sandbox.short("", &[]).exits(0);
    let status = sandbox.run(&["status", "--issue", "243", "--json"]).exits(0).json();
    let usage = &status["phases"]["planning"]["usage"];
    for step in ["execute", "review"] {
        let bytes = usage[step]["prompt_bytes"].as_u64().expect("bytes");
        assert!(bytes > 1_000 && usage[step]["calls"] == 1, "{usage}");
    }
    let told = sandbox.run(&["status", "--issue", "243"]).exits(0).stdout;
    insta::assert_snapshot!(line_with(&shown(&sandbox, &told), "  agents   "), @"  agents   scripted:[AGENT]");
}

#[test]
fn status_of_a_run_without_a_process_is_interrupted() {
    let mut running = Running::start();
    let looked = |sandbox: &Sandbox| {
        let json = sandbox.run(&["status", "--issue", "243", "--json"]).exits(0).json();
        let head =
            sandbox.run(&["status", "--issue", "243"]).exits(0).stdout.lines().next().map(str::to_owned);
        let all = sandbox.run(&["status", "--json"]).exits(0).json()[0].clone();
        assert_eq!((&all["working"], &all["pid"]), (&json["working"], &json["pid"]));
        (json["outcome"].clone(), json["working"].clone(), json["pid"].clone(), head.unwrap_or_default())
    };
    let title = "#243 The last page is missing";
    let pid = json!(running.child.id());
    assert_eq!(looked(&running.sandbox), (json!("running"), json!(true), pid, format!("{title}: running")));
    running.child.kill().expect("it runs");
    running.child.wait().expect("it has ended");
    let told = format!("{title}: interrupted; no process here works on it");
    assert_eq!(looked(&running.sandbox), (json!("running"), json!(false), json!(null), told));
    let text = running.sandbox.run(&["status", "--issue", "243"]).exits(0).stdout;
    assert!(text.ends_with("\nnext: ai-workflow execute --phase all --issue 243\n"), "{text}");
    insta::assert_snapshot!(line_with(&text, "  planning   "), @"  planning             ? unknown");
    insta::assert_snapshot!(line_with(&text, "  unknown "), @"  unknown  whether the execute call of planning (attempt 1) came to its end; `execute` compares the files and calls the agent again");
    let json = running.sandbox.run(&["status", "--issue", "243", "--json"]).exits(0).json();
    let call = json!({"what": "call", "phase": "planning", "step": "execute", "attempt": 1});
    assert_eq!(json["unknown"], call);
    let all = running.sandbox.run(&["status"]).exits(0).stdout;
    assert!(all.starts_with("#243    interrupted "), "{all}");
}

#[test]
fn a_reopened_phase_has_no_verdict_until_its_new_review() {
    let sandbox = Sandbox::new();
    sandbox.short("", &[]).exits(0);
    let verdict = |phase: &str| sandbox.metadata()["phases"][phase]["review_result"].clone();
    assert_eq!(verdict("requirements"), json!("PASS"));
    let back = ["rollback", "--issue", "243", "--to-phase", "requirements", "--reason", "say more"];
    sandbox.run(&back).exits(0);
    assert_eq!((verdict("planning"), verdict("requirements")), (json!("PASS"), json!(null)));
    let text = sandbox.run(&["status", "--issue", "243"]).exits(0).stdout;
    assert!(
        text.starts_with("#243 The last page is missing: unfinished; no process here works on it\n"),
        "{text}"
    );
    let row = |name: &str| text.lines().find(|line| line.trim_start().starts_with(name)).expect("a row");
    insta::assert_snapshot!(filtered(row("planning")), @"  planning             ✓ completed  PASS by json  0/3 revisions");
    let words: Vec<&str> = row("requirements").split_whitespace().collect();
    assert_eq!(words, ["requirements", "·", "pending"], "{text}");
    sandbox.short("", &[]).exits(0);
    assert_eq!(verdict("requirements"), json!("PASS"));
}
