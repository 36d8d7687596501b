//! What GitHub says happened, in the file it gives to a job or the body it sends to a webhook. Reads only the events that
//! something follows from, and of those only what is used; everything else is `Other`, never an error.

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;

use super::super::ForgeError;
use super::pages::read;
use model::issue::IssueNumber;

/// GitHub sends nothing larger than 25 MB.
pub const LARGEST_EVENT: u64 = 26 << 20;

const READ: &str = "read the event";

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// Somebody put a label on an issue.
    Labeled(Labeled),
    /// Somebody wrote a comment.
    Commented(Commented),
    /// Somebody, or a job of ours, started the workflow for an issue.
    Dispatched(Dispatched),
    /// Another workflow or a check came to its end; `by` is who had started it.
    Upstream { by: Person },
    /// Nothing follows from it.
    Other,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Labeled {
    pub label: Label,
    pub issue: EventIssue,
    pub sender: Person,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Commented {
    pub comment: EventComment,
    pub issue: EventIssue,
    pub sender: Person,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dispatched {
    pub issue: IssueNumber,
    pub sender: Person,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Label {
    pub name: String,
}

/// Somebody on GitHub. The number is who they are; a login can change hands.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Person {
    pub id: u64,
    pub login: String,
    #[serde(rename = "type", default)]
    pub kind: String,
}

impl Person {
    /// Tells whether this is a program.
    pub fn is_bot(&self) -> bool {
        self.kind == "Bot" || self.login.ends_with("[bot]")
    }
}

/// The issue, or the pull request, as it was when it happened.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct EventIssue {
    pub number: IssueNumber,
    #[serde(default)]
    pub title: String,
    #[serde(default)]
    pub body: Option<String>,
    #[serde(default)]
    pull_request: Option<Value>,
}

impl EventIssue {
    /// Tells whether it is a pull request.
    pub fn is_pull_request(&self) -> bool {
        self.pull_request.is_some()
    }
}

/// A comment with who wrote it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct EventComment {
    pub id: u64,
    #[serde(default)]
    pub body: Option<String>,
    /// Nobody when the account is gone.
    pub user: Option<Person>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// Reads an event by its name (`GITHUB_EVENT_NAME`, `X-GitHub-Event`) and its text.
pub fn read_event(name: &str, text: &[u8]) -> Result<Event, ForgeError> {
    let unexpected = |why: String| ForgeError::Unexpected { action: READ, why };
    let payload: Value = serde_json::from_slice(text).map_err(|error| unexpected(error.to_string()))?;
    match (name, payload["action"].as_str()) {
        ("issues", Some("labeled")) => Ok(Event::Labeled(read(READ, payload)?)),
        ("issue_comment", Some("created")) => Ok(Event::Commented(read(READ, payload)?)),
        ("workflow_dispatch", _) => dispatched(&payload),
        ("workflow_run", _) => {
            let run = &payload["workflow_run"];
            let by = [&run["triggering_actor"], &run["actor"]].into_iter().find(|by| by.is_object());
            upstream(by.unwrap_or(&payload["sender"]))
        }
        ("check_run", _) => upstream(&payload["sender"]),
        _ => Ok(Event::Other),
    }
}

/// The input `issue` comes as a text or, from a workflow file, as a number.
fn dispatched(payload: &Value) -> Result<Event, ForgeError> {
    let unexpected = |why: String| ForgeError::Unexpected { action: READ, why };
    let issue = match &payload["inputs"]["issue"] {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        _ => return Ok(Event::Other),
    };
    let issue = issue.parse().map_err(|error| unexpected(format!("its input `issue` is wrong: {error}")))?;
    Ok(Event::Dispatched(Dispatched { issue, sender: read(READ, payload["sender"].clone())? }))
}

fn upstream(by: &Value) -> Result<Event, ForgeError> {
    Ok(Event::Upstream { by: read(READ, by.clone())? })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn person(login: &str, kind: &str) -> Value {
        json!({ "id": 7, "login": login, "type": kind, "site_admin": false })
    }

    fn issue() -> Value {
        json!({ "number": 243, "title": "T", "body": null, "state": "open", "locked": false, "reactions": {} })
    }

    fn event(name: &str, payload: &Value) -> Result<Event, ForgeError> {
        read_event(name, payload.to_string().as_bytes())
    }

    #[test]
    fn a_label_and_a_comment_are_read_with_who_did_it() {
        let labeled = json!({ "action": "labeled", "label": { "name": "ai-workflow", "color": "ededed" },
            "issue": issue(), "sender": person("alice", "User"), "new field": 1 });
        let Ok(Event::Labeled(labeled)) = event("issues", &labeled) else { panic!("a label") };
        assert_eq!((labeled.label.name.as_str(), labeled.sender.id), ("ai-workflow", 7));
        assert!(!labeled.issue.is_pull_request() && labeled.issue.number.get() == 243);
        let mut on = issue();
        on["pull_request"] = json!({ "url": "x" });
        let comment = json!({ "id": 5, "body": "/ai-workflow run", "user": person("bob", "User"),
            "created_at": "2026-01-05T09:00:00Z", "updated_at": "2026-01-05T09:00:00Z" });
        let commented =
            json!({ "action": "created", "comment": comment, "issue": on, "sender": person("bob", "User") });
        let Ok(Event::Commented(commented)) = event("issue_comment", &commented) else { panic!("a comment") };
        assert!(commented.issue.is_pull_request() && commented.comment.id == 5);
    }

    #[test]
    fn a_dispatch_names_an_issue_and_nothing_else() {
        let payload =
            |input: Value| json!({ "inputs": { "issue": input }, "sender": person("alice", "User") });
        for good in [json!("243"), json!(243)] {
            let Ok(Event::Dispatched(dispatched)) = event("workflow_dispatch", &payload(good)) else {
                panic!("a dispatch")
            };
            assert_eq!(dispatched.issue.get(), 243);
        }
        for bad in ["243; echo X", "-1", "0x10", "243\n", "", "0"] {
            assert!(event("workflow_dispatch", &payload(json!(bad))).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn what_nothing_follows_from_is_no_error() {
        let opened = json!({ "action": "opened", "issue": issue() });
        let others = [
            event("issues", &opened),
            event("push", &json!({ "commits": [] })),
            event("issue_comment", &json!({ "action": "edited" })),
            event("workflow_dispatch", &json!({ "inputs": null })),
        ];
        assert!(others.iter().all(|other| matches!(other, Ok(Event::Other))), "{others:?}");
        assert!(read_event("issues", b"{").is_err());
        assert!(event("issues", &json!({ "action": "labeled" })).is_err(), "what is handled has to be whole");
    }

    #[test]
    fn behind_a_workflow_stands_who_started_it() {
        let run = json!({ "workflow_run": { "actor": person("alice", "User"),
            "triggering_actor": person("mallory", "User") }, "sender": person("carol", "User") });
        assert!(matches!(event("workflow_run", &run), Ok(Event::Upstream { by }) if by.login == "mallory"));
    }
}
