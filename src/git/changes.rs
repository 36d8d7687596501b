//! What differs between a commit and the files on disk, with the texts of both sides. One process for all that git holds.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, Metadata};
use std::path::Path;

use super::caches::is_cache;
use super::call::Call;
use super::names::CommitId;
use super::own_files::is_engines_own;
use super::snapshot::{self, Snapshot};
use super::status::{InHead, NOTHING};
use super::{IssueSpace, Result, Tree, Workspace};
use model::change::{self, Change, LONGEST_TEXT, Mode, Version};

impl IssueSpace {
    /// Returns what differs from HEAD at these paths, as a snapshot saw it; a path that does not differ is left out.
    pub fn changes(&self, seen: &Snapshot, paths: &BTreeSet<String>) -> Result<Vec<Change>> {
        let differing: Vec<&String> =
            paths.iter().filter(|path| seen.uncommitted.contains_key(*path)).collect();
        let old = differing.iter().filter_map(|path| seen.in_head.get(*path));
        let blobs = self.workspace.blobs(old)?;
        let change = |path: &String| {
            let before = seen.in_head.get(path).map(|old| version(old, &blobs));
            let gone = seen.uncommitted.get(path) == Some(&snapshot::Content::Deleted);
            let after = if gone { None } else { on_disk(&self.workspace.root.join(path)) };
            Change::new(path.clone(), before, after)
        };
        self.workspace.with_modes_of_git(differing.into_iter().map(change).collect())
    }
}

impl IssueSpace {
    /// Returns what differs between two trees at these paths.
    pub fn changes_between(&self, old: &Tree, new: &Tree, paths: &BTreeSet<String>) -> Result<Vec<Change>> {
        if paths.is_empty() || old == new {
            return Ok(Vec::new());
        }
        self.differing(old, new, paths)
    }

    /// Returns everything that differs between two trees.
    pub fn all_changes_between(&self, old: &Tree, new: &Tree) -> Result<Vec<Change>> {
        self.differing(old, new, &BTreeSet::new())
    }

    /// Without paths everything counts.
    fn differing(&self, old: &Tree, new: &Tree, paths: &BTreeSet<String>) -> Result<Vec<Change>> {
        let call = Call::new(["diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev"])
            .args([old.as_str(), new.as_str(), "--"])
            .args(paths)
            .reading();
        let output = self.workspace.git(&call)?;
        let sides = raw_sides(&output.text()).ok_or_else(|| output.unexpected(&call))?;
        let blobs = self.workspace.blobs(sides.values().flat_map(|(old, new)| old.iter().chain(new)))?;
        let change = |(path, (old, new)): (&String, &Sides)| {
            let version = |side: &Option<InHead>| side.as_ref().map(|side| version(side, &blobs));
            Change::new(path.clone(), version(old), version(new))
        };
        Ok(sides.iter().map(change).collect())
    }

    /// Returns those of the paths that are plain files of a tree.
    pub fn files_of(&self, tree: &Tree, paths: &BTreeSet<String>) -> Result<BTreeSet<String>> {
        if paths.is_empty() {
            return Ok(BTreeSet::new());
        }
        let call =
            Call::new(["ls-tree", "-r", "-z", "--full-tree", tree.as_str(), "--"]).args(paths).reading();
        let file = |entry: &str| {
            let (head, path) = entry.split_once('\t')?;
            let plain = is_plain(mode(head.split(' ').next()?));
            (plain && paths.contains(path)).then(|| path.to_owned())
        };
        Ok(self.workspace.git(&call)?.text().split('\0').filter_map(file).collect())
    }
}

