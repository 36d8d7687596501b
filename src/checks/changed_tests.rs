//! The tests of the files that a run changed, at the base and now, as their sources say: which are there still, under which
//! name, which are new, and what stands in place of those that are gone. For languages that `source` has a grammar of; others
//! have no tests here.

use std::collections::BTreeSet;

use super::{Published, Site, side_by_side};
use model::change::Change;
use model::issue::Issue;
use source::{
    Function, Kept, Matching, SkipKind, SourceFile, Test, is_asked_by, is_similar, is_test, same_tests,
};

/// Stands in place of a symbol that was renamed.
const RENAMED: &str = "renamed";
/// More tests in place of one are not told.
const MOST_SIMILAR: usize = 3;

/// The tests of all changed files.
#[derive(Debug)]
pub(super) struct ChangedTests {
    old: Vec<ReadTest>,
    new: Vec<ReadTest>,
    /// Names of functions, types and classes that changed files of the product defined, and that none of them defines any more.
    gone: BTreeSet<String>,
    /// Those that they define now, and did not.
    arrived: BTreeSet<String>,
    matching: Matching,
    /// The names of files of tests that are gone, without what marks them as such, and of files of the product that are gone.
    removed_tests: BTreeSet<String>,
    removed_code: BTreeSet<String>,
}

/// A test with its text.
#[derive(Debug)]
pub(super) struct ReadTest {
    pub(super) test: Test,
    pub(super) text: String,
    /// The names that it uses.
    used: BTreeSet<String>,
}

/// What became of one test of the base.
#[derive(Debug)]
pub(super) enum Fate<'t> {
    /// The same test is there, or several that ask the same.
    Kept(&'t ReadTest, Vec<&'t ReadTest>),
    /// It is not there, and neither is this symbol, which it used.
    LostWith(&'t str),
    /// Nothing asks all that it asked. These are new or changed, and ask about the same.
    Replaced(&'t ReadTest, Vec<&'t ReadTest>),
    Lost,
    /// No changed source has it: its file is as it was, or is not understood.
    Unknown,
}

impl ReadTest {
    /// Tells whether a runner may have reported the test by this id.
    pub(super) fn is_reported_as(&self, id: &str) -> bool {
        self.test.is_reported_as(id) || self.test.may_be_reported_as(id)
    }
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

    pub(super) fn between(changes: &[Change]) -> Self {
        let (old, before) = read(changes, Change::old_text);
        let (new, after) = read(changes, Change::new_text);
        let (gone, arrived) = (&before - &after, &after - &before);
        let matching = matching(&old, &new, &gone, &arrived);
        let removed = |is_of_tests: bool| {
            let removed = changes.iter().filter(|change| change.is_deleted());
            let removed = removed.filter(|change| is_test(&change.path) == is_of_tests);
            removed.map(|change| stem(&change.path).to_owned()).collect()
        };
        let (removed_tests, removed_code) = (removed(true), removed(false));
        Self { old, new, gone, arrived, matching, removed_tests, removed_code }
    }

    /// Returns the tests that are none of the base.
    pub(super) fn added(&self) -> impl Iterator<Item = &Test> {
        self.matching.added.iter().map(|index| &self.new[*index].test)
    }

    /// Returns the tests of the base that are there under no name.
    pub(super) fn lost(&self) -> impl Iterator<Item = &Test> {
        self.matching.lost.iter().map(|index| &self.old[*index].test)
    }

    /// Tells whether files of tests were removed, each of them named by the issue or with its code.
    pub(super) fn removed_as_asked(&self, issue: &Issue) -> bool {
        let is_asked = |stem: &String| self.removed_code.contains(stem) || issue.names(stem);
        !self.removed_tests.is_empty() && self.removed_tests.iter().all(is_asked)
    }

    /// Tells whether the product has functions, types or classes that it did not have.
    pub(super) fn has_new_symbols(&self) -> bool {
        !self.arrived.is_empty()
    }

