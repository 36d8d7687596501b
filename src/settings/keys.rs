//! The keys a configuration may hold, typed and described: the source of the JSON Schema and of every look at a layer.
//! Holds no default value but the policy of a phase that names none; the others stand in `defaults.toml`. Doc comments are the descriptions in the published schema; an
//! empty `description` keeps one out of it.

use std::collections::{BTreeMap, BTreeSet};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use model::phase::Step;
use model::policy::{
    Budget, BudgetScopes, CheckSettings, Difficulty, Gate, ModelChoice, PanelReviewer, Policy, StepTime,
    TimeLimits, UnapprovedEnd, command_line,
};

/// Everything that can be set in `.ai-workflow/config.toml`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "ai-workflow configuration")]
pub struct Keys {
    /// The author: `claude[:model]`, `codex[:model]`, `acp:COMMAND`, `command:PATH`, `scripted:FILE`, `auto` or the name of
    /// an `[agents.NAME]`; commas make a fallback chain.
    pub agent: String,
    /// The reviewer, as a list or with commas: a fallback chain. Empty: chosen to fit the author.
    #[schemars(schema_with = "names")]
    pub reviewer: Vec<String>,
    /// Who judges besides the reviewer, in every phase that names no panel and has a reviewer whose word counts. Second
    /// opinions only tighten.
    pub panel: Vec<PanelReviewer>,
    /// The language of deliverables and comments, such as `en` or `ja`. Prompts are English.
    pub language: String,
    /// The branch a run starts from; without it the repository's default branch.
    pub base_branch: Option<String>,
    /// The preset of a run that names none; without it every phase of `order` runs.
    pub preset: Option<String>,
    /// Phases that are left out of every run.
    #[schemars(schema_with = "names")]
    pub skip_phases: Vec<String>,
    /// Where issues live; without it GitHub if the remote is GitHub and a token is there, else local files.
    pub forge: Option<ForgeKind>,
    /// When the branch is pushed; without it `phase` with GitHub in CI, `halt` with GitHub elsewhere, `never` with local files.
    pub push: Option<PushWhen>,
    /// Work in a linked worktree and leave the checkout alone.
    pub worktree: bool,
    /// Exit with 1 where a person would be waited for with 3.
    pub no_wait: bool,
    /// Every call begins a session of its own; without it an author's session is continued where that is worth it.
    pub fresh_sessions: bool,
    /// Assess the difficulty of the issue first, and let it choose the models of agents that are named without one.
    pub auto_model: bool,
    /// The policy whose cycle a phase with a step of the registry follows, by its name under `[policies]`.
    pub step_policy: String,
    /// The phases of a run in their order.
    pub order: Vec<String>,
    /// How long things may take, and how often the run may go back.
    pub limits: LimitKeys,
    /// What a run may spend before it pauses; a missing figure is no limit.
    pub budget: BudgetKeys,
    /// The commands of this project, each a program with its arguments, as one text or as a list; no shell.
    pub commands: CommandKeys,
    /// How reviewers' answers are read.
    pub verdict: VerdictKeys,
    /// The settings of the checks, the same for all phases: the table `[checks]`.
    pub checks: CheckSettings,
    /// How a run behaves on GitHub.
    pub github: GithubKeys,
    /// Agents with settings of their own; `claude` and `codex` are there without them.
    #[serde(default)]
    pub agents: BTreeMap<String, AgentKeys>,
    /// The models that the difficulty chooses.
    #[schemars(schema_with = "models_by_difficulty")]
    pub models: BTreeMap<Difficulty, BTreeMap<String, ModelChoice>>,
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

impl Keys {
    /// Returns the needs of a phase in the order of a list; a need that the list lacks is replaced by its own needs.
    /// So a preset narrows needs to its own phases, and still nothing runs before what it rests on.
    pub(super) fn needs_within<'a>(&self, name: &str, list: &'a [String]) -> Vec<&'a String> {
        let needs = self.needs_up_to(name, list);
        list.iter().filter(|phase| needs.contains(phase)).collect()
    }

    /// Returns the needs of a phase, their needs, and so on, up to those in a list.
    pub(super) fn needs_up_to(&self, name: &str, list: &[String]) -> BTreeSet<&String> {
        let mut open: Vec<&String> = self.phases[name].needs.iter().collect();
        let mut seen = BTreeSet::new();
        while let Some(need) = open.pop() {
            if seen.insert(need) && !list.contains(need) {
                open.extend(&self.phases[need].needs);
            }
        }
        seen
    }
}

