//! The functions of a file, which of them are stubs, and how they get other bodies.

use std::collections::HashSet;
use std::ops::Range;

use crate::SourceFile;
use crate::language::Language;
use crate::outline::Item;
use crate::pattern::fits;
use crate::query::Capture;

/// One function or method.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Function {
    /// Its name with the modules, types and classes that it stands in: `Pager::pages`, `Pager.pages`.
    pub name: String,
    /// Where its name stands, from 1.
    pub line: usize,
    /// With its attributes, decorators and documentation, in bytes.
    pub range: Range<usize>,
    /// None where others have to write it.
    pub body: Option<Range<usize>>,
    /// Missing where it does something.
    pub stub: Option<Stub>,
    /// Whether others have to write it: by its own mark, or because its class is made to be extended.
    pub is_abstract: bool,
}

/// What the body of a function does that does nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stub {
    /// It is empty, or says so.
    Empty,
    /// It returns nothing: `None`, `null`, `nil`.
    Nothing,
    /// It fails, and says that it is not written yet.
    NotImplemented,
    /// It fails with a text that is always the same.
    Fails,
}

impl SourceFile {
    /// Returns the functions and methods, in the order of the text; those that are tests, too.
    pub fn functions(&self) -> Vec<Function> {
        let outline = self.outline();
        let bases: HashSet<&str> =
            self.marks(Capture::Base).map(|mark| &self.text[mark.range.clone()]).collect();
        let function = |(index, item): (usize, &Item)| {
            let is_extended = |outer: usize| {
                let outer = &outline.items[outer];
                outer.is(Capture::Group)
                    && (outer.is(Capture::Abstract) || bases.contains(outer.name.as_str()))
            };
            Function {
                name: outline.path(index).join(if self.language == Language::Rust { "::" } else { "." }),
                line: self.line(item.name_range.start),
                range: item.range.clone(),
                stub: item.body.as_ref().and_then(|body| stub(self, index, body)),
                body: item.body.clone(),
                is_abstract: item.is(Capture::Abstract) || outline.around(item.parent).any(is_extended),
            }
        };
        let items = outline.items.iter().enumerate();
        items.filter(|(_, item)| item.is(Capture::Function)).map(function).collect()
    }

    /// Returns the functions that do nothing, but for those that others have to write.
    pub fn stubs(&self) -> Vec<Function> {
        let mut stubs = if fits("stub", &self.text) { self.functions() } else { Vec::new() };
        stubs.retain(|function| function.stub.is_some() && !function.is_abstract);
        stubs
    }
}

/// Returns what a body does that holds one statement at most.
fn stub(file: &SourceFile, index: usize, body: &Range<usize>) -> Option<Stub> {
    let (mut start, mut found) = (body.start, None);
    for mark in file.marks_in(body).filter(|mark| mark.owner == Some(index)) {
        let stub = match mark.capture {
            Capture::StubEmpty => Stub::Empty,
            Capture::StubNothing => Stub::Nothing,
            Capture::StubNotImplemented => Stub::NotImplemented,
            Capture::StubFails => Stub::Fails,
            Capture::Docstring => {
                start = mark.range.end;
                continue;
            }
            _ => continue,
        };
        found = found.or(Some((stub, mark.range.clone())));
    }
    let is_empty = |range: Range<usize>| {
        let code = file.text[range.clone()].trim_start_matches([' ', '\t', '\r', '\n', '{', '}', ';']);
        // What begins with a comment may be nothing else.
        code.is_empty()
            || code.starts_with(['/', '#'])
                && file.words(&range).all(|word| matches!(word.text, "{" | "}" | ";" | "¶"))
    };
    let (stub, range) = found.unwrap_or((Stub::Empty, start..start));
    (is_empty(start.min(range.start)..range.start) && is_empty(range.end..body.end)).then_some(stub)
}

/// What takes the place of the body of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NewBody<'b> {
    /// It returns nothing at once, so that a test that only calls it passes, or fails where its types allow no such thing.
    Stub,
    /// It fails.
    Failure,
    /// It does what this text says.
    Text(&'b str),
}

/// Returns the text of a file in which functions have other bodies. What a stub did stands behind it, so that imports stay in
/// use and types that are inferred stay the same. Code that runs on its own, such as constructors, is made no stub.
/// What calls a `const fn` of Rust while it is built is not built with the stub.
#[must_use]
pub fn with_bodies<'b>(file: &SourceFile, body_of: impl Fn(&Function) -> Option<NewBody<'b>>) -> String {
    let mut edits = Vec::new();
    let items = file.outline().items.iter().filter(|item| item.is(Capture::Function));
    for (function, item) in file.functions().iter().zip(items) {
        let Some(body) = &function.body else { continue };
        match body_of(function) {
            Some(NewBody::Text(text)) => edits.push((body.clone(), text.to_owned())),
            Some(stub) if !item.is(Capture::Constructor) => edits.extend(stub_edits(file, body, stub)),
            Some(NewBody::Stub | NewBody::Failure) | None => {}
        }
    }
    edited(&file.text, edits)
}

/// Returns a text with its edits, but for those inside of others.
pub(crate) fn edited(text: &str, mut edits: Vec<(Range<usize>, String)>) -> String {
    edits.sort_by_key(|(range, _)| range.start);
    let (mut edited, mut read_to) = (String::new(), 0);
    for (range, new) in edits {
        if range.start >= read_to {
            edited.push_str(&text[read_to..range.start]);
            edited.push_str(&new);
            read_to = range.end;
        }
    }
    edited + &text[read_to..]
}

/// Returns what makes a body a stub, each piece with its place.
fn stub_edits(file: &SourceFile, body: &Range<usize>, stub: NewBody<'_>) -> Vec<(Range<usize>, String)> {
    let at = |place: usize, text: &str| (place..place, text.to_owned());
    let (inside, fails) = (body.start + 1, stub == NewBody::Failure);
    match file.language {
        Language::Rust => vec![at(inside, " if true { unimplemented!() }")],
        Language::Go => vec![at(inside, " if true { panic(\"stub\") };")],
        Language::Python => {
            let line = file.text[..body.start].rfind('\n').map_or(0, |end| end + 1);
            let front = &file.text[line..body.start];
            let separator = if front.trim().is_empty() { format!("\n{front}") } else { "; ".to_owned() };
            let end = if fails { "raise NotImplementedError" } else { "return None" };
            vec![at(body.start, &format!("{end}{separator}"))]
        }
        language => {
            let returns = language == Language::JavaScript && !fails;
            let end = if returns { "return" } else { "throw new Error(\"stub\")" };
            if file.text[body.start..].starts_with('{') {
                return vec![at(inside, &format!(" if (true) {end};"))];
            }
            vec![at(body.start, &format!("{{ if (true) {end}; return ")), at(body.end, "; }")]
        }
    }
}

#[cfg(test)]
mod tests;
