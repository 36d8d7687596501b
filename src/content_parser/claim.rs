//! Reads what an author says about itself. A claim may trigger a check and is never evidence, so it is read leniently:
//! no claim is as good as one. The author's own line `INCOMPLETE: …` is stronger than a claim of completion.

use std::cell::LazyCell;
use std::sync::LazyLock;

use memchr::{memmem, memrchr};
use regex::Regex;
use serde_json::{Map, Value};

use super::quoted::{Quoted, is_indented};
use super::strict::{self, Budget};
use super::{clipped, findings, objects, scan, stated};
use model::event::{Claim, ClaimStatus, ClaimedNextAction};

/// The most characters of a statement that are kept.
const LONGEST_STATEMENT: usize = 400;
/// More files than this are no statement anybody looks after.
const MOST_FILES: usize = 200;

/// Reads the last object of a text that carries a status, and a line that says what is missing.
pub fn read_claim(text: &str) -> Option<Claim> {
    let budget = Budget::default();
    let spans = objects::find(text).whole;
    let stated = spans.into_iter().rev().find_map(|span| claim(&strict::object(&text[span], &budget)?));
    match (stated, unfinished(text)) {
        (None, Some(summary)) => Some(incomplete(summary)),
        (Some(claim), Some(summary)) if claim.status == ClaimStatus::Completed => {
            Some(Claim { status: ClaimStatus::Incomplete, summary, ..claim })
        }
        (stated, _) => stated,
    }
}

fn incomplete(summary: String) -> Claim {
    Claim {
        status: ClaimStatus::Incomplete,
        next_action: None,
        summary,
        notices: Vec::new(),
        files: Vec::new(),
    }
}

/// Returns the line in which the author says that something is missing; in a quotation it is somebody else's word.
fn unfinished(text: &str) -> Option<String> {
    let quoted = LazyCell::new(|| Quoted::new(text));
    let is_said = |(start, line): &(usize, &str)| {
        !is_indented(line) && is_statement(line) && quoted.is_own(*start, line)
    };
    let (_, line) = lines_with(text, "INCOMPLETE").find(is_said)?;
    Some(clipped(line.trim().trim_matches(['*', '#', '_', ' ']), LONGEST_STATEMENT).to_owned())
}

/// Returns the lines that hold a word, with where they start. The others, which may be millions, are not looked at.
fn lines_with<'t>(text: &'t str, word: &'static str) -> impl Iterator<Item = (usize, &'t str)> {
    let word = memmem::Finder::new(word);
    let bytes = text.as_bytes();
    let mut from = 0;
    std::iter::from_fn(move || {
        let at = from + word.find(&bytes[from..])?;
        let start = memrchr(b'\n', &bytes[from..at]).map_or(from, |before| from + before + 1);
        from = text.len().min(scan::byte(bytes, at, b'\n') + 1);
        Some((start, &text[start..from]))
    })
}

/// Tells whether a line says that something is missing. "INCOMPLETE: none" says the opposite.
fn is_statement(line: &str) -> bool {
    static BEGINNING: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"^\s*(?:#+\s+)?[*_]*INCOMPLETE[*_]*:[*_]*").expect("a constant"));
    static NOTHING: LazyLock<Regex> = LazyLock::new(|| {
        let none = "0|no|none|nothing|nil|n/a|なし|無し";
        let of_what = "(?: requirements?| items?| tasks?)?(?: remain(?:s|ing)?| left| missing)?";
        Regex::new(&format!(r"(?i)^\W*(?:{none}){of_what}\W*$")).expect("made of constants")
    });
    let rest = BEGINNING.find(line).map(|beginning| line[beginning.end()..].trim_end_matches('\n'));
    rest.is_some_and(|rest| !NOTHING.is_match(rest))
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
        files: files(fields),
    })
}

/// Reads the paths of files, given as texts or as objects with a `path`.
fn files(fields: &Map<String, Value>) -> Vec<String> {
    let named = ["files_modified", "files"].iter().find_map(|key| fields.get(*key)?.as_array());
    let path = |value: &Value| value.get("path").unwrap_or(value).as_str().map(|path| path.trim().to_owned());
    let paths = named.into_iter().flatten().filter_map(path);
    paths.filter(|path| !path.is_empty()).take(MOST_FILES).collect()
}

