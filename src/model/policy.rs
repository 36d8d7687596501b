//! What was agreed before the run began: phases, the policy of each phase's cycle, limits, budget and models.
//! Pinned in the first fact, so that a later edit of the configuration cannot rewrite the past.
//! The five policies are values of [`Policy`]; the engine does not know the name of a policy.

mod checks;
mod phase_properties;
mod review_rule;

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::phase::{PhaseName, Step};

pub use checks::{
    CheckKind, CheckSettings, DefinedCheck, Extractor, FailurePattern, OwnCheck, RetryPromptPath, check_id,
    command_line, criteria, criterion, finding_type, quality_criterion,
};
pub use phase_properties::PhaseProperties;
pub use review_rule::{GradeMap, PanelReviewer, ReviewRule, TaskRule, VERIFICATION_FAILED};

/// Everything a run was started with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Agreement {
    /// The phases of this run in their order.
    #[serde(deserialize_with = "phase_properties::read_phases")]
    pub phases: Vec<PhaseDef>,
    /// The preset that chose the phases.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preset: Option<String>,
    /// What the run may spend.
    pub budget: Budget,
    /// What a call, a phase and a day may spend.
    #[serde(default)]
    pub budget_scopes: BudgetScopes,
    /// How often the evaluation may send the run back to an earlier phase.
    pub max_cycles: u32,
    /// Commands that checks run, by id (`build`, `test`, …): the program and its arguments.
    #[serde(default)]
    pub commands: BTreeMap<String, String>,
    /// Those of the commands that nobody set: what they fail at the base is not charged.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub detected_commands: BTreeSet<String>,
    /// How long a call or command may take.
    pub time: TimeLimits,
    /// Paths that no agent may change; in logs of before `check_settings`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub protected: Vec<String>,
    /// What the checks are given.
    #[serde(default)]
    pub check_settings: CheckSettings,
    /// The checks that the project defines itself, by id.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub defined: BTreeMap<String, DefinedCheck>,
    /// The ways to fail that the project's registry describes, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub patterns: BTreeMap<String, FailurePattern>,
    /// Answers without the right review id are unreadable.
    #[serde(default)]
    pub require_review_id: bool,
    /// Every call begins a session of its own.
    #[serde(default)]
    pub fresh_sessions: bool,
    /// The models of each difficulty, by the name of the agent: for agents that are named without a model.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub models: BTreeMap<Difficulty, BTreeMap<String, ModelChoice>>,
}

/// One phase as agreed.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PhaseDef {
    /// Its name.
    pub name: PhaseName,
    /// The folder under `.ai-workflow/issue-N/`, such as `00_planning`.
    pub folder: String,
    /// The file name of the deliverable in `output/`.
    pub output: String,
    /// The phases that have to be completed before it.
    #[serde(default)]
    pub needs: Vec<PhaseName>,
    /// The phase has to change something outside `.ai-workflow/`.
    #[serde(default)]
    pub changes_code: bool,
    /// The phase ends with a decision about the whole run.
    #[serde(default)]
    pub decides: bool,
    /// What else it is for.
    #[serde(default)]
    pub properties: PhaseProperties,
    /// The name of its policy, for people.
    pub policy_name: String,
    /// The policy of its cycle.
    pub policy: Policy,
    /// The fallback chain of the author, at least one.
    pub agents: Vec<String>,
    /// The fallback chain of the reviewer, at least one.
    pub reviewers: Vec<String>,
    /// Who judges the work besides the reviewer; their opinions only tighten.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub panel: Vec<PanelReviewer>,
    /// The author's chain is named for this phase alone, and stands against what is asked for later.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub own_agents: bool,
    /// The same for the reviewer's chain.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub own_reviewers: bool,
    /// Chains of single steps, in place of the author's or the reviewer's.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub step_agents: BTreeMap<Step, Vec<String>>,
    /// Whether it begins by itself.
    #[serde(default)]
    pub gate: Gate,
    /// Where the prompts for its failed checks stand, when a step of a registry is attached to it.
    pub c3l: Option<RetryPromptPath>,
    /// The JSON Schema of the author's answer, without references; its form is up to the author when missing.
    pub output_schema: Option<Value>,
    /// The form of the author's answer where no schema holds it.
    pub answer_form: Option<AnswerForm>,
}

impl PhaseDef {
    /// Tells whether the engine keeps the answers of its reviewer and of its triage as documents: then it has no author and no
    /// deliverable of its own.
    pub fn stores_review_documents(&self) -> bool {
        self.policy.triage
    }
}

/// A form of an answer that is less than a schema.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerForm {
    /// It has a JSON block that can be parsed.
    Json,
    /// This regular expression finds something in it.
    Pattern(String),
}

