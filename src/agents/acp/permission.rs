//! What an agent may do when it asks for permission: an author what stays in the worktree and the commands of the
//! repository, a reviewer nothing that changes anything. Always once, never for good. What cannot be read is refused.
//! Runs nothing.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use agent_client_protocol::v1::schema::{
    PermissionOption, PermissionOptionKind, RequestPermissionOutcome, SelectedPermissionOutcome,
    ToolCallContent, ToolCallUpdate, ToolCallUpdateFields, ToolKind,
};
use serde::Deserialize;
use serde_json::Value;

use settings::split_words;

use crate::worktree_path::{resolve, resolve_writable};

/// How many tool calls are remembered until the agent asks about them.
const REMEMBERED: usize = 256;
/// How many paths of one tool call are looked at; one with more is refused.
const PATHS: usize = 256;
/// The longest path, command or title of a tool call, in characters.
const LONGEST: usize = 4096;
/// The arguments of a command that name the folder it runs in.
const FOLDERS: [&str; 4] = ["cwd", "workdir", "directory", "dir_path"];

/// Programs that run any command line: of these only the whole line is allowed, as it was configured.
const RUNS_ANYTHING: [&str; 6] = ["sh", "bash", "dash", "zsh", "env", "sudo"];
/// Characters that mean more to a shell than a part of a word, besides those that join commands.
const BEYOND_WORDS: [char; 9] = ['<', '>', '$', '`', '(', ')', '{', '}', '&'];
/// What separates the commands of one line.
const SEPARATORS: [&str; 4] = ["&&", "||", ";", "|"];

/// What is allowed in one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Permissions {
    /// The worktree's real path.
    pub worktree: PathBuf,
    /// The call is a review.
    pub read_only: bool,
    /// The commands that an author may run, each by its first words.
    pub commands: Vec<String>,
}

/// Finds the real path of something in a worktree, where it may be.
type Resolver = fn(&Path, &Path) -> Option<PathBuf>;

/// Why a permission is refused.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum PermissionRefusal {
    #[error("a reviewer changes nothing")]
    Reviewer,
    #[error("`{}` is outside the worktree, or protected", .0.display())]
    Outside(PathBuf),
    #[error("it names no file")]
    NoPath,
    #[error("it names no command")]
    NoCommand,
    #[error("the command is not one of the repository's")]
    Command,
    #[error("tools of this kind are not allowed")]
    Kind,
}

/// What is known of a tool call.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct ToolCall {
    /// The title that it has now.
    pub title: String,
    /// The title that was reported last.
    pub reported_title: String,
    kind: ToolKind,
    paths: Vec<PathBuf>,
    input: Option<Value>,
}

impl Permissions {
    /// Checks whether an agent may use a tool; the error says why not.
    pub(super) fn check(&self, tool: &ToolCall) -> Result<(), PermissionRefusal> {
        match tool.kind {
            ToolKind::Think => Ok(()),
            ToolKind::Edit | ToolKind::Delete | ToolKind::Move | ToolKind::Execute if self.read_only => {
                Err(PermissionRefusal::Reviewer)
            }
            ToolKind::Read | ToolKind::Edit | ToolKind::Delete | ToolKind::Move if tool.paths.is_empty() => {
                Err(PermissionRefusal::NoPath)
            }
            ToolKind::Read | ToolKind::Search => self.check_paths(tool, resolve),
            ToolKind::Edit | ToolKind::Delete | ToolKind::Move => self.check_paths(tool, resolve_writable),
            ToolKind::Execute => self.check_command(tool),
            _ => Err(PermissionRefusal::Kind),
        }
    }

    fn check_command(&self, tool: &ToolCall) -> Result<(), PermissionRefusal> {
        let input = tool.input.as_ref().ok_or(PermissionRefusal::NoCommand)?;
        for folder in FOLDERS.iter().filter_map(|name| input.get(name)).filter(|folder| !folder.is_null()) {
            let folder = PathBuf::from(folder.as_str().unwrap_or("/"));
            resolve(&self.worktree, &folder).ok_or(PermissionRefusal::Outside(folder))?;
        }
        let command = input.get("command").ok_or(PermissionRefusal::NoCommand)?;
        let allowed = match command.as_str() {
            Some(line) => may_run_line(line, &self.commands),
            None => Vec::deserialize(command).is_ok_and(|words| may_run(&words, &self.commands)),
        };
        if allowed { Ok(()) } else { Err(PermissionRefusal::Command) }
    }

    fn check_paths(&self, tool: &ToolCall, resolve: Resolver) -> Result<(), PermissionRefusal> {
        match tool.paths.iter().find(|path| resolve(&self.worktree, path).is_none()) {
            Some(path) => Err(PermissionRefusal::Outside(path.clone())),
            None => Ok(()),
        }
    }
}

