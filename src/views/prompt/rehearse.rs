//! Renders every prompt of a run once with sample data, so that a broken template is found before an agent is paid.

use std::collections::BTreeMap;

use super::c3l::Library;
use super::context::context;
use super::error::PromptError;
use super::input::{Document, Inlined, NamedFinding, PromptInput, Task};
use super::render::render;
use super::retry_texts;
use super::templates::Templates;
use model::event::{CheckResult, CheckStatus, Claim, ClaimStatus, Place};
use model::finding::{Disposition, Finding, Severity};
use model::issue::{Discussion, Issue};
use model::phase::Step;
use model::policy::{Pattern, PhaseDef};

/// Renders every prompt of these phases, with everything filled in and with nothing, and looks at every retry text.
pub fn rehearse(
    phases: &[PhaseDef],
    patterns: &BTreeMap<String, Pattern>,
    overrides: &BTreeMap<String, String>,
) -> Result<(), PromptError> {
    let issue = issue();
    let Some(first) = phases.first() else { return Ok(()) };
    let templates = Templates::new(overrides)?;
    let library = Library { templates: &templates, patterns, c3l: None };
    let any = PromptInput::new(&issue, first, Step::Revise, "sample.md", "samplesample");
    retry_texts::examine(&library, &context(&any, &[], &templates))?;
    let sample = Sample::new(overrides);
    for phase in phases {
        for step in steps(phase) {
            let bare = PromptInput {
                review_id: Some("sample"),
                patterns,
                c3l: phase.c3l.as_ref(),
                ..PromptInput::new(&issue, phase, *step, "sample.md", "samplesample")
            };
            render(&bare, overrides)?;
            render(&sample.fill(&bare), overrides)?;
        }
    }
    Ok(())
}

fn issue() -> Issue {
    let number = 1u64.try_into().expect("1 is the number of an issue");
    Issue {
        number,
        title: "Sample".to_owned(),
        body: "Sample".to_owned(),
        labels: Vec::new(),
        author: String::new(),
        open: true,
        url: String::new(),
        discussion: Discussion::default(),
    }
}

/// Returns the steps of a phase that have a prompt.
fn steps(phase: &PhaseDef) -> &'static [Step] {
    match (phase.policy.triage, phase.policy.review.is_some()) {
        (true, _) => &[Step::Review, Step::Triage],
        (false, true) => &[Step::Execute, Step::Review, Step::Revise, Step::Answer],
        (false, false) => &[Step::Execute, Step::Revise],
    }
}

struct Sample {
    documents: Vec<Document>,
    inlined: Vec<Inlined>,
    commands: Vec<(String, String)>,
    findings: Vec<Finding>,
    named: Vec<NamedFinding>,
    tasks: Vec<Task>,
    checks: Vec<CheckResult>,
    texts: Vec<String>,
    claim: Claim,
}

impl Sample {
    /// Makes sample data with a failed check for every piece of advice that is there.
    fn new(overrides: &BTreeMap<String, String>) -> Self {
        let text = || "Sample".to_owned();
        let advice = super::embedded::EMBEDDED
            .iter()
            .map(|(path, _)| *path)
            .chain(overrides.keys().map(String::as_str));
        let named = vec![NamedFinding { id: text(), finding: finding(text()) }];
        let patterns = advice.filter_map(|path| path.strip_prefix("retry/")?.strip_suffix(".md"));
        Self {
            documents: vec![Document { phase: text(), path: text() }],
            inlined: vec![Inlined { path: text(), text: text() }],
            commands: vec![(text(), text())],
            findings: vec![finding(text())],
            tasks: vec![Task { id: text(), file: Some(text()), tried: 1, items: named.clone() }],
            named,
            checks: patterns.map(failed).collect(),
            texts: vec![text()],
            claim: Claim {
                status: ClaimStatus::Completed,
                next_action: None,
                summary: text(),
                notices: Vec::new(),
                files: Vec::new(),
            },
        }
    }

    fn fill<'a>(&'a self, bare: &PromptInput<'a>) -> PromptInput<'a> {
        PromptInput {
            documents: &self.documents,
            inlined: &self.inlined,
            output_text: "Sample",
            task_lists: &self.texts,
            commands: &self.commands,
            findings: &self.findings,
            open: &self.named,
            since_review: "Sample",
            doubt: "Sample",
            tasks: &self.tasks,
            later: &self.tasks,
            remarks: &self.named,
            viewpoints: &self.texts,
            seat: Some("sample"),
            checks: &self.checks,
            declared: Some((1, &self.claim)),
            hint: "Sample",
            feedback: "Sample",
            suggestions: &self.texts,
            notices: &self.texts,
            history: &self.texts,
            answer: "Sample",
            rollback: "Sample",
            changed: &self.texts,
            diff: "Sample",
            previous_review: "Sample",
            questions: &self.texts,
            replied: "Sample",
            may_ask: true,
            ..*bare
        }
    }
}

fn finding(issue: String) -> Finding {
    Finding {
        severity: Severity::Major,
        category: String::new(),
        file: None,
        line: None,
        issue,
        suggestion: None,
        auto_fixable: false,
        disposition: Disposition::Open,
        in_scope: true,
    }
}

fn failed(pattern: &str) -> CheckResult {
    CheckResult {
        check: "sample".to_owned(),
        status: CheckStatus::Fail,
        pattern: Some(pattern.to_owned()),
        summary: "Sample".to_owned(),
        evidence: String::new(),
        params: BTreeMap::new(),
        places: vec![Place { file: Some("sample".to_owned()), ..Place::default() }],
    }
}
