//! Whether a change may have taken tests away, and whether somebody wanted that. Only where it may is the base asked how
//! many there were: that costs a second run of the tests.

use crate::Site;
use crate::compared_tests::ComparedTests;
use model::change::Change;
use source::is_test;

/// Files that say which tests are run.
const CHOOSING: [&str; 13] = [
    "Cargo.toml",
    "package.json",
    "pyproject.toml",
    "pytest.ini",
    "tox.ini",
    "setup.cfg",
    "conftest.py",
    "jest.config",
    "vitest.config",
    "deno.json",
    "go.mod",
    "Makefile",
    "nextest.toml",
];

/// Tells whether a command may run fewer tests because of these changes.
pub(super) fn are_possible(changes: &[Change], command: &str) -> bool {
    let project = changes.iter().filter(|change| !change.path.starts_with(".ai-workflow/"));
    project.into_iter().any(|change| may_lose(change) || runs(command, &change.path))
}

/// Tells whether a command names a file as its script.
pub(crate) fn runs(command: &str, path: &str) -> bool {
    command.split_whitespace().any(|word| word.trim_start_matches("./") == path)
}

fn may_lose(change: &Change) -> bool {
    let name = change.path.rsplit('/').next().unwrap_or_default();
    CHOOSING.iter().any(|choosing| name.starts_with(choosing)) || takes_away(change)
}

fn takes_away(change: &Change) -> bool {
    let names_test = |(_, line): (usize, &str)| line.to_ascii_lowercase().contains("test");
    let ignores =
        |(_, line): (usize, &str)| line.contains("ignore") || line.contains("skip") || line.contains("cfg(");
    let is_old_test = change.before.is_some() && is_test(&change.path);
    (is_old_test && (change.is_deleted() || change.removed_lines().next().is_some()))
        || change.removed_lines().any(names_test)
        || (!change.is_new() && change.added_lines().any(ignores))
}

/// Tells whether the tests that went are those that the issue asks to go, with what they are about.
pub(crate) fn are_wanted(site: &Site<'_>) -> bool {
    let compared = ComparedTests::of(site);
    compared.lost().next().is_some() && compared.lost().all(|test| compared.is_asked_to_go(test, site))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(path: &str, before: Option<&str>, after: Option<&str>) -> Vec<Change> {
        vec![Change::of_texts(path, before, after)]
    }

    #[test]
    fn what_may_take_tests_away_is_seen() {
        for changes in [
            change("tests/a.py", Some("def test_a(): pass\n"), None),
            change("tests/a.py", Some("def test_a(): pass\nx\n"), Some("x\n")),
            change("src/lib.rs", Some("#[test]\nfn a() {}\n"), Some("fn a() {}\n")),
            change("src/lib.rs", Some("#[test]\nfn a() {}\n"), Some("#[test]\n#[ignore]\nfn a() {}\n")),
            change("pytest.ini", None, Some("[pytest]\naddopts = -k a\n")),
            change("web/jest.config.js", Some("a"), Some("b")),
        ] {
            assert!(are_possible(&changes, "make check"), "{}", changes[0].path);
        }
    }

    #[test]
    fn the_script_that_runs_the_tests_may_run_fewer() {
        let changes = change("scripts/all.sh", Some("a\nb\n"), Some("a\n"));
        assert!(are_possible(&changes, "sh ./scripts/all.sh") && !are_possible(&changes, "make check"));
    }

    #[test]
    fn what_adds_and_repairs_takes_nothing_away() {
        for changes in [
            change("tests/a.py", None, Some("def test_a(): pass\n")),
            change("src/lib.rs", Some("fn a() { 1 }\n"), Some("fn a() { 2 }\n")),
            change(".ai-workflow/issue-7/06_testing/output/test-result.md", Some("test\n"), Some("x\n")),
            change(
                "tests/a.rs",
                Some("#[test]\nfn a() {}\n"),
                Some("#[test]\nfn a() {}\n\n#[test]\nfn b() {}\n"),
            ),
        ] {
            assert!(!are_possible(&changes, "make check"), "{}", changes[0].path);
        }
    }
}
