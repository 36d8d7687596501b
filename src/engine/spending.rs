//! Whether another call can be paid: by the run, by its phase and by the day; what it may use at most, and when to warn.
//! What is missing in a usage adds nothing: a call without figures is limited by calls and minutes only.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::state::{PhaseState, Run, Status};
use model::call::Allowance;
use model::event::{Choice, Ended, Escalation, ExecOutcome, Fact, PauseReason, Spent, SpentElsewhere};
use model::phase::{PhaseName, Step};
use model::policy::{Budget, BudgetScopes};

/// The kind of the notes that warn of a limit.
const NOTE_KIND: &str = "budget";
/// The share of a limit from which on it is warned of.
const WARNING_SHARE: f64 = 0.8;
/// What is remembered once it was said that a limit of money does not see some calls.
const BLIND: &str = "unpriced";

/// The limits of a run, and what is used of them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Spending {
    /// The limits of the run that are in force.
    pub budget: Budget,
    /// The narrower and wider limits that are in force.
    pub scopes: BudgetScopes,
    /// What the run has used.
    pub total: Spent,
    /// What the run has spent on the day of its latest call.
    pub day: Option<Day>,
    /// What other runs have spent.
    pub elsewhere: Option<SpentElsewhere>,
    /// What one call of each kind has cost at most.
    pub dearest: BTreeMap<Step, Spent>,
    /// What the latest call has used, until a person goes on in spite of it.
    pub latest_call: Spent,
    /// The first agent whose price nobody knows.
    pub unpriced_agent: Option<String>,
    /// The limits that were warned of.
    pub warned: BTreeSet<String>,
}

/// What a run has spent on one day.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Day {
    /// In UTC.
    pub date: jiff::civil::Date,
    /// On that day.
    pub spent: Spent,
}

/// What a limit holds for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    Run,
    /// One agent call.
    Step,
    Phase(PhaseName),
    /// Every run of the repository on one day.
    Day,
}

/// What a limit counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    Usd,
    Tokens,
    Calls,
    Minutes,
    Turns,
}

impl Measure {
    /// Returns the word used in the configuration.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Usd => "usd",
            Self::Tokens => "tokens",
            Self::Calls => "calls",
            Self::Minutes => "minutes",
            Self::Turns => "turns",
        }
    }
}

/// A limit and how much of it is used.
#[derive(Debug, Clone, PartialEq)]
pub struct Limit {
    pub scope: Scope,
    pub measure: Measure,
    pub used: f64,
    pub most: f64,
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (used, most) = (self.used, self.most);
        match self.measure {
            Measure::Usd => write!(f, "{used:.2} of {most:.2} USD"),
            Measure::Tokens => write!(f, "{used} of {most} tokens"),
            Measure::Calls => write!(f, "{used} of {most} agent calls"),
            Measure::Minutes => write!(f, "{used:.1} of {most} minutes"),
            Measure::Turns => write!(f, "{used} of {most} turns"),
        }
    }
}

impl Limit {
    fn is_reached(&self) -> bool {
        self.used >= self.most
    }

    fn left(&self) -> f64 {
        (self.most - self.used).max(0.0)
    }

    /// Returns what tells this limit from every other one, and from itself once it is raised.
    fn key(&self) -> String {
        format!("{:?} {} {}", self.scope, self.measure.as_str(), self.most)
    }

    fn is_near(&self) -> bool {
        self.most > 0.0 && self.used >= self.most * WARNING_SHARE && !self.is_reached()
    }

    fn warning(&self) -> String {
        let percent = (self.used / self.most * 100.0).floor();
        let whose = match &self.scope {
            Scope::Run => "the run's budget".to_owned(),
            Scope::Step => "the budget of a call".to_owned(),
            Scope::Phase(name) => format!("the budget of {name}"),
            Scope::Day => "the day's budget".to_owned(),
        };
        format!("{percent} % of {whose} is used: {self}")
    }
}

/// A limit that leaves nothing for another call.
#[derive(Debug, Clone, PartialEq)]
pub struct Shortage {
    pub limit: Limit,
    /// What a call like the next one has used at most so far.
    pub reserve: f64,
}

/// Names the limit of a run that is reached.
pub fn over_budget(budget: &Budget, spent: &Spent) -> Option<String> {
    let limits = limits(&Scope::Run, budget, spent);
    limits.iter().find(|limit| limit.is_reached()).map(ToString::to_string)
}

