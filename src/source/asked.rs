//! What a test asks, whatever its form: its asserts and its calls, with each local name replaced by what it stands for, once for
//! each case of a table that stands in the file. What a helper does with its arguments is not looked at.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use crate::SourceFile;
use crate::outline::{Item, Mark};
use crate::pattern::fits;
use crate::query::Capture;
use crate::tokens::{Word, joined};

/// So deep a name is replaced by what it stands for.
const DEEPEST: usize = 6;
/// A question of more words is left as it is.
const MOST_WORDS: usize = 2000;
/// A table of more cases is one case.
const MOST_CASES: usize = 300;

/// What a file says about its names.
#[derive(Debug, Default)]
pub(crate) struct Bindings {
    /// By their names, each list in the order of the text.
    locals: HashMap<String, Vec<Local>>,
    tables: Vec<Table>,
    /// In the order of the text.
    statements: Vec<Range<usize>>,
}

/// What a name stands for.
#[derive(Debug)]
struct Local {
    value: Range<usize>,
    /// Which part of the value it is: `[ 0 ]`, `. name`; nothing where it is all of it.
    part: Vec<String>,
    /// The name and its value.
    whole: Range<usize>,
    /// Where it may stand for that.
    scope: Range<usize>,
    /// Whether it is written there, outside of all functions: a number, a text, a list of such.
    is_constant: bool,
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

/// One case of each table that a question is asked for.
type Case<'f> = Vec<(&'f Table, Row<'f>)>;

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
        let (mut bindings, outline) = (Self::default(), file.outline());
        let is_called =
            |mark: &Mark| !outline.around(mark.owner).any(|item| outline.is_never_called(item, &file.text));
        for mark in &outline.marks {
            match (mark.capture, &mark.stands_for, &mark.of) {
                (Capture::Local, Some(value), _) => bindings.see_local(mark, value, file),
                (Capture::Each, Some(rows), Some(scope)) => {
                    let names = names(&file.text[mark.range.clone()]);
                    bindings.tables.push(Table { names, rows: rows.clone(), scope: scope.clone() });
                }
                (Capture::Statement, ..) if is_called(mark) => bindings.statements.push(mark.range.clone()),
                _ => {}
            }
        }
        for locals in bindings.locals.values_mut() {
            locals.sort_by_key(|local| local.whole.start);
        }
        bindings.statements.sort_by_key(|range| range.start);
        bindings
    }

    fn see_local(&mut self, mark: &Mark, value: &Range<usize>, file: &SourceFile) {
        let (whole, text) = (mark.range.start..value.end, &file.text[mark.range.clone()]);
        let scope = mark.of.clone().unwrap_or(0..file.text.len());
        if !is_binding(text) {
            self.statements.push(whole);
            return;
        }
        let words: Vec<Word<'_>> = file.words(value).collect();
        if words.iter().any(|word| matches!(word.text, "=>" | "function" | "lambda" | "|" | "func")) {
            return;
        }
        let elements = side_by_side(&words);
        for (index, name) in names(text).into_iter().enumerate() {
            let (value, whole, scope) = (value.clone(), whole.clone(), scope.clone());
            let mut local = Local { value, part: Vec::new(), whole, scope, is_constant: false };
            if text.starts_with('{') {
                local.part = [".", name.as_str()].map(str::to_owned).to_vec();
            } else if !text.starts_with(['(', '[']) && !text.contains(',') {
                local.is_constant =
                    words.first().is_some_and(|word| !word.is_name) && is_outside(&local.whole, file);
            } else if let Some(element) = elements.get(index) {
                let end = words.get(element.end).map_or(local.value.end, |next| next.at);
                local.value = words[element.start].at..end;
            } else {
                local.part = ["[", &index.to_string(), "]"].map(str::to_owned).to_vec();
            }
            self.locals.entry(name).or_default().push(local);
        }
    }

    /// Returns what a test asks: `node` is the test without its attributes, `demands` are its asserts, each with what it asks.
    pub(crate) fn asked(
        &self,
        file: &SourceFile,
        node: &Range<usize>,
        name_end: usize,
        demands: &[(Range<usize>, Range<usize>)],
    ) -> Asked {
        let scope = Scope { file, bindings: self, node };
        let body = name_end.max(node.start)..node.end;
        let is_apart = |range: &&Range<usize>| {
            demands.iter().all(|(demand, _)| range.end <= demand.start || demand.end <= range.start)
        };
        let statements = within(&self.statements, &body, |range| range).iter();
        let statements = statements.filter(|range| *range != node).filter(is_apart);
        let mut ranges: Vec<_> = demands.iter().map(|(demand, asked)| (demand, asked, true)).collect();
        ranges.extend(statements.map(|statement| (statement, statement, false)));
        ranges.sort_by_key(|(range, ..)| range.start);
        let asks =
            ranges.into_iter().flat_map(|(range, asked, is_assert)| scope.asks(range, asked, is_assert));
        Asked { asks: asks.collect(), cases: scope.cases() }
    }
}

