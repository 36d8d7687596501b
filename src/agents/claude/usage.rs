//! What a call used. A `result` event counts all that was used since the last one. What messages report for which no
//! result has come is an estimate, and never too much: the program reports the input of a message with each of its
//! events, and of the output only the beginning.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use model::call::Resume;
use model::event::{CostBasis, Usage};

use crate::json_lines::{Object, number, object, text};
use crate::usage::{ReportedUsage, float};

/// How many messages of one call are counted.
const MOST_MESSAGES: usize = 100_000;

/// Adds up what a call has used.
#[derive(Debug, Default)]
pub(super) struct UsageCounter {
    /// What the results have reported.
    reported: ReportedUsage,
    /// What messages since the last result have used, by their ids.
    open_messages: BTreeMap<String, MessageUsage>,
    /// What the messages have used after which it went on.
    settled: Usage,
    basis: Option<CostBasis>,
    /// The turns of the model so far, and the id of the last one's message: one message comes as several events.
    turns: u64,
    last_message: String,
    /// What the continued session had cost before, in US dollars.
    cost_before: f64,
}

/// What one message has used.
#[derive(Debug, Default)]
struct MessageUsage {
    /// Fresh, read from the cache, written to it.
    input: [Option<f64>; 3],
    output: Option<f64>,
}

impl UsageCounter {
    pub(super) fn new(resumes: Option<&Resume>) -> Self {
        let cost_before = resumes.and_then(|resume| resume.used.cost_usd).unwrap_or_default();
        Self { cost_before, ..Self::default() }
    }

    /// Takes the usage of a message. `goes_on` says that the model is asked again after it, so that it counts as settled.
    pub(super) fn add_message(&mut self, message: &Object, goes_on: bool) {
        let id = text(message, "id");
        if !self.open_messages.contains_key(id) {
            self.settled = self.total(None).0;
        }
        if let Some(usage) = object(message, "usage") {
            self.add_message_usage(id, usage);
        }
        if goes_on {
            self.settled = self.total(None).0;
        }
    }

    /// Counts the input of a message once, however many events it comes in, and the most that its output was.
    fn add_message_usage(&mut self, id: &str, usage: &Object) {
        if self.open_messages.len() >= MOST_MESSAGES && !self.open_messages.contains_key(id) {
            return;
        }
        let message = self.open_messages.entry(id.to_owned()).or_default();
        let names = ["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"];
        for (known, name) in message.input.iter_mut().zip(names) {
            *known = known.or(number(usage, name));
        }
        message.output =
            [message.output, number(usage, "output_tokens")].into_iter().flatten().reduce(f64::max);
    }

    /// Counts a turn of the model, once for each message.
    pub(super) fn count_turn(&mut self, message: &str) {
        if self.last_message != message {
            message.clone_into(&mut self.last_message);
            self.turns += 1;
        }
    }

    /// Adds what was used since the last result; the totals of a session would count its earlier calls again.
    pub(super) fn add_result(&mut self, result: &Object) {
        self.open_messages.clear();
        let Some(models) = object(result, "model_usage_since_last_result") else {
            self.add_session_totals(result);
            return;
        };
        for model in models.values().filter_map(Value::as_object) {
            let cache_read = number(model, "cacheReadInputTokens");
            let cache_written = number(model, "cacheCreationInputTokens");
            self.reported.add_input([number(model, "inputTokens"), cache_read, cache_written]);
            self.reported.add(ReportedUsage {
                cached_tokens: cache_read,
                output_tokens: number(model, "outputTokens"),
                cost_usd: number(model, "costUSD"),
                ..ReportedUsage::default()
            });
            if text(model, "costBasis") == "unknown" {
                self.basis = Some(CostBasis::Unknown);
            }
        }
    }

    fn add_session_totals(&mut self, result: &Object) {
        let empty = Map::new();
        let usage = object(result, "usage").unwrap_or(&empty);
        let cache_read = number(usage, "cache_read_input_tokens");
        let cache_written = number(usage, "cache_creation_input_tokens");
        self.reported.add_input([number(usage, "input_tokens"), cache_read, cache_written]);
        self.reported.add(ReportedUsage {
            cached_tokens: cache_read,
            output_tokens: number(usage, "output_tokens"),
            cost_usd: number(result, "total_cost_usd").map(|cost| (cost - self.cost_before).max(0.0)),
            ..ReportedUsage::default()
        });
    }

    /// Returns what the messages have used after which it went on.
    pub(super) fn settled(&self) -> Usage {
        self.settled
    }

    /// Returns all that was used, with the turns as the result reports them or as they were counted, and one line for
    /// each figure that cannot be true.
    pub(super) fn total(&self, turns: Option<f64>) -> (Usage, Vec<String>) {
        let mut sum = self.reported;
        for message in self.open_messages.values() {
            sum.add_input(message.input);
            sum.add(ReportedUsage {
                cached_tokens: message.input[1],
                output_tokens: message.output,
                ..ReportedUsage::default()
            });
        }
        sum.turns = match turns {
            None if self.turns > 0 => Some(float(self.turns)),
            turns => turns,
        };
        let (mut usage, dropped) = sum.check();
        let basis = if self.open_messages.is_empty() { self.basis } else { Some(CostBasis::Unknown) };
        usage.cost_basis = basis.or(usage.cost_basis).or(usage.cost_usd.map(|_| CostBasis::Reported));
        if usage.cost_basis == Some(CostBasis::Unknown) {
            usage.cost_usd = None;
        }
        (usage, dropped)
    }
}
