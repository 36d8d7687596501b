//! One request to GitHub until it is done: asks, waits where GitHub asks for it, and looks before it writes again. Lists are
//! read page by page; the addresses that GitHub links to are not followed, so the token goes to one server.
//! octocrab carries the bytes; its own retries would write twice.

use std::fmt;
use std::net::IpAddr;

use http::{HeaderMap, Method};
use http_body_util::{BodyExt, Limited};
use jiff::Timestamp;
use octocrab::Octocrab;
use serde_json::Value;
use tokio::sync::OnceCell;
use tracing::warn;

use super::retry::{Reply, RequestFailure, RetryPolicy};
use crate::ForgeError;

/// The public GitHub.
pub const PUBLIC_API: &str = "https://api.github.com";

/// What stands for itself in a login. GitHub allows letters, digits and hyphens; a program's ends with `[bot]`.
pub(super) const LOGIN: &str = "-_";
/// What stands for itself in the name of a label.
pub(super) const LABEL: &str = "-_.~";
/// What stands for itself in the name of a branch; git allows `&`, `#` and `+` in it.
pub(super) const BRANCH: &str = "-._~/";

/// Where a repository is and what lets us in.
#[derive(Clone)]
pub struct Access {
    /// The address of the REST interface, without a slash at its end: `GITHUB_API_URL`.
    pub(super) api: String,
    pub(super) owner: String,
    pub(super) name: String,
    token: String,
    /// Nothing may be written here, whatever the token could do.
    pub(super) reads_only: bool,
}

impl fmt::Debug for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Access({}/{} at {})", self.owner, self.name, self.api)
    }
}

impl Access {
    /// Takes an address, `owner/name` and a token. A token travels over https only, or to this machine.
    pub fn new(api: &str, repository: &str, token: &str) -> Result<Self, ForgeError> {
        let bad = |why: &str| ForgeError::Access { why: why.to_owned() };
        let api = api.trim_end_matches('/');
        if !is_safe(api) {
            return Err(bad(&format!("`{api}` is no https address of a GitHub")));
        }
        let plain = |part: &str| {
            let good = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
            !part.is_empty() && part.chars().all(good) && part != "." && part != ".."
        };
        let parts = repository.split_once('/').filter(|(owner, name)| plain(owner) && plain(name));
        let (owner, name) =
            parts.ok_or_else(|| bad(&format!("`{repository}` is no repository: write owner/name")))?;
        let token = token.trim();
        if token.is_empty() || !token.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(bad("there is no token in GITHUB_TOKEN or GH_TOKEN"));
        }
        Ok(Self {
            api: api.into(),
            owner: owner.into(),
            name: name.into(),
            token: token.into(),
            reads_only: false,
        })
    }

    /// Returns the same access for reading alone.
    #[must_use]
    pub fn for_reading(self) -> Self {
        Self { reads_only: true, ..self }
    }

    pub(super) fn token(&self) -> &str {
        &self.token
    }

    /// Returns the path of something in the repository.
    pub(super) fn path(&self, rest: &str) -> String {
        format!("/repos/{}/{}{rest}", self.owner, self.name)
    }

    /// Returns the address of GraphQL beside the REST interface: an enterprise server has it outside `/api/v3`.
    pub(super) fn graphql(&self) -> (&str, &'static str) {
        match self.api.strip_suffix("/v3") {
            Some(above) => (above, "/graphql"),
            None => (&self.api, "/graphql"),
        }
    }
}

/// Writes a name into an address; besides letters and digits only what is named in `plain` stands for itself.
pub(super) fn escaped(name: &str, plain: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || plain.as_bytes().contains(&byte);
    let one = |byte: u8| if is_plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    name.bytes().map(one).collect()
}

fn is_safe(address: &str) -> bool {
    let Some((scheme, rest)) = address.split_once("://") else { return false };
    let authority = rest.split('/').next().unwrap_or_default();
    let plain = !authority.is_empty() && !rest.contains(['@', '?', '#', '\\', ' ']);
    plain && (scheme == "https" || (scheme == "http" && is_here(authority)))
}

fn is_here(authority: &str) -> bool {
    let host = authority.rsplit_once(':').map_or(authority, |(host, _)| host);
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// The largest answer we read, in bytes.
const LARGEST_ANSWER: usize = 20 << 20;
/// The shortest wait that is worth a line, in seconds.
const LOGGED_FROM: u64 = 3;

/// The connection to one GitHub.
pub(super) struct Client {
    pub access: Access,
    pub retry: RetryPolicy,
    /// Made at the first use: it belongs to the runtime that drives it.
    rest: OnceCell<Octocrab>,
    /// Only where GraphQL has another address: a client reads every root certificate of the machine.
    graphql: OnceCell<Octocrab>,
}

/// What is asked for.
pub(super) struct Request<'a> {
    /// In the words of a person, after "cannot".
    pub action: &'static str,
    pub method: Method,
    pub path: String,
    pub body: Option<&'a Value>,
}

