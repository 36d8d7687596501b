//! Tests of `error`.

use super::*;

#[test]
fn error_hints_name_the_command_that_helps() {
    let hint = |error: Error| error.hint().unwrap_or_default();
    let (name, branch, path) = ("b".to_owned(), "b".to_owned(), PathBuf::from("/r/.git"));
    let (detail, remote) = (String::new(), "origin".to_owned());
    let hints = [
        Error::BranchExists { name: name.clone() },
        Error::NoSuchBranch { name: name.clone() },
        Error::BadBranchName { name: name.clone(), why: "" },
        Error::BranchInUse { name, detail: detail.clone() },
        Error::WrongBranch { expected: branch.clone(), found: remote.clone() },
        Error::InProgress { what: "merge", root: path.clone() },
        Error::DetachedHead,
        Error::RemoteMoved { branch: branch.clone(), remote: remote.clone(), detail: detail.clone() },
        Error::PushFailed { branch, remote, detail },
        Error::RepositoryReplaced { path },
        Error::TooSlow { command: String::new(), seconds: 1 },
        Error::DiskFull { command: String::new() },
    ];
    insta::assert_snapshot!(hints.map(hint).join("\n"), @"
    look at it with `git log refs/heads/b`, or remove it with `git branch -D b`
    `git branch --all` lists the branches; `git fetch` gets new ones
    use the plain name of a branch, such as `main`
    `git worktree list` shows where; work there, or remove that worktree
    go back with `git switch b` and run again
    `git status` shows it; end it with `git merge --abort`, or finish it if you began it
    name the branch to start from: `--base-branch BRANCH`
    somebody pushed to that branch: look at their commits before pushing again
    check the remote and your access with `git push --dry-run`, then run again
    look at what /r/.git is now, then run again
    look for a pipe or device where git expects a file, such as `.gitignore`
    make room, then run again
    ");
    assert!(Error::from(BadObjectId::new("")).hint().is_none());
}
