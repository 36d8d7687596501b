//! Which setting a variable or a flag means: `AI_WORKFLOW_BUDGET__USD` and `budget.usd` are the same key.
//! Variables that belong to agents, to the log filter or to tests are never read as settings.

use std::collections::BTreeMap;

use toml::{Table, Value};

use super::error::{ConfigError, Origin, suggestion};
use super::keys::split_at_commas;
use super::layer::ConfigLayer;
use super::schema::{ROOT, ValueType, join_key, no_setting};

const PREFIX: &str = "AI_WORKFLOW_";

/// What follows the prefix in variables that are no settings.
const NOT_OURS: [&str; 9] =
    ["ISSUE", "PHASE", "STEP", "SEAT", "ROUND", "OUTPUT", "REVIEW_ID", "LOG", "CORPUS"];

/// Reads the variables that start with `AI_WORKFLOW_`; one that is empty counts as not set.
/// `known` holds the values of the layers below: names in it decide between `-` and `_`.
pub(super) fn read(variables: &BTreeMap<String, String>, known: &Table) -> Result<ConfigLayer, ConfigError> {
    let mut layer = ConfigLayer::default();
    for (variable, text) in variables {
        let Some(rest) = variable.strip_prefix(PREFIX) else { continue };
        if NOT_OURS.contains(&rest) || text.trim().is_empty() {
            continue;
        }
        let place = Origin::Variable(variable.clone());
        let Some((path, shape)) = find_setting(rest, known) else {
            return Err(unknown_error(variable, place));
        };
        let value = parse_value(text, Some(shape), &path, &place)?;
        layer.insert(&path, value, &place);
    }
    layer.check()
}

/// Reads flags: dotted keys and their texts.
pub(super) fn read_flags(flags: &BTreeMap<String, String>) -> Result<ConfigLayer, ConfigError> {
    let mut layer = ConfigLayer::default();
    for (key, text) in flags {
        let path: Vec<String> = key.split('.').map(str::to_owned).collect();
        let shape = path.iter().try_fold(&*ROOT, |shape: &ValueType, name| shape.inner(name));
        let place = Origin::Flag(if key.contains('.') {
            format!("--set {key}")
        } else {
            format!("--{}", key.replace('_', "-"))
        });
        let value = parse_value(text, shape, &path, &place)?;
        layer.insert(&path, value, &place);
    }
    layer.check()
}

/// Returns the value of a text; where a list is wanted, `[` begins one in TOML, which may hold commas.
/// A command may be a list, too, and `[` is a program as well.
fn parse_value(
    text: &str,
    shape: Option<&ValueType>,
    path: &[String],
    place: &Origin,
) -> Result<Value, ConfigError> {
    let text = text.trim();
    match shape {
        Some(ValueType::Command) => Ok(parse_list(text).unwrap_or_else(|_| parse_plain_value(text, shape))),
        Some(ValueType::List(_) | ValueType::Names) if text.starts_with('[') => {
            parse_list(text).map_err(|why| ConfigError::Contradiction {
                place: place.clone(),
                key: path.join("."),
                what: format!("begins with `[` but is not a list in TOML such as `[\"a\", \"b\"]`: {why}"),
            })
        }
        _ => Ok(parse_plain_value(text, shape)),
    }
}

/// Returns the value that a text stands for. A text that does not fit is left a text, so that the walk over the layer
/// refuses it with place and key.
fn parse_plain_value(text: &str, shape: Option<&ValueType>) -> Value {
    let read = match shape {
        Some(ValueType::Truth) => parse_truth(text),
        Some(ValueType::Whole(_)) => text.parse().ok().map(Value::Integer),
        Some(ValueType::Number) => text.parse().ok().map(Value::Float),
        Some(ValueType::List(inner)) if **inner == ValueType::Text => Some(split_at_commas(text).into()),
        _ => None,
    };
    read.unwrap_or_else(|| Value::String(text.to_owned()))
}

fn parse_truth(text: &str) -> Option<Value> {
    match text.to_lowercase().as_str() {
        "true" | "1" | "yes" => Some(Value::Boolean(true)),
        "false" | "0" | "no" => Some(Value::Boolean(false)),
        _ => None,
    }
}

/// Reads one TOML array and nothing behind it.
fn parse_list(text: &str) -> Result<Value, String> {
    let one_line = |error: toml::de::Error| error.message().split_whitespace().collect::<Vec<_>>().join(" ");
    let mut read: Table = toml::from_str(&format!("list = {text}")).map_err(one_line)?;
    match read.remove("list") {
        Some(list @ Value::Array(_)) if read.is_empty() => Ok(list),
        _ => Err("something follows it".to_owned()),
    }
}

fn find_setting(rest: &str, known: &Table) -> Option<(Vec<String>, &'static ValueType)> {
    let mut shape: &'static ValueType = &ROOT;
    let mut known = Some(known);
    let mut path: Vec<String> = Vec::new();
    for segment in rest.split("__") {
        let name = name_of(segment, shape, known, path.last().is_some_and(|last| last == "env"));
        shape = shape.inner(&name)?;
        known = known.and_then(|table| table.get(&name)).and_then(Value::as_table);
        path.push(name);
    }
    if matches!(shape, ValueType::Table { .. } | ValueType::Named(_)) { None } else { Some((path, shape)) }
}

/// Returns the name that a part of a variable means: in upper case as in lower, and `_` for `-`.
fn name_of(segment: &str, shape: &ValueType, known: Option<&Table>, as_written: bool) -> String {
    if as_written {
        return segment.to_owned();
    }
    let plain = |name: &str| name.to_lowercase().replace('-', "_");
    let names = match shape {
        ValueType::Named(_) => known.map(|table| table.keys().cloned().collect()).unwrap_or_default(),
        _ => Vec::new(),
    };
    names.into_iter().find(|name| plain(name) == plain(segment)).unwrap_or_else(|| segment.to_lowercase())
}

fn unknown_error(variable: &str, place: Origin) -> ConfigError {
    let names = names(&ROOT, "");
    let near = suggestion(&variable.replace("__", "_"), names.iter().map(|(plain, _)| plain.as_str()))
        .and_then(|near| names.iter().find(|(plain, _)| plain == near));
    let what = no_setting(near.map(|(_, name)| name.as_str()));
    ConfigError::Unfit { place, key: variable.to_owned(), what }
}

/// Lists the variables of all settings with fixed names, each also with single underscores.
fn names(shape: &ValueType, path: &str) -> Vec<(String, String)> {
    match shape {
        ValueType::Table { keys, .. } => {
            keys.iter().flat_map(|(key, inner)| names(inner, &join_key(path, key))).collect()
        }
        ValueType::Named(_) => Vec::new(),
        _ => {
            let name = |between| format!("{PREFIX}{}", path.replace('.', between).to_uppercase());
            vec![(name("_"), name("__"))]
        }
    }
}

#[cfg(test)]
mod tests;
