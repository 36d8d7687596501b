//! The tests of a file: what each is called, what it asserts, what skips it.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::sync::Arc;

use crate::SourceFile;
use crate::asked::{Asked, Bindings};
use crate::language::Language;
use crate::outline::{Item, Mark, Outline};
use crate::query::Capture;

/// So many calls deep the asserts of a test are looked for.
const CALLS_DEEP: usize = 2;

/// One test.
#[derive(Debug, Clone, PartialEq, Eq)]
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
    /// Its attributes or decorators, without documentation.
    pub attributes: Vec<String>,
    /// Whether it is declared as a coroutine.
    pub is_async: bool,
    /// Its id with one separator for all that runners use.
    pub(crate) reported: String,
    /// What it says, without its name, whatever its form.
    pub(crate) normal: String,
    /// What it asks, whatever its form, in the order of the text.
    pub(crate) asks: Vec<String>,
    /// Whether it asserts anything.
    pub(crate) has_demands: bool,
    /// Which of them are asserts.
    pub(crate) is_assert: Vec<bool>,
    /// As how many cases its runner reports it; nothing where its file does not tell.
    pub(crate) cases: Option<usize>,
    language: Language,
}

/// One assert.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assert {
    /// Its tokens, separated by a space: the same whatever white space, comments and quotation marks there are.
    pub text: String,
    /// From 1.
    pub line: usize,
    /// In bytes.
    pub range: Range<usize>,
    /// The function of the same file that it stands in, where that is not the test.
    pub function: Option<String>,
    /// So many conditions and handlers of errors it stands in, within its function.
    pub conditions: usize,
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
        id(&self.groups, &self.name, self.language)
    }

    /// Tells whether a name that a runner reported may be that of this test. Runners put modules, packages or files in
    /// front, and parameters behind.
    pub fn is_reported_as(&self, reported: &str) -> bool {
        let last = self.reported.rsplit('\n').next().unwrap_or_default();
        // Most of many names differ at their end.
        if !reported.ends_with(last) && !without_parameters(reported).ends_with(last) {
            return false;
        }
        let reported = parts(reported);
        [reported.as_str(), without_parameters(&reported)].iter().any(|name| {
            let front = name.strip_suffix(self.reported.as_str()).and_then(|front| match front {
                "" => Some(front),
                _ => front.strip_suffix('\n'),
            });
            front.is_some_and(|front| self.may_stand_behind(front))
        })
    }

    /// Tells whether what a runner put in front may be the file of the test; a test of its name may stand in others.
    fn may_stand_behind(&self, front: &str) -> bool {
        let path = parts(&self.path);
        let is_file = |named: &str| path.ends_with(named) || named.ends_with(&path);
        let (before, last) = front.rsplit_once('\n').unwrap_or(("", front));
        match self.language {
            Language::Python => {
                let module = if last == "py" { before } else { front };
                let module = module.rsplit('\n').next().unwrap_or_default();
                let mut folders = path.rsplit('\n').skip(1).filter(|part| *part != "__init__");
                module.is_empty() || module == "__main__" || folders.next() == Some(module)
            }
            Language::JavaScript | Language::TypeScript | Language::Tsx => {
                Language::of(&format!("x.{last}")).is_none() || is_file(front)
            }
            Language::Rust | Language::Go => true,
        }
    }

    /// Tells whether a name that a runner reported may come of a title with values in it: `counts ${total}`, `%i by %i`.
    pub fn may_be_reported_as(&self, reported: &str) -> bool {
        if !self.reported.contains(['$', '%']) {
            return false;
        }
        let literals = literals(&self.id());
        let has_values = literals.len() > 1;
        let is_told = literals.iter().any(|literal| literal.chars().any(char::is_alphanumeric));
        let reported = parts(reported);
        let starts = [0].into_iter().chain(reported.match_indices('\n').map(|(at, _)| at + 1));
        has_values && is_told && starts.into_iter().any(|start| fits(&reported[start..], &literals))
    }

    /// Returns how many asserts it makes, each case of a table counted that stands in the file.
    pub fn asserted(&self) -> usize {
        self.is_assert.iter().filter(|is_assert| **is_assert).count()
    }

    /// Returns as how many cases its runner reports it; nothing where its file does not tell.
    pub fn cases(&self) -> Option<usize> {
        self.cases
    }

    /// Tells whether two tests say the same, whatever their names are.
    pub fn says_the_same(&self, other: &Self) -> bool {
        self.normal == other.normal
    }

    /// Returns the test as it would be if a name stood in place of others.
    #[must_use]
    pub fn with_name(&self, names: &BTreeSet<String>, name: &str) -> Self {
        let words = |text: &str| {
            let words = text.split(' ').map(|word| if names.contains(word) { name } else { word });
            words.collect::<Vec<_>>().join(" ")
        };
        let asks = self.asks.iter().map(|ask| words(ask)).collect();
        Self { asks, normal: words(&self.normal), ..self.clone() }
    }

    /// Tells whether it never runs.
    pub fn is_skipped(&self) -> bool {
        self.has(SkipKind::Unconditional)
    }

    /// Tells whether it has a skip of a kind.
    pub fn has(&self, kind: SkipKind) -> bool {
        self.count(kind) > 0
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

/// Returns what a title says between its values.
fn literals(title: &str) -> Vec<String> {
    let (mut literals, mut rest) = (vec![String::new()], title);
    while let Some(next) = rest.chars().next() {
        let length = value_length(rest);
        match length {
            0 => literals.last_mut().expect("there is one").push(next),
            _ => literals.push(String::new()),
        }
        rest = &rest[length.max(next.len_utf8())..];
    }
    literals.iter().map(|literal| parts(literal)).collect()
}

/// Returns how long the mark of a value is that a title begins with, in bytes; 0 where it begins with none.
fn value_length(title: &str) -> usize {
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
    if let Some(inside) = title.strip_prefix("${") {
        return inside.find('}').map_or(0, |end| end + 3);
    }
    match (title.strip_prefix('$'), title.strip_prefix('%')) {
        (Some(rest), _) if rest.starts_with(char::is_alphabetic) => {
            1 + rest.find(|c| !is_word(c)).unwrap_or(rest.len())
        }
        (_, Some(rest)) if rest.starts_with(|c: char| "sdifjoOpc#".contains(c)) => 2,
        _ => 0,
    }
}

/// Tells whether a text consists of literals with anything between them.
fn fits(text: &str, literals: &[String]) -> bool {
    let [first, middle @ .., last] = literals else { return false };
    let Some(mut rest) = text.strip_prefix(first.as_str()) else { return false };
    for literal in middle {
        let Some(at) = rest.find(literal.as_str()) else { return false };
        rest = &rest[at + literal.len()..];
    }
    rest.ends_with(last.as_str())
}

/// Returns the tests of a file, in the order of the text.
pub(crate) fn tests(file: &SourceFile, with_asks: bool) -> Vec<Test> {
    let outline = file.outline();
    let is_test: Vec<bool> = (0..outline.items.len()).map(|item| outline.is_test(item)).collect();
    if !is_test.contains(&true) {
        return Vec::new();
    }
    let reader = Reader::new(file, outline, is_test, with_asks);
    (0..outline.items.len()).filter(|item| reader.is_test[*item]).map(|item| reader.test(item)).collect()
}

/// Returns the functions that are no tests, in the order of the text, with what they assert.
pub(crate) fn helpers(file: &SourceFile) -> Vec<Test> {
    let outline = file.outline();
    let is_test: Vec<bool> = (0..outline.items.len()).map(|item| outline.is_test(item)).collect();
    let reader = Reader::new(file, outline, is_test, false);
    let mut functions: Vec<usize> = reader.functions.values().flatten().copied().collect();
    functions.sort_unstable();
    functions.into_iter().map(|function| reader.test(function)).collect()
}

/// What stands in each item of a file.
struct Reader<'f> {
    file: &'f SourceFile,
    outline: &'f Outline,
    is_test: Vec<bool>,
    /// By item; asserts that stand in others left out.
    asserts: HashMap<usize, Vec<&'f Mark>>,
    calls: HashMap<usize, Vec<&'f Mark>>,
    conditions: HashMap<usize, Vec<&'f Mark>>,
    exits: HashMap<usize, Vec<&'f Mark>>,
    /// By item, or by file.
    skips: HashMap<Option<usize>, Vec<(SkipKind, &'f Mark)>>,
    /// Functions that are no tests.
    functions: HashMap<&'f str, Vec<usize>>,
    /// None where nobody needs to know what tests ask.
    bindings: Option<&'f Bindings>,
}

impl<'f> Reader<'f> {
    fn new(file: &'f SourceFile, outline: &'f Outline, is_test: Vec<bool>, with_asks: bool) -> Self {
        let (asserts, calls, conditions, exits, skips, functions) = Default::default();
        let bindings = with_asks.then(|| file.bindings());
        let mut reader =
            Self { file, outline, is_test, asserts, calls, conditions, exits, skips, functions, bindings };
        for (index, item) in outline.items.iter().enumerate() {
            let is_function = item.is(Capture::Function) || item.is(Capture::Macro);
            if is_function && !reader.is_test[index] {
                reader.functions.entry(item.name.as_str()).or_default().push(index);
            }
        }
        outline.marks.iter().for_each(|mark| reader.place(mark));
        reader
    }

    fn place(&mut self, mark: &'f Mark) {
        let owner = self.code(mark.owner);
        let marks = match mark.capture {
            Capture::Assert => &mut self.asserts,
            Capture::Call => &mut self.calls,
            Capture::Condition => &mut self.conditions,
            Capture::Exit => &mut self.exits,
            _ => return self.place_skip(mark),
        };
        let Some(owner) = owner else { return };
        let others = marks.entry(owner).or_default();
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
        let is_owner = |item: &usize| {
            let item = &self.outline.items[*item];
            [Capture::Group, Capture::Function, Capture::Test, Capture::Setup]
                .iter()
                .any(|kind| item.is(*kind))
        };
        let mut owner = self.outline.around(mark.owner).find(is_owner);
        if let Some(setup) = owner.filter(|owner| self.outline.items[*owner].is(Capture::Setup)) {
            owner = self.outline.around(self.outline.items[setup].parent).find(is_owner);
        }
        let others = self.skips.entry(owner).or_default();
        let is_same =
            |other: &Mark| other.range.start <= mark.range.start && mark.range.end <= other.range.end;
        match others.iter_mut().find(|(_, other)| is_same(other)) {
            Some((known, _)) if *known == SkipKind::Only || kind == SkipKind::Only => {
                others.push((kind, mark));
            }
            Some(known) if kind == SkipKind::Unconditional => *known = (kind, mark),
            Some(_) => {}
            None => others.push((kind, mark)),
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

    /// Returns the test or else the function that code belongs to.
    fn code(&self, owner: Option<usize>) -> Option<usize> {
        let is_function = |item: &usize| {
            let item = &self.outline.items[*item];
            item.is(Capture::Function) || item.is(Capture::Macro)
        };
        let around = || self.outline.around(owner);
        around().find(|item| self.is_test[*item]).or_else(|| around().find(is_function))
    }

    fn test(&self, index: usize) -> Test {
        let item = &self.outline.items[index];
        let is_group = |outer: usize| self.outline.items[outer].is(Capture::Group) || self.is_test[outer];
        let helpers = self.helpers(index);
        let demands = self.demands(index, &helpers);
        let name_end = item.name_range.end;
        let asked = |bindings: &Bindings| bindings.asked(self.file, &item.node, name_end, &demands);
        let Asked { asks, is_assert, cases } = self.bindings.map(asked).unwrap_or_default();
        let mut asserts = self.asserts_of(index, None);
        for helper in &helpers {
            asserts.extend(self.asserts_of(*helper, Some(&self.outline.items[*helper].name)));
        }
        let groups = self.outline.groups(index, is_group);
        Test {
            path: self.file.path.clone(),
            name: item.name.clone(),
            reported: parts(&id(&groups, &item.name, self.file.language)),
            groups,
            line: self.file.line(item.name_range.start),
            range: item.range.clone(),
            asserts,
            skips: self.skips_of(index),
            exits: self.exits.get(&index).map_or(0, Vec::len),
            attributes: self.attributes_of(item),
            is_async: self.file.text[item.node.start..item.name_range.start.max(item.node.start)]
                .contains("async "),
            normal: self.file.tokens().normal(&self.file.text, &item.range, &item.name_range),
            asks,
            has_demands: !demands.is_empty(),
            is_assert,
            cases,
            language: self.file.language,
        }
    }

    fn asserts_of(&self, index: usize, function: Option<&String>) -> Vec<Assert> {
        let marks = self.asserts.get(&index).into_iter().flatten();
        let assert = |mark: &&Mark| Assert {
            text: self.normal(&mark.range),
            line: self.file.line(mark.range.start),
            range: mark.range.clone(),
            function: function.cloned(),
            conditions: self.conditions_of(index, &mark.range),
        };
        marks.map(assert).collect()
    }

    fn conditions_of(&self, index: usize, inner: &Range<usize>) -> usize {
        let conditions = self.conditions.get(&index).into_iter().flatten().map(|mark| &mark.range);
        conditions
            .filter(|outer| *outer != inner && outer.start <= inner.start && inner.end <= outer.end)
            .count()
    }

    /// Returns the functions with asserts that a test calls, directly or by another function.
    fn helpers(&self, index: usize) -> Vec<usize> {
        let own = &self.outline.items[index].range;
        let (mut seen, mut callers) = (BTreeSet::new(), vec![index]);
        for _ in 0..CALLS_DEEP {
            let calls = callers.iter().filter_map(|caller| self.calls.get(caller)).flatten();
            let named = calls.filter_map(|call| self.functions.get(&self.file.text[call.range.clone()]));
            let outside = |function: &usize| {
                let range = &self.outline.items[*function].range;
                range.end <= own.start || range.start >= own.end
            };
            callers =
                named.flatten().copied().filter(outside).filter(|function| seen.insert(*function)).collect();
        }
        seen.into_iter().filter(|function| self.asserts.contains_key(function)).collect()
    }

    fn attributes_of(&self, item: &Item) -> Vec<String> {
        let front = item.range.start..item.node.start;
        let first = self.outline.marks.partition_point(|mark| mark.range.start < front.start);
        let attributes = self.outline.marks[first..]
            .iter()
            .take_while(|mark| mark.range.end <= front.end)
            .filter(|mark| mark.capture == Capture::Attribute)
            .map(|mark| self.normal(&mark.range));
        attributes.filter(|text| text.starts_with(['@', '#'])).collect()
    }

    /// A call of a function that asserts through another one asserts, too.
    fn demands(&self, index: usize, helpers: &[usize]) -> Vec<Range<usize>> {
        let asserts = self.asserts.get(&index).into_iter().flatten().map(|mark| mark.range.clone());
        let mut demands: Vec<Range<usize>> = asserts.collect();
        let asserting = |name: &str| {
            let functions = self.functions.get(name).into_iter().flatten();
            functions.copied().any(|function| {
                helpers.contains(&function)
                    || self.helpers(function).iter().any(|inner| helpers.contains(inner))
            })
        };
        let text = &self.file.text;
        for call in self.calls.get(&index).into_iter().flatten().filter(|_| !helpers.is_empty()) {
            let is_counted = demands.iter().any(|other| other.contains(&call.range.start));
            if !is_counted && asserting(&text[call.range.clone()]) {
                demands.push(call.range.start..self.file.tokens().end_of_call(text, call.range.start));
            }
        }
        demands.sort_by_key(|range| range.start);
        demands
    }

    fn skips_of(&self, index: usize) -> Vec<Skip> {
        let owners = self.outline.around(Some(index)).map(Some).chain([None]);
        let marks = owners.filter_map(|owner| self.skips.get(&owner)).flatten();
        let skip = |(kind, mark): &(SkipKind, &Mark)| Skip {
            kind: *kind,
            line: self.file.line(mark.range.start),
            range: mark.range.clone(),
        };
        marks.map(skip).collect()
    }

    fn normal(&self, range: &Range<usize>) -> String {
        self.file.tokens().normal(&self.file.text, range, &(range.end..range.end))
    }
}

#[cfg(test)]
mod tests;
