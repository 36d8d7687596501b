//! Makes prompts: of a step, of failed checks outside a run, and the question how hard an issue is. A template is filled once;
//! values are inserted and never looked at again.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::PromptError;
use super::fence::{FenceMarks, Truncation};
use super::input::{InlinedFile, PromptInput, RepairInput, ReviewInput, WorkInput};
use super::repair::{self, CHECKS, CheckInPrompt, FROM_CHECKS, checks_block, declaration, demands, problems};
use super::retry_texts::{FailedCheck, RetryTexts, is_open};
use super::review_questions;
use super::reviewer_contract::VerdictWords;
use super::templates::{Templates, Values, repeats_task};
use crate::text::{fill_template, line};
use model::event::CheckResult;
use model::issue::{Discussion, Issue};
use model::phase::Step;
use model::policy::{AnswerForm, FailurePattern, OnFail, RetryPromptPath};
use settings::LONGEST_SCHEMA;

/// Returns the prompt of a step. `overrides` holds the repository's own templates by path, such as `planning/execute.md`.
/// Fails when the step has no prompt, when a mark or the review id could be guessed or is missing, and when a template is wrong.
pub fn render(input: &PromptInput<'_>, overrides: &BTreeMap<String, String>) -> Result<String, PromptError> {
    refuse_incomplete(input)?;
    let templates = Templates::new(overrides)?;
    let template = templates.for_step(input.phase, input.step).ok_or(PromptError::NoPrompt(input.step))?;
    let marks = FenceMarks { call: input.fence, run: input.run_fence };
    let library = RetryTexts { templates: &templates, patterns: input.patterns, c3l: input.c3l, marks };
    let failed = library.failed(input.checks);
    let mut values = context(input, &failed, &library);
    values.insert("modifies".to_owned(), template.modifies.into());
    let retry = library.advice(&failed, &values)?;
    values.insert("retry".to_owned(), retry.into());
    Ok(templates.fill(&template.path, &values)?.trim_start().to_owned())
}

/// Returns the prompt that asks how hard an issue is, before any phase begins; `fence` is the mark around data.
/// Fails when the mark could be guessed, and when the template is wrong.
pub fn difficulty(
    issue: &Issue,
    fence: &str,
    overrides: &BTreeMap<String, String>,
) -> Result<String, PromptError> {
    refuse_weak(fence)?;
    let values = json!({
        "issue_number": issue.number.get(),
        "fence": fence,
        "run_fence": fence,
        "issue": issue_block(issue, FenceMarks { call: fence, run: fence }),
    });
    Templates::new(overrides)?.fill("shared/difficulty.md", &values)
}

/// Returns the prompt for the results that did not pass, outside a run; an empty text when all did. `overrides` holds the
/// repository's own templates by path, and those of the registry with its base before their paths. Fails like [`render`].
pub fn retry_prompt(
    results: &[CheckResult],
    patterns: &BTreeMap<String, FailurePattern>,
    c3l: Option<&RetryPromptPath>,
    overrides: &BTreeMap<String, String>,
    fence: &str,
) -> Result<String, PromptError> {
    refuse_weak(fence)?;
    let templates = Templates::new(overrides)?;
    let marks = FenceMarks { call: fence, run: fence };
    let library = RetryTexts { templates: &templates, patterns, c3l, marks };
    let failed = library.failed(results);
    if failed.is_empty() {
        return Ok(String::new());
    }
    // What a prompt of a run gives is empty outside one.
    let mut values: Values = PLACEHOLDERS.iter().map(|(name, _)| ((*name).to_owned(), "".into())).collect();
    values.insert("fence".to_owned(), fence.into());
    values.insert("run_fence".to_owned(), fence.into());
    values.insert("checks".to_owned(), checks_block(&failed, &library, true).into());
    values.insert("outputs".to_owned(), checks_block(&failed, &library, false).into());
    let retry = library.advice(&failed, &values)?;
    values.insert("retry".to_owned(), retry.into());
    templates.fill("shared/retry.md", &values)
}

/// Refuses a mark that a text could contain by chance.
fn refuse_weak(fence: &str) -> Result<(), PromptError> {
    let good = fence.len() >= 8 && fence.chars().all(|c| c.is_ascii_alphanumeric());
    if good { Ok(()) } else { Err(PromptError::BadFence) }
}

