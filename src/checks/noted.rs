//! Manifests and lock files: a change of them is told to people and reviewers and refuses nothing.

use super::outcome::{file, judged};
use super::paths::Patterns;
use super::{Site, skipped};
use model::event::CheckResult;

pub(super) const ID: &str = "noted";

pub(super) fn examine(site: &Site<'_>) -> CheckResult {
    if site.settings.noted.is_empty() {
        return skipped(ID, "no path is to be noted");
    }
    let noted = Patterns::folding(site.settings.noted.iter());
    let touched = site.changed.iter().filter(|path| noted.hold(path));
    let places = touched.map(|path| file(path, "changed")).collect();
    judged(ID, "noted-changed", places, "worth a look", "no manifest and no lock file was changed")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Scene;
    use model::change::Change;
    use model::event::CheckStatus;

    #[test]
    fn manifests_and_lock_files_are_named() {
        let made = Scene::of(
            ["Cargo.lock", "sub/package.json", "requirements-dev.txt", "src/lib.rs"]
                .map(|path| Change::of_texts(path, Some("a"), Some("b"))),
        );
        let result = examine(&made.site());
        assert_eq!(result.status, CheckStatus::Fail);
        let files: Vec<_> = result.places.iter().filter_map(|place| place.file.as_deref()).collect();
        assert_eq!(files, ["Cargo.lock", "requirements-dev.txt", "sub/package.json"]);
    }

    #[test]
    fn other_files_are_not_worth_a_note() {
        let made = Scene::of([Change::of_texts("src/cargo.rs", Some("a"), Some("b"))]);
        assert_eq!(examine(&made.site()).status, CheckStatus::Pass);
    }
}
