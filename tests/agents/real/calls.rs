//! Single calls that go well: real tools edit real files, a reviewer cannot, a schema is met, a session goes on.

use model::call::ResumableSession;
use model::event::ExecOutcome;
use model::phase::Step;
use serde_json::json;
use settings::AgentKind;
use views::prompt::reviewer_schema;

use super::play::{Asked, Block, Message, Player, Turn, in_order, say, tool};
use super::scene::{KEY, Scene};

/// Writes a file with the tools of a program.
pub fn writing(kind: AgentKind, path: &std::path::Path, text: &str) -> Turn {
    if kind == AgentKind::Codex {
        let lines: String = text.lines().map(|line| format!("+{line}\n")).collect();
        let patch = format!("*** Begin Patch\n*** Add File: {}\n{lines}*** End Patch\n", path.display());
        return Turn::Message(Message::new(vec![Block::Free("apply_patch".into(), patch)]));
    }
    tool("Write", json!({"file_path": path, "content": text}))
}

/// Runs a command with the tools of a program.
pub fn running(kind: AgentKind, command: &str) -> Turn {
    if kind == AgentKind::Codex {
        return tool("exec_command", json!({"cmd": command, "yield_time_ms": 20_000}));
    }
    tool("Bash", json!({"command": command, "description": "play"}))
}

of_both!(
    the_real_tools_edit_files,
    a_review_is_held_to_its_schema,
    a_reviewer_cannot_write,
    a_session_goes_on_and_its_figures_are_those_of_the_call,
);

fn the_real_tools_edit_files(kind: AgentKind) {
    let turns = match kind {
        AgentKind::Codex => vec![
            running(kind, "cat code.txt"),
            Turn::Message(Message::new(vec![Block::Free(
                "apply_patch".into(),
                "*** Begin Patch\n*** Update File: code.txt\n@@\n-two\n+three\n*** End Patch\n".into(),
            )])),
            say("Now it is three."),
        ],
        _ => vec![
            tool("Read", json!({"file_path": "code.txt"})),
            tool("Edit", json!({"file_path": "code.txt", "old_string": "two", "new_string": "three"})),
            say("Now it is three."),
        ],
    };
    let Some(scene) = Scene::of(kind, in_order(turns)) else { return };
    scene.write("code.txt", "one\ntwo\n");
    let answer = scene.call();
    assert_eq!(
        (answer.outcome, answer.text.as_str(), answer.reason.as_deref(), scene.read("code.txt").as_str()),
        (ExecOutcome::Done, "Now it is three.", None, "one\nthree\n"),
        "{}",
        scene.raw()
    );
    assert!(answer.session.is_some());
    let program = answer.program.clone().expect("the program tells who it is");
    assert!(program.version.is_some() && program.model.is_some(), "{program:?}");
    assert_eq!(
        (answer.usage.input_tokens, answer.usage.output_tokens),
        (Some(3000), Some(150)),
        "{answer:?}"
    );
    assert!(!scene.raw().contains(KEY));
    scene.is_empty();
}

/// A review as the schema wants it.
fn a_review() -> serde_json::Value {
    json!({"review_id": "r-1", "result": "FAIL", "summary": "wrong", "findings": [], "questions": []})
}

fn reviewing(kind: AgentKind, player: Player) -> Option<Scene> {
    let mut scene = Scene::of(kind, player)?;
    scene.step = Step::Review;
    scene.review_id = Some("r-1");
    scene.schema = Some(reviewer_schema(None, &[], &[]));
    Some(scene)
}

fn answering(kind: AgentKind) -> Turn {
    match kind {
        AgentKind::Codex => say(&a_review().to_string()),
        _ => tool("StructuredOutput", a_review()),
    }
}

fn a_review_is_held_to_its_schema(kind: AgentKind) {
    let Some(scene) = reviewing(kind, in_order(vec![answering(kind)])) else { return };
    let answer = scene.call();
    let said: serde_json::Value = serde_json::from_str(&answer.text).unwrap_or_default();
    assert_eq!(
        (answer.outcome, answer.structured, said),
        (ExecOutcome::Done, true, a_review()),
        "{}",
        scene.raw()
    );
}

fn a_reviewer_cannot_write(kind: AgentKind) {
    let turns = vec![
        writing(kind, "note.txt".as_ref(), "written"),
        running(kind, "echo written > note.txt"),
        answering(kind),
    ];
    let Some(scene) = reviewing(kind, in_order(turns)) else { return };
    let answer = scene.call();
    assert_eq!(
        (answer.outcome, scene.read("note.txt")),
        (ExecOutcome::Done, String::new()),
        "{}",
        scene.raw()
    );
}

/// The second call of a session sees what was said in the first, and its figures are its own.
fn a_session_goes_on_and_its_figures_are_those_of_the_call(kind: AgentKind) {
    let player = |asked: &Asked| say(&format!("answer {}", asked.answers() + 1));
    let Some(mut scene) = Scene::of(kind, Box::new(player)) else { return };
    let first = scene.call();
    let session = first.session.clone().expect("a session");
    scene.resumes = Some(ResumableSession { session: session.clone(), used: first.usage });
    let second = scene.call();
    assert_eq!((first.text.as_str(), second.text.as_str()), ("answer 1", "answer 2"), "{}", scene.raw());
    assert_eq!((second.outcome, second.session), (ExecOutcome::Done, Some(session)));
    assert_eq!((second.usage.input_tokens, second.usage.output_tokens), (Some(1000), Some(50)));
}
