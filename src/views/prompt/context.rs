//! The values of the placeholders in the template of a step, in one table: foreign texts in their blocks, everything else as one
//! clean line. Only `retry` and `modifies` are added by `render`.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::advice::Failed;
use super::fence::{Keep, Marks, line};
use super::input::{Inlined, Material, PromptInput, RepairInput, ReviewInput};
use super::lists::{self, CheckEntry};
use super::placeholders::Values;
use super::repair::{CHECKS, EVIDENCE, FROM_CHECKS, checks_block, declaration, demands, problems};
use super::retry_texts::Library;
use super::reviewer_contract::Words;
use super::templates::is_gate;
use model::event::CheckResult;
use model::issue::{Discussion, Issue};
use model::phase::Step;
use model::policy::{AnswerForm, OnFail};
use settings::LONGEST_SCHEMA;

/// More of what was said or changed before is in no prompt, in bytes.
pub const LONGEST_REVIEW: usize = 32 * 1024;
/// More of one document is shown to nobody who cannot open it, in bytes.
pub const LONGEST_DOCUMENT: usize = 32 * 1024;
/// All inlined documents together.
const DOCUMENTS: usize = 96 * 1024;
const REVIEW: Keep = Keep::Start(LONGEST_REVIEW);
const DIFF: Keep = Keep::Start(64 * 1024);
const LIST: Keep = Keep::Start(24 * 1024);
const TEXT: Keep = Keep::Start(16 * 1024);
const ISSUE: Keep = Keep::Start(32 * 1024);
/// What was said last is not cut off; the rest was bounded when the run began.
const COMMENTS: Keep = Keep::End(32 * 1024);
const LINKED: Keep = Keep::Start(4 * 1024);

/// What the values are made of.
struct Source<'a> {
    input: &'a PromptInput<'a>,
    material: Material<'a>,
    review: ReviewInput<'a>,
    repair: RepairInput<'a>,
    failed: &'a [Failed<'a>],
    open: Vec<&'a CheckResult>,
    library: &'a Library<'a>,
}

/// A placeholder and its value.
type Placeholder = (&'static str, fn(&Source<'_>) -> Value);

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
    ("quality_gate", |it| is_gate(it.input.phase).into()),
    ("decides", |it| it.input.phase.decides.into()),
    ("answer_json", |it| (it.input.phase.answer_form == Some(AnswerForm::Json)).into()),
    ("answer_pattern", |it| it.data("the pattern, from the configuration", answer_pattern(it.input), TEXT)),
    ("output_schema", |it| {
        let schema = it.input.phase.output_schema.as_ref().map(ToString::to_string).unwrap_or_default();
        it.data("the schema, from the configuration", &schema, Keep::Start(LONGEST_SCHEMA))
    }),
    // What there is to work with.
    ("issue", |it| issue_block(it.input.issue, it.library.marks).into()),
    ("documents", |it| {
        let documents = it.material.documents.iter();
        documents.map(|of| json!({"name": line(&of.phase), "path": line(&of.path)})).collect()
    }),
    ("inlined", |it| inlined(it).into()),
    ("output_text", |it| it.data("the deliverable", it.material.output_text, Keep::Start(LONGEST_DOCUMENT))),
    ("task_lists", |it| comma_list(it.material.task_lists).into()),
    ("commands", |it| {
        let commands = it.material.commands.iter();
        commands.map(|(id, text)| json!({"id": line(id), "line": line(text)})).collect()
    }),
    ("suggestions", |it| {
        it.data_of_run("suggestions of earlier reviewers", &lists::plain(it.material.suggestions), TEXT)
    }),
    ("notices", |it| it.data("notices of earlier authors", &lists::plain(it.material.notices), TEXT)),
    ("history", |it| {
        let source = "what each round of the run came to, and what is open";
        it.data_of_run(source, &lists::plain(it.material.history), TEXT)
    }),
    ("changed", |it| it.data("paths from git", &lists::plain(it.material.changed), LIST)),
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
    ("previous_review", |it| {
        let is_triage = it.input.step == Step::Triage;
        let source =
            if is_triage { "the review as the reviewer wrote it" } else { "the reply to the last review" };
        it.data(source, it.review.previous_review, REVIEW)
    }),
    ("questions", |it| it.data("questions of a reviewer", &lists::plain(it.review.questions), TEXT)),
    ("replied", |it| it.data("the author's answers to them", it.review.replied, TEXT)),
    ("evidence", |it| {
        let all: Vec<CheckEntry<'_>> = it.input.checks.iter().map(CheckEntry::whole).collect();
        it.data(FROM_CHECKS, &lists::checks(&all, true, EVIDENCE), CHECKS)
    }),
    // What an author has to repair.
    ("findings", |it| it.data("findings of a reviewer", &findings(it.input), LIST)),
    ("tasks", |it| it.data("findings of a reviewer, as tasks", &lists::tasks(it.repair.tasks), LIST)),
    ("later", |it| it.data("findings of a reviewer, as tasks", &lists::later(it.repair.later), TEXT)),
    ("remarks", |it| it.data("findings of a reviewer", &lists::named(it.repair.remarks), TEXT)),
    ("checks", |it| checks_block(it.failed, it.library, true).into()),
    ("outputs", |it| checks_block(it.failed, it.library, false).into()),
    ("form", |it| it.data("what our checks saw", &form(it.input), TEXT)),
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

