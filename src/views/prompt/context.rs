//! The values that placeholders stand for: foreign texts in their blocks, everything else as one clean line.

use serde_json::{Map, Value, json};

use super::advice::Failed;
use super::block::{Keep, block};
use super::clean::{self, line};
use super::declaration::declaration;
use super::input::{Inlined, PromptInput};
use super::issue_block::issue_block;
use super::lists::{self, Part, Told};
use super::modification;
use super::params::Marks;
use super::tasks;
use super::templates::Templates;
use super::words::Words;
use model::event::CheckResult;
use model::phase::Step;
use model::policy::{AnswerForm, OnFail};
use settings::LONGEST_SCHEMA;

/// The longest texts, in bytes.
const DIFF: Keep = Keep::Start(64 * 1024);
/// More of what was said or changed before is in no prompt.
pub const LONGEST_REVIEW: usize = 32 * 1024;
const REVIEW: Keep = Keep::Start(LONGEST_REVIEW);
const LIST: Keep = Keep::Start(24 * 1024);
const TEXT: Keep = Keep::Start(16 * 1024);
/// What checks saw: of each the end counts most, and of all of them the first.
const EVIDENCE: usize = 16 * 1024;
const CHECKS: Keep = Keep::Start(32 * 1024);
/// More of one document is shown to nobody who cannot open it.
pub const LONGEST_DOCUMENT: usize = 32 * 1024;
/// All inlined documents together.
const DOCUMENTS: usize = 96 * 1024;

/// Returns the values of all placeholders but `retry` and `modifies`.
pub(super) fn context(
    input: &PromptInput<'_>,
    failed: &[Failed<'_>],
    templates: &Templates<'_>,
) -> Map<String, Value> {
    let marks = Marks { call: input.fence, run: input.run_fence };
    let open: Vec<&CheckResult> = failed.iter().map(|failed| failed.result).collect();
    let mut values = facts(input);
    values.append(&mut foreign(input));
    values.append(&mut repairs(failed, templates, marks));
    values.append(&mut modification::values(&open, marks));
    values.insert("project".to_owned(), templates.is_own("shared/project.md").into());
    values.insert("declaration".to_owned(), declaration(input, &open, marks).into());
    values
}

/// Returns what the checks saw that did not pass.
pub(super) fn repairs(
    failed: &[Failed<'_>],
    templates: &Templates<'_>,
    marks: Marks<'_>,
) -> Map<String, Value> {
    let told: Vec<Told<'_>> =
        failed.iter().map(|failed| (failed.result, told_by(&failed.path, templates))).collect();
    let shown = |part| {
        let text = marks.without(&lists::checks(&told, part, EVIDENCE));
        block(marks.call, "what our checks saw, output of commands included", &text, CHECKS)
    };
    object(json!({"checks": shown(Part::Whole), "outputs": shown(Part::WithoutPlaces)}))
}

/// Returns the parameters that a retry text tells itself.
fn told_by(path: &str, templates: &Templates<'_>) -> Vec<String> {
    let names = templates.names(path);
    let declared = templates.params(path).iter();
    declared.filter(|param| names.asked.iter().any(|(name, _)| name == *param)).cloned().collect()
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
        "quality_gate": modification::is_gate(input.phase),
        "japanese": input.language.to_lowercase().starts_with("ja"),
        "declared_round": input.declared.map_or(0, |(round, _)| round),
        "task_lists": input.task_lists.iter().map(|list| line(list)).collect::<Vec<_>>().join(", "),
        "decides": input.phase.decides,
        "verdicts": words.verdicts.join("|"),
        "decisions": words.decisions.join("|"),
        "meanings": words.meanings(),
        "may_ask": input.may_ask,
        "seat": input.seat.map(line).unwrap_or_default(),
        "viewpoints": input.viewpoints.iter().map(|name| line(name)).collect::<Vec<_>>().join(", "),
        "grades": grades(input.viewpoints),
    }))
}

/// Returns the form in which a reviewer grades.
fn grades(viewpoints: &[String]) -> String {
    let each = viewpoints.iter().map(|name| format!("\"{}\": \"A|B|C|D\"", line(name)));
    format!("{{{}}}", each.collect::<Vec<_>>().join(", "))
}

