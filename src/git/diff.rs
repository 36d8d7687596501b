//! What differs between two states of the files: as text for reviewers, as paths, or with the texts of both sides. A state is
//! a tree, a commit, or the files on disk.
//!
//! The text for reviewers is cut off at a limit. The attributes of the repository do not count: an author could hide its
//! work by them. A single NUL, and the name of a picture, do not hide text either: what git calls binary is judged by its
//! content. The text is data from the repository: fencing and masking are the caller's.
//!
//! The others take one process for all that git holds. Files that are marked as unchanged
//! (`update-index --assume-unchanged`, `--skip-worktree`) count as well: no diff of git's shows them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};

use model::change::{Change, FileContent, FileMode, FileVersion, LONGEST_TEXT};

use crate::error::{at, ignore_missing};
use crate::objects::Blobs;
use crate::program::{Call, GitOutput};
use crate::run_files::is_engines_own;
use crate::snapshot::{self, Snapshot};
use crate::status::is_cache;
use crate::tree_entry::{EntryBeforeAfter, TreeEntry, is_plain, parse_mode, parse_raw_diff};
use crate::workspace::{RunWorkspace, Workspace};
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

/// The endings of the names of files that have no text.
const PICTURES_AND_ARCHIVES: &str = include_str!("data/pictures_and_archives.txt");

/// The differences of a run as text.
impl RunWorkspace {
    /// Returns the difference from a commit or tree to a snapshot without the engine's own files, at most so many bytes.
    pub fn diff(&self, from: impl AsRef<str>, to: &Tree, limit: usize) -> Result<Diff> {
        self.compare_as_text(&self.files().exclude_own_files(), from.as_ref(), to, limit)
    }

    /// Returns the same without what this run delivers, which is read on disk.
    pub fn diff_of_code(&self, from: impl AsRef<str>, to: &Tree, limit: usize) -> Result<Diff> {
        self.compare_as_text(&self.files().exclude_run_folder(), from.as_ref(), to, limit)
    }

    /// Returns the difference of these files only.
    pub fn diff_of_paths(&self, paths: &[String], from: &CommitId, to: &Tree, limit: usize) -> Result<Diff> {
        self.read_diff(diff_call(&[], &from.as_tree(), to, &pathspecs_of(paths)), limit)
    }

    /// Returns a difference without the files that these pathspecs exclude. Files that git takes for binary are added as far
    /// as they are text; those in an encoding that a difference cannot show are named.
    fn compare_as_text(&self, left_out: &[String], from: &str, to: &Tree, limit: usize) -> Result<Diff> {
        let from = Tree::try_from(from)?;
        let mut diff = self.read_diff(diff_call(&["--find-renames"], &from, to, left_out), limit)?;
        if diff.truncated || !diff.text.contains("\nBinary files ") {
            return Ok(diff);
        }
        let counted = diff_call(&["--numstat", "-z", "--no-renames"], &from, to, left_out);
        let binaries = parse_binary_paths(&self.run_without_attributes(counted)?.text());
        let changes = Changes { workspace: self.workspace() }.between(&from, to, &binaries)?;
        let wide = changes.iter().filter(|change| is_wide(change)).map(|change| change.path.clone());
        diff.not_shown.extend(wide.filter(|path| is_picture_or_archive(path)));
        let texts = changes.iter().filter(|change| is_text(change)).map(|change| change.path.clone());
        let texts: Vec<String> = texts.collect();
        if !texts.is_empty() {
            let left = limit.saturating_sub(diff.text.len());
            let call = diff_call(&["--text", "--no-renames"], &from, to, &pathspecs_of(&texts));
            let more = self.read_diff(call, left)?;
            diff.not_shown.retain(|file| !texts.contains(file));
            diff.text.push_str(&more.text);
            diff.truncated |= more.truncated;
        }
        Ok(diff)
    }

