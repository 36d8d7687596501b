//! The tests of the files that a run changed, at the base and now, as their sources say: which are there still, under which
//! name, and which are new. For languages that `source` has a grammar of; others have no tests here.

use std::collections::BTreeSet;

use super::{Published, Site, side_by_side};
use model::change::Change;
use source::{Matching, SourceFile, Test, is_test, same_tests};

/// The tests of all changed files.
#[derive(Debug)]
pub(super) struct ChangedTests {
    old: Vec<Test>,
    /// The names that each old test uses.
    used: Vec<BTreeSet<String>>,
    /// Names of functions, types and classes that changed files defined, and that none of them defines any more.
    gone: BTreeSet<String>,
    new: Vec<Test>,
    matching: Matching,
}

/// What became of one test of the base.
#[derive(Debug)]
pub(super) enum Fate<'t> {
    /// The same test is there, or several that ask the same.
    Kept(&'t Test, Vec<&'t Test>),
    /// It is not there, and neither is this symbol, which it used.
    LostWith(&'t str),
    Lost,
    /// No changed source has it: its file is as it was, or is not understood.
    Unknown,
}

impl ChangedTests {
    /// Returns the tests of what a run changed since its base; an error where git cannot say what that is.
    pub(super) fn of<'s>(site: &'s Site<'_>, published: &Published<'_>) -> Result<&'s Self, &'s str> {
        let read = || {
            let changes = published.space.workspace().changes();
            let changes = changes.all_between(&published.base.as_tree(), &published.tree);
            changes.map(|changes| Self::between(&changes)).map_err(|error| error.to_string())
        };
        site.read.tests.get_or_init(read).as_ref().map_err(String::as_str)
    }

    fn between(changes: &[Change]) -> Self {
        let before = read(changes, Change::old_text);
        let after = read(changes, Change::new_text);
        let (old, used): (Vec<Test>, Vec<BTreeSet<String>>) =
            before.iter().flat_map(|file| &file.tests).cloned().unzip();
        let new: Vec<Test> =
            after.iter().flat_map(|file| &file.tests).map(|(test, _)| test.clone()).collect();
        let defined = |files: &[ReadFile]| -> BTreeSet<String> {
            files.iter().flat_map(|file| &file.defined).cloned().collect()
        };
        let gone = &defined(&before) - &defined(&after);
        let matching = same_tests(&old, &new, &[]);
        Self { old, used, gone, new, matching }
    }

    /// Returns the tests that are none of the base.
    pub(super) fn added(&self) -> impl Iterator<Item = &Test> {
        self.matching.added.iter().map(|index| &self.new[*index])
    }

    /// Returns what became of the test of the base that a runner reported by this id.
    pub(super) fn fate(&self, id: &str) -> Fate<'_> {
        let Some(old) = self.old.iter().position(|test| test.is_reported_as(id)) else {
            return Fate::Unknown;
        };
        match self.matching.kept.iter().find(|kept| kept.old == old) {
            Some(kept) => {
                Fate::Kept(&self.old[old], kept.new.iter().map(|index| &self.new[*index]).collect())
            }
            None => match self.gone.iter().find(|name| self.used[old].contains(*name)) {
                Some(name) => Fate::LostWith(name),
                None => Fate::Lost,
            },
        }
    }
}

/// What one version of a file holds.
#[derive(Debug, Default)]
struct ReadFile {
    /// Each test with the names that it uses.
    tests: Vec<(Test, BTreeSet<String>)>,
    /// Names that it defines, where it is no file of tests.
    defined: BTreeSet<String>,
}

impl ReadFile {
    fn of(path: &str, text: &str) -> Self {
        let Some(file) = SourceFile::parse(path, text) else { return Self::default() };
        let names = |test: &Test| file.names(&test.range).into_iter().map(str::to_owned).collect();
        let tests = file.tests().into_iter().map(|test| (test.clone(), names(&test))).collect();
        let functions = if is_test(path) { Vec::new() } else { file.functions() };
        let parts = functions.iter().flat_map(|function| function.name.split([':', '.']));
        let defined = parts.filter(|part| !part.is_empty()).map(str::to_owned).collect();
        Self { tests, defined }
    }
}

fn read(changes: &[Change], side: fn(&Change) -> Option<&str>) -> Vec<ReadFile> {
    side_by_side::each(changes, |change| {
        side(change).map_or_else(ReadFile::default, |text| ReadFile::of(&change.path, text))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &str = "class PageTest(unittest.TestCase):\n    def test_up(self):\n        self.assertEqual(pages(10, 3), 4)\n\n    \
        def test_zero(self):\n        self.assertEqual(pages(0, 3), 0)\n";

    fn changed(new: &str) -> ChangedTests {
        ChangedTests::between(&[Change::of_texts("tests/test_core.py", Some(OLD), Some(new))])
    }

    #[test]
    fn a_renamed_test_is_the_same_and_a_weaker_one_is_not() {
        let renamed = changed(&OLD.replace("test_up", "test_rounds_up"));
        let Fate::Kept(_, new) = renamed.fate("tests.test_core.PageTest.test_up") else {
            panic!("it is kept")
        };
        assert_eq!(new[0].name, "test_rounds_up");
        assert_eq!(renamed.added().count(), 0);
        let weaker =
            changed(&OLD.replace("test_up", "test_some").replace("pages(10, 3), 4", "pages(9, 3), 3"));
        assert!(matches!(weaker.fate("tests.test_core.PageTest.test_up"), Fate::Lost));
        assert_eq!(weaker.added().map(|test| test.name.as_str()).collect::<Vec<_>>(), ["test_some"]);
        assert!(matches!(weaker.fate("tests.test_other.OtherTest.test_up"), Fate::Unknown));
    }

    #[test]
    fn a_test_whose_subject_is_gone_is_lost_with_it() {
        let product = Change::of_texts(
            "pager.py",
            Some("def pages(a, b):\n    return 1\n\ndef price(a):\n    return a\n"),
            Some("def price(a):\n    return a\n"),
        );
        let test = Change::of_texts("tests/test_core.py", Some(OLD), Some("import pager\n"));
        let both = ChangedTests::between(&[product, test]);
        assert!(matches!(both.fate("tests.test_core.PageTest.test_up"), Fate::LostWith("pages")));
    }
}