/// Returns the things that stand in a range, of a list in the order of the text.
fn within<'t, T>(things: &'t [T], range: &Range<usize>, place: impl Fn(&T) -> &Range<usize>) -> &'t [T] {
    let first = things.partition_point(|thing| place(thing).start < range.start);
    let end = things.partition_point(|thing| place(thing).start < range.end);
    &things[first..end.max(first)]
}

/// Tells whether a name with its value stands outside of all functions, but for a fixture that has the name.
fn is_outside(whole: &Range<usize>, file: &SourceFile) -> bool {
    let holds = |item: &&Item| item.is(Capture::Function) && is_around(&item.range, whole);
    let mut holding = file.outline().items.iter().filter(holds);
    holding.all(|item| item.name_range.start == whole.start)
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
fn names(head: &str) -> Vec<String> {
    head.split(',').filter_map(first_name).map(str::to_owned).collect()
}

/// Returns the name that a declaration begins with.
pub(crate) fn first_name(part: &str) -> Option<&str> {
    let mut words = part.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '$');
    let is_mark = |word: &&str| {
        matches!(*word, "" | "pub" | "crate" | "const" | "static" | "let" | "var" | "mut" | "ref")
    };
    words.find(|word| !is_mark(word))
}

/// The names that a test sees.
struct Scope<'s> {
    file: &'s SourceFile,
    bindings: &'s Bindings,
    node: &'s Range<usize>,
}

impl<'s> Scope<'s> {
    /// Returns what a range asks, once for each case of the tables whose names it uses: the word that it begins with, and the
    /// part that says what is asked.
    fn asks(&self, range: &Range<usize>, asked: &Range<usize>, is_assert: bool) -> Vec<Ask> {
        let first = self.file.words(range).next().filter(|_| range.start < asked.start);
        let words: Vec<Word<'_>> = first.into_iter().chain(self.file.words(asked)).collect();
        let mut texts: Vec<String> = Vec::new();
        for case in self.cases_at(range.start) {
            let mut expanded = Vec::new();
            self.expand(&words, 0, &case, &mut expanded);
            let expanded: Vec<&str> =
                expanded.iter().map(AsRef::as_ref).filter(|word| *word != ";").collect();
            let text = joined(plain(&expanded));
            if !texts.contains(&text) {
                texts.push(text);
            }
        }
        texts.into_iter().map(|text| Ask { text, is_assert }).collect()
    }

