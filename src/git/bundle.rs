//! Commits in one file, for a process that may not push: made here, and taken out again by one that believes nothing of it.
//! What is taken out stands under a reference of its own until it is judged; no branch moves here.

use std::path::Path;

use super::call::Call;
use super::names::CommitId;
use super::{IssueSpace, Result, Tree, Workspace};

/// How much of a list of git is read, in bytes.
const LONGEST_LIST: usize = 8 << 20;

/// More records than these no process makes.
const MOST_RECORDS: usize = 100;

/// A commit with those before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    pub commit: CommitId,
    pub parents: Vec<CommitId>,
}

impl IssueSpace {
    /// Writes the run's branch, from a commit on that others have, into a file, with the files of a phase under way.
    pub fn bundle(&self, base: &CommitId, file: &Path) -> Result<()> {
        let call = Call::new(["bundle", "create", "--quiet"]).arg(file);
        let work = self.keeps_work()?.then(|| self.work_reference());
        let call = call.arg(format!("refs/heads/{}", self.branch())).args(work).arg(format!("^{base}"));
        self.workspace.git(&call).map(drop)
    }

    /// Returns the name under which a bundle is looked at.
    fn handed_reference(&self) -> String {
        format!("refs/ai-workflow-bundle/issue-{}", self.issue)
    }

    /// Takes the run's branch out of a bundle. Git looks whether each object is whole and well formed, and whether it has
    /// what the bundle builds on.
    pub fn unbundle(&self, file: &Path) -> Result<CommitId> {
        self.workspace.git(&Call::new(["bundle", "verify", "--quiet"]).arg(file))?;
        let to = self.handed_reference();
        let call = Call::new(["fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--refmap="]);
        let call = call.setting("fetch.fsckObjects=true").setting("fetch.unpackLimit=1");
        let call = call.setting("protocol.file.allow=always").arg("--").arg(file);
        self.workspace.git(&call.arg(format!("+refs/heads/{}:{to}", self.branch())))?;
        let call = Call::new(["rev-parse", "--verify", "--end-of-options", &format!("{to}^{{commit}}")]);
        Ok(CommitId::try_from(self.workspace.git(&call.reading())?.text().trim())?)
    }

    /// Tells whether the run's branch is a commit and nothing on top but commits, each on the one before, that touch the
    /// run's folder alone.
    pub fn has_only_records_on(&self, commit: &CommitId) -> Result<bool> {
        let Some(branch) = self.workspace.branch(&self.branch())? else { return Ok(false) };
        let mut at = commit.clone();
        for step in self.workspace.steps(commit, &branch.tip, MOST_RECORDS)? {
            if step.parents != [at] {
                return Ok(false);
            }
            let changed = self.changed_between(&step.parents[0].as_tree(), &step.commit.as_tree())?;
            if !changed.iter().all(|path| self.is_of_run(path)) {
                return Ok(false);
            }
            at = step.commit;
        }
        Ok(at == branch.tip)
    }

    /// Forgets what was taken out of a bundle.
    pub fn forget_bundle(&self) -> Result<()> {
        self.workspace.git(&Call::new(["update-ref", "-d", &self.handed_reference()])).map(drop)
    }
}

impl Workspace {
    /// Returns the names and commits that a bundle says it holds.
    pub fn heads_of_bundle(&self, file: &Path) -> Result<Vec<(String, String)>> {
        let call = Call::new(["bundle", "list-heads"]).arg(file).at_most(LONGEST_LIST).reading();
        let head = |line: &str| line.split_once(' ').map(|(id, name)| (name.to_owned(), id.to_owned()));
        Ok(self.git(&call)?.text().lines().filter_map(head).collect())
    }

    /// Returns the commits after one up to another, oldest first, at most so many.
    pub fn steps(&self, after: &CommitId, to: &CommitId, most: usize) -> Result<Vec<Step>> {
        let call = Call::new(["rev-list", "--topo-order", "--parents", &format!("--max-count={most}")]);
        let call = call.args([to.as_str(), &format!("^{after}"), "--"]).reading();
        let output = self.git(&call)?;
        let step = |line: &str| {
            let mut ids = line.split(' ').map(CommitId::try_from);
            Ok(Step {
                commit: ids.next().ok_or_else(|| output.unexpected(&call))??,
                parents: ids.collect::<std::result::Result<_, _>>()?,
            })
        };
        let mut steps = output.text().lines().map(step).collect::<Result<Vec<_>>>()?;
        steps.reverse();
        Ok(steps)
    }

    /// Returns how many objects a commit, or a tree, has that a commit before it does not have, and how many bytes they are unpacked.
    pub fn weight(&self, after: &CommitId, to: &Tree) -> Result<(usize, u64)> {
        let call = Call::new(["rev-list", "--objects", "--no-object-names"]);
        let listed = self.git(&call.args([to.as_str(), &format!("^{after}"), "--"]).reading())?;
        let call = Call::new(["cat-file", "--batch-check=%(objectsize)"]).fed_with(listed.stdout).reading();
        let sizes = self.git(&call)?.text();
        let sizes: Vec<u64> = sizes.lines().filter_map(|line| line.trim().parse().ok()).collect();
        Ok((sizes.len(), sizes.iter().fold(0, |sum, size| sum.saturating_add(*size))))
    }

    /// Tells how large a file of a commit is, in bytes; nothing when it is not there.
    pub fn size_at(&self, commit: &CommitId, path: &str) -> Result<Option<u64>> {
        let call = Call::new(["cat-file", "--batch-check=%(objecttype) %(objectsize)"]).reading();
        let answer = self.git(&call.fed_with(format!("{commit}:{path}\n")))?.text();
        Ok(answer.trim().strip_prefix("blob ").and_then(|size| size.parse().ok()))
    }

    /// Returns the tree before a commit with one parent, and its own.
    pub fn sides_of(step: &Step) -> Option<(Tree, Tree)> {
        let [parent] = step.parents.as_slice() else { return None };
        Some((parent.as_tree(), step.commit.as_tree()))
    }
}
