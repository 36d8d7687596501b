//! Names of phases, policies and presets that nothing is behind.

use super::{Wrong, wrong};
use crate::error::did_you_mean;
use crate::keys::Keys;
use crate::suggestion::suggestion;

/// Returns the first name that nothing is behind.
pub(super) fn find(keys: &Keys) -> Option<Wrong> {
    let phases = |key: String, list: &[String]| {
        let missing = list.iter().find(|name| !keys.phases.contains_key(*name))?;
        let hint = suggestion(missing, keys.phases.keys().map(String::as_str));
        wrong(key, format!("names `{missing}`, which is no phase{}", did_you_mean(hint)))
    };
    let needs =
        || keys.phases.iter().find_map(|(name, phase)| phases(format!("phases.{name}.needs"), &phase.needs));
    let presets = || {
        let each = keys.presets.iter();
        each.map(|(name, preset)| phases(format!("presets.{name}.phases"), &preset.phases)).find_map(|it| it)
    };
    phases("order".to_owned(), &keys.order)
        .or_else(|| phases("skip_phases".to_owned(), &keys.skip_phases.0))
        .or_else(needs)
        .or_else(presets)
        .or_else(|| unknown_policy(keys))
        .or_else(|| unknown_preset(keys))
}

fn unknown_policy(keys: &Keys) -> Option<Wrong> {
    let (name, phase) = keys.phases.iter().find(|(_, phase)| !keys.policies.contains_key(&phase.policy))?;
    let hint = did_you_mean(suggestion(&phase.policy, keys.policies.keys().map(String::as_str)));
    wrong(format!("phases.{name}.policy"), format!("names `{}`, which is no policy{hint}", phase.policy))
}

fn unknown_preset(keys: &Keys) -> Option<Wrong> {
    let name = keys.preset.as_ref().filter(|name| !keys.presets.contains_key(*name))?;
    let hint = did_you_mean(suggestion(name, keys.presets.keys().map(String::as_str)));
    wrong("preset", format!("names `{name}`, which is no preset{hint}"))
}
