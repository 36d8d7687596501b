//! Decides which of the things an answer says is its verdict. The rules are those of the module's page, in that order;
//! what cannot be decided cannot pass.

use std::ops::Range;

use serde_json::Value;

use super::json::{self, Budget, Fields};
use super::lexicon::pattern;
use super::markdown::Quoted;
use super::marker::{self, Mark, Marks};
use super::objects::{self, Broken};
use super::review_object::{self, LONGEST_FEEDBACK, Origin, verdicts};
use super::tasks::suggestions;
use super::text::{clipped, head};
use super::word::Words;
use super::{Terms, answers, object_place, severity, triage};
use model::event::{Reading, TriageTable};
use model::verdict::{Judgment, ReadAs};

const NO_ID: &str = "no answer with the review_id of this review";

/// Reads a reviewer's answer. Returns a reading for every text.
pub fn read_review(text: &str, terms: &Terms) -> Reading {
    let quoted = Quoted::new(text);
    answers::with_lines(read_verdict(text, &quoted, terms), &quoted)
}

fn read_verdict(text: &str, quoted: &Quoted, terms: &Terms) -> Reading {
    let words = Words::new(terms.words);
    let objects = ReviewObjects::read(text, quoted, terms, &words);
    if let Some(answer) = objects.right {
        let answer = with_prose(answer, text, &objects.spans);
        let marks = marker::read(text, quoted, &objects.spans, &words);
        // A denial in the middle of a line makes it doubtful.
        let remark = marks.remark().map(|mark| format!("{}: {}", mark.name, mark.stated));
        return doubted(denied_by_marks(answer, &marks), remark);
    }
    let without_id = if terms.needs_review_id() { Some(NO_ID) } else { None };
    if let Some(reason) = objects.doubt.or(without_id) {
        return unverifiable(text, reason);
    }
    let marks = marker::read(text, quoted, &objects.spans, &words);
    if marks.crowded {
        return unverifiable(text, "more marker lines than can be read");
    }
    let approved_by_mark = marks.best().is_some_and(|mark| mark.judgment.approves());
    let sentence = if approved_by_mark { None } else { object_in_sentence(text, quoted, &objects.approving) };
    let unnamed = objects.unnamed.map(|answer| doubted(answer, sentence));
    let lenient = by_objects_and_marks(text, unnamed, &marks, &objects.spans)
        .or_else(|| by_other_forms(text, &marks))
        .map(|reading| denied_by_items(reading, quoted));
    tightened(lenient.unwrap_or_else(|| unverifiable(text, "no marker")), objects.tightening, &marks)
}

/// Reads an object that an agent returned by our schema.
pub fn read_structured(value: &Value, terms: &Terms) -> Reading {
    let words = Words::new(terms.words);
    let text = value.to_string();
    match value.as_object().filter(|fields| !verdicts(fields).is_empty()) {
        None => unverifiable(&text, "no result in the structured answer"),
        Some(fields) => match review_object::origin(fields, terms) {
            Origin::Wrong => unverifiable(&text, "the review_id is not the one of this review"),
            Origin::Unnamed if terms.needs_review_id() => unverifiable(&text, NO_ID),
            Origin::Right | Origin::Unnamed => review_object::read(fields, &words, terms, ReadAs::Schema),
        },
    }
}

/// The review objects of a text, sorted by whose they are; of each sort the strictest.
#[derive(Debug, Default)]
struct ReviewObjects {
    right: Option<Reading>,
    unnamed: Option<Reading>,
    /// Where the unnamed ones stand that approve.
    approving: Vec<Range<usize>>,
    /// What may only make a verdict stricter: objects inside others, and verdicts of objects that break.
    tightening: Option<Reading>,
    /// Why no other object and no marker can pass.
    doubt: Option<&'static str>,
    /// Where objects stand: what is inside them is no marker line.
    spans: Vec<Range<usize>>,
}

impl ReviewObjects {
    fn read(text: &str, quoted: &Quoted, terms: &Terms, words: &Words) -> Self {
        let found = objects::find(text);
        let mut sorted = Self::default();
        let budget = Budget::default();
        if found.crowded {
            sorted.doubt = Some("more objects than can be read");
        }
        for span in &found.whole {
            match json::object(&text[span.clone()], &budget) {
                Some(fields) => sorted.add(&fields, terms, words, Some(span)),
                // An escape may hide the key of a verdict.
                None if pattern("review.verdict_key").is_match(&text[span.clone()]) => {
                    sorted.doubt = Some("an object that cannot be read, such as one with a key twice");
                }
                None => {}
            }
        }
        for broken in &found.broken {
            sorted.add_broken(broken, text, quoted, (words, terms));
        }
        sorted.spans = objects::joined(found.whole);
        sorted
    }

