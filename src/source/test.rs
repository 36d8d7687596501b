//! The tests of a file: what each is called, what it asserts, what skips it.

use std::cell::LazyCell;
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use regex::Regex;

use crate::asked::{Ask, Asked, is_around};
use crate::assert::{Assert, bare};
use crate::language::Language;
use crate::outline::{Item, Mark, Outline};
use crate::pattern::pattern;
use crate::query::Capture;
use crate::{SourceFile, outermost};

/// One test.
#[derive(Debug, Clone)]
pub struct Test {
    /// The file that it stands in.
    pub path: Arc<str>,
    /// Its own name, as its runner prints it; the expression where the name is no literal.
    pub name: String,
    /// The modules, classes, groups and tests that it stands in, the outermost first.
    pub groups: Vec<String>,
    /// Where its name stands, from 1.
    pub line: usize,
    /// With its attributes, decorators and documentation, in bytes.
    pub range: Range<usize>,
    /// Its asserts in the order of the text, then those of the functions that it calls.
    pub asserts: Vec<Assert>,
    /// What skips it, or a group around it, or the whole file.
    pub skips: Vec<Skip>,
    /// So many statements under a condition leave it, or a round of a loop in it.
    pub exits: usize,
    /// So many leave what makes the tests of the groups around it.
    pub exits_around: usize,
    /// Its attributes or decorators, without documentation.
    pub attributes: Vec<String>,
    /// The texts and numbers that it is written with, those of the constants that it uses included.
    pub values: Vec<String>,
    /// The names that it uses.
    pub names: BTreeSet<String>,
    /// Its id with one separator for all that runners use, and in front.
    reported: String,
    /// What it says, without its name, whatever its form.
    pub(crate) normal: String,
    /// Its asserts, those of tests inside of it, too, and its calls of functions that assert, each with the part that is asked.
    demands: Vec<(Range<usize>, Range<usize>)>,
    node: Range<usize>,
    name_end: usize,
    file: Arc<SourceFile>,
    asked: OnceLock<Asked>,
    /// What fits each name that comes of its title, if that has values.
    title: OnceLock<Option<Regex>>,
}

/// Something that keeps a test from running or from counting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skip {
    /// What it does.
    pub kind: SkipKind,
    /// From 1.
    pub line: usize,
    /// In bytes.
    pub range: Range<usize>,
}

/// What a skip does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SkipKind {
    /// The test never runs.
    Unconditional,
    /// The test does not run under a condition, or some of its cases do not.
    Conditional,
    /// The test may fail.
    ExpectedFailure,
    /// Only this test runs; others do not.
    Only,
}

impl Test {
    /// Returns the name with its groups, as the runner writes it within its file: `tests::adds`, `TestSum::test_adds`,
    /// `sum > adds`, `TestSum/adds_two`.
    pub fn id(&self) -> String {
        id(&self.groups, &self.name, self.file.language)
    }

    /// Tells whether a name that a runner reported may be that of this test. Runners put modules, packages or files in
    /// front, and parameters behind.
    pub fn is_reported_as(&self, reported: &str) -> bool {
        let last = self.reported.rsplit('\n').next().unwrap_or_default();
        // Most of many names differ at their end.
        if !reported.ends_with(last) && !without_parameters(reported).ends_with(last) {
            return false;
        }
        let reported = format!("\n{}", parts(reported));
        [reported.as_str(), without_parameters(&reported)].iter().any(|name| {
            let front = name.strip_suffix(self.reported.as_str());
            front.is_some_and(|front| self.may_stand_behind(front.trim_start_matches('\n')))
        })
    }

