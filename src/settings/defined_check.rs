//! Checks that a project defines itself: the table `[checks.define.NAME]` becomes the check that is agreed on, or an
//! objection to one of its keys. What holds for every such check, also for those of a registry, stands here as well: when a
//! command counts as passed, and what a check needs to be made. Runs nothing.

use std::collections::BTreeMap;

use regex::Regex;
use serde_json::Value;

use super::command_line::{objection, places};
use super::error::{did_you_mean, suggestion};
use model::policy::{DefinedCheck, Extractor, Look, OwnCheck};

/// A key of the table, empty for the table itself, and what is wrong with it.
type Objection = (&'static str, String);

/// Makes the check of a table.
pub(super) fn defined_check(own: &OwnCheck) -> Result<DefinedCheck, Objection> {
    let look = look(own)?;
    let is_command = matches!(look, Look::Command { .. });
    refuse_what_no_look_uses(own, &look)?;
    for (param, name) in &own.extract {
        if let Some(what) = unknown_extractor(name) {
            return Err(("extract", format!("takes `{param}` from `{name}`, {what}")));
        }
    }
    let success_when = match &own.success_when {
        Some(text) if is_command => text.clone(),
        None if is_command => "exitCode:0".to_owned(),
        _ => String::new(),
    };
    if is_command {
        SuccessWhen::parse(&success_when).map_err(|why| ("success_when", why))?;
    }
    let check = DefinedCheck {
        success_when,
        pattern: own.pattern.clone().unwrap_or_else(|| usual_pattern(&look).to_owned()),
        extract: own.extract.clone(),
        params: own.params.iter().map(|(name, value)| (name.clone(), value.as_str().into())).collect(),
        timeout_seconds: own.timeout_seconds,
        recoverable: own.recoverable,
        look,
    };
    if !is_plain_name(&check.pattern) {
        return Err(("pattern", "has to be a plain name: letters, digits, `-` and `_`".into()));
    }
    require_params(&check).map_err(|what| (if own.run.is_some() { "run" } else { "file" }, what))?;
    Ok(check)
}

/// Tells whether a name can become part of a path and of what people type.
pub(super) fn is_plain_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '-' || c == '_')
}

/// Returns the one thing that a check looks at.
fn look(own: &OwnCheck) -> Result<Look, Objection> {
    let all = [
        own.run.as_ref().map(|run| Look::Command { run: run.clone(), shell: own.shell }),
        own.file.as_ref().map(|path| Look::Files { paths: vec![path.clone()] }),
        if own.git_clean { Some(Look::GitClean) } else { None },
        if own.issue_closed { Some(Look::IssueClosed) } else { None },
        if own.remote_checks { Some(Look::RemoteChecks) } else { None },
        if own.commit_messages { Some(Look::CommitMessages) } else { None },
    ];
    let mut looks = all.into_iter().flatten();
    match (looks.next(), looks.next()) {
        (Some(look), None) => Ok(look),
        _ => Err((
            "",
            "has to have one of `run`, `file`, `git_clean`, `issue_closed`, `remote_checks` and `commit_messages`"
                .into(),
        )),
    }
}

/// Refuses a command or a path that cannot be looked at, and keys that belong to another kind of look.
fn refuse_what_no_look_uses(own: &OwnCheck, look: &Look) -> Result<(), Objection> {
    let is_command = matches!(look, Look::Command { .. });
    match look {
        Look::Command { run, shell } => objection(run, *shell).map_or(Ok(()), |what| Err(("run", what)))?,
        Look::Files { paths } => {
            if let Some(what) = paths.iter().find_map(|path| leads_out(path)) {
                return Err(("file", what.into()));
            }
        }
        Look::GitClean | Look::IssueClosed | Look::RemoteChecks | Look::CommitMessages => {}
    }
    for (key, is_set, is_used) in [
        ("shell", own.shell, is_command),
        ("success_when", own.success_when.is_some(), is_command),
        ("timeout_seconds", own.timeout_seconds.is_some(), is_command),
        ("extract", !own.extract.is_empty(), is_command || *look == Look::GitClean),
    ] {
        if is_set && !is_used {
            return Err((key, "means something with `run` only".into()));
        }
    }
    if own.timeout_seconds == Some(0) {
        return Err(("timeout_seconds", "has to be 1 or more".into()));
    }
    Ok(())
}

