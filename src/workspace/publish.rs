//! What leaves the run's branch for others: a push, one commit out of many, commits taken back.
//! History that others may have is never rewritten here without being asked for by name.

use super::call::Call;
use super::names::{CommitId, check_branch_name};
use super::output::Output;
use super::{Error, IssueSpace, Result, Workspace};
use crate::redact::Masked;

impl Workspace {
    /// Pushes a branch under its own name. With a lease it may replace exactly that commit, else it only adds.
    /// The call lasts as long as the network takes; a caller that cannot wait runs it in a thread.
    pub fn push(&self, remote: &str, branch: &str, lease: Option<&CommitId>) -> Result<()> {
        check_branch_name(remote)?;
        check_branch_name(branch)?;
        let mut call = Call::new(["push", "--porcelain", "--no-verify", "--no-follow-tags"]).over_network();
        if let Some(lease) = lease {
            call = call.arg(format!("--force-with-lease=refs/heads/{branch}:{lease}"));
        }
        let call = call.args(["--", remote]).arg(format!("refs/heads/{branch}:refs/heads/{branch}"));
        let output = self.try_git(&call)?;
        if output.succeeded() { Ok(()) } else { Err(push_failure(remote, branch, &output)) }
    }

    /// Puts every file outside `.ai-workflow/` back to what a commit has, and returns the paths that differed from HEAD.
    pub fn take_back(&self, to: &CommitId) -> Result<Vec<String>> {
        let call =
            Call::new(["diff", "--name-only", "--no-renames", "-z", to.as_str(), "HEAD", "--"]).reading();
        let is_code = |path: &str| !path.is_empty() && !path.starts_with(".ai-workflow/");
        let listed = self.git(&call)?;
        let paths: Vec<String> =
            listed.text().split('\0').filter(|path| is_code(path)).map(str::to_owned).collect();
        if !paths.is_empty() {
            let source = format!("--source={to}");
            let call = Call::new([
                "--literal-pathspecs",
                "restore",
                "--worktree",
                &source,
                "--pathspec-from-file=-",
                "--pathspec-file-nul",
            ]);
            self.git(&call.fed_with_paths(paths.iter().map(String::as_str)))?;
        }
        Ok(paths)
    }
}

impl IssueSpace {
    /// Makes one commit on the base out of the run's branch and moves the branch there.
    /// The commit is complete before the branch moves, and it moves only if nobody else moved it.
    pub fn squash(&self, base: &CommitId, tip: &CommitId, message: &Masked) -> Result<CommitId> {
        let tree = format!("{tip}^{{tree}}");
        let mut call = Call::new(["commit-tree", "-p", base.as_str(), "-F", "-"]).asking_person();
        if self.signs()? {
            call = call.arg("-S");
        }
        let call = call.arg(tree).fed_with(message.as_str());
        let output = self.workspace.git(&call)?;
        let commit = CommitId::try_from(output.text().trim()).map_err(|_| output.unexpected(&call))?;
        let reference = format!("refs/heads/{}", self.branch());
        let call =
            Call::new(["update-ref", "-m", "ai-workflow: squash", &reference, commit.as_str(), tip.as_str()]);
        self.workspace.git(&call)?;
        Ok(commit)
    }

    /// `git commit-tree` does not look at the user's wish by itself.
    fn signs(&self) -> Result<bool> {
        let call = Call::new(["config", "--type=bool", "--get", "commit.gpgSign"]).reading();
        Ok(self.workspace.try_git(&call)?.text().trim() == "true")
    }
}

fn push_failure(remote: &str, branch: &str, output: &Output) -> Error {
    let (remote, branch, detail) = (remote.to_owned(), branch.to_owned(), output.last_words());
    let moved = ["non-fast-forward", "fetch first", "stale info"];
    let said = output.text() + &output.errors();
    if moved.iter().any(|words| said.contains(words)) {
        return Error::RemoteMoved { branch, remote, detail };
    }
    Error::PushFailed { branch, remote, detail }
}