/// Splits a text at its commas, such as a fallback chain of agents; empty parts are left out.
pub(super) fn split_at_commas(text: &str) -> Vec<String> {
    text.split(',').map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

/// Where issues live.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ForgeKind {
    // A repository on GitHub.
    #[expect(missing_docs, reason = "it would change the published schema")]
    Github,
    /// Files under `.ai-workflow/local/issues/`.
    Local,
}

/// When the branch is pushed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PushWhen {
    // The branch stays on this machine.
    #[expect(missing_docs, reason = "it would change the published schema")]
    Never,
    /// When the run ends or pauses.
    Halt,
    /// After each phase too.
    Phase,
}

/// How long things may take, and how often the run may go back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = description_last)]
pub struct LimitKeys {
    /// The times of all calls.
    #[serde(flatten)]
    pub time: TimeLimits,
    /// How long a provider that fails is waited for before the run pauses, in seconds.
    pub outage_seconds: u64,
    /// How often the evaluation may send the run back to an earlier phase.
    pub max_cycles: u32,
    /// Limits of single kinds of steps; what is missing is as for all.
    #[serde(default)]
    #[schemars(schema_with = "times_by_step")]
    pub steps: BTreeMap<Step, StepTime>,
}

/// What a run may spend before it pauses; a missing figure is no limit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = description_last, transform = describe_usd)]
pub struct BudgetKeys {
    /// The whole run.
    #[serde(flatten)]
    pub run: Budget,
    /// US dollars when nobody is at the terminal and `usd` is not set.
    pub unattended_usd: f64,
    /// What is narrower and wider than a run.
    #[serde(flatten)]
    pub scopes: BudgetScopes,
}

/// The commands of this project, each a program with its arguments, as one text or as a list; no shell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CommandKeys {
    /// Prepares a fresh worktree.
    #[schemars(default, schema_with = "command_line")]
    pub setup: Option<String>,
    /// Builds the project.
    #[schemars(default, schema_with = "command_line", description = "")]
    pub build: Option<String>,
    /// Runs its tests.
    #[schemars(default, schema_with = "command_line", description = "")]
    pub test: Option<String>,
    /// Runs its linter.
    #[schemars(default, schema_with = "command_line", description = "")]
    pub lint: Option<String>,
    /// Checks its types.
    #[schemars(default, schema_with = "command_line", description = "")]
    pub typecheck: Option<String>,
    /// Says which files are not formatted.
    #[schemars(default, schema_with = "command_line", description = "")]
    pub format: Option<String>,
    /// Runs mutation testing: cargo-mutants, Stryker or mutmut.
    #[schemars(default, schema_with = "command_line")]
    pub mutants: Option<String>,
    /// Looks for commands that are not set: Cargo, npm, pnpm, yarn, pytest, Go, Deno, Make.
    pub detect: bool,
}

impl CommandKeys {
    /// Returns the commands that are set, by id: every key that holds a text.
    pub fn by_id(&self) -> BTreeMap<String, String> {
        let keys = json!(self);
        let texts = keys.as_object().into_iter().flatten();
        texts.filter_map(|(id, line)| Some((id.clone(), line.as_str()?.to_owned()))).collect()
    }
}

/// How reviewers' answers are read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VerdictKeys {
    /// Answers without the right review id are unreadable; without this key only with GitHub and a public repository.
    pub require_review_id: Option<bool>,
}

