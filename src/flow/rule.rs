//! What a judgment leads to, given the limits. One function returns `advance`, and it lists its preconditions.

use super::escalation::escalation;
use super::standstill::standstill;
use super::state::{PhaseState, Run};
use crate::event::{CheckStatus, PauseReason, Ruled, Ruling, RunDecision};
use crate::phase::{PhaseName, Step};
use crate::policy::{Ending, OnFail, OnUnavailable, Unreadable};
use crate::verdict::{Judgment, ReadAs};

/// The longest pause before a redo, in milliseconds.
const LONGEST_BACKOFF_MS: u64 = 30_000;
/// How often an approval may be void before a person is asked.
const MOST_VOIDED: u32 = 3;

/// Rules on a phase that has come to a decision.
pub fn rule(run: &Run, phase: &PhaseState) -> Ruled {
    let (judgment, why) = phase.judgment();
    let standstill = standstill(phase);
    let (ruling, how) = match judgment {
        _ if phase.accepted_by.is_some() => advance(run, phase),
        Judgment::Approve | Judgment::ApproveWithNotes => advance(run, phase),
        Judgment::Redo => redo(phase),
        Judgment::Unverifiable => unreadable(phase),
        Judgment::Block => end(phase, phase.def.policy.outcomes.blocked, PauseReason::Blocked),
        Judgment::Discuss => end(phase, phase.def.policy.outcomes.discuss, PauseReason::Discuss),
        Judgment::Revise if standstill.is_some() && phase.def.policy.stop_on_stall => {
            end(phase, phase.def.policy.outcomes.stalled, PauseReason::Stalled)
        }
        Judgment::Revise => revise(phase),
    };
    let approved = matches!(ruling, Ruling::Advance | Ruling::Reopen { .. } | Ruling::Fail { .. });
    let judgment = if judgment.approves() && !approved { Judgment::Unverifiable } else { judgment };
    let rule = if how.is_empty() { why } else { format!("{why}; {how}") };
    Ruled { phase: phase.name().clone(), round: phase.round, judgment, ruling, rule, standstill }
}

type HowRuled = (Ruling, String);

/// The only way to `advance`. A person may take the responsibility; nothing else replaces a precondition.
fn advance(run: &Run, phase: &PhaseState) -> HowRuled {
    if let Some(person) = &phase.accepted_by {
        return (Ruling::Advance, format!("accepted by {person}"));
    }
    if phase.voided >= MOST_VOIDED {
        return end(phase, Ending::Pause, PauseReason::Blocked);
    }
    let missing = [
        (!checks_passed(phase), "a required check did not pass in this round"),
        (!reviewed(phase), "the files were not reviewed as they are"),
        (!triaged(phase), "the triage left something open"),
        (!judged_by_anything(phase), "neither a check nor a review looked at it"),
        (phase.broken.is_some(), "the last step broke"),
    ];
    if let Some((_, lack)) = missing.iter().find(|(lacks, _)| *lacks) {
        let (ruling, how) = unreadable(phase);
        return (ruling, format!("not approved: {lack}; {how}"));
    }
    if phase.def.decides { decided(run, phase) } else { (Ruling::Advance, String::new()) }
}

fn checks_passed(phase: &PhaseState) -> bool {
    phase.def.policy.checks.iter().all(|rule| {
        let results = phase.checks.as_deref().unwrap_or(&[]);
        let Some(result) = results.iter().find(|result| result.check == rule.id) else { return false };
        match result.status {
            CheckStatus::Pass | CheckStatus::Skipped => true,
            CheckStatus::Fail => rule.on_fail == OnFail::Note,
            CheckStatus::Unavailable => rule.on_unavailable == OnUnavailable::Note,
        }
    })
}

