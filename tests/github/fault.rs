//! How GitHub breaks, and when. Knows no request but its method and path.

use serde_json::json;

use super::exchange::Answer;

/// Breaks one call, or every call that fits.
#[derive(Debug, Clone)]
pub struct Fault {
    /// The method that is hit; empty for every one.
    pub method: &'static str,
    /// A part of the path; what is asked of GraphQL counts as its query.
    pub path_contains: &'static str,
    /// Which of the fitting calls is hit, counted from 1; 0 for all of them.
    pub nth: usize,
    pub kind: Kind,
}

/// What happens to a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Refused with a status; nothing was done.
    Before(u16),
    /// Done, but the caller does not get to know.
    AppliedButLost(Lost),
    /// The connection is reset; nothing was done.
    Reset,
    /// The limit of requests is reached: `retry-after` and the headers of the limit tell how long; nothing was done.
    RateLimited { status: u16, retry_after: u64 },
    /// GitHub's limit for writing too fast, with a wait that it tells or does not tell; nothing was done.
    SecondaryLimit { retry_after: Option<u64> },
    /// What GraphQL says, with status 200, when its limit is reached; nothing was done.
    GraphqlLimit,
    /// What GraphQL says, with status 200, when the token lacks a right; nothing was done.
    GraphqlForbidden,
    /// The repository's settings let no workflow open pull requests, whatever the token may do; nothing was done.
    SettingForbids,
    /// A page for people from a machine in front, with status 502; nothing was done.
    Html,
    /// Done, and the answer stops in its middle.
    HalfJson,
    /// Done at once, answered after so many milliseconds.
    Slow(u64),
}

/// How an answer is lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lost {
    Status(u16),
    Reset,
}

/// Breaks one call of one address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    pub method: String,
    /// Whole, but without its query.
    pub path: String,
    /// Which of the calls of this address is hit, counted from 1.
    pub nth: usize,
    pub kind: Kind,
}

/// The faults that wait for their call.
#[derive(Debug, Default)]
pub struct Faults {
    waiting: Vec<(Fault, usize)>,
    hits: Vec<(Hit, usize)>,
}

impl Faults {
    pub fn add(&mut self, fault: Fault) {
        self.waiting.push((fault, 0));
    }

    pub fn aim(&mut self, hits: impl IntoIterator<Item = Hit>) {
        self.hits.extend(hits.into_iter().map(|hit| (hit, 0)));
    }

    /// Returns what is still to be hit.
    pub fn missed(&self) -> Vec<Hit> {
        self.hits.iter().filter(|(hit, seen)| *seen < hit.nth).map(|(hit, _)| hit.clone()).collect()
    }

    /// Tells what hits a call. Every fault counts the calls that fit it, also when another one hits.
    pub fn hit(&mut self, method: &str, path: &str) -> Option<Kind> {
        let mut hit = None;
        self.waiting.retain_mut(|(fault, seen)| {
            let fits =
                (fault.method.is_empty() || fault.method == method) && path.contains(fault.path_contains);
            *seen += usize::from(fits);
            let now = fits && (fault.nth == 0 || fault.nth == *seen);
            if now && hit.is_none() {
                hit = Some(fault.kind);
            }
            !(now && fault.nth > 0)
        });
        hit.or_else(|| self.aimed_at(method, path))
    }

    fn aimed_at(&mut self, method: &str, path: &str) -> Option<Kind> {
        let path = path.split('?').next().unwrap_or_default();
        let mut found = None;
        for (hit, seen) in &mut self.hits {
            let fits = hit.method == method && hit.path == path;
            *seen += usize::from(fits);
            found = found.or((fits && *seen == hit.nth).then_some(hit.kind));
        }
        found
    }
}

/// Returns the refusal that GitHub gives with a status.
pub fn refusal(status: u16) -> Answer {
    let message = match status {
        401 => "Bad credentials",
        403 => "Resource not accessible by integration",
        404 => "Not Found",
        422 => "Validation Failed",
        502 => "Server Error: Sorry, there was a problem generating a response",
        503 => "Service Unavailable",
        _ => "Server Error",
    };
    let answer = Answer::error(status, message);
    if status == 403 {
        return answer.with("x-accepted-github-permissions", "issues=write; pull_requests=write");
    }
    answer
}

/// Returns the refusal of a reached limit. `now` is the real time, which clients compare with.
pub fn limited(status: u16, retry_after: u64, now: u64) -> Answer {
    Answer::error(status, "API rate limit exceeded for installation ID 1.")
        .with("retry-after", retry_after.to_string())
        .with("x-ratelimit-remaining", "0")
        .with("x-ratelimit-reset", (now + retry_after).to_string())
}

/// Returns the refusal of the limit for writing too fast.
pub fn secondary(retry_after: Option<u64>) -> Answer {
    let message = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.";
    let answer = Answer::error(403, message);
    match retry_after {
        Some(seconds) => answer.with("retry-after", seconds.to_string()),
        None => answer,
    }
}

/// Returns how GraphQL says that its limit is reached.
pub fn graphql_limit() -> Answer {
    let message = "API rate limit exceeded for user ID 1.";
    Answer::ok(json!({ "data": null, "errors": [{ "type": "RATE_LIMITED", "message": message }] }))
}

/// Returns how GraphQL says that the token lacks a right. It does not say which one.
pub fn graphql_forbidden() -> Answer {
    let message = "Resource not accessible by integration";
    Answer::ok(json!({ "data": null, "errors": [{ "type": "FORBIDDEN", "message": message }] }))
}

/// Returns the refusal of a repository whose settings let no workflow open pull requests. The right is named all the same.
pub fn setting_forbids() -> Answer {
    let message = "GitHub Actions is not permitted to create or approve pull requests.";
    Answer::error(403, message).with("x-accepted-github-permissions", "pull_requests=write")
}

/// Returns the head of the page.
pub fn page() -> Answer {
    let headers = vec![("content-type", "text/html; charset=utf-8".to_owned())];
    Answer { status: 502, headers, body: None }
}

/// What a machine in front says when GitHub is away.
pub const PAGE: &str = "<!DOCTYPE html>\n<html><head><title>Unicorn! &middot; GitHub</title></head>\
<body><p>This page is taking too long to load.</p></body></html>\n";
