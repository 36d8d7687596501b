//! GitHub Actions: what check runs and statuses say about a commit, and starting the workflow of the present job once more,
//! because a job may not last as long as a run.

use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use serde_json::{Value, json};

use super::GithubForge;
use super::client::{CountWindow, LOGIN, PagedList, escape_name};
use super::event::GithubUser;
use crate::{ForgeError, Result};
use model::issue::IssueNumber;
use model::remote_check::RemoteCheck;

const READ_CHECK_RUNS: &str = "read the check runs";
const READ_STATUSES: &str = "read the statuses";
/// More pages than this are not read.
const MOST_CHECK_PAGES: usize = 20;

#[derive(Deserialize)]
struct CheckRunAnswer {
    name: String,
    status: String,
    conclusion: Option<String>,
    output: CheckRunOutput,
}

#[derive(Deserialize)]
struct CheckRunOutput {
    title: Option<String>,
    summary: Option<String>,
}

/// The newest of each context.
#[derive(Deserialize)]
struct StatusAnswer {
    context: String,
    state: String,
    description: Option<String>,
}

/// Returns the right that a token lacks which may not read the checks of a commit; nothing where something else is wrong.
/// GitHub answers 404 where even that something is there is not for the token to know.
pub fn missing_permission(error: &ForgeError) -> Option<&'static str> {
    match error {
        ForgeError::Refused { action: READ_CHECK_RUNS, status: 403 | 404, .. } => Some("checks: read"),
        ForgeError::Refused { action: READ_STATUSES, status: 403 | 404, .. } => Some("statuses: read"),
        _ => None,
    }
}

impl GithubForge {
    /// Returns every check of a commit: the latest run of each, and the newest status of each context.
    pub async fn checks_of(&self, commit: &str) -> Result<Vec<RemoteCheck>> {
        let path = format!("/commits/{commit}/check-runs");
        let runs: Vec<CheckRunAnswer> = self.list_entries(READ_CHECK_RUNS, &path, "check_runs").await?;
        let path = format!("/commits/{commit}/status");
        let statuses: Vec<StatusAnswer> = self.list_entries(READ_STATUSES, &path, "statuses").await?;
        let runs = runs.iter().map(|run| {
            let texts = [run.output.title.as_deref(), run.output.summary.as_deref()];
            RemoteCheck::of_run(&run.name, &run.status, run.conclusion.as_deref(), &texts)
        });
        let statuses = statuses.iter().map(|status| {
            RemoteCheck::of_status(&status.context, &status.state, status.description.as_deref())
        });
        Ok(runs.chain(statuses).collect())
    }

    /// Returns every entry of a list that is a field of an object.
    async fn list_entries<T>(&self, action: &'static str, path: &str, key: &str) -> Result<Vec<T>>
    where
        T: serde::de::DeserializeOwned,
    {
        let list = PagedList { action, path, key: Some(key), most_pages: MOST_CHECK_PAGES };
        match self.client.read_pages(&list, |_| true).await? {
            (all, true) => Ok(all),
            // What was not read may have failed.
            (_, false) => Err(ForgeError::unexpected(action, "there are too many")),
        }
    }
}

const FIND_STARTS: &str = "look whether the workflow was started";

/// How far the clocks of GitHub and of this machine may be apart.
const CLOCK_DIFFERENCE: SignedDuration = SignedDuration::from_mins(2);
/// More pages of starts than these are not read.
const MOST_START_PAGES: usize = 5;
/// Among how many of the latest starts ours is looked for.
const LATEST_STARTS: usize = 30;

/// The workflow of a job, and the branch that it was taken from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkflowRef {
    file: String,
    branch: String,
}

