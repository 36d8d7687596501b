//! Codex, headless. Checked with 0.169.0, the oldest version that is known to work.
//!
//! It relies on: the prompt on standard input, asked for by `-`; `--json`, one event per line; the last event
//! `turn.completed` or `turn.failed`; and the session file below `CODEX_HOME`, whose `task_complete` names the class
//! of an error, which the events do not. Without that file the status at the beginning of the program's own error
//! sentence is all there is.
//!
//! The sandbox of the program holds what its commands may do: a reviewer writes nowhere, an author in the worktree and
//! in a folder of this call for temporary files; none reaches the network, and the folders of git are read-only. No
//! settings of the user count, and none of the repository: it is not trusted, so that neither its hooks nor its servers
//! start. Limits of turns and of cost cannot be handed on: the program has none.

mod events;
mod outcome;
mod session;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use process::{Environment, TOOLCHAINS};

use super::call::{AgentCall, PreparedCall};
use super::json_lines::session_id;
use super::launch::{SignIn, api_key, launch, program_variables};
use super::lookup::ResolvedAgent;
use super::schema;
use events::CodexParser;
use session::SessionFiles;

pub(super) use outcome::OLDEST_VERSION;

/// What the program signs in with.
pub(super) const SIGN_IN: SignIn =
    SignIn { home: "CODEX_HOME", address: "OPENAI_BASE_URL", keys: &[KEY, "OPENAI_API_KEY"] };

/// The variable under which the program takes a key for one run.
const KEY: &str = "CODEX_API_KEY";

/// What a call has no use for: everything that reaches out, goes on afterwards, or comes from the user's own setup. With
/// `unbounded_connection_retries` a provider that is not there would be waited for without an end.
const SWITCHED_OFF: &str = include_str!("data/codex_switched_off.txt");

/// How often a provider that we name ourselves is asked again; for others the program knows no such limit.
const RETRIES: u32 = 1;

/// Makes the launch and the parser of a call of this program.
pub(super) fn prepare(mut agent: ResolvedAgent, call: &AgentCall<'_>) -> Result<PreparedCall, String> {
    configure(&mut agent)?;
    let temporary = tempfile::Builder::new().prefix("ai-workflow-").tempdir();
    let temporary = temporary.map_err(|error| format!("no folder for temporary files: {error}"))?;
    let sign_in = SIGN_IN.variables(&agent.profile);
    let mut launch = launch(&agent, &program_variables(&sign_in), call);
    let arguments = arguments(&agent, call, temporary.path(), &launch.environment)?;
    launch.arguments.extend(arguments);
    launch.stdout_limit = 0;
    let sessions = SessionFiles::new(home(&launch.environment).map(|home| home.join("sessions")));
    let mut parser = CodexParser::new(call, temporary);
    parser.model = agent.model;
    parser.sessions = sessions;
    Ok((launch, Box::new(parser)))
}

/// Puts the key into the profile's environment.
pub(super) fn configure(agent: &mut ResolvedAgent) -> Result<(), String> {
    if let Some(name) = &agent.profile.api_key_env {
        agent.profile.env.insert(KEY.to_owned(), api_key(name)?);
    }
    Ok(())
}

/// Returns the value of a variable that is set and not empty.
fn variable<'a>(environment: &'a Environment, name: &str) -> Option<&'a OsString> {
    environment.get(&OsString::from(name)).filter(|value| !value.is_empty())
}

/// Returns where the program keeps its settings and sessions.
fn home(environment: &Environment) -> Option<PathBuf> {
    if let Some(home) = variable(environment, "CODEX_HOME") {
        return Some(home.into());
    }
    Some(Path::new(variable(environment, "HOME")?).join(".codex"))
}

/// Writes the schema beside the raw file: the program takes it from a file only. Its service generates strictly and refuses
/// any other schema; the prompt asks for such a one in words.
fn write_schema(call: &AgentCall<'_>) -> Result<Option<PathBuf>, String> {
    let Some(schema) = call.schema.filter(|schema| schema::is_strict(schema)) else { return Ok(None) };
    let file = call.raw_file.with_file_name("schema.json");
    let file = std::path::absolute(&file).unwrap_or(file);
    let written = std::fs::write(&file, schema.to_string());
    written.map_err(|error| format!("the schema cannot be written to `{}`: {error}", file.display()))?;
    Ok(Some(file))
}