    /// Returns what became of the test of the base that a runner reported by this id.
    pub(super) fn fate(&self, id: &str) -> Fate<'_> {
        let named = self.old.iter().position(|old| old.test.is_reported_as(id));
        let index = named.or_else(|| self.old.iter().position(|old| old.test.may_be_reported_as(id)));
        let Some(index) = index else { return Fate::Unknown };
        let old = &self.old[index];
        if let Some(kept) = self.kept(index) {
            let new: Vec<&ReadTest> = kept.new.iter().map(|index| &self.new[*index]).collect();
            let is_same = self.asks_all(old, &new);
            return if is_same { Fate::Kept(old, new) } else { Fate::Replaced(old, new) };
        }
        if let Some(name) = self.gone.iter().find(|name| old.used.contains(*name)) {
            return Fate::LostWith(name);
        }
        let similar = self.similar(old);
        if similar.is_empty() { Fate::Lost } else { Fate::Replaced(old, similar) }
    }

    /// Tells whether a test only lost the mark that it is expected to fail.
    pub(super) fn is_expected_to_pass_now(&self, id: &str) -> bool {
        let may_fail = |test: &Test| test.skips.iter().any(|skip| skip.kind == SkipKind::ExpectedFailure);
        match self.fate(id) {
            Fate::Kept(old, new) => {
                may_fail(&old.test)
                    && !new.iter().any(|new| may_fail(&new.test))
                    && is_asked_by(&old.test, &tests(new.iter().copied()))
            }
            _ => false,
        }
    }

    fn kept(&self, old: usize) -> Option<&Kept> {
        self.matching.kept.iter().find(|kept| kept.old == old)
    }

    /// Tells whether tests ask what the old one asked, symbols that were renamed apart.
    fn asks_all(&self, old: &ReadTest, new: &[&ReadTest]) -> bool {
        let old_test = old.test.with_name(&self.gone, RENAMED);
        let new_tests: Vec<Test> = new.iter().map(|new| new.test.with_name(&self.arrived, RENAMED)).collect();
        is_asked_by(&old.test, &tests(new.iter().copied()))
            || is_asked_by(&old_test, &new_tests.iter().collect::<Vec<_>>())
    }

    /// Returns tests that are new, or whose text changed, and that ask about the same; those of its file first.
    fn similar(&self, old: &ReadTest) -> Vec<&ReadTest> {
        let says_as_before = |index: usize| {
            let of = self.matching.kept.iter().filter(|kept| kept.new.contains(&index));
            of.into_iter().any(|kept| self.old[kept.old].test.says_the_same(&self.new[index].test))
        };
        let changed =
            (0..self.new.len()).filter(|index| !says_as_before(*index)).map(|index| &self.new[index]);
        let mut similar: Vec<&ReadTest> = changed.filter(|new| is_similar(&old.test, &new.test)).collect();
        similar.sort_by_key(|new| new.test.path != old.test.path);
        similar.truncate(MOST_SIMILAR);
        similar
    }
}

/// Returns the name of a file without its ending, and without what marks it as one of tests.
fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or_default();
    let stem = name.split('.').next().unwrap_or_default();
    let stem = stem.strip_prefix("test_").unwrap_or(stem);
    ["_test", "_tests", "_spec"].iter().find_map(|end| stem.strip_suffix(end)).unwrap_or(stem)
}

fn tests<'t>(read: impl IntoIterator<Item = &'t ReadTest>) -> Vec<&'t Test> {
    read.into_iter().map(|read| &read.test).collect()
}

