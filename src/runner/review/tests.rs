//! Tests of how reviews are read.

use super::*;
use content_parser::default_words;
use model::event::Place;

fn build_answer(text: &str) -> AgentAnswer {
    AgentAnswer { text: text.to_owned(), outcome: ExecOutcome::Done, ..AgentAnswer::default() }
}

fn judge(text: &str, schema_missed: bool) -> Judgment {
    let words = default_words();
    let terms = Terms { review_id: Some("r-1"), require_review_id: false, words: &words, beyond: &[] };
    read_answer(&AgentAnswer { schema_missed, ..build_answer(text) }, &terms)
        .expect("something was said")
        .judgment
}

#[test]
fn review_outside_its_schema_counts_only_with_the_review_id() {
    for text in ["REVIEW_RESULT: PASS", r#"{"result": "PASS"}"#] {
        assert_eq!(judge(text, false), Judgment::Approve, "{text}");
        assert_eq!(judge(text, true), Judgment::Unverifiable, "{text}");
    }
    let named = r#"My answer: {"review_id": "r-1", "result": "PASS"}"#;
    assert_eq!([judge(named, false), judge(named, true)], [Judgment::Approve; 2]);
    let wrong = named.replace("r-1", "r-2");
    assert_eq!(judge(&wrong, true), Judgment::Unverifiable);
}