/// Returns the answer to a request: what is offered for once, else none of it.
pub(super) fn choose_option(options: &[PermissionOption], allowed: bool) -> RequestPermissionOutcome {
    let of_kind = |kind| options.iter().find(|option| option.kind == kind);
    let refusal = of_kind(PermissionOptionKind::RejectOnce);
    let option = if allowed { of_kind(PermissionOptionKind::AllowOnce).or(refusal) } else { refusal };
    option.map_or(RequestPermissionOutcome::Cancelled, |option| {
        RequestPermissionOutcome::Selected(SelectedPermissionOutcome::new(option.option_id.clone()))
    })
}

impl ToolCall {
    /// Takes over the fields of an update; a path that was once named stays.
    fn update(&mut self, fields: &ToolCallUpdateFields) {
        self.kind = fields.kind.unwrap_or(self.kind);
        if let Some(title) = &fields.title {
            self.title = truncate_text(title);
        }
        let locations = fields.locations.iter().flatten().map(|location| location.path.clone());
        let contents = fields.content.iter().flatten();
        let diffs = contents.filter_map(|content| match content {
            ToolCallContent::Diff(diff) => Some(diff.path.clone()),
            _ => None,
        });
        for path in locations.chain(diffs) {
            self.add_path(path);
        }
        self.input = fields.raw_input.as_ref().map(keep_command_fields).or_else(|| self.input.take());
    }

    /// Remembers a path; when there are too many or one is too long, the root instead, which is never allowed.
    fn add_path(&mut self, path: PathBuf) {
        let path = if path.as_os_str().len() > LONGEST { PathBuf::from("/") } else { path };
        if self.paths.contains(&path) || self.paths.len() > PATHS {
            return;
        }
        self.paths.push(if self.paths.len() == PATHS { PathBuf::from("/") } else { path });
    }
}

/// Keeps of a tool's input the command and the folder it runs in; a field that is too long becomes `false`.
fn keep_command_fields(input: &Value) -> Value {
    let short =
        |value: &Value| if value.to_string().len() > LONGEST { Value::Bool(false) } else { value.clone() };
    let names = FOLDERS.iter().chain(&["command"]);
    names.filter_map(|name| Some(((*name).to_owned(), short(input.get(name)?)))).collect()
}

/// Returns the beginning of a text, at most `LONGEST` characters.
fn truncate_text(text: &str) -> String {
    text.chars().take(LONGEST).collect()
}

/// The tool calls that the agent reported, newest last.
#[derive(Debug, Default)]
pub(super) struct ToolCalls(VecDeque<(String, ToolCall)>);

impl ToolCalls {
    /// Takes over the fields of an update and returns all that is known of its call.
    pub(super) fn update(&mut self, update: &ToolCallUpdate) -> &mut ToolCall {
        let id = truncate_text(&update.tool_call_id.0);
        let at = self.0.iter().position(|(known, _)| *known == id).unwrap_or_else(|| {
            if self.0.len() == REMEMBERED {
                self.0.pop_front();
            }
            self.0.push_back((id, ToolCall::default()));
            self.0.len() - 1
        });
        let tool = &mut self.0[at].1;
        tool.update(&update.fields);
        tool
    }
}

/// Returns what a command of the repository allows: its program, with any arguments.
pub(super) fn allowed_program(command: &str) -> String {
    let words = split_words(command).unwrap_or_default();
    match words.first() {
        Some(program) if !runs_anything(program) && !program.contains(char::is_whitespace) => program.clone(),
        _ => command.to_owned(),
    }
}

/// Tells whether a line, as a shell would read it, is allowed.
fn may_run_line(line: &str, allowed: &[String]) -> bool {
    let line = line.replace(" 2>&1", "");
    let lines = SEPARATORS.iter().fold(line, |lines, separator| lines.replace(separator, "\n"));
    lines.split('\n').all(|command| {
        !command.contains(BEYOND_WORDS) && split_words(command).is_ok_and(|words| may_run(&words, allowed))
    })
}

/// Tells whether a program with its arguments is allowed; `sh -c LINE` is allowed where LINE is.
fn may_run(words: &[String], allowed: &[String]) -> bool {
    let is_allowed = |allowed: &String| {
        split_words(allowed).is_ok_and(|allowed| !allowed.is_empty() && words.starts_with(&allowed))
    };
    if allowed.iter().any(is_allowed) {
        return true;
    }
    match words {
        [shell, option, line] if is_shell(shell) && matches!(option.as_str(), "-c" | "-lc") => {
            may_run_line(line, allowed)
        }
        _ => false,
    }
}

fn runs_anything(program: &str) -> bool {
    RUNS_ANYTHING.contains(&program.rsplit('/').next().unwrap_or(program))
}

fn is_shell(program: &str) -> bool {
    matches!(program.rsplit('/').next(), Some("sh" | "bash" | "dash" | "zsh"))
}

#[cfg(test)]
mod tests;
