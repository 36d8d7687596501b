//! Registries of steps, review loops and checks of a project's own: what may stand in them, what comes of it, and
//! whole runs that are held to them.

mod loading;
mod review_loop;
mod runs;
mod validate;

use ai_workflow::config::{Layers, Settings, load};
use ai_workflow::policy::PhaseDef;

/// The registry of seed 002, with commands that every machine has.
pub const REGISTRY: &str = r#"{
  "agentId": "iterator",
  "completionPatterns": {
    "git-dirty": {
      "description": "something is not committed",
      "edition": "failed",
      "adaptation": "git-dirty",
      "params": ["changedFiles", "untrackedFiles"]
    },
    "test-failed": {
      "description": "tests fail",
      "edition": "failed",
      "adaptation": "test-failed",
      "params": ["errorOutput"]
    }
  },
  "validators": {
    "git-clean": {
      "type": "command",
      "command": "git status --porcelain",
      "successWhen": "empty",
      "failurePattern": "git-dirty",
      "extractParams": {"changedFiles": "parseChangedFiles", "untrackedFiles": "parseUntrackedFiles"}
    },
    "tests-pass": {
      "type": "command",
      "command": "sh tests.sh",
      "successWhen": "exitCode:0",
      "failurePattern": "test-failed",
      "extractParams": {"errorOutput": "stderr"}
    }
  },
  "steps": {
    "complete.issue": {
      "stepId": "complete.issue",
      "name": "Issue Complete Step",
      "c2": "retry",
      "c3": "issue",
      "completionConditions": [{"validator": "git-clean"}, {"validator": "tests-pass"}],
      "onFailure": {"action": "retry", "maxAttempts": 3}
    }
  }
}
"#;

/// Returns the layers of a repository with a registry of steps.
fn layers(config: &str, steps: &str) -> Layers {
    Layers {
        repository: Some((".ai-workflow/config.toml".into(), config.into())),
        steps: Some((".ai-workflow/steps_registry.json".into(), steps.into())),
        ..Layers::default()
    }
}

#[track_caller]
fn loaded(config: &str, steps: &str) -> Settings {
    load(&layers(config, steps)).unwrap_or_else(|error| panic!("{error}"))
}

#[track_caller]
fn phase(settings: &Settings, name: &str) -> PhaseDef {
    let agreement = settings.agreement(None).expect("an agreement");
    agreement.phases.into_iter().find(|phase| phase.name.as_str() == name).expect("a phase")
}
