//! The post-condition of every phase: its deliverable exists, says something, and was written in this phase.

use std::fs::{self, Metadata};
use std::path::Path;
use std::time::{Duration, SystemTime};

use jiff::Timestamp;

use super::{CheckResult, Site, failure, passed};
use content_parser::unread_decision;

pub(super) const ID: &str = "deliverable";
pub(super) const DECISION: &str = "decision";
/// The code of a phase that ends without its deliverable.
pub(super) const CODE: &str = "E_NO_DELIVERABLE";
/// What a file lacks that is there.
pub(super) const IS_EMPTY: &str = "is empty";
/// File systems stamp files with a clock that lags a little behind.
const CLOCK_LAG: Duration = Duration::from_millis(50);

pub(super) fn examine(site: &Site<'_>) -> CheckResult {
    match lack(site) {
        None => passed(ID, &format!("{} is there", site.output)),
        Some(lack) => {
            let summary = format!("{} {lack}", site.output);
            failure(ID, "no-deliverable", &summary, &[("code", CODE), ("path", site.output)])
        }
    }
}

/// Tells whether the deliverable of this phase is there.
pub(super) fn is_there(site: &Site<'_>) -> bool {
    lack(site).is_none()
}

fn lack(site: &Site<'_>) -> Option<&'static str> {
    if let Some(lack) = content_lack(site.worktree, site.output) {
        return Some(lack);
    }
    let found = fs::symlink_metadata(site.worktree.join(site.output));
    let fresh =
        site.changed.contains(site.output) || found.is_ok_and(|found| written_since(&found, site.began));
    if !fresh {
        return Some("is older than this phase");
    }
    (!site.committable).then_some("is ignored by git, so it cannot be on the branch")
}

/// Returns why a path, relative to a worktree, is no plain file that holds something.
pub fn content_lack(worktree: &Path, path: &str) -> Option<&'static str> {
    let full = worktree.join(path);
    let Ok(found) = fs::symlink_metadata(&full) else { return Some("does not exist") };
    let is_folder =
        |folder: &Path| fs::symlink_metadata(worktree.join(folder)).is_ok_and(|found| found.is_dir());
    if !found.is_file() || !Path::new(path).ancestors().skip(1).all(is_folder) {
        return Some("is not a plain file in plain folders");
    }
    let text = fs::read(&full).unwrap_or_default();
    is_blank(&text).then_some(IS_EMPTY)
}

/// Tells whether a text holds nothing but space.
pub fn is_blank(text: &[u8]) -> bool {
    text.iter().all(u8::is_ascii_whitespace)
}

/// Tells whether something on disk was written at a time or later.
pub(super) fn written_since(found: &Metadata, began: Timestamp) -> bool {
    let began = SystemTime::from(began);
    found.modified().is_ok_and(|at| at + CLOCK_LAG >= began)
}

/// The evaluation says what becomes of the run. Which word it says is the engine's matter; where it says none that can be followed,
/// people are told what it said instead.
pub(super) fn examine_decision(site: &Site<'_>) -> CheckResult {
    if site.evaluation.is_some() {
        return passed(DECISION, "the evaluation made a decision");
    }
    // The words of the answer or of the deliverable that stand where a decision should.
    let deliverable = git::regular_file::read(&site.worktree.join(site.output)).unwrap_or_default();
    let deliverable = String::from_utf8_lossy(&deliverable);
    let unread = unread_decision(&[site.answer.unwrap_or_default(), &deliverable]);
    let summary = match unread.map(|words| site.masker.mask(&words)) {
        Some(words) => format!("no decision can be read: `{words}` is none, or contradicts another"),
        None => "no decision in the answer or in the deliverable".to_owned(),
    };
    failure(DECISION, "no-decision", &summary, &[("code", "no_decision")])
}
