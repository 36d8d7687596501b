//! Names that become part of paths and prompts, and chains of agents that name nobody.
//! What is said about an agent itself is looked at in `agents`.

use std::collections::BTreeSet;

use super::{Wrong, wrong};
use crate::agreement::chain;
use crate::keys::Keys;
use model::phase::PhaseName;

/// Returns the first name that cannot be used.
pub(super) fn find(keys: &Keys) -> Option<Wrong> {
    phases(keys).or_else(|| language(keys)).or_else(|| agents(keys))
}

fn phases(keys: &Keys) -> Option<Wrong> {
    let mut numbers = BTreeSet::new();
    for (name, phase) in &keys.phases {
        if let Err(error) = name.parse::<PhaseName>() {
            return wrong(format!("phases.{name}"), format!("has no usable name: {error}"));
        }
        if !is_file_name(&phase.output) {
            return wrong(
                format!("phases.{name}.output"),
                "has to be a plain file name: letters, digits, `.`, `-` and `_`",
            );
        }
        if phase.number.is_some_and(|number| number > 99 || !numbers.insert(number)) {
            return wrong(format!("phases.{name}.number"), "has to be below 100 and its own");
        }
    }
    None
}

fn is_file_name(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    !name.is_empty() && !name.starts_with('.') && name.chars().all(plain)
}

fn language(keys: &Keys) -> Option<Wrong> {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let good = !keys.language.is_empty() && keys.language.len() <= 35 && keys.language.chars().all(plain);
    if good { None } else { wrong("language", "has to be a language tag such as `en` or `ja`") }
}

fn agents(keys: &Keys) -> Option<Wrong> {
    if chain(&keys.agent).is_empty() {
        return wrong("agent", "names no agent");
    }
    let of_phase = |name: &String| chain(keys.phases[name].agent.as_deref().unwrap_or("auto")).is_empty();
    if let Some(name) = keys.phases.keys().find(|name| of_phase(name)) {
        return wrong(format!("phases.{name}.agent"), "names no agent");
    }
    let of_steps = keys.phases.iter().flat_map(|(name, phase)| {
        phase.agents.iter().map(move |(step, agents)| (format!("phases.{name}.agents.{step}"), agents))
    });
    let (key, _) = of_steps.into_iter().find(|(_, agents)| chain(agents).is_empty())?;
    wrong(key, "names no agent")
}
