//! Fields of a review object: denials, questions and findings.

use super::super::{default_words, doubt, read_review, read_structured};
use super::*;
use serde_json::json;

/// Both ways in which an object comes.
fn approves(key: &str, value: &Value) -> [bool; 2] {
    let words = default_words();
    let terms = Terms { review_id: None, require_review_id: false, words: &words, beyond: &[] };
    let mut object = json!({"result": "PASS", "summary": "good", "findings": []});
    object[key] = value.clone();
    let readings = [read_structured(&object, &terms), read_review(&object.to_string(), &terms)];
    let is_doubted = doubt(&object.to_string()).is_some();
    readings.map(|reading| reading.judgment.approves() && !is_doubted)
}

#[test]
fn an_object_that_takes_its_approval_back_in_another_field_does_not_approve() {
    for (key, value) in [
        ("summary", json!("On second thought I must reject this.")),
        ("feedback", json!("結論: 不合格")),
        ("notes", json!(["fine", "I cannot approve this change."])),
        ("overall", json!("FAIL")),
        ("overall", json!("not approved")),
        ("recommendation", json!("reject")),
        ("Recommendation", json!("Do not merge.")),
        ("blocking", json!(true)),
        ("suggestions", json!(["rename it", "must not be merged: the password is logged"])),
        ("suggestions", json!([{"severity": "minor", "text": "Do not merge this."}])),
    ] {
        assert_eq!(approves(key, &value), [false; 2], "{key}: {value}");
    }
}

#[test]
fn an_object_that_tells_what_the_work_does_still_approves() {
    for (key, value) in [
        ("summary", json!("The handler must reject this input, and it does.")),
        ("feedback", json!("ただし、権限のない利用者は承認できません。これは仕様どおりです。")),
        ("notes", json!("In round 1 I had to reject this; it is fixed.")),
        ("overall", json!("PASS")),
        ("overall", json!("failed logins are logged")),
        ("recommendation", json!("request a follow-up for the docs")),
        ("recommendation", json!("reject longer names in a later change")),
        ("blocking", json!(false)),
        ("blocking", json!("none")),
        ("suggestions", json!(["rename `failed` to `rejected`", "the two helpers should not be merged yet"])),
        ("suggestions", json!([{"severity": "minor", "text": "a rejected request could be logged"}])),
        ("suggestions", json!([])),
    ] {
        assert_eq!(approves(key, &value), [true; 2], "{key}: {value}");
    }
}

fn asked(value: &Value) -> Vec<String> {
    questions(Some(value))
}

#[test]
fn questions_are_texts_or_objects_with_a_place() {
    let both = json!([" Why twice? ", {"question": "Is 0 meant?", "file": "src/a.rs", "line": 7}]);
    assert_eq!(asked(&both), ["Why twice?", "src/a.rs:7: Is 0 meant?"]);
    let odd_places =
        json!([{"question": "Why?", "file": "src/a.rs", "line": "x"}, {"question": "Why?", "file": 3}]);
    assert_eq!(asked(&odd_places), ["src/a.rs: Why?", "Why?"]);
}

#[test]
fn what_is_no_question_is_not_asked() {
    for nothing in [
        json!([]),
        json!(null),
        json!("Why?"),
        json!({"question": "Why?"}),
        json!([null, 3, true, ["Why?"], {}, {"question": 3}, {"text": "Why?"}]),
        json!(["", " ", "none", "None.", "N/A", "-", "なし", "No questions."]),
    ] {
        assert_eq!(asked(&nothing), [""; 0], "{nothing}");
    }
    assert_eq!(questions(None), [""; 0]);
    assert_eq!(asked(&json!(["Nothing is returned here: why?"])).len(), 1);
}

#[test]
fn their_number_and_length_are_bounded() {
    let many: Vec<String> = (0..50).map(|n| format!("{n} {}", "あ".repeat(2_000))).collect();
    let read = asked(&json!(many));
    assert_eq!(read.len(), MOST_QUESTIONS);
    assert!(read.iter().all(|question| question.chars().count() <= LONGEST_QUESTION));
}

fn found(value: &Value) -> Vec<Finding> {
    findings(json!({"findings": value}).as_object().expect("an object"))
}

fn major(issue: &str) -> Finding {
    Finding::new(Severity::Major, "", issue.to_owned())
}

fn one(value: &Value) -> Finding {
    found(&json!([value])).pop().expect("one finding")
}

#[test]
fn a_finding_is_read_whole() {
    let value = json!({"severity": "minor", "category": "style", "file": "./src/a.rs", "line": 3, "issue": " long ",
        "suggestion": "split", "auto_fixable": true});
    let expected = Finding {
        severity: Severity::Minor,
        category: "style".into(),
        file: Some("src/a.rs".into()),
        line: Some(3),
        issue: "long".into(),
        suggestion: Some("split".into()),
        auto_fixable: true,
        disposition: Disposition::Open,
        in_scope: true,
    };
    assert_eq!(one(&value), expected);
}

#[test]
fn nobody_tells_us_that_a_finding_is_out_of_scope() {
    assert!(one(&json!({"issue": "x", "in_scope": false})).in_scope);
}

#[test]
fn other_shapes_are_understood_and_unknown_ones_are_major() {
    assert_eq!(one(&json!("no tests")), major("no tests"));
    assert_eq!(one(&json!(7)), major("7"));
    assert_eq!(one(&json!({"message": "x"})), major("x"));
    assert_eq!(one(&json!({"severity": 3, "issue": "x"})), major("x"));
    assert_eq!(one(&json!({"severity": "odd"})).issue, r#"{"severity":"odd"}"#);
    assert_eq!(found(&json!("alone")), [major("alone")]);
    assert_eq!(found(&json!([null, {}, "", "なし", "None.", false])), []);
    assert_eq!(findings(&Fields::new()), []);
}

#[test]
fn lines_are_numbers_or_texts() {
    for (value, line) in [
        (json!("12"), Some(12)),
        (json!("L12-20"), Some(12)),
        (json!([4, 5]), Some(4)),
        (json!(-1), None),
        (json!("x"), None),
        (json!({}), None),
    ] {
        assert_eq!(one(&json!({"issue": "x", "line": value})).line, line);
    }
    let found = one(&json!({"issue": "x", "file": "src/a.rs:7:1"}));
    assert_eq!((found.file.as_deref(), found.line), (Some("src/a.rs"), Some(7)));
}

#[test]
fn a_path_that_leaves_the_repository_is_dropped_and_its_finding_kept() {
    for path in
        ["../../etc/x", "/etc/passwd", "C:\\x", "a/../../b", "~/x", "\\\\host\\x", "a\nb", "https://x", ""]
    {
        let found = one(&json!({"issue": "x", "file": path}));
        assert_eq!((found.issue.as_str(), found.file), ("x", None), "{path}");
    }
}

#[test]
fn of_too_many_findings_the_worst_are_kept() {
    let mut many = vec![json!({"severity": "minor", "issue": "m"}); 600];
    many.push(json!({"severity": "critical", "issue": "c"}));
    let found = found(&json!(many));
    assert_eq!((found.len(), found[0].severity), (500, Severity::Critical));
}
