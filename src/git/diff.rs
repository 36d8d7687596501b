//! The difference between two states as text for reviewers, cut off at a limit. What the repository says about how its files
//! are shown does not count: an author could hide its work by it.
//! The text is data from the repository: fencing and masking are the caller's.

use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;

use super::call::Call;
use super::error::at;
use super::output::Output;
use super::{CommitId, IssueSpace, Result, Tree};
use model::object_id::{BadObjectId, is_object_id};

/// A difference as text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Diff {
    pub text: String,
    /// There was more; the text ends with the last whole line within the limit.
    pub truncated: bool,
    /// Files of which git shows no text, though they could have one: no pictures, no archives.
    pub not_shown: Vec<String>,
}

/// What nobody reads as text, by the ending of its name.
const PICTURES_AND_ARCHIVES: [&str; 32] = [
    "png", "jpg", "jpeg", "gif", "webp", "avif", "ico", "icns", "bmp", "tif", "tiff", "pdf", "woff", "woff2",
    "ttf", "otf", "eot", "mp3", "mp4", "ogg", "wav", "webm", "mov", "zip", "tar", "gz", "tgz", "bz2", "xz",
    "zst", "7z", "rar",
];

impl IssueSpace {
    /// Returns the difference from a commit or tree to a snapshot without the engine's own files, at most so many bytes.
    pub fn diff(&self, from: impl AsRef<str>, to: &Tree, limit: usize) -> Result<Diff> {
        self.diff_without(&self.without_own_files(), from.as_ref(), to, limit)
    }

    /// The same without what this run delivers, which is read on disk.
    pub fn code_diff(&self, from: impl AsRef<str>, to: &Tree, limit: usize) -> Result<Diff> {
        self.diff_without(&self.without_run(), from.as_ref(), to, limit)
    }

    /// Returns the difference of these files only.
    pub fn diff_of(&self, paths: &[String], from: &CommitId, to: &Tree, limit: usize) -> Result<Diff> {
        let only: Vec<String> = paths.iter().map(|path| format!(":(top,literal){path}")).collect();
        self.read_diff(diff_call(&[], from.as_str(), to, &only), limit)
    }

    fn diff_without(&self, left_out: &[String], from: &str, to: &Tree, limit: usize) -> Result<Diff> {
        if !is_object_id(from) {
            return Err(BadObjectId::new(from).into());
        }
        let mut diff = self.read_diff(diff_call(&["--find-renames"], from, to, left_out), limit)?;
        if !diff.truncated && diff.text.contains("\nBinary files ") {
            self.show_disguised(&mut diff, left_out, from, to, limit)?;
        }
        Ok(diff)
    }

    pub(super) fn read_diff(&self, call: Call, limit: usize) -> Result<Diff> {
        let output = self.git_without_files(call.at_most(limit))?;
        // What is no UTF-8 is longer as text.
        let mut text = output.text();
        let truncated = output.truncated || text.len() > limit;
        if truncated {
            let whole = &text.as_bytes()[..text.len().min(limit)];
            text.truncate(whole.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1));
        }
        let not_shown = not_shown(&text);
        Ok(Diff { text, truncated, not_shown })
    }

    /// Runs git where it finds no `.gitattributes`, neither on disk nor in an index. Every git that we know obeys that;
    /// those before 2.41 have no option for it.
    pub(super) fn git_without_files(&self, call: Call) -> Result<Output> {
        let nowhere = self.nowhere()?;
        let call = call
            .without_user_settings()
            .setting("core.attributesFile=/dev/null")
            .setting("attr.tree=")
            .setting("core.bigFileThreshold=512m")
            .option("--git-dir")
            .option(&self.workspace.git_dir)
            .option("--work-tree")
            .option(&nowhere)
            .on_index(&nowhere.join("index"));
        self.workspace.guard.check()?;
        let output = self.workspace.git.run(&nowhere, &call)?;
        if output.succeeded() { Ok(output) } else { Err(output.failure(&call)) }
    }

    /// Returns an empty folder, emptied of what somebody may have put there.
    fn nowhere(&self) -> Result<PathBuf> {
        let nowhere = self.state_dir.join("nowhere");
        match fs::remove_dir_all(&nowhere) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(at(&nowhere)(error)),
            _ => {}
        }
        fs::create_dir_all(&nowhere).map_err(at(&nowhere))?;
        Ok(nowhere)
    }
}

/// Compares two states by git, as far as nothing but these options says how.
pub(super) fn diff_call(options: &[&str], from: &str, to: &Tree, paths: &[String]) -> Call {
    let standing = [
        "diff",
        "--no-ext-diff",
        "--no-textconv",
        "--submodule=short",
        "--ignore-submodules=none",
        "--src-prefix=a/",
        "--dst-prefix=b/",
    ];
    Call::new(standing).args(options).args([from, to.as_str(), "--"]).args(paths).with_patterns().reading()
}

/// Returns the files that git calls binary in a difference, and that are still there.
fn not_shown(diff: &str) -> Vec<String> {
    let (mut deleted, mut found) = (false, Vec::new());
    // Lines of files begin with a mark of their own.
    for line in diff.lines() {
        if line.starts_with("diff --git ") {
            deleted = false;
        }
        deleted |= line.starts_with("deleted file mode ");
        found.extend(binary_file(line).filter(|file| !deleted && !is_picture_or_archive(file)));
    }
    found
}

fn binary_file(line: &str) -> Option<String> {
    let sides = line.strip_prefix("Binary files ")?.strip_suffix(" differ")?;
    let (_, new) = sides.rsplit_once(" and ").unwrap_or(("", sides));
    let new = new.trim_matches('"');
    Some(new.strip_prefix("b/").unwrap_or(new).to_owned())
}

pub(super) fn is_picture_or_archive(file: &str) -> bool {
    let ending = file.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    ending.is_some_and(|ending| PICTURES_AND_ARCHIVES.contains(&ending.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_git_calls_binary_are_named_but_for_pictures_and_archives() {
        let diff = "diff --git a/clean.ps1 b/clean.ps1\nBinary files /dev/null and b/clean.ps1 differ\n\
                    diff --git a/a.PNG b/a.PNG\nBinary files a/a.PNG and b/a.PNG differ\n\
                    diff --git a/old b/old\ndeleted file mode 100644\nBinary files a/old and /dev/null differ\n\
                    diff --git a/x and b/y b/x and b/y\nBinary files a/x and b/y and b/x and b/y differ\n\
                    diff --git \"a/\\t.sh\" \"b/\\t.sh\"\nBinary files \"a/\\t.sh\" and \"b/\\t.sh\" differ\n\
                    diff --git a/z b/z\n@@ -0,0 +1 @@\n+Binary files a/q and b/q differ\n Binary files a/r and b/r differ\n";
        assert_eq!(not_shown(diff), ["clean.ps1", "y", "\\t.sh"]);
    }
}
