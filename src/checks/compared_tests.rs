//! The tests of the changed files, before and now, as their sources say: which test is which, and which are gone or new. For
//! languages with a grammar; tests of others show in the results of the suite alone.

mod assert;

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use self::assert::values_in;
pub(super) use self::assert::{ComparedAssert, Token};
use super::changed_file::ChangedFile;
use super::{Site, side_by_side};
use model::change::Change;
use source::{Language, Matching, Part, Role, SourceFile, Test, is_fixture, is_test, same_tests};

/// A test, or a function of the tests that asserts.
#[derive(Debug)]
pub(super) struct ComparedTest {
    pub(super) test: Test,
    /// Its asserts, those of the functions that it calls included.
    pub(super) asserts: Vec<ComparedAssert>,
    /// The texts and numbers that it is written with.
    pub(super) values: Vec<String>,
    /// The names that it uses.
    names: BTreeSet<String>,
}

impl ComparedTest {
    /// Tells whether it uses a name, or a part of a path such as `pages.count`.
    pub(super) fn uses(&self, name: &str) -> bool {
        name.split('.').any(|part| self.names.contains(part))
    }
}

/// The tests of the changed files, before and now.
#[derive(Debug, Default)]
pub(super) struct ComparedTests {
    old: Vec<ComparedTest>,
    new: Vec<ComparedTest>,
    matching: Matching,
    /// Functions that tests call and that assert, of before and of now, by place and name.
    functions: Vec<(ComparedTest, ComparedTest)>,
    /// Names of functions, types and classes of the product that changed files defined, and that none of them defines any more.
    gone: BTreeSet<String>,
    /// Those that changed files define now.
    defined: BTreeSet<String>,
}

impl ComparedTests {
    /// Returns the tests of the changed files that nobody allowed to change freely.
    pub(super) fn of<'s>(site: &'s Site<'_>) -> &'s Self {
        site.read.compared.get_or_init(|| Self::read(site))
    }

    fn read(site: &Site<'_>) -> Self {
        let files = ChangedFile::judged(site);
        let mut compared = Self::default();
        for file in side_by_side::each(&files, ReadFile::of) {
            let [old, new] = file.tests;
            compared.old.extend(old);
            compared.new.extend(new);
            compared.functions.extend(file.functions);
        }
        let [old, new] =
            [&compared.old, &compared.new].map(|all| all.iter().map(|one| &one.test).collect::<Vec<_>>());
        compared.matching = same_tests(&old, &new, &[]);
        if !compared.matching.lost.is_empty() || !compared.matching.added.is_empty() {
            compared.read_product(&files);
        }
        compared
    }

