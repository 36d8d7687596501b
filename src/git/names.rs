//! The names git gives to things: where the worktree stands, and branches. Nothing else reaches a command line of ours as a name
//! but object ids, which are of `model`.

pub use model::object_id::{CommitId, Tree};

use super::{Error, Result};

/// Where the worktree stands: a commit and, unless HEAD is detached, a branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    pub commit: CommitId,
    pub branch: Option<String>,
}

/// Checks that a text can only be the name of a branch: never an option, a range, a revision or a path to elsewhere.
/// Stricter than git, so that a name also survives scripts and file systems.
pub fn check_branch_name(name: &str) -> Result<()> {
    let allowed = |c: char| c.is_alphanumeric() || "-_./+#@=,".contains(c);
    let part_is_bad = |part: &str| {
        part.is_empty()
            || part.starts_with('.')
            || part.ends_with('.')
            || part.to_ascii_lowercase().ends_with(".lock")
    };
    let why = match name {
        "" => "it is empty",
        "HEAD" | "@" => "it means something else to git",
        _ if name.len() > 200 => "it is longer than 200 bytes",
        _ if name.starts_with('-') => "it begins with `-`",
        _ if name.starts_with("refs/") => "it is a full reference, not a plain name",
        _ if !name.chars().all(allowed) => "only letters, digits and `-_./+#@=,` are allowed",
        _ if name.contains("..") => "it contains `..`",
        _ if name.split('/').any(part_is_bad) => {
            "a part between slashes is empty, begins or ends with `.`, or ends with `.lock`"
        }
        _ => return Ok(()),
    };
    Err(Error::BadBranchName { name: name.escape_debug().take(80).collect(), why })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn g01_only_plain_branch_names_reach_git() {
        for bad in [
            "",
            "-x",
            "--upload-pack=x",
            "a..b",
            "$(x)",
            "refs/heads/../x",
            "refs/heads/x",
            "@{-1}",
            "a@{1}",
            "@",
            "HEAD",
            "x.lock",
            "x.LOCK/y",
            "/a",
            "a/",
            "a//b",
            ".a",
            "a/.b",
            "a.",
            "a b",
            "a\nb",
            "a\u{7f}",
            "a~1",
            "a^",
            "a:b",
            "a?",
            "a*",
            "a[b",
            "a\\b",
            "x\0",
        ] {
            assert!(check_branch_name(bad).is_err(), "{bad:?}");
        }
        let long = "a".repeat(201);
        assert!(check_branch_name(&long).is_err());
        for good in
            ["main", "release/1.2", "fix/#243", "ai-workflow/issue-7", "função", "日本語", "v1.0-rc.1"]
        {
            assert!(check_branch_name(good).is_ok(), "{good}");
        }
    }
}
