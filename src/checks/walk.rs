//! Walks through the folders below another one; what cannot be read is passed over, and links are not followed.

use std::collections::VecDeque;
use std::fs::{self, FileType};
use std::path::{Path, PathBuf};

/// Shows each file and folder below `root` to `visit`, by its path from there; `visit` tells whether to go into a folder.
pub(crate) fn walk(root: &Path, mut visit: impl FnMut(&Path, FileType) -> bool) {
    let mut folders = VecDeque::from([PathBuf::new()]);
    while let Some(folder) = folders.pop_front() {
        for entry in fs::read_dir(root.join(&folder)).into_iter().flatten().flatten() {
            let (path, kind) = (folder.join(entry.file_name()), entry.file_type());
            if kind.is_ok_and(|kind| visit(&path, kind) && kind.is_dir()) {
                folders.push_back(path);
            }
        }
    }
}
