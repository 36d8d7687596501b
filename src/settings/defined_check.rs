//! Checks that a project defines itself: the table `[checks.define.NAME]` becomes the check that is agreed on, or an
//! objection to one of its keys. What holds for every such check, also for those of a registry, is here as well: when a
//! command counts as passed, and what a check needs to be made. Runs nothing.

use std::collections::BTreeMap;

use regex::Regex;
use serde_json::Value;

use super::command_line::{find_objection, places};
use super::error::{did_you_mean, suggestion};
use model::policy::{CheckKind, DefinedCheck, Extractor, OwnCheck};

/// A key of the table, empty for the table itself, and what is wrong with it.
type KeyError = (&'static str, String);

/// Makes the check of a table.
pub(super) fn defined_check(own: &OwnCheck) -> Result<DefinedCheck, KeyError> {
    let look = select_kind(own)?;
    let is_command = matches!(look, CheckKind::Command { .. });
    refuse_what_no_look_uses(own, &look)?;
    for (param, name) in &own.extract {
        let wrong = |what| ("extract", format!("takes `{param}` from `{name}`, {what}"));
        refuse_unknown_extractor(name).map_err(wrong)?;
    }
    let mut success_when = String::new();
    if is_command {
        success_when = own.success_when.clone().unwrap_or_else(|| "exitCode:0".to_owned());
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
fn select_kind(own: &OwnCheck) -> Result<CheckKind, KeyError> {
    let all = [
        own.run.as_ref().map(|run| CheckKind::Command { run: run.clone(), shell: own.shell }),
        own.file.as_ref().map(|path| CheckKind::Files { paths: vec![path.clone()] }),
        if own.git_clean { Some(CheckKind::GitClean) } else { None },
        if own.issue_closed { Some(CheckKind::IssueClosed) } else { None },
        if own.remote_checks { Some(CheckKind::RemoteChecks) } else { None },
        if own.commit_messages { Some(CheckKind::CommitMessages) } else { None },
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
fn refuse_what_no_look_uses(own: &OwnCheck, look: &CheckKind) -> Result<(), KeyError> {
    let is_command = matches!(look, CheckKind::Command { .. });
    match look {
        CheckKind::Command { run, shell } => {
            find_objection(run, *shell).map_or(Ok(()), |what| Err(("run", what)))?;
        }
        CheckKind::Files { paths } => {
            let inside = paths.iter().try_for_each(|path| refuse_leading_out(path));
            inside.map_err(|what| ("file", what.into()))?;
        }
        CheckKind::GitClean
        | CheckKind::IssueClosed
        | CheckKind::RemoteChecks
        | CheckKind::CommitMessages => {}
    }
    for (key, is_set, is_used) in [
        ("shell", own.shell, is_command),
        ("success_when", own.success_when.is_some(), is_command),
        ("timeout_seconds", own.timeout_seconds.is_some(), is_command),
        ("extract", !own.extract.is_empty(), is_command || *look == CheckKind::GitClean),
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

fn usual_pattern(look: &CheckKind) -> &'static str {
    match look {
        CheckKind::Command { .. } => "command-failed",
        CheckKind::Files { .. } => "file-not-exists",
        CheckKind::GitClean => "git-dirty",
        CheckKind::IssueClosed => "issue-open",
        CheckKind::RemoteChecks => "remote-checks-failed",
        CheckKind::CommitMessages => "commit-message-vague",
    }
}

/// Refuses a name that no extractor has.
pub(super) fn refuse_unknown_extractor(name: &str) -> Result<(), String> {
    if name.parse::<Extractor>().is_ok() {
        return Ok(());
    }
    let hint = did_you_mean(suggestion(name, Extractor::NAMES.iter().copied()));
    Err(format!("which is no extractor{hint}"))
}

/// Refuses a path that leads out of the worktree.
pub(super) fn refuse_leading_out(path: &str) -> Result<(), &'static str> {
    match path {
        path if path.starts_with(['/', '~']) => Err("has to be relative to the top of the repository"),
        path if path.split('/').any(|part| part == "..") => Err("leads out of the repository"),
        _ => Ok(()),
    }
}

/// Says what a check lacks to be made: every `${name}` needs a value.
pub(super) fn require_params(check: &DefinedCheck) -> Result<(), String> {
    let texts: &[String] = match &check.look {
        CheckKind::Command { run, .. } => std::slice::from_ref(run),
        CheckKind::Files { paths } if paths.is_empty() => {
            return Err("names no file: it would let everything pass".into());
        }
        CheckKind::Files { paths } => paths,
        CheckKind::CommitMessages => return require_texts_about_commits(&check.params),
        CheckKind::GitClean | CheckKind::IssueClosed | CheckKind::RemoteChecks => &[],
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
