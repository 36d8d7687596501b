//! Pull requests: the draft of a head branch, its reviewers, and its end as a draft. A pull request is found by its head
//! and never opened twice. What people wrote into it stays, and one that a person closed stays closed. Threads of reviews are
//! read whole, answered once, and resolved; who may ask for something in them is not decided here.

use std::collections::BTreeMap;

use http::Method;
use serde::Deserialize;
use serde_json::{Value, json};

use super::GithubForge;
use super::client::{BRANCH, MUTATION_PERMISSIONS, Request, escape_name, read, refuse_graphql_error};
use super::event::GithubUser;
use super::issues::{is_ours, is_same_account, login_of};
use super::managed_section::{LONGEST_BODY, replace_section, truncate, wrap_section};
use crate::{BOT, CodeOwner, ForgeError, PullRequestContent, PullRequestRef, Result};
use model::issue::IssueNumber;
use model::redact::Masked;

const FIND_PULL_REQUEST: &str = "find the pull request";

/// What we use of a pull request.
#[derive(Deserialize)]
struct PullRequestAnswer {
    #[serde(default)]
    node_id: String,
    number: u64,
    html_url: String,
    body: Option<String>,
    draft: Option<bool>,
    head: Head,
    state: String,
    merged_at: Option<String>,
    user: Option<GithubUser>,
}

/// The state of a pull request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PullRequest {
    /// Its number.
    pub number: u64,
    /// The name of its branch.
    pub head: String,
    /// The branch is one of this very repository.
    pub is_own: bool,
    /// The tip of the branch.
    pub commit: String,
    /// Whether it is open.
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

impl PullRequestAnswer {
    fn is_open(&self) -> bool {
        self.state == "open"
    }

    /// Tells whether it is the request of the same run, closed by a person. One that was merged is done.
    fn was_closed_as(&self, request: &PullRequestContent) -> bool {
        let names_run = || self.body.as_deref().is_some_and(|body| body.contains(&request.run));
        let is_same = request.number == Some(self.number) || names_run();
        !self.is_open() && self.merged_at.is_none() && is_same
    }
}

impl GithubForge {
    /// Opens the pull request of a head branch, or brings our part of it up to date. One of the same run that a person closed
    /// is left alone; the request of another run of the issue is another one.
    pub async fn upsert_pull_request(&self, request: &PullRequestContent) -> Result<PullRequestRef> {
        let mut found = self.pull_requests_of(&request.head, "all").await?;
        if let Some(open) = found.iter().position(PullRequestAnswer::is_open) {
            return self.update_pull_request(found.swap_remove(open), request).await;
        }
        match found.into_iter().find(|answer| answer.was_closed_as(request)) {
            Some(PullRequestAnswer { number, html_url: url, .. }) => {
                Ok(PullRequestRef { number: Some(number), url, is_closed: true })
            }
            None => self.open_pull_request(request).await,
        }
    }

    /// Returns the open pull request of a branch of this very repository.
    async fn open_pull_request_of(&self, head: &str) -> Result<Option<PullRequestAnswer>> {
        Ok(self.pull_requests_of(head, "open").await?.into_iter().next())
    }

    /// Returns the pull requests of a branch of this very repository, the newest first.
    async fn pull_requests_of(&self, head: &str, state: &str) -> Result<Vec<PullRequestAnswer>> {
        let owner = &self.client.access.owner;
        let path = format!("/pulls?state={state}&head={owner}:{}", escape_name(head, BRANCH));
        let mut listed: Vec<PullRequestAnswer> = self.client.list(FIND_PULL_REQUEST, &path).await?;
        listed.retain(|answer| answer.head.branch == head && self.is_own(&answer.head));
        Ok(listed)
    }

    /// A fork may have a branch of the same name.
    fn is_own(&self, head: &Head) -> bool {
        head.repo.as_ref().is_some_and(|repo| repo.full_name.eq_ignore_ascii_case(&self.repository()))
    }