/// One phase.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PhaseKeys {
    /// The number in front of the folder's name; own phases need none.
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
    /// Its deliverable plans what later phases do: they stay inside the scope that it states, and do not rewrite it.
    #[serde(default)]
    pub plans: bool,
    /// After the phase the run has written tests that belong to it; the check `code_changed` asks for them.
    #[serde(default)]
    pub has_tests: bool,
    /// A failing test is charged to this phase also when the base of the run fails it.
    #[serde(default)]
    pub judges_tests: bool,
    /// This phase is opened again for what reviewers or the server say about the pull request; without one the last that
    /// changes code.
    #[serde(default)]
    pub takes_feedback: bool,
    /// The folder of its prompts below `prompts/`; without it the name of the phase.
    pub prompts: Option<String>,
    /// In place of the policy's limit.
    pub max_revisions: Option<u32>,
    /// In place of the policy's limit.
    pub max_format_redo: Option<u32>,
    /// In place of the policy's ending when a limit is reached.
    pub on_exhausted: Option<UnapprovedEnd>,
    /// The author of this phase; stands even against `--agent`.
    pub agent: Option<String>,
    /// The reviewer of this phase; stands even against `--reviewer`.
    #[schemars(default, schema_with = "names")]
    pub reviewer: Option<Vec<String>>,
    /// Who judges this phase besides the reviewer; an empty list: nobody.
    pub panel: Option<Vec<PanelReviewer>>,
    /// Whether the phase begins by itself: `go`, `ask` a person first, or `no_go`, where the run stops.
    #[serde(default)]
    pub gate: Gate,
    /// Agents of single steps; they stand before `agent` and `reviewer`.
    #[serde(default)]
    #[schemars(schema_with = "agents_by_step")]
    pub agents: BTreeMap<Step, String>,
    /// The JSON Schema of the author's answer: a file below `.ai-workflow/` and a place in it, such as
    /// `schemas/issue.json#/$defs/plan`. Adds the check `answer_format`.
    pub schema: Option<String>,
    /// The form of the author's answer without a schema: `json`, a block that can be parsed. Adds the check
    /// `answer_format`.
    pub answer_format: Option<AnswerFormat>,
    /// A regular expression that has to find something in the author's answer. Adds the check `answer_format`.
    pub answer_pattern: Option<String>,
    /// Checks beyond those of the policy.
    #[serde(default)]
    pub checks: Vec<String>,
    /// The step of `.ai-workflow/steps_registry.json` whose conditions this phase has to meet as well.
    pub step: Option<String>,
}

/// A form of answers by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AnswerFormat {
    // A JSON block that can be parsed.
    #[expect(missing_docs, reason = "it would change the published schema")]
    Json,
}

fn phase_review() -> String {
    "phase-review".to_owned()
}

/// A named list of phases.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PresetKeys {
    /// What it is for, in a few words.
    #[serde(default)]
    pub description: String,
    /// The phases in their order.
    pub phases: Vec<String>,
}

/// An agent with settings of its own.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentKeys {
    /// What the program speaks; without it `command`, for the names `claude` and `codex` their own.
    pub kind: Option<AgentKind>,
    /// The program and its arguments; claude and codex are found by their names without it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub command: Vec<String>,
    /// The model, as the program names it.
    pub model: Option<String>,
    /// Another address of the provider's interface, such as that of a local model.
    pub base_url: Option<String>,
    /// The name of the variable that holds the key; its value is handed to the program and masked everywhere.
    pub api_key_env: Option<String>,
    /// How hard the model should think, in the program's own words.
    pub effort: Option<String>,
    /// How often a call may ask the model.
    pub max_turns: Option<u64>,
    /// Further commands that an author may run without being asked, in the program's own form.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allow: Vec<String>,
    /// Whether the agent can read files by itself; one that cannot gets the earlier documents in its prompt.
    pub reads_files: Option<bool>,
    /// Further variables of its environment.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// Its own wall time per call, in seconds.
    pub step_seconds: Option<u64>,
    /// Its own time without any output, in seconds.
    pub idle_seconds: Option<u64>,
    /// Its own time until the first output, in seconds.
    pub first_output_seconds: Option<u64>,
}

/// What the program of an agent speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AgentKind {
    /// Prompt on standard input, answer on standard output.
    Command,
    /// The program of Claude Code.
    Claude,
    /// The program of Codex.
    Codex,
    /// The Agent Client Protocol on standard input and output.
    Acp,
}

impl AgentKeys {
    /// Returns what the program speaks: as it is said, or else as the name says.
    pub fn kind_of(&self, name: &str) -> AgentKind {
        self.kind.or(AgentKind::built_in(name)).unwrap_or(AgentKind::Command)
    }
}

impl AgentKind {
    /// Returns what an agent speaks that is known by this name.
    pub fn built_in(name: &str) -> Option<Self> {
        match name {
            "claude" => Some(Self::Claude),
            "codex" => Some(Self::Codex),
            _ => None,
        }
    }
}

