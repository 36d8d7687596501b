//! Which commit a run starts from, and what the repository is called.

use std::time::Duration;

use super::branch::Branch;
use super::call::Call;
use super::names::{CommitId, Head, check_branch_name};
use super::publish::Credentials;
use super::{Error, Result, Workspace};

/// The branch and commit a run starts from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Base {
    pub branch: String,
    pub commit: CommitId,
    /// The tip of the same branch on origin, as last fetched, when it is another commit.
    pub on_origin: Option<CommitId>,
}

impl Workspace {
    /// Returns origin's default branch as a base, as far as this clone knows it.
    pub fn default_base(&self, head: &Head) -> Result<Option<Base>> {
        // Mostly the worktree is on origin's default branch, and then one question is enough.
        let [local, remote] = both(head.branch.as_deref().unwrap_or("HEAD"));
        let found = self.references(&[ORIGIN_DEFAULT, &local, &remote])?;
        match origin_default(&found) {
            Some(name) if Some(name) == head.branch.as_deref() => base_in(&found, name).map(Some),
            Some(name) => self.base(name).map(Some),
            None => Ok(None),
        }
    }

    /// Asks a remote for the name of its default branch, for five seconds at most; nothing when it names none.
    pub fn ask_default_branch(
        &self,
        remote: &str,
        credentials: Option<&Credentials>,
    ) -> Result<Option<String>> {
        check_branch_name(remote)?;
        let mut call = Call::new(["ls-remote", "--symref"]).over_network_alone();
        if let Some(credentials) = credentials {
            call = call.setting(&credentials.setting());
        }
        let call = call.args(["--", remote, "HEAD"]);
        self.guard.check()?;
        let output = self.git.hurried(ASKING).run(&self.root, &call)?;
        if !output.succeeded() {
            return Err(output.failure(&call));
        }
        let text = output.text();
        let name =
            text.lines().find_map(|line| line.strip_prefix("ref: refs/heads/")?.strip_suffix("\tHEAD"));
        Ok(name.map(str::to_owned))
    }

    /// Returns the branch that was left for the one that is checked out, as far as git remembers it.
    pub fn branch_before(&self) -> Result<Option<String>> {
        let output = self.try_git(&Call::new(["rev-parse", "--symbolic-full-name", "@{-1}"]).reading())?;
        let before = output.text();
        let before = before.trim().strip_prefix("refs/heads/");
        Ok(before.filter(|_| output.succeeded()).map(str::to_owned))
    }

    /// Returns a branch as a base; the local one counts, the one on origin where there is no local one.
    pub fn base(&self, name: &str) -> Result<Base> {
        check_branch_name(name)?;
        let [local, remote] = both(name);
        base_in(&self.references(&[&local, &remote])?, name)
    }

    /// Returns `owner/name` when origin's address says so, else the name of the folder.
    pub fn repository_name(&self) -> Result<String> {
        let address = self.origin_address()?;
        let folder = || self.root.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(address.as_deref().and_then(repository_of).unwrap_or_else(folder))
    }

    /// Returns the host of origin's address, when it has one.
    pub fn origin_host(&self) -> Result<Option<String>> {
        Ok(self.origin_address()?.as_deref().and_then(host_of))
    }

    /// Returns origin's address without user and password, when there is one.
    pub fn origin_address(&self) -> Result<Option<String>> {
        let output = self.try_git(&Call::new(["remote", "get-url", "origin"]).reading())?;
        let text = output.text();
        Ok(output.succeeded().then(|| without_userinfo(text.trim())))
    }
}

/// How long a remote may take to say which branch is its default.
const ASKING: Duration = Duration::from_secs(5);

pub(super) const ORIGIN_DEFAULT: &str = "refs/remotes/origin/HEAD";

/// Returns the full names of a branch here and on origin.
pub(super) fn both(name: &str) -> [String; 2] {
    [format!("refs/heads/{name}"), format!("refs/remotes/origin/{name}")]
}