    fn words(&self, range: &Range<usize>) -> Vec<Word<'s>> {
        self.file.words(range).collect()
    }

    /// Returns each case of the tables that a place sees.
    fn cases_at(&self, place: usize) -> Vec<Case<'s>> {
        let mut cases: Vec<Case<'s>> = vec![Vec::new()];
        for table in self.bindings.tables.iter().filter(|table| self.sees(table, place)) {
            let rows = self.rows(table).filter(|rows| rows.len() * cases.len() <= MOST_CASES);
            let rows = rows.unwrap_or_else(|| vec![self.any_row(table)]);
            let with_each = |case: &Case<'s>| {
                rows.iter().map(|row| [&case[..], &[(table, row.clone())]].concat()).collect::<Vec<_>>()
            };
            cases = cases.iter().flat_map(with_each).collect();
        }
        cases
    }

    fn sees(&self, table: &Table, place: usize) -> bool {
        is_around(&table.scope, self.node) || table.scope.contains(&place) && !table.rows.contains(&place)
    }

    /// Writes words with each name replaced by what it stands for.
    fn expand(&self, words: &[Word<'s>], depth: usize, case: &Case<'s>, expanded: &mut Vec<Cow<'s, str>>) {
        let mut read_to = 0;
        for (at, word) in words.iter().enumerate() {
            if at < read_to {
                continue;
            }
            let before = at.checked_sub(1).map_or("", |at| words[at].text);
            let behind = words.get(at + 1).map_or("", |word| word.text);
            let is_label = matches!(before, "(" | "," | "{") && matches!(behind, "=" | ":");
            let is_free = word.is_name && !matches!(before, "." | "::") && !is_label;
            if !is_free || depth == DEEPEST || expanded.len() > MOST_WORDS {
                expanded.push(word.text.into());
                continue;
            }
            let of_case = case.iter().rev().find_map(|(table, row)| {
                let column = table.names.iter().position(|name| name == word.text)?;
                self.sees(table, word.at).then_some(&row[column])
            });
            if let Some(value) = of_case {
                self.expand(value, depth + 1, case, expanded);
            } else if let Some(only) = self.local_of(word) {
                let value = self.words(&only.value);
                if let Some(element) = element_at(&value, &words[at + 1..]) {
                    self.expand(&value[element], depth + 1, case, expanded);
                    read_to = at + 4;
                    continue;
                }
                self.expand(&value, depth + 1, case, expanded);
                expanded.extend(only.part.iter().map(Cow::from));
            } else {
                expanded.push(word.text.into());
            }
        }
    }

    /// Returns the only thing that a name stands for in the test, or else in the whole file.
    fn local_of(&self, word: &Word<'_>) -> Option<&'s Local> {
        let locals = self.bindings.locals.get(word.text)?;
        let is_meant = |local: &&Local| local.scope.contains(&word.at) && !local.whole.contains(&word.at);
        let only = |found: &[&'s Local]| if let [only] = found { Some(*only) } else { None };
        let mut own: Vec<&Local> =
            within(locals, self.node, |local| &local.whole).iter().filter(is_meant).collect();
        let innermost = own.iter().map(|local| local.scope.len()).min();
        own.retain(|local| Some(local.scope.len()) == innermost);
        if own.is_empty() {
            let constants = locals.iter().filter(|local| local.is_constant).filter(is_meant);
            return only(&constants.collect::<Vec<_>>());
        }
        only(&own)
    }

    /// Returns the only case of a table whose values are not written there.
    fn any_row(&self, table: &Table) -> Row<'s> {
        let each = Word { text: "each", at: 0, is_name: false };
        let value = |column: usize| [vec![each; column + 1], self.words(&table.rows)].concat();
        (0..table.names.len()).map(value).collect()
    }

    /// Returns the values of each case of a table, where they are written there.
    fn rows(&self, table: &Table) -> Option<Vec<Row<'s>>> {
        let mut words = self.words(&table.rows);
        if let [name] = words[..]
            && let Some(only) = self.local_of(&name)
        {
            words = self.words(&only.value);
        }
        let rows = elements(&words)?.into_iter();
        rows.map(|values| row(&words[values], table.names.len())).collect()
    }

    /// Returns as how many cases a runner reports the test.
    fn cases(&self) -> Option<usize> {
        let around = self.bindings.tables.iter().filter(|table| is_around(&table.scope, self.node));
        around.map(|table| Some(self.rows(table)?.len())).product()
    }
}

/// Returns which element of a list stands behind a name, as in `counts[0]`; none where nothing or anything else does.
fn element_at(list: &[Word<'_>], behind: &[Word<'_>]) -> Option<Range<usize>> {
    let [open, index, close, ..] = behind else { return None };
    let index: usize =
        if (open.text, close.text) == ("[", "]") { index.text.parse().ok()? } else { return None };
    elements(list)?.get(index).cloned()
}

/// Returns the values of a case of so many names; none where they are computed.
fn row<'t>(row: &[Word<'t>], columns: usize) -> Option<Row<'t>> {
    if matches!(row[0].text, "*" | "...") || row.iter().any(|word| word.text == "for") {
        return None;
    }
    // `pytest.param(1, 2, id="a")`
    let row = match row.iter().position(|word| word.text == "(") {
        Some(open) if row[open.saturating_sub(1)].text == "param" => &row[open..],
        _ if columns == 1 => return Some(vec![row.to_vec()]),
        _ => row,
    };
    let values = elements(row)?;
    let values = values.get(..columns)?.iter();
    Some(values.map(|value| row[value.clone()].to_vec()).collect())
}

/// Tells whether a range holds all of another.
pub(crate) fn is_around(outer: &Range<usize>, inner: &Range<usize>) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