impl Client {
    pub fn new(access: Access, retry: RetryPolicy) -> Self {
        Self { access, retry, rest: OnceCell::new(), graphql: OnceCell::new() }
    }

    /// Asks for something that can be asked twice: a reading, or a change to a state that is given whole.
    pub async fn repeat(&self, request: &Request<'_>) -> Result<Value, ForgeError> {
        self.refuse_write(request)?;
        let mut tried = 0;
        loop {
            tried += 1;
            match self.try_once(request).await {
                Ok(value) => return Ok(value),
                Err(failure) => self.pause(request, failure, tried).await?,
            }
        }
    }

    /// Reads something of the repository.
    pub async fn get(&self, action: &'static str, rest: &str) -> Result<Value, ForgeError> {
        let path = self.access.path(rest);
        self.repeat(&Request { action, method: Method::GET, path, body: None }).await
    }

    /// Makes something that must not be there twice: after a doubt `look` is asked whether it is there by now.
    pub async fn create<F>(&self, request: &Request<'_>, look: impl Fn() -> F) -> Result<Value, ForgeError>
    where
        F: Future<Output = Result<Option<Value>, ForgeError>>,
    {
        self.refuse_write(request)?;
        let mut tried = 0;
        loop {
            tried += 1;
            let failure = match self.try_once(request).await {
                Ok(value) => return Ok(value),
                Err(failure) => failure,
            };
            let in_doubt = matches!(failure, RequestFailure::Lost { .. });
            let waited = self.pause(request, failure, tried).await;
            if in_doubt && let Some(found) = look().await? {
                return Ok(found);
            }
            waited?;
        }
    }

    /// Asks GraphQL, which answers questions only here.
    pub async fn query(&self, action: &'static str, query: &str) -> Result<Value, ForgeError> {
        let body = serde_json::json!({ "query": query });
        let (_, path) = self.access.graphql();
        let request = Request { action, method: Method::POST, path: path.to_owned(), body: Some(&body) };
        self.repeat(&request).await
    }

    /// A client for reading lets nothing pass that changes GitHub. GraphQL is asked by POST and changes things by mutations.
    fn refuse_write(&self, request: &Request<'_>) -> Result<(), ForgeError> {
        let (_, graphql) = self.access.graphql();
        let text = request.body.and_then(|body| body["query"].as_str()).unwrap_or_default();
        let is_question = request.path == graphql && text.trim_start().starts_with("query");
        let reads = request.method == Method::GET || is_question;
        if self.access.reads_only && !reads {
            return Err(ForgeError::ReadsOnly { action: request.action });
        }
        Ok(())
    }

    /// Waits before the next try, or says why there is none.
    async fn pause(
        &self,
        request: &Request<'_>,
        failure: RequestFailure,
        tried: u32,
    ) -> Result<(), ForgeError> {
        let Some(wait) = self.retry.delay_before_retry(&failure, tried) else {
            return Err(self.failure(request, failure));
        };
        if let RequestFailure::Wait { seconds } | RequestFailure::Lost { seconds: Some(seconds), .. } =
            failure
            && seconds >= LOGGED_FROM
        {
            warn!("GitHub asks to wait {seconds} s before we {}", request.action);
        }
        tokio::time::sleep(wait).await;
        Ok(())
    }

    async fn try_once(&self, request: &Request<'_>) -> Result<Value, RequestFailure> {
        let exchange = self.exchange(request);
        match tokio::time::timeout(self.retry.request, exchange).await {
            Ok(Ok(reply)) => reply.into_result(),
            Ok(Err(why)) => Err(RequestFailure::lost(why)),
            Err(_) => {
                Err(RequestFailure::lost(format!("no answer within {} s", self.retry.request.as_secs())))
            }
        }
    }

    async fn exchange(&self, request: &Request<'_>) -> Result<Reply, String> {
        let client = self.client(request).await.map_err(|error| root_cause(&error))?;
        let builder = http::Request::builder().method(request.method.clone()).uri(&request.path);
        let request = client.build_request(builder, request.body).map_err(|error| root_cause(&error))?;
        let answer = client.execute(request).await.map_err(|error| root_cause(&error))?;
        let (head, body) = answer.into_parts();
        let body = Limited::new(body, LARGEST_ANSWER).collect().await.map_err(|error| error.to_string())?;
        let body = serde_json::from_slice(&body.to_bytes()).ok();
        Ok(Reply { body, ..reply(head.status.as_u16(), &head.headers) })
    }

    async fn client(&self, request: &Request<'_>) -> octocrab::Result<&Octocrab> {
        let (base, graphql) = self.access.graphql();
        let elsewhere = request.path == graphql && base != self.access.api;
        let (cell, base) =
            if elsewhere { (&self.graphql, base) } else { (&self.rest, self.access.api.as_str()) };
        cell.get_or_try_init(|| async {
            let builder = Octocrab::builder().base_uri(base)?;
            builder.user_access_token(self.access.token().to_owned()).build()
        })
        .await
    }

    fn failure(&self, request: &Request<'_>, failure: RequestFailure) -> ForgeError {
        let action = request.action;
        match failure {
            RequestFailure::Wait { seconds } => {
                // People read it: a whole second, never one too early.
                let end = Timestamp::now().as_second().saturating_add_unsigned(seconds).saturating_add(1);
                let until = Timestamp::from_second(end).unwrap_or(Timestamp::MAX);
                ForgeError::Limited { action, until }
            }
            RequestFailure::Lost { why, .. } => {
                ForgeError::Unreachable { action, server: self.access.api.clone(), why }
            }
            RequestFailure::Refused { status: 401, .. } => {
                ForgeError::Token { server: self.access.api.clone() }
            }
            RequestFailure::Refused { status, message, needs } => {
                ForgeError::Refused { action, status, message, needs: needs.unwrap_or_default() }
            }
        }
    }
}

/// The rights that our mutations need: without the first GitHub lets nobody resolve a thread or end a draft.
pub(super) const MUTATION_PERMISSIONS: &str = "contents=write, pull_requests=write";

/// Returns an error when GraphQL refused, which it does with status 200. Which permission was missing it does not say: the
/// caller knows.
pub(super) fn refuse_graphql_error(
    action: &'static str,
    needs: &str,
    answer: &Value,
) -> Result<(), ForgeError> {
    let error = &answer["errors"][0];
    let Some(message) = error["message"].as_str() else { return Ok(()) };
    let message = message.chars().take(300).collect();
    let needs = if error["type"] == "FORBIDDEN" { needs.to_owned() } else { String::new() };
    Err(ForgeError::Refused { action, status: 200, message, needs })
}

/// The words of an error and of what caused it; the text of octocrab alone says only its kind.
fn root_cause(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(error.source(), |error| error.source());
    let mut words: Vec<String> =
        std::iter::once(error.to_string()).chain(causes.map(ToString::to_string)).collect();
    words.dedup();
    words.pop().unwrap_or_default()
}

fn reply(status: u16, headers: &HeaderMap) -> Reply {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let number = |name: &str| text(name).and_then(|text| text.trim().parse::<u64>().ok());
    let now = u64::try_from(Timestamp::now().as_second()).unwrap_or(0);
    Reply {
        status,
        retry_after: number("retry-after"),
        remaining: number("x-ratelimit-remaining"),
        resets_in: number("x-ratelimit-reset").map(|at| at.saturating_sub(now)),
        needs: text("x-accepted-github-permissions").map(str::to_owned),
        body: None,
    }
}

/// The most that GitHub gives on one page.
const PER_PAGE: usize = 100;
/// More pages than this are not read: 10,000 entries.
const MOST_PAGES_OF_ALL: usize = 100;

/// A list that stands on pages.
pub(super) struct List<'a> {
    /// In the words of a person, after "cannot".
    pub action: &'static str,
    pub path: &'a str,
    /// Empty, or it ends with `&`.
    pub query: &'a str,
    /// Where the entries stand in the answer; nothing when they are all of it.
    pub key: Option<&'a str>,
}

