//! The workflow that a repository gets: a text of ours with a few values in it, each checked so that it can be nothing else.

use app::failure::Failure;

/// Where a repository keeps it.
pub(super) const PATH: &str = ".github/workflows/ai-workflow.yml";

const ONE_JOB: &str = include_str!("ai-workflow.yml");
/// The agents in a job that can only read.
const TWO_JOBS: &str = include_str!("ai-workflow-two-job.yml");

/// The longest label GitHub takes, in characters.
const LONGEST_LABEL: usize = 50;

/// Returns the workflow for an action, pinned by its commit, the label that starts runs, and those who are named.
pub(super) fn workflow(
    action: &str,
    label: &str,
    named: &[String],
    two_jobs: bool,
) -> Result<String, Failure> {
    if !is_pinned(action) {
        return Err(Failure::usage(format!("`{action}` is not OWNER/NAME@COMMIT")).hint(
            "a commit has 40 hexadecimal digits; a tag or a branch could be moved to other code later",
        ));
    }
    if !is_plain(label) {
        return Err(Failure::usage(format!("the label `{label}` cannot stand in a workflow"))
            .hint("use letters, digits, spaces and `-_.:/` in `[github] trigger_label`"));
    }
    if let Some(bad) = named.iter().find(|login| !is_login(login)) {
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

fn is_login(login: &str) -> bool {
    let name = login.strip_suffix("[bot]").unwrap_or(login);
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c))
}

fn is_pinned(action: &str) -> bool {
    let plain = |part: &str| {
        let good = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        part.starts_with(|c: char| c.is_ascii_alphanumeric()) && part.chars().all(good)
    };
    let is_commit =
        |commit: &str| commit.len() == 40 && commit.bytes().all(|byte| b"0123456789abcdef".contains(&byte));
    let parts = action.split_once('@').and_then(|(name, commit)| Some((name.split_once('/')?, commit)));
    parts.is_some_and(|((owner, name), commit)| plain(owner) && plain(name) && is_commit(commit))
}

fn is_plain(label: &str) -> bool {
    let good = |c: char| c.is_alphanumeric() || " -_.:/".contains(c);
    (1..=LONGEST_LABEL).contains(&label.chars().count()) && label.trim() == label && label.chars().all(good)
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";

    #[test]
    fn w_07_an_action_is_pinned_by_its_commit_or_refused() {
        assert!(workflow(&format!("octo/ai-workflow@{COMMIT}"), "ai-workflow", &[], false).is_ok());
        for bad in [
            "octo/ai-workflow@v1".to_owned(),
            "octo/ai-workflow@main".to_owned(),
            format!("octo/ai-workflow@{}", &COMMIT[..39]),
            format!("octo/ai-workflow@{}", COMMIT.to_uppercase()),
            format!("ai-workflow@{COMMIT}"),
            format!("octo/a/b@{COMMIT}"),
            format!("octo/..@{COMMIT}"),
            format!("octo/a\n  b@{COMMIT}"),
            "./".to_owned(),
            String::new(),
        ] {
            assert!(workflow(&bad, "ai-workflow", &[], true).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn w_01_a_label_is_a_label_and_nothing_else() {
        let action = format!("octo/ai-workflow@{COMMIT}");
        assert!(workflow(&action, "自動: ai/run", &[], true).is_ok());
        for bad in ["", " a", "a' || true || 'b", "${{ github.token }}", "a\nb", "a\"b", &"x".repeat(51)] {
            assert!(workflow(&action, bad, &[], true).is_err(), "{bad:?}");
        }
        for bad in ["", "[bot]", "a' || true || 'b", "a\"b", "a b", "${{ github.token }}"] {
            assert!(workflow(&action, "ai-workflow", &[bad.to_owned()], true).is_err(), "{bad:?}");
        }
    }

    /// One text for everybody: this repository uses what others get, and names the action beside it.
    #[test]
    fn this_repository_uses_the_workflow_that_others_get() {
        let own = include_str!("../../../.github/workflows/ai-workflow.yml");
        let beside = "./ # zizmor: ignore[self-repository] this form is known to every server";
        assert_eq!(own, filled(ONE_JOB, beside, "ai-workflow", &[]));
    }
}
