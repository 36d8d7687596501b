//! Tests of `remote_check`.

use super::*;

#[test]
fn only_known_conclusions_pass_and_uncompleted_checks_are_running() {
    let run = |status: &str, conclusion| RemoteCheck::of_run("ci", status, conclusion, &[]).state;
    for word in ["success", "neutral", "skipped"] {
        assert_eq!(run("completed", Some(word)), RemoteCheckState::Passed, "{word}");
    }
    for word in ["failure", "timed_out", "cancelled", "action_required", "stale", "new word"] {
        assert_eq!(run("completed", Some(word)), RemoteCheckState::Failed, "{word}");
    }
    assert_eq!(run("completed", None), RemoteCheckState::Failed);
    assert_eq!(run("in_progress", Some("success")), RemoteCheckState::Running);
    let status = |state: &str| RemoteCheck::of_status("ci", state, None).state;
    assert_eq!([status("success"), status("pending")], [RemoteCheckState::Passed, RemoteCheckState::Running]);
    assert_eq!([status("error"), status("failure"), status("?")], [RemoteCheckState::Failed; 3]);
}
