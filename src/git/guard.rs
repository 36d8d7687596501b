//! Notices that the repository's own settings changed under our hands: a filter, a signing program, an ssh command or a
//! remote set by an agent would make git start its program with our rights. Also notices a `.git` that was replaced.
//! Does not guard what is harmless and often changed in passing: names, colours, aliases, what a branch follows.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::{Error, Result};

const HARMLESS: [&str; 8] = ["user", "author", "branch", "color", "alias", "advice", "push", "init"];

const OVERRIDDEN: [&str; 3] = ["hooksPath", "fsmonitor", "quotePath"];

/// What the settings were when the workspace was opened.
#[derive(Debug)]
pub(super) struct Guard {
    entrance: PathBuf,
    entrance_was: String,
    settings: BTreeMap<PathBuf, String>,
    attributes: PathBuf,
    attributes_were: String,
}

impl Guard {
    /// Remembers the settings as they are now.
    pub(super) fn pin(root: &Path, common: &Path, git_dir: &Path) -> Self {
        let entrance = root.join(".git");
        let mut settings = BTreeMap::new();
        for path in [common.join("config"), git_dir.join("config.worktree")] {
            pin_settings(&path, &mut settings);
        }
        // Of these every line counts: what would be a section in settings is a pattern here.
        let attributes = common.join("info/attributes");
        let attributes_were = read(&attributes);
        Self { entrance_was: identity(&entrance), entrance, settings, attributes, attributes_were }
    }

    /// Refuses when something is different now.
    pub(super) fn check(&self) -> Result<()> {
        if identity(&self.entrance) != self.entrance_was {
            return Err(Error::RepositoryReplaced { path: self.entrance.clone() });
        }
        let others = self.settings.iter().find(|(path, was)| weighty(path) != **was).map(|(path, _)| path);
        let attributes = (read(&self.attributes) != self.attributes_were).then_some(&self.attributes);
        match others.or(attributes) {
            Some(path) => Err(Error::ConfigChanged { path: path.clone() }),
            None => Ok(()),
        }
    }
}

/// Pins a file and the files it includes.
fn pin_settings(path: &Path, settings: &mut BTreeMap<PathBuf, String>) {
    let text = weighty(path);
    let included: Vec<PathBuf> = text.lines().filter_map(|line| included_path(path, line)).collect();
    if settings.insert(path.to_owned(), text).is_none() && settings.len() < 20 {
        for path in &included {
            pin_settings(path, settings);
        }
    }
}

/// Every `path = …` counts as an include, whatever its section: a file too many in the list costs nothing.
fn included_path(config: &Path, line: &str) -> Option<PathBuf> {
    let (key, value) = line.split_once('=')?;
    let value = value.trim().trim_matches('"');
    let is_path = key.trim().to_ascii_lowercase().ends_with(" path");
    (is_path && !value.is_empty() && !value.starts_with('~')).then(|| config.with_file_name("").join(value))
}

/// Returns the settings of a file that matter, each with its section. What is not plainly harmless matters.
fn weighty(path: &Path) -> String {
    let (mut section, mut harmless) = (String::new(), false);
    let mut kept = String::new();
    for line in read(path).lines().map(str::trim) {
        if line.starts_with('[') {
            harmless = is_header_of(line, &HARMLESS);
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

/// Package managers set these in passing, and every call of ours sets them itself.
fn is_overridden(line: &str) -> bool {
    let key = line.split('=').next().unwrap_or_default().trim();
    OVERRIDDEN.iter().any(|overridden| key.eq_ignore_ascii_case(overridden))
}

/// Tells whether a header stands alone on its line: git would read a second section or a key behind it.
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
fn identity(entrance: &Path) -> String {
    match fs::symlink_metadata(entrance) {
        Ok(metadata) if metadata.is_file() => format!("file {}", read(entrance)),
        Ok(metadata) if metadata.is_dir() => folder_identity(&metadata),
        Ok(_) => format!("link {}", fs::read_link(entrance).unwrap_or_default().display()),
        Err(_) => "missing".into(),
    }
}

#[cfg(unix)]
fn folder_identity(metadata: &fs::Metadata) -> String {
    use std::os::unix::fs::MetadataExt;
    format!("folder {} {}", metadata.dev(), metadata.ino())
}

#[cfg(not(unix))]
fn folder_identity(_: &fs::Metadata) -> String {
    "folder".into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weighty_of(text: &str) -> String {
        let file = tempfile::NamedTempFile::new().expect("a temporary file");
        fs::write(file.path(), text).expect("written");
        weighty(file.path())
    }

    #[test]
    fn harmless_settings_may_change() {
        let text = "[core]\n\tbare = false\n\thooksPath = .husky\n[user]\n\tname = x\n[branch \"main\"]\n\tmerge = y\n\
                    [filter \"f\"]\n\tclean = z\n";
        assert_eq!(weighty_of(text), "[core] bare = false\n[filter \"f\"] clean = z\n");
    }

    #[test]
    fn a_key_cannot_hide_behind_a_harmless_header() {
        for trick in [
            "[user] [core] sshCommand = x\n",
            "[user][core] sshCommand = x\n",
            "[user] sshCommand = x\n",
            "[branch \"]\"] x = y\n",
            "[user]\nx = y\\\n",
            "[core]\nhooksPath = y\\\n",
        ] {
            assert!(!weighty_of(trick).is_empty(), "{trick}");
        }
    }

    #[test]
    fn included_files_are_guarded_too() {
        let dir = tempfile::tempdir().expect("a folder");
        let common = dir.path().join(".git");
        fs::create_dir(&common).expect("made");
        fs::write(common.join("config"), "[include]\n\tpath = ../.gitconfig\n\tpath = ~/x\n")
            .expect("written");
        let guard = Guard::pin(dir.path(), &common, &common);
        assert!(guard.check().is_ok());
        fs::write(dir.path().join(".gitconfig"), "[filter \"f\"]\n\tclean = evil\n").expect("written");
        let error = guard.check().expect_err("the included file is new");
        assert!(
            error.to_string().ends_with("/.git/../.gitconfig changed while the run was going on"),
            "{error}"
        );
    }

    #[test]
    fn attributes_are_compared_line_by_line_and_those_from_before_are_fine() {
        let dir = tempfile::tempdir().expect("a folder");
        fs::create_dir(dir.path().join("info")).expect("made");
        let attributes = dir.path().join("info/attributes");
        for before in [None, Some("*.bin binary\n"), Some("[user]\n*.bin binary")] {
            if let Some(text) = before {
                fs::write(&attributes, text).expect("written");
            }
            let guard = Guard::pin(dir.path(), dir.path(), dir.path());
            assert!(guard.check().is_ok(), "{before:?}");
            fs::write(&attributes, "[user]\n*.rs -diff\n").expect("written");
            assert!(matches!(guard.check(), Err(Error::ConfigChanged { .. })), "{before:?}");
        }
    }

    #[test]
    fn g10_a_replaced_entrance_is_noticed() {
        let dir = tempfile::tempdir().expect("a folder");
        let entrance = dir.path().join(".git");
        fs::write(&entrance, "gitdir: /a\n").expect("written");
        let guard = Guard::pin(dir.path(), dir.path(), dir.path());
        fs::write(&entrance, "gitdir: /b\n").expect("written");
        assert!(matches!(guard.check(), Err(Error::RepositoryReplaced { .. })));
        fs::remove_file(&entrance).expect("removed");
        assert!(matches!(guard.check(), Err(Error::RepositoryReplaced { .. })));
    }
}