/// Returns the names of all placeholders that a prompt of a run gives.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    PLACEHOLDERS.iter().map(|(name, _)| *name)
}

/// Returns the values of all placeholders but `retry` and `modifies`.
pub(super) fn context(input: &PromptInput<'_>, failed: &[Failed<'_>], library: &Library<'_>) -> Values {
    let open = failed.iter().map(|failed| failed.result).collect();
    let PromptInput { material, review, repair, .. } = *input;
    let source = Source { input, material, review, repair, failed, open, library };
    PLACEHOLDERS.iter().map(|(name, value)| ((*name).to_owned(), value(&source))).collect()
}

impl Source<'_> {
    fn data(&self, source: &str, text: &str, keep: Keep) -> Value {
        self.library.marks.block(source, text, keep).into()
    }

    fn data_of_run(&self, source: &str, text: &str, keep: Keep) -> Value {
        self.library.marks.block_of_run(source, text, keep).into()
    }

    fn words(&self) -> Words {
        Words::of(self.input.phase.policy.review.as_ref())
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
    if open.is_empty() { lists::findings(findings) } else { lists::named(open) }
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
    if input.step != Step::Execute {
        return String::new();
    }
    let is_form = |result: &&CheckResult| {
        let mut rules = input.phase.policy.checks.iter();
        rules.any(|rule| rule.id == result.check && rule.on_fail == OnFail::Format)
    };
    let open = input.checks.iter().filter(|result| lists::is_open(result));
    let entries: Vec<CheckEntry<'_>> = open.filter(is_form).map(CheckEntry::whole).collect();
    lists::checks(&entries, true, EVIDENCE)
}

/// Returns the first of these documents that a prompt shows only the beginning of.
pub fn first_cut(documents: &[Inlined]) -> Option<&Inlined> {
    with_lengths(documents).find(|(document, most)| document.text.len() > *most).map(|(document, _)| document)
}

/// Returns documents, each with how many bytes of it are shown: until there is no more space.
fn with_lengths(documents: &[Inlined]) -> impl Iterator<Item = (&Inlined, usize)> {
    documents.iter().scan(DOCUMENTS, |left, document| {
        let most = (*left).min(LONGEST_DOCUMENT);
        *left -= most.min(document.text.len());
        Some((document, most))
    })
}

/// Returns the texts of documents, each in its block.
fn inlined(source: &Source<'_>) -> String {
    let blocks = with_lengths(source.material.inlined).map(|(document, most)| {
        let from = format!("the file {}", line(&document.path));
        source.library.marks.block_of_run(&from, &document.text, Keep::Start(most))
    });
    blocks.collect::<Vec<_>>().join("\n")
}

/// Returns the issue and what stands around it, each in a fence of its own: the same bytes in every prompt of a run.
pub(super) fn issue_block(issue: &Issue, marks: Marks<'_>) -> String {
    let labels = comma_list(&issue.labels);
    let labels = if labels.is_empty() { labels } else { format!("\nLabels: {labels}") };
    let text = format!("Title: {}{labels}\n\n{}", line(&issue.title), issue.body);
    let said = "what was said about the issue before the run began, oldest first";
    let blocks = [
        ("the issue as its author wrote it", text, ISSUE),
        (said, comments(&issue.discussion), COMMENTS),
        ("issues that the text names", linked(&issue.discussion), LINKED),
    ];
    let blocks = blocks.map(|(source, text, keep)| marks.block_of_run(source, &text, keep));
    blocks.into_iter().filter(|block| !block.is_empty()).collect::<Vec<_>>().join("\n")
}

fn comments(discussion: &Discussion) -> String {
    let mut text = String::new();
    if discussion.left_out > 0 {
        let _ = writeln!(text, "[earlier comments left out: {}]\n", discussion.left_out);
    }
    for remark in &discussion.comments {
        let at = remark.at.strftime("%Y-%m-%d %H:%M UTC");
        let _ = writeln!(text, "{} wrote at {at}:\n\n{}\n", line(&remark.author), remark.text.trim());
    }
    text
}

fn linked(discussion: &Discussion) -> String {
    let state = |open: bool| if open { "open" } else { "closed" };
    let lines = discussion.linked.iter();
    let lines = lines.map(|one| format!("#{} ({}): {}", one.number, state(one.open), line(&one.title)));
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests;
