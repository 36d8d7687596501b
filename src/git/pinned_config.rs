//! Notices that the repository's own settings changed while it is open: a filter, a signing program, an ssh command or a
//! remote set by an agent would make git start its program with our rights. Also notices a `.git` that was replaced.
//! Does not guard harmless settings that programs change often: names, colours, aliases, the upstream of a branch.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use crate::config_file::{self, Setting};
use crate::{Error, Result, regular_file};

/// Sections by which git starts no program and reads no other place.
const HARMLESS_SECTIONS: [&str; 8] = ["user", "author", "branch", "color", "alias", "advice", "push", "init"];

/// What git, its extensions and editors write by themselves: the upstream of a branch, and notes of git-lfs.
const WRITTEN_BY_PROGRAMS: [(&str, &str); 5] = [
    ("branch", "merge"),
    ("branch", "rebase"),
    ("branch", "vscode-merge-base"),
    ("lfs", "repositoryformatversion"),
    ("lfs", "access"),
];

/// Keys of `core` that every call of ours sets itself.
const OVERRIDDEN_KEYS: [&str; 3] = ["hooksPath", "fsmonitor", "quotePath"];

/// What the settings were when the repository was opened.
#[derive(Debug)]
pub(crate) struct PinnedConfig {
    git_entry: PathBuf,
    git_entry_was: String,
    settings: BTreeMap<PathBuf, String>,
    attributes: PathBuf,
    attributes_were: String,
}

impl PinnedConfig {
    /// Remembers the settings as they are now.
    pub(crate) fn pin(root: &Path, common: &Path, git_dir: &Path) -> Self {
        let git_entry = root.join(".git");
        let mut settings = BTreeMap::new();
        for path in [common.join("config"), git_dir.join("config.worktree")] {
            pin_settings(&path, &mut settings);
        }
        // Of these every line counts: what would be a section in settings is a pattern here.
        let attributes = common.join("info/attributes");
        let attributes_were = read(&attributes);
        Self { git_entry_was: identity(&git_entry), git_entry, settings, attributes, attributes_were }
    }

    /// Refuses when something is different now.
    pub(crate) fn check(&self) -> Result<()> {
        if identity(&self.git_entry) != self.git_entry_was {
            return Err(Error::RepositoryReplaced { path: self.git_entry.clone() });
        }
        let mut settings = self.settings.iter();
        let changed = match settings.find(|(path, was)| read_relevant_settings(path) != **was) {
            Some((path, _)) => path,
            None if read(&self.attributes) != self.attributes_were => &self.attributes,
            None => return Ok(()),
        };
        Err(Error::ConfigChanged { path: changed.clone() })
    }
}

/// Returns the files that hold settings of the repository, whether they are there or not.
pub(crate) fn list_settings_files(common: &Path, git_dir: &Path) -> BTreeSet<PathBuf> {
    let mut settings = BTreeMap::new();
    for path in [common.join("config"), git_dir.join("config.worktree")] {
        pin_settings(&path, &mut settings);
    }
    settings.into_keys().collect()
}

/// Returns the files that hold settings of the user and of the machine, as far as they are where git looks for them.
pub(crate) fn list_user_settings_files() -> BTreeSet<PathBuf> {
    let variable = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let home = |name: &str| find_home().map(|home| home.join(name));
    let xdg = variable("XDG_CONFIG_HOME").or_else(|| home(".config")).map(|folder| folder.join("git/config"));
    let global = match variable("GIT_CONFIG_GLOBAL") {
        Some(file) => vec![file],
        None => xdg.into_iter().chain(home(".gitconfig")).collect(),
    };
    let mut settings = BTreeMap::new();
    for path in &global {
        pin_settings(path, &mut settings);
    }
    if variable("GIT_CONFIG_NOSYSTEM").is_none() {
        pin_settings(Path::new("/etc/gitconfig"), &mut settings);
    }
    settings.into_keys().collect()
}

fn find_home() -> Option<PathBuf> {
    env::var_os("HOME").filter(|home| !home.is_empty()).map(PathBuf::from)
}

/// Returns the paths that a file of settings names under a key of `core`; relative ones are of a folder.
pub(crate) fn read_paths(path: &Path, key: &str, folder: &Path) -> Vec<PathBuf> {
    let is_named = |setting: &Setting| setting.section == "core" && setting.key == key;
    let named = config_file::parse(&read(path)).into_iter().filter(is_named);
    named.filter_map(|setting| resolve(&setting.value, folder)).collect()
}

/// Returns the path that a setting names, which may be below the user's folder.
fn resolve(value: &str, folder: &Path) -> Option<PathBuf> {
    let path = match value.strip_prefix("~/") {
        Some(rest) => find_home()?.join(rest),
        None if value.is_empty() || value.starts_with(['~', '%']) => return None,
        None => folder.join(value),
    };
    Some(path.components().collect())
}

