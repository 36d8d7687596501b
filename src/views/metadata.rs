//! The view that people, scripts and later phases read: `metadata.json`, computed from the state.
//! Never read back to decide anything. Its digest tells an edited view from an old one.

mod phase;

use std::collections::BTreeMap;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use engine::{CalledAgent, Run, State};
use model::event::RunOutcome;
use model::phase::PhaseName;

pub use phase::{
    AcceptedView, CheckView, DocumentReview, DocumentRound, ExchangeView, FindingView, FixStatus,
    LedgerFindingView, PhaseView, ReviewStatus, RoundStatus, RoundView, StepUsage, TaskView, document_review,
    round_view,
};

/// `metadata.json`. `phases` is an object in the order of the run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Metadata {
    /// Where in the log this view was made.
    pub engine: Engine,
    /// The number of the issue on the forge.
    pub issue_number: u64,
    /// The address of the issue; empty on the local forge.
    pub issue_url: String,
    /// The title as pinned when the run began.
    pub issue_title: String,
    /// The repository on the forge, such as `owner/name`.
    pub repository: String,
    /// The language of deliverables and comments.
    pub language: String,
    /// The version of the program that began the run.
    pub workflow_version: String,
    /// The branch of the run.
    pub branch_name: String,
    /// The branch that the run started from.
    pub base_branch: String,
    /// The commit that the run started from.
    pub base_commit: String,
    /// The number of the pull request, once there is one on a server.
    pub pr_number: Option<u64>,
    /// The address of the pull request, or its path on the local forge.
    pub pr_url: Option<String>,
    /// The phase under way; nothing when the run is over.
    pub current_phase: Option<PhaseName>,
    /// The phase that was begun last; it stays when the run is over.
    #[serde(default)]
    pub last_phase: Option<PhaseName>,
    /// What the run has come to.
    pub outcome: RunOutcome,
    /// A scripted or plain-command agent took part: nothing here was thought by a model.
    pub simulated: bool,
    /// The preset that the run was begun with.
    pub preset: Option<String>,
    /// What is asked while the run waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paused: Option<Pause>,
    /// When the pause ends by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub paused_until: Option<Timestamp>,
    /// By name: [`PhaseView`].
    #[schemars(with = "std::collections::BTreeMap<String, PhaseView>")]
    pub phases: Map<String, Value>,
    /// What the agents have used.
    pub cost_tracking: Cost,
    /// The programs, models and prompts of the run.
    #[serde(default, rename = "lock")]
    pub provenance: Provenance,
    /// Ids of what was posted.
    pub github_integration: Integration,
    /// When the run began.
    #[schemars(with = "String")]
    pub created_at: Timestamp,
    /// When the last fact was recorded.
    #[schemars(with = "String")]
    pub updated_at: Timestamp,
}

/// Where in the log this view was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Engine {
    /// Number of the last fact.
    pub seq: u64,
    /// Chain hash of the last fact.
    pub chain: String,
    /// SHA-256 of this document without this field; a wrong one means edited by hand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
}

/// What is asked while a run waits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Pause {
    /// Why the run waits, as a code.
    pub reason: String,
    /// The phase that waits.
    pub phase: Option<PhaseName>,
    /// The question in words.
    pub question: String,
    /// Who is asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked: Option<String>,
    /// `continue`, `edited`, `accept`, `give_up`.
    pub options: Vec<String>,
    /// What led to the question, one line each.
    pub report: Vec<String>,
}

/// Ids of what was posted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Integration {
    /// The id of the progress comment.
    pub progress_comment_id: Option<u64>,
    /// The address of the progress comment.
    pub progress_comment_url: Option<String>,
    /// The issue with what is left for later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub follow_up_number: Option<u64>,
    /// The address of that issue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub follow_up_url: Option<String>,
}