    fn read_diff(&self, call: Call, limit: usize) -> Result<Diff> {
        let output = self.run_without_attributes(call.with_limit(limit))?;
        // What is no UTF-8 is longer as text.
        let mut text = output.text();
        let truncated = output.truncated || text.len() > limit;
        if truncated {
            let whole = &text.as_bytes()[..text.len().min(limit)];
            text.truncate(whole.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1));
        }
        let not_shown = find_not_shown(&text);
        Ok(Diff { text, truncated, not_shown })
    }

    /// Runs git where it finds no `.gitattributes`, neither on disk nor in an index. Every git that we know obeys that;
    /// those before 2.41 have no option for it.
    fn run_without_attributes(&self, call: Call) -> Result<GitOutput> {
        let empty_folder = self.empty_folder()?;
        let call = call
            .without_user_settings()
            .setting("core.attributesFile=/dev/null")
            .setting("attr.tree=")
            .setting("core.bigFileThreshold=512m")
            .options(["--git-dir".as_ref(), self.workspace().git_dir()])
            .options(["--work-tree".as_ref(), empty_folder.as_path()])
            .on_index(&empty_folder.join("index"));
        self.workspace().run_in(&empty_folder, &call)
    }

    /// Makes an empty folder, and returns it.
    fn empty_folder(&self) -> Result<PathBuf> {
        let empty_folder = self.state_dir().join("nowhere");
        ignore_missing(fs::remove_dir_all(&empty_folder)).map_err(at(&empty_folder))?;
        fs::create_dir_all(&empty_folder).map_err(at(&empty_folder))?;
        Ok(empty_folder)
    }
}

/// The changes in a repository.
#[derive(Debug, Clone)]
pub struct Changes<'a> {
    pub(crate) workspace: &'a Workspace,
}

