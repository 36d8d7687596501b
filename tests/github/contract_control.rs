//! The control that validation is on: what is broken is reported, for every operation. A check that accepts everything
//! would be green as well.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::client::send;
use super::contract::{Contract, contract};
use super::{Fault, Github, Kind};

/// Runs a check with the contract; without it there is nothing to be shown.
fn with_contract(check: impl FnOnce(&Contract)) {
    match contract() {
        Some(contract) => check(contract),
        None => eprintln!("SKIPPED: the control of the contract"),
    }
}

fn listed() -> BTreeSet<String> {
    include_str!("operations.txt").lines().map(str::to_owned).collect()
}

#[test]
fn the_contract_covers_exactly_the_listed_operations() {
    with_contract(|contract| {
        let found = contract.operations.iter().map(|known| {
            // A name that spans segments is described once for each number of them: `{ref}/{ref_2}`.
            let more =
                |segment: &&str| segment.trim_end_matches('}').ends_with(|last: char| last.is_ascii_digit());
            let path = known.path.split('/').filter(|segment| !more(segment));
            format!("{} {}", known.method, path.collect::<Vec<_>>().join("/"))
        });
        assert_eq!(found.collect::<BTreeSet<_>>(), listed(), "run `npm run --prefix tests/github slim`");
    });
}

#[test]
fn every_operation_refuses_an_invalid_response_body() {
    with_contract(|contract| {
        let mut checked = 0;
        for known in &contract.operations {
            let answers = known.answers.iter().filter(|(status, schema)| **status < 300 && !schema.is_null());
            for (status, schema) in answers {
                let name = format!("{} {} {status}", known.method, known.path);
                let list = schema["type"] == "array";
                let none = if list { json!([{}]) } else { json!({}) };
                for broken in [none, json!("text"), Value::Null] {
                    assert!(!contract.check(&name, schema, &broken).is_empty(), "{name} takes {broken}");
                }
                checked += 1;
            }
        }
        assert!(checked >= listed().len() - 6, "only {checked} answers were checked");
    });
}

#[test]
fn every_operation_refuses_an_invalid_request_body() {
    with_contract(|contract| {
        let with_body = contract.operations.iter().filter_map(|known| Some((known, known.body.as_ref()?)));
        let mut checked = 0;
        for (known, schema) in with_body {
            let name = format!("{} {} body", known.method, known.path);
            assert!(!contract.check(&name, schema, &json!(7)).is_empty(), "{name} takes a number");
            checked += 1;
        }
        assert!(checked >= 15, "only {checked} bodies were checked");
    });
}

#[tokio::test]
async fn a_response_template_that_violates_the_contract_is_reported() {
    if contract().is_none() {
        eprintln!("SKIPPED: the control of the contract");
        return;
    }
    for key in ["user", "html_url", "number", "comments_url", "closed_at"] {
        let github = Github::start();
        github.open_issue(7, "Title", "Body", &[], "alice");
        github.break_answers(key);
        send(&github, "GET", "/repos/octo/pages/issues/7", None).await.expect("an answer");
        let violations = github.violations();
        assert_eq!(violations.len(), 1, "{key}: {violations:#?}");
        assert!(violations[0].contains(key), "{violations:#?}");
    }
}

#[tokio::test]
async fn a_request_that_violates_the_contract_is_reported() {
    if contract().is_none() {
        eprintln!("SKIPPED: the control of the contract");
        return;
    }
    let requests = [
        ("POST", "/issues/7/comments", Some(json!({ "text": "hello" })), "body"),
        ("POST", "/issues/7/comments", Some(json!({ "body": 5 })), "body/body"),
        ("POST", "/issues/7/comments", None, "body: is missing"),
        ("POST", "/issues/comments/1001", Some(json!({ "body": "x" })), "is not among"),
        ("GET", "/issues/7/comments?per-page=5", None, "query parameter per-page"),
        ("GET", "/issues?state=opened", None, "query parameter state"),
        ("GET", "/issues/seven", None, "path parameter issue_number"),
        ("POST", "/pulls", Some(json!({ "head": "a", "base": "b", "draft": "yes" })), "body/draft"),
    ];
    for (method, path, body, why) in requests {
        let github = Github::start();
        github.open_issue(7, "Title", "Body", &[], "alice");
        github.comment_by("alice", 7, "hello");
        send(&github, method, &format!("/repos/octo/pages{path}"), body).await.expect("an answer");
        let violations = github.violations();
        assert!(violations.iter().any(|found| found.contains(why)), "{method} {path}: {violations:#?}");
    }
}

#[tokio::test]
#[should_panic(expected = "GitHub's description does not allow this")]
async fn unchecked_contract_violation_fails_the_test() {
    let github = Github::start();
    let query = json!({ "query": "{ viewer { logn } }" });
    send(&github, "POST", "/graphql", Some(query)).await.expect("an answer");
}

#[tokio::test]
async fn a_configured_fault_is_not_a_contract_violation() {
    let github = Github::start();
    github.fault(Fault { method: "GET", path_contains: "/rate_limit", nth: 0, kind: Kind::Html });
    let came = send(&github, "GET", "/rate_limit", None).await.expect("an answer");
    assert!(came.text.contains("Unicorn"));
    assert_eq!(github.violations(), [""; 0]);
}
