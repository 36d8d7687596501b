//! The merged configuration: how it is made of its layers, and what is asked of it.
//! The layers, weakest first: defaults, user file, review loop, repository file, variables, flags. What a run is agreed on
//! is made in `agreement`.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Deref;

use serde::Deserialize;
use toml::{Table, Value};

use super::command_line::shell_syntax;
use super::error::{ConfigError, Origin, place_of};
use super::keys::Keys;
use super::layer::ConfigLayer;
use super::registry::{ReviewLoop, StepsRegistry};
use super::schema::{ValueNormalizer, join_key};
use super::validation;
use super::variables;
use model::phase::PhaseName;
use model::policy::Budget;

/// The built-in defaults, in the syntax of a user's file.
pub const DEFAULTS: &str = include_str!("defaults.toml");
/// Those that differ in a job of a server for builds.
const DEFAULTS_IN_JOBS: &str = include_str!("defaults_in_jobs.toml");

/// The texts a configuration is made of, as the caller found them.
#[derive(Debug, Clone, Default)]
pub struct ConfigTexts {
    /// The user's file: its name for messages, and its text.
    pub user: Option<(String, String)>,
    /// The repository's file, or the one that `--config` names.
    pub repository: Option<(String, String)>,
    /// The registry of steps, where there is one.
    pub steps: Option<(String, String)>,
    /// The settings of a review loop, where there are some; the repository's file wins over them.
    pub review_loop: Option<(String, String)>,
    /// The environment; variables without our prefix are not looked at.
    pub environment: BTreeMap<String, String>,
    /// Dotted keys and their texts; the name of a flag is its key with `-`.
    pub flags: BTreeMap<String, String>,
}

/// The merged configuration without contradictions; its keys can be read, not changed.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    keys: Keys,
    values: Table,
    places: BTreeMap<String, Origin>,
    steps: Option<StepsRegistry>,
    pub(super) review_loop: ReviewLoop,
}

/// Merges the layers into settings, or says what is wrong and where.
pub fn load(layers: &ConfigTexts) -> Result<Settings, ConfigError> {
    let mut review_loop = ReviewLoop::default();
    let mut merged = merge(layers, ConfigLayer::default())?;
    if let Some((name, text)) = &layers.review_loop {
        let layer;
        (layer, review_loop) = ReviewLoop::read(name, text, &policies_with_review_loop(&merged))?;
        merged = merge(layers, layer)?;
    }
    let steps = layers.steps.as_ref().map(|(name, text)| StepsRegistry::read(name, text)).transpose()?;
    check_all(merged, steps, review_loop)
}

/// Lays the texts over each other, and over the user's file what the review loop says.
fn merge(layers: &ConfigTexts, review_loop: ConfigLayer) -> Result<ConfigLayer, ConfigError> {
    let mut merged = ConfigLayer::read("defaults.toml", DEFAULTS)?;
    if is_in_job(&layers.environment) {
        merged.merge(ConfigLayer::read("defaults_in_jobs.toml", DEFAULTS_IN_JOBS)?);
    }
    merged.places.clear();
    if let Some((name, text)) = &layers.user {
        merged.merge(ConfigLayer::read(name, text)?.check()?);
    }
    merged.merge(review_loop);
    if let Some((name, text)) = &layers.repository {
        merged.merge(ConfigLayer::read(name, text)?.check()?);
    }
    merged.merge(variables::read(&layers.environment, &merged.values)?);
    merged.merge(variables::read_flags(&layers.flags)?);
    Ok(merged)
}

/// Returns the names of the policies that take the limits and lists of a review loop.
fn policies_with_review_loop(merged: &ConfigLayer) -> Vec<String> {
    let policies = merged.values.get("policies").and_then(Value::as_table).into_iter().flatten();
    let takes = |policy: &Value| policy.get("review_loop").and_then(Value::as_bool) == Some(true);
    policies.filter(|(_, policy)| takes(policy)).map(|(name, _)| name.clone()).collect()
}

