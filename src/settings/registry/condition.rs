//! Reads one condition of a step: a validator and the values for its places.
//! Everything that the validator or the prompt of its pattern asks for has to be there.

use std::collections::BTreeMap;

use serde_json::Value;

use super::command_line::places;
use super::json::Node;
use super::validator::{Validator, leads_out};
use crate::error::{ConfigError, did_you_mean};
use crate::suggestion::suggestion;
use model::policy::{DefinedCheck, Look, Pattern};

/// Reads a condition; returns the validator's name and the check that it makes.
pub(super) fn read<'p>(
    node: &Node<'_>,
    validators: &BTreeMap<&str, Validator>,
    pattern: impl Fn(&str) -> Option<&'p Pattern>,
) -> Result<(String, DefinedCheck), ConfigError> {
    let fields = node.fields(&["validator", "params"], |_| None)?;
    let named = fields.need("validator")?;
    let name = named.text()?;
    let Some(validator) = validators.get(name) else {
        let hint = did_you_mean(suggestion(name, validators.keys().copied()));
        return Err(named.wrong(format!("names `{name}`, which is no validator{hint}")));
    };
    let mut check = validator.check.clone();
    if let Some(params) = fields.get("params") {
        let entries = params.entries()?;
        check.params = entries.iter().map(|(key, node)| ((*key).to_owned(), node.value().clone())).collect();
        take_paths(&mut check, validator.takes_paths, entries)?;
    }
    complete(&check).map_err(|what| named.wrong(what))?;
    let Some(pattern) = pattern(&check.pattern) else {
        return Err(
            named.wrong(format!("fails with the pattern `{}`, which is not described", check.pattern))
        );
    };
    told(&check, pattern).map_err(|what| named.wrong(what))?;
    Ok((name.to_owned(), check))
}

/// A condition may name the files itself.
fn take_paths(
    check: &mut DefinedCheck,
    takes_paths: bool,
    entries: Vec<(&str, Node<'_>)>,
) -> Result<(), ConfigError> {
    let Look::Files { paths } = &mut check.look else { return Ok(()) };
    let Some((_, node)) = entries.into_iter().find(|(key, _)| takes_paths && *key == "paths") else {
        return Ok(());
    };
    let named = node.texts()?;
    if let Some(what) = named.iter().find_map(|path| leads_out(path)) {
        return Err(node.wrong(what));
    }
    paths.splice(0..0, named);
    check.params.remove("paths");
    Ok(())
}

/// Says what a check lacks to be made.
pub(crate) fn complete(check: &DefinedCheck) -> Result<(), String> {
    let texts: Vec<&String> = match &check.look {
        Look::Command { run, .. } => vec![run],
        Look::Files { paths } if paths.is_empty() => {
            return Err("names no file: it would let everything pass".into());
        }
        Look::Files { paths } => paths.iter().collect(),
        Look::CommitMessages => return readable(&check.params),
        Look::GitClean | Look::IssueClosed | Look::RemoteChecks => vec![],
    };
    for (_, name) in texts.iter().flat_map(|text| places(text)) {
        match check.params.get(name) {
            Some(Value::String(_) | Value::Number(_) | Value::Bool(_)) => {}
            Some(_) => {
                return Err(format!("has `${{{name}}}`, and its value is neither a text nor a number"));
            }
            None => return Err(format!("has `${{{name}}}`, and `params` has no value for it")),
        }
    }
    Ok(())
}

/// What a condition says about commits in place of git and the issue has to be readable.
fn readable(params: &BTreeMap<String, Value>) -> Result<(), String> {
    let is_text = |value: &Value| value.is_string();
    let are_texts = |value: &Value| value.as_array().is_some_and(|all| all.iter().all(Value::is_string));
    match (params.get("taskDescription"), params.get("commitMessages")) {
        (Some(task), _) if !is_text(task) => Err("has a `taskDescription` that is no text".into()),
        (_, Some(messages)) if !are_texts(messages) => {
            Err("has `commitMessages` that are no list of texts".into())
        }
        _ => Ok(()),
    }
}

/// Says what the prompt of a pattern would insert and nobody gives.
fn told(check: &DefinedCheck, pattern: &Pattern) -> Result<(), String> {
    let always: &[&str] = match check.look {
        Look::Command { .. } => &["command", "exitCode", "error"],
        Look::Files { .. } => &["missingFiles", "expectedPath", "error"],
        Look::GitClean => &["changedFiles", "untrackedFiles", "error"],
        Look::IssueClosed | Look::RemoteChecks => &["error"],
        Look::CommitMessages => &["commitMessages", "taskDescription", "error"],
    };
    let given = |name: &String| {
        always.contains(&name.as_str()) || check.extract.contains_key(name) || check.params.contains_key(name)
    };
    match pattern.params.iter().find(|name| !given(name)) {
        Some(name) => Err(format!(
            "fails with the pattern `{}`, whose prompt inserts `{name}`, and `extractParams` does not give it",
            check.pattern
        )),
        None => Ok(()),
    }
}
