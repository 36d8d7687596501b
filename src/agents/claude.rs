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

mod arguments;
mod events;
mod outcome;
mod unpaid;

use super::lookup::Resolved;
use super::sign_in::SignIn;
use super::{Job, Prepared, environment, launch};

/// The version that all this was checked with.
pub(super) const CHECKED_WITH: &str = "2.1.329";

/// What the program signs in with.
pub(super) const SIGNS_IN_WITH: SignIn = SignIn {
    home: "CLAUDE_CONFIG_DIR",
    address: "ANTHROPIC_BASE_URL",
    keys: &["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"],
};

/// No telemetry, no updates, nothing that outlives the call, and an end in seconds when the provider fails.
const QUIET: [(&str, &str); 7] = [
    ("CLAUDE_CODE_DISABLE_AUTO_MEMORY", "1"),
    ("CLAUDE_CODE_DISABLE_BACKGROUND_TASKS", "1"),
    ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
    ("CLAUDE_CODE_MAX_RETRIES", "2"),
    ("DISABLE_AUTOUPDATER", "1"),
    ("DISABLE_ERROR_REPORTING", "1"),
    ("DISABLE_TELEMETRY", "1"),
];

/// Makes the call of this program.
pub(super) fn prepare(mut agent: Resolved, job: &Job<'_>) -> Result<Prepared, String> {
    let arguments = arguments::of(&agent, job)?;
    agent.arguments.extend(arguments);
    dress(&mut agent)?;
    let own = SIGNS_IN_WITH.of(&agent.profile);
    let mut launch = launch(&agent, &environment::of_program(&own), job);
    launch.stdout_limit = 0;
    Ok((launch, Box::new(events::Claude::new(job))))
}

/// Puts address, key and the quiet switches into the profile's environment; what the profile says itself stays.
pub(super) fn dress(agent: &mut Resolved) -> Result<(), String> {
    let profile = &mut agent.profile;
    if let Some(address) = &profile.base_url {
        profile.env.insert("ANTHROPIC_BASE_URL".to_owned(), address.clone());
    }
    if let Some(name) = profile.api_key_env.clone() {
        let known = SIGNS_IN_WITH.keys.contains(&name.as_str());
        let wanted = if known { &name } else { "ANTHROPIC_API_KEY" };
        profile.env.insert(wanted.to_owned(), environment::key(&name)?);
    }
    for (name, value) in QUIET {
        profile.env.entry(name.to_owned()).or_insert_with(|| value.to_owned());
    }
    Ok(())
}
