//! Reads the evaluation's decision about the whole run: objects and `DECISION:` lines, of which the strictest counts.
//! Knows when a sentence decides anew (`On second thought: ABORT`), and when one only says what would have been decided.
//! Finds nothing where nothing is decided; there is no default.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use serde_json::Value;

use super::json::{self, Budget, Fields, objects_inside};
use super::label::mentions;
use super::lexicon::pattern;
use super::markdown::{self, Quoted, is_inside};
use super::objects::{self, Broken, joined};
use super::text::{after_prefix, clipped, decoration, folded, head, tail};
use super::word::{MarkerWord, Words};
use super::{marker, tasks};
use model::event::{Evaluation, EvaluationDecision, RemainingTask};
use model::verdict::Judgment;

const MOST_TASKS: usize = 200;
/// So much of a line is looked at, in bytes.
const REACH: usize = 2_000;
/// So much of a value is looked at, in bytes.
const LONGEST_VALUE: usize = 400;
/// So much of what cannot be read is shown, in characters.
const LONGEST_WORDS: usize = 80;

/// Reads the decision of an evaluation and the tasks it leaves. An answer with a decision that cannot be read decides
/// nothing: that one may be the strictest.
pub fn read_evaluation(text: &str) -> Option<Evaluation> {
    read_evaluations(&[text])
}

/// Reads what the answer and the deliverable decide together. The strictest of both counts, and none of them makes up
/// for a decision of the other that cannot be read.
pub fn read_evaluations(texts: &[&str]) -> Option<Evaluation> {
    decide(texts).ok()
}

/// Returns the words of a decision for which [`read_evaluations`] finds none: they are none of ours, or contradict others.
pub fn unread_decision(texts: &[&str]) -> Option<String> {
    decide(texts).err().flatten()
}

fn decide(texts: &[&str]) -> Result<Evaluation, Option<String>> {
    let parts: Vec<Statements> = texts.iter().map(|text| Statements::read(text)).collect::<Result<_, _>>()?;
    let decisions = parts.iter().flat_map(|part| part.decisions.iter().cloned());
    let decision = decisions.reduce(|best, next| if next > best { next } else { best }).ok_or(None)?;
    let hardest =
        parts.iter().filter_map(|part| part.contradiction.as_ref()).max_by_key(|(hardest, _)| *hardest);
    if let Some((hardest, words)) = hardest
        && *hardest > hardness(&decision)
    {
        return Err(Some(words.clone()));
    }
    let mut remaining_tasks = each_once(parts.iter().flat_map(|part| part.objects.iter().flat_map(tasks_of)));
    if remaining_tasks.is_empty() && decision == EvaluationDecision::PassWithIssues {
        remaining_tasks = each_once(texts.iter().flat_map(|text| tasks::remaining(text)));
    }
    Ok(Evaluation { decision, remaining_tasks })
}

/// Returns how hard a decision is on the run.
fn hardness(decision: &EvaluationDecision) -> Judgment {
    match decision {
        EvaluationDecision::Pass | EvaluationDecision::PassWithIssues => Judgment::Approve,
        EvaluationDecision::FailPhase(_) => Judgment::Revise,
        EvaluationDecision::Abort => Judgment::Block,
    }
}

/// What the answer, or the deliverable, states.
struct Statements {
    decisions: Vec<EvaluationDecision>,
    /// Those that decide something, or only list tasks.
    objects: Vec<Fields>,
    /// The hardest of what other lines say, and their words.
    contradiction: Option<(Judgment, String)>,
}

/// Something at the place of a decision that is none of ours: it may be the strictest.
struct UnknownDecision;

impl Statements {
    /// Fails with the words of a decision that cannot be read, where there are any.
    fn read(text: &str) -> Result<Self, Option<String>> {
        let quoted = Quoted::new(text);
        let (mut objects, spans) = objects(text, &quoted).ok_or(None)?;
        let mut decisions = Vec::new();
        for fields in &objects {
            let words = || values(fields).next().map(json::line).unwrap_or_default();
            for value in values(fields) {
                decisions.extend(of_json(value).map_err(|UnknownDecision| Some(shown(&words())))?);
            }
            decisions.extend(hardest_inside(fields));
        }
        for line in decision_lines(text, &quoted) {
            decisions.extend(of_line(line).map_err(|UnknownDecision| Some(shown(line.trim())))?);
        }
        objects.retain(|fields| !is_form(fields));
        Ok(Self { decisions, objects, contradiction: contradiction(text, &quoted, &spans)? })
    }
}