fn usual_pattern(look: &Look) -> &'static str {
    match look {
        Look::Command { .. } => "command-failed",
        Look::Files { .. } => "file-not-exists",
        Look::GitClean => "git-dirty",
        Look::IssueClosed => "issue-open",
        Look::RemoteChecks => "remote-checks-failed",
        Look::CommitMessages => "commit-message-vague",
    }
}

/// Says that there is no extractor of this name.
pub(super) fn unknown_extractor(name: &str) -> Option<String> {
    if Extractor::named(name).is_some() {
        return None;
    }
    let hint = did_you_mean(suggestion(name, Extractor::BY_NAME.iter().map(|(name, _)| *name)));
    Some(format!("which is no extractor{hint}"))
}

/// Says how a path leads out of the worktree.
pub(super) fn leads_out(path: &str) -> Option<&'static str> {
    match path {
        path if path.starts_with(['/', '~']) => Some("has to be relative to the top of the repository"),
        path if path.split('/').any(|part| part == "..") => Some("leads out of the repository"),
        _ => None,
    }
}

/// Says what a check lacks to be made: every `${name}` needs a value.
pub(super) fn require_params(check: &DefinedCheck) -> Result<(), String> {
    let texts: &[String] = match &check.look {
        Look::Command { run, .. } => std::slice::from_ref(run),
        Look::Files { paths } if paths.is_empty() => {
            return Err("names no file: it would let everything pass".into());
        }
        Look::Files { paths } => paths,
        Look::CommitMessages => return require_texts_about_commits(&check.params),
        Look::GitClean | Look::IssueClosed | Look::RemoteChecks => &[],
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
fn require_texts_about_commits(params: &BTreeMap<String, Value>) -> Result<(), String> {
    let are_texts = |value: &Value| value.as_array().is_some_and(|all| all.iter().all(Value::is_string));
    if params.get("taskDescription").is_some_and(|task| !task.is_string()) {
        return Err("has a `taskDescription` that is no text".into());
    }
    if params.get("commitMessages").is_some_and(|messages| !are_texts(messages)) {
        return Err("has `commitMessages` that are no list of texts".into());
    }
    Ok(())
}

/// When a command counts as passed: `empty`, `exitCode:N`, `contains:TEXT`, `matches:PATTERN`. What cannot be understood is
/// an error where it is read, and never a success.
#[derive(Debug, Clone)]
pub enum SuccessWhen {
    /// It prints nothing.
    Empty,
    /// It ends with this code.
    Exit(i32),
    /// It prints this text.
    Contains(String),
    /// Something that it prints matches this.
    Matches(Regex),
}

impl SuccessWhen {
    /// Reads a condition, or says why it is none; the name of its key stands before.
    pub fn parse(written: &str) -> Result<Self, String> {
        match written.split_once(':') {
            None if written == "empty" => Ok(Self::Empty),
            Some(("exitCode", code)) => {
                code.trim().parse().map(Self::Exit).map_err(|_| format!("`{code}` is no exit code"))
            }
            Some(("contains", text)) if !text.is_empty() => Ok(Self::Contains(text.to_owned())),
            Some(("matches", pattern)) if !pattern.is_empty() => Regex::new(pattern)
                .map(Self::Matches)
                .map_err(|_| format!("`{pattern}` is no regular expression")),
            _ => Err("has to be `empty`, `exitCode:N`, `contains:TEXT` or `matches:PATTERN`".to_owned()),
        }
    }

    /// Tells whether a command was successful by its output and its exit code. One that did not end by itself has no exit
    /// code and never was; and where nothing printed is the sign, one that failed printed nothing for another reason.
    pub fn judge(&self, stdout: &str, exit: Option<i32>) -> bool {
        let Some(exit) = exit else { return false };
        match self {
            Self::Empty => exit == 0 && stdout.trim().is_empty(),
            Self::Exit(code) => exit == *code,
            Self::Contains(text) => stdout.contains(text.as_str()),
            Self::Matches(pattern) => pattern.is_match(stdout),
        }
    }

    /// Says what is not so of a command that was not successful.
    pub fn missed(&self, exit: Option<i32>) -> String {
        let code = exit.map_or_else(|| "no exit code".to_owned(), |code| format!("exit code {code}"));
        match self {
            Self::Empty if exit == Some(0) => "it printed something".to_owned(),
            Self::Empty | Self::Exit(0) => code,
            Self::Exit(wanted) => format!("{code}, not {wanted}"),
            Self::Contains(text) => format!("it did not print `{text}`"),
            Self::Matches(pattern) => format!("nothing that it printed matches `{}`", pattern.as_str()),
        }
    }
}

#[cfg(test)]
mod tests;