impl Workspace {
    /// Returns what differs between a commit and the files, untracked and hidden ones included, without the engine's own.
    pub fn changes_since(&self, base: &CommitId) -> Result<Vec<Change>> {
        let raw = Call::new(["diff", "--raw", "-z", "--no-renames", "--no-ext-diff", "--no-abbrev"])
            .args(["--ignore-submodules=all", base.as_str(), "--"])
            .reading();
        let output = self.git(&raw)?;
        let mut before = raw_entries(&output.text()).ok_or_else(|| output.unexpected(&raw))?;
        before.retain(|path, _| !is_engines_own(path));
        let untracked = Call::new(["ls-files", "-z", "--others", "--exclude-standard"]).reading();
        for path in self.git(&untracked)?.text().split('\0').filter(|path| !path.is_empty()) {
            if !is_engines_own(path) && !path.ends_with('/') && !is_cache(path) {
                before.entry(path.to_owned()).or_insert(None);
            }
        }
        for (path, old) in self.hidden(base)? {
            before.entry(path).or_insert(old);
        }
        let blobs = self.blobs(before.values().flatten())?;
        let change = |(path, old): (&String, &Option<InHead>)| {
            let before = old.as_ref().map(|old| version(old, &blobs));
            Change::new(path.clone(), before, on_disk(&self.root.join(path)))
        };
        self.with_modes_of_git(before.iter().map(change).collect())
    }

    /// Returns the changes that differ. Where git takes no modes from the disk, those of the index count.
    fn with_modes_of_git(&self, changes: Vec<Change>) -> Result<Vec<Change>> {
        let differing = changes.into_iter().filter(differs);
        let mut changes: Vec<Change> = differing.collect();
        if !changes.iter().any(differs_in_mode) || self.takes_modes_from_disk()? {
            return Ok(changes);
        }
        let known = self.modes_of_the_index()?;
        for change in &mut changes {
            if let Some(after) = change.after.as_mut().filter(|after| is_plain(after.mode)) {
                after.mode = known.get(&change.path).copied().unwrap_or(Mode::File);
            }
        }
        changes.retain(differs);
        Ok(changes)
    }

    fn takes_modes_from_disk(&self) -> Result<bool> {
        let call = Call::new(["config", "--type=bool", "--default=true", "--get", "core.fileMode"]).reading();
        Ok(self.git(&call)?.text().trim() != "false")
    }

    fn modes_of_the_index(&self) -> Result<BTreeMap<String, Mode>> {
        let output = self.git(&Call::new(["ls-files", "--stage", "-z"]).reading())?;
        let entry = |entry: &str| {
            let (head, path) = entry.split_once('\t')?;
            Some((path.to_owned(), mode(head.split(' ').next()?))).filter(|(_, mode)| is_plain(*mode))
        };
        Ok(output.text().split('\0').filter_map(entry).collect())
    }

    /// Returns the contents of blobs by id.
    fn blobs<'a>(&self, wanted: impl Iterator<Item = &'a InHead>) -> Result<BTreeMap<String, Vec<u8>>> {
        let ids: BTreeSet<&str> =
            wanted.filter(|old| mode(&old.mode) != Mode::Submodule).map(|old| old.id.as_str()).collect();
        if ids.is_empty() {
            return Ok(BTreeMap::new());
        }
        let asked: String = ids.iter().map(|id| format!("{id}\n")).collect();
        let call = Call::new(["cat-file", "--batch", "--buffer"]).fed_with(asked).reading();
        let output = self.git(&call)?;
        contents(&output.stdout)
            .filter(|found| found.len() == ids.len())
            .ok_or_else(|| output.unexpected(&call))
    }
}

/// A new file that can be executed differs as well: git would take it without that.
fn differs_in_mode(change: &Change) -> bool {
    let was = change.before.as_ref().map_or(Mode::File, |before| before.mode);
    change.after.as_ref().is_some_and(|after| after.mode != was && is_plain(after.mode))
}

fn is_plain(mode: Mode) -> bool {
    matches!(mode, Mode::File | Mode::Executable)
}

fn differs(change: &Change) -> bool {
    change.before != change.after
}

fn version(old: &InHead, blobs: &BTreeMap<String, Vec<u8>>) -> Version {
    let bytes = blobs.get(&old.id).cloned().unwrap_or_default();
    Version { mode: mode(&old.mode), content: change::Content::of(bytes) }
}

