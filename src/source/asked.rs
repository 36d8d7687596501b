//! What a test asks, whatever its form: its asserts and its calls, with each local name replaced by what it stands for, once for
//! each case of a table that stands in the file. What a helper does with its arguments is not looked at.

pub(crate) mod form;

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use form::{inside, plain, split};

use crate::SourceFile;
use crate::query::{Capture, place};
use crate::tokens::{Word, joined};

/// So deep a name is replaced by what it stands for.
const DEEPEST: usize = 6;
/// A question of more words is left as it is.
const MOST_WORDS: usize = 2000;
/// The table of more cases is one case.
const MOST_CASES: usize = 300;

/// What a file says about its names, each list in the order of the text.
#[derive(Debug, Default)]
pub(crate) struct Bindings {
    locals: Vec<Local>,
    /// The locals that stand for one thing in the whole file, by their names.
    constants: HashMap<String, Vec<usize>>,
    tables: Vec<Table>,
    statements: Vec<Range<usize>>,
}

/// A name that stands for a value.
#[derive(Debug)]
struct Local {
    name: String,
    part: Part,
    value: Range<usize>,
    /// The name and its value.
    whole: Range<usize>,
    is_function: bool,
}

/// What of a value a name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Whole,
    Index(usize),
    Field,
}

/// Names that stand for each of some values.
#[derive(Debug)]
struct Table {
    names: Vec<String>,
    rows: Range<usize>,
    /// Where they do.
    scope: Range<usize>,
}

/// The values of one case, in the order of the names of its table.
type Row<'f> = Vec<Vec<Word<'f>>>;

/// The questions of one test.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    /// In the order of the text.
    pub(crate) asks: Vec<Ask>,
    /// As how many cases its runner reports it; nothing where the file does not tell.
    pub(crate) cases: Option<usize>,
}

/// One question.
#[derive(Debug, Clone)]
pub(crate) struct Ask {
    pub(crate) text: String,
    pub(crate) is_assert: bool,
}

impl Bindings {
    pub(crate) fn read(file: &SourceFile) -> Self {
        let mut bindings = Self::default();
        file.language.grammar().bindings.matches(&file.tree, &file.text, |found| bindings.see(found, file));
        bindings.locals.sort_by_key(|local| local.whole.start);
        bindings.statements.sort_by_key(|range| range.start);
        for (index, local) in bindings.locals.iter().enumerate() {
            if is_constant(local, file) {
                bindings.constants.entry(local.name.clone()).or_default().push(index);
            }
        }
        bindings
    }

    fn see(&mut self, found: &[(Capture, Range<usize>)], file: &SourceFile) {
        let part = |wanted| place(found, wanted);
        if let (Some(left), Some(value)) = (part(Capture::Local), part(Capture::Value)) {
            self.see_local(&left, &value, file);
        } else if let (Some(each), Some(rows), Some(scope)) =
            (part(Capture::Each), part(Capture::Rows), part(Capture::Of))
        {
            let names = names(&file.text[each]).into_iter().map(str::to_owned).collect();
            self.tables.push(Table { names, rows, scope });
        } else if let Some(statement) = part(Capture::Statement) {
            self.statements.push(statement);
        }
    }

    fn see_local(&mut self, left: &Range<usize>, value: &Range<usize>, file: &SourceFile) {
        let (whole, text) = (left.start..value.end, &file.text[left.clone()]);
        if !is_binding(text) {
            self.statements.push(whole);
            return;
        }
        let is_function = |word: &str| matches!(word, "=>" | "function" | "lambda" | "|" | "func");
        let is_function = file.tokens().texts(&file.text, value).any(is_function);
        for (index, name) in names(text).into_iter().enumerate() {
            let part = match text.as_bytes()[0] {
                b'{' => Part::Field,
                b'(' | b'[' => Part::Index(index),
                _ if text.contains(',') => Part::Index(index),
                _ => Part::Whole,
            };
            let (name, value, whole) = (name.to_owned(), value.clone(), whole.clone());
            self.locals.push(Local { name, part, value, whole, is_function });
        }
    }

