//! Decisions of evaluations: objects, lines, sentences, and what contradicts them.

use super::*;

fn decided(text: &str) -> Option<EvaluationDecision> {
    read_evaluation(text).map(|evaluation| evaluation.decision)
}

fn fail(phase: &str) -> EvaluationDecision {
    EvaluationDecision::FailPhase(phase.to_owned())
}

#[test]
fn an_object_decides_and_leaves_tasks() {
    let text = r#"{"decision": "pass_with_issues", "remaining_tasks": [{"task": "t", "phase": "report", "priority": "low"}, "u", {}]}"#;
    let task = |task: &str, phase: &str, priority: &str| RemainingTask {
        task: task.into(),
        phase: phase.into(),
        priority: priority.into(),
    };
    let remaining_tasks = vec![task("t", "report", "low"), task("u", "", "")];
    let expected = Evaluation { decision: EvaluationDecision::PassWithIssues, remaining_tasks };
    assert_eq!(read_evaluation(text), Some(expected.clone()));
    assert_eq!(read_evaluation(&format!("{text}\n{text}")), Some(expected));
}

#[test]
fn lines_decide_too() {
    assert_eq!(decided("all fine\n**DECISION: PASS**\n"), Some(EvaluationDecision::Pass));
    assert_eq!(decided("## Decision： `FAIL_PHASE_4` – bugs"), Some(fail("4")));
    assert_eq!(decided("Final decision: FAIL_PHASE_test_implementation"), Some(fail("test_implementation")));
    assert_eq!(decided("- DECISION = abort."), Some(EvaluationDecision::Abort));
}

#[test]
fn the_strictest_counts() {
    assert_eq!(decided("DECISION: PASS\nDECISION: FAIL_PHASE_2"), Some(fail("2")));
    assert_eq!(
        decided("DECISION: PASS\n{\"decision\": \"ABORT\"}\nDECISION: FAIL_PHASE_2"),
        Some(EvaluationDecision::Abort)
    );
    assert_eq!(
        decided("DECISION: PASS_WITH_ISSUES\n{\"decision\": \"PASS\"}"),
        Some(EvaluationDecision::PassWithIssues)
    );
}

#[test]
fn a_decision_that_cannot_be_read_may_be_the_strictest() {
    for text in [
        r#"{"decision": "ABORT", "decision": "PASS"}"#,
        r#"{"decision": "ABORT", "remaining_tasks": ["#,
        r#"{"decision": "ABORT" oops}"#,
        r#"{"decision": "AB"#,
        &"DECISION\n".repeat(20_000),
    ] {
        assert_eq!(decided(&format!("DECISION: PASS\n{text}")), None, "{}", &text[..20]);
    }
    let code = "DECISION: PASS\n```py\nreturn {\"decision\": \"ABORT\", \"why\": why}\n```\n";
    assert_eq!(decided(code), Some(EvaluationDecision::Pass));
}

#[test]
fn what_is_no_decision_of_ours_is_not_replaced_by_a_milder_one() {
    for text in [
        "DECISION: REJECTED",
        "DECISION: ABORTED",
        "DECISION: FAIL",
        "DECISION: unclear",
        "Decision: Rejected because data is lost",
        "**Decision**: failed.",
        "Final decision: redo the plan",
        "DECISION: PASS once the blockers are fixed",
        "DECISION: PASS → ABORT",
        r#"{"decision": "FAIL"}"#,
        r#"{"Decision": "retry"}"#,
        r#"{"decision": ["PASS", "ABORT"]}"#,
        r#"{"decision": "rejected for now"}"#,
        r#"{"decision": "REJECTED", "remaining_tasks": [oops]}"#,
    ] {
        assert_eq!(decided(&format!("{text}\n\nDECISION: PASS")), None, "{text}");
        assert_eq!(read_evaluations(&[text, "DECISION: PASS"]), None, "{text}");
        assert_eq!(read_evaluations(&["DECISION: PASS", text]), None, "{text}");
    }
}

