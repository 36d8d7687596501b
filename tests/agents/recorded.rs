//! What the real programs said, played again without them. The streams in `recorded/` were recorded from Claude Code
//! 2.1.329 and Codex 0.169.0 in front of a server that plays a script, and reduced to what matters. A file
//! `NAME.session.jsonl` is what Codex wrote about the same call into its session.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use agents::AgentAnswer;
use model::call::ResumableSession;
use model::event::{CostBasis, ExecOutcome, Usage};
use serde_json::json;
use settings::{AgentKeys, AgentKind};

use super::Scene;
use ExecOutcome::{
    BlockedOnPrompt, ContextTooLong, Crashed, Done, LimitReached, ModelUnknown, NoOutput, NotStarted,
    OverBudget, Overloaded, ProviderFailed, QuotaExhausted, RateLimited, Refused, SignedOut,
};

const SESSION: &str = "11111111-1111-4111-8111-111111111111";

/// Each recorded end of Claude Code: how the program exited, and what it is.
const CLAUDE: [(&str, &str, ExecOutcome); 36] = [
    ("success_with_edits", "exit 0", Done),
    ("reviewer_reads", "exit 0", Done),
    ("schema", "exit 0", Done),
    ("schema_missing", "exit 0", Done),
    ("schema_never_met", "exit 1", NoOutput),
    ("resumed", "exit 0", Done),
    ("cut_and_recovered", "exit 0", Done),
    ("unknown_tool", "exit 0", Done),
    ("quotes_an_error_and_is_done", "exit 0", Done),
    ("quotes_a_result_and_fails", "exit 1", SignedOut),
    ("empty", "exit 0", NoOutput),
    ("asks_a_person", "exit 0", Done),
    ("turn_limit", "exit 1", LimitReached),
    ("cost_limit", "exit 1", OverBudget),
    ("prompt_too_long", "exit 1", ContextTooLong),
    ("request_too_large", "exit 1", ContextTooLong),
    ("credit_too_low", "exit 1", QuotaExhausted),
    ("not_signed_in", "exit 1", SignedOut),
    ("key_refused", "exit 1", SignedOut),
    ("forbidden", "exit 1", SignedOut),
    ("model_unknown", "exit 1", ModelUnknown),
    ("rate_limited", "exit 1", RateLimited),
    ("rate_limited_for_an_hour", "exit 1", RateLimited),
    ("unavailable", "exit 1", Overloaded),
    ("overloaded", "exit 1", Overloaded),
    ("refusal", "exit 1", Refused),
    ("bad_request", "exit 1", Crashed),
    ("server_error", "exit 1", ProviderFailed),
    ("output_too_long", "exit 1", Crashed),
    ("html", "exit 1", ProviderFailed),
    ("garbage_from_the_server", "exit 1", ProviderFailed),
    ("no_server", "exit 1", ProviderFailed),
    ("unknown_session", "exit 1", Crashed),
    ("terminated", "exit 143", Crashed),
    ("interrupted", "exit 0", Crashed),
    ("unknown_option", "echo \"error: unknown option '--new'\" >&2; exit 1", NotStarted),
];

/// Each recorded end of Codex.
const CODEX: [(&str, &str, ExecOutcome); 32] = [
    ("success_with_edits", "exit 0", Done),
    ("reviewer_cannot_write", "exit 0", Done),
    ("schema", "exit 0", Done),
    ("schema_missing", "exit 0", Done),
    ("resumed", "exit 0", Done),
    ("unknown_tool", "exit 0", Done),
    ("unknown_model_metadata", "exit 0", Done),
    ("quotes_an_error_and_is_done", "exit 0", Done),
    ("quotes_a_turn_and_fails", "exit 1", SignedOut),
    ("empty", "exit 0", NoOutput),
    ("asks_a_person", "exit 0", BlockedOnPrompt),
    ("prompt_too_long", "exit 1", ContextTooLong),
    ("context_full", "exit 1", ContextTooLong),
    ("quota_used_up", "exit 1", QuotaExhausted),
    ("usage_limit_with_its_end", "exit 1", QuotaExhausted),
    ("key_refused", "exit 1", SignedOut),
    ("forbidden", "exit 1", SignedOut),
    ("model_unknown", "exit 1", ModelUnknown),
    ("rate_limited", "exit 1", RateLimited),
    ("told_to_slow_down", "exit 1", RateLimited),
    ("unavailable", "exit 1", Overloaded),
    ("overloaded", "exit 1", Overloaded),
    ("policy", "exit 1", Refused),
    ("bad_request", "exit 1", Crashed),
    ("server_error", "exit 1", ProviderFailed),
    ("output_too_long", "exit 1", Crashed),
    ("cut_stream", "exit 1", ProviderFailed),
    ("html", "exit 1", ProviderFailed),
    ("no_server", "exit 1", ProviderFailed),
    ("terminated", "kill -TERM $$", Crashed),
    ("unknown_session", "echo 'Error: no rollout found' >&2; exit 1", Crashed),
    ("unknown_option", "echo \"error: unexpected argument '--new'\" >&2; exit 2", NotStarted),
];

