//! Threads of reviews on the lines of a pull request: read whole, answered once, resolved. Only GraphQL tells whether a
//! thread is resolved. Does not decide what a thread asks for, or who may ask.

use http::Method;
use serde::Deserialize;
use serde_json::{Value, json};

use super::GithubForge;
use super::client::{MUTATION_PERMISSIONS, Request, read, refuse_graphql_error};
use super::issues::{BOT, same_account};
use super::managed_section::{LONGEST_BODY, truncated};
use crate::ForgeError;
use model::redact::Masked;

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
