//! The run's change since its base holds something outside `.ai-workflow/`, and after a phase that has tests such as belong
//! to it, whichever phase made them. A phase that changes nothing itself says in its document why, and its reviewer judges that.

use std::sync::Arc;

use super::announced::unless_unchanged;
use super::changed_file::ReadSides;
use super::{
    Change, ChangedFile, CheckResult, Site, any_of, counted, deliverable, ending, failure, passed,
    trivial_diff,
};
use model::policy::PhaseDef;
use source::{Language, Role, Test, is_fixture, is_test};

pub(super) const ID: &str = "code_changed";

pub(super) fn examine(site: &Site<'_>) -> CheckResult {
    let command = site.commands.get("test").map_or("", String::as_str);
    let has_tests = site.phase.properties.has_tests;
    let own = ChangedFile::all(site);
    let read = ReadSides::of(site.since_base, &own);
    let of_run = of_project(site.since_base, &read);
    let holds_tests = || writes_tests(&own, command) || holds_tests(&of_run, command);
    // Where a run changed texts for people and nothing else, there is nothing to test.
    let is_documentation = |file: &ChangedFile<'_>| Role::of(file.path()) == Role::Documentation;
    let may_need_tests = of_run.is_empty() || !of_run.iter().all(is_documentation);
    if has_tests && may_need_tests && !holds_tests() {
        return lacking("no-tests-written", "since its base the run has written no test", site);
    }
    let own = site.changed.iter().filter(|path| !path.starts_with(".ai-workflow/")).count();
    if own > 0 {
        return passed(ID, &format!("{} changed outside .ai-workflow/", counted(own as u64, "file")));
    }
    let of_run = of_run.len();
    // Where nobody reviews, nobody would judge why the phase left everything as it was.
    if of_run > 0 && (has_tests || site.phase.policy.review.is_some()) {
        let summary = format!(
            "this phase changed nothing outside .ai-workflow/; since its base the run changed {} there",
            counted(of_run as u64, "file")
        );
        return passed(ID, &summary);
    }
    lacking("no-code-change", "nothing changed outside .ai-workflow/", site)
}

/// A refactoring may need no test, and an issue about tests no code: that is for the reviewer to say.
fn lacking(pattern: &str, summary: &str, site: &Site<'_>) -> CheckResult {
    let failure = failure(ID, pattern, summary, &[("code", deliverable::CODE)]);
    unless_unchanged(failure, "what the phase is for is missing", site)
}

/// Tells whether what a phase changed itself leaves open what the run's change has to hold: only then somebody has to look.
pub fn depends_on_the_run(phase: &PhaseDef, changes: &[Change], test_command: &str) -> bool {
    let is_asked = phase.policy.checks.iter().any(|rule| rule.id == ID);
    let is_open = || {
        let read = ReadSides::of(changes, &[]);
        let files = of_project(changes, &read);
        files.is_empty() || phase.properties.has_tests && !writes_tests(&files, test_command)
    };
    is_asked && is_open()
}

fn of_project<'s>(changes: &'s [Change], read: &'s [ReadSides]) -> Vec<ChangedFile<'s>> {
    ChangedFile::each(changes, read).filter(|file| !file.path().starts_with(".ai-workflow/")).collect()
}

