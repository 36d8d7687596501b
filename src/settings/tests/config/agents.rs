//! What settings say about agents.

use std::collections::BTreeMap;

use settings::{AgentKeys, AgentKind, ConfigTexts, load};

fn of(text: &str) -> BTreeMap<String, AgentKeys> {
    let layers =
        ConfigTexts { repository: Some(("config.toml".into(), text.into())), ..ConfigTexts::default() };
    load(&layers).expect("a good file").agents.clone()
}

#[test]
fn all_agent_settings_reach_the_profile() {
    let text = "[agents.local]\nkind = 'claude'\ncommand = ['claude', '--x']\nmodel = 'qwen'\n\
                base_url = 'http://localhost:11434'\napi_key_env = 'LOCAL_PASS'\neffort = 'low'\nmax_turns = 9\n\
                allow = ['Bash(make *)']\nreads_files = false\nenv = { A = 'b' }\nstep_seconds = 1\nidle_seconds = 2\n\
                first_output_seconds = 3\n";
    let expected = AgentKeys {
        kind: Some(AgentKind::Claude),
        command: vec!["claude".into(), "--x".into()],
        model: Some("qwen".into()),
        base_url: Some("http://localhost:11434".into()),
        api_key_env: Some("LOCAL_PASS".into()),
        effort: Some("low".into()),
        max_turns: Some(9),
        allow: vec!["Bash(make *)".into()],
        reads_files: Some(false),
        env: BTreeMap::from([("A".into(), "b".into())]),
        step_seconds: Some(1),
        idle_seconds: Some(2),
        first_output_seconds: Some(3),
    };
    assert_eq!(of(text), BTreeMap::from([("local".to_owned(), expected)]));
}

#[test]
fn agent_kind_follows_from_the_name_by_default() {
    let text = "[agents.claude]\nmodel = 'opus'\n[agents.codex]\n[agents.mine]\ncommand = ['mine']\n\
                [agents.gemini]\nkind = 'acp'\ncommand = ['gemini', '--acp']\n[agents.second]\nkind = 'codex'\n";
    let kinds: Vec<_> =
        of(text).into_iter().map(|(name, agent)| (name.clone(), agent.kind_of(&name))).collect();
    let expected = [
        ("claude", AgentKind::Claude),
        ("codex", AgentKind::Codex),
        ("gemini", AgentKind::Acp),
        ("mine", AgentKind::Command),
        ("second", AgentKind::Codex),
    ];
    assert_eq!(kinds, expected.map(|(name, kind)| (name.to_owned(), kind)));
}
