//! What can be said about an agent: `[agents.NAME]`, and the agents of single steps.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use model::phase::Step;
use model::policy::{Difficulty, ModelChoice};

/// An agent with settings of its own.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentKeys {
    /// What the program speaks; without it `command`, for the names `claude` and `codex` their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<AgentKind>,
    /// The program and its arguments; claude and codex are found by their names without it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub command: Vec<String>,
    /// The model, as the program names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Another address of the provider's interface, such as that of a local model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
    /// The name of the variable that holds the key; its value is handed to the program and masked everywhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api_key_env: Option<String>,
    /// How hard the model should think, in the program's own words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effort: Option<String>,
    /// How often a call may ask the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_turns: Option<u64>,
    /// Further commands that an author may run without being asked, in the program's own form.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allow: Vec<String>,
    /// Whether the agent can read files by itself; one that cannot gets the earlier documents in its prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reads_files: Option<bool>,
    /// Further variables of its environment.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// Its own wall time per call, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step_seconds: Option<u64>,
    /// Its own time without any output, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idle_seconds: Option<u64>,
    /// Its own time until the first output, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_output_seconds: Option<u64>,
}

/// What the program of an agent speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
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

/// Agents of single steps, each a fallback chain.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StepAgentKeys {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub execute: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revise: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub triage: Option<String>,
}

impl StepAgentKeys {
    /// Returns the chains that are set, by step.
    pub fn by_step(&self) -> impl Iterator<Item = (Step, &str)> {
        let all = [
            (Step::Execute, &self.execute),
            (Step::Revise, &self.revise),
            (Step::Review, &self.review),
            (Step::Triage, &self.triage),
        ];
        all.into_iter().filter_map(|(step, chain)| Some((step, chain.as_deref()?)))
    }
}

/// The models of each difficulty, by the name of the agent and the step.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ModelKeys {
    #[serde(default)]
    pub simple: BTreeMap<String, ModelChoice>,
    #[serde(default)]
    pub moderate: BTreeMap<String, ModelChoice>,
    #[serde(default)]
    pub complex: BTreeMap<String, ModelChoice>,
}

impl ModelKeys {
    /// Returns the models by difficulty.
    pub fn by_difficulty(&self) -> BTreeMap<Difficulty, BTreeMap<String, ModelChoice>> {
        BTreeMap::from([
            (Difficulty::Simple, self.simple.clone()),
            (Difficulty::Moderate, self.moderate.clone()),
            (Difficulty::Complex, self.complex.clone()),
        ])
    }
}
