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
const NOT_OURS: [&str; 9] =
    ["ISSUE", "PHASE", "STEP", "SEAT", "ROUND", "OUTPUT", "REVIEW_ID", "LOG", "CORPUS"];

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
        let value = value(text, Some(shape), &path, &place)?;
        layer.insert(&path, value, &place);
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
        let value = value(text, shape, &path, &place)?;
        layer.insert(&path, value, &place);
    }
    layer.checked()
}

/// Returns the value of a text; where a list is wanted, `[` begins one in TOML, which may hold commas.
/// A command may be a list, too, and `[` is a program as well.
fn value(text: &str, shape: Option<&Shape>, path: &[String], place: &Place) -> Result<Value, ConfigError> {
    if let (Some(Shape::Command), Ok(words)) = (shape, list(text.trim())) {
        return Ok(words);
    }
    let is_list = matches!(shape, Some(Shape::List(_) | Shape::Names)) && text.trim().starts_with('[');
    if !is_list {
        return Ok(written::value(text, shape));
    }
    list(text.trim()).map_err(|why| ConfigError::Contradiction {
        place: place.clone(),
        key: path.join("."),
        what: format!("begins with `[` but is not a list in TOML such as `[\"a\", \"b\"]`: {why}"),
    })
}

/// Reads one TOML array and nothing behind it.
fn list(text: &str) -> Result<Value, String> {
    let mut read: Table = toml::from_str(&format!("list = {text}")).map_err(|error| one_line(&error))?;
    let list = read.remove("list").filter(Value::is_array);
    list.filter(|_| read.is_empty()).ok_or_else(|| "something follows it".to_owned())
}

fn one_line(error: &toml::de::Error) -> String {
    error.message().split_whitespace().collect::<Vec<_>>().join(" ")
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

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "checks.protected";

    fn flag(text: &str) -> Result<Value, ConfigError> {
        let layer = read_flags(&BTreeMap::from([(KEY.to_owned(), text.to_owned())]))?;
        Ok(layer.values["checks"]["protected"].clone())
    }

    fn variable(text: &str) -> Result<Value, ConfigError> {
        let name = "AI_WORKFLOW_CHECKS__PROTECTED".to_owned();
        let layer = read(&BTreeMap::from([(name, text.to_owned())]), &Table::new())?;
        Ok(layer.values["checks"]["protected"].clone())
    }

    #[test]
    fn a_list_can_be_written_with_commas_or_in_toml() {
        for (text, items) in [
            ("A.md, B.md", &["A.md", "B.md"][..]),
            (" [\"A.md\"]", &["A.md"]),
            ("['A.md', 'B,C.md'] ", &["A.md", "B,C.md"]),
            ("[]", &[]),
        ] {
            let list = Value::from(items.to_vec());
            assert_eq!((flag(text), variable(text)), (Ok(list.clone()), Ok(list)), "{text}");
        }
    }

    #[test]
    fn what_begins_like_a_list_and_is_none_is_refused_with_its_place() {
        for text in ["[A.md]", "[\"A.md\"", "[ab]*.md", "[]\nother = 1", "[] x"] {
            for (told, place) in [
                (flag(text), "flag --set checks.protected"),
                (variable(text), "variable AI_WORKFLOW_CHECKS__PROTECTED"),
            ] {
                let told = told.expect_err(text).to_string();
                let start = format!("{place}: `{KEY}` begins with `[` but is not a list in TOML");
                assert!(told.starts_with(&start) && !told.contains('\n'), "{told}");
            }
        }
        let told = flag("[1]").expect_err("no text").to_string();
        assert!(told.contains("has to be a text, not 1"), "{told}");
    }

    #[test]
    fn a_text_may_begin_with_a_bracket() {
        let layer = read_flags(&BTreeMap::from([("language".to_owned(), "[x]".to_owned())]));
        assert_eq!(layer.expect("a text").values["language"], Value::from("[x]"));
    }
}
