//! What lies in the worktree and in no commit, and came there in this phase. What a person had there before is theirs.

use std::fs::{self, Metadata};

use super::Site;
use super::deliverable::written_since;

/// Returns the pipes, sockets and devices that took the place of files. They are never opened.
pub(super) fn special_files<'a>(site: &Site<'a>) -> impl Iterator<Item = &'a str> {
    new(site, "", |found| !found.is_dir() && !found.is_file())
}

/// Returns the repositories inside the worktree, submodules among them.
pub(super) fn repositories<'a>(site: &Site<'a>) -> impl Iterator<Item = &'a str> {
    new(site, ".git", |_| true)
}

/// Returns what is left out where something of a kind lies that was written in this phase.
fn new<'a>(site: &Site<'a>, below: &'static str, is: fn(&Metadata) -> bool) -> impl Iterator<Item = &'a str> {
    let left_out: &'a [String] = site.left_out;
    let (worktree, began) = (site.worktree, site.began);
    left_out.iter().map(|path| path.trim_end_matches('/')).filter(move |path| {
        let own = worktree.join(path);
        let place = if below.is_empty() { own } else { own.join(below) };
        // The head of a repository is older than its folder, which every call of git touches.
        let place = if place.is_dir() && below == ".git" { place.join("config") } else { place };
        fs::symlink_metadata(place).is_ok_and(|found| is(&found) && written_since(&found, began))
    })
}
