//! What the worktree is like before a run: where HEAD stands, what is changed, what lies around, what is unfinished.
//! Judges nothing: whether a dirty tree is refused is the caller's.

use super::call::Call;
use super::names::Head;
use super::status::{self, Entry, Kind};
use super::{Error, Result, Workspace};

/// The worktree as a run finds it. Nothing under `.ai-workflow/` counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Survey {
    pub head: Head,
    /// Tracked files that are changed, staged or not.
    pub changed: Vec<String>,
    /// Those of them that a merge left with both sides.
    pub unmerged: Vec<String>,
    /// Untracked files; they are nobody's business and never committed.
    pub strays: Vec<String>,
    /// Repositories inside the worktree that are not submodules; their content is left alone.
    pub nested: Vec<String>,
    /// Submodules that stand on another commit than the one recorded.
    pub moved_submodules: Vec<String>,
    /// The repository has submodules; they are neither initialised nor committed.
    pub has_submodules: bool,
    /// A merge, rebase or the like that was begun and not ended.
    pub in_progress: Option<&'static str>,
    /// Names that are not UTF-8, escaped; such files are left alone.
    pub unreadable: Vec<String>,
}

impl Survey {
    /// Tells whether nothing of the user's could be mixed up with a run's work.
    pub fn is_clean(&self) -> bool {
        self.changed.is_empty() && self.in_progress.is_none()
    }
}

impl Workspace {
    /// Looks at the worktree, with one git process.
    pub fn survey(&self) -> Result<Survey> {
        let status = self.status(&status::call().arg("--ignore-submodules=dirty").reading())?;
        let mut survey = Survey {
            head: status.head,
            changed: Vec::new(),
            unmerged: Vec::new(),
            strays: Vec::new(),
            nested: Vec::new(),
            moved_submodules: Vec::new(),
            has_submodules: self.root.join(".gitmodules").exists(),
            in_progress: self.in_progress(),
            unreadable: status.unreadable,
        };
        let is_ours = |entry: &Entry| entry.path.starts_with(".ai-workflow/") || entry.is_staged_cache();
        for entry in status.entries.into_iter().filter(|entry| !is_ours(entry)) {
            if entry.kind == Kind::Unmerged {
                survey.unmerged.push(entry.path.clone());
            }
            let list = match entry.kind {
                Kind::Untracked if entry.path.ends_with('/') => &mut survey.nested,
                Kind::Untracked => &mut survey.strays,
                Kind::Submodule => &mut survey.moved_submodules,
                Kind::Unmerged | Kind::Tracked { .. } => &mut survey.changed,
            };
            list.push(entry.path);
        }
        Ok(survey)
    }

    /// Returns what was begun in this worktree and not ended, without a process.
    pub fn in_progress(&self) -> Option<&'static str> {
        const TRACES: [(&str, &str); 5] = [
            ("rebase-merge", "rebase"),
            ("rebase-apply", "rebase"),
            ("MERGE_HEAD", "merge"),
            ("CHERRY_PICK_HEAD", "cherry-pick"),
            ("REVERT_HEAD", "revert"),
        ];
        TRACES.iter().find(|(trace, _)| self.git_dir.join(trace).exists()).map(|(_, what)| *what)
    }

    /// Checks that git knows who commits.
    pub fn identity(&self) -> Result<()> {
        let call = Call::new(["var", "GIT_COMMITTER_IDENT"]).reading();
        let output = self.try_git(&call)?;
        if output.succeeded() { Ok(()) } else { Err(Error::NoIdentity { detail: reason(&output.errors()) }) }
    }
}

/// The advice that git adds is ours to give.
fn reason(errors: &str) -> String {
    let fatal = errors.lines().rev().find_map(|line| line.strip_prefix("fatal: "));
    fatal.unwrap_or("no name or address is set").to_owned()
}
