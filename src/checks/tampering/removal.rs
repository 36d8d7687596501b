//! What of the tests may go: what the issue asks to remove by name, and what was about code that goes in the same change.
//! The one rule for every check that misses tests. An author cannot excuse itself: the issue is not its own, and code that
//! is needed is missed by others.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::LazyLock;

use regex::Regex;

use super::words;
use crate::Site;
use crate::reading::source::name;
use model::change::Change;
use model::issue::Issue;
use source::is_test;

/// A shorter name says nothing in a sentence.
const SHORTEST: usize = 4;
/// Names that files have everywhere; a sentence that holds one of them names no file.
const EVERYWHERE: [&str; 10] =
    ["test", "tests", "spec", "index", "main", "unit", "basic", "code", "from", "this"];

/// What went away, and what the issue asks to go.
pub(crate) struct Removal<'a> {
    /// Names that code defined and that nothing defines any more.
    names: BTreeSet<&'a str>,
    /// Addresses that code served and serves no more.
    routes: BTreeSet<&'a str>,
    /// The stems of files of code that were deleted.
    stems: BTreeSet<&'a str>,
    /// The sentences of the issue that ask for something to go, in plain words with a space around each.
    asked: Vec<String>,
    /// Files that are gone.
    deleted: BTreeSet<&'a str>,
}

impl<'a> Removal<'a> {
    pub(crate) fn of(site: &Site<'a>) -> Self {
        let changes: &'a [Change] = site.changes;
        let deleted = changes.iter().filter(|change| change.is_deleted()).map(|change| change.path.as_str());
        Self {
            names: names_gone(changes),
            routes: routes_gone(changes),
            stems: stems_gone(changes, site.changed_before, site.worktree),
            asked: asked(site.issue),
            deleted: deleted.collect(),
        }
    }

    /// Tells whether a whole file of tests may go.
    pub(crate) fn excuses_file(&self, path: &str) -> bool {
        let stem = stem_of_test(path);
        self.stems.contains(stem) || self.asks_for(stem) || self.asks_for(path) || self.asks_for(name(path))
    }

    /// Tells whether a test may go, by its file, its name and its text.
    pub(crate) fn excuses_test(&self, path: &str, test: &str, text: &str) -> bool {
        let by_file =
            self.stems.contains(stem_of_test(path)) || self.deleted.contains(path) && self.excuses_file(path);
        by_file || self.asks_for(test) || self.is_about(text)
    }

    /// Tells whether a text is about a name that is gone.
    pub(crate) fn is_about(&self, text: &str) -> bool {
        let names_one = || words(text).iter().any(|word| self.names.contains(word));
        !self.names.is_empty() && names_one() || self.routes.iter().any(|route| text.contains(route))
    }

    /// Tells whether tests that a change took away may be gone.
    pub(crate) fn excuses_change(&self, change: &Change) -> bool {
        static TEST: LazyLock<Regex> =
            LazyLock::new(|| Regex::new(r"\b(?:fn|def|func)\s+(?P<name>\w+)").expect("a constant"));
        let asks = |line: &str| TEST.captures(line).is_some_and(|found| self.asks_for(&found["name"]));
        match (change.is_deleted(), is_test(&change.path)) {
            (true, true) => self.excuses_file(&change.path),
            // A module that went with its own tests.
            (true, false) => change.old_text().is_some_and(|text| text.contains("#[test]")),
            (false, true) => change.removed_lines().any(|(_, line)| asks(line) || self.is_about(line)),
            (false, false) => change.removed_lines().any(|(_, line)| asks(line)),
        }
    }

    /// Tells whether a sentence that asks for something to go names this.
    fn asks_for(&self, name: &str) -> bool {
        let name = plain(name);
        let bare = name.trim();
        let says = bare.len() >= SHORTEST && !EVERYWHERE.contains(&bare);
        says && self.asked.iter().any(|sentence| sentence.contains(&name))
    }
}

/// What an issue says that asks for something to go.
static REMOVAL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:remov|delet|drop|obsolet|deprecat|get rid|clean ?up|retir)|削除|廃止|撤去|取り除")
        .expect("a constant pattern")
});

fn asked(issue: &Issue) -> Vec<String> {
    let text = format!("{}\n{}", issue.title, issue.body);
    let sentences = text.lines().flat_map(|line| line.split(". ").flat_map(|part| part.split('。')));
    sentences.filter(|sentence| REMOVAL.is_match(sentence)).map(plain).collect()
}

/// Returns a text as small words with one space around each, so that `old_pager` is found in "the old pager".
fn plain(text: &str) -> String {
    let mut plain = String::from(" ");
    for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        plain.push_str(&word.to_lowercase());
        plain.push(' ');
    }
    plain
}

/// Returns `parser` for `tests/test_parser.py`, `parser_test.go`, `parser.spec.ts`, `ParserTest.java`.
fn stem_of_test(path: &str) -> &str {
    let name = name(path);
    let stem = name.split('.').next().unwrap_or(name);
    let stem = stem.strip_prefix("test_").unwrap_or(stem);
    ["_test", "_tests", "_spec", "Tests", "Test"]
        .iter()
        .find_map(|end| stem.strip_suffix(end))
        .unwrap_or(stem)
}

