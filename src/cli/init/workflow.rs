//! The workflow that a repository gets: a text of ours with a few values in it, each checked so that it can be nothing else.

use regex::Regex;

use app::failure::Failure;

/// Where a repository keeps it.
pub(super) const PATH: &str = ".github/workflows/ai-workflow.yml";

const ONE_JOB: &str = include_str!("ai-workflow.yml");
/// The agents in a job that can only read.
const TWO_JOBS: &str = include_str!("ai-workflow-two-job.yml");

/// `OWNER/NAME@COMMIT`.
const PINNED: &str = r"^[A-Za-z0-9][A-Za-z0-9_.-]*/[A-Za-z0-9][A-Za-z0-9_.-]*@[0-9a-f]{40}$";
/// A label without spaces around it; GitHub takes at most 50 characters.
const LABEL: &str =
    r"^[\p{Alphabetic}\p{N}_.:/-]([\p{Alphabetic}\p{N}_.:/ -]{0,48}[\p{Alphabetic}\p{N}_.:/-])?$";
/// The login of a person or of a program.
const LOGIN: &str = r"^[A-Za-z0-9_-]+(\[bot\])?$";

/// Returns the workflow for an action, pinned by its commit, the label that starts runs, and those who are named.
pub(super) fn workflow(
    action: &str,
    label: &str,
    named: &[String],
    two_jobs: bool,
) -> Result<String, Failure> {
    if !matches(PINNED, action) {
        return Err(Failure::usage(format!("`{action}` is not OWNER/NAME@COMMIT")).hint(
            "a commit has 40 hexadecimal digits; a tag or a branch could be moved to other code later",
        ));
    }
    if !matches(LABEL, label) {
        return Err(Failure::usage(format!("the label `{label}` cannot stand in a workflow"))
            .hint("use letters, digits, spaces and `-_.:/` in `[github] trigger_label`"));
    }
    if let Some(bad) = named.iter().find(|login| !matches(LOGIN, login)) {
        return Err(Failure::usage(format!("the account `{bad}` cannot stand in a workflow"))
            .hint("a login has letters, digits and hyphens, and a program's ends with `[bot]`")
            .hint("correct `[github] allowed_actors`"));
    }
    Ok(filled(if two_jobs { TWO_JOBS } else { ONE_JOB }, action, label, named))
}

fn filled(template: &str, action: &str, label: &str, named: &[String]) -> String {
    let named = serde_json::json!(named).to_string();
    template.replace("@ACTION@", action).replace("@LABEL@", label).replace("@NAMED@", &named)
}

fn matches(pattern: &str, text: &str) -> bool {
    Regex::new(pattern).expect("the pattern is a constant").is_match(text)
}

#[cfg(test)]
mod tests;