/// Returns the arguments of a call: the sandbox, what is switched off, and which limits are handed on.
fn arguments(
    agent: &ResolvedAgent,
    call: &AgentCall<'_>,
    temporary: &Path,
    environment: &Environment,
) -> Result<Vec<OsString>, String> {
    let mut arguments: Vec<OsString> =
        ["exec", "--json", "--skip-git-repo-check", "--ignore-user-config", "--ignore-rules"]
            .map(OsString::from)
            .into();
    for switch in SWITCHED_OFF.lines() {
        set(&mut arguments, switch, "false");
    }
    set_text(&mut arguments, "web_search", "disabled");
    set_text(&mut arguments, "shell_environment_policy.inherit", "core");
    if call.step.writes() {
        add_author(&mut arguments, temporary, environment);
    } else {
        // A reviewer does not get what the repository wants from agents: an earlier agent may have written it.
        arguments.extend(["-s".into(), "read-only".into()]);
        set(&mut arguments, "project_doc_max_bytes", "0");
        set(&mut arguments, "skills.include_instructions", "false");
    }
    if let Some(model) = &agent.model {
        set_text(&mut arguments, "model", model);
    }
    if let Some(effort) = &agent.profile.effort {
        set_text(&mut arguments, "model_reasoning_effort", effort);
    }
    if let Some(address) = &agent.profile.base_url {
        add_provider(&mut arguments, address, environment);
    }
    if let Some(schema) = write_schema(call)? {
        arguments.extend(["--output-schema".into(), schema.into()]);
    }
    if let Some(resume) = call.resumes {
        let session = session_id(&resume.session).ok_or("the session to continue has no good name")?;
        arguments.extend(["resume".into(), session.into()]);
    }
    arguments.push("-".into());
    Ok(arguments)
}

fn add_author(arguments: &mut Vec<OsString>, temporary: &Path, environment: &Environment) {
    let folder = temporary.display().to_string();
    arguments.extend(["-s".into(), "workspace-write".into()]);
    set(arguments, "sandbox_workspace_write.network_access", "false");
    set(arguments, "sandbox_workspace_write.exclude_slash_tmp", "true");
    set(arguments, "sandbox_workspace_write.exclude_tmpdir_env_var", "true");
    set(arguments, "sandbox_workspace_write.writable_roots", &format!("[{}]", quoted(&folder)));
    set_text(arguments, "shell_environment_policy.set.TMPDIR", &folder);
    for name in TOOLCHAINS.iter() {
        if let Some(value) = environment.get(&OsString::from(name)).and_then(|value| value.to_str()) {
            set_text(arguments, &format!("shell_environment_policy.set.{name}"), value);
        }
    }
}

fn add_provider(arguments: &mut Vec<OsString>, address: &str, environment: &Environment) {
    let key = [KEY, "OPENAI_API_KEY"].into_iter().find(|name| variable(environment, name).is_some());
    let key = key.map(|key| format!("env_key={},", quoted(key))).unwrap_or_default();
    let (name, address) = (quoted("configured"), quoted(address));
    let table = format!(
        "{{name={name},base_url={address},{key}wire_api=\"responses\",request_max_retries={RETRIES},stream_max_retries={RETRIES}}}"
    );
    set_text(arguments, "model_provider", "configured");
    set(arguments, "model_providers.configured", &table);
}

/// Sets a key of the program's configuration; the value is read as TOML.
fn set(arguments: &mut Vec<OsString>, key: &str, value: &str) {
    arguments.extend(["-c".into(), format!("{key}={value}").into()]);
}

/// Sets a key of the program's configuration to a text.
fn set_text(arguments: &mut Vec<OsString>, key: &str, text: &str) {
    set(arguments, key, &quoted(text));
}

fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}