fn reviewed(phase: &PhaseState) -> bool {
    let Some(rule) = &phase.def.policy.review else { return true };
    let Some(review) = &phase.review else { return false };
    let Some(reading) = &review.reading else { return false };
    if phase.def.policy.triage {
        return review.round == phase.round;
    }
    let blocking = reading.worst().is_some_and(|worst| worst >= rule.blocking);
    review.round == phase.round
        && review.tree == phase.tree
        && reading.read_as != ReadAs::Default
        && !blocking
}

fn triaged(phase: &PhaseState) -> bool {
    if !phase.def.policy.triage {
        return true;
    }
    phase.triage.as_ref().is_some_and(|triage| {
        let open = triage.table.is_none_or(|table| table.fix_required + table.needs_discussion > 0);
        !open && triage.changed.is_empty() && triage.round == phase.round
    })
}

fn judged_by_anything(phase: &PhaseState) -> bool {
    let passed = phase.checks.iter().flatten().any(|result| result.status == CheckStatus::Pass);
    phase.def.policy.review.is_some() || passed
}

/// The evaluation passed its own review; now its decision about the run counts.
fn decided(run: &Run, phase: &PhaseState) -> HowRuled {
    let fail = |reason: &str, how: String| (Ruling::Fail { reason: reason.into(), incomplete: false }, how);
    match phase.evaluation.as_ref().map(|evaluation| &evaluation.decision) {
        None => fail("no_decision", "the evaluation made no decision".into()),
        Some(RunDecision::Pass | RunDecision::PassWithIssues) => (Ruling::Advance, String::new()),
        Some(RunDecision::Abort) => fail("aborted", "the evaluation decided ABORT".into()),
        Some(RunDecision::FailPhase(_)) if run.cycles >= run.started.agreement.max_cycles => {
            let most = run.started.agreement.max_cycles;
            fail("evaluation_failed", format!("sent back {}/{most} times already", run.cycles))
        }
        Some(RunDecision::FailPhase(word)) => match named_phase(run, phase, word) {
            Some(target) => {
                (Ruling::Reopen { phase: target }, format!("the evaluation decided FAIL_PHASE_{word}"))
            }
            None => fail("evaluation_failed", format!("the evaluation names an unknown phase: {word}")),
        },
    }
}

/// Finds a phase of this run by its name or folder number, up to the evaluation itself.
fn named_phase(run: &Run, evaluation: &PhaseState, word: &str) -> Option<PhaseName> {
    let wanted = word.trim().to_lowercase();
    let number = wanted.parse::<u32>().ok();
    let matches = |phase: &&PhaseState| {
        let folder = phase.def.folder.split_once('_').and_then(|(digits, _)| digits.parse::<u32>().ok());
        phase.name().as_str() == wanted || (number.is_some() && folder == number)
    };
    let candidates = run.phases.iter().take_while(|phase| phase.name() != evaluation.name());
    candidates
        .filter(|phase| phase.status == super::state::Status::Completed)
        .find(matches)
        .map(|phase| phase.name().clone())
}

/// Repeats the step that broke on its own budget, then with the next agent of its chain, then ends.
fn redo(phase: &PhaseState) -> HowRuled {
    let step = phase.broken.unwrap_or_else(|| phase.work.as_ref().map_or(Step::Execute, |work| work.step));
    let limits = &phase.def.policy.limits;
    if phase.format_failed() && phase.broken.is_none() {
        let how = format!(
            "asked for the form again {}/{}",
            phase.counters.format_redos + 1,
            limits.max_format_redo
        );
        return (Ruling::Redo { step, delay_ms: 0, next_agent: false }, how);
    }
    let used = phase.counters.redos.get(&step).copied().unwrap_or(0);
    if passes_exhausted(phase) && step != Step::Review {
        return exhausted(phase);
    }
    if used < limits.max_redo {
        let delay_ms = (limits.backoff_ms << used.min(16)).min(LONGEST_BACKOFF_MS);
        let how = format!("redo {}/{}", used + 1, limits.max_redo);
        return (Ruling::Redo { step, delay_ms, next_agent: false }, how);
    }
    let (chain, index) = match step {
        Step::Review => (&phase.def.reviewers, phase.reviewer),
        _ => (&phase.def.agents, phase.author),
    };
    if let Some(next) = chain.get(index + 1) {
        let how = format!("redos {used}/{} used, {next} takes over", limits.max_redo);
        return (Ruling::Redo { step, delay_ms: 0, next_agent: true }, how);
    }
    let outcomes = &phase.def.policy.outcomes;
    let (ruling, how) = match step {
        Step::Review => end(phase, outcomes.no_answer, PauseReason::ReviewerUnavailable),
        _ => end(phase, outcomes.agent_failed, PauseReason::AgentFailed),
    };
    (ruling, format!("redos {used}/{} used; {how}", limits.max_redo))
}

