//! Tests of `error`.

use super::*;

#[test]
fn error_hints_name_the_command_that_helps() {
    let hint = |error: Error| error.hint().unwrap_or_default();
    let (name, branch, path) = ("b".to_owned(), "b".to_owned(), PathBuf::from("/r/.git"));
    let (detail, remote) = (String::new(), "origin".to_owned());
    assert!(hint(Error::BranchExists { name: name.clone() }).contains("`git log b`"));
    assert!(hint(Error::NoSuchBranch { name: name.clone() }).contains("`git fetch`"));
    assert!(hint(Error::BadBranchName { name: name.clone(), why: "" }).contains("`main`"));
    assert!(hint(Error::BranchInUse { name, detail: detail.clone() }).contains("`git worktree list`"));
    assert!(
        hint(Error::WrongBranch { expected: branch.clone(), found: remote.clone() })
            .contains("`git switch b`")
    );
    assert!(hint(Error::InProgress { what: "merge", root: path.clone() }).contains("`git merge --abort`"));
    assert!(hint(Error::DetachedHead).contains("--base-branch"));
    let moved = Error::RemoteMoved { branch: branch.clone(), remote: remote.clone(), detail: detail.clone() };
    assert!(hint(moved).contains("their commits"));
    assert!(hint(Error::PushFailed { branch, remote, detail }).contains("`git push --dry-run`"));
    assert!(hint(Error::RepositoryReplaced { path }).contains("/r/.git"));
    assert!(hint(Error::TooSlow { command: String::new(), seconds: 1 }).contains("`.gitignore`"));
    assert!(hint(Error::DiskFull { command: String::new() }).contains("room"));
    assert!(Error::from(BadObjectId::new("")).hint().is_none());
}
