//! The files of a phase that is under way, for another machine: no commit of the branch has them yet. They travel under a
//! reference of their own that is no branch, is replaced each time, and is gone when the run is completed.

use super::call::Call;
use super::kept::listing;
use super::names::{CommitId, check_branch_name};
use super::publish::Credentials;
use super::{IssueSpace, Result, Tree};
use model::redact::Masked;

/// The tree that says how the files are; the others are what it is compared with.
const NEWEST: &str = "00";

impl IssueSpace {
    /// Returns the name under which the work travels. It ends differently from the branch's, which git would take it for.
    pub fn work_reference(&self) -> String {
        format!("refs/ai-workflow-work/issue-{}", self.issue)
    }

    /// Sends trees to a remote, the newest first. Nothing of it stays here under a name.
    pub fn send_work(
        &self,
        remote: &str,
        trees: &[Tree],
        message: &Masked,
        credentials: Option<&Credentials>,
    ) -> Result<()> {
        let commit = self.pack_work(trees, message)?;
        self.push_work(remote, Some(&commit), credentials)
    }

    /// Keeps trees here under their name, for whoever may send them.
    pub fn keep_work(&self, trees: &[Tree], message: &Masked) -> Result<()> {
        let commit = self.pack_work(trees, message)?;
        self.workspace.git(&Call::new(["update-ref", &self.work_reference(), commit.as_str()])).map(drop)
    }

    /// Tells whether trees are kept here.
    pub(super) fn keeps_work(&self) -> Result<bool> {
        let call = Call::new(["rev-parse", "--verify", "--quiet", &self.work_reference()]).reading();
        Ok(self.workspace.try_git(&call)?.succeeded())
    }

    /// Keeps them no longer.
    pub fn drop_work(&self) -> Result<()> {
        self.workspace.git(&Call::new(["update-ref", "-d", &self.work_reference()])).map(drop)
    }

    fn pack_work(&self, trees: &[Tree], message: &Masked) -> Result<CommitId> {
        let made = self.workspace.git(&listing(trees))?;
        let call = Call::new(["commit-tree", "-F", "-", made.text().trim()]).fed_with(message.as_str());
        Ok(CommitId::try_from(self.workspace.git(&call)?.text().trim())?)
    }

    /// Takes the work away from a remote.
    pub fn recall_work(&self, remote: &str, credentials: Option<&Credentials>) -> Result<()> {
        self.push_work(remote, None, credentials)
    }

    /// Puts a commit under the work's name, or takes the name away.
    fn push_work(
        &self,
        remote: &str,
        commit: Option<&CommitId>,
        credentials: Option<&Credentials>,
    ) -> Result<()> {
        check_branch_name(remote)?;
        let reference = self.work_reference();
        let what = commit.map_or_else(|| format!(":{reference}"), |commit| format!("+{commit}:{reference}"));
        let mut call = Call::new(["push", "--quiet", "--no-verify", "--no-follow-tags"]).over_network();
        if let Some(credentials) = credentials {
            call = call.setting(&credentials.setting());
        }
        let call = call.args(["--", remote]).arg(what);
        let output = self.workspace.try_git(&call)?;
        let is_there =
            || self.workspace.has_arrived(&output, remote, (reference.as_str(), commit), credentials);
        if output.succeeded() || is_there() { Ok(()) } else { Err(output.remote_failure(&call)) }
    }

    /// Fetches the work of another machine; tells whether there is any.
    pub fn fetch_work(&self, remote: &str, credentials: Option<&Credentials>) -> Result<bool> {
        let reference = self.work_reference();
        self.workspace.fetch_one(remote, &format!("+{reference}:{reference}"), credentials)
    }

    /// Brings the files to where another machine left them; tells whether what was fetched is that tree.
    pub fn unpack_work(&self, tree: &Tree) -> Result<bool> {
        let reference = self.work_reference();
        let call = Call::new(["rev-parse", "--verify", &format!("{reference}:{NEWEST}")]).reading();
        let is_it = self.workspace.git(&call)?.text().trim() == tree.as_str();
        if is_it {
            self.restore(tree)?;
        }
        self.workspace.git(&Call::new(["update-ref", "-d", &reference]))?;
        Ok(is_it)
    }

    /// Tells whether the files were seen as this tree on this machine, lately.
    pub fn has_seen(&self, tree: &Tree) -> bool {
        self.snapshots_dir().join(format!("{tree}.index")).exists()
    }

    /// Tells whether a tree is on this machine.
    pub fn knows(&self, tree: &Tree) -> Result<bool> {
        let call = Call::new(["cat-file", "-e", &format!("{tree}^{{tree}}")]).reading();
        Ok(self.workspace.try_git(&call)?.succeeded())
    }
}
