//! The built-in templates by path; the paths are those under which a repository may put its own.

/// Reads the templates of folders under `prompts/` into pairs of path and text.
macro_rules! templates {
    ($($folder:literal: $($name:literal)+;)+) => {
        &[$($((
            concat!($folder, "/", $name, ".md"),
            include_str!(concat!("../prompts/", $folder, "/", $name, ".md")),
        ),)+)+]
    };
}

/// Every built-in template: its path under `prompts/`, and its text.
pub const EMBEDDED: &[(&str, &str)] = templates! {
    "planning": "execute" "review" "revise";
    "requirements": "execute" "review" "revise";
    "design": "execute" "review" "revise";
    "test_scenario": "execute" "review" "revise";
    "document_review": "review" "triage";
    "implementation": "execute" "review" "revise";
    "test_implementation": "execute" "review" "revise";
    "testing": "execute" "review" "revise";
    "documentation": "execute" "review" "revise";
    "report": "execute" "review" "revise";
    "evaluation": "execute" "review" "revise";
    "shared": "answer" "author" "author_contract" "data" "deliverable" "demands" "difficulty" "execute" "head" "judge"
        "mandatory_rules" "material" "modification" "modification_details" "modification_ja" "notices" "opening"
        "answer_form" "output_schema" "own_words" "repair" "retry" "review" "reviewer" "reviewer_contract" "revise"
        "sources" "viewpoints" "verdict_form";
    "retry": "answer-form" "answer-format" "commit-message-vague" "command-unavailable" "issue-open"
        "remote-checks-failed" "command-failed" "fewer-tests" "no-code-change" "no-decision" "no-deliverable"
        "no-tests-written" "no-tests-run" "binaries-added" "conflict-markers" "links-astray" "modes-changed"
        "no-scope" "noted-changed" "out-of-scope" "patch-too-large" "plan-changed" "protected-changed" "scratch-files"
        "secret-in-diff" "snapshots-changed" "staged" "suspect" "submodules-changed" "tests-failed"
        "tests-prove-nothing" "tests-weakened" "trivial-diff"
        "document-changed" "early-termination" "escape-phrase" "file-missing" "goal-drift"
        "invalid-completion-statement" "missing-checklist" "no-evidence" "omission" "premature-completion"
        "scope-reduction" "syntax-error" "tasks-open" "tautological-test" "template-error" "test-isolation"
        "todo-left" "untraceable-test";
    "steps/retry/issue": "f_failed" "f_failed_file-not-exists" "f_failed_format-error" "f_failed_git-dirty"
        "f_failed_lint-error" "f_failed_test-failed" "f_failed_type-error";
};
