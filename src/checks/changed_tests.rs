//! The tests of changed files, before and now, as their sources say: which test is which, under which name, which are new, and
//! what stands in place of those that are gone. For languages that `source` has a grammar of; tests of others show in the
//! results of the suite alone.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::sync::{Arc, OnceLock};

use super::changed_file::ReadSides;
use super::{Change, ChangedFile, Published, Site, side_by_side};
use model::issue::Issue;
use source::{
    Language, Matching, Role, SkipKind, SourceFile, Test, is_asked_by, is_fixture, is_test, same_tests,
};

/// Stands in place of a symbol that was renamed.
const RENAMED: &str = "renamed";
/// More tests in place of one are not told.
const MOST_SIMILAR: usize = 3;

/// What became of one test of the base.
#[derive(Debug)]
pub(super) enum Fate<'t> {
    /// The same test is there, or several that ask the same.
    Kept(&'t Test, Vec<&'t Test>),
    /// It is not there, and neither is this symbol, which it used.
    LostWith(&'t str),
    /// Nothing asks all that it asked. These are new or changed, and ask about the same.
    Replaced(&'t Test, Vec<&'t Test>),
    Lost,
    /// No changed source has it: its file is as it was, or is not understood.
    Unknown,
}

/// The tests of changed files, before and now.
#[derive(Debug, Default)]
pub(super) struct ChangedTests {
    old: Vec<Arc<Test>>,
    new: Vec<Arc<Test>>,
    matching: Matching,
    /// Names of functions, types and classes that no changed file of the product defines any more, and that none defined.
    gone: BTreeSet<String>,
    arrived: BTreeSet<String>,
    /// Names that they define now, those of constants, too.
    defined: BTreeSet<String>,
    /// Names that they used, and that none of them uses any more; those of options and fields, too.
    unused: BTreeSet<String>,
    /// The paths of files that are gone, and whether each had nothing to run.
    removed: Vec<(String, bool)>,
    /// The tests that are new or changed, by what they call.
    about: OnceLock<HashMap<String, Vec<usize>>>,
}

impl ChangedTests {
    /// Returns the tests of the changed files of a phase that nobody allowed to change freely.
    pub(super) fn of_phase<'s>(site: &'s Site<'_>) -> &'s Self {
        let read = || Self::read(&ChangedFile::judged(site), may_be_judged);
        site.read.tests_of_phase.get_or_init(read)
    }

