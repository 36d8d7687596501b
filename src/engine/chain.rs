//! Which agent gets a call: the chain of the step, whose turn it is, who of it is of no use now, and under which model.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::outage::Outage;
use super::recovery::{drops_out, predicate, recovery};
use super::state::{PhaseState, Run};
use model::event::{Ended, ExecOutcome, Program, Ruled, Ruling};
use model::phase::{PhaseName, Step};
use model::policy::{Difficulty, ModelChoice};

/// An agent that was called, and the program behind it as far as it told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CalledAgent {
    /// The agent spec with its model.
    pub agent: String,
    /// The program, with its version and model.
    pub program: Option<Program>,
}

/// What the calls of a run have shown about its agents.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AgentStates {
    /// Agents that are passed over where another one is left.
    pub unusable: BTreeMap<String, Unusable>,
    /// Providers that fail now.
    pub outage: Option<Outage>,
    /// Every agent that was called, once for each program it told of.
    pub called: Vec<CalledAgent>,
    /// Who took over from whom.
    pub fallbacks: Vec<Fallback>,
}

/// Why an agent is passed over, and until when if that is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unusable {
    /// How its latest call ended.
    pub outcome: ExecOutcome,
    /// When it can be used again, where that is known.
    pub until: Option<Timestamp>,
}

/// An agent that took over from another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fallback {
    /// The phase of the call.
    pub phase: PhaseName,
    /// The step of the call.
    pub step: Step,
    /// The agent that is given up.
    pub from: String,
    /// The agent that takes over.
    pub to: String,
    /// How the last call of the first one ended.
    pub outcome: ExecOutcome,
}

impl std::fmt::Display for Fallback {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}; {} takes over", self.from, predicate(self.outcome), self.to)
    }
}

impl PhaseState {
    /// Returns the chain for a step: that of the seat that is due, its own, else the author's or the reviewer's.
    pub fn chain(&self, step: Step) -> &[String] {
        let seat = self.seat_due().filter(|seat| step == Step::Review && !seat.agents.is_empty());
        if let Some(seat) = seat {
            return &seat.agents;
        }
        let common = if step == Step::Review { &self.def.reviewers } else { &self.def.agents };
        self.def.step_agents.get(&step).filter(|own| !own.is_empty()).unwrap_or(common)
    }

    fn has_own_chain(&self, step: Step) -> bool {
        self.def.step_agents.get(&step).is_some_and(|own| !own.is_empty())
    }

    pub(super) fn turn(&self, step: Step) -> usize {
        if let Some(seat) = self.seat_of(step) {
            return self.calls.turns.by_seat.get(seat).copied().unwrap_or(0);
        }
        match step {
            _ if self.has_own_chain(step) => self.calls.turns.by_step.get(&step).copied().unwrap_or(0),
            Step::Review => self.calls.turns.reviewer,
            Step::Execute | Step::Check | Step::Triage | Step::Revise | Step::Answer => {
                self.calls.turns.author
            }
        }
    }

    /// Makes it the turn of the agent at this place of the step's chain.
    pub(super) fn set_turn(&mut self, step: Step, turn: usize) {
        if let Some(seat) = self.seat_of(step).map(str::to_owned) {
            self.calls.turns.by_seat.insert(seat, turn);
            return;
        }
        match step {
            _ if self.has_own_chain(step) => {
                self.calls.turns.by_step.insert(step, turn);
            }
            Step::Review => self.calls.turns.reviewer = turn,
            Step::Execute | Step::Check | Step::Triage | Step::Revise | Step::Answer => {
                self.calls.turns.author = turn
            }
        }
    }
}

impl Run {
    /// Returns the agent that gets the next call of a step, with its model.
    pub fn agent_for(&self, phase: &PhaseState, step: Step) -> String {
        if let Some(author) = self.author_to_ask(phase, step) {
            return author;
        }
        let (chain, turn) = (phase.chain(step), phase.turn(step));
        let usable = self.usable_from(phase, step, turn).map(|(_, agent)| agent);
        let due = || chain.get(turn).or(chain.last()).map(|spec| self.with_model(phase, spec, step));
        usable.or_else(due).unwrap_or_default()
    }

    /// Returns who made the work that is asked about, unless answers have a chain of their own or it is of no use now.
    fn author_to_ask(&self, phase: &PhaseState, step: Step) -> Option<String> {
        let work =
            phase.evidence.work.as_ref().filter(|_| step == Step::Answer && !phase.has_own_chain(step))?;
        let author = &phase.evidence.author;
        let stands = self.named(phase, work.step).contains(author) && self.is_usable(author);
        stands.then(|| author.clone())
    }

    /// Returns the agent that takes over a step when the one that was called last is given up, and its place.
    pub(super) fn successor(&self, phase: &PhaseState, step: Step) -> Option<(usize, String)> {
        self.usable_from(phase, step, phase.turn(step) + 1)
    }

    pub(super) fn usable_from(&self, phase: &PhaseState, step: Step, from: usize) -> Option<(usize, String)> {
        let named = self.named(phase, step);
        named.into_iter().enumerate().skip(from).find(|(_, agent)| self.is_usable(agent))
    }

    /// Returns the chain of a step with the models of its agents.
    pub(super) fn named(&self, phase: &PhaseState, step: Step) -> Vec<String> {
        phase.chain(step).iter().map(|spec| self.with_model(phase, spec, step)).collect()
    }

