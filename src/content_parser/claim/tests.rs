//! Claims, difficulties and answers to questions.

use super::*;

fn completed(summary: &str) -> Claim {
    Claim {
        status: ClaimStatus::Completed,
        next_action: None,
        summary: summary.into(),
        notices: vec![],
        files: vec![],
    }
}

#[test]
fn the_last_claim_counts() {
    let text = r#"{"status": "blocked"} and then {"status": "Completed", "summary": "s"} {"status": "done"} {"a": 1}"#;
    assert_eq!(read_claim(text), Some(completed("s")));
}

#[test]
fn a_claim_is_read_whole() {
    let text = r#"{"status": "incomplete", "next_action": {"action": "retry", "reason": "r"}, "notices": ["n", 1, ""]}"#;
    let next_action = Some(ClaimedNextAction { action: "retry".into(), reason: "r".into() });
    let notices = vec!["n".to_owned(), "1".to_owned()];
    let expected = Claim {
        status: ClaimStatus::Incomplete,
        next_action,
        summary: String::new(),
        notices,
        files: vec![],
    };
    assert_eq!(read_claim(text), Some(expected));
    let short =
        read_claim(r#"{"status": "blocked", "next_action": "ask"}"#).and_then(|claim| claim.next_action);
    assert_eq!(short, Some(ClaimedNextAction { action: "ask".into(), reason: String::new() }));
    assert_eq!(read_claim(r#"{"status": "completed", "next_action": 1}"#), Some(completed("")));
}

#[test]
fn an_author_that_writes_incomplete_is_not_finished_whatever_else_it_claims() {
    for text in [
        "INCOMPLETE: 2 requirements remain",
        "All good.\n\n**INCOMPLETE: Requirements 3 and 4 remain**\n",
        "## INCOMPLETE: no tests for the parser yet",
        "INCOMPLETE: none of the tests passes",
        "INCOMPLETE:\n- the parser\n",
        "INCOMPLETE: 2 requirements remain\n{\"status\": \"completed\", \"summary\": \"s\"}",
    ] {
        let claim = read_claim(text).expect(text);
        assert_eq!(claim.status, ClaimStatus::Incomplete, "{text}");
        assert!(claim.summary.starts_with("INCOMPLETE:"), "{}", claim.summary);
    }
    let blocked = r#"INCOMPLETE: it remains {"status": "blocked", "summary": "no key"}"#;
    assert_eq!(read_claim(blocked).map(|claim| claim.status), Some(ClaimStatus::Blocked));
}

#[test]
fn a_quoted_or_empty_incomplete_is_no_statement() {
    for text in [
        "> INCOMPLETE: 2 requirements remain",
        "```\nINCOMPLETE: 2 requirements remain\n```",
        "    INCOMPLETE: 2 requirements remain",
        "The form is \"INCOMPLETE: N requirements remain\".",
        "- INCOMPLETE: the word for what is missing",
        "INCOMPLETE: none",
        "INCOMPLETE: 0 requirements remain",
        "Incomplete: see the legend",
        "COMPLETE: All 3 requirements fulfilled",
    ] {
        assert_eq!(read_claim(&format!("I say:\n{text}\n\nThat is it.\n")), None, "{text}");
    }
}

#[test]
fn a_claim_may_name_files() {
    let files = |text: &str| read_claim(text).map(|claim| claim.files);
    let named = r#"{"status": "completed", "files_modified": ["a.rs", {"path": " b.rs "}, 1, ""]}"#;
    assert_eq!(files(named), Some(vec!["a.rs".to_owned(), "b.rs".to_owned()]));
    assert_eq!(files(r#"{"status": "completed", "files": ["c"]}"#), Some(vec!["c".to_owned()]));
    assert_eq!(files(r#"{"status": "completed", "files": "c"}"#), Some(vec![]));
}

#[test]
fn what_is_no_claim_is_none() {
    for text in [
        "",
        "all done",
        r#"{"status": 1}"#,
        r#"{"status": "completed", "status": "completed"}"#,
        r#"{"state": "x"}"#,
    ] {
        assert_eq!(read_claim(text), None, "{text}");
    }
}