/// Refuses an input whose prompt could be misread.
fn refuse_incomplete(input: &PromptInput<'_>) -> Result<(), PromptError> {
    refuse_weak(input.fence)?;
    refuse_weak(input.run_fence)?;
    let judges = matches!(input.step, Step::Review | Step::Triage);
    if judges && input.review.review_id.is_none_or(str::is_empty) {
        return Err(PromptError::NoReviewId(input.step));
    }
    Ok(())
}

/// More of what was said or changed before is in no prompt, in bytes.
pub const LONGEST_REVIEW: usize = 32 * 1024;
/// The most bytes of one document that a prompt shows to an agent that cannot open files.
pub const LONGEST_DOCUMENT: usize = 32 * 1024;
/// All inlined documents together.
const DOCUMENTS: usize = 96 * 1024;
const REVIEW: Truncation = Truncation::Start(LONGEST_REVIEW);
const DIFF: Truncation = Truncation::Start(64 * 1024);
const LIST: Truncation = Truncation::Start(24 * 1024);
const TEXT: Truncation = Truncation::Start(16 * 1024);
const ISSUE: Truncation = Truncation::Start(32 * 1024);
/// What was said last is not cut off; the rest was bounded when the run began.
const COMMENTS: Truncation = Truncation::End(32 * 1024);
const LINKED: Truncation = Truncation::Start(4 * 1024);

/// What the values are made of.
struct PromptSource<'a> {
    input: &'a PromptInput<'a>,
    material: WorkInput<'a>,
    review: ReviewInput<'a>,
    repair: RepairInput<'a>,
    failed: &'a [FailedCheck<'a>],
    open: Vec<&'a CheckResult>,
    library: &'a RetryTexts<'a>,
}

/// A placeholder and its value.
type Placeholder = (&'static str, fn(&PromptSource<'_>) -> Value);