#[test]
fn what_is_said_of_the_code_and_the_form_of_the_answer_say_nothing() {
    for text in [
        "Decision: fail fast on a bad header",
        "- Decision: accept the header in both cases",
        "**Decision**: JWT",
        "Decision: use SQLite",
        "## Decision:",
        "DECISION: [PASS|PASS_WITH_ISSUES|FAIL_PHASE_<phase>|ABORT]",
        r#"{"decision": "PASS|PASS_WITH_ISSUES|FAIL_PHASE_<phase>|ABORT", "remaining_tasks": [{"task": "…"}]}"#,
        r#"{"decision": "keep the old interface"}"#,
        r#"{"decision": null}"#,
    ] {
        let expected = Evaluation { decision: EvaluationDecision::Pass, remaining_tasks: Vec::new() };
        assert_eq!(read_evaluations(&["DECISION: PASS", text]), Some(expected), "{text}");
    }
}

#[test]
fn the_answer_and_the_deliverable_count_together() {
    let both = |answer: &str, document: &str| {
        read_evaluations(&[answer, document]).map(|evaluation| evaluation.decision)
    };
    assert_eq!(both("DECISION: PASS", "DECISION: ABORT"), Some(EvaluationDecision::Abort));
    assert_eq!(both(r#"{"decision": "PASS"}"#, "DECISION: FAIL_PHASE_planning"), Some(fail("planning")));
    assert_eq!(both("DECISION: PASS", r#"{"run": {"decision": "ABORT"}}"#), Some(EvaluationDecision::Abort));
    assert_eq!(both("done", "DECISION: PASS"), Some(EvaluationDecision::Pass));
    assert_eq!(both("done", r#"{"run": {"decision": "PASS"}}"#), None);
    let twice = r#"{"decision": "ABORT", "decision": "PASS"}"#;
    assert_eq!(both(twice, "DECISION: PASS"), None);
}

#[test]
fn a_document_that_tells_a_harder_decision_in_other_words_leaves_none() {
    for document in [
        "## Decision\n\nABORT\n",
        "**Decision**\n\n**ABORT**\n",
        "最終判定: ABORT",
        "## 最終判定\n\nABORT",
        "判定: FAIL_PHASE_planning",
        "| Decision | ABORT |",
        "The decision is ABORT.",
        "The final decision is FAIL_PHASE_2.",
        "最終判定は ABORT です。",
        "最終判定: 不合格",
        "Final verdict: FAIL",
    ] {
        for answer in ["DECISION: PASS", r#"{"decision": "PASS_WITH_ISSUES"}"#] {
            assert_eq!(read_evaluations(&[answer, document]), None, "{document}");
            assert_eq!(decided(&format!("{answer}\n\n{document}\n")), None, "{document}");
        }
        let aborts = read_evaluations(&["DECISION: ABORT", document]).map(|read| read.decision);
        assert_eq!(aborts, Some(EvaluationDecision::Abort), "{document}");
    }
    let unread = |texts: &[&str]| unread_decision(texts);
    assert_eq!(unread(&["DECISION: PASS", "## 最終判定\n\nABORT"]), Some("最終判定: ABORT".into()));
    assert_eq!(unread(&["DECISION: REJECTED"]), Some("DECISION: REJECTED".into()));
    assert_eq!(unread(&[r#"{"decision": "RETRY"}"#]), Some("RETRY".into()));
    assert_eq!((unread(&["done"]), unread(&["DECISION: PASS"])), (None, None));
}

#[test]
fn a_document_that_tells_of_other_decisions_leaves_a_pass_standing() {
    for document in [
        "The options were PASS, FAIL_PHASE_x and ABORT.\n\n## Decision\n\nPASS\n",
        "| Phase | Decision |\n|---|---|\n| planning | PASS |\n\nNo reason for ABORT was found.",
        "## 判定\n\nDECISION: PASS\n\nABORT に該当する問題はない。",
        "If the tests had failed, the decision would be ABORT.",
        "When the tests fail, the decision is ABORT.",
        "| Decision | Meaning |\n|---|---|\n| ABORT | the run ends |",
        "Decision: PASS / PASS_WITH_ISSUES / FAIL_PHASE_x / ABORT",
        "## Decision\n\n[PASS|PASS_WITH_ISSUES|FAIL_PHASE_<phase>|ABORT]",
        "> 最終判定: ABORT",
        "```\n最終判定: ABORT\n```\nx",
        "最終判定: PASS",
        "最終判定: 全ての品質ゲートを満たす",
        "総合判定: 合格",
        "The decision is to keep the old interface.",
        "## Decision\n\nWe keep SQLite; ABORT is sent to the client as before.",
    ] {
        let read = read_evaluations(&["DECISION: PASS", document]).map(|read| read.decision);
        assert_eq!(read, Some(EvaluationDecision::Pass), "{document}");
    }
}

#[test]
fn a_decision_that_is_taken_back_in_a_sentence_leaves_none() {
    for sentence in [
        "On second thought: ABORT",
        "On second thought, this must be ABORT.",
        "**Correction:** FAIL_PHASE_testing",
        "Actually, the decision is ABORT: the data is lost.",
        "Wait, no: scratch that. ABORT",
        "訂正: ABORT",
        "やはり FAIL_PHASE_planning とする。",
    ] {
        for pass in ["DECISION: PASS", r#"{"decision": "PASS", "remaining_tasks": []}"#] {
            assert_eq!(decided(&format!("{pass}\n\n{sentence}\n")), None, "{sentence}");
            assert_eq!(decided(&format!("{sentence}\n\n{pass}\n")), None, "{sentence}");
        }
        assert_eq!(decided(&format!("DECISION: ABORT\n\n{sentence}\n")), Some(EvaluationDecision::Abort));
    }
    for sentence in [
        "On second thought, the ABORT path is covered, too.",
        "Correction of round 1: it said ABORT, which is no longer right.",
        "> On second thought: ABORT",
        "```\nOn second thought: ABORT\n```\nx",
        "Actually, ABORT would have been right if the backup were missing.",
    ] {
        let text = format!("DECISION: PASS\n\n{sentence}\n");
        assert_eq!(decided(&text), Some(EvaluationDecision::Pass), "{sentence}");
    }
}

#[test]
fn what_would_have_been_decided_decides_nothing() {
    for sentence in [
        "`DECISION: FAIL_PHASE_testing` would have been given if the tests had failed.",
        "DECISION: FAIL_PHASE_planning would have been given if the plan had a hole.",
        "DECISION: ABORT would only be right if data were lost.",
        "`DECISION: FAIL_PHASE_testing` となるのはテストが失敗した場合となる。",
    ] {
        let text = format!("{sentence}\n\nDECISION: PASS\n");
        assert_eq!(decided(&text), Some(EvaluationDecision::Pass), "{sentence}");
        assert_eq!(decided(sentence), None, "{sentence}");
    }
    for sentence in [
        "DECISION: FAIL_PHASE_testing, because the tests would fail on another machine",
        "`DECISION: FAIL_PHASE_testing`",
        "DECISION: FAIL_PHASE_testing (two tests fail)",
        "DECISION: FAIL_PHASE_testing. It would have been PASS if the tests were there.",
    ] {
        assert_eq!(decided(sentence), Some(fail("testing")), "{sentence}");
    }
    let pass = "DECISION: PASS would have been given if the tests were there.";
    assert_eq!(decided(&format!("DECISION: PASS\n\n{pass}\n")), None);
}

#[test]
fn tasks_of_the_deliverable_are_kept() {
    let tasks = |document: &str| {
        let read = read_evaluations(&["DECISION: PASS_WITH_ISSUES", document]).expect("a decision");
        read.remaining_tasks.into_iter().map(|task| task.task).collect::<Vec<_>>()
    };
    assert_eq!(tasks(r#"{"decision": "PASS_WITH_ISSUES", "remaining_tasks": [{"task": "one"}]}"#), ["one"]);
    assert_eq!(tasks(r#"{"remaining_tasks": ["two"]}"#), ["two"]);
    assert_eq!(tasks("## Remaining tasks\n\n- [ ] three\n- four\n\n## Else\n- five"), ["three", "four"]);
}

#[test]
fn what_decides_nothing_is_none() {
    for text in [
        "",
        "The run passed.",
        "DECISION: PASSED",
        "DECISION: [PASS|PASS_WITH_ISSUES|ABORT]",
        "DECISION: FAIL_PHASE_<name>",
        "DECISION: PASS / FAIL_PHASE_X / ABORT",
        "DECISION: FAIL_PHASE_4 | ABORT",
        "> DECISION: PASS",
        "```\nDECISION: PASS\n```\nx",
        "DECISION: PASS once the blockers are fixed",
        "My DECISION: PASS",
        "DECISION: PASS → ABORT",
        "{\"decision\": 1}",
        "{\"decision\": \"APPROVE\"}",
        "DECISION:",
        "the decision is PASS",
    ] {
        assert_eq!(decided(text), None, "{text}");
    }
}
