//! Whether a repository is one that a person has just made by `git init` or `git clone`: git's own files of the one before are gone
//! with it, and there is nothing to compare.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::SystemTime;

use super::places::{list_files, list_git_dirs};
use super::{FILES, FOLDERS};
use crate::config_file::{self, Setting};
use crate::regular_file;

/// The settings that git makes by itself in a new repository, and those that name its user.
const SETTINGS: &str = include_str!("../data/settings_of_a_clone.txt");

/// Tells whether a folder of git was made since, and holds nothing by which git starts a program or reads other places.
pub(super) fn is_new_and_plain(common: &Path, since: SystemTime) -> bool {
    let is_new = fs::metadata(common).and_then(|found| found.created()).is_ok_and(|made| made > since);
    is_new && list_git_dirs(common).len() == 1 && has_plain_settings(common) && has_plain_files(common)
}

fn has_plain_settings(common: &Path) -> bool {
    let settings = regular_file::read_text(&common.join("config")).map(|text| config_file::parse(&text));
    settings.is_ok_and(|settings| settings.iter().all(is_plain))
}

fn is_plain(setting: &Setting) -> bool {
    let name = format!("{}.{}", setting.section, setting.key);
    // With a transport in front the address names a program.
    SETTINGS.lines().any(|known| known == name) && !setting.value.contains("::")
}

fn has_plain_files(common: &Path) -> bool {
    let mut found = BTreeSet::new();
    FOLDERS.lines().for_each(|folder| list_files(&common.join(folder), &mut found));
    found.extend(FILES.lines().filter(|name| *name != "config").map(|name| common.join(name)));
    found.retain(|path| fs::symlink_metadata(path).is_ok() && !is_exclude_without_lines(path));
    found.is_empty()
}

fn is_exclude_without_lines(path: &Path) -> bool {
    let is_comment = |line: &str| line.is_empty() || line.starts_with('#');
    path.ends_with("info/exclude")
        && regular_file::read_text(path).is_ok_and(|text| text.lines().all(is_comment))
}
