//! How reviews are read, by the rules of the older systems and by the shapes that real reviews have.

use std::collections::BTreeMap;

use content_parser::{
    Terms, default_words, doubt, read_claim, read_evaluation, read_review, read_structured, read_triage,
};
use model::event::{EvaluationDecision, Reading};
use model::finding::Severity;
use model::verdict::{Grade, Judgment, ReadAs, Verdict};
use proptest::prelude::{ProptestConfig, Strategy, any, prop_assert, prop_oneof, proptest};
use serde_json::json;

fn read(text: &str) -> Reading {
    let words = default_words();
    read_review(text, &Terms { review_id: None, require_review_id: false, words: &words, beyond: &[] })
}

fn read_for(text: &str, review_id: &str, require_review_id: bool) -> Reading {
    let words = default_words();
    read_review(text, &Terms { review_id: Some(review_id), require_review_id, words: &words, beyond: &[] })
}

/// Tells whether an answer approves, and nothing in it is asked about.
fn is_clean(text: &str) -> bool {
    let reading = read(text);
    reading.judgment.approves() && reading.doubt.or_else(|| doubt(text)).is_none()
}

/// What a reading comes to, in one line.
fn gist(reading: &Reading) -> String {
    format!("{} by {}", reading.result, reading.read_as)
}

fn assert_gists(cases: &[(&str, &str)]) {
    let read: Vec<(&str, String)> = cases.iter().map(|(text, _)| (*text, gist(&self::read(text)))).collect();
    let expected: Vec<(&str, String)> =
        cases.iter().map(|(text, gist)| (*text, (*gist).to_owned())).collect();
    assert_eq!(read, expected);
}

#[test]
fn json_is_taken_out_although_text_stands_around_it() {
    assert_gists(&[
        ("  \n{\"result\": \"PASS\"}\n", "PASS by json"),
        ("結果: {\"result\": \"PASS\"}", "PASS by json"),
        ("{\"result\": \"FAIL\"}。", "FAIL by json"),
        (
            "Here is my review:\n```json\n{\"result\": \"PASS_WITH_SUGGESTIONS\"}\n```\nBye.",
            "PASS_WITH_SUGGESTIONS by json",
        ),
        ("{\"result\": \"pass\"} 以上です。", "PASS by json"),
        ("最終判定: {\"result\": \"**PASS**\"}", "PASS by json"),
    ]);
}

