//! Phases that could not run: names that no folder could have, names that nothing is behind, needs in a circle, lists in the
//! wrong order, a phase that no list names.

use std::collections::BTreeSet;

use crate::error::{Contradiction, names_no, refuse, refuse_if};
use crate::keys::Keys;
use model::phase::PhaseName;

/// Refuses names that become part of paths and cannot.
pub(super) fn names(keys: &Keys) -> Result<(), Contradiction> {
    let mut numbers = BTreeSet::new();
    for (name, phase) in &keys.phases {
        if let Err(error) = name.parse::<PhaseName>() {
            return refuse(format!("phases.{name}"), format!("has no usable name: {error}"));
        }
        let what = "has to be a plain file name: letters, digits, `.`, `-` and `_`";
        refuse_if(!is_file_name(&phase.output), format!("phases.{name}.output"), what)?;
        let is_taken = phase.number.is_some_and(|number| number > 99 || !numbers.insert(number));
        refuse_if(is_taken, format!("phases.{name}.number"), "has to be below 100 and its own")?;
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
        let what = names_no("policy", &phase.policy, keys.policies.keys().map(String::as_str));
        refuse_if(!keys.policies.contains_key(&phase.policy), format!("phases.{name}.policy"), what)?;
    }
    let Some(name) = &keys.preset else { return Ok(()) };
    let what = names_no("preset", name, keys.presets.keys().map(String::as_str));
    refuse_if(!keys.presets.contains_key(name), "preset", what)
}

fn known_phases(keys: &Keys, key: &str, list: &[String]) -> Result<(), Contradiction> {
    let Some(missing) = list.iter().find(|name| !keys.phases.contains_key(*name)) else { return Ok(()) };
    refuse(key, names_no("phase", missing, keys.phases.keys().map(String::as_str)))
}

/// Refuses lists that cannot be walked, and a phase that would never run.
pub(super) fn lists(keys: &Keys) -> Result<(), Contradiction> {
    if let Some(name) = keys.phases.keys().find(|name| keys.needs_up_to(name, &[]).contains(name)) {
        return refuse(format!("phases.{name}.needs"), "leads back to the phase itself");
    }
    list_of_phases(keys, "order", &keys.order)?;
    for (name, preset) in &keys.presets {
        list_of_phases(keys, &format!("presets.{name}.phases"), &preset.phases)?;
    }
    let is_listed = |name: &String| {
        keys.order.contains(name) || keys.presets.values().any(|preset| preset.phases.contains(name))
    };
    let Some(name) = keys.phases.keys().find(|name| !is_listed(name)) else { return Ok(()) };
    refuse(format!("phases.{name}"), "is neither in `order` nor in a preset: it would never run")
}

fn list_of_phases(keys: &Keys, key: &str, list: &[String]) -> Result<(), Contradiction> {
    refuse_if(list.is_empty(), key, "has to name at least one phase")?;
    let mut before = BTreeSet::new();
    for name in list {
        refuse_if(!before.insert(name), key, format!("names `{name}` twice"))?;
        if let Some(need) = keys.needs_within(name, list).into_iter().find(|need| !before.contains(need)) {
            return refuse(key, format!("puts `{name}` before `{need}`, which it needs"));
        }
    }
    Ok(())
}
