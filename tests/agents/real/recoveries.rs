//! What a run does when its agent cannot go on: the next of the chain takes over, or the run waits until it is told to.

use std::path::Path;

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use settings::AgentKind;

use super::play::{Fault, Player, Turn, fail, in_order, with_header};
use super::project::{Project, demo};

/// Two phases are enough.
const SHORT: [&str; 2] = ["--preset", "review-requirements"];

/// Returns the agents of a phase's calls, in their order.
fn agents(project: &Project, phase: &str) -> Vec<String> {
    let started = project.facts("step_started", phase);
    started.iter().filter_map(|fact| fact["agent"].as_str()).map(str::to_owned).collect()
}

#[test]
#[ignore = "needs the real agent programs: .ci/full agents"]
fn codex_is_used_when_claude_is_signed_out() {
    let player = |kind: AgentKind, root: &Path| -> Player {
        match kind {
            AgentKind::Codex => demo(kind, root),
            _ => in_order(vec![fail(401, "authentication_error", "invalid x-api-key")]),
        }
    };
    let Some(project) = Project::new(&[AgentKind::Claude, AgentKind::Codex], "true", player) else { return };
    let ran = project.execute("claude,codex", "codex", &SHORT).exits(0);
    assert!(ran.stderr.contains("claude") && ran.stderr.contains("signed out"), "{}", ran.stderr);
    assert_eq!(agents(&project, "planning"), ["claude", "codex", "codex"]);
    // Who is signed out is not asked again in later phases.
    assert_eq!(agents(&project, "requirements"), ["codex", "codex"]);
    let outcomes: Vec<Value> =
        project.facts("worked", "planning").iter().map(|fact| fact["ended"]["outcome"].clone()).collect();
    assert_eq!(outcomes, ["signed_out", "done"]);
}

#[test]
#[ignore = "needs the real agent programs: .ci/full agents"]
fn an_exhausted_quota_pauses_the_run_until_its_reset() {
    let reset = Timestamp::now() + SignedDuration::from_hours(2);
    let player = move |_: AgentKind, _: &Path| -> Player {
        let body = json!({"error": {"type": "usage_limit_reached", "plan_type": "pro",
            "resets_at": reset.as_second(), "message": "The usage limit has been reached"}});
        let turn = Turn::Error { status: 429, headers: Vec::new(), error: Fault::Body(body) };
        let turn = with_header(turn, "x-codex-primary-used-percent", "100.0");
        let turn = with_header(turn, "x-codex-primary-window-minutes", "300");
        in_order(vec![with_header(turn, "x-codex-primary-reset-at", &reset.as_second().to_string())])
    };
    let Some(project) = Project::new(&[AgentKind::Codex], "true", player) else { return };
    let _ = project.execute("codex", "codex", &SHORT).exits(3);
    let metadata = project.sandbox.metadata();
    let until: Timestamp =
        metadata["paused_until"].as_str().and_then(|time| time.parse().ok()).expect("a time");
    assert_eq!((&metadata["outcome"], until.as_second()), (&"paused".into(), reset.as_second()));
    // Before that time nobody is asked again.
    let asked = project.asked(AgentKind::Codex).len();
    let _ = project.execute("codex", "codex", &SHORT).exits(3);
    assert_eq!(project.asked(AgentKind::Codex).len(), asked);
}

#[test]
#[ignore = "needs the real agent programs: .ci/full agents"]
fn a_run_fails_when_its_only_agent_does_not_know_the_model() {
    let player = |_: AgentKind, _: &Path| in_order(vec![fail(404, "not_found_error", "model: sonnet")]);
    let Some(project) = Project::new(&[AgentKind::Claude], "true", player) else { return };
    let ran = project.execute("claude", "claude", &SHORT).exits(1);
    assert!(ran.stderr.contains("name a model that this account may use"), "{}", ran.stderr);
    assert_eq!(project.sandbox.metadata()["phases"]["planning"]["status"], "failed");
}