    /// Tells whether what a runner put in front may be the file of the test; a test of its name may stand in others.
    fn may_stand_behind(&self, front: &str) -> bool {
        // Python names a package by its folder.
        let path = format!("\n{}", parts(&self.path).replace("\n__init__", ""));
        let is_file = |named: &str| {
            let named = format!("\n{named}");
            path.ends_with(&named) || named.ends_with(&path)
        };
        let last = front.rsplit('\n').next().unwrap_or_default();
        match self.file.language {
            Language::Python => {
                matches!(front, "" | "__main__") || is_file(front) || is_file(&format!("{front}\npy"))
            }
            Language::JavaScript | Language::TypeScript | Language::Tsx => {
                Language::of(&format!("x.{last}")).is_none() || is_file(front)
            }
            Language::Rust | Language::Go => true,
        }
    }

    /// Tells the same, also of a name that may come of a title with values in it: `counts ${total}`, `%i by %i`.
    pub fn may_be_reported_as(&self, reported: &str) -> bool {
        self.is_reported_as(reported) || self.reported.contains(['$', '%']) && self.fits_title(reported)
    }

    fn fits_title(&self, reported: &str) -> bool {
        let title = self.title.get_or_init(|| {
            let id = self.id();
            let literals: Vec<String> = pattern("value_in_title").split(&id).map(parts).collect();
            let has_words = literals.iter().any(|literal| literal.contains(char::is_alphanumeric));
            let literals: Vec<String> = literals.iter().map(|literal| regex::escape(literal)).collect();
            let title = format!("(?s)(?:^|\n){}$", literals.join(".*"));
            if literals.len() > 1 && has_words { Regex::new(&title).ok() } else { None }
        });
        title.as_ref().is_some_and(|title| title.is_match(&parts(reported)))
    }

    /// Returns its text.
    pub fn text(&self) -> &str {
        &self.file.text[self.range.clone()]
    }

    /// Returns how many asserts it makes, each case of a table counted that stands in the file.
    pub fn asserted(&self) -> usize {
        self.asks().iter().filter(|ask| ask.is_assert).count()
    }

    /// Returns as how many cases its runner reports it; nothing where its file does not tell.
    pub fn cases(&self) -> Option<usize> {
        self.asked().cases
    }

    /// Tells whether two tests say the same with the same values, whatever their names are.
    pub fn says_the_same(&self, other: &Self) -> bool {
        self.normal == other.normal && self.values == other.values
    }

    /// Tells whether it asserts anything.
    pub(crate) fn has_demands(&self) -> bool {
        !self.demands.is_empty()
    }

    /// Returns what it asks, whatever its form, in the order of the text.
    pub(crate) fn asks(&self) -> &[Ask] {
        &self.asked().asks
    }

    fn asked(&self) -> &Asked {
        let bindings = || self.file.bindings();
        let read = || bindings().asked(&self.file, &self.node, self.name_end, &self.demands);
        self.asked.get_or_init(read)
    }

    /// Returns the test as it would be if a name stood in place of others.
    #[must_use]
    pub fn with_name(&self, names: &BTreeSet<String>, name: &str) -> Self {
        let words = |text: &str| {
            let words = text.split(' ').map(|word| if names.contains(word) { name } else { word });
            words.collect::<Vec<_>>().join(" ")
        };
        let ask = |ask: &Ask| Ask { text: words(&ask.text), is_assert: ask.is_assert };
        let asked = Asked { asks: self.asks().iter().map(ask).collect(), cases: self.cases() };
        Self { asked: asked.into(), normal: words(&self.normal), ..self.clone() }
    }

    /// Tells whether it never runs.
    pub fn is_skipped(&self) -> bool {
        self.count(SkipKind::Unconditional) > 0
    }

    /// Returns how many skips of a kind it has.
    pub fn count(&self, kind: SkipKind) -> usize {
        self.skips.iter().filter(|skip| skip.kind == kind).count()
    }
}

fn id(groups: &[String], name: &str, language: Language) -> String {
    let names: Vec<&str> = groups.iter().map(String::as_str).chain([name]).collect();
    match language {
        Language::Rust | Language::Python => names.join("::"),
        Language::Go => names.join("/").replace(' ', "_"),
        Language::JavaScript | Language::TypeScript | Language::Tsx => names.join(" > "),
    }
}