    /// Returns the present state of a pull request; nothing when there is none of that number.
    pub async fn pull_request(&self, number: u64) -> Result<Option<PullRequest>> {
        let path = format!("/pulls/{number}");
        let answer: Option<PullRequestAnswer> = self.client.find("read the pull request", &path).await?;
        Ok(answer.map(|answer| PullRequest {
            number,
            is_own: self.is_own(&answer.head),
            is_open: answer.is_open(),
            head: answer.head.branch,
            commit: answer.head.sha,
            author: login_of(answer.user),
        }))
    }

    /// Returns the branch that a pull request brings in, if it is a branch of this very repository.
    pub async fn own_head(&self, number: IssueNumber) -> Result<Option<String>> {
        let path = format!("/pulls/{number}");
        let answer: PullRequestAnswer = self.client.get(FIND_PULL_REQUEST, &path).await?;
        if self.is_own(&answer.head) { Ok(Some(answer.head.branch)) } else { Ok(None) }
    }

    async fn update_pull_request(
        &self,
        answer: PullRequestAnswer,
        request: &PullRequestContent,
    ) -> Result<PullRequestRef> {
        let before = answer.body.unwrap_or_default();
        let after = replace_section(&before, request.body.as_str());
        if after != before {
            let (path, body) = (format!("/pulls/{}", answer.number), json!({ "body": after }));
            self.client.change("update the pull request", Method::PATCH, &path, body).await?;
        }
        Ok(PullRequestRef { number: Some(answer.number), url: answer.html_url, is_closed: false })
    }

    async fn open_pull_request(&self, request: &PullRequestContent) -> Result<PullRequestRef> {
        match self.post_pull_request(request, request.draft).await {
            Err(error) if error.has_message("draft pull requests are not supported") => {
                tracing::warn!("This repository has no drafts: the pull request is opened ready for review");
                self.post_pull_request(request, false).await
            }
            // Another process, or an earlier try of ours, was faster.
            Err(error) if error.has_message("already exists") => {
                match self.open_pull_request_of(&request.head).await? {
                    Some(answer) => self.update_pull_request(answer, request).await,
                    None => Err(error),
                }
            }
            opened => opened,
        }
    }

    async fn post_pull_request(&self, request: &PullRequestContent, draft: bool) -> Result<PullRequestRef> {
        let body = json!({
            "title": request.title.as_str(), "head": request.head, "base": request.base,
            "draft": draft, "body": wrap_section(request.body.as_str()),
        });
        let look = || async {
            let found = self.open_pull_request_of(&request.head).await?;
            Ok(found.map(|answer| json!({ "number": answer.number, "html_url": answer.html_url })))
        };
        let made: Value =
            self.client.create(&self.client.post("open the pull request", "/pulls", body), look).await?;
        let url = made["html_url"].as_str().unwrap_or_default().to_owned();
        Ok(PullRequestRef { number: made["number"].as_u64(), url, is_closed: false })
    }
}

const MARK_READY: &str = "mark the pull request ready for review";

impl GithubForge {
    /// Marks a pull request ready for review.
    pub async fn mark_ready(&self, number: u64) -> Result<()> {
        let path = format!("/pulls/{number}");
        let answer: PullRequestAnswer = self.client.get(MARK_READY, &path).await?;
        if answer.draft == Some(false) {
            return Ok(());
        }
        let look = || async {
            let now: PullRequestAnswer = self.client.get(MARK_READY, &path).await?;
            Ok(if now.draft == Some(false) { Some(json!({ "data": {} })) } else { None })
        };
        let mutation = include_str!("queries/mark_ready.graphql");
        let body = json!({ "query": mutation, "variables": { "id": answer.node_id } });
        let done = self.client.create(&Request::graphql(MARK_READY, body), look).await?;
        refuse_graphql_error(MARK_READY, MUTATION_PERMISSIONS, &done)
    }
}

/// GitHub takes no more at once.
const MOST_REVIEWERS: usize = 15;

