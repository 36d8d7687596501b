//! Renders every prompt of a run once with sample data, so that a broken template is found before an agent is paid.

use std::collections::BTreeMap;

use super::error::PromptError;
use super::input::{Document, Inlined, PromptInput};
use super::render::render;
use crate::event::{CheckResult, CheckStatus};
use crate::finding::{Disposition, Finding, Severity};
use crate::issue::Issue;
use crate::phase::Step;
use crate::policy::PhaseDef;

/// Renders every prompt of these phases, with everything filled in and with nothing.
pub fn rehearse(phases: &[PhaseDef], overrides: &BTreeMap<String, String>) -> Result<(), PromptError> {
    let issue = issue();
    let sample = Sample::new(overrides);
    for phase in phases {
        for step in steps(phase) {
            let bare = PromptInput {
                review_id: Some("sample"),
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
    checks: Vec<CheckResult>,
    texts: Vec<String>,
}

impl Sample {
    /// Makes sample data with a failed check for every piece of advice that is there.
    fn new(overrides: &BTreeMap<String, String>) -> Self {
        let text = || "Sample".to_owned();
        let advice = super::embedded::EMBEDDED
            .iter()
            .map(|(path, _)| *path)
            .chain(overrides.keys().map(String::as_str));
        let patterns = advice.filter_map(|path| path.strip_prefix("retry/")?.strip_suffix(".md"));
        Self {
            documents: vec![Document { phase: text(), path: text() }],
            inlined: vec![Inlined { path: text(), text: text() }],
            commands: vec![(text(), text())],
            findings: vec![finding(text())],
            checks: patterns.map(failed).collect(),
            texts: vec![text()],
        }
    }

    fn fill<'a>(&'a self, bare: &PromptInput<'a>) -> PromptInput<'a> {
        PromptInput {
            documents: &self.documents,
            inlined: &self.inlined,
            output_text: "Sample",
            commands: &self.commands,
            findings: &self.findings,
            checks: &self.checks,
            feedback: "Sample",
            suggestions: &self.texts,
            answer: "Sample",
            rollback: "Sample",
            changed: &self.texts,
            diff: "Sample",
            previous_review: "Sample",
            questions: &self.texts,
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
    }
}