fn foreign(input: &PromptInput<'_>) -> Map<String, Value> {
    let marked = |mark: &str, other: &str, source: &str, text: &str, keep| {
        block(mark, source, &without(other, mark, text), keep)
    };
    let data = |source: &str, text: &str, keep| marked(input.fence, input.run_fence, source, text, keep);
    let of_run = |source: &str, text: &str, keep| marked(input.run_fence, input.fence, source, text, keep);
    let all: Vec<Told<'_>> = input.checks.iter().map(|result| (result, Vec::new())).collect();
    let evidence = lists::checks(&all, Part::Whole, EVIDENCE);
    object(json!({
        "issue": issue_block(input.issue, input.run_fence, input.fence),
        "inlined": inlined(input, of_run),
        "answer_json": input.phase.answer_form == Some(AnswerForm::Json),
        "answer_pattern": data("the pattern, from the configuration", answer_pattern(input), TEXT),
        "output_schema": data("the schema, from the configuration", &output_schema(input), Keep::Start(LONGEST_SCHEMA)),
        "form": data("what our checks saw", &form(input), TEXT),
        "output_text": data("the deliverable", input.output_text, Keep::Start(LONGEST_DOCUMENT)),
        "findings": data("findings of a reviewer", &findings(input), LIST),
        "tasks": data("findings of a reviewer, as tasks", &tasks::tasks(input.tasks), LIST),
        "later": data("findings of a reviewer, as tasks", &tasks::later(input.later), TEXT),
        "remarks": data("findings of a reviewer", &tasks::named(input.remarks), TEXT),
        "since_review": data("the diff since the last review, from git", input.since_review, REVIEW),
        "doubt": data("words of the last review", input.doubt, TEXT),
        "evidence": data("what our checks saw, output of commands included", &evidence, CHECKS),
        "hint": data("our words, with the author's own", input.hint, TEXT),
        "feedback": data("the text of a reviewer", input.feedback, TEXT),
        "suggestions": of_run("suggestions of earlier reviewers", &lists::plain(input.suggestions), TEXT),
        "notices": data("notices of earlier authors", &lists::plain(input.notices), TEXT),
        "history": of_run("what each round of the run came to, and what is open", &lists::plain(input.history), TEXT),
        "answer": data("a person's answer", input.answer, TEXT),
        "rollback": data("the reason as it was given", input.rollback, TEXT),
        "changed": data("paths from git", &lists::plain(input.changed), LIST),
        "diff": data("all that the branch differs in from its base, from git", input.diff, DIFF),
        "previous_review": data(previous(input.step), input.previous_review, REVIEW),
        "replied": data("the author's answers to them", input.replied, TEXT),
        "questions": data("questions of a reviewer", &lists::plain(input.questions), TEXT),
    }))
}

/// Returns the findings that a call is about; a review is told their ids.
fn findings(input: &PromptInput<'_>) -> String {
    if input.open.is_empty() { lists::findings(input.findings) } else { tasks::named(input.open) }
}

/// Returns the schema that an author's answer is held to.
fn output_schema(input: &PromptInput<'_>) -> String {
    input.phase.output_schema.as_ref().map(ToString::to_string).unwrap_or_default()
}

/// Returns the pattern that an author's answer has to meet.
fn answer_pattern<'a>(input: &PromptInput<'a>) -> &'a str {
    match &input.phase.answer_form {
        Some(AnswerForm::Pattern(pattern)) => pattern,
        Some(AnswerForm::Json) | None => "",
    }
}

/// Returns what was wrong with the form of the last answer, when the work is done over for nothing else.
fn form(input: &PromptInput<'_>) -> String {
    let rules = &input.phase.policy.checks;
    let is_form = |result: &CheckResult| {
        rules.iter().any(|rule| rule.id == result.check && rule.on_fail == OnFail::Format)
    };
    let open = input.checks.iter().filter(|result| input.step == Step::Execute && lists::is_open(result));
    let told: Vec<Told<'_>> =
        open.filter(|result| is_form(result)).map(|result| (result, Vec::new())).collect();
    lists::checks(&told, Part::Whole, EVIDENCE)
}

/// Takes the mark of other blocks out of a text. Cleaned first: a hidden character must not hide the mark.
pub(super) fn without(mark: &str, own: &str, text: &str) -> String {
    let text = clean::text(text);
    if mark == own { text } else { text.replace(mark, "[mark]") }
}

/// Returns the first of these documents that a prompt shows only the beginning of.
pub fn first_cut(documents: &[Inlined]) -> Option<&Inlined> {
    rooms(documents).find(|(document, most)| document.text.len() > *most).map(|(document, _)| document)
}

/// Returns documents, each with how much of it is shown: until there is no more room.
fn rooms(documents: &[Inlined]) -> impl Iterator<Item = (&Inlined, usize)> {
    documents.iter().scan(DOCUMENTS, |room, document| {
        let most = (*room).min(LONGEST_DOCUMENT);
        *room -= most.min(document.text.len());
        Some((document, most))
    })
}

/// Returns the texts of documents, each in its block.
fn inlined(input: &PromptInput<'_>, data: impl Fn(&str, &str, Keep) -> String) -> String {
    let blocks = rooms(input.inlined).map(|(document, most)| {
        data(&format!("the file {}", line(&document.path)), &document.text, Keep::Start(most))
    });
    blocks.collect::<Vec<_>>().join("\n")
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