/// Returns the lines that have the label near their start and are not quoted.
fn decision_lines<'t>(text: &'t str, quoted: &Quoted) -> impl Iterator<Item = &'t str> {
    let labels = mentions(text).filter(|label| text[label.clone()].eq_ignore_ascii_case("decision"));
    labels.filter_map(|label| {
        let before = tail(&text[..label.start], 60).rsplit('\n').next().unwrap_or_default();
        let line = label.start - before.len();
        let begins = line == 0 || text[..line].ends_with('\n');
        if begins && !quoted.is_quoted(line, label.start) { text[line..].lines().next() } else { None }
    })
}

fn shown(words: &str) -> String {
    clipped(words, LONGEST_WORDS).to_owned()
}

/// Returns the hardest that lines say without stating it in our form: `最終判定: ABORT`, `The decision is ABORT.`, a heading
/// with the word below it, `On second thought: ABORT`. They only contradict: they may be about something else.
fn contradiction(
    text: &str,
    quoted: &Quoted,
    objects: &[Range<usize>],
) -> Result<Option<(Judgment, String)>, Option<String>> {
    let phases: BTreeSet<String> = pattern("evaluation.phase")
        .find_iter(text)
        .take(MOST_TASKS)
        .map(|found| found.as_str().to_ascii_uppercase())
        .collect();
    let mut words = own_words();
    words.extend(phases.into_iter().map(|word| (word, Judgment::Revise)));
    let words = Words::new(&words);
    let marks = marker::read(text, quoted, &with_conditional_lines(text, objects), &words);
    if marks.crowded {
        return Err(None);
    }
    let by_marks = marks.against().filter_map(|(label, word)| {
        let known = decision(&word.trim().to_ascii_uppercase()).as_ref().map(hardness);
        let is_final = label.starts_with("最終") || label.starts_with("final ");
        let fails = is_final && words.denies(word) && !word.to_ascii_uppercase().starts_with("FAIL_PHASE");
        let hardness = if fails { known.or(Some(Judgment::Revise)) } else { known };
        Some((hardness?, shown(&format!("{label}: {word}"))))
    });
    let anew = decided_anew(text, quoted, objects);
    Ok(by_marks.chain(anew).reduce(|hardest, next| if next.0 > hardest.0 { next } else { hardest }))
}

/// Returns what lines outside objects decide anew, such as `On second thought: ABORT`.
fn decided_anew(text: &str, quoted: &Quoted, objects: &[Range<usize>]) -> Vec<(Judgment, String)> {
    let anew = pattern("evaluation.anew");
    let decided = |line: &str| {
        let line = folded(head(line, REACH));
        let word = anew.captures(&line)?.name("word")?;
        if is_conditional(&line[word.end()..]) {
            return None;
        }
        let decision = decision(&word.as_str().to_ascii_uppercase());
        Some((decision.as_ref().map_or(Judgment::Revise, hardness), shown(line.trim())))
    };
    let own = markdown::lines(text).filter(|(at, line)| {
        !is_inside(objects, *at) && quoted.is_own(*at, line) && !markdown::is_indented(line)
    });
    own.filter_map(|(_, line)| decided(line)).collect()
}

/// Adds the lines that only say what would have been decided to the objects: nothing in either is read as a line.
fn with_conditional_lines(text: &str, objects: &[Range<usize>]) -> Vec<Range<usize>> {
    let hard = pattern("evaluation.hard");
    let would = markdown::lines(text).filter(|(at, line)| {
        let line = folded(head(line, REACH));
        let word = if is_inside(objects, *at) { None } else { hard.find(&line) };
        word.is_some_and(|word| is_conditional(&line[word.end()..]))
    });
    let mut spans = objects.to_vec();
    spans.extend(would.map(|(at, line)| at..at + line.len()));
    spans.sort_by_key(|span| span.start);
    joined(spans)
}