impl GithubForge {
    /// Asks owners to review and returns those who could be asked. The author of the pull request is not asked, and
    /// teams only of the organisation that the repository is in.
    pub async fn ask_for_review(
        &self,
        pull_request: u64,
        owners: impl IntoIterator<Item = CodeOwner>,
    ) -> Result<Vec<String>> {
        let Some(request) = self.pull_request(pull_request).await? else { return Ok(Vec::new()) };
        let can_be_asked = |owner: &CodeOwner| match owner {
            CodeOwner::Person(login) => !is_same_account(&request.author, login),
            CodeOwner::Team { organisation, .. } => {
                organisation.eq_ignore_ascii_case(&self.client.access.owner)
            }
        };
        let owners: Vec<CodeOwner> = owners.into_iter().filter(can_be_asked).take(MOST_REVIEWERS).collect();
        if owners.is_empty() {
            return Ok(Vec::new());
        }
        match self.request_reviewers(pull_request, &owners).await {
            Ok(()) => Ok(owners.iter().map(ToString::to_string).collect()),
            // One who is no collaborator makes GitHub refuse all.
            Err(ForgeError::Refused { status: 422, .. }) => {
                self.request_one_by_one(pull_request, &owners).await
            }
            Err(error) => Err(error),
        }
    }

    async fn request_one_by_one(&self, number: u64, owners: &[CodeOwner]) -> Result<Vec<String>> {
        let mut asked = Vec::new();
        for owner in owners {
            match self.request_reviewers(number, std::slice::from_ref(owner)).await {
                Ok(()) => asked.push(owner.to_string()),
                Err(error @ ForgeError::Refused { status: 422, .. }) => {
                    tracing::warn!("{owner} owns what changed and was not asked to review: {error}");
                }
                Err(error) => return Err(error),
            }
        }
        Ok(asked)
    }

    async fn request_reviewers(&self, number: u64, owners: &[CodeOwner]) -> Result<()> {
        let mut names: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for owner in owners {
            match owner {
                CodeOwner::Person(login) => names.entry("reviewers").or_default().push(login),
                CodeOwner::Team { name, .. } => names.entry("team_reviewers").or_default().push(name),
            }
        }
        let path = format!("/pulls/{number}/requested_reviewers");
        self.client.change("ask for a review", Method::POST, &path, json!(names)).await
    }
}

const READ_THREADS: &str = "read the review threads";
/// More pages than this are not read: 5,000 threads.
const MOST_THREAD_PAGES: usize = 100;

/// A thread of review comments on a place in the changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewThread {
    /// Its id in GraphQL.
    pub id: String,
    /// The file that it is about.
    pub path: String,
    /// Where it is in the head now; nothing for a whole file, and where the place is gone.
    pub line: Option<u64>,
    /// Whether it is resolved.
    pub is_resolved: bool,
    /// Oldest first; never empty.
    pub comments: Vec<ReviewComment>,
    /// There are more comments than were read.
    pub is_cut: bool,
}

/// One comment of a thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewComment {
    /// Its id in the REST interface.
    pub id: u64,
    /// With the ending that names a bot; empty when the account is gone.
    pub author: String,
    /// Its text.
    pub body: String,
}

