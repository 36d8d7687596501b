//! What an agent may do when it asks: an author what stays in the worktree and the commands of the repository, a
//! reviewer nothing that changes anything. Always once, never for good. Doubt is no.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use agent_client_protocol::v1::schema::{
    PermissionOption, PermissionOptionKind, RequestPermissionOutcome, SelectedPermissionOutcome,
    ToolCallContent, ToolCallUpdate, ToolCallUpdateFields, ToolKind,
};
use serde_json::Value;

use super::command::{may_run, may_start};
use super::inside::{changeable, inside};

/// How many tool calls are remembered until the agent asks about them.
const REMEMBERED: usize = 256;
/// How many paths of one tool call are looked at; one with more is refused.
const PATHS: usize = 256;
/// How long a path, a command or the name of a tool call is at most.
const LONGEST: usize = 4096;
/// The arguments of a command that name the folder it runs in.
const FOLDERS: [&str; 4] = ["cwd", "workdir", "directory", "dir_path"];

/// What is allowed in one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Policy {
    /// The worktree's real path.
    pub worktree: PathBuf,
    /// The call is a review.
    pub read_only: bool,
    /// The commands that an author may run, each by its first words.
    pub commands: Vec<String>,
}

/// Says why something is refused.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Refused {
    #[error("a reviewer changes nothing")]
    Reviewer,
    #[error("`{}` is outside the worktree, or nobody's to change", .0.display())]
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
pub(super) struct Tool {
    pub title: String,
    /// The title that was told of.
    pub told: String,
    kind: ToolKind,
    paths: Vec<PathBuf>,
    input: Option<Value>,
}

impl Policy {
    /// Says why an agent may not use a tool; nothing when it may.
    pub(super) fn refuse(&self, tool: &Tool) -> Result<(), Refused> {
        match tool.kind {
            ToolKind::Think => Ok(()),
            ToolKind::Read if tool.paths.is_empty() => Err(Refused::NoPath),
            ToolKind::Read | ToolKind::Search => self.all(tool, inside),
            ToolKind::Edit | ToolKind::Delete | ToolKind::Move => self.change(tool),
            ToolKind::Execute => self.run(tool),
            _ => Err(Refused::Kind),
        }
    }

    fn change(&self, tool: &Tool) -> Result<(), Refused> {
        if self.read_only {
            Err(Refused::Reviewer)
        } else if tool.paths.is_empty() {
            Err(Refused::NoPath)
        } else {
            self.all(tool, changeable)
        }
    }

    fn run(&self, tool: &Tool) -> Result<(), Refused> {
        if self.read_only {
            return Err(Refused::Reviewer);
        }
        let input = tool.input.as_ref().ok_or(Refused::NoCommand)?;
        for folder in FOLDERS.iter().filter_map(|name| input.get(name)).filter(|folder| !folder.is_null()) {
            let folder = PathBuf::from(folder.as_str().unwrap_or("/"));
            inside(&self.worktree, &folder).ok_or(Refused::Outside(folder))?;
        }
        let allowed = match input.get("command").ok_or(Refused::NoCommand)? {
            Value::String(line) => may_run(line, &self.commands),
            Value::Array(words) => {
                let words = words.iter().map(|word| word.as_str().map(str::to_owned));
                words.collect::<Option<Vec<_>>>().is_some_and(|words| may_start(&words, &self.commands))
            }
            _ => false,
        };
        if allowed { Ok(()) } else { Err(Refused::Command) }
    }

    fn all(&self, tool: &Tool, judge: fn(&Path, &Path) -> Option<PathBuf>) -> Result<(), Refused> {
        let wrong = tool.paths.iter().find(|path| judge(&self.worktree, path).is_none());
        wrong.map_or(Ok(()), |path| Err(Refused::Outside(path.clone())))
    }
}

/// Returns the answer to a request: what is offered for once, else none of it.
pub(super) fn choose(options: &[PermissionOption], allowed: bool) -> RequestPermissionOutcome {
    let kind = if allowed { PermissionOptionKind::AllowOnce } else { PermissionOptionKind::RejectOnce };
    let refusal = |option: &&PermissionOption| option.kind == PermissionOptionKind::RejectOnce;
    let chosen = options.iter().find(|option| option.kind == kind).or_else(|| options.iter().find(refusal));
    chosen.map_or(RequestPermissionOutcome::Cancelled, |option| {
        RequestPermissionOutcome::Selected(SelectedPermissionOutcome::new(option.option_id.clone()))
    })
}

