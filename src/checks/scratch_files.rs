//! Files that editors, patches, systems and agents leave behind. Only new ones, and none that the issue speaks of.

use std::sync::LazyLock;

use regex::Regex;

use super::Site;
use super::outcome::{file, judged};
use super::paths::{Patterns, name};
use model::change::Change;
use model::event::CheckResult;

pub(super) const ID: &str = "scratch_files";

pattern!(
    /// Wherever they lie.
    LEFT_BEHIND,
    r"(?x)^(?: .+\.(?:orig|rej|sw[opn]|bak|pyc|save|tmp) | .+~ | \#.+\# | \.\#.+ | \.DS_Store | Thumbs\.db | desktop\.ini
      | nohup\.out | core\.[0-9]+ | npm-debug\.log.* | yarn-error\.log | .+\.stackdump | \.coverage | \.env(?:\.local)? )$"
);

pattern!(
    /// At the top of the worktree.
    NOTES,
    r"(?xi)^(?: (?:scratch|tmp|temp)(?:[_\-.].*)? | (?:debug|repro|test_tmp|tmp_test)[_\-.][^/]*\.(?:py|js|mjs|ts|sh|rs|rb|go|txt)
      | test_tmp[^/]* | .+_tmp\.(?:md|txt|py|js|sh) | (?:plan|todo|notes)_(?:tmp|temp)\.md
      | (?:output|out|stdout|stderr|debug|test|build)\.(?:log|out) | (?:test_?output|output)\.txt | junit\.xml | \.idea/workspace\.xml )$"
);

pub(super) fn examine(site: &Site<'_>) -> CheckResult {
    let allowed = Patterns::exact(&site.settings.allowed);
    let left = site.project_changes().filter(|change| {
        is_scratch(change) && !is_spoken_of(site, name(&change.path)) && !allowed.hold(&change.path)
    });
    let places = left.map(|change| file(&change.path, "looks like something left behind")).collect();
    judged(ID, "scratch-files", places, "scratch files were left behind", "no scratch file was left behind")
}

fn is_scratch(change: &Change) -> bool {
    let at_top = !change.path.contains('/');
    let sample = change.path.split('/').any(|part| matches!(part, "fixtures" | "testdata" | "test-data"));
    let scratch = LEFT_BEHIND.is_match(name(&change.path))
        || (at_top || change.path.starts_with(".idea/")) && NOTES.is_match(&change.path);
    change.is_new() && scratch && !sample
}

fn is_spoken_of(site: &Site<'_>, name: &str) -> bool {
    site.issue.title.contains(name) || site.issue.body.contains(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Scene;
    use model::event::CheckStatus;

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