fn stems_gone<'a>(
    changes: &'a [Change],
    changed_before: &'a BTreeSet<String>,
    worktree: &Path,
) -> BTreeSet<&'a str> {
    let now = changes.iter().filter(|change| change.is_deleted()).map(|change| change.path.as_str());
    let earlier = changed_before.iter().map(String::as_str).filter(|path| !worktree.join(path).exists());
    let code = now.chain(earlier).filter(|path| is_code(path) && !is_test(path));
    code.map(|path| name(path).split('.').next().unwrap_or_default()).collect()
}

fn is_code(path: &str) -> bool {
    const PROSE: [&str; 6] = ["md", "txt", "rst", "json", "lock", "svg"];
    path.rsplit_once('.').is_some_and(|(_, ending)| !PROSE.contains(&ending))
}

fn names_gone(changes: &[Change]) -> BTreeSet<&str> {
    let code: Vec<&Change> = changes.iter().filter(|change| !is_test(&change.path)).collect();
    let mut names: BTreeSet<&str> =
        code.iter().flat_map(|change| change.removed_lines()).filter_map(|(_, line)| defined(line)).collect();
    if !names.is_empty() {
        for (_, line) in code.iter().flat_map(|change| change.added_lines()) {
            if let Some(name) = defined(line) {
                names.remove(name);
            }
        }
        names.retain(|name| !name.starts_with("test"));
    }
    names
}

/// Returns the addresses that no code names any more.
fn routes_gone(changes: &[Change]) -> BTreeSet<&str> {
    static ROUTE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r#"\b(?:get|post|put|patch|delete|route|path|handle|HandleFunc|GET|POST|PUT|PATCH|DELETE)\(\s*['"](?P<route>/[\w/-]{3,})['"]"#)
            .expect("a constant")
    });
    let code: Vec<&Change> = changes.iter().filter(|change| !is_test(&change.path)).collect();
    let served =
        |text| ROUTE.captures(text).and_then(|found| found.name("route")).map(|route| route.as_str());
    let mut routes: BTreeSet<&str> =
        code.iter().flat_map(|change| change.removed_lines()).filter_map(|(_, line)| served(line)).collect();
    routes
        .retain(|route| !code.iter().filter_map(|change| change.new_text()).any(|text| text.contains(route)));
    routes
}

/// Returns what a line of code defines.
fn defined(line: &str) -> Option<&str> {
    static DEFINED: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"\b(?:fn|def|function|class|func(?: \([^)]*\))?|struct|enum|trait|interface|const|let|var|type|static)\s+(?P<name>\w{3,})")
            .expect("a constant")
    });
    DEFINED.captures(line)?.name("name").map(|name| name.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn removal(said: &str, changes: &'static [Change]) -> Removal<'static> {
        let asked = said.split(". ").filter(|sentence| REMOVAL.is_match(sentence)).map(plain).collect();
        let before: &'static BTreeSet<String> = Box::leak(Box::default());
        let stems = stems_gone(changes, before, Path::new("/nowhere"));
        let deleted = changes.iter().filter(|change| change.is_deleted()).map(|change| change.path.as_str());
        Removal {
            names: names_gone(changes),
            routes: routes_gone(changes),
            stems,
            asked,
            deleted: deleted.collect(),
        }
    }

    fn leaked(changes: Vec<Change>) -> &'static [Change] {
        changes.leak()
    }

    #[test]
    fn an_issue_excuses_what_it_names_in_a_sentence_of_removal() {
        let gone = removal("Remove the old pager. The reader stays.", &[]);
        for path in ["tests/test_old_pager.py", "pkg/old_pager_test.go", "web/old-pager.spec.ts"] {
            assert!(gone.excuses_file(path), "{path}");
        }
        assert!(!gone.excuses_file("tests/reader.rs") && !gone.excuses_file("tests/the.rs"));
        let gone = removal("Delete tests/legacy.rs", &[]);
        assert!(gone.excuses_file("tests/legacy.rs") && !gone.excuses_file("tests/tests.rs"));
        assert!(removal("Drop `reads_old_files`", &[]).excuses_test("tests/a.rs", "reads_old_files", ""));
        assert!(!removal("The old pager is wrong", &[]).excuses_file("tests/old_pager.rs"));
    }

    #[test]
    fn a_test_in_a_file_that_stays_is_not_excused_by_the_name_of_the_file() {
        let gone = removal("Remove the rounding error in pages", &[]);
        assert!(!gone.excuses_test("tests/pages.rs", "a_page_counts", "assert_eq!(count(1), 1)"));
    }

    #[test]
    fn code_that_goes_takes_its_tests_with_it() {
        let changes = leaked(vec![
            Change::of_texts("src/pager.rs", Some("pub fn page_count() {}\n"), None),
            Change::of_texts("tests/pager.rs", Some("#[test]\nfn a() {}\n"), None),
        ]);
        let gone = removal("", changes);
        assert!(gone.excuses_file("tests/pager.rs") && !gone.excuses_file("tests/reader.rs"));
        assert!(gone.excuses_test("tests/other.rs", "b", "assert_eq!(page_count(), 1)"));
        assert!(gone.excuses_change(&changes[1]));
    }
}
