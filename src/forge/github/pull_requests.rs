//! Pull requests: the draft of a head branch, its reviewers, and its end as a draft. A pull request is found by its head
//! and never opened twice. What people wrote into it stays, and one that a person closed stays closed. Threads of reviews are
//! read whole, answered once, and resolved; who may ask for something in them is not decided here.

use http::Method;
use serde::Deserialize;
use serde_json::{Value, json};

use super::GithubForge;
use super::client::{BRANCH, MUTATION_PERMISSIONS, Request, escaped, read, refuse_graphql_error};
use super::issues::{BOT, User, same_account};
use super::managed_section::{LONGEST_BODY, replaced_in, truncated, wrapped};
use crate::{ForgeError, Owner, PullRequest, PullRequestRef};
use model::issue::IssueNumber;
use model::redact::Masked;

const FIND_PULL_REQUEST: &str = "find the pull request";
const OPEN_PULL_REQUEST: &str = "open the pull request";
const UPDATE_PULL_REQUEST: &str = "update the pull request";
const READ_PULL_REQUEST: &str = "read the pull request";

/// What we use of a pull request.
#[derive(Deserialize)]
struct PullRequestAnswer {
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
pub struct PullRequestState {
    /// Its number.
    pub number: u64,
    /// The name of its branch.
    pub head: String,
    /// The branch is one of this very repository.
    pub is_own: bool,
    /// Where the branch stands.
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
    async fn open_pull_request_of(&self, head: &str) -> Result<Option<PullRequestAnswer>, ForgeError> {
        Ok(self.pull_requests_of(head, "open").await?.into_iter().next())
    }

    /// Returns the pull requests of a branch of this very repository, the newest first.
    async fn pull_requests_of(&self, head: &str, state: &str) -> Result<Vec<PullRequestAnswer>, ForgeError> {
        let owner = &self.client.access.owner;
        let query = format!("state={state}&head={owner}:{}&", escaped(head, BRANCH));
        let listed = self.client.all(FIND_PULL_REQUEST, "/pulls", &query).await?;
        let answer: Result<Vec<PullRequestAnswer>, _> =
            listed.into_iter().map(|value| read(FIND_PULL_REQUEST, value)).collect();
        let is_ours = |answer: &PullRequestAnswer| answer.head.branch == head && self.is_own(&answer.head);
        Ok(answer?.into_iter().filter(is_ours).collect())
    }

    /// A fork may have a branch of the same name.
    fn is_own(&self, head: &Head) -> bool {
        let of = head.repo.as_ref().map(|repo| repo.full_name.as_str());
        of.is_some_and(|name| name.eq_ignore_ascii_case(&self.repository()))
    }

    /// Returns a pull request as it stands now; nothing when there is none of that number.
    pub async fn pull_request(&self, number: u64) -> Result<Option<PullRequestState>, ForgeError> {
        let answer: PullRequestAnswer =
            match self.client.get(READ_PULL_REQUEST, &format!("/pulls/{number}")).await {
                Ok(value) => read(READ_PULL_REQUEST, value)?,
                Err(error) if error.is_missing() => return Ok(None),
                Err(error) => return Err(error),
            };
        Ok(Some(PullRequestState {
            number,
            is_own: self.is_own(&answer.head),
            is_open: answer.is_open(),
            head: answer.head.branch,
            commit: answer.head.sha,
            author: answer.user.map(|user| user.login).unwrap_or_default(),
        }))
    }

    /// Returns the branch that a pull request brings in, if it is a branch of this very repository.
    pub async fn own_head(&self, number: IssueNumber) -> Result<Option<String>, ForgeError> {
        let answer: PullRequestAnswer =
            read(FIND_PULL_REQUEST, self.client.get(FIND_PULL_REQUEST, &format!("/pulls/{number}")).await?)?;
        if self.is_own(&answer.head) { Ok(Some(answer.head.branch)) } else { Ok(None) }
    }

    async fn update_pull_request(
        &self,
        answer: PullRequestAnswer,
        request: &PullRequest,
    ) -> Result<PullRequestRef, ForgeError> {
        let before = answer.body.unwrap_or_default();
        let after = replaced_in(&before, request.body.as_str());
        if after != before {
            let path = self.client.access.path(&format!("/pulls/{}", answer.number));
            let body = json!({ "body": after });
            self.client
                .repeat(&Request {
                    action: UPDATE_PULL_REQUEST,
                    method: Method::PATCH,
                    path,
                    body: Some(&body),
                })
                .await?;
        }
        Ok(PullRequestRef { number: Some(answer.number), url: answer.html_url, is_closed: false })
    }

    async fn open_pull_request(&self, request: &PullRequest) -> Result<PullRequestRef, ForgeError> {
        match self.post_pull_request(request, request.draft).await {
            Err(error) if error.says("draft pull requests are not supported") => {
                tracing::warn!("This repository has no drafts: the pull request is opened ready for review");
                self.post_pull_request(request, false).await
            }
            // Somebody, or an earlier try of ours, was faster.
            Err(error) if error.says("already exists") => {
                match self.open_pull_request_of(&request.head).await? {
                    Some(answer) => self.update_pull_request(answer, request).await,
                    None => Err(error),
                }
            }
            opened => opened,
        }
    }

