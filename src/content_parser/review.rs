//! Decides which of the things an answer says is its verdict. The rules are those of the module's page, in that order;
//! what cannot be decided cannot pass.

use std::ops::Range;

use serde_json::{Map, Value};

use super::marker::{Mark, Marks};
use super::objects::{self, Broken};
use super::quoted::Quoted;
use super::stated::{self, Origin};
use super::strict::{self, Budget};
use super::word::Words;
use super::{Terms, clipped, go_nogo, head, marker, suggestions, table};
use crate::event::{Reading, TriageTable};
use crate::verdict::{Judgment, ReadAs};

const LONGEST_FEEDBACK: usize = 20_000;

/// Reads a reviewer's answer. Returns a reading for every text.
pub fn read_review(text: &str, terms: &Terms) -> Reading {
    let words = Words::new(terms.words);
    let quoted = Quoted::new(text);
    let objects = Objects::read(text, &quoted, terms, &words);
    if let Some(answer) = strictest(objects.right) {
        return with_prose(answer, text, &objects.spans);
    }
    if let Some(reason) = objects.doubt {
        return unverifiable(text, reason);
    }
    if terms.require_review_id && terms.review_id.is_some() {
        return unverifiable(text, "no answer with the review_id of this review");
    }
    let marks = marker::read(text, &quoted, &objects.spans, &words);
    if marks.crowded {
        return unverifiable(text, "more marker lines than can be read");
    }
    let answer = strictest(objects.unnamed);
    let lenient =
        by_objects_and_marks(text, answer, &marks, &objects.spans).or_else(|| by_other_forms(text, &marks));
    tightened(lenient.unwrap_or_else(|| unverifiable(text, "no marker")), objects.tightening, &marks)
}

/// Reads an object that an agent returned by our schema.
pub fn read_structured(value: &Value, terms: &Terms) -> Reading {
    let words = Words::new(terms.words);
    let text = value.to_string();
    let Some(fields) = value.as_object().filter(|fields| !stated::verdicts(fields).is_empty()) else {
        return unverifiable(&text, "no result in the structured answer");
    };
    match stated::origin(fields, terms) {
        Origin::Wrong => unverifiable(&text, "the review_id is not the one of this review"),
        Origin::Unnamed if terms.require_review_id && terms.review_id.is_some() => {
            unverifiable(&text, "no answer with the review_id of this review")
        }
        Origin::Right | Origin::Unnamed => stated::read(fields, &words, ReadAs::Schema),
    }
}

/// The review objects of a text, sorted by whose they are.
#[derive(Debug, Default)]
struct Objects {
    right: Vec<Reading>,
    unnamed: Vec<Reading>,
    /// What may only make a verdict stricter: objects inside others, and verdicts of objects that break.
    tightening: Vec<Reading>,
    /// Why no other object and no marker can pass.
    doubt: Option<&'static str>,
    /// Where objects stand: what is inside them is no marker line.
    spans: Vec<Range<usize>>,
}

impl Objects {
    fn read(text: &str, quoted: &Quoted, terms: &Terms, words: &Words) -> Self {
        let found = objects::find(text);
        let mut sorted = Self::default();
        let budget = Budget::default();
        if found.crowded {
            sorted.doubt = Some("more objects than can be read");
        }
        for span in &found.whole {
            match strict::object(&text[span.clone()], &budget) {
                Some(fields) => sorted.add(&fields, terms, words, true),
                None if states_verdict(&text[span.clone()]) => {
                    sorted.doubt = Some("an object that cannot be read, such as one with a key twice");
                }
                None => {}
            }
        }
        for broken in &found.broken {
            sorted.add_broken(broken, text, quoted, words);
        }
        sorted.spans = joined(found.whole);
        sorted
    }

    fn add(&mut self, fields: &Map<String, Value>, terms: &Terms, words: &Words, outermost: bool) {
        if stated::verdicts(fields).is_empty() {
            fields.values().for_each(|value| self.add_inner(value, terms, words));
            return;
        }
        let origin = stated::origin(fields, terms);
        if origin != Origin::Right && stated::is_template(fields, words) {
            return;
        }
        let reading = || stated::read(fields, words, ReadAs::Json);
        match origin {
            Origin::Right => self.right.push(reading()),
            Origin::Wrong => {
                self.doubt = Some("an object with a review_id that is not the one of this review");
            }
            Origin::Unnamed if outermost => self.unnamed.push(reading()),
            // What is quoted inside another object may be somebody else's approval.
            Origin::Unnamed => self.tightening.push(reading()),
        }
    }

