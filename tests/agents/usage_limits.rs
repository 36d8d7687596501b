//! A call that uses more than it may is ended while it works, by what its program tells of its turns.

use agents::AgentAnswer;
use model::call::CallBudget;
use model::event::{CostBasis, ExecOutcome};
use settings::AgentKind;

use super::Scene;

/// How many turns a program makes that nobody ends; a few seconds.
const TURNS: u32 = 60;

/// Speaks as Claude Code does: turns of 10,000 tokens, each with a tool.
const CLAUDE: &str = r#"cat > /dev/null
echo '{"type":"system","subtype":"init","session_id":"s-1","model":"m","claude_code_version":"9"}'
turn=0
while [ $turn -lt 60 ]; do
    turn=$((turn + 1))
    echo '{"type":"assistant","message":{"id":"m-'$turn'","content":[{"type":"tool_use","name":"Read","input":{}}],"usage":{"input_tokens":100,"cache_read_input_tokens":9800,"output_tokens":100}}}'
    echo '{"type":"user","message":{"content":[]}}'
    sleep 0.1
done
echo '{"type":"result","subtype":"success","is_error":false,"result":"done","num_turns":60}'"#;

/// Speaks as Codex does, which tells the tokens of its turns in the file of its session: 100,000 each.
const CODEX: &str = r#"cat > /dev/null
day="$CODEX_HOME/sessions/2026/01/31"
mkdir -p "$day"
exec 3>> "$day/rollout-x-t-1.jsonl"
echo '{"type":"thread.started","thread_id":"t-1"}'
echo '{"type":"event_msg","payload":{"type":"task_started"}}' >&3
echo '{"type":"turn_context","payload":{"model":"gpt-5.5"}}' >&3
turn=0
while [ $turn -lt 60 ]; do
    turn=$((turn + 1))
    echo '{"type":"response_item","payload":{"type":"function_call","name":"exec_command"}}' >&3
    echo '{"type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":'$turn'00000,"cached_input_tokens":0,"output_tokens":0}}}}' >&3
    echo '{"type":"item.started","item":{"type":"command_execution","command":"true"}}'
    sleep 0.1
done
echo '{"type":"item.completed","item":{"type":"agent_message","text":"done"}}'
echo '{"type":"turn.completed","usage":{"input_tokens":6000000,"cached_input_tokens":0,"output_tokens":0}}'"#;

async fn limited(kind: AgentKind, script: &str, allowance: CallBudget) -> AgentAnswer {
    let mut scene = Scene::new();
    scene.allowance = allowance;
    let spec = scene.stands_in(kind, script);
    scene.call(&spec).await
}

#[tokio::test]
async fn claude_is_ended_when_its_messages_exceed_the_token_limit() {
    let allowance = CallBudget { tokens: Some(60_000), ..CallBudget::default() };
    let answer = limited(AgentKind::Claude, CLAUDE, allowance).await;
    let tokens = answer.usage.input_tokens.unwrap_or(0) + answer.usage.output_tokens.unwrap_or(0);
    assert_eq!(answer.outcome, ExecOutcome::OverBudget, "{answer:?}");
    assert_eq!(answer.reason.as_deref(), Some("it was ended: it used 70000 tokens, and 60000 were left"));
    assert!((70_000..=90_000).contains(&tokens), "{tokens} tokens");
    assert_eq!((answer.session.as_deref(), answer.text.as_str()), (Some("s-1"), ""));
}

#[tokio::test]
async fn codex_is_ended_when_its_session_exceeds_the_cost_limit() {
    let allowance = CallBudget { usd: Some(2.2), ..CallBudget::default() };
    let answer = limited(AgentKind::Codex, CODEX, allowance).await;
    assert_eq!(answer.outcome, ExecOutcome::OverBudget, "{answer:?}");
    let cost = answer.usage.cost().unwrap_or(0.0);
    assert_eq!(answer.usage.cost_basis, Some(CostBasis::Table));
    assert!((2.5..=3.5).contains(&cost), "{cost} USD");
}

#[tokio::test]
async fn a_call_within_its_usage_limit_completes() {
    let turns = u64::from(TURNS);
    for (kind, script, most) in
        [(AgentKind::Claude, CLAUDE, turns * 10_000), (AgentKind::Codex, CODEX, turns * 100_000)]
    {
        let quick = script.replace("sleep 0.1", "");
        let answer = limited(kind, &quick, CallBudget { tokens: Some(most), ..CallBudget::default() }).await;
        assert_eq!((answer.outcome, answer.text.as_str()), (ExecOutcome::Done, "done"), "{kind:?}");
    }
}

#[tokio::test]
async fn an_answer_in_the_turn_that_exceeds_the_limit_is_kept() {
    let claude = CLAUDE
        .replace(r#"{"type":"tool_use","name":"Read","input":{}}"#, r#"{"type":"text","text":"done"}"#)
        .replace("turn -lt 60", "turn -lt 1")
        .replace("sleep 0.1", "sleep 0.6")
        .replace(r#"    echo '{"type":"user","message":{"content":[]}}'"#, "");
    let codex = CODEX
        .replace(r#"    echo '{"type":"response_item","payload":{"type":"function_call","name":"exec_command"}}' >&3"#, "")
        .replace(r#"    echo '{"type":"item.started","item":{"type":"command_execution","command":"true"}}'"#, "")
        .replace("turn -lt 60", "turn -lt 1")
        .replace("sleep 0.1", "sleep 0.6");
    for (kind, script) in [(AgentKind::Claude, claude), (AgentKind::Codex, codex)] {
        let answer = limited(kind, &script, CallBudget { tokens: Some(500), ..CallBudget::default() }).await;
        assert_eq!(
            (answer.outcome, answer.text.as_str()),
            (ExecOutcome::Done, "done"),
            "{kind:?}: {answer:?}"
        );
    }
}