/// Git's modes: 100644, 100755, 120000 and 160000.
fn mode(octal: &str) -> Mode {
    match octal {
        "100755" => Mode::Executable,
        "120000" => Mode::Link,
        "160000" => Mode::Submodule,
        _ => Mode::File,
    }
}

/// Reads what lies at a path; nothing when it is not there, or nothing that git keeps.
fn on_disk(path: &Path) -> Option<Version> {
    let found = fs::symlink_metadata(path).ok()?;
    if found.is_symlink() {
        let target = fs::read_link(path).ok()?.to_string_lossy().into_owned();
        return Some(Version { mode: Mode::Link, content: change::Content::Text(target) });
    }
    if found.is_dir() {
        return Some(Version { mode: Mode::Submodule, content: change::Content::Binary(Vec::new()) });
    }
    found.is_file().then_some(())?;
    let content = if found.len() > LONGEST_TEXT {
        change::Content::TooLong(found.len())
    } else {
        change::Content::of(fs::read(path).ok()?)
    };
    Some(Version { mode: if is_executable(&found) { Mode::Executable } else { Mode::File }, content })
}

fn is_executable(found: &Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    found.permissions().mode() & 0o100 != 0
}

/// What stands at a path on both sides of a comparison.
type Sides = (Option<InHead>, Option<InHead>);

/// Returns what `diff --raw -z` says was there before.
pub(super) fn raw_entries(text: &str) -> Option<BTreeMap<String, Option<InHead>>> {
    Some(raw_sides(text)?.into_iter().map(|(path, (before, _))| (path, before)).collect())
}

/// Reads `diff --raw -z`: `:mode mode id id letter`, then the path.
fn raw_sides(text: &str) -> Option<BTreeMap<String, Sides>> {
    let mut fields = text.split('\0').filter(|field| !field.is_empty());
    let mut entries = BTreeMap::new();
    while let Some(head) = fields.next() {
        let words: Vec<&str> = head.strip_prefix(':')?.split(' ').collect();
        let (&[old, new, old_id, new_id, _], path) = (words.as_slice(), fields.next()?) else { return None };
        let side =
            |mode: &str, id: &str| (mode != NOTHING).then(|| InHead { mode: mode.into(), id: id.into() });
        entries.insert(path.to_owned(), (side(old, old_id), side(new, new_id)));
    }
    Some(entries)
}

/// Reads the answer of `cat-file --batch`: id, type and size in a line, then the content and a line end.
fn contents(answer: &[u8]) -> Option<BTreeMap<String, Vec<u8>>> {
    let mut found = BTreeMap::new();
    let mut rest = answer;
    while !rest.is_empty() {
        let end = rest.iter().position(|byte| *byte == b'\n')?;
        let header = std::str::from_utf8(&rest[..end]).ok()?;
        let mut words = header.split(' ');
        let (id, kind, size) = (words.next()?, words.next()?, words.next()?.parse::<usize>().ok()?);
        let content = rest.get(end + 1..(end + 1).checked_add(size)?)?;
        (kind == "blob").then(|| found.insert(id.to_owned(), content.to_vec()))?;
        rest = rest.get(end + 2 + size..)?;
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answer_for_many_blobs_is_read_whole_or_not_at_all() {
        let found = contents(b"1 blob 3\na\nb\n2 blob 0\n\n").expect("two blobs");
        assert_eq!((found["1"].as_slice(), found["2"].as_slice()), (&b"a\nb"[..], &b""[..]));
        assert_eq!(contents(b"1 missing\n"), None);
        assert_eq!(contents(b"1 blob 9\na\n"), None);
    }

    #[test]
    fn raw_entries_say_what_was_there_before() {
        let text = ":100644 100755 1 2 M\0a b\0:000000 100644 0 3 A\0new\0:120000 000000 4 0 D\0gone\0";
        let entries = raw_entries(text).expect("entries");
        assert_eq!(entries["a b"], Some(InHead { mode: "100644".into(), id: "1".into() }));
        assert_eq!((entries["new"].is_none(), entries["gone"].is_some()), (true, true));
        assert_eq!(raw_entries("nonsense\0x\0"), None);
    }
}
