//! Q11: tests that were added say which requirement they test: a mark (`spec:`, `req:`, `AC:`), an id, or given, when, then.

use std::collections::BTreeSet;

use super::{ChangedFile, CheckResult, Site, at, is_code, judge_places, passed};
use source::is_test;

pub(super) const ID: &str = "traceability";

pub(super) fn examine(site: &Site<'_>) -> CheckResult {
    let files = ChangedFile::of_author(site);
    let tests: Vec<_> = files.iter().filter_map(|file| Some((file, first_test(file)?))).collect();
    if tests.is_empty() {
        return passed(ID, "not applicable: no test was added");
    }
    let required = required_ids(site);
    let untraced = tests.into_iter().filter(|(file, _)| !is_traced(file, &required));
    let what = "no test that was added names a requirement";
    let places = untraced.map(|(file, number)| at(file.path(), number, what)).collect();
    judge_places(ID, places)
}

/// Returns the line of the first test that was added. A new file of tests without one that is known begins with it.
fn first_test(file: &ChangedFile<'_>) -> Option<usize> {
    let [_, tests] = file.tests();
    let first = tests.iter().map(|test| test.line).find(|line| file.is_added(*line));
    let is_new = || file.change.is_new() && is_test(file.path()) && is_code(file.path());
    first.or_else(|| is_new().then_some(1))
}

fn is_traced(file: &ChangedFile<'_>, required: &BTreeSet<String>) -> bool {
    pattern!(MARK, r"(?i)\b(?:spec|req):|\bAC:|\bREQ-\d+");
    let text: String = file.change.added_lines().flat_map(|(_, line)| [line, "\n"]).collect();
    let lower = text.to_lowercase();
    let is_story = ["given", "when", "then"].iter().all(|word| lower.contains(word));
    MARK.is_match(&text)
        || is_story
        || ids(&text.replace('_', "-").to_uppercase()).iter().any(|id| required.contains(id))
}

/// Returns the ids that the issue and the documents of the phases before use.
fn required_ids(site: &Site<'_>) -> BTreeSet<String> {
    let documents = site.approved.iter().map(|path| site.worktree.join(path));
    let texts = documents.filter_map(|path| git::regular_file::read_text(&path).ok());
    texts.chain([site.issue.title.clone(), site.issue.body.clone()]).flat_map(|text| ids(&text)).collect()
}

/// Returns the ids of a text: `FR-07` and `FR07` are one.
fn ids(text: &str) -> Vec<String> {
    pattern!(WORD, r"\b[A-Z]{1,8}-?\d{1,5}\b");
    WORD.find_iter(text).map(|found| found.as_str().replace('-', "")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{Scene, gist};

    #[test]
    fn tests_name_what_they_test() {
        for (path, text, expected) in [
            ("x.test.ts", "describe(\"spec: login\")", "pass"),
            ("x.test.ts", "it('given valid credentials, when login is called, then returns token')", "pass"),
            ("x.test.ts", "it('works') // AC: payment processing", "pass"),
            ("x.test.ts", "// REQ-42: validates input\nit('x')", "pass"),
            ("src/a.rs", "#[test]\nfn fr_07_limits_hold() {}\n", "pass"),
            ("src/a.rs", "fn f() {}\n", "pass"),
            ("x.test.ts", "describe(\"utility functions\", () => { it(\"should add numbers\"", "x.test.ts:1"),
            ("tests/a.rs", "use x;\n#[test]\nfn adds() {}\n", "tests/a.rs:3"),
            ("test_a.py", "def test_zz_1_adds():\n    pass\n", "test_a.py:1"),
        ] {
            let scene = Scene::adding(path, text).about("Needs FR-07 and R1.");
            assert_eq!(gist(&scene.shown_to(examine)), expected, "{text}");
        }
        let nothing = Scene::new().shown_to(examine);
        assert!(nothing.summary.contains("not applicable"));
    }

    #[test]
    fn ids_stand_in_the_requirements() {
        let scene = Scene::adding("tests/a.rs", "#[test]\nfn us_3_signs_in() {}\n");
        assert_eq!(gist(&scene.shown_to(examine)), "tests/a.rs:2");
        let path = ".ai-workflow/issue-1/01_requirements/output/requirements.md";
        let scene = scene.on_disk(path, "| US-3 | sign in |");
        assert_eq!(gist(&examine(&Site { approved: &[path.to_owned()], ..scene.site() })), "pass");
    }
}
