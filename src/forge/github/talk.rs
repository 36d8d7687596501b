//! One operation on GitHub until it is done: asks, waits where GitHub asks for it, and looks before it writes again.
//! octocrab carries the bytes; its own retries would write twice.

use http::{HeaderMap, Method};
use http_body_util::{BodyExt, Limited};
use jiff::Timestamp;
use octocrab::Octocrab;
use serde_json::Value;
use tokio::sync::OnceCell;
use tracing::warn;

use super::super::ForgeError;
use super::access::Access;
use super::patience::{Patience, Reply, Trouble};

/// The largest answer we read, in bytes.
const LARGEST: usize = 20 << 20;
/// The shortest wait that is worth a line, in seconds.
const TOLD_FROM: u64 = 3;

/// The line to one GitHub.
pub(super) struct Line {
    pub access: Access,
    pub patience: Patience,
    /// Made at the first use: it belongs to the runtime that drives it.
    rest: OnceCell<Octocrab>,
    /// Only where GraphQL has another address: a client reads every root certificate of the machine.
    graphql: OnceCell<Octocrab>,
}

/// What is asked for.
pub(super) struct Ask<'a> {
    /// In the words of a person, after "cannot".
    pub action: &'static str,
    pub method: Method,
    pub path: String,
    pub body: Option<&'a Value>,
}

impl Line {
    pub fn new(access: Access, patience: Patience) -> Self {
        Self { access, patience, rest: OnceCell::new(), graphql: OnceCell::new() }
    }

    /// Asks for something that can be asked twice: a reading, or a change to a state that is given whole.
    pub async fn repeat(&self, ask: &Ask<'_>) -> Result<Value, ForgeError> {
        self.refuse_write(ask)?;
        let mut tried = 0;
        loop {
            tried += 1;
            match self.once(ask).await {
                Ok(value) => return Ok(value),
                Err(trouble) => self.pause(ask, trouble, tried).await?,
            }
        }
    }

    /// Reads something of the repository.
    pub async fn get(&self, action: &'static str, rest: &str) -> Result<Value, ForgeError> {
        let path = self.access.path(rest);
        self.repeat(&Ask { action, method: Method::GET, path, body: None }).await
    }

