//! Tests of `review_rule`.

use super::*;

fn rule(words: &[(&str, Judgment)]) -> ReviewRule {
    ReviewRule::of_words(words.iter().map(|(word, judgment)| ((*word).to_owned(), *judgment)).collect())
}

fn common() -> Vec<(&'static str, Judgment)> {
    vec![
        ("PASS", Judgment::Approve),
        ("PASS_WITH_SUGGESTIONS", Judgment::ApproveWithNotes),
        ("FAIL", Judgment::Revise),
    ]
}

fn retake() -> ReviewRule {
    let own = [
        ("APPROVE", Judgment::Approve),
        ("REQUEST_CHANGES", Judgment::Revise),
        ("REJECT", Judgment::Block),
        ("STOP", Judgment::Block),
    ];
    rule(&[common(), own.to_vec()].concat())
}

#[test]
fn every_judgment_has_a_word_of_the_policys_own() {
    let words = retake();
    for (judgment, stated, word) in [
        (Judgment::Approve, "APPROVE", "APPROVE"),
        (Judgment::Approve, "PASS", "APPROVE"),
        (Judgment::ApproveWithNotes, "PASS_WITH_SUGGESTIONS", "APPROVE"),
        (Judgment::Revise, "FAIL", "REQUEST_CHANGES"),
        (Judgment::Revise, "APPROVE", "REQUEST_CHANGES"),
        (Judgment::Unverifiable, "", "REQUEST_CHANGES"),
        (Judgment::Block, "REJECT", "REJECT"),
        (Judgment::Block, "STOP", "STOP"),
        (Judgment::Block, "**Stop**", "STOP"),
        (Judgment::Block, "APPROVE", "REJECT"),
    ] {
        assert_eq!(words.word_for(judgment, stated), word, "{judgment:?} {stated}");
    }
}

#[test]
fn policy_with_the_common_words_only_decides_in_these() {
    let words = rule(&common());
    let of = |judgment| words.word_for(judgment, "");
    assert_eq!(of(Judgment::Approve), "PASS");
    assert_eq!(of(Judgment::ApproveWithNotes), "PASS_WITH_SUGGESTIONS");
    assert_eq!([Judgment::Revise, Judgment::Discuss, Judgment::Block].map(of), ["FAIL"; 3]);
    assert_eq!(ReviewRule::of_judge().word_for(Judgment::Redo, ""), "RETRY");
}

#[test]
fn no_refusal_gets_a_word_that_approves_and_no_approval_one_that_refuses() {
    let approving = rule(&[("LGTM", Judgment::Approve), ("PASS", Judgment::Approve)]);
    assert_eq!(approving.word_for(Judgment::Block, "LGTM"), "FAIL");
    let refusing = rule(&[("BLOCKED", Judgment::Block), ("PASS", Judgment::Approve)]);
    assert_eq!(refusing.word_for(Judgment::Approve, "BLOCKED"), "PASS");
    assert_eq!(refusing.word_for(Judgment::Revise, ""), "BLOCKED");
}
