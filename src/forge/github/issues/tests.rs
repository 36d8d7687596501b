//! Tests of `issues`.

use super::*;

#[test]
fn forbidden_viewer_query_is_final_and_rate_limited_one_is_retryable() {
    let answer = |kind: &str| json!({ "data": null, "errors": [{ "type": kind, "message": "no" }] });
    assert!(matches!(parse_viewer(&answer("FORBIDDEN")), Ok(None)));
    assert!(parse_viewer(&answer("RATE_LIMITED")).is_err_and(|error| !error.is_final()));
    assert!(parse_viewer(&json!({})).is_err());
    let known = parse_viewer(&json!({ "data": { "viewer": { "login": "alice" } } }));
    assert_eq!(known.expect("a login").as_deref(), Some("alice"));
}

#[test]
fn user_with_the_name_of_an_app_is_not_the_same_account() {
    assert!(is_same_account("github-actions[bot]", "github-actions"));
    assert!(is_same_account("Alice", "alice"));
    assert!(!is_same_account("github-actions", "github-actions[bot]"));
    assert!(!is_same_account("mallory", "alice"));
}
