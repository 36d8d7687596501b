//! What reviewers and checks found in a run and what is still open, as data for scripts and code scanners.

use serde_json::{Map, Value, json};

use engine::{PhaseState, Run};
use views::summary::{Problem, problems, sarif};

/// The problems of a run.
pub struct Findings<'a> {
    /// The run.
    pub run: &'a Run,
    /// Its problems, in the order of its phases.
    pub problems: Vec<Problem>,
}

impl<'a> Findings<'a> {
    /// Returns the problems of a run.
    pub fn of_run(run: &'a Run) -> Self {
        Self { run, problems: problems(run) }
    }

    /// Returns the problems and what each round came to, as JSON.
    pub fn json(&self) -> Value {
        let rounds: Map<String, Value> = self.run.phases.iter().map(rounds_json).collect();
        json!({
            "issue_number": self.run.started.issue.number,
            "outcome": self.run.outcome,
            "findings": self.problems,
            "rounds": rounds,
        })
    }

    /// Returns the problems as a SARIF log.
    pub fn sarif(&self) -> Value {
        sarif(self.run, &self.problems, env!("CARGO_PKG_VERSION"))
    }
}

fn rounds_json(phase: &PhaseState) -> (String, Value) {
    let rounds = phase.history.rounds.iter().map(|round| {
        let mut value = json!({
            "n": round.n, "verdict": round.verdict, "grade": round.grade, "ruling": round.ruling,
            "findings": round.findings.len(), "failed_checks": round.failed.len(),
        });
        if !round.opinions.is_empty() {
            value["opinions"] = json!(round.opinions);
        }
        value
    });
    (phase.name().to_string(), rounds.collect())
}
