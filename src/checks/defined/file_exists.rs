//! Files that a project wants to be there: on disk, in the worktree of the task, whoever says what.
//! Looks at no content.

use std::io::ErrorKind;
use std::path::Path;

use serde_json::json;

use super::{explained, failed, shown, unavailable};
use crate::{Site, outcome, passed};
use model::event::CheckResult;
use model::policy::DefinedCheck;
use tool_output::Semantic;

pub(crate) fn examine(id: &str, paths: &[String], check: &DefinedCheck, site: &Site<'_>) -> CheckResult {
    let mut missing = Vec::new();
    for path in paths.iter().map(|path| shown(path, check)) {
        match is_there(site.worktree, &path) {
            Ok(true) => {}
            Ok(false) => missing.push(path),
            Err(why) => return unavailable(id, check, &format!("{path} cannot be looked at: {why}")),
        }
    }
    let Some(first) = missing.first() else {
        return passed(id, &format!("{} of {} there", paths.len(), paths.len()));
    };
    let more = if missing.len() == 1 { String::new() } else { format!(" (and {} more)", missing.len() - 1) };
    let mut result = failed(id, check, &format!("{first} is not there{more}"));
    result.params.insert("error".to_owned(), json!(format!("not there: {}", missing.join(", "))));
    name_missing(result, missing)
}

/// Adds the files that are missing to a failure, of which there is at least one.
pub(super) fn name_missing(mut result: CheckResult, missing: Vec<String>) -> CheckResult {
    result.places = missing.iter().map(|path| outcome::file(path, "is not there")).collect();
    result.params.extend([
        ("missingFiles".to_owned(), json!(missing)),
        ("expectedPath".to_owned(), json!(missing[0])),
    ]);
    let summary = result.summary.clone();
    explained(result, &Semantic::of_failure(&summary, missing, ACTION))
}

const ACTION: &str = "Write each missing file with its full content, at exactly its path";

/// A link that leads out of the worktree is no file of it.
fn is_there(worktree: &Path, path: &str) -> Result<bool, std::io::Error> {
    let found = match worktree.join(path).canonicalize() {
        Ok(found) => found,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(false);
        }
        Err(error) => return Err(error),
    };
    Ok(found.starts_with(worktree.canonicalize()?))
}