fn base_in(found: &[Branch], name: &str) -> Result<Base> {
    check_branch_name(name)?;
    let tip = |reference: &str| {
        found.iter().find(|found| found.reference == reference).map(|found| found.tip.clone())
    };
    let [local, remote] = both(name).map(|reference| tip(&reference));
    let commit =
        local.or_else(|| remote.clone()).ok_or_else(|| Error::NoSuchBranch { name: name.to_owned() })?;
    let on_origin = remote.filter(|remote| *remote != commit);
    Ok(Base { branch: name.to_owned(), commit, on_origin })
}

pub(super) fn origin_default(found: &[Branch]) -> Option<&str> {
    let default = found.iter().find(|branch| branch.reference == ORIGIN_DEFAULT)?;
    default.symbolic.as_deref()?.strip_prefix("refs/remotes/origin/")
}

/// `https://user:password@host/path` becomes `https://host/path`; other forms carry no password.
fn without_userinfo(address: &str) -> String {
    let Some((scheme, rest)) = address.split_once("://") else { return address.to_owned() };
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let host = authority.rsplit('@').next().unwrap_or_default();
    format!("{scheme}://{host}{path}")
}

/// Reads the host, with its port, from `https://host/…`, `ssh://git@host:22/…` and `git@host:…`; a local path has none.
fn host_of(address: &str) -> Option<String> {
    let authority = match address.split_once("://") {
        Some(("file", _)) => return None,
        Some((_, rest)) => rest.split('/').next()?,
        None => address.split_once(':').filter(|(host, _)| !host.contains('/'))?.0,
    };
    let host = authority.rsplit('@').next()?;
    let host = if address.starts_with("http") { host } else { host.split(':').next()? };
    (!host.is_empty()).then(|| host.to_owned())
}

/// Reads `owner/name` from `https://host/owner/name.git` and `git@host:owner/name.git`; a local path has no owner.
fn repository_of(address: &str) -> Option<String> {
    let path = match address.split_once("://") {
        Some(("file", _)) => return None,
        Some((_, rest)) => rest.split_once('/')?.1,
        None => address.split_once(':').filter(|(host, _)| !host.contains('/'))?.1,
    };
    let path = path.trim_matches('/');
    let path = path.strip_suffix(".git").unwrap_or(path);
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let mut parts = path.split('/');
    let (owner, name) = (parts.next()?, parts.next()?);
    let good = parts.next().is_none()
        && [owner, name].iter().all(|part| !part.is_empty() && part.chars().all(plain));
    good.then(|| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_says_its_host() {
        for (address, expected) in [
            ("https://github.com/o/n.git", Some("github.com")),
            ("https://ghe.example:8443/o/n", Some("ghe.example:8443")),
            ("git@github.com:o/n.git", Some("github.com")),
            ("ssh://git@github.com:22/o/n", Some("github.com")),
            ("https://github.com@evil.example/o/n", Some("evil.example")),
            ("file:///srv/n.git", None),
            ("/srv/n.git", None),
            ("./a:b/n", None),
        ] {
            assert_eq!(host_of(address).as_deref(), expected, "{address}");
        }
    }

    #[test]
    fn the_address_says_owner_and_name() {
        for (address, expected) in [
            ("https://github.com/o/n.git", Some("o/n")),
            ("https://github.com/o/n/", Some("o/n")),
            ("git@github.com:o/n.git", Some("o/n")),
            ("ssh://git@github.com:22/o/n", Some("o/n")),
            ("https://host/a/b/c", None),
            ("https://host", None),
            ("https://host/o/$(x)", None),
            ("/srv/git/o/n.git", None),
            ("../o:x/n", None),
            ("file:///srv/o/n", None),
        ] {
            assert_eq!(repository_of(address).as_deref(), expected, "{address}");
        }
    }

    #[test]
    fn user_and_password_are_left_out() {
        assert_eq!(without_userinfo("https://u:p@ss@host/o/n"), "https://host/o/n");
        assert_eq!(without_userinfo("https://host/o/n@2"), "https://host/o/n@2");
        assert_eq!(without_userinfo("git@host:o/n"), "git@host:o/n");
    }
}
