//! What leaves the run's branch for others: a push, one commit out of many, commits taken back.
//! History that others may have is never rewritten here without being asked for by name.

use super::call::Call;
use super::names::{CommitId, check_branch_name};
use super::output::Output;
use super::{Error, IssueSpace, Result, Workspace};
use model::redact::Masked;

/// A token for one server, by the name of its variable: its value is on no command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Credentials {
    /// Scheme and host, such as `https://github.com`.
    pub server: String,
    pub variable: &'static str,
}

impl Credentials {
    /// Returns the setting of git that offers the token to that server, after the helpers a person has set up.
    pub(super) fn setting(&self) -> String {
        let Self { server, variable } = self;
        let say = format!("printf 'username=x-access-token\\npassword=%s\\n' \"${variable}\"");
        format!("credential.{server}.helper=!f() {{ test \"$1\" = get && {say}; }}; f")
    }
}

impl Workspace {
    /// Pushes a branch under its own name, which only adds. With a pair of commits it puts the second in the place of
    /// exactly the first instead, wherever the branch is here; a remote that has the second already is content.
    /// The call lasts as long as the network takes, and is made once: a caller may make it again, see `Retry`.
    pub fn push(
        &self,
        remote: &str,
        branch: &str,
        replaced: Option<(&CommitId, &CommitId)>,
        credentials: Option<&Credentials>,
    ) -> Result<()> {
        check_branch_name(remote)?;
        check_branch_name(branch)?;
        let mut call = Call::new(["push", "--porcelain", "--no-verify", "--no-follow-tags"]).over_network();
        if let Some(credentials) = credentials {
            call = call.setting(&credentials.setting());
        }
        let mut source = format!("refs/heads/{branch}");
        if let Some((before, after)) = replaced {
            call = call.arg(format!("--force-with-lease=refs/heads/{branch}:{before}"));
            source = after.to_string();
        }
        let call = call.args(["--", remote]).arg(format!("{source}:refs/heads/{branch}"));
        let output = self.try_git(&call)?;
        if output.succeeded() {
            return Ok(());
        }
        let pushed = match replaced {
            Some((_, after)) => Some(after.clone()),
            None => self.branch(branch)?.map(|found| found.tip),
        };
        let reference = format!("refs/heads/{branch}");
        if pushed.is_some() && self.has_arrived(&output, remote, (&reference, pushed.as_ref()), credentials) {
            return Ok(());
        }
        Err(push_failure(remote, branch, &output))
    }

    /// Tells whether a remote has what a failed push was to put there: curl sends a push again by itself when the connection
    /// broke after the first one had arrived, and what the server answers then is a refusal.
    pub(super) fn has_arrived(
        &self,
        failed: &Output,
        remote: &str,
        (reference, pushed): (&str, Option<&CommitId>),
        credentials: Option<&Credentials>,
    ) -> bool {
        if failed.was_unreachable() {
            return false;
        }
        let mut call = Call::new(["ls-remote", "--quiet", "--", remote, reference]).over_network();
        if let Some(credentials) = credentials {
            call = call.setting(&credentials.setting());
        }
        let Ok(output) = self.try_git(&call) else { return false };
        let text = output.text();
        let tip = text.lines().find_map(|line| line.strip_suffix(reference)).map(str::trim);
        output.succeeded() && tip == pushed.map(CommitId::as_str)
    }

    /// Returns the commit before a commit.
    pub fn parent_of(&self, commit: &CommitId) -> Result<CommitId> {
        let call = Call::new(["rev-parse", "--verify", "--end-of-options", &format!("{commit}^")]).reading();
        Ok(CommitId::try_from(self.git(&call)?.text().trim())?)
    }

    /// Returns the paths outside `.ai-workflow/` that a commit changed and that HEAD still has differently from before it.
    pub fn still_changed_by(&self, commit: &CommitId) -> Result<Vec<String>> {
        let before = format!("{commit}^");
        let changed = |to: &str| -> Result<Vec<String>> {
            let call = Call::new(["diff", "--name-only", "--no-renames", "-z", &before, to, "--"]).reading();
            Ok(self
                .git(&call)?
                .text()
                .split('\0')
                .filter(|path| !path.is_empty())
                .map(str::to_owned)
                .collect())
        };
        let (then, now) = (changed(commit.as_str())?, changed("HEAD")?);
        Ok(then.into_iter().filter(|path| now.contains(path) && !path.starts_with(".ai-workflow/")).collect())
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
    /// Makes a commit of the files of a tip, without some of them, on a parent. No branch moves.
    pub fn made_of(
        &self,
        tip: &CommitId,
        without: &[String],
        parent: &CommitId,
        message: &Masked,
    ) -> Result<CommitId> {
        let tree = self.tree_without(tip, without)?;
        let mut call = Call::new(["commit-tree", "-p", parent.as_str(), "-F", "-"]).asking_person();
        if self.signs()? {
            call = call.arg("-S");
        }
        let call = call.arg(tree).fed_with(message.as_str());
        let output = self.workspace.git(&call)?;
        CommitId::try_from(output.text().trim()).map_err(|_| output.unexpected(&call))
    }

    /// Moves the run's branch to a commit if nobody else moved it.
    pub fn move_branch(&self, from: &CommitId, to: &CommitId) -> Result<()> {
        let reference = format!("refs/heads/{}", self.branch());
        let words = ["update-ref", "-m", "ai-workflow: squash", &reference, to.as_str(), from.as_str()];
        self.workspace.git(&Call::new(words)).map(drop)
    }

    fn tree_without(&self, tip: &CommitId, without: &[String]) -> Result<String> {
        if without.is_empty() {
            return Ok(format!("{tip}^{{tree}}"));
        }
        let index = self.incoming()?;
        self.workspace.git(&Call::new(["read-tree", tip.as_str()]).on_index(&index))?;
        let call = Call::new(["update-index", "--force-remove", "-z", "--stdin"]).on_index(&index);
        self.workspace.git(&call.fed_with_paths(without.iter().map(String::as_str)))?;
        let tree = self.workspace.git(&Call::new(["write-tree"]).on_index(&index))?;
        Ok(tree.text().trim().to_owned())
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
    if output.was_unreachable() {
        return Error::Unreachable { action: format!("the push of `{branch}` to `{remote}`"), detail };
    }
    let said = output.text() + &output.errors();
    if moved.iter().any(|words| said.contains(words)) {
        return Error::RemoteMoved { branch, remote, detail };
    }
    Error::PushFailed { branch, remote, detail }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Git;

    #[test]
    fn git_gets_the_token_for_that_server_alone_and_its_value_is_no_argument() {
        let credentials = Credentials { server: "https://ghe.example".into(), variable: "GITHUB_TOKEN" };
        let setting = credentials.setting();
        let git = Git::with_environment([("GITHUB_TOKEN", "ghp_secret")]);
        let asked = |host: &str| {
            let call = Call::new(["credential", "fill"]).over_network().setting(&setting);
            let call = call.fed_with(format!("protocol=https\nhost={host}\n\n"));
            git.run(std::path::Path::new("/"), &call).expect("git is installed").text()
        };
        assert!(asked("ghe.example").contains("username=x-access-token\npassword=ghp_secret\n"));
        assert!(!asked("evil.example").contains("ghp_secret"));
        assert!(!setting.contains("ghp_secret"));
    }
}