/// Returns where the elements of a list, a tuple or an array stand; none where the words are no such thing.
pub(crate) fn elements(words: &[Word<'_>]) -> Option<Vec<Range<usize>>> {
    let texts: Vec<&str> = words.iter().map(|word| word.text).collect();
    Some(split(&texts, inside(&texts)?))
}

/// Returns where the values are that stand side by side, in brackets or without.
fn side_by_side(words: &[Word<'_>]) -> Vec<Range<usize>> {
    let texts: Vec<&str> = words.iter().map(|word| word.text).collect();
    let bare = split(&texts, 0..texts.len());
    if bare.len() > 1 { bare } else { elements(words).unwrap_or_default() }
}

/// Returns the inside of a list that is all there is, but for a type in front.
fn inside(words: &[&str]) -> Option<Range<usize>> {
    let open = last_open(words)?;
    let front = &words[..open];
    let is_type = matches!(front, [] | ["&"] | ["vec", "!"] | ["&", "vec", "!"])
        || matches!(front.first(), Some(&("[" | "map"))) && words[open] == "{";
    (is_type && matches!(words[open], "[" | "(" | "{")).then_some(open + 1..words.len() - 1)
}

fn depth_change(word: &str) -> i32 {
    match word {
        "(" | "[" | "{" => 1,
        ")" | "]" | "}" => -1,
        _ => 0,
    }
}

/// Splits words at their outermost commas.
fn split(words: &[&str], all: Range<usize>) -> Vec<Range<usize>> {
    let (mut parts, mut begin, mut depth) = (Vec::new(), all.start, 0);
    for at in all.clone() {
        depth += depth_change(words[at]);
        if words[at] == "," && depth == 0 {
            parts.push(begin..at);
            begin = at + 1;
        }
    }
    parts.push(begin..all.end);
    parts.retain(|part| !part.is_empty());
    parts
}

/// Returns what an assert asks, on both sides of its outermost `==`.
pub(crate) fn sides<'t>(words: &[&'t str]) -> Vec<Vec<&'t str>> {
    let (mut sides, mut depth) = (vec![Vec::new()], 0);
    for word in plain(words) {
        depth += depth_change(word);
        match sides.last_mut() {
            Some(side) if depth > 0 || word != "==" => side.push(word),
            _ => sides.push(Vec::new()),
        }
    }
    sides
}

/// Returns an assert as what it asks, where it is one that several runners have.
fn plain<'t>(words: &[&'t str]) -> Vec<&'t str> {
    let words = if let ["await" | "return", rest @ ..] = words { rest } else { words };
    if let ["assert", rest @ ..] = words
        && !matches!(rest, ["." | "!", ..])
        && inside(rest).is_none()
    {
        return arguments(rest).into_iter().next().unwrap_or_default();
    }
    let Some((name, values)) = call(words) else { return words.to_vec() };
    match values.as_slice() {
        [first, second, ..] if fits("equal_assert", name) => [&first[..], &["=="], second].concat(),
        [first, ..] if fits("truth_assert", name) => first.clone(),
        _ => words.to_vec(),
    }
}

fn arguments<'t>(words: &[&'t str]) -> Vec<Vec<&'t str>> {
    split(words, 0..words.len()).into_iter().map(|part| words[part].to_vec()).collect()
}

/// Returns the name of the function or of the matcher that a question calls, and its values. What a matcher is asked of is the
/// first: `expect(subject).name(…)`.
fn call<'t>(words: &[&'t str]) -> Option<(&'t str, Vec<Vec<&'t str>>)> {
    let open = last_open(words)?;
    let mut values = arguments(&words[open + 1..words.len() - 1]);
    // In Go the test comes first.
    values.drain(..usize::from(values.len() > 1 && values[0] == ["t"]));
    let front = &words[..open];
    let front = if let [front @ .., "!"] = front { front } else { front };
    let (name, path) = front.split_last()?;
    if let ["expect", "(", subject @ .., ")", "."] = path {
        values.insert(0, subject.to_vec());
        return Some((name, values));
    }
    let is_path = |word: &&str| word.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | ':'));
    path.iter().all(is_path).then_some((name, values))
}

/// Returns where the bracket is that the last word closes.
fn last_open(words: &[&str]) -> Option<usize> {
    let mut depth = 0;
    let open = (0..words.len()).rev().find(|at| {
        depth += depth_change(words[*at]);
        depth == 0
    });
    open.filter(|open| open + 1 < words.len())
}

#[cfg(test)]
mod tests;