impl Tool {
    /// Takes over what an update says; a path that was once named stays.
    fn update(&mut self, fields: &ToolCallUpdateFields) {
        self.kind = fields.kind.unwrap_or(self.kind);
        if let Some(title) = &fields.title {
            self.title = beginning(title);
        }
        let locations = fields.locations.iter().flatten().map(|location| location.path.clone());
        let contents = fields.content.iter().flatten();
        let changed = contents.filter_map(|content| match content {
            ToolCallContent::Diff(diff) => Some(diff.path.clone()),
            _ => None,
        });
        for path in locations.chain(changed) {
            self.name(path);
        }
        self.input = fields.raw_input.as_ref().map(what_is_run).or_else(|| self.input.take());
    }

    /// Remembers a path; of too many, or too long ones, the root instead, which nobody may change.
    fn name(&mut self, path: PathBuf) {
        let path = if path.as_os_str().len() > LONGEST { PathBuf::from("/") } else { path };
        if self.paths.contains(&path) || self.paths.len() > PATHS {
            return;
        }
        self.paths.push(if self.paths.len() == PATHS { PathBuf::from("/") } else { path });
    }
}

/// Keeps of a tool's input what says which command runs where; nothing of what is too long.
fn what_is_run(input: &Value) -> Value {
    let short =
        |value: &Value| if value.to_string().len() > LONGEST { Value::Bool(false) } else { value.clone() };
    let names = FOLDERS.iter().chain(&["command"]);
    names.filter_map(|name| Some(((*name).to_owned(), short(input.get(name)?)))).collect()
}

/// Returns the beginning of a text of any length.
fn beginning(text: &str) -> String {
    text.chars().take(LONGEST).collect()
}

/// The tool calls that the agent told of, newest last.
#[derive(Debug, Default)]
pub(super) struct Tools(VecDeque<(String, Tool)>);

