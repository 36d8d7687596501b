//! Reads one validator of a registry, and one condition of a step: a validator and the values for its places.
//! A validator or condition without what it needs is an error, and never one that passes.

use std::collections::BTreeMap;

use super::json::{Fields, Node};
use crate::command_line::objection;
use crate::defined_check::{SuccessWhen, leads_out, require_params, unknown_extractor};
use crate::error::{ConfigError, did_you_mean, suggestion};
use model::policy::{DefinedCheck, Look, Pattern};

const KEYS: &str = "type command path check semanticConfig shell successWhen failurePattern extractParams timeoutSeconds \
                    recoverableByDefault description";

/// A validator as its conditions use it.
pub(super) struct Validator {
    check: DefinedCheck,
    /// Conditions may name the files.
    takes_paths: bool,
}

/// Reads a validator.
pub(super) fn validator(node: &Node<'_>) -> Result<Validator, ConfigError> {
    let fields = node.fields(KEYS, later_key)?;
    let kind = fields.need("type")?;
    let kind = kind.word(&["command", "file", "custom", "semantic"])?;
    fields.text("description")?;
    let look = look(kind, &fields)?;
    let is_command = matches!(look, Look::Command { .. });
    let check = DefinedCheck {
        success_when: success_when(&fields, &look)?,
        pattern: fields.need("failurePattern")?.text()?.to_owned(),
        extract: extract(&fields, is_command || look == Look::GitClean)?,
        params: BTreeMap::new(),
        timeout_seconds: for_commands(&fields, "timeoutSeconds", is_command)?
            .map(|node| node.count())
            .transpose()?
            .map(u64::from),
        recoverable: fields.optional("recoverableByDefault", Node::truth)?,
        look,
    };
    Ok(Validator { check, takes_paths: kind == "file" })
}

fn later_key(key: &str) -> Option<&'static str> {
    match key {
        "phase" => Some(
            "is a key of later versions and means nothing here: all conditions are looked at after the work",
        ),
        _ => None,
    }
}

fn look(kind: &str, fields: &Fields<'_>) -> Result<Look, ConfigError> {
    match fields.get("semanticConfig") {
        Some(node) if kind != "semantic" => {
            return Err(node.wrong("means something with the type `semantic` only"));
        }
        _ => {}
    }
    let look = match (kind, fields.get("check")) {
        ("semantic", None) => semantic(&fields.need("semanticConfig")?)?,
        ("custom", Some(own)) => own_check(&own)?,
        (_, Some(own)) => return Err(own.wrong("means something with the type `custom` only")),
        ("file", None) => {
            let path = fields.optional("path", inside_the_worktree)?;
            Look::Files { paths: path.into_iter().collect() }
        }
        ("custom", None) if fields.get("command").is_none() => {
            return Err(fields
                .node()
                .wrong("has neither `command` nor `check`: it would let everything pass"));
        }
        _ => command(fields)?,
    };
    let foreign = match &look {
        Look::Command { .. } => fields.get("path"),
        Look::Files { .. } => fields.get("command"),
        Look::GitClean | Look::IssueClosed | Look::RemoteChecks | Look::CommitMessages => {
            fields.get("command").or(fields.get("path"))
        }
    };
    for_commands(fields, "shell", matches!(look, Look::Command { .. }))?;
    match foreign {
        Some(node) => Err(node.wrong("means nothing with this type")),
        None => Ok(look),
    }
}

fn own_check(node: &Node<'_>) -> Result<Look, ConfigError> {
    Ok(match node.word(&["git_clean", "issue_closed", "remote_checks"])? {
        "git_clean" => Look::GitClean,
        "remote_checks" => Look::RemoteChecks,
        _ => Look::IssueClosed,
    })
}

/// Reads what a semantic validator judges. One that is not known here is an error: it would let everything pass.
fn semantic(node: &Node<'_>) -> Result<Look, ConfigError> {
    let kind = node.fields("checkType", |_| None)?.need("checkType")?;
    Ok(match kind.word(&["commit-message", "git-clean"])? {
        "git-clean" => Look::GitClean,
        _ => Look::CommitMessages,
    })
}