fn recorded(program: &str, name: &str) -> PathBuf {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/agents/recorded");
    PathBuf::from(folder).join(program).join(name)
}

/// Plays a stream, and the session file that belongs to it, to the end that it had.
async fn play(
    scene: &mut Scene,
    kind: AgentKind,
    stream: &str,
    session: Option<&str>,
    end: &str,
) -> AgentAnswer {
    let worktree = format!("{}/", scene.worktree().display());
    fs::write(scene.path("stream"), stream.replace("/worktree/", &worktree)).expect("the stream");
    if let Some(session) = session {
        let day = scene.path("home/sessions/2026/01/31");
        fs::create_dir_all(&day).expect("a day");
        fs::write(day.join(format!("rollout-x-{SESSION}.jsonl")), session).expect("the session");
    }
    let spec = scene.stands_in(kind, &format!("cat > /dev/null; cat \"$0\".stream\n{end}"));
    fs::rename(scene.path("stream"), scene.path("agent.stream")).expect("beside the program");
    scene.call(&spec).await
}

async fn play_recorded(program: &str, name: &str, end: &str) -> AgentAnswer {
    let mut scene = Scene::new();
    let kind = if program == "claude" { AgentKind::Claude } else { AgentKind::Codex };
    if name.starts_with("schema") {
        scene.schema = Some(verdict_schema());
    }
    if ["resumed", "unknown_session"].contains(&name) {
        let used = Usage {
            input_tokens: Some(1000),
            cached_tokens: Some(200),
            output_tokens: Some(50),
            cost_usd: Some(0.0025),
            ..Usage::default()
        };
        scene.resumes = Some(ResumableSession { session: SESSION.to_owned(), used });
    }
    let stream = fs::read_to_string(recorded(program, &format!("{name}.jsonl"))).expect(name);
    let session = fs::read_to_string(recorded(program, &format!("{name}.session.jsonl"))).ok();
    play(&mut scene, kind, &stream, session.as_deref(), end).await
}

fn verdict_schema() -> serde_json::Value {
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["verdict"],
        "properties": {"verdict": {"type": "string"}},
    })
}

/// Tells an answer whole, what is missing left out.
fn told(answer: &AgentAnswer) -> String {
    let AgentAnswer { outcome, reason, text, usage, truncated, millis: _, simulated, .. } = answer;
    let AgentAnswer { structured, schema_missed, session, program, resets_at, notices, .. } = answer;
    let mut told = format!("{outcome:?}");
    assert_eq!((truncated, simulated), (&false, &false));
    if let Some(reason) = reason {
        let _ = write!(told, "\n  reason  {reason}");
    }
    if !text.is_empty() {
        let _ = write!(told, "\n  {}  {text:?}", if *structured { "object" } else { "text  " });
    }
    if *schema_missed {
        told.push_str("\n  missed  the schema");
    }
    if *usage != Usage::default() {
        let _ = write!(told, "\n  usage   {}", serde_json::to_string(usage).expect("it can be written"));
    }
    let program = program.as_ref().expect("the dialect knows its program");
    let _ = write!(told, "\n  program {}", serde_json::to_string(program).expect("it can be written"));
    if let Some(session) = session {
        let _ = write!(told, "\n  session {session}");
    }
    if let Some(resets_at) = resets_at {
        let _ = write!(told, "\n  until   {resets_at}");
    }
    for notice in notices {
        let _ = write!(told, "\n  notice  {notice}");
    }
    told
}

