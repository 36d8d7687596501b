//! One request to GitHub until it is done: asks, waits where GitHub asks for it, and looks before it writes again. Lists are
//! read page by page; the addresses that GitHub links to are not followed, so the token goes to one server.
//! octocrab carries the bytes; its own retries would write twice.

use std::fmt;
use std::net::IpAddr;

use http::{HeaderMap, Method};
use http_body_util::{BodyExt, Limited};
use jiff::Timestamp;
use octocrab::Octocrab;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::sync::OnceCell;
use tracing::warn;

use super::retry::{HttpReply, RequestFailure, RetryPolicy};
use crate::{ForgeError, Result};

/// The public GitHub.
pub const PUBLIC_API: &str = "https://api.github.com";

/// The characters of a login that are not escaped. GitHub allows letters, digits and hyphens; a program's ends with `[bot]`.
pub(super) const LOGIN: &str = "-_";
/// The characters of the name of a label that are not escaped.
pub(super) const LABEL: &str = "-_.~";
/// The characters of the name of a branch that are not escaped; git allows `&`, `#` and `+` in it.
pub(super) const BRANCH: &str = "-._~/";

/// The address of a repository and the token for it.
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
    pub fn new(api: &str, repository: &str, token: &str) -> Result<Self> {
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
        let (owner, name) = (owner.to_owned(), name.to_owned());
        Ok(Self { api: api.to_owned(), owner, name, token: token.to_owned(), reads_only: false })
    }

    /// Returns the same access for reading alone.
    #[must_use]
    pub fn for_reading(self) -> Self {
        Self { reads_only: true, ..self }
    }

    /// Returns the path of something in the repository.
    pub(super) fn path(&self, rest: &str) -> String {
        format!("/repos/{}/{}{rest}", self.owner, self.name)
    }

    /// Returns the address that GraphQL is below: an enterprise server has it outside `/api/v3`.
    fn graphql_base(&self) -> &str {
        self.api.strip_suffix("/v3").unwrap_or(&self.api)
    }
}

/// Writes a name into an address; escapes all but letters, digits and the characters in `plain`.
pub(super) fn escape_name(name: &str, plain: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || plain.as_bytes().contains(&byte);
    let one = |byte: u8| if is_plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    name.bytes().map(one).collect()
}

fn is_safe(address: &str) -> bool {
    let Some((scheme, rest)) = address.split_once("://") else { return false };
    let authority = rest.split('/').next().unwrap_or_default();
    let plain = !authority.is_empty() && !rest.contains(['@', '?', '#', '\\', ' ']);
    plain && (scheme == "https" || (scheme == "http" && is_local(authority)))
}

