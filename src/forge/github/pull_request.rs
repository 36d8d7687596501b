//! Opens the draft of a head branch, or brings it up to date. It is found by its head and never opened twice; its title
//! and what people wrote into it are left alone. One that a person closed stays closed, and no other one takes its place.

use http::Method;
use serde::Deserialize;
use serde_json::{Value, json};

use super::super::{ForgeError, PullRequest, PullRequestRef};
use super::GithubForge;
use super::access::{BRANCH, escaped};
use super::island::{alone, placed};
use super::issue::User;
use super::pages::read;
use super::talk::Ask;
use model::issue::IssueNumber;

const FIND: &str = "find the pull request";
const OPEN: &str = "open the pull request";
const UPDATE: &str = "update the pull request";
const READ: &str = "read the pull request";

/// What we use of a pull request.
#[derive(Deserialize)]
struct Given {
    number: u64,
    html_url: String,
    body: Option<String>,
    head: Head,
    state: String,
    merged_at: Option<String>,
    user: Option<User>,
}

/// A pull request as it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PullRequestSeen {
    pub number: u64,
    /// The name of its branch.
    pub head: String,
    /// The branch is one of this very repository.
    pub is_own: bool,
    /// Where the branch stands.
    pub commit: String,
    pub is_open: bool,
    /// Empty when the account is gone.
    pub author: String,
}

#[derive(Deserialize)]
struct Head {
    #[serde(rename = "ref")]
    branch: String,
    sha: String,
    /// Nothing when the fork is gone.
    repo: Option<HeadRepository>,
}

#[derive(Deserialize)]
struct HeadRepository {
    full_name: String,
}

impl Given {
    fn is_open(&self) -> bool {
        self.state == "open"
    }

    /// Tells whether it is the request of the same run, closed by a person. One that was merged is done.
    fn was_closed_as(&self, request: &PullRequest) -> bool {
        let names_run = || self.body.as_deref().is_some_and(|body| body.contains(&request.run));
        let is_same = request.number == Some(self.number) || names_run();
        !self.is_open() && self.merged_at.is_none() && is_same
    }
}

impl GithubForge {
    /// Opens the pull request of a head branch, or brings our part of it up to date. One of the same run that a person closed
    /// is left alone; the request of another run of the issue is another one.
    pub async fn upsert_pull_request(&self, request: &PullRequest) -> Result<PullRequestRef, ForgeError> {
        let mut found = self.requests(&request.head, "all").await?;
        if let Some(open) = found.iter().position(Given::is_open) {
            return self.update(found.swap_remove(open), request).await;
        }
        match found.into_iter().find(|given| given.was_closed_as(request)) {
            Some(Given { number, html_url: url, .. }) => {
                Ok(PullRequestRef { number: Some(number), url, is_closed: true })
            }
            None => self.open(request).await,
        }
    }

    /// Returns the open pull request of a branch of this very repository.
    async fn open_request(&self, head: &str) -> Result<Option<Given>, ForgeError> {
        Ok(self.requests(head, "open").await?.into_iter().next())
    }

    /// Returns the pull requests of a branch of this very repository, the newest first.
    async fn requests(&self, head: &str, state: &str) -> Result<Vec<Given>, ForgeError> {
        let owner = &self.line.access.owner;
        let query = format!("state={state}&head={owner}:{}&", escaped(head, BRANCH));
        let listed = self.all(FIND, "/pulls", &query).await?;
        let given: Result<Vec<Given>, _> = listed.into_iter().map(|value| read(FIND, value)).collect();
        let is_ours = |given: &Given| given.head.branch == head && self.is_own(&given.head);
        Ok(given?.into_iter().filter(is_ours).collect())
    }

    /// A fork may have a branch of the same name.
    fn is_own(&self, head: &Head) -> bool {
        let of = head.repo.as_ref().map(|repo| repo.full_name.as_str());
        of.is_some_and(|name| name.eq_ignore_ascii_case(&self.repository()))
    }

    /// Returns a pull request as it stands now; nothing when there is none of that number.
    pub async fn pull_request(&self, number: u64) -> Result<Option<PullRequestSeen>, ForgeError> {
        let given: Given = match self.line.get(READ, &format!("/pulls/{number}")).await {
            Ok(value) => read(READ, value)?,
            Err(error) if error.is_missing() => return Ok(None),
            Err(error) => return Err(error),
        };
        Ok(Some(PullRequestSeen {
            number,
            is_own: self.is_own(&given.head),
            is_open: given.is_open(),
            head: given.head.branch,
            commit: given.head.sha,
            author: given.user.map(|user| user.login).unwrap_or_default(),
        }))
    }

    /// Returns the branch that a pull request brings in, if it is a branch of this very repository.
    pub async fn own_head(&self, number: IssueNumber) -> Result<Option<String>, ForgeError> {
        let given: Given = read(FIND, self.line.get(FIND, &format!("/pulls/{number}")).await?)?;
        Ok(self.is_own(&given.head).then_some(given.head.branch))
    }

    async fn update(&self, given: Given, request: &PullRequest) -> Result<PullRequestRef, ForgeError> {
        let before = given.body.unwrap_or_default();
        let after = placed(&before, request.body.as_str());
        if after != before {
            let path = self.line.access.path(&format!("/pulls/{}", given.number));
            let body = json!({ "body": after });
            self.line.repeat(&Ask { action: UPDATE, method: Method::PATCH, path, body: Some(&body) }).await?;
        }
        Ok(PullRequestRef { number: Some(given.number), url: given.html_url, is_closed: false })
    }

    async fn open(&self, request: &PullRequest) -> Result<PullRequestRef, ForgeError> {
        match self.post(request, request.draft).await {
            Err(error) if error.says("draft pull requests are not supported") => {
                tracing::warn!("This repository has no drafts: the pull request is opened ready for review");
                self.post(request, false).await
            }
            // Somebody, or an earlier try of ours, was faster.
            Err(error) if error.says("already exists") => match self.open_request(&request.head).await? {
                Some(given) => self.update(given, request).await,
                None => Err(error),
            },
            opened => opened,
        }
    }

    async fn post(&self, request: &PullRequest, draft: bool) -> Result<PullRequestRef, ForgeError> {
        let body = json!({
            "title": request.title.as_str(), "head": request.head, "base": request.base,
            "draft": draft, "body": alone(request.body.as_str()),
        });
        let path = self.line.access.path("/pulls");
        let look = || async {
            let found = self.open_request(&request.head).await?;
            Ok(found.map(|given| json!({ "number": given.number, "html_url": given.html_url })))
        };
        let ask = Ask { action: OPEN, method: Method::POST, path, body: Some(&body) };
        let made: Value = self.line.create(&ask, look).await?;
        let url = made["html_url"].as_str().unwrap_or_default().to_owned();
        Ok(PullRequestRef { number: made["number"].as_u64(), url, is_closed: false })
    }
}