    /// Returns the tests of what a run changed since its base; an error where git cannot say what that is.
    pub(super) fn of_run<'s>(site: &'s Site<'_>, published: &Published<'_>) -> Result<&'s Self, &'s str> {
        let read = || {
            let changes = published.space.workspace().changes();
            let changes = changes.all_between(&published.base.as_tree(), &published.tree);
            let between = |changes: Vec<Change>| Self::between(&changes, &ChangedFile::all(site));
            changes.map(between).map_err(|error| error.to_string())
        };
        site.read.tests_of_run.get_or_init(read).as_ref().map_err(String::as_str)
    }

    /// Returns the tests of changed files, of which some may be known already.
    pub(super) fn between(changes: &[Change], known: &[ChangedFile<'_>]) -> Self {
        let read = ReadSides::of(changes, known);
        Self::read(&ChangedFile::each(changes, &read).collect::<Vec<_>>(), |_| true)
    }

    fn read(files: &[ChangedFile<'_>], may_be_judged: fn(&ChangedFile<'_>) -> bool) -> Self {
        let removed = files.iter().filter(|file| file.change.is_deleted());
        let only_defines = |file: &ChangedFile<'_>| file.before().is_some_and(SourceFile::only_defines);
        let removed = removed.map(|file| (file.path().to_owned(), only_defines(file))).collect();
        let mut tests = Self { removed, ..Self::default() };
        prepare_languages(files, may_be_judged);
        let of_file = |file: &ChangedFile<'_>| {
            if may_be_judged(file) { file.tests().map(<[_]>::to_vec) } else { Default::default() }
        };
        for [old, new] in side_by_side::each(files, of_file) {
            tests.old.extend(old);
            tests.new.extend(new);
        }
        let old: Vec<&Test> = tests.old.iter().map(AsRef::as_ref).collect();
        let new: Vec<&Test> = tests.new_tests().collect();
        let ids =
            |tests: &[&Test]| -> Vec<_> { tests.iter().map(|test| (test.path.clone(), test.id())).collect() };
        if ids(&old) != ids(&new) {
            // Then all will be asked what they ask.
            side_by_side::each(&[&old[..], &new[..]].concat(), |test| test.cases());
        }
        tests.matching = same_tests(&old, &new);
        let all_are_there = tests.matching.lost.is_empty() && tests.matching.added.is_empty();
        let is_as_before = |(old, new): (&Test, Vec<&Test>)| new.iter().all(|new| old.says_the_same(new));
        if !all_are_there || !tests.kept().all(is_as_before) {
            tests.read_symbols(files);
            tests.find_renamed();
        }
        tests
    }

    fn read_symbols(&mut self, files: &[ChangedFile<'_>]) {
        let product: Vec<&ChangedFile<'_>> = files.iter().filter(|file| !is_test(file.path())).collect();
        let names = |of: fn(&ChangedFile<'_>) -> BTreeSet<String>| -> BTreeSet<String> {
            side_by_side::each(&product, |file| of(file)).into_iter().flatten().collect()
        };
        let before = names(|file| functions(file.before(), file.tests()[0]));
        let now = names(|file| functions(file.now(), file.tests()[1]));
        (self.gone, self.arrived) = (&before - &now, &now - &before);
        self.defined = &now | &names(|file| constants(file.now()));
        if !self.matching.lost.is_empty() {
            self.unused = &names(|file| used(file.before())) - &names(|file| used(file.now()));
        }
    }

    /// Tests that are not found as they are may use a symbol that has another name now.
    fn find_renamed(&mut self) {
        if self.matching.lost.is_empty() || self.gone.is_empty() || self.arrived.is_empty() {
            return;
        }
        let renamed = |tests: &[Arc<Test>], names: &BTreeSet<String>| -> Vec<Test> {
            tests.iter().map(|test| test.with_name(names, RENAMED)).collect()
        };
        let (old, new) = (renamed(&self.old, &self.gone), renamed(&self.new, &self.arrived));
        let mut found = same_tests(&old.iter().collect::<Vec<_>>(), &new.iter().collect::<Vec<_>>()).kept;
        found.retain(|kept| self.matching.lost.binary_search(&kept.old).is_ok());
        let (old, new): (BTreeSet<usize>, BTreeSet<usize>) = (
            found.iter().map(|kept| kept.old).collect(),
            found.iter().flat_map(|kept| kept.new.clone()).collect(),
        );
        self.matching.lost.retain(|lost| !old.contains(lost));
        self.matching.added.retain(|added| !new.contains(added));
        self.matching.kept.extend(found);
        self.matching.kept.sort_by_key(|kept| kept.old);
    }

    /// Returns each test of before that is there still, with what it is now: several where it was split.
    pub(super) fn kept(&self) -> impl Iterator<Item = (&Test, Vec<&Test>)> {
        let new = |indices: &[usize]| indices.iter().map(|index| &*self.new[*index]).collect();
        self.matching.kept.iter().map(move |kept| (&*self.old[kept.old], new(&kept.new)))
    }

    /// Returns the tests of before by their files, also those that are gone.
    pub(super) fn old_by_file(&self) -> BTreeMap<&str, Vec<&Test>> {
        let mut files: BTreeMap<&str, Vec<&Test>> = BTreeMap::new();
        for old in &self.old {
            files.entry(&old.path).or_default().push(old);
        }
        files
    }

    /// Returns the tests of before that are gone.
    pub(super) fn lost(&self) -> impl Iterator<Item = &Test> {
        self.matching.lost.iter().map(|index| &*self.old[*index])
    }

    /// Returns the tests that are none of before.
    pub(super) fn added(&self) -> impl Iterator<Item = &Test> {
        self.matching.added.iter().map(|index| &*self.new[*index])
    }

    /// Returns all tests of now.
    pub(super) fn new_tests(&self) -> impl Iterator<Item = &Test> {
        self.new.iter().map(|test| &**test)
    }

    /// Tells whether a test uses something that the changed files of the product define, or stands beside it.
    pub(super) fn uses_the_product(&self, test: &Test) -> bool {
        Role::of(&test.path) == Role::Product || !test.names.is_disjoint(&self.defined)
    }

    /// Tells whether the issue names a test that went, or what it is about and what went with it.
    pub(super) fn is_asked_to_go(&self, test: &Test, issue: &Issue) -> bool {
        let is_gone = |name: &&String| self.gone.contains(*name) || self.unused.contains(*name);
        issue.names(&test.name) || test.names.iter().filter(is_gone).any(|name| issue.names(name))
    }

    /// Tells whether files of tests were removed, each of them named by the issue or with its code.
    pub(super) fn removed_as_asked(&self, issue: &Issue) -> bool {
        let removed = self.removed.iter().map(|(path, _)| path);
        let (tests, code): (Vec<&String>, Vec<&String>) = removed.partition(|path| is_test(path));
        let code: BTreeSet<&str> = code.into_iter().map(|path| stem(path)).collect();
        !tests.is_empty()
            && tests.iter().map(|path| stem(path)).all(|stem| code.contains(stem) || issue.names(stem))
    }

    /// Tells whether a runner ran a file by this path that is gone, and that had nothing to run.
    pub(super) fn is_removed_helper(&self, id: &str) -> bool {
        self.removed.iter().any(|(path, only_defines)| path == id && *only_defines)
    }

    /// Tells whether the product has functions, types or classes that it did not have.
    pub(super) fn has_new_symbols(&self) -> bool {
        !self.arrived.is_empty()
    }

    /// Returns what became of the test of the base that a runner reported by this id.
    pub(super) fn fate(&self, id: &str) -> Fate<'_> {
        let Some(index) = self.find_at_base(id) else { return Fate::Unknown };
        let old = &self.old[index];
        if let Ok(kept) = self.matching.kept.binary_search_by_key(&index, |kept| kept.old) {
            let new = &self.matching.kept[kept].new;
            let new: Vec<&Test> = new.iter().map(|index| &*self.new[*index]).collect();
            return if self.asks_all(old, &new) { Fate::Kept(old, new) } else { Fate::Replaced(old, new) };
        }
        if let Some(name) = self.gone.intersection(&old.names).next() {
            return Fate::LostWith(name);
        }
        let similar = self.similar(old);
        if similar.is_empty() { Fate::Lost } else { Fate::Replaced(old, similar) }
    }

    /// Returns the test of the base that a runner reported by this id.
    pub(super) fn at_base(&self, id: &str) -> Option<&Test> {
        self.find_at_base(id).map(|index| &*self.old[index])
    }

    fn find_at_base(&self, id: &str) -> Option<usize> {
        let named = self.old.iter().position(|old| old.is_reported_as(id));
        named.or_else(|| self.old.iter().position(|old| old.may_be_reported_as(id)))
    }

    /// Tells whether a test only lost the mark that it is expected to fail.
    pub(super) fn is_expected_to_pass_now(&self, id: &str) -> bool {
        let may_fail = |test: &Test| test.count(SkipKind::ExpectedFailure) > 0;
        match self.fate(id) {
            Fate::Kept(old, new) => {
                may_fail(old) && !new.iter().any(|new| may_fail(new)) && is_asked_by(old, &new)
            }
            _ => false,
        }
    }

    /// Tells whether a test of now was there under another id, and asks no more than it asked, or stands in the place of one that
    /// is gone.
    pub(super) fn is_moved(&self, id: &str) -> bool {
        let is_of_id = |new: &&Test| new.is_reported_as(id);
        let is_renamed = self.kept().any(|(old, new)| {
            !old.is_reported_as(id)
                && new.iter().find(|new| is_of_id(new)).is_some_and(|new| is_asked_by(new, &[old]))
        });
        let replaces = |old: &Test| {
            self.similar(old).iter().any(is_of_id)
                || self.added().any(|new| new.name == old.name && is_of_id(&new))
        };
        is_renamed || self.lost().any(replaces)
    }

    /// Tells whether a test that was there asks more now.
    pub(super) fn asks_more(&self, id: &str) -> bool {
        match self.fate(id) {
            Fate::Kept(old, new) | Fate::Replaced(old, new) => {
                new.iter().any(|new| !is_asked_by(new, &[old]))
            }
            Fate::LostWith(_) | Fate::Lost | Fate::Unknown => false,
        }
    }

    /// Tells whether tests ask what the old one asked, symbols that were renamed apart.
    fn asks_all(&self, old: &Test, new: &[&Test]) -> bool {
        let renamed = || {
            let new: Vec<Test> = new.iter().map(|new| new.with_name(&self.arrived, RENAMED)).collect();
            is_asked_by(&old.with_name(&self.gone, RENAMED), &new.iter().collect::<Vec<_>>())
        };
        is_asked_by(old, new) || renamed()
    }

    /// Returns tests that are new, or whose text changed, and that ask about the same; those of its file first.
    fn similar(&self, old: &Test) -> Vec<&Test> {
        let about = self.about.get_or_init(|| self.changed_by_subject());
        let subjects = old.subjects();
        let all = || subjects.iter().filter_map(|subject| about.get(*subject)).flatten();
        let is_beside = |index: &&usize| self.new[**index].path == old.path;
        let mut similar: Vec<&usize> = Vec::new();
        for index in all().filter(is_beside).chain(all().filter(|index| !is_beside(index))) {
            if similar.len() == MOST_SIMILAR {
                break;
            }
            if !similar.contains(&index) {
                similar.push(index);
            }
        }
        similar.into_iter().map(|index| &*self.new[*index]).collect()
    }

    fn changed_by_subject(&self) -> HashMap<String, Vec<usize>> {
        let is_other = |old: usize, new: &&usize| !self.old[old].says_the_same(&self.new[**new]);
        let kept = self.matching.kept.iter();
        let changed = kept.flat_map(|kept| kept.new.iter().filter(|new| is_other(kept.old, new)));
        let changed: BTreeSet<usize> = changed.chain(&self.matching.added).copied().collect();
        let mut about: HashMap<String, Vec<usize>> = HashMap::new();
        for index in changed {
            for subject in self.new[index].subjects() {
                about.entry(subject.to_owned()).or_default().push(index);
            }
        }
        about
    }
}