/// Whether a phase begins by itself once its needs are met.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "docs would become descriptions in the published schema")]
pub enum Gate {
    #[default]
    Go,
    /// A person is asked first.
    Ask,
    /// The run stops before it.
    NoGo,
}

/// The configuration of a phase's cycle.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "docs would become descriptions in the published schema")]
pub struct Policy {
    /// The step a fresh phase begins with.
    #[serde(default)]
    pub entry: FirstStep,
    #[serde(default)]
    pub check_when: CheckWhen,
    #[serde(default)]
    pub check_mode: CheckMode,
    /// The checks in their order.
    #[serde(default)]
    pub checks: Vec<CheckRule>,
    /// Those of the checks that have to be judged: what no command judges, or what cannot be told from the base, does not pass.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub required: Vec<String>,
    /// Words of the reviewer and what they mean; no review when missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<ReviewRule>,
    /// An agent judges each finding and edits the documents; the verdict comes from its table.
    #[serde(default)]
    pub triage: bool,
    /// An agent judges the quality criteria once the checks have passed: the review of this policy, with words of its own.
    #[serde(default)]
    pub llm_judge: bool,
    /// What an author that ended partially leads to.
    #[serde(default)]
    pub partial: OnPartial,
    /// Whether an open question waits until the required fixes are done.
    #[serde(default)]
    pub discuss: DiscussWhen,
    /// What the prompt of a revision is made of.
    #[serde(default)]
    pub revise_prompt: RevisePrompt,
    /// The limits and lists of `.claude/review-loop.json` are those of this policy.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub review_loop: bool,
    pub limits: PolicyLimits,
    pub outcomes: UnapprovedEnds,
    /// End the loop before its limit when it stands still.
    #[serde(default)]
    pub stop_on_stall: bool,
}

/// The step a phase begins with.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Entry")]
#[allow(missing_docs, reason = "docs would become descriptions in the published schema")]
pub enum FirstStep {
    #[default]
    Execute,
    /// The documents exist already: the phase begins by reviewing them.
    Review,
}

/// When the checks run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "docs would become descriptions in the published schema")]
pub enum CheckWhen {
    #[default]
    EveryPass,
    /// An author that says it is not finished is sent on without checks.
    OnDeclaration,
}

/// Whether all checks are looked at, or only up to the first failure.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "docs would become descriptions in the published schema")]
pub enum CheckMode {
    #[default]
    All,
    FirstFailure,
}

/// What a partial outcome of the author leads to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OnPartial {
    /// The checks decide.
    #[default]
    Checks,
    /// With a failed check the step is redone.
    Redo,
}

/// When an open question stops the loop.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "docs would become descriptions in the published schema")]
pub enum DiscussWhen {
    #[default]
    AfterFixes,
    AtOnce,
}

/// What the prompt of a revision is made of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "docs would become descriptions in the published schema")]
pub enum RevisePrompt {
    #[default]
    Feedback,
    /// The task comes again under the mandatory rules, with the problems before it.
    OriginalTask,
}

/// One check and what its results mean in this policy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "docs would become descriptions in the published schema")]
pub struct CheckRule {
    pub id: String,
    #[serde(default)]
    pub on_fail: OnFail,
    #[serde(default)]
    pub on_unavailable: OnUnavailable,
}

/// What a failed check leads to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "docs would become descriptions in the published schema")]
pub enum OnFail {
    #[default]
    Revise,
    /// The phase is blocked.
    Stop,
    /// The author's step is redone unchanged.
    Redo,
    /// The author is asked for the right form only; has its own small budget, then counts as `revise`.
    Format,
    /// The author is sent back to finish what is left; has its own budget, then the phase fails.
    Continue,
    /// It is reported and nothing else.
    Note,
}

/// What a check that could not run leads to: never a pass.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "docs would become descriptions in the published schema")]
pub enum OnUnavailable {
    #[default]
    Block,
    Note,
}

/// How often each thing may happen in a phase.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PolicyLimits {
    /// Every execute and revise started, redone ones too.
    pub max_passes: Option<u32>,
    /// Revisions carried out; in a policy with triage: rounds.
    pub max_revisions: u32,
    /// Redos in a row of a step that broke.
    #[serde(default = "two")]
    pub max_redo: u32,
    /// Redos for the form of the answer alone.
    #[serde(default = "two")]
    pub max_format_redo: u32,
    /// Revisions in which nothing but unfinished tasks is open. They count for nothing else; after them the phase fails.
    #[serde(default = "seven")]
    pub max_continuations: u32,
    /// How often a reviewer is asked again because its answer could not be read.
    #[serde(default = "one")]
    pub max_unreadable: u32,
    /// How often the author is given a task that stays open before the next agent of its chain gets the revision; nobody
    /// else does when missing.
    pub max_tries: Option<u32>,
    /// Pause before a redo in milliseconds; doubled by each redo in a row, 30 s at most.
    #[serde(default = "second")]
    pub backoff_ms: u64,
}

