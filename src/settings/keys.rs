//! The keys a configuration may hold, typed and described: the source of the JSON Schema and of every look at a layer.
//! Holds no default value; those stand in `defaults.toml`.

mod agent;
mod amounts;
mod github;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use model::policy::{CheckSettings, Ending, Gate, Policy, Seat, command_line};

pub use agent::{AgentKeys, AgentKind, ModelKeys, StepAgentKeys};
pub use amounts::{BudgetKeys, LimitKeys, StepLimitKeys};
pub use github::{GithubKeys, Speakers};

/// Everything that can be set in `.ai-workflow/config.toml`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "ai-workflow configuration")]
pub struct Keys {
    /// The author: `claude[:model]`, `codex[:model]`, `acp:COMMAND`, `command:PATH`, `scripted:FILE`, `auto` or the name of
    /// an `[agents.NAME]`; commas make a fallback chain.
    pub agent: String,
    /// The reviewer, as a list or with commas: a fallback chain. Empty: chosen to fit the author.
    pub reviewer: Names,
    /// Who judges besides the reviewer, in every phase that names no panel and has a reviewer whose word counts. Second
    /// opinions only tighten.
    pub panel: Vec<Seat>,
    /// The language of deliverables and comments, such as `en` or `ja`. Prompts are English.
    pub language: String,
    /// The branch a run starts from; without it the repository's default branch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_branch: Option<String>,
    /// The preset of a run that names none; without it every phase of `order` runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preset: Option<String>,
    /// Phases that are left out of every run.
    pub skip_phases: Names,
    /// Where issues live; without it GitHub if the remote is GitHub and a token is there, else local files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forge: Option<ForgeKind>,
    /// When the branch is pushed; without it `phase` with GitHub in CI, `halt` with GitHub elsewhere, `never` with local files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub push: Option<PushWhen>,
    /// Work in a linked worktree and leave the checkout alone.
    pub worktree: bool,
    /// Exit with 1 where a person would be waited for with 3.
    pub no_wait: bool,
    /// Every call begins a session of its own; without it an author's session is continued where that is worth it.
    pub fresh_sessions: bool,
    /// Assess the difficulty of the issue first, and let it choose the models of agents that are named without one.
    pub auto_model: bool,
    /// The phases of a run in their order.
    pub order: Vec<String>,
    pub limits: LimitKeys,
    pub budget: BudgetKeys,
    pub commands: CommandKeys,
    pub verdict: VerdictKeys,
    pub checks: CheckSettings,
    pub github: GithubKeys,
    /// Agents with settings of their own; `claude` and `codex` are there without them.
    #[serde(default)]
    pub agents: BTreeMap<String, AgentKeys>,
    /// The models that the difficulty chooses.
    pub models: ModelKeys,
    /// The model of the same program that reviews when no other program can, by the author's model; `default` for all
    /// others.
    #[serde(default)]
    pub second_models: BTreeMap<String, BTreeMap<String, String>>,
    /// The phases, built in and own.
    pub phases: BTreeMap<String, PhaseKeys>,
    /// The cycles a phase can follow.
    pub policies: BTreeMap<String, Policy>,
    /// Named lists of phases; each runs by itself.
    pub presets: BTreeMap<String, PresetKeys>,
}

/// Names as a list, or in one text with commas between them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Names(pub Vec<String>);

impl schemars::JsonSchema for Names {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Names".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "string"}]
        })
    }
}

/// Where issues live.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ForgeKind {
    Github,
    /// Files under `.ai-workflow/local/issues/`.
    Local,
}

/// When the branch is pushed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PushWhen {
    Never,
    /// When the run ends or pauses.
    Halt,
    /// After each phase too.
    Phase,
}

/// The commands of this project, each a program with its arguments, as one text or as a list; no shell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CommandKeys {
    /// Prepares a fresh worktree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "command_line")]
    pub setup: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "command_line")]
    pub build: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "command_line")]
    pub test: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "command_line")]
    pub lint: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "command_line")]
    pub typecheck: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "command_line")]
    pub format: Option<String>,
    /// Looks for commands that are not set: Cargo, npm, pnpm, yarn, pytest, Go, Deno, Make.
    pub detect: bool,
}

impl CommandKeys {
    /// Returns the commands that are set, by id.
    pub fn by_id(&self) -> BTreeMap<String, String> {
        [
            ("setup", &self.setup),
            ("build", &self.build),
            ("test", &self.test),
            ("lint", &self.lint),
            ("typecheck", &self.typecheck),
            ("format", &self.format),
        ]
        .into_iter()
        .filter_map(|(id, line)| Some((id.to_owned(), line.clone()?)))
        .collect()
    }
}

/// How reviewers' answers are read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VerdictKeys {
    /// Answers without the right review id are unreadable; without this key only with GitHub and a public repository.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub require_review_id: Option<bool>,
}

/// One phase.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PhaseKeys {
    /// The number in front of the folder's name; own phases need none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<u32>,
    /// The file name of the deliverable.
    pub output: String,
    /// The phases that come first; those that are not part of a run are replaced by their own needs.
    #[serde(default)]
    pub needs: Vec<String>,
    /// The cycle, by its name under `[policies]`.
    #[serde(default = "phase_review")]
    pub policy: String,
    /// After the phase the run has changed something outside `.ai-workflow/`; adds the check `code_changed`.
    #[serde(default)]
    pub changes_code: bool,
    /// The phase ends with a decision about the whole run; adds the check `decision`.
    #[serde(default)]
    pub decides: bool,
    /// In place of the policy's limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_revisions: Option<u32>,
    /// In place of the policy's limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_format_redo: Option<u32>,
    /// In place of the policy's ending when a limit is reached.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_exhausted: Option<Ending>,
    /// The author of this phase; stands even against `--agent`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The reviewer of this phase; stands even against `--reviewer`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reviewer: Option<Names>,
    /// Who judges this phase besides the reviewer; an empty list: nobody.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub panel: Option<Vec<Seat>>,
    /// Whether the phase begins by itself: `go`, `ask` a person first, or `no_go`, where the run stops.
    #[serde(default)]
    pub gate: Gate,
    /// Agents of single steps; they stand before `agent` and `reviewer`.
    #[serde(default)]
    pub agents: StepAgentKeys,
    /// The JSON Schema of the author's answer: a file below `.ai-workflow/` and a place in it, such as
    /// `schemas/issue.json#/$defs/plan`. Adds the check `answer_format`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<String>,
    /// The form of the author's answer without a schema: `json`, a block that can be parsed. Adds the check
    /// `answer_format`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer_format: Option<AnswerFormat>,
    /// A regular expression that has to find something in the author's answer. Adds the check `answer_format`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer_pattern: Option<String>,
    /// Checks beyond those of the policy.
    #[serde(default)]
    pub checks: Vec<String>,
    /// The step of `.ai-workflow/steps_registry.json` whose conditions this phase has to meet as well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
}

/// A form of answers by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AnswerFormat {
    Json,
}

fn phase_review() -> String {
    "phase-review".to_owned()
}

/// A named list of phases.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PresetKeys {
    /// What it is for, in a few words.
    #[serde(default)]
    pub description: String,
    /// The phases in their order.
    pub phases: Vec<String>,
}