/// Pins a file and the files it includes.
fn pin_settings(path: &Path, settings: &mut BTreeMap<PathBuf, String>) {
    let included: Vec<PathBuf> =
        config_file::parse(&read(path)).iter().filter_map(|setting| find_included(path, setting)).collect();
    if settings.insert(path.to_owned(), read_relevant_settings(path)).is_none() && settings.len() < 20 {
        for path in &included {
            pin_settings(path, settings);
        }
    }
}

/// Returns the file that a setting includes, whatever its condition: a file too many in the list costs nothing.
fn find_included(config: &Path, setting: &Setting) -> Option<PathBuf> {
    let is_include = matches!(setting.section.as_str(), "include" | "includeif") && setting.key == "path";
    let from_home = setting.value.starts_with('~');
    match (is_include, from_home) {
        (true, true) => resolve(&setting.value, Path::new("")),
        (true, false) if !setting.value.is_empty() => Some(config.with_file_name("").join(&setting.value)),
        _ => None,
    }
}

/// Returns the relevant settings of a file, each with its section: all that are not known to be harmless.
fn read_relevant_settings(path: &Path) -> String {
    list_settings(&read(path), |section, line| {
        is_header_of(section, &HARMLESS_SECTIONS) || (is_header_of(section, &["core"]) && is_overridden(line))
    })
}

/// Returns the settings of a text, each with its section, without those that programs write by themselves.
pub(crate) fn list_deliberate_settings(text: &str) -> String {
    list_settings(text, |section, line| {
        WRITTEN_BY_PROGRAMS.iter().any(|(of, key)| is_header_of(section, &[of]) && has_key(line, key))
            || (is_header_of(section, &["branch"]) && names_remote(text, line))
    })
}

/// Returns the settings of a text without some of them. A line that goes on in the next one always counts.
fn list_settings(text: &str, is_left_out: impl Fn(&str, &str) -> bool) -> String {
    let (mut section, mut kept) = (String::new(), String::new());
    for line in text.lines().map(str::trim) {
        if line.starts_with('[') {
            line.clone_into(&mut section);
            if is_plain_header(line) {
                continue;
            }
        }
        if !is_left_out(&section, line) || line.ends_with('\\') {
            kept.extend([section.as_str(), " ", line, "\n"]);
        }
    }
    kept
}

/// Tells whether a line is the remote of a branch, by the name of one of these settings. Git takes another name for the path of a
/// repository, and an address leads elsewhere.
fn names_remote(text: &str, line: &str) -> bool {
    let Some((_, value)) = line.split_once('=') else { return false };
    let value = value.trim();
    let header = format!("[remote \"{value}\"]");
    // The first is the repository itself; the second is what git calls a remote that is not set up yet.
    let is_known = [".", "origin"].contains(&value) || text.lines().any(|line| line.trim() == header);
    is_known && (has_key(line, "remote") || has_key(line, "pushRemote"))
}

/// Tells whether a line sets a key that every call of ours sets itself; package managers often set these.
fn is_overridden(line: &str) -> bool {
    OVERRIDDEN_KEYS.iter().any(|overridden| has_key(line, overridden))
}

fn has_key(line: &str, key: &str) -> bool {
    line.split('=').next().unwrap_or_default().trim().eq_ignore_ascii_case(key)
}

/// Tells whether a header is all that its line holds: git would read a second section or a key behind it.
fn is_plain_header(line: &str) -> bool {
    let inside = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    inside.is_some_and(|inside| !inside.contains(['[', ']']))
}

fn is_header_of(line: &str, sections: &[&str]) -> bool {
    let name = line.trim_matches(['[', ']']).split([' ', '\t', '"']).next().unwrap_or_default();
    is_plain_header(line) && sections.iter().any(|section| name.eq_ignore_ascii_case(section))
}

fn read(path: &Path) -> String {
    regular_file::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
}

/// A linked worktree's `.git` is a file that says where to look; a checkout's is a folder.
fn identity(git_entry: &Path) -> String {
    match fs::symlink_metadata(git_entry) {
        Ok(metadata) if metadata.is_file() => format!("file {}", read(git_entry)),
        Ok(metadata) if metadata.is_dir() => folder_identity(&metadata),
        Ok(_) => format!("link {}", fs::read_link(git_entry).unwrap_or_default().display()),
        Err(_) => "missing".into(),
    }
}

fn folder_identity(metadata: &fs::Metadata) -> String {
    use std::os::unix::fs::MetadataExt;
    format!("folder {} {}", metadata.dev(), metadata.ino())
}

#[cfg(test)]
mod tests;