/// Returns what a runner reported without the parameters behind it.
fn without_parameters(reported: &str) -> &str {
    reported.split('[').next().unwrap_or_default().trim_end()
}

/// Returns a name with one separator for all that runners use.
fn parts(name: &str) -> String {
    name.replace("::", "\n").replace(" > ", "\n").replace(" › ", "\n").replace(['/', '.'], "\n")
}

impl SourceFile {
    /// Returns the tests, in the order of the text.
    pub fn tests(self: &Arc<Self>) -> Vec<Test> {
        if !Self::may_have_tests(&self.path, &self.text) {
            return Vec::new();
        }
        let items = &self.outline().items;
        let tests = (0..items.len()).filter(|item| items[*item].is(Capture::Test));
        let reader = LazyCell::new(|| Reader::new(self));
        tests.map(|item| reader.test(item)).collect()
    }

    /// Returns the values that a range is written with, without their quotation marks.
    pub fn values_in(&self, range: &Range<usize>) -> Vec<String> {
        let values = self.marks_in(range).filter(|mark| mark.capture == Capture::Value);
        let values = outermost(values.map(|mark| self.part(mark.range.clone())));
        values.iter().map(|value| bare(value.text)).collect()
    }

    /// Returns the functions that are no tests, each as if it was one: what it asserts, and how that is reached.
    pub fn helpers(self: &Arc<Self>) -> Vec<Test> {
        let reader = Reader::new(self);
        let functions = (0..reader.outline.items.len()).filter(|item| reader.is_helper(*item));
        functions.map(|function| reader.test(function)).collect()
    }
}

/// What stands in each item of a file.
struct Reader<'f> {
    file: &'f Arc<SourceFile>,
    outline: &'f Outline,
    /// By the test or else the function that they stand in, or else the item; asserts that stand in others left out.
    marks: HashMap<(usize, Capture), Vec<&'f Mark>>,
    /// By item, or by file.
    skips: HashMap<Option<usize>, Vec<Skip>>,
    /// Functions that are no tests.
    functions: HashMap<&'f str, Vec<usize>>,
    /// The values that the file gives a name, such as a table of cases.
    constants: Vec<(&'f str, Vec<String>)>,
}

impl<'f> Reader<'f> {
    fn new(file: &'f Arc<SourceFile>) -> Self {
        let outline = file.outline();
        let (marks, skips, functions) = Default::default();
        let constants = file.constants().into_iter();
        let constants = constants.map(|(name, part)| (name, file.values_in(&part.range))).collect();
        let mut reader = Self { file, outline, marks, skips, functions, constants };
        for index in 0..outline.items.len() {
            if reader.is_helper(index) {
                reader.functions.entry(outline.items[index].name.as_str()).or_default().push(index);
            }
        }
        outline.marks.iter().for_each(|mark| reader.place(mark));
        reader
    }

    fn is_function(&self, index: usize) -> bool {
        let item = &self.outline.items[index];
        item.is(Capture::Function) || item.is(Capture::Macro)
    }

    fn is_test(&self, index: usize) -> bool {
        self.outline.items[index].is(Capture::Test)
    }

    fn is_helper(&self, index: usize) -> bool {
        self.is_function(index) && !self.is_test(index)
    }

    fn place(&mut self, mark: &'f Mark) {
        if !matches!(mark.capture, Capture::Assert | Capture::Call | Capture::Condition | Capture::Exit) {
            return self.place_skip(mark);
        }
        let around = || self.outline.around(mark.owner);
        let code = around()
            .find(|item| self.is_test(*item) || self.outline.is_never_called(*item, &self.file.text))
            .or_else(|| around().find(|item| self.is_function(*item)));
        let Some(owner) = code.or(mark.owner) else { return };
        let others = self.marks.entry((owner, mark.capture)).or_default();
        let is_inside = |last: &&Mark| mark.range.end <= last.range.end;
        if mark.capture != Capture::Assert || !others.last().is_some_and(is_inside) {
            others.push(mark);
        }
    }