/// The one answer to a thread.
#[derive(Debug, Clone, Copy)]
pub struct ThreadReply<'a> {
    /// The number of the pull request.
    pub pull_request: u64,
    /// The thread that is answered.
    pub thread: &'a ReviewThread,
    /// A text inside the body by which it is found again.
    pub marker: &'a str,
    /// The whole text.
    pub body: &'a Masked,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Page<T> {
    page_info: PageInfo,
    nodes: Vec<T>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PageInfo {
    has_next_page: bool,
    end_cursor: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ThreadNode {
    id: String,
    is_resolved: bool,
    is_outdated: bool,
    path: String,
    line: Option<u64>,
    comments: Page<ThreadCommentNode>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ThreadCommentNode {
    database_id: Option<u64>,
    body: String,
    author: Option<Author>,
}

#[derive(Deserialize)]
struct Author {
    #[serde(rename = "__typename")]
    kind: String,
    login: String,
}

impl GithubForge {
    /// Returns the threads of a pull request, resolved ones too, in GitHub's order.
    pub async fn review_threads(&self, pull_request: u64) -> Result<Vec<ReviewThread>> {
        let access = &self.client.access;
        let (mut all, mut after) = (Vec::new(), Value::Null);
        for _ in 0..MOST_THREAD_PAGES {
            let variables = json!({
                "owner": access.owner, "name": access.name, "number": pull_request, "after": after,
            });
            let query = include_str!("queries/review_threads.graphql");
            let answer = self.graphql(READ_THREADS, query, &variables).await?;
            let page = &answer["data"]["repository"]["pullRequest"]["reviewThreads"];
            let page: Page<ThreadNode> = read(READ_THREADS, page.clone())?;
            all.extend(page.nodes.into_iter().filter_map(ThreadNode::into_thread));
            match page.page_info.end_cursor {
                Some(cursor) if page.page_info.has_next_page => after = cursor.into(),
                _ => return Ok(all),
            }
        }
        Ok(all)
    }

    /// Tells whether a thread has an answer of ours with this mark.
    pub async fn is_answered_with(&self, answer: &ThreadReply<'_>) -> Result<bool> {
        Ok(has_reply(answer.thread, answer, self.myself().await?))
    }

    /// Answers a thread; after a doubt the threads are read again before it is written once more.
    pub async fn answer_thread(&self, answer: &ThreadReply<'_>) -> Result<()> {
        let Some(first) = answer.thread.comments.first() else { return Ok(()) };
        let (number, myself) = (answer.pull_request, self.myself().await?);
        let path = format!("/pulls/{number}/comments/{}/replies", first.id);
        let body = json!({ "body": truncate(answer.body.as_str(), LONGEST_BODY) });
        let look = || async {
            let threads = self.review_threads(number).await?;
            let mut same = threads.iter().filter(|thread| thread.id == answer.thread.id);
            let is_there = same.any(|thread| has_reply(thread, answer, myself));
            Ok(if is_there { Some(Value::Null) } else { None })
        };
        self.client.create(&self.client.post("answer a review thread", &path, body), look).await.map(drop)
    }

    /// Resolves a thread; one that is resolved stays so.
    pub async fn resolve_thread(&self, id: &str) -> Result<()> {
        let mutation = include_str!("queries/resolve_thread.graphql");
        self.graphql("resolve a review thread", mutation, &json!({ "id": id })).await.map(drop)
    }

    /// Asks GraphQL something that can be asked twice.
    async fn graphql(&self, action: &'static str, query: &str, variables: &Value) -> Result<Value> {
        let answer = self.client.graphql(action, json!({ "query": query, "variables": variables })).await?;
        let needs = if action == READ_THREADS { "pull_requests=read" } else { MUTATION_PERMISSIONS };
        refuse_graphql_error(action, needs, &answer)?;
        Ok(answer)
    }
}

fn has_reply(thread: &ReviewThread, answer: &ThreadReply<'_>, myself: Option<&str>) -> bool {
    let whole = truncate(answer.body.as_str(), LONGEST_BODY);
    let is_it = |reply: &ReviewComment| is_ours(myself, (&reply.author, &reply.body), answer.marker, &whole);
    thread.comments.iter().any(is_it)
}

impl ThreadNode {
    /// Returns the thread; nothing when all its comments are hidden from us.
    fn into_thread(self) -> Option<ReviewThread> {
        let comments: Vec<ReviewComment> =
            self.comments.nodes.into_iter().filter_map(ThreadCommentNode::into_comment).collect();
        if comments.is_empty() {
            return None;
        }
        Some(ReviewThread {
            id: self.id,
            path: self.path,
            line: if self.is_outdated { None } else { self.line },
            is_resolved: self.is_resolved,
            comments,
            is_cut: self.comments.page_info.has_next_page,
        })
    }
}

impl ThreadCommentNode {
    /// Returns the comment. GraphQL names a bot without the ending `[bot]`, which is added.
    fn into_comment(self) -> Option<ReviewComment> {
        let named = |author: Author| {
            let ending = if author.kind == "Bot" && !author.login.ends_with(BOT) { BOT } else { "" };
            author.login + ending
        };
        let author = self.author.map(named).unwrap_or_default();
        Some(ReviewComment { id: self.database_id?, author, body: self.body })
    }
}
