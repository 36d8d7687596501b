//! What a test asks, whatever its form: its asserts and its calls, with each local name replaced by what it stands for, once for
//! each case of a table that stands in the file. What a helper does with its arguments is not looked at.

mod form;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ops::Range;

use form::{inside, joined, plain, split};

use crate::SourceFile;
use crate::query::Capture;
use crate::tokens::Word;

/// So deep a name is replaced by what it stands for.
const DEEPEST: usize = 6;
/// A question of more words is left as it is.
const MOST_WORDS: usize = 2000;
/// The table of more cases is one case.
const MOST_CASES: usize = 300;

/// What a file says about its names.
#[derive(Debug, Default)]
pub(crate) struct Bindings {
    locals: Vec<Local>,
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
}

/// What of a value a name stands for.
#[derive(Debug)]
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

/// The questions of one test.
#[derive(Debug, Default)]
pub(crate) struct Asked {
    /// In the order of the text.
    pub(crate) asks: Vec<String>,
    /// Which of them are asserts.
    pub(crate) is_assert: Vec<bool>,
    /// As how many cases its runner reports it; nothing where the file does not tell.
    pub(crate) cases: Option<usize>,
}

impl Bindings {
    pub(crate) fn read(file: &SourceFile) -> Self {
        let mut bindings = Self::default();
        file.language.grammar().bindings.matches(&file.tree, &file.text, |found| bindings.see(found, file));
        bindings.locals.sort_by_key(|local| local.whole.start);
        bindings.statements.sort_by_key(|range| range.start);
        bindings
    }

    fn see(&mut self, found: &[(Capture, Range<usize>)], file: &SourceFile) {
        let part = |wanted: Capture| {
            found.iter().find(|(capture, _)| *capture == wanted).map(|(_, range)| range.clone())
        };
        if let (Some(left), Some(value)) = (part(Capture::Local), part(Capture::Value)) {
            self.see_local(&left, &value, file);
        } else if let (Some(each), Some(rows), Some(scope)) =
            (part(Capture::Each), part(Capture::Rows), part(Capture::Of))
        {
            self.tables.push(Table { names: names(&file.text[each]), rows, scope });
        } else if let Some(statement) = part(Capture::Statement) {
            self.statements.push(statement);
        }
    }

    fn see_local(&mut self, left: &Range<usize>, value: &Range<usize>, file: &SourceFile) {
        let whole = left.start..value.end;
        let words = file.tokens().words(&file.text, left);
        let Some(names) = bound_names(&words) else {
            self.statements.push(whole);
            return;
        };
        let is_object = words[0].text == "{";
        for (index, name) in names.iter().enumerate() {
            let part = match names.len() {
                _ if is_object => Part::Field,
                1 if words.len() == 1 => Part::Whole,
                _ => Part::Index(index),
            };
            self.locals.push(Local {
                name: (*name).to_owned(),
                part,
                value: value.clone(),
                whole: whole.clone(),
            });
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
        let scope = Scope { file, bindings: self, node, used: RefCell::default() };
        let body = name_end.max(node.start)..node.end;
        let is_apart = |range: &Range<usize>| {
            demands.iter().all(|demand| range.end <= demand.start || demand.end <= range.start)
        };
        let is_own = |range: &&Range<usize>| {
            body.start <= range.start && range.end <= body.end && **range != *node && is_apart(range)
        };
        let mut ranges: Vec<(&Range<usize>, bool)> = demands.iter().map(|demand| (demand, true)).collect();
        ranges.extend(self.statements.iter().filter(is_own).map(|statement| (statement, false)));
        ranges.sort_by_key(|(range, _)| range.start);
        let asks = ranges.iter().flat_map(|(range, is_assert)| {
            scope.asks(range).into_iter().map(|ask| (ask, *is_assert)).collect::<Vec<_>>()
        });
        let (mut asks, mut is_assert): (Vec<String>, Vec<bool>) = asks.unzip();
        let unused = scope.unused().filter(|local| is_own(&&local.whole));
        let unused: BTreeSet<(usize, usize)> =
            unused.map(|local| (local.value.start, local.value.end)).collect();
        asks.extend(unused.into_iter().flat_map(|(start, end)| scope.asks(&(start..end))));
        is_assert.resize(asks.len(), false);
        Asked { asks, is_assert, cases: scope.cases() }
    }
}

/// Returns the names that the left side of an assignment binds; none where it changes something that is there.
fn bound_names<'t>(words: &[Word<'t>]) -> Option<Vec<&'t str>> {
    let opens = |word: &Word<'_>| matches!(word.text, "(" | "[" | "{");
    let is_complex = words.first()?.is_name && words.get(1).is_some_and(opens);
    let named =
        words.iter().filter(|word| !matches!(word.text, "(" | "[" | "{" | ")" | "]" | "}" | "," | "mut"));
    let named: Vec<&Word<'_>> = named.collect();
    let are_names = named.iter().all(|word| word.is_name || word.text == "_");
    (are_names && !is_complex).then(|| named.iter().map(|word| word.text).collect())
}

