//! Tests of `event`.

use serde_json::json;

use super::*;

fn person(login: &str, kind: &str) -> Value {
    json!({ "id": 7, "login": login, "type": kind, "site_admin": false })
}

fn issue() -> Value {
    json!({ "number": 243, "title": "T", "body": null, "state": "open", "locked": false, "reactions": {} })
}

fn event(name: &str, payload: &Value) -> Result<Event> {
    read_event(name, payload.to_string().as_bytes())
}

#[test]
fn label_and_comment_events_are_parsed_with_their_sender() {
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
fn dispatch_input_must_be_an_issue_number() {
    let payload = |input: Value| json!({ "inputs": { "issue": input }, "sender": person("alice", "User") });
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
fn irrelevant_events_are_accepted_and_incomplete_ones_refused() {
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
fn workflow_run_event_is_attributed_to_its_triggering_actor() {
    let run = json!({ "workflow_run": { "actor": person("alice", "User"),
        "triggering_actor": person("mallory", "User") }, "sender": person("carol", "User") });
    assert!(matches!(event("workflow_run", &run), Ok(Event::Upstream { by }) if by.login == "mallory"));
}