fn command(fields: &Fields<'_>) -> Result<Look, ConfigError> {
    let node = fields.need("command")?;
    let run = node.text()?.to_owned();
    let shell = fields.optional("shell", Node::truth)?.unwrap_or(false);
    match objection(&run, shell) {
        Some(what) => Err(node.wrong(what)),
        None => Ok(Look::Command { run, shell }),
    }
}

fn for_commands<'a>(
    fields: &Fields<'a>,
    key: &str,
    is_command: bool,
) -> Result<Option<Node<'a>>, ConfigError> {
    let node = fields.get(key);
    match node {
        Some(node) if !is_command => Err(node.wrong("means something with a command only")),
        node => Ok(node),
    }
}

fn success_when(fields: &Fields<'_>, look: &Look) -> Result<String, ConfigError> {
    if matches!(look, Look::Command { .. }) {
        let node = fields.need("successWhen")?;
        let text = node.text()?;
        return SuccessWhen::parse(text).map(|_| text.to_owned()).map_err(|why| node.wrong(why.to_string()));
    }
    let Some(node) = fields.get("successWhen") else { return Ok(String::new()) };
    // The form of seed files demands the key; for files it can only mean this.
    let word = if matches!(look, Look::Files { .. }) { "exists" } else { "empty" };
    node.word(&[word]).map(|_| String::new())
}

fn extract(fields: &Fields<'_>, prints: bool) -> Result<BTreeMap<String, String>, ConfigError> {
    let Some(node) = fields.get("extractParams") else { return Ok(BTreeMap::new()) };
    let entries = node.entries()?;
    if !prints && !entries.is_empty() {
        return Err(node.wrong("means something with a command only"));
    }
    let mut extract = BTreeMap::new();
    for (param, node) in entries {
        let name = node.text()?;
        if let Some(what) = unknown_extractor(name) {
            return Err(node.wrong(format!("names `{name}`, {what}")));
        }
        extract.insert(param.to_owned(), name.to_owned());
    }
    Ok(extract)
}

/// Returns a path that cannot lead out of the worktree by its words.
pub(super) fn inside_the_worktree(node: &Node<'_>) -> Result<String, ConfigError> {
    let path = node.text()?;
    match leads_out(path) {
        Some(what) => Err(node.wrong(what)),
        None => Ok(path.to_owned()),
    }
}

/// Reads a condition; returns the validator's name and the check that it makes.
pub(super) fn condition<'p>(
    node: &Node<'_>,
    validators: &BTreeMap<&str, Validator>,
    pattern: impl Fn(&str) -> Option<&'p Pattern>,
) -> Result<(String, DefinedCheck), ConfigError> {
    let fields = node.fields("validator params", |_| None)?;
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
    require_params(&check).map_err(|what| named.wrong(what))?;
    let Some(pattern) = pattern(&check.pattern) else {
        return Err(
            named.wrong(format!("fails with the pattern `{}`, which is not described", check.pattern))
        );
    };
    require_pattern_params(&check, pattern).map_err(|what| named.wrong(what))?;
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

/// Says what the prompt of a pattern would insert and nobody gives.
fn require_pattern_params(check: &DefinedCheck, pattern: &Pattern) -> Result<(), String> {
    let always: &[&str] = match check.look {
        Look::Command { .. } => &["command", "exitCode", "error"],
        Look::Files { .. } => &["missingFiles", "expectedPath", "error"],
        Look::GitClean => &["changedFiles", "untrackedFiles", "error"],
        Look::IssueClosed | Look::RemoteChecks => &["error"],
        Look::CommitMessages => &["commitMessages", "taskDescription", "error"],
    };
    let is_given = |name: &String| {
        always.contains(&name.as_str()) || check.extract.contains_key(name) || check.params.contains_key(name)
    };
    match pattern.params.iter().find(|name| !is_given(name)) {
        Some(name) => Err(format!(
            "fails with the pattern `{}`, whose prompt inserts `{name}`, and `extractParams` does not give it",
            check.pattern
        )),
        None => Ok(()),
    }
}
