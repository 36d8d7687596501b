//! Turns a check of the project's own, as written in `[checks.define.NAME]`, into the check that is agreed on; says at
//! which key when that cannot be done.

use super::error::did_you_mean;
use super::registry::command_line::objection;
use super::registry::{complete, leads_out};
use super::suggestion::suggestion;
use content_parser::extract::{SuccessWhen, extractors, is_known};
use model::policy::{DefinedCheck, Look, OwnCheck};

/// A key of the table and what is wrong with it.
type Wrong = (&'static str, String);

/// Makes the check, or says what is wrong with which key.
pub(super) fn defined(own: &OwnCheck) -> Result<DefinedCheck, Wrong> {
    let look = look(own)?;
    for_commands(own, &look)?;
    if let Some((param, name)) = own.extract.iter().find(|(_, name)| !is_known(name)) {
        let hint = did_you_mean(suggestion(name, extractors()));
        return Err(("extract", format!("takes `{param}` from `{name}`, which is no extractor{hint}")));
    }
    let check = DefinedCheck {
        success_when: success_when(own, &look)?,
        pattern: own.pattern.clone().unwrap_or_else(|| usual_pattern(&look).to_owned()),
        extract: own.extract.clone(),
        params: own.params.iter().map(|(name, value)| (name.clone(), value.as_str().into())).collect(),
        timeout_seconds: own.timeout_seconds,
        recoverable: own.recoverable,
        look,
    };
    if !is_plain(&check.pattern) {
        return Err(("pattern", "has to be a plain name: letters, digits, `-` and `_`".into()));
    }
    complete(&check).map_err(|what| (if own.run.is_some() { "run" } else { "file" }, what))?;
    Ok(check)
}

/// Names of checks and patterns become parts of paths and of what people type.
pub(super) fn is_plain(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '-' || c == '_')
}

fn look(own: &OwnCheck) -> Result<Look, Wrong> {
    let file = own.file.as_ref().map(|path| Look::Files { paths: vec![path.clone()] });
    let run = own.run.as_ref().map(|run| Look::Command { run: run.clone(), shell: own.shell });
    let clean = own.git_clean.then_some(Look::GitClean);
    let closed = own.issue_closed.then_some(Look::IssueClosed);
    let remote = own.remote_checks.then_some(Look::RemoteChecks);
    let messages = own.commit_messages.then_some(Look::CommitMessages);
    let mut looks = [run, file, clean, closed, remote, messages].into_iter().flatten();
    match (looks.next(), looks.next()) {
        (Some(look), None) => Ok(look),
        _ => Err((
            "",
            "has to have one of `run`, `file`, `git_clean`, `issue_closed`, `remote_checks` and `commit_messages`".into(),
        )),
    }
}

fn for_commands(own: &OwnCheck, look: &Look) -> Result<(), Wrong> {
    let wrong = match look {
        Look::Command { run, shell } => objection(run, *shell).map(|what| ("run", what)),
        Look::Files { paths } => {
            paths.iter().find_map(|path| leads_out(path)).map(|what| ("file", what.into()))
        }
        Look::GitClean | Look::IssueClosed | Look::RemoteChecks | Look::CommitMessages => None,
    };
    let is_command = matches!(look, Look::Command { .. });
    let prints = is_command || *look == Look::GitClean;
    let alone = [
        ("shell", own.shell, is_command),
        ("success_when", own.success_when.is_some(), is_command),
        ("timeout_seconds", own.timeout_seconds.is_some(), is_command),
        ("extract", !own.extract.is_empty(), prints),
    ];
    let alone = alone.into_iter().find(|(_, is_set, may)| *is_set && !may);
    match wrong.or(alone.map(|(key, ..)| (key, "means something with `run` only".to_owned()))) {
        Some(wrong) => Err(wrong),
        None if own.timeout_seconds == Some(0) => Err(("timeout_seconds", "has to be 1 or more".into())),
        None => Ok(()),
    }
}

fn success_when(own: &OwnCheck, look: &Look) -> Result<String, Wrong> {
    if !matches!(look, Look::Command { .. }) {
        return Ok(String::new());
    }
    let text = own.success_when.clone().unwrap_or_else(|| "exitCode:0".to_owned());
    SuccessWhen::parse(&text).map(|_| text).map_err(|why| ("success_when", why.to_string()))
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