    fn place_skip(&mut self, mark: &'f Mark) {
        let kind = match mark.capture {
            Capture::Skip => SkipKind::Unconditional,
            Capture::SkipConditional => SkipKind::Conditional,
            Capture::ExpectedFailure => SkipKind::ExpectedFailure,
            Capture::Only => SkipKind::Only,
            Capture::SkipStatement if self.is_reached(mark) => SkipKind::Unconditional,
            _ => return,
        };
        let owners = [Capture::Group, Capture::Function, Capture::Test, Capture::Setup];
        let is_owner = |item: &usize| owners.iter().any(|kind| self.outline.items[*item].is(*kind));
        // The attribute of something else keeps no test from running.
        let is_in_front = |item: usize| mark.range.end <= self.outline.items[item].node.start;
        if mark.owner.is_some_and(|item| !is_owner(&item) && is_in_front(item)) {
            return;
        }
        let mut owner = self.outline.around(mark.owner).find(is_owner);
        if let Some(setup) = owner.filter(|owner| self.outline.items[*owner].is(Capture::Setup)) {
            owner = self.outline.around(self.outline.items[setup].parent).find(is_owner);
        }
        let others = self.skips.entry(owner).or_default();
        let is_only = |kind| kind == SkipKind::Only;
        let known = others.iter_mut().find(|other| is_around(&other.range, &mark.range));
        match known.filter(|known| is_only(known.kind) == is_only(kind)) {
            Some(known) if kind == SkipKind::Unconditional => known.kind = kind,
            Some(_) => {}
            None => {
                others.push(Skip { kind, line: self.file.line(mark.range.start), range: mark.range.clone() });
            }
        }
    }

    /// Tells whether a statement on the first level of a function is reached whatever holds.
    fn is_reached(&self, mark: &Mark) -> bool {
        let owner = mark.owner.map(|owner| &self.outline.items[owner]);
        let whole = owner.map_or(0..self.file.text.len(), |owner| owner.node.clone());
        let is_own = match (&mark.of, owner) {
            (Some(of), Some(owner)) => *of == owner.node,
            (of, _) => of.is_some(),
        };
        is_own
            && !self.file.text[whole.start..mark.range.start]
                .split(|c: char| !c.is_alphanumeric())
                .any(|word| word == "return")
    }

