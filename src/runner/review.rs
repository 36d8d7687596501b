//! The reviewer's side: what an answer amounts to, and the record of an approval.
//! Calls nobody and reads no file.

use serde_json::{Value, json};

use content_parser::{Terms, read_review, read_structured};
use engine::Run;
use model::event::{ExecOutcome, Reading};
use model::verdict::{Judgment, ReadAs, Verdict};

/// A reviewer's answer as it came in.
#[derive(Debug, Clone, Copy)]
pub struct ReviewAnswer<'a> {
    /// The text of the answer.
    pub text: &'a str,
    /// How the call ended.
    pub outcome: ExecOutcome,
    /// There was more than is kept.
    pub truncated: bool,
    /// The text is an object that was held to our schema.
    pub structured: bool,
    /// It should have been held to our schema and was not: only an object with the right id can be this review.
    pub schema_missed: bool,
}

/// Reads a reviewer's answer; nothing when the call did not end well or said nothing.
pub fn reading(said: &ReviewAnswer<'_>, terms: &Terms<'_>) -> Option<Reading> {
    if said.outcome != ExecOutcome::Done || said.text.trim().is_empty() {
        return None;
    }
    let terms = &Terms { require_review_id: terms.require_review_id || said.schema_missed, ..*terms };
    let object = said.structured.then(|| serde_json::from_str(said.text).ok()).flatten();
    let reading =
        object.map_or_else(|| read_review(said.text, terms), |object| read_structured(&object, terms));
    Some(if said.truncated { cut_off(reading) } else { unreliable(reading) })
}

/// Returns an approval that its own answer makes doubtful as one that nobody can rely on yet; any other reading as it is.
pub fn doubted(reading: Reading, said: &ReviewAnswer<'_>) -> Reading {
    if !reading.judgment.approves() {
        return reading;
    }
    let doubt = doubt(&reading, said.text);
    unreliable(Reading { doubt, ..reading })
}

/// Returns what stands beside an approval, or in its object, and does not go with it.
pub fn doubt(reading: &Reading, text: &str) -> Option<String> {
    let within = std::iter::once(&reading.feedback).chain(&reading.suggestions);
    let mut said = std::iter::once(text).chain(within.map(String::as_str));
    reading.doubt.clone().or_else(|| said.find_map(content_parser::doubt))
}

