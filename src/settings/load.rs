//! Merges the layers, weakest first: defaults, user file, repository file, variables, flags.
//! Tables merge key by key; a list of a later layer takes the place of the earlier one.

use std::collections::BTreeMap;

use config::Config;
use toml::{Table, Value};

use super::command_words::shell_syntax;
use super::contradictions;
use super::error::{ConfigError, Place};
use super::file;
use super::keys::Keys;
use super::layer::{Layer, place_of};
use super::registry::{ReviewLoop, StepsRegistry};
use super::settings::{Files, Settings};
use super::shape::ROOT;
use super::{DEFAULTS, DEFAULTS_IN_JOBS, variables};

/// The texts a configuration is made of, as the caller found them.
#[derive(Debug, Clone, Default)]
pub struct Layers {
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

/// Merges the layers into settings, or says what is wrong and where.
pub fn load(layers: &Layers) -> Result<Settings, ConfigError> {
    let mut stack = vec![file::read("defaults.toml", DEFAULTS)?];
    if is_in_job(&layers.environment) {
        stack.push(file::read("defaults_in_jobs.toml", DEFAULTS_IN_JOBS)?);
    }
    for defaults in &mut stack {
        defaults.places.clear();
    }
    let own_file = |file: &Option<(String, String)>| -> Result<Option<Layer>, ConfigError> {
        file.as_ref().map(|(name, text)| file::read(name, text)?.checked()).transpose()
    };
    stack.extend(own_file(&layers.user)?);
    let review_loop =
        layers.review_loop.as_ref().map(|(name, text)| ReviewLoop::read(name, text)).transpose()?;
    let (layer, review_loop) = review_loop.unzip();
    stack.extend(layer);
    stack.extend(own_file(&layers.repository)?);
    stack.push(variables::read(&layers.environment, &merged(&stack))?);
    stack.push(variables::read_flags(&layers.flags)?);
    let steps = layers.steps.as_ref().map(|(name, text)| StepsRegistry::read(name, text)).transpose()?;
    complete(&stack, Files { steps, review_loop: review_loop.unwrap_or_default() })
}

/// Tells whether these are the variables of a job of a server for builds.
fn is_in_job(environment: &BTreeMap<String, String>) -> bool {
    ["GITHUB_ACTIONS", "CI"].iter().any(|name| environment.get(*name).is_some_and(|value| value == "true"))
}

fn complete(stack: &[Layer], files: Files) -> Result<Settings, ConfigError> {
    let places: BTreeMap<String, Place> = stack.iter().flat_map(|layer| layer.places.clone()).collect();
    let mut values = Value::Table(merged(stack));
    ROOT.fit(&mut values, "", true).map_err(|misfit| misfit.placed(&places))?;
    let keys: Keys = values.clone().try_into().expect("the walk has seen every key and every type");
    no_shell_syntax(&keys, &places)?;
    contradictions::find(&keys, files.steps.as_ref()).map_or(Ok(()), |(key, what)| {
        Err(ConfigError::Contradiction { place: place_of(&key, &places), key, what })
    })?;
    let values = values.try_into().expect("a table stays a table");
    Ok(Settings::new(keys, values, places, files))
}

/// Refuses a command that a shell would read in another way: `true && make test` would run `true` and no test.
fn no_shell_syntax(keys: &Keys, places: &BTreeMap<String, Place>) -> Result<(), ConfigError> {
    for (id, line) in keys.commands.by_id() {
        if let Some(syntax) = shell_syntax(&line) {
            let key = format!("commands.{id}");
            return Err(ConfigError::ShellSyntax { place: place_of(&key, places), key, syntax });
        }
    }
    Ok(())
}

fn merged(stack: &[Layer]) -> Table {
    let builder = stack.iter().fold(Config::builder(), |builder, layer| builder.add_source(layer.clone()));
    let merged = builder.build().expect("values that are read already can be merged");
    merged.try_deserialize().expect("any value fits into a table of TOML")
}
