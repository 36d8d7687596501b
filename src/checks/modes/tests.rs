//! Links, modes, submodules and special files that are refused, and those that are fine.

use super::*;
use crate::judge_places;
use crate::scene::Scene;
use model::change::FileContent;
use model::event::{CheckResult, CheckStatus};

fn examine_links(site: &Site<'_>) -> CheckResult {
    judge_places("links", links(site))
}

fn examine_modes(site: &Site<'_>) -> CheckResult {
    judge_places("modes", modes(site))
}

fn examine_submodules(site: &Site<'_>) -> CheckResult {
    judge_places("submodules", submodules(site))
}

fn judge_link(path: &str, target: &str) -> CheckResult {
    let link = FileVersion { mode: FileMode::Link, content: FileContent::Text(target.to_owned()) };
    examine_links(&Scene::of([Change::new(path, None, Some(link))]).site())
}

#[test]
fn a_link_out_of_the_worktree_is_found_and_not_followed() {
    for (path, target) in [
        ("hosts", "/etc/hostname"),
        ("a/b/link", "../../../outside"),
        ("link", ".."),
        ("a/link", "../.git/config"),
        ("a/link", "b/../../.."),
        ("a/link", "b/../c"),
        ("link", "C:\\Windows"),
        ("link", "sub/.GIT/hooks"),
    ] {
        assert_eq!(judge_link(path, target).status, CheckStatus::Fail, "{path} -> {target}");
    }
}

#[test]
fn links_inside_the_worktree_are_fine() {
    for (path, target) in [
        ("link", "src/lib.rs"),
        ("a/b/link", "../../src"),
        ("a/link", "./x"),
        ("l", ".gitignore"),
        ("l", "later"),
    ] {
        assert_eq!(judge_link(path, target).status, CheckStatus::Pass, "{path} -> {target}");
    }
}

#[test]
fn a_special_file_of_this_phase_is_named_and_an_older_one_is_left_alone() {
    use std::os::unix::net::UnixListener;
    let folder = tempfile::tempdir().expect("a folder");
    let _socket = UnixListener::bind(folder.path().join("a.rs")).expect("a socket");
    let mut made = Scene::of([]);
    made.worktree = folder.path().to_owned();
    made.left_out = vec!["a.rs".to_owned(), "gone".to_owned()];
    let result = examine_links(&made.site());
    assert_eq!((result.status, result.places.len()), (CheckStatus::Fail, 1));
    let later = Site { began: "2999-01-01T00:00:00Z".parse().expect("a time"), ..made.site() };
    assert_eq!(examine_links(&later).status, CheckStatus::Pass);
}

fn judge_mode(before: Option<FileMode>, after: FileMode, text: &str) -> CheckStatus {
    let version = |mode| FileVersion { mode, content: FileContent::Text(text.to_owned()) };
    let change = Change::new("tool", before.map(version), Some(version(after)));
    examine_modes(&Scene::of([change]).site()).status
}

#[test]
fn a_file_that_became_executable_is_flagged_unless_it_is_a_script() {
    assert_eq!(judge_mode(Some(FileMode::File), FileMode::Executable, "fn main() {}"), CheckStatus::Fail);
    assert_eq!(judge_mode(None, FileMode::Executable, "data"), CheckStatus::Fail);
    assert_eq!(judge_mode(None, FileMode::Executable, "#!/bin/sh\n"), CheckStatus::Pass);
    assert_eq!(
        judge_mode(Some(FileMode::File), FileMode::Executable, "#!/usr/bin/env python3\n"),
        CheckStatus::Pass
    );
    assert_eq!(judge_mode(Some(FileMode::Executable), FileMode::Executable, "old"), CheckStatus::Pass);
    assert_eq!(judge_mode(Some(FileMode::Executable), FileMode::File, "old"), CheckStatus::Pass);
}

fn submodule() -> Option<FileVersion> {
    Some(FileVersion { mode: FileMode::Submodule, content: FileContent::Binary(Vec::new()) })
}

#[test]
fn a_submodule_is_flagged_whatever_its_address_says() {
    let modules = Change::of_texts(".gitmodules", None, Some("[submodule \"x\"]\nurl = ext::SENTINEL\n"));
    assert_eq!(examine_submodules(&Scene::of([modules]).site()).status, CheckStatus::Fail);
    assert_eq!(
        examine_submodules(&Scene::of([Change::new("lib", submodule(), None)]).site()).status,
        CheckStatus::Fail
    );
}

#[test]
fn a_nested_repository_of_this_phase_is_flagged_and_a_folder_is_not() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir_all(folder.path().join("vendor/.git")).expect("a folder");
    std::fs::write(folder.path().join("vendor/.git/config"), "").expect("a file");
    std::fs::create_dir_all(folder.path().join("plain/inside")).expect("a folder");
    let mut made = Scene::of([Change::new("plain", None, submodule())]);
    made.worktree = folder.path().to_owned();
    assert_eq!(examine_submodules(&made.site()).status, CheckStatus::Pass);
    made.left_out = vec!["vendor/".to_owned()];
    assert_eq!(examine_submodules(&made.site()).status, CheckStatus::Fail);
    let later = Site { began: "2999-01-01T00:00:00Z".parse().expect("a time"), ..made.site() };
    assert_eq!(examine_submodules(&later).status, CheckStatus::Pass);
    made.settings.allowed = vec!["vendor".to_owned()];
    assert_eq!(examine_submodules(&made.site()).status, CheckStatus::Pass);
}