/// Every placeholder that a prompt of a run gives to its template.
const PLACEHOLDERS: &[Placeholder] = &[
    ("issue_number", |it| it.input.issue.number.get().into()),
    ("phase", |it| it.input.phase.name.as_str().into()),
    ("step", |it| it.input.step.as_str().into()),
    ("round", |it| it.input.round.into()),
    ("language", |it| line(it.input.language).into()),
    ("japanese", |it| it.input.language.to_lowercase().starts_with("ja").into()),
    ("output", |it| line(it.input.output).into()),
    ("fence", |it| it.input.fence.into()),
    ("run_fence", |it| it.input.run_fence.into()),
    ("project", |it| it.library.templates.is_own("shared/project.md").into()),
    // The phase.
    ("changes_code", |it| it.input.phase.changes_code.into()),
    ("quality_gate", |it| repeats_task(it.input.phase).into()),
    ("decides", |it| it.input.phase.decides.into()),
    ("answer_json", |it| (it.input.phase.answer_form == Some(AnswerForm::Json)).into()),
    ("answer_pattern", |it| it.data("the pattern, from the configuration", answer_pattern(it.input), TEXT)),
    ("output_schema", |it| {
        let schema = it.input.phase.output_schema.as_ref().map(ToString::to_string).unwrap_or_default();
        it.data("the schema, from the configuration", &schema, Truncation::Start(LONGEST_SCHEMA))
    }),
    // What there is to work with.
    ("issue", |it| issue_block(it.input.issue, it.library.marks).into()),
    ("documents", |it| {
        let documents = it.material.documents.iter();
        documents.map(|of| json!({"name": line(&of.phase), "path": line(&of.path)})).collect()
    }),
    ("inlined", |it| inline_documents(it).into()),
    ("output_text", |it| {
        it.data("the deliverable", it.material.output_text, Truncation::Start(LONGEST_DOCUMENT))
    }),
    ("task_lists", |it| comma_list(it.material.task_lists).into()),
    ("commands", |it| {
        let commands = it.material.commands.iter();
        commands.map(|(id, text)| json!({"id": line(id), "line": line(text)})).collect()
    }),
    ("suggestions", |it| {
        it.data_of_run("suggestions of earlier reviewers", &repair::list_texts(it.material.suggestions), TEXT)
    }),
    ("notices", |it| it.data("notices of earlier authors", &repair::list_texts(it.material.notices), TEXT)),
    ("history", |it| {
        let source = "what each round of the run came to, and what is open";
        it.data_of_run(source, &repair::list_texts(it.material.history), TEXT)
    }),
    ("changed", |it| it.data("paths from git", &repair::list_texts(it.material.changed), LIST)),
    ("diff", |it| it.data("all that the branch differs in from its base, from git", it.material.diff, DIFF)),
    // What a reviewer is asked for.
    ("review_id", |it| it.review.review_id.unwrap_or_default().into()),
    ("verdicts", |it| it.words().verdicts.join("|").into()),
    ("decisions", |it| it.words().decisions.join("|").into()),
    ("meanings", |it| it.words().meanings().into()),
    ("may_ask", |it| it.review.may_ask.into()),
    ("seat", |it| it.review.seat.map(line).unwrap_or_default().into()),
    ("viewpoints", |it| comma_list(it.review.viewpoints).into()),
    ("grades", |it| grades(it.review.viewpoints).into()),
    ("since_review", |it| {
        it.data("the diff since the last review, from git", it.review.since_review, REVIEW)
    }),
    ("doubt", |it| it.data("words of the last review", it.review.doubt, TEXT)),
    ("review_questions", |it| review_questions::block(it.review.review_questions, it.library.marks).into()),
    ("more_review_questions", |it| it.review.more_review_questions.into()),
    ("unanswered", |it| comma_list(it.review.unanswered).into()),
    ("answers_form", |it| review_questions::form(it.review.review_questions).into()),
    ("previous_review", |it| {
        let is_triage = it.input.step == Step::Triage;
        let source =
            if is_triage { "the review as the reviewer wrote it" } else { "the reply to the last review" };
        it.data(source, it.review.previous_review, REVIEW)
    }),
    ("questions", |it| it.data("questions of a reviewer", &repair::list_texts(it.review.questions), TEXT)),
    ("replied", |it| it.data("the author's answers to them", it.review.replied, TEXT)),
    ("evidence", |it| {
        // What a check asks stands among the questions.
        let stated = it.input.checks.iter().filter(|result| !result.asks);
        let all: Vec<CheckInPrompt<'_>> = stated.map(CheckInPrompt::whole).collect();
        it.data(FROM_CHECKS, &repair::checks(&all, true), CHECKS)
    }),
    // What an author has to repair.
    ("findings", |it| it.data("findings of a reviewer", &findings(it.input), LIST)),
    ("tasks", |it| it.data("findings of a reviewer, as tasks", &repair::tasks(it.repair.tasks), LIST)),
    ("later", |it| {
        it.data("findings of a reviewer, as tasks", &repair::list_waiting_tasks(it.repair.later), TEXT)
    }),
    ("remarks", |it| it.data("findings of a reviewer", &repair::list_findings(it.repair.remarks), TEXT)),
    ("checks", |it| checks_block(it.failed, it.library, true).into()),
    ("outputs", |it| checks_block(it.failed, it.library, false).into()),
    ("form", |it| it.data("what our checks saw", &form_problem(it.input), TEXT)),
    ("problems", |it| problems(&it.open, it.library.marks).0.into()),
    ("more_problems", |it| problems(&it.open, it.library.marks).1.into()),
    ("demands", |it| demands(&it.open).into()),
    ("declared_round", |it| it.repair.declared.map_or(0, |(round, _)| round).into()),
    ("declaration", |it| declaration(it.input, &it.open, it.library.marks).into()),
    ("hint", |it| it.data("our words, with the author's own", it.repair.hint, TEXT)),
    ("feedback", |it| it.data("the text of a reviewer", it.repair.feedback, TEXT)),
    ("answer", |it| it.data("a person's answer", it.repair.answer, TEXT)),
    ("rollback", |it| it.data("the reason as it was given", it.repair.rollback, TEXT)),
];

/// Returns the values of all placeholders but `retry` and `modifies`.
pub(super) fn context(
    input: &PromptInput<'_>,
    failed: &[FailedCheck<'_>],
    library: &RetryTexts<'_>,
) -> Values {
    let open = failed.iter().map(|failed| failed.result).collect();
    let PromptInput { material, review, repair, .. } = *input;
    let source = PromptSource { input, material, review, repair, failed, open, library };
    PLACEHOLDERS.iter().map(|(name, value)| ((*name).to_owned(), value(&source))).collect()
}

impl PromptSource<'_> {
    fn data(&self, source: &str, text: &str, keep: Truncation) -> Value {
        self.library.marks.block(source, text, keep).into()
    }

    fn data_of_run(&self, source: &str, text: &str, keep: Truncation) -> Value {
        self.library.marks.block_of_run(source, text, keep).into()
    }

    fn words(&self) -> VerdictWords {
        VerdictWords::of(self.input.phase.policy.review.as_ref())
    }
}

