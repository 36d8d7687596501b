//! Reads what an author says about itself. A claim may trigger a check and is never evidence, so it is read leniently:
//! no claim is as good as one.

use serde_json::{Map, Value};

use super::strict::{self, Budget};
use super::{findings, objects, stated};
use crate::event::{Claim, ClaimStatus, NextAction};

/// Reads the last object of a text that carries a status.
pub fn read_claim(text: &str) -> Option<Claim> {
    let budget = Budget::default();
    let spans = objects::find(text).whole;
    spans.into_iter().rev().find_map(|span| claim(&strict::object(&text[span], &budget)?))
}

fn claim(fields: &Map<String, Value>) -> Option<Claim> {
    let status = match fields.get("status")?.as_str()?.trim().to_lowercase().as_str() {
        "completed" => ClaimStatus::Completed,
        "incomplete" => ClaimStatus::Incomplete,
        "blocked" => ClaimStatus::Blocked,
        _ => return None,
    };
    Some(Claim {
        status,
        next_action: fields.get("next_action").and_then(next_action),
        summary: fields.get("summary").map(findings::line).unwrap_or_default(),
        notices: stated::texts(fields.get("notices")),
    })
}

fn next_action(value: &Value) -> Option<NextAction> {
    let (action, reason) = match value {
        Value::Object(fields) => {
            (fields.get("action").map(findings::line)?, fields.get("reason").map(findings::line))
        }
        Value::String(_) => (findings::line(value), None),
        _ => return None,
    };
    (!action.is_empty()).then(|| NextAction { action, reason: reason.unwrap_or_default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn completed(summary: &str) -> Claim {
        Claim { status: ClaimStatus::Completed, next_action: None, summary: summary.into(), notices: vec![] }
    }

    #[test]
    fn the_last_claim_counts() {
        let text = r#"{"status": "blocked"} and then {"status": "Completed", "summary": "s"} {"status": "done"} {"a": 1}"#;
        assert_eq!(read_claim(text), Some(completed("s")));
    }

    #[test]
    fn a_claim_is_read_whole() {
        let text = r#"{"status": "incomplete", "next_action": {"action": "retry", "reason": "r"}, "notices": ["n", 1, ""]}"#;
        let next_action = Some(NextAction { action: "retry".into(), reason: "r".into() });
        let notices = vec!["n".to_owned(), "1".to_owned()];
        let expected =
            Claim { status: ClaimStatus::Incomplete, next_action, summary: String::new(), notices };
        assert_eq!(read_claim(text), Some(expected));
        let short =
            read_claim(r#"{"status": "blocked", "next_action": "ask"}"#).and_then(|claim| claim.next_action);
        assert_eq!(short, Some(NextAction { action: "ask".into(), reason: String::new() }));
        assert_eq!(read_claim(r#"{"status": "completed", "next_action": 1}"#), Some(completed("")));
    }

    #[test]
    fn what_is_no_claim_is_none() {
        for text in [
            "",
            "all done",
            r#"{"status": 1}"#,
            r#"{"status": "completed", "status": "completed"}"#,
            r#"{"state": "x"}"#,
        ] {
            assert_eq!(read_claim(text), None, "{text}");
        }
    }
}
