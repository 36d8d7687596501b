//! The entries of trees as git prints them: mode, id and path, alone or of two sides. Asks git nothing.

use std::collections::BTreeMap;

use model::change::FileMode;

/// The mode that git writes where there is no entry.
pub(crate) const ABSENT_MODE: &str = "000000";

/// The entry of a tree at a path; mode `000000` where there is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TreeEntry {
    pub(crate) mode: String,
    pub(crate) id: String,
}

/// The entry of a path before and after a change; nothing where the path is missing.
pub(crate) type EntryBeforeAfter = (Option<TreeEntry>, Option<TreeEntry>);

/// Two trees or commits by their ids, and the entries in which they differ.
#[derive(Debug)]
pub(crate) struct TreeDifferences {
    pub(crate) old: String,
    pub(crate) new: String,
    pub(crate) entries: BTreeMap<String, EntryBeforeAfter>,
}

/// Git's modes: 100644, 100755, 120000 and 160000.
pub(crate) fn parse_mode(octal: &str) -> FileMode {
    match octal {
        "100755" => FileMode::Executable,
        "120000" => FileMode::Link,
        "160000" => FileMode::Submodule,
        _ => FileMode::File,
    }
}

/// Tells whether a mode is that of a file, executable or not.
pub(crate) fn is_plain(mode: FileMode) -> bool {
    matches!(mode, FileMode::File | FileMode::Executable)
}

/// Reads `diff --raw -z`: `:mode mode id id letter`, then the path.
pub(crate) fn parse_raw_diff(text: &str) -> Option<BTreeMap<String, EntryBeforeAfter>> {
    let mut fields = text.split('\0').filter(|field| !field.is_empty());
    let mut entries = BTreeMap::new();
    while let Some(head) = fields.next() {
        let words: Vec<&str> = head.strip_prefix(':')?.split(' ').collect();
        let (&[old, new, old_id, new_id, _], path) = (words.as_slice(), fields.next()?) else { return None };
        let side = |mode: &str, id: &str| match mode {
            ABSENT_MODE => None,
            _ => Some(TreeEntry { mode: mode.into(), id: id.into() }),
        };
        entries.insert(path.to_owned(), (side(old, old_id), side(new, new_id)));
    }
    Some(entries)
}

/// Reads an entry of `ls-tree`: mode, kind and id, then the path.
pub(crate) fn parse_tree_entry(entry: &str) -> Option<(String, TreeEntry)> {
    let (head, path) = entry.split_once('\t')?;
    let mut words = head.split(' ');
    let (mode, _, id) = (words.next()?, words.next()?, words.next()?);
    Some((path.to_owned(), TreeEntry { mode: mode.into(), id: id.into() }))
}

#[cfg(test)]
mod tests;