/// Returns the name of a file without its ending, and without what marks it as one of tests.
fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or_default();
    let stem = name.split('.').next().unwrap_or_default();
    let stem = stem.strip_prefix("test_").unwrap_or(stem);
    ["_test", "_tests", "_spec"].iter().find_map(|end| stem.strip_suffix(end)).unwrap_or(stem)
}

/// Compiles the queries of the languages of tests side by side, so that no thread waits for another one to do it.
fn prepare_languages(files: &[ChangedFile<'_>], may_be_judged: fn(&ChangedFile<'_>) -> bool) {
    let asked = |file: &ChangedFile<'_>| asked_language(file).filter(|_| may_be_judged(file));
    let languages: HashSet<Language> = side_by_side::each(files, asked).into_iter().flatten().collect();
    side_by_side::each(&Vec::from_iter(languages), |language| language.prepare());
}

/// Returns the language whose query finds the tests of a file, where it may have some.
fn asked_language(file: &ChangedFile<'_>) -> Option<Language> {
    let mut texts = [file.change.old_text(), file.change.new_text()].into_iter().flatten();
    let may_have_tests = texts.any(|text| SourceFile::may_have_tests(file.path(), text));
    Language::of(file.path()).filter(|_| may_have_tests)
}

/// Rust has tests beside its code, and vitest may.
fn may_be_judged(file: &ChangedFile<'_>) -> bool {
    let mut texts = [file.change.old_text(), file.change.new_text()].into_iter().flatten();
    let mut holds_tests =
        || texts.any(|text| ["test]", "(test", "vitest"].iter().any(|word| text.contains(word)));
    !is_fixture(file.path()) && (is_test(file.path()) || holds_tests())
}

