//! Tests of `call`.

use super::*;

#[test]
fn a_command_is_shown_short_and_escaped() {
    let call = Call::new(["log", "a\nb"]).args(vec!["x".repeat(100); 4]);
    assert!(call.command_line().starts_with("git log a\\nb xxx"), "{}", call.command_line());
    assert!(call.command_line().ends_with(" …"), "{}", call.command_line());
}

#[test]
fn a_held_lock_is_named() {
    let errors = "fatal: Unable to create '/r/.git/index.lock': File exists.\n\nAnother git process";
    assert_eq!(held_lock(errors), Some("/r/.git/index.lock".to_owned()));
    assert_eq!(held_lock("fatal: something else"), None);
}
