//! The difference between two states as text for reviewers, cut off at a limit. What the repository says about how its files
//! are shown does not count: an author could hide its work by it. A single NUL, and the name of a picture, do not hide text
//! either: what git calls binary is judged by its content.
//! The text is data from the repository: fencing and masking are the caller's.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use model::change::{Change, Content};

use crate::call::{Call, Output};
use crate::changes::Changes;
use crate::error::{at, missing_is_fine};
use crate::run_files::RunFiles;
use crate::workspace::Workspace;
use crate::{CommitId, Result, Tree};

/// A difference as text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Diff {
    /// The text, in git's form.
    pub text: String,
    /// There was more; the text ends with the last whole line within the limit.
    pub truncated: bool,
    /// Files of which git shows no text, though they could have one: no pictures, no archives.
    pub not_shown: Vec<String>,
}

/// What nobody reads as text, by the ending of its name.
const PICTURES_AND_ARCHIVES: &str = include_str!("data/pictures_and_archives.txt");

/// What a difference is about.
struct DiffScope<'a> {
    /// Pathspecs that exclude files.
    left_out: Vec<String>,
    /// The tree of a commit, or of another state.
    from: Tree,
    to: &'a Tree,
    /// The most bytes of text.
    limit: usize,
}

impl DiffScope<'_> {
    fn call(&self, options: &[&str]) -> Call {
        diff_call(options, &self.from, self.to, &self.left_out)
    }
}

/// Writes the differences of a run as text.
#[derive(Debug, Clone)]
pub struct Diffs<'a> {
    pub(crate) workspace: &'a Workspace,
    pub(crate) files: RunFiles,
    pub(crate) state_dir: &'a Path,
}

impl Diffs<'_> {
    /// Returns the difference from a commit or tree to a snapshot without the engine's own files, at most so many bytes.
    pub fn all(&self, from: impl AsRef<str>, to: &Tree, limit: usize) -> Result<Diff> {
        let (left_out, from) = (self.files.without_own_files(), Tree::try_from(from.as_ref())?);
        self.compare(&DiffScope { left_out, from, to, limit })
    }

    /// Returns the same without what this run delivers, which is read on disk.
    pub fn code(&self, from: impl AsRef<str>, to: &Tree, limit: usize) -> Result<Diff> {
        let (left_out, from) = (self.files.without_run(), Tree::try_from(from.as_ref())?);
        self.compare(&DiffScope { left_out, from, to, limit })
    }

    /// Returns the difference of these files only.
    pub fn paths(&self, paths: &[String], from: &CommitId, to: &Tree, limit: usize) -> Result<Diff> {
        let only: Vec<String> = paths.iter().map(|path| format!(":(top,literal){path}")).collect();
        self.read_diff(diff_call(&[], &from.as_tree(), to, &only), limit)
    }

    fn compare(&self, scope: &DiffScope<'_>) -> Result<Diff> {
        let mut diff = self.read_diff(scope.call(&["--find-renames"]), scope.limit)?;
        if !diff.truncated && diff.text.contains("\nBinary files ") {
            self.add_text_of_binaries(&mut diff, scope)?;
        }
        Ok(diff)
    }

    /// Adds the text of files that git takes for binary to a difference, as far as they are text. Those in an encoding that
    /// a difference cannot show are named.
    fn add_text_of_binaries(&self, diff: &mut Diff, scope: &DiffScope<'_>) -> Result<()> {
        let binaries = self.binaries(scope)?;
        let changes = Changes { workspace: self.workspace };
        let changes = changes.between(&scope.from, scope.to, &binaries)?;
        let wide = changes.iter().filter(|change| is_wide(change)).map(|change| change.path.clone());
        diff.not_shown.extend(wide.filter(|path| is_picture_or_archive(path)));
        let texts: BTreeSet<&String> =
            changes.iter().filter(|change| is_text(change)).map(|change| &change.path).collect();
        if texts.is_empty() {
            return Ok(());
        }
        let paths: Vec<String> = texts.iter().map(|path| format!(":(top,literal){path}")).collect();
        let left = scope.limit.saturating_sub(diff.text.len());
        let more =
            self.read_diff(diff_call(&["--text", "--no-renames"], &scope.from, scope.to, &paths), left)?;
        diff.not_shown.retain(|file| !texts.contains(file));
        diff.text.push_str(&more.text);
        diff.truncated |= more.truncated;
        Ok(())
    }

    /// Returns the paths of which git counts no lines.
    fn binaries(&self, scope: &DiffScope<'_>) -> Result<BTreeSet<String>> {
        let call = scope.call(&["--numstat", "-z", "--no-renames"]);
        let counted = self.run_without_attributes(call)?.text();
        let binary = counted.split('\0').filter_map(|entry| entry.strip_prefix("-\t-\t"));
        Ok(binary.map(str::to_owned).collect())
    }

    fn read_diff(&self, call: Call, limit: usize) -> Result<Diff> {
        let output = self.run_without_attributes(call.at_most(limit))?;
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
    fn run_without_attributes(&self, call: Call) -> Result<Output> {
        let empty_folder = self.empty_folder()?;
        let call = call
            .without_user_settings()
            .setting("core.attributesFile=/dev/null")
            .setting("attr.tree=")
            .setting("core.bigFileThreshold=512m")
            .option("--git-dir")
            .option(self.workspace.git_dir())
            .option("--work-tree")
            .option(&empty_folder)
            .on_index(&empty_folder.join("index"));
        self.workspace.run_in(&empty_folder, &call)
    }

    /// Returns an empty folder, emptied of what somebody may have put there.
    fn empty_folder(&self) -> Result<PathBuf> {
        let empty_folder = self.state_dir.join("nowhere");
        missing_is_fine(fs::remove_dir_all(&empty_folder)).map_err(at(&empty_folder))?;
        fs::create_dir_all(&empty_folder).map_err(at(&empty_folder))?;
        Ok(empty_folder)
    }
}

/// Returns the call that compares two states, as far as nothing but these options says how.
fn diff_call(options: &[&str], from: &Tree, to: &Tree, paths: &[String]) -> Call {
    let standing = [
        "diff",
        "--no-ext-diff",
        "--no-textconv",
        "--submodule=short",
        "--ignore-submodules=none",
        "--src-prefix=a/",
        "--dst-prefix=b/",
    ];
    Call::new(standing)
        .args(options)
        .args([from.as_str(), to.as_str(), "--"])
        .args(paths)
        .with_patterns()
        .read_only()
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

fn is_picture_or_archive(file: &str) -> bool {
    let ending = file.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    ending.is_some_and(|ending| PICTURES_AND_ARCHIVES.lines().any(|known| known == ending))
}

/// Tells whether a file that git calls binary is UTF-8 text.
fn is_text(change: &Change) -> bool {
    let after = change.after.as_ref().map(|after| &after.content);
    matches!(after, Some(Content::Binary(bytes)) if std::str::from_utf8(bytes).is_ok())
}

/// Tells whether a file that git calls binary is text in a wide encoding.
fn is_wide(change: &Change) -> bool {
    change.after.as_ref().is_some_and(|after| after.content.text().is_some())
}

#[cfg(test)]
mod tests;
