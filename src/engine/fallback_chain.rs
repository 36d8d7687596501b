//! Which agent gets a call: the fallback chain of the step, which agent of it is next, which ones cannot be used now, and which
//! model is used.
//! An author whose task stays open is replaced by the next one of its chain after a few tries, that one by the next after a
//! single one. What a step that breaks leads to is `redo`'s.

use jiff::Timestamp;

use crate::agents::{CalledAgent, Fallback, UnusableAgent};
use crate::findings::next_tasks;
use crate::fix_tasks::FixTask;
use crate::phase_state::PhaseState;
use crate::run::Run;
use model::event::{CallEnd, ExecOutcome, Ruled, Ruling};
use model::phase::{PhaseName, Step};
use model::policy::{Difficulty, ModelChoice};

/// How often an agent that takes over gets a task before the next agent gets it.
const TRIES_OF_ANOTHER: u32 = 1;

impl Run {
    /// Returns the agent that gets the next call of a step, with its model.
    pub fn agent_for(&self, phase: &PhaseState, step: Step) -> String {
        if let Some(author) = self.author_to_ask(phase, step) {
            return author;
        }
        let (chain, turn) = (phase.chain(step), phase.turn(step));
        let usable = self.first_usable_from(phase, step, turn).map(|(_, agent)| agent);
        let due = || chain.get(turn).or(chain.last()).map(|spec| self.with_model(phase, spec, step));
        usable.or_else(due).unwrap_or_default()
    }

    /// Returns the author of the work that a question is about, unless answers have a chain of their own or that author cannot be
    /// used now.
    fn author_to_ask(&self, phase: &PhaseState, step: Step) -> Option<String> {
        if step != Step::Answer || phase.has_own_chain(step) {
            return None;
        }
        let work = phase.evidence.work.as_ref()?;
        let author = &phase.evidence.author;
        let stands = self.chain_with_models(phase, work.step).contains(author) && self.is_usable(author);
        stands.then(|| author.clone())
    }

    /// Returns the agent that takes over a step when the one that was called last is given up, and its place.
    pub(crate) fn successor(&self, phase: &PhaseState, step: Step) -> Option<(usize, String)> {
        self.first_usable_from(phase, step, phase.turn(step) + 1)
    }

    pub(crate) fn first_usable_from(
        &self,
        phase: &PhaseState,
        step: Step,
        from: usize,
    ) -> Option<(usize, String)> {
        let named = self.chain_with_models(phase, step);
        named.into_iter().enumerate().skip(from).find(|(_, agent)| self.is_usable(agent))
    }

    /// Returns the chain of a step with the models of its agents.
    pub(crate) fn chain_with_models(&self, phase: &PhaseState, step: Step) -> Vec<String> {
        phase.chain(step).iter().map(|spec| self.with_model(phase, spec, step)).collect()
    }

    /// A model that was named explicitly stays; the others are chosen by the difficulty, once it is known.
    fn with_model(&self, phase: &PhaseState, spec: &str, step: Step) -> String {
        let model = self.model_choice(spec, self.difficulty).and_then(|choice| choice.for_step(step));
        let Some(agent) = model.map(|model| format!("{spec}:{model}")) else { return spec.to_owned() };
        if step != Step::Review || agent != self.author_of(phase) {
            return agent;
        }
        self.second_model(spec, &agent).unwrap_or(agent)
    }

    /// Returns the models of an agent for a difficulty, where it is known.
    fn model_choice(&self, spec: &str, difficulty: Option<Difficulty>) -> Option<&ModelChoice> {
        self.started.agreement.models.get(&difficulty?)?.get(spec)
    }

    /// Returns the author of the work that is reviewed, else the agent that would make it.
    fn author_of(&self, phase: &PhaseState) -> String {
        let made = Some(&phase.evidence.author).filter(|agent| !agent.is_empty());
        made.cloned().unwrap_or_else(|| self.agent_for(phase, Step::Execute))
    }

    /// Returns a reviewer of the same program with another model than its author: the first one that is named for the
    /// difficulty, else for another one.
    fn second_model(&self, spec: &str, author: &str) -> Option<String> {
        let elsewhere = self.started.agreement.models.values().filter_map(|models| models.get(spec));
        let steps = [Step::Review, Step::Triage, Step::Revise, Step::Execute];
        let all = self.model_choice(spec, self.difficulty).into_iter().chain(elsewhere);
        let models = all.flat_map(|choice| steps.into_iter().filter_map(|step| choice.for_step(step)));
        models.map(|model| format!("{spec}:{model}")).find(|agent| agent != author)
    }

