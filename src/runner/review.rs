//! Reads the answers of reviewers, and says what the record of the latest verdict holds.
//! Calls no agent, and neither reads nor writes a file; the record is an export.

use serde_json::{Value, json};

use agents::AgentAnswer;
use content_parser::{Fields, Terms, read_review, read_structured, stated_findings};
use engine::Run;
use model::event::{AnswerJudgment, ExecOutcome, Reading, ReviewAnswer, ReviewQuestion};
use model::finding::{Finding, Severity};
use model::verdict::{Grade, Judgment, ReadAs, Verdict};

/// Reads a reviewer's answer; nothing when the call failed or the answer is empty.
pub fn read_answer(answer: &AgentAnswer, terms: &Terms<'_>) -> Option<Reading> {
    let AgentAnswer { text, structured, .. } = answer;
    if answer.outcome != ExecOutcome::Done || text.trim().is_empty() {
        return None;
    }
    let terms = &Terms { require_review_id: terms.require_review_id || answer.schema_missed, ..*terms };
    let object = if *structured { serde_json::from_str(text).ok() } else { None };
    let reading = object.map_or_else(|| read_review(text, terms), |object| read_structured(&object, terms));
    let reading = add_stated_failure(reading, text, terms);
    Some(if answer.truncated { mark_cut_off(reading) } else { mark_unreliable(reading) })
}

/// Adds the findings that a review states in its text and that are worse than those of its object: an object lists what its reviewer
/// names, so what is as mild as its findings is taken for the same. Something grave beside an approval is what [`doubt`] asks about;
/// under a triage nobody asks, and all of it is judged.
pub fn add_stated_findings(reading: Reading, text: &str, is_triaged: bool) -> Reading {
    let is_unread = reading.read_as == ReadAs::Default || reading.doubt.is_some();
    if is_unread && !is_triaged {
        return reading;
    }
    let worst_named = reading.findings.iter().map(|finding| finding.severity).max();
    let takes_grave = is_triaged || !reading.judgment.approves();
    let mut findings = reading.findings;
    findings.extend(stated_findings(text).into_iter().filter(|finding| {
        Some(finding.severity) > worst_named && (takes_grave || finding.severity <= Severity::Minor)
    }));
    Reading { findings, ..reading }
}

/// Keeps the answers to what the checks ask, and makes a major finding of each that says wrong. Such an answer denies an approval.
pub fn apply_answers(mut reading: Reading, questions: &[ReviewQuestion]) -> Reading {
    reading.answers.retain(|id, _| questions.iter().any(|question| question.id == *id));
    if reading.read_as == ReadAs::Default {
        return reading;
    }
    for question in questions {
        let answer = reading.answers.get(&question.id);
        if let Some(answer) = answer.filter(|answer| answer.judgment == AnswerJudgment::Wrong) {
            let finding = finding_of_answer(question, answer);
            reading.findings.push(finding);
            reading = reading.revised(&format!("{} answered with wrong", question.id));
        }
    }
    reading
}

fn finding_of_answer(question: &ReviewQuestion, answer: &ReviewAnswer) -> Finding {
    let ReviewQuestion { check, place, .. } = question;
    let issue = format!("{} (the check {check} asked: {})", answer.reason, place.what);
    Finding { file: place.file.clone(), line: place.line, ..Finding::new(Severity::Major, check, issue) }
}

/// Adds what failed to the words of a review that refuses, where its object names that in fields of their own.
fn add_stated_failure(reading: Reading, text: &str, terms: &Terms<'_>) -> Reading {
    if reading.judgment.approves() {
        return reading;
    }
    let objects = content_parser::split_objects(text).map(|(objects, _)| objects).unwrap_or_default();
    let readable = objects.iter().filter_map(|(_, fields)| fields.as_ref());
    let lines = readable.filter(|fields| is_of_review(fields, terms)).flat_map(failure_lines);
    let words = std::iter::once(reading.feedback.clone()).filter(|words| !words.is_empty());
    let feedback = words.chain(lines).collect::<Vec<_>>().join("\n");
    Reading { feedback, ..reading }
}

fn is_of_review(fields: &Fields, terms: &Terms<'_>) -> bool {
    let id = fields.get("review_id").and_then(Value::as_str);
    id.is_none() || terms.review_id.is_none() || id == terms.review_id
}