    /// A model that was named explicitly stays; the others are chosen by the difficulty, once it is known.
    fn with_model(&self, phase: &PhaseState, spec: &str, step: Step) -> String {
        let model = self.choice(spec).and_then(|choice| choice.of(step));
        let Some(agent) = model.map(|model| format!("{spec}:{model}")) else { return spec.to_owned() };
        if step != Step::Review || agent != self.author_of(phase) {
            return agent;
        }
        self.second_model(spec, &agent).unwrap_or(agent)
    }

    /// Returns the models of an agent for the difficulty, once it is known.
    fn choice(&self, spec: &str) -> Option<&ModelChoice> {
        self.started.agreement.models.get(&self.difficulty?)?.get(spec)
    }

    /// Returns who made the work that is reviewed, else who would make it.
    fn author_of(&self, phase: &PhaseState) -> String {
        let made = Some(&phase.evidence.author).filter(|agent| !agent.is_empty());
        made.cloned().unwrap_or_else(|| self.agent_for(phase, Step::Execute))
    }

    /// Returns a reviewer of the same program with another model than its author: the first one that is named for the
    /// difficulty, else for another one.
    fn second_model(&self, spec: &str, author: &str) -> Option<String> {
        let elsewhere = self.started.agreement.models.values().filter_map(|models| models.get(spec));
        let steps = [Step::Review, Step::Triage, Step::Revise, Step::Execute];
        let all = self.choice(spec).into_iter().chain(elsewhere);
        let models = all.flat_map(|choice| steps.into_iter().filter_map(|step| choice.of(step)));
        models.map(|model| format!("{spec}:{model}")).find(|agent| agent != author)
    }

    /// Returns the author that is asked how hard the issue is, with the model it has for simple work.
    pub(super) fn assessor(&self, phase: &PhaseState) -> String {
        let spec = self.agent_for(phase, Step::Execute);
        let models = self.started.agreement.models.get(&Difficulty::Simple);
        let model = models.and_then(|models| models.get(&spec)).and_then(|choice| choice.of(Step::Execute));
        model.map_or_else(|| spec.clone(), |model| format!("{spec}:{model}"))
    }

    fn is_usable(&self, agent: &str) -> bool {
        let passed = |until: Timestamp| until <= self.time_of_next_call();
        self.agents.unusable.get(agent).is_none_or(|unusable| unusable.until.is_some_and(passed))
    }

    /// Returns when the first agent of a chain can be used again, as far as that is known.
    pub(super) fn earliest_reset(&self, phase: &PhaseState, step: Step) -> Option<Timestamp> {
        let named = self.named(phase, step);
        let waiting = named.iter().filter_map(|agent| self.agents.unusable.get(agent));
        waiting.filter_map(|unusable| unusable.until).filter(|until| *until > self.updated_at).min()
    }

    /// Tells whether an agent of a chain is out of use for a time only; that time may have passed since.
    pub(super) fn waits_for_quota(&self, phase: &PhaseState, step: Step) -> bool {
        let mut named = self.named(phase, step).into_iter();
        named.any(|agent| self.agents.unusable.get(&agent).is_some_and(|unusable| unusable.until.is_some()))
    }

    /// Remembers whose turn a call shows it to be; who answers a question says nothing about that.
    pub(super) fn called(&mut self, name: &PhaseName, step: Step, agent: &str) {
        let Some(phase) = self.phase(name).filter(|_| step != Step::Answer) else { return };
        let turn = phase.turn(step);
        let named = self.named(phase, step);
        let place = named.iter().skip(turn).position(|named| named == agent);
        if let Some(place) = place {
            self.phase_mut(name).set_turn(step, turn + place);
        }
    }

    /// Remembers whether an agent is of use from here on.
    pub(super) fn learn(&mut self, agent: &str, ended: &Ended, at: Timestamp) {
        if ended.outcome != ExecOutcome::NotStarted {
            self.lock(agent, ended.program.as_ref());
        }
        self.note_provider(agent, ended.outcome, at);
        let recovery = recovery(ended, false, at);
        if drops_out(ended.outcome, recovery) {
            let unusable = Unusable { outcome: ended.outcome, until: recovery.until() };
            self.agents.unusable.insert(agent.to_owned(), unusable);
        } else if ended.outcome.ended() || self.is_usable(agent) {
            self.agents.unusable.remove(agent);
        }
    }

    fn lock(&mut self, agent: &str, program: Option<&Program>) {
        let called = CalledAgent { agent: agent.to_owned(), program: program.cloned() };
        if !self.agents.called.contains(&called) {
            self.agents.called.push(called);
        }
    }

    /// A new request tries again what may have been mended meanwhile; a reset that is known and ahead is waited for.
    pub(super) fn forget_unusable(&mut self, at: Timestamp) {
        self.agents.unusable.retain(|_, unusable| unusable.until.is_some_and(|until| until > at));
    }

    /// Lets the next agent take over, when the ruling says so.
    pub(super) fn hand_over(&mut self, ruled: &Ruled) {
        let Ruling::Redo { step, next_agent: true, .. } = ruled.ruling else { return };
        let Some(phase) = self.phase(&ruled.phase) else { return };
        let Some((turn, to)) = self.successor(phase, step) else { return };
        let outcome = phase.ended_of(step).map_or(ExecOutcome::Crashed, |ended| ended.outcome);
        let (phase, from) = (ruled.phase.clone(), phase.calls.last_agent.clone());
        self.phase_mut(&phase).set_turn(step, turn);
        let fallback = Fallback { phase, step, from, to, outcome };
        // While both wait for their providers, they take turns.
        if self.agents.fallbacks.last() != Some(&fallback) {
            self.agents.fallbacks.push(fallback);
        }
    }
}
