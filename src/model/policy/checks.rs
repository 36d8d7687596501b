//! What the checks of a run are told: lists, limits and switches, as agreed before it began; the criteria of the quality gate
//! (Q1 …) and of the goal drift guard (GD1 …), each with the check that it is here; and the checks that a project defines
//! itself, with the patterns of their failures. Data only: read in `settings`, run in `checks`, told in `views`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The settings of the checks, the same for all phases: the table `[checks]`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CheckSettings {
    /// Checks that every phase runs.
    pub every_phase: Vec<String>,
    /// Checks that every phase that changes code runs as well.
    pub code_phases: Vec<String>,
    /// Checks that every other phase runs as well.
    pub document_phases: Vec<String>,
    /// Further checks of every phase that changes code, by name or criterion (`Q10`).
    pub enabled: Vec<String>,
    /// Checks that are left out wherever they stand.
    pub disabled: Vec<String>,
    /// Paths and folders that no agent may change, beside those of `protected_by_default`. `*` stands for any characters
    /// and `**/` for any number of folders, so `**/NAME` is at any depth. Small and capital letters are the same here.
    pub protected: Vec<String>,
    /// Paths that nobody changes by accident: CI, code owners, instructions and settings of agents, our own.
    pub protected_by_default: Vec<String>,
    /// Exceptions from both, from `tampering`, from `snapshots` and from `secrets` by shape; letters count as written.
    pub allowed: Vec<String>,
    /// Paths whose change is told to people and reviewers and nothing else: manifests and lock files.
    pub noted: Vec<String>,
    /// The template whose evaluators run, such as `goal_drift_guard`; none when empty.
    pub template: String,
    /// Counts phrases to the letter: in quotations, inside words, and declarations of completion even when they are true.
    /// Both of the following at once.
    pub strict: bool,
    /// Early termination (Q6) counts declarations of completion even when they are true.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub early_termination_strict: bool,
    /// The template's evaluators count phrases to the letter: in quotations and inside words, too.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub template_strict: bool,
    /// Further texts that stand for something left out, as written.
    pub omission_patterns: Vec<String>,
    /// Further texts that end the work early, as written.
    pub early_termination_patterns: Vec<String>,
    /// The most files that one phase may change.
    pub max_files: u64,
    /// The most that one phase may add, in kilobytes of 1024 bytes.
    pub max_kilobytes: u64,
    /// How long the runs of the tests that are compared with those of now may take, in minutes a round of checks; 0 sets no limit.
    /// What is not run then, or not at its end, is unavailable.
    pub evidence_minutes: u64,
    /// The plan has to say which paths may change; without this a plan that says nothing allows all.
    pub scope_required: bool,
    /// Files whose tasks (`- [ ]`) the check `task_list` wants to see ticked; the plans of the run when empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub task_lists: Vec<String>,
    /// Checks of the project's own, by name; a phase runs one when a list of checks names it.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub define: BTreeMap<String, OwnCheck>,
}

impl CheckSettings {
    /// Tells whether a declaration of completion counts although it is true.
    pub fn counts_every_declaration(&self) -> bool {
        self.strict || self.early_termination_strict
    }

    /// Tells whether the template counts its phrases to the letter.
    pub fn counts_every_phrase(&self) -> bool {
        self.strict || self.template_strict
    }
}

/// Returns the criteria, each with the check that it is.
pub fn criteria() -> impl Iterator<Item = (&'static str, &'static str)> {
    criterion_rows().map(|[criterion, check, ..]| (criterion, check))
}

/// Returns criteria, their checks, the types that failures of these have in the older review loop, and the criteria of the
/// quality gate as which they are reported. Those of the goal drift guard count as their nearest one.
fn criterion_rows() -> impl Iterator<Item = [&'static str; 4]> {
    let columns = |line: &'static str| line.split_whitespace().collect::<Vec<_>>().try_into();
    include_str!("criteria.txt").lines().map(move |line| columns(line).expect("a line has four words"))
}

/// Returns the criterion of the quality gate as which a criterion is reported: `Q2` for `GD1`, and `Q1` for itself.
pub fn quality_criterion(criterion: &str) -> Option<&'static str> {
    criterion_rows().find(|[known, ..]| *known == criterion).map(|[.., quality]| quality)
}

/// Returns the id of the check that a name or a criterion stands for; what is no criterion is a name.
pub fn check_id(name: &str) -> &str {
    criteria().find(|(criterion, _)| criterion.eq_ignore_ascii_case(name)).map_or(name, |(_, id)| id)
}

/// Returns the criterion that a check is.
pub fn criterion(id: &str) -> Option<&'static str> {
    criteria().find(|(_, check)| *check == id).map(|(criterion, _)| criterion)
}

/// Returns the type of issue that a failure of a check is in the older review loop.
pub fn finding_type(id: &str) -> &'static str {
    criterion_rows().find(|[_, check, ..]| *check == id).map_or("incomplete", |[_, _, kind, _]| kind)
}

/// A check of the project's own: one of `run`, `file`, `git_clean`, `issue_closed`, `remote_checks` and
/// `commit_messages`, and what belongs to it.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
    pub look: CheckKind,
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
pub enum CheckKind {
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

/// What can be read out of what a command printed, by the names that registries use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::EnumString, strum::VariantNames)]
pub enum Extractor {
    /// The paths that git lists as changed.
    #[strum(serialize = "parseChangedFiles")]
    ChangedFiles,
    /// The paths that git does not follow.
    #[strum(serialize = "parseUntrackedFiles")]
    UntrackedFiles,
    /// The paths that git has in its index.
    #[strum(serialize = "parseStagedFiles")]
    StagedFiles,
    /// The paths that git has not in its index yet.
    #[strum(serialize = "parseUnstagedFiles")]
    UnstagedFiles,
    /// The tests that failed.
    #[strum(serialize = "parseTestOutput")]
    FailedTests,
    /// What a type checker found.
    #[strum(serialize = "parseTypeErrors")]
    TypeErrors,
    /// What a linter found.
    #[strum(serialize = "parseLintErrors")]
    LintErrors,
    /// The files that a formatter would change.
    #[strum(serialize = "parseFormatOutput")]
    UnformattedFiles,
    /// A diff.
    #[strum(serialize = "parseDiff")]
    Diff,
    /// The files that a formatter or a diff names.
    #[strum(serialize = "parseFiles")]
    Files,
    /// The end of standard output.
    #[strum(serialize = "stdout")]
    Stdout,
    /// The end of standard error.
    #[strum(serialize = "stderr")]
    Stderr,
}

impl Extractor {
    /// The names that registries use.
    pub const NAMES: &[&str] = <Self as strum::VariantNames>::VARIANTS;
}

/// A way to fail, as a registry describes it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailurePattern {
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
pub struct RetryPromptPath {
    /// A folder relative to the top of the repository.
    pub base: String,
    /// The first folder below.
    pub c1: String,
    /// The second folder below.
    pub c2: String,
    /// The third folder below.
    pub c3: String,
}
