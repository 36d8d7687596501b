//! What a phase needs within a list of phases.

use std::collections::{BTreeMap, BTreeSet};

use super::keys::PhaseKeys;

/// Returns the needs of a phase in the order of the list; a need that the list lacks is replaced by its own needs.
/// So a preset narrows needs to its own phases, and still nothing runs before what it rests on.
pub(super) fn narrowed<'a>(
    phases: &BTreeMap<String, PhaseKeys>,
    name: &str,
    list: &'a [String],
) -> Vec<&'a String> {
    let mut open: Vec<&String> = phases[name].needs.iter().collect();
    let mut seen: BTreeSet<&String> = BTreeSet::new();
    while let Some(need) = open.pop() {
        if seen.insert(need) && !list.contains(need) {
            open.extend(&phases[need].needs);
        }
    }
    list.iter().filter(|phase| seen.contains(phase)).collect()
}
