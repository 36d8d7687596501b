//! Labels of marker lines, and the words that end them.

use super::*;
use regex::Regex;
use std::sync::LazyLock;

fn label(line: &str) -> Option<(Rank, String, Lead)> {
    let mention = mentions(line).last().expect("a label");
    let label = read(&line[..mention.start], true, &line[mention])?;
    // In the middle of a line it is no label, but may begin a remark.
    if matches!(label.lead, Lead::Remark { .. }) { None } else { Some((label.rank, label.name, label.lead)) }
}

#[test]
fn labels_have_ranks_and_names() {
    for (line, rank, name) in [
        ("最終判定", Rank::Final, "最終判定"),
        ("**レビューの最終判定結果", Rank::Final, "最終判定結果"),
        ("Final Judgement", Rank::Final, "final judgment"),
        ("Final Decision", Rank::Final, "final decision"),
        ("判定結果", Rank::Result, "判定結果"),
        ("判定", Rank::Judgment, "判定"),
        ("総合判定", Rank::Judgment, "総合判定"),
        ("全体の評価", Rank::Judgment, "総合評価"),
        ("レビュー結果", Rank::Judgment, "レビュー結果"),
        ("REVIEW_RESULT", Rank::Judgment, "review result"),
        ("**Overall** assessment", Rank::Judgment, "overall assessment"),
        ("Review decision", Rank::Judgment, "review decision"),
        ("結果", Rank::Outcome, "結果"),
        ("Result", Rank::Outcome, "result"),
        ("decision", Rank::Decision, "DECISION"),
    ] {
        assert_eq!(label(line), Some((rank, name.to_owned(), Lead::Line)), "{line}");
    }
}

#[test]
fn a_label_of_something_else_is_no_label() {
    for line in [
        "品質ゲート総合判定",
        "Planning Phaseチェックリスト照合結果",
        "正確性: 判定",
        "Quality gate overall judgment",
        "評価",
        "Assessment",
        "前回の判定",
        "Previous verdict",
        "- Gate 1 - verdict",
        "- [ ] 最終判定",
        "| 1 | a | 判定",
        "1つでもFAILがあれば最終判定",
        "Section 3. Verdict",
        "prejudgment",
        "test result",
        "v1.verdict",
    ] {
        assert_eq!(label(line), None, "{line}");
    }
}

#[test]
fn decoration_before_a_label_does_not_matter() {
    for line in [
        "### 📊 レビュー判定",
        "- [x] **判定",
        "  * 判定",
        "> 判定",
        "1.2) 判定",
        "【判定",
        "## 5. 最終判定",
        "__判定",
        "✅ 判定",
    ] {
        assert_eq!(label(line).map(|found| found.2), Some(Lead::Line), "{line}");
    }
}

#[test]
fn a_label_may_follow_a_sentence_or_a_clause() {
    for (line, lead) in [
        ("| **判定", Lead::Cell),
        ("以上です。**判定", Lead::Sentence),
        ("All is well. The overall assessment", Lead::Sentence),
        ("最後に。したがって、判定", Lead::Sentence),
        ("x\\n\\n**判定", Lead::Sentence),
        ("したがって、判定", Lead::Line),
        ("2項目がFAILのため、最終判定", Lead::Clause),
    ] {
        assert_eq!(label(line).map(|found| found.2), Some(lead), "{line}");
    }
}

fn found(text: &str) -> Vec<&str> {
    mentions(text).map(|place| &text[place]).collect()
}

#[test]
fn words_are_found_in_both_cases_and_at_both_ends() {
    assert_eq!(
        found("Verdict: 判定結果 JUDGEMENT,judgment 結果判定xresults評価"),
        ["Verdict", "判定結果", "JUDGEMENT", "judgment", "結果", "判定", "result", "評価"]
    );
    assert_eq!(found("resul esult 判 judgeement RESULT"), ["RESULT"]);
    assert_eq!(found(""), [""; 0]);
}

/// The slow way. An `s` has a third spelling beyond ASCII, which is none of the pieces below.
static SLOWLY: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(&format!("(?i){}", MARKERS["labels"].join("|"))).expect("made of constants"));

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig { cases: 2_000, ..Default::default() })]

    #[test]
    fn no_word_is_missed_and_none_is_invented(
        pieces in proptest::collection::vec(
            proptest::sample::select(vec![
                "判定", "結果", "評価", "判", "定", "果", "価", "re", "sult", "RESULT", "verdict", "ver", "dict", "Dec", "ision",
                "assess", "ment", "judg", "e", "determination", "deter", " ", "x", "、", "🎉",
            ]),
            0..30,
        )
    ) {
        let text = pieces.concat();
        let slow: Vec<&str> = SLOWLY.find_iter(&text).map(|found| found.as_str()).collect();
        proptest::prop_assert_eq!(found(&text), slow);
    }
}