impl Changes<'_> {
    /// Returns what differs from HEAD at these paths, as a snapshot saw it; a path that does not differ is left out.
    pub fn uncommitted(&self, seen: &Snapshot, paths: &BTreeSet<String>) -> Result<Vec<Change>> {
        let differing: Vec<&String> =
            paths.iter().filter(|path| seen.uncommitted.contains_key(*path)).collect();
        let old = differing.iter().filter_map(|path| seen.in_head.get(*path));
        let blobs = self.workspace.blobs(old)?;
        let change = |path: &String| {
            let before = seen.in_head.get(path).map(|old| make_version(old, &blobs));
            let gone = seen.uncommitted.get(path) == Some(&snapshot::PathContent::Deleted);
            let after = if gone { None } else { read_from_disk(&self.workspace.root().join(path)) };
            Change::new(path.clone(), before, after)
        };
        self.apply_git_modes(differing.into_iter().map(change).collect())
    }

    /// Returns what differs between a commit and the files, untracked and hidden ones included, without the engine's own.
    pub fn since(&self, base: &CommitId) -> Result<Vec<Change>> {
        let raw = ["diff", "--raw", "-z", "--no-renames", "--no-ext-diff", "--no-abbrev"];
        let scope = ["--ignore-submodules=all", base.as_str(), "--"];
        let output = self.workspace.ask(raw.into_iter().chain(scope))?;
        let sides = parse_raw_diff(&output.text()).ok_or_else(|| output.unexpected_answer())?;
        let tracked = sides.into_iter().filter(|(path, _)| !is_engines_own(path));
        let mut before: BTreeMap<String, _> = tracked.map(|(path, (before, _))| (path, before)).collect();
        let untracked = self.workspace.ask(["ls-files", "-z", "--others", "--exclude-standard"])?;
        for path in untracked.paths() {
            if !is_engines_own(&path) && !path.ends_with('/') && !is_cache(&path) {
                before.entry(path).or_insert(None);
            }
        }
        for (path, old) in self.list_hidden(base)? {
            before.entry(path).or_insert(old);
        }
        let blobs = self.workspace.blobs(before.values().flatten())?;
        let change = |(path, old): (&String, &Option<TreeEntry>)| {
            let before = old.as_ref().map(|old| make_version(old, &blobs));
            Change::new(path.clone(), before, read_from_disk(&self.workspace.root().join(path)))
        };
        self.apply_git_modes(before.iter().map(change).collect())
    }

    /// Returns what differs between two trees at these paths.
    pub fn between(&self, old: &Tree, new: &Tree, paths: &BTreeSet<String>) -> Result<Vec<Change>> {
        if paths.is_empty() || old == new {
            return Ok(Vec::new());
        }
        self.list_differing(old, new, paths)
    }

    /// Returns everything that differs between two trees.
    pub fn all_between(&self, old: &Tree, new: &Tree) -> Result<Vec<Change>> {
        self.list_differing(old, new, &BTreeSet::new())
    }

    /// Without paths everything counts.
    fn list_differing(&self, old: &Tree, new: &Tree, paths: &BTreeSet<String>) -> Result<Vec<Change>> {
        let (old, new) = (old.as_str(), new.as_str());
        let sides = if paths.is_empty() {
            self.workspace.differences(old, new)?
        } else {
            self.workspace.differences_at(old, new, paths)?
        };
        let blobs = self.workspace.blobs(sides.values().flat_map(|(old, new)| old.iter().chain(new)))?;
        let change = |(path, (old, new)): (&String, &EntryBeforeAfter)| {
            let version = |side: &Option<TreeEntry>| side.as_ref().map(|side| make_version(side, &blobs));
            Change::new(path.clone(), version(old), version(new))
        };
        Ok(sides.iter().map(change).collect())
    }

    /// Returns the paths that differ between two snapshots.
    pub fn paths_between(&self, from: &Tree, to: &Tree) -> Result<Vec<String>> {
        let words =
            ["diff-tree", "-r", "-z", "--name-only", "--no-renames", from.as_str(), to.as_str(), "--"];
        Ok(self.workspace.ask(words)?.paths())
    }

    /// Returns the paths that differ between a commit and a tree and are still there.
    pub fn present_paths_between(&self, commit: &CommitId, tree: &Tree) -> Result<Vec<String>> {
        let options = ["diff-tree", "-r", "-z", "--name-only", "--no-renames", "--diff-filter=d"];
        let sides = [commit.as_str(), tree.as_str(), "--"];
        Ok(self.workspace.ask(options.into_iter().chain(sides))?.paths())
    }

    /// Returns the changes that differ. Where git takes no modes from the disk, those of the index count.
    fn apply_git_modes(&self, changes: Vec<Change>) -> Result<Vec<Change>> {
        let differing = changes.into_iter().filter(is_different);
        let mut changes: Vec<Change> = differing.collect();
        if !changes.iter().any(has_other_mode) || self.is_set("core.fileMode", true)? {
            return Ok(changes);
        }
        let known = self.read_index_modes()?;
        for change in &mut changes {
            if let Some(after) = change.after.as_mut().filter(|after| is_plain(after.mode)) {
                after.mode = known.get(&change.path).copied().unwrap_or(FileMode::File);
            }
        }
        changes.retain(is_different);
        Ok(changes)
    }

    /// Tells whether a setting of git is true.
    fn is_set(&self, name: &str, default: bool) -> Result<bool> {
        let default = format!("--default={default}");
        Ok(self.workspace.ask(["config", "--type=bool", &default, "--get", name])?.line() == "true")
    }

    fn read_index_modes(&self) -> Result<BTreeMap<String, FileMode>> {
        let output = self.workspace.ask(["ls-files", "--stage", "-z"])?;
        let plain_file = |entry: &str| {
            let (head, path) = entry.split_once('\t')?;
            let mode = parse_mode(head.split(' ').next()?);
            if is_plain(mode) { Some((path.to_owned(), mode)) } else { None }
        };
        Ok(output.text().split('\0').filter_map(plain_file).collect())
    }

    /// Returns the hidden paths with what a commit holds there.
    fn list_hidden(&self, base: &CommitId) -> Result<BTreeMap<String, Option<TreeEntry>>> {
        let listed = self.workspace.ask(["ls-files", "-v", "-z"])?.text();
        let mut paths: Vec<&str> = listed.split('\0').filter_map(unmark).collect();
        paths.retain(|path| !is_engines_own(path));
        // A file that a sparse checkout leaves out was not deleted.
        if paths.iter().any(|path| self.is_missing(path)) && self.is_set("core.sparseCheckout", false)? {
            paths.retain(|path| !self.is_missing(path));
        }
        if paths.is_empty() {
            return Ok(BTreeMap::new());
        }
        let mut held = self.workspace.tree_entries(base.as_str(), &BTreeSet::new())?;
        Ok(paths.into_iter().map(|path| (path.to_owned(), held.remove(path))).collect())
    }

    fn is_missing(&self, path: &str) -> bool {
        self.workspace.root().join(path).symlink_metadata().is_err()
    }
}