/// Returns the view of a run, without its digest; nothing when no run has begun.
pub fn metadata(state: &State, chain: &str) -> Option<Metadata> {
    let run = state.run.as_ref()?;
    let started = &run.started;
    let pull_request = run.publication.pull_request.as_ref();
    let follow_up = run.publication.follow_up.as_ref();
    Some(Metadata {
        engine: Engine { seq: state.seq, chain: chain.to_owned(), digest: None },
        issue_number: started.issue.number.get(),
        issue_url: started.issue.url.clone(),
        issue_title: started.issue.title.clone(),
        repository: started.repository.clone(),
        language: started.language.clone(),
        workflow_version: started.version.clone(),
        branch_name: started.branch.clone(),
        base_branch: started.base_branch.clone(),
        base_commit: started.base_commit.clone(),
        pr_number: pull_request.and_then(|(number, _)| *number),
        pr_url: pull_request.map(|(_, url)| url.clone()),
        current_phase: run.current().map(|phase| phase.name().clone()),
        last_phase: run.last_begun().map(|phase| phase.name().clone()),
        outcome: run.outcome,
        simulated: run.simulated,
        preset: started.agreement.preset.clone(),
        paused: pause(run),
        paused_until: run.paused.as_ref().and_then(|escalation| escalation.until),
        phases: run.phases.iter().map(phase::phase_entry).collect(),
        cost_tracking: cost(run),
        provenance: provenance(run),
        github_integration: Integration {
            progress_comment_id: run.publication.progress_comment,
            progress_comment_url: run.progress_comment_url(),
            follow_up_number: follow_up.map(|(number, _)| *number),
            follow_up_url: follow_up.map(|(_, url)| url.clone()),
        },
        created_at: run.created_at,
        updated_at: run.updated_at,
    })
}

/// Returns the published JSON Schema of the view.
pub fn schema() -> Value {
    schemars::schema_for!(Metadata).to_value()
}

fn pause(run: &Run) -> Option<Pause> {
    run.paused.as_ref().map(|escalation| Pause {
        reason: escalation.reason.as_str().to_owned(),
        phase: escalation.phase.clone(),
        question: escalation.question.clone(),
        asked: run.recipient_of_question(),
        options: escalation.options.iter().map(|choice| choice.as_str().to_owned()).collect(),
        report: escalation.report.clone(),
    })
}

/// What the agents have used; interrupted calls count as calls only.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Cost {
    /// Tokens in.
    pub total_input_tokens: u64,
    /// Those of them that were read from a cache.
    #[serde(default)]
    pub total_cached_tokens: u64,
    /// Tokens out.
    pub total_output_tokens: u64,
    /// Turns of the agents.
    #[serde(default)]
    pub total_turns: u64,
    /// What the calls have cost, as far as it is known.
    pub total_cost_usd: f64,
    /// Calls of agents.
    pub agent_calls: u64,
    /// Calls whose price nobody knows: they are not in `total_cost_usd`.
    #[serde(default)]
    pub unpriced_calls: u64,
    /// How long agents were at work.
    pub agent_seconds: f64,
}

#[expect(clippy::cast_precision_loss, reason = "milliseconds of a run are far below 2^52")]
fn cost(run: &Run) -> Cost {
    let spent = &run.spending.total;
    Cost {
        total_input_tokens: spent.input_tokens,
        total_cached_tokens: spent.cached_tokens,
        total_output_tokens: spent.output_tokens,
        total_turns: spent.turns,
        total_cost_usd: spent.cost_usd,
        agent_calls: spent.calls,
        unpriced_calls: spent.unpriced_calls,
        agent_seconds: spent.millis as f64 / 1000.0,
    }
}

/// What made the run what it is, and would have to be the same for the same run. Two runs can be compared by it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Lock")]
pub struct Provenance {
    /// In the order of their first calls.
    pub agents: Vec<AgentProgram>,
    /// SHA-256 of the templates of the latest prompt, by `phase/step`: prompts themselves differ with every run. Of the
    /// prompt, where nothing else is known.
    pub prompts: BTreeMap<String, String>,
}

/// The program behind an agent, as far as it is known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "LockedAgent")]
pub struct AgentProgram {
    /// The agent spec, such as `claude:opus`.
    pub agent: String,
    /// The name of the program.
    pub name: Option<String>,
    /// Its version, as it reports it.
    pub version: Option<String>,
    /// The model that it used.
    pub model: Option<String>,
}

/// Returns the programs, models and prompts of a run.
pub fn provenance(run: &Run) -> Provenance {
    let mut prompts = BTreeMap::new();
    for phase in &run.phases {
        for (step, digest) in &phase.calls.prompts {
            prompts.insert(format!("{}/{step}", phase.name()), digest.clone());
        }
    }
    Provenance { agents: run.agents.called.iter().map(agent_program).collect(), prompts }
}

fn agent_program(called: &CalledAgent) -> AgentProgram {
    let program = called.program.clone().unwrap_or_default();
    AgentProgram {
        agent: called.agent.clone(),
        name: if program.name.is_empty() { None } else { Some(program.name) },
        version: program.version,
        model: program.model,
    }
}
