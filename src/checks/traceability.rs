//! Q11: tests that were added say which requirement they test: a mark (`spec:`, `req:`, `AC:`), an id, or given, when, then.

use std::collections::BTreeSet;
use std::fs;
use std::sync::LazyLock;

use regex::Regex;

use super::changed_file::ChangedFile;
use super::language_family::is_code;
use super::outcome::{at, judged};
use super::{Site, passed};
use model::event::{CheckResult, Place};
use source::{SourceFile, is_test};

pub(super) const ID: &str = "traceability";

/// A longer requirements document is read to here, in bytes.
const LONGEST: usize = 1024 * 1024;

pattern!(ID_WORD, r"\b[A-Z]{1,8}-?\d{1,5}\b");

pub(super) fn examine(site: &Site<'_>) -> CheckResult {
    let files = ChangedFile::of_author(site);
    let tests = files.iter().filter_map(|file| first_test(file).map(|number| (file, number)));
    let tests: Vec<(&ChangedFile<'_>, usize)> = tests.collect();
    if tests.is_empty() {
        return passed(ID, "not applicable: no test was added");
    }
    let ids = required_ids(site);
    let untraced = tests.iter().filter(|(file, _)| !is_traced(file, &ids));
    let places: Vec<Place> = untraced
        .map(|(file, number)| at(file.path(), *number, "no test that was added names a requirement"))
        .collect();
    judged(
        ID,
        "untraceable-test",
        places,
        "tests name no requirement",
        "the tests that were added name requirements",
    )
}

/// Returns the line of the first test that was added. A new file of tests without one that is known begins with it.
fn first_test(file: &ChangedFile<'_>) -> Option<usize> {
    let tests = file.now().map_or_else(Vec::new, SourceFile::tests);
    let first = tests.iter().map(|test| test.line).find(|line| file.is_added(*line));
    let is_new = || file.change.is_new() && is_test(file.path()) && is_code(file.path());
    first.or_else(|| is_new().then_some(1))
}

fn is_traced(file: &ChangedFile<'_>, ids: &BTreeSet<String>) -> bool {
    pattern!(MARK, r"(?i)\b(?:spec|req):|\bAC:|\bREQ-\d+");
    let text: String = file.change.added_lines().flat_map(|(_, line)| [line, "\n"]).collect();
    let lower = text.to_lowercase();
    let story = ["given", "when", "then"].iter().all(|word| lower.contains(word));
    let named = || {
        let dashed = text.replace('_', "-").to_uppercase();
        ID_WORD.find_iter(&dashed).any(|found| ids.contains(&bare(found.as_str())))
    };
    MARK.is_match(&text) || story || named()
}

/// Returns the ids that the issue and the documents of the phases before use.
fn required_ids(site: &Site<'_>) -> BTreeSet<String> {
    let mut texts = vec![format!("{}\n{}", site.issue.title, site.issue.body)];
    let phases = site.output.split('/').take(2).collect::<Vec<_>>().join("/");
    let folders = fs::read_dir(site.worktree.join(phases)).into_iter().flatten().flatten();
    for folder in folders.map(|folder| folder.path().join("output")) {
        let documents = fs::read_dir(folder).into_iter().flatten().flatten().map(|document| document.path());
        let documents = documents.filter(|path| path.extension().is_some_and(|ending| ending == "md"));
        texts.extend(
            documents
                .filter_map(|path| git::regular_file::read_text(&path).ok())
                .filter(|text| text.len() <= LONGEST),
        );
    }
    texts.iter().flat_map(|text| ID_WORD.find_iter(text).map(|found| bare(found.as_str()))).collect()
}

/// `FR-07` and `fr_07` are one id.
fn bare(id: &str) -> String {
    id.replace('-', "")
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
        assert_eq!(gist(&scene.on_disk(path, "| US-3 | sign in |").shown_to(examine)), "pass");
    }
}