    fn add_inner(&mut self, value: &Value, terms: &Terms, words: &Words) {
        match value {
            Value::Object(fields) => self.add(fields, terms, words, false),
            Value::Array(items) => items.iter().for_each(|item| self.add_inner(item, terms, words)),
            _ => {}
        }
    }

    /// An object that breaks cannot pass, unless it is program code or only shows the form of an answer.
    fn add_broken(&mut self, broken: &Broken, text: &str, quoted: &Quoted, words: &Words) {
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
                let fields = Map::from_iter([("result".to_owned(), Value::from(word))]);
                let reason = format!("an object that breaks says {word}");
                self.tightening.push(Reading { reason, ..stated::read(&fields, words, ReadAs::Json) });
            }
            Some(_) if !leaves_out => self.doubt = Some("an object with a verdict that breaks"),
            None if rest.is_empty() => self.doubt = Some("an object with a verdict that is cut off"),
            _ => {}
        }
    }
}

/// Joins spans that overlap; they are sorted by where they start.
fn joined(spans: Vec<Range<usize>>) -> Vec<Range<usize>> {
    let mut joined: Vec<Range<usize>> = Vec::new();
    for span in spans {
        match joined.last_mut() {
            Some(last) if span.start < last.end => last.end = last.end.max(span.end),
            _ => joined.push(span),
        }
    }
    joined
}

/// Tells whether an object that cannot be read states a verdict somewhere.
fn states_verdict(object: &str) -> bool {
    let lower = object.to_ascii_lowercase();
    lower.contains("\"result\"") || lower.contains("\"decision\"") || lower.contains("\\u")
}

/// Returns the strictest of several readings, the first of equals.
fn strictest(readings: Vec<Reading>) -> Option<Reading> {
    readings.into_iter().reduce(|best, next| if next.judgment > best.judgment { next } else { best })
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
            Some(Reading { findings: answer.findings, questions: answer.questions, ..said })
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
        suggestions: suggestions::read(text),
        ..plain(text, mark.judgment)
    }
}

fn by_other_forms(text: &str, marks: &Marks) -> Option<Reading> {
    if let Ok(table) = table::read_triage(text, None) {
        let (judgment, reason) = by_table(table);
        return Some(Reading { read_as: ReadAs::Table, reason, ..plain(text, judgment) });
    }
    let judgment = go_nogo::read(marks)?;
    let stated = if judgment.approves() { "GO" } else { "NOGO" };
    let reason = format!("the judgment line says {stated}");
    Some(Reading { read_as: ReadAs::GoNogo, stated: stated.to_owned(), reason, ..plain(text, judgment) })
}

fn by_table(table: TriageTable) -> (Judgment, String) {
    match table {
        TriageTable { fix_required: 0, needs_discussion: 0, .. } => {
            (Judgment::Approve, "the table has nothing to fix".to_owned())
        }
        TriageTable { fix_required: 0, needs_discussion, .. } => {
            (Judgment::Discuss, format!("the table has {needs_discussion} to discuss"))
        }
        TriageTable { fix_required, .. } => {
            (Judgment::Revise, format!("the table has {fix_required} to fix"))
        }
    }
}

/// Applies what may only make a verdict stricter.
fn tightened(reading: Reading, tightening: Vec<Reading>, marks: &Marks) -> Reading {
    let reading = match strictest(tightening) {
        Some(other) if other.judgment > reading.judgment => {
            Reading { feedback: reading.feedback, findings: reading.findings, ..other }
        }
        _ => reading,
    };
    let contradicted = reading.judgment.approves() && go_nogo::read(marks) == Some(Judgment::Revise);
    if !contradicted {
        return reading;
    }
    let reason = format!("tightened: {} with a NOGO line", reading.stated);
    Reading { result: Judgment::Revise.verdict(), judgment: Judgment::Revise, reason, ..reading }
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
        suggestions: suggestions::read(text),
        ..plain(text, Judgment::Unverifiable)
    }
}

/// Returns a reading that holds nothing but a judgment and the text itself.
fn plain(text: &str, judgment: Judgment) -> Reading {
    Reading {
        result: judgment.verdict(),
        judgment,
        stated: String::new(),
        read_as: ReadAs::Default,
        reason: String::new(),
        feedback: feedback(text),
        suggestions: Vec::new(),
        findings: Vec::new(),
        questions: Vec::new(),
        grade: None,
        viewpoints: std::collections::BTreeMap::new(),
    }
}

fn feedback(text: &str) -> String {
    clipped(text.trim(), LONGEST_FEEDBACK).to_owned()
}
