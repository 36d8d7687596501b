//! A provider that fails is waited for; then the run pauses until a time, and goes on after it.

use std::fs;
use std::process::Child;
use std::time::Duration;

use jiff::Timestamp;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use super::world::{LOG, ends_within};
use crate::support::eventually;
use crate::support::{Ran, SHORT, Sandbox};

/// Speaks as Claude Code does: fails with what `claude.down` holds, else writes and approves everything.
const CLAUDE: &str = r##"#!/bin/sh
cat > /dev/null
echo called >> "$0.calls"
printf '%s\n' '{"type":"system","subtype":"init","session_id":"s-1","model":"m","claude_code_version":"2.1.329"}'
if [ -e "$0.down" ]; then cat "$0.down"; exit 1; fi
say=done
case "$AI_WORKFLOW_STEP" in
review) say="{\\\"review_id\\\": \\\"$AI_WORKFLOW_REVIEW_ID\\\", \\\"result\\\": \\\"PASS\\\", \\\"summary\\\": \\\"complete\\\", \\\"findings\\\": []}" ;;
*) mkdir -p "$(dirname "$AI_WORKFLOW_OUTPUT")"; echo "# $AI_WORKFLOW_PHASE" > "$AI_WORKFLOW_OUTPUT" ;;
esac
printf '{"type":"result","subtype":"success","is_error":false,"result":"%s","num_turns":1}\n' "$say"
"##;

/// How Claude Code 2.1.329 ends where the provider is overloaded.
const OVERLOADED: &str = r#"{"type":"result","subtype":"success","is_error":true,"result":"API Error: 529 Overloaded","terminal_reason":"api_error","api_error_status":529}"#;

/// A sandbox whose agent is down and is waited for so many seconds.
fn down(seconds: u32) -> Sandbox {
    let sandbox = Sandbox::new();
    let claude = sandbox.executable("claude", CLAUDE);
    let config = format!(
        "[limits]\noutage_seconds = {seconds}\n[agents.fake]\nkind = \"claude\"\ncommand = [\"{}\"]\n",
        claude.display()
    );
    sandbox.write(".ai-workflow/config.toml", &config);
    sandbox.git(&["add", "-A"]);
    sandbox.git(&["commit", "-q", "-m", "settings"]);
    fs::write(claude.with_file_name("claude.down"), OVERLOADED).expect("a file");
    sandbox
}

const EXECUTE: [&str; 8] = ["execute", "--issue", "243", "--agent", "fake", "--preset", SHORT, "--no-wait"];

fn execute(sandbox: &Sandbox) -> Ran {
    sandbox.run(&EXECUTE[..7])
}

fn is_up(sandbox: &Sandbox) {
    fs::remove_file(sandbox.root().with_file_name("claude.down")).expect("it was down");
}

fn calls(sandbox: &Sandbox) -> usize {
    fs::read_to_string(sandbox.root().with_file_name("claude.calls")).map_or(0, |text| text.lines().count())
}

fn rulings(sandbox: &Sandbox) -> Vec<Value> {
    let ruled = sandbox.facts().into_iter().filter(|fact| fact["type"] == "ruled");
    ruled.map(|fact| fact["ruling"]["do"].clone()).collect()
}

#[test]
fn an_overloaded_provider_pauses_the_run_and_never_fails_it() {
    let sandbox = down(1);
    let ran = execute(&sandbox).exits(3).says("the provider is overloaded");
    let metadata = sandbox.metadata();
    let until: Timestamp =
        metadata["paused_until"].as_str().and_then(|time| time.parse().ok()).expect("a time");
    assert_eq!((&metadata["outcome"], calls(&sandbox)), (&"paused".into(), 2), "{}", ran.stderr);
    assert_eq!(rulings(&sandbox), ["wait", "pause"]);
    assert_eq!(metadata["phases"]["planning"]["status"], "in_progress");
    assert_eq!(metadata["phases"]["planning"]["retry_count"], 0);
    // Before that time nobody is asked.
    if Timestamp::now() < until {
        let early = sandbox.run(&EXECUTE).exits(1);
        assert!(calls(&sandbox) == 2 || Timestamp::now() >= until, "{}", early.stderr);
    }
    is_up(&sandbox);
    eventually("the run goes on once its time has come", || sandbox.run(&EXECUTE).code == 0);
    assert_eq!(sandbox.metadata()["outcome"], "completed");
}

/// Starts the run and returns it once it has decided to wait for the given time.
fn waiting(sandbox: &Sandbox, times: usize) -> Child {
    let child = sandbox.start(&EXECUTE[..7]);
    eventually("the run waits", || {
        sandbox.has(LOG) && rulings(sandbox).iter().filter(|ruling| *ruling == "wait").count() == times
    });
    child
}

fn send(child: &Child, signal: Signal) {
    let process = i32::try_from(child.id()).ok().and_then(Pid::from_raw).expect("a process");
    kill_process(process, signal).expect("it runs");
}

#[test]
fn a_run_killed_or_stopped_while_waiting_for_its_provider_can_continue() {
    let sandbox = down(600);
    let mut killed = waiting(&sandbox, 1);
    send(&killed, Signal::KILL);
    killed.wait().expect("it ends");
    let stopped = waiting(&sandbox, 2);
    send(&stopped, Signal::TERM);
    let (code, stderr) = ends_within(stopped, Duration::from_secs(3));
    assert_eq!(code, 130, "{stderr}");
    is_up(&sandbox);
    let child = sandbox.start(&EXECUTE[..7]);
    let (code, stderr) = ends_within(child, Duration::from_secs(10));
    assert_eq!((code, &sandbox.metadata()["outcome"]), (0, &"completed".into()), "{stderr}");
}
