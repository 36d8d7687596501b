//! What an agent gets to see of our environment: an allow-list, what its profile adds, and where it stands in the run.
//! Secrets are withheld, not filtered: no configuration hands a GitHub token to an agent.

use std::collections::BTreeMap;
use std::ffi::OsString;

use model::phase::Step;

use super::Job;
use process::{Environment, TOOLCHAINS};

/// What programs need that speak to a provider through a proxy or a certificate of the house.
const NETWORK: [&str; 11] = [
    "ALL_PROXY",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "NODE_EXTRA_CA_CERTS",
    "NO_PROXY",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "all_proxy",
    "http_proxy",
    "https_proxy",
    "no_proxy",
];

/// Returns what a program that we know gets besides: what it signs in with, its way to the provider, and the toolchains
/// that an author builds and tests with.
pub(super) fn of_program<'a>(signs_in_with: &[&'a str]) -> Vec<&'a str> {
    [signs_in_with, &NETWORK, &TOOLCHAINS].concat()
}

/// What is passed on, besides every `LC_…`.
const PASSED_ON: [&str; 6] = ["PATH", "HOME", "USER", "LANG", "TZ", "TMPDIR"];

/// Returns the environment of an agent's program, complete. `own` names what this kind of program signs in with.
pub(super) fn of(
    ours: impl IntoIterator<Item = (OsString, OsString)>,
    own: &[&str],
    profile: &BTreeMap<String, String>,
    job: &Job<'_>,
) -> Environment {
    let mut environment = allowed(ours, own, profile);
    environment.extend(place(job).into_iter().map(|(name, value)| (name.into(), value.into())));
    environment
}

/// Returns the environment without a place in a run.
pub(super) fn allowed(
    ours: impl IntoIterator<Item = (OsString, OsString)>,
    own: &[&str],
    profile: &BTreeMap<String, String>,
) -> Environment {
    let is_own = |name: &OsString| name.to_str().is_some_and(|name| own.contains(&name));
    let is_withheld = |name: &OsString, value: &OsString| {
        is_github_token(&name.to_string_lossy(), &value.to_string_lossy())
    };
    let wanted = ours.into_iter().filter(|(name, _)| is_passed_on(name) || is_own(name));
    let mut environment: Environment = wanted.filter(|(name, value)| !is_withheld(name, value)).collect();
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
pub(super) fn key(name: &str) -> Result<String, String> {
    let value = std::env::var(name).unwrap_or_default();
    if value.is_empty() {
        Err(format!("the variable {name} with the agent's key is not set"))
    } else if is_github_token(name, &value) {
        Err(format!("the variable {name} is withheld: no agent gets a GitHub token"))
    } else {
        Ok(value)
    }
}

fn is_passed_on(name: &OsString) -> bool {
    name.to_str().is_some_and(|name| PASSED_ON.contains(&name) || name.starts_with("LC_"))
}

fn is_github_token(name: &str, value: &str) -> bool {
    let name = name.to_uppercase();
    let named = (name.starts_with("GITHUB") || name.starts_with("GH_")) && name.contains("TOKEN");
    named
        || ["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"]
            .iter()
            .any(|start| value.starts_with(start))
}

/// Returns the variables that tell where in the run the agent stands.
fn place(job: &Job<'_>) -> BTreeMap<&'static str, String> {
    let mut place = BTreeMap::from([
        ("AI_WORKFLOW_ISSUE", job.issue.to_string()),
        ("AI_WORKFLOW_PHASE", job.phase.to_string()),
        ("AI_WORKFLOW_STEP", job.step.to_string()),
        ("AI_WORKFLOW_ROUND", job.round.to_string()),
        ("AI_WORKFLOW_OUTPUT", job.output.to_owned()),
    ]);
    if let (Step::Review | Step::Triage, Some(review_id)) = (job.step, job.review_id) {
        place.insert("AI_WORKFLOW_REVIEW_ID", review_id.to_owned());
    }
    if let Some(seat) = job.seat {
        place.insert("AI_WORKFLOW_SEAT", seat.to_owned());
    }
    place
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::with_job;

    fn names(step: Step, profile: &[(&str, &str)]) -> Vec<String> {
        let ours =
            ["PATH", "HOME", "LC_ALL", "LCX", "GITHUB_TOKEN", "ANTHROPIC_API_KEY", "AI_WORKFLOW_AGENT"];
        let ours = ours.map(|name| (name.into(), "x".into()));
        let profile = profile.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let environment = with_job(|mut job| {
            job.step = step;
            of(ours, &[], &profile, &job)
        });
        environment.into_keys().map(|name| name.into_string().expect("a plain name")).collect()
    }

    #[test]
    fn only_the_allow_list_and_the_place_in_the_run_are_seen() {
        let place = ["ISSUE", "OUTPUT", "PHASE", "ROUND", "STEP"].map(|name| format!("AI_WORKFLOW_{name}"));
        let expected = [&place[..], &["HOME", "LC_ALL", "PATH"].map(str::to_owned)].concat();
        assert_eq!(names(Step::Execute, &[]), expected);
    }

    #[test]
    fn a_reviewer_is_told_the_review_id() {
        for (step, told) in [(Step::Review, true), (Step::Triage, true), (Step::Revise, false)] {
            assert_eq!(names(step, &[]).contains(&"AI_WORKFLOW_REVIEW_ID".to_owned()), told, "{step}");
        }
    }

    #[test]
    fn a_profile_adds_variables_but_never_a_github_token() {
        let profile = [("MY_KEY", "k"), ("GH_TOKEN", "t"), ("github_token", "t"), ("X", "ghp_abc")];
        let names = names(Step::Execute, &profile);
        assert!(names.contains(&"MY_KEY".to_owned()));
        assert!(!names.iter().any(|name| ["GH_TOKEN", "github_token", "X"].contains(&name.as_str())));
    }

    #[test]
    fn a_github_token_is_no_key_of_an_agent() {
        let ours = [("GITHUB_TOKEN", "t"), ("MY_KEY", "ghp_abc"), ("MY_OTHER_KEY", "k")];
        let ours = ours.map(|(name, value)| (name.into(), value.into()));
        let environment = allowed(ours, &["GITHUB_TOKEN", "MY_KEY", "MY_OTHER_KEY"], &BTreeMap::new());
        assert_eq!(environment, [("MY_OTHER_KEY".into(), "k".into())].into());
    }

    #[test]
    fn a_profile_cannot_move_the_agent_in_the_run() {
        let profile = BTreeMap::from([("AI_WORKFLOW_STEP".to_owned(), "review".to_owned())]);
        let environment = with_job(|job| of([], &[], &profile, &job));
        assert_eq!(environment.get(&OsString::from("AI_WORKFLOW_STEP")), Some(&"execute".into()));
    }
}