/// Returns the limit of a call that the latest one has passed, else the first limit that is reached, or that a call
/// like this would pass.
pub fn shortage(run: &Run, phase: &PhaseState, step: Step) -> Option<Shortage> {
    if let Some(limit) = run.overrun() {
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
pub(super) fn allowance(run: &Run, phase: &PhaseState) -> Allowance {
    let step = limits(&Scope::Step, &run.spending.scopes.step, &Spent::default());
    let all: Vec<Limit> = run.limits(phase).into_iter().chain(step).collect();
    let least = |measure: Measure| {
        let left = all.iter().filter(|limit| limit.measure == measure).map(Limit::left);
        left.min_by(f64::total_cmp)
    };
    Allowance {
        usd: least(Measure::Usd),
        tokens: least(Measure::Tokens).map(whole),
        turns: least(Measure::Turns).map(whole),
        seconds: least(Measure::Minutes).map(|minutes| whole((minutes * 60.0).ceil()).max(1)),
    }
}

/// Says once that a limit of money does not see the calls of an agent.
pub(super) fn blindness(run: &Run) -> Option<Fact> {
    if run.spending.warned.contains(BLIND) {
        return None;
    }
    Some(Fact::Noted { kind: NOTE_KIND.into(), text: run.blindness()? })
}

/// Returns the warning that is due: each limit once.
pub(super) fn warning(run: &Run) -> Option<Fact> {
    let limit = run.near_limits().into_iter().find(|limit| !run.spending.warned.contains(&limit.key()))?;
    Some(Fact::Noted { kind: NOTE_KIND.into(), text: limit.warning() })
}

/// Writes the question for a run that cannot pay the next call.
pub(super) fn budget_pause(run: &Run, phase: &PhaseState, short: &Shortage) -> Escalation {
    let Shortage { limit, reserve } = short;
    let whose = match &limit.scope {
        Scope::Run => "The budget".to_owned(),
        Scope::Step => "The budget of a call".to_owned(),
        Scope::Phase(name) => format!("The budget of {name}"),
        Scope::Day => "The budget of the day".to_owned(),
    };
    let why = match limit.measure {
        _ if limit.scope == Scope::Step => format!("The latest call used more than a call may: {limit}"),
        _ if limit.is_reached() => format!("{whose} is used up: {limit}"),
        Measure::Usd => {
            format!("{whose} leaves too little: {limit}, and a call like the next took {reserve:.2}")
        }
        _ => format!("{whose} leaves too little: {limit}, and a call like the next took {reserve}"),
    };
    Escalation {
        reason: PauseReason::Budget,
        phase: Some(phase.name().clone()),
        question: format!("{why}. Raise it and execute again, or cancel the run."),
        options: vec![Choice::Continue],
        report: vec![],
        until: (limit.scope == Scope::Day).then(|| next_day(run.updated_at)).flatten(),
    }
}

fn limits(scope: &Scope, budget: &Budget, spent: &Spent) -> Vec<Limit> {
    let all = [
        (Measure::Usd, spent.cost_usd, budget.usd),
        (Measure::Tokens, number(spent.tokens()), budget.tokens.map(number)),
        (Measure::Calls, number(spent.calls), budget.calls.map(number)),
        (Measure::Minutes, number(spent.millis) / 60_000.0, budget.minutes.map(number)),
        (Measure::Turns, number(spent.turns), budget.turns.map(number)),
    ];
    let limit = |(measure, used, most): (Measure, f64, Option<f64>)| {
        most.map(|most| Limit { scope: scope.clone(), measure, used, most })
    };
    all.into_iter().filter_map(limit).collect()
}

#[expect(clippy::cast_precision_loss, reason = "what a run uses is far below 2^52")]
fn number(count: u64) -> f64 {
    count as f64
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "what is left is not negative")]
fn whole(number: f64) -> u64 {
    number as u64
}

fn day_of(at: Timestamp) -> Date {
    at.to_zoned(TimeZone::UTC).date()
}

fn next_day(at: Timestamp) -> Option<Timestamp> {
    let tomorrow = day_of(at).tomorrow().ok()?;
    tomorrow.to_zoned(TimeZone::UTC).ok().map(|midnight| midnight.timestamp())
}

/// Execute and revise are the same kind of work.
fn kind(step: Step) -> Step {
    if step == Step::Revise { Step::Execute } else { step }
}

impl Run {
    /// Returns the limit of a call that the latest one has passed: not every program can be told its limits.
    /// Time is not among them, since we end a call ourselves.
    fn overrun(&self) -> Option<Limit> {
        let all = limits(&Scope::Step, &self.spending.scopes.step, &self.spending.latest_call);
        let counted = |measure| matches!(measure, Measure::Usd | Measure::Tokens | Measure::Turns);
        all.into_iter().find(|limit| counted(limit.measure) && limit.used > limit.most)
    }

    /// Remembers what a call has used. A program that ended at a limit it was told has kept that limit.
    pub(super) fn remember_call(&mut self, agent: &str, ended: &Ended) {
        self.spending.latest_call = Spent::of(ended);
        if ended.outcome == ExecOutcome::LimitReached {
            (self.spending.latest_call.cost_usd, self.spending.latest_call.turns) = (0.0, 0);
        }
        let is_whole = !matches!(ended.outcome, ExecOutcome::Cancelled | ExecOutcome::OverBudget);
        if is_whole && ended.usage.is_unpriced() && self.spending.unpriced_agent.is_none() {
            let program = ended.program.as_ref();
            let model = program.and_then(|program| program.model.as_deref());
            self.spending.unpriced_agent = Some(match (program, model) {
                (Some(program), Some(model)) => format!("{} ({model})", program.name),
                _ => agent.to_owned(),
            });
        }
    }

    /// Says which limit of money does not see the calls of which agent.
    fn blindness(&self) -> Option<String> {
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
        let of_phase = Scope::Phase(phase.name().clone());
        let mut all = limits(&Scope::Run, &self.spending.budget, &self.spending.total);
        all.extend(limits(&of_phase, &scopes.phase, &phase.spent()));
        all.extend(limits(&Scope::Day, &scopes.day, &self.spent_today()));
        all
    }

    fn near_limits(&self) -> Vec<Limit> {
        let Some(phase) = self.phases.iter().find(|phase| phase.status == Status::InProgress) else {
            return Vec::new();
        };
        let step = limits(&Scope::Step, &self.spending.scopes.step, &self.spending.latest_call);
        self.limits(phase).into_iter().chain(step).filter(Limit::is_near).collect()
    }

    /// Returns the limits in force where the run stands, with what is used of each.
    pub fn limits_in_force(&self) -> Vec<Limit> {
        self.current().map_or_else(Vec::new, |phase| self.limits(phase))
    }

    /// Returns what all runs of the repository spent on the day of the latest fact, as far as is known.
    fn spent_today(&self) -> Spent {
        let today = day_of(self.updated_at);
        let mut spent =
            self.spending.day.filter(|day| day.date == today).map(|day| day.spent).unwrap_or_default();
        if let Some(elsewhere) = self.spending.elsewhere.filter(|elsewhere| elsewhere.day == today) {
            spent.add(&elsewhere.spent);
        }
        spent
    }

    /// Returns what one call of this kind has used at most so far.
    fn reserve(&self, step: Step, measure: Measure) -> f64 {
        let dearest = self.spending.dearest.get(&kind(step)).copied().unwrap_or_default();
        match measure {
            Measure::Usd => dearest.cost_usd,
            Measure::Tokens => number(dearest.tokens()),
            Measure::Calls | Measure::Minutes | Measure::Turns => 0.0,
        }
    }

    /// Counts something for the run and its day.
    pub(super) fn count(&mut self, at: Timestamp, more: &Spent) {
        let today = day_of(at);
        let day = self.spending.day.get_or_insert(Day { date: today, spent: Spent::default() });
        if day.date != today {
            *day = Day { date: today, spent: Spent::default() };
        }
        day.spent.add(more);
        self.spending.total.add(more);
    }

    /// Remembers the dearest call of each kind.
    pub(super) fn remember_cost(&mut self, step: Step, ended: &Ended) {
        let call = Spent::of(ended);
        let dearest = self.spending.dearest.entry(kind(step)).or_default();
        dearest.cost_usd = dearest.cost_usd.max(call.cost_usd);
        if call.tokens() > dearest.tokens() {
            (dearest.input_tokens, dearest.output_tokens) = (call.input_tokens, call.output_tokens);
        }
    }

    /// Remembers a warning, so that it is not given again.
    pub(super) fn warned_of(&mut self, kind: &str, text: &str) {
        let near = self.near_limits();
        let limit = near.iter().find(|limit| kind == NOTE_KIND && limit.warning() == text);
        self.spending.warned.extend(limit.map(Limit::key));
        if kind == NOTE_KIND && self.blindness().is_some_and(|blindness| blindness == text) {
            self.spending.warned.insert(BLIND.to_owned());
        }
    }
}

impl PhaseState {
    /// Returns what the phase has spent, all its steps together.
    pub fn spent(&self) -> Spent {
        self.calls.usage.values().fold(Spent::default(), |mut sum, step| {
            sum.add(step);
            sum
        })
    }
}
