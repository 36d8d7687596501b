//! Reads what a reviewer answers to the questions of our checks: `answers` of its object, and lines such as `S1: fine – the issue asks
//! for it`. An answer without a judgment or without a reason is none; of two to one question the stricter counts.

use std::collections::BTreeMap;

use serde_json::Value;

use super::json::Fields;
use super::lexicon::pattern;
use super::markdown::Quoted;
use super::text::{clipped, head};
use model::event::{AnswerJudgment, Reading, ReviewAnswer};

/// A longer reason is cut, in characters.
const LONGEST_REASON: usize = 500;
/// Of more lines that may be answers none counts: one of the rest may be stricter.
const MOST: usize = 10_000;

/// Answers by the ids of their questions.
type Answers = BTreeMap<String, ReviewAnswer>;

/// Returns the answers of a review object.
pub(super) fn of_object(fields: &Fields) -> Answers {
    let mut answers = Answers::new();
    for (id, value) in fields.get("answers").and_then(Value::as_object).into_iter().flatten() {
        let text = |name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default();
        add(&mut answers, id, text("judgment"), text("reason"));
    }
    answers
}

/// Adds the answers that stand in lines of their own.
pub(super) fn with_lines(mut reading: Reading, quoted: &Quoted) -> Reading {
    let answer = pattern("answers.line");
    for (index, line) in quoted.own_lines_with(pattern("answers.id")).enumerate() {
        if index == MOST {
            reading.answers.clear();
            break;
        }
        if let Some(found) = answer.captures(head(line, 4_000).trim_end()) {
            add(&mut reading.answers, &found["id"], &found["judgment"], &found["reason"]);
        }
    }
    reading
}

fn add(answers: &mut Answers, id: &str, judgment: &str, reason: &str) {
    let Some(judgment) = AnswerJudgment::read(judgment) else { return };
    let (id, reason) = (id.trim().to_uppercase(), clipped(reason.trim(), LONGEST_REASON).to_owned());
    // The form of an answer, not filled in, has both words.
    let first = reason.split(|c: char| !c.is_alphanumeric()).next();
    let is_form = first.and_then(AnswerJudgment::read).is_some();
    let is_stricter = answers.get(&id).is_none_or(|known| judgment > known.judgment);
    if is_stricter && !is_form && reason.contains(char::is_alphanumeric) {
        answers.insert(id, ReviewAnswer { judgment, reason });
    }
}

#[cfg(test)]
mod tests;