/// A new file that can be executed differs as well: git would take it without that.
fn has_other_mode(change: &Change) -> bool {
    let was = change.before.as_ref().map_or(FileMode::File, |before| before.mode);
    change.after.as_ref().is_some_and(|after| after.mode != was && is_plain(after.mode))
}

fn is_different(change: &Change) -> bool {
    change.before != change.after
}

fn make_version(old: &TreeEntry, blobs: &Blobs) -> FileVersion {
    let bytes = blobs.get(&old.id).cloned().unwrap_or_default();
    FileVersion { mode: parse_mode(&old.mode), content: FileContent::of(bytes) }
}

/// Reads what lies at a path; nothing when it is not there, or nothing that git keeps.
fn read_from_disk(path: &Path) -> Option<FileVersion> {
    let found = fs::symlink_metadata(path).ok()?;
    if found.is_symlink() {
        let target = fs::read_link(path).ok()?.to_string_lossy().into_owned();
        return Some(FileVersion { mode: FileMode::Link, content: FileContent::Text(target) });
    }
    if found.is_dir() {
        return Some(FileVersion { mode: FileMode::Submodule, content: FileContent::Binary(Vec::new()) });
    }
    if !found.is_file() {
        return None;
    }
    let content = if found.len() > LONGEST_TEXT {
        FileContent::TooLong(found.len())
    } else {
        FileContent::of(fs::read(path).ok()?)
    };
    Some(FileVersion {
        mode: if is_executable(&found) { FileMode::Executable } else { FileMode::File },
        content,
    })
}

fn is_executable(found: &Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    found.permissions().mode() & 0o100 != 0
}

/// Returns the path of an entry that is marked: `S` is skipped, a small letter assumed to be unchanged.
fn unmark(entry: &str) -> Option<&str> {
    let (mark, path) = entry.split_once(' ')?;
    let is_hidden = mark == "S" || mark.bytes().all(|byte| byte.is_ascii_lowercase());
    if is_hidden { Some(path) } else { None }
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

/// Returns the pathspecs of these files alone.
fn pathspecs_of(paths: &[String]) -> Vec<String> {
    paths.iter().map(|path| format!(":(top,literal){path}")).collect()
}

/// Returns the paths of which git counts no lines.
fn parse_binary_paths(counted: &str) -> BTreeSet<String> {
    let binary = counted.split('\0').filter_map(|entry| entry.strip_prefix("-\t-\t"));
    binary.map(str::to_owned).collect()
}

/// Returns the files that git calls binary in a difference, and that are still there.
fn find_not_shown(diff: &str) -> Vec<String> {
    let (mut deleted, mut found) = (false, Vec::new());
    // Lines of files begin with a mark of their own.
    for line in diff.lines() {
        if line.starts_with("diff --git ") {
            deleted = false;
        }
        deleted |= line.starts_with("deleted file mode ");
        found.extend(parse_binary_file(line).filter(|file| !deleted && !is_picture_or_archive(file)));
    }
    found
}

fn parse_binary_file(line: &str) -> Option<String> {
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
    matches!(after, Some(FileContent::Binary(bytes)) if std::str::from_utf8(bytes).is_ok())
}

/// Tells whether a file that git calls binary is text in a wide encoding.
fn is_wide(change: &Change) -> bool {
    change.after.as_ref().is_some_and(|after| after.content.text().is_some())
}

#[cfg(test)]
mod tests;
