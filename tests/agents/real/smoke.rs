//! The real programs by a hand-made command line: what we know of them still holds, and our servers speak their language.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

use super::anthropic::Anthropic;
use super::openai::OpenAi;
use super::play::{Asked, Block, Message, Turn, say, tool};
use super::programs;
use super::server::Server;

/// A folder with a home, a work folder and a prompt.
fn place() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["home", "work", "tmp", "codex"] {
        fs::create_dir(folder.path().join(name)).expect("a folder");
    }
    fs::write(folder.path().join("prompt.md"), "Write the note.").expect("a prompt");
    folder
}

fn run(program: &Path, place: &Path, environment: &[(&str, String)], arguments: &[&str]) -> Output {
    let mut command = Command::new(program);
    command.env_clear().env("PATH", std::env::var_os("PATH").expect("a PATH"));
    command.env("HOME", place.join("home")).env("TMPDIR", place.join("tmp"));
    command.envs(environment.iter().map(|(name, value)| (name, value)));
    let prompt = fs::File::open(place.join("prompt.md")).expect("the prompt");
    command.args(arguments).current_dir(place.join("work")).stdin(Stdio::from(prompt));
    command.output().expect("the program starts")
}

/// Returns the last event of a stream.
fn last_event(output: &Output) -> Value {
    let text = String::from_utf8_lossy(&output.stdout);
    let last = text.lines().last().unwrap_or_default();
    serde_json::from_str(last).unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)))
}

#[test]
#[ignore = "needs the real agent programs: .ci/full agents"]
fn claude_writes_the_file_that_the_model_server_requests() {
    let Some(claude) = programs::claude() else { return };
    let place = place();
    let note = place.path().join("work/note.txt");
    let input = json!({"file_path": note, "content": "written\n"});
    let player = move |asked: &Asked| match asked.answers() {
        0 => tool("Write", input.clone()),
        _ => say("It is written."),
    };
    let server = Server::start(Anthropic, Box::new(player));
    let environment = [
        ("CLAUDE_CONFIG_DIR", place.path().join("home/.claude").display().to_string()),
        ("ANTHROPIC_BASE_URL", server.url()),
        ("ANTHROPIC_API_KEY", "dummy".to_owned()),
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".to_owned()),
    ];
    let arguments = ["-p", "--output-format", "stream-json", "--verbose", "--permission-mode", "acceptEdits"];
    let output = run(&claude, place.path(), &environment, &arguments);
    let last = last_event(&output);
    assert_eq!(
        (last["subtype"].as_str(), last["result"].as_str()),
        (Some("success"), Some("It is written."))
    );
    assert_eq!(fs::read_to_string(note).expect("the note"), "written\n");
    assert_eq!(server.asked().len(), 2);
    assert!(server.asked()[0].since("Write the note.").is_some());
}

#[test]
#[ignore = "needs the real agent programs: .ci/full agents"]
fn codex_writes_the_file_that_the_model_server_requests() {
    let Some(codex) = programs::codex() else { return };
    let place = place();
    let patch = "*** Begin Patch\n*** Add File: note.txt\n+written\n*** End Patch\n";
    let player = move |asked: &Asked| match asked.answers() {
        0 => Turn::Message(Message::new(vec![Block::Free("apply_patch".into(), patch.into())])),
        _ => say("It is written."),
    };
    let server = Server::start(OpenAi, Box::new(player));
    let provider = format!(
        "model_providers.played={{name=\"played\",base_url=\"{}/v1\",env_key=\"PLAYED_KEY\",wire_api=\"responses\"}}",
        server.url()
    );
    let environment = [
        ("CODEX_HOME", place.path().join("codex").display().to_string()),
        ("PLAYED_KEY", "dummy".to_owned()),
    ];
    let arguments = ["exec", "--json", "--skip-git-repo-check", "-m", "gpt-5.5", "-s", "workspace-write"];
    let quiet = ["-c", "analytics.enabled=false", "-c", "check_for_update_on_startup=false"];
    let plain = ["--disable", "plugins", "--disable", "apps", "--disable", "remote_plugin"];
    let provided = ["-c", "model_provider=played", "-c", provider.as_str(), "-"];
    let arguments = [&arguments[..], &quiet[..], &plain[..], &provided[..]].concat();
    let output = run(&codex, place.path(), &environment, &arguments);
    assert_eq!(last_event(&output)["type"], "turn.completed");
    assert_eq!(fs::read_to_string(place.path().join("work/note.txt")).expect("the note"), "written\n");
    assert_eq!(server.asked().len(), 2);
    assert!(server.asked()[0].since("Write the note.").is_some());
}