    fn marks(&self, index: usize, capture: Capture) -> impl Iterator<Item = &'f Mark> {
        self.marks.get(&(index, capture)).into_iter().flatten().copied()
    }

    fn test(&self, index: usize) -> Test {
        let item = &self.outline.items[index];
        let is_group = |outer: usize| self.outline.items[outer].is(Capture::Group) || self.is_test(outer);
        let groups = self.outline.groups(index, is_group);
        let around = self
            .outline
            .around(item.parent)
            .filter(|outer| !self.is_function(*outer) && !self.is_test(*outer));
        let owners = self.outline.around(Some(index)).map(Some).chain([None]);
        let helpers = self.helpers(index);
        let names: BTreeSet<String> = self.file.names(&item.range).into_iter().map(str::to_owned).collect();
        Test {
            path: self.file.path.clone(),
            name: item.name.clone(),
            reported: format!("\n{}", parts(&id(&groups, &item.name, self.file.language))),
            groups,
            line: self.file.line(item.name_range.start),
            range: item.range.clone(),
            asserts: [index].iter().chain(&helpers).flat_map(|code| self.asserts_of(*code)).collect(),
            skips: owners.filter_map(|owner| self.skips.get(&owner)).flatten().cloned().collect(),
            exits: self.marks(index, Capture::Exit).count(),
            exits_around: around.map(|outer| self.marks(outer, Capture::Exit).count()).sum(),
            attributes: self.attributes_of(item),
            values: self.values_of(&item.range, &names),
            names,
            normal: self.file.normal(&item.range, &item.name_range),
            demands: self.demands(index),
            node: item.node.clone(),
            name_end: item.name_range.end,
            file: self.file.clone(),
            asked: OnceLock::new(),
            title: OnceLock::new(),
        }
    }

    fn asserts_of(&self, index: usize) -> impl Iterator<Item = Assert> {
        let marks = self.marks(index, Capture::Assert);
        marks.map(move |mark| Assert::of(self.file, mark, self.conditions_of(index, &mark.range)))
    }

    fn values_of(&self, range: &Range<usize>, names: &BTreeSet<String>) -> Vec<String> {
        let own = self.file.values_in(range).into_iter();
        let used = self.constants.iter().filter(|(name, _)| names.contains(*name));
        own.chain(used.flat_map(|(_, values)| values.clone())).collect()
    }

    fn conditions_of(&self, index: usize, inner: &Range<usize>) -> usize {
        self.marks(index, Capture::Condition)
            .map(|mark| &mark.range)
            .filter(|outer| *outer != inner && is_around(outer, inner))
            .count()
    }

    /// Returns the functions with asserts that a test calls, directly or by another function.
    fn helpers(&self, index: usize) -> BTreeSet<usize> {
        let own = &self.outline.items[index].range;
        let is_outside = |function: &usize| {
            let range = &self.outline.items[*function].range;
            range.end <= own.start || range.start >= own.end
        };
        let called = |caller: usize| self.marks(caller, Capture::Call).flat_map(|call| self.called(call));
        let mut functions: BTreeSet<usize> = called(index).collect();
        functions.extend(functions.clone().into_iter().flat_map(called));
        functions.retain(|function| is_outside(function) && self.has_asserts(*function));
        functions
    }

    /// Returns the functions that a call may mean.
    fn called(&self, call: &Mark) -> impl Iterator<Item = usize> {
        self.functions.get(&self.file.text[call.range.clone()]).into_iter().flatten().copied()
    }

    fn has_asserts(&self, function: usize) -> bool {
        self.marks(function, Capture::Assert).next().is_some()
    }

    fn attributes_of(&self, item: &Item) -> Vec<String> {
        let front = item.range.start..item.node.start;
        let marks = self.file.marks_in(&front).filter(|mark| mark.capture == Capture::Attribute);
        let attributes = marks.map(|mark| self.file.normal(&mark.range, &(mark.range.end..mark.range.end)));
        attributes.filter(|text| text.starts_with(['@', '#'])).collect()
    }

    /// Returns its asserts, and its calls of functions that assert; those of tests inside of it, too.
    fn demands(&self, index: usize) -> Vec<(Range<usize>, Range<usize>)> {
        let items = &self.outline.items;
        let inside =
            (index..items.len()).take_while(|inner| items[*inner].range.start < items[index].range.end);
        let code: Vec<usize> = inside.filter(|inner| *inner == index || self.is_test(*inner)).collect();
        let asserts = code.iter().flat_map(|code| self.marks(*code, Capture::Assert));
        let asked = |mark: &Mark| mark.of.as_ref().unwrap_or(&mark.range).clone();
        let mut demands: Vec<_> = asserts.map(|mark| (mark.range.clone(), asked(mark))).collect();
        let asserts = |function| self.has_asserts(function) || !self.helpers(function).is_empty();
        for call in code.iter().flat_map(|code| self.marks(*code, Capture::Call)) {
            let range = call.range.start..asked(call).end;
            let is_new = || !demands.iter().any(|(other, _)| other.contains(&range.start));
            if self.called(call).any(asserts) && is_new() {
                demands.push((range.clone(), range));
            }
        }
        demands.sort_by_key(|(range, _)| range.start);
        demands
    }
}

#[cfg(test)]
mod tests;
