//! What a prompt is made of, typed. Texts in it are raw: `render` cleans, limits and fences them.

use std::collections::BTreeMap;

use model::event::{CheckResult, Claim, ReviewQuestion};
use model::finding::Finding;
use model::issue::Issue;
use model::phase::Step;
use model::policy::{FailurePattern, PhaseDef, RetryPromptPath};

/// No registry says anything.
static NO_PATTERNS: BTreeMap<String, FailurePattern> = BTreeMap::new();

/// Everything a prompt may hold. What is empty is left out of it.
#[derive(Debug, Clone, Copy)]
pub struct PromptInput<'a> {
    /// The issue as it was pinned when the run began.
    pub issue: &'a Issue,
    /// The phase under way.
    pub phase: &'a PhaseDef,
    /// The step that the prompt is for.
    pub step: Step,
    /// From 1.
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
    /// The patterns of a registry, by name.
    pub patterns: &'a BTreeMap<String, FailurePattern>,
    /// Where the retry texts of the phase lie, when a registry says so.
    pub c3l: Option<&'a RetryPromptPath>,
    /// The evidence of this round.
    pub checks: &'a [CheckResult],
    /// What there is to work with.
    pub material: WorkInput<'a>,
    /// What a reviewer is asked for.
    pub review: ReviewInput<'a>,
    /// What an author has to repair.
    pub repair: RepairInput<'a>,
}

/// What there is to work with, for authors and reviewers.
#[derive(Debug, Clone, Copy, Default)]
pub struct WorkInput<'a> {
    /// Deliverables of earlier phases that exist.
    pub documents: &'a [PromptDocument],
    /// Texts of such files, for an agent that cannot open them.
    pub inlined: &'a [InlinedFile],
    /// The text of the deliverable, likewise.
    pub output_text: &'a str,
    /// Files whose tasks the author has to tick.
    pub task_lists: &'a [String],
    /// The commands that were agreed on, by id.
    pub commands: &'a [(String, String)],
    /// Suggestions of earlier reviews that demanded no fix.
    pub suggestions: &'a [String],
    /// What earlier authors left for later ones, each with its phase.
    pub notices: &'a [String],
    /// What each round of the run came to, and what is open.
    pub history: &'a [String],
    /// Files that the phase changed.
    pub changed: &'a [String],
    /// All that the branch differs in from its base.
    pub diff: &'a str,
}

/// What a review, a triage, or an answer to a reviewer is about.
#[derive(Debug, Clone, Copy, Default)]
pub struct ReviewInput<'a> {
    /// The nonce of a review or triage.
    pub review_id: Option<&'a str>,
    /// What a reviewer grades.
    pub viewpoints: &'a [String],
    /// The seat of the panel that reviews.
    pub seat: Option<&'a str>,
    /// What a review is to look at first: the open findings of earlier rounds.
    pub open: &'a [NamedFinding],
    /// What the review before has not seen; it narrows the one under way. Nothing where it does not.
    pub since_review: &'a str,
    /// What stood beside the reviewer's last approval of this round and does not go with it.
    pub doubt: &'a str,
    /// What our checks ask the reviewer.
    pub review_questions: &'a [ReviewQuestion],
    /// How many more questions there are than it has to answer.
    pub more_review_questions: usize,
    /// The ids that it left open in its last answer of this round, although it approved.
    pub unanswered: &'a [String],
    /// In a document review: the review that is judged, or the reply to the one before.
    pub previous_review: &'a str,
    /// What a reviewer asks the author, or asked in this round.
    pub questions: &'a [String],
    /// What the author answered.
    pub replied: &'a str,
    /// A reviewer may ask the author something before its verdict counts.
    pub may_ask: bool,
}

/// What an author has to repair, or has to know about its last work.
#[derive(Debug, Clone, Copy, Default)]
pub struct RepairInput<'a> {
    /// Findings that are open now; never the history of all rounds.
    pub findings: &'a [Finding],
    /// What a revision is to repair.
    pub tasks: &'a [PromptTask],
    /// Tasks that wait for the next revision.
    pub later: &'a [PromptTask],
    /// Findings that ask for nothing.
    pub remarks: &'a [NamedFinding],
    /// What the author declared about its last work, and the round of that.
    pub declared: Option<(u32, &'a Claim)>,
    /// What we say ourselves about the author's last call.
    pub hint: &'a str,
    /// What the reviewer wrote, or the raw text of an answer that could not be read.
    pub feedback: &'a str,
    /// A person's answer to a pause.
    pub answer: &'a str,
    /// Why the phase was opened again.
    pub rollback: &'a str,
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
            patterns: &NO_PATTERNS,
            c3l: None,
            checks: &[],
            material: WorkInput::default(),
            review: ReviewInput::default(),
            repair: RepairInput::default(),
        }
    }
}

/// A finding with its id in the phase.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedFinding {
    /// Such as `F1`.
    pub id: String,
    /// The finding.
    pub finding: Finding,
}

/// What an author is to repair in one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptTask {
    /// Such as `T1`.
    pub id: String,
    /// Nothing where no file was named.
    pub file: Option<String>,
    /// How often the author was given it before.
    pub tried: usize,
    /// In the order in which to repair them.
    pub items: Vec<NamedFinding>,
}

/// A deliverable that exists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptDocument {
    /// The phase that wrote it.
    pub phase: String,
    /// Its path, seen from the working directory.
    pub path: String,
}

/// A file whose text is part of the prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InlinedFile {
    /// Its path, seen from the working directory.
    pub path: String,
    /// The text, not cut yet.
    pub text: String,
}
