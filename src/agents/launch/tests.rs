//! Tests of `launch`.

use super::*;
use crate::call::tests::with_call;
use crate::{claude, codex};

fn names(step: Step, profile: &[(&str, &str)]) -> Vec<String> {
    let ours = ["PATH", "HOME", "LC_ALL", "LCX", "GITHUB_TOKEN", "ANTHROPIC_API_KEY", "AI_WORKFLOW_AGENT"];
    let ours = ours.map(|name| (name.into(), "x".into()));
    let profile = profile.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let environment = with_call(|mut call| {
        call.step = step;
        make_call_environment(ours, &[], &profile, &call)
    });
    environment.into_keys().map(|name| name.into_string().expect("a plain name")).collect()
}

#[test]
fn agents_see_only_allowed_and_workflow_variables() {
    let place = ["ISSUE", "OUTPUT", "PHASE", "ROUND", "STEP"].map(|name| format!("AI_WORKFLOW_{name}"));
    let expected = [&place[..], &["HOME", "LC_ALL", "PATH"].map(str::to_owned)].concat();
    assert_eq!(names(Step::Execute, &[]), expected);
}

#[test]
fn review_id_is_set_for_review_and_triage_only() {
    for (step, expected) in [(Step::Review, true), (Step::Triage, true), (Step::Revise, false)] {
        assert_eq!(names(step, &[]).contains(&"AI_WORKFLOW_REVIEW_ID".to_owned()), expected, "{step}");
    }
}

#[test]
fn a_profile_adds_variables_but_never_a_github_token() {
    let profile = [("MY_KEY", "k"), ("GH_TOKEN", "t"), ("github_token", "t"), ("X", "ghp_abc")];
    let names = names(Step::Execute, &profile);
    assert!(names.contains(&"MY_KEY".to_owned()));
    assert!(!names.iter().any(|name| ["GH_TOKEN", "github_token", "X"].contains(&name.as_str())));
}

#[test]
fn github_tokens_are_never_passed_as_agent_keys() {
    let ours = [("GITHUB_TOKEN", "t"), ("MY_KEY", "ghp_abc"), ("MY_OTHER_KEY", "k")];
    let ours = ours.map(|(name, value)| (name.into(), value.into()));
    let environment = make_environment(ours, &["GITHUB_TOKEN", "MY_KEY", "MY_OTHER_KEY"], &BTreeMap::new());
    assert_eq!(environment, [("MY_OTHER_KEY".into(), "k".into())].into());
}

#[test]
fn profiles_cannot_override_workflow_variables() {
    let profile = BTreeMap::from([("AI_WORKFLOW_STEP".to_owned(), "review".to_owned())]);
    let environment = with_call(|call| make_call_environment([], &[], &profile, &call));
    assert_eq!(environment.get(&OsString::from("AI_WORKFLOW_STEP")), Some(&"execute".into()));
}

fn sign_in_variables(change: impl Fn(&mut AgentKeys)) -> [String; 2] {
    [claude::SIGN_IN, codex::SIGN_IN].map(|sign_in| {
        let mut profile = AgentKeys::default();
        change(&mut profile);
        sign_in.variables(&profile).join(" ")
    })
}

#[test]
fn default_profile_passes_all_sign_in_variables_of_the_program() {
    let expected = [
        "CLAUDE_CONFIG_DIR ANTHROPIC_BASE_URL ANTHROPIC_API_KEY ANTHROPIC_AUTH_TOKEN CLAUDE_CODE_OAUTH_TOKEN",
        "CODEX_HOME OPENAI_BASE_URL CODEX_API_KEY OPENAI_API_KEY",
    ];
    assert_eq!(sign_in_variables(|_| {}), expected);
}

#[test]
fn an_api_key_in_the_profile_removes_the_other_sign_in_variables() {
    let expected = ["CLAUDE_CONFIG_DIR ANTHROPIC_BASE_URL", "CODEX_HOME OPENAI_BASE_URL"];
    assert_eq!(sign_in_variables(|profile| profile.api_key_env = Some("MY_KEY".into())), expected);
    let written = sign_in_variables(|profile| {
        for key in ["ANTHROPIC_AUTH_TOKEN", "OPENAI_API_KEY"] {
            profile.env.insert(key.into(), "x".into());
        }
    });
    assert_eq!(written, expected);
}

#[test]
fn custom_base_url_gets_no_sign_in_variables() {
    let expected = ["CLAUDE_CONFIG_DIR", "CODEX_HOME"];
    assert_eq!(sign_in_variables(|profile| profile.base_url = Some("http://elsewhere".into())), expected);
    let variables = sign_in_variables(|profile| {
        for address in ["ANTHROPIC_BASE_URL", "OPENAI_BASE_URL"] {
            profile.env.insert(address.into(), "http://elsewhere".into());
        }
    });
    assert_eq!(variables, expected);
}