/// Returns the kind of a failure and the command that failed, each with its label.
fn failure_lines(fields: &Fields) -> Vec<String> {
    let inner = find_field(fields, &["failure"]).and_then(Value::as_object);
    let find = |outer: &[&str], nested: &[&str]| {
        find_field(fields, outer).or_else(|| find_field(inner?, nested))?.as_str()
    };
    let kind = find(&["failuretype", "failurekind"], &["type", "kind", "failuretype"]);
    let command = find(&["failedcommand", "command"], &["command", "failedcommand"]);
    let named = [("Failure type", kind), ("Failed command", command)].into_iter();
    let one_line = |value: &str| value.split_whitespace().collect::<Vec<_>>().join(" ");
    let named = named.filter_map(|(label, value)| Some((label, one_line(value?))));
    named.filter(|(_, value)| !value.is_empty()).map(|(label, value)| format!("{label}: {value}")).collect()
}

/// Returns a field by one of its names, in letters only: `failed_command` and `failedCommand` are the same.
fn find_field<'f>(fields: &'f Fields, names: &[&str]) -> Option<&'f Value> {
    let letters = |key: &str| key.chars().filter(|c| c.is_alphabetic()).collect::<String>().to_lowercase();
    let is_named = |(key, _): &(&String, &Value)| names.contains(&letters(key).as_str());
    fields.iter().find(is_named).map(|(_, value)| value)
}

/// Returns an approval as unverifiable if its own answer contradicts it; any other reading as it is.
pub(crate) fn apply_doubt(reading: Reading, text: &str) -> Reading {
    if !reading.judgment.approves() {
        return reading;
    }
    let doubt = doubt(&reading, text);
    mark_unreliable(Reading { doubt, ..reading })
}

/// Returns the text beside an approval, or in its object, that contradicts it.
pub fn doubt(reading: &Reading, text: &str) -> Option<String> {
    reading.doubt.clone().or_else(|| content_parser::doubt(text))
}

/// Returns an approval with a doubt as unverifiable.
fn mark_unreliable(reading: Reading) -> Reading {
    match &reading.doubt {
        Some(doubt) if reading.judgment.approves() => {
            let reason = format!("doubtful: beside it stands `{doubt}`");
            mark_unverifiable(reading, reason)
        }
        Some(_) | None => reading,
    }
}

/// Returns the reading of a truncated answer as unverifiable: the missing part may retract the verdict.
fn mark_cut_off(reading: Reading) -> Reading {
    let reason = "the answer is too long and was cut off".to_owned();
    mark_unverifiable(Reading { read_as: ReadAs::Default, ..reading }, reason)
}

fn mark_unverifiable(reading: Reading, reason: String) -> Reading {
    Reading { result: Verdict::Fail, judgment: Judgment::Unverifiable, reason, ..reading }
}

/// Returns `review-result.json` of the latest verdict of a run, in the format of an older system plus the tree; nothing before
/// the first verdict. Where a check decided, it names no reviewer. It is made from the facts and never read back.
pub fn result_file(run: &Run) -> Option<Value> {
    let verdicts =
        run.phases.iter().filter_map(|phase| Some((phase, phase.reviews.latest_verdict.as_ref()?)));
    let (phase, latest) = verdicts.max_by_key(|(_, latest)| latest.at)?;
    let review = latest.review.as_ref();
    let reading = review.and_then(|review| review.reading.as_ref());
    Some(json!({
        "phase": phase.name(),
        "round": latest.round,
        "verdict": latest.verdict,
        "decision": latest.decision,
        "stated": reading.map(|reading| reading.stated.clone()),
        "read_as": reading.map(|reading| reading.read_as.clone()),
        "suggestions": reading.map(|reading| reading.suggestions.clone()).unwrap_or_default(),
        "grade": latest.grade.map_or("N/A", Grade::as_str),
        "commit_hash": latest.commit,
        "tree_hash": latest.tree,
        "timestamp": latest.at.to_string(),
        "reviewer": review.map(|review| review.reviewer.clone()),
        "reviewer_session": review.and_then(|review| review.ended.session.clone()),
        "session_id": run.started.run_id,
        "run": run.started.run_id,
    }))
}

#[cfg(test)]
mod tests;