async fn every_end(program: &str, table: &[(&str, &str, ExecOutcome)]) -> String {
    let mut all = String::new();
    for (name, end, outcome) in table {
        let answer = play_recorded(program, name, end).await;
        assert_eq!(answer.outcome, *outcome, "{program} {name}: {answer:?}");
        let _ = writeln!(all, "{name}: {}", told(&answer));
    }
    all
}

#[tokio::test]
async fn every_recorded_stream_of_claude_is_classified() {
    let ends = every_end("claude", &CLAUDE).await;
    insta::with_settings!({prepend_module_to_snapshot => false, omit_expression => true}, {
        insta::assert_snapshot!("ends_of_claude", ends);
    });
}

#[tokio::test]
async fn every_recorded_stream_of_codex_is_classified() {
    let ends = every_end("codex", &CODEX).await;
    insta::with_settings!({prepend_module_to_snapshot => false, omit_expression => true}, {
        insta::assert_snapshot!("ends_of_codex", ends);
    });
}

#[test]
fn every_recorded_stream_has_a_test_case() {
    for (program, table) in [("claude", &CLAUDE[..]), ("codex", &CODEX[..])] {
        let folder = fs::read_dir(recorded(program, "")).expect("the folder");
        let names = folder.map(|entry| entry.expect("a file").file_name().to_string_lossy().into_owned());
        let mut names: Vec<_> = names
            .filter(|name| !name.ends_with(".session.jsonl"))
            .map(|name| name.replace(".jsonl", ""))
            .collect();
        names.sort();
        let mut played: Vec<_> = table.iter().map(|(name, _, _)| (*name).to_owned()).collect();
        played.sort();
        assert_eq!(names, played);
    }
}

// What no server brings about.

const BEGIN: &str =
    r#"{"type":"system","subtype":"init","session_id":"s-1","model":"m","claude_code_version":"9"}"#;
const RESULT: &str =
    r#"{"type":"result","subtype":"success","is_error":false,"result":"done","num_turns":1}"#;
const FAILED: &str =
    r#"{"type":"result","subtype":"success","is_error":true,"result":"no","api_error_status":401}"#;

const THREAD: &str = r#"{"type":"thread.started","thread_id":"t-1"}"#;
const COMPLETED: &str =
    r#"{"type":"turn.completed","usage":{"input_tokens":5,"cached_input_tokens":0,"output_tokens":1}}"#;

async fn claude(lines: &[&str], end: &str) -> AgentAnswer {
    play(&mut Scene::new(), AgentKind::Claude, &(lines.join("\n") + "\n"), None, end).await
}

async fn codex(lines: &[&str]) -> AgentAnswer {
    play(&mut Scene::new(), AgentKind::Codex, &(lines.join("\n") + "\n"), None, "exit 0").await
}

#[tokio::test]
async fn a_result_that_contradicts_the_exit_code_is_not_done() {
    for (lines, end) in [
        (&[BEGIN, RESULT][..], "exit 1"),
        (&[BEGIN, FAILED], "exit 0"),
        (&[BEGIN, RESULT, FAILED], "exit 0"),
        (&[BEGIN, &RESULT.replace("false", "\"no\"")], "exit 0"),
        (&[BEGIN, &RESULT.replace("\"is_error\":false,", "")], "exit 0"),
        (&[BEGIN, &RESULT.replace("\"success\"", "\"error_of_tomorrow\"")], "exit 1"),
        (&[BEGIN, RESULT], "kill -9 $$"),
        (&[BEGIN], "exit 0"),
        (&[], "exit 0"),
        (&["rubbish", "[]", "{", "\u{0}"], "exit 0"),
    ] {
        let answer = claude(lines, end).await;
        assert_eq!(answer.outcome, Crashed, "{lines:?} {end}: {answer:?}");
    }
}

