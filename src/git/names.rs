//! The names git gives to things: commits, trees, branches. Nothing else reaches a command line of ours as a name.

use std::fmt;

use super::{Error, Result};

macro_rules! object_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(String);

        impl $name {
            /// Returns the id as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }

        impl TryFrom<&str> for $name {
            type Error = Error;

            fn try_from(text: &str) -> Result<Self> {
                if is_object_id(text) { Ok(Self(text.to_owned())) } else { Err(bad_object_id(text)) }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

object_id! {
    /// The id of a commit.
    CommitId
}

object_id! {
    /// The id of a tree: the identity of a set of files.
    Tree
}

impl CommitId {
    /// Returns a name of its tree: where git wants a tree it takes a commit.
    pub fn as_tree(&self) -> Tree {
        Tree(self.0.clone())
    }
}

/// Where the worktree stands: a commit and, unless HEAD is detached, a branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    pub commit: CommitId,
    pub branch: Option<String>,
}

/// Tells whether a text is a full object id, of SHA-1 or SHA-256.
pub(super) fn is_object_id(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    matches!(text.len(), 40 | 64) && text.bytes().all(plain)
}

pub(super) fn bad_object_id(text: &str) -> Error {
    Error::BadObjectId { text: text.escape_debug().take(80).collect() }
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

    #[test]
    fn only_full_hashes_are_object_ids() {
        let full = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
        assert_eq!(Tree::try_from(full).expect("a full hash").to_string(), full);
        for bad in ["", "HEAD", "4b825dc", "--output=x", &full.to_uppercase(), &"g".repeat(40)] {
            assert!(CommitId::try_from(bad).is_err(), "{bad}");
        }
    }
}
