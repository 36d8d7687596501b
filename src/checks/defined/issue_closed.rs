//! The issue is closed where it lives. Who says so is the forge, never the agent; when it cannot be asked, nobody knows.

use serde_json::json;

use super::{explained, failed, unavailable};
use crate::{Site, passed};
use model::event::CheckResult;
use model::policy::DefinedCheck;
use tool_output::Semantic;

pub(crate) fn examine(id: &str, check: &DefinedCheck, site: &Site<'_>) -> CheckResult {
    match &site.world.issue_open {
        Ok(false) => passed(id, "the issue is closed"),
        Ok(true) => {
            let mut result = failed(id, check, OPEN);
            result.params.insert("error".to_owned(), json!(OPEN));
            explained(result, &Semantic::of_failure(OPEN, Vec::new(), ACTION))
        }
        Err(why) => unavailable(id, check, &format!("the issue could not be asked for: {why}")),
    }
}

const OPEN: &str = "the issue is still open";
const ACTION: &str = "Do what is left before a person can close it";