    /// Adds an object; `outermost` is its place when it stands in no other one.
    fn add(&mut self, fields: &Fields, terms: &Terms, words: &Words, outermost: Option<&Range<usize>>) {
        if verdicts(fields).is_empty() {
            fields.values().for_each(|value| self.add_inner(value, terms, words));
            return;
        }
        let origin = review_object::origin(fields, terms);
        if review_object::is_template(fields, words) {
            if origin == Origin::Right {
                self.doubt = Some("the form of the answer, not filled in, as the prompt shows it");
            }
            return;
        }
        let reading = || review_object::read(fields, words, terms, ReadAs::Json);
        match (origin, outermost) {
            (Origin::Right, _) => keep_stricter(&mut self.right, reading()),
            (Origin::Wrong, _) => {
                self.doubt = Some("an object with a review_id that is not the one of this review");
            }
            (Origin::Unnamed, Some(span)) => {
                let reading = reading();
                if reading.judgment.approves() {
                    self.approving.push(span.clone());
                }
                keep_stricter(&mut self.unnamed, reading);
            }
            // What is quoted inside another object may be somebody else's approval.
            (Origin::Unnamed, None) => keep_stricter(&mut self.tightening, reading()),
        }
    }

    fn add_inner(&mut self, value: &Value, terms: &Terms, words: &Words) {
        match value {
            Value::Object(fields) => self.add(fields, terms, words, None),
            Value::Array(items) => items.iter().for_each(|item| self.add_inner(item, terms, words)),
            _ => {}
        }
    }

    /// An object that breaks cannot pass, unless it is program code or only shows the form of an answer.
    fn add_broken(&mut self, broken: &Broken, text: &str, quoted: &Quoted, (words, terms): (&Words, &Terms)) {
        if quoted.is_code(broken.end.saturating_sub(1)) {
            return;
        }
        let word = broken.word.clone().map(|span| &text[span]).unwrap_or_default();
        let rest = text.get(broken.end..).unwrap_or_default();
        let offers_a_choice = rest.starts_with(['|', '/']);
        let leaves_out = rest.starts_with(['.', '…', '<']);
        match words.meaning(word) {
            Some(_) if offers_a_choice => {}
            Some(judgment) if !judgment.approves() => {
                let fields = Fields::from_iter([("result".to_owned(), Value::from(word))]);
                let reason = format!("an object that breaks says {word}");
                let stated = review_object::read(&fields, words, terms, ReadAs::Json);
                keep_stricter(&mut self.tightening, Reading { reason, ..stated });
            }
            Some(_) if !leaves_out => self.doubt = Some("an object with a verdict that breaks"),
            None if rest.is_empty() => self.doubt = Some("an object with a verdict that is cut off"),
            _ => {}
        }
    }
}

/// Keeps the stricter of two readings, the first of equals.
fn keep_stricter(kept: &mut Option<Reading>, next: Reading) {
    if kept.as_ref().is_none_or(|kept| next.judgment > kept.judgment) {
        *kept = Some(next);
    }
}

fn by_objects_and_marks(
    text: &str,
    answer: Option<Reading>,
    marks: &Marks,
    spans: &[Range<usize>],
) -> Option<Reading> {
    match (answer, marks.best()) {
        (Some(answer), Some(mark)) if mark.judgment > answer.judgment => {
            let said = by_mark(text, &mark);
            let Reading { findings, questions, answers, .. } = answer;
            Some(Reading { findings, questions, answers, ..said })
        }
        (Some(answer), _) => Some(with_prose(answer, text, spans)),
        (None, Some(mark)) => Some(by_mark(text, &mark)),
        (None, None) => None,
    }
}

fn by_mark(text: &str, mark: &Mark) -> Reading {
    Reading {
        stated: mark.stated.clone(),
        read_as: ReadAs::Marker(mark.name.clone()),
        reason: format!("the marker {} says {}", mark.name, mark.stated),
        suggestions: suggestions(text),
        ..Reading::new(mark.judgment, feedback(text))
    }
}

