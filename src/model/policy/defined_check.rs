//! Checks that a project defines itself: as they are written in its configuration, as they are agreed on, the patterns of
//! their failures, and where the prompts of a pattern stand. Data only: read in `settings`, run in `checks`, told in `views`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A check of the project's own: one of `run`, `file`, `git_clean`, `issue_closed`, `remote_checks` and
/// `commit_messages`, and what belongs to it.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct OwnCheck {
    /// A program and its arguments, as one text or as a list, run in the worktree without a shell; `${name}` is a value of `params`.
    #[schemars(schema_with = "command_line")]
    pub run: Option<String>,
    /// `run` is a line for `sh`.
    pub shell: bool,
    /// A file that has to be there, relative to the top of the repository.
    pub file: Option<String>,
    /// Nothing lies in the worktree that no commit will take.
    pub git_clean: bool,
    /// The issue is closed where it lives.
    pub issue_closed: bool,
    /// The checks of the server passed on the commit that was pushed last; `limits.command_seconds` is waited for them.
    pub remote_checks: bool,
    /// The messages of the commits that authors made say what was done, and are about the issue.
    pub commit_messages: bool,
    /// When `run` counts as passed: `empty`, `exitCode:N`, `contains:TEXT`, `matches:PATTERN`; without it `exitCode:0`.
    pub success_when: Option<String>,
    /// The name of its failure, which chooses the retry prompt `prompts/retry/NAME.md`.
    pub pattern: Option<String>,
    /// What the retry prompt inserts, each with the extractor that reads it out of what `run` printed.
    pub extract: BTreeMap<String, String>,
    /// Values for `${name}`.
    pub params: BTreeMap<String, String>,
    /// How long `run` may take; without it `limits.command_seconds`.
    pub timeout_seconds: Option<u64>,
    /// Whether an author can repair it; when not, its failure ends the phase.
    pub recoverable: Option<bool>,
}

/// Returns the schema of a command: one text, or a list of at least the program. A list is made one text at load.
pub fn command_line(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({
        "anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}, "minItems": 1}]
    })
}

/// A check that a project defines itself.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DefinedCheck {
    /// What it looks at.
    pub look: Look,
    /// When a command counts as passed: `empty`, `exitCode:N`, `contains:TEXT`, `matches:PATTERN`. Empty for what is no
    /// command.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub success_when: String,
    /// The name of its failure, which chooses the retry prompt.
    pub pattern: String,
    /// The parameters of the retry prompt, each with the extractor that reads it out of what the command printed.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub extract: BTreeMap<String, String>,
    /// Values for `${name}` in the command or the path; the retry prompt may insert them, too.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub params: BTreeMap<String, Value>,
    /// How long a command may run; without it as long as every command.
    pub timeout_seconds: Option<u64>,
    /// `false`: the author is not asked to repair it.
    pub recoverable: Option<bool>,
}

/// What a defined check looks at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "the doc of a variant says what its fields are")]
pub enum Look {
    /// A program with its arguments, or with `shell` a line for `sh`.
    Command {
        run: String,
        #[serde(default)]
        shell: bool,
    },
    /// Files that have to be there, relative to the worktree.
    Files { paths: Vec<String> },
    /// Nothing lies in the worktree that no commit will take.
    GitClean,
    /// The issue is closed where it lives.
    IssueClosed,
    /// The checks of the server passed on the commit that was pushed last.
    RemoteChecks,
    /// The messages of the commits that authors made say what was done, and are about the task.
    CommitMessages,
}

/// What can be read out of what a command printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extractor {
    /// The paths that git lists as changed.
    ChangedFiles,
    /// The paths that git does not follow.
    UntrackedFiles,
    /// The paths that git has in its index.
    StagedFiles,
    /// The paths that git has not in its index yet.
    UnstagedFiles,
    /// The tests that failed.
    FailedTests,
    /// What a type checker found.
    TypeErrors,
    /// What a linter found.
    LintErrors,
    /// The files that a formatter would change.
    UnformattedFiles,
    /// A diff.
    Diff,
    /// The files that a formatter or a diff names.
    Files,
    /// The end of standard output.
    Stdout,
    /// The end of standard error.
    Stderr,
}

impl Extractor {
    /// The extractors by the names that registries use.
    pub const BY_NAME: [(&str, Self); 12] = [
        ("parseChangedFiles", Self::ChangedFiles),
        ("parseUntrackedFiles", Self::UntrackedFiles),
        ("parseStagedFiles", Self::StagedFiles),
        ("parseUnstagedFiles", Self::UnstagedFiles),
        ("parseTestOutput", Self::FailedTests),
        ("parseTypeErrors", Self::TypeErrors),
        ("parseLintErrors", Self::LintErrors),
        ("parseFormatOutput", Self::UnformattedFiles),
        ("parseDiff", Self::Diff),
        ("parseFiles", Self::Files),
        ("stdout", Self::Stdout),
        ("stderr", Self::Stderr),
    ];

    /// Returns the extractor of a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::BY_NAME.iter().find(|(known, _)| *known == name).map(|(_, extractor)| *extractor)
    }
}

/// A way to fail, as a registry describes it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pattern {
    /// What fails, for people.
    pub description: String,
    /// The edition of its prompt: part of the file name.
    pub edition: String,
    /// The variant of its prompt: part of the file name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adaptation: Option<String>,
    /// What its prompt inserts.
    #[serde(default)]
    pub params: Vec<String>,
    /// Words by which another failure is recognised as this one; `/…/` is a regular expression.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keywords: Vec<String>,
}

/// Where the retry prompts of a phase stand: `{base}/{c1}/{c2}/{c3}/f_{edition}[_{adaptation}].md`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct C3l {
    /// A folder relative to the top of the repository.
    pub base: String,
    /// The first folder below.
    pub c1: String,
    /// The second folder below.
    pub c2: String,
    /// The third folder below.
    pub c3: String,
}