fn one() -> u32 {
    1
}

fn two() -> u32 {
    2
}

fn seven() -> u32 {
    7
}

fn second() -> u64 {
    1000
}

/// How a phase ends when it cannot go on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "docs would become descriptions in the published schema")]
pub struct UnapprovedEnds {
    /// A limit is reached.
    pub exhausted: UnapprovedEnd,
    #[serde(default)]
    pub blocked: UnapprovedEnd,
    #[serde(default)]
    pub discuss: UnapprovedEnd,
    /// The reviewer's answer stayed unreadable.
    #[serde(default)]
    pub unreadable: OnUnreadable,
    /// The reviewer stayed silent.
    #[serde(default)]
    pub no_answer: UnapprovedEnd,
    /// The author's agents all broke.
    #[serde(default = "fail")]
    pub agent_failed: UnapprovedEnd,
    #[serde(default)]
    pub stalled: UnapprovedEnd,
}

fn fail() -> UnapprovedEnd {
    UnapprovedEnd::Fail
}

/// The three ways to end without approval.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum UnapprovedEnd {
    /// Over: later phases are skipped, exit 1.
    Fail,
    /// A person is asked, exit 3.
    #[default]
    Pause,
    /// Over: the work is kept and not approved, exit 1.
    Incomplete,
}

/// What text that stayed unreadable leads to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "docs would become descriptions in the published schema")]
pub enum OnUnreadable {
    /// The author gets the raw text as feedback; uses a revision.
    #[default]
    Revise,
    Pause,
    Fail,
}

/// What a run may spend before it pauses; a missing figure is no limit.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Budget {
    /// US dollars, as the agents report them.
    pub usd: Option<f64>,
    /// Input plus output tokens.
    pub tokens: Option<u64>,
    /// Agent calls.
    pub calls: Option<u64>,
    /// Minutes of agents at work.
    pub minutes: Option<u64>,
    /// Turns of models, as the agents report them.
    pub turns: Option<u64>,
}

/// Limits narrower and wider than the run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[allow(missing_docs, reason = "docs would become descriptions in the published schema")]
pub struct BudgetScopes {
    /// Each agent call.
    // What a program cannot be told is looked at after the call. Its `calls` would mean nothing.
    pub step: Budget,
    /// Each phase.
    pub phase: Budget,
    /// Every run of this repository on one day, in UTC.
    pub day: Budget,
}

/// How long one agent call or command may take, in seconds.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "docs would become descriptions in the published schema")]
pub struct TimeLimits {
    /// Wall time of an agent call, in seconds.
    pub step_seconds: u64,
    /// Time without any output of an agent call, in seconds.
    pub idle_seconds: u64,
    /// Time until the first output of an agent call, in seconds; without it `idle_seconds`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_output_seconds: Option<u64>,
    /// Wall time of a command that a check runs, in seconds.
    pub command_seconds: u64,
    /// Limits of single kinds of steps.
    // The configuration has its own table for these.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(skip)]
    pub by_step: BTreeMap<Step, StepTime>,
}

/// Limits of one kind of step, in seconds; what is missing is as for all.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "docs would become descriptions in the published schema")]
pub struct StepTime {
    pub step_seconds: Option<u64>,
    pub idle_seconds: Option<u64>,
    pub first_output_seconds: Option<u64>,
}

impl TimeLimits {
    /// Returns wall time, idle time and time until the first output of a call of this kind, in seconds.
    pub fn for_step(&self, step: Step) -> (u64, u64, u64) {
        let own = self.by_step.get(&step).cloned().unwrap_or_default();
        let wall = own.step_seconds.unwrap_or(self.step_seconds);
        let idle = own.idle_seconds.unwrap_or(self.idle_seconds);
        let first = own.first_output_seconds.or(self.first_output_seconds).unwrap_or(idle);
        (wall, idle, first)
    }
}

/// How hard an issue is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[derive(strum::EnumString, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
#[allow(missing_docs, reason = "docs would become descriptions in the published schema")]
pub enum Difficulty {
    Simple,
    Moderate,
    Complex,
}

impl Difficulty {
    /// Returns the word used in records.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// The model of an agent for each kind of step; where none is named the agent's own counts.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "docs would become descriptions in the published schema")]
pub struct ModelChoice {
    pub execute: Option<String>,
    pub revise: Option<String>,
    pub review: Option<String>,
    pub triage: Option<String>,
}

impl ModelChoice {
    /// Returns the model for a step.
    pub fn for_step(&self, step: Step) -> Option<&str> {
        match step {
            Step::Execute | Step::Check | Step::Answer => self.execute.as_deref(),
            Step::Revise => self.revise.as_deref(),
            Step::Review => self.review.as_deref(),
            Step::Triage => self.triage.as_deref(),
        }
    }
}