/// How a run behaves on GitHub.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GithubKeys {
    /// The label that starts a run.
    pub trigger_label: String,
    /// Who may start and steer runs besides those who may write: logins; bots with their whole name, such as
    /// `renovate[bot]`.
    pub allowed_actors: Vec<String>,
    /// Runs that one person may start in 24 hours; what is beyond waits until that time is over.
    pub runs_per_actor: u32,
    /// Whose comments on the issue reach the agents, if written before the run began.
    pub speakers: CommentAuthors,
    /// Title and text of an issue reach the agents only if its author may write.
    pub trusted_text_only: bool,
    /// The labels `ai-workflow:STATE` tell where a run stands.
    pub state_labels: bool,
    /// The pull request leaves its draft when every phase is completed; otherwise `finalize` does it.
    pub mark_ready: bool,
    /// The owners of what changed are asked to review, as CODEOWNERS on the base branch names them.
    pub code_owners: bool,
    /// An evaluation that passes with issues opens one follow-up issue.
    pub follow_up: bool,
    /// How often failed checks of the pull request go back to the author as findings; 0: never.
    pub ci_rounds: u32,
    /// Minutes of a job after which a run pauses before its next phase and starts the job again; without it there is no
    /// limit.
    pub job_minutes: Option<u64>,
}

/// More jobs a day than this are not counted.
const MOST_JOBS: u64 = 300;

impl GithubKeys {
    /// Returns how many jobs can follow each other for one issue in 24 hours: as often as the time of one can be over, and
    /// once for each round of failed checks. What a job hands on does not say truly how long it worked.
    pub fn jobs_a_day(&self) -> usize {
        let over = self.job_minutes.map_or(0, |minutes| 24 * 60 / minutes.max(1));
        let most = over.saturating_add(self.ci_rounds.into()).saturating_add(1).min(MOST_JOBS);
        usize::try_from(most).unwrap_or(usize::MAX)
    }
}

/// Whose comments are heard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CommentAuthors {
    /// Those who may start a run.
    Write,
    /// Everyone but bots that are not named.
    Everyone,
    // No comment reaches the agents.
    #[expect(missing_docs, reason = "it would change the published schema")]
    Nobody,
}

/// Puts the description of a table with flattened parts last, where every other table has it.
fn description_last(schema: &mut Schema) {
    let Some(words) = schema.as_object_mut() else { return };
    if let Some(description) = words.shift_remove("description") {
        words.insert("description".to_owned(), description);
    }
}

/// Says of the dollars of a whole run where they come from besides.
fn describe_usd(schema: &mut Schema) {
    if let Some(description) = schema.pointer_mut("/properties/usd/description") {
        *description = json!("US dollars, as the agents report them or as the price table has them.");
    }
}

/// Returns the schema of names as a list, or in one text with commas between them.
fn names(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "string"}]})
}

/// Returns the schema of the agents of single steps.
fn agents_by_step(generator: &mut SchemaGenerator) -> Schema {
    let steps = [Step::Execute, Step::Revise, Step::Review, Step::Triage];
    table_of(steps.map(Step::as_str), &generator.subschema_for::<String>())
}

/// Returns the schema of the times of single steps.
fn times_by_step(generator: &mut SchemaGenerator) -> Schema {
    let steps = [Step::Execute, Step::Revise, Step::Review, Step::Triage, Step::Answer];
    table_of(steps.map(Step::as_str), &generator.subschema_for::<StepTime>())
}

/// Returns the schema of the models by difficulty.
fn models_by_difficulty(generator: &mut SchemaGenerator) -> Schema {
    let all = [Difficulty::Simple, Difficulty::Moderate, Difficulty::Complex];
    let mut of_agents = generator.subschema_for::<BTreeMap<String, ModelChoice>>();
    of_agents.insert("default".to_owned(), json!({}));
    table_of(all.map(Difficulty::as_str), &of_agents)
}

/// Returns the schema of a table with these keys, each optional and of one schema.
fn table_of(keys: impl IntoIterator<Item = &'static str>, schema: &Schema) -> Schema {
    let properties: Map<String, Value> =
        keys.into_iter().map(|key| (key.to_owned(), schema.clone().to_value())).collect();
    json_schema!({"type": "object", "additionalProperties": false, "properties": properties})
}
