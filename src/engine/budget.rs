//! Whether another call can be paid: by the run, by its phase and by the day; what it may use at most, and when to warn.

use crate::escalation::pause;
use crate::phase_state::{PhaseState, Status};
use crate::run::Run;
use crate::spending::{
    Limit, LimitMeasure, LimitScope, NOTE_KIND, Shortage, day_of, kind, limits, next_day, number, whole,
};
use model::call::CallBudget;
use model::event::{Escalation, Fact, PauseReason, UsageTotal};
use model::phase::Step;

/// The key of the warning that some calls do not count against a limit of money.
const UNPRICED: &str = "unpriced";

/// Returns the limit of a call that the latest one has passed, else the first limit that is reached, or that a call
/// like this would pass.
pub fn shortage(run: &Run, phase: &PhaseState, step: Step) -> Option<Shortage> {
    if let Some(limit) = run.exceeded_call_limit() {
        return Some(Shortage { limit, reserve: 0.0 });
    }
    let short = |limit: Limit| {
        let reserve = run.reserve(step, limit.measure);
        let short = limit.is_reached() || limit.used + reserve > limit.most;
        short.then_some(Shortage { limit, reserve })
    };
    run.limits(phase).into_iter().find_map(short)
}

/// Returns what a call may use at most: its own limit, and what the tightest of the others leaves.
pub(crate) fn allowance(run: &Run, phase: &PhaseState) -> CallBudget {
    let step = limits(&LimitScope::Step, &run.spending.scopes.step, &UsageTotal::default());
    let all: Vec<Limit> = run.limits(phase).into_iter().chain(step).collect();
    let least = |measure: LimitMeasure| {
        let left = all.iter().filter(|limit| limit.measure == measure).map(Limit::left);
        left.min_by(f64::total_cmp)
    };
    CallBudget {
        usd: least(LimitMeasure::Usd),
        tokens: least(LimitMeasure::Tokens).map(whole),
        turns: least(LimitMeasure::Turns).map(whole),
        seconds: least(LimitMeasure::Minutes).map(|minutes| whole((minutes * 60.0).ceil()).max(1)),
    }
}

/// Returns the warning, once, that the calls of an agent do not count against a limit of money.
pub(crate) fn unpriced_warning(run: &Run) -> Option<Fact> {
    if run.spending.warned.contains(UNPRICED) {
        return None;
    }
    Some(Fact::Noted { kind: NOTE_KIND.into(), text: run.unpriced_text()? })
}

/// Returns the warning that is due: each limit once.
pub(crate) fn limit_warning(run: &Run) -> Option<Fact> {
    let limit = run.near_limits().into_iter().find(|limit| !run.spending.warned.contains(&limit.key()))?;
    Some(Fact::Noted { kind: NOTE_KIND.into(), text: limit.warning() })
}

/// Writes the question for a run that cannot pay the next call.
pub(crate) fn budget_pause(run: &Run, phase: &PhaseState, short: &Shortage) -> Escalation {
    let Shortage { limit, reserve } = short;
    let whose = match &limit.scope {
        LimitScope::Run => "The budget".to_owned(),
        LimitScope::Step => "The budget of a call".to_owned(),
        LimitScope::Phase(name) => format!("The budget of {name}"),
        LimitScope::Day => "The budget of the day".to_owned(),
    };
    let why = match limit.measure {
        _ if limit.scope == LimitScope::Step => format!("The latest call used more than a call may: {limit}"),
        _ if limit.is_reached() => format!("{whose} is used up: {limit}"),
        LimitMeasure::Usd => {
            format!("{whose} leaves too little: {limit}, and a call like the next took {reserve:.2}")
        }
        _ => format!("{whose} leaves too little: {limit}, and a call like the next took {reserve}"),
    };
    let question = format!("{why}. Raise it and execute again, or cancel the run.");
    let until = if limit.scope == LimitScope::Day { next_day(run.updated_at) } else { None };
    Escalation { until, ..pause(PauseReason::Budget, Some(phase.name()), question) }
}

impl Run {
    /// Returns the limit of a call that the latest one has passed: not every program takes limits.
    /// Time is not among them, since we end a call ourselves.
    fn exceeded_call_limit(&self) -> Option<Limit> {
        let all = limits(&LimitScope::Step, &self.spending.scopes.step, &self.spending.latest_call);
        let counted =
            |measure| matches!(measure, LimitMeasure::Usd | LimitMeasure::Tokens | LimitMeasure::Turns);
        all.into_iter().find(|limit| counted(limit.measure) && limit.used > limit.most)
    }

    /// Returns the text that names the limit of money and the agent whose calls do not count against it.
    fn unpriced_text(&self) -> Option<String> {
        let (agent, scopes) = (self.spending.unpriced_agent.as_ref()?, &self.spending.scopes);
        let all = [self.spending.budget.usd, scopes.phase.usd, scopes.day.usd, scopes.step.usd];
        let most = all.into_iter().flatten().next()?;
        Some(format!(
            "the price of {agent} is not known: its calls count by tokens only; the limit of {most:.2} USD does not see \
             them"
        ))
    }

    fn limits(&self, phase: &PhaseState) -> Vec<Limit> {
        let scopes = &self.spending.scopes;
        let of_phase = LimitScope::Phase(phase.name().clone());
        let mut all = limits(&LimitScope::Run, &self.spending.budget, &self.spending.total);
        all.extend(limits(&of_phase, &scopes.phase, &phase.spent()));
        all.extend(limits(&LimitScope::Day, &scopes.day, &self.spent_today()));
        all
    }

    fn near_limits(&self) -> Vec<Limit> {
        let Some(phase) = self.phases.iter().find(|phase| phase.status == Status::InProgress) else {
            return Vec::new();
        };
        let step = limits(&LimitScope::Step, &self.spending.scopes.step, &self.spending.latest_call);
        self.limits(phase).into_iter().chain(step).filter(Limit::is_near).collect()
    }

    /// Returns the limits in force where the run stands, with what is used of each.
    pub fn limits_in_force(&self) -> Vec<Limit> {
        self.current().map_or_else(Vec::new, |phase| self.limits(phase))
    }

    /// Returns what all runs of the repository spent on the day of the latest fact, as far as is known.
    fn spent_today(&self) -> UsageTotal {
        let today = day_of(self.updated_at);
        let mut spent = UsageTotal::default();
        for known in [self.spending.day, self.spending.elsewhere].into_iter().flatten() {
            if known.day == today {
                spent.add(&known.spent);
            }
        }
        spent
    }

    /// Returns what one call of this kind has used at most so far.
    fn reserve(&self, step: Step, measure: LimitMeasure) -> f64 {
        let dearest = self.spending.dearest.get(&kind(step)).copied().unwrap_or_default();
        match measure {
            LimitMeasure::Usd => dearest.cost_usd,
            LimitMeasure::Tokens => number(dearest.tokens()),
            LimitMeasure::Calls | LimitMeasure::Minutes | LimitMeasure::Turns => 0.0,
        }
    }

    /// Remembers a warning, so that it is not given again.
    pub(crate) fn remember_warning(&mut self, kind: &str, text: &str) {
        let near = self.near_limits();
        let limit = near.iter().find(|limit| kind == NOTE_KIND && limit.warning() == text);
        self.spending.warned.extend(limit.map(Limit::key));
        if kind == NOTE_KIND && self.unpriced_text().is_some_and(|known| known == text) {
            self.spending.warned.insert(UNPRICED.to_owned());
        }
    }
}