#[test]
fn nested_objects_are_read_whole_and_braces_in_strings_do_not_count() {
    let text = r#"{"result": "FAIL", "details": {"reason": "a } and a { and \"{\"", "list": [{"x": 1}]}, "summary": "no }"}"#;
    let reading = read(text);
    assert_eq!((gist(&reading).as_str(), reading.feedback.as_str()), ("FAIL by json", "no }"));
    // What is inside a review is about parts of it; what is inside anything else is not this reviewer's approval.
    assert_gists(&[
        (r#"{"result": "PASS", "details": {"result": "FAIL"}}"#, "FAIL by json"),
        (r#"{"result": "FAIL", "details": {"result": "PASS"}}"#, "FAIL by json"),
        (r#"{"previous": {"result": "PASS"}}"#, "FAIL by default"),
        (r#"{"reviews": [{"result": "FAIL"}]} {"result": "PASS"}"#, "FAIL by json"),
    ]);
}

#[test]
fn of_several_objects_the_strictest_counts() {
    assert_gists(&[
        (r#"{"result": "FAIL"} {"result": "PASS"}"#, "FAIL by json"),
        (r#"{"result": "PASS"} {"result": "PASS_WITH_SUGGESTIONS"}"#, "PASS_WITH_SUGGESTIONS by json"),
        (r#"{"result": "PASS", "decision": "FAIL"}"#, "FAIL by json"),
        (r#"{"note": 1} {"result": "PASS"} {"x": {}}"#, "PASS by json"),
    ]);
}

#[test]
fn without_an_object_the_markers_are_read() {
    let reading = read("no object here {result: PASS}\n最終判定: PASS\n");
    assert_eq!(gist(&reading), "PASS by marker:最終判定");
    assert_eq!(reading.reason, "the marker 最終判定 says PASS");
}

#[test]
fn markers_are_read_by_rank() {
    assert_gists(&[
        ("最終判定: PASS\n判定結果: FAIL", "PASS by marker:最終判定"),
        ("判定結果：PASS\n判定: FAIL", "PASS by marker:判定結果"),
        ("判定 ： PASS\n**結果**: FAIL", "PASS by marker:判定"),
        ("**結果**: PASS_WITH_SUGGESTIONS\nDECISION: FAIL", "PASS_WITH_SUGGESTIONS by marker:結果"),
        ("Decision: pass", "PASS by marker:DECISION"),
        ("Verdict: PASS\nDECISION: FAIL", "PASS by marker:verdict"),
        ("Final verdict: FAIL\nVerdict: PASS", "FAIL by marker:final verdict"),
        ("判定: PASS\n判定: FAIL\n判定: PASS", "FAIL by marker:判定"),
        // A summary does not beat the verdict: it is often about gates.
        ("総合判定: PASS\n判定: FAIL", "FAIL by marker:判定"),
        ("Overall assessment: PASS\nVerdict: FAIL", "FAIL by marker:verdict"),
    ]);
}

#[test]
fn the_mere_word_is_never_a_pass() {
    assert_gists(&[
        ("PASS", "FAIL by default"),
        ("All tests PASS. I would give it a PASS.", "FAIL by default"),
        ("品質ゲート: PASS\n- [x] **要件が明確**: **PASS** - 良い", "FAIL by default"),
        ("タスク分割が不十分です", "FAIL by default"),
    ]);
    assert_eq!(read("PASS").reason, "no marker");
}

#[test]
fn every_text_gives_a_result_with_feedback() {
    let cases = [
        ("", "FAIL by default", ""),
        (" no verdict ", "FAIL by default", "no verdict"),
        ("判定: FAIL\n理由: x", "FAIL by marker:判定", "判定: FAIL\n理由: x"),
        (
            r#"{"result": "FAIL", "feedback": "f", "summary": "s", "reason": "r"}"#,
            "FAIL by json",
            "s\n\nf\n\nr",
        ),
        ("Because.\n```json\n{\"result\": \"FAIL\"}\n```\n---\nBye.", "FAIL by json", "Because.\nBye."),
    ];
    for (text, expected, feedback) in cases {
        let reading = read(text);
        assert_eq!((gist(&reading).as_str(), reading.feedback.as_str()), (expected, feedback), "{text}");
    }
    assert_eq!(read(&"あ".repeat(30_000)).feedback.chars().count(), 20_000);
}

#[test]
fn hostile_megabytes_are_read_and_hide_nothing() {
    // The time is measured by the benchmark; a quadratic reader would not come back from this in a day.
    for unit in [
        "{",
        "{\"a\":",
        "{\"result\":",
        "\"",
        "\\",
        "{\"",
        "{\"a\":[",
        "判定",
        "判定:",
        "[{\"x\":\"",
        "```\n",
        "> ",
        "{\"\\\"",
    ] {
        let flood = unit.repeat(400_000 / unit.len());
        let reading = read(&format!("{flood}\n{{\"result\": \"FAIL\"}}\n判定: PASS"));
        assert_eq!(reading.result, Verdict::Fail, "{unit}");
    }
    let reading = read(&format!("{}\n{{\"result\": \"PASS\"}}", "{ \"".repeat(100_000)));
    assert_eq!(gist(&reading), "PASS by json");
}

#[test]
fn line_breaks_tabs_and_odd_characters_are_handled() {
    assert_gists(&[
        ("{\r\n\t\"result\":\t\"FAIL\"\r\n}", "FAIL by json"),
        ("{\"result\": \"PASS\", \"summary\": \"two\nlines\tand a tab\"}", "PASS by json"),
        ("判定:\tPASS\r\n", "PASS by marker:判定"),
        ("\u{feff}判定: PASS", "PASS by marker:判定"),
        ("判定\u{200b}: ＰＡＳＳ", "PASS by marker:判定"),
        ("text\\n\\n**判定: PASS**\\n", "PASS by marker:判定"),
        ("\0\u{1}判定: PASS", "FAIL by default"),
    ]);
}

#[test]
fn a_correct_review_is_never_turned_into_fail() {
    let review = json!({"review_id": "r-7", "result": "PASS", "summary": "判定: FAIL was \"wrong\" {", "findings": [],
        "questions": ["why?"], "suggestions": ["s", {"text": "t"}], "grade": "A", "viewpoints": {"security": "B+"}});
    let expected = Reading {
        result: Verdict::Pass,
        judgment: Judgment::Approve,
        stated: "PASS".into(),
        read_as: ReadAs::Json,
        reason: "the object says PASS".into(),
        doubt: None,
        feedback: "判定: FAIL was \"wrong\" {".into(),
        suggestions: vec!["s".into(), "t".into()],
        findings: vec![],
        questions: vec!["why?".into()],
        grade: Some(Grade::A),
        viewpoints: BTreeMap::from([("security".into(), Grade::B)]),
        answers: BTreeMap::new(),
    };
    assert_eq!(read(&review.to_string()), expected);
    for around in
        ["@", "{ \"oops\n@", "```json\n@\n```", "> quoted {\n@ \\ \" }", "{\"a\": {\"b\": @", "'\"@\"'"]
    {
        let text = around.replace('@', &review.to_string());
        let reading = read_for(&text, "r-7", true);
        assert!(reading.feedback.starts_with(&expected.feedback), "{around}");
        assert_eq!(Reading { feedback: expected.feedback.clone(), ..reading }, expected, "{around}");
    }
    let words = default_words();
    let terms = Terms { review_id: Some("r-7"), require_review_id: true, words: &words, beyond: &[] };
    assert_eq!(read_structured(&review, &terms), Reading { read_as: ReadAs::Schema, ..expected });
}

#[test]
fn a_reason_after_the_object_changes_nothing() {
    let reading = read("{\"result\": \"FAIL\"} \n理由: タスク分割が不十分...");
    assert_eq!((gist(&reading).as_str(), reading.reason.as_str()), ("FAIL by json", "the object says FAIL"));
}

#[test]
fn a_pass_that_would_be_possible_is_none() {
    let reading = read("これらを修正し、再度レビューを実施し、PASS判定が可能になります。\n\n最終判定: FAIL");
    assert_eq!(
        (gist(&reading).as_str(), reading.reason.as_str()),
        ("FAIL by marker:最終判定", "the marker 最終判定 says FAIL")
    );
    assert_gists(&[("再度レビューを実施し、PASS判定が可能になります", "FAIL by default")]);
}

#[test]
fn the_better_rank_wins() {
    assert_gists(&[
        ("判定: PASS\n最終判定: FAIL", "FAIL by marker:最終判定"),
        ("最終判定: FAIL\n判定: PASS", "FAIL by marker:最終判定"),
    ]);
}

#[test]
fn verdict_edge_cases_are_read() {
    assert_gists(&[
        (r#"{"result": "FAIL"}。"#, "FAIL by json"),
        (r#"結果: {"result": "PASS"}"#, "PASS by json"),
        (r#"{"result": "FAIL"} {"result": "PASS"}"#, "FAIL by json"),
        (r#"{"result": "FAIL", "details": {"reason": "..."}}"#, "FAIL by json"),
        ("タスク分割が不十分です", "FAIL by default"),
        ("Final Decision: fail", "FAIL by marker:final decision"),
    ]);
}

#[test]
fn the_shapes_of_real_reviews_are_read() {
    assert_gists(&[
        ("良い文書です。\n\n---\n**判定: PASS**", "PASS by marker:判定"),
        (
            "**判定: PASS_WITH_SUGGESTIONS**\n\n## 詳細\n長い文章が続く。",
            "PASS_WITH_SUGGESTIONS by marker:判定",
        ),
        ("**判定: FAIL**\n詳細\n**判定: FAIL**\n詳細", "FAIL by marker:判定"),
        ("### 判定: **FAIL** ❌\n理由", "FAIL by marker:判定"),
        ("**判定**: ✅ **PASS**", "PASS by marker:判定"),
        ("**総合判定: PASS_WITH_SUGGESTIONS（軽微な提案あり）**", "PASS_WITH_SUGGESTIONS by marker:総合判定"),
        ("**最終判定: PASS_WITH_SUGGESTIONS ✅**", "PASS_WITH_SUGGESTIONS by marker:最終判定"),
        ("**レビュー判定**: ✅ PASS", "PASS by marker:レビュー判定"),
        ("### 📊 レビュー結果: **PASS**", "PASS by marker:レビュー結果"),
        (
            "> DECISION: PASS_WITH_ISSUES\n`DECISION: PASS_WITH_ISSUES` と書かれている。\nREVIEW_RESULT: PASS",
            "PASS by marker:review result",
        ),
        (
            "It is reviewed. The overall assessment is **PASS_WITH_SUGGESTIONS**, with confidence.",
            "PASS_WITH_SUGGESTIONS by marker:overall assessment",
        ),
        ("判定は確実にFAIL", "FAIL by marker:判定"),
        (
            "**判定: PASS_WITH_SUGGESTIONS**\n\nNow I'll update the checklist. Should I go on?",
            "PASS_WITH_SUGGESTIONS by marker:判定",
        ),
        ("品質ゲート総合判定: PASS\n\n**判定: FAIL**", "FAIL by marker:判定"),
        (
            "品質ゲート総合判定: FAIL\n\n例外として:\n**判定: PASS_WITH_SUGGESTIONS**",
            "PASS_WITH_SUGGESTIONS by marker:判定",
        ),
        ("品質ゲート総合判定: PASS / FAIL\n判定: FAIL", "FAIL by marker:判定"),
        (
            "**評価: PASS**\n**評価: PASS**\n判定: PASS_WITH_SUGGESTIONS",
            "PASS_WITH_SUGGESTIONS by marker:判定",
        ),
        ("- **正確性**: **PASS**\n- 完全性: PASS\n品質ゲート総合判定: PASS", "FAIL by default"),
        ("## 最終判定\n\n**PASS**\n", "PASS by marker:最終判定"),
        ("## 最終判定\n\n**判定: FAIL**\n", "FAIL by marker:判定"),
        ("## Verdict:\n\n✅ PASS", "PASS by marker:verdict"),
        ("| 項目 | 内容 |\n|---|---|\n| 判定 | PASS |", "PASS by marker:判定"),
        ("| 項目 | 判定 |\n|---|---|\n| 正確性 | PASS |", "FAIL by default"),
        ("1つでもFAILがあれば最終判定は自動的にFAILです。\n判定: PASS", "PASS by marker:判定"),
        ("品質ゲート判定がFAILの場合、最終判定は自動的にFAILになります。\n判定: PASS", "PASS by marker:判定"),
        ("品質ゲートを満たさないため、最終判定は**FAIL**です。\n判定: PASS", "FAIL by marker:最終判定"),
        ("したがって、判定は「PASS_WITH_SUGGESTIONS」です。", "PASS_WITH_SUGGESTIONS by marker:判定"),
        ("**判定**: ✅ 適切\n**判定: PASS**", "PASS by marker:判定"),
        ("Judgement = FAIL", "FAIL by marker:judgment"),
        ("**Verdict** — PASS", "PASS by marker:verdict"),
        ("Determination: PASS", "PASS by marker:determination"),
        ("```markdown\n# Review\n**判定: PASS**\n```", "PASS by marker:判定"),
        ("# Planning Phaseチェックリスト照合結果: PASS\n判定の理由: PASS", "FAIL by default"),
        ("テスト結果: PASS\n期待結果: PASS", "FAIL by default"),
        ("最終判定: 要再検討\n判定: PASS", "FAIL by marker:最終判定"),
        ("判定（最終）: PASS", "PASS by marker:判定"),
        ("判定（正確性）: PASS", "FAIL by default"),
        ("判定: PASS\n総合的に見て、最終判定は不合格です。", "FAIL by marker:最終判定"),
        ("判定: PASS\nThe final verdict is REJECTED.", "FAIL by marker:final verdict"),
        ("結果: PASS", "PASS by marker:結果"),
        ("判定 -> PASS", "PASS by marker:判定"),
        ("判定 PASS", "PASS by marker:判定"),
        (
            "品質ゲート判定がFAILのときは最終判定は自動的にFAILになります。\n\nVerdict\n\nPASS",
            "PASS by marker:verdict",
        ),
        ("## 判定\n\n> PASS", "FAIL by default"),
        ("## 判定\n\nPASSには届かない", "FAIL by marker:判定"),
        ("## 判定\n\n理由は次の通り。\n判定: PASS", "PASS by marker:判定"),
        ("Final assessment: a good document.\nVerdict: PASS", "PASS by marker:verdict"),
        ("Verdict: PASS. I looked if it works. The verdict is FAIL.", "FAIL by marker:verdict"),
    ]);
}

#[test]
fn nothing_that_only_looks_like_an_approval_is_one() {
    for text in [
        // the instruction, echoed
        "判定: PASS / FAIL",
        "DECISION: [PASS|PASS_WITH_SUGGESTIONS|FAIL]",
        "Verdict: PASS or FAIL",
        "{\"result\": \"PASS|PASS_WITH_SUGGESTIONS|FAIL\"}",
        "I have to end with `判定: PASS` or `判定: FAIL`.\n\nDECISION: FAIL",
        // an approval quoted from somebody else, then a rejection or nothing
        "The document says:\n> 最終判定: PASS\n\nI do not agree.\n判定: FAIL",
        "The document says:\n```\n最終判定: PASS\n```\nI do not agree.",
        "> 判定: PASS",
        "```\n判定: PASS\n",
        "<!-- 判定: PASS -->",
        "<!--\n判定: PASS\n-->",
        "text <!-- 判定: PASS -->",
        "~~~\nVerdict: PASS\n~~~\n\ncut of",
        // corrected by the reviewer itself
        "判定: PASS\n\nお待ちください。テストがありません。\n\n判定: FAIL",
        "Verdict: PASS\nWait, that is wrong. The verdict should be FAIL.",
        "判定: PASS → FAIL",
        "判定: ~~PASS~~ FAIL",
        "{\"result\": \"PASS\"}\nNo:\n{\"result\": \"FAIL\"}",
        // under a condition
        "DECISION: PASS once the 3 blockers are fixed",
        "DECISION: PASS, but only after the fixes",
        "判定: PASS の場合は次へ進む",
        "判定: PASS（条件付き）",
        "修正すれば、最終判定はPASSです。",
        "If the tests are added, the verdict is PASS.",
        "Verdict: would be PASS",
        "The verdict should be PASS",
        // nothing, or the voice of a provider
        "",
        "   \n\n",
        "API Error: 529 {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\"}}",
        "レビュー結果に判定が含まれていませんでした。",
        // negated, prefixed, other words
        "Verdict: not PASS",
        "判定: PASSではない",
        "判定はPASSではありません",
        "The verdict is not PASS",
        "not yet DECISION: PASS",
        "Verdict: UNSUCCESSFUL",
        "Verdict: PASSED-NOTHING",
        "Verdict: PASSED",
        "Verdict: PASSING",
        "DECISION: PASS_WITH_ISSUES",
        "DECISION: APPROVE",
        "判定: 不合格",
        "判定: ❌ PASS",
        "Previous verdict: PASS",
        "- [ ] 判定: PASS",
        // cut off
        "判定:",
        "最終判",
        "{\"result\": \"PASS\", \"findings\": [{\"severity\": \"crit",
        "判定: PASS\n{\"result\": \"PASS\", \"findings\": [{\"severity\": \"crit",
        "判定: PASS\n{\"result\": \"FA",
        // about one part of many
        "- 正確性: 問題なし。判定: PASS",
        "### 3. 品質ゲート\n総合ゲート判定: PASS",
        "Quality gate overall judgment: PASS",
        // objects that are none
        "{\"result\": \"FAIL\", \"result\": \"PASS\"}",
        "{\"result\": \"FAIL\", \"result\": \"PASS\"}\n判定: PASS",
        "{\"result\": \"FAIL\", oops}\n判定: PASS",
        "{\"result\": \"FAIL\", ...}\n判定: PASS",
        "{\"result\": \"PASS\", oops}\n判定: PASS",
        "{\"result\": null}",
        "{\"result\": 1}",
        "{\"result\": [\"PASS\"]}",
        "{\"result\": true}",
        "{\"result\": \"APPROVED\"}",
        "{\"result\": \"PASS.\"}",
        "{\"decision\": \"PASS_WITH_ISSUES\"}",
        "{'result': 'PASS'}",
        "{result: PASS}",
        "{\"result\": \"PASS\", \"findings\": [{\"severity\": \"critical\", \"issue\": \"x\"}]}",
        "{\"result\": \"PASS\", \"n\": 1e999}",
        "Judgment: GO / NOGO",
        "Judgment: GO once the tests pass",
        "Judgment: GO\nJudgment: NOGO",
        "判定: PASS\nJudgment: NOGO",
    ] {
        let reading = read(text);
        assert_eq!((text, reading.result), (text, Verdict::Fail), "{} {}", reading.read_as, reading.reason);
        assert!(!reading.judgment.approves(), "{text}");
    }
}

#[test]
fn a_denial_counts_wherever_it_stands_in_its_line() {
    for (text, label) in [
        ("判定: PASS（最終判定: FAIL）", "最終判定"),
        ("| 判定: PASS | 最終判定: FAIL |", "最終判定"),
        ("最終判定: PASS; 最終判定: FAIL", "最終判定"),
        ("判定: PASS\n※ 最終判定: FAIL", "最終判定"),
        ("判定: PASS\n\n以上（最終判定：ＦＡＩＬ）", "最終判定"),
        ("判定：ＰＡＳＳ；最終判定：ＦＡＩＬ", "最終判定"),
        ("判定: PASS\n結論→最終判定: 不合格", "最終判定"),
        ("判定: PASS\nまとめ: 最終判定: FAIL", "最終判定"),
        ("判定: PASS / 最終判定: **FAIL** ❌", "判定"),
        ("**判定: PASS** (判定: FAIL)", "判定"),
        ("最終判定: PASS（判定: FAIL）", "判定"),
        ("Verdict: PASS (final verdict: FAIL)", "final verdict"),
        ("Verdict: PASS\nThe table is complete [final verdict: REJECTED]", "final verdict"),
        ("Verdict: PASS | Decision: FAIL", "DECISION"),
        ("REVIEW_RESULT: PASS - overall verdict: FAIL", "overall verdict"),
        ("{\"result\": \"PASS\"}; 最終判定: FAIL", "最終判定"),
        ("{\"result\": \"PASS\"} 最終判定: FAIL", "最終判定"),
        ("{\"result\": \"PASS\"}\n※ 最終判定: FAIL", "最終判定"),
    ] {
        assert_eq!((text, gist(&read(text))), (text, format!("FAIL by marker:{label}")));
    }
    // An approval still counts at its place only.
    for text in ["以上（最終判定: PASS）", "| 1 | 最終判定: PASS |", "※ 最終判定: PASS", "x; Verdict: PASS"]
    {
        assert_eq!((text, gist(&read(text)).as_str()), (text, "FAIL by default"));
    }
}

#[test]
fn what_only_tells_of_a_denial_denies_nothing() {
    for text in [
        "判定: PASS\n\n前回の判定: FAIL",
        "判定: PASS\n\n前回（判定: FAIL）の指摘はすべて解消されました。",
        "判定: PASS（前回の最終判定: FAIL は解消済み）",
        "判定: PASS\n第1ラウンド（最終判定: FAIL）",
        "判定: PASS\n\n| 第1ラウンド | 最終判定: FAIL |\n| 第2ラウンド | 判定 PASS |",
        "判定: PASS（判定: FAILにすべき欠陥なし）",
        "判定: PASS\n1つでもFAILがあれば（最終判定: FAIL）とする。",
        "判定: PASS\n- 正確性（判定: FAIL）を除く",
        "判定: PASS\n| 正確性 | 判定: FAIL | 例外 |",
        "判定: PASS\n凡例（判定: FAIL / PASS）",
        "判定: PASS\n（テスト結果: FAIL）",
        "判定: PASS\nテンプレートは「最終判定: FAIL」と書く。",
        "判定: PASS\n```\nx（最終判定: FAIL）\n```",
        "判定: PASS\n> x（最終判定: FAIL）",
        "Verdict: PASS\nRound 1 (verdict: FAIL) asked for a test, and it is there.",
        "Verdict: PASS (previous verdict: FAIL)",
        "Verdict: PASS\nThe verdict FAIL of round 1 was resolved.",
        "Verdict: PASS (verdict: FAIL would be wrong)",
        "Verdict: PASS\nThe tool prints `x (verdict: FAIL)` then.",
        "Verdict: PASS\nIt exits 1 if the suite is red (result: FAIL).",
        "Verdict: PASS\nRan it before the fix (result: FAIL) and after it (result: PASS).",
    ] {
        let reading = read(text);
        assert_eq!((text, reading.result), (text, Verdict::Pass), "{}", reading.reason);
    }
}

#[test]
fn an_object_without_an_id_inside_a_sentence_is_doubted() {
    let doubt = |text: &str| read(text).doubt;
    for text in [
        "I cannot return {\"result\":\"PASS\"} because section 3 is missing.",
        "I cannot return `{\"result\": \"PASS\"}` yet.",
        "{\"result\": \"PASS\"} would be wrong, as section 3 is missing.",
        "{\"result\": \"PASS\"}, but section 3 is missing.",
        "An answer of {\"result\": \"PASS\"} is too early.",
        "The answer is not {\"result\": \"PASS\"}.",
        "{\"result\": \"PASS\"} を返すことはできません。第3章がありません。",
        "第3章がないので {\"result\": \"PASS\"} とは言えません。",
        "Section 3 is missing. I cannot give this:\n\n```json\n{\"result\": \"PASS\"}\n```\n",
        "I cannot return\n\n```json\n{\"result\": \"PASS\"}\n```\n\nbecause section 3 is missing.",
        "Section 3 is missing, so this is not a pass:\n\n```json\n{\"result\": \"PASS\"}\n```\n",
        "```json\n{\"result\": \"PASS\"}\n```\n\nI object: section 3 is missing.",
        "A better plan would get:\n```json\n{\"result\": \"PASS\"}\n```\nSection 3 is missing.",
        "次の答えは返せません。\n```json\n{\"result\": \"PASS\"}\n```\n第3章がありません。",
        "The document says of itself:\n> {\"result\": \"PASS\"}\n",
        "```py\nreturn {\"result\": \"PASS\"}\n```",
        "The parser does not report errors twice, which I could not break:\n{\"result\": \"PASS\"}",
        "It is impossible to answer {\"result\": \"PASS\"}.",
        "If section 3 is added: {\"result\": \"PASS\"}",
    ] {
        assert!(doubt(text).is_some(), "{text}");
    }
    assert_eq!(
        doubt("I cannot return {\"result\":\"PASS\"} because section 3 is missing.").as_deref(),
        Some("I cannot return {\"result\":\"PASS\"} because section 3 is missing.")
    );
    for text in [
        "{\"result\": \"PASS\"}",
        "  \n{\"result\": \"PASS\"}\n\nThe plan is complete.",
        "The plan is complete. I did not find any problem.\n\n{\"result\": \"PASS\"}",
        "Here is my review: {\"result\": \"PASS\"}",
        "Here is my review:\n```json\n{\"result\": \"PASS\"}\n```\nBye.",
        "Here is my review in JSON\n\n```json\n{\"result\": \"PASS\"}\n```\n\nsome more words",
        "All done. {\"result\": \"PASS\"} Thank you.",
        "問題は検出されませんでした。以下に指摘はありません。\n```json\n{\"result\": \"PASS\"}\n```",
        "All findings of the previous round are fixed.\n\n```json\n{\"result\": \"PASS\"}\n```",
        "軽微な点は判定には影響しません。\n{\"result\": \"PASS\"}",
        "結果: {\"result\": \"PASS\"}",
        "{\"result\": \"PASS\"}。",
        "説明です。{\"result\": \"pass\"} 以上です。",
        "結果は {\"result\": \"PASS\"} です。",
        "{\"result\": \"PASS\"} ありがとうございました。",
        "My verdict is {\"result\": \"PASS\"}.",
        "So I return {\"result\": \"PASS\"}.",
        "- {\"result\": \"PASS\"}",
        "1. **{\"result\": \"PASS\"}**",
        "[{\"result\": \"PASS\"}]",
        "I cannot return {\"result\":\"PASS\"} yet.\n\nNow I can:\n{\"result\": \"PASS\"}",
        "判定: PASS\nThe plan gets {\"result\": \"PASS\"} from me.",
        "I cannot return {\"result\":\"FAIL\"} because nothing is missing.\n",
    ] {
        assert_eq!(doubt(text), None, "{text}");
    }
    let named = "I cannot return {\"review_id\": \"r\", \"result\": \"PASS\"} any earlier.";
    assert_eq!(read_for(named, "r", true).doubt, None, "it has the id");
}

#[test]
fn a_denial_beside_the_right_object_is_doubted() {
    let right = r#"{"review_id": "r", "result": "PASS"}"#;
    for (text, doubt) in [
        (format!("{right} 最終判定: FAIL"), Some("最終判定: FAIL")),
        (format!("{right}\n\n※ 最終判定: FAIL"), Some("最終判定: FAIL")),
        (format!("The plan holds (final verdict: FAIL).\n\n{right}"), Some("final verdict: FAIL")),
        (format!("Round 1 (verdict: FAIL) asked for a test.\n\n{right}"), None),
    ] {
        let reading = read_for(&text, "r", true);
        assert_eq!((gist(&reading).as_str(), reading.doubt.as_deref()), ("PASS by json", doubt), "{text}");
    }
}

#[test]
fn an_object_with_the_right_id_is_the_answer() {
    let right = r#"{"review_id": "r-2", "result": "PASS"}"#;
    let stricter = r#"{"review_id": "r-2", "result": "FAIL"}"#;
    let wrong = r#"{"review_id": "r-1", "result": "PASS"}"#;
    let unnamed = r#"{"result": "FAIL"}"#;
    let gists = |text: &str, required| gist(&read_for(text, "r-2", required));
    for required in [false, true] {
        assert_eq!(
            gists(&format!("{wrong} {right} {unnamed} 最終判定: FAIL {{\"result\": \"FA"), required),
            "PASS by json"
        );
        assert_eq!(gists(&format!("{right} {stricter}"), required), "FAIL by json");
        assert_eq!(gists(&format!("{{\"answer\": [{right}]}}"), required), "PASS by json");
    }
}

#[test]
fn the_form_of_an_answer_given_back_says_nothing_even_under_the_right_id() {
    let form = r#"{"review_id": "r-2", "result": "PASS|PASS_WITH_SUGGESTIONS|FAIL"}"#;
    for required in [false, true] {
        for echo in [form.to_owned(), format!("{form}\n{{\"result\": \"PASS\"}}\n判定: PASS")] {
            let reading = read_for(&echo, "r-2", required);
            assert_eq!(
                (gist(&reading).as_str(), reading.judgment),
                ("FAIL by default", Judgment::Unverifiable)
            );
            assert_eq!(reading.reason, "the form of the answer, not filled in, as the prompt shows it");
        }
        for word in ["PASS", "FAIL"] {
            let answer = format!("{form}\n{{\"review_id\": \"r-2\", \"result\": \"{word}\"}}");
            assert_eq!(gist(&read_for(&answer, "r-2", required)), format!("{word} by json"));
        }
    }
}

#[test]
fn an_answer_with_a_wrong_id_cannot_pass() {
    for wrong in [r#""r-1""#, "2", "null", r#""r-20""#] {
        let text =
            format!("{{\"review_id\": {wrong}, \"result\": \"PASS\"}}\n{{\"result\": \"PASS\"}}\n判定: PASS");
        let reading = read_for(&text, "r-2", false);
        assert_eq!(
            (gist(&reading).as_str(), reading.judgment),
            ("FAIL by default", Judgment::Unverifiable),
            "{wrong}"
        );
        assert_eq!(reading.reason, "an object with a review_id that is not the one of this review");
        assert_eq!(gist(&read(&text)), "PASS by json", "without an id asked for, ids are ignored");
    }
}

#[test]
fn without_any_id_an_answer_counts_unless_ids_are_required() {
    for text in ["{\"result\": \"PASS\"}", "判定: PASS"] {
        assert_eq!(read_for(text, "r-2", false).result, Verdict::Pass);
        let reading = read_for(text, "r-2", true);
        assert_eq!((reading.result, reading.judgment), (Verdict::Fail, Judgment::Unverifiable));
        assert_eq!(reading.reason, "no answer with the review_id of this review");
    }
}

#[test]
fn a_structured_answer_is_held_to_the_same_rules() {
    let words = default_words();
    let terms =
        |review_id, require_review_id| Terms { review_id, require_review_id, words: &words, beyond: &[] };
    let structured = |value: serde_json::Value, terms| {
        let reading = read_structured(&value, &terms);
        (gist(&reading), reading.reason)
    };
    let case = |gist: &str, reason: &str| (gist.to_owned(), reason.to_owned());
    let none = "no result in the structured answer";
    assert_eq!(
        structured(json!({"result": "PASS"}), terms(None, true)),
        case("PASS by schema", "the object says PASS")
    );
    assert_eq!(structured(json!({"x": 1}), terms(None, false)), case("FAIL by default", none));
    assert_eq!(structured(json!(["PASS"]), terms(None, false)), case("FAIL by default", none));
    assert_eq!(
        structured(json!({"result": "PASS"}), terms(Some("r"), true)),
        case("FAIL by default", "no answer with the review_id of this review")
    );
    assert_eq!(
        structured(json!({"review_id": "q", "result": "PASS"}), terms(Some("r"), false)),
        case("FAIL by default", "the review_id is not the one of this review")
    );
}

#[test]
fn a_verdict_is_tightened_by_what_it_says_itself() {
    for (more, reason) in [
        (r#""findings": [{"severity": "critical"}]"#, "tightened: PASS with a critical finding"),
        (r#""findings": ["no tests"]"#, "tightened: PASS with a major finding"),
        (r#""grade": "c""#, "tightened: PASS with grade C"),
        (r#""grade": "A", "viewpoints": {"security": "D-"}"#, "tightened: PASS with grade D"),
        (r#""viewpoints": {"security": {"grade": "C"}}"#, "tightened: PASS with grade C"),
        (r#""grade": 95"#, "tightened: PASS with a grade that is none of A, B, C, D"),
        (r#""grade": "excellent""#, "tightened: PASS with a grade that is none of A, B, C, D"),
        (r#""viewpoints": ["A"]"#, "tightened: PASS with a grade that is none of A, B, C, D"),
        (r#""viewpoints": {"security": {}}"#, "tightened: PASS with a grade that is none of A, B, C, D"),
    ] {
        let reading = read(&format!("{{\"result\": \"PASS\", {more}}}"));
        assert_eq!((reading.result, reading.judgment), (Verdict::Fail, Judgment::Revise), "{more}");
        assert_eq!((reading.stated.as_str(), reading.reason.as_str()), ("PASS", reason));
    }
    for more in [
        r#""findings": [{"severity": "minor", "issue": "x"}]"#,
        r#""grade": "B-""#,
        r#""grade": null"#,
        r#""grade": """#,
    ] {
        assert_eq!(read(&format!("{{\"result\": \"PASS\", {more}}}")).result, Verdict::Pass, "{more}");
    }
}

#[test]
fn a_pass_with_an_objection_on_its_line_is_none() {
    for text in [
        "Verdict: PASS (blocked)",
        "Verdict: PASS, but two critical issues must be fixed before merge",
        "Verdict: PASS. However, this must not be merged until the SQL injection is fixed.",
        "最終判定: PASS（ただし、ブロッカーの修正が必要）",
        "最終判定: PASS。ただし重大な欠陥があるため差し戻し。",
        "最終判定: PASS (with suggestions), but blocked",
        "DECISION: PASS (no, wait: FAIL)",
    ] {
        assert!(!is_clean(text), "{text}");
    }
    assert_gists(&[
        ("Verdict: PASS ❌", "FAIL by marker:verdict"),
        ("最終判定: PASS ✗", "FAIL by marker:最終判定"),
        ("最終判定: PASS - ✗", "FAIL by marker:最終判定"),
    ]);
}

#[test]
fn a_remark_that_objects_to_nothing_leaves_a_pass_standing() {
    assert_gists(&[
        (
            "判定: PASS - 上記の改善提案を参考に、必要に応じて詳細化することを推奨します",
            "PASS by marker:判定",
        ),
        ("判定: PASS。ブロッカーはありません。", "PASS by marker:判定"),
        ("Verdict: PASS - no blockers, nice work", "PASS by marker:verdict"),
        ("最終判定: **PASS**（条件なし）", "PASS by marker:最終判定"),
        (r"最終判定: PASS\_WITH\_SUGGESTIONS", "PASS_WITH_SUGGESTIONS by marker:最終判定"),
        ("最終判定: PASS (with suggestions)", "PASS_WITH_SUGGESTIONS by marker:最終判定"),
    ]);
}

#[test]
fn an_object_that_denies_its_own_pass_is_none() {
    assert_gists(&[
        (r#"{"result":"PASS","issues":[{"severity":"critical","issue":"x"}]}"#, "FAIL by json"),
        (r#"{"result":"PASS","findings":[],"issues":[{"severity":"major"}]}"#, "FAIL by json"),
        (r#"{"result":"PASS","blockers":["no tests"]}"#, "FAIL by json"),
        (r#"{"result":"PASS","approved":false}"#, "FAIL by json"),
        (r#"{"result":"PASS","passed":"false"}"#, "FAIL by json"),
        (r#"{"review":{"result":"FAIL"},"result":"PASS"}"#, "FAIL by json"),
        (r#"{"review":[{"result":"PASS"}],"result":"FAIL"}"#, "FAIL by json"),
        (
            r#"{"result":"PASS","issues":[{"severity":"minor"}],"blockers":[],"approved":true,"tests":{"result":"12 ok"}}"#,
            "PASS by json",
        ),
        (r#"{"result":"PASS","issues":0,"blockers":"none"}"#, "PASS by json"),
    ]);
    let reading = read(r#"{"result":"PASS","blockers":["no tests"]}"#);
    assert_eq!(reading.worst(), Some(Severity::Critical));
}

#[test]
fn indented_code_is_quoted_text() {
    assert_gists(&[
        ("The template says\n\n    最終判定: PASS\n", "FAIL by default"),
        ("\t最終判定: PASS\n判定: FAIL", "FAIL by marker:判定"),
        ("判定: PASS\n\n    判定: FAIL", "FAIL by marker:判定"),
        ("   最終判定: PASS", "PASS by marker:最終判定"),
    ]);
}

#[test]
fn an_object_against_a_marker_is_read_strictly() {
    assert_gists(&[
        ("{\"result\": \"PASS\"}\n判定: FAIL", "FAIL by marker:判定"),
        ("{\"result\": \"FAIL\"}\n判定: PASS", "FAIL by json"),
        ("{\"result\": \"PASS\"}\n最終判定: PASS\n判定: FAIL", "PASS by json"),
    ]);
    let reading = read(
        "{\"result\": \"PASS\", \"findings\": [{\"severity\": \"minor\", \"issue\": \"x\"}]}\n判定: FAIL",
    );
    assert_eq!(reading.worst(), Some(Severity::Minor));
}

#[test]
fn quoted_lines_may_only_make_it_stricter() {
    assert_gists(&[
        ("判定: PASS\n> 判定: FAIL", "FAIL by marker:判定"),
        ("判定: PASS_WITH_SUGGESTIONS\n> 最終判定: PASS", "PASS_WITH_SUGGESTIONS by marker:判定"),
        ("判定: PASS\n```\n判定: PASS_WITH_SUGGESTIONS\n```", "PASS_WITH_SUGGESTIONS by marker:判定"),
        ("判定: PASS\n```py\nreturn {\"result\": \"FAIL\", \"reason\": reason}\n```", "PASS by marker:判定"),
        ("I answer as {\"result\": \"PASS\", ...}:\n判定: PASS", "PASS by marker:判定"),
        ("I answer as {\"result\": \"FAIL\" | \"PASS\"}:\n判定: PASS", "PASS by marker:判定"),
    ]);
}

#[test]
fn tables_and_go_lines_are_read_when_nothing_else_is_said() {
    let table = |row: &str| {
        format!(
            "| Severity | Issues | Fix Required | No Fix Needed | Needs Discussion |\n|--|--|--|--|--|\n| Info | 2 | {row} |\n"
        )
    };
    let judged = |text: &str| {
        let reading = read(text);
        (gist(&reading), reading.judgment)
    };
    assert_eq!(judged(&table("0 | 2 | 0")), ("PASS by table".to_owned(), Judgment::Approve));
    assert_eq!(judged(&table("1 | 0 | 1")), ("FAIL by table".to_owned(), Judgment::Revise));
    assert_eq!(judged(&table("1 | 1 | 1")), ("FAIL by default".to_owned(), Judgment::Unverifiable));
    assert_eq!(judged(&table("0 | 1 | 1")), ("FAIL by table".to_owned(), Judgment::Discuss));
    assert_eq!(
        judged(&format!("判定: FAIL\n{}", table("0 | 2 | 0"))),
        ("FAIL by marker:判定".to_owned(), Judgment::Revise)
    );
    assert_gists(&[
        ("# Inspection\n- **Judgment**: ✅ **GO**", "PASS by go_nogo"),
        ("- **判定**: GO", "PASS by go_nogo"),
        ("- **Judgment**: GO (after autofix)", "PASS by go_nogo"),
        ("- **Judgment**: ⛔ **NOGO**", "FAIL by go_nogo"),
        ("Judgment: NO-GO", "FAIL by go_nogo"),
    ]);
    let late = format!("{}Judgment: GO", "line\n".repeat(50));
    assert_eq!(gist(&read(&late)), "FAIL by default");
}

#[test]
fn a_policy_brings_its_own_words() {
    let words = BTreeMap::from([
        ("APPROVE".to_owned(), Judgment::Approve),
        ("REQUEST_CHANGES".to_owned(), Judgment::Revise),
        ("REJECT".to_owned(), Judgment::Block),
    ]);
    let judge = |text: &str| {
        read_review(text, &Terms { review_id: None, require_review_id: false, words: &words, beyond: &[] })
            .judgment
    };
    assert_eq!(judge(r#"{"decision": "APPROVE"}"#), Judgment::Approve);
    assert_eq!(judge("Decision: reject"), Judgment::Block);
    assert_eq!(
        judge(r#"{"decision": "APPROVE"} Decision: REQUEST_CHANGES"#),
        Judgment::Approve,
        "not a label's place"
    );
    assert_eq!(judge("{\"decision\": \"APPROVE\"}\nDecision: REQUEST_CHANGES"), Judgment::Revise);
    assert_eq!(judge(r#"{"decision": "WITHDRAWN"}"#), Judgment::Revise, "an unknown word");
    assert_eq!(judge(r#"{"decision": "PASS"}"#), Judgment::Unverifiable, "an unknown word that approves");
}

#[test]
fn an_approving_word_that_the_policy_does_not_use_is_asked_again() {
    for word in ["合格", "Approved", "PASSED", "LGTM", "APPROVE", "ACCEPTED", "承認"] {
        for text in
            [format!("{{\"result\": \"{word}\"}}"), format!("判定: {word}"), format!("DECISION: {word}")]
        {
            let reading = read(&text);
            assert_eq!((reading.result, reading.judgment), (Verdict::Fail, Judgment::Unverifiable), "{text}");
        }
    }
    for word in ["不合格", "承認できません", "not approved", "REJECTED"] {
        for text in [format!("{{\"result\": \"{word}\"}}"), format!("判定: {word}")] {
            assert_eq!(read(&text).judgment, Judgment::Revise, "{text}");
        }
    }
}

#[test]
fn suggestions_are_kept_from_objects_and_from_prose() {
    assert_eq!(read(r#"{"result": "PASS", "suggestions": "one"}"#).suggestions, ["one"]);
    let text = "**判定: PASS_WITH_SUGGESTIONS**\n\n## 改善提案\n1. **A**: 細かく\n2. B\n\n## その他\n- x";
    assert_eq!(read(text).suggestions, ["**A**: 細かく", "B"]);
}

#[test]
fn floods_that_cannot_be_read_cannot_pass() {
    let pass = "判定: PASS\n";
    for (flood, reason) in [
        (format!("{}{pass}", "{\"a\":1}\n".repeat(60_000)), "more objects than can be read"),
        (pass.repeat(60_000), "more marker lines than can be read"),
        (
            format!("{pass}{{\"result\": \"PASS\", \"x\": [{}1]}}", "1,".repeat(120_000)),
            "an object that cannot be read, such as one with a key twice",
        ),
    ] {
        let reading = read(&flood);
        assert_eq!((reading.judgment, reading.reason.as_str()), (Judgment::Unverifiable, reason));
    }
}

/// Short pieces from which answers are made: structure, labels, words and noise.
fn answers() -> impl Strategy<Value = String> {
    let pieces: Vec<&str> = vec![
        "{",
        "}",
        "[",
        "]",
        "\"",
        ":",
        ",",
        "\\",
        "\n",
        " ",
        "{\"result\": \"PASS\"}",
        "{\"result\": \"FAIL\"}",
        "\"result\"",
        "\"PASS\"",
        "判定: PASS",
        "\n判定: PASS\n",
        "\n最終判定: FAIL\n",
        "\nDECISION: PASS\n",
        "\n> ",
        "\n```\n",
        "\n```json\n",
        "| 判定 | PASS |",
        "## 判定\n",
        "PASS",
        "FAIL",
        "の場合",
        "は",
        " is ",
        "review_id",
        "✅",
        "😀",
        "。",
        "1e5",
        "null",
        "{\"a\": {\"result\": \"PASS\"}}",
        "\\n",
        "\nJudgment: GO\n",
    ];
    let piece = prop_oneof![4 => proptest::sample::select(pieces).prop_map(str::to_owned), 1 => "\\PC{0,4}"];
    proptest::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

/// Text that opens no object, no fence and no quotation.
fn prose() -> impl Strategy<Value = String> {
    "[a-zA-Zぁ-ん。、:*#!?\" \n-]{0,60}"
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, max_shrink_iters: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn no_text_makes_the_reader_panic(text in prop_oneof![answers(), any::<String>()]) {
        let reading = read(&text);
        prop_assert!(reading.result == reading.judgment.verdict());
        let named = read_for(&text, "r", true);
        prop_assert!(!named.judgment.approves());
        let _ = (read_claim(&text), read_evaluation(&text), read_triage(&text, Some("r")));
    }

    #[test]
    fn another_finding_never_makes_it_milder(
        word in proptest::sample::select(vec!["PASS", "PASS_WITH_SUGGESTIONS", "FAIL", "?"]),
        severities in proptest::collection::vec(proptest::sample::select(vec!["info", "minor", "major", "critical", "odd"]), 1..6),
    ) {
        let mut findings: Vec<serde_json::Value> = severities.iter().map(|word| json!({"severity": word, "issue": "x"})).collect();
        let all = read(&json!({"result": word, "findings": findings}).to_string());
        findings.pop();
        let fewer = read(&json!({"result": word, "findings": findings}).to_string());
        prop_assert!(all.judgment >= fewer.judgment);
    }

    #[test]
    fn another_marker_of_the_same_rank_never_makes_it_milder(
        text in answers(),
        mark in proptest::sample::select(vec!["判定: PASS", "判定: FAIL", "Verdict: PASS_WITH_SUGGESTIONS", "判定: PASSED", "> 判定: PASS"]),
    ) {
        let before = read(&format!("判定: PASS_WITH_SUGGESTIONS\n\n{text}"));
        let after = read(&format!("{mark}\n判定: PASS_WITH_SUGGESTIONS\n\n{text}"));
        prop_assert!(after.judgment.verdict() >= before.judgment.verdict(), "{} -> {}", before.reason, after.reason);
    }

    #[test]
    fn another_object_never_makes_it_milder(
        text in prose(),
        words in proptest::collection::vec(proptest::sample::select(vec!["PASS", "PASS_WITH_SUGGESTIONS", "FAIL", "?"]), 2..5),
    ) {
        let objects: Vec<String> = words.iter().map(|word| json!({"result": word}).to_string()).collect();
        let fewer = read(&format!("{text}\n{}", objects[1..].join(" ")));
        let all = read(&format!("{text}\n{}", objects.join(" ")));
        prop_assert!(all.judgment >= fewer.judgment);
    }

    #[test]
    fn no_text_around_an_object_turns_its_fail_into_a_pass(before in answers(), after in answers()) {
        let reading = read(&format!("{before}{{\"result\": \"FAIL\", \"summary\": \"s\"}}{after}"));
        prop_assert!(!reading.judgment.approves(), "{}", reading.reason);
    }

    #[test]
    fn prose_around_an_object_does_not_hide_it(before in prose(), after in prose()) {
        let reading = read(&format!("{before}{{\"result\": \"PASS\", \"summary\": \"s\"}}{after}"));
        prop_assert!(reading.result == Verdict::Pass, "{}", reading.reason);
    }
}

#[test]
fn an_evaluation_is_read_from_its_answer() {
    let text = "## Evaluation\n**DECISION: FAIL_PHASE_4**\n{\"decision\": \"PASS\"}";
    assert_eq!(
        read_evaluation(text).map(|evaluation| evaluation.decision),
        Some(EvaluationDecision::FailPhase("4".into()))
    );
}

#[test]
fn an_item_of_a_nested_list_is_no_code() {
    let words = default_words();
    let terms = Terms { review_id: None, require_review_id: false, words: &words, beyond: &[] };
    let reading = read_review("- 総括\n    - **判定: PASS**\n", &terms);
    assert_eq!(reading.result.as_str(), "PASS", "{}", reading.reason);
}

#[test]
fn an_approval_that_its_own_answer_contradicts_is_none() {
    for text in [
        r#"{"review_id": "r", "result": "PASS", "verdict": "FAIL", "summary": "s", "findings": []}"#,
        r#"{"review_id": "r", "result": "PASS", "status": "failed", "summary": "s", "findings": []}"#,
    ] {
        assert!(!read_for(text, "r", true).judgment.approves(), "{text}");
    }
    for text in [
        "DECISION: PASS\n\n## Findings\n\n1. [CRITICAL] planning.md:3 the plan drops the users table\n",
        "Final Decision: PASS\nOverall Decision: REJECT",
        "Final Decision: PASS\n\nDECISION: FAIL",
    ] {
        assert!(!read(text).judgment.approves(), "{text}");
    }
    for text in [
        r#"{"result": "PASS", "verdict": "approved", "status": "completed"}"#,
        "DECISION: PASS\n\n1. [CRITICAL] none\n2. [minor] a name\n",
        "Final Decision: PASS\nDECISION: PASS",
    ] {
        assert!(read(text).judgment.approves(), "{text}");
    }
}

#[test]
fn an_approval_that_the_reviewer_takes_back_in_its_own_words_is_none() {
    let json = |prose: &str| format!("{prose}\n\n{{\"result\": \"PASS\", \"findings\": []}}\n");
    for text in [
        "DECISION: PASS\n\n結論: 不合格\n".to_owned(),
        "判定: PASS\n\nただし、このままではマージできません。\n".to_owned(),
        "DECISION: PASS\n\nOn second thought I must reject this.\n".to_owned(),
        json("[CRITICAL] src/a.rs:3 the password is logged"),
        json("- [CRITICAL] F-1 is not fixed: the token is still logged"),
        json("Do not merge."),
        "判定: PASS\n\n致命的な問題があります\n".to_owned(),
        r#"{"result": "PASS", "suggestions": ["must not be merged: it drops a table"]}"#.to_owned(),
    ] {
        assert!(!is_clean(&text), "{text}");
    }
    for text in [
        json("**Critical:** there are none."),
        json("- P0: return the last page\n- P1: add a test"),
        json("- [CRITICAL] F-1: repaired"),
        json("## Critical issues\n\nNone."),
        "判定: PASS\n\n【重大】なし\n".to_owned(),
        "DECISION: PASS\n\n前回の結論は不合格でしたが、すべて解消されました。\n".to_owned(),
        "DECISION: PASS\n\n> On second thought I must reject this.\n".to_owned(),
        json("Round 1 named [CRITICAL] src/a.rs:3; it is fixed."),
        json("Fixed since round 1:\n- [CRITICAL] src/a.rs:3 the password was logged"),
    ] {
        assert!(is_clean(&text), "{text}");
    }
    let right = r#"{"review_id": "7", "result": "PASS", "findings": []}"#;
    let taken_back = read_for(&format!("{right}\n\nI cannot approve this change."), "7", true);
    assert_eq!((gist(&taken_back), taken_back.judgment), ("PASS by json".into(), Judgment::Approve));
    assert_eq!(
        doubt(&format!("{right}\n\nI cannot approve this change.")).as_deref(),
        Some("I cannot approve this change.")
    );
    assert_eq!(doubt(&format!("{right}\n\nI approve this change.")), None);
}
