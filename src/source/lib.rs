//! Source files, read by their grammars: tests with their asserts and skips, functions, comments, imports; which test of the
//! old is which of the new; and what a path is. Judges nothing, and knows nothing of a language that has no grammar here.

#![warn(missing_docs)]

mod asked;
mod assert;
mod broken;
mod function;
mod language;
mod matching;
mod outline;
mod pattern;
mod query;
mod role;
mod splice;
mod test;
mod tokens;

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock};

use tree_sitter::{ParseOptions, Parser, Tree};

use crate::asked::{Bindings, elements, first_name, sides};
use crate::broken::SyntaxError;
use crate::outline::{Mark, Outline};
use crate::pattern::fits;
use crate::query::{Capture, step};
use crate::tokens::Token;

pub use assert::{Assert, Word};
pub use broken::Broken;
pub use function::{Function, NewBody, Stub, with_bodies};
pub use language::Language;
pub use matching::{Kept, Matching, is_asked_by, is_worded_by, same_tests};
pub use role::{Role, is_fixture, is_foreign, is_found_by_name, is_runner_setting, is_test};
pub use splice::splice_tests;
pub use test::{Skip, SkipKind, Test};

/// What reads a tree never panics.
const UNHARMED: &str = "no thread panicked while it read the tree";
const STILL_THERE: &str = "the outline takes the tree, and reads the tokens before";

/// A source file and its syntax tree. It is parsed once, and each question is asked of what was read of the tree.
#[derive(Debug)]
pub struct SourceFile {
    path: Arc<str>,
    text: String,
    language: Language,
    error: Option<SyntaxError>,
    /// Gone when all was read of it, because it takes many times the space of its text.
    tree: Mutex<Option<Tree>>,
    outline: OnceLock<Outline>,
    /// Read before the outline at the latest.
    tokens: OnceLock<Vec<Token>>,
    line_ends: OnceLock<Vec<usize>>,
    bindings: OnceLock<Bindings>,
}

/// A piece of a file, as it stands there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part<'f> {
    /// In bytes.
    pub range: Range<usize>,
    /// From 1.
    pub line: usize,
    /// The text itself.
    pub text: &'f str,
}

impl SourceFile {
    /// Parses a file; none where its language has no grammar here, or the parser takes too long.
    pub fn parse(path: &str, text: impl Into<String>) -> Option<Arc<Self>> {
        let (language, text) = (Language::of(path)?, text.into());
        let mut parser = Parser::new();
        parser.set_language(&language.query().language).expect("the grammars fit the library");
        let mut steps = 0;
        let mut progress = |_: &tree_sitter::ParseState| step(&mut steps);
        let options = ParseOptions::new().progress_callback(&mut progress);
        let read = &mut |at: usize, _| text.as_bytes().get(at..).unwrap_or_default();
        let tree = parser.parse_with_options(read, None, Some(options))?;
        let error = SyntaxError::first(&tree);
        let (outline, tokens, line_ends, bindings) = Default::default();
        let (path, tree) = (path.into(), Mutex::new(Some(tree)));
        Some(Arc::new(Self { path, text, language, error, tree, outline, tokens, line_ends, bindings }))
    }

    /// Tells whether a file may hold tests, without parsing it.
    pub fn may_have_tests(path: &str, text: &str) -> bool {
        Language::of(path).is_some_and(|language| fits(&format!("tests_in_{}", language.family()), text))
    }

    /// Returns the path that the file was given.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns the whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the language that the file is in.
    pub fn language(&self) -> Language {
        self.language
    }

    /// Returns what an assert asks, in its words: two sides where it asks whether they are equal.
    pub fn sides(&self, assert: &Part<'_>) -> Vec<Vec<&str>> {
        sides(&self.words(&assert.range).map(|word| word.text).collect::<Vec<_>>())
    }

    /// Tells whether a line, from 1, stands in code that is built or run for tests only, within a file of the product.
    pub fn is_test_code(&self, line: usize) -> bool {
        let mut items = self.outline().items.iter().filter(|item| item.is(Capture::TestCode));
        items.any(|item| (self.line(item.range.start)..=self.line(item.range.end)).contains(&line))
    }

