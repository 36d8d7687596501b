//! Tests of `run_files`.

use super::*;

#[test]
fn deliverables_and_user_files_are_not_engine_files() {
    for path in [
        "src/lib.rs",
        ".ai-workflow",
        ".ai-workflow/config.toml",
        ".ai-workflow/prompts/planning/execute.md",
        ".ai-workflow/issue-7/00_planning/output/planning.md",
        ".ai-workflow/issue-7/own_phase/output/a/b.md",
        ".ai-workflow/issue-7/own_phase/output/a/document-review-1.md",
        ".ai-workflow/issue-7/document_review/output/document-review.md",
        ".ai-workflow/issue-7/own_phase/output/document-review-1-notes.md",
        ".ai-workflow/issue-7/own_phase/output/document-review--reply.md",
        ".ai-workflow/issue-x/events.jsonl",
        ".ai-workflow/sub/.gitignore",
        "sub/.ai-workflow/issue-7/events.jsonl",
    ] {
        assert!(!is_engines_own(path), "{path}");
    }
}

#[test]
fn files_written_by_the_engine_are_recognized() {
    for path in [
        ".ai-workflow/.gitignore",
        ".ai-workflow/local/issues/7.md",
        ".ai-workflow/tmp/x",
        ".ai-workflow/issue-7/events.jsonl",
        ".ai-workflow/issue-7/metadata.json",
        ".ai-workflow/issue-7/.metadata.json.tmp",
        ".ai-workflow/issue-7/review-result.json",
        ".ai-workflow/issue-7/.gitattributes",
        ".ai-workflow/issue-7/00_planning/execute/round-1/attempt-1/prompt.md",
        ".ai-workflow/issue-7/00_planning/output",
        ".ai-workflow/issue-7/document_review/output/document-review-1.md",
        ".ai-workflow/issue-7/own_phase/output/document-review-1.md",
        ".ai-workflow/issue-7/own_phase/output/document-review-12-reply.md",
    ] {
        assert!(is_engines_own(path), "{path}");
    }
}