impl Client {
    /// Returns every entry of a list; `query` is empty or ends with `&`.
    pub(super) async fn all(
        &self,
        action: &'static str,
        path: &str,
        query: &str,
    ) -> Result<Vec<Value>, ForgeError> {
        let mut all = Vec::new();
        let list = List { action, path, query, key: None };
        let more = |entries| {
            all.extend(entries);
            Ok(true)
        };
        self.pages(&list, MOST_PAGES_OF_ALL, more).await?;
        Ok(all)
    }

    /// Hands over page after page until there is none left or `take` wants no more; tells whether the last one was reached.
    pub(super) async fn pages(
        &self,
        list: &List<'_>,
        most: usize,
        mut take: impl FnMut(Vec<Value>) -> Result<bool, ForgeError>,
    ) -> Result<bool, ForgeError> {
        let List { action, path, query, key } = list;
        for page in 1..=most {
            let rest = format!("{path}?{query}per_page={PER_PAGE}&page={page}");
            let mut answer = self.get(action, &rest).await?;
            let found = match key {
                None => answer,
                Some(key) => answer.get_mut(*key).map(Value::take).unwrap_or_default(),
            };
            let Value::Array(entries) = found else {
                return Err(ForgeError::Unexpected { action, why: "it is no list".into() });
            };
            let is_last = entries.len() < PER_PAGE;
            let goes_on = take(entries)?;
            if is_last || !goes_on {
                return Ok(is_last);
            }
        }
        Ok(false)
    }
}

/// Reads the part of an answer that we use.
pub(super) fn read<T: serde::de::DeserializeOwned>(
    action: &'static str,
    value: Value,
) -> Result<T, ForgeError> {
    serde_json::from_value(value).map_err(|error| ForgeError::Unexpected { action, why: error.to_string() })
}

#[cfg(test)]
mod tests;
