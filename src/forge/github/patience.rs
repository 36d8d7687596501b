//! What a reply means for the next try: an answer, a wait, a doubt whether it happened, or an end. Pure.
//! Limits: docs.github.com, "Rate limits for the REST API" (Retry-After, x-ratelimit-reset, one minute for secondary ones).

use std::time::Duration;

use serde_json::Value;

/// What came back.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Reply {
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
pub(super) enum Trouble {
    /// Refused for the moment; nothing happened.
    Wait { seconds: u64 },
    /// It may have happened or not; a server that is down may say for how many seconds.
    Lost { why: String, seconds: Option<u64> },
    /// Refused for good.
    Refused { status: u16, message: String, needs: Option<String> },
}

/// How long and how often we try.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// Tries of one operation.
    pub tries: u32,
    /// What one second of waiting lasts; tests shorten it.
    pub second: Duration,
    /// The longest single wait, in seconds; a longer one ends the run, which can be taken up later.
    pub longest: u64,
    /// How long one request may take.
    pub request: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        let second = Duration::from_secs(1);
        Self { tries: 5, second, longest: 300, request: Duration::from_secs(30) }
    }
}

/// What a secondary limit asks for when it names no time.
const SECONDARY_SECONDS: u64 = 60;
/// The longest message of GitHub that we repeat, in characters.
const LONGEST_MESSAGE: usize = 300;

impl Reply {
    /// Returns the body of a good reply, or what stands in the way.
    pub fn taken(self) -> Result<Value, Trouble> {
        match self.status {
            204 => Ok(Value::Null),
            200 if self.is_limit_of_graphql() => {
                Err(Trouble::Wait { seconds: self.told_wait().unwrap_or(SECONDARY_SECONDS) })
            }
            200..=299 => self.body.ok_or_else(|| Trouble::lost("the answer is no JSON")),
            500..=599 | 408 => {
                let why = format!("it answered {}", self.status);
                Err(Trouble::Lost { why, seconds: self.retry_after })
            }
            403 | 429 => Err(self.wait().unwrap_or_else(|| self.refusal())),
            _ => Err(self.refusal()),
        }
    }

    fn wait(&self) -> Option<Trouble> {
        let used_up = self.remaining == Some(0);
        let secondary = self.message().to_lowercase().contains("rate limit");
        let limited = self.status == 429 || self.retry_after.is_some() || used_up || secondary;
        let seconds = self.told_wait().unwrap_or(SECONDARY_SECONDS);
        limited.then_some(Trouble::Wait { seconds })
    }

    fn told_wait(&self) -> Option<u64> {
        self.retry_after.or(self.resets_in.filter(|_| self.remaining == Some(0)))
    }

    /// GraphQL says with status 200 that its limit is reached; nothing was done then.
    fn is_limit_of_graphql(&self) -> bool {
        let kind = self.body.as_ref().and_then(|body| body["errors"][0]["type"].as_str());
        kind.is_some_and(|kind| kind.starts_with("RATE_LIMIT"))
    }

    fn refusal(&self) -> Trouble {
        Trouble::Refused { status: self.status, message: self.message(), needs: self.needs.clone() }
    }

    /// GitHub's own words on one line, with what its list of errors adds.
    fn message(&self) -> String {
        let Some(body) = &self.body else { return String::new() };
        let errors = body["errors"].as_array().into_iter().flatten();
        let added = errors.filter_map(|error| error["message"].as_str().or_else(|| error.as_str()));
        let told: Vec<&str> = body["message"].as_str().into_iter().chain(added).collect();
        let text = told.join(": ");
        text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(LONGEST_MESSAGE).collect()
    }
}

impl Trouble {
    pub fn lost(why: impl Into<String>) -> Self {
        Self::Lost { why: why.into(), seconds: None }
    }
}

impl Patience {
    /// Returns how long to wait before the next try; nothing when it is not worth one.
    pub(super) fn before_next(&self, trouble: &Trouble, tried: u32) -> Option<Duration> {
        let seconds = match trouble {
            Trouble::Refused { .. } => return None,
            Trouble::Wait { seconds } | Trouble::Lost { seconds: Some(seconds), .. } => *seconds,
            Trouble::Lost { .. } => 1 << tried.saturating_sub(1).min(5),
        };
        let worth_it = tried < self.tries && seconds <= self.longest;
        worth_it.then(|| self.second * u32::try_from(seconds).unwrap_or(u32::MAX))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn reply(status: u16) -> Reply {
        Reply { status, body: Some(json!({ "message": "said" })), ..Reply::default() }
    }

    fn limited(reply: Reply) -> Option<u64> {
        match reply.taken() {
            Err(Trouble::Wait { seconds }) => Some(seconds),
            _ => None,
        }
    }

    #[test]
    fn each_kind_of_limit_says_how_long_to_wait() {
        assert_eq!(limited(Reply { retry_after: Some(7), ..reply(403) }), Some(7));
        assert_eq!(limited(Reply { retry_after: Some(7), ..reply(429) }), Some(7));
        let primary = Reply { remaining: Some(0), resets_in: Some(90), ..reply(403) };
        assert_eq!(limited(primary), Some(90));
        assert_eq!(limited(reply(429)), Some(SECONDARY_SECONDS));
        let body = Some(json!({ "message": "You have exceeded a secondary rate limit." }));
        assert_eq!(limited(Reply { body, ..reply(403) }), Some(SECONDARY_SECONDS));
        assert_eq!(limited(reply(403)), None);
        let body = Some(json!({ "data": null, "errors": [{ "type": "RATE_LIMITED", "message": "later" }] }));
        assert_eq!(limited(Reply { body: body.clone(), ..reply(200) }), Some(SECONDARY_SECONDS));
        let told = Reply { body, remaining: Some(0), resets_in: Some(9), ..reply(200) };
        assert_eq!(limited(told), Some(9));
    }

    #[test]
    fn a_lost_answer_is_no_refusal_and_a_refusal_is_not_tried_again() {
        for doubtful in [reply(502), Reply { status: 201, body: None, ..Reply::default() }] {
            assert!(matches!(doubtful.taken(), Err(Trouble::Lost { .. })));
        }
        let body = Some(json!({ "message": "Validation Failed", "errors": [{ "message": "it\nexists" }] }));
        let refused = Reply { body, ..reply(422) }.taken().expect_err("a refusal");
        let message = "Validation Failed: it exists".to_owned();
        assert_eq!(refused, Trouble::Refused { status: 422, message, needs: None });
        assert_eq!(Patience::default().before_next(&refused, 1), None);
    }

    #[test]
    fn waits_grow_and_end() {
        let patience = Patience::default();
        let lost = Trouble::lost("");
        let waits: Vec<_> = (1..=5).map(|tried| patience.before_next(&lost, tried)).collect();
        let seconds = [1, 2, 4, 8].map(|seconds| Some(Duration::from_secs(seconds)));
        assert_eq!((&waits[..4], waits[4]), (&seconds[..], None));
        assert_eq!(patience.before_next(&Trouble::Wait { seconds: 3600 }, 1), None);
        let down = Reply { retry_after: Some(20), ..reply(503) }.taken().expect_err("a doubt");
        assert_eq!(patience.before_next(&down, 1), Some(Duration::from_secs(20)));
    }
}
