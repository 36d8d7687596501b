//! Why something could not be done with git, and what a person can do about it.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::PathBuf;

use model::object_id::BadObjectId;

/// What a function of this crate returns.
pub(crate) type Result<T> = std::result::Result<T, Error>;

/// A failure of git, or of a file that we read beside it.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the message of a variant says what it and its fields are")]
pub enum Error {
    #[error("the program `{program}` was not found")]
    NoGit { program: String },
    #[error("the installed git is older than 2.31")]
    TooOld,
    #[error("{} is not in a git repository", dir.display())]
    NotARepository { dir: PathBuf },
    #[error("{} is a bare repository: it has no files to work on", dir.display())]
    Bare { dir: PathBuf },
    #[error("the repository {} has no commits yet", root.display())]
    NoCommits { root: PathBuf },
    #[error("{} names no branch and no commit; the files and the branches are intact", file.display())]
    DamagedHead { file: PathBuf, branch: String },
    #[error("the branch `{branch}`, which is checked out, is gone or damaged; its last commit was {commit}")]
    LostBranch { file: PathBuf, branch: String, commit: String },
    #[error("{} is gone, and with it the branches and tags; the commits and the files in the worktree are intact", folder.display())]
    LostReferences { folder: PathBuf, repair: String },
    #[error(
        "git cannot read its list of branches and tags: {detail}; the commits and the files in the worktree are intact"
    )]
    DamagedReferences { detail: String },
    #[error("{} has no objects any more: the commits are gone; the files in the worktree are intact", git_dir.display())]
    LostObjects { git_dir: PathBuf },
    #[error("objects of git are damaged: {detail}; the files in the worktree are intact")]
    DamagedObjects { detail: String },
    #[error("objects of the commit {commit} are missing or damaged; the files in the worktree are intact")]
    MissingObjects { commit: String },
    #[error("git's index is damaged: {detail}; the files in the worktree are intact")]
    DamagedIndex { detail: String },
    #[error("git cannot read its settings: {detail}; nothing else was looked at")]
    DamagedConfig { detail: String, kept: Option<(PathBuf, PathBuf)> },
    #[error("{} is a pipe or a device: git would wait for it without an end", path.display())]
    Pipe { path: PathBuf, kept: Option<PathBuf> },
    #[error("git does not know who commits: {detail}")]
    NoIdentity { detail: String },
    #[error("git could not sign a commit, and made none: {detail}")]
    NotSigned { detail: String },
    #[error("HEAD is detached and no base branch was named")]
    DetachedHead,
    #[error("`{name}` cannot be a branch: {why}")]
    BadBranchName { name: String, why: &'static str },
    #[error("there is no branch `{name}`, neither here nor on origin")]
    NoSuchBranch { name: String },
    #[error("there is no commit `{name}` in this repository")]
    NoSuchCommit { name: String },
    #[error("the branch `{name}` exists already")]
    BranchExists { name: String },
    #[error("the branch `{name}` is checked out in another worktree: {detail}")]
    BranchInUse { name: String, detail: String },
    #[error("going to `{name}` would overwrite {}", paths.join(", "))]
    WouldOverwrite { name: String, paths: Vec<String> },
    #[error("the worktree is on {found} instead of the run's branch `{expected}`")]
    WrongBranch { expected: String, found: String },
    #[error("the run's branch `{name}` is gone; the worktree is on {found}")]
    BranchGone { name: String, found: String },
    #[error("a {what} is in progress in {}", root.display())]
    InProgress { what: &'static str, root: PathBuf },
    #[error("another git holds {path}")]
    Locked { path: String },
    #[error("the push of `{branch}` to `{remote}` was refused because the remote branch moved: {detail}")]
    RemoteMoved { branch: String, remote: String, detail: String },
    #[error("the push of `{branch}` to `{remote}` failed: {detail}")]
    PushFailed { branch: String, remote: String, detail: String },
    #[error("{action} failed because of the server or the connection to it: {detail}")]
    Unreachable { action: String, detail: String },
    #[error("the branch `{name}` here and on origin hold different work")]
    Diverged { name: String },
    #[error("{} changed while the run was going on", path.display())]
    ConfigChanged { path: PathBuf },
    #[error("an agent was at work when an earlier process was killed, and {} does not say any more what git's files were before", path.display())]
    ConfigUnknown { path: PathBuf },
    #[error("{} was replaced while the run was going on", path.display())]
    RepositoryReplaced { path: PathBuf },
    #[error(transparent)]
    BadObjectId(#[from] BadObjectId),
    #[error("the path `{path}` cannot be asked of git: {why}")]
    BadPath { path: String, why: &'static str },
    #[error("`{command}` had not ended after {seconds} s and was killed")]
    TooSlow { command: String, seconds: u64 },
    #[error("`{command}` found no space left on the disk")]
    DiskFull { command: String },
    #[error("`{command}` failed ({ending}): {detail}")]
    Git { command: String, ending: String, detail: String },
    #[error("`{command}` answered what we do not understand: {detail}")]
    Unexpected { command: String, detail: String },
    #[error("{}: {source}", path.display())]
    File { path: PathBuf, source: std::io::Error },
}

impl Error {
    /// Returns what a person can do about it.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::DamagedHead { .. }
            | Self::LostBranch { .. }
            | Self::LostReferences { .. }
            | Self::DamagedReferences { .. }
            | Self::LostObjects { .. }
            | Self::DamagedObjects { .. }
            | Self::MissingObjects { .. }
            | Self::DamagedIndex { .. }
            | Self::DamagedConfig { .. }
            | Self::Pipe { .. } => return self.repair(),
            Self::NoGit { .. } | Self::TooOld => "install git 2.31 or newer",
            Self::NotARepository { .. } => "go into a clone of the repository, or make one with `git init`",
            Self::Bare { .. } => "make a clone with files: `git clone REPOSITORY FOLDER`",
            Self::NoCommits { .. } => "commit something first: `git add -A && git commit -m start`",
            Self::NoIdentity { .. } => {
                "tell git who you are: `git config user.name NAME` and `git config user.email ADDRESS`"
            }
            Self::NotSigned { .. } => {
                "commits are made without a signature after `git config commit.gpgSign false`; or repair what signs them: \
                 `git config --show-origin --get-regexp 'gpg|sign'` shows the settings, and the program that they name may be one \
                 that an author changed; then run again"
            }
            Self::DetachedHead => "name the branch to start from: `--base-branch BRANCH`",
            Self::BadBranchName { .. } => "use the plain name of a branch, such as `main`",
            Self::NoSuchBranch { .. } => "`git branch --all` lists the branches; `git fetch` gets new ones",
            Self::NoSuchCommit { .. } => {
                "name a branch, a tag or a commit, such as `origin/main` or `HEAD~3`; `git branch --all` lists branches, and a clone \
                 without its whole history gets it by `git fetch --unshallow`"
            }
            Self::BranchExists { name } => &format!(
                "look at it with `git log refs/heads/{name}`, or remove it with `git branch -D {name}`"
            ),
            Self::BranchInUse { .. } => {
                "`git worktree list` shows where; work there, or remove that worktree"
            }
            Self::WouldOverwrite { .. } => {
                "commit them or move them away, or leave this checkout alone with `--worktree`; the log of another run is committed when that run goes on or is cancelled"
            }
            Self::WrongBranch { expected, .. } => {
                &format!("go back with `git switch {expected}` and run again")
            }
            Self::BranchGone { name, .. } => {
                &format!("make it again where the worktree is with `git switch -c {name}`, and run again")
            }
            Self::InProgress { what, .. } => &format!(
                "`git status` shows it; end it with `git {what} --abort`, or finish it if you began it"
            ),
            Self::Locked { .. } => "wait until the other git has ended; if none is running, delete that file",
            Self::RemoteMoved { .. } => {
                "somebody pushed to that branch: look at their commits before pushing again"
            }
            Self::Diverged { name } => &format!(
                "compare them with `git log refs/heads/{name} refs/remotes/origin/{name}`, and delete or merge the one here"
            ),
            Self::PushFailed { .. } => {
                "check the remote and your access with `git push --dry-run`, then run again"
            }
            Self::Unreachable { .. } => {
                "go on with the same command when the server works again; nothing is lost"
            }
            Self::ConfigChanged { path } => {
                &format!("look at {} for settings you did not make, then run again", path.display())
            }
            Self::ConfigUnknown { path } => &format!(
                "look at .git/config and .git/hooks for what you did not make, delete that file with `rm -r {}`, and run again",
                path.display()
            ),
            Self::RepositoryReplaced { path } => {
                &format!("look at what {} is now, then run again", path.display())
            }
            Self::TooSlow { .. } => {
                "look for a pipe or device where git expects a file, such as `.gitignore`"
            }
            Self::DiskFull { .. } => "make room, then run again",
            Self::File { path, .. } if fs::metadata(path).is_ok_and(|found| !found.is_file()) => {
                &format!("move it away with `mv {0} {0}.damaged`, and run again", path.display())
            }
            Self::File { .. } => "look at the permissions and the disk, then run again",
            Self::BadObjectId(_) | Self::BadPath { .. } | Self::Git { .. } | Self::Unexpected { .. } => {
                return None;
            }
        };
        Some(hint.to_owned())
    }

    /// Returns the command that repairs what is damaged in a repository.
    fn repair(&self) -> Option<String> {
        let hint = match self {
            Self::DamagedHead { file, branch } => &format!(
                "name the branch again with `echo 'ref: refs/heads/{branch}' > {}`, and run again",
                file.display()
            ),
            Self::LostBranch { file, branch, commit } => &format!(
                "make it again with `rm -rf {} && git update-ref refs/heads/{branch} {commit}`, and run again",
                file.display()
            ),
            Self::LostReferences { repair, .. } => &format!(
                "make the branches again at their last commits with `{repair}`, and run again; `git fetch --tags` brings \
                 tags back that a server has"
            ),
            Self::DamagedReferences { .. } => {
                "leave out the lines that are no references with `p=$(git rev-parse --git-common-dir)/packed-refs && \
                 cp $p $p.damaged && (grep -aE '^(#|\\^|[0-9a-f]{40,64} refs/)' $p.damaged > $p || true)`, and run again"
            }
            Self::LostObjects { .. } | Self::DamagedObjects { .. } => {
                "bring them back from another clone, named in place of PATH_OR_URL, with \
                 `g=$(git rev-parse --git-common-dir) && git clone -q --mirror PATH_OR_URL $g/rescued && \
                 mkdir -p $g/objects && cp -Rf $g/rescued/objects/. $g/objects/ && rm -rf $g/rescued`, and run again"
            }
            Self::MissingObjects { .. } => {
                "bring them back from another clone with `git fetch PATH_OR_URL`; `git fsck` shows what is missing"
            }
            Self::DamagedIndex { .. } => {
                "make it again with `rm -rf \"$(git rev-parse --git-path index)\" && git reset -q`, and run again"
            }
            Self::DamagedConfig { kept: Some((config, kept)), .. } => &format!(
                "an agent was at work when an earlier process was killed, and the settings from before are kept: put them back \
                 with `cp {} {}`, and run again",
                kept.display(),
                config.display()
            ),
            Self::DamagedConfig { kept: None, .. } => "correct that line of the file, and run again",
            Self::Pipe { path, kept: Some(kept) } => &format!(
                "an agent was at work when an earlier process was killed, and what stood there before is kept: put it back with \
                 `rm {0} && cp {1} {0}`, and run again",
                path.display(),
                kept.display()
            ),
            Self::Pipe { path, kept: None } => {
                &format!("remove it with `rm {}`, and run again", path.display())
            }
            _ => return None,
        };
        Some(hint.to_owned())
    }
}

/// Returns a function that says which file an error is about.
pub(crate) fn at(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Error {
    let path = path.into();
    |source| Error::File { path, source }
}

/// Ignores the error that a file is missing.
pub(crate) fn ignore_missing(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

#[cfg(test)]
mod tests;
