//! Agents that could not be called as they are described: no program, no address, a key in place of its name.

use super::{Wrong, wrong};
use crate::keys::{AgentKeys, AgentKind, Keys};

/// Words that name a kind of agent, so that no profile of that name would ever be asked for.
const TAKEN: [&str; 4] = ["auto", "command", "scripted", "acp"];

/// Returns the first agent that could not be called.
pub(super) fn find(keys: &Keys) -> Option<Wrong> {
    models(keys).or_else(|| agents(keys))
}

/// A model can be put behind the name of a built-in agent only.
fn models(keys: &Keys) -> Option<Wrong> {
    let difficulties = &keys.models;
    let all = difficulties.iter().flat_map(|(difficulty, choices)| {
        choices.keys().map(move |name| (format!("models.{}.{name}", difficulty.as_str()), name))
    });
    let second = keys.second_models.keys().map(|name| (format!("second_models.{name}"), name));
    let (key, _) = all.chain(second).find(|(_, name)| AgentKind::built_in(name).is_none())?;
    wrong(key, "chooses models for an agent that is neither `claude` nor `codex`")
}

fn agents(keys: &Keys) -> Option<Wrong> {
    keys.agents.iter().find_map(|(name, agent)| {
        kind(name, agent)
            .or_else(|| program(name, agent))
            .or_else(|| address(name, agent))
            .or_else(|| key_name(name, agent))
            .or_else(|| without_a_model(name, agent))
    })
}

fn kind(name: &str, agent: &AgentKeys) -> Option<Wrong> {
    if TAKEN.contains(&name) {
        return wrong(format!("agents.{name}"), "cannot be asked for: the word has a meaning of its own");
    }
    let built_in = AgentKind::built_in(name)?;
    let same = agent.kind_of(name) == built_in;
    if same {
        None
    } else {
        wrong(format!("agents.{name}.kind"), format!("has to be `{name}`: the agent is known by its name"))
    }
}

fn program(name: &str, agent: &AgentKeys) -> Option<Wrong> {
    let may_lack = matches!(agent.kind_of(name), AgentKind::Claude | AgentKind::Codex);
    match agent.command.first() {
        None if may_lack => None,
        Some(program) if !program.trim().is_empty() => None,
        _ => wrong(format!("agents.{name}.command"), "has to name a program"),
    }
}

fn address(name: &str, agent: &AgentKeys) -> Option<Wrong> {
    let key = format!("agents.{name}.base_url");
    let url = agent.base_url.as_deref()?;
    let rest = url.strip_prefix("http://").or_else(|| url.strip_prefix("https://"));
    let host = rest.and_then(|rest| rest.split(['/', '?', '#']).next()).unwrap_or_default();
    let plain = url.chars().all(|c| !c.is_whitespace() && !c.is_control());
    if !plain || host.is_empty() || host.starts_with(':') {
        return wrong(key, "has to be an address such as `http://localhost:11434`");
    }
    if host.contains('@') { wrong(key, "must not hold a name or a password") } else { None }
}

fn key_name(name: &str, agent: &AgentKeys) -> Option<Wrong> {
    let key = format!("agents.{name}.api_key_env");
    let variable = agent.api_key_env.as_deref()?;
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let begins_well = variable.chars().next().is_some_and(|first| !first.is_ascii_digit());
    if !begins_well || !variable.chars().all(plain) {
        return wrong(key, "has to be the name of a variable, not the key itself");
    }
    let upper = variable.to_uppercase();
    let of_github = (upper.starts_with("GITHUB") || upper.starts_with("GH_")) && upper.contains("TOKEN");
    if of_github { wrong(key, "names a GitHub token, and no agent gets one") } else { None }
}

/// A plain command would never be told of these.
fn without_a_model(name: &str, agent: &AgentKeys) -> Option<Wrong> {
    if agent.kind_of(name) != AgentKind::Command {
        return None;
    }
    let keys = [
        ("model", agent.model.is_some()),
        ("base_url", agent.base_url.is_some()),
        ("effort", agent.effort.is_some()),
        ("max_turns", agent.max_turns.is_some()),
        ("allow", !agent.allow.is_empty()),
    ];
    let (key, _) = keys.into_iter().find(|(_, is_set)| *is_set)?;
    wrong(
        format!("agents.{name}.{key}"),
        "means nothing to a plain command; set `kind`, or say it in `command` or `env`",
    )
}