impl WorkflowRef {
    /// Reads `GITHUB_WORKFLOW_REF`: `owner/name/.github/workflows/FILE@refs/heads/BRANCH`, of this repository.
    pub fn read(text: &str, repository: &str) -> Option<Self> {
        let (path, reference) = text.split_once('@')?;
        let (owner, below) = path.split_once('/')?;
        let (name, below) = below.split_once('/')?;
        let file = below.strip_prefix(".github/workflows/")?;
        let branch = reference.strip_prefix("refs/heads/")?;
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        let is_ours = format!("{owner}/{name}").eq_ignore_ascii_case(repository);
        let is_file = !file.is_empty() && file.chars().all(plain) && !file.starts_with('.');
        if !is_ours || !is_file || branch.is_empty() {
            return None;
        }
        Some(Self { file: file.into(), branch: branch.into() })
    }
}

/// Returns the name by which a job for an issue is known; the workflow has it as its `run-name`.
fn run_name(issue: IssueNumber) -> String {
    format!("ai-workflow: issue {issue}")
}

impl GithubForge {
    /// Starts a workflow with the number of an issue. An answer that is lost is looked for before it is started again; where
    /// GitHub does not show the start yet, there are two, and the second one finds nothing to do.
    pub async fn start_workflow(&self, workflow: &WorkflowRef, issue: IssueNumber) -> Result<()> {
        let since = Timestamp::now().checked_sub(CLOCK_DIFFERENCE).unwrap_or(Timestamp::MIN);
        let body = json!({ "ref": workflow.branch, "inputs": { "issue": issue.to_string() } });
        let path = format!("/actions/workflows/{}/dispatches", workflow.file);
        let look = || async {
            let was_started = self.was_started(workflow, issue, since).await?;
            Ok(if was_started { Some(Value::Null) } else { None })
        };
        self.client.create(&self.client.post("start the workflow again", &path, body), look).await.map(drop)
    }

    /// Returns how often an account started a workflow by hand.
    pub async fn count_starts_by(
        &self,
        workflow: &WorkflowRef,
        by: &GithubUser,
        window: CountWindow,
    ) -> Result<usize> {
        let query = format!("&actor={}", escape_name(&by.login, LOGIN));
        let is_theirs = |run: &Value| run["actor"]["id"].as_u64() == Some(by.id);
        self.count_starts(workflow, &query, is_theirs, window).await
    }

    /// Returns how often a workflow was started for an issue, by any account.
    pub async fn count_starts_for(
        &self,
        workflow: &WorkflowRef,
        issue: IssueNumber,
        window: CountWindow,
    ) -> Result<usize> {
        let run_name = run_name(issue);
        let is_for_issue = |run: &Value| run["display_title"] == run_name;
        self.count_starts(workflow, "", is_for_issue, window).await
    }

    async fn count_starts(
        &self,
        workflow: &WorkflowRef,
        query: &str,
        is_counted: impl Fn(&Value) -> bool,
        window: CountWindow,
    ) -> Result<usize> {
        let path = format!("/actions/workflows/{}/runs?event=workflow_dispatch{query}", workflow.file);
        let key = Some("workflow_runs");
        let list = PagedList { action: FIND_STARTS, path: &path, key, most_pages: MOST_START_PAGES };
        self.client.count(&list, window, created_at, is_counted).await
    }

    async fn was_started(&self, workflow: &WorkflowRef, issue: IssueNumber, from: Timestamp) -> Result<bool> {
        let query = format!("event=workflow_dispatch&per_page={LATEST_STARTS}");
        let path = format!("/actions/workflows/{}/runs?{query}", workflow.file);
        let found: Value = self.client.get(FIND_STARTS, &path).await?;
        let run_name = run_name(issue);
        let is_it =
            |run: &Value| run["display_title"] == run_name && created_at(run).is_some_and(|at| at >= from);
        Ok(found["workflow_runs"].as_array().into_iter().flatten().any(is_it))
    }
}

fn created_at(run: &Value) -> Option<Timestamp> {
    run["created_at"].as_str()?.parse().ok()
}

#[cfg(test)]
mod tests;