    /// Returns what a test asks: `node` is the test without its attributes, `demands` are its asserts.
    pub(crate) fn asked(
        &self,
        file: &SourceFile,
        node: &Range<usize>,
        name_end: usize,
        demands: &[Range<usize>],
    ) -> Asked {
        let own = within(&self.locals, node, |local| &local.whole);
        let scope = Scope { file, bindings: self, node, own, used: RefCell::default() };
        let body = name_end.max(node.start)..node.end;
        let is_apart = |range: &Range<usize>| {
            demands.iter().all(|demand| range.end <= demand.start || demand.end <= range.start)
        };
        let statements = within(&self.statements, &body, |range| range).iter();
        let statements = statements.filter(|range| **range != *node && is_apart(range));
        let mut ranges: Vec<(&Range<usize>, bool)> = demands.iter().map(|demand| (demand, true)).collect();
        ranges.extend(statements.map(|statement| (statement, false)));
        ranges.sort_by_key(|(range, _)| range.start);
        let mut asks: Vec<Ask> =
            ranges.into_iter().flat_map(|(range, is_assert)| scope.asks(range, is_assert)).collect();
        // What nothing is asked of was made for its effect.
        let unused = within(own, &body, |local| &local.whole).iter().filter(|local| is_apart(&local.whole));
        let unused: BTreeSet<(usize, usize)> =
            unused.map(|local| (local.value.start, local.value.end)).collect();
        let used = scope.used.take();
        let unused = unused.into_iter().filter(|(start, _)| !used.contains(start));
        asks.extend(unused.flat_map(|(start, end)| scope.asks(&(start..end), false)));
        Asked { asks, cases: scope.cases() }
    }
}

/// Returns the things that stand in a range, of a list in the order of the text.
fn within<'t, T>(things: &'t [T], range: &Range<usize>, place: impl Fn(&T) -> &Range<usize>) -> &'t [T] {
    let first = things.partition_point(|thing| place(thing).start < range.start);
    let end = things.partition_point(|thing| place(thing).start < range.end);
    &things[first..end.max(first)]
}

/// Tells whether a name stands for what is written there, outside of all functions: a number, a text, a list of such.
fn is_constant(local: &Local, file: &SourceFile) -> bool {
    let items = &file.outline().items;
    let first = || file.tokens().words(&file.text, &local.value).first().is_some_and(|word| !word.is_name);
    local.part == Part::Whole
        && !local.is_function
        && !items.iter().any(|item| item.is(Capture::Function) && is_around(&item.range, &local.whole))
        && first()
}

/// Tells whether the left side of an assignment binds names; else it changes something that is there.
fn is_binding(left: &str) -> bool {
    let inside = left.strip_prefix(['(', '[', '{']).and_then(|rest| rest.strip_suffix([')', ']', '}']));
    inside
        .unwrap_or(left)
        .chars()
        .all(|c| c.is_alphanumeric() || c.is_whitespace() || matches!(c, '_' | '$' | ','))
}

/// Returns the names in the head of a loop, a table of cases or an assignment, without their types.
fn names(head: &str) -> Vec<&str> {
    head.split(',').filter_map(first_name).collect()
}

fn first_name(part: &str) -> Option<&str> {
    let mut words = part.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '$');
    words.find(|word| !matches!(*word, "" | "const" | "let" | "var" | "mut" | "ref"))
}

/// The names that a test sees.
struct Scope<'s> {
    file: &'s SourceFile,
    bindings: &'s Bindings,
    node: &'s Range<usize>,
    /// Those that it binds itself.
    own: &'s [Local],
    /// Where the values begin whose names were asked about.
    used: RefCell<BTreeSet<usize>>,
}

/// A case that was chosen of a table, and of how many.
struct Case<'s> {
    table: usize,
    of: usize,
    row: Row<'s>,
}

impl<'s> Scope<'s> {
    fn asks(&self, range: &Range<usize>, is_assert: bool) -> Vec<Ask> {
        let texts = self.texts(&self.words(range), &mut Vec::new());
        texts.into_iter().map(|text| Ask { text, is_assert }).collect()
    }

