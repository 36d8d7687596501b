//! A provider that fails breaks no step. Where no other agent takes over, the run asks again after growing pauses, and when
//! that took as long as was agreed it pauses until a time. It uses up no limit of a phase.

use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp};

use super::escalation::outage_pause;
use super::rule::HowRuled;
use super::state::{PhaseState, Run};
use model::event::{Ended, ExecOutcome, Ruling};
use model::phase::Step;

/// The first pause before a provider is asked again, in seconds; each one after it is twice as long.
const FIRST_PAUSE: u64 = 5;
/// The longest of these pauses, in seconds, unless the provider itself says a later time.
const LONGEST_PAUSE: u64 = 120;

/// Providers that fail, from the first failed call until a call comes to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outage {
    /// When the first call failed, or when somebody asked for the run again after that.
    pub since: Timestamp,
    /// How often the run has waited since then.
    pub waits: u32,
    /// The agents whose providers fail.
    pub agents: BTreeSet<String>,
    /// Nobody is asked before.
    pub until: Option<Timestamp>,
}

impl Run {
    /// Remembers whose provider fails.
    pub(super) fn note_provider(&mut self, agent: &str, outcome: ExecOutcome, at: Timestamp) {
        if outcome.ended() {
            self.agents.outage = None;
        } else if outcome.is_outage() {
            let begins = || Outage { since: at, waits: 0, agents: BTreeSet::new(), until: None };
            self.agents.outage.get_or_insert_with(begins).agents.insert(agent.to_owned());
        } else if outcome != ExecOutcome::Cancelled
            && let Some(outage) = &mut self.agents.outage
        {
            outage.agents.remove(agent);
        }
    }

    /// Who asks for the run again has the provider asked at once, and waits as long as before.
    pub(super) fn ask_provider_at_once(&mut self, at: Timestamp) {
        if let Some(outage) = &mut self.agents.outage {
            (outage.since, outage.waits, outage.until) = (at, 0, None);
        }
    }

    /// Puts the next call off.
    pub(super) fn wait_until(&mut self, until: Timestamp) {
        if let Some(outage) = &mut self.agents.outage {
            outage.waits += 1;
            outage.until = Some(until);
        }
    }

    /// Returns how many milliseconds of the wait are left.
    pub(super) fn wait_left(&self) -> u64 {
        let until = self.agents.outage.as_ref().and_then(|outage| outage.until);
        let left = until.map_or(SignedDuration::ZERO, |until| self.updated_at.duration_until(until));
        u64::try_from(left.as_millis()).unwrap_or(0)
    }

    /// Returns the time of the next call: that of the latest fact, or the end of the wait.
    pub(super) fn time_of_next_call(&self) -> Timestamp {
        let until = self.agents.outage.as_ref().and_then(|outage| outage.until);
        until.map_or(self.updated_at, |until| until.max(self.updated_at))
    }

    /// Tells whether only its provider keeps an agent of a chain from the work.
    pub(super) fn is_provider_awaited(&self, phase: &PhaseState, step: Step) -> bool {
        let Some(outage) = &self.agents.outage else { return false };
        self.named(phase, step).iter().any(|agent| outage.agents.contains(agent))
    }

    /// Has the step asked for again later; returns nothing when the run has waited as long as it may.
    pub(super) fn ask_later(&self, phase: &PhaseState, step: Step) -> Option<HowRuled> {
        let outage = self.agents.outage.as_ref()?;
        let pause = FIRST_PAUSE.saturating_mul(1 << outage.waits.min(16)).min(LONGEST_PAUSE);
        let soon = after(self.updated_at, pause);
        let end = after(outage.since, self.patience());
        let until = match self.earliest_call(phase, step, soon)? {
            next if next <= end => next,
            next if next == soon && self.updated_at < end => end,
            _ => return None,
        };
        let seconds = self.updated_at.duration_until(until).as_secs();
        Some((Ruling::Wait { step, until }, format!("asked again in {seconds} s")))
    }

    /// Pauses the run, and says from when on it is worth going on.
    pub(super) fn pause_for_outage(&self, phase: &PhaseState, step: Step, why: &str) -> HowRuled {
        let later = after(self.updated_at, self.patience());
        let until = self.earliest_call(phase, step, later).filter(|until| *until > self.updated_at);
        let escalation = outage_pause(phase, step, why, until);
        (Ruling::Pause { escalation }, "no agent is left; on outage: pause".to_owned())
    }

    /// Returns when the first agent of a chain may work again: `soon`, or later where its provider says so.
    fn earliest_call(&self, phase: &PhaseState, step: Step, soon: Timestamp) -> Option<Timestamp> {
        let fails =
            |agent: &String| self.agents.outage.as_ref().is_some_and(|outage| outage.agents.contains(agent));
        let of_agent = |agent: &String| match self.agents.unusable.get(agent) {
            Some(unusable) => unusable.until.map(|until| until.max(soon)),
            None if fails(agent) => Some(soon),
            None => None,
        };
        self.named(phase, step).iter().filter_map(of_agent).min()
    }

    fn patience(&self) -> u64 {
        self.asked.outage_seconds.unwrap_or(0)
    }
}

fn after(at: Timestamp, seconds: u64) -> Timestamp {
    let seconds = SignedDuration::from_secs(i64::try_from(seconds).unwrap_or(i64::MAX));
    at.checked_add(seconds).unwrap_or(Timestamp::MAX)
}

impl PhaseState {
    /// A call that a provider did not let happen is no pass.
    pub(super) fn give_pass_back(&mut self, step: Step) {
        let author = matches!(step, Step::Execute | Step::Revise);
        self.counters.passes = self.counters.passes.saturating_sub(u32::from(author));
    }

    /// Tells whether the latest call of a step ended because of its provider.
    pub(super) fn ended_in_outage(&self, step: Step) -> bool {
        self.ended_of(step).is_some_and(|ended: &Ended| ended.outcome.is_outage())
    }
}
