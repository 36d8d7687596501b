//! Reads one validator of a registry, and one condition of a step: a validator and the values for its places.
//! A validator or condition without what it needs is an error, and never one that passes.

use std::collections::BTreeMap;

use super::json::Node;
use crate::command_line::objection;
use crate::defined_check::{SuccessWhen, leads_out, require_params, unknown_extractor};
use crate::error::{ConfigError, names_no};
use model::policy::{DefinedCheck, Look, Pattern};

const KEYS: &str = "type command path check semanticConfig shell successWhen failurePattern extractParams timeoutSeconds \
                    recoverableByDefault description";

const COMMANDS_ONLY: &str = "means something with a command only";

const LATER_KEYS: [(&str, &str); 1] = [(
    "phase",
    "is a key of later versions and means nothing here: all conditions are looked at after the work",
)];

/// A validator as its conditions use it.
pub(super) struct Validator {
    check: DefinedCheck,
    /// Conditions may name the files.
    takes_paths: bool,
}

/// Reads a validator.
pub(super) fn validator(node: &Node<'_>) -> Result<Validator, ConfigError> {
    let fields = node.only(KEYS, &LATER_KEYS)?;
    let kind = fields.need("type")?;
    let kind = kind.word(&["command", "file", "custom", "semantic"])?;
    fields.optional_text("description")?;
    let look = look(kind, &fields)?;
    let is_command = matches!(look, Look::Command { .. });
    let success_when = success_when(&fields, &look)?;
    let pattern = fields.need("failurePattern")?.text()?.to_owned();
    let extract = extract(&fields, is_command || look == Look::GitClean)?;
    if !is_command {
        fields.refuse("timeoutSeconds", COMMANDS_ONLY)?;
    }
    let check = DefinedCheck {
        success_when,
        pattern,
        extract,
        params: BTreeMap::new(),
        timeout_seconds: fields.optional("timeoutSeconds", Node::count)?.map(u64::from),
        recoverable: fields.optional("recoverableByDefault", Node::truth)?,
        look,
    };
    Ok(Validator { check, takes_paths: kind == "file" })
}

fn look(kind: &str, fields: &Node<'_>) -> Result<Look, ConfigError> {
    if kind != "semantic" {
        fields.refuse("semanticConfig", "means something with the type `semantic` only")?;
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
            return Err(fields.wrong("has neither `command` nor `check`: it would let everything pass"));
        }
        _ => command(fields)?,
    };
    let foreign = "means nothing with this type";
    if !matches!(look, Look::Command { .. }) {
        fields.refuse("shell", COMMANDS_ONLY)?;
        fields.refuse("command", foreign)?;
    }
    if !matches!(look, Look::Files { .. }) {
        fields.refuse("path", foreign)?;
    }
    Ok(look)
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
    let kind = node.only("checkType", &[])?.need("checkType")?;
    Ok(match kind.word(&["commit-message", "git-clean"])? {
        "git-clean" => Look::GitClean,
        _ => Look::CommitMessages,
    })
}

fn command(fields: &Node<'_>) -> Result<Look, ConfigError> {
    let node = fields.need("command")?;
    let run = node.text()?.to_owned();
    let shell = fields.optional("shell", Node::truth)?.unwrap_or(false);
    objection(&run, shell).map_or(Ok(Look::Command { run, shell }), |what| Err(node.wrong(what)))
}

fn success_when(fields: &Node<'_>, look: &Look) -> Result<String, ConfigError> {
    if matches!(look, Look::Command { .. }) {
        let node = fields.need("successWhen")?;
        let text = node.text()?;
        return SuccessWhen::parse(text).map(|_| text.to_owned()).map_err(|why| node.wrong(why));
    }
    let Some(node) = fields.get("successWhen") else { return Ok(String::new()) };
    // The form of seed files demands the key; for files it can only mean this.
    let word = if matches!(look, Look::Files { .. }) { "exists" } else { "empty" };
    node.word(&[word]).map(|_| String::new())
}

fn extract(fields: &Node<'_>, prints: bool) -> Result<BTreeMap<String, String>, ConfigError> {
    let Some(node) = fields.get("extractParams") else { return Ok(BTreeMap::new()) };
    if !prints && !node.entries()?.is_empty() {
        return Err(node.wrong(COMMANDS_ONLY));
    }
    node.map_of(|_, node| {
        let name = node.text()?;
        match unknown_extractor(name) {
            Some(what) => Err(node.wrong(format!("names `{name}`, {what}"))),
            None => Ok(name.to_owned()),
        }
    })
}

/// Returns a path that cannot lead out of the worktree by its words.
pub(super) fn inside_the_worktree(node: &Node<'_>) -> Result<String, ConfigError> {
    let path = node.text()?;
    leads_out(path).map_or(Ok(path.to_owned()), |what| Err(node.wrong(what)))
}

/// Reads a condition; returns the validator's name and the check that it makes.
pub(super) fn condition(
    node: &Node<'_>,
    validators: &BTreeMap<String, Validator>,
    patterns: &BTreeMap<String, Pattern>,
) -> Result<(String, DefinedCheck), ConfigError> {
    let fields = node.only("validator params", &[])?;
    let named = fields.need("validator")?;
    let name = named.text()?;
    let Some(validator) = validators.get(name) else {
        return Err(named.wrong(names_no("validator", name, validators.keys().map(String::as_str))));
    };
    let mut check = validator.check.clone();
    if let Some(params) = fields.get("params") {
        check.params = params.map_of(|_, node| Ok(node.value().clone()))?;
        if validator.takes_paths {
            take_paths(&mut check, &params)?;
        }
    }
    require_params(&check).map_err(|what| named.wrong(what))?;
    let Some(pattern) = patterns.get(&check.pattern) else {
        return Err(
            named.wrong(format!("fails with the pattern `{}`, which is not described", check.pattern))
        );
    };
    require_pattern_params(&check, pattern).map_err(|what| named.wrong(what))?;
    Ok((name.to_owned(), check))
}

/// A condition may name the files itself.
fn take_paths(check: &mut DefinedCheck, params: &Node<'_>) -> Result<(), ConfigError> {
    let Look::Files { paths } = &mut check.look else { return Ok(()) };
    let Some(node) = params.get("paths") else { return Ok(()) };
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
    let Some(name) = pattern.params.iter().find(|name| !is_given(name)) else { return Ok(()) };
    let pattern = &check.pattern;
    Err(format!(
        "fails with the pattern `{pattern}`, whose prompt inserts `{name}`, and `extractParams` does not give it"
    ))
}