/// Tells whether what follows a word says that it would be decided otherwise: `would have been given if …`.
fn is_conditional(rest: &str) -> bool {
    pattern("evaluation.conditional").is_match(rest)
}

/// Returns the objects of a text, and where they stand; nothing when one that decides cannot be read.
fn objects(text: &str, quoted: &Quoted) -> Option<(Vec<Fields>, Vec<Range<usize>>)> {
    let found = objects::find(text);
    let breaks = |broken: &Broken| {
        let word = broken.word.clone().map(|span| &text[span]).unwrap_or_default();
        let decides = decision(&word.to_ascii_uppercase()).is_some() || is_about_passing(word);
        (decides || broken.end == text.len()) && !quoted.is_code(broken.end.saturating_sub(1))
    };
    if found.crowded || found.broken.iter().any(breaks) {
        return None;
    }
    let budget = Budget::default();
    let mut objects = Vec::new();
    for span in &found.whole {
        match json::object(&text[span.clone()], &budget) {
            Some(fields) => objects.push(fields),
            None if text[span.clone()].to_ascii_lowercase().contains("\"decision\"") => return None,
            None => {}
        }
    }
    Some((objects, joined(found.whole)))
}

fn values(fields: &Fields) -> impl Iterator<Item = &Value> {
    fields.iter().filter(|(key, _)| key.eq_ignore_ascii_case("decision")).map(|(_, value)| value)
}

/// Returns what objects inside of one decide; it may only make that stricter.
fn hardest_inside(fields: &Fields) -> Option<EvaluationDecision> {
    let inside = objects_inside(fields);
    let words = inside.iter().flat_map(|inner| values(inner)).filter_map(Value::as_str);
    let decisions = words.filter_map(|word| decision(&word.trim().to_ascii_uppercase()));
    decisions.filter(|decision| *decision > EvaluationDecision::PassWithIssues).max()
}

/// Tells whether an object only shows the form of the answer; its tasks are examples.
fn is_form(fields: &Fields) -> bool {
    values(fields).filter_map(Value::as_str).any(|word| is_choice(&word.to_ascii_uppercase()))
}

fn decision(word: &str) -> Option<EvaluationDecision> {
    match word {
        "PASS" => Some(EvaluationDecision::Pass),
        "PASS_WITH_ISSUES" => Some(EvaluationDecision::PassWithIssues),
        "ABORT" => Some(EvaluationDecision::Abort),
        _ => {
            let phase = word.strip_prefix("FAIL_PHASE_")?.to_ascii_lowercase();
            let is_plain = phase.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
            let is_name = is_plain && (1..=40).contains(&phase.len());
            if is_name { Some(EvaluationDecision::FailPhase(phase)) } else { None }
        }
    }
}

fn of_json(value: &Value) -> Result<Option<EvaluationDecision>, UnknownDecision> {
    let word = match value {
        Value::String(word) => folded(head(word.trim(), LONGEST_VALUE)).to_ascii_uppercase(),
        Value::Null => return Ok(None),
        _ => return Err(UnknownDecision),
    };
    let is_sentence = word.contains(char::is_whitespace) && !is_about_passing(&word);
    match decision(&word) {
        None if word.is_empty() || is_choice(&word) || is_sentence => Ok(None),
        None => Err(UnknownDecision),
        decided => Ok(decided),
    }
}

/// Reads a line such as `**DECISION: PASS_WITH_ISSUES**`. Words to choose from say nothing; a pass that is taken back and
/// a word about passing that is none of ours cannot be read.
fn of_line(line: &str) -> Result<Option<EvaluationDecision>, UnknownDecision> {
    let line = folded(head(line.trim(), LONGEST_VALUE));
    let bare = line.trim_start_matches(decoration("*_`#-+"));
    let whole = after_prefix(bare, "final ").or_else(|| after_prefix(bare, "overall "));
    let label = whole.unwrap_or(bare);
    let Some(after) = after_prefix(label, "decision") else { return Ok(None) };
    let Some(value) = after.trim_start_matches(['*', '_', '`', ' ']).strip_prefix([':', '=']) else {
        return Ok(None);
    };
    // Such a label can be about nothing but the run.
    let is_certain = whole.is_some() || label.starts_with("DECISION");
    of_value(value.trim_start_matches(decoration("*_`\"'「『[")), is_certain)
}

