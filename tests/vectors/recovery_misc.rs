//! The quality-criteria loop's recovery in small: rolling back, when a holder counts as gone, programs that ask, exit codes.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use process::{self, Launch, ProgramExit, Stop};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{assert_deliberate, cases};
use crate::support::{Sandbox, honest_script};

const NO_TREE: &str =
    "phases stand in a line, not in a tree: a rollback opens one and all later ones again, and cancels none";
const NO_STALENESS: &str = "the lock of a run ends with its process, whatever ended it: no time has to pass before it counts as gone";
const NOBODY_WAITS: &str = "nothing that is printed stops a program: whoever asks reads the end of its input at once, and goes on or fails";
const ONE_CODE: &str = "incomplete is a phase that failed, exit 1; 2 is for usage and settings";

/// Where we differ, and why.
const DIFFERENT: [(&str, &str); 15] = [
    ("RO-2 subtask makes no checkpoint", NO_TREE),
    ("RO-3 rollback from child", NO_TREE),
    ("RO-4 rollback from root", NO_TREE),
    ("exit code INCOMPLETE+COMPLETE", ONE_CODE),
    ("interactive prompt: ? Select an option", NOBODY_WAITS),
    ("interactive prompt: Continue? [Y/n]", NOBODY_WAITS),
    ("interactive prompt: Enter your choice:", NOBODY_WAITS),
    ("interactive prompt: Overwrite [y/N]", NOBODY_WAITS),
    ("interactive prompt: Press any key to continue", NOBODY_WAITS),
    ("interactive prompt: Proceed? (yes/no)", NOBODY_WAITS),
    ("stale threshold config", NO_STALENESS),
    ("stale threshold default", NO_STALENESS),
    ("stale threshold env", NO_STALENESS),
    ("stale threshold flag", NO_STALENESS),
    ("stale threshold flag>env>config", NO_STALENESS),
];

#[test]
fn small_recovery_functions_match_the_vectors() {
    let cases = cases("000_recovery_misc.json");
    let mut differing = BTreeMap::new();
    for case in &cases {
        let ours = ours(&case["input"]);
        let name = case["name"].as_str().expect("a name");
        // What is answered over a network has no counterpart: refusals have an exit code and words.
        let mut expected = case["expected"].clone();
        if let Some(fields) = expected.as_object_mut() {
            fields.retain(|key, _| !["http", "error"].contains(&key.as_str()));
        }
        if ours != expected {
            differing.insert(name.to_owned(), (ours, expected));
        }
    }
    if !cases.is_empty() {
        assert_deliberate(&differing, &DIFFERENT);
    }
}

fn ours(input: &Value) -> Value {
    if let Some(line) = input["line"].as_str() {
        return json!({"blocked": !goes_on_after(line)});
    }
    if let Some(statuses) = input["statuses"].as_array() {
        return json!(exit_code(statuses));
    }
    let tree = input["tree"].as_array();
    if tree.is_some_and(|tree| tree.len() == 1) {
        return without_anything_to_roll_back_to();
    }
    let known = tree.is_some() || input.get("execute").is_some() || input.get("flag").is_some();
    assert!(known, "no adapter for {input}");
    Value::Null
}

/// Tells whether a program that prints a line and then reads an answer comes to its end by itself.
fn goes_on_after(line: &str) -> bool {
    let folder = TempDir::new().expect("a folder");
    let script = r#"printf '%s' "$1"; read -r answer; echo "went on with <$answer>""#;
    let launch = Launch {
        arguments: ["-c", script, "sh", line].map(Into::into).to_vec(),
        environment: [("PATH".into(), std::env::var_os("PATH").expect("a PATH"))].into(),
        own_program: env!("CARGO_BIN_EXE_ai-workflow").into(),
        ..Launch::new("sh", folder.path(), Duration::from_secs(20))
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let finish = runtime.block_on(process::run(&launch, &mut |_, _| {}, &mut Stop::new().1));
    let printed = String::from_utf8_lossy(&finish.stdout);
    finish.exit == ProgramExit::Code(0) && printed.contains("went on with <>")
}

const REFUSED: &str =
    r#"say = '{"review_id": "{{review_id}}", "result": "FAIL", "summary": "bad", "findings": []}'"#;

/// Runs one phase for each status, to that status.
fn exit_code(statuses: &[Value]) -> i32 {
    let phases = ["planning", "requirements"];
    let mut config = format!("[presets.few]\nphases = {:?}\n", &phases[..statuses.len()]);
    let mut turns = String::new();
    for (phase, status) in phases.iter().zip(statuses) {
        let ending = if status == "INCOMPLETE" { "incomplete" } else { "fail" };
        let _ = write!(config, "[phases.{phase}]\nmax_revisions = 0\non_exhausted = \"{ending}\"\n");
        if status != "COMPLETE" {
            let _ = write!(turns, "[[turn]]\nphase = \"{phase}\"\nstep = \"review\"\n{REFUSED}\n");
        }
    }
    let sandbox = Sandbox::new();
    sandbox.write(".ai-workflow/config.toml", &config);
    let agent = sandbox.script(&honest_script(&turns));
    sandbox.run(&["execute", "--issue", "243", "--preset", "few", "--agent", &agent]).code
}

/// A run that has come to no phase can roll back to none, and stands where it stood.
fn without_anything_to_roll_back_to() -> Value {
    let sandbox = Sandbox::new();
    let before = sandbox.everything();
    let ran = sandbox.run(&["rollback", "--issue", "243", "--to-phase", "planning", "--reason", "again"]);
    let unchanged = sandbox.everything() == before;
    json!({"success": ran.code == 0, "status_after": if unchanged { "ERROR" } else { "changed" }})
}
