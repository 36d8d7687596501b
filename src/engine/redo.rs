//! When the same step comes again, unchanged: it broke, it has to be done over, or its answer could not be read.
//! A redo is an attempt, never a round, and uses no revision; each kind has its own budget and its own end.
//! A failing provider does not use up redos: where no other agent takes over, the run calls again after growing delays, and after
//! the agreed time it pauses.

use jiff::{SignedDuration, Timestamp};

use crate::agents::{may_succeed_again, wording};
use crate::budget::{budget_pause, shortage};
use crate::escalation::{outage_pause, quota_pause};
use crate::phase_state::{PhaseState, passes_exhausted};
use crate::revision_limit::{RulingWithReason, end, end_at_limit, revise};
use crate::run::Run;
use model::event::{ExecOutcome, PauseReason, Ruling};
use model::phase::Step;
use model::policy::{OnUnreadable, UnapprovedEnd};

/// The longest pause before a redo, in milliseconds.
const LONGEST_BACKOFF_MS: u64 = 30_000;

/// Repeats the step that broke, or the work that a check demands to be redone.
pub(crate) fn redo(run: &Run, phase: &PhaseState, why: &str) -> RulingWithReason {
    match phase.evidence.broken {
        Some(step) => handle_break(run, phase, step, why),
        None if phase.judge_asks_again() => ask_judge_again(phase, why),
        None if passes_exhausted(phase) => end_at_limit(phase, why),
        None => repeat_work(phase, why),
    }
}

/// Repeats a step that broke on its own budget, where that can help; then with the next agent of its chain; then waits
/// for a provider that fails, or for the quota of an earlier one, if that comes back; then ends.
fn handle_break(run: &Run, phase: &PhaseState, step: Step, why: &str) -> RulingWithReason {
    let Some(ended) = phase.ended_of(step) else { return give_up(phase, step, "", why) };
    if ended.outcome == ExecOutcome::OverBudget
        && let Some(short) = shortage(run, phase, step)
    {
        let escalation = budget_pause(run, phase, &short);
        return (Ruling::Pause { escalation }, "on budget: pause".to_owned());
    }
    let successor = run.successor(phase, step);
    let worn_out = step != Step::Review && passes_exhausted(phase);
    let mut used = String::new();
    if may_succeed_again(ended.outcome, phase.calls.resumed) && !worn_out {
        if let Some(ruled) = repeat_step(phase, step) {
            return ruled;
        }
        let most = phase.def.policy.limits.max_redo;
        used = format!("redos {most}/{most} used");
    }
    let is_quota = ended.outcome == ExecOutcome::QuotaExhausted || !run.reset_times(phase, step).is_empty();
    match successor {
        None if run.is_provider_awaited(phase, step) => await_provider(run, phase, step, (&used, why)),
        None if phase.is_dispensable(step) => leave_out_seat(phase, &used),
        None if is_quota => wait_for_quota(run, phase, step, &used),
        _ if worn_out => end_at_limit(phase, why),
        Some((_, next)) => take_over(step, next, &used),
        None => give_up(phase, step, &used, why),
    }
}

fn take_over(step: Step, next: String, used: &str) -> RulingWithReason {
    let separator = if used.is_empty() { "" } else { ", " };
    let how = format!("{used}{separator}{next} takes over");
    (Ruling::Redo { step, delay_ms: 0, next_agent: true, takes_over: Some(next) }, how)
}

/// Continues without a second reviewer that does not answer, and records this; no judgment becomes milder by it.
fn leave_out_seat(phase: &PhaseState, used: &str) -> RulingWithReason {
    let seat = phase.seat_due().map(|seat| seat.name.clone()).unwrap_or_default();
    let counts = phase.first_verdict_of(&seat).map_or("", |_| ", and what it stated at first counts");
    let how = prefix_used_redos(used, &format!("{seat} is left out{counts}"));
    (Ruling::LeaveOut { seat }, how)
}

/// Says first which redos are used up, if any are.
fn prefix_used_redos(used: &str, how: &str) -> String {
    if used.is_empty() { how.to_owned() } else { format!("{used}; {how}") }
}

