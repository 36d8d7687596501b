//! A call that passes a limit is ended while it works; the run pauses, and a higher limit goes on.

use serde_json::Value;

use crate::support::{Ran, SHORT, Sandbox};

/// Speaks as Claude Code does. While `claude.busy` is there, it makes thirty turns of 10,000 tokens; then it writes and
/// approves everything.
const CLAUDE: &str = r##"#!/bin/sh
cat > /dev/null
printf '%s\n' '{"type":"system","subtype":"init","session_id":"s-1","model":"m","claude_code_version":"2.1.329"}'
turn=0
while [ -e "$0.busy" ] && [ $turn -lt 30 ]; do
    turn=$((turn + 1))
    printf '%s\n' '{"type":"assistant","message":{"id":"m-'$turn'","content":[{"type":"tool_use","name":"Read","input":{}}],"usage":{"input_tokens":9900,"output_tokens":100}}}'
    sleep 0.1
done
say=done
case "$AI_WORKFLOW_STEP" in
review) say="{\\\"review_id\\\": \\\"$AI_WORKFLOW_REVIEW_ID\\\", \\\"result\\\": \\\"PASS\\\", \\\"summary\\\": \\\"complete\\\", \\\"findings\\\": []}" ;;
*) mkdir -p "$(dirname "$AI_WORKFLOW_OUTPUT")"; echo "# $AI_WORKFLOW_PHASE" > "$AI_WORKFLOW_OUTPUT" ;;
esac
printf '{"type":"result","subtype":"success","is_error":false,"result":"%s","num_turns":1}\n' "$say"
"##;

fn execute(sandbox: &Sandbox, tokens: u64) -> Ran {
    let limit = format!("budget.tokens={tokens}");
    sandbox.run(&["execute", "--issue", "243", "--agent", "fake", "--preset", SHORT, "--set", &limit])
}

#[test]
fn a_call_over_the_token_limit_is_ended_and_a_higher_limit_continues() {
    let sandbox = Sandbox::new();
    let claude = sandbox.executable("claude", CLAUDE);
    let config = format!("[agents.fake]\nkind = \"claude\"\ncommand = [\"{}\"]\n", claude.display());
    sandbox.write(".ai-workflow/config.toml", &config);
    sandbox.git(&["add", "-A"]);
    sandbox.git(&["commit", "-q", "-m", "settings"]);
    let busy = claude.with_file_name("claude.busy");
    std::fs::write(&busy, "").expect("a file");

    execute(&sandbox, 50_000).exits(3).says("50000 were left");
    let metadata = sandbox.metadata();
    assert_eq!((&metadata["outcome"], &metadata["paused"]["reason"]), (&"paused".into(), &"budget".into()));
    let worked: Vec<Value> = sandbox.facts().into_iter().filter(|fact| fact["type"] == "worked").collect();
    let usage = &worked[0]["ended"]["usage"];
    let tokens = usage["input_tokens"].as_u64().unwrap_or(0) + usage["output_tokens"].as_u64().unwrap_or(0);
    assert!((60_000..=80_000).contains(&tokens), "{usage}");
    assert_eq!((worked.len(), &worked[0]["ended"]["outcome"]), (1, &"over_budget".into()));
    assert_eq!(metadata["phases"]["planning"]["status"], "in_progress");

    std::fs::remove_file(busy).expect("it was there");
    execute(&sandbox, 100_000).exits(0);
    assert_eq!(sandbox.metadata()["outcome"], "completed");
}
