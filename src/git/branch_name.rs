//! What can be the name of a branch.

use crate::{Error, Result};

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
