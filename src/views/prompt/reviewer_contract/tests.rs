//! Tests of the words that a policy has its reviewers use.

use super::*;

fn words(map: &[(&str, Judgment)]) -> (String, String, String) {
    let verdict_map = map.iter().map(|(word, judgment)| ((*word).to_owned(), *judgment)).collect();
    let rule = ReviewRule::of_words(verdict_map);
    let words = VerdictWords::of(Some(&rule));
    (words.verdicts.join("|"), words.decisions.join("|"), words.meanings())
}

fn told(verdicts: &str, decisions: &str, meanings: &str) -> (String, String, String) {
    (verdicts.to_owned(), decisions.to_owned(), meanings.to_owned())
}

const COMMON: &str = "PASS|PASS_WITH_SUGGESTIONS|FAIL";

#[test]
fn common_verdicts_need_no_explanation() {
    use Judgment::{Approve, ApproveWithNotes, Revise};
    let map = [("FAIL", Revise), ("PASS", Approve), ("PASS_WITH_SUGGESTIONS", ApproveWithNotes)];
    assert_eq!(words(&map), told(COMMON, "", ""));
    assert_eq!(words(&[]), told(COMMON, "", ""));
    assert_eq!(VerdictWords::of(None).verdicts.join("|"), COMMON);
}

#[test]
fn additional_verdicts_become_the_decision_and_replaced_ones_the_result() {
    use Judgment::{Approve, ApproveWithNotes, Block, Discuss, Redo, Revise, Unverifiable};
    let map = [
        ("FAIL", Revise),
        ("PASS", Approve),
        ("PASS_WITH_SUGGESTIONS", ApproveWithNotes),
        ("STOP", Block),
        ("GO", Approve),
    ];
    let means = format!("GO: approved; STOP: {FAILED_VERIFICATION}");
    assert_eq!(words(&map), told(COMMON, "GO|STOP", &means));
    assert_eq!(
        words(&[("NO", Revise), ("OK", Approve)]),
        told("OK|NO", "", "OK: approved; NO: has to be revised")
    );
    let strict = [("FAIL", Revise), ("PASS", Approve), ("PASS_WITH_SUGGESTIONS", Revise)];
    assert_eq!(words(&strict).2, "PASS_WITH_SUGGESTIONS: has to be revised");
    let rare = [("A", ApproveWithNotes), ("B", Discuss), ("C", Unverifiable), ("D", Redo)];
    assert_eq!(
        words(&rare).2,
        "A: approved with suggestions; B: a person has to decide; C: cannot be judged; D: has to be done once more"
    );
}
