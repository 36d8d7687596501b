//! What a run uses, and the limits of it. What is missing in a usage adds nothing: a call without figures is limited by
//! calls and minutes only. Whether another call can be paid is `budget`'s question.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use model::event::{CallEnd, ExecOutcome, SpentOnDay, UsageTotal};
use model::phase::{PhaseName, Step};
use model::policy::{Budget, BudgetScopes};

/// The kind of the notes that warn of a limit.
pub(crate) const NOTE_KIND: &str = "budget";

/// The share of a limit from which on it is warned of.
const WARNING_SHARE: f64 = 0.8;

/// The limits of a run, and what is used of them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Spending {
    /// The limits of the run that are in force.
    pub budget: Budget,
    /// The narrower and wider limits that are in force.
    pub scopes: BudgetScopes,
    /// What the run has used.
    pub total: UsageTotal,
    /// What the run has spent on the day of its latest call.
    pub day: Option<SpentOnDay>,
    /// What other runs have spent.
    pub elsewhere: Option<SpentOnDay>,
    /// The highest cost of one call of each kind.
    pub dearest: BTreeMap<Step, UsageTotal>,
    /// What the latest call has used, until a person goes on in spite of it.
    pub latest_call: UsageTotal,
    /// The first agent whose price is not known.
    pub unpriced_agent: Option<String>,
    /// The limits that were warned of.
    pub warned: BTreeSet<String>,
}

/// What a limit holds for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LimitScope {
    /// The whole run.
    Run,
    /// One agent call.
    Step,
    /// One phase.
    Phase(PhaseName),
    /// Every run of the repository on one day.
    Day,
}

/// What a limit counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::Display)]
#[strum(serialize_all = "snake_case")]
pub enum LimitMeasure {
    /// US dollars.
    Usd,
    /// Input plus output tokens.
    Tokens,
    /// Agent calls.
    Calls,
    /// Minutes of agents at work.
    Minutes,
    /// Turns of models.
    Turns,
}

/// A limit and how much of it is used.
#[derive(Debug, Clone, PartialEq)]
pub struct Limit {
    /// What it holds for.
    pub scope: LimitScope,
    /// What it counts.
    pub measure: LimitMeasure,
    /// How much is used.
    pub used: f64,
    /// How much may be used.
    pub most: f64,
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (used, most) = (self.used, self.most);
        match self.measure {
            LimitMeasure::Usd => write!(f, "{used:.2} of {most:.2} USD"),
            LimitMeasure::Tokens => write!(f, "{used} of {most} tokens"),
            LimitMeasure::Calls => write!(f, "{used} of {most} agent calls"),
            LimitMeasure::Minutes => write!(f, "{used:.1} of {most} minutes"),
            LimitMeasure::Turns => write!(f, "{used} of {most} turns"),
        }
    }
}

impl Limit {
    pub(crate) fn is_reached(&self) -> bool {
        self.used >= self.most
    }

    pub(crate) fn left(&self) -> f64 {
        (self.most - self.used).max(0.0)
    }

    /// Returns a key that differs between limits, and changes when the limit is raised.
    pub(crate) fn key(&self) -> String {
        format!("{:?} {} {}", self.scope, self.measure, self.most)
    }

    pub(crate) fn is_near(&self) -> bool {
        self.most > 0.0 && self.used >= self.most * WARNING_SHARE && !self.is_reached()
    }

    pub(crate) fn warning(&self) -> String {
        let percent = (self.used / self.most * 100.0).floor();
        let whose = match &self.scope {
            LimitScope::Run => "the run's budget".to_owned(),
            LimitScope::Step => "the budget of a call".to_owned(),
            LimitScope::Phase(name) => format!("the budget of {name}"),
            LimitScope::Day => "the day's budget".to_owned(),
        };
        format!("{percent} % of {whose} is used: {self}")
    }
}

