//! Which files under `.ai-workflow/` are the engine's own: they change with every fact, so no tree, no approval and no
//! undoing is about them. What a phase delivers (`NN_phase/output/`) and what people wrote (settings, prompts) is not ours.

/// What git leaves out when it is not to show the engine's own files. A tree holds them as they were when the run began.
pub(super) const LEFT_OUT: [&str; 5] = [
    ":(exclude,top,glob).ai-workflow/.gitignore",
    ":(exclude,top,glob).ai-workflow/local/**",
    ":(exclude,top,glob).ai-workflow/tmp/**",
    ":(exclude,top,glob).ai-workflow/issue-[0-9]*/*",
    ":(exclude,top,glob).ai-workflow/issue-[0-9]*/document_review/**",
];

/// Tells whether a path of the worktree is one of the engine's own files.
pub fn is_engines_own(path: &str) -> bool {
    let Some(inside) = path.strip_prefix(".ai-workflow/") else { return false };
    let mut parts = inside.split('/');
    match parts.next() {
        Some(".gitignore") => !inside.contains('/'),
        Some("local" | "tmp") => inside.contains('/'),
        Some(folder) if is_issue_folder(folder) => !is_delivered(parts),
        _ => false,
    }
}

fn is_issue_folder(name: &str) -> bool {
    let digits = name.strip_prefix("issue-").unwrap_or_default();
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// The documents of `document_review` are written by the engine itself.
fn is_delivered<'a>(mut parts: impl Iterator<Item = &'a str>) -> bool {
    let (phase, folder, file) = (parts.next(), parts.next(), parts.next());
    phase.is_some_and(|phase| phase != "document_review") && folder == Some("output") && file.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_delivered_and_what_people_wrote_counts() {
        for path in [
            "src/lib.rs",
            ".ai-workflow",
            ".ai-workflow/config.toml",
            ".ai-workflow/prompts/planning/execute.md",
            ".ai-workflow/issue-7/00_planning/output/planning.md",
            ".ai-workflow/issue-7/own_phase/output/a/b.md",
            ".ai-workflow/issue-x/events.jsonl",
            ".ai-workflow/sub/.gitignore",
            "sub/.ai-workflow/issue-7/events.jsonl",
        ] {
            assert!(!is_engines_own(path), "{path}");
        }
    }

    #[test]
    fn what_the_engine_writes_does_not_count() {
        for path in [
            ".ai-workflow/.gitignore",
            ".ai-workflow/local/issues/7.md",
            ".ai-workflow/tmp/x",
            ".ai-workflow/issue-7/events.jsonl",
            ".ai-workflow/issue-7/metadata.json",
            ".ai-workflow/issue-7/.metadata.json.tmp",
            ".ai-workflow/issue-7/review-result.json",
            ".ai-workflow/issue-7/00_planning/execute/round-1/attempt-1/prompt.md",
            ".ai-workflow/issue-7/00_planning/output",
            ".ai-workflow/issue-7/document_review/output/document-review-1.md",
        ] {
            assert!(is_engines_own(path), "{path}");
        }
    }
}
