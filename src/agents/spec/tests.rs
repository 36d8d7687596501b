//! Tests of `spec`.

use super::*;

/// Reads a fallback chain: names with commas between them.
fn parse_chain(text: &str) -> Result<Vec<AgentSpec>, SpecError> {
    text.split(',').map(|part| part.trim().parse()).collect()
}

#[test]
fn agent_names_round_trip() {
    let text =
        "command:/opt/a:b,scripted:x.toml,my-agent,claude,claude:opus,codex,codex:o3,acp:gemini --acp,auto";
    let chain = parse_chain(text).expect("a good chain");
    let written: Vec<_> = chain.iter().map(ToString::to_string).collect();
    assert_eq!(written.join(","), text);
    assert_eq!(chain[0], AgentSpec::Command("/opt/a:b".into()));
    assert_eq!(chain[2], AgentSpec::Profile("my-agent".into()));
    assert_eq!(chain.iter().filter(|spec| spec.is_simulated()).count(), 2);
}

#[test]
fn invalid_agent_names_explain_the_error() {
    let said = |text: &str| parse_chain(text).expect_err(text).to_string();
    assert_eq!(said("command:"), "`command:` lacks a path");
    assert_eq!(said("scripted"), "`scripted:` lacks a file");
    assert_eq!(said("command"), "`command:` lacks a path");
    assert_eq!(said("acp"), "`acp:` lacks a command");
    assert_eq!(said("claude: "), "`claude:` lacks a model");
    assert_eq!(said("codex:"), "`codex:` lacks a model");
    assert_eq!(said("claude,,auto"), "an agent lacks its name");
    assert!(said("gpt:4").starts_with("`gpt:4` names no kind of agent"));
    assert!(said("rm -rf").starts_with("`rm -rf` names no kind of agent"));
}

#[test]
fn relative_agent_files_resolve_against_the_current_directory() {
    let seen = |text: &str| {
        let spec: AgentSpec = text.parse().expect("a good name");
        spec.resolve_from(Path::new("/home/me")).to_string()
    };
    assert_eq!(seen("command:./fake.sh"), "command:/home/me/./fake.sh");
    assert_eq!(seen("command:/bin/fake"), "command:/bin/fake");
    assert_eq!(seen("command:fake"), "command:fake");
    assert_eq!(seen("scripted:demo.toml"), "scripted:/home/me/demo.toml");
    assert_eq!(seen("claude"), "claude");
}
