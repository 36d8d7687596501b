//! Tests of `program`.

use super::*;

#[test]
fn missing_git_program_is_reported() {
    let git = Git::default().program("git-that-is-not-there");
    let error = git.run(Path::new("/"), &Call::new(["version"])).expect_err("there is no such program");
    assert_eq!(error.to_string(), "the program `git-that-is-not-there` was not found");
    assert_eq!(git.calls(), 1);
}

#[test]
fn git_output_is_truncated_at_the_limit() {
    let call = Call::new(["version"]).with_limit(3);
    let output = Git::default().run(Path::new("/"), &call).expect("git is installed");
    assert_eq!((output.text(), output.truncated, output.succeeded()), ("git".to_owned(), true, true));
}

#[test]
fn command_line_is_shown_shortened_and_escaped() {
    let call = Call::new(["log", "a\nb"]).args(vec!["x".repeat(100); 4]);
    assert!(call.command_line().starts_with("git log a\\nb xxx"), "{}", call.command_line());
    assert!(call.command_line().ends_with(" …"), "{}", call.command_line());
}

#[test]
fn lock_error_names_the_lock_file() {
    let errors = "fatal: Unable to create '/r/.git/index.lock': File exists.\n\nAnother git process";
    assert_eq!(parse_held_lock(errors), Some("/r/.git/index.lock".to_owned()));
    assert_eq!(parse_held_lock("fatal: something else"), None);
}

#[test]
fn failures_to_sign_are_recognized() {
    for errors in [
        "error: gpg failed to sign the data:; (no gpg output); fatal: failed to write commit object",
        "gpg: signing failed: No secret key; fatal: failed to write commit object",
        "fatal: either user.signingkey or gpg.ssh.defaultKeyCommand needs to be configured",
        "error: Couldn't load public key /no: No such file or directory?; fatal: failed to write commit object",
    ] {
        assert!(is_about_signature(errors), "{errors}");
    }
    for other in [
        "fatal: failed to write commit object",
        "sign_and_send_pubkey: signing failed for ED25519 \"/home/me/.ssh/id\" from agent: agent refused operation",
    ] {
        assert!(!is_about_signature(other), "{other}");
    }
}
