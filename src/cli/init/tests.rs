//! What may stand in a workflow, and the workflow of this repository.

use super::*;

const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";

#[test]
fn actions_not_pinned_to_a_commit_are_refused() {
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
fn labels_and_bot_names_with_expressions_or_quotes_are_refused() {
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
fn workflow_file_of_this_repository_equals_the_generated_one() {
    let own = include_str!("../../../.github/workflows/ai-workflow.yml");
    let beside = "./ # zizmor: ignore[self-repository] this form is known to every server";
    assert_eq!(own, filled(ONE_JOB, beside, "ai-workflow", &[]));
}
