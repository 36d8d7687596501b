//! What a phase is for beyond its cycle. Nothing asks for the name of a phase or of a policy, except here for the logs that were
//! written before phases had these properties.

use serde::{Deserialize, Deserializer, Serialize};

use super::{PhaseDef, RevisePrompt};
use crate::phase::PhaseName;

/// What a phase is for, as the configuration says it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PhaseProperties {
    /// Its deliverable plans what later phases do: they stay inside its scope and do not rewrite it.
    pub plans: bool,
    /// After it the run's change holds tests that belong to it.
    pub has_tests: bool,
    /// A failing test is charged to it also when the base of the run fails it.
    pub judges_tests: bool,
    /// It is opened again for what people or a server say about the pull request.
    pub takes_feedback: bool,
    /// The folder of its prompts below `prompts/`; empty only in logs that do not know properties.
    pub prompts: String,
}

impl PhaseProperties {
    /// Returns what phases of this name were for before their properties were written down.
    fn of_name(name: &PhaseName) -> Self {
        let name = name.as_str();
        Self {
            plans: matches!(name, "planning" | "design"),
            has_tests: name == "test_implementation",
            judges_tests: name == "testing",
            takes_feedback: name == "implementation",
            prompts: name.to_owned(),
        }
    }
}

/// Reads the phases of an agreement. One that says nothing of its properties has those that its name and its policy's name had.
pub(super) fn read_phases<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<PhaseDef>, D::Error> {
    let mut phases = Vec::<PhaseDef>::deserialize(deserializer)?;
    for phase in phases.iter_mut().filter(|phase| phase.properties.prompts.is_empty()) {
        phase.properties = PhaseProperties::of_name(&phase.name);
        if phase.policy_name == "quality-gate" {
            phase.policy.revise_prompt = RevisePrompt::OriginalTask;
        }
    }
    Ok(phases)
}

#[cfg(test)]
mod tests;
