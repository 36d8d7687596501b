//! Which reviewers fit which authors, and what `auto` becomes.

use super::*;
use settings::{ConfigTexts, load};

/// Chooses with these programs on the machine and this configuration.
fn with<T>(there: &[&str], text: &str, ask: impl FnOnce(&AgentCandidates<'_>) -> T) -> T {
    let layers =
        ConfigTexts { repository: Some(("config.toml".into(), text.into())), ..ConfigTexts::default() };
    let settings = load(&layers).expect("a good file");
    let why_not = |spec: &AgentSpec| {
        let name = spec.to_string();
        (!there.iter().any(|known| *known == name)).then(|| format!("{name} was not found"))
    };
    ask(&AgentCandidates { settings: &settings, why_not: &why_not })
}

fn names(chain: &[&str]) -> Vec<String> {
    chain.iter().map(|name| (*name).to_owned()).collect()
}

fn reviewers(there: &[&str], text: &str, authors: &[&str]) -> (String, Vec<ChoiceReason>) {
    let chosen = with(there, text, |candidates| candidates.reviewers_of(&names(authors)));
    (chosen.agents.join(" "), chosen.reasons)
}

#[test]
fn programs_other_than_claude_and_codex_review_their_own_work() {
    for author in ["command:./fake", "scripted:x.toml", "acp:gemini --acp", "mine"] {
        let text = "[agents.mine]\ncommand = ['mine']";
        assert_eq!(reviewers(&[], text, &[author]), (author.to_owned(), vec![]));
    }
}

#[test]
fn claude_and_codex_review_each_other_or_use_another_model() {
    let both = &["claude", "codex"][..];
    assert_eq!(reviewers(both, "", &["claude"]), ("codex claude:opus".into(), vec![]));
    assert_eq!(reviewers(both, "", &["claude:opus"]).0, "codex claude:sonnet");
    assert_eq!(reviewers(both, "", &["codex"]).0, "claude codex:gpt-6-sol");
    let note = |text: &str| vec![ChoiceReason::Note(text.to_owned())];
    assert_eq!(
        reviewers(&["claude"], "", &["claude:opus"]),
        ("claude:sonnet".into(), note("claude:sonnet reviews the work of claude:opus: codex was not found"))
    );
    let profile = "[agents.claude]\nmodel = 'opus'";
    assert_eq!(reviewers(&["claude"], profile, &["claude"]).0, "claude:sonnet");
}

#[test]
fn reviewer_model_is_left_open_when_difficulty_selects_it() {
    let auto = "auto_model = true";
    assert_eq!(reviewers(&["claude", "codex"], auto, &["claude"]), ("codex claude".into(), vec![]));
    assert_eq!(reviewers(&["claude", "codex"], auto, &["codex"]).0, "claude codex");
    let told = "another model of claude reviews the work of claude: codex was not found";
    let alone = reviewers(&["claude"], auto, &["claude"]);
    assert_eq!(alone, ("claude".into(), vec![ChoiceReason::Note(told.to_owned())]));
    let fixed = "auto_model = true\n[agents.claude]\nmodel = 'opus'";
    assert_eq!(reviewers(&["claude"], fixed, &["claude"]).0, "claude:sonnet");
}

#[test]
fn every_author_in_a_chain_gets_a_reviewer() {
    let chain = reviewers(&["claude", "codex"], "", &["claude:opus", "codex"]).0;
    assert_eq!(chain, "codex claude:sonnet claude codex:gpt-6-sol");
    assert_eq!(reviewers(&["claude"], "", &["claude:opus", "command:x"]).0, "claude:sonnet command:x");
}

#[test]
fn self_review_is_reported_as_a_warning() {
    let warning = |text: &str| vec![ChoiceReason::Warning(format!("{text}; `--reviewer` names another one"))];
    let local = "[agents.claude]\nbase_url = 'http://localhost:1'";
    assert_eq!(
        reviewers(&["claude", "codex"], local, &["claude:qwen"]),
        (
            "claude:qwen".into(),
            warning(
                "claude:qwen reviews its own work, in a fresh process: claude works at an address of its own, codex does not"
            )
        )
    );
    let profile = "[agents.local]\nkind = 'claude'\nbase_url = 'http://localhost:1'";
    let (chain, told) = reviewers(&["claude", "codex", "local"], profile, &["local"]);
    assert_eq!((chain.as_str(), told.len()), ("local", 1));
    let both = format!("{local}\n[agents.codex]\nbase_url = 'http://localhost:2'");
    assert_eq!(reviewers(&["claude", "codex"], &both, &["claude"]), ("codex".into(), vec![]));
}

#[test]
fn auto_becomes_the_first_installed_agent() {
    let auto = |there: &[&str]| {
        with(there, "", |candidates| candidates.resolve_auto(&names(&["auto", "codex", "command:x"])))
            .map(|chosen| (chosen.agents.join(" "), chosen.reasons))
            .map_err(|failure| (failure.kind, failure.message))
    };
    let note = |text: &str| vec![ChoiceReason::Note(text.to_owned())];
    let first = "auto is claude: it is there, and asked first";
    assert_eq!(auto(&["claude", "codex"]), Ok(("claude codex command:x".into(), note(first))));
    let second = "auto is codex: claude was not found";
    assert_eq!(auto(&["codex"]), Ok(("codex command:x".into(), note(second))));
    let nothing = "the agent `auto` cannot be used: claude was not found, codex was not found";
    assert_eq!(auto(&[]), Err((FailureKind::NoAgent, nothing.to_owned())));
}
