//! Reads one validator of a registry: what it looks at, and what it needs for that.
//! A validator without what it needs is an error, and never one that passes.

use std::collections::BTreeMap;

use super::command_line;
use super::json::{Fields, Node};
use crate::error::{ConfigError, did_you_mean};
use crate::suggestion::suggestion;
use content_parser::extract::{SuccessWhen, extractors, is_known};
use model::policy::{DefinedCheck, Look};

const KEYS: [&str; 12] = [
    "type",
    "command",
    "path",
    "check",
    "semanticConfig",
    "shell",
    "successWhen",
    "failurePattern",
    "extractParams",
    "timeoutSeconds",
    "recoverableByDefault",
    "description",
];

/// A validator as its conditions use it.
pub(super) struct Validator {
    pub(super) check: DefinedCheck,
    /// Conditions may name the files.
    pub(super) takes_paths: bool,
}

/// Reads a validator.
pub(super) fn read(node: &Node<'_>) -> Result<Validator, ConfigError> {
    let fields = node.fields(&KEYS, later_key)?;
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
        recoverable: fields.get("recoverableByDefault").map(|node| node.truth()).transpose()?,
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
    if let Some(node) = fields.get("semanticConfig").filter(|_| kind != "semantic") {
        return Err(node.wrong("means something with the type `semantic` only"));
    }
    let look = match (kind, fields.get("check")) {
        ("semantic", None) => semantic(&fields.need("semanticConfig")?)?,
        ("custom", Some(own)) => own_check(&own)?,
        (_, Some(own)) => return Err(own.wrong("means something with the type `custom` only")),
        ("file", None) => {
            let path = fields.get("path").map(|node| inside_the_worktree(&node)).transpose()?;
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
    foreign.map_or(Ok(look), |node| Err(node.wrong("means nothing with this type")))
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
    let kind = node.fields(&["checkType"], |_| None)?.need("checkType")?;
    Ok(match kind.word(&["commit-message", "git-clean"])? {
        "git-clean" => Look::GitClean,
        _ => Look::CommitMessages,
    })
}

fn command(fields: &Fields<'_>) -> Result<Look, ConfigError> {
    let node = fields.need("command")?;
    let run = node.text()?.to_owned();
    let shell = fields.get("shell").map_or(Ok(false), |node| node.truth())?;
    command_line::objection(&run, shell)
        .map_or(Ok(Look::Command { run, shell }), |what| Err(node.wrong(what)))
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
    let one = |(param, node): (&str, Node<'_>)| {
        let name = node.text()?;
        if is_known(name) {
            return Ok((param.to_owned(), name.to_owned()));
        }
        let hint = did_you_mean(suggestion(name, extractors()));
        Err(node.wrong(format!("names `{name}`, which is no extractor{hint}")))
    };
    entries.into_iter().map(one).collect()
}

/// Returns a path that cannot lead out of the worktree by its words.
pub(super) fn inside_the_worktree(node: &Node<'_>) -> Result<String, ConfigError> {
    let path = node.text()?;
    leads_out(path).map_or(Ok(path.to_owned()), |what| Err(node.wrong(what)))
}

/// Says how a path leads out of the worktree.
pub(crate) fn leads_out(path: &str) -> Option<&'static str> {
    match path {
        path if path.starts_with(['/', '~']) => Some("has to be relative to the top of the repository"),
        path if path.split('/').any(|part| part == "..") => Some("leads out of the repository"),
        _ => None,
    }
}
