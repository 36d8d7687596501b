//! Tests of `version_and_sign_in`.

use std::collections::BTreeMap;

use settings::AgentKeys;

use super::*;

#[test]
fn version_query_sends_no_api_key_to_another_base_url() {
    let profile = AgentKeys {
        base_url: Some("http://elsewhere".into()),
        env: BTreeMap::from([("CODEX_API_KEY".into(), "written by a person".into())]),
        ..AgentKeys::default()
    };
    let agent =
        ResolvedAgent { kind: AgentKind::Codex, program: "codex".into(), arguments: Vec::new(), profile };
    let ours = ["CODEX_API_KEY", "CODEX_HOME", "OPENAI_API_KEY", "OPENAI_BASE_URL"];
    let environment = environment_of(&agent, ours.map(|name| (name.into(), "ours".into())));
    let expected = [("CODEX_API_KEY", "written by a person"), ("CODEX_HOME", "ours")];
    assert_eq!(environment, expected.map(|(name, value)| (name.into(), value.into())).into());
}

#[test]
fn versions_are_compared_as_numbers() {
    assert!(version_numbers("2.1.329") > version_numbers("2.1.33"));
    assert_eq!(version_numbers("0.169.0-alpha.1"), Some([0, 169, 0]));
    for bad in ["(Claude", "codex-cli", "1.2", "1.2.x", ""] {
        assert_eq!(version_numbers(bad), None, "{bad}");
    }
}
