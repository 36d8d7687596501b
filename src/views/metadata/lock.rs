//! What made the run what it is: the programs behind its agents, their models, and the digests of its prompts.
//! Two runs can be compared by it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use engine::{CalledAgent, Run};

/// What would have to be the same for the same run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Lock {
    /// In the order of their first calls.
    pub agents: Vec<LockedAgent>,
    /// SHA-256 of the templates of the latest prompt, by `phase/step`: prompts themselves differ with every run. Of the
    /// prompt, where nothing else is known.
    pub prompts: BTreeMap<String, String>,
}

/// The program behind an agent, as far as it told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LockedAgent {
    /// The agent spec, such as `claude:opus`.
    pub agent: String,
    pub name: Option<String>,
    pub version: Option<String>,
    pub model: Option<String>,
}

/// Returns the lock of a run.
pub fn lock(run: &Run) -> Lock {
    let prompts = run.phases.iter().flat_map(|phase| {
        phase.calls.prompts.iter().map(|(step, prompt)| {
            let digest = phase.calls.templates.get(step).unwrap_or(prompt);
            (format!("{}/{step}", phase.name()), digest.clone())
        })
    });
    Lock { agents: run.agents.called.iter().map(locked).collect(), prompts: prompts.collect() }
}

fn locked(called: &CalledAgent) -> LockedAgent {
    let program = called.program.clone().unwrap_or_default();
    LockedAgent {
        agent: called.agent.clone(),
        name: Some(program.name).filter(|name| !name.is_empty()),
        version: program.version,
        model: program.model,
    }
}