fn next_action(value: &Value) -> Option<ClaimedNextAction> {
    let (action, reason) = match value {
        Value::Object(fields) => {
            (fields.get("action").map(findings::line)?, fields.get("reason").map(findings::line))
        }
        Value::String(_) => (findings::line(value), None),
        _ => return None,
    };
    (!action.is_empty()).then(|| ClaimedNextAction { action, reason: reason.unwrap_or_default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn completed(summary: &str) -> Claim {
        Claim {
            status: ClaimStatus::Completed,
            next_action: None,
            summary: summary.into(),
            notices: vec![],
            files: vec![],
        }
    }

    #[test]
    fn the_last_claim_counts() {
        let text = r#"{"status": "blocked"} and then {"status": "Completed", "summary": "s"} {"status": "done"} {"a": 1}"#;
        assert_eq!(read_claim(text), Some(completed("s")));
    }

    #[test]
    fn a_claim_is_read_whole() {
        let text = r#"{"status": "incomplete", "next_action": {"action": "retry", "reason": "r"}, "notices": ["n", 1, ""]}"#;
        let next_action = Some(ClaimedNextAction { action: "retry".into(), reason: "r".into() });
        let notices = vec!["n".to_owned(), "1".to_owned()];
        let expected = Claim {
            status: ClaimStatus::Incomplete,
            next_action,
            summary: String::new(),
            notices,
            files: vec![],
        };
        assert_eq!(read_claim(text), Some(expected));
        let short =
            read_claim(r#"{"status": "blocked", "next_action": "ask"}"#).and_then(|claim| claim.next_action);
        assert_eq!(short, Some(ClaimedNextAction { action: "ask".into(), reason: String::new() }));
        assert_eq!(read_claim(r#"{"status": "completed", "next_action": 1}"#), Some(completed("")));
    }

    #[test]
    fn an_author_that_writes_incomplete_is_not_finished_whatever_else_it_claims() {
        for text in [
            "INCOMPLETE: 2 requirements remain",
            "All good.\n\n**INCOMPLETE: Requirements 3 and 4 remain**\n",
            "## INCOMPLETE: no tests for the parser yet",
            "INCOMPLETE: none of the tests passes",
            "INCOMPLETE:\n- the parser\n",
            "INCOMPLETE: 2 requirements remain\n{\"status\": \"completed\", \"summary\": \"s\"}",
        ] {
            let claim = read_claim(text).expect(text);
            assert_eq!(claim.status, ClaimStatus::Incomplete, "{text}");
            assert!(claim.summary.starts_with("INCOMPLETE:"), "{}", claim.summary);
        }
        let blocked = r#"INCOMPLETE: it remains {"status": "blocked", "summary": "no key"}"#;
        assert_eq!(read_claim(blocked).map(|claim| claim.status), Some(ClaimStatus::Blocked));
    }

    #[test]
    fn a_quoted_or_empty_incomplete_is_no_statement() {
        for text in [
            "> INCOMPLETE: 2 requirements remain",
            "```\nINCOMPLETE: 2 requirements remain\n```",
            "    INCOMPLETE: 2 requirements remain",
            "The form is \"INCOMPLETE: N requirements remain\".",
            "- INCOMPLETE: the word for what is missing",
            "INCOMPLETE: none",
            "INCOMPLETE: 0 requirements remain",
            "Incomplete: see the legend",
            "COMPLETE: All 3 requirements fulfilled",
        ] {
            assert_eq!(read_claim(&format!("I say:\n{text}\n\nThat is it.\n")), None, "{text}");
        }
    }

    #[test]
    fn a_claim_may_name_files() {
        let files = |text: &str| read_claim(text).map(|claim| claim.files);
        let named = r#"{"status": "completed", "files_modified": ["a.rs", {"path": " b.rs "}, 1, ""]}"#;
        assert_eq!(files(named), Some(vec!["a.rs".to_owned(), "b.rs".to_owned()]));
        assert_eq!(files(r#"{"status": "completed", "files": ["c"]}"#), Some(vec!["c".to_owned()]));
        assert_eq!(files(r#"{"status": "completed", "files": "c"}"#), Some(vec![]));
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