/// Returns the names in the head of a loop or a table of cases, without their types.
fn names(head: &str) -> Vec<String> {
    let name = |part: &str| {
        let mut words = part.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '$');
        let is_name = |word: &&str| !matches!(*word, "" | "const" | "let" | "var" | "mut");
        words.find(is_name).map(str::to_owned)
    };
    head.split(',').filter_map(name).collect()
}

/// One word of a question.
#[derive(Debug, Clone, PartialEq)]
enum Piece<'f> {
    Text(&'f str),
    /// The column of a table of cases.
    Case(usize, usize),
    /// A name that stands for several values, by its place among them.
    Changing(usize),
}

/// The names that a test sees.
struct Scope<'s> {
    file: &'s SourceFile,
    bindings: &'s Bindings,
    node: &'s Range<usize>,
    used: RefCell<BTreeSet<usize>>,
}

impl<'s> Scope<'s> {
    fn asks(&self, range: &Range<usize>) -> Vec<String> {
        let mut pieces = Vec::new();
        self.expand(&self.words(range), 0, &mut pieces);
        let mut tables: Vec<usize> = Vec::new();
        for piece in &pieces {
            if let Piece::Case(table, _) = piece
                && !tables.contains(table)
            {
                tables.push(*table);
            }
        }
        let mut asks = vec![pieces];
        for table in tables {
            asks = self.with_cases(&asks, table);
        }
        asks.iter().map(|pieces| text(pieces)).collect()
    }

    /// Returns the names of whose values nothing is asked: what made them may have an effect.
    fn unused(&self) -> impl Iterator<Item = &'s Local> + use<'s> {
        let used = self.used.borrow().clone();
        let locals = &self.bindings.locals;
        let values: BTreeSet<usize> = used.iter().map(|index| locals[*index].value.start).collect();
        locals.iter().filter(move |local| !values.contains(&local.value.start))
    }