fn by_other_forms(text: &str, marks: &Marks) -> Option<Reading> {
    if let Ok(table) = triage::read_triage(text, None) {
        let (judgment, reason) = by_table(table);
        return Some(Reading { read_as: ReadAs::Table, reason, ..Reading::new(judgment, feedback(text)) });
    }
    let judgment = marks.go?;
    let stated = if judgment.approves() { "GO" } else { "NOGO" };
    let reason = format!("the judgment line says {stated}");
    Some(Reading {
        read_as: ReadAs::GoNogo,
        stated: stated.to_owned(),
        reason,
        ..Reading::new(judgment, feedback(text))
    })
}

fn by_table(table: TriageTable) -> (Judgment, String) {
    match (table.fix_required, table.needs_discussion) {
        (0, 0) => (Judgment::Approve, "the table has nothing to fix".to_owned()),
        (0, questions) => (Judgment::Discuss, format!("the table has {questions} to discuss")),
        (fixes, _) => (Judgment::Revise, format!("the table has {fixes} to fix")),
    }
}

/// Applies what may only make a verdict stricter.
fn tightened(reading: Reading, tightening: Option<Reading>, marks: &Marks) -> Reading {
    let reading = match tightening {
        Some(other) if other.judgment > reading.judgment => {
            Reading { feedback: reading.feedback, findings: reading.findings, ..other }
        }
        _ => reading,
    };
    if marks.go == Some(Judgment::Revise) { reading.revised("a NOGO line") } else { reading }
}

/// Tightens an approval that was read from a line, where an item of the review is marked as critical or major.
fn denied_by_items(reading: Reading, quoted: &Quoted) -> Reading {
    if !matches!(reading.read_as, ReadAs::Marker(_) | ReadAs::GoNogo) {
        return reading;
    }
    match quoted.own_lines().find_map(severity::item) {
        Some(severity) => reading.revised(&format!("an item marked {severity}")),
        None => reading,
    }
}

/// Tightens an approval beside which a line says of the whole that it does not pass.
fn denied_by_marks(reading: Reading, marks: &Marks) -> Reading {
    match marks.denying().next() {
        Some(mark) => reading.revised(&format!("{}: {}", mark.name, mark.stated)),
        None => reading,
    }
}

/// Doubts an approval: nobody can rely on it before its reviewer said which holds.
fn doubted(reading: Reading, doubt: Option<String>) -> Reading {
    if reading.judgment.approves() { Reading { doubt, ..reading } } else { reading }
}

/// Returns the sentence of the first approving object when each of them stands inside one.
fn object_in_sentence(text: &str, quoted: &Quoted, approving: &[Range<usize>]) -> Option<String> {
    let sentences: Option<Vec<String>> =
        approving.iter().take(1_000).map(|span| object_place::sentence(text, span, quoted)).collect();
    sentences?.into_iter().next()
}

/// Adds the prose around the objects to what the author should read, and all of the answer when there is nothing.
fn with_prose(answer: Reading, text: &str, spans: &[Range<usize>]) -> Reading {
    let said = [answer.feedback.as_str(), &prose(text, spans)].join("\n\n");
    let feedback = feedback(if said.trim().is_empty() { text } else { &said });
    Reading { feedback, ..answer }
}

/// Returns what stands outside all objects, without the marks of their fences.
fn prose(text: &str, spans: &[Range<usize>]) -> String {
    let mut prose: Vec<&str> = Vec::new();
    let mut from = 0;
    for span in spans.iter().cloned().chain(std::iter::once(text.len()..text.len())).take(1_000) {
        let between = head(text.get(from..span.start).unwrap_or_default(), LONGEST_FEEDBACK);
        let says_something =
            |line: &&str| line.contains(char::is_alphanumeric) && !line.trim_start().starts_with("```");
        prose.extend(between.lines().filter(says_something));
        from = from.max(span.end);
    }
    prose.join("\n")
}

fn unverifiable(text: &str, reason: &str) -> Reading {
    Reading {
        reason: reason.to_owned(),
        suggestions: suggestions(text),
        ..Reading::new(Judgment::Unverifiable, feedback(text))
    }
}

fn feedback(text: &str) -> String {
    // Blanks of ASCII go first: those of Unicode are looked at one by one.
    clipped(text.trim_ascii().trim(), LONGEST_FEEDBACK).to_owned()
}

#[cfg(test)]
mod tests;
