//! What a prompt is made of, typed. Texts in it are raw: `render` cleans, limits and fences them.

use crate::event::CheckResult;
use crate::finding::Finding;
use crate::issue::Issue;
use crate::phase::Step;
use crate::policy::PhaseDef;

/// Everything a prompt may tell. What is empty is left out of it.
#[derive(Debug, Clone, Copy)]
pub struct PromptInput<'a> {
    pub issue: &'a Issue,
    pub phase: &'a PhaseDef,
    pub step: Step,
    pub round: u32,
    /// The language of what the agent writes.
    pub language: &'a str,
    /// The path of the deliverable, seen from the working directory.
    pub output: &'a str,
    /// The mark around data: random, made anew for every prompt, letters and digits.
    pub fence: &'a str,
    /// The mark around what is the same in many prompts of a run, the issue above all: likewise random, made once a run,
    /// so that they begin with the same bytes.
    pub run_fence: &'a str,
    /// The nonce of a review or triage.
    pub review_id: Option<&'a str>,
    /// Deliverables of earlier phases that exist.
    pub documents: &'a [Document],
    /// Texts of such files, for an agent that cannot open them.
    pub inlined: &'a [Inlined],
    /// The text of the deliverable, likewise.
    pub output_text: &'a str,
    /// The commands that were agreed on, by id.
    pub commands: &'a [(String, String)],
    /// Findings that are open now; never the history of all rounds.
    pub findings: &'a [Finding],
    /// The evidence of this round.
    pub checks: &'a [CheckResult],
    /// What the reviewer wrote, or the raw text of an answer that could not be read.
    pub feedback: &'a str,
    /// What earlier reviews suggested and nobody had to do.
    pub suggestions: &'a [String],
    /// A person's answer to a pause.
    pub answer: &'a str,
    /// Why the phase was opened again.
    pub rollback: &'a str,
    /// Files that the phase changed.
    pub changed: &'a [String],
    pub diff: &'a str,
    /// In a document review: the review that is judged, or the reply to the one before.
    pub previous_review: &'a str,
    /// What the reviewer asks the author.
    pub questions: &'a [String],
}

/// A deliverable that exists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// The phase that wrote it.
    pub phase: String,
    /// Its path, seen from the working directory.
    pub path: String,
}

/// A file whose text stands in the prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inlined {
    /// Its path, seen from the working directory.
    pub path: String,
    pub text: String,
}

impl<'a> PromptInput<'a> {
    /// Makes an input with everything that may be empty left empty; round 1, English.
    pub fn new(issue: &'a Issue, phase: &'a PhaseDef, step: Step, output: &'a str, fence: &'a str) -> Self {
        Self {
            issue,
            phase,
            step,
            round: 1,
            language: "en",
            output,
            fence,
            run_fence: fence,
            review_id: None,
            documents: &[],
            inlined: &[],
            output_text: "",
            commands: &[],
            findings: &[],
            checks: &[],
            feedback: "",
            suggestions: &[],
            answer: "",
            rollback: "",
            changed: &[],
            diff: "",
            previous_review: "",
            questions: &[],
        }
    }
}