    fn words(&self, range: &Range<usize>) -> Vec<Word<'s>> {
        self.file.tokens().words(&self.file.text, range)
    }

    fn expand(&self, words: &[Word<'s>], depth: usize, pieces: &mut Vec<Piece<'s>>) {
        for (at, word) in words.iter().enumerate() {
            let before = at.checked_sub(1).map_or("", |at| words[at].text);
            let behind = words.get(at + 1).map_or("", |word| word.text);
            let is_label = matches!(before, "(" | "," | "{") && matches!(behind, "=" | ":");
            if !word.is_name || matches!(before, "." | "::") || is_label || pieces.len() > MOST_WORDS {
                pieces.push(Piece::Text(word.text));
            } else {
                self.expand_name(word, depth, pieces);
            }
        }
    }

    fn expand_name(&self, word: &Word<'s>, depth: usize, pieces: &mut Vec<Piece<'s>>) {
        if let Some(case) = self.case(word) {
            pieces.push(case);
            return;
        }
        let bound = self.locals_of(word);
        match bound.as_slice() {
            [] => pieces.push(Piece::Text(word.text)),
            [only] if depth < DEEPEST => {
                self.used.borrow_mut().insert(*only);
                self.expand_value(&self.bindings.locals[*only], depth + 1, pieces);
            }
            [first, ..] => {
                self.used.borrow_mut().extend(&bound);
                let own = self.bindings.locals.iter().filter(|local| self.is_inside(&local.whole));
                let earlier =
                    own.filter(|local| local.whole.start < self.bindings.locals[*first].whole.start);
                pieces.push(Piece::Changing(earlier.count()));
            }
        }
    }

    fn expand_value(&self, local: &'s Local, depth: usize, pieces: &mut Vec<Piece<'s>>) {
        let value = self.words(&local.value);
        if let Part::Index(index) = local.part
            && let Some(element) = listed(&value).and_then(|elements| elements.get(index).cloned())
        {
            return self.expand(&element, depth, pieces);
        }
        self.expand(&value, depth, pieces);
        match local.part {
            Part::Whole => {}
            Part::Index(index) => {
                pieces.extend(["[", number(index), "]"].map(Piece::Text));
            }
            Part::Field => pieces.extend([".", &local.name].map(Piece::Text)),
        }
    }

    fn case(&self, word: &Word<'_>) -> Option<Piece<'s>> {
        let column = |table: &Table| {
            let is_seen = table.scope.start <= self.node.start && self.node.end <= table.scope.end
                || table.scope.contains(&word.at) && !table.rows.contains(&word.at);
            if is_seen { table.names.iter().position(|name| name == word.text) } else { None }
        };
        let tables = self.bindings.tables.iter().enumerate();
        tables.rev().find_map(|(index, table)| Some(Piece::Case(index, column(table)?)))
    }

    /// Returns what binds a name in the test, or else the constant of the file that it is.
    fn locals_of(&self, word: &Word<'_>) -> Vec<usize> {
        let locals = self.bindings.locals.iter().enumerate();
        let named = locals.filter(|(_, local)| local.name == word.text && !local.whole.contains(&word.at));
        let is_own = |local: &Local| self.is_inside(&local.whole) && !self.is_function(&local.value);
        let own: Vec<usize> =
            named.clone().filter(|(_, local)| is_own(local)).map(|(index, _)| index).collect();
        if own.is_empty() {
            return named.filter(|(_, local)| self.is_constant(local)).map(|(index, _)| index).collect();
        }
        own
    }

    fn is_inside(&self, range: &Range<usize>) -> bool {
        self.node.start <= range.start && range.end <= self.node.end
    }

    fn is_function(&self, value: &Range<usize>) -> bool {
        self.words(value).iter().any(|word| matches!(word.text, "=>" | "function" | "lambda" | "|" | "func"))
    }

    /// Tells whether a name of the file stands for what is written there: a number, a text, a list of such.
    fn is_constant(&self, local: &Local) -> bool {
        let is_outside = self.file.outline().items.iter().all(|item| {
            let is_in = item.range.start <= local.whole.start && local.whole.end <= item.range.end;
            !(item.is(Capture::Function) && is_in)
        });
        is_outside
            && matches!(local.part, Part::Whole)
            && self.words(&local.value).first().is_some_and(|word| !word.is_name)
            && !self.is_function(&local.value)
    }

    /// Puts the values of each case into questions; a table that is not written there is named instead.
    fn with_cases(&self, asks: &[Vec<Piece<'s>>], table: usize) -> Vec<Vec<Piece<'s>>> {
        let rows = self.rows(&self.bindings.tables[table]);
        let rows = match rows {
            Some(rows) if asks.len() * rows.len() <= MOST_CASES => rows,
            _ => vec![self.any_row(&self.bindings.tables[table])],
        };
        asks.iter().flat_map(|ask| rows.iter().map(|row| filled(ask, table, row))).collect()
    }

    fn any_row(&self, table: &'s Table) -> Vec<Vec<Piece<'s>>> {
        let rows = self.words(&table.rows);
        let value = |column: usize| -> Vec<Piece<'s>> {
            let words = ["each"].into_iter().chain(rows.iter().map(|word| word.text));
            words.chain([number(column)]).map(Piece::Text).collect()
        };
        (0..table.names.len()).map(value).collect()
    }

    /// Returns the values of each case of a table, where they are written there.
    fn rows(&self, table: &'s Table) -> Option<Vec<Vec<Vec<Piece<'s>>>>> {
        let mut words = self.words(&table.rows);
        if let [name] = words.as_slice()
            && name.is_name
        {
            let only = self.locals_of(name);
            let [only] = only.as_slice() else { return None };
            self.used.borrow_mut().insert(*only);
            words = self.words(&self.bindings.locals[*only].value);
        }
        let rows = elements(&words)?;
        let is_whole = |row: &Vec<Word<'_>>| {
            !row.iter().any(|word| word.text == "for") && !matches!(row[0].text, "*" | "...")
        };
        if !rows.iter().all(is_whole) {
            return None;
        }
        rows.iter().map(|row| self.row(row, table.names.len())).collect()
    }

    fn row(&self, row: &[Word<'s>], columns: usize) -> Option<Vec<Vec<Piece<'s>>>> {
        // `pytest.param(1, 2, id="a")`
        let values = match row.iter().position(|word| word.text == "(") {
            Some(open) if row[open.saturating_sub(1)].text == "param" => elements(&row[open..])?,
            _ if columns == 1 => vec![row.to_vec()],
            _ => elements(row)?,
        };
        let expanded = |value: &Vec<Word<'s>>| {
            let mut pieces = Vec::new();
            self.expand(value, 1, &mut pieces);
            pieces
        };
        (values.len() >= columns).then(|| values[..columns].iter().map(expanded).collect())
    }

    /// Returns as how many cases a runner reports the test.
    fn cases(&self) -> Option<usize> {
        let tables = self.bindings.tables.iter();
        let around =
            tables.filter(|table| table.scope.start <= self.node.start && self.node.end <= table.scope.end);
        around.map(|table| Some(self.rows(table)?.len())).product()
    }
}

fn text(pieces: &[Piece<'_>]) -> String {
    let word = |piece: &Piece<'_>| match piece {
        Piece::Text(text) => (*text).to_owned(),
        Piece::Case(..) => "each".to_owned(),
        Piece::Changing(place) => format!("_{place}"),
    };
    let words: Vec<String> = pieces.iter().map(word).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).filter(|word| *word != ";").collect();
    joined(&plain(&words))
}

/// Returns a small number as a word.
fn number(index: usize) -> &'static str {
    const NUMBERS: [&str; 10] = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"];
    NUMBERS[index.min(NUMBERS.len() - 1)]
}

fn filled<'f>(ask: &[Piece<'f>], table: usize, row: &[Vec<Piece<'f>>]) -> Vec<Piece<'f>> {
    let mut pieces = Vec::new();
    for piece in ask {
        match piece {
            Piece::Case(of, column) if *of == table => pieces.extend(row[*column].iter().cloned()),
            other => pieces.push(other.clone()),
        }
    }
    pieces
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
