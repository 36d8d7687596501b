//! The questions of the checks as a reviewer reads them: each on a line of its own that begins with its id, all of them in one fence,
//! since what is doubted may quote the author. And the form in which they are answered.

use serde_json::{Map, Value, json};

use super::fence::{FenceMarks, Truncation};
use crate::text::{line, place};
use model::event::ReviewQuestion;
use model::text::shorten;

/// The longest text of all questions together.
const QUESTIONS: Truncation = Truncation::Start(24 * 1024);
/// The longest question, in characters: all of them have space.
const LONGEST_QUESTION: usize = 1_000;

/// Returns the questions in their fence; nothing where there are none.
pub(super) fn block(questions: &[ReviewQuestion], marks: FenceMarks<'_>) -> String {
    let lines: Vec<String> = questions.iter().map(question_line).collect();
    marks.block("questions of our checks", &lines.join("\n"), QUESTIONS)
}

fn question_line(question: &ReviewQuestion) -> String {
    let ReviewQuestion { id, check, place: at } = question;
    let place = place(at.file.as_deref().map(line).as_deref(), at.line);
    let place = place.map(|place| format!("{place}: ")).unwrap_or_default();
    format!("{id}: {place}{} ({})", shorten(&line(&at.what), LONGEST_QUESTION), line(check))
}

/// Returns the form of the answers, an entry for each question.
pub(super) fn form(questions: &[ReviewQuestion]) -> String {
    let entry = |id: &String| format!(r#""{id}": {{"judgment": "fine|wrong", "reason": "…"}}"#);
    let entries: Vec<String> = questions.iter().map(|question| entry(&question.id)).collect();
    format!("{{{}}}", entries.join(", "))
}

/// Returns the JSON Schema of the answers: every id required, nothing else allowed.
pub(super) fn schema(questions: &[ReviewQuestion]) -> Value {
    let answer = json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["judgment", "reason"],
        "properties": {
            "judgment": {"type": "string", "enum": ["fine", "wrong"]},
            "reason": {"type": "string"},
        },
    });
    let ids: Vec<&str> = questions.iter().map(|question| question.id.as_str()).collect();
    let each: Map<String, Value> = ids.iter().map(|id| ((*id).to_owned(), answer.clone())).collect();
    json!({"type": "object", "additionalProperties": false, "required": ids, "properties": each})
}
