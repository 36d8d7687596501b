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

mod arguments;
mod events;
mod outcome;
mod session;
mod vain;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::lookup::Resolved;
use super::sign_in::SignIn;
use super::{Job, Prepared, environment, launch, schema};
use process::{Environment, TOOLCHAINS};

/// The version that all this was checked with.
pub(super) const CHECKED_WITH: &str = "0.169.0";

/// What the program signs in with.
pub(super) const SIGNS_IN_WITH: SignIn =
    SignIn { home: "CODEX_HOME", address: "OPENAI_BASE_URL", keys: &[KEY, "OPENAI_API_KEY"] };

/// The variable under which the program takes a key for one run.
const KEY: &str = "CODEX_API_KEY";

/// Makes the call of this program.
pub(super) fn prepare(mut agent: Resolved, job: &Job<'_>) -> Result<Prepared, String> {
    dress(&mut agent)?;
    let temporary = tempfile::Builder::new().prefix("ai-workflow-").tempdir();
    let temporary = temporary.map_err(|error| format!("no folder for temporary files: {error}"))?;
    let schema = schema_file(job)?;
    let own = SIGNS_IN_WITH.of(&agent.profile);
    let mut launch = launch(&agent, &environment::of_program(&own), job);
    let key = [KEY, "OPENAI_API_KEY"].into_iter().find(|name| has(&launch.environment, name));
    let toolchains = toolchains(&launch.environment);
    let place = arguments::Place {
        temporary: temporary.path(),
        schema: schema.as_deref(),
        key,
        toolchains: &toolchains,
    };
    launch.arguments.extend(arguments::of(&agent, job, &place)?);
    launch.stdout_limit = 0;
    let sessions = home(&launch.environment).map(|home| home.join("sessions"));
    let codex = events::Codex::new(job, agent.model.as_deref(), sessions, temporary);
    Ok((launch, Box::new(codex)))
}

/// Puts the key into the profile's environment.
pub(super) fn dress(agent: &mut Resolved) -> Result<(), String> {
    if let Some(name) = &agent.profile.api_key_env {
        agent.profile.env.insert(KEY.to_owned(), environment::key(name)?);
    }
    Ok(())
}

fn has(environment: &Environment, name: &str) -> bool {
    environment.get(&OsString::from(name)).is_some_and(|value| !value.is_empty())
}

/// Returns the variables of toolchains that are set.
fn toolchains(environment: &Environment) -> Vec<(&'static str, String)> {
    let value = |name: &str| environment.get(&OsString::from(name))?.to_str().map(str::to_owned);
    TOOLCHAINS.into_iter().filter_map(|name| Some((name, value(name)?))).collect()
}

/// Returns where the program keeps its sessions.
fn home(environment: &Environment) -> Option<PathBuf> {
    let value = |name: &str| environment.get(&OsString::from(name)).filter(|value| !value.is_empty());
    let own = value("CODEX_HOME").map(PathBuf::from);
    own.or_else(|| value("HOME").map(|home| Path::new(home).join(".codex")))
}

/// Writes the schema beside the raw file: the program takes it from a file only. Its service generates strictly and refuses
/// any other schema; the prompt asks for such a one in words.
fn schema_file(job: &Job<'_>) -> Result<Option<PathBuf>, String> {
    let Some(schema) = job.schema.filter(|schema| schema::is_strict(schema)) else { return Ok(None) };
    let file = job.raw_file.with_file_name("schema.json");
    let file = std::path::absolute(&file).unwrap_or(file);
    let written = std::fs::write(&file, schema.to_string());
    written.map_err(|error| format!("the schema cannot be written to `{}`: {error}", file.display()))?;
    Ok(Some(file))
}
