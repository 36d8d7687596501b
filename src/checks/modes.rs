//! What is no plain file: symbolic links that lead astray, files that became executable, submodules and other repositories, and
//! special files. Looks at what a link says and follows none; no submodule is ever initialised or fetched.

use std::fs::{self, Metadata};
use std::path::Path;

use super::deliverable::written_since;
use super::{Change, Patterns, Place, Site, file, name};
use model::change::{FileMode, FileVersion};

/// Links that lead out of the worktree or into git's own folder, and special files in place of plain ones.
pub(super) fn links(site: &Site<'_>) -> Vec<Place> {
    let links = site.changes.iter().filter_map(|change| {
        let link = change.after.as_ref().filter(|after| after.mode == FileMode::Link)?;
        Some(file(&change.path, astray(&change.path, link.content.text()?)?))
    });
    let special = new_in(site, "", |found| !found.is_dir() && !found.is_file());
    let special = special.map(|path| file(path, "is a special file, no plain one"));
    links.chain(special).collect()
}

/// Files that became executable although nothing says how they would be run. A text that begins with `#!` may.
pub(super) fn modes(site: &Site<'_>) -> Vec<Place> {
    let became_executable = |change: &&Change| {
        let is_script = change.new_text().is_some_and(|text| text.starts_with("#!"));
        let was = has_mode(change.before.as_ref(), FileMode::Executable);
        has_mode(change.after.as_ref(), FileMode::Executable) && !was && !is_script
    };
    let places = site.changes.iter().filter(became_executable);
    places.map(|change| file(&change.path, "became executable and is no script")).collect()
}

/// Submodules that were added, moved or taken away, `.gitmodules`, and nested clones of this phase.
pub(super) fn submodules(site: &Site<'_>) -> Vec<Place> {
    let allowed = Patterns::exact(&site.settings.allowed);
    let changes = site.changes.iter();
    let changed = changes.filter_map(|change| Some((&*change.path, submodule(site.worktree, change)?)));
    // The head of a repository is older than its folder, which every call of git touches.
    let folders = new_in(site, ".git/config", |_| true).chain(new_in(site, ".git", |found| !found.is_dir()));
    let nested = folders.map(|path| (path, "is a repository of its own"));
    let places = changed.chain(nested).filter(|(path, _)| !allowed.hold(path));
    places.map(|(path, what)| file(path, what)).collect()
}

fn has_mode(version: Option<&FileVersion>, mode: FileMode) -> bool {
    version.is_some_and(|version| version.mode == mode)
}

/// Says what is wrong with a link.
fn astray(path: &str, target: &str) -> Option<&'static str> {
    let drive = target.as_bytes().get(1) == Some(&b':');
    let parts = || target.split(['/', '\\']).filter(|part| !matches!(*part, "" | "."));
    let up = parts().take_while(|part| *part == "..").count();
    if target.is_empty() || target.starts_with(['/', '\\', '~']) || drive {
        Some("is a link to an absolute path")
    } else if up > path.matches('/').count() {
        Some("is a link that leads out of the worktree")
    } else if parts().skip(up).any(|part| part == "..") {
        // What is behind a name may be a link itself, so nobody knows where its parent is.
        Some("is a link that goes down and up again")
    } else if parts().any(|part| part.eq_ignore_ascii_case(".git")) {
        Some("is a link into git's own folder")
    } else {
        None
    }
}

fn submodule(worktree: &Path, change: &Change) -> Option<&'static str> {
    if has_mode(change.before.as_ref(), FileMode::Submodule) {
        return Some("was a submodule");
    }
    // A folder where a file was is a submodule only when it holds a repository, or nothing yet.
    let is_empty = |folder: &Path| folder.read_dir().is_ok_and(|mut inside| inside.next().is_none());
    let is_repository = |folder: &Path| folder.join(".git").exists() || is_empty(folder);
    if has_mode(change.after.as_ref(), FileMode::Submodule) && is_repository(&worktree.join(&change.path)) {
        return Some("is a new submodule");
    }
    (name(&change.path).eq_ignore_ascii_case(".gitmodules")).then_some("names submodules")
}

/// Returns what lies in the worktree and in no commit, where something of a kind in it was written in this phase. What a person
/// had there before is theirs. Nothing is opened.
fn new_in<'s>(
    site: &'s Site<'_>,
    below: &'static str,
    is: fn(&Metadata) -> bool,
) -> impl Iterator<Item = &'s str> {
    site.left_out.iter().map(|path| path.trim_end_matches('/')).filter(move |path| {
        let place = site.worktree.join(path);
        let place = if below.is_empty() { place } else { place.join(below) };
        fs::symlink_metadata(place).is_ok_and(|found| is(&found) && written_since(&found, site.began))
    })
}

#[cfg(test)]
mod tests;