/// Ends the phase, and says what a person can do where trying again does not help.
fn give_up(phase: &PhaseState, step: Step, used: &str, why: &str) -> RulingWithReason {
    let remedy = phase.ended_of(step).and_then(|ended| wording(ended.outcome).remedy.as_ref());
    let outcomes = &phase.def.policy.outcomes;
    let (ending, reason) = if step == Step::Review {
        (outcomes.no_answer, PauseReason::ReviewerUnavailable)
    } else {
        (outcomes.agent_failed, PauseReason::AgentFailed)
    };
    let told = remedy.map_or_else(|| why.to_owned(), |remedy| format!("{why} ({remedy})"));
    let (ruling, how) = end(phase, ending, reason, &told);
    let how = remedy.map_or_else(|| how.clone(), |remedy| format!("{remedy}; {how}"));
    (ruling, prefix_used_redos(used, &how))
}

/// Calls a failing provider again later. After the longest wait an optional reviewer is left out, and any other step pauses
/// until the run is requested again.
fn await_provider(run: &Run, phase: &PhaseState, step: Step, (used, why): (&str, &str)) -> RulingWithReason {
    let (ruling, how) = match ask_later(run, phase, step) {
        Some(ruled) => ruled,
        None if phase.is_dispensable(step) => return leave_out_seat(phase, used),
        None => pause_for_outage(run, phase, step, why),
    };
    (ruling, prefix_used_redos(used, &how))
}

/// Waits for a quota: nothing is used up, and the step comes again.
fn wait_for_quota(run: &Run, phase: &PhaseState, step: Step, used: &str) -> RulingWithReason {
    let ahead = run.reset_times(phase, step).into_iter().filter(|until| *until > run.updated_at);
    let escalation = quota_pause(phase, step, ahead.min());
    (Ruling::Pause { escalation }, prefix_used_redos(used, "no agent is left; on quota: pause"))
}

/// Repeats work that ended, because a decision, its form or a check asks for it; then it is revised like any other.
fn repeat_work(phase: &PhaseState, why: &str) -> RulingWithReason {
    let step = phase.evidence.work.as_ref().map_or(Step::Execute, |work| work.step);
    let (asked, most) = (phase.counters.format_redos, phase.def.policy.limits.max_format_redo);
    if phase.lacks_decision() && asked >= most {
        let no_decision = Ruling::Fail { reason: "no_decision".into(), incomplete: false };
        return (no_decision, format!("asked for it again {asked}/{most}"));
    }
    if phase.lacks_decision() || phase.needs_format_redo() {
        let what = if phase.lacks_decision() { "it" } else { "the form" };
        return (same_step(step, 0), format!("asked for {what} again {}/{most}", asked + 1));
    }
    repeat_step(phase, step).unwrap_or_else(|| revise(phase, why))
}

/// Repeats a step after a pause, as often as the limit allows.
pub(crate) fn repeat_step(phase: &PhaseState, step: Step) -> Option<RulingWithReason> {
    let limits = &phase.def.policy.limits;
    let used = phase.counters.redos.get(&step).copied().unwrap_or(0);
    if used >= limits.max_redo {
        return None;
    }
    let backoff_ms = limits.backoff_ms.saturating_mul(1 << used.min(16)).min(LONGEST_BACKOFF_MS);
    Some((same_step(step, backoff_ms), format!("redo {}/{}", used + 1, limits.max_redo)))
}

fn same_step(step: Step, delay_ms: u64) -> Ruling {
    Ruling::Redo { step, delay_ms, next_agent: false, takes_over: None }
}

/// Asks a reviewer whose approval contradicts its own text to clarify which of the two holds.
pub(crate) fn ask_to_clarify(phase: &PhaseState) -> Option<RulingWithReason> {
    phase.review_to_clarify()?;
    Some((same_step(Step::Review, 0), "asked which of both holds".to_owned()))
}

