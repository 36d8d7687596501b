//! Threads of reviews on the lines of a pull request: read whole, answered once, resolved. Only GraphQL tells whether a
//! thread is resolved. Does not decide what a thread asks for, or who may ask.

use http::Method;
use serde::Deserialize;
use serde_json::{Value, json};

use super::super::ForgeError;
use super::GithubForge;
use super::comment::{BOT, same_account};
use super::fitting::{LONGEST, fitted};
use super::pages::read;
use super::talk::{Ask, MUTATES, refused};
use model::redact::Masked;

const READ: &str = "read the review threads";
const ANSWER: &str = "answer a review thread";
const RESOLVE: &str = "resolve a review thread";
/// More pages than this are not read: 5,000 threads.
const MOST_PAGES: usize = 100;

const THREADS: &str = "query($owner: String!, $name: String!, $number: Int!, $after: String) { \
     repository(owner: $owner, name: $name) { pullRequest(number: $number) { \
     reviewThreads(first: 50, after: $after) { pageInfo { hasNextPage endCursor } \
     nodes { id isResolved isOutdated path line comments(first: 100) { pageInfo { hasNextPage } \
     nodes { databaseId body author { __typename login } } } } } } } }";
const RESOLVING: &str =
    "mutation($id: ID!) { resolveReviewThread(input: { threadId: $id }) { thread { isResolved } } }";

/// A thread of review comments on a place in the changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewThread {
    pub id: String,
    pub path: String,
    /// Where it is in the head now; nothing for a whole file, and where the place is gone.
    pub line: Option<u64>,
    pub is_resolved: bool,
    /// Oldest first; never empty.
    pub comments: Vec<ReviewComment>,
    /// There are more comments than were read.
    pub is_cut: bool,
}

/// One comment of a thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewComment {
    pub id: u64,
    /// With the ending that names a bot; empty when the account is gone.
    pub author: String,
    pub body: String,
}

/// The one answer to a thread.
#[derive(Debug, Clone, Copy)]
pub struct ThreadAnswer<'a> {
    pub pull_request: u64,
    pub thread: &'a ReviewThread,
    /// A text inside the body by which it is found again.
    pub marker: &'a str,
    pub body: &'a Masked,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Page {
    page_info: PageInfo,
    nodes: Vec<Given>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PageInfo {
    has_next_page: bool,
    end_cursor: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Given {
    id: String,
    is_resolved: bool,
    is_outdated: bool,
    path: String,
    line: Option<u64>,
    comments: Comments,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Comments {
    page_info: PageInfo,
    nodes: Vec<Said>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Said {
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
        let access = &self.line.access;
        let (mut all, mut after) = (Vec::new(), Value::Null);
        for _ in 0..MOST_PAGES {
            let variables = json!({
                "owner": access.owner, "name": access.name, "number": pull_request, "after": after,
            });
            let answer = self.graphql(READ, THREADS, &variables).await?;
            let page = &answer["data"]["repository"]["pullRequest"]["reviewThreads"];
            let page: Page = read(READ, page.clone())?;
            all.extend(page.nodes.into_iter().filter_map(Given::whole));
            match page.page_info.end_cursor.filter(|_| page.page_info.has_next_page) {
                Some(cursor) => after = cursor.into(),
                None => return Ok(all),
            }
        }
        Ok(all)
    }

    /// Tells whether a thread has an answer of ours with this mark.
    pub async fn is_answered_with(&self, answer: &ThreadAnswer<'_>) -> Result<bool, ForgeError> {
        let myself = self.myself().await?;
        Ok(answer.thread.comments.iter().any(|comment| is_ours(comment, answer, myself)))
    }

    /// Answers a thread; after a doubt the threads are read again before it is written once more.
    pub async fn answer_thread(&self, answer: &ThreadAnswer<'_>) -> Result<(), ForgeError> {
        let Some(first) = answer.thread.comments.first() else { return Ok(()) };
        let (number, myself) = (answer.pull_request, self.myself().await?);
        let path = self.line.access.path(&format!("/pulls/{number}/comments/{}/replies", first.id));
        let body = json!({ "body": fitted(answer.body.as_str(), LONGEST) });
        let look = || async {
            let threads = self.review_threads(number).await?;
            let mut said = threads.iter().filter(|thread| thread.id == answer.thread.id);
            let there =
                said.any(|thread| thread.comments.iter().any(|comment| is_ours(comment, answer, myself)));
            Ok(there.then(|| json!({})))
        };
        let ask = Ask { action: ANSWER, method: Method::POST, path, body: Some(&body) };
        self.line.create(&ask, look).await.map(drop)
    }

    /// Resolves a thread; one that is resolved stays so.
    pub async fn resolve_thread(&self, id: &str) -> Result<(), ForgeError> {
        self.graphql(RESOLVE, RESOLVING, &json!({ "id": id })).await.map(drop)
    }

    /// Asks GraphQL something that can be asked twice.
    async fn graphql(
        &self,
        action: &'static str,
        query: &str,
        variables: &Value,
    ) -> Result<Value, ForgeError> {
        let body = json!({ "query": query, "variables": variables });
        let (_, path) = self.line.access.graphql();
        let ask = Ask { action, method: Method::POST, path: path.to_owned(), body: Some(&body) };
        let answer = self.line.repeat(&ask).await?;
        let needs = if action == READ { "pull_requests=read" } else { MUTATES };
        refused(action, needs, &answer)?;
        Ok(answer)
    }
}

/// Where GitHub does not say who we are, only the very text is ours.
fn is_ours(comment: &ReviewComment, answer: &ThreadAnswer<'_>, myself: Option<&str>) -> bool {
    match myself {
        Some(login) => comment.body.contains(answer.marker) && same_account(&comment.author, login),
        None => comment.body == fitted(answer.body.as_str(), LONGEST),
    }
}

impl Given {
    /// A thread whose comments are all hidden from us says nothing.
    fn whole(self) -> Option<ReviewThread> {
        let comments: Vec<ReviewComment> = self.comments.nodes.into_iter().filter_map(Said::whole).collect();
        (!comments.is_empty()).then_some(ReviewThread {
            id: self.id,
            path: self.path,
            line: self.line.filter(|_| !self.is_outdated),
            is_resolved: self.is_resolved,
            comments,
            is_cut: self.comments.page_info.has_next_page,
        })
    }
}

impl Said {
    /// GraphQL calls a bot by its name without the ending that tells it from a person.
    fn whole(self) -> Option<ReviewComment> {
        let named = |author: Author| {
            let ending = if author.kind == "Bot" && !author.login.ends_with(BOT) { BOT } else { "" };
            author.login + ending
        };
        let author = self.author.map(named).unwrap_or_default();
        Some(ReviewComment { id: self.database_id?, author, body: self.body })
    }
}
