//! Tests of `panel`.

use super::*;
use model::event::CallEnd;
use model::finding::Disposition;
use model::verdict::{Judgment, ReadAs, Verdict};

fn found(severity: Severity, line: u64, issue: &str) -> Finding {
    Finding {
        severity,
        category: "quality".into(),
        file: Some("src/a.rs".into()),
        line: Some(line),
        issue: issue.into(),
        suggestion: None,
        auto_fixable: false,
        disposition: Disposition::Open,
        in_scope: true,
    }
}

fn says(seat: Option<&str>, judgment: Judgment, findings: Vec<Finding>) -> Reviewed {
    let reading = Reading {
        result: judgment.verdict(),
        judgment,
        stated: format!("{judgment:?}"),
        read_as: if judgment == Judgment::Unverifiable { ReadAs::Default } else { ReadAs::Json },
        reason: String::new(),
        doubt: None,
        feedback: format!("words of {}", seat.unwrap_or("chief")),
        suggestions: vec!["tell it".into()],
        findings,
        questions: vec![],
        grade: None,
        viewpoints: BTreeMap::new(),
        answers: BTreeMap::new(),
    };
    Reviewed {
        phase: "design".parse().expect("a name"),
        round: 1,
        attempt: 1,
        reviewer: "reviewer".into(),
        ended: CallEnd::default(),
        reading: Some(reading),
        tree: "tree".into(),
        seat: seat.map(str::to_owned),
    }
}

fn graded(mut review: Reviewed, grade: Grade, viewpoints: &[(&str, Grade)]) -> Reviewed {
    let reading = review.reading.as_mut().expect("a reading");
    reading.grade = Some(grade);
    reading.viewpoints = viewpoints.iter().map(|(name, grade)| ((*name).to_owned(), *grade)).collect();
    review
}

fn together(opinions: &[Reviewed]) -> Reading {
    merge_reviews(opinions).and_then(|review| review.reading).expect("a reading")
}

fn of_both(chief: Vec<Finding>, second: Vec<Finding>) -> Vec<Finding> {
    let opinions = [says(None, Judgment::Approve, chief), says(Some("one"), Judgment::Approve, second)];
    together(&opinions).findings
}

#[test]
fn a_single_review_is_kept_unchanged() {
    let alone = says(None, Judgment::Revise, vec![found(Severity::Major, 3, "wrong")]);
    assert_eq!(merge_reviews(std::slice::from_ref(&alone)), Some(alone));
    assert_eq!(merge_reviews(&[]), None);
}

#[test]
fn strictest_judgment_of_a_panel_counts() {
    use Judgment::{Approve, Block, Revise, Unverifiable};
    for (chief, second, strictest) in [
        (Approve, Revise, Revise),
        (Revise, Approve, Revise),
        (Approve, Unverifiable, Unverifiable),
        (Block, Revise, Block),
    ] {
        let reading = together(&[says(None, chief, vec![]), says(Some("one"), second, vec![])]);
        assert_eq!((reading.judgment, reading.stated), (strictest, format!("{strictest:?}")));
        assert_eq!(reading.result, Verdict::Fail);
    }
}

#[test]
fn similar_findings_at_the_same_line_are_merged() {
    let own = found(Severity::Minor, 7, "the password is logged in plain text");
    let other = Finding {
        suggestion: Some("mask it".into()),
        ..found(Severity::Major, 7, "The password is logged as plain text")
    };
    let findings = of_both(vec![own.clone()], vec![other]);
    let merged = Finding { severity: Severity::Major, suggestion: Some("mask it".into()), ..own.clone() };
    assert_eq!(findings, [merged]);
    let same = found(Severity::Critical, 7, "The password is logged  in plain text");
    let findings = of_both(vec![own.clone()], vec![same]);
    assert_eq!(findings, [Finding { severity: Severity::Critical, ..own }]);
}

#[test]
fn findings_that_may_differ_are_never_merged() {
    let own = found(Severity::Major, 7, "the token of the admin is logged");
    let nowhere = |issue: &str| Finding { line: None, ..found(Severity::Major, 1, issue) };
    let security = |finding: Finding| Finding { category: "security".into(), ..finding };
    for (own, other) in [
        (own.clone(), security(found(Severity::Major, 7, "the token of the admin is logged"))),
        (own.clone(), found(Severity::Critical, 7, "the token of the admin is not revoked")),
        (found(Severity::Critical, 7, "the token of the admin is not revoked"), own.clone()),
        (own, found(Severity::Major, 40, "the token of the admin is logged")),
        (nowhere("no unit test for the parser"), nowhere("no unit test for the writer")),
        (nowhere("limit 10 is wrong"), nowhere("limit 20 is wrong")),
        (found(Severity::Major, 4, "limit 10 is wrong"), found(Severity::Major, 9, "limit 20 is wrong")),
    ] {
        assert_eq!(of_both(vec![own.clone()], vec![other.clone()]), [own, other]);
    }
}