fn of_value(written: &str, is_certain: bool) -> Result<Option<EvaluationDecision>, UnknownDecision> {
    let value = written.to_ascii_uppercase();
    let (token, rest) = split_token(&value);
    if value.is_empty() || is_choice(&value) {
        return Ok(None);
    }
    let word = Words::new(&own_words()).read(&value);
    match decision(token.trim_end_matches('_')) {
        Some(EvaluationDecision::FailPhase(_) | EvaluationDecision::Abort) if is_conditional(rest) => {
            Ok(None)
        }
        Some(decision @ EvaluationDecision::FailPhase(_)) => Ok(Some(decision)),
        Some(decision) if matches!(word, MarkerWord::Word { clean: true, .. }) => Ok(Some(decision)),
        Some(_) => Err(UnknownDecision),
        None if is_certain => Err(UnknownDecision),
        // `Decision: fail fast on a bad header` is about the code.
        None if matches!(word, MarkerWord::Unknown(_)) && stands_alone(&written[..token.len()], rest) => {
            Err(UnknownDecision)
        }
        None => Ok(None),
    }
}

fn split_token(value: &str) -> (&str, &str) {
    value.split_at(value.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(value.len()))
}

/// Tells whether a word is a verdict by how it is written: `REJECTED`, `Rejected because …`, `failed.`
fn stands_alone(token: &str, rest: &str) -> bool {
    let is_shouted = token.len() > 1 && !token.contains(|c: char| c.is_ascii_lowercase());
    let ends = !rest.trim_start().starts_with(char::is_alphanumeric);
    is_shouted || ends || token.to_ascii_lowercase().ends_with("ed")
}

fn is_about_passing(word: &str) -> bool {
    matches!(Words::new(&own_words()).read(word), MarkerWord::Unknown(_) | MarkerWord::Word { .. })
}

/// Tells whether words to choose from are offered: `PASS / ABORT`, `FAIL_PHASE_<phase>`.
fn is_choice(value: &str) -> bool {
    let value = value.trim_matches(|c: char| c.is_whitespace() || "[](){}<>*`\"'".contains(c));
    let is_blank = |part: &str| part.starts_with("FAIL_PHASE_<") || part.starts_with("FAIL_PHASE_{");
    let is_known = |part: &str| {
        let part = part.trim_matches(|c: char| c.is_whitespace() || "*`\"'".contains(c));
        decision(split_token(part).0).is_some() || is_blank(part)
    };
    is_blank(value) || (value.contains(['|', '/']) && value.split(['|', '/']).all(is_known))
}

fn own_words() -> BTreeMap<String, Judgment> {
    BTreeMap::from([
        ("PASS".to_owned(), Judgment::Approve),
        ("PASS_WITH_ISSUES".to_owned(), Judgment::ApproveWithNotes),
        ("ABORT".to_owned(), Judgment::Block),
    ])
}

fn tasks_of(fields: &Fields) -> Vec<RemainingTask> {
    let task = |value: &Value| match value {
        Value::Object(fields) => {
            let text = |name: &str| json::text(fields, name);
            RemainingTask { task: text("task"), phase: text("phase"), priority: text("priority") }
        }
        other => RemainingTask { task: json::line(other), phase: String::new(), priority: String::new() },
    };
    let items = fields.get("remaining_tasks").and_then(Value::as_array);
    items.into_iter().flatten().map(task).filter(|task| !task.task.is_empty()).take(MOST_TASKS).collect()
}

fn each_once(tasks: impl Iterator<Item = RemainingTask>) -> Vec<RemainingTask> {
    let mut once: Vec<RemainingTask> = Vec::new();
    for task in tasks {
        if once.len() < MOST_TASKS && !once.contains(&task) {
            once.push(task);
        }
    }
    once
}

#[cfg(test)]
mod tests;