#[test]
fn approval_is_doubted_if_its_summary_or_suggestions_contain_a_blocker() {
    let doubt = |fields: &str| {
        let text = format!(r#"{{"review_id": "r-1", "result": "PASS", {fields}}}"#);
        let words = default_words();
        let terms = Terms { review_id: Some("r-1"), require_review_id: false, words: &words, beyond: &[] };
        let read = read_answer(&build_answer(&text), &terms).expect("something was said");
        apply_doubt(read, &text).doubt
    };
    let blocker = "Must fix before merge: the lock leaks";
    assert_eq!(doubt(&format!(r#""summary": "{blocker}""#)).as_deref(), Some(blocker));
    assert_eq!(doubt(&format!(r#""suggestions": ["{blocker}"]"#)).as_deref(), Some(blocker));
    assert_eq!(doubt(r#""summary": "No blockers.", "suggestions": ["name the lock"]"#), None);
}

#[test]
fn out_of_scope_finding_changes_no_judgment_unless_critical() {
    let words = default_words();
    let read = |text: &str, beyond: &[model::finding::Finding]| {
        let terms = Terms { review_id: None, require_review_id: false, words: &words, beyond };
        read_answer(&build_answer(text), &terms).expect("something was said")
    };
    for (word, severity, judgment) in [
        ("PASS", "major", Judgment::Approve),
        ("PASS", "critical", Judgment::Revise),
        ("FAIL", "minor", Judgment::Revise),
    ] {
        let text =
            format!(r#"{{"result": "{word}", "findings": [{{"severity": "{severity}", "issue": "x"}}]}}"#);
        let whole = read(&text, &[]);
        assert_eq!(whole.judgment, Judgment::Revise, "{text}");
        let narrowed = read(&text, &whole.findings);
        assert_eq!((narrowed.judgment, narrowed.findings[0].in_scope), (judgment, false), "{text}");
    }
}

#[test]
fn approval_is_doubted_if_the_text_beside_its_json_contains_a_blocker() {
    let words = default_words();
    let read = |text: &str, structured| {
        let terms = Terms { review_id: Some("r-1"), require_review_id: false, words: &words, beyond: &[] };
        let answer = AgentAnswer { structured, ..build_answer(text) };
        let reading = apply_doubt(read_answer(&answer, &terms).expect("something was said"), text);
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
fn review_json_with_a_duplicate_result_key_is_unverifiable() {
    let twice = r#"{"review_id": "r-1", "result": "FAIL", "result": "PASS"}"#;
    assert_eq!([judge(twice, false), judge(twice, true)], [Judgment::Unverifiable; 2]);
}

#[test]
fn a_failure_in_fields_of_the_object_is_added_to_the_words_of_a_refusal() {
    let words = default_words();
    let terms = Terms { review_id: Some("r-1"), require_review_id: false, words: &words, beyond: &[] };
    let feedback =
        |text: &str| read_answer(&build_answer(text), &terms).expect("something was said").feedback;
    let named = "it does not build\nFailure type: build_failure\nFailed command: make build";
    for fields in [
        r#""failure_type": "build_failure", "failed_command": "make build""#,
        r#""failureType": "build_failure", "command": "make\nbuild""#,
        r#""failure": {"type": "build_failure", "command": "make build"}"#,
    ] {
        let fields =
            format!(r#""review_id": "r-1", "result": "FAIL", "summary": "it does not build", {fields}"#);
        assert_eq!(feedback(&format!("{{{fields}}}")), named, "{fields}");
        assert_eq!(feedback(&format!("```json\n{{{fields}}}\n```")), named, "{fields}");
        let approval = fields.replace("FAIL", "PASS").replace("it does not build", "it builds");
        assert_eq!(feedback(&format!("{{{approval}}}")), "it builds");
    }
    let unnamed =
        r#"{"review_id": "r-1", "result": "FAIL", "summary": "no", "failure_type": null, "command": ""}"#;
    assert_eq!(feedback(unnamed), "no");
    let other = r#"{"review_id": "r-2", "result": "FAIL", "failure_type": "build_failure"}"#;
    let own = r#"{"review_id": "r-1", "result": "FAIL", "summary": "no"}"#;
    assert!(!feedback(&format!("{own}\n{other}")).contains("Failure type:"), "another review names it");
}

#[test]
fn findings_in_the_text_of_a_review_are_added_where_its_object_names_none_as_grave() {
    let added = |text: &str, is_triaged: bool| -> Vec<String> {
        let words = default_words();
        let terms = Terms { review_id: None, require_review_id: false, words: &words, beyond: &[] };
        let reading = read_answer(&build_answer(text), &terms).expect("something was said");
        let findings = add_stated_findings(reading, text, is_triaged).findings;
        findings.iter().map(|finding| format!("{}: {}", finding.severity.as_str(), finding.issue)).collect()
    };
    let text = "## Critical\n- data is lost\n\n## Minor\n- a word\n\n";
    let all = ["critical: data is lost", "minor: a word"];
    let (pass, fail) = (format!("{text}Verdict: PASS"), format!("{text}Verdict: FAIL"));
    assert_eq!(added(&fail, false), all);
    // Something grave beside an approval is asked about; a triage judges it.
    assert_eq!(added(&pass, false), all[1..]);
    assert_eq!(added(&pass, true), all);
    let object = |severity: &str| {
        format!(r#"{text}{{"result": "FAIL", "findings": [{{"severity": "{severity}", "issue": "x"}}]}}"#)
    };
    assert_eq!(added(&object("info"), false), ["info: x", "critical: data is lost", "minor: a word"]);
    assert_eq!(added(&object("major"), false), ["major: x", "critical: data is lost"]);
    assert_eq!(added(&object("critical"), false), ["critical: x"]);
    // What cannot be read states nothing for certain.
    assert_eq!(added(text, false), [""; 0]);
    assert_eq!(added("## Critical\n\nNone.\n\n## Minor\n\nVerdict: PASS", true), [""; 0]);
}

/// Returns the questions `S1` and `S2` of a check.
fn questions() -> Vec<ReviewQuestion> {
    let place = |line| Place {
        file: Some("tests/total.rs".to_owned()),
        line: Some(line),
        what: "an assert is gone".to_owned(),
        ..Place::default()
    };
    let question = |(id, line): (&str, u64)| ReviewQuestion {
        id: id.to_owned(),
        check: "suspect".to_owned(),
        place: place(line),
    };
    [("S1", 3), ("S2", 9)].into_iter().map(question).collect()
}

fn read_with_answers(text: &str) -> Reading {
    let words = default_words();
    let terms = Terms { review_id: Some("r1"), require_review_id: false, words: &words, beyond: &[] };
    apply_answers(content_parser::read_review(text, &terms), &questions())
}

#[test]
fn wrong_answer_is_a_major_finding_at_the_place_of_its_question() {
    let text = "S1: fine – the issue asks for it\nS2: wrong – it hid a bug\nS7: wrong – nobody asked\n\nDECISION: PASS";
    let reading = read_with_answers(text);
    let issue = "it hid a bug (the check suspect asked: an assert is gone)";
    let expected = Finding {
        file: Some("tests/total.rs".to_owned()),
        line: Some(9),
        ..Finding::new(Severity::Major, "suspect", issue.to_owned())
    };
    assert_eq!(reading.findings, [expected]);
    assert_eq!(reading.answers.keys().collect::<Vec<_>>(), ["S1", "S2"]);
    let reason = "tightened: PASS with S2 answered with wrong";
    assert_eq!(
        (reading.judgment, reading.result, reading.reason.as_str()),
        (Judgment::Revise, Verdict::Fail, reason)
    );
}

#[test]
fn fine_answers_leave_a_verdict_as_it_is() {
    let fine = "S1: fine – asked for\nS2: fine – asked for\n\n";
    let read = |decision: &str| read_with_answers(&format!("{fine}DECISION: {decision}"));
    assert_eq!((read("PASS").judgment, read("PASS").findings), (Judgment::Approve, vec![]));
    assert_eq!((read("FAIL").judgment, read("FAIL").findings), (Judgment::Revise, vec![]));
}

#[test]
fn answers_of_an_unreadable_review_are_no_findings() {
    let reading = read_with_answers("S1: wrong – it hid a bug\n\nI am not done yet.");
    assert_eq!((reading.read_as, reading.findings, reading.answers.len()), (ReadAs::Default, vec![], 1));
}
