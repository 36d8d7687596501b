//! Gathers what a prompt may say: the issue as pinned, what is on disk, what is open. Never the history of all rounds.

use std::fs;

use super::{PhaseRunner, RunError, nonce};
use crate::event::{CheckResult, CheckStatus};
use crate::flow::{Call, PhaseState, Run, Status};
use crate::phase::Step;
use crate::prompt::{Document, PromptInput, render};
use crate::summary::deliverable_path;
use crate::verdict::ReadAs;
use crate::workspace::Tree;

/// How much of a diff a reviewer is shown, in bytes; the files themselves are on disk.
const LONGEST_DIFF: usize = 60_000;
/// The most suggestions that later phases are told.
const MOST_SUGGESTIONS: usize = 20;

impl PhaseRunner {
    /// Writes the prompt of a call.
    pub(super) fn compose(
        &self,
        call: &Call,
        review_id: Option<&str>,
        tree: &Tree,
    ) -> Result<String, RunError> {
        let (run, phase) = (self.run_state()?, self.phase(&call.phase)?);
        let (output, fence) = (self.output_path(call)?, nonce());
        let (documents, suggestions) = (self.documents(run, phase), suggestions(run));
        let commands: Vec<_> = run.started.agreement.commands.clone().into_iter().collect();
        let changed: Vec<String> = phase.changed.iter().cloned().collect();
        let checks: Vec<CheckResult> = checks(phase, call.step);
        let diff = self.diff(phase, call.step, tree)?;
        let previous_review = self.previous_review(phase, call);
        let paths = documents.iter().map(|document| document.path.as_str());
        let inlined = self.inlined(&call.agent, paths);
        let output_text = self.inlined(&call.agent, [output.as_str()]).pop().map(|own| own.text);
        let revising = call.step == Step::Revise;
        let feedback = if revising { phase.feedback() } else { String::new() };
        Ok(render(
            &PromptInput {
                round: call.round,
                language: &run.started.language,
                review_id,
                run_fence: &run.started.run_id,
                documents: &documents,
                inlined: &inlined,
                output_text: output_text.as_deref().unwrap_or_default(),
                commands: &commands,
                findings: if revising || call.step == Step::Triage { phase.findings() } else { &[] },
                checks: &checks,
                feedback: &feedback,
                suggestions: &suggestions,
                answer: phase.advice.as_deref().unwrap_or(""),
                rollback: phase.reopened.as_ref().map_or("", |reopened| reopened.reason.as_str()),
                changed: &changed,
                diff: &diff,
                previous_review: &previous_review,
                ..PromptInput::new(&run.started.issue, &phase.def, call.step, &output, &fence)
            },
            &self.prompts,
        )?)
    }

    /// Returns the deliverables of other phases that are on disk.
    fn documents(&self, run: &Run, phase: &PhaseState) -> Vec<Document> {
        let others =
            run.phases.iter().filter(|other| other.name() != phase.name() && !other.def.policy.triage);
        let written = others.filter(|other| other.status == Status::Completed);
        let documents = written
            .map(|other| Document { phase: other.name().to_string(), path: deliverable_path(run, other) });
        documents.filter(|document| self.folder.at(&document.path).is_file()).collect()
    }

    /// A reviewer of code sees what changed since the last commit; documents are read from disk.
    fn diff(&self, phase: &PhaseState, step: Step, tree: &Tree) -> Result<String, RunError> {
        let code = phase.changed.iter().any(|path| !path.starts_with(".ai-workflow/"));
        if step != Step::Review || !code {
            return Ok(String::new());
        }
        let head = &self.run_state()?.head;
        Ok(self.space.diff(head, tree, LONGEST_DIFF)?.text)
    }

    /// In a document review: the review that the triage judges, or the reply to the one before.
    fn previous_review(&self, phase: &PhaseState, call: &Call) -> String {
        let path = match call.step {
            Step::Triage => self.folder.review_document(&phase.def, call.round),
            Step::Review if phase.def.policy.triage && call.round > 1 => {
                self.folder.reply_document(&phase.def, call.round - 1)
            }
            _ => return String::new(),
        };
        fs::read_to_string(self.folder.at(&path)).unwrap_or_default()
    }
}

/// An author is told what failed; a reviewer is told all the evidence.
fn checks(phase: &PhaseState, step: Step) -> Vec<CheckResult> {
    let all = phase.checks.iter().flatten();
    let told = |result: &&CheckResult| {
        step == Step::Review || !matches!(result.status, CheckStatus::Pass | CheckStatus::Skipped)
    };
    all.filter(told).cloned().collect()
}

/// Returns what the reviews of passed phases suggested and nobody had to do.
fn suggestions(run: &Run) -> Vec<String> {
    let passed = run.phases.iter().filter(|phase| phase.status == Status::Completed);
    let readings = passed.filter_map(|phase| Some((phase.name(), phase.review.as_ref()?.reading.as_ref()?)));
    let readable = readings.filter(|(_, reading)| reading.read_as != ReadAs::Default);
    let all = readable
        .flat_map(|(name, reading)| reading.suggestions.iter().map(move |text| format!("{name}: {text}")));
    all.take(MOST_SUGGESTIONS).collect()
}
