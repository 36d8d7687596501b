//! Which files under `.ai-workflow/` are the engine's own: they change with every fact, so no tree, no approval and no
//! undoing is about them. What a phase delivers (`NN_phase/output/`) and what people wrote (settings, prompts) is not ours.

use std::fs;
use std::path::Path;

use model::issue::IssueNumber;
use model::phase::is_answer_document;

/// The files at the top of a run's folder that are committed.
const COMMITTED: [&str; 4] = ["events.jsonl", "metadata.json", "review-result.json", ".gitattributes"];

/// The files of one run in the worktree: what lies in `.ai-workflow/issue-N/`.
#[derive(Debug, Clone, Copy)]
pub struct RunFiles {
    pub(crate) issue: IssueNumber,
}

impl RunFiles {
    /// Tells whether a path of the worktree is in the folder of this run. The folders of other runs are published as any
    /// file is.
    pub fn contains(self, path: &str) -> bool {
        path.strip_prefix(&self.folder()).is_some_and(|inside| inside.len() > 1 && inside.starts_with('/'))
    }

    /// Tells whether a path is one of our settings. People write them, the person who continues the run has accepted them,
    /// and no phase commits them.
    pub fn is_setting(self, path: &str) -> bool {
        path.starts_with(".ai-workflow/") && !self.contains(path)
    }

    /// Returns the path of the run's log.
    pub(crate) fn log(self) -> String {
        format!("{}/events.jsonl", self.folder())
    }

    /// Returns what git leaves out when it is not to show the engine's own files. A tree holds them as they
    /// were when the run began.
    pub(crate) fn exclude_own_files(self) -> Vec<String> {
        let folder = self.folder();
        let mut own =
            [".gitignore", "local/**", "tmp/**"].map(|inside| format!(".ai-workflow/{inside}")).to_vec();
        own.push(format!("{folder}/*"));
        for round in ["[0-9]", "[0-9][0-9]", "[0-9][0-9][0-9]"] {
            let answers =
                [format!("document-review-{round}.md"), format!("document-review-{round}-reply.md")];
            own.extend(answers.map(|name| format!("{folder}/*/output/{name}")));
        }
        own.iter().map(|pattern| format!(":(exclude,top,glob){pattern}")).collect()
    }

    /// Returns what git leaves out when it is to show neither those nor the documents of this run.
    pub(crate) fn exclude_run_folder(self) -> Vec<String> {
        vec![format!(":(exclude,top,glob){}/**", self.folder())]
    }

    /// Tells whether a path is to be committed even where git ignores it: the log, the views, the attributes of all these files,
    /// and what a phase delivers. No name in that begins with a dot.
    pub(crate) fn is_delivered(self, path: &str) -> bool {
        let Some(inside) = path.strip_prefix(&self.folder()).and_then(|path| path.strip_prefix('/')) else {
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

    /// Returns the files that are to be committed and that git does not list because it ignores them. `ignored` are the paths
    /// that git ignores.
    pub(crate) fn find_ignored_deliverables(self, root: &Path, ignored: &[String]) -> Vec<String> {
        let folder = format!("{}/", self.folder());
        let is_near = |entry: &&String| {
            entry.starts_with(&folder) || (entry.ends_with('/') && folder.starts_with(entry.as_str()))
        };
        let near: Vec<&String> = ignored.iter().filter(is_near).collect();
        let mut found = Vec::new();
        if !near.is_empty() && !is_behind_link(root, &format!("{folder}x")) {
            list_files_below(root, &self.folder(), &mut found);
        }
        let is_ignored = |path: &str| {
            near.iter()
                .any(|entry| *entry == path || (entry.ends_with('/') && path.starts_with(entry.as_str())))
        };
        found.retain(|path| self.is_delivered(path) && is_ignored(path));
        found
    }

    pub(crate) fn folder(self) -> String {
        format!(".ai-workflow/issue-{}", self.issue)
    }
}

/// Lists the files and links below a folder. A folder that cannot be read is left out.
fn list_files_below(root: &Path, folder: &str, found: &mut Vec<String>) {
    for entry in fs::read_dir(root.join(folder)).into_iter().flatten().flatten() {
        let (Ok(kind), Ok(name)) = (entry.file_type(), entry.file_name().into_string()) else { continue };
        let path = format!("{folder}/{name}");
        if kind.is_dir() {
            list_files_below(root, &path, found);
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
        Some(folder) if is_issue_folder(folder) => !is_deliverable(parts),
        _ => false,
    }
}

fn is_issue_folder(name: &str) -> bool {
    let digits = name.strip_prefix("issue-").unwrap_or_default();
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// The documents that are made from the answers of a review are written by the engine itself.
fn is_deliverable<'a>(mut parts: impl Iterator<Item = &'a str>) -> bool {
    let (_phase, folder, file) = (parts.next(), parts.next(), parts.next());
    let is_answer = parts.next().is_none() && file.is_some_and(is_answer_document);
    folder == Some("output") && file.is_some() && !is_answer
}

/// Tells whether a path leads through a symbolic link, perhaps out of the worktree.
pub(crate) fn is_behind_link(root: &Path, path: &str) -> bool {
    let folders = Path::new(path).ancestors().skip(1);
    folders.filter(|folder| !folder.as_os_str().is_empty()).any(|folder| root.join(folder).is_symlink())
}

#[cfg(test)]
mod tests;
