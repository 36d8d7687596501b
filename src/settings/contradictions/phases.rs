//! Phases that could not run: names that no folder could have, names that nothing is behind, needs in a circle, lists in the
//! wrong order, a phase that no list names.

use std::collections::BTreeSet;

use crate::error::{Contradiction, did_you_mean, refuse, suggestion};
use crate::keys::Keys;
use model::phase::PhaseName;

/// Refuses names that become part of paths and cannot.
pub(super) fn names(keys: &Keys) -> Result<(), Contradiction> {
    let mut numbers = BTreeSet::new();
    for (name, phase) in &keys.phases {
        if let Err(error) = name.parse::<PhaseName>() {
            return refuse(format!("phases.{name}"), format!("has no usable name: {error}"));
        }
        if !is_file_name(&phase.output) {
            let what = "has to be a plain file name: letters, digits, `.`, `-` and `_`";
            return refuse(format!("phases.{name}.output"), what);
        }
        if phase.number.is_some_and(|number| number > 99 || !numbers.insert(number)) {
            return refuse(format!("phases.{name}.number"), "has to be below 100 and its own");
        }
    }
    Ok(())
}

fn is_file_name(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    !name.is_empty() && !name.starts_with('.') && name.chars().all(is_plain)
}

/// Refuses names of phases, policies and presets that nothing is behind.
pub(super) fn references(keys: &Keys) -> Result<(), Contradiction> {
    known_phases(keys, "order", &keys.order)?;
    known_phases(keys, "skip_phases", &keys.skip_phases.0)?;
    for (name, phase) in &keys.phases {
        known_phases(keys, &format!("phases.{name}.needs"), &phase.needs)?;
    }
    for (name, preset) in &keys.presets {
        known_phases(keys, &format!("presets.{name}.phases"), &preset.phases)?;
    }
    for (name, phase) in &keys.phases {
        let policy = &phase.policy;
        if !keys.policies.contains_key(policy) {
            let hint = did_you_mean(suggestion(policy, keys.policies.keys().map(String::as_str)));
            let what = format!("names `{policy}`, which is no policy{hint}");
            return refuse(format!("phases.{name}.policy"), what);
        }
    }
    match &keys.preset {
        Some(name) if !keys.presets.contains_key(name) => {
            let hint = did_you_mean(suggestion(name, keys.presets.keys().map(String::as_str)));
            refuse("preset", format!("names `{name}`, which is no preset{hint}"))
        }
        _ => Ok(()),
    }
}

fn known_phases(keys: &Keys, key: &str, list: &[String]) -> Result<(), Contradiction> {
    let Some(missing) = list.iter().find(|name| !keys.phases.contains_key(*name)) else { return Ok(()) };
    let hint = did_you_mean(suggestion(missing, keys.phases.keys().map(String::as_str)));
    refuse(key, format!("names `{missing}`, which is no phase{hint}"))
}

/// Refuses lists that cannot be walked, and a phase that would never run.
pub(super) fn lists(keys: &Keys) -> Result<(), Contradiction> {
    if let Some(name) = keys.phases.keys().find(|name| needs_itself(keys, name)) {
        return refuse(format!("phases.{name}.needs"), "leads back to the phase itself");
    }
    list_of_phases(keys, "order", &keys.order)?;
    for (name, preset) in &keys.presets {
        list_of_phases(keys, &format!("presets.{name}.phases"), &preset.phases)?;
    }
    let is_listed = |name: &String| {
        keys.order.contains(name) || keys.presets.values().any(|preset| preset.phases.contains(name))
    };
    match keys.phases.keys().find(|name| !is_listed(name)) {
        Some(name) => {
            refuse(format!("phases.{name}"), "is neither in `order` nor in a preset: it would never run")
        }
        None => Ok(()),
    }
}

/// Tells whether the needs of a phase lead back to it.
fn needs_itself(keys: &Keys, start: &String) -> bool {
    let mut seen = BTreeSet::new();
    let mut open: Vec<&String> = keys.phases[start].needs.iter().collect();
    while let Some(need) = open.pop() {
        if need == start {
            return true;
        }
        if seen.insert(need) {
            open.extend(&keys.phases[need].needs);
        }
    }
    false
}

fn list_of_phases(keys: &Keys, key: &str, list: &[String]) -> Result<(), Contradiction> {
    if list.is_empty() {
        return refuse(key, "has to name at least one phase");
    }
    let mut before = BTreeSet::new();
    for name in list {
        if !before.insert(name) {
            return refuse(key, format!("names `{name}` twice"));
        }
        if let Some(need) = keys.needs_within(name, list).into_iter().find(|need| !before.contains(need)) {
            return refuse(key, format!("puts `{name}` before `{need}`, which it needs"));
        }
    }
    Ok(())
}