    async fn post_pull_request(
        &self,
        request: &PullRequest,
        draft: bool,
    ) -> Result<PullRequestRef, ForgeError> {
        let body = json!({
            "title": request.title.as_str(), "head": request.head, "base": request.base,
            "draft": draft, "body": wrapped(request.body.as_str()),
        });
        let path = self.client.access.path("/pulls");
        let look = || async {
            let found = self.open_pull_request_of(&request.head).await?;
            Ok(found.map(|answer| json!({ "number": answer.number, "html_url": answer.html_url })))
        };
        let request = Request { action: OPEN_PULL_REQUEST, method: Method::POST, path, body: Some(&body) };
        let made: Value = self.client.create(&request, look).await?;
        let url = made["html_url"].as_str().unwrap_or_default().to_owned();
        Ok(PullRequestRef { number: made["number"].as_u64(), url, is_closed: false })
    }
}

const MARK_READY: &str = "mark the pull request ready for review";
const READY_MUTATION: &str = "mutation($id: ID!) { markPullRequestReadyForReview(input: { pullRequestId: $id }) \
                        { pullRequest { isDraft } } }";

#[derive(Deserialize)]
struct DraftState {
    node_id: String,
    draft: Option<bool>,
}

impl GithubForge {
    /// Marks a pull request ready for review.
    pub async fn mark_ready(&self, number: u64) -> Result<(), ForgeError> {
        let state = self.draft_state(number).await?;
        if state.draft == Some(false) {
            return Ok(());
        }
        let body = json!({ "query": READY_MUTATION, "variables": { "id": state.node_id } });
        let (_, path) = self.client.access.graphql();
        let request =
            Request { action: MARK_READY, method: Method::POST, path: path.to_owned(), body: Some(&body) };
        let look = || async {
            let ready = self.draft_state(number).await?.draft == Some(false);
            Ok(ready.then(|| json!({ "data": {} })))
        };
        refuse_graphql_error(MARK_READY, MUTATION_PERMISSIONS, &self.client.create(&request, look).await?)
    }