    /// Returns the author that is asked how hard the issue is, with the model it has for simple work.
    pub(crate) fn assessor(&self, phase: &PhaseState) -> String {
        let spec = self.agent_for(phase, Step::Execute);
        let choice = self.model_choice(&spec, Some(Difficulty::Simple));
        let model = choice.and_then(|choice| choice.for_step(Step::Execute));
        model.map_or_else(|| spec.clone(), |model| format!("{spec}:{model}"))
    }

    fn is_usable(&self, agent: &str) -> bool {
        let passed = |until: Timestamp| until <= self.time_of_next_call();
        self.agents.unusable.get(agent).is_none_or(|unusable| unusable.until.is_some_and(passed))
    }

    /// Returns the times until which agents of a chain cannot be used; such a time may have passed since.
    pub(crate) fn reset_times(&self, phase: &PhaseState, step: Step) -> Vec<Timestamp> {
        let named = self.chain_with_models(phase, step);
        named.iter().filter_map(|agent| self.agents.unusable.get(agent)?.until).collect()
    }

    /// Remembers the place of the called agent in the chain; a call that answers a question does not change it.
    pub(crate) fn record_turn(&mut self, name: &PhaseName, step: Step, agent: &str) {
        if step == Step::Answer {
            return;
        }
        let Some(phase) = self.phase(name) else { return };
        let turn = phase.turn(step);
        let named = self.chain_with_models(phase, step);
        let place = named.iter().skip(turn).position(|named| named == agent);
        if let Some(place) = place {
            self.phase_mut(name).set_turn(step, turn + place);
        }
    }

    /// Remembers whether an agent can be used from now on.
    pub(crate) fn update_agent_state(&mut self, agent: &str, ended: &CallEnd, at: Timestamp) {
        let called = CalledAgent { agent: agent.to_owned(), program: ended.program.clone() };
        if ended.outcome != ExecOutcome::NotStarted && !self.agents.called.contains(&called) {
            self.agents.called.push(called);
        }
        self.agents.note_provider(agent, ended.outcome, at);
        if let Some(unusable) = UnusableAgent::of_call_end(ended, at) {
            self.agents.unusable.insert(agent.to_owned(), unusable);
        } else if ended.outcome.ended() || self.is_usable(agent) {
            self.agents.unusable.remove(agent);
        }
    }

    /// Lets the next agent take over, when the ruling says so.
    pub(crate) fn hand_over_step(&mut self, ruled: &Ruled) {
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

    /// Returns how many milliseconds of the wait are left.
    pub(crate) fn wait_left(&self) -> u64 {
        let left = self.updated_at.duration_until(self.time_of_next_call());
        u64::try_from(left.as_millis()).unwrap_or(0)
    }

    /// Returns the time of the next call: that of the latest fact, or the end of the wait.
    pub(crate) fn time_of_next_call(&self) -> Timestamp {
        let until = self.agents.outage.as_ref().and_then(|outage| outage.until);
        until.map_or(self.updated_at, |until| until.max(self.updated_at))
    }

    /// Tells whether only its provider keeps an agent of a chain from the work.
    pub(crate) fn is_provider_awaited(&self, phase: &PhaseState, step: Step) -> bool {
        let Some(outage) = &self.agents.outage else { return false };
        self.chain_with_models(phase, step).iter().any(|agent| outage.agents.contains(agent))
    }

    /// Returns the place of the agent that takes over the revision, where its author has used its tries, with a text that says
    /// so.
    pub(crate) fn handover(&self, phase: &PhaseState) -> Option<(usize, String)> {
        let most = phase.def.policy.limits.max_tries?;
        let (place, from) = self.first_usable_from(phase, Step::Revise, phase.turn(Step::Revise))?;
        let (turn, to) = self.first_usable_from(phase, Step::Revise, place + 1)?;
        let tasks = next_tasks(phase);
        let task = tasks.latest().0.into_iter().find(|task| has_exhausted_tries(task, &from, most))?.id;
        Some((turn, format!("{task} stays open after {from}, {to} takes over")))
    }
}

fn has_exhausted_tries(task: &FixTask, agent: &str, most: u32) -> bool {
    let tries = task.tried_by.iter().filter(|by| *by == agent).count();
    let first = task.tried_by.first().is_some_and(|first| first == agent);
    tries >= (if first { most } else { TRIES_OF_ANOTHER }) as usize
}
