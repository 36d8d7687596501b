//! The values that placeholders stand for: foreign texts in their blocks, everything else as one clean line.

use serde_json::{Map, Value, json};

use super::block::{Keep, block};
use super::clean::line;
use super::input::PromptInput;
use super::lists;
use super::words::Words;
use crate::issue::Issue;
use crate::phase::Step;

/// The longest texts, in bytes.
const ISSUE: Keep = Keep::Start(32 * 1024);
const DIFF: Keep = Keep::Start(64 * 1024);
const REVIEW: Keep = Keep::Start(32 * 1024);
const LIST: Keep = Keep::Start(24 * 1024);
const TEXT: Keep = Keep::Start(16 * 1024);
const EVIDENCE: Keep = Keep::End(16 * 1024);
const DOCUMENT: usize = 32 * 1024;
/// All inlined documents together.
const DOCUMENTS: usize = 96 * 1024;

/// Where an issue comes from, as its block says it.
const ISSUE_SOURCE: &str = "the issue as its author wrote it";

/// Returns the values of all placeholders but `retry`.
pub(super) fn context(input: &PromptInput<'_>) -> Map<String, Value> {
    let mut values = facts(input);
    values.append(&mut foreign(input));
    values
}

fn facts(input: &PromptInput<'_>) -> Map<String, Value> {
    let documents: Vec<Value> = input
        .documents
        .iter()
        .map(|document| json!({"name": line(&document.phase), "path": line(&document.path)}))
        .collect();
    let commands: Vec<Value> =
        input.commands.iter().map(|(id, text)| json!({"id": line(id), "line": line(text)})).collect();
    let words = Words::of(input.phase.policy.review.as_ref());
    object(json!({
        "issue_number": input.issue.number.get(),
        "phase": input.phase.name.as_str(),
        "step": input.step.as_str(),
        "round": input.round,
        "language": line(input.language),
        "output": line(input.output),
        "fence": input.fence,
        "run_fence": input.run_fence,
        "review_id": input.review_id.unwrap_or_default(),
        "documents": documents,
        "commands": commands,
        "changes_code": input.phase.changes_code,
        "decides": input.phase.decides,
        "verdicts": words.verdicts.join("|"),
        "decisions": words.decisions.join("|"),
        "meanings": words.meanings(),
    }))
}

fn foreign(input: &PromptInput<'_>) -> Map<String, Value> {
    let marked = |mark: &str, other: &str, source: &str, text: &str, keep| {
        block(mark, source, &without(other, mark, text), keep)
    };
    let data = |source: &str, text: &str, keep| marked(input.fence, input.run_fence, source, text, keep);
    let of_run = |source: &str, text: &str, keep| marked(input.run_fence, input.fence, source, text, keep);
    let open = input.checks.iter().filter(|result| lists::is_open(result));
    object(json!({
        "issue": of_run(ISSUE_SOURCE, &issue_text(input.issue), ISSUE),
        "inlined": inlined(input, of_run),
        "output_text": data("the deliverable", input.output_text, Keep::Start(DOCUMENT)),
        "findings": data("findings of a reviewer", &lists::findings(input.findings), LIST),
        "checks": data("what our checks saw, output of commands included", &lists::checks(open), EVIDENCE),
        "evidence": data("what our checks saw, output of commands included", &lists::checks(input.checks), EVIDENCE),
        "feedback": data("the text of a reviewer", input.feedback, TEXT),
        "suggestions": of_run("suggestions of earlier reviewers", &lists::plain(input.suggestions), TEXT),
        "answer": data("a person's answer", input.answer, TEXT),
        "rollback": data("the reason as it was given", input.rollback, TEXT),
        "changed": data("paths from git", &lists::plain(input.changed), LIST),
        "diff": data("the diff of this phase, from git", input.diff, DIFF),
        "previous_review": data(previous(input.step), input.previous_review, REVIEW),
        "questions": data("questions of a reviewer", &lists::plain(input.questions), TEXT),
    }))
}

/// Takes the mark of other blocks out of a text.
fn without(mark: &str, own: &str, text: &str) -> String {
    if mark == own { text.to_owned() } else { text.replace(mark, "[mark]") }
}

/// Returns the texts of documents, each in its block, until there is no more room.
fn inlined(input: &PromptInput<'_>, data: impl Fn(&str, &str, Keep) -> String) -> String {
    let mut room = DOCUMENTS;
    let blocks = input.inlined.iter().map(|document| {
        let most = room.min(DOCUMENT);
        room -= most.min(document.text.len());
        data(&format!("the file {}", line(&document.path)), &document.text, Keep::Start(most))
    });
    blocks.collect::<Vec<_>>().join("\n")
}

/// Returns the issue in its block.
pub(super) fn issue_block(issue: &Issue, fence: &str) -> String {
    block(fence, ISSUE_SOURCE, &issue_text(issue), ISSUE)
}

fn issue_text(issue: &Issue) -> String {
    let labels = issue.labels.iter().map(|label| line(label)).collect::<Vec<_>>().join(", ");
    let labels = if labels.is_empty() { labels } else { format!("\nLabels: {labels}") };
    format!("Title: {}{labels}\n\n{}", line(&issue.title), issue.body)
}

fn previous(step: Step) -> &'static str {
    if step == Step::Triage { "the review as the reviewer wrote it" } else { "the reply to the last review" }
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}
