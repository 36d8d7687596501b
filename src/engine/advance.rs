//! The only way to `advance`. It lists its preconditions and derives each from the facts, whatever the judgment was.
//! A person may take the responsibility; nothing else replaces a precondition.
//! A phase that decides about the run advances only as its evaluation says, or sends the run back, a limited number of times.

use crate::documents;
use crate::phase_state::{PhaseState, Status};
use crate::redo::{ask_again, repeat_step};
use crate::revision_limit::{RulingWithReason, end};
use crate::run::Run;
use model::event::{CheckStatus, EvaluationDecision, PauseReason, Reviewed, Ruling};
use model::phase::{PhaseName, Step};
use model::policy::OnFail;
use model::verdict::{ReadAs, Verdict};

/// How often an approval may be void before a person is asked.
const MOST_VOIDED: u32 = 3;

/// Lets the phase through if every precondition holds.
pub(crate) fn advance(run: &Run, phase: &PhaseState, why: &str) -> RulingWithReason {
    if let Some(person) = &phase.person.accepted_by {
        return (Ruling::Advance, format!("accepted by {person}{}", name_unseen_changes(phase)));
    }
    if phase.counters.voided >= MOST_VOIDED {
        return block(phase, &format!("the files changed after the approval {MOST_VOIDED} times"));
    }
    if phase.unfinished_claim().is_some() {
        return block(phase, "the author says that it is not finished");
    }
    if phase.evidence.broken.is_some() || !have_checks_passed(phase) || !has_any_evidence(phase) {
        return block(phase, "neither a check nor a review that passed looked at it");
    }
    if let Some(name) = documents::find_lost(run, phase) {
        return block(phase, &format!("the approved document of {name} is missing or was changed"));
    }
    if !is_same_tree(phase) {
        return repeat_checks(phase, why);
    }
    if !is_reviewed(phase) || !is_triaged(phase) {
        return ask_again(phase, why);
    }
    if phase.def.decides { follow_evaluation(run, phase) } else { (Ruling::Advance, String::new()) }
}

/// Names what a triage changed after the last review: no reviewer stands for that.
fn name_unseen_changes(phase: &PhaseState) -> String {
    let unseen: Vec<&str> = phase.files.changed_after_review.iter().map(String::as_str).collect();
    if unseen.is_empty() {
        return String::new();
    }
    format!("; changed by the triage after the last review: {}", unseen.join(", "))
}

fn block(phase: &PhaseState, lack: &str) -> RulingWithReason {
    let (ruling, how) = end(phase, phase.def.policy.outcomes.blocked, PauseReason::Blocked, lack);
    (ruling, format!("not approved: {lack}; {how}"))
}

/// The files are not those that were reviewed: the evidence is gathered again.
fn repeat_checks(phase: &PhaseState, why: &str) -> RulingWithReason {
    let blocked = || end(phase, phase.def.policy.outcomes.blocked, PauseReason::Blocked, why);
    let (ruling, how) = repeat_step(phase, Step::Check).unwrap_or_else(blocked);
    (ruling, format!("not approved: the files changed between check and review; {how}"))
}

fn have_checks_passed(phase: &PhaseState) -> bool {
    phase.def.policy.checks.iter().all(|rule| {
        let result = phase.evidence.results().find(|result| result.check == rule.id);
        result.is_some_and(|result| result.is_question() || result.status.demand(Some(rule)) == OnFail::Note)
    })
}

fn has_any_evidence(phase: &PhaseState) -> bool {
    let passed = phase.evidence.results().any(|result| result.status == CheckStatus::Pass);
    phase.def.policy.review.is_some() || passed
}

fn is_same_tree(phase: &PhaseState) -> bool {
    let seen = |review: &Reviewed| review.tree == phase.files.tree;
    phase.def.policy.review.is_none()
        || (phase.reviews.current.as_ref().is_some_and(seen) && phase.reviews.opinions.iter().all(seen))
}

/// With triage the table counts, whatever word the reviewer used.
fn is_reviewed(phase: &PhaseState) -> bool {
    let Some(rule) = &phase.def.policy.review else { return true };
    let (Some(review), Some(reading)) = (&phase.reviews.current, phase.reading()) else { return false };
    let blocking = reading.worst().is_some_and(|worst| worst >= rule.blocking);
    let readable = reading.read_as != ReadAs::Default && reading.result != Verdict::Fail;
    review.round == phase.round
        && phase.all_have_answered()
        && phase.unanswered_by(reading).is_empty()
        && (phase.def.policy.triage || (readable && !blocking && !review.ended.truncated))
}

fn is_triaged(phase: &PhaseState) -> bool {
    if !phase.def.policy.triage {
        return true;
    }
    phase.evidence.triage.as_ref().is_some_and(|triage| {
        let open = triage.table.is_none_or(|table| table.fix_required + table.needs_discussion > 0);
        !open && triage.changed.is_empty() && triage.round == phase.round
    })
}

/// Follows the decision.
pub(crate) fn follow_evaluation(run: &Run, phase: &PhaseState) -> RulingWithReason {
    match phase.evidence.evaluation.as_ref().map(|evaluation| &evaluation.decision) {
        None => fail("no_decision", "the evaluation made no decision".into()),
        Some(EvaluationDecision::Pass) => (Ruling::Advance, "the evaluation decided PASS".into()),
        Some(EvaluationDecision::PassWithIssues) => {
            (Ruling::Advance, "the evaluation decided PASS_WITH_ISSUES".into())
        }
        Some(EvaluationDecision::Abort) => fail("aborted", "the evaluation decided ABORT".into()),
        Some(EvaluationDecision::FailPhase(word)) => send_back(run, phase, word),
    }
}

fn fail(reason: &str, how: String) -> RulingWithReason {
    (Ruling::Fail { reason: reason.into(), incomplete: false }, how)
}

fn send_back(run: &Run, evaluation: &PhaseState, word: &str) -> RulingWithReason {
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

#[cfg(test)]
mod tests;