impl Tools {
    /// Takes over what an update says and returns all that is known of its call.
    pub(super) fn update(&mut self, update: &ToolCallUpdate) -> &mut Tool {
        let id = beginning(&update.tool_call_id.0);
        let at = self.0.iter().position(|(known, _)| *known == id).unwrap_or_else(|| {
            if self.0.len() == REMEMBERED {
                self.0.pop_front();
            }
            self.0.push_back((id, Tool::default()));
            self.0.len() - 1
        });
        let tool = &mut self.0[at].1;
        tool.update(&update.fields);
        tool
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn policy(read_only: bool, worktree: &Path) -> Policy {
        Policy { worktree: worktree.to_owned(), read_only, commands: vec!["cargo".into()] }
    }

    /// Asks for one tool call, as an author and as a reviewer.
    fn ask(call: &Value) -> [Result<(), Refused>; 2] {
        let folder = tempfile::tempdir().expect("a folder");
        let worktree = folder.path().canonicalize().expect("it is there");
        let update: ToolCallUpdate = serde_json::from_value(call.clone()).expect("a tool call");
        let mut tools = Tools::default();
        let tool = tools.update(&update);
        [false, true].map(|read_only| policy(read_only, &worktree).refuse(tool))
    }

    fn call(kind: &str, paths: &[&str]) -> Value {
        let locations: Vec<_> = paths.iter().map(|path| json!({"path": path})).collect();
        json!({"toolCallId": "1", "kind": kind, "locations": locations})
    }

    fn run(input: &Value) -> [Result<(), Refused>; 2] {
        ask(&json!({"toolCallId": "1", "kind": "execute", "rawInput": input}))
    }

    #[test]
    fn an_author_changes_what_is_inside_and_a_reviewer_nothing() {
        let outside = || Err(Refused::Outside("/etc/x".into()));
        for kind in ["edit", "delete", "move"] {
            assert_eq!(ask(&call(kind, &["src/a"])), [Ok(()), Err(Refused::Reviewer)], "{kind}");
            assert_eq!(ask(&call(kind, &["src/a", "/etc/x"])), [outside(), Err(Refused::Reviewer)], "{kind}");
            assert_eq!(ask(&call(kind, &[])), [Err(Refused::NoPath), Err(Refused::Reviewer)], "{kind}");
        }
        let git = || Err(Refused::Outside(".git/hooks/x".into()));
        assert_eq!(ask(&call("edit", &[".git/hooks/x"])), [git(), Err(Refused::Reviewer)]);
    }

    #[test]
    fn both_read_what_is_inside() {
        let outside = || Err(Refused::Outside("/etc/x".into()));
        assert_eq!(ask(&call("read", &["src/a"])), [Ok(()), Ok(())]);
        assert_eq!(ask(&call("search", &[])), [Ok(()), Ok(())]);
        assert_eq!(ask(&call("think", &[])), [Ok(()), Ok(())]);
        assert_eq!(ask(&call("read", &[])), [Err(Refused::NoPath), Err(Refused::NoPath)]);
        assert_eq!(ask(&call("read", &["/etc/x"])), [outside(), outside()]);
    }

    #[test]
    fn a_kind_that_is_not_known_is_refused() {
        for kind in ["fetch", "switch_mode", "other", "new"] {
            assert_eq!(ask(&call(kind, &["src/a"])), [Err(Refused::Kind), Err(Refused::Kind)], "{kind}");
        }
    }

    #[test]
    fn a_path_that_only_a_difference_names_counts() {
        let call = json!({"toolCallId": "1", "kind": "edit", "locations": [{"path": "a"}],
            "content": [{"type": "diff", "path": "/etc/x", "newText": ""}]});
        assert_eq!(ask(&call)[0], Err(Refused::Outside("/etc/x".into())));
    }

    #[test]
    fn an_author_runs_the_commands_of_the_repository() {
        let reviewer = || Err(Refused::Reviewer);
        assert_eq!(run(&json!({"command": "cargo test"})), [Ok(()), reviewer()]);
        assert_eq!(run(&json!({"command": ["bash", "-lc", "cargo test"]})), [Ok(()), reviewer()]);
        assert_eq!(run(&json!({"command": "cargo test", "cwd": null}))[0], Ok(()));
        for bad in [
            json!({"command": "rm x"}),
            json!({"command": ["rm"]}),
            json!({"command": [1]}),
            json!({"command": 1}),
        ] {
            assert_eq!(run(&bad), [Err(Refused::Command), reviewer()], "{bad}");
        }
        assert_eq!(run(&json!({"line": "cargo"}))[0], Err(Refused::NoCommand));
        assert_eq!(run(&json!({"command": "cargo test", "cwd": "/"}))[0], Err(Refused::Outside("/".into())));
    }

    #[test]
    fn what_an_earlier_update_said_still_counts() {
        let mut tools = Tools::default();
        let mut told =
            |call: Value| tools.update(&serde_json::from_value(call).expect("a tool call")).clone();
        told(call("edit", &["/etc/x"]));
        let tool = told(json!({"toolCallId": "1", "title": "Edit a", "locations": [{"path": "a"}]}));
        assert_eq!(
            (tool.kind, tool.paths, tool.title),
            (ToolKind::Edit, vec!["/etc/x".into(), "a".into()], "Edit a".to_owned())
        );
    }

    #[test]
    fn only_for_once_is_ever_chosen() {
        let option = |id: &str, kind| PermissionOption::new(id.to_owned(), id, kind);
        let always = [
            option("aa", PermissionOptionKind::AllowAlways),
            option("ra", PermissionOptionKind::RejectAlways),
        ];
        let once =
            [option("a", PermissionOptionKind::AllowOnce), option("r", PermissionOptionKind::RejectOnce)];
        let all = [&always[..], &once[..]].concat();
        let chosen =
            |id: &str| RequestPermissionOutcome::Selected(SelectedPermissionOutcome::new(id.to_owned()));
        assert_eq!((choose(&all, true), choose(&all, false)), (chosen("a"), chosen("r")));
        assert_eq!(choose(&once[1..], true), chosen("r"));
        assert_eq!(choose(&always, true), RequestPermissionOutcome::Cancelled);
        assert_eq!(choose(&always, false), RequestPermissionOutcome::Cancelled);
    }
}
