//! Tests of `defined_check`.

use super::*;

fn judged(condition: &str, stdout: &str, exit: Option<i32>) -> bool {
    SuccessWhen::parse(condition).expect("a condition").judge(stdout, exit)
}

#[test]
fn success_conditions_are_evaluated() {
    assert!(judged("empty", " \n", Some(0)) && !judged("empty", "M a", Some(0)));
    assert!(judged("exitCode:0", "x", Some(0)) && !judged("exitCode:0", "", Some(1)));
    assert!(judged("exitCode:3", "", Some(3)));
    assert!(judged("contains:a:b", "x a:b y", Some(0)) && !judged("contains:a", "b", Some(0)));
    assert!(judged("matches:^v\\d+$", "v12", Some(0)) && !judged("matches:^v\\d+$", "v", Some(0)));
}

#[test]
fn invalid_success_condition_is_an_error_and_a_killed_check_no_success() {
    for wrong in
        ["", "Empty", "exitCode:", "exitCode:x", "contains:", "matches:", "matches:(", "exit:0", "always"]
    {
        assert!(SuccessWhen::parse(wrong).is_err(), "{wrong}");
    }
    for condition in ["empty", "exitCode:0", "contains:a", "matches:a"] {
        assert!(!judged(condition, if condition == "empty" { "" } else { "a" }, None), "{condition}");
    }
    assert!(!judged("empty", "", Some(128)), "git status outside a repository prints nothing, too");
}