fn is_local(authority: &str) -> bool {
    let host = authority.rsplit_once(':').map_or(authority, |(host, _)| host);
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Where GraphQL is asked, below its base.
const GRAPHQL: &str = "/graphql";
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
pub(super) struct Request {
    /// In the words of a person, after "cannot".
    action: &'static str,
    method: Method,
    path: String,
    /// Null where nothing is sent.
    body: Value,
}

impl Request {
    /// Returns the request that asks GraphQL.
    pub fn graphql(action: &'static str, body: Value) -> Self {
        Self { action, method: Method::POST, path: GRAPHQL.to_owned(), body }
    }
}

impl Client {
    pub fn new(access: Access, retry: RetryPolicy) -> Self {
        Self { access, retry, rest: OnceCell::new(), graphql: OnceCell::new() }
    }

    /// Reads the answer of a path of the server.
    pub(super) async fn get_path<T: DeserializeOwned>(
        &self,
        action: &'static str,
        path: String,
    ) -> Result<T> {
        self.send_repeatable(&Request { action, method: Method::GET, path, body: Value::Null }).await
    }

    /// Reads something of the repository.
    pub async fn get<T: DeserializeOwned>(&self, action: &'static str, rest: &str) -> Result<T> {
        self.get_path(action, self.access.path(rest)).await
    }

    /// Reads something of the repository; nothing where it is not there, or not for us to see.
    pub async fn find<T: DeserializeOwned>(&self, action: &'static str, rest: &str) -> Result<Option<T>> {
        match self.get(action, rest).await {
            Err(error) if error.is_missing() => Ok(None),
            found => found.map(Some),
        }
    }

    /// Changes something of the repository to a state that is given whole.
    pub async fn change(&self, action: &'static str, method: Method, rest: &str, body: Value) -> Result<()> {
        let path = self.access.path(rest);
        self.send_repeatable::<Value>(&Request { action, method, path, body }).await.map(drop)
    }

    /// Asks GraphQL something that can be asked twice.
    pub async fn graphql(&self, action: &'static str, body: Value) -> Result<Value> {
        self.send_repeatable(&Request::graphql(action, body)).await
    }

    /// Asks for something that can be asked twice.
    async fn send_repeatable<T: DeserializeOwned>(&self, request: &Request) -> Result<T> {
        self.create(request, || async { Ok(None) }).await
    }

    /// Returns the request that makes something of the repository.
    pub fn post(&self, action: &'static str, rest: &str, body: Value) -> Request {
        Request { action, method: Method::POST, path: self.access.path(rest), body }
    }

    /// Makes something that must not be there twice: after a doubt `look` is asked whether it is there by now.
    pub async fn create<T: DeserializeOwned, F>(&self, request: &Request, look: impl Fn() -> F) -> Result<T>
    where
        F: Future<Output = Result<Option<T>>>,
    {
        self.refuse_write(request)?;
        let mut tried = 0;
        loop {
            tried += 1;
            let failure = match self.try_once(request).await {
                Ok(value) => return read(request.action, value),
                Err(failure) => failure,
            };
            let in_doubt = matches!(failure, RequestFailure::Lost { .. });
            let waited = self.wait_before_retry(request, failure, tried).await;
            if in_doubt && let Some(found) = look().await? {
                return Ok(found);
            }
            waited?;
        }
    }

    /// A client for reading lets nothing pass that changes GitHub. GraphQL is asked by POST and changes things by mutations.
    fn refuse_write(&self, request: &Request) -> Result<()> {
        let text = request.body["query"].as_str().unwrap_or_default();
        let is_question = request.path == GRAPHQL && text.trim_start().starts_with("query");
        let reads = request.method == Method::GET || is_question;
        if self.access.reads_only && !reads {
            return Err(ForgeError::ReadsOnly { action: request.action });
        }
        Ok(())
    }

    /// Waits before the next try, or says why there is none.
    async fn wait_before_retry(&self, request: &Request, failure: RequestFailure, tried: u32) -> Result<()> {
        let Some(wait) = self.retry.delay_before_retry(&failure, tried) else {
            return Err(self.forge_error(request, failure));
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

    async fn try_once(&self, request: &Request) -> std::result::Result<Value, RequestFailure> {
        let exchange = self.send_request(request);
        match tokio::time::timeout(self.retry.request, exchange).await {
            Ok(Ok(reply)) => reply.into_result(),
            Ok(Err(why)) => Err(RequestFailure::lost(why)),
            Err(_) => {
                Err(RequestFailure::lost(format!("no answer within {} s", self.retry.request.as_secs())))
            }
        }
    }

    async fn send_request(&self, request: &Request) -> std::result::Result<HttpReply, String> {
        let client = self.client(request).await.map_err(|error| root_cause(&error))?;
        let builder = http::Request::builder().method(request.method.clone()).uri(&request.path);
        let body = if request.body.is_null() { None } else { Some(&request.body) };
        let request = client.build_request(builder, body).map_err(|error| root_cause(&error))?;
        let answer = client.execute(request).await.map_err(|error| root_cause(&error))?;
        let (head, body) = answer.into_parts();
        let body = Limited::new(body, LARGEST_ANSWER).collect().await.map_err(|error| error.to_string())?;
        let body = serde_json::from_slice(&body.to_bytes()).ok();
        Ok(HttpReply { body, ..read_headers(head.status.as_u16(), &head.headers) })
    }

    async fn client(&self, request: &Request) -> octocrab::Result<&Octocrab> {
        let base = if request.path == GRAPHQL { self.access.graphql_base() } else { &self.access.api };
        let cell = if base == self.access.api { &self.rest } else { &self.graphql };
        cell.get_or_try_init(|| async {
            let builder = Octocrab::builder().base_uri(base)?;
            builder.user_access_token(self.access.token.clone()).build()
        })
        .await
    }

    fn forge_error(&self, request: &Request, failure: RequestFailure) -> ForgeError {
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

/// The rights that our mutations need: without the first GitHub refuses to resolve a thread or to end a draft.
pub(super) const MUTATION_PERMISSIONS: &str = "contents=write, pull_requests=write";

/// Returns an error when GraphQL refused, which it does with status 200. Which permission was missing it does not say: the
/// caller knows.
pub(super) fn refuse_graphql_error(action: &'static str, needs: &str, answer: &Value) -> Result<()> {
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

fn read_headers(status: u16, headers: &HeaderMap) -> HttpReply {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let number = |name: &str| text(name).and_then(|text| text.trim().parse::<u64>().ok());
    let now = u64::try_from(Timestamp::now().as_second()).unwrap_or(0);
    HttpReply {
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

/// A list that is read in pages.
pub(super) struct PagedList<'a> {
    /// In the words of a person, after "cannot".
    pub action: &'static str,
    /// With the query, if there is one.
    pub path: &'a str,
    /// Where the entries stand in the answer; nothing when they are all of it.
    pub key: Option<&'a str>,
    /// More pages than this are not read.
    pub most_pages: usize,
}

/// The time in which something is counted.
#[derive(Debug, Clone, Copy)]
pub struct CountWindow {
    /// What happened at this time or before does not count.
    pub after: Timestamp,
    /// What happened later does not count.
    pub until: Timestamp,
    /// Up to how many are counted.
    pub most: usize,
}

impl Client {
    /// Returns every entry of a list.
    pub async fn list<T: DeserializeOwned>(&self, action: &'static str, path: &str) -> Result<Vec<T>> {
        let list = PagedList { action, path, key: None, most_pages: MOST_PAGES_OF_ALL };
        let (all, _) = self.read_pages(&list, |_| true).await?;
        Ok(all)
    }

    /// Counts the entries of a list, the newest of which come first.
    pub async fn count<T: DeserializeOwned>(
        &self,
        list: &PagedList<'_>,
        window: CountWindow,
        at: impl Fn(&T) -> Option<Timestamp>,
        is_counted: impl Fn(&T) -> bool,
    ) -> Result<usize> {
        let mut count = 0;
        let goes_on = |page: &[T]| {
            let is_within = |at: Timestamp| at > window.after && at <= window.until;
            count +=
                page.iter().filter(|entry| at(entry).is_some_and(is_within) && is_counted(entry)).count();
            let is_newer = page.last().and_then(&at).is_some_and(|at| at > window.after);
            is_newer && count < window.most
        };
        self.read_pages(list, goes_on).await?;
        Ok(count.min(window.most))
    }

    /// Reads page after page until there is none left or one is the last that is wanted. Tells whether it was all.
    pub async fn read_pages<T: DeserializeOwned>(
        &self,
        list: &PagedList<'_>,
        mut goes_on: impl FnMut(&[T]) -> bool,
    ) -> Result<(Vec<T>, bool)> {
        let &PagedList { action, path, key, most_pages } = list;
        let joint = if path.contains('?') { '&' } else { '?' };
        let mut all = Vec::new();
        for page in 1..=most_pages {
            let rest = format!("{path}{joint}per_page={PER_PAGE}&page={page}");
            let mut answer: Value = self.get(action, &rest).await?;
            let found = match key {
                None => answer,
                Some(key) => answer.get_mut(key).map(Value::take).unwrap_or_default(),
            };
            if !found.is_array() {
                return Err(ForgeError::unexpected(action, "it is no list"));
            }
            let entries: Vec<T> = read(action, found)?;
            let (is_last, wants_more) = (entries.len() < PER_PAGE, goes_on(&entries));
            all.extend(entries);
            if is_last || !wants_more {
                return Ok((all, is_last));
            }
        }
        Ok((all, false))
    }
}

/// Reads the part of an answer that we use.
pub(super) fn read<T: DeserializeOwned>(action: &'static str, value: Value) -> Result<T> {
    serde_json::from_value(value).map_err(|error| ForgeError::unexpected(action, error.to_string()))
}

#[cfg(test)]
mod tests;
