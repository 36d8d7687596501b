//! Lines that deny beside the right object.

use super::super::{Terms, default_words, read_review};
use model::verdict::Judgment;

fn beside_the_object(line: &str) -> Judgment {
    let words = default_words();
    let object = r#"{"review_id": "r", "result": "PASS", "summary": "good", "findings": []}"#;
    let terms = Terms { review_id: Some("r"), require_review_id: true, words: &words, beyond: &[] };
    read_review(&format!("{object}\n\n{line}\n"), &terms).judgment
}

#[test]
fn a_line_that_denies_the_whole_takes_back_what_the_right_object_says() {
    let denying = [
        "DECISION: FAIL",
        "**DECISION: FAIL**",
        "最終判定: FAIL",
        "## 最終判定\n\nFAIL",
        "Final verdict: REJECT",
    ];
    for line in denying {
        assert_eq!(beside_the_object(line), Judgment::Revise, "{line}");
    }
    let honest = [
        "DECISION: PASS",
        "> DECISION: FAIL",
        "```\nDECISION: FAIL\n```",
        "It read `DECISION: FAIL` before.",
        "Test result: FAIL before the fix",
    ];
    for line in honest {
        assert_eq!(beside_the_object(line), Judgment::Approve, "{line}");
    }
}