#[test]
fn findings_that_differ_in_problem_or_place_are_kept_separate() {
    let own = found(Severity::Minor, 7, "the password is logged");
    for other in [
        found(Severity::Minor, 7, "a loop never ends"),
        found(Severity::Minor, 8, "is the password logged here"),
    ] {
        assert_eq!(of_both(vec![own.clone()], vec![other.clone()]), [own.clone(), other]);
    }
    let nowhere = |issue: &str| Finding { file: None, line: None, ..found(Severity::Minor, 1, issue) };
    assert_eq!(of_both(vec![nowhere("a b c d")], vec![nowhere("a b c e")]).len(), 2);
}

#[test]
fn two_findings_of_one_reviewer_are_never_merged() {
    let twice = vec![found(Severity::Minor, 7, "no test"), found(Severity::Minor, 7, "no test")];
    assert_eq!(of_both(twice.clone(), vec![]), twice);
}

#[test]
fn critical_finding_of_a_second_reviewer_lowers_the_grade() {
    let critical = || says(Some("one"), Judgment::Approve, vec![found(Severity::Critical, 1, "a hole")]);
    for (own, lowered) in
        [(Grade::A, Grade::B), (Grade::B, Grade::C), (Grade::C, Grade::D), (Grade::D, Grade::D)]
    {
        let chief = graded(says(None, Judgment::Approve, vec![]), own, &[]);
        assert_eq!(together(&[chief.clone(), critical()]).grade, Some(lowered));
        assert_eq!(together(&[chief, graded(critical(), Grade::D, &[])]).grade, Some(Grade::D));
    }
    let ungraded = says(None, Judgment::Approve, vec![]);
    assert_eq!(together(&[ungraded, critical()]).grade, None);
}

#[test]
fn each_viewpoint_gets_its_worst_grade() {
    let chief = graded(
        says(None, Judgment::Approve, vec![]),
        Grade::A,
        &[("Security", Grade::A), ("quality", Grade::B)],
    );
    let second = graded(says(Some("one"), Judgment::Approve, vec![]), Grade::C, &[("security", Grade::C)]);
    let reading = together(&[chief, second]);
    let expected = [("quality".to_owned(), Grade::B), ("security".to_owned(), Grade::C)];
    assert_eq!((reading.viewpoints, reading.grade), (expected.into(), Some(Grade::C)));
}

#[test]
fn feedback_includes_only_reviewers_that_demand_changes_with_names() {
    use Judgment::{Approve, Revise};
    let words =
        |chief, second| together(&[says(None, chief, vec![]), says(Some("one"), second, vec![])]).feedback;
    assert_eq!(words(Approve, Approve), "words of chief");
    assert_eq!(words(Revise, Approve), "words of chief");
    assert_eq!(words(Approve, Revise), "[one]\nwords of one");
    assert_eq!(words(Revise, Revise), "words of chief\n\n[one]\nwords of one");
}

#[test]
fn duplicate_suggestions_are_listed_once() {
    let both = [says(None, Judgment::Approve, vec![]), says(Some("one"), Judgment::Approve, vec![])];
    assert_eq!(together(&both).suggestions, ["tell it"]);
}

#[test]
fn reworded_problems_are_similar_in_text_without_spaces() {
    for (one, other) in [
        ("パスワードが平文でログに記録される", "パスワードがログに平文で出力されています。"),
        ("SQLインジェクションの脆弱性がある", "SQLインジェクションの脆弱性が残っています"),
        ("トークンの検証が実装されていない", "トークンの検証がありません"),
        ("ページ数の上限が検証されない", "ページ数の上限を検証していない。"),
        ("トークンが漏れる", "トークンが、漏れる"),
    ] {
        assert!(are_similar(one, other), "{one} / {other}");
    }
}

#[test]
fn different_problems_in_text_without_spaces_are_not_similar() {
    for (one, other) in [
        ("管理者のトークンがログに出力される", "管理者のトークンが失効しない"),
        ("トークンがログに出力される", "トークンがログに出力されない"),
        ("上限が高い", "上限が低い"),
        ("上限がない", "上限がある"),
        ("上限がおかしい", "上限が低い"),
        ("入力の検証がない", "出力の検証がない"),
        ("おかしい", "たりない"),
        ("キャッシュがきえる", "キャッシュがのこる"),
        ("テストがない", "ログがない"),
        ("パーサーのテストがない", "ライターのテストがない"),
        ("読み取りのロックが解放されない", "書き込みのロックが解放されない"),
    ] {
        assert!(!are_similar(one, other), "{one} / {other}");
    }
}

#[test]
fn text_with_spaces_is_compared_word_by_word() {
    assert!(are_similar("the password is logged in plain text", "The password is logged as plain text"));
    assert!(!are_similar("the password is logged", "a loop never ends"));
    assert!(are_similar("", "…"));
}
