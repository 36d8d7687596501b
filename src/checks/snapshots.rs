//! Expected outputs that were recorded anew: without any change of code they only say that the old ones were not met.

use super::{CheckResult, Patterns, Site, any_of, ending, file, is_code, judge_places, passed};
use source::is_test;

pub(super) const ID: &str = "snapshots";

pattern!(RECORDED, &any_of("snapshots", "recorded"));

pub(super) fn examine(site: &Site<'_>) -> CheckResult {
    let allowed = Patterns::exact(&site.settings.allowed);
    let changed = site.project_changes().filter(|change| !change.is_new());
    let paths = changed.map(|change| change.path.as_str());
    let anew: Vec<&str> =
        paths.filter(|path| !is_code(path) && RECORDED.is_match(path) && !allowed.hold(path)).collect();
    if !anew.is_empty() && code_changed(site) {
        return passed(ID, &format!("recorded anew along with code, worth a look: {}", anew.join(", ")));
    }
    judge_places(ID, anew.into_iter().map(|path| file(path, "was changed while no code was")).collect())
}

/// Tells whether this phase or an earlier one of the run changed something that a test could have noticed.
fn code_changed(site: &Site<'_>) -> bool {
    let is_document = |path: &str| matches!(ending(path), "md" | "rst");
    let is_code = |path: &&String| {
        !path.starts_with(".ai-workflow/") && !RECORDED.is_match(path) && !is_test(path) && !is_document(path)
    };
    site.changed.iter().chain(site.changed_before).any(|path| is_code(&path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Scene;
    use model::change::Change;
    use model::event::CheckStatus;

    fn changed(path: &str) -> Change {
        Change::of_texts(path, Some("a\n"), Some("b\n"))
    }

    #[test]
    fn a_snapshot_recorded_anew_without_a_change_of_code_is_refused() {
        for path in [
            "tests/it/snapshots/help.snap",
            "src/__snapshots__/a.test.ts.snap",
            "tests/golden/a.txt",
            "tests/expected/a.json",
            "pkg/testdata/a.out",
            "a.approved.txt",
        ] {
            let made = Scene::of([changed(path), changed("tests/help.rs"), changed("README.md")]);
            assert_eq!(examine(&made.site()).status, CheckStatus::Fail, "{path}");
        }
    }

    #[test]
    fn a_snapshot_that_changed_with_the_code_or_is_new_is_fine() {
        let with_code = Scene::of([changed("tests/golden/a.txt"), changed("src/lib.rs")]);
        let result = examine(&with_code.site());
        assert_eq!(result.status, CheckStatus::Pass);
        assert!(result.summary.contains("tests/golden/a.txt"), "{}", result.summary);
        let new = Change::of_texts("tests/golden/b.txt", None, Some("b"));
        assert_eq!(examine(&Scene::of([new]).site()).status, CheckStatus::Pass);
        let script = Scene::of([changed("scripts/snapshots/record.py")]);
        assert_eq!(examine(&script.site()).status, CheckStatus::Pass);
        let earlier = ["src/lib.rs".to_owned()].into();
        let later = Scene::of([changed("tests/golden/a.txt")]);
        assert_eq!(examine(&Site { changed_before: &earlier, ..later.site() }).status, CheckStatus::Pass);
    }
}