    /// Makes something that must not be there twice: after a doubt `look` is asked whether it is there by now.
    pub async fn create<F>(&self, ask: &Ask<'_>, look: impl Fn() -> F) -> Result<Value, ForgeError>
    where
        F: Future<Output = Result<Option<Value>, ForgeError>>,
    {
        self.refuse_write(ask)?;
        let mut tried = 0;
        loop {
            tried += 1;
            let trouble = match self.once(ask).await {
                Ok(value) => return Ok(value),
                Err(trouble) => trouble,
            };
            let in_doubt = matches!(trouble, Trouble::Lost { .. });
            let waited = self.pause(ask, trouble, tried).await;
            if in_doubt && let Some(found) = look().await? {
                return Ok(found);
            }
            waited?;
        }
    }

    /// Asks GraphQL, which answers questions only here.
    pub async fn question(&self, action: &'static str, query: &str) -> Result<Value, ForgeError> {
        let body = serde_json::json!({ "query": query });
        let (_, path) = self.access.graphql();
        let ask = Ask { action, method: Method::POST, path: path.to_owned(), body: Some(&body) };
        self.repeat(&ask).await
    }

    /// A line for reading lets nothing pass that changes GitHub. GraphQL is asked by POST and changes things by mutations.
    fn refuse_write(&self, ask: &Ask<'_>) -> Result<(), ForgeError> {
        let (_, graphql) = self.access.graphql();
        let text = ask.body.and_then(|body| body["query"].as_str()).unwrap_or_default();
        let is_question = ask.path == graphql && text.trim_start().starts_with("query");
        let reads = ask.method == Method::GET || is_question;
        if self.access.reads_only && !reads {
            return Err(ForgeError::ReadsOnly { action: ask.action });
        }
        Ok(())
    }

    /// Waits before the next try, or says why there is none.
    async fn pause(&self, ask: &Ask<'_>, trouble: Trouble, tried: u32) -> Result<(), ForgeError> {
        let Some(wait) = self.patience.before_next(&trouble, tried) else {
            return Err(self.failure(ask, trouble));
        };
        if let Trouble::Wait { seconds } | Trouble::Lost { seconds: Some(seconds), .. } = trouble
            && seconds >= TOLD_FROM
        {
            warn!("GitHub asks to wait {seconds} s before we {}", ask.action);
        }
        tokio::time::sleep(wait).await;
        Ok(())
    }

    async fn once(&self, ask: &Ask<'_>) -> Result<Value, Trouble> {
        let exchange = self.exchange(ask);
        match tokio::time::timeout(self.patience.request, exchange).await {
            Ok(Ok(reply)) => reply.taken(),
            Ok(Err(why)) => Err(Trouble::lost(why)),
            Err(_) => Err(Trouble::lost(format!("no answer within {} s", self.patience.request.as_secs()))),
        }
    }

    async fn exchange(&self, ask: &Ask<'_>) -> Result<Reply, String> {
        let client = self.client(ask).await.map_err(|error| told(&error))?;
        let builder = http::Request::builder().method(ask.method.clone()).uri(&ask.path);
        let request = client.build_request(builder, ask.body).map_err(|error| told(&error))?;
        let answer = client.execute(request).await.map_err(|error| told(&error))?;
        let (head, body) = answer.into_parts();
        let body = Limited::new(body, LARGEST).collect().await.map_err(|error| error.to_string())?;
        let body = serde_json::from_slice(&body.to_bytes()).ok();
        Ok(Reply { body, ..reply(head.status.as_u16(), &head.headers) })
    }

    async fn client(&self, ask: &Ask<'_>) -> octocrab::Result<&Octocrab> {
        let (base, graphql) = self.access.graphql();
        let elsewhere = ask.path == graphql && base != self.access.api;
        let (cell, base) =
            if elsewhere { (&self.graphql, base) } else { (&self.rest, self.access.api.as_str()) };
        cell.get_or_try_init(|| async {
            let builder = Octocrab::builder().base_uri(base)?;
            builder.user_access_token(self.access.token().to_owned()).build()
        })
        .await
    }

    fn failure(&self, ask: &Ask<'_>, trouble: Trouble) -> ForgeError {
        let action = ask.action;
        match trouble {
            Trouble::Wait { seconds } => {
                // People read it: a whole second, never one too early.
                let end = Timestamp::now().as_second().saturating_add_unsigned(seconds).saturating_add(1);
                let until = Timestamp::from_second(end).unwrap_or(Timestamp::MAX);
                ForgeError::Limited { action, until }
            }
            Trouble::Lost { why, .. } => {
                ForgeError::Unreachable { action, server: self.access.api.clone(), why }
            }
            Trouble::Refused { status: 401, .. } => ForgeError::Token { server: self.access.api.clone() },
            Trouble::Refused { status, message, needs } => {
                ForgeError::Refused { action, status, message, needs: needs.unwrap_or_default() }
            }
        }
    }
}

/// The rights that our mutations need: without the first GitHub lets nobody resolve a thread or end a draft.
pub(super) const MUTATES: &str = "contents=write, pull_requests=write";

/// Says whether GraphQL refused, which it does with status 200. What right was missing it does not say: the caller knows.
pub(super) fn refused(action: &'static str, needs: &str, answer: &Value) -> Result<(), ForgeError> {
    let error = &answer["errors"][0];
    let Some(message) = error["message"].as_str() else { return Ok(()) };
    let message = message.chars().take(300).collect();
    let needs = if error["type"] == "FORBIDDEN" { needs.to_owned() } else { String::new() };
    Err(ForgeError::Refused { action, status: 200, message, needs })
}

/// The words of an error and of what caused it; the text of octocrab alone says only its kind.
fn told(error: &dyn std::error::Error) -> String {
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
