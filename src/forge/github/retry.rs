//! What a reply means for the next try: an answer, a wait, a doubt whether it happened, or an end. Pure.
//! Limits: docs.github.com, "Rate limits for the REST API" (Retry-After, x-ratelimit-reset, one minute for secondary ones).

use std::time::Duration;

use serde_json::Value;

/// What came back.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct HttpReply {
    pub status: u16,
    /// `Retry-After`, in seconds.
    pub retry_after: Option<u64>,
    /// `x-ratelimit-remaining`.
    pub remaining: Option<u64>,
    /// Seconds until `x-ratelimit-reset`.
    pub resets_in: Option<u64>,
    /// `x-accepted-github-permissions`: what a token would have needed.
    pub needs: Option<String>,
    /// Nothing where the body is no JSON.
    pub body: Option<Value>,
}

/// How one try ended, unless well.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum RequestFailure {
    /// Refused for the moment; nothing happened.
    Wait { seconds: u64 },
    /// It may have happened or not; a server that is down may say for how many seconds.
    Lost { why: String, seconds: Option<u64> },
    /// Refused for good.
    Refused { status: u16, message: String, needs: Option<String> },
}

/// How long and how often we try.
#[derive(Debug, Clone, Copy)]
pub struct RetryPolicy {
    /// Tries of one operation.
    pub tries: u32,
    /// What one second of waiting lasts; tests shorten it.
    pub second: Duration,
    /// The longest single wait, in seconds; a longer one ends the run, which can be resumed later.
    pub longest: u64,
    /// How long one request may take.
    pub request: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        let second = Duration::from_secs(1);
        Self { tries: 5, second, longest: 300, request: Duration::from_secs(30) }
    }
}

/// What a secondary limit asks for when it names no time.
const SECONDARY_SECONDS: u64 = 60;
/// The longest message of GitHub that we repeat, in characters.
const LONGEST_MESSAGE: usize = 300;

impl HttpReply {
    /// Returns the body of a good reply, or the failure.
    pub(super) fn into_result(self) -> Result<Value, RequestFailure> {
        match self.status {
            204 => Ok(Value::Null),
            200 if self.is_limit_of_graphql() => Err(self.wait()),
            200..=299 => self.body.ok_or_else(|| RequestFailure::lost("the answer is no JSON")),
            500..=599 | 408 => {
                let why = format!("it answered {}", self.status);
                Err(RequestFailure::Lost { why, seconds: self.retry_after })
            }
            403 | 429 if self.is_limit() => Err(self.wait()),
            _ => Err(self.refused_failure()),
        }
    }

    fn wait(&self) -> RequestFailure {
        let reset = if self.remaining == Some(0) { self.resets_in } else { None };
        RequestFailure::Wait { seconds: self.retry_after.or(reset).unwrap_or(SECONDARY_SECONDS) }
    }

    fn is_limit(&self) -> bool {
        let secondary = || self.message().to_lowercase().contains("rate limit");
        self.status == 429 || self.retry_after.is_some() || self.remaining == Some(0) || secondary()
    }

    /// GraphQL says with status 200 that its limit is reached; nothing was done then.
    fn is_limit_of_graphql(&self) -> bool {
        let kind = self.body.as_ref().and_then(|body| body["errors"][0]["type"].as_str());
        kind.is_some_and(|kind| kind.starts_with("RATE_LIMIT"))
    }

    fn refused_failure(&self) -> RequestFailure {
        RequestFailure::Refused { status: self.status, message: self.message(), needs: self.needs.clone() }
    }

    /// GitHub's own words on one line, with what its list of errors adds.
    fn message(&self) -> String {
        let Some(body) = &self.body else { return String::new() };
        let errors = body["errors"].as_array().into_iter().flatten();
        let added = errors.filter_map(|error| error["message"].as_str().or_else(|| error.as_str()));
        let texts: Vec<&str> = body["message"].as_str().into_iter().chain(added).collect();
        let text = texts.join(": ");
        text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(LONGEST_MESSAGE).collect()
    }
}

impl RequestFailure {
    pub fn lost(why: impl Into<String>) -> Self {
        Self::Lost { why: why.into(), seconds: None }
    }
}

impl RetryPolicy {
    /// Returns how long to wait before the next try; nothing when it is not worth one.
    pub(super) fn delay_before_retry(&self, failure: &RequestFailure, tried: u32) -> Option<Duration> {
        let seconds = match failure {
            RequestFailure::Refused { .. } => return None,
            RequestFailure::Wait { seconds } | RequestFailure::Lost { seconds: Some(seconds), .. } => {
                *seconds
            }
            RequestFailure::Lost { .. } => 1 << tried.saturating_sub(1).min(5),
        };
        if tried >= self.tries || seconds > self.longest {
            return None;
        }
        Some(self.second * u32::try_from(seconds).unwrap_or(u32::MAX))
    }
}

#[cfg(test)]
mod tests;
