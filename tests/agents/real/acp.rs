//! A real agent behind the Agent Client Protocol: the adapter of Claude Code, which asks for permission before it acts.

use model::call::ResumableSession;
use model::event::ExecOutcome;
use model::phase::Step;
use process::Stop;
use serde_json::json;
use settings::AgentKind;

use super::calls::{running, writing};
use super::play::{Asked, fail, in_order, say, tool};
use super::scene::{KEY, Scene};

#[test]
#[ignore = "needs the real agent programs: .ci/full agents"]
fn an_acp_author_edits_files() {
    let reading = tool("Read", json!({"file_path": "code.txt"}));
    let editing = tool("Edit", json!({"file_path": "code.txt", "old_string": "two", "new_string": "three"}));
    let Some(scene) = Scene::of(AgentKind::Acp, in_order(vec![reading, editing, say("Now it is three.")]))
    else {
        return;
    };
    scene.write("code.txt", "one\ntwo\n");
    let answer = scene.call();
    assert_eq!(
        (answer.outcome, answer.text.as_str(), answer.reason.as_deref(), scene.read("code.txt").as_str()),
        (ExecOutcome::Done, "Now it is three.", None, "one\nthree\n"),
        "{}",
        scene.raw()
    );
    assert!(answer.session.is_some() && answer.program.is_some(), "{answer:?}");
    assert!(!scene.raw().contains(KEY));
    scene.is_empty();
}

#[test]
#[ignore = "needs the real agent programs: .ci/full agents"]
fn an_acp_author_cannot_write_outside_the_worktree() {
    let player = |asked: &Asked| match asked.answers() {
        0 => writing(AgentKind::Claude, "../outside.txt".as_ref(), "written"),
        1 => running(AgentKind::Claude, "touch ../outside.txt"),
        _ => say("It was refused."),
    };
    let Some(scene) = Scene::of(AgentKind::Acp, Box::new(player)) else { return };
    let answer = scene.call();
    assert_eq!((answer.outcome, answer.text.as_str()), (ExecOutcome::Done, "It was refused."), "{answer:?}");
    assert!(!scene.worktree().with_file_name("outside.txt").exists());
}

#[test]
#[ignore = "needs the real agent programs: .ci/full agents"]
fn an_acp_reviewer_cannot_write() {
    let turns = vec![
        writing(AgentKind::Claude, "note.txt".as_ref(), "written"),
        running(AgentKind::Claude, "echo written > note.txt"),
        say("I only read."),
    ];
    let Some(mut scene) = Scene::of(AgentKind::Acp, in_order(turns)) else { return };
    scene.step = Step::Review;
    scene.review_id = Some("r-1");
    let answer = scene.call();
    assert_eq!(
        (answer.outcome, scene.read("note.txt")),
        (ExecOutcome::Done, String::new()),
        "{}",
        scene.raw()
    );
}

#[test]
#[ignore = "needs the real agent programs: .ci/full agents"]
fn an_acp_session_can_be_resumed() {
    let player = |asked: &Asked| say(&format!("answer {}", asked.answers() + 1));
    let Some(mut scene) = Scene::of(AgentKind::Acp, Box::new(player)) else { return };
    let first = scene.call();
    let session = first.session.clone().expect("a session");
    scene.resumes = Some(ResumableSession { session: session.clone(), used: first.usage });
    let second = scene.call();
    assert_eq!((first.text.as_str(), second.text.as_str()), ("answer 1", "answer 2"), "{}", scene.raw());
    assert_eq!((second.outcome, second.session), (ExecOutcome::Done, Some(session)));
}

#[test]
#[ignore = "needs the real agent programs: .ci/full agents"]
fn errors_over_acp_are_classified() {
    for (turn, class) in [
        (fail(401, "authentication_error", "invalid x-api-key"), ExecOutcome::SignedOut),
        (fail(404, "not_found_error", "model: sonnet"), ExecOutcome::ModelUnknown),
        (
            fail(429, "rate_limit_error", "This request would exceed your rate limit."),
            ExecOutcome::RateLimited,
        ),
        (fail(529, "overloaded_error", "Overloaded"), ExecOutcome::Overloaded),
    ] {
        let Some(scene) = Scene::of(AgentKind::Acp, in_order(vec![turn])) else { return };
        let answer = scene.call();
        assert_eq!(answer.outcome, class, "{answer:?}");
        scene.is_empty();
    }
}

#[test]
#[ignore = "needs the real agent programs: .ci/full agents"]
fn a_stopped_acp_call_leaves_no_process() {
    let Some(mut scene) = Scene::of(AgentKind::Acp, in_order(vec![running(AgentKind::Claude, "sh busy.sh")]))
    else {
        return;
    };
    scene.write("busy.sh", "echo on > started\nwhile :; do sleep 0.2; done\n");
    scene.commands.insert("test".to_owned(), "sh busy.sh".to_owned());
    let (handle, mut stop) = Stop::new();
    let answer = super::faults::meanwhile(&scene, || handle.stop(), &mut stop);
    assert_eq!(answer.outcome, ExecOutcome::Cancelled, "{answer:?}");
}
