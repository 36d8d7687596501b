//! Which files under `.ai-workflow/` are the engine's own: they change with every fact, so no tree, no approval and no
//! undoing is about them. What a phase delivers (`NN_phase/output/`) and what people wrote (settings, prompts) is not ours.

use super::IssueSpace;

impl IssueSpace {
    /// Tells whether a path of the worktree is in the folder of this run. What lies in those of others is published as
    /// any file is.
    pub fn is_of_run(&self, path: &str) -> bool {
        path.strip_prefix(&self.own_folder())
            .is_some_and(|inside| inside.len() > 1 && inside.starts_with('/'))
    }

    /// Tells whether a path is one of our settings: they are people's, who goes on has vouched for them, and no phase commits them.
    pub fn is_setting(&self, path: &str) -> bool {
        path.starts_with(".ai-workflow/") && !self.is_of_run(path)
    }

    /// Returns what git leaves out when it is not to show the engine's own files. A tree holds them as they
    /// were when the run began.
    pub(super) fn without_own_files(&self) -> Vec<String> {
        let folder = self.own_folder();
        let of_run = ["*", "document_review/**"].map(|inside| format!("{folder}/{inside}"));
        let of_all = [".gitignore", "local/**", "tmp/**"].map(|inside| format!(".ai-workflow/{inside}"));
        of_run.iter().chain(&of_all).map(|pattern| format!(":(exclude,top,glob){pattern}")).collect()
    }

    /// Returns what git leaves out when it is to show neither those nor the documents of this run.
    pub(super) fn without_run(&self) -> Vec<String> {
        vec![format!(":(exclude,top,glob){}/**", self.own_folder())]
    }

    fn own_folder(&self) -> String {
        format!(".ai-workflow/issue-{}", self.issue)
    }
}

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