/// Tells whether these are the variables of a job of a server for builds.
fn is_in_job(environment: &BTreeMap<String, String>) -> bool {
    ["GITHUB_ACTIONS", "CI"].iter().any(|name| environment.get(*name).is_some_and(|value| value == "true"))
}

/// Checks the whole: everything is there, commands need no shell, and nothing contradicts something else.
fn check_all(
    merged: ConfigLayer,
    steps: Option<StepsRegistry>,
    review_loop: ReviewLoop,
) -> Result<Settings, ConfigError> {
    let places = merged.places;
    let values = ValueNormalizer { is_complete: true, places: &places }.whole(merged.values)?;
    // By way of JSON: the code that serde makes for a type is larger for TOML.
    let json = serde_json::to_value(&values).expect("TOML without dates is JSON");
    let keys = Keys::deserialize(&json).expect("the walk has seen every key and every type");
    for (id, line) in keys.commands.by_id() {
        // `true && make test` would run `true` and no test.
        if let Some(syntax) = shell_syntax(&line) {
            let key = format!("commands.{id}");
            return Err(ConfigError::ShellSyntax { place: place_of(&key, &places), key, syntax });
        }
    }
    validation::validate(&keys, steps.as_ref()).map_err(|wrong| ConfigError::Contradiction {
        place: place_of(&wrong.key, &places),
        key: wrong.key,
        what: wrong.what,
    })?;
    Ok(Settings { keys, values, places, steps, review_loop })
}

impl Deref for Settings {
    type Target = Keys;

    fn deref(&self) -> &Keys {
        &self.keys
    }
}

impl Settings {
    /// Returns the registry of steps, where there is one.
    pub fn registry(&self) -> Option<&StepsRegistry> {
        self.steps.as_ref()
    }

    /// Returns what a person should know about the files that were read.
    pub fn notices(&self) -> impl Iterator<Item = &str> {
        self.review_loop.notice.as_deref().into_iter()
    }

    /// Returns all phases: those of a run without a preset in their order, then those that only presets name.
    pub fn phase_names(&self) -> Vec<PhaseName> {
        let of_presets = self.phases.keys().filter(|name| !self.order.contains(name));
        self.order.iter().chain(of_presets).map(|name| phase_name(name)).collect()
    }

    /// Returns the folders of the prompts of these phases.
    pub fn prompt_folders(&self) -> Vec<&str> {
        self.order.iter().map(|name| self.phases[name].prompts.as_ref().unwrap_or(name).as_str()).collect()
    }

    /// Returns what a run may spend, attended by a person at the terminal or not.
    pub fn budget(&self, attended: bool) -> Budget {
        let budget = &self.keys.budget;
        let unattended = if attended { None } else { Some(budget.unattended_usd) };
        Budget { usd: budget.run.usd.or(unattended), ..budget.run.clone() }
    }

    /// Returns where a key was written last, by its dotted path.
    pub fn origin(&self, key: &str) -> Origin {
        place_of(key, &self.places)
    }

    /// Returns the values that were written anywhere but in the defaults, by their dotted paths, with their places. The tables
    /// that they stand in are left out.
    pub fn origins(&self) -> BTreeMap<&str, &Origin> {
        let mut values = BTreeSet::new();
        list_values(&self.values, "", &mut values);
        let places = self.places.iter().filter(|(key, _)| values.contains(*key));
        places.map(|(key, place)| (key.as_str(), place)).collect()
    }

    /// Returns the whole as a configuration file.
    pub fn to_toml(&self) -> String {
        self.values.to_string()
    }
}

/// Collects the dotted paths of all values that are no tables.
fn list_values(table: &Table, path: &str, values: &mut BTreeSet<String>) {
    for (name, value) in table {
        let key = join_key(path, name);
        match value {
            Value::Table(inner) => list_values(inner, &key, values),
            _ => drop(values.insert(key)),
        }
    }
}

/// Returns the name of a phase that `validation` has seen.
pub(super) fn phase_name(name: &str) -> PhaseName {
    name.parse().expect("names of phases are checked at load")
}