/// A limit that leaves nothing for another call.
#[derive(Debug, Clone, PartialEq)]
pub struct Shortage {
    /// The limit that is too near.
    pub limit: Limit,
    /// What a call like the next one has used at most so far.
    pub reserve: f64,
}

/// Names the limit of a run that is reached.
pub fn over_budget(budget: &Budget, spent: &UsageTotal) -> Option<String> {
    let limits = limits(&LimitScope::Run, budget, spent);
    limits.iter().find(|limit| limit.is_reached()).map(ToString::to_string)
}

pub(crate) fn limits(scope: &LimitScope, budget: &Budget, spent: &UsageTotal) -> Vec<Limit> {
    let all = [
        (LimitMeasure::Usd, spent.cost_usd, budget.usd),
        (LimitMeasure::Tokens, number(spent.tokens()), budget.tokens.map(number)),
        (LimitMeasure::Calls, number(spent.calls), budget.calls.map(number)),
        (LimitMeasure::Minutes, number(spent.millis) / 60_000.0, budget.minutes.map(number)),
        (LimitMeasure::Turns, number(spent.turns), budget.turns.map(number)),
    ];
    let limit = |(measure, used, most): (LimitMeasure, f64, Option<f64>)| {
        most.map(|most| Limit { scope: scope.clone(), measure, used, most })
    };
    all.into_iter().filter_map(limit).collect()
}

#[expect(clippy::cast_precision_loss, reason = "what a run uses is far below 2^52")]
pub(crate) fn number(count: u64) -> f64 {
    count as f64
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "what is left is not negative")]
pub(crate) fn whole(number: f64) -> u64 {
    number as u64
}

pub(crate) fn day_of(at: Timestamp) -> Date {
    at.to_zoned(TimeZone::UTC).date()
}

pub(crate) fn next_day(at: Timestamp) -> Option<Timestamp> {
    let tomorrow = day_of(at).tomorrow().ok()?;
    tomorrow.to_zoned(TimeZone::UTC).ok().map(|midnight| midnight.timestamp())
}

/// Execute and revise are the same kind of work.
pub(crate) fn kind(step: Step) -> Step {
    if step == Step::Revise { Step::Execute } else { step }
}

impl Spending {
    /// Remembers what a call has used. A program that ended at a limit it was given has kept that limit.
    pub(crate) fn remember_call(&mut self, agent: &str, ended: &CallEnd) {
        self.latest_call = UsageTotal::of(ended);
        if ended.outcome == ExecOutcome::LimitReached {
            (self.latest_call.cost_usd, self.latest_call.turns) = (0.0, 0);
        }
        let is_whole = !matches!(ended.outcome, ExecOutcome::Cancelled | ExecOutcome::OverBudget);
        if is_whole && ended.usage.is_unpriced() && self.unpriced_agent.is_none() {
            let program = ended.program.as_ref();
            let model = program.and_then(|program| program.model.as_deref());
            self.unpriced_agent = Some(match (program, model) {
                (Some(program), Some(model)) => format!("{} ({model})", program.name),
                _ => agent.to_owned(),
            });
        }
    }

    /// Counts something for the run and its day.
    pub(crate) fn add_usage(&mut self, at: Timestamp, more: &UsageTotal) {
        let today = day_of(at);
        let known = self.day.filter(|known| known.day == today);
        let spent = known.map(|known| known.spent).unwrap_or_default();
        self.day.insert(SpentOnDay { day: today, spent }).spent.add(more);
        self.total.add(more);
    }

    /// Remembers the dearest call of each kind.
    pub(crate) fn update_max_cost(&mut self, step: Step, ended: &CallEnd) {
        let call = UsageTotal::of(ended);
        let dearest = self.dearest.entry(kind(step)).or_default();
        dearest.cost_usd = dearest.cost_usd.max(call.cost_usd);
        if call.tokens() > dearest.tokens() {
            (dearest.input_tokens, dearest.output_tokens) = (call.input_tokens, call.output_tokens);
        }
    }
}
