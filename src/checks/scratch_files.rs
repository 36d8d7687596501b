//! Files that editors, patches, systems and agents leave behind. Only new ones, and none that the issue speaks of.

use super::{Change, Patterns, Place, Site, any_of, file, name};
use source::is_fixture;

pattern!(ANYWHERE, &format!("^(?:{})$", any_of("scratch_files", "anywhere")));
pattern!(FROM_THE_TOP, &format!("(?i)^(?:{})$", any_of("scratch_files", "from_the_top")));

pub(super) fn places(site: &Site<'_>) -> Vec<Place> {
    let allowed = Patterns::exact(&site.settings.allowed);
    let is_spoken_of = |name: &str| site.issue.title.contains(name) || site.issue.body.contains(name);
    let left = site.project_changes().filter(|change| {
        is_scratch(change) && !is_spoken_of(name(&change.path)) && !allowed.hold(&change.path)
    });
    left.map(|change| file(&change.path, "looks like something left behind")).collect()
}

fn is_scratch(change: &Change) -> bool {
    let path = &change.path;
    change.is_new() && !is_fixture(path) && (ANYWHERE.is_match(name(path)) || FROM_THE_TOP.is_match(path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge_places;
    use crate::scene::Scene;
    use model::event::{CheckResult, CheckStatus};

    fn examine(site: &Site<'_>) -> CheckResult {
        judge_places("scratch_files", places(site))
    }

    fn status(path: &str) -> CheckStatus {
        examine(&Scene::of([Change::of_texts(path, None, Some("x"))]).site()).status
    }

    #[test]
    fn files_left_behind_by_editors_and_agents_are_named() {
        for path in [
            "src/a.rs.orig",
            "a.rej",
            "src/.a.rs.swp",
            "src/a.rs~",
            ".DS_Store",
            "docs/Thumbs.db",
            "nohup.out",
            "core.4711",
            "PLAN_TMP.md",
            "scratch.py",
            "scratch_2.txt",
            "tmp_fix.sh",
            "debug_parser.py",
            "test_tmp2.py",
            "output.log",
            "src/a.rs.save",
            "a.tmp",
            ".coverage",
            ".env",
            "junit.xml",
            ".idea/workspace.xml",
        ] {
            assert_eq!(status(path), CheckStatus::Fail, "{path}");
        }
    }

    #[test]
    fn files_that_belong_to_the_project_are_not() {
        for path in [
            "src/tmp_dir.rs",
            "src/debug_info.py",
            "template.md",
            "temperature.py",
            "src/core.rs",
            "src/scratch.rs",
            "PLAN.md",
            "tests/fixtures/a.orig",
            "docs/output.log.md",
            "debug.rs",
            "src/output.txt",
            ".env.example",
            "reports/junit.xml",
        ] {
            assert_eq!(status(path), CheckStatus::Pass, "{path}");
        }
        let old = Change::of_texts("a.orig", Some("x"), Some("y"));
        assert_eq!(examine(&Scene::of([old]).site()).status, CheckStatus::Pass);
        let mut asked = Scene::of([Change::of_texts("debug_parser.py", None, Some("x"))]);
        asked.issue.body = "Write a script `debug_parser.py`.".to_owned();
        assert_eq!(examine(&asked.site()).status, CheckStatus::Pass);
    }
}
