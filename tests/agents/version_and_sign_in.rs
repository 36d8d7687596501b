//! What `doctor` asks the programs of agents, with stand-ins that answer like them.

use std::path::Path;

use agents::{AgentStatus, query_agent_status};
use settings::{AgentKeys, AgentKind};

use super::{OWN_PROGRAM, Scene};

async fn examined(kind: AgentKind, script: &str) -> AgentStatus {
    let mut scene = Scene::new();
    let spec = scene.stands_in(kind, script);
    let found = query_agent_status(&spec, &scene.profiles, Path::new(OWN_PROGRAM)).await;
    assert_eq!(found.found, Some(scene.path("agent")));
    AgentStatus { found: None, ..found }
}

fn known(version: &str, signed_in: Option<bool>, remark: Option<&str>) -> AgentStatus {
    AgentStatus {
        found: None,
        version: Some(version.to_owned()),
        signed_in,
        read_only: true,
        schema: true,
        remark: remark.map(str::to_owned),
    }
}

fn claude(version: &str, status: &str) -> String {
    format!("case $1 in --version) echo '{version} (Claude Code)';; auth) echo '{status}';; esac")
}

fn codex(version: &str, code: u8) -> String {
    format!("case $1 in --version) echo 'codex-cli {version}';; login) exit {code};; esac")
}

#[tokio::test]
async fn version_and_sign_in_of_claude_are_read() {
    for (status, signed_in) in [
        (r#"{"loggedIn": true, "authMethod": "api_key"}"#, Some(true)),
        (r#"{"loggedIn": false}"#, Some(false)),
        (r#"{"loggedIn": "yes"}"#, None),
        ("rubbish", None),
    ] {
        let found = examined(AgentKind::Claude, &claude("9.0.1", status)).await;
        assert_eq!(found, known("9.0.1", signed_in, None), "{status}");
    }
}

#[tokio::test]
async fn version_and_sign_in_of_codex_are_read() {
    for (code, signed_in) in [(0, Some(true)), (1, Some(false)), (2, None)] {
        let found = examined(AgentKind::Codex, &codex("9.0.1", code)).await;
        assert_eq!((found.version.as_deref(), found.signed_in), (Some("9.0.1"), signed_in), "{code}");
    }
}

#[tokio::test]
async fn an_outdated_agent_program_gives_a_remark() {
    let found = examined(AgentKind::Claude, &claude("1.0.44", r#"{"loggedIn": true}"#)).await;
    let remark = found.remark.expect("a remark");
    assert!(remark.starts_with("1.0.44 is older than "), "{remark}");
}

#[tokio::test]
async fn unreadable_version_output_gives_a_remark() {
    let found = examined(AgentKind::Codex, "exit 3").await;
    assert_eq!((found.version, found.signed_in), (None, None));
    assert!(found.remark.is_some_and(|remark| remark.ends_with("ended with exit code 3")));
    let found = examined(AgentKind::Claude, "echo hello").await;
    assert_eq!(found.remark.as_deref(), Some("it does not tell its version"));
}

#[tokio::test]
async fn a_custom_agent_command_is_not_started_to_examine_it() {
    let mut scene = Scene::new();
    let spec = scene.stands_in(AgentKind::Command, "touch \"$0\".started");
    let found = query_agent_status(&spec, &scene.profiles, Path::new(OWN_PROGRAM)).await;
    assert_eq!(found, AgentStatus { found: Some(scene.path("agent")), ..AgentStatus::default() });
    assert!(!scene.path("agent.started").exists());
}

#[tokio::test]
async fn missing_agent_program_is_reported() {
    let spec = "command:/no/such/agent".parse().expect("a good name");
    let found = query_agent_status(&spec, &Scene::new().profiles, Path::new(OWN_PROGRAM)).await;
    let remark = Some("the agent program `/no/such/agent` was not found".to_owned());
    assert_eq!(found, AgentStatus { remark, ..AgentStatus::default() });
    assert!(!found.is_usable());
}

/// Returns the first of two stand-ins that is usable.
async fn first_usable(claude: &str, codex: &str) -> Option<AgentKind> {
    for (kind, script) in [(AgentKind::Claude, claude), (AgentKind::Codex, codex)] {
        let mut scene = Scene::new();
        let spec = scene.stands_in(kind, script);
        if query_agent_status(&spec, &scene.profiles, Path::new(OWN_PROGRAM)).await.is_usable() {
            return Some(kind);
        }
    }
    None
}

#[tokio::test]
async fn auto_agent_is_the_first_agent_that_is_signed_in() {
    let signed_in = claude("9.9.9", r#"{"loggedIn": true}"#);
    let signed_out = claude("9.9.9", r#"{"loggedIn": false}"#);
    assert_eq!(first_usable(&signed_in, &codex("9.9.9", 0)).await, Some(AgentKind::Claude));
    assert_eq!(first_usable(&signed_out, &codex("9.9.9", 0)).await, Some(AgentKind::Codex));
    assert_eq!(first_usable(&signed_out, &codex("9.9.9", 1)).await, None);
}

#[tokio::test]
async fn an_agent_with_its_own_base_url_needs_no_sign_in() {
    let mut scene = Scene::new();
    scene.profiles.insert(
        "mine".into(),
        AgentKeys { base_url: Some("http://localhost:1".into()), ..AgentKeys::default() },
    );
    let spec = scene.stands_in(AgentKind::Codex, &codex("9.9.9", 1));
    let found = query_agent_status(&spec, &scene.profiles, Path::new(OWN_PROGRAM)).await;
    assert_eq!((found.signed_in, found.is_usable()), (None, true));
}
