//! What a call used. A `result` event counts all that was used since the last one. What messages report for which no
//! result has come is an estimate, and never too much: the program reports the input of a message with each of its
//! events, and of the output only the beginning.

use std::collections::BTreeMap;

use serde_json::Value;

use model::call::Resume;
use model::event::{CostBasis, Usage};

use crate::json_lines::text;
use crate::usage::{ReportedUsage, TokenCounts, float};

/// How many messages of one call are counted.
const MOST_MESSAGES: usize = 100_000;

/// What the counts of a usage object are called.
const COUNTS: [&str; 4] =
    ["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "output_tokens"];
/// What they are called where they stand by model.
const COUNTS_OF_MODEL: [&str; 4] =
    ["inputTokens", "cacheReadInputTokens", "cacheCreationInputTokens", "outputTokens"];

/// Adds up what a call has used.
#[derive(Debug, Default)]
pub(super) struct UsageCounter {
    /// What the results have reported.
    reported: ReportedUsage,
    /// What messages since the last result have used, by their ids.
    open_messages: BTreeMap<String, TokenCounts>,
    /// What the messages have used after which it went on.
    pub settled: Usage,
    basis: Option<CostBasis>,
    /// The turns of the model so far, and the id of the last one's message: one message comes as several events.
    turns: u64,
    last_message: String,
    /// What the continued session had cost before, in US dollars.
    cost_before: f64,
}

impl UsageCounter {
    pub(super) fn new(resumes: Option<&Resume>) -> Self {
        let cost_before = resumes.and_then(|resume| resume.used.cost_usd).unwrap_or_default();
        Self { cost_before, ..Self::default() }
    }

    /// Takes the usage of a message. `goes_on` says that the model is asked again after it, so that it counts as settled.
    pub(super) fn add_message(&mut self, message: &Value, goes_on: bool) {
        let id = text(message, "id");
        let is_new = !self.open_messages.contains_key(id);
        if is_new {
            self.settled = self.total(None).0;
        }
        let is_counted = !is_new || self.open_messages.len() < MOST_MESSAGES;
        if is_counted && message["usage"].is_object() {
            self.add_message_usage(id, &message["usage"]);
        }
        if goes_on {
            self.settled = self.total(None).0;
        }
    }

    /// Counts the input of a message once, however many events it comes in, and the most that its output was.
    fn add_message_usage(&mut self, id: &str, usage: &Value) {
        let [input @ .., output] = self.open_messages.entry(id.to_owned()).or_default();
        let [input_now @ .., output_now] = token_counts(usage, COUNTS);
        for (known, now) in input.iter_mut().zip(input_now) {
            *known = known.or(now);
        }
        *output = [*output, output_now].into_iter().flatten().reduce(f64::max);
    }

    /// Counts a turn of the model, once for each message.
    pub(super) fn count_turn(&mut self, message: &str) {
        if self.last_message != message {
            message.clone_into(&mut self.last_message);
            self.turns += 1;
        }
    }

    /// Adds what was used since the last result; the totals of a session would count its earlier calls again.
    pub(super) fn add_result(&mut self, result: &Value) {
        self.open_messages.clear();
        let Value::Object(models) = &result["model_usage_since_last_result"] else {
            let cost = result["total_cost_usd"].as_f64().map(|cost| (cost - self.cost_before).max(0.0));
            self.reported.add(token_counts(&result["usage"], COUNTS), cost);
            return;
        };
        for model in models.values() {
            self.reported.add(token_counts(model, COUNTS_OF_MODEL), model["costUSD"].as_f64());
            if text(model, "costBasis") == "unknown" {
                self.basis = Some(CostBasis::Unknown);
            }
        }
    }

    /// Returns all that was used, with the turns as the result reports them or as they were counted, and one line for
    /// each figure that cannot be true.
    pub(super) fn total(&self, turns: Option<f64>) -> (Usage, Vec<String>) {
        let mut sum = self.reported;
        for message in self.open_messages.values() {
            sum.add(*message, None);
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

fn token_counts(usage: &Value, names: [&str; 4]) -> TokenCounts {
    names.map(|name| usage[name].as_f64())
}
