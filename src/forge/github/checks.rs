//! Reads what check runs and statuses say about a commit, page by page.

use serde::Deserialize;
use serde_json::Value;

use super::super::ForgeError;
use super::GithubForge;
use super::pages::{List, read};
use model::remote_check::RemoteCheck;

const RUNS: &str = "read the check runs";
const STATUSES: &str = "read the statuses";
/// More pages than this are not read.
const MOST_PAGES: usize = 20;

#[derive(Deserialize)]
struct Run {
    name: String,
    status: String,
    conclusion: Option<String>,
    output: Output,
}

#[derive(Deserialize)]
struct Output {
    title: Option<String>,
    summary: Option<String>,
}

/// The newest of each context.
#[derive(Deserialize)]
struct Status {
    context: String,
    state: String,
    description: Option<String>,
}

/// Returns the right that a token lacks which may not read the checks of a commit; nothing where something else is wrong.
/// GitHub answers 404 where even that something is there is not for the token to know.
pub fn lacking_right(error: &ForgeError) -> Option<&'static str> {
    match error {
        ForgeError::Refused { action: RUNS, status: 403 | 404, .. } => Some("checks: read"),
        ForgeError::Refused { action: STATUSES, status: 403 | 404, .. } => Some("statuses: read"),
        _ => None,
    }
}

impl GithubForge {
    /// Returns every check of a commit: the latest run of each, and the newest status of each context.
    pub async fn checks_of(&self, commit: &str) -> Result<Vec<RemoteCheck>, ForgeError> {
        let runs: Vec<Run> =
            self.counted(RUNS, &format!("/commits/{commit}/check-runs"), "check_runs").await?;
        let statuses: Vec<Status> =
            self.counted(STATUSES, &format!("/commits/{commit}/status"), "statuses").await?;
        let runs = runs.iter().map(|run| {
            let said = [run.output.title.as_deref(), run.output.summary.as_deref()];
            RemoteCheck::of_run(&run.name, &run.status, run.conclusion.as_deref(), &said)
        });
        let statuses = statuses.iter().map(|status| {
            RemoteCheck::of_status(&status.context, &status.state, status.description.as_deref())
        });
        Ok(runs.chain(statuses).collect())
    }

    /// Returns every entry of a list that stands in an object.
    async fn counted<T: serde::de::DeserializeOwned>(
        &self,
        action: &'static str,
        path: &str,
        key: &str,
    ) -> Result<Vec<T>, ForgeError> {
        let mut all = Vec::new();
        let list = List { action, path, query: "", key: Some(key) };
        let more = |entries: Vec<Value>| {
            for entry in entries {
                all.push(read(action, entry)?);
            }
            Ok(true)
        };
        if self.pages(&list, MOST_PAGES, more).await? {
            return Ok(all);
        }
        // What was not read may have failed.
        Err(ForgeError::Unexpected { action, why: "there are too many".into() })
    }
}