/// Finds out which test is which. Those that are not found as they are may use a symbol that has another name now.
fn matching(
    old: &[ReadTest],
    new: &[ReadTest],
    gone: &BTreeSet<String>,
    arrived: &BTreeSet<String>,
) -> Matching {
    let renamed = |read: &[ReadTest], names: &BTreeSet<String>| -> Vec<Test> {
        read.iter().map(|read| read.test.with_name(names, RENAMED)).collect()
    };
    let mut matching = same_tests(&tests(old), &tests(new), &[]);
    if matching.lost.is_empty() || gone.is_empty() || arrived.is_empty() {
        return matching;
    }
    let (old, new) = (renamed(old, gone), renamed(new, arrived));
    let again = same_tests(&old.iter().collect::<Vec<_>>(), &new.iter().collect::<Vec<_>>(), &[]);
    let lost = std::mem::take(&mut matching.lost);
    let found = again.kept.into_iter().filter(|kept| lost.contains(&kept.old));
    matching.kept.extend(found);
    let is_kept = |old: &usize| matching.kept.iter().any(|kept| kept.old == *old);
    matching.lost = lost.into_iter().filter(|old| !is_kept(old)).collect();
    let is_old = |new: &usize| matching.kept.iter().any(|kept| kept.new.contains(new));
    matching.added.retain(|new| !is_old(new));
    matching
}

/// Returns the tests of one version of all files, and the names that those of the product define.
fn read(changes: &[Change], side: fn(&Change) -> Option<&str>) -> (Vec<ReadTest>, BTreeSet<String>) {
    let files = side_by_side::each(changes, |change| {
        side(change).map_or_else(Default::default, |text| read_file(&change.path, text))
    });
    let (tests, defined): (Vec<Vec<ReadTest>>, Vec<BTreeSet<String>>) = files.into_iter().unzip();
    (tests.into_iter().flatten().collect(), defined.into_iter().flatten().collect())
}

fn read_file(path: &str, text: &str) -> (Vec<ReadTest>, BTreeSet<String>) {
    let Some(file) = SourceFile::parse(path, text) else { return Default::default() };
    let read_test = |test: Test| ReadTest {
        text: text[test.range.clone()].to_owned(),
        used: file.names(&test.range).into_iter().map(str::to_owned).collect(),
        test,
    };
    let tests: Vec<ReadTest> = file.tests().into_iter().map(read_test).collect();
    // In a file of the product tests may stand, too, with functions that help them.
    let outermost: Vec<&String> =
        tests.iter().map(|read| read.test.groups.first().unwrap_or(&read.test.name)).collect();
    let is_of_tests = |function: &Function| {
        let first = function.name.split([':', '.']).next().unwrap_or_default();
        outermost.iter().any(|name| name.as_str() == first)
    };
    let mut functions = if is_test(path) { Vec::new() } else { file.functions() };
    functions.retain(|function| !is_of_tests(function));
    let parts = functions.iter().flat_map(|function| function.name.split([':', '.']));
    let defined = parts.filter(|part| !part.is_empty()).map(str::to_owned).collect();
    (tests, defined)
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
        assert_eq!(new[0].test.name, "test_rounds_up");
        assert_eq!(renamed.added().count(), 0);
        let weaker =
            changed(&OLD.replace("test_up", "test_some").replace("pages(10, 3), 4", "pages(9, 3), 3"));
        let Fate::Replaced(old, new) = weaker.fate("tests.test_core.PageTest.test_up") else {
            panic!("something similar is there")
        };
        assert!(old.text.contains("pages(10, 3), 4") && new[0].text.contains("pages(9, 3), 3"));
        let other = changed(&OLD.replace("test_up", "test_price").replace("pages(10, 3), 4", "price(9), 3"));
        assert!(matches!(other.fate("tests.test_core.PageTest.test_up"), Fate::Lost));
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

    #[test]
    fn a_test_in_a_file_of_the_product_is_no_symbol_of_it() {
        let file = |name: &str, expected: &str| {
            format!(
                "pub fn pages() -> u8 {{ 3 }}\n#[cfg(test)]\nmod tests {{\n    #[test]\n    fn {name}() {{ assert_eq!(pages(), {expected}); }}\n}}\n"
            )
        };
        let (old, new) = (file("three", "3"), file("few", "2"));
        let both = ChangedTests::between(&[Change::of_texts("src/lib.rs", Some(&old), Some(&new))]);
        assert!(matches!(both.fate("pager › tests::three"), Fate::Replaced(..)));
        assert!(!both.has_new_symbols());
    }
}