/// Returns the functions of a file of tests that assert and that kept their name, before and now.
pub(super) fn kept_functions(file: &ChangedFile<'_>) -> Vec<(Test, Test)> {
    if !may_be_judged(file) || !is_test(file.path()) {
        return Vec::new();
    }
    let [old, new] = file.helpers();
    // In objects many functions may have one name.
    let mut now: HashMap<String, VecDeque<Test>> = HashMap::new();
    for helper in new {
        now.entry(helper.id()).or_default().push_back(helper);
    }
    let old = old.into_iter().filter(|helper| !helper.asserts.is_empty());
    old.filter_map(|old| now.get_mut(&old.id())?.pop_front().map(|new| (old, new))).collect()
}

/// Returns the names that are used in a file.
fn used(file: Option<&SourceFile>) -> BTreeSet<String> {
    let names = file.map_or_else(BTreeSet::new, |file| file.names(&(0..file.text().len())));
    names.into_iter().map(str::to_owned).collect()
}

fn constants(file: Option<&SourceFile>) -> BTreeSet<String> {
    let constants = file.map_or_else(Vec::new, SourceFile::constants);
    constants.into_iter().map(|(name, _)| name.to_owned()).collect()
}

/// Returns the names of the functions of a file, and of the types, classes and modules that they stand in. In a file of the
/// product tests may stand, too, with functions that help them.
fn functions(file: Option<&SourceFile>, tests: &[Arc<Test>]) -> BTreeSet<String> {
    let of_tests: BTreeSet<&str> =
        tests.iter().map(|test| test.groups.first().unwrap_or(&test.name).as_str()).collect();
    let functions = file.map_or_else(Vec::new, SourceFile::functions);
    let paths = functions.iter().map(|function| function.name.split([':', '.']));
    let paths = paths.filter(|path| path.clone().next().is_none_or(|first| !of_tests.contains(first)));
    paths.flatten().filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &str = "class PageTest(unittest.TestCase):\n    def test_up(self):\n        self.assertEqual(pages(10, 3), 4)\n\n    \
        def test_zero(self):\n        self.assertEqual(pages(0, 3), 0)\n";

    fn changed(new: &str) -> ChangedTests {
        ChangedTests::between(&[Change::of_texts("tests/test_core.py", Some(OLD), Some(new))], &[])
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
        let Fate::Replaced(old, new) = weaker.fate("tests.test_core.PageTest.test_up") else {
            panic!("something similar is there")
        };
        assert!(old.text().contains("pages(10, 3), 4") && new[0].text().contains("pages(9, 3), 3"));
        let other = changed(&OLD.replace("test_up", "test_price").replace("pages(10, 3), 4", "price(9), 3"));
        assert!(matches!(other.fate("tests.test_core.PageTest.test_up"), Fate::Lost));
        assert_eq!(weaker.added().map(|test| test.name.as_str()).collect::<Vec<_>>(), ["test_some"]);
        assert!(matches!(weaker.fate("tests.test_other.OtherTest.test_up"), Fate::Unknown));
    }

    #[test]
    fn a_test_in_the_place_of_another_proves_nothing_new() {
        let other = "    def test_up(self):\n        self.assertEqual(pages(9, 3), 3)\n";
        let replaced = changed(&OLD.replace("test_up", "test_some").replace("10, 3), 4", "9, 3), 3"));
        assert!(replaced.is_moved("tests.test_core.PageTest.test_some"));
        let named = changed(&format!("class OtherTest(unittest.TestCase):\n{other}"));
        assert!(named.is_moved("tests.test_core.OtherTest.test_up"));
        let added = changed(&format!("{OLD}\n{}", other.replace("test_up", "test_more")));
        assert!(!added.is_moved("tests.test_core.PageTest.test_more"));
    }

    #[test]
    fn a_test_whose_subject_is_gone_is_lost_with_it() {
        let product = Change::of_texts(
            "pager.py",
            Some("def pages(a, b):\n    return 1\n\ndef price(a):\n    return a\n"),
            Some("def price(a):\n    return a\n"),
        );
        let test = Change::of_texts("tests/test_core.py", Some(OLD), Some("import pager\n"));
        let both = ChangedTests::between(&[product, test], &[]);
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
        let both = ChangedTests::between(&[Change::of_texts("src/lib.rs", Some(&old), Some(&new))], &[]);
        assert!(matches!(both.fate("pager › tests::three"), Fate::Replaced(..)));
        assert!(!both.has_new_symbols());
    }

    #[test]
    fn thousands_of_lost_tests_are_compared_in_time() {
        const MANY: usize = 2_000;
        let file = |from: usize| -> String {
            let test = |number| format!("def test_{number}():\n    assert pages({number}) == {number}\n\n");
            (from..from + MANY).map(test).collect()
        };
        let change = Change::of_texts("tests/test_core.py", Some(&file(0)), Some(&file(MANY)));
        let both = ChangedTests::between(&[change], &[]);
        let is_replaced = |number: &usize| {
            let fate = both.fate(&format!("tests.test_core › test_{number}"));
            matches!(fate, Fate::Replaced(_, new) if new.len() == MOST_SIMILAR)
        };
        assert_eq!((0..MANY).filter(is_replaced).count(), MANY);
    }
}
