//! What an agent's program is started with: its limits, the variables of our environment that a list allows, those that its
//! profile adds, and those that name the phase, step and round of the call. Secrets are withheld, not filtered: no
//! configuration gives a GitHub token to an agent, a key goes to the address it was made for and to no other, and where a
//! profile names a key no other key is passed on.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::time::Duration;

use model::phase::Step;
use process::{Environment, Launch, TOOLCHAINS};
use settings::AgentKeys;

use super::call::AgentCall;
use super::lookup::ResolvedAgent;

/// What programs need that speak to a provider through a proxy or with a certificate authority of their own.
const NETWORK: &str = include_str!("data/network_variables.txt");

/// What every agent gets, besides every `LC_…`.
const PASSED_ON: [&str; 6] = ["PATH", "HOME", "USER", "LANG", "TZ", "TMPDIR"];

/// How the values of GitHub's tokens begin.
const GITHUB_TOKENS: [&str; 6] = ["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"];

/// The variables by which a program that we know signs in.
#[derive(Debug, Clone, Copy)]
pub(super) struct SignInVariables {
    /// Names the folder of its own settings.
    pub home: &'static str,
    /// Names the address of its provider.
    pub address: &'static str,
    /// Hold its keys.
    pub keys: &'static [&'static str],
}

impl SignInVariables {
    /// Returns the variables of ours that the program gets. What the profile sets itself comes on top.
    pub(super) fn variables(&self, profile: &AgentKeys) -> Vec<&'static str> {
        let is_elsewhere = profile.base_url.is_some() || profile.env.contains_key(self.address);
        let mut names = vec![self.home];
        if !is_elsewhere {
            names.push(self.address);
            let has_own_key = self.keys.iter().any(|key| profile.env.contains_key(*key));
            if profile.api_key_env.is_none() && !has_own_key {
                names.extend(self.keys);
            }
        }
        names
    }
}

/// Returns the variables that a program that we know gets: what it signs in with, its way to the provider, and the
/// toolchains that an author builds and tests with.
pub(super) fn program_variables<'a>(sign_in: &[&'a str]) -> Vec<&'a str> {
    let network: Vec<&str> = NETWORK.lines().collect();
    [sign_in, &network, TOOLCHAINS.as_slice()].concat()
}

/// Makes the launch of a program as configured; `variables` are those of ours that this kind of program gets besides.
pub(super) fn make_launch(agent: &ResolvedAgent, variables: &[&str], call: &AgentCall<'_>) -> Launch {
    let (wall, idle, first_output) = call.time.for_step(call.step);
    let profile = &agent.profile;
    let wall = profile.step_seconds.unwrap_or(wall).min(call.allowance.seconds.unwrap_or(u64::MAX));
    let seconds = |own: Option<u64>, common: u64| Some(Duration::from_secs(own.unwrap_or(common)));
    Launch {
        arguments: agent.arguments.clone(),
        environment: make_call_environment(std::env::vars_os(), variables, &profile.env, call),
        stdin: Some(call.prompt_file.to_owned()),
        idle: seconds(profile.idle_seconds, idle),
        first_output: seconds(profile.first_output_seconds.or(profile.idle_seconds), first_output),
        copy_after_end: call.copy_after_end.map(|(from, to)| (from.to_owned(), to.to_owned())),
        own_program: call.own_program.to_owned(),
        ..Launch::new(agent.program.clone(), call.worktree, Duration::from_secs(wall))
    }
}

/// Returns the environment of an agent's program in a call, complete: it also names the phase, step and round of the call.
fn make_call_environment(
    ours: impl IntoIterator<Item = (OsString, OsString)>,
    variables: &[&str],
    profile: &BTreeMap<String, String>,
    call: &AgentCall<'_>,
) -> Environment {
    let mut environment = make_environment(ours, variables, profile);
    let mut place = |name: &str, value: &str| environment.insert(name.into(), value.into());
    place("AI_WORKFLOW_ISSUE", &call.issue.to_string());
    place("AI_WORKFLOW_PHASE", call.phase.as_str());
    place("AI_WORKFLOW_STEP", call.step.as_str());
    place("AI_WORKFLOW_ROUND", &call.round.to_string());
    place("AI_WORKFLOW_OUTPUT", call.output);
    if let (Step::Review | Step::Triage, Some(review_id)) = (call.step, call.review_id) {
        place("AI_WORKFLOW_REVIEW_ID", review_id);
    }
    if let Some(seat) = call.seat {
        place("AI_WORKFLOW_SEAT", seat);
    }
    environment
}

/// Returns the environment of an agent's program outside of a run.
pub(super) fn make_environment(
    ours: impl IntoIterator<Item = (OsString, OsString)>,
    variables: &[&str],
    profile: &BTreeMap<String, String>,
) -> Environment {
    let is_passed_on =
        |name: &str| PASSED_ON.contains(&name) || name.starts_with("LC_") || variables.contains(&name);
    let mut environment = Environment::new();
    for (name, value) in ours {
        if name.to_str().is_some_and(is_passed_on)
            && !is_github_token(&name.to_string_lossy(), &value.to_string_lossy())
        {
            environment.insert(name, value);
        }
    }
    for (name, value) in profile {
        if is_github_token(name, value) {
            tracing::warn!("the variable {name} of the profile is withheld: no agent gets a GitHub token");
        } else {
            environment.insert(name.into(), value.into());
        }
    }
    environment
}

/// Returns the value of the variable that holds an agent's key.
pub(super) fn read_api_key(name: &str) -> Result<String, String> {
    let value = std::env::var(name).unwrap_or_default();
    if value.is_empty() {
        Err(format!("the variable {name} with the agent's key is not set"))
    } else if is_github_token(name, &value) {
        Err(format!("the variable {name} is withheld: no agent gets a GitHub token"))
    } else {
        Ok(value)
    }
}

fn is_github_token(name: &str, value: &str) -> bool {
    let name = name.to_uppercase();
    let is_named_so = (name.starts_with("GITHUB") || name.starts_with("GH_")) && name.contains("TOKEN");
    is_named_so || GITHUB_TOKENS.iter().any(|start| value.starts_with(start))
}

#[cfg(test)]
mod tests;
