//! Starts the workflow of the present job once more, for the same issue: a job may not last as long as a run.

use http::Method;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::super::ForgeError;
use super::GithubForge;
use super::access::{LOGIN, escaped};
use super::event::Person;
use super::pages::List;
use super::talk::Ask;
use model::issue::IssueNumber;

const START: &str = "start the workflow again";
const LOOK: &str = "look whether the workflow was started";

/// How far the clocks of GitHub and of this machine may be apart.
const APART: SignedDuration = SignedDuration::from_mins(2);
/// More pages of starts than these are not read.
const MOST_PAGES: usize = 5;
/// Among how many of the latest starts ours is looked for.
const LATEST: usize = 30;

/// The workflow of a job, and the branch that it was taken from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workflow {
    file: String,
    branch: String,
}

impl Workflow {
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
        (is_ours && is_file && !branch.is_empty()).then(|| Self { file: file.into(), branch: branch.into() })
    }
}

/// Returns the title by which a job for an issue is known; the workflow has it as its `run-name`.
fn title(issue: IssueNumber) -> String {
    format!("ai-workflow: issue {issue}")
}

impl GithubForge {
    /// Starts a workflow with the number of an issue. An answer that is lost is looked for before it is started again; where
    /// GitHub does not show the start yet, there are two, and the second one finds nothing to do.
    pub async fn start_again(&self, workflow: &Workflow, issue: IssueNumber) -> Result<(), ForgeError> {
        let since = Timestamp::now().checked_sub(APART).unwrap_or(Timestamp::MIN);
        let body = json!({ "ref": workflow.branch, "inputs": { "issue": issue.to_string() } });
        let path = self.line.access.path(&format!("/actions/workflows/{}/dispatches", workflow.file));
        let ask = Ask { action: START, method: Method::POST, path, body: Some(&body) };
        let look = || async { Ok(self.was_started(workflow, issue, since).await?.then_some(Value::Null)) };
        self.line.create(&ask, look).await.map(drop)
    }

    /// Returns how often somebody started a workflow by hand after one time and not after another, counted up to `most`.
    pub async fn starts(
        &self,
        workflow: &Workflow,
        by: &Person,
        within: (Timestamp, Timestamp),
        most: usize,
    ) -> Result<usize, ForgeError> {
        let query = format!("actor={}&", escaped(&by.login, LOGIN));
        let theirs = |run: &Value| run["actor"]["id"].as_u64() == Some(by.id);
        self.count(workflow, &query, theirs, within, most).await
    }

    /// Returns how often a workflow was started for an issue, whoever did it.
    pub async fn starts_for(
        &self,
        workflow: &Workflow,
        issue: IssueNumber,
        within: (Timestamp, Timestamp),
        most: usize,
    ) -> Result<usize, ForgeError> {
        let title = title(issue);
        self.count(workflow, "", |run| run["display_title"].as_str() == Some(&title), within, most).await
    }

    async fn count(
        &self,
        workflow: &Workflow,
        query: &str,
        is_meant: impl Fn(&Value) -> bool,
        (since, until): (Timestamp, Timestamp),
        most: usize,
    ) -> Result<usize, ForgeError> {
        let mut count = 0;
        let path = format!("/actions/workflows/{}/runs", workflow.file);
        let query = format!("event=workflow_dispatch&{query}");
        let list = List { action: LOOK, path: &path, query: &query, key: Some("workflow_runs") };
        // The newest come first.
        let more = |runs: Vec<Value>| {
            let at = |run: &Value| run["created_at"].as_str()?.parse::<Timestamp>().ok();
            let within = |run: &&Value| at(run).is_some_and(|at| at > since && at <= until);
            count += runs.iter().filter(|run| is_meant(run)).filter(within).count();
            let older = runs.last().and_then(at).is_none_or(|at| at <= since);
            Ok(!older && count < most)
        };
        self.pages(&list, MOST_PAGES, more).await?;
        Ok(count.min(most))
    }

    async fn was_started(
        &self,
        workflow: &Workflow,
        issue: IssueNumber,
        since: Timestamp,
    ) -> Result<bool, ForgeError> {
        let query = format!("event=workflow_dispatch&per_page={LATEST}");
        let found =
            self.line.get(LOOK, &format!("/actions/workflows/{}/runs?{query}", workflow.file)).await?;
        let title = title(issue);
        let is_it = |run: &Value| {
            let at = run["created_at"].as_str().and_then(|at| at.parse::<Timestamp>().ok());
            run["display_title"].as_str() == Some(&title) && at.is_some_and(|at| at >= since)
        };
        Ok(found["workflow_runs"].as_array().into_iter().flatten().any(is_it))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_knows_its_own_workflow() {
        let read = |text: &str| Workflow::read(text, "octo/pages");
        let found = read("Octo/Pages/.github/workflows/ai-workflow.yml@refs/heads/release/2");
        assert_eq!(found, Some(Workflow { file: "ai-workflow.yml".into(), branch: "release/2".into() }));
        for other in [
            "",
            "octo/other/.github/workflows/a.yml@refs/heads/main",
            "octo/pages/.github/workflows/a.yml@refs/pull/7/merge",
            "octo/pages/.github/workflows/../a.yml@refs/heads/main",
            "octo/pages/.github/workflows/..@refs/heads/main",
            "octo/pages/a.yml@refs/heads/main",
            "octo/pages/.github/workflows/a.yml",
        ] {
            assert_eq!(read(other), None, "{other:?}");
        }
    }

    #[test]
    fn the_workflow_that_we_write_bears_the_title_by_which_it_is_known() {
        let written = include_str!("../../cli/init/ai-workflow.yml");
        let number = "${{ github.event.issue.number || inputs.issue }}";
        let name = title(243.try_into().expect("a number")).replace("243", number);
        assert!(written.contains(&format!("run-name: \"{name}\"\n")), "{name}");
    }
}
