//! `doctor`: what a run would need on this machine, one line each, or as JSON.

use std::fmt::Write as _;

use serde_json::json;

use super::CommandResult;
use super::arguments::CommonFlags;
use super::output::print;
use app::doctor::{Diagnosis, examine};

/// Runs `doctor`.
pub(super) fn run(arguments: &CommonFlags) -> CommandResult {
    let all = match crate::project::open(&arguments.settings) {
        Ok(project) => examine(&project)?,
        Err(failure) => vec![Diagnosis::of_failure("repository", failure)],
    };
    let ok = all.iter().all(|diagnosis| diagnosis.ok);
    let mut text = String::new();
    for diagnosis in &all {
        // What stops nothing and still has a hint is not well.
        let mark = match (diagnosis.ok, &diagnosis.hint) {
            (false, _) => "✗",
            (true, Some(_)) => "-",
            (true, None) => "✓",
        };
        let _ = writeln!(text, "{mark} {:<12} {}", diagnosis.name, diagnosis.text);
        if let Some(hint) = &diagnosis.hint {
            let _ = writeln!(text, "  {:<12} hint: {hint}", "");
        }
    }
    print(arguments.json, &json!({"ok": ok, "findings": all}), &text);
    Ok(if ok { 0 } else { 2 })
}
