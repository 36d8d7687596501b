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
    /// It should have been held to our schema and was not: only an object with the right id can be this review.
    pub schema_missed: bool,
}

/// Reads a reviewer's answer; nothing when the call did not end well or said nothing.
pub fn reading(said: &Said<'_>, terms: &Terms<'_>) -> Option<Reading> {
    if said.outcome != ExecOutcome::Done || said.text.trim().is_empty() {
        return None;
    }
    let terms = &Terms { require_review_id: terms.require_review_id || said.schema_missed, ..*terms };
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content_parser::default_words;

    fn judged(text: &str, schema_missed: bool) -> Judgment {
        let words = default_words();
        let terms = Terms { review_id: Some("r-1"), require_review_id: false, words: &words };
        let outcome = ExecOutcome::Done;
        let said = Said { text, outcome, truncated: false, structured: false, schema_missed };
        reading(&said, &terms).expect("something was said").judgment
    }

    #[test]
    fn an_answer_that_missed_its_schema_counts_only_with_the_id_of_the_review() {
        for text in ["REVIEW_RESULT: PASS", r#"{"result": "PASS"}"#] {
            assert_eq!(judged(text, false), Judgment::Approve, "{text}");
            assert_eq!(judged(text, true), Judgment::Unverifiable, "{text}");
        }
        let named = r#"My answer: {"review_id": "r-1", "result": "PASS"}"#;
        assert_eq!([judged(named, false), judged(named, true)], [Judgment::Approve; 2]);
        let wrong = named.replace("r-1", "r-2");
        assert_eq!(judged(&wrong, true), Judgment::Unverifiable);
    }

    #[test]
    fn an_object_that_tells_its_verdict_twice_is_no_answer() {
        let twice = r#"{"review_id": "r-1", "result": "FAIL", "result": "PASS"}"#;
        assert_eq!([judged(twice, false), judged(twice, true)], [Judgment::Unverifiable; 2]);
    }
}
