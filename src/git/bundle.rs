//! Commits in one file, for a process that may not push: made here, and taken out again by one that believes nothing of it.
//! What is taken out stands under a reference of its own until it is judged; no branch moves here.

use std::path::Path;

use crate::call::Call;
use crate::work::UncommittedWork;
use crate::workspace::Workspace;
use crate::{CommitId, Result};

/// How much of a list of git is read, in bytes.
const LONGEST_LIST: usize = 8 << 20;

/// The bundles of a run.
#[derive(Debug, Clone)]
pub struct Bundles<'a> {
    pub(crate) workspace: &'a Workspace,
    pub(crate) branch: String,
    pub(crate) work: UncommittedWork<'a>,
}

impl Bundles<'_> {
    /// Writes the run's branch, from a commit on that others have, into a file, with the files of a phase under way.
    pub fn create(&self, base: &CommitId, file: &Path) -> Result<()> {
        let call = Call::new(["bundle", "create", "--quiet"]).arg(file);
        let work = if self.work.is_kept()? { Some(self.work.reference()) } else { None };
        let call = call.arg(format!("refs/heads/{}", self.branch)).args(work).arg(format!("^{base}"));
        self.workspace.run(&call).map(drop)
    }

    /// Returns the names and commits that a bundle says it holds.
    pub fn heads(&self, file: &Path) -> Result<Vec<(String, String)>> {
        let call = Call::new(["bundle", "list-heads"]).arg(file).at_most(LONGEST_LIST).read_only();
        let head = |line: &str| line.split_once(' ').map(|(id, name)| (name.to_owned(), id.to_owned()));
        Ok(self.workspace.run(&call)?.text().lines().filter_map(head).collect())
    }

    /// Takes the run's branch out of a bundle. Git looks whether each object is whole and well formed, and whether it has
    /// what the bundle builds on.
    pub fn fetch(&self, file: &Path) -> Result<CommitId> {
        self.workspace.run(&Call::new(["bundle", "verify", "--quiet"]).arg(file))?;
        let to = self.fetched_reference();
        let call = Call::new(["fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--refmap="]);
        let call = call.setting("fetch.fsckObjects=true").setting("fetch.unpackLimit=1");
        let call = call.setting("protocol.file.allow=always").arg("--").arg(file);
        self.workspace.run(&call.arg(format!("+refs/heads/{}:{to}", self.branch)))?;
        self.workspace.ask(["rev-parse", "--verify", "--end-of-options", &format!("{to}^{{commit}}")])?.id()
    }

    /// Forgets what was taken out of a bundle.
    pub fn forget(&self) -> Result<()> {
        self.workspace.change(["update-ref", "-d", &self.fetched_reference()])
    }

    /// Returns the name under which a bundle is looked at.
    fn fetched_reference(&self) -> String {
        format!("refs/ai-workflow-bundle/issue-{}", self.work.issue)
    }
}