/// Returns an approval with a doubt as one that approves nothing.
fn unreliable(reading: Reading) -> Reading {
    let Some(doubt) = &reading.doubt else { return reading };
    if !reading.judgment.approves() {
        return reading;
    }
    let reason = format!("doubtful: beside it stands `{doubt}`");
    Reading { result: Verdict::Fail, judgment: Judgment::Unverifiable, reason, ..reading }
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

/// Returns `review-result.json` of the latest verdict of a run (seed 001, B-17, plus the tree); nothing before the first.
/// An export, made of the facts and never read back.
pub fn result_file(run: &Run) -> Option<Value> {
    let bounds = run.phases.iter().filter_map(|phase| phase.reviews.latest_verdict.as_ref());
    let bound = bounds.max_by_key(|bound| bound.at)?;
    let review = &bound.review;
    let reading = review.reading.as_ref();
    let grade = reading.and_then(|reading| reading.grade);
    Some(json!({
        "phase": review.phase,
        "round": review.round,
        "verdict": bound.verdict,
        "stated": reading.map(|reading| reading.stated.clone()),
        "read_as": reading.map(|reading| reading.read_as.clone()),
        "suggestions": reading.map(|reading| reading.suggestions.clone()).unwrap_or_default(),
        "grade": grade.map_or_else(|| json!("N/A"), |grade| json!(grade)),
        "commit_hash": bound.commit,
        "tree_hash": review.tree,
        "timestamp": bound.at.to_string(),
        "reviewer": review.reviewer,
        "reviewer_session": review.ended.session,
        "session_id": run.started.run_id,
        "run": run.started.run_id,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use content_parser::default_words;

    fn judged(text: &str, schema_missed: bool) -> Judgment {
        let words = default_words();
        let terms = Terms { review_id: Some("r-1"), require_review_id: false, words: &words, beyond: &[] };
        let outcome = ExecOutcome::Done;
        let said = ReviewAnswer { text, outcome, truncated: false, structured: false, schema_missed };
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
    fn an_approval_is_doubted_for_its_own_summary_and_suggestions_too() {
        let doubt = |fields: &str| {
            let text = format!(r#"{{"review_id": "r-1", "result": "PASS", {fields}}}"#);
            let words = default_words();
            let terms =
                Terms { review_id: Some("r-1"), require_review_id: false, words: &words, beyond: &[] };
            let outcome = ExecOutcome::Done;
            let said = ReviewAnswer {
                text: &text,
                outcome,
                truncated: false,
                structured: false,
                schema_missed: false,
            };
            let read = reading(&said, &terms).expect("something was said");
            doubted(read, &said).doubt
        };
        let blocker = "Must fix before merge: the lock leaks";
        assert_eq!(doubt(&format!(r#""summary": "{blocker}""#)).as_deref(), Some(blocker));
        assert_eq!(doubt(&format!(r#""suggestions": ["{blocker}"]"#)).as_deref(), Some(blocker));
        assert_eq!(doubt(r#""summary": "No blockers.", "suggestions": ["name the lock"]"#), None);
    }

    #[test]
    fn a_finding_out_of_scope_tightens_nothing_unless_it_is_critical_and_loosens_nothing() {
        let words = default_words();
        let read = |text: &str, beyond: &[model::finding::Finding]| {
            let terms = Terms { review_id: None, require_review_id: false, words: &words, beyond };
            let outcome = ExecOutcome::Done;
            let said =
                ReviewAnswer { text, outcome, truncated: false, structured: false, schema_missed: false };
            reading(&said, &terms).expect("something was said")
        };
        for (word, severity, judgment) in [
            ("PASS", "major", Judgment::Approve),
            ("PASS", "critical", Judgment::Revise),
            ("FAIL", "minor", Judgment::Revise),
        ] {
            let text = format!(
                r#"{{"result": "{word}", "findings": [{{"severity": "{severity}", "issue": "x"}}]}}"#
            );
            let whole = read(&text, &[]);
            assert_eq!(whole.judgment, Judgment::Revise, "{text}");
            let narrowed = read(&text, &whole.findings);
            assert_eq!((narrowed.judgment, narrowed.findings[0].in_scope), (judgment, false), "{text}");
        }
    }

    #[test]
    fn an_approval_is_doubted_for_the_prose_beside_its_object_and_for_that_of_its_summary() {
        let words = default_words();
        let read = |text: &str, structured| {
            let terms =
                Terms { review_id: Some("r-1"), require_review_id: false, words: &words, beyond: &[] };
            let outcome = ExecOutcome::Done;
            let said = ReviewAnswer { text, outcome, truncated: false, structured, schema_missed: false };
            let reading = doubted(reading(&said, &terms).expect("something was said"), &said);
            (reading.judgment, reading.doubt)
        };
        let object = |result: &str, summary: &str| {
            format!(r#"{{"review_id": "r-1", "result": "{result}", "summary": "{summary}"}}"#)
        };
        let doubt = (Judgment::Unverifiable, Some("Must fix: the lock".to_owned()));
        assert_eq!(read(&format!("Must fix: the lock\n\n{}", object("PASS", "good")), false), doubt);
        assert_eq!(read(&object("PASS", "Must fix: the lock"), true), doubt);
        assert_eq!(read(&object("PASS", "Must fix: nothing"), true), (Judgment::Approve, None));
        assert_eq!(read(&object("FAIL", "Must fix: the lock"), true), (Judgment::Revise, None));
    }

    #[test]
    fn an_object_that_tells_its_verdict_twice_is_no_answer() {
        let twice = r#"{"review_id": "r-1", "result": "FAIL", "result": "PASS"}"#;
        assert_eq!([judged(twice, false), judged(twice, true)], [Judgment::Unverifiable; 2]);
    }
}