fn comma_list(items: &[String]) -> String {
    items.iter().map(|item| line(item)).collect::<Vec<_>>().join(", ")
}

/// Returns the form in which a reviewer grades.
fn grades(viewpoints: &[String]) -> String {
    let each = viewpoints.iter().map(|name| format!("\"{}\": \"A|B|C|D\"", line(name)));
    format!("{{{}}}", each.collect::<Vec<_>>().join(", "))
}

/// Returns the findings that a call is about; a review reads their ids.
fn findings(input: &PromptInput<'_>) -> String {
    let (open, findings) = (input.review.open, input.repair.findings);
    if open.is_empty() { repair::findings(findings) } else { repair::list_findings(open) }
}

/// Returns the pattern that an author's answer has to meet.
fn answer_pattern<'a>(input: &PromptInput<'a>) -> &'a str {
    match &input.phase.answer_form {
        Some(AnswerForm::Pattern(pattern)) => pattern,
        Some(AnswerForm::Json) | None => "",
    }
}

/// Returns what was wrong with the form of the last answer, when the work is done over for nothing else.
fn form_problem(input: &PromptInput<'_>) -> String {
    if input.step != Step::Execute {
        return String::new();
    }
    let is_form = |result: &&CheckResult| {
        let mut rules = input.phase.policy.checks.iter();
        rules.any(|rule| rule.id == result.check && rule.on_fail == OnFail::Format)
    };
    let open = input.checks.iter().filter(|result| is_open(result));
    let entries: Vec<CheckInPrompt<'_>> = open.filter(is_form).map(CheckInPrompt::whole).collect();
    repair::checks(&entries, true)
}

/// Returns the first of these documents that a prompt shows only the beginning of.
pub fn first_cut_document(documents: &[InlinedFile]) -> Option<&InlinedFile> {
    add_lengths(documents).find(|(document, most)| document.text.len() > *most).map(|(document, _)| document)
}

/// Returns documents, each with how many bytes of it are shown: until there is no more space.
fn add_lengths(documents: &[InlinedFile]) -> impl Iterator<Item = (&InlinedFile, usize)> {
    documents.iter().scan(DOCUMENTS, |left, document| {
        let most = (*left).min(LONGEST_DOCUMENT);
        *left -= most.min(document.text.len());
        Some((document, most))
    })
}

/// Returns the texts of documents, each in its block.
fn inline_documents(source: &PromptSource<'_>) -> String {
    let blocks = add_lengths(source.material.inlined).map(|(document, most)| {
        let from = format!("the file {}", line(&document.path));
        source.library.marks.block_of_run(&from, &document.text, Truncation::Start(most))
    });
    blocks.collect::<Vec<_>>().join("\n")
}

/// Returns the issue with its comments and linked issues, each in a fence of its own: the same bytes in every prompt of a run.
fn issue_block(issue: &Issue, marks: FenceMarks<'_>) -> String {
    let labels = comma_list(&issue.labels);
    let labels = if labels.is_empty() { labels } else { format!("\nLabels: {labels}") };
    let text = format!("Title: {}{labels}\n\n{}", line(&issue.title), issue.body);
    let said = "what was said about the issue before the run began, oldest first";
    let blocks = [
        ("the issue as its author wrote it", text, ISSUE),
        (said, comments(&issue.discussion), COMMENTS),
        (
            "issues that the text names",
            fill_template(include_str!("linked.hbs"), &json!(issue.discussion.linked)),
            LINKED,
        ),
    ];
    let blocks = blocks.map(|(source, text, keep)| marks.block_of_run(source, &text, keep));
    blocks.into_iter().filter(|block| !block.is_empty()).collect::<Vec<_>>().join("\n")
}

fn comments(discussion: &Discussion) -> String {
    let comments = discussion.comments.iter().map(|remark| {
        let at = remark.at.strftime("%Y-%m-%d %H:%M UTC").to_string();
        json!({"author": remark.author, "at": at, "text": remark.text.trim()})
    });
    let values = json!({"left_out": discussion.left_out, "comments": comments.collect::<Vec<_>>()});
    fill_template(include_str!("comments.hbs"), &values)
}

#[cfg(test)]
mod tests;
