//! Gives the author what the server's checks say about the pull request, so many times as the settings allow; then a person
//! is asked. A run whose checks are known to be red does not end as completed.

use super::{PhaseRunner, RunError};
use model::event::{Choice, Escalation, Fact, FedBack, Outcome, PauseReason, Source};
use model::finding::{Disposition, Finding, Severity};
use model::remote_check::{RemoteCheck, RemoteCheckState};
use views::summary::counted;

impl PhaseRunner {
    /// Waits for the checks of what was just published and takes up those that failed; tells whether any did.
    pub(super) async fn takes_up_red_checks(&mut self, outcome: Outcome) -> Result<bool, RunError> {
        let run = self.run_state()?;
        let Some((Some(pull_request), _)) = run.publication.pull_request.clone() else { return Ok(false) };
        let (rounds, most) = (run.feedback.ci_rounds, self.github.ci_rounds);
        if outcome != Outcome::Completed || most == 0 || run.feedback_phase().is_none() {
            return Ok(false);
        }
        let head = self.pushed()?;
        let Some(all) = self.remote_checks_to_feed_back(&head).await? else { return Ok(false) };
        let red: Vec<RemoteCheck> =
            all.iter().filter(|one| one.state == RemoteCheckState::Failed).cloned().collect();
        if red.is_empty() {
            tell_unknown(&all);
            return Ok(false);
        }
        let Some(phase) = self.run_state()?.feedback_phase() else { return Ok(false) };
        let findings = red.iter().map(finding).collect();
        let (by, threads) = (Source::Checks, Vec::new());
        let fed = FedBack { phase, by, pull_request, head, findings, threads };
        let mut facts = vec![Fact::FedBack(Box::new(fed))];
        if rounds >= most {
            facts.push(Fact::Paused { escalation: question(&red, rounds) });
        }
        self.journal.record_all(&facts)?;
        Ok(true)
    }
}

/// What nobody knows is told, not taken for good.
fn tell_unknown(all: &[RemoteCheck]) {
    let running = all.iter().filter(|one| one.state == RemoteCheckState::Running).count();
    if all.is_empty() {
        tracing::warn!("W_NO_CI: no check of the server has looked at the pull request");
    } else if running > 0 {
        let told = counted(running as u64, "check");
        tracing::warn!("W_CI_UNKNOWN: {told} of the server did not end in time; nobody waits any longer");
    }
}

fn finding(check: &RemoteCheck) -> Finding {
    let said = if check.output.is_empty() { String::new() } else { format!(": {}", check.output) };
    Finding {
        severity: Severity::Major,
        category: "ci".to_owned(),
        file: None,
        line: None,
        issue: format!("the check {} of the server failed{said}", check.label()),
        suggestion: None,
        auto_fixable: false,
        disposition: Disposition::Open,
        in_scope: true,
    }
}

fn question(red: &[RemoteCheck], rounds: u32) -> Escalation {
    let names: Vec<String> = red.iter().map(RemoteCheck::label).collect();
    Escalation {
        reason: PauseReason::Exhausted,
        phase: None,
        question: format!(
            "The checks of the pull request are still red after {}: {}. Another round?",
            counted(u64::from(rounds), "round"),
            names.join(", ")
        ),
        options: vec![Choice::Continue],
        report: red
            .iter()
            .filter(|one| !one.output.is_empty())
            .map(|one| format!("{}: {}", one.name, one.output))
            .collect(),
        until: None,
    }
}