    /// Returns the modules that are imported, each as it is written, without quotation marks.
    pub fn imports(&self) -> Vec<Part<'_>> {
        let mut imports = self.parts(Capture::Import);
        for import in &mut imports {
            import.text = import.text.trim_matches(['"', '\'', '`']);
        }
        imports
    }

    /// Tells whether a file asserts nothing and has no statement that only calls something, not even in its functions.
    pub fn only_defines(&self) -> bool {
        self.marks(Capture::Assert).chain(self.marks(Capture::Statement)).next().is_none()
    }

    /// Returns the names that values have in the whole file, each with its form.
    pub fn constants(&self) -> Vec<(&str, Part<'_>)> {
        let constants = self.parts(Capture::Constant);
        constants.into_iter().filter_map(|part| Some((first_name(part.text)?, part))).collect()
    }

    /// Returns where code replaces what the test runner itself does, by its own name or by one that an import gave it.
    pub fn runner_patches(&self) -> Vec<Part<'_>> {
        if !fits("runner", &self.text) {
            return Vec::new();
        }
        let names: BTreeSet<&str> = self.parts(Capture::RunnerName).iter().map(|name| name.text).collect();
        let mut sets = self.parts(Capture::RunnerSet);
        sets.retain(|set| first_name(set.text).is_some_and(|name| names.contains(name)));
        let mut patches = [self.parts(Capture::RunnerPatched), sets].concat();
        patches.sort_by_key(|patch| patch.range.start);
        outermost(patches)
    }

    /// Returns what is done for some values alone: under a condition that asks for equality, or by a table without names.
    pub fn special_cases(&self) -> Vec<Part<'_>> {
        let may_have = fits(&format!("special_case_in_{}", self.language.family()), &self.text);
        if may_have { self.parts(Capture::SpecialCase) } else { Vec::new() }
    }

    /// Returns the values of each entry of a table; those of anything else together.
    pub fn entries(&self, table: &Part<'_>) -> Vec<Vec<String>> {
        let words: Vec<_> = self.words(&table.range).collect();
        let place = |word: usize| words.get(word).map_or(table.range.end, |word| word.at);
        let Some(entries) = elements(&words) else { return vec![self.values_in(&table.range)] };
        entries.iter().map(|entry| self.values_in(&(place(entry.start)..place(entry.end)))).collect()
    }

    /// Returns the line of a place, from 1.
    pub fn line(&self, at: usize) -> usize {
        let newlines = || self.text.match_indices('\n').map(|(at, _)| at).collect();
        self.line_ends.get_or_init(newlines).partition_point(|end| *end < at) + 1
    }

    fn marks(&self, wanted: Capture) -> impl Iterator<Item = &Mark> {
        self.outline().marks.iter().filter(move |mark| mark.capture == wanted)
    }

    /// Returns what begins in a range.
    fn marks_in(&self, range: &Range<usize>) -> impl Iterator<Item = &Mark> + use<'_> {
        let (marks, end) = (&self.outline().marks, range.end);
        let first = marks.partition_point(|mark| mark.range.start < range.start);
        marks[first..].iter().take_while(move |mark| mark.range.start < end)
    }

    fn parts(&self, wanted: Capture) -> Vec<Part<'_>> {
        outermost(self.marks(wanted).map(|mark| self.part(mark.range.clone())))
    }

    fn bindings(&self) -> &Bindings {
        self.bindings.get_or_init(|| Bindings::read(self))
    }

    fn part(&self, range: Range<usize>) -> Part<'_> {
        Part { line: self.line(range.start), text: &self.text[range.clone()], range }
    }

    fn outline(&self) -> &Outline {
        self.outline.get_or_init(|| {
            self.tokens();
            let tree = self.tree.lock().expect(UNHARMED).take().expect(STILL_THERE);
            Outline::read(self.language.query(), &tree, &self.text)
        })
    }
}

/// Makes methods that return the parts of a file that a capture finds.
macro_rules! parts {
    ($($(#[$doc:meta])* $name:ident = $capture:ident;)*) => {
        impl SourceFile {
            $($(#[$doc])* pub fn $name(&self) -> Vec<Part<'_>> { self.parts(Capture::$capture) })*
        }
    };
}

parts! {
    /// Returns the asserts, those outside of tests, too.
    asserts = Assert;
    /// Returns the code that the test runner asks what becomes of tests, and the calls that end it.
    runner_hooks = RunnerHook;
    /// Returns the comments. What documents a function in Python is a string.
    comments = Comment;
    /// Returns the strings that document what they stand in: those of Python that are statements of their own.
    docstrings = Docstring;
    /// Returns the statements by which a language says that work is left open: `todo!()`, `it.todo("…")`.
    open_statements = OpenStatement;
    /// Returns the string literals, with their quotation marks.
    strings = String;
    /// Returns the texts and numbers that the code is written with.
    values = Value;
    /// Returns the calls that put something else in the place of a part of the program.
    stand_ins = StandIn;
    /// Returns the handlers of errors that hide any error from everybody.
    swallowed_errors = Swallowed;
}

/// Leaves out the parts that stand inside of the one before.
fn outermost<'f>(parts: impl IntoIterator<Item = Part<'f>>) -> Vec<Part<'f>> {
    let mut outermost: Vec<Part<'f>> = Vec::new();
    for part in parts {
        if outermost.last().is_none_or(|last| last.range.end < part.range.end) {
            outermost.push(part);
        }
    }
    outermost
}
