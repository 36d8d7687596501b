//! A check that a project defines in its configuration, as it is written there: the table `[checks.define.NAME]`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// A check of the project's own: one of `run`, `file`, `git_clean`, `issue_closed`, `remote_checks` and
/// `commit_messages`, and what belongs to it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OwnCheck {
    /// A program and its arguments, as one text or as a list, run in the worktree without a shell; `${name}` is a value of `params`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "command_line")]
    pub run: Option<String>,
    /// `run` is a line for `sh`.
    #[serde(default)]
    pub shell: bool,
    /// A file that has to be there, relative to the top of the repository.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Nothing lies in the worktree that no commit will take.
    #[serde(default)]
    pub git_clean: bool,
    /// The issue is closed where it lives.
    #[serde(default)]
    pub issue_closed: bool,
    /// The checks of the server passed on the commit that was pushed last; `limits.command_seconds` is waited for them.
    #[serde(default)]
    pub remote_checks: bool,
    /// The messages of the commits that authors made say what was done, and are about the issue.
    #[serde(default)]
    pub commit_messages: bool,
    /// When `run` counts as passed: `empty`, `exitCode:N`, `contains:TEXT`, `matches:PATTERN`; without it `exitCode:0`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub success_when: Option<String>,
    /// The name of its failure, which chooses the retry prompt `prompts/retry/NAME.md`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// What the retry prompt inserts, each with the extractor that reads it out of what `run` printed.
    #[serde(default)]
    pub extract: BTreeMap<String, String>,
    /// Values for `${name}`.
    #[serde(default)]
    pub params: BTreeMap<String, String>,
    /// How long `run` may take; without it `limits.command_seconds`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_seconds: Option<u64>,
    /// Whether an author can repair it; when not, its failure ends the phase.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recoverable: Option<bool>,
}

/// Returns the schema of a command: one text, or a list of at least the program. A list is made one text at load.
pub fn command_line(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({
        "anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}, "minItems": 1}]
    })
}