/// Tells whether a change holds a test that it brought or changed, or that is not skipped any more.
fn holds_tests(files: &[ChangedFile<'_>], command: &str) -> bool {
    brought(files).any(|file| is_test_of(file, command) == Some(true)) || files.iter().any(runs_again)
}

/// Tells whether a test that was there lost a mark that skips it or lets it fail, and none has more of them.
fn runs_again(file: &ChangedFile<'_>) -> bool {
    let [old, new] = file.tests();
    let fewer =
        |old: &Arc<Test>| new.iter().any(|new| new.id() == old.id() && new.skips.len() < old.skips.len());
    old.iter().any(fewer)
}

/// Tells whether the phase that writes tests wrote some. A file of which nobody can tell what it is may be one.
fn writes_tests(files: &[ChangedFile<'_>], command: &str) -> bool {
    brought(files).any(|file| is_test_of(file, command) != Some(false))
}

/// Returns the changes that bring something; a file that only moved brings nothing.
fn brought<'f, 's>(files: &'f [ChangedFile<'s>]) -> impl Iterator<Item = &'f ChangedFile<'s>> {
    let is_moved = |change: &Change| {
        let same =
            |gone: &ChangedFile<'_>| gone.change.is_deleted() && gone.change.old_text() == change.new_text();
        change.is_new() && change.new_text().is_some() && files.iter().any(same)
    };
    files.iter().filter(move |file| brings_something(file) && !is_moved(file.change))
}

/// Tells whether there is more now than white space and comments that were not there before.
fn brings_something(file: &ChangedFile<'_>) -> bool {
    let change = file.change;
    match change.new_text() {
        Some(_) => {
            change.added_lines().any(|(_, line)| !line.trim().is_empty()) && !trivial_diff::is_trivial(file)
        }
        None => change.after.as_ref().is_some_and(|after| after.content.size() > 0),
    }
}

/// Tells whether a change is one of tests; nothing where its path and its language do not tell.
fn is_test_of(file: &ChangedFile<'_>, command: &str) -> Option<bool> {
    let path = file.path();
    let by_path = is_test(path) || is_fixture(path) || runs(command, path);
    if by_path || trivial_diff::has_example(file.change) {
        return Some(true);
    }
    if matches!(ending(path), "md" | "rst") {
        return Some(false);
    }
    brings_a_test(file).or_else(|| says_test(file.change).then_some(true))
}

/// Tells whether a change brings a test or changes one; nothing where the tests of its language cannot be told.
fn brings_a_test(file: &ChangedFile<'_>) -> Option<bool> {
    Language::of(file.path())?;
    let [old, new] = file.tests();
    Some(new.iter().any(|new| !old.iter().any(|old| old.text() == new.text())))
}

/// Tells whether a command names a file as its script.
fn runs(command: &str, path: &str) -> bool {
    command.split_whitespace().any(|word| word.trim_start_matches("./") == path)
}

/// Where the tests of a language cannot be told from its code, names do: of the file, its folders, and what lines declare.
fn says_test(change: &Change) -> bool {
    pattern!(NAMED, &any_of("code_changed", "named"));
    pattern!(DECLARED, &any_of("code_changed", "declared"));
    NAMED.is_match(&change.path) || change.added_lines().any(|(_, line)| DECLARED.is_match(line))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{Scene, phase};
    use model::event::CheckStatus;

    const CODE: &str = "/// Counts.\npub fn pages() -> u32 {\n    2\n}\n";

    /// Returns why `test_implementation` does not pass when it changed nothing itself and the run these files.
    fn lack(files: &[(&str, Option<&str>, Option<&str>)]) -> Option<String> {
        let of_run: Vec<Change> =
            files.iter().map(|(path, old, new)| Change::of_texts(path, *old, *new)).collect();
        let mut scene = Scene::new();
        scene.phase = phase("test_implementation");
        let result = examine(&Site { since_base: &of_run, ..scene.site() });
        (result.status != CheckStatus::Pass).then(|| {
            assert_eq!(result.param("code"), Some(deliverable::CODE));
            result.pattern.unwrap_or_default()
        })
    }

    #[test]
    fn tests_that_an_earlier_phase_wrote_belong_to_the_change() {
        let inline = format!(
            "{CODE}\n#[cfg(test)]\nmod tests {{\n    #[test]\n    fn two() {{\n        assert_eq!(super::pages(), 2);\n    }}\n}}\n"
        );
        for (path, old, new) in [
            ("tests/pages.rs", None, "#[test]\nfn two() {}\n"),
            ("tests/pages.rs", Some("#[test]\nfn two() {}\n"), "#[test]\nfn two() {\n    assert!(a());\n}\n"),
            ("src/lib.rs", Some(CODE), &inline),
            ("src/lib.rs", Some(inline.as_str()), &inline.replace("), 2", "), 3")),
            ("src/lib.rs", Some(CODE), &CODE.replace("/// Counts.", "/// ```\n/// pages();\n/// ```")),
            ("pages.py", Some("a = 1\n"), "a = 1\n\n\ndef test_a():\n    assert a == 1\n"),
            ("src/pages.ts", Some("f();\n"), "f();\nit('counts', () => { expect(f()).toBe(1); });\n"),
            ("integration_tests/pages.hs", None, "main = check\n"),
            ("src/PagesTest.cpp", None, "int main() { return check(); }\n"),
            ("t/pages", None, "ok 1\n"),
            ("src/pages.zig", Some("a\n"), "a\ntest \"two pages\" {\n}\n"),
        ] {
            let files = [("src/code.rs", Some("a"), Some("b")), (path, old, Some(new))];
            assert_eq!(lack(&files), None, "{path}: {new}");
        }
    }

    #[test]
    fn a_test_that_is_not_skipped_any_more_is_one() {
        let skipped = "import unittest\n\nclass T(unittest.TestCase):\n    @unittest.skip('bug')\n    def test_up(self):\n        self.assertEqual(pages(10, 3), 4)\n";
        let run = skipped.replace("    @unittest.skip('bug')\n", "");
        let code = ("pages.py", Some("a"), Some("b"));
        assert_eq!(lack(&[code, ("tests/test_pages.py", Some(skipped), Some(&run))]), None);
        let emptied = skipped.replace("        self.assertEqual(pages(10, 3), 4)\n", "");
        assert!(lack(&[code, ("tests/test_pages.py", Some(skipped), Some(&emptied))]).is_some());
    }

    #[test]
    fn documentation_alone_needs_no_test() {
        assert_eq!(
            lack(&[("README.md", Some("a\n"), Some("b\n")), ("docs/testing.md", None, Some("Run it.\n"))]),
            None
        );
    }

    #[test]
    fn what_tests_nothing_is_no_test() {
        let test = "#[test]\nfn two() {\n    assert!(a());\n}\n";
        for files in [
            vec![],
            vec![("src/lib.rs", Some(CODE), Some("pub fn pages() -> u32 {\n    3\n}\n"))],
            vec![("src/latest.rs", None, Some(CODE))],
            vec![("docs/testing.md", None, Some("Run `cargo test`.\n")), ("src/lib.rs", None, Some(CODE))],
            vec![("tests/__init__.py", None, Some(""))],
            vec![(
                "tests/pages.rs",
                Some(test),
                Some("// Two.\n#[test]\nfn two() {\n    assert!(a());\n}\n"),
            )],
            vec![("tests/pages.rs", Some(test), None)],
            vec![("tests/pages.rs", Some(test), None), ("tests/book.rs", None, Some(test))],
            vec![(".ai-workflow/issue-1/tests/pages.rs", None, Some(test))],
        ] {
            assert_eq!(lack(&files).as_deref(), Some("no-tests-written"), "{files:?}");
        }
    }

    #[test]
    fn what_the_phase_of_tests_writes_itself_may_be_a_test_unless_it_shows_that_it_is_none() {
        let judged = |path: &str, old: Option<&str>, new: &str| {
            let mut scene = Scene::of([Change::of_texts(path, old, Some(new))]);
            scene.phase = phase("test_implementation");
            assert_eq!(
                depends_on_the_run(&scene.phase, &scene.changes, ""),
                scene.shown_to(examine).status == CheckStatus::Fail
            );
            scene.shown_to(examine).status
        };
        assert_eq!(judged("cases/41.in", None, "41\n"), CheckStatus::Pass);
        assert_eq!(judged("src/lib.rs", Some(CODE), "pub fn pages() {}\n"), CheckStatus::Fail);
        assert_eq!(judged("src/pages.py", Some("a = 1\n"), "a = 2\n"), CheckStatus::Fail);
    }

    #[test]
    fn a_phase_may_find_its_work_done_where_somebody_judges_that() {
        let of_run = [Change::of_texts("tests/pages.rs", None, Some("#[test]\nfn two() {}\n"))];
        let judged = |scene: &Scene| examine(&Site { since_base: &of_run, ..scene.site() });
        let reviewed = judged(&Scene::new());
        assert_eq!(reviewed.status, CheckStatus::Pass);
        assert!(reviewed.summary.starts_with("this phase changed nothing"), "{}", reviewed.summary);
        let mut alone = Scene::new();
        alone.phase.policy.review = None;
        assert_eq!(judged(&alone).pattern.as_deref(), Some("no-code-change"));
        let nothing = Scene::new();
        let result = examine(&Site { since_base: &[], ..nothing.site() });
        assert_eq!(result.pattern.as_deref(), Some("no-code-change"));
    }
}
