//! Tests of `session`.

use super::*;

fn parsed(lines: &[&str]) -> SessionRecord {
    SessionRecord::parse((lines.join("\n") + "\n").as_bytes())
}

#[test]
fn session_record_has_the_last_turn_and_session_wide_totals() {
    let record = parsed(&[
        r#"{"type":"session_meta","payload":{"cli_version":"1.2.3"}}"#,
        r#"{"type":"event_msg","payload":{"type":"task_started"}}"#,
        r#"{"type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":7,"output_tokens":1}}}}"#,
        r#"{"type":"event_msg","payload":{"type":"task_complete","error":{"codex_error_info":"other"}}}"#,
        r#"{"type":"event_msg","payload":{"type":"task_started"}}"#,
        r#"{"type":"turn_context","payload":{"model":"gpt-9"}}"#,
        r#"{"type":"response_item","payload":{"type":"function_call","name":"exec_command"}}"#,
        r#"{"type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":9,"cached_input_tokens":3,"output_tokens":2}}}}"#,
        r#"{"type":"event_msg","payload":{"type":"task_complete"}}"#,
    ]);
    let expected = SessionRecord {
        version: Some("1.2.3".into()),
        model: Some("gpt-9".into()),
        turns: 1,
        total: Some([Some(9.0), Some(3.0), Some(2.0)]),
        settled: Some([Some(9.0), Some(3.0), Some(2.0)]),
        last_tool: "exec_command".into(),
        ..SessionRecord::default()
    };
    assert_eq!(record, expected);
}

#[test]
fn session_file_is_read_on_as_it_grows() {
    let folder = tempfile::tempdir().expect("a folder");
    let day = folder.path().join("2026/01/31");
    fs::create_dir_all(&day).expect("a day");
    let count = |tokens: f64| {
        let total = format!(r#"{{"total_token_usage":{{"input_tokens":{tokens}}}}}"#);
        format!(r#"{{"type":"event_msg","payload":{{"type":"token_count","info":{total}}}}}"#)
    };
    let mut files = SessionFiles::new(Some(folder.path().to_owned()));
    let mut text = String::new();
    for tokens in [7.0, 9.0] {
        text += &(count(tokens) + "\n");
        fs::write(day.join("rollout-x-a-1.jsonl"), &text).expect("a file");
        let total = files.follow("a-1").total;
        assert_eq!(total.and_then(|[input, ..]| input), Some(tokens));
    }
    assert_eq!(files.record.turns, 2);
}

#[test]
fn session_errors_have_class_and_status_and_rate_limits_a_reset_time() {
    let record = parsed(&[
        r#"{"type":"event_msg","payload":{"type":"token_count","info":null,"rate_limits":{"primary":{"used_percent":100.0,"resets_at":1795300000},"secondary":{"used_percent":12,"resets_at":1799999999}}}}"#,
        r#"{"type":"event_msg","payload":{"type":"task_complete","error":{"codex_error_info":{"http_connection_failed":{"http_status_code":401}}}}}"#,
    ]);
    let expected = SessionRecord {
        error: Some("http_connection_failed".into()),
        status: Some(401),
        resets_at: Timestamp::from_second(1_795_300_000).ok(),
        ..SessionRecord::default()
    };
    assert_eq!(record, expected);
}

#[test]
fn events_quoted_in_tool_output_are_ignored() {
    let quoted = r#"{"type":"response_item","payload":{"type":"function_call_output","output":"{\"type\":\"event_msg\",\"payload\":{\"type\":\"task_complete\",\"error\":{\"codex_error_info\":\"unauthorized\"}}}"}}"#;
    assert_eq!(parsed(&[quoted, "rubbish", "[]", "{}"]), SessionRecord::default());
}

#[test]
fn session_file_is_found_by_session_id_and_a_missing_one_is_empty() {
    let folder = tempfile::tempdir().expect("a folder");
    let day = folder.path().join("2026/01/31");
    fs::create_dir_all(&day).expect("a day");
    fs::write(
        day.join("rollout-x-a-1.jsonl"),
        r#"{"type":"session_meta","payload":{"cli_version":"1"}}"#.to_owned() + "\n",
    )
    .expect("a file");
    let files = SessionFiles::new(Some(folder.path().to_owned()));
    assert_eq!(files.read("a-1").version.as_deref(), Some("1"));
    assert_eq!(files.read("a-2"), SessionRecord::default());
    let files = SessionFiles::new(Some("/no/such/folder".into()));
    assert_eq!(files.read("a-1"), SessionRecord::default());
}
