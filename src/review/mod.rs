//! The reviewer's side: what an answer amounts to, and the record of an approval.
//! A reviewer is another session that cannot write; panels and second reviewers grow here.

use serde_json::{Value, json};

use crate::content_parser::{Terms, read_review, read_structured};
use crate::event::{ExecOutcome, Reading, Reviewed};
use crate::flow::{PhaseState, Run};
use crate::verdict::{Judgment, ReadAs, Verdict};

/// A reviewer's answer as it came in.
#[derive(Debug, Clone, Copy)]
pub struct Said<'a> {
    pub text: &'a str,
    pub outcome: ExecOutcome,
    /// There was more than is kept.
    pub truncated: bool,
    /// The text is an object that was held to our schema.
    pub structured: bool,
}

/// Reads a reviewer's answer; nothing when the call did not end well or said nothing.
pub fn reading(said: &Said<'_>, terms: &Terms<'_>) -> Option<Reading> {
    if said.outcome != ExecOutcome::Done || said.text.trim().is_empty() {
        return None;
    }
    let object = said.structured.then(|| serde_json::from_str(said.text).ok()).flatten();
    let reading =
        object.map_or_else(|| read_review(said.text, terms), |object| read_structured(&object, terms));
    Some(if said.truncated { cut_off(reading) } else { reading })
}

/// An answer that was cut off may have taken its verdict back in the part that is missing.
fn cut_off(reading: Reading) -> Reading {
    Reading {
        result: Verdict::Fail,
        judgment: Judgment::Unverifiable,
        read_as: ReadAs::Default,
        reason: "the answer is too long and was cut off".into(),
        ..reading
    }
}

/// Returns `review-result.json` (seed 001, B-17, plus the tree): an export, never read back.
pub fn result_file(run: &Run, phase: &PhaseState, reviewed: &Reviewed, at: jiff::Timestamp) -> Value {
    let reading = reviewed.reading.as_ref();
    json!({
        "phase": phase.name(),
        "round": reviewed.round,
        "verdict": reading.map(|reading| reading.result),
        "stated": reading.map(|reading| reading.stated.clone()),
        "read_as": reading.map(|reading| reading.read_as.clone()),
        "grade": reading.and_then(|reading| reading.grade),
        "commit_hash": last_commit(run),
        "tree_hash": reviewed.tree,
        "timestamp": at.to_string(),
        "reviewer": reviewed.reviewer,
        "session_id": run.started.run_id,
    })
}

fn last_commit(run: &Run) -> &str {
    let mut commits = run.phases.iter().filter_map(|phase| phase.commit.as_deref());
    commits.next_back().unwrap_or(&run.started.base_commit)
}