    /// Returns what words ask, once for each case of the tables whose names they use.
    fn texts(&self, words: &[Word<'s>], cases: &mut Vec<Case<'s>>) -> Vec<String> {
        let mut expanded = Vec::new();
        let Err(table) = self.expand(words, 0, cases, &mut expanded) else {
            let expanded: Vec<&str> =
                expanded.iter().map(AsRef::as_ref).filter(|word| *word != ";").collect();
            return vec![joined(plain(&expanded))];
        };
        let so_many: usize = cases.iter().map(|case| case.of).product();
        let rows = self.rows(&self.bindings.tables[table]).filter(|rows| rows.len() * so_many <= MOST_CASES);
        let rows = rows.unwrap_or_else(|| vec![self.any_row(&self.bindings.tables[table])]);
        let (mut texts, of) = (Vec::new(), rows.len());
        for row in rows {
            cases.push(Case { table, of, row });
            texts.extend(self.texts(words, cases));
            cases.pop();
        }
        texts
    }

    fn words(&self, range: &Range<usize>) -> Vec<Word<'s>> {
        self.file.tokens().words(&self.file.text, range)
    }

    /// Writes words with each name replaced by what it stands for. An error is the table of which a case has to be chosen.
    fn expand(
        &self,
        words: &[Word<'s>],
        depth: usize,
        cases: &[Case<'s>],
        expanded: &mut Vec<Cow<'s, str>>,
    ) -> Result<(), usize> {
        for (at, word) in words.iter().enumerate() {
            let before = at.checked_sub(1).map_or("", |at| words[at].text);
            let behind = words.get(at + 1).map_or("", |word| word.text);
            let is_label = matches!(before, "(" | "," | "{") && matches!(behind, "=" | ":");
            if !word.is_name || matches!(before, "." | "::") || is_label || expanded.len() > MOST_WORDS {
                expanded.push(word.text.into());
            } else {
                self.expand_name(word, depth, cases, expanded)?;
            }
        }
        Ok(())
    }

    fn expand_name(
        &self,
        word: &Word<'s>,
        depth: usize,
        cases: &[Case<'s>],
        expanded: &mut Vec<Cow<'s, str>>,
    ) -> Result<(), usize> {
        if let Some((table, column)) = self.column(word).filter(|_| depth < DEEPEST) {
            let case = cases.iter().find(|case| case.table == table).ok_or(table)?;
            return self.expand(&case.row[column], depth + 1, cases, expanded);
        }
        let bound = self.locals_of(word);
        self.used.borrow_mut().extend(bound.iter().map(|local| local.value.start));
        match bound.as_slice() {
            [] => expanded.push(word.text.into()),
            [only] if depth < DEEPEST => return self.expand_value(only, depth + 1, cases, expanded),
            // It stands for several values: its place among the names says which it is.
            [first, ..] => {
                let place = self.own.partition_point(|local| local.whole.start < first.whole.start);
                expanded.push(format!("_{place}").into());
            }
        }
        Ok(())
    }

    fn expand_value(
        &self,
        local: &'s Local,
        depth: usize,
        cases: &[Case<'s>],
        expanded: &mut Vec<Cow<'s, str>>,
    ) -> Result<(), usize> {
        let value = self.words(&local.value);
        if let Part::Index(index) = local.part
            && let Some(element) = listed(&value).and_then(|elements| elements.get(index).cloned())
        {
            return self.expand(&element, depth, cases, expanded);
        }
        self.expand(&value, depth, cases, expanded)?;
        match local.part {
            Part::Whole => {}
            Part::Index(index) => expanded.extend(["[".into(), index.to_string().into(), "]".into()]),
            Part::Field => expanded.extend([".", &local.name].map(Cow::from)),
        }
        Ok(())
    }

    /// Returns the table of cases that a name is of, and its place there.
    fn column(&self, word: &Word<'_>) -> Option<(usize, usize)> {
        let column = |table: &Table| {
            let is_seen = is_around(&table.scope, self.node)
                || table.scope.contains(&word.at) && !table.rows.contains(&word.at);
            if is_seen { table.names.iter().position(|name| name == word.text) } else { None }
        };
        let tables = self.bindings.tables.iter().enumerate();
        tables.rev().find_map(|(index, table)| Some((index, column(table)?)))
    }

    /// Returns what binds a name in the test, or else the constant of the file that it is.
    fn locals_of(&self, word: &Word<'_>) -> Vec<&'s Local> {
        let is_meant = |local: &&Local| local.name == word.text && !local.whole.contains(&word.at);
        let own: Vec<&Local> =
            self.own.iter().filter(|local| is_meant(local) && !local.is_function).collect();
        if !own.is_empty() {
            return own;
        }
        let constants = self.bindings.constants.get(word.text).into_iter().flatten();
        constants.map(|index| &self.bindings.locals[*index]).filter(is_meant).collect()
    }

    /// Returns the only case of a table whose values are not written there.
    fn any_row(&self, table: &'s Table) -> Row<'s> {
        let text = |text: &'s str| Word { text, at: 0, is_name: false };
        let rows: Vec<Word<'s>> = self.words(&table.rows).iter().map(|word| text(word.text)).collect();
        let value = |column: usize| [vec![text("each"); column + 1], rows.clone()].concat();
        (0..table.names.len()).map(value).collect()
    }

    /// Returns the values of each case of a table, where they are written there.
    fn rows(&self, table: &'s Table) -> Option<Vec<Row<'s>>> {
        let mut words = self.words(&table.rows);
        if let [name] = words.as_slice()
            && name.is_name
        {
            let only = self.locals_of(name);
            let [only] = only.as_slice() else { return None };
            self.used.borrow_mut().insert(only.value.start);
            words = self.words(&only.value);
        }
        let rows = elements(&words)?;
        let is_whole = |row: &Vec<Word<'_>>| {
            !row.iter().any(|word| word.text == "for") && !matches!(row[0].text, "*" | "...")
        };
        if !rows.iter().all(is_whole) {
            return None;
        }
        rows.iter().map(|values| row(values, table.names.len())).collect()
    }

    /// Returns as how many cases a runner reports the test.
    fn cases(&self) -> Option<usize> {
        let around = self.bindings.tables.iter().filter(|table| is_around(&table.scope, self.node));
        around.map(|table| Some(self.rows(table)?.len())).product()
    }
}

/// Returns the values of a case of so many names.
fn row<'t>(row: &[Word<'t>], columns: usize) -> Option<Row<'t>> {
    // `pytest.param(1, 2, id="a")`
    let mut values = match row.iter().position(|word| word.text == "(") {
        Some(open) if row[open.saturating_sub(1)].text == "param" => elements(&row[open..])?,
        _ if columns == 1 => vec![row.to_vec()],
        _ => elements(row)?,
    };
    let is_whole = values.len() >= columns;
    values.truncate(columns);
    is_whole.then_some(values)
}

/// Tells whether a range holds all of another.
pub(crate) fn is_around(outer: &Range<usize>, inner: &Range<usize>) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

/// Returns the elements of a list, a tuple, an array, each in its words; none where it is no such thing.
fn elements<'t>(words: &[Word<'t>]) -> Option<Vec<Vec<Word<'t>>>> {
    let texts: Vec<&str> = words.iter().map(|word| word.text).collect();
    let (begin, end) = inside(&texts)?;
    let parts = split(&texts[begin..end]).into_iter();
    Some(parts.map(|part| words[begin + part.start..begin + part.end].to_vec()).collect())
}

/// Returns the values that stand side by side, in brackets or without.
fn listed<'t>(words: &[Word<'t>]) -> Option<Vec<Vec<Word<'t>>>> {
    let texts: Vec<&str> = words.iter().map(|word| word.text).collect();
    let bare = split(&texts);
    if bare.len() > 1 {
        return Some(bare.into_iter().map(|part| words[part].to_vec()).collect());
    }
    elements(words)
}

#[cfg(test)]
mod tests;
