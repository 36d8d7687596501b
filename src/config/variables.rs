//! Which setting a variable or a flag means: `AI_WORKFLOW_BUDGET__USD` and `budget.usd` are the same key.
//! Variables that belong to agents, to the log filter or to tests are never read as settings.

use std::collections::BTreeMap;

use toml::{Table, Value};

use super::error::{ConfigError, Place};
use super::layer::Layer;
use super::shape::{ROOT, Shape, joined};
use super::suggestion::suggestion;
use super::written;

const PREFIX: &str = "AI_WORKFLOW_";

/// What follows the prefix in variables that are no settings.
const NOT_OURS: [&str; 8] = ["ISSUE", "PHASE", "STEP", "ROUND", "OUTPUT", "REVIEW_ID", "LOG", "CORPUS"];

/// Reads the variables that start with `AI_WORKFLOW_`; one that is empty counts as not set.
/// `known` holds the values of the layers below: names in it decide between `-` and `_`.
pub(super) fn read(environment: &BTreeMap<String, String>, known: &Table) -> Result<Layer, ConfigError> {
    let mut layer = Layer::default();
    for (variable, text) in environment {
        let Some(rest) = variable.strip_prefix(PREFIX) else { continue };
        if NOT_OURS.contains(&rest) || text.trim().is_empty() {
            continue;
        }
        let place = Place::Variable(variable.clone());
        let Some((path, shape)) = setting(rest, known) else { return Err(unknown(variable, place)) };
        layer.insert(&path, written::value(text, Some(shape)), &place);
    }
    layer.checked()
}

/// Reads flags: dotted keys and their texts.
pub(super) fn read_flags(flags: &BTreeMap<String, String>) -> Result<Layer, ConfigError> {
    let mut layer = Layer::default();
    for (key, text) in flags {
        let path: Vec<String> = key.split('.').map(str::to_owned).collect();
        let shape = path.iter().try_fold(&*ROOT, |shape: &Shape, name| shape.inner(name));
        let place = Place::Flag(if key.contains('.') {
            format!("--set {key}")
        } else {
            format!("--{}", key.replace('_', "-"))
        });
        layer.insert(&path, written::value(text, shape), &place);
    }
    layer.checked()
}

fn setting(rest: &str, known: &Table) -> Option<(Vec<String>, &'static Shape)> {
    let mut shape: &'static Shape = &ROOT;
    let mut known = Some(known);
    let mut path: Vec<String> = Vec::new();
    for segment in rest.split("__") {
        let name = name_of(segment, shape, known, path.last().is_some_and(|last| last == "env"));
        shape = shape.inner(&name)?;
        known = known.and_then(|table| table.get(&name)).and_then(Value::as_table);
        path.push(name);
    }
    let is_value = !matches!(shape, Shape::Table { .. } | Shape::Named(_));
    is_value.then_some((path, shape))
}

/// Returns the name that a part of a variable means: in upper case as in lower, and `_` for `-`.
fn name_of(segment: &str, shape: &Shape, known: Option<&Table>, as_written: bool) -> String {
    if as_written {
        return segment.to_owned();
    }
    let plain = |name: &str| name.to_lowercase().replace('-', "_");
    let names = match shape {
        Shape::Named(_) => known.map(|table| table.keys().cloned().collect()).unwrap_or_default(),
        _ => Vec::new(),
    };
    names.into_iter().find(|name| plain(name) == plain(segment)).unwrap_or_else(|| segment.to_lowercase())
}

fn unknown(variable: &str, place: Place) -> ConfigError {
    let names = names(&ROOT, "");
    let hint = suggestion(&variable.replace("__", "_"), names.iter().map(|(plain, _)| plain.as_str()))
        .and_then(|near| names.iter().find(|(plain, _)| plain == near))
        .map(|(_, name)| name.clone());
    ConfigError::UnknownKey { place, key: variable.to_owned(), hint }
}

/// Lists the variables of all settings with fixed names, each also with single underscores.
fn names(shape: &Shape, path: &str) -> Vec<(String, String)> {
    match shape {
        Shape::Table { keys, .. } => {
            keys.iter().flat_map(|(key, inner)| names(inner, &joined(path, key))).collect()
        }
        Shape::Named(_) => Vec::new(),
        _ => {
            let name = |between| format!("{PREFIX}{}", path.replace('.', between).to_uppercase());
            vec![(name("_"), name("__"))]
        }
    }
}
