//! What the evaluation's decision about the run leads to, once the evaluation itself has passed.
//! Sends the run back to a phase that this run completed, a limited number of times.

use super::rule::HowRuled;
use super::state::{PhaseState, Run, Status};
use model::event::{Ruling, RunDecision};
use model::phase::PhaseName;

/// Follows the decision.
pub(super) fn decided(run: &Run, phase: &PhaseState) -> HowRuled {
    match phase.evidence.evaluation.as_ref().map(|evaluation| &evaluation.decision) {
        None => fail("no_decision", "the evaluation made no decision".into()),
        Some(RunDecision::Pass) => (Ruling::Advance, "the evaluation decided PASS".into()),
        Some(RunDecision::PassWithIssues) => {
            (Ruling::Advance, "the evaluation decided PASS_WITH_ISSUES".into())
        }
        Some(RunDecision::Abort) => fail("aborted", "the evaluation decided ABORT".into()),
        Some(RunDecision::FailPhase(word)) => send_back(run, phase, word),
    }
}

fn fail(reason: &str, how: String) -> HowRuled {
    (Ruling::Fail { reason: reason.into(), incomplete: false }, how)
}

fn send_back(run: &Run, evaluation: &PhaseState, word: &str) -> HowRuled {
    let decision = format!("the evaluation decided FAIL_PHASE_{word}");
    let (used, most) = (run.cycles, run.started.agreement.max_cycles);
    let Some(phase) = named_phase(run, evaluation, word) else {
        return fail("evaluation_failed", format!("{decision}, which is no phase that this run completed"));
    };
    if used >= most {
        return fail("evaluation_failed", format!("{decision}; sent back {used}/{most} times already"));
    }
    (Ruling::Reopen { phase }, format!("{decision}; sent back {}/{most}", used + 1))
}

/// Finds a completed phase before the evaluation by its name or folder number.
fn named_phase(run: &Run, evaluation: &PhaseState, word: &str) -> Option<PhaseName> {
    let wanted = word.trim().to_lowercase();
    let number = wanted.parse::<u32>().ok();
    let named = |phase: &&PhaseState| {
        let folder = phase.def.folder.split_once('_').and_then(|(digits, _)| digits.parse::<u32>().ok());
        phase.name().as_str() == wanted || (number.is_some() && folder == number)
    };
    let earlier = run.phases.iter().take_while(|phase| phase.name() != evaluation.name());
    let mut completed = earlier.filter(|phase| phase.status == Status::Completed);
    completed.find(named).map(|phase| phase.name().clone())
}
