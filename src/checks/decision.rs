//! The evaluation says what becomes of the run. Which word it says is the engine's matter, not this check's; where it says none
//! that can be followed, people are told what it said instead.

use super::{CheckResult, Site, failure, passed};
use content_parser::unread_decision;

pub(super) const ID: &str = "decision";

pub(super) fn examine(site: &Site<'_>) -> CheckResult {
    if site.evaluation.is_some() {
        return passed(ID, "the evaluation made a decision");
    }
    let summary = match unread(site) {
        Some(words) => format!("no decision can be read: `{words}` is none, or contradicts another"),
        None => "no decision in the answer or in the deliverable".to_owned(),
    };
    failure(ID, "no-decision", &summary, &[("code", "no_decision")])
}

/// Returns the words of the answer or of the deliverable that stand where a decision should.
fn unread(site: &Site<'_>) -> Option<String> {
    let deliverable = git::regular_file::read(&site.worktree.join(site.output)).unwrap_or_default();
    let deliverable = String::from_utf8_lossy(&deliverable);
    let words = unread_decision(&[site.answer.unwrap_or_default(), &deliverable])?;
    Some(site.masker.mask(&words).as_str().to_owned())
}
