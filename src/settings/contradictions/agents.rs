//! Agents that could not be called: chains that name nobody, and profiles without a program, with a wrong address, or with a
//! key in place of its name. Whether a program is installed is not asked here.

use crate::error::{Contradiction, refuse, refuse_if};
use crate::keys::{AgentKeys, AgentKind, Keys, chain};

/// Words that name a kind of agent, so that no profile of that name would ever be asked for.
const RESERVED: [&str; 4] = ["auto", "command", "scripted", "acp"];

/// Refuses chains of agents that name nobody.
pub(super) fn chains(keys: &Keys) -> Result<(), Contradiction> {
    let named = |agents: &str, key: String| refuse_if(chain(agents).is_empty(), key, "names no agent");
    named(&keys.agent, "agent".to_owned())?;
    for (name, phase) in &keys.phases {
        if let Some(agents) = &phase.agent {
            named(agents, format!("phases.{name}.agent"))?;
        }
    }
    for (name, phase) in &keys.phases {
        for (step, agents) in &phase.agents {
            named(agents, format!("phases.{name}.agents.{step}"))?;
        }
    }
    Ok(())
}

/// Refuses agents that could not be called as they are described.
pub(super) fn profiles(keys: &Keys) -> Result<(), Contradiction> {
    let of_models = keys.models.iter().flat_map(|(difficulty, choices)| {
        choices.keys().map(move |name| (format!("models.{}", difficulty.as_str()), name))
    });
    let of_second = keys.second_models.keys().map(|name| ("second_models".to_owned(), name));
    for (table, name) in of_models.chain(of_second) {
        let unknown = "chooses models for an agent that is neither `claude` nor `codex`";
        refuse_if(AgentKind::built_in(name).is_none(), format!("{table}.{name}"), unknown)?;
    }
    for (name, agent) in &keys.agents {
        kind(name, agent)?;
        program(name, agent)?;
        address(name, agent)?;
        name_of_key(name, agent)?;
        only_for_models(name, agent)?;
    }
    Ok(())
}

fn kind(name: &str, agent: &AgentKeys) -> Result<(), Contradiction> {
    let reserved = "cannot be asked for: the word has a meaning of its own";
    refuse_if(RESERVED.contains(&name), format!("agents.{name}"), reserved)?;
    match AgentKind::built_in(name) {
        Some(built_in) if agent.kind_of(name) != built_in => {
            let what = format!("has to be `{name}`: the agent is known by its name");
            refuse(format!("agents.{name}.kind"), what)
        }
        _ => Ok(()),
    }
}

fn program(name: &str, agent: &AgentKeys) -> Result<(), Contradiction> {
    let may_lack = matches!(agent.kind_of(name), AgentKind::Claude | AgentKind::Codex);
    match agent.command.first() {
        None if may_lack => Ok(()),
        Some(program) if !program.trim().is_empty() => Ok(()),
        _ => refuse(format!("agents.{name}.command"), "has to name a program"),
    }
}

fn address(name: &str, agent: &AgentKeys) -> Result<(), Contradiction> {
    let Some(url) = &agent.base_url else { return Ok(()) };
    let key = format!("agents.{name}.base_url");
    let rest = url.strip_prefix("http://").or_else(|| url.strip_prefix("https://")).unwrap_or_default();
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let has_gap = url.chars().any(|c| c.is_whitespace() || c.is_control());
    if has_gap || host.is_empty() || host.starts_with(':') {
        return refuse(key, "has to be an address such as `http://localhost:11434`");
    }
    refuse_if(host.contains('@'), key, "must not hold a name or a password")
}

fn name_of_key(name: &str, agent: &AgentKeys) -> Result<(), Contradiction> {
    let Some(variable) = &agent.api_key_env else { return Ok(()) };
    let key = format!("agents.{name}.api_key_env");
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let starts_well = variable.chars().next().is_some_and(|first| !first.is_ascii_digit());
    if !starts_well || !variable.chars().all(is_plain) {
        return refuse(key, "has to be the name of a variable, not the key itself");
    }
    let upper = variable.to_uppercase();
    let is_token = (upper.starts_with("GITHUB") || upper.starts_with("GH_")) && upper.contains("TOKEN");
    refuse_if(is_token, key, "names a GitHub token, and no agent gets one")
}

/// A plain command never gets these.
fn only_for_models(name: &str, agent: &AgentKeys) -> Result<(), Contradiction> {
    if agent.kind_of(name) != AgentKind::Command {
        return Ok(());
    }
    for (key, is_set) in [
        ("model", agent.model.is_some()),
        ("base_url", agent.base_url.is_some()),
        ("effort", agent.effort.is_some()),
        ("max_turns", agent.max_turns.is_some()),
        ("allow", !agent.allow.is_empty()),
    ] {
        let what = "means nothing to a plain command; set `kind`, or say it in `command` or `env`";
        refuse_if(is_set, format!("agents.{name}.{key}"), what)?;
    }
    Ok(())
}