#[tokio::test]
async fn the_last_result_counts_and_unknown_lines_are_ignored() {
    let lines = [BEGIN, FAILED, "rubbish", r#"{"type":"event_of_tomorrow","deep":[{}]}"#, RESULT];
    let answer = claude(&lines, "exit 0").await;
    assert_eq!((answer.outcome, answer.text.as_str(), answer.reason), (Done, "done", None));
}

const GOES_ON: [&str; 3] = [
    r#"{"type":"assistant","message":{"id":"m","content":[{"type":"text","text":"wait"}]}}"#,
    r#"{"type":"assistant","message":{"id":"m","content":[{"type":"tool_use","name":"Read","input":{}}]}}"#,
    r#"{"type":"user","message":{"content":[]}}"#,
];

#[tokio::test]
async fn a_claude_result_with_later_events_is_not_the_answer() {
    for event in GOES_ON {
        let answer = claude(&[BEGIN, RESULT, event], "exit 0").await;
        assert_eq!((answer.outcome, answer.text.as_str()), (Crashed, ""), "{event}");
        let answer = claude(&[BEGIN, RESULT, event, RESULT], "exit 0").await;
        assert_eq!((answer.outcome, answer.text.as_str()), (Done, "done"), "{event}");
    }
}

#[tokio::test]
async fn a_question_of_claude_blocks_only_when_no_answer_follows_it() {
    let block = |block: serde_json::Value| {
        json!({"type": "assistant", "message": {"id": "m", "content": [block]}}).to_string()
    };
    let asks = block(json!({"type": "tool_use", "name": "AskUserQuestion", "input": {}}));
    let refused = r#"{"type":"user","message":{"content":[{"type":"tool_result","is_error":true}]}}"#;
    let says = block(json!({"type": "text", "text": "I decided it myself."}));
    let reads = block(json!({"type": "tool_use", "name": "Read", "input": {}}));
    let object = RESULT.replace("\"num_turns\"", "\"structured_output\":{},\"num_turns\"");
    let blank = block(json!({"type": "text", "text": " \n"}));
    for (lines, outcome) in [
        (vec![&asks[..], RESULT], BlockedOnPrompt),
        (vec![&says, &asks, refused, RESULT], BlockedOnPrompt),
        (vec![&asks, refused, &blank, RESULT], BlockedOnPrompt),
        (vec![&asks, refused, &says, &asks, refused, RESULT], BlockedOnPrompt),
        (vec![&asks, refused, &says, RESULT], Done),
        (vec![&asks, refused, &reads, refused, RESULT], Done),
        (vec![&asks, refused, &object], Done),
    ] {
        let answer = claude(&[&[BEGIN], &lines[..]].concat(), "exit 0").await;
        assert_eq!(answer.outcome, outcome, "{lines:?}");
    }
}

#[tokio::test]
async fn a_codex_turn_with_later_events_is_not_completed() {
    let said = r#"{"type":"item.completed","item":{"type":"agent_message","text":"done"}}"#;
    let started = r#"{"type":"item.started","item":{"type":"command_execution","command":"x"}}"#;
    for event in [r#"{"type":"turn.started"}"#, started, said] {
        let answer = codex(&[THREAD, said, COMPLETED, event]).await;
        assert_eq!((answer.outcome, answer.text.as_str()), (Crashed, ""), "{event}");
        let answer = codex(&[THREAD, said, COMPLETED, event, said, COMPLETED]).await;
        assert_eq!((answer.outcome, answer.text.as_str()), (Done, "done"), "{event}");
    }
    let answer = codex(&[THREAD, said, COMPLETED, r#"{"type":"turn.started"}"#, COMPLETED]).await;
    assert_eq!((answer.outcome, answer.text.as_str()), (NoOutput, ""));
}

#[tokio::test]
async fn a_result_without_a_newline_is_read_and_half_a_result_is_a_crash() {
    for (stream, outcome) in [(RESULT, Done), (&RESULT[..RESULT.len() / 2], Crashed)] {
        let stream = format!("{BEGIN}\n{stream}");
        let answer = play(&mut Scene::new(), AgentKind::Claude, &stream, None, "exit 0").await;
        assert_eq!(answer.outcome, outcome, "{stream}");
    }
}

#[tokio::test]
async fn overlong_event_is_dropped_with_a_warning() {
    let mut scene = Scene::new();
    let script = format!(
        "echo '{BEGIN}'; printf '{{\"type\":\"user\",\"x\":\"'; head -c 6000000 /dev/zero | tr '\\0' x; echo '\"}}'; echo '{RESULT}'"
    );
    let spec = scene.stands_in(AgentKind::Claude, &script);
    let answer = scene.call(&spec).await;
    assert_eq!(answer.outcome, Done);
    assert_eq!(answer.notices, ["an event of the agent was too long to be read"]);
}

#[tokio::test]
async fn a_structured_output_that_violates_the_schema_is_not_used() {
    for (object, structured) in
        [(r#"{"verdict":"PASS"}"#, true), (r#"{"verdict":1}"#, false), ("null", false)]
    {
        let mut scene = Scene::new();
        scene.schema = Some(verdict_schema());
        let result =
            RESULT.replace("\"num_turns\"", &format!("\"structured_output\":{object},\"num_turns\""));
        let answer =
            play(&mut scene, AgentKind::Claude, &format!("{BEGIN}\n{result}\n"), None, "exit 0").await;
        let text = if structured { object } else { "done" };
        assert_eq!((answer.outcome, answer.text.as_str(), answer.structured), (Done, text, structured));
        assert_eq!(answer.schema_missed, !structured);
    }
}

/// Answers as Codex does, held to the schema of a verdict.
async fn codex_says(text: &str) -> AgentAnswer {
    let mut scene = Scene::new();
    scene.schema = Some(verdict_schema());
    let said = json!({"type": "item.completed", "item": {"type": "agent_message", "text": text}});
    let stream = format!("{THREAD}\n{said}\n{COMPLETED}\n");
    play(&mut scene, AgentKind::Codex, &stream, None, "exit 0").await
}

#[tokio::test]
async fn a_json_answer_with_a_duplicate_key_misses_the_schema() {
    let twice = r#"{"verdict":"FAIL","verdict":"PASS"}"#;
    for (text, structured) in [(r#"{"verdict":"PASS"}"#, true), (twice, false)] {
        let answer = codex_says(text).await;
        assert_eq!((answer.outcome, answer.text.as_str(), answer.structured), (Done, text, structured));
        assert_eq!(answer.schema_missed, !structured);
    }
}

#[tokio::test]
async fn a_claude_subscription_limit_is_an_exhausted_quota_with_reset_time() {
    let limit =
        r#"{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":1795300000}}"#;
    let failed = FAILED.replace("401", "429");
    let answer = claude(&[BEGIN, limit, &failed], "exit 1").await;
    let end = "2026-11-21T22:26:40Z".parse().expect("a good time");
    assert_eq!((answer.outcome, answer.resets_at), (QuotaExhausted, Some(end)));
    let warned = limit.replace("rejected", "allowed_warning");
    let answer = claude(&[BEGIN, &warned, &failed], "exit 1").await;
    assert_eq!((answer.outcome, answer.resets_at), (RateLimited, None));
}

#[tokio::test]
async fn impossible_usage_figures_are_ignored() {
    let usage = |figures: &str| {
        let more = format!("\"model_usage_since_last_result\":{{\"m\":{figures}}},\"num_turns\"");
        RESULT.replace("\"num_turns\"", &more)
    };
    let lines = usage(r#"{"inputTokens":-5,"outputTokens":1e300,"costUSD":-1,"cacheReadInputTokens":3}"#);
    let answer = claude(&[BEGIN, &lines], "exit 0").await;
    let expected = Usage {
        cached_tokens: Some(3),
        turns: Some(1),
        cost_basis: Some(CostBasis::Unknown),
        ..Usage::default()
    };
    assert_eq!((answer.usage, answer.notices.len()), (expected, 3), "{:?}", answer.notices);
    let unknown = usage(r#"{"inputTokens":5,"outputTokens":2,"costUSD":9.0,"costBasis":"unknown"}"#);
    let answer = claude(&[BEGIN, &unknown], "exit 0").await;
    assert_eq!(answer.usage.cost_usd, None);
    assert_eq!(answer.usage.cost_basis, Some(CostBasis::Unknown));
}

#[tokio::test]
async fn call_without_a_result_counts_the_usage_of_its_messages() {
    let message = |id: &str, input: u64, output: u64| {
        let usage = json!({"input_tokens": input, "cache_read_input_tokens": 10, "output_tokens": output});
        json!({"type": "assistant", "message": {"id": id, "content": [], "usage": usage}}).to_string()
    };
    let paid = RESULT.replace(
        "\"num_turns\"",
        r#""model_usage_since_last_result":{"m":{"inputTokens":7,"outputTokens":3,"costUSD":0.5}},"num_turns""#,
    );
    let (one, again, two) = (message("a", 100, 1), message("a", 100, 8), message("b", 200, 5));
    let estimate = |input, cached, output, turns| Usage {
        input_tokens: Some(input),
        cached_tokens: Some(cached),
        output_tokens: Some(output),
        turns: Some(turns),
        cost_basis: Some(CostBasis::Unknown),
        ..Usage::default()
    };
    let killed = claude(&[BEGIN, &one, &again, &two], "kill -9 $$").await;
    assert_eq!((killed.outcome, killed.usage), (Crashed, estimate(320, 20, 13, 2)));
    let went_on = claude(&[BEGIN, &one, &paid, &two], "exit 0").await;
    assert_eq!((went_on.outcome, went_on.usage), (Crashed, estimate(217, 10, 8, 2)));
    let done = claude(&[BEGIN, &one, &again, &two, &paid], "exit 0").await;
    let (input, basis) = (done.usage.input_tokens, done.usage.cost_basis);
    assert_eq!((input, basis), (Some(7), Some(CostBasis::Reported)));
}

#[tokio::test]
async fn a_session_id_that_looks_like_a_flag_is_ignored() {
    let answer = claude(&[&BEGIN.replace("s-1", "--dangerously-skip-permissions"), RESULT], "exit 0").await;
    assert_eq!((answer.outcome, answer.session), (Done, None));
}

#[tokio::test]
async fn a_secret_in_an_error_message_of_the_agent_is_masked() {
    let failed =
        FAILED.replace("\"no\"", "\"the key sk-ant-api03-abcdefghijklmnopqrstuvwxyz012345 is wrong\"");
    let reason = claude(&[BEGIN, &failed], "exit 1").await.reason.expect("a reason");
    assert!(reason.starts_with("the agent is not signed in: the key [MASKED"), "{reason}");
}

#[tokio::test]
async fn progress_shows_tool_calls_and_text() {
    let mut scene = Scene::new();
    let stream = fs::read_to_string(recorded("claude", "success_with_edits.jsonl")).expect("the recording");
    let worktree = format!("{}/", scene.worktree().display());
    fs::write(scene.path("agent.stream"), stream.replace("/worktree/", &worktree)).expect("the stream");
    // Slower than a watcher looks.
    let script = "while IFS= read -r line; do printf '%s\\n' \"$line\"; sleep 0.25; done < \"$0\".stream";
    let spec = scene.stands_in(AgentKind::Claude, script);
    let (_, lines) = scene.watch(&spec, &mut super::Stop::new().1).await;
    let expected = [
        "I write it.",
        "Write a.txt",
        "$ cargo --version",
        "$ env | grep -c ANTHROPIC; curl http://x",
        "Done: a.txt is there.",
    ];
    assert_eq!(lines, expected);
}

#[tokio::test]
async fn usage_of_a_model_without_a_price_has_no_cost() {
    let mut scene = Scene::new();
    scene
        .profiles
        .insert("mine".into(), AgentKeys { model: Some("of-our-own".into()), ..AgentKeys::default() });
    let stream = fs::read_to_string(recorded("codex", "schema.jsonl")).expect("the recording");
    let answer = play(&mut scene, AgentKind::Codex, &stream, None, "exit 0").await;
    assert_eq!(answer.usage.cost_basis, Some(CostBasis::Unknown));
    assert_eq!(answer.program.expect("a program").model.as_deref(), Some("of-our-own"));
}
