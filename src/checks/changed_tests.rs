//! The tests of changed files, before and now, as their sources say: which test is which, under which name, which are new, and
//! what stands in place of those that are gone. For languages that `source` has a grammar of; tests of others show in the
//! results of the suite alone.

mod assert;

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::OnceLock;

use self::assert::values_in;
pub(super) use self::assert::{ComparedAssert, Token};
use super::changed_file::{ChangedFile, ReadSides};
use super::{Published, Site, side_by_side};
use model::change::Change;
use model::issue::Issue;
use source::{
    Function, Matching, Part, Role, SkipKind, SourceFile, Test, is_asked_by, is_fixture, is_test, same_tests,
};

/// Stands in place of a symbol that was renamed.
const RENAMED: &str = "renamed";
/// More tests in place of one are not told.
const MOST_SIMILAR: usize = 3;

/// A test, or a function of the tests that asserts.
#[derive(Debug)]
pub(super) struct ChangedTest {
    pub(super) test: Test,
    pub(super) text: String,
    /// Its asserts, those of the functions that it calls included.
    pub(super) asserts: Vec<ComparedAssert>,
    /// The texts and numbers that it is written with.
    pub(super) values: Vec<String>,
    /// The names that it uses.
    names: BTreeSet<String>,
}

impl ChangedTest {
    /// Tells whether it uses a name, or a part of a path such as `pages.count`.
    pub(super) fn uses(&self, name: &str) -> bool {
        name.split('.').any(|part| self.names.contains(part))
    }

    /// Tells whether a runner may have reported the test by this id.
    pub(super) fn is_reported_as(&self, id: &str) -> bool {
        self.test.is_reported_as(id) || self.test.may_be_reported_as(id)
    }
}

/// What became of one test of the base.
#[derive(Debug)]
pub(super) enum Fate<'t> {
    /// The same test is there, or several that ask the same.
    Kept(&'t ChangedTest, Vec<&'t ChangedTest>),
    /// It is not there, and neither is this symbol, which it used.
    LostWith(&'t str),
    /// Nothing asks all that it asked. These are new or changed, and ask about the same.
    Replaced(&'t ChangedTest, Vec<&'t ChangedTest>),
    Lost,
    /// No changed source has it: its file is as it was, or is not understood.
    Unknown,
}

/// The tests of changed files, before and now.
#[derive(Debug, Default)]
pub(super) struct ChangedTests {
    old: Vec<ChangedTest>,
    new: Vec<ChangedTest>,
    matching: Matching,
    /// Functions that tests call and that assert, of before and of now, by place and name.
    functions: Vec<(ChangedTest, ChangedTest)>,
    /// What the changed files of the product defined, and define now.
    before: Symbols,
    now: Symbols,
    /// Names of functions, types and classes that none of them defines any more, and that none of them defined.
    gone: BTreeSet<String>,
    arrived: BTreeSet<String>,
    /// Names that they used, and that none of them uses any more; those of options and fields, too.
    unused: BTreeSet<String>,
    /// The paths of files that are gone.
    removed: Vec<String>,
    /// The tests that are new or changed, by what they call.
    about: OnceLock<HashMap<String, Vec<usize>>>,
}

impl ChangedTests {
    /// Returns the tests of the changed files of a phase that nobody allowed to change freely.
    pub(super) fn of_phase<'s>(site: &'s Site<'_>) -> &'s Self {
        let read = || Self::read(&ChangedFile::judged(site), ReadFile::of_phase);
        site.read.tests_of_phase.get_or_init(read)
    }

