//! Reads what an author says about itself: its claim. It may trigger a check and is never evidence, so it is read leniently: no claim is as good as one. The author's own line
//! `INCOMPLETE: …` is stronger than a claim of completion.

use std::cell::LazyCell;

use regex::Captures;
use serde_json::{Map, Value};

use super::json::{self, Budget};
use super::lexicon::pattern;
use super::markdown::{Quoted, is_indented};
use super::objects;
use super::review_object::texts;
use super::text::clipped;
use model::event::{Claim, ClaimStatus, ClaimedNextAction};

/// The most characters of a statement that are kept.
const LONGEST_STATEMENT: usize = 400;
/// More files than this are no statement anybody looks after.
const MOST_FILES: usize = 200;

/// Reads the last object of a text that carries a status, and a line that says what is missing.
pub fn read_claim(text: &str) -> Option<Claim> {
    let budget = Budget::default();
    let spans = objects::find(text).whole;
    let stated = spans.into_iter().rev().find_map(|span| claim(&json::object(&text[span], &budget)?));
    if stated.as_ref().is_some_and(|claim| claim.status != ClaimStatus::Completed) {
        return stated;
    }
    let Some(summary) = unfinished(text) else { return stated };
    let Claim { next_action, notices, files, .. } = stated.unwrap_or(Claim {
        status: ClaimStatus::Incomplete,
        next_action: None,
        summary: String::new(),
        notices: Vec::new(),
        files: Vec::new(),
    });
    Some(Claim { status: ClaimStatus::Incomplete, next_action, summary, notices, files })
}

/// Returns the line in which the author says that something is missing; in a quotation it is somebody else's word, and
/// "INCOMPLETE: none" says the opposite.
fn unfinished(text: &str) -> Option<String> {
    // Most texts do not have the word.
    text.find("INCOMPLETE")?;
    let quoted = LazyCell::new(|| Quoted::new(text));
    let is_stated = |found: &Captures| {
        let whole = found.get_match();
        let line = whole.as_str();
        !pattern("claim.nothing").is_match(&found["rest"])
            && !is_indented(line)
            && quoted.is_own(whole.start(), line)
    };
    let found = pattern("claim.statement").captures_iter(text).find(is_stated)?;
    Some(clipped(found[0].trim().trim_matches(['*', '#', '_', ' ']), LONGEST_STATEMENT).to_owned())
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
        summary: json::text(fields, "summary"),
        notices: texts(fields.get("notices")),
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
            (fields.get("action").map(json::line)?, fields.get("reason").map(json::line))
        }
        Value::String(_) => (json::line(value), None),
        _ => return None,
    };
    let claimed = ClaimedNextAction { action, reason: reason.unwrap_or_default() };
    if claimed.action.is_empty() { None } else { Some(claimed) }
}

#[cfg(test)]
mod tests;
