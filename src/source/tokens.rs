//! The leaves of a syntax tree in their order, without comments: what is left of a text where its form does not count.

use std::collections::BTreeSet;
use std::ops::Range;

use tree_sitter::Tree;

use crate::language::Language;
use crate::{STILL_THERE, SourceFile, UNHARMED};

/// Stands at both ends of a block that only its indentation marks.
const BLOCK: &str = "¶";

/// Stands in place of a string that would be taken for a sign of the code.
const BRACKET: &str = "bracket";

/// One leaf.
#[derive(Debug)]
pub(crate) struct Token {
    range: Range<usize>,
    is_name: bool,
    /// Whether it is the inside of a string, or a part of it.
    is_inside: bool,
}

/// A token with its text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Word<'t> {
    pub(crate) text: &'t str,
    /// Where it begins, in bytes.
    pub(crate) at: usize,
    /// Whether it is the name of something.
    pub(crate) is_name: bool,
}

impl SourceFile {
    /// Tells whether two files differ in white space, comments and docstrings at most.
    pub fn is_same_code(&self, other: &Self) -> bool {
        self.code().eq(other.code())
    }

    /// Returns the names that are used in a range: of functions, types, fields and variables.
    pub fn names(&self, range: &Range<usize>) -> BTreeSet<&str> {
        self.words(range).filter(|word| word.is_name).map(|word| word.text).collect()
    }

    /// Returns the tokens that are neither comment nor docstring, as they are written.
    fn code(&self) -> impl Iterator<Item = &str> {
        let has_docstrings = self.language == Language::Python;
        let docstrings = if has_docstrings { self.docstrings() } else { Vec::new() };
        let is_code = move |range: &&Range<usize>| {
            let next = docstrings.partition_point(|docstring| docstring.range.end <= range.start);
            docstrings.get(next).is_none_or(|docstring| range.start < docstring.range.start)
        };
        self.tokens().iter().map(|token| &token.range).filter(is_code).map(|range| &self.text[range.clone()])
    }

    /// Returns the tokens in a range. The ends of a block that only its indentation marks are tokens, too.
    pub(crate) fn words<'f>(&'f self, range: &Range<usize>) -> impl Iterator<Item = Word<'f>> + use<'f> {
        let text = |token: &Token| match &self.text[token.range.clone()] {
            "" => BLOCK,
            "'" => "\"",
            "(" | ")" | "[" | "]" | "{" | "}" | "," if token.is_inside => BRACKET,
            other => other,
        };
        let word =
            move |token: &Token| Word { text: text(token), at: token.range.start, is_name: token.is_name };
        self.within(range).iter().map(word)
    }

    /// Returns what a range says, whatever its white space, comments, quotation marks and last commas, without a part.
    pub(crate) fn normal(&self, range: &Range<usize>, without: &Range<usize>) -> String {
        let before = self.words(&(range.start..without.start.max(range.start)));
        let behind = self.words(&(without.end.max(range.start)..range.end));
        joined(before.chain(behind).map(|word| word.text))
    }

    fn within(&self, range: &Range<usize>) -> &[Token] {
        let tokens = self.tokens();
        let first = tokens.partition_point(|token| token.range.start < range.start);
        let end = tokens.partition_point(|token| token.range.end <= range.end);
        let tokens = &tokens[first..end.max(first)];
        // Blocks that begin or end just here are not inside.
        let is_inside = |token: &Token| !token.range.is_empty();
        let first = tokens.iter().position(is_inside).unwrap_or(tokens.len());
        let last = tokens.iter().rposition(is_inside).map_or(first, |last| last + 1);
        &tokens[first..last]
    }

    pub(crate) fn tokens(&self) -> &[Token] {
        self.tokens.get_or_init(|| {
            let tree = self.tree.lock().expect(UNHARMED);
            self.read_tokens(tree.as_ref().expect(STILL_THERE))
        })
    }

    fn read_tokens(&self, tree: &Tree) -> Vec<Token> {
        // In some languages only their indentation marks blocks.
        let is_indented = self.language == Language::Python;
        let mut tokens = Vec::new();
        let mut cursor = tree.walk();
        let mut read_to = 0;
        loop {
            let node = cursor.node();
            let is_comment = node.is_extra() && node.kind().ends_with("comment");
            if !is_comment && cursor.goto_first_child() {
                if is_indented {
                    push_indentation(&node, node.start_byte(), &mut tokens);
                }
                continue;
            }
            push_unnamed(read_to..node.start_byte(), &self.text, &mut tokens);
            read_to = read_to.max(node.end_byte());
            if !is_comment && node.start_byte() < node.end_byte() {
                let kind = if node.is_named() { node.kind() } else { "" };
                let is_name = kind.ends_with("identifier");
                let is_inside = ["content", "fragment", "text"].iter().any(|end| kind.ends_with(end));
                tokens.push(Token { range: node.byte_range(), is_name, is_inside });
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return tokens;
                }
                if is_indented {
                    push_indentation(&cursor.node(), cursor.node().end_byte(), &mut tokens);
                }
            }
        }
    }
}

/// Writes words with a space between, without last commas and ends of statements.
pub(crate) fn joined<'t>(words: impl IntoIterator<Item = &'t str>) -> String {
    let mut text = String::new();
    for word in words.into_iter().filter(|word| *word != ";") {
        if matches!(word, ")" | "]" | "}") && text.ends_with(" ,") {
            text.truncate(text.len() - 2);
        }
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(word);
    }
    text
}

/// Some grammars have no node for the text of a string around its escapes.
fn push_unnamed(gap: Range<usize>, text: &str, tokens: &mut Vec<Token>) {
    let Some(unnamed) = text.get(gap.clone()).filter(|unnamed| !unnamed.trim().is_empty()) else { return };
    let start = gap.start + unnamed.len() - unnamed.trim_start().len();
    tokens.push(Token { range: start..start + unnamed.trim().len(), is_name: false, is_inside: true });
}

fn push_indentation(node: &tree_sitter::Node<'_>, at: usize, tokens: &mut Vec<Token>) {
    if node.kind() == "block" {
        tokens.push(Token { range: at..at, is_name: false, is_inside: false });
    }
}