    /// Returns the tests of what a run changed since its base; an error where git cannot say what that is.
    pub(super) fn of_run<'s>(site: &'s Site<'_>, published: &Published<'_>) -> Result<&'s Self, &'s str> {
        let read = || {
            let changes = published.space.workspace().changes();
            let changes = changes.all_between(&published.base.as_tree(), &published.tree);
            changes.map(|changes| Self::between(&changes)).map_err(|error| error.to_string())
        };
        site.read.tests_of_run.get_or_init(read).as_ref().map_err(String::as_str)
    }

    pub(super) fn between(changes: &[Change]) -> Self {
        let read: Vec<ReadSides> = changes.iter().map(|_| ReadSides::default()).collect();
        Self::read(&ChangedFile::each(changes, &read).collect::<Vec<_>>(), ReadFile::of_run)
    }

    fn read(files: &[ChangedFile<'_>], read: fn(&ChangedFile<'_>) -> ReadFile) -> Self {
        let removed = files.iter().filter(|file| file.change.is_deleted());
        let removed = removed.map(|file| file.path().to_owned()).collect();
        let mut tests = Self { removed, ..Self::default() };
        for file in side_by_side::each(files, read) {
            let [old, new] = file.tests;
            tests.old.extend(old);
            tests.new.extend(new);
            tests.functions.extend(file.functions);
        }
        tests.matching = same_tests(&plain(&tests.old), &plain(&tests.new));
        let asks_as_before = tests.kept().all(|(old, new)| is_asked_by(&old.test, &plain(new)));
        if !tests.matching.lost.is_empty() || !tests.matching.added.is_empty() || !asks_as_before {
            tests.read_symbols(files);
            tests.find_renamed();
        }
        tests
    }

    fn read_symbols(&mut self, files: &[ChangedFile<'_>]) {
        let product: Vec<&ChangedFile<'_>> = files.iter().filter(|file| !is_test(file.path())).collect();
        for [before, now] in side_by_side::each(&product, |file| [file.before(), file.now()].map(Symbols::of))
        {
            self.before.extend(before);
            self.now.extend(now);
        }
        if !self.matching.lost.is_empty() {
            let names = side_by_side::each(&product, |file| [file.before(), file.now()].map(names));
            let (before, now): (Vec<_>, Vec<_>) =
                names.into_iter().map(|[before, now]| (before, now)).unzip();
            let now: BTreeSet<String> = now.into_iter().flatten().collect();
            self.unused = before.into_iter().flatten().filter(|name| !now.contains(name)).collect();
        }
        self.gone = &self.before.functions - &self.now.functions;
        self.arrived = &self.now.functions - &self.before.functions;
    }

    /// Tests that are not found as they are may use a symbol that has another name now.
    fn find_renamed(&mut self) {
        if self.matching.lost.is_empty() || self.gone.is_empty() || self.arrived.is_empty() {
            return;
        }
        let renamed = |tests: &[ChangedTest], names: &BTreeSet<String>| -> Vec<Test> {
            tests.iter().map(|read| read.test.with_name(names, RENAMED)).collect()
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
    pub(super) fn kept(&self) -> impl Iterator<Item = (&ChangedTest, Vec<&ChangedTest>)> {
        let new = |indices: &[usize]| indices.iter().map(|index| &self.new[*index]).collect();
        self.matching.kept.iter().map(move |kept| (&self.old[kept.old], new(&kept.new)))
    }

    /// Returns the tests of before that are there still, by their files.
    pub(super) fn kept_by_file(&self) -> BTreeMap<&str, Vec<&ChangedTest>> {
        let mut files: BTreeMap<&str, Vec<&ChangedTest>> = BTreeMap::new();
        for old in self.matching.kept.iter().map(|kept| &self.old[kept.old]) {
            files.entry(&old.test.path).or_default().push(old);
        }
        files
    }

    /// Returns the functions of the tests that assert and that kept their name, before and now.
    pub(super) fn functions(&self) -> impl Iterator<Item = (&ChangedTest, &ChangedTest)> {
        self.functions.iter().map(|(old, new)| (old, new))
    }

    /// Returns the tests of before that are gone.
    pub(super) fn lost(&self) -> impl Iterator<Item = &ChangedTest> {
        self.matching.lost.iter().map(|index| &self.old[*index])
    }

    /// Returns the tests that are none of before.
    pub(super) fn added(&self) -> impl Iterator<Item = &ChangedTest> {
        self.matching.added.iter().map(|index| &self.new[*index])
    }

    /// Returns all tests of now.
    pub(super) fn new_tests(&self) -> impl Iterator<Item = &ChangedTest> {
        self.new.iter()
    }

    /// Returns the asserts of all tests, those of before and those of now.
    pub(super) fn asserts(&self) -> impl Iterator<Item = &ComparedAssert> {
        self.old.iter().chain(&self.new).flat_map(|test| &test.asserts)
    }

    /// Tells whether a test uses something that the changed files of the product define, or stands beside it.
    pub(super) fn uses_the_product(&self, test: &ChangedTest) -> bool {
        let is_defined =
            |name: &String| self.now.functions.contains(name) || self.now.constants.contains(name);
        Role::of(&test.test.path) == Role::Product || test.names.iter().any(is_defined)
    }

    /// Tells whether the issue names a test that went, or what it is about and what went with it.
    pub(super) fn is_asked_to_go(&self, test: &ChangedTest, issue: &Issue) -> bool {
        let is_gone = |name: &&String| {
            let was_constant = self.before.constants.contains(*name) && !self.now.constants.contains(*name);
            self.gone.contains(*name) || was_constant || self.unused.contains(*name)
        };
        issue.names(&test.test.name) || test.names.iter().filter(is_gone).any(|name| issue.names(name))
    }

    /// Tells whether files of tests were removed, each of them named by the issue or with its code.
    pub(super) fn removed_as_asked(&self, issue: &Issue) -> bool {
        let (tests, code): (Vec<&String>, Vec<&String>) = self.removed.iter().partition(|path| is_test(path));
        let code: BTreeSet<&str> = code.into_iter().map(|path| stem(path)).collect();
        !tests.is_empty()
            && tests.iter().map(|path| stem(path)).all(|stem| code.contains(stem) || issue.names(stem))
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
        if let Ok(kept) = self.matching.kept.binary_search_by_key(&index, |kept| kept.old) {
            let new = &self.matching.kept[kept].new;
            let new: Vec<&ChangedTest> = new.iter().map(|index| &self.new[*index]).collect();
            return if self.asks_all(old, &new) { Fate::Kept(old, new) } else { Fate::Replaced(old, new) };
        }
        if let Some(name) = self.gone.intersection(&old.names).next() {
            return Fate::LostWith(name);
        }
        let similar = self.similar(old);
        if similar.is_empty() { Fate::Lost } else { Fate::Replaced(old, similar) }
    }

    /// Tells whether a test only lost the mark that it is expected to fail.
    pub(super) fn is_expected_to_pass_now(&self, id: &str) -> bool {
        let may_fail = |read: &ChangedTest| read.test.has(SkipKind::ExpectedFailure);
        match self.fate(id) {
            Fate::Kept(old, new) => {
                may_fail(old) && !new.iter().any(|new| may_fail(new)) && is_asked_by(&old.test, &plain(new))
            }
            _ => false,
        }
    }

    /// Tells whether tests ask what the old one asked, symbols that were renamed apart.
    fn asks_all(&self, old: &ChangedTest, new: &[&ChangedTest]) -> bool {
        let renamed = || {
            let new: Vec<Test> = new.iter().map(|new| new.test.with_name(&self.arrived, RENAMED)).collect();
            is_asked_by(&old.test.with_name(&self.gone, RENAMED), &new.iter().collect::<Vec<_>>())
        };
        is_asked_by(&old.test, &plain(new.iter().copied())) || renamed()
    }

    /// Returns tests that are new, or whose text changed, and that ask about the same; those of its file first.
    fn similar(&self, old: &ChangedTest) -> Vec<&ChangedTest> {
        let about = self.about.get_or_init(|| self.changed_by_subject());
        let subjects = old.test.subjects();
        let all = || subjects.iter().filter_map(|subject| about.get(*subject)).flatten();
        let is_beside = |index: &&usize| self.new[**index].test.path == old.test.path;
        let mut similar: Vec<&usize> = Vec::new();
        for index in all().filter(is_beside).chain(all().filter(|index| !is_beside(index))) {
            if similar.len() == MOST_SIMILAR {
                break;
            }
            if !similar.contains(&index) {
                similar.push(index);
            }
        }
        similar.into_iter().map(|index| &self.new[*index]).collect()
    }

    fn changed_by_subject(&self) -> HashMap<String, Vec<usize>> {
        let is_other = |old: usize, new: &&usize| !self.old[old].test.says_the_same(&self.new[**new].test);
        let kept = self.matching.kept.iter();
        let changed = kept.flat_map(|kept| kept.new.iter().filter(|new| is_other(kept.old, new)));
        let changed: BTreeSet<usize> = changed.chain(&self.matching.added).copied().collect();
        let mut about: HashMap<String, Vec<usize>> = HashMap::new();
        for index in changed {
            for subject in self.new[index].test.subjects() {
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

fn plain<'t>(read: impl IntoIterator<Item = &'t ChangedTest>) -> Vec<&'t Test> {
    read.into_iter().map(|read| &read.test).collect()
}

/// What one changed file holds, before and now.
#[derive(Default)]
struct ReadFile {
    tests: [Vec<ChangedTest>; 2],
    functions: Vec<(ChangedTest, ChangedTest)>,
}

impl ReadFile {
    fn of_run(file: &ChangedFile<'_>) -> Self {
        let tests = |side: Option<&SourceFile>| side.map_or_else(Vec::new, |file| read(file, file.tests()));
        Self { tests: [file.before(), file.now()].map(tests), functions: Vec::new() }
    }

    /// Rust has tests beside its code, and vitest may.
    fn of_phase(file: &ChangedFile<'_>) -> Self {
        let of_tests = is_test(file.path());
        let mut texts = [file.change.old_text(), file.change.new_text()].into_iter().flatten();
        let holds = of_tests
            || texts.any(|text| text.contains("test]") || text.contains("(test") || text.contains("vitest"));
        if is_fixture(file.path()) || !holds {
            return Self::default();
        }
        let sides = [file.before(), file.now()];
        let by_id = sides.map(|side| side.map_or_else(Vec::new, SourceFile::tests_by_id));
        let ids = |tests: &[Test]| tests.iter().map(Test::id).collect::<BTreeSet<String>>();
        let functions = if of_tests { functions(file).unwrap_or_default() } else { Vec::new() };
        if ids(&by_id[0]) != ids(&by_id[1]) {
            return Self { functions, ..Self::of_run(file) };
        }
        let [old, new] = by_id;
        let tests = |side: Option<&SourceFile>, tests| side.map_or_else(Vec::new, |file| read(file, tests));
        let tests = [tests(sides[0], old), tests(sides[1], new)];
        // Whether cases are gone is seen in what each test asks.
        if has_fewer_values(&tests) {
            Self { functions, ..Self::of_run(file) }
        } else {
            Self { tests, functions }
        }
    }
}

/// Tells whether a test is written with fewer values than the one of its id was.
fn has_fewer_values([old, new]: &[Vec<ChangedTest>; 2]) -> bool {
    let new: HashMap<String, usize> = new.iter().map(|new| (new.test.id(), new.values.len())).collect();
    old.iter().any(|old| new.get(&old.test.id()).is_some_and(|now| *now < old.values.len()))
}

fn read(file: &SourceFile, tests: Vec<Test>) -> Vec<ChangedTest> {
    if tests.is_empty() {
        return Vec::new();
    }
    let values = file.values();
    let constants = constants(file, &values);
    let read = |test: Test| {
        let names: BTreeSet<String> = file.names(&test.range).into_iter().map(str::to_owned).collect();
        let used =
            constants.iter().filter(|(name, _)| names.contains(*name)).flat_map(|(_, values)| values.clone());
        ChangedTest {
            text: file.text()[test.range.clone()].to_owned(),
            asserts: test.asserts.iter().map(|assert| ComparedAssert::of(file, assert, &values)).collect(),
            values: values_in(&test.range, &values).into_iter().chain(used).collect(),
            names,
            test,
        }
    };
    tests.into_iter().map(read).collect()
}

/// Returns the values that the file gives a name, such as a table of cases.
fn constants<'f>(file: &'f SourceFile, values: &[Part<'_>]) -> Vec<(&'f str, Vec<String>)> {
    let constants = file.constants();
    constants.iter().filter_map(|part| Some((name_of(part.text)?, values_in(&part.range, values)))).collect()
}

/// Returns the name of a constant.
fn name_of(constant: &str) -> Option<&str> {
    let is_mark = |word: &&str| matches!(*word, "pub" | "const" | "static" | "mut" | "crate" | "");
    constant.split(|c: char| !c.is_alphanumeric() && c != '_').find(|word| !is_mark(word))
}

fn functions(file: &ChangedFile<'_>) -> Option<Vec<(ChangedTest, ChangedTest)>> {
    let (before, now) = (file.before()?, file.now()?);
    let mut old = before.helpers();
    old.retain(|helper| !helper.asserts.is_empty());
    // In objects many functions may have one name.
    let mut new: HashMap<String, VecDeque<ChangedTest>> = HashMap::new();
    for helper in read(now, now.helpers()) {
        new.entry(helper.test.id()).or_default().push_back(helper);
    }
    let pairs = read(before, old).into_iter().filter_map(|old| {
        let now = new.get_mut(&old.test.id())?.pop_front()?;
        Some((old, now))
    });
    Some(pairs.collect())
}

fn names(file: Option<&SourceFile>) -> BTreeSet<String> {
    let names = file.map_or_else(BTreeSet::new, |file| file.names(&(0..file.text().len())));
    names.into_iter().map(str::to_owned).collect()
}

/// The names that the product defines.
#[derive(Debug, Default)]
struct Symbols {
    /// Functions, and the types, classes and modules that they stand in.
    functions: BTreeSet<String>,
    constants: BTreeSet<String>,
}

impl Symbols {
    fn of(file: Option<&SourceFile>) -> Self {
        let Some(file) = file else { return Self::default() };
        // In a file of the product tests may stand, too, with functions that help them.
        let tests = file.tests_by_id();
        let outermost: BTreeSet<&String> =
            tests.iter().map(|test| test.groups.first().unwrap_or(&test.name)).collect();
        let is_of_tests = |function: &&Function| {
            let first = function.name.split([':', '.']).next().unwrap_or_default();
            outermost.contains(&first.to_owned())
        };
        let functions = file.functions();
        let parts = functions.iter().filter(|function| !is_of_tests(function));
        let parts =
            parts.flat_map(|function| function.name.split([':', '.'])).filter(|part| !part.is_empty());
        let constants = file.constants();
        let constants = constants.iter().filter_map(|constant| name_of(constant.text));
        Self {
            functions: parts.map(str::to_owned).collect(),
            constants: constants.map(str::to_owned).collect(),
        }
    }

    fn extend(&mut self, other: Self) {
        self.functions.extend(other.functions);
        self.constants.extend(other.constants);
    }
}

/// Tells whether a file has a test with such a name. Where its language is not understood, any word is taken for one.
pub(super) fn has_test(path: &str, text: &str, is_meant: impl Fn(&str) -> bool) -> bool {
    match SourceFile::parse(path, text) {
        Some(file) => file.tests_by_id().iter().any(|test| is_meant(&test.name)),
        None => is_test(path) && text.split(|c: char| !c.is_alphanumeric() && c != '_').any(is_meant),
    }
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
        assert_eq!(weaker.added().map(|read| read.test.name.as_str()).collect::<Vec<_>>(), ["test_some"]);
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

    #[test]
    fn thousands_of_lost_tests_are_compared_in_time() {
        const MANY: usize = 2_000;
        let file = |from: usize| -> String {
            let test = |number| format!("def test_{number}():\n    assert pages({number}) == {number}\n\n");
            (from..from + MANY).map(test).collect()
        };
        let change = Change::of_texts("tests/test_core.py", Some(&file(0)), Some(&file(MANY)));
        let both = ChangedTests::between(&[change]);
        let is_replaced = |number: &usize| {
            let fate = both.fate(&format!("tests.test_core › test_{number}"));
            matches!(fate, Fate::Replaced(_, new) if new.len() == MOST_SIMILAR)
        };
        assert_eq!((0..MANY).filter(is_replaced).count(), MANY);
    }
}