    async fn draft_state(&self, number: u64) -> Result<DraftState, ForgeError> {
        read(MARK_READY, self.client.get(MARK_READY, &format!("/pulls/{number}")).await?)
    }
}

const ASK_FOR_REVIEW: &str = "ask for a review";
/// GitHub takes no more at once.
const MOST_REVIEWERS: usize = 15;

impl GithubForge {
    /// Asks owners to review and returns those who could be asked. The author of the pull request is not asked, and
    /// teams only of the organisation that the repository is in.
    pub async fn ask_for_review(
        &self,
        pull_request: u64,
        owners: impl IntoIterator<Item = Owner>,
    ) -> Result<Vec<String>, ForgeError> {
        let Some(request) = self.pull_request(pull_request).await? else { return Ok(Vec::new()) };
        let can_be_asked = |owner: &Owner| match owner {
            Owner::Person(login) => !same_account(&request.author, login),
            Owner::Team { organisation, .. } => organisation.eq_ignore_ascii_case(&self.client.access.owner),
        };
        let owners: Vec<Owner> = owners.into_iter().filter(can_be_asked).take(MOST_REVIEWERS).collect();
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

    async fn request_one_by_one(&self, number: u64, owners: &[Owner]) -> Result<Vec<String>, ForgeError> {
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

    async fn request_reviewers(&self, number: u64, owners: &[Owner]) -> Result<(), ForgeError> {
        let people = owners.iter().filter_map(|owner| match owner {
            Owner::Person(login) => Some(login.as_str()),
            Owner::Team { .. } => None,
        });
        let teams = owners.iter().filter_map(|owner| match owner {
            Owner::Team { name, .. } => Some(name.as_str()),
            Owner::Person(_) => None,
        });
        let mut body = json!({});
        for (key, names) in [("reviewers", people.collect::<Vec<_>>()), ("team_reviewers", teams.collect())] {
            if !names.is_empty() {
                body[key] = Value::from(names);
            }
        }
        let path = self.client.access.path(&format!("/pulls/{number}/requested_reviewers"));
        let request = Request { action: ASK_FOR_REVIEW, method: Method::POST, path, body: Some(&body) };
        self.client.repeat(&request).await.map(drop)
    }
}

const READ_THREADS: &str = "read the review threads";
const ANSWER_THREAD: &str = "answer a review thread";
const RESOLVE_THREAD: &str = "resolve a review thread";
/// More pages than this are not read: 5,000 threads.
const MOST_THREAD_PAGES: usize = 100;

const THREADS_QUERY: &str = "query($owner: String!, $name: String!, $number: Int!, $after: String) { \
     repository(owner: $owner, name: $name) { pullRequest(number: $number) { \
     reviewThreads(first: 50, after: $after) { pageInfo { hasNextPage endCursor } \
     nodes { id isResolved isOutdated path line comments(first: 100) { pageInfo { hasNextPage } \
     nodes { databaseId body author { __typename login } } } } } } } }";
const RESOLVE_MUTATION: &str =
    "mutation($id: ID!) { resolveReviewThread(input: { threadId: $id }) { thread { isResolved } } }";

/// A thread of review comments on a place in the changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewThread {
    /// Its id in GraphQL.
    pub id: String,
    /// The file that it is about.
    pub path: String,
    /// Where it is in the head now; nothing for a whole file, and where the place is gone.
    pub line: Option<u64>,
    /// Whether somebody resolved it.
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
struct ThreadPage {
    page_info: PageInfo,
    nodes: Vec<ThreadNode>,
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
    comments: ThreadComments,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ThreadComments {
    page_info: PageInfo,
    nodes: Vec<ThreadCommentNode>,
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
    pub async fn review_threads(&self, pull_request: u64) -> Result<Vec<ReviewThread>, ForgeError> {
        let access = &self.client.access;
        let (mut all, mut after) = (Vec::new(), Value::Null);
        for _ in 0..MOST_THREAD_PAGES {
            let variables = json!({
                "owner": access.owner, "name": access.name, "number": pull_request, "after": after,
            });
            let answer = self.graphql(READ_THREADS, THREADS_QUERY, &variables).await?;
            let page = &answer["data"]["repository"]["pullRequest"]["reviewThreads"];
            let page: ThreadPage = read(READ_THREADS, page.clone())?;
            all.extend(page.nodes.into_iter().filter_map(ThreadNode::into_thread));
            match page.page_info.end_cursor {
                Some(cursor) if page.page_info.has_next_page => after = cursor.into(),
                _ => return Ok(all),
            }
        }
        Ok(all)
    }

    /// Tells whether a thread has an answer of ours with this mark.
    pub async fn is_answered_with(&self, answer: &ThreadReply<'_>) -> Result<bool, ForgeError> {
        let myself = self.myself().await?;
        Ok(answer.thread.comments.iter().any(|comment| is_own_reply(comment, answer, myself)))
    }

    /// Answers a thread; after a doubt the threads are read again before it is written once more.
    pub async fn answer_thread(&self, answer: &ThreadReply<'_>) -> Result<(), ForgeError> {
        let Some(first) = answer.thread.comments.first() else { return Ok(()) };
        let (number, myself) = (answer.pull_request, self.myself().await?);
        let path = self.client.access.path(&format!("/pulls/{number}/comments/{}/replies", first.id));
        let body = json!({ "body": truncated(answer.body.as_str(), LONGEST_BODY) });
        let look = || async {
            let threads = self.review_threads(number).await?;
            let mut said = threads.iter().filter(|thread| thread.id == answer.thread.id);
            let there = said
                .any(|thread| thread.comments.iter().any(|comment| is_own_reply(comment, answer, myself)));
            Ok(there.then(|| json!({})))
        };
        let request = Request { action: ANSWER_THREAD, method: Method::POST, path, body: Some(&body) };
        self.client.create(&request, look).await.map(drop)
    }

    /// Resolves a thread; one that is resolved stays so.
    pub async fn resolve_thread(&self, id: &str) -> Result<(), ForgeError> {
        self.graphql(RESOLVE_THREAD, RESOLVE_MUTATION, &json!({ "id": id })).await.map(drop)
    }

    /// Asks GraphQL something that can be asked twice.
    async fn graphql(
        &self,
        action: &'static str,
        query: &str,
        variables: &Value,
    ) -> Result<Value, ForgeError> {
        let body = json!({ "query": query, "variables": variables });
        let (_, path) = self.client.access.graphql();
        let request = Request { action, method: Method::POST, path: path.to_owned(), body: Some(&body) };
        let answer = self.client.repeat(&request).await?;
        let needs = if action == READ_THREADS { "pull_requests=read" } else { MUTATION_PERMISSIONS };
        refuse_graphql_error(action, needs, &answer)?;
        Ok(answer)
    }
}

/// Where GitHub does not say who we are, only the very text is ours.
fn is_own_reply(comment: &ReviewComment, answer: &ThreadReply<'_>, myself: Option<&str>) -> bool {
    match myself {
        Some(login) => comment.body.contains(answer.marker) && same_account(&comment.author, login),
        None => comment.body == truncated(answer.body.as_str(), LONGEST_BODY),
    }
}

impl ThreadNode {
    /// A thread whose comments are all hidden from us says nothing.
    fn into_thread(self) -> Option<ReviewThread> {
        let comments: Vec<ReviewComment> =
            self.comments.nodes.into_iter().filter_map(ThreadCommentNode::into_thread).collect();
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
    /// GraphQL calls a bot by its name without the ending that tells it from a person.
    fn into_thread(self) -> Option<ReviewComment> {
        let named = |author: Author| {
            let ending = if author.kind == "Bot" && !author.login.ends_with(BOT) { BOT } else { "" };
            author.login + ending
        };
        let author = self.author.map(named).unwrap_or_default();
        Some(ReviewComment { id: self.database_id?, author, body: self.body })
    }
}
