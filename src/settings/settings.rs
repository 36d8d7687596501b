//! The merged configuration, and what the other rooms ask it.
//! What a run is agreed on is made in `agreement`.

use std::collections::BTreeMap;
use std::ops::Deref;

use toml::Table;

use super::error::Place;
use super::keys::{Keys, PresetKeys};
use super::layer::place_of;
use super::registry::{ReviewLoop, StepsRegistry};
use model::phase::PhaseName;
use model::policy::{Budget, BudgetScopes};

/// The merged configuration without contradictions; its keys can be read, not changed.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    keys: Keys,
    values: Table,
    places: BTreeMap<String, Place>,
    files: Files,
}

/// What stands in files of other systems and is no key of ours.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Files {
    pub(super) steps: Option<StepsRegistry>,
    pub(super) review_loop: ReviewLoop,
}

impl Deref for Settings {
    type Target = Keys;

    fn deref(&self) -> &Keys {
        &self.keys
    }
}

impl Settings {
    pub(super) fn new(keys: Keys, values: Table, places: BTreeMap<String, Place>, files: Files) -> Self {
        Self { keys, values, places, files }
    }

    /// Returns the registry of steps, where there is one.
    pub fn registry(&self) -> Option<&StepsRegistry> {
        self.files.steps.as_ref()
    }

    pub(super) fn review_loop(&self) -> &ReviewLoop {
        &self.files.review_loop
    }

    /// Returns what a person should know about the files that were read.
    pub fn notices(&self) -> impl Iterator<Item = &str> {
        self.files.review_loop.notice.as_deref().into_iter()
    }

    /// Returns the phases of a run without a preset, in their order.
    pub fn phase_names(&self) -> Vec<PhaseName> {
        self.order.iter().map(|name| named(name)).collect()
    }

    /// Returns the presets by name.
    pub fn presets(&self) -> &BTreeMap<String, PresetKeys> {
        &self.keys.presets
    }

    /// Returns what a run may spend, attended by a person at the terminal or not.
    pub fn budget(&self, attended: bool) -> Budget {
        let budget = &self.keys.budget;
        let unattended = if attended { None } else { Some(budget.unattended_usd) };
        Budget { usd: budget.run.usd.or(unattended), ..budget.run.clone() }
    }

    /// Returns the limits narrower and wider than a run.
    pub fn budget_scopes(&self) -> BudgetScopes {
        self.keys.budget.scopes.clone()
    }

    /// Returns where a key was written last, by its dotted path.
    pub fn origin(&self, key: &str) -> Place {
        place_of(key, &self.places)
    }

    /// Returns the keys that were written anywhere but in the defaults, with their places.
    pub fn origins(&self) -> &BTreeMap<String, Place> {
        &self.places
    }

    /// Returns the whole as a configuration file.
    pub fn to_toml(&self) -> String {
        self.values.to_string()
    }
}

/// Returns the name of a phase that `contradictions` has seen.
pub(super) fn named(name: &str) -> PhaseName {
    name.parse().expect("names of phases are checked at load")
}
