//! Which files under `.ai-workflow/` are the engine's own: they change with every fact, so no tree, no approval and no
//! undoing is about them. What a phase delivers (`NN_phase/output/`) and what people wrote (settings, prompts) is not ours.

use std::fs;
use std::path::Path;

use super::IssueSpace;
use super::snapshot::is_behind_link;

/// The files at the top of a run's folder that are committed.
const COMMITTED: [&str; 3] = ["events.jsonl", "metadata.json", "review-result.json"];

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

    /// Tells whether a path is meant for the branch, whatever git ignores: the log, the views, and what a phase delivers. No
    /// name in it begins with a dot.
    pub(super) fn is_delivered(&self, path: &str) -> bool {
        let Some(inside) = path.strip_prefix(&self.own_folder()).and_then(|path| path.strip_prefix('/'))
        else {
            return false;
        };
        let parts: Vec<&str> = inside.split('/').collect();
        match parts.as_slice() {
            [file] => COMMITTED.contains(file),
            [_, "output", rest @ ..] => {
                !rest.is_empty() && rest.iter().all(|part| !part.starts_with('.') && *part != "tmp")
            }
            _ => false,
        }
    }

    /// Returns the files that are meant for the branch and not known to git, because it ignores them. `ignored` is what it
    /// says that it ignores.
    pub(super) fn delivered_and_ignored(&self, ignored: &[String]) -> Vec<String> {
        let folder = format!("{}/", self.own_folder());
        let is_near = |entry: &&String| {
            entry.starts_with(&folder) || (entry.ends_with('/') && folder.starts_with(entry.as_str()))
        };
        let near: Vec<&String> = ignored.iter().filter(is_near).collect();
        let mut found = Vec::new();
        if !near.is_empty() && !is_behind_link(&self.workspace.root, &format!("{folder}x")) {
            files_below(&self.workspace.root, &self.own_folder(), &mut found);
        }
        let is_ignored = |path: &str| {
            near.iter()
                .any(|entry| *entry == path || (entry.ends_with('/') && path.starts_with(entry.as_str())))
        };
        found.retain(|path| self.is_delivered(path) && is_ignored(path));
        found
    }

    fn own_folder(&self) -> String {
        format!(".ai-workflow/issue-{}", self.issue)
    }
}

/// Lists the files and links below a folder. What cannot be read is not there.
fn files_below(root: &Path, folder: &str, found: &mut Vec<String>) {
    for entry in fs::read_dir(root.join(folder)).into_iter().flatten().flatten() {
        let (Ok(kind), Ok(name)) = (entry.file_type(), entry.file_name().into_string()) else { continue };
        let path = format!("{folder}/{name}");
        if kind.is_dir() {
            files_below(root, &path, found);
        } else if kind.is_file() || kind.is_symlink() {
            found.push(path);
        }
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
