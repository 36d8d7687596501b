//! Other repositories inside this one: submodules added, moved or taken away, `.gitmodules`, and nested clones of this phase.
//! None of them is ever initialised or fetched.

use std::path::Path;

use super::Site;
use super::left_out::repositories;
use super::outcome::{file, judged};
use super::paths::{Patterns, name};
use model::change::{Change, FileMode, FileVersion};
use model::event::CheckResult;

pub(super) const ID: &str = "submodules";

pub(super) fn examine(site: &Site<'_>) -> CheckResult {
    let allowed = Patterns::exact(&site.settings.allowed);
    let changed =
        site.changes.iter().filter_map(|change| Some((change.path.as_str(), what(site.worktree, change)?)));
    let nested = repositories(site).map(|path| (path, "is a repository of its own"));
    let places = changed.chain(nested).filter(|(path, _)| !allowed.hold(path));
    let places = places.map(|(path, what)| file(path, what)).collect();
    judged(ID, "submodules-changed", places, "submodules were changed", "no submodule was changed")
}

fn what(worktree: &Path, change: &Change) -> Option<&'static str> {
    let is_submodule = |version: &FileVersion| version.mode == FileMode::Submodule;
    if change.before.as_ref().is_some_and(is_submodule) {
        return Some("was a submodule");
    }
    if change.after.as_ref().is_some_and(is_submodule) && is_repository(&worktree.join(&change.path)) {
        return Some("is a new submodule");
    }
    (name(&change.path).eq_ignore_ascii_case(".gitmodules")).then_some("names submodules")
}

/// A folder where a file was is a submodule only when it holds a repository, or nothing yet.
fn is_repository(folder: &Path) -> bool {
    folder.join(".git").exists() || folder.read_dir().is_ok_and(|mut inside| inside.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Scene;
    use model::change::FileContent;
    use model::event::CheckStatus;

    fn submodule() -> Option<FileVersion> {
        Some(FileVersion { mode: FileMode::Submodule, content: FileContent::Binary(Vec::new()) })
    }

    #[test]
    fn a_submodule_is_flagged_whatever_its_address_says() {
        let modules = Change::of_texts(".gitmodules", None, Some("[submodule \"x\"]\nurl = ext::SENTINEL\n"));
        assert_eq!(examine(&Scene::of([modules]).site()).status, CheckStatus::Fail);
        assert_eq!(
            examine(&Scene::of([Change::new("lib", submodule(), None)]).site()).status,
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
        assert_eq!(examine(&made.site()).status, CheckStatus::Pass);
        made.left_out = vec!["vendor/".to_owned()];
        assert_eq!(examine(&made.site()).status, CheckStatus::Fail);
        let later = Site { began: "2999-01-01T00:00:00Z".parse().expect("a time"), ..made.site() };
        assert_eq!(examine(&later).status, CheckStatus::Pass);
        made.settings.allowed = vec!["vendor".to_owned()];
        assert_eq!(examine(&made.site()).status, CheckStatus::Pass);
    }
}
