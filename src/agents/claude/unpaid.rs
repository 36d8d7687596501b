//! What messages are told to have used for which no result has come. The program tells the input of a message with
//! each of its events, and of the output only the beginning: an estimate, and never too much.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::usage::{Figures, Stated};

use super::events::text;

/// How many messages of one call are counted.
const MOST: usize = 100_000;

/// The figures of messages since the last result, by their ids.
#[derive(Debug, Default)]
pub(super) struct Unpaid(BTreeMap<String, Told>);

#[derive(Debug, Default)]
struct Told {
    /// Fresh, read from the cache, written to it.
    input: [Option<f64>; 3],
    output: Option<f64>,
}

impl Unpaid {
    /// Takes the usage of a message: its input once, however many events it comes in.
    pub(super) fn message(&mut self, message: &Map<String, Value>) {
        let Some(Value::Object(usage)) = message.get("usage") else { return };
        let id = text(message, "id");
        if self.0.len() >= MOST && !self.0.contains_key(id) {
            return;
        }
        let figure = |name: &str| usage.get(name).and_then(Value::as_f64);
        let told = self.0.entry(id.to_owned()).or_default();
        let input = ["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"].map(figure);
        for (known, now) in told.input.iter_mut().zip(input) {
            *known = known.or(now);
        }
        told.output = [told.output, figure("output_tokens")].into_iter().flatten().reduce(f64::max);
    }

    /// Tells whether nothing of this message was seen before.
    pub(super) fn is_new(&self, message: &Map<String, Value>) -> bool {
        !self.0.contains_key(text(message, "id"))
    }

    /// A result has counted them.
    pub(super) fn settle(&mut self) {
        self.0.clear();
    }

    /// Adds them to the figures; tells whether there were any.
    pub(super) fn add_to(&self, figures: &mut Figures) -> bool {
        for told in self.0.values() {
            figures.add_input(told.input);
            figures.add(Stated {
                cached_tokens: told.input[1],
                output_tokens: told.output,
                ..Stated::default()
            });
        }
        !self.0.is_empty()
    }
}