    fn read_product(&mut self, files: &[ChangedFile<'_>]) {
        let of = |side: Option<&SourceFile>| side.map_or_else(BTreeSet::new, defined);
        let defined = side_by_side::each(files, |file| match Role::of(file.path()) {
            Role::Product => [of(file.before()), of(file.now())],
            _ => Default::default(),
        });
        let (before, now): (Vec<_>, Vec<_>) = defined.into_iter().map(|[before, now]| (before, now)).unzip();
        self.defined = now.into_iter().flatten().collect();
        self.gone = before.into_iter().flatten().filter(|name| !self.defined.contains(name)).collect();
    }

    /// Returns each test of before that is there still, with what it is now: several where it was split.
    pub(super) fn kept(&self) -> impl Iterator<Item = (&ComparedTest, Vec<&ComparedTest>)> {
        let new = |indices: &[usize]| indices.iter().map(|index| &self.new[*index]).collect();
        self.matching.kept.iter().map(move |kept| (&self.old[kept.old], new(&kept.new)))
    }

    /// Returns the tests of before that are there still, by their files.
    pub(super) fn kept_by_file(&self) -> BTreeMap<&str, Vec<&ComparedTest>> {
        let mut files: BTreeMap<&str, Vec<&ComparedTest>> = BTreeMap::new();
        for old in self.matching.kept.iter().map(|kept| &self.old[kept.old]) {
            files.entry(&old.test.path).or_default().push(old);
        }
        files
    }

    /// Returns the functions of the tests that assert and that kept their name, before and now.
    pub(super) fn functions(&self) -> impl Iterator<Item = (&ComparedTest, &ComparedTest)> {
        self.functions.iter().map(|(old, new)| (old, new))
    }

    /// Returns the tests of before that are gone.
    pub(super) fn lost(&self) -> impl Iterator<Item = &ComparedTest> {
        self.matching.lost.iter().map(|index| &self.old[*index])
    }

    /// Returns the tests that are none of before.
    pub(super) fn added(&self) -> impl Iterator<Item = &ComparedTest> {
        self.matching.added.iter().map(|index| &self.new[*index])
    }

    /// Tells whether a test uses something that the changed files of the product define.
    pub(super) fn uses_the_product(&self, test: &ComparedTest) -> bool {
        !self.defined.is_disjoint(&test.names)
    }

    /// Returns the asserts of all tests, those of before and those of now.
    pub(super) fn asserts(&self) -> impl Iterator<Item = &ComparedAssert> {
        self.old.iter().chain(&self.new).flat_map(|test| &test.asserts)
    }

    /// Returns all tests of now.
    pub(super) fn new_tests(&self) -> impl Iterator<Item = &ComparedTest> {
        self.new.iter()
    }

    /// Tells whether the issue names a test that went, or what it is about and what went with it.
    pub(super) fn is_asked_to_go(&self, test: &ComparedTest, site: &Site<'_>) -> bool {
        let names = |name: &str| site.issue.names(name);
        names(&test.test.name) || self.gone_subject(test).is_some_and(names)
    }

    /// Returns a name that a test uses and that the product no longer defines.
    fn gone_subject<'t>(&'t self, test: &'t ComparedTest) -> Option<&'t str> {
        self.gone.intersection(&test.names).next().map(String::as_str)
    }
}

/// What one changed file holds, before and now.
#[derive(Default)]
struct ReadFile {
    tests: [Vec<ComparedTest>; 2],
    functions: Vec<(ComparedTest, ComparedTest)>,
}

impl ReadFile {
    /// Rust has tests beside its code, and vitest may.
    fn of(file: &ChangedFile<'_>) -> Self {
        let path = file.path();
        let of_tests = is_test(path);
        let mut texts = [file.change.old_text(), file.change.new_text()].into_iter().flatten();
        let holds = of_tests
            || texts.any(|text| text.contains("test]") || text.contains("(test") || text.contains("vitest"));
        if is_fixture(path) || !holds {
            return Self::default();
        }
        let sides = [file.before(), file.now()];
        let by_id = sides.map(|side| side.map_or_else(Vec::new, SourceFile::tests_by_id));
        let ids = |tests: &[Test]| tests.iter().map(Test::id).collect::<BTreeSet<String>>();
        let [old, new] = if ids(&by_id[0]) == ids(&by_id[1]) {
            by_id
        } else {
            sides.map(|side| side.map_or_else(Vec::new, SourceFile::tests))
        };
        let tests = |side: Option<&SourceFile>, tests| side.map_or_else(Vec::new, |file| all(file, tests));
        Self {
            tests: [tests(sides[0], old), tests(sides[1], new)],
            functions: if of_tests { functions(file).unwrap_or_default() } else { Vec::new() },
        }
    }
}

fn all(file: &SourceFile, tests: Vec<Test>) -> Vec<ComparedTest> {
    let values = if tests.is_empty() { Vec::new() } else { file.values() };
    let constants: Vec<(&str, Vec<String>)> =
        if tests.is_empty() { Vec::new() } else { constants(file, &values) };
    let compared = |test: Test| {
        let names: BTreeSet<String> = file.names(&test.range).into_iter().map(str::to_owned).collect();
        let used =
            constants.iter().filter(|(name, _)| names.contains(*name)).flat_map(|(_, values)| values.clone());
        ComparedTest {
            asserts: test.asserts.iter().map(|assert| ComparedAssert::of(file, assert, &values)).collect(),
            values: values_in(&test.range, &values).into_iter().chain(used).collect(),
            names,
            test,
        }
    };
    tests.into_iter().map(compared).collect()
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

fn functions(file: &ChangedFile<'_>) -> Option<Vec<(ComparedTest, ComparedTest)>> {
    let (before, now) = (file.before()?, file.now()?);
    let mut old = before.helpers();
    old.retain(|helper| !helper.asserts.is_empty());
    // In objects many functions may have one name.
    let mut new: HashMap<String, VecDeque<ComparedTest>> = HashMap::new();
    for helper in all(now, now.helpers()) {
        new.entry(helper.test.id()).or_default().push_back(helper);
    }
    let pairs = all(before, old).into_iter().filter_map(|old| {
        let now = new.get_mut(&old.test.id())?.pop_front()?;
        Some((old, now))
    });
    Some(pairs.collect())
}

fn defined(file: &SourceFile) -> BTreeSet<String> {
    let functions = file.functions();
    let parts = functions.iter().flat_map(|function| function.name.split([':', '.']));
    let constants = file.constants();
    let constants = constants.iter().filter_map(|constant| name_of(constant.text));
    parts.chain(constants).filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

/// Tells whether a file has a test with such a name. Where its language is not understood, any word is taken for one.
pub(super) fn has_test(path: &str, text: &str, is_meant: impl Fn(&str) -> bool) -> bool {
    match SourceFile::parse(path, text) {
        Some(file) => file.tests().iter().any(|test| is_meant(&test.name)),
        None => is_test(path) && text.split(|c: char| !c.is_alphanumeric() && c != '_').any(is_meant),
    }
}

/// Tells whether a change brings a test or changes one; nothing where the tests of its language cannot be told.
pub(super) fn brings_a_test(change: &Change) -> Option<bool> {
    Language::of(&change.path)?;
    let texts = |text: Option<&str>| -> BTreeSet<String> {
        let file = text.and_then(|text| SourceFile::parse(&change.path, text));
        let tests = file
            .iter()
            .flat_map(|file| file.tests().into_iter().map(|test| file.text()[test.range].to_owned()));
        tests.collect()
    };
    let known = texts(change.old_text());
    Some(texts(change.new_text()).iter().any(|text| !known.contains(text)))
}
