//! Files that git was told to take for unchanged (`update-index --assume-unchanged`, `--skip-worktree`): no diff shows them.
//! Who judges the files as they are has to look at them nevertheless.

use std::collections::BTreeMap;

use super::call::Call;
use super::names::CommitId;
use super::own_files::is_engines_own;
use super::status::InHead;
use super::{Result, Workspace};

impl Workspace {
    /// Returns the hidden paths with what a commit holds there.
    pub(super) fn hidden(&self, base: &CommitId) -> Result<BTreeMap<String, Option<InHead>>> {
        let listed = self.git(&Call::new(["ls-files", "-v", "-z"]).reading())?;
        let listed = listed.text();
        let mut paths: Vec<&str> = listed.split('\0').filter_map(marked).collect();
        paths.retain(|path| !is_engines_own(path));
        // A sparse checkout leaves files out that nobody deleted.
        if paths.iter().any(|path| self.is_missing(path)) && self.is_sparse()? {
            paths.retain(|path| !self.is_missing(path));
        }
        if paths.is_empty() {
            return Ok(BTreeMap::new());
        }
        let call = Call::new(["ls-tree", "-r", "-z", "--full-tree", base.as_str()]).reading();
        let tree = self.git(&call)?;
        let tree = tree.text();
        let held: BTreeMap<&str, InHead> = tree.split('\0').filter_map(entry).collect();
        Ok(paths.into_iter().map(|path| (path.to_owned(), held.get(path).cloned())).collect())
    }

    fn is_missing(&self, path: &str) -> bool {
        self.root.join(path).symlink_metadata().is_err()
    }

    fn is_sparse(&self) -> Result<bool> {
        let call =
            Call::new(["config", "--type=bool", "--default=false", "--get", "core.sparseCheckout"]).reading();
        Ok(self.git(&call)?.text().trim() == "true")
    }
}

/// Returns the path of an entry that is marked: `S` is skipped, a small letter assumed to be unchanged.
fn marked(entry: &str) -> Option<&str> {
    let (mark, path) = entry.split_once(' ')?;
    (mark == "S" || mark.bytes().all(|byte| byte.is_ascii_lowercase())).then_some(path)
}

/// Reads an entry of `ls-tree`: mode, kind and id, then the path.
fn entry(entry: &str) -> Option<(&str, InHead)> {
    let (head, path) = entry.split_once('\t')?;
    let mut words = head.split(' ');
    let (mode, _, id) = (words.next()?, words.next()?, words.next()?);
    Some((path, InHead { mode: mode.into(), id: id.into() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_and_entries_are_read() {
        assert_eq!([marked("S a b"), marked("h c"), marked("s d")], [Some("a b"), Some("c"), Some("d")]);
        assert_eq!([marked("H a"), marked("C b"), marked("")], [None, None, None]);
        let found = entry("100644 blob 12ab\ta b");
        assert_eq!(found, Some(("a b", InHead { mode: "100644".into(), id: "12ab".into() })));
    }
}
