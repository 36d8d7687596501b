//! Lists of phases that cannot be walked: needs in a circle, a need that comes later, a phase twice, a phase nowhere.

use std::collections::BTreeSet;

use super::{Wrong, wrong};
use crate::keys::Keys;
use crate::needs::narrowed;

/// Returns the first list that cannot be walked.
pub(super) fn find(keys: &Keys) -> Option<Wrong> {
    circle(keys).or_else(|| lists(keys)).or_else(|| nowhere(keys))
}

/// Finds needs that lead back to where they began.
fn circle(keys: &Keys) -> Option<Wrong> {
    let returns = |start: &String| {
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
    };
    let name = keys.phases.keys().find(|name| returns(name))?;
    wrong(format!("phases.{name}.needs"), "leads back to the phase itself")
}

fn lists(keys: &Keys) -> Option<Wrong> {
    let presets =
        keys.presets.iter().map(|(name, preset)| (format!("presets.{name}.phases"), &preset.phases));
    std::iter::once(("order".to_owned(), &keys.order))
        .chain(presets)
        .find_map(|(key, list)| list_of(keys, &key, list))
}

fn list_of(keys: &Keys, key: &str, list: &[String]) -> Option<Wrong> {
    if list.is_empty() {
        return wrong(key, "has to name at least one phase");
    }
    let mut before = BTreeSet::new();
    for name in list {
        if !before.insert(name) {
            return wrong(key, format!("names `{name}` twice"));
        }
        if let Some(need) = narrowed(&keys.phases, name, list).into_iter().find(|need| !before.contains(need))
        {
            return wrong(key, format!("puts `{name}` before `{need}`, which it needs"));
        }
    }
    None
}

/// Finds a phase that no list names: it would never run, and nobody would be told.
fn nowhere(keys: &Keys) -> Option<Wrong> {
    let listed = |name: &String| {
        keys.order.contains(name) || keys.presets.values().any(|preset| preset.phases.contains(name))
    };
    let name = keys.phases.keys().find(|name| !listed(name))?;
    wrong(format!("phases.{name}"), "is neither in `order` nor in a preset: it would never run")
}
