//! Tests of `issues`.

use super::*;

#[test]
fn github_that_does_not_say_who_we_are_is_not_github_that_cannot_say_it_now() {
    let answer = |kind: &str| json!({ "data": null, "errors": [{ "type": kind, "message": "no" }] });
    assert!(matches!(viewer(&answer("FORBIDDEN")), Ok(None)));
    assert!(viewer(&answer("RATE_LIMITED")).is_err_and(|error| !error.is_final()));
    assert!(viewer(&json!({})).is_err());
    let known = viewer(&json!({ "data": { "viewer": { "login": "alice" } } }));
    assert_eq!(known.expect("a login").as_deref(), Some("alice"));
}

#[test]
fn a_person_with_the_name_of_an_application_is_not_it() {
    assert!(same_account("github-actions[bot]", "github-actions"));
    assert!(same_account("Alice", "alice"));
    assert!(!same_account("github-actions", "github-actions[bot]"));
    assert!(!same_account("mallory", "alice"));
}
