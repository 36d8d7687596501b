//! Notices that the repository's own settings changed while it is open: a filter, a signing program, an ssh command or a
//! remote set by an agent would make git start its program with our rights. Also notices a `.git` that was replaced.
//! Does not guard harmless settings that programs change often: names, colours, aliases, the upstream of a branch.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::{Error, Result};

/// Sections by which git starts no program and reads no other place.
const HARMLESS_SECTIONS: [&str; 8] = ["user", "author", "branch", "color", "alias", "advice", "push", "init"];

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

/// Pins a file and the files it includes.
fn pin_settings(path: &Path, settings: &mut BTreeMap<PathBuf, String>) {
    let text = read_relevant_settings(path);
    let included: Vec<PathBuf> = text.lines().filter_map(|line| parse_include(path, line)).collect();
    if settings.insert(path.to_owned(), text).is_none() && settings.len() < 20 {
        for path in &included {
            pin_settings(path, settings);
        }
    }
}

/// Every `path = …` counts as an include, whatever its section: a file too many in the list costs nothing.
fn parse_include(config: &Path, line: &str) -> Option<PathBuf> {
    let (key, value) = line.split_once('=')?;
    let value = value.trim().trim_matches('"');
    let is_path = key.trim().to_ascii_lowercase().ends_with(" path");
    if !is_path || value.is_empty() || value.starts_with('~') {
        return None;
    }
    Some(config.with_file_name("").join(value))
}

/// Returns the relevant settings of a file, each with its section: all that are not known to be harmless.
fn read_relevant_settings(path: &Path) -> String {
    let (mut section, mut harmless) = (String::new(), false);
    let mut kept = String::new();
    for line in read(path).lines().map(str::trim) {
        if line.starts_with('[') {
            harmless = is_header_of(line, &HARMLESS_SECTIONS);
            line.clone_into(&mut section);
            if is_plain_header(line) {
                continue;
            }
        }
        let overridden = is_header_of(&section, &["core"]) && is_overridden(line);
        if !(harmless || overridden) || line.ends_with('\\') {
            kept.extend([section.as_str(), " ", line, "\n"]);
        }
    }
    kept
}

/// Tells whether a line sets a key that every call of ours sets itself; package managers often set these.
fn is_overridden(line: &str) -> bool {
    let key = line.split('=').next().unwrap_or_default().trim();
    OVERRIDDEN_KEYS.iter().any(|overridden| key.eq_ignore_ascii_case(overridden))
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
    fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
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
