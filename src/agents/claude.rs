//! Claude Code, headless. Checked with 2.1.329, the oldest version that is known to work.
//!
//! It relies on: the prompt on standard input; `--output-format stream-json`, one event per line; a last event
//! `result` with `subtype`, `is_error`, `api_error_status` and `model_usage_since_last_result`; exit code 0 only where
//! that event says success. A tool that `--tools` does not name cannot be called, also not by a name that the model
//! makes up. `--setting-sources=` leaves out every settings file with its hooks, skills and memory files, the user's
//! and the repository's; `--strict-mcp-config` leaves out every server that the repository names.
//!
//! What it cannot do: the commands of an author see the key that the program signs in with. The program could hide it
//! (`CLAUDE_CODE_SUBPROCESS_ENV_SCRUB`), but then does not start where bubblewrap is missing; a profile may set it.

mod events;
mod outcome;
mod usage;

use std::collections::BTreeSet;
use std::ffi::OsString;

use settings::split_words;

use super::call::{AgentCall, PreparedCall};
use super::json_lines::session_id;
use super::launch::{SignIn, api_key, launch, program_variables};
use super::lookup::ResolvedAgent;
use events::ClaudeParser;

pub(super) use outcome::OLDEST_VERSION;

/// What the program signs in with.
pub(super) const SIGN_IN: SignIn = SignIn {
    home: "CLAUDE_CONFIG_DIR",
    address: "ANTHROPIC_BASE_URL",
    keys: &["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"],
};

/// Variables with their values: no telemetry, no updates, nothing that outlives the call, and an end in seconds when the provider fails.
const SWITCHES: &str = include_str!("data/claude_switches.txt");

/// What an author works with: nothing that reaches the web or outlives the call.
const AUTHOR_TOOLS: &str = "Bash,Edit,Read,Write,Grep,Glob,NotebookEdit,TodoWrite";
/// What a reviewer works with: it can read inside the worktree and do nothing else.
const REVIEWER_TOOLS: &str = "Read,Grep,Glob";

/// Programs that run any command line that they are given.
const SHELLS: [&str; 8] = ["sh", "bash", "dash", "zsh", "fish", "env", "sudo", "xargs"];

/// The memory files of a repository; settings files are left out, and these with them.
const MEMORY_FILES: [&str; 2] = ["CLAUDE.md", "AGENTS.md"];

/// Makes the launch and the parser of a call of this program.
pub(super) fn prepare(mut agent: ResolvedAgent, call: &AgentCall<'_>) -> Result<PreparedCall, String> {
    let arguments = arguments(&agent, call)?;
    agent.arguments.extend(arguments);
    configure(&mut agent)?;
    let sign_in = SIGN_IN.variables(&agent.profile);
    let mut launch = launch(&agent, &program_variables(&sign_in), call);
    launch.stdout_limit = 0;
    Ok((launch, Box::new(ClaudeParser::new(call))))
}

/// Puts address, key and switches into the profile's environment; what the profile sets itself stays.
pub(super) fn configure(agent: &mut ResolvedAgent) -> Result<(), String> {
    let profile = &mut agent.profile;
    if let Some(address) = &profile.base_url {
        profile.env.insert("ANTHROPIC_BASE_URL".to_owned(), address.clone());
    }
    if let Some(name) = profile.api_key_env.clone() {
        let is_known = SIGN_IN.keys.contains(&name.as_str());
        let variable = if is_known { &name } else { "ANTHROPIC_API_KEY" };
        profile.env.insert(variable.to_owned(), api_key(&name)?);
    }
    for (name, value) in SWITCHES.lines().filter_map(|line| line.split_once('=')) {
        profile.env.entry(name.to_owned()).or_insert_with(|| value.to_owned());
    }
    Ok(())
}

/// Returns the arguments of a call.
fn arguments(agent: &ResolvedAgent, call: &AgentCall<'_>) -> Result<Vec<OsString>, String> {
    let mut arguments: Vec<OsString> =
        ["-p", "--verbose", "--strict-mcp-config", "--setting-sources="].map(OsString::from).into();
    arguments.push(option("--output-format", "stream-json"));
    if call.step.writes() {
        arguments.extend(author_arguments(agent, call));
    } else {
        arguments.push(option("--permission-mode", "dontAsk"));
        arguments.push(option("--tools", REVIEWER_TOOLS));
    }
    arguments.extend(limits(agent, call));
    if let Some(schema) = call.schema {
        arguments.push(option("--json-schema", &schema.to_string()));
    }
    if let Some(resume) = call.resumes {
        let session = session_id(&resume.session).ok_or("the session to continue has no good name")?;
        arguments.push(option("--resume", session));
    }
    Ok(arguments)
}

/// Returns a flag with its value, which is never taken for a flag, whatever it begins with.
fn option(flag: &str, value: &str) -> OsString {
    format!("{flag}={value}").into()
}

fn author_arguments(agent: &ResolvedAgent, call: &AgentCall<'_>) -> Vec<OsString> {
    let mut arguments = vec![option("--permission-mode", "acceptEdits"), option("--tools", AUTHOR_TOOLS)];
    let rules: BTreeSet<_> = call.commands.values().filter_map(|command| permission_rule(command)).collect();
    for rule in rules.iter().chain(&agent.profile.allow) {
        arguments.push(option("--allowedTools", rule));
    }
    if let Some(file) = MEMORY_FILES.iter().find(|file| call.worktree.join(file).is_file()) {
        let instruction =
            format!("The instructions of this repository are in {file}. Read it before you change anything.");
        arguments.push(option("--append-system-prompt", &instruction));
    }
    arguments
}

/// Returns the permission rule for a program with any arguments; for a shell, which could run anything, only for the very command.
fn permission_rule(command: &str) -> Option<String> {
    let program = split_words(command).ok()?.first()?.clone();
    let name = program.rsplit('/').next().unwrap_or_default();
    if SHELLS.contains(&name) {
        Some(format!("Bash({command})"))
    } else if program.chars().all(|c| c.is_ascii_alphanumeric() || "./_+-".contains(c)) {
        Some(format!("Bash({program} *)"))
    } else {
        None
    }
}

fn limits(agent: &ResolvedAgent, call: &AgentCall<'_>) -> Vec<OsString> {
    let turns = [agent.profile.max_turns, call.allowance.turns].into_iter().flatten().min();
    let usd = call.allowance.usd.filter(|usd| usd.is_finite()).map(|usd| format!("{:.4}", usd.max(0.0001)));
    let options = [
        ("--model", agent.model.clone()),
        ("--effort", agent.profile.effort.clone()),
        ("--max-turns", turns.map(|turns| turns.max(1).to_string())),
        ("--max-budget-usd", usd),
    ];
    options.into_iter().filter_map(|(flag, value)| Some(option(flag, &value?))).collect()
}