/// Asks for the answer again within the limit; an answer that stays unreadable is never an approval.
pub(crate) fn ask_again(phase: &PhaseState, why: &str) -> RulingWithReason {
    if let Some(asked) = ask_to_clarify(phase) {
        return asked;
    }
    let most = phase.def.policy.limits.max_unreadable;
    let by_review = phase.unanswered_review().is_some();
    let settled = !by_review && phase.all_have_answered() && phase.has_unreadable_opinion();
    let asked = if settled { most } else { phase.counters.unreadable };
    if asked < most {
        let step = if phase.evidence.triage.is_some() && !by_review { Step::Triage } else { Step::Review };
        return (same_step(step, 0), format!("asked again {}/{most}", asked + 1));
    }
    let (ruling, how) = match phase.def.policy.outcomes.unreadable {
        OnUnreadable::Revise => revise(phase, why),
        OnUnreadable::Pause => end(phase, UnapprovedEnd::Pause, PauseReason::Unreadable, why),
        OnUnreadable::Fail => end(phase, UnapprovedEnd::Fail, PauseReason::Unreadable, why),
    };
    (ruling, format!("asked again {asked}/{most}; {how}"))
}

/// Asks the judge again within the redos of its own step; after that its answer is a rejection.
pub(crate) fn ask_judge_again(phase: &PhaseState, why: &str) -> RulingWithReason {
    let again = ask_to_clarify(phase).or_else(|| repeat_step(phase, Step::Review));
    again.unwrap_or_else(|| revise(phase, why))
}

/// The first pause before a provider is asked again, in seconds; each one after it is twice as long.
const FIRST_PAUSE: u64 = 5;

/// The longest of these pauses, in seconds, unless the provider itself says a later time.
const LONGEST_PAUSE: u64 = 120;

fn add_seconds(at: Timestamp, seconds: u64) -> Timestamp {
    let seconds = SignedDuration::from_secs(i64::try_from(seconds).unwrap_or(i64::MAX));
    at.checked_add(seconds).unwrap_or(Timestamp::MAX)
}

/// Delays the step; returns nothing when the run has waited as long as it may.
pub(crate) fn ask_later(run: &Run, phase: &PhaseState, step: Step) -> Option<RulingWithReason> {
    let outage = run.agents.outage.as_ref()?;
    let pause = FIRST_PAUSE.saturating_mul(1 << outage.waits.min(16)).min(LONGEST_PAUSE);
    let soon = add_seconds(run.updated_at, pause);
    let end = add_seconds(outage.since, longest_outage(run));
    let until = match earliest_call(run, phase, step, soon)? {
        next if next <= end => next,
        next if next == soon && run.updated_at < end => end,
        _ => return None,
    };
    let seconds = run.updated_at.duration_until(until).as_secs();
    Some((Ruling::Wait { step, until }, format!("asked again in {seconds} s")))
}

/// Pauses the run, with the time from which on a call may work again.
pub(crate) fn pause_for_outage(run: &Run, phase: &PhaseState, step: Step, why: &str) -> RulingWithReason {
    let later = add_seconds(run.updated_at, longest_outage(run));
    let until = earliest_call(run, phase, step, later).filter(|until| *until > run.updated_at);
    let escalation = outage_pause(phase, step, why, until);
    (Ruling::Pause { escalation }, "no agent is left; on outage: pause".to_owned())
}

/// Returns when the first agent of a chain may work again: `soon`, or later where its provider says so.
fn earliest_call(run: &Run, phase: &PhaseState, step: Step, soon: Timestamp) -> Option<Timestamp> {
    let fails =
        |agent: &String| run.agents.outage.as_ref().is_some_and(|outage| outage.agents.contains(agent));
    let of_agent = |agent: &String| match run.agents.unusable.get(agent) {
        Some(unusable) => unusable.until.map(|until| until.max(soon)),
        None if fails(agent) => Some(soon),
        None => None,
    };
    run.chain_with_models(phase, step).iter().filter_map(of_agent).min()
}

fn longest_outage(run: &Run) -> u64 {
    run.asked.outage_seconds.unwrap_or(0)
}