/// Asks again once; text that stays unreadable is never an approval.
fn unreadable(phase: &PhaseState) -> HowRuled {
    let most = phase.def.policy.limits.max_unreadable;
    let asked = phase.counters.unreadable;
    if asked < most && (phase.review.is_some() || phase.triage.is_some()) {
        let step = if phase.triage.is_some() { Step::Triage } else { Step::Review };
        return (
            Ruling::Redo { step, delay_ms: 0, next_agent: false },
            format!("asked again {}/{most}", asked + 1),
        );
    }
    let (ruling, how) = match phase.def.policy.outcomes.unreadable {
        Unreadable::Revise => revise(phase),
        Unreadable::Pause => end(phase, Ending::Pause, PauseReason::Unreadable),
        Unreadable::Fail => end(phase, Ending::Fail, PauseReason::Unreadable),
    };
    (ruling, format!("asked again {asked}/{most}; {how}"))
}

fn passes_exhausted(phase: &PhaseState) -> bool {
    phase.def.policy.limits.max_passes.is_some_and(|most| phase.counters.passes >= most)
}

fn revise(phase: &PhaseState) -> HowRuled {
    let (used, most) = phase.used_of_limit();
    if used >= most || passes_exhausted(phase) {
        return exhausted(phase);
    }
    let next = if phase.def.policy.triage { used } else { used + 1 };
    (Ruling::Revise, format!("{} {next}/{most}", unit(phase)))
}

fn unit(phase: &PhaseState) -> &'static str {
    if phase.def.policy.triage { "round" } else { "revision" }
}

fn exhausted(phase: &PhaseState) -> HowRuled {
    let (used, most) = phase.used_of_limit();
    let passes = phase
        .def
        .policy
        .limits
        .max_passes
        .map_or(String::new(), |limit| format!(", passes {}/{limit}", phase.counters.passes));
    let (ruling, _) = end(phase, phase.def.policy.outcomes.exhausted, PauseReason::Exhausted);
    (ruling, format!("{}s {used}/{most} used{passes}", unit(phase)))
}

fn end(phase: &PhaseState, ending: Ending, reason: PauseReason) -> HowRuled {
    let code = failure_code(phase, reason);
    match ending {
        Ending::Pause => {
            (Ruling::Pause { escalation: escalation(phase, reason) }, reason.as_str().replace('_', " "))
        }
        Ending::Fail => (Ruling::Fail { reason: code.clone(), incomplete: false }, code),
        Ending::Incomplete => (Ruling::Fail { reason: code.clone(), incomplete: true }, code),
    }
}

/// Returns the code a failed phase carries: the one of the failed check if it has one.
fn failure_code(phase: &PhaseState, reason: PauseReason) -> String {
    let code = phase.failed_checks().find_map(|result| result.params.get("code"));
    match (reason, code) {
        (PauseReason::Exhausted | PauseReason::Blocked, Some(code)) => code.clone(),
        (PauseReason::Exhausted, None) => "retry_limit".into(),
        (other, _) => other.as_str().into(),
    }
}
